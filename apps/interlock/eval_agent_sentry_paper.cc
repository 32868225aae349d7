#include <fmt/format.h>

#include <array>
#include <string_view>

#include "eval_agent_sentry.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"

namespace interlock::app {

using base::Result;
using base::Status;
using eval::EvalRow;
using eval::agent_sentry::PaperCorpus;
using eval::agent_sentry::Trace;

namespace {

constexpr std::size_t kMaxTraceBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxListBytes = std::size_t{4} << 20;
constexpr const char* kBenchFile = "/bench.jsonl.zst";
constexpr const char* kRunFile = "/ad_run1.jsonl.zst";

// `on_trace` takes the trace and returns a Status.
template <class OnTrace>
Status ForEachTrace(const std::string& path, OnTrace&& on_trace) {
  return platform::ForEachLine(path, kMaxTraceBytes, [&](const base::Line& line) -> Status {
    if (line.too_long) return base::Error(base::ErrorCode::kLimitExceeded, "trace longer than 16 MiB");
    Result<Trace> trace = eval::agent_sentry::ParseTrace(line.text);
    if (!trace.ok()) return trace.error();
    return on_trace(trace.value());
  });
}
Status AddTraces(const std::string& path, PaperCorpus& corpus) {
  return ForEachTrace(path, [&](const Trace& trace) { return corpus.Add(trace); });
}
Status AddTraces(const std::string& path, std::vector<Trace>& traces) {
  return ForEachTrace(path, [&](Trace& trace) -> Status {
    eval::agent_sentry::StripPreamble(trace);
    traces.push_back(std::move(trace));
    return {};
  });
}

Result<eval::agent_sentry::TrainSamples> ReadSamples(const std::string& path) {
  std::string json;
  const Status status = platform::ForEachLine(path, kMaxTraceBytes, [&](const base::Line& line) {
    json.append(line.text).push_back('\n');
    return true;
  });
  if (!status.ok()) return status.error();
  return eval::agent_sentry::ParseTrainSamples(json);
}

std::string SizesOf(const PaperCorpus::Totals& totals, std::string_view utilities) {
  std::array<std::uint64_t, 2> read{};
  std::array<std::uint64_t, 2> kept{};
  for (std::size_t domain = 0; domain < eval::agent_sentry::kDomainCount; ++domain) {
    for (std::size_t side = 0; side < 2; ++side) {
      read[side] += totals.read[domain][side];
      kept[side] += totals.kept[domain][side];
    }
  }
  return fmt::format("{} traces without attack ({} {} count), {} with ({} count)", read[0], kept[0], utilities, read[1],
                     kept[1]);
}

}  // namespace

Result<PaperCorpus> LoadPaperCorpus(const std::string& folder) {
  std::vector<eval::agent_sentry::DomainTools> tools;
  for (const std::string_view domain : eval::agent_sentry::kDomains) {
    const Result<std::string> json =
        platform::ReadFile(folder + "/tools/" + std::string(domain) + ".json", kMaxListBytes);
    if (!json.ok()) return json.error();
    const Result<eval::agent_sentry::DomainTools> lists = eval::agent_sentry::ParseDomainTools(json.value());
    if (!lists.ok()) return lists.error();
    tools.push_back(lists.value());
  }
  PaperCorpus corpus(tools);
  if (Status status = AddTraces(folder + kBenchFile, corpus); !status.ok()) return status.error();
  if (!platform::StatStamp(folder + kRunFile).ok()) return corpus;
  if (Status status = AddTraces(folder + kRunFile, corpus); !status.ok()) return status.error();
  return corpus;
}

Result<EvalTraces> LoadEvalTraces(const std::string& folder) {
  EvalTraces traces;
  if (Status status = AddTraces(folder + kBenchFile, traces.bench); !status.ok()) return status.error();
  if (!platform::StatStamp(folder + kRunFile).ok()) return traces;
  if (Status status = AddTraces(folder + kRunFile, traces.agentdojo); !status.ok()) return status.error();
  return traces;
}

Result<std::vector<EvalRow>> EvalAgentSentryPaper(const PaperEvalArgs& args,
                                                  std::vector<std::pair<std::string, std::string>>& facts) {
  const Result<PaperCorpus> corpus = LoadPaperCorpus(args.data);
  if (!corpus.ok()) return corpus.error();
  const Result<eval::agent_sentry::TrainSamples> samples = ReadSamples(args.data + "/train_samples.json.zst");
  if (!samples.ok()) return samples.error();
  eval::agent_sentry::PaperTablesOptions options{.seed = args.seed};
  constexpr std::uint32_t kQuick = 10;
  if (args.quick) options.shuffles /= kQuick;
  if (args.quick) options.bootstraps /= kQuick;
  facts.emplace_back("bench", SizesOf(corpus.value().bench(), "utilities"));
  facts.emplace_back("AgentDojo run 1", SizesOf(corpus.value().run(), "solved tasks"));
  facts.emplace_back("tables 2-4, 8-13", fmt::format("{} seeded shuffles of the verdicts; training utilities as the "
                                                     "artifact's sampler picks them, seeds 42, 43, 44",
                                                     options.shuffles));
  facts.emplace_back("intervals of the published method",
                     fmt::format("95 %, {} resamplings of groups inside each domain", options.bootstraps));
  std::vector<EvalRow> rows = eval::agent_sentry::PaperTables(corpus.value(), samples.value(), options);
  const std::vector<EvalRow> apart = eval::agent_sentry::PaperLeakFree(corpus.value(), options);
  rows.insert(rows.end(), apart.begin(), apart.end());
  return rows;
}

}  // namespace interlock::app
