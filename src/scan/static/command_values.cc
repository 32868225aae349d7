// Commands that settings hold as values: {"task": {"command": "..."}}, notify = ["sh", "-c", "..."].
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "code/shell.h"
#include "interlock/base/json.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/command_lines.h"
#include "static/jsonc.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using std::string_view;

constexpr std::size_t kMostLooked = 400;
constexpr int kDeepest = 24;

// Tables all of whose texts are commands.
bool HoldsOnlyCommands(string_view lower) {
  static constexpr auto kTables =
      std::to_array<string_view>({"scripts", "hooks", "lint-staged", "simple-git-hooks", "git-hooks", "githooks",
                                  "husky", "pre-commit", "tasks", "commands", "runcmd", "bootcmd"});
  return std::ranges::find(kTables, lower) != kTables.end();
}

// A key whose value somebody runs, by its name: `command`, `postCreateCommand`, `apiKeyHelper`, `preLaunch`.
bool IsRun(string_view lower) {
  static constexpr auto kKeys = std::to_array<string_view>(
      {"cmd",    "run",          "exec",        "execute",       "executable",   "shell",      "script",
       "entry",  "entrypoint",   "program",     "argv",          "args",         "install",    "start",
       "build",  "init",         "setup",       "command",       "notify",       "runner",     "update",
       "linker", "post_install", "pre_install", "before_script", "after_script", "script_text"});
  static constexpr auto kEndings =
      std::to_array<string_view>({"command", "commands", "cmd", "helper", "hook", "script", "wrapper", "_exec"});
  return std::ranges::find(kKeys, lower) != kKeys.end() || std::ranges::any_of(kEndings, [&](string_view ending) {
           return lower.size() > ending.size() && lower.ends_with(ending);
         });
}

// Gemini's commands have `!{...}` run inside a prompt.
template <class Visit>
void ForEachShellBlock(string_view text, Visit visit) {
  for (std::size_t at = text.find("!{"); at != string_view::npos; at = text.find("!{", at + 2)) {
    const std::size_t end = text.find('}', at);
    if (end == string_view::npos) return;
    visit(text.substr(at + 2, end - at - 2));
  }
}

class Values {
 public:
  Values(const FileContext& file, FileResult& result)
      : file_(file), result_(result), manifest_(BaseName(file.file->path) == "package.json") {}

  void Read(JsonValue value, string_view key, bool runs, int depth) {
    if (depth > kDeepest || looked_ >= kMostLooked) return;
    if (value.is_object()) {
      const bool started = ReadStarted(value);
      for (auto it = value.begin(); it != value.end(); ++it) {
        const std::string lower = LowerCase(it.key());
        // Scripts of a package are read as what its manager runs.
        if (manifest_ && depth == 0 && lower == "scripts") continue;
        if (started && (lower == "args" || lower == "arguments")) continue;
        Read(*it, lower, runs || HoldsOnlyCommands(lower), depth + 1);
      }
    } else if (value.is_array()) {
      ReadList(value, key, runs, depth);
    } else if (value.is_string() && (runs || IsRun(key))) {
      Look(value, std::string(value.string()));
    }
  }

 private:
  // {"command": "sh", "args": ["-c", "..."]}
  bool ReadStarted(JsonValue table) {
    JsonValue args = table.Find("args");
    if (!args.is_array()) args = table.Find("arguments");
    if (!args.is_array()) return false;
    for (const string_view key : {"command", "program", "cmd", "script", "path", "executable"}) {
      const JsonValue program = table.Find(key);
      if (!program.is_string()) continue;
      std::vector<std::string> words;
      for (const JsonValue item : args) {
        if (item.is_string()) words.emplace_back(item.string());
      }
      Look(args, code::CommandLine(program.string(), words));
      return true;
    }
    return false;
  }

  // A program and its words, or one command after the other.
  void ReadList(JsonValue list, string_view key, bool runs, int depth) {
    std::vector<std::string> words;
    bool texts = true;
    for (const JsonValue item : list) {
      texts = texts && item.is_string();
      if (texts) words.emplace_back(item.string());
    }
    const bool program = texts && words.size() > 1 && words.front().find(' ') == std::string::npos;
    if (program && (runs || IsRun(key))) {
      const std::vector<std::string> rest(words.begin() + 1, words.end());
      Look(list, code::CommandLine(words.front(), rest));
      return;
    }
    for (const JsonValue item : list) Read(item, key, runs, depth + 1);
  }

  void Look(JsonValue value, const std::string& command) {
    if (!NamesProgramOfCommands(command) || looked_ >= kMostLooked) return;
    ++looked_;
    JudgeCommand(file_, {value.offset(), value.offset() + value.raw().size()}, command, result_);
  }

  const FileContext& file_;
  FileResult& result_;
  const bool manifest_;
  std::size_t looked_ = 0;
};

// key = "..." and its lists; [table] heads. What a value is, is told from its quotes: no reader of TOML is asked.
void JudgeToml(const FileContext& file, string_view text, FileResult& result) {
  bool table = false;    // ... holds commands only
  bool running = false;  // the value that goes on is run
  std::size_t looked = 0;
  for (std::size_t at = 0; at < text.size() && looked < kMostLooked;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const string_view line = Trim(text.substr(at, end - at));
    const auto begin = static_cast<std::size_t>(line.data() - text.data());
    at = end + 1;
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[' && line.back() == ']' && line.find('=') == string_view::npos &&
        line.find('"') == string_view::npos) {
      const std::string lower = LowerCase(line);
      table = false;
      for (std::size_t from = 0; from < lower.size() && !table;) {
        const std::size_t stop = std::min(lower.find_first_of("[].", from), lower.size());
        table = HoldsOnlyCommands(string_view(lower).substr(from, stop - from));
        from = stop + 1;
      }
      running = false;
      continue;
    }
    const std::size_t equal = line.find('=');
    const bool keyed = equal < 60 && line.substr(0, equal).find_first_of("\"'[{(") == string_view::npos;
    if (keyed) running = table || IsRun(LowerCase(Trim(line.substr(0, equal))));
    if (!NamesProgramOfCommands(line)) continue;
    ++looked;
    const base::ByteSpan whole{begin, begin + line.size()};
    if (running) {
      for (const std::string& command : CommandsOfLine(keyed ? line.substr(equal + 1) : line))
        JudgeCommand(file, whole, command, result);
    }
    ForEachShellBlock(line, [&](string_view block) { JudgeCommand(file, whole, std::string(block), result); });
  }
}

}  // namespace

void JudgeCommandValues(const FileContext& file, FileResult& result) {
  if (file.type != FileType::kJson && file.type != FileType::kToml) return;
  if (file.reach > core::Reach::kRuntime && file.reach != core::Reach::kBuild) return;
  const string_view text = file.text();
  if (text.size() > kMostBytesOfCommands || !NamesProgramOfCommands(text)) return;
  if (file.type == FileType::kToml) {
    JudgeToml(file, text, result);
  } else if (const auto doc = ParseJsonc(text)) {
    Values(file, result).Read(doc->root(), {}, false, 0);
  }
}

}  // namespace interlock::scan
