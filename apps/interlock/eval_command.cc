// `interlock eval agent-sentry`: finds the data, runs the sections, prints and writes what they measured.
#include "eval_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "eval_agent_sentry.h"
#include "interlock/base/lines.h"
#include "interlock/base/text.h"
#include "interlock/eval/agent_sentry/authored.h"
#include "interlock/eval/agent_sentry/bounds_protocol.h"
#include "interlock/eval/report.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using eval::EvalReport;
using eval::EvalRow;
using eval::agent_sentry::ProtocolOptions;
using eval::agent_sentry::Trace;
using eval::agent_sentry::TrainBoundsOptions;

constexpr std::string_view kBench = "bench.jsonl.zst";

// Files below `folder` whose name ends so, by path.
Result<std::vector<std::string>> FilesBelow(const std::string& folder, std::string_view end) {
  std::vector<std::string> paths;
  std::error_code failure;
  for (auto it = std::filesystem::recursive_directory_iterator(folder, failure);
       !failure && it != std::filesystem::recursive_directory_iterator(); it.increment(failure)) {
    if (it->path().filename().string().ends_with(end) && it->is_regular_file(failure)) {
      paths.push_back(it->path().string());
    }
  }
  if (failure) return Error(ErrorCode::kFileNotFound, "cannot read this folder", {.file = folder});
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Two of three README.md below `folder`, by path: the third stays unseen, for measuring.
Result<std::vector<std::string>> OrdinaryTexts(const std::string& folder) {
  constexpr std::size_t kMaxFileBytes = std::size_t{60} << 10;
  const Result<std::vector<std::string>> paths = FilesBelow(folder, "README.md");
  if (!paths.ok()) return paths.error();
  std::vector<std::string> texts;
  std::size_t taken = 0;
  for (const std::string& path : paths.value()) {
    const auto text = platform::ReadFile(path, kMaxFileBytes);
    if (!text.ok() || !base::IsValidUtf8(text.value())) continue;  // too long, or not text
    if (++taken % 3 != 0) texts.push_back(text.value());
  }
  if (texts.empty()) return Error(ErrorCode::kFileNotFound, "no README.md below this folder", {.file = folder});
  return texts;
}

// Sessions written for training, in the order of their files' names; none without a folder.
Result<std::vector<Trace>> LoadAuthored(const std::string& folder) {
  std::vector<Trace> traces;
  if (folder.empty()) return traces;
  constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20U;
  const Result<std::vector<std::string>> files = FilesBelow(folder, ".jsonl");
  if (!files.ok()) return files.error();
  for (const std::string& file : files.value()) {
    const Status status = platform::ForEachLine(file, kMaxLineBytes, [&](const base::Line& line) -> Status {
      if (line.too_long) return Error(ErrorCode::kLimitExceeded, "session longer than 1 MiB", {.file = file});
      Result<Trace> trace = eval::agent_sentry::ParseAuthoredTrace(line.text);
      if (!trace.ok()) return trace.error();
      traces.push_back(std::move(trace.value()));
      return {};
    });
    if (!status.ok()) return status.error();
  }
  return traces;
}

// What training may read besides the benchmark.
struct Extra {
  std::vector<std::string> ordinary;
  std::vector<Trace> authored;
};
Result<Extra> LoadExtra(const EvalArgs& args) {
  Extra extra;
  if (!args.ordinary.empty()) {
    auto texts = OrdinaryTexts(args.ordinary);
    if (!texts.ok()) return texts.error();
    extra.ordinary = std::move(texts.value());
  }
  auto authored = LoadAuthored(args.authored);
  if (!authored.ok()) return authored.error();
  extra.authored = std::move(authored.value());
  return extra;
}

// The command as a person would type it again.
std::string Quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out.push_back(c);
    }
  }
  return out + "'";
}

std::string CommandOf(const EvalArgs& args, const std::string& data) {
  std::string out = fmt::format("interlock eval agent-sentry --data {} --seed {}", Quoted(data), args.seed);
  if (args.quick) out += " --quick";
  if (!args.ordinary.empty()) out += fmt::format(" --ordinary {}", Quoted(args.ordinary));
  if (!args.authored.empty()) out += fmt::format(" --authored {}", Quoted(args.authored));
  if (!args.only.empty()) out += fmt::format(" --only {}", fmt::join(args.only, ","));
  return out;
}

class Sections {
 public:
  Sections(const EvalArgs& args, EvalReport& report, Extra extra)
      : args_(args),
        report_(report),
        ordinary_(std::move(extra.ordinary)),
        authored_(std::move(extra.authored)),
        shown_(::isatty(2) != 0) {}

