#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "eval_agent_sentry.h"
#include "interlock/base/json.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"

namespace interlock::app {

using base::Result;
using base::Status;
using eval::agent_sentry::EvalRow;
using eval::agent_sentry::PaperCorpus;

namespace {

constexpr std::size_t kMaxTraceBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxListBytes = std::size_t{4} << 20;

Status AddTraces(const std::string& path, PaperCorpus& corpus) {
  return platform::ForEachLine(path, kMaxTraceBytes, [&](const base::Line& line) -> Status {
    if (line.too_long) return base::Error(base::ErrorCode::kLimitExceeded, "trace longer than 16 MiB");
    const Result<eval::agent_sentry::Trace> trace = eval::agent_sentry::ParseTrace(line.text);
    if (!trace.ok()) return trace.error();
    return corpus.Add(trace.value());
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
  if (Status status = AddTraces(folder + "/bench.jsonl.zst", corpus); !status.ok()) return status.error();
  const std::string run = folder + "/ad_run1.jsonl.zst";
  if (!platform::StatStamp(run).ok()) return corpus;
  if (Status status = AddTraces(run, corpus); !status.ok()) return status.error();
  return corpus;
}

Result<std::vector<EvalRow>> EvalAgentSentryPaper(const PaperEvalArgs& args) {
  const Result<PaperCorpus> corpus = LoadPaperCorpus(args.data);
  if (!corpus.ok()) return corpus.error();
  const Result<eval::agent_sentry::TrainSamples> samples = ReadSamples(args.data + "/train_samples.json.zst");
  if (!samples.ok()) return samples.error();
  const eval::agent_sentry::PaperTablesOptions options{.seed = args.seed};
  std::vector<EvalRow> rows = eval::agent_sentry::PaperTables(corpus.value(), samples.value(), options);
  const std::vector<EvalRow> apart = eval::agent_sentry::PaperLeakFree(corpus.value(), options);
  rows.insert(rows.end(), apart.begin(), apart.end());
  return rows;
}

std::string EvalRowsJson(const std::vector<EvalRow>& rows, const std::string& command, const PaperEvalArgs& args) {
  std::string out;
  base::JsonWriter writer(out);
  writer.BeginObject().Key("eval").String("agent-sentry").Key("command").String(command);
  writer.Key("data").String(args.data).Key("seed").Uint(args.seed).Key("rows").BeginArray();
  for (const EvalRow& row : rows) {
    std::string one;
    eval::agent_sentry::AppendEvalRow(one, row);
    writer.Raw(one);
  }
  writer.EndArray().EndObject();
  out.push_back('\n');
  return out;
}

std::string EvalRowsText(const std::vector<EvalRow>& rows) {
  std::string out;
  std::string_view table;
  for (const EvalRow& row : rows) {
    if (row.table != table) {
      table = row.table;
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n", row.table);
    }
    const std::string interval = row.low && row.high ? fmt::format("[{:.2f}, {:.2f}]", *row.low, *row.high) : "";
    const std::string published = row.published ? fmt::format("{:.2f}", *row.published) : "";
    out += fmt::format("  {:<24} {:<26} {:<24} {:>9.2f} {:<17} {:>7} {:>9}  {}\n", row.split, row.row, row.column,
                       row.value, interval, row.n, published, row.reason);
  }
  return out;
}

}  // namespace interlock::app
