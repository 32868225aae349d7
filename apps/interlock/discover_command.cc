#include "discover_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "discover.h"
#include "interlock/base/json.h"
#include "interlock/platform/package.h"
#include "live_server.h"
#include "policy_files.h"
#include "scan_command.h"

namespace interlock::app {
namespace {

using base::JsonWriter;
using core::ScanVerdict;

// A configured server may lie in a folder full of other people's code; what is left out is named in its report.
constexpr platform::PackageLimits kLimits{.max_total_bytes = std::uint64_t{32} << 20, .max_files = 5000};

// What the scan of one item said; of its files, and of the running server.
struct ItemResult {
  std::optional<scan::ScanReport> package;
  std::optional<scan::ScanReport> live;
  std::string problem;

  [[nodiscard]] std::optional<ScanVerdict> verdict() const {
    std::optional<ScanVerdict> worst;
    for (const auto* report : {&package, &live})
      if (report->has_value() && (!worst.has_value() || (*report)->verdict > *worst)) worst = (*report)->verdict;
    return worst;
  }
};

// Names and commands come from files of others: nothing of them may steer a terminal.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

class Command {
 public:
  explicit Command(const DiscoverArgs& args) : args_(args), workers_(args.jobs) {}

  int Run() {
    DiscoverRoots roots;
    const char* home = std::getenv("HOME");
    roots.home = !args_.home.empty() ? args_.home : home != nullptr ? home : "";
    std::error_code error;
    roots.project = !args_.project.empty() ? args_.project : std::filesystem::current_path(error).string();
    // The same files are the user's, not the project's, where both are the same folder.
    if (std::filesystem::equivalent(roots.project, roots.home, error)) roots.project.clear();
    const char* config = std::getenv("XDG_CONFIG_HOME");
    if (args_.home.empty() && config != nullptr) roots.config_home = config;
    found_ = Discover(roots);
    results_.resize(found_.items.size());
    for (std::size_t i = 0; i < found_.items.size(); ++i) {
      if (args_.scan) ScanFiles(i);
      if (args_.start) ScanLive(i);
    }
    if (args_.format == Format::kJson) {
      PrintJson();
    } else {
      PrintText();
    }
    return ExitCode();
  }

 private:
  void ScanFiles(std::size_t i) {
    const std::string& path = found_.items[i].package;
    if (path.empty()) return;
    if (const auto known = scanned_.find(path); known != scanned_.end()) {
      results_[i].package = results_[known->second].package;
      return;
    }
    const auto view = platform::LoadPackage(path, kLimits);
    if (!view.ok()) {
      results_[i].problem = view.error().ToString();
      return;
    }
    results_[i].package = ScanPackage(view.value(), {}, workers_);
    scanned_.emplace(path, i);
  }

  void ScanLive(std::size_t i) {
    const DiscoveredItem& item = found_.items[i];
    if (item.kind != "mcp-server" || !item.enabled) return;
    LiveTarget target;
    target.command = item.server.command;
    if (target.command.empty()) target.url = item.server.url;
    target.headers = item.server.headers;
    target.environment = item.server.environment;
    target.cwd = item.server.cwd;
    target.timeout = std::chrono::seconds(args_.timeout_s);
    const auto view = ListServer(target);
    if (view.ok()) {
      results_[i].live = ScanPackage(view.value(), {}, workers_);
    } else {
      results_[i].problem = view.error().ToString();
    }
  }

  [[nodiscard]] int ExitCode() const {
    if (args_.fail_on == "never") return kExitFine;
    const ScanVerdict from = args_.fail_on == "warn" ? ScanVerdict::kWarn : ScanVerdict::kBlock;
    for (const ItemResult& result : results_)
      if (result.verdict().has_value() && *result.verdict() >= from) return kExitRefused;
    return kExitFine;
  }