  // Runs what was asked for, in the report's order.
  Status Run() {
    if (Wanted("paper")) {
      Say("paper");
      auto rows = EvalAgentSentryPaper({.data = report_.data, .seed = args_.seed, .quick = args_.quick}, report_.facts);
      if (!rows.ok()) return rows.error();
      Add(std::move(rows.value()));
    }
    const bool grouped = Wanted("grouped") || Wanted("stress") || Wanted("adaptive");
    if (!grouped && !Wanted("cross") && !Wanted("curves")) return {};
    const Result<EvalTraces> traces = LoadEvalTraces(report_.data);
    if (!traces.ok()) return traces.error();
    const std::vector<Trace>& bench = traces.value().bench;
    const std::vector<Trace>& run = traces.value().agentdojo;
    const ProtocolOptions options = Options();
    report_.facts.emplace_back("folds of our own method", FoldsInWords(options));
    report_.facts.emplace_back("training of our own method", TrainingInWords(options));
    if (grouped) {
      Add(eval::agent_sentry::GroupedProtocol(bench, options,
                                              {.stress = Wanted("stress"), .adaptive = Wanted("adaptive")}));
      AddWorst("stress gate");
      AddWorst("stress gate+quarantine");
      if (!Wanted("grouped")) {
        std::erase_if(report_.rows, [](const EvalRow& row) { return row.table.rfind("grouped", 0) == 0; });
      }
    }
    if (Wanted("grouped")) Add(eval::agent_sentry::LeaveDomainOutProtocol(bench, options));
    if (Wanted("cross") && !run.empty()) {
      Add(eval::agent_sentry::CrossProtocol(bench, run, options));
      Add(eval::agent_sentry::FourFoldProtocol(bench, run, options));
    }
    if (Wanted("curves")) Add(eval::agent_sentry::LearningCurve(bench, options));
    return {};
  }

 private:
  [[nodiscard]] bool Wanted(std::string_view section) const {
    return args_.only.empty() || std::find(args_.only.begin(), args_.only.end(), section) != args_.only.end();
  }

  [[nodiscard]] ProtocolOptions Options() const {
    ProtocolOptions options;
    options.seed = args_.seed;
    options.jobs = args_.jobs;
    options.training.seed = args_.seed;
    options.training.ordinary = ordinary_;
    options.training.authored = authored_;
    if (args_.quick) {
      constexpr int kTenth = 10;
      options.folds = 2;
      options.bootstraps /= kTenth;
      options.stress_share *= kTenth;
      options.training.forests = 1;
      options.training.trees /= kTenth;
      options.training.inner_folds = 2;
    }
    options.progress = [this](std::string_view what) { Say(what); };
    return options;
  }

  static std::string FoldsInWords(const ProtocolOptions& options) {
    return fmt::format(
        "{0} by prompt, {0} by attack task, {1} of the {2} pairings tested; seeded hash of the group; one test attack "
        "in "
        "{3} is rewritten for the stress suite; 95 % intervals from {4} resamplings of groups",
        options.folds, options.folds * options.shifts, options.folds * options.folds, options.stress_share,
        options.bootstraps);
  }
  static std::string TrainingInWords(const ProtocolOptions& options) {
    const TrainBoundsOptions& training = options.training;
    return fmt::format(
        "{} forests of {} trees on features from {} inner folds; thresholds for a held-out utility of {:.1f} % "
        "(escalate) and {:.1f} % (block); the literal preamble is stripped from every trace",
        training.forests, training.trees, training.inner_folds, 100 * training.utility, 100 * training.block_utility);
  }

