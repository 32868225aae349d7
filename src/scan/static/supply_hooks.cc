// What commands that run by themselves start: files that are called like data, programs that stay, other packages.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "code/shell.h"
#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxScripts = 64;  // of one command

std::string ProgramOf(std::string_view word) {
  std::string program = LowerCase(word.substr(word.find_last_of("/\\") + 1));
  if (program.ends_with(".exe")) program.resize(program.size() - 4);
  while (!program.empty() && (program.back() == '.' || (program.back() >= '0' && program.back() <= '9')))
    program.pop_back();
  return program;
}

bool IsInterpreter(std::string_view program) {
  return Among(program,
               {"node", "nodejs", "bun",        "deno",      "tsx",     "ts-node", "python", "py",     "pypy",
                "sh",   "bash",   "zsh",        "dash",      "ksh",     "source",  ".",      "ruby",   "perl",
                "php",  "pwsh",   "powershell", "osascript", "wscript", "cscript", "mshta",  "rundll", "regsvr"});
}

// The file that an interpreter is given: its first argument that is no option and no verb.
std::string_view ScriptOf(const code::ShellCommand& command) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.words[i].text;
    if (Among(word, {"-c", "-e", "--eval", "-m", "-p", "-r", "-"})) return {};
    if (word.empty() || word.front() == '-' || Among(word, {"run", "--"})) continue;
    return word;
  }
  return {};
}

// A path within the folder that a command is started in, whatever the host puts before it.
std::string_view Within(std::string_view path) {
  for (const std::string_view root :
       {"${CLAUDE_PROJECT_DIR}/", "$CLAUDE_PROJECT_DIR/", "${CLAUDE_PLUGIN_ROOT}/", "$CLAUDE_PLUGIN_ROOT/",
        "${workspaceFolder}/", "${workspaceRoot}/", "${containerWorkspaceFolder}/", "${GITHUB_ACTION_PATH}/", "./"}) {
    if (path.starts_with(root)) path.remove_prefix(root.size());
  }
  // What is put together before it stands for a folder.
  const std::size_t unknown =
      path.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/@+");
  if (unknown != std::string_view::npos) path.remove_prefix(unknown + 1);
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

// 1: nobody gives such a file to an interpreter; less where it may be text that is.
double LooksLikeData(std::string_view path) {
  const FileType type = TypeOfName(path);
  if (type == FileType::kImage || type == FileType::kFont || type == FileType::kMedia || type == FileType::kPdf ||
      type == FileType::kOffice) {
    return 1.0;
  }
  const std::string lower = LowerCase(path);
  for (const std::string_view ending : {".css", ".csv", ".log", ".lock", ".md", ".license", ".map"}) {
    if (lower.ends_with(ending)) return 0.5;
  }
  return 0.0;
}

// Whether a path is that of a compiled program that lies in the package.
bool IsProgramOf(const std::vector<FileContext>& files, std::string_view path) {
  if (path.size() < 3) return false;
  return std::ranges::any_of(files, [&](const FileContext& file) {
    if (file.type != FileType::kElf && file.type != FileType::kPe && file.type != FileType::kMachO) return false;
    return EndsInPath(file.file->path, path);
  });
}

bool IsInstallHook(std::string_view name) { return Among(name, {"preinstall", "install", "postinstall", "gyp"}); }

// `npm install -g other`: the package brings another one along, for every program of the user.
std::string_view InstalledEverywhere(const code::ShellCommand& command) {
  if (command.words.size() < 3) return {};
  const std::string program = ProgramOf(command.words[0].text);
  if (!Among(program, {"npm", "pnpm", "yarn", "bun"})) return {};
  bool everywhere = false;
  bool installs = false;
  std::string_view name;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.words[i].text;
    if (Among(word, {"-g", "--global", "global"})) {
      everywhere = true;
    } else if (Among(word, {"install", "i", "add"})) {
      installs = true;
    } else if (!word.empty() && word.front() != '-' && name.empty()) {
      name = word;
    }
  }
  if (!everywhere || !installs || name.empty() || name.front() == '.' || name.front() == '$') return {};
  // Tools of the trade are asked for by name; what they are is known.
  const std::string_view plain = name.substr(0, name.find('@', 1));
  return Among(plain, {"npm", "pnpm", "yarn", "node-gyp", "bun"}) ? std::string_view() : name;
}

