// `interlock eval gate`: reads the traces, measures every profile, prints.
#include "eval_gate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands.h"
#include "eval_agent_sentry.h"
#include "eval_command.h"
#include "interlock/eval/gate_profiles.h"
#include "interlock/platform/file.h"
#include "policy_files.h"

namespace interlock::app {

using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxToolsBytes = std::size_t{4} << 20;
constexpr unsigned kFolderMode = 0755;
constexpr unsigned kFileMode = 0644;

int Fail(const base::Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

Result<std::vector<eval::EvalRow>> Measure(const EvalGateArgs& args, const std::string& data) {
  Result<EvalTraces> traces = LoadEvalTraces(data);
  if (!traces.ok()) return traces.error();
  std::vector<std::string> tools;
  for (const std::string_view domain : eval::agent_sentry::kDomains) {
    auto json = platform::ReadFile(data + "/tools/" + std::string(domain) + ".json", kMaxToolsBytes);
    if (!json.ok()) return json.error();
    tools.push_back(std::move(json.value()));
  }
  const auto wanted = [&](const char* name) { return args.sets.empty() || std::ranges::count(args.sets, name) > 0; };
  std::vector<eval::TraceSet> sets;
  if (wanted("run1") && !traces.value().agentdojo.empty()) {
    sets.push_back({.name = "run 1",
                    .note = "the shipped weights have not seen it; they were chosen by people who have",
                    .traces = std::move(traces.value().agentdojo)});
  }
  if (wanted("bench")) {
    sets.push_back({.name = "bench",
                    .note = "it taught the shipped weights: no measure of layers bounds and injection",
                    .traces = std::move(traces.value().bench)});
  }
  eval::GateProfilesOptions options{.seed = args.seed, .jobs = args.jobs, .profiles = args.profiles};
  if (::isatty(2) != 0) {
    options.progress = [](std::string_view what) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
    };
  }
  return eval::MeasureProfiles(sets, tools, options);
}

}  // namespace

int RunEvalGate(const EvalGateArgs& args) {
  const Result<std::string> data = FindData(args.data);
  if (!data.ok()) return Fail(data.error());
  auto rows = Measure(args, data.value());
  if (!rows.ok()) return Fail(rows.error());
  std::string command = fmt::format("interlock eval gate --data {} --seed {}", data.value(), args.seed);
  if (!args.sets.empty()) command += fmt::format(" --sets {}", fmt::join(args.sets, ","));
  if (!args.profiles.empty()) command += fmt::format(" --profiles {}", fmt::join(args.profiles, ","));
  const eval::EvalReport report{.eval = "gate",
                                .command = command,
                                .data = data.value(),
                                .seed = args.seed,
                                .facts = {{"version", INTERLOCK_VERSION}},
                                .rows = std::move(rows.value())};
  const eval::ReportLayout layout = eval::GateProfilesLayout();
  Status status;
  if (!args.out.empty()) {
    status = platform::CreateDirectories(args.out, kFolderMode);
    if (status.ok()) status = platform::AtomicWrite(args.out + "/rows.json", eval::ReportJson(report), kFileMode);
    if (status.ok()) {
      status = platform::AtomicWrite(args.out + "/report.html", eval::ReportHtml(report, layout), kFileMode);
    }
  }
  if (!status.ok()) return Fail(status.error());
  const std::string text = args.format == "json" ? eval::ReportJson(report) : eval::ReportText(report, layout);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? kExitFine : kExitCannotRun;
}

void AddEvalGateCommand(CLI::App& group, std::function<int()>& run) {
  const auto a = std::make_shared<EvalGateArgs>();
  auto* c = group.add_subcommand("gate", "recorded agents through the complete gate, profile by profile");
  c->footer(
      "DIR holds bench.jsonl.zst, ad_run1.jsonl.zst and tools/, or a folder agent_sentry with them.\n"
      "  interlock eval gate --data DIR --sets run1\n"
      "  interlock eval gate --data DIR --profiles gira-full,interlock --format json\n"
      "What is measured and how: docs/oep.md. Exit codes: 0 measured, 2 could not run.");
  c->add_option("--data", a->data, "folder of the data set; default: $INTERLOCK_DATA");
  c->add_option("--sets", a->sets, "run1, bench; default: both")
      ->delimiter(',')
      ->check(CLI::IsMember({"run1", "bench"}));
  c->add_option("--profiles", a->profiles, "only these, by comma")->delimiter(',');
  c->add_option("--seed", a->seed, "of the resampling")->capture_default_str();
  c->add_option("-j,--jobs", a->jobs, "threads; the figures do not depend on it, latency does")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  c->add_option("--out", a->out, "write report.html and rows.json into this folder");
  c->add_option("--format", a->format, "text | json")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
  c->callback([a, &run] { run = [a] { return RunEvalGate(*a); }; });
}

}  // namespace interlock::app