  void PrintText() const {
    std::string host;
    for (std::size_t i = 0; i < found_.items.size(); ++i) {
      const DiscoveredItem& item = found_.items[i];
      const std::string group = item.host + " (" + item.scope + ")";
      if (group != host) fmt::print("{}{}\n", host.empty() ? "" : "\n", group);
      host = group;
      const auto verdict = results_[i].verdict();
      fmt::print("  {:<5} {:<12} {}{}\n", verdict.has_value() ? core::NameOf(*verdict) : "-", item.kind,
                 Printable(item.name), item.enabled ? "" : " (disabled)");
      if (!item.detail.empty()) fmt::print("        {}\n", Printable(item.detail));
      PrintNames("given environment", item.environment);
      PrintNames("given headers", item.header_names);
      fmt::print("        {}{}\n", Printable(item.file), item.line > 0 ? ":" + std::to_string(item.line) : "");
      for (const auto* report : {&results_[i].package, &results_[i].live})
        if (report->has_value() && (*report)->verdict != ScanVerdict::kSafe)
          fmt::print("        {}\n", Printable((*report)->summary));
      if (!results_[i].problem.empty()) fmt::print("        not scanned: {}\n", Printable(results_[i].problem));
    }
    for (const DiscoverProblem& problem : found_.problems)
      fmt::print("\nnot read: {}: {}\n", Printable(problem.file), Printable(problem.error.ToString()));
    std::size_t servers = 0;
    for (const DiscoveredItem& item : found_.items) servers += item.kind == "mcp-server" ? 1U : 0U;
    fmt::print("{}{} found in {} configuration files", found_.items.empty() ? "" : "\n", found_.items.size(),
               found_.files.size());
    if (servers > 0 && !args_.start) fmt::print("; {} servers configured, none started (--start)", servers);
    fmt::print("\n");
  }

  static void PrintNames(std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + Printable(name);
    fmt::print("        {}: {}\n", what, list);
  }

  static void WriteReport(JsonWriter& w, std::string_view key, const std::optional<scan::ScanReport>& report) {
    if (!report.has_value()) return;
    w.Key(key).BeginObject().Key("target").String(report->target).Key("kind").String(scan::NameOf(report->kind));
    w.Key("verdict").String(core::NameOf(report->verdict)).Key("score").Double(report->score);
    w.Key("reason").String(core::NameOf(report->reason)).Key("summary").String(report->summary);
    w.Key("tools").Uint(report->tools.size()).Key("findings").BeginArray();
    for (const core::Finding& finding : report->findings) {
      w.BeginObject().Key("rule").String(finding.rule).Key("severity").String(core::NameOf(finding.severity));
      w.Key("file").String(finding.file).Key("line").Uint(finding.line).Key("message").String(finding.message);
      w.EndObject();
    }
    w.EndArray().EndObject();
  }

  void PrintJson() const {
    std::string out;
    JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.discover/v1").Key("items").BeginArray();
    for (std::size_t i = 0; i < found_.items.size(); ++i) {
      const DiscoveredItem& item = found_.items[i];
      w.BeginObject().Key("host").String(item.host).Key("scope").String(item.scope).Key("kind").String(item.kind);
      w.Key("name").String(item.name).Key("file").String(item.file);
      if (item.line > 0) w.Key("line").Uint(item.line);
      w.Key("enabled").Bool(item.enabled);
      if (!item.detail.empty()) w.Key("detail").String(item.detail);
      if (!item.environment.empty()) WriteNames(w, "environment", item.environment);
      if (!item.header_names.empty()) WriteNames(w, "headers", item.header_names);
      if (!item.package.empty()) w.Key("package").String(item.package);
      if (const auto verdict = results_[i].verdict(); verdict.has_value())
        w.Key("verdict").String(core::NameOf(*verdict));
      WriteReport(w, "scan", results_[i].package);
      WriteReport(w, "live", results_[i].live);
      if (!results_[i].problem.empty()) w.Key("problem").String(results_[i].problem);
      w.EndObject();
    }
    w.EndArray().Key("problems").BeginArray();
    for (const DiscoverProblem& problem : found_.problems) {
      w.BeginObject().Key("file").String(problem.file).Key("error").String(problem.error.id());
      w.Key("message").String(problem.error.ToString()).EndObject();
    }
    w.EndArray().Key("files").BeginArray();
    for (const std::string& file : found_.files) w.String(file);
    w.EndArray().EndObject();
    fmt::print("{}\n", out);
  }

  static void WriteNames(JsonWriter& w, std::string_view key, const std::vector<std::string>& names) {
    w.Key(key).BeginArray();
    for (const std::string& name : names) w.String(name);
    w.EndArray();
  }

  const DiscoverArgs& args_;
  platform::Workers workers_;
  Discovery found_;
  std::vector<ItemResult> results_;
  std::map<std::string, std::size_t> scanned_;  // path: the item that was scanned
};

}  // namespace

int RunDiscover(const DiscoverArgs& args) {
  if (!args.home.empty() && !std::filesystem::is_directory(args.home)) {
    PrintError(base::Error(base::ErrorCode::kFileNotFound, "no such folder", {.file = args.home}));
    return kExitCannotRun;
  }
  return Command(args).Run();
}

}  // namespace interlock::app
