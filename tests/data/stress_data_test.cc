// The stress suite and the adaptive attacker on whole data sets: every span where it should be, and how much of each
// there is. INTERLOCK_DATA names the folder that holds `agent_sentry/`; without it this fails.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interlock/base/text.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/agent_sentry/stress.h"
#include "interlock/platform/line_reader.h"

namespace interlock::eval::agent_sentry {
namespace {

class StressDataTest : public testing::Test {
 protected:
  static std::vector<Trace> Load(const std::string& name) {
    const char* root = std::getenv("INTERLOCK_DATA");
    EXPECT_NE(root, nullptr) << "INTERLOCK_DATA is not set";
    std::vector<Trace> traces;
    const auto status = platform::ForEachLine(std::string(root == nullptr ? "" : root) + "/agent_sentry/" + name,
                                              std::size_t{16} << 20, [&](const base::Line& line) -> base::Status {
                                                auto trace = ParseTrace(line.text);
                                                if (!trace.ok()) return trace.error();
                                                StripPreamble(trace.value());
                                                traces.push_back(std::move(trace.value()));
                                                return {};
                                              });
    EXPECT_TRUE(status.ok()) << status.error().ToString();
    return traces;
  }
};

bool OnBorder(std::string_view text, std::size_t at) {
  return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
}

// Inside the output, in order, apart, on character borders.
bool Sound(const Trace& trace) {
  std::size_t last = 0;
  std::uint32_t call = 0;
  for (const InjectedSpan& span : trace.injected) {
    if (span.call >= trace.calls.size() || span.call < call) return false;
    const std::string& output = trace.calls[span.call].output;
    if (span.call != call) last = 0;
    if (span.bytes.begin < last || span.bytes.begin >= span.bytes.end || span.bytes.end > output.size()) return false;
    if (!OnBorder(output, span.bytes.begin) || !OnBorder(output, span.bytes.end)) return false;
    call = span.call;
    last = span.bytes.end;
  }
  return true;
}

void EveryKindOn(const std::vector<Trace>& traces) {
  for (const StressKind kind : AllStressKinds()) {
    std::map<std::string, std::uint64_t> changed;
    for (const Trace& trace : traces) {
      const Trace harder = Stress(trace, kind, 42);
      ASSERT_EQ(harder.injected.empty(), trace.injected.empty()) << trace.id << ' ' << NameOf(kind);
      ASSERT_TRUE(Sound(harder)) << trace.id << ' ' << NameOf(kind);
      ASSERT_EQ(harder.calls.size(), trace.calls.size());
      bool differs = false;
      for (std::size_t i = 0; i < trace.calls.size(); ++i) {
        ASSERT_EQ(harder.calls[i].arguments, trace.calls[i].arguments);
        differs |= harder.calls[i].output != trace.calls[i].output;
        ASSERT_TRUE(base::IsValidUtf8(harder.calls[i].output)) << trace.id << ' ' << NameOf(kind);
      }
      if (differs) ++changed[trace.domain];
      if (!trace.attack) {
        ASSERT_FALSE(differs);
      }
    }
    std::printf("%-16s", std::string(NameOf(kind)).c_str());
    for (const auto& [domain, n] : changed) std::printf(" %s %llu", domain.c_str(), static_cast<unsigned long long>(n));
    std::printf("\n");
  }
}

void AdaptiveOn(const std::vector<Trace>& traces) {
  std::map<std::string, const Trace*> runs;
  for (const Trace& trace : traces) runs[trace.id] = &trace;
  std::map<std::string, std::uint64_t> made;
  std::set<std::string> ids;
  for (const Trace& attack : AdaptiveAttacks(traces, 42)) {
    ASSERT_TRUE(Sound(attack)) << attack.id;
    ASSERT_TRUE(ids.insert(attack.id).second) << attack.id;
    ASSERT_FALSE(attack.injected.empty()) << attack.id;
    const Trace& run = *runs.at(attack.id.substr(0, attack.id.find("/adaptive/")));
    ASSERT_EQ(attack.calls.size(), run.calls.size());
    bool arguments = false;
    for (std::size_t i = 0; i < run.calls.size(); ++i) {
      ASSERT_EQ(attack.calls[i].name, run.calls[i].name) << "a tool that the user's run does not use";
      arguments |= attack.calls[i].arguments != run.calls[i].arguments;
    }
    ASSERT_TRUE(arguments) << attack.id;
    ++made[attack.domain + attack.id.substr(attack.id.rfind('/'))];
  }
  for (const auto& [what, n] : made)
    std::printf("adaptive %s %llu\n", what.c_str(), static_cast<unsigned long long>(n));
  for (const std::string_view domain : kDomains) {
    EXPECT_GT(made[std::string(domain) + "/field"] + made[std::string(domain) + "/line"], 0u) << domain;
  }
}

TEST_F(StressDataTest, Bench) {
  const std::vector<Trace> traces = Load("bench.jsonl.zst");
  ASSERT_EQ(traces.size(), 6'731u);
  EveryKindOn(traces);
  AdaptiveOn(traces);
}

TEST_F(StressDataTest, AgentDojoRun) {
  const std::vector<Trace> traces = Load("ad_run1.jsonl.zst");
  ASSERT_EQ(traces.size(), 1'046u);
  EveryKindOn(traces);
  AdaptiveOn(traces);
}

}  // namespace
}  // namespace interlock::eval::agent_sentry
