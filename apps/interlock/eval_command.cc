// `interlock eval agent-sentry`: finds the data, runs the sections, prints and writes what they measured.
#include "eval_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "eval_agent_sentry.h"
#include "interlock/eval/report.h"
#include "interlock/platform/file.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using eval::EvalReport;
using eval::EvalRow;

constexpr std::string_view kBench = "bench.jsonl.zst";

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
  if (!args.only.empty()) out += fmt::format(" --only {}", fmt::join(args.only, ","));
  return out;
}

class Sections {
 public:
  Sections(const EvalArgs& args, EvalReport& report) : args_(args), report_(report), shown_(::isatty(2) != 0) {}

  // Runs what was asked for, in order.
  Status Run() {
    return Section("paper", [&]() -> Result<std::vector<EvalRow>> {
      return EvalAgentSentryPaper({.data = report_.data, .seed = args_.seed, .quick = args_.quick}, report_.facts);
    });
  }

 private:
  template <class Function>
  Status Section(const std::string& name, Function&& function) {
    if (!args_.only.empty() && std::find(args_.only.begin(), args_.only.end(), name) == args_.only.end()) return {};
    Say(name);
    Result<std::vector<EvalRow>> rows = function();
    if (!rows.ok()) return rows.error();
    report_.rows.insert(report_.rows.end(), rows.value().begin(), rows.value().end());
    return {};
  }
  void Say(const std::string& what) const {
    if (shown_) std::fprintf(stderr, "eval agent-sentry: %s\n", what.c_str());
  }

  const EvalArgs& args_;
  EvalReport& report_;
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

}  // namespace

int RunEvalAgentSentry(const EvalArgs& args) {
  const Result<std::string> data = FindData(args.data);
  if (!data.ok()) {
    PrintError(data.error());
    return kExitCannotRun;
  }
  EvalReport report{.eval = "agent-sentry",
                    .command = CommandOf(args, data.value()),
                    .data = data.value(),
                    .seed = args.seed,
                    .facts = {},
                    .rows = {}};
  if (const Status status = Sections(args, report).Run(); !status.ok()) {
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