// node src/cpu.c: what a compiler takes, given to an interpreter.
bool IsOtherSource(std::string_view program, std::string_view path) {
  const std::string lower = LowerCase(path);
  const auto ends = [&](std::initializer_list<std::string_view> all) {
    return std::ranges::any_of(all, [&](std::string_view one) { return lower.ends_with(one); });
  };
  if (ends({".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".rs", ".go", ".java", ".swift", ".cs", ".m", ".css", ".scss"}))
    return !Among(program, {"go", "java", "swift", "tcc"});
  const bool python = program.starts_with("python");
  const bool script = Among(program, {"node", "deno", "bun", "tsx", "ts-node"});
  return (script && ends({".py", ".rb", ".pl", ".php"})) || (python && ends({".js", ".ts", ".rb", ".pl", ".php"}));
}

}  // namespace

// Lines of an instruction file that have an interpreter run what is named as a picture, a font or a document.
void ReadShownCommands(Sheet& sheet) {
  constexpr auto kPrograms = std::to_array<std::string_view>(
      {"node ", "python ", "python3 ", "bash ", "sh ", "zsh ", "ruby ", "perl ", "php ", "deno run ", "bun "});
  const std::string_view text = sheet.text();
  const std::vector<std::vector<std::size_t>> calls =
      CallsOf(text, kPrograms, " \t\n`$;&|(\"'", std::string_view::npos);
  for (std::size_t program = 0; program < kPrograms.size(); ++program) {
    for (const std::size_t at : calls[program]) {
      const std::size_t from = at + kPrograms[program].size();
      const std::size_t end = std::min(text.find_first_of(" \t\r\n`\"';&|)<>", from), text.size());
      const std::string_view path = text.substr(from, end - from);
      // "a sh image.png" is prose; a path has its folder.
      if (path.size() < 4 || path.size() > 300 || path.find('/') == std::string_view::npos || path.front() == '-' ||
          path.find("://") != std::string_view::npos || LooksLikeData(path) < 1.0) {
        continue;
      }
      RawFinding& finding =
          sheet.Raise("SC-034", {at, end}, fmt::format("has `{}` run, which is named like data", path), path);
      finding.reach = Reach::kAgent;
    }
  }
}

void ReadHookCommands(SupplyState& state, const std::vector<FileContext>& files) {
  const std::size_t hooks = state.facts.hooks.size();
  for (std::size_t k = 0; k < hooks; ++k) {
    const HookCommand& hook = state.facts.hooks[k];
    if (hook.file >= files.size()) continue;
    const Reach own = files[hook.file].reach;
    if (own == Reach::kTest || own == Reach::kExample || own == Reach::kVendored) continue;
    const code::ShellScript script = code::ParseShell(hook.command);
    const auto raise = [&](std::string_view rule, std::string message, std::string_view subject) -> RawFinding& {
      RawFinding& finding = state.facts.findings.emplace_back();
      finding.rule = rule;
      finding.file = hook.file;
      finding.bytes = hook.bytes;
      finding.message = base::Printable(message, 300);
      finding.subject = subject;
      finding.has_reach = true;
      finding.reach = hook.reach;
      return finding;
    };
    for (std::size_t i = 0; i < script.commands.size() && i < kMaxScripts; ++i) {
      const code::ShellCommand& command = script.commands[i];
      if (command.words.empty()) continue;
      if (IsInstallHook(hook.name)) {
        if (const std::string_view other = InstalledEverywhere(command); !other.empty()) {
          raise("SC-037", fmt::format("installing it installs `{}` for every program of the user", other), other);
        }
      }
      const bool let_go = command.background || std::ranges::any_of(command.wrappers, [](const std::string& wrapper) {
                            return wrapper == "nohup" || wrapper == "setsid";
                          });
      // What is waited for again at the line's end was only run beside the rest.
      if (IsInstallHook(hook.name) && let_go && hook.command.find("wait") == std::string::npos) {
        raise("SC-035", "starts a program that goes on after the installation", {});
      }
      std::string_view path = command.words[0].text;
      if (IsInterpreter(ProgramOf(path))) path = ScriptOf(command);
      if (path.empty() || path.size() > 300) continue;
      const std::string_view within = Within(path);
      // A program that nobody can read, started unseen; a server that is one is at least asked for.
      if (hook.reach == Reach::kInstall && !hook.name.starts_with("mcpServers.") && IsProgramOf(files, within)) {
        RawFinding& finding =
            raise("SC-042", fmt::format("starts `{}`, a compiled program that nobody can read", within), within);
        if (let_go) finding.scale = 1.3;
      }
      if (IsInterpreter(ProgramOf(command.words[0].text)) && IsOtherSource(ProgramOf(command.words[0].text), within)) {
        raise("SC-034", fmt::format("runs `{}`, which is named like another language's source", within), within);
      }
      if (const double scale = LooksLikeData(within); scale > 0.0) {
        raise("SC-034", fmt::format("runs `{}`, which is named like data", within), within).scale = scale;
        if (state.facts.entry_files.size() < 1000) state.facts.entry_files.emplace_back(within);
        continue;
      }
      // Whatever folder it lies in, it runs.
      const bool file = within.find('.') != std::string_view::npos || within.find('/') != std::string_view::npos;
      if (hook.reach <= Reach::kInstall && file && within.size() > 2 && state.facts.entry_files.size() < 1000) {
        state.facts.entry_files.emplace_back(within);
      }
    }
  }
}

// {"PostToolUse": [...]}: what an agent runs, whatever the file is called that a program puts among its settings.
bool TellsAgent(base::JsonValue hooks) {
  constexpr auto kEvents =
      std::to_array<std::string_view>({"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd",
                                       "SubagentStop", "PreCompact", "BeforeTool", "AfterTool"});
  return std::ranges::any_of(kEvents, [&](std::string_view event) { return hooks.Find(event).is_array(); });
}

}  // namespace interlock::scan
