// links: base core platform runtime.audit
// Cost of one record on the path of a call: p50 and p99 of Append, the strict profile, throughput with group commits.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/core/decision.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/audit/verify.h"

namespace {

using interlock::base::JsonDoc;
using interlock::base::Result;
using interlock::base::Status;
using interlock::runtime::audit::AuditLog;
using interlock::runtime::audit::Bodies;
using interlock::runtime::audit::Kind;
using interlock::runtime::audit::LogOptions;
using interlock::runtime::audit::Record;
using interlock::runtime::audit::Verify;
using Clock = std::chrono::steady_clock;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "audit_bench.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A decision whose row has about 1 KB.
class Sample {
 public:
  Sample() {
    std::string text = R"({"path":"/srv/project/src/main.cc","mode":"overwrite","content":")";
    while (text.size() < 420) text += "int main() { return 0; } // some code, ";
    text += "\"}";
    Result<JsonDoc> doc = JsonDoc::Parse(text);
    if (doc.ok()) doc_ = std::move(doc.value());
    decision_.verdict = interlock::core::Verdict::kAllow;
    decision_.reason = interlock::core::Reason::kDefaultAllow;
    decision_.evidence.push_back({interlock::core::Layer::kPolicy, interlock::core::Reason::kPolicyRule,
                                  interlock::core::Verdict::kAllow, "files.write-in-project", "/path",
                                  "path is inside of the project"});
    record_.kind = Kind::kDecision;
    record_.session = "9b2f6c1e-5a53-4d0e-8f55-0d9f3b1a7c11";
    record_.principal = "alice@example.com";
    record_.environment = "production";
    record_.profile = "default";
    record_.policy = interlock::base::Sha256("policy");
    record_.server = "files";
    record_.tool = "write_file";
    record_.call = "c1";
    record_.decision = &decision_;
    record_.enforcement = interlock::core::Enforcement::kForwarded;
    record_.arguments = doc_.root();
    record_.arguments_digest = interlock::base::DigestOf(doc_.root());
    record_.side_effect = interlock::core::SideEffect::kWrite;
    record_.latency_us = 40;
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  [[nodiscard]] const Record& record() const { return record_; }

 private:
  JsonDoc doc_;
  interlock::core::Decision decision_;
  Record record_;
};

void Percentiles(benchmark::State& state, std::vector<double>& us) {
  if (us.empty()) return;
  std::sort(us.begin(), us.end());
  const auto at = [&us](double q) { return us[static_cast<std::size_t>(q * static_cast<double>(us.size() - 1))]; };
  state.counters["p50_us"] = at(0.50);
  state.counters["p99_us"] = at(0.99);
  state.counters["p999_us"] = at(0.999);
}

// The pace of a busy guard: a pause between records, so that the background thread keeps up as it does in life.
void BM_Append(benchmark::State& state) {
  const Folder folder;
  const Sample sample;
  LogOptions options;
  options.bodies = static_cast<Bodies>(state.range(0));
  Result<AuditLog> log = AuditLog::Open(folder.path(), options);
  if (!log.ok()) return state.SkipWithError(log.error().ToString().c_str());
  std::vector<double> us;
  for (auto _ : state) {
    const auto begin = Clock::now();
    const Status status = log.value().Append(sample.record());
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    if (!status.ok()) return state.SkipWithError(status.error().ToString().c_str());
    us.push_back(took.count());
    state.SetIterationTime(took.count() * 1e-6);
    const auto until = Clock::now() + std::chrono::microseconds(30);
    while (Clock::now() < until) benchmark::ClobberMemory();
  }
  Percentiles(state, us);
}
BENCHMARK(BM_Append)->Arg(0)->Arg(1)->Arg(2)->ArgName("bodies")->UseManualTime()->Iterations(50'000);

void BM_AppendDurable(benchmark::State& state) {
  const Folder folder;
  const Sample sample;
  Result<AuditLog> log = AuditLog::Open(folder.path());
  if (!log.ok()) return state.SkipWithError(log.error().ToString().c_str());
  std::vector<double> us;
  for (auto _ : state) {
    const auto begin = Clock::now();
    const Status status = log.value().AppendDurable(sample.record());
    us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    if (!status.ok()) return state.SkipWithError(status.error().ToString().c_str());
  }
  Percentiles(state, us);
}
BENCHMARK(BM_AppendDurable)->Iterations(200)->UseRealTime();

// Records a second into the database, when the journal is never waited for but the queue is.
void BM_Throughput(benchmark::State& state) {
  const Folder folder;
  const Sample sample;
  Result<AuditLog> log = AuditLog::Open(folder.path());
  if (!log.ok()) return state.SkipWithError(log.error().ToString().c_str());
  constexpr int kRows = 20'000;
  for (auto _ : state) {
    for (int i = 0; i < kRows; ++i) {
      const Status status = log.value().Append(sample.record());
      if (!status.ok()) return state.SkipWithError(status.error().ToString().c_str());
    }
    const Status flushed = log.value().Flush();
    if (!flushed.ok()) return state.SkipWithError(flushed.error().ToString().c_str());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_Throughput)->Iterations(3)->UseRealTime();

void BM_Verify(benchmark::State& state) {
  const Folder folder;
  const Sample sample;
  constexpr int kRows = 20'000;
  {
    Result<AuditLog> log = AuditLog::Open(folder.path());
    if (!log.ok()) return state.SkipWithError(log.error().ToString().c_str());
    for (int i = 0; i < kRows; ++i) {
      if (!log.value().Append(sample.record()).ok()) return state.SkipWithError("append failed");
    }
  }
  for (auto _ : state) {
    const auto report = Verify(folder.path());
    if (!report.ok() || report.value().finding_count != 0) return state.SkipWithError("log does not verify");
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_Verify)->Unit(benchmark::kMillisecond);

}  // namespace
