#include "static/toolset.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fmt/format.h"
#include "interlock/base/find_bytes.h"
#include "static/literals.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxTools = 2'000;

// Tools that agents bring with them, by the names that their models are trained to call. Names that servers of files
// and repositories share with them (read_file, edit_file) are not here: those are nobody's.
constexpr std::array kBuiltIn = std::to_array<std::string_view>({"Bash",
                                                                 "WebFetch",
                                                                 "WebSearch",
                                                                 "NotebookEdit",
                                                                 "TodoWrite",
                                                                 "MultiEdit",
                                                                 "ExitPlanMode",
                                                                 "SlashCommand",
                                                                 "KillShell",
                                                                 "BashOutput",
                                                                 "run_terminal_cmd",
                                                                 "codebase_search",
                                                                 "apply_patch",
                                                                 "run_shell_command",
                                                                 "google_web_search",
                                                                 "save_memory",
                                                                 "computer",
                                                                 "str_replace_editor",
                                                                 "str_replace_based_edit_tool",
                                                                 "text_editor",
                                                                 "bash",
                                                                 "attempt_completion",
                                                                 "execute_command",
                                                                 "ask_followup_question",
                                                                 "run_in_terminal"});

std::string Lower(std::string_view text) {
  constexpr std::size_t kMostRead = 4000;
  return LowerCase(text.substr(0, kMostRead));
}

// A whole word of a name: "send_mail", "sendMail".
bool Names(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string parts = "_";
  for (const char c : name.substr(0, 200)) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && parts.back() != '_') parts += '_';
    parts += upper ? static_cast<char>(c - 'A' + 'a') : c == '-' || c == '.' || c == '/' ? '_' : c;
  }
  parts += '_';
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return parts.find("_" + std::string(word) + "_") != std::string::npos;
  });
}

// What is left of a name when everything is taken away that a reader does not see.
std::string Skeleton(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == '.' || c == ' ') continue;
    char plain = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (plain == '0') plain = 'o';
    if (plain == '1' || plain == 'i') plain = 'l';
    if (plain == '5') plain = 's';
    out += plain;
  }
  return out;
}

class Analysis {
 public:
  Analysis(const std::vector<FileContext>& files, const ScanReport& report, std::vector<RawFinding>& out)
      : report_(report), out_(out) {
    for (const FileContext& file : files) by_path_.emplace(file.file->path, &file);
  }

  void Run() {
    std::size_t tools = 0;
    for (const ToolSurface& tool : report_.tools) {
      if (tool.kind != "mcp-tool" && tool.kind != "langchain-tool") continue;
      if (++tools > kMaxTools) break;
      BuiltIn(tool);
      LookAlike(tool);
      Powers(tool);
    }
    Toxic();
  }

 private:
  RawFinding* Raise(std::string_view rule, const ToolSurface& tool, std::string message) {
    const auto at = by_path_.find(tool.file);
    if (at == by_path_.end() || at->second->reach > core::Reach::kRuntime) return nullptr;
    RawFinding finding;
    finding.rule = rule;
    finding.file = at->second->index;
    const std::size_t place = at->second->text().find(tool.name);
    if (place != std::string_view::npos) finding.bytes = {place, place + tool.name.size()};
    finding.subject = tool.name;
    finding.message = std::move(message);
    finding.has_reach = true;
    finding.reach = core::Reach::kTool;
    out_.push_back(std::move(finding));
    return &out_.back();
  }

