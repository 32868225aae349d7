#include "eval_spans.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>

#include "eval_agent_sentry.h"
#include "eval_command.h"
#include "interlock/base/text.h"
#include "interlock/eval/report.h"
#include "interlock/eval/scanner/measure.h"
#include "interlock/injection/span_finder.h"
#include "interlock/platform/file.h"
#include "options.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 30;
constexpr std::size_t kShown = 200;
constexpr double kPerTenThousand = 100;  // from per cent

struct Count {
  std::uint64_t texts = 0;
  std::uint64_t flagged = 0;  // from the threshold of quarantine on: masked
  std::uint64_t likely = 0;   // score over one half: what GIRA's eta of .5 would hold against a call
};

class Meter {
 public:
  explicit Meter(std::size_t show) : finder_(injection::DefaultSpanModel()), show_(show) {}

  void Look(std::string_view what, std::string_view text) {
    if (text.empty()) return;
    const injection::ScanResult found = finder_.Scan(text);
    Count& count = counts_[std::string(what)];
    ++count.texts;
    count.likely += found.max_score > 0 ? 1 : 0;
    const bool flagged =
        !found.spans.empty() && !(found.spans.front().score < injection::DefaultSpanModel()->quarantine_threshold());
    count.flagged += flagged ? 1 : 0;
    if (!flagged || shown_ >= show_) return;
    ++shown_;
    const base::ByteSpan bytes = found.spans.front().bytes;
    fmt::print(stderr, "{} {:.1f} {}: {}\n", what, found.spans.front().score, found.spans.front().rule,
               base::Printable(text.substr(bytes.begin, bytes.end - bytes.begin), kShown));
  }
  [[nodiscard]] std::vector<eval::EvalRow> Rows() const {
    std::vector<eval::EvalRow> rows;
    for (const auto& [what, count] : counts_) {
      const bool lines = what.rfind("lines ", 0) == 0;
      const auto add = [&](std::string_view column, std::uint64_t hits) {
        const eval::scanner::Share share = eval::scanner::WilsonShare(static_cast<double>(hits), count.texts);
        const double scale = lines ? kPerTenThousand : 1.0;
        rows.push_back({.table = lines ? "lines, per 10,000" : "outputs, per cent",
                        .split = "benign",
                        .row = what,
                        .column = std::string(column),
                        .value = share.value * scale,
                        .low = share.low * scale,
                        .high = share.high * scale,
                        .n = count.texts,
                        .published = {},
                        .reason = {}});
      };
      add("masked", count.flagged);
      add("score over .5", count.likely);
    }
    return rows;
  }

 private:
  injection::SpanFinder finder_;
  std::map<std::string, Count> counts_;
  std::size_t show_;
  std::size_t shown_ = 0;
};

}  // namespace

int RunEvalSpans(const EvalSpansArgs& args) {
  Meter meter(args.show);
  eval::EvalReport report{
      .eval = "spans", .command = "interlock eval spans", .data = {}, .seed = 0, .facts = {}, .rows = {}};
  if (args.data != "-") {
    const base::Result<std::string> data = FindData(args.data);
    if (!data.ok()) {
      PrintError(data.error());
      return kExitCannotRun;
    }
    report.data = data.value();
    report.command += " --data " + data.value();
    const base::Result<EvalTraces> traces = LoadEvalTraces(data.value());
    if (!traces.ok()) {
      PrintError(traces.error());
      return kExitCannotRun;
    }
    const auto look = [&](std::string_view what, const std::vector<eval::agent_sentry::Trace>& set) {
      for (const auto& trace : set) {
        if (trace.attack) continue;
        for (const auto& call : trace.calls) {
          if (call.has_output) meter.Look(what, call.output);
        }
      }
    };
    look("bench (taught the weights)", traces.value().bench);
    look("AgentDojo run 1", traces.value().agentdojo);
  }
  for (const std::string& file : args.lines) {
    const auto text = platform::ReadFile(file, kMaxFile);
    if (!text.ok()) {
      PrintError(text.error());
      return kExitCannotRun;
    }
    std::string_view rest = text.value();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      meter.Look("lines of files", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  report.facts.emplace_back("files of lines", std::to_string(args.lines.size()));
  report.rows = meter.Rows();
  if (args.format == Format::kJson) {
    fmt::print("{}", eval::ReportJson(report));
    return kExitFine;
  }
  for (const eval::EvalRow& row : report.rows) {
    fmt::print("{:<28} {:<14} {:8.3f} [{:.3f}, {:.3f}]  {} of {} texts\n", row.row, row.column, row.value,
               row.low.value_or(0), row.high.value_or(0), row.table, row.n);
  }
  return kExitFine;
}

void AddEvalSpansCommand(CLI::App& group, std::function<int()>& run) {
  const auto a = std::make_shared<EvalSpansArgs>();
  auto* c = group.add_subcommand("spans", "real text that nobody attacked: how much of it is masked");
  c->footer(
      "Every tool output of the benign traces, and every line of the files given, as a text of its own.\n"
      "  interlock eval spans --data DIR --lines /var/log/*.log\n"
      "Exit codes: 0 measured, 2 could not run.");
  c->add_option("--data", a->data, "folder of the Agent-Sentry data set; default: $INTERLOCK_DATA; `-`: none");
  c->add_option("--lines", a->lines, "files whose lines are looked at one by one, such as logs");
  c->add_option("--show", a->show, "print so many of the texts that are masked, on standard error");
  AddFormat(c, a->format);
  c->callback([a, &run] { run = [a] { return RunEvalSpans(*a); }; });
}

}  // namespace interlock::app
