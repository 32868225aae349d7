// `interlock eval oep`: reads own data, drives the simulator, prints and writes what it measured.
#include "eval_oep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

#include "commands.h"
#include "interlock/eval/oep.h"
#include "interlock/platform/file.h"
#include "planner_pipe.h"
#include "policy_files.h"

namespace interlock::app {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxDataBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxTranscriptBytes = std::size_t{256} << 20;
constexpr unsigned kFolderMode = 0755;
constexpr unsigned kFileMode = 0644;

int Fail(const Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

// The name of a data file: its path from the folder of its kind on.
std::string NameOf(const std::string& path) {
  for (const std::string_view folder : {"incidents/", "attacks/", "suites/", "policies/"}) {
    if (const std::size_t at = path.rfind(folder); at != std::string::npos) return path.substr(at);
  }
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

class PipePlanner final : public eval::OepPlanner {
 public:
  explicit PipePlanner(PlannerPipe pipe) : pipe_(std::move(pipe)) {}
  Result<std::string> Answer(std::string_view question) override { return pipe_.Ask(std::string(question) + "\n"); }

 private:
  PlannerPipe pipe_;
};

std::string CommandOf(const EvalOepArgs& args) {
  std::string out =
      fmt::format("interlock eval oep --suite {} --seeds {} --seed {}", args.suite, args.seeds, args.seed);
  if (!args.agents.empty()) out += fmt::format(" --agents {}", fmt::join(args.agents, ","));
  for (const std::string& file : args.data) out += fmt::format(" --data '{}'", file);
  if (!args.planner.empty()) out += fmt::format(" --planner-cmd '{}'", args.planner);
  if (!args.replay.empty()) out += fmt::format(" --planner-replay '{}'", args.replay);
  if (!args.sweeps) out += " --no-sweeps";
  return out;
}

// What every run of a list left of one kind, in order.
std::string Collect(const eval::OepRuns& runs, std::string eval::OepRun::* what, bool lines) {
  std::string out;
  const auto add = [&](const std::vector<eval::OepRun>& list) {
    for (const eval::OepRun& run : list) {
      out += run.*what;
      if (lines && !(run.*what).empty()) out += '\n';
    }
  };
  add(runs.runs);
  for (const auto& [name, list] : runs.companions) add(list);
  return out;
}

}  // namespace

int RunEvalOep(const EvalOepArgs& args) {
  std::vector<eval::OepFile> files = eval::BuiltInOepFiles();
  for (const std::string& path : args.data) {
    auto bytes = platform::ReadFile(path, kMaxDataBytes);
    if (!bytes.ok()) return Fail(bytes.error());
    files.push_back({.name = NameOf(path), .bytes = std::move(bytes.value())});
  }
  const auto library = eval::OepLibrary::Load(files);
  if (!library.ok()) return Fail(library.error());
  eval::OepOptions options{
      .suite = args.suite,
      .seeds = args.seeds,
      .seed = args.seed,
      .threads = args.threads != 0 ? args.threads : std::max(1U, std::thread::hardware_concurrency()),
      .agents = args.agents,
      .sweeps = args.sweeps,
      .traces = !args.traces.empty(),
      .answers = !args.record.empty()};
  std::string transcript;
  if (!args.replay.empty()) {
    auto bytes = platform::ReadFile(args.replay, kMaxTranscriptBytes);
    if (!bytes.ok()) return Fail(bytes.error());
    transcript = std::move(bytes.value());
    options.sweeps = false;  // other gates would ask other questions
    options.planner = [&transcript] { return eval::ReplayPlanner(transcript); };
  } else if (!args.planner.empty()) {
    options.sweeps = false;
    options.planner = [&args]() -> Result<std::unique_ptr<eval::OepPlanner>> {
      constexpr std::size_t kMaxAnswer = std::size_t{1} << 20;
      auto pipe = PlannerPipe::Start(args.planner, std::chrono::seconds(args.planner_timeout), kMaxAnswer);
      if (!pipe.ok()) return pipe.error();
      return std::unique_ptr<eval::OepPlanner>(std::make_unique<PipePlanner>(std::move(pipe.value())));
    };
  }
  const auto runs = eval::RunOep(*library.value(), options);
  if (!runs.ok()) return Fail(runs.error());
  eval::EvalReport report{.eval = "oep",
                          .command = CommandOf(args),
                          .data = "built-in",
                          .seed = args.seed,
                          .facts = eval::OepFacts(*library.value(), options),
                          .rows = eval::OepRows(*library.value(), options, runs.value())};
  report.facts.emplace_back("version", INTERLOCK_VERSION);
  report.facts.emplace_back("runs", std::to_string(runs.value().runs.size()));
  const eval::ReportLayout layout = eval::OepLayout(args.suite);
  const auto write = [&](const std::string& path, const std::string& bytes) {
    return platform::AtomicWrite(path, bytes, kFileMode);
  };
  Status status;
  if (!args.traces.empty()) status = write(args.traces, Collect(runs.value(), &eval::OepRun::trace, true));
  if (status.ok() && !args.record.empty()) {
    status = write(args.record, Collect(runs.value(), &eval::OepRun::answers, false));
  }
  if (status.ok() && !args.out.empty()) {
    status = platform::CreateDirectories(args.out, kFolderMode);
    if (status.ok()) status = write(args.out + "/rows.json", eval::ReportJson(report));
    if (status.ok()) status = write(args.out + "/report.html", eval::ReportHtml(report, layout));
  }
  if (!status.ok()) return Fail(status.error());
  const std::string text = args.format == "json"   ? eval::ReportJson(report)
                           : args.format == "html" ? eval::ReportHtml(report, layout)
                                                   : eval::ReportText(report, layout);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? kExitFine : kExitCannotRun;
}

}  // namespace interlock::app