  void BuiltIn(const ToolSurface& tool) {
    const std::string text = Lower(tool.description);
    const bool named = std::find(kBuiltIn.begin(), kBuiltIn.end(), tool.name) != kBuiltIn.end();
    // Whatever its name: the agent's own tool is bad, this one is to be taken.
    const bool ousts =
        SaysAny(text, {"replaces the built-in", "replaces the builtin", "replaces the native", "replaces the default",
                       "instead of the built-in", "instead of the builtin", "instead of the native",
                       "instead of the original"}) &&
        SaysAny(text, {"deprecated", "unsafe", "never use", "broken", "must use", "must always", "insecure"});
    if (!named && ousts) {
      RawFinding* finding =
          Raise("TOOL-001", tool, fmt::format("tool `{}` is to be used in place of the agent's own", tool.name));
      if (finding != nullptr) finding->severity = core::Severity::kHigh;
      return;
    }
    if (!named) return;
    const bool claims =
        SaysAny(text, {"instead of", "replaces", "replacement", "rather than", "do not use the", "don't use the",
                       "prefer this", "always use this", "deprecated", "no longer", "built-in", "builtin"});
    RawFinding* finding = Raise("TOOL-001", tool,
                                fmt::format("tool `{}` bears the name of an agent's own tool{}", tool.name,
                                            claims ? " and says that it takes its place" : ""));
    if (finding != nullptr && claims) finding->severity = core::Severity::kHigh;
  }

  void LookAlike(const ToolSurface& tool) {
    const auto [at, is_new] = skeletons_.emplace(tool.file + "\n" + Skeleton(tool.name), &tool);
    if (is_new || at->second->name == tool.name) return;
    // search_files beside searchFiles is an old name that is kept; digits for letters are not.
    if (Lower(tool.name) == Lower(at->second->name)) return;
    const auto only_letters = [](std::string_view name) {
      std::string out;
      for (const char c : name) {
        if (c != '_' && c != '-' && c != '.') out += c;
      }
      return Lower(out);
    };
    if (only_letters(tool.name) == only_letters(at->second->name)) return;
    (void)Raise("TOOL-002", tool,
                fmt::format("tools `{}` and `{}` are hardly to be told apart", at->second->name, tool.name));
  }

  void Powers(const ToolSurface& tool) {
    using core::BitOf;
    using core::Permission;
    const auto can = [&](Permission permission) { return (tool.exercised & BitOf(permission)) != 0; };
    const std::string_view name = tool.name;
    const bool takes = Names(name, {"fetch", "browse", "scrape", "crawl", "inbox", "emails", "messages", "comments",
                                    "issues", "issue", "webpage", "url", "rss", "navigate"}) &&
                       !Names(name, {"send", "post", "create", "delete", "update"});
    const bool secret =
        can(Permission::kSecretsRead) || can(Permission::kMemoryRead) ||
        Names(name, {"contacts", "calendar", "credentials", "secrets", "vault", "database", "sql"}) ||
        (Names(name, {"read", "open", "cat"}) && Names(name, {"file", "files", "document", "note", "notes"}));
    const bool sends =
        Names(name, {"send", "post", "publish", "upload", "tweet", "webhook", "email", "mail", "share"}) &&
        !Names(name, {"read", "get", "list", "search", "fetch", "blog"});
    if (takes && source_ == nullptr) source_ = &tool;
    if (secret && private_ == nullptr) private_ = &tool;
    if (sends && sink_ == nullptr) sink_ = &tool;
  }

  void Toxic() {
    if (source_ == nullptr || private_ == nullptr || sink_ == nullptr) return;
    (void)Raise(
        "TOOL-003", *sink_,
        fmt::format("`{}` brings in what strangers wrote, `{}` reads what is private, `{}` sends it out: a text may "
                    "have the agent do all three",
                    source_->name, private_->name, sink_->name));
  }

  const ScanReport& report_;
  std::vector<RawFinding>& out_;
  std::unordered_map<std::string_view, const FileContext*> by_path_;
  std::map<std::string, const ToolSurface*> skeletons_;
  const ToolSurface* source_ = nullptr;
  const ToolSurface* private_ = nullptr;
  const ToolSurface* sink_ = nullptr;
};

}  // namespace

void AnalyzeToolSet(const std::vector<FileContext>& files, const ScanReport& report, std::vector<RawFinding>& out) {
  Analysis(files, report, out).Run();
}

}  // namespace interlock::scan