  void Add(std::vector<EvalRow> rows) {
    report_.rows.insert(report_.rows.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  }
  // The kind with the highest ASR once more, under the split `worst`.
  void AddWorst(std::string_view table) {
    const EvalRow* worst = nullptr;
    for (const EvalRow& row : report_.rows) {
      if (row.table == table && row.column == "asr" && (worst == nullptr || row.value > worst->value)) worst = &row;
    }
    if (worst == nullptr) return;
    const std::string kind = worst->split;
    std::vector<EvalRow> copies;
    std::copy_if(report_.rows.begin(), report_.rows.end(), std::back_inserter(copies),
                 [&](const EvalRow& row) { return row.table == table && row.split == kind; });
    for (EvalRow& row : copies) {
      row.split = "worst";
      row.reason = "the kind with the highest ASR: " + kind;
    }
    Add(std::move(copies));
  }
  void Say(std::string_view what) const {
    if (shown_) std::fprintf(stderr, "eval agent-sentry: %.*s\n", static_cast<int>(what.size()), what.data());
  }

  const EvalArgs& args_;
  EvalReport& report_;
  std::vector<std::string> ordinary_;
  std::vector<Trace> authored_;
  bool shown_;
};

Status Write(const std::string& folder, const EvalReport& report, const eval::ReportLayout& layout) {
  constexpr mode_t kFolderMode = 0755;
  constexpr mode_t kFileMode = 0644;
  if (Status status = platform::CreateDirectories(folder, kFolderMode); !status.ok()) return status;
  if (Status status = platform::AtomicWrite(folder + "/rows.json", eval::ReportJson(report), kFileMode); !status.ok())
    return status;
  return platform::AtomicWrite(folder + "/report.html", eval::ReportHtml(report, layout), kFileMode);
}

// The weights that the program embeds, made again: trained on bench and, where they are named, on authored sessions.
Status WriteWeights(const EvalArgs& args, const std::string& data, Extra extra) {
  const Result<EvalTraces> traces = LoadEvalTraces(data);
  if (!traces.ok()) return traces.error();
  std::vector<const Trace*> training;
  for (const Trace& trace : traces.value().bench) training.push_back(&trace);
  TrainBoundsOptions options;
  options.ordinary = std::move(extra.ordinary);
  options.authored = extra.authored;
  const eval::agent_sentry::TrainedBounds trained = eval::agent_sentry::TrainBounds(training, options);
  if (!trained.authored_benign.empty()) {
    const auto over = [&](const std::vector<float>& scores) {
      return std::ranges::count_if(scores, [&](float score) { return score > trained.model->escalate; });
    };
    fmt::print(stderr,
               "authored sessions, forests that have not seen them: {} of {} without attack held up, {} of {} with\n",
               over(trained.authored_benign), trained.authored_benign.size(), over(trained.authored_attacks),
               trained.authored_attacks.size());
  }
  constexpr mode_t kFolderMode = 0755;
  constexpr mode_t kFileMode = 0644;
  Status status = platform::CreateDirectories(args.weights, kFolderMode);
  if (status.ok()) {
    status = platform::AtomicWrite(args.weights + "/bounds_model.bin", trained.model->Serialize(), kFileMode);
  }
  if (status.ok()) {
    status = platform::AtomicWrite(args.weights + "/span_model.bin", trained.spans->Serialize(), kFileMode);
  }
  return status;
}

}  // namespace

// The folder that has the traces: as named, or agent_sentry in it.
Result<std::string> FindData(std::string folder) {
  if (folder.empty()) {
    const char* const named = std::getenv("INTERLOCK_DATA");
    if (named == nullptr || *named == '\0') {
      return Error(ErrorCode::kInvalidArgument, "no data set: name its folder with --data, or in INTERLOCK_DATA");
    }
    folder = named;
  }
  for (const std::string& candidate : {folder, folder + "/agent_sentry"}) {
    if (platform::StatStamp(fmt::format("{}/{}", candidate, kBench)).ok()) return candidate;
  }
  return Error(ErrorCode::kFileNotFound, fmt::format("no {} in {} or in its folder agent_sentry", kBench, folder));
}

int RunEvalAgentSentry(const EvalArgs& args) {
  const Result<std::string> data = FindData(args.data);
  if (!data.ok()) {
    PrintError(data.error());
    return kExitCannotRun;
  }
  Result<Extra> extra = LoadExtra(args);
  if (!extra.ok()) {
    PrintError(extra.error());
    return kExitCannotRun;
  }
  if (!args.weights.empty()) {
    const Status status = WriteWeights(args, data.value(), std::move(extra.value()));
    if (!status.ok()) PrintError(status.error());
    return status.ok() ? kExitFine : kExitCannotRun;
  }
  EvalReport report{.eval = "agent-sentry",
                    .command = CommandOf(args, data.value()),
                    .data = data.value(),
                    .seed = args.seed,
                    .facts = {},
                    .rows = {}};
  if (const Status status = Sections(args, report, std::move(extra.value())).Run(); !status.ok()) {
    PrintError(status.error());
    return kExitCannotRun;
  }
  const eval::ReportLayout layout = eval::AgentSentryLayout();
  if (!args.out.empty()) {
    if (const Status status = Write(args.out, report, layout); !status.ok()) {
      PrintError(status.error());
      return kExitCannotRun;
    }
  }
  const std::string out = args.format == Format::kJson ? eval::ReportJson(report) : eval::ReportText(report, layout);
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) return kExitCannotRun;
  return kExitFine;
}

}  // namespace interlock::app
