// Configuration that a host (an MCP client, an agent, an editor) acts on: servers it starts, hooks it runs; containers;
// commands that install something.
#include <algorithm>
#include <array>

#include "code/vendors.h"
#include "fmt/format.h"
#include "interlock/base/find_bytes.h"
#include "interlock/core/package.h"
#include "static/bigrams.h"
#include "static/classify.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using core::Reach;

constexpr std::size_t kMaxConfig = std::size_t{2} << 20;
constexpr int kMaxHookDepth = 8;
constexpr std::size_t kMaxWords = 200;  // of one command

// Words of a command line up to where the command ends; quotes are undone, nothing is expanded.
struct Word {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Word> WordsOf(std::string_view text, std::size_t from) {
  std::vector<Word> words;
  std::size_t at = from;
  while (at < text.size() && words.size() < kMaxWords) {
    const char c = text[at];
    if (c == ' ' || c == '\t') {
      ++at;
    } else if (c == '\\' && at + 1 < text.size() && text[at + 1] == '\n') {
      at += 2;
    } else if (std::string_view("\n\r;&|`#)<>").find(c) != std::string_view::npos) {
      break;
    } else {
      Word word;
      word.begin = at;
      char quote = 0;
      for (; at < text.size(); ++at) {
        const char d = text[at];
        if (quote != 0) {
          if (d == quote)
            quote = 0;
          else if (d == '\n')
            break;
          else
            word.text += d;
        } else if ((d == '"' || d == '\'') && word.text.empty()) {
          quote = d;
        } else if (std::string_view(" \t\n\r;&|`)<>\"'").find(d) != std::string_view::npos) {
          break;
        } else {
          word.text += d;
        }
      }
      word.end = at;
      // The closing quote of a string around the whole command ends it too.
      const bool stuck = word.end == word.begin;
      words.push_back(std::move(word));
      if (stuck || (at < text.size() && (text[at] == '"' || text[at] == '\''))) break;
    }
  }
  return words;
}

bool IsPlaceholder(std::string_view word) {
  return word.find_first_of("<>{}$*[]|,") != std::string_view::npos || word.find("...") != std::string_view::npos;
}

bool IsPath(std::string_view word) {
  return word.starts_with(".") || word.starts_with("/") || word.starts_with("~") || word.ends_with(".whl") ||
         word.ends_with(".tgz") || word.ends_with(".txt") || word.ends_with("/");
}

// Options that take a value: what follows is no package.
bool TakesValue(std::string_view option) {
  constexpr std::array<std::string_view, 26> kOptions = {"-r",
                                                         "--requirement",
                                                         "-c",
                                                         "--constraint",
                                                         "-t",
                                                         "--target",
                                                         "--python",
                                                         "-p",
                                                         "--prefix",
                                                         "-i",
                                                         "--index-url",
                                                         "-f",
                                                         "--find-links",
                                                         "--extra-index-url",
                                                         "--trusted-host",
                                                         "--registry",
                                                         "--from",
                                                         "-w",
                                                         "--workspace",
                                                         "--filter",
                                                         "-C",
                                                         "--cwd",
                                                         "--extra",
                                                         "--group",
                                                         "--with",
                                                         "--platform"};
  return std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
}

struct Installer {
  std::string_view first;
  std::string_view second;  // "" : none
  std::string_view ecosystem;
  bool runs;  // what it fetches is run: one package, then its arguments
};
constexpr std::array kInstallers = {
    Installer{"pip", "install", kPypi, false},  Installer{"pip3", "install", kPypi, false},
    Installer{"pipx", "install", kPypi, false}, Installer{"pipx", "run", kPypi, true},
    Installer{"uvx", "", kPypi, true},          Installer{"uv", "add", kPypi, false},
    Installer{"poetry", "add", kPypi, false},   Installer{"npm", "install", kNpm, false},
    Installer{"npm", "i", kNpm, false},         Installer{"npm", "add", kNpm, false},
    Installer{"npm", "exec", kNpm, true},       Installer{"yarn", "add", kNpm, false},
    Installer{"pnpm", "add", kNpm, false},      Installer{"pnpm", "install", kNpm, false},
    Installer{"pnpm", "dlx", kNpm, true},       Installer{"yarn", "dlx", kNpm, true},
    Installer{"bun", "add", kNpm, false},       Installer{"npx", "", kNpm, true},
    Installer{"bunx", "", kNpm, true},
};

struct InstallArgs {
  base::ByteSpan bytes;  // where it is reported when `whole`
  bool whole = false;
  std::size_t offset = 0;  // of the text in the file
  bool development = false;
  bool server = false;  // a host starts it at every session
};

// Named as a package of an organisation's own, which nobody has claimed on the public index, or a stranger has.
bool SoundsInternal(std::string_view ecosystem, std::string_view name) {
  constexpr auto kWords = std::to_array<std::string_view>({"internal", "intranet", "inhouse", "corp"});
  if (RankOf(ecosystem, name) != 0) return false;
  const std::string lower = LowerCase(name);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    if (i < lower.size() && std::string_view("@/-_.").find(lower[i]) == std::string_view::npos) continue;
    if (std::ranges::find(kWords, std::string_view(lower).substr(begin, i - begin)) != kWords.end()) return true;
    begin = i + 1;
  }
  return false;
}

void AddInstalled(Sheet& sheet, const Installer& installer, const std::vector<Word>& words, std::size_t from,
                  const InstallArgs& args) {
  const auto span = [&](const Word& word) {
    return args.whole ? args.bytes : base::ByteSpan{args.offset + word.begin, args.offset + word.end};
  };
  bool asks_public = args.server;  // what a host starts, with no index named beside it
  const auto judge_name = [&](std::string_view name, const Word& at) {
    if (!asks_public || !SoundsInternal(installer.ecosystem, name)) return;
    sheet.Raise("SC-031", span(at), fmt::format("`{}` is fetched from the public index at each start", name), name);
  };
  for (std::size_t i = from; i < words.size(); ++i) {
    std::string_view word = words[i].text;
    if (word.empty()) continue;
    if (word.front() == '-') {
      const std::size_t equals = word.find('=');
      const std::string_view option = word.substr(0, equals);
      std::string_view value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
      if (equals == std::string_view::npos && TakesValue(option) && i + 1 < words.size()) {
        // `-p` of npx and `--package` name the package itself.
        if (installer.runs && option == "-p") continue;
        value = words[++i].text;
      }
      if (value.empty() || IsPlaceholder(value)) continue;
      if (option.find("index") != std::string_view::npos || option == "-i" || option == "--registry") {
        asks_public = false;
      }
      if (option == "--index-url" || option == "-i" || option == "--registry") sheet.Index(value, span(words[i]), true);
      if (option == "--extra-index-url") sheet.Index(value, span(words[i]), false);
      if (option == "--trusted-host") sheet.Unchecked(value, span(words[i]), option);
      if (option == "--from" && installer.ecosystem == kPypi) {
        AddPep508(sheet, value, span(words[i]), args.development);
        judge_name(value.substr(0, value.find_first_of("=<>@[")), words[i]);
        if (installer.runs) return;
      }
      if (option == "--package") {
        word = value;
      } else {
        continue;
      }
    }
    if (IsPlaceholder(word) || (IsPath(word) && word.find("://") == std::string_view::npos)) {
      if (installer.runs) return;
      continue;
    }
    if (installer.ecosystem == kPypi) {
      std::string spec(word);
      // uvx takes name@version.
      const std::size_t at = spec.find('@');
      if (installer.runs && at != std::string::npos && spec.find("://") == std::string::npos) {
        const std::string version = spec.substr(at + 1);
        spec = spec.substr(0, at) + (version == "latest" ? "" : "==" + version);
      }
      AddPep508(sheet, spec, span(words[i]), args.development);
      judge_name(std::string_view(spec).substr(0, spec.find_first_of("=<>@[")), words[i]);
    } else if (word.find("://") != std::string_view::npos || word.starts_with("github:") || word.starts_with("git@")) {
      AddNpmSpec(sheet, word, word, span(words[i]), args.development);
    } else {
      const std::size_t at = word.find('@', 1);
      const std::string_view name = word.substr(0, at);
      const std::string_view version = at == std::string_view::npos ? std::string_view() : word.substr(at + 1);
      AddNpmSpec(sheet, name, version, span(words[i]), args.development);
      judge_name(name, words[i]);
      if (args.server && !IsExactNpmVersion(version)) {
        sheet.Raise("SC-017", span(words[i]), fmt::format("`{}` is whatever version is newest at each start", name),
                    name);
      }
    }
    if (installer.runs) return;
  }
}

const Installer* InstallerOf(const std::vector<Word>& words, std::size_t at, std::size_t& arguments) {
  if (at >= words.size()) return nullptr;
  std::string_view first = words[at].text;
  if (const std::size_t slash = first.rfind('/'); slash != std::string_view::npos) first = first.substr(slash + 1);
  for (const Installer& installer : kInstallers) {
    if (first != installer.first) continue;
    if (installer.second.empty()) {
      arguments = at + 1;
      return &installer;
    }
    if (at + 1 < words.size() && words[at + 1].text == installer.second) {
      arguments = at + 2;
      return &installer;
    }
  }
  return nullptr;
}

std::vector<std::string> StringsOf(JsonValue list) {
  std::vector<std::string> out;
  for (const JsonValue one : list) {
    if (one.is_string()) out.emplace_back(one.string());
  }
  return out;
}

// Which programs read a whole program from an argument, and the option they read it from. Option "": a shell, whose
// line may stand in any argument.
struct Inline {
  std::string_view program;
  std::array<std::string_view, 3> options;
};
constexpr std::array kInline = {
    Inline{"sh", {}},
    Inline{"bash", {}},
    Inline{"zsh", {}},
    Inline{"dash", {}},
    Inline{"cmd", {}},
    Inline{"powershell", {}},
    Inline{"pwsh", {}},
    Inline{"node", {"-e", "--eval", "-p"}},
    Inline{"bun", {"-e", "--eval", "-p"}},
    Inline{"deno", {"eval", "", ""}},
    Inline{"python", {"-c", "", ""}},
    Inline{"python2", {"-c", "", ""}},
    Inline{"python3", {"-c", "", ""}},
    Inline{"perl", {"-e", "-E", ""}},
    Inline{"ruby", {"-e", "", ""}},
    Inline{"php", {"-r", "", ""}},
};

// Programs that ask, print or change one thing and end: none of them can be spoken with. `acts`: it changes something
// or asks another machine.
struct Utility {
  std::string_view name;
  bool acts;
};
constexpr auto kUtilities = std::to_array<Utility>(
    {{"base64", false}, {"cat", false},     {"chmod", true},  {"chown", true},    {"cp", true},      {"curl", true},
     {"date", false},   {"dig", true},      {"echo", false},  {"find", false},    {"grep", false},   {"head", false},
     {"host", true},    {"id", false},      {"kill", true},   {"ln", true},       {"ls", false},     {"mkdir", true},
     {"mv", true},      {"nslookup", true}, {"ping", true},   {"printenv", true}, {"printf", false}, {"ps", false},
     {"rm", true},      {"rsync", true},    {"scp", true},    {"tail", false},    {"tar", true},     {"touch", true},
     {"uname", false},  {"wget", true},     {"whoami", false}});

// Whether a program in one argument takes, asks or changes anything beyond itself.
bool Reaches(std::string_view lower) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"env",    "http",   "socket",   "request",    "fetch",  "url", "dns",     "open(", "file", "unlink",
       "remove", "rmtree", "process.", "subprocess", "base64", "b64", "getpass", "home",  "ftp",  "smtp"});
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string_view::npos; });
}

// Whether a line for the shell, or a program in one argument, may start or be a server: it names a starter of programs,
// or reads what the host writes.
bool MayServe(const Inline& how, std::string_view lower) {
  constexpr auto kStarters = std::to_array<std::string_view>(
      {"npx",    "npm",    "pnpm", "yarn",   "bun",  "deno", "node", "python", "uv",   "pipx",
       "docker", "podman", "java", "dotnet", "ruby", "php",  "go ",  "cargo",  "nix",  "exec ",
       "ssh ",   "$",      "mcp",  "server", ".sh",  ".py",  ".js",  ".ts",    ".ps1", "./"});
  constexpr auto kServes = std::to_array<std::string_view>(
      {"stdin",      "mcp",         "serve",      "main(",       ".run(",  "run_",     "runpy",  "import(",
       "spawn",      "exec",        "system(",    "popen",       "listen", "readline", "input(", "start(",
       "require('.", "require(\".", "require('/", "require(\"/", "eval(",  "<>",       "gets"});
  const auto named = [&](std::string_view word) { return lower.find(word) != std::string_view::npos; };
  return how.options[0].empty() ? std::ranges::any_of(kStarters, named) : std::ranges::any_of(kServes, named);
}

// "command": "bash", "args": ["-c", LINE] and its like, where what stands there can be no server: it is run for its own
// sake whenever the folder is opened. What neither acts nor is given a secret is no more than odd;
// a utility is worth a look all the same, since nobody configures one by accident.
void JudgeServerCommand(Sheet& sheet, const StartedServer& server) {
  constexpr double kOdd = 0.4;
  constexpr double kOddUtility = 0.5;
  const std::string_view command = server.command;
  std::string program = LowerCase(command.substr(command.find_last_of("/\\") + 1));
  if (program.ends_with(".exe")) program.resize(program.size() - 4);
  bool acts = server.secrets;
  std::string message;
  const auto* const utility = std::ranges::find(kUtilities, std::string_view(program), &Utility::name);
  const auto* const how = std::ranges::find(kInline, std::string_view(program), &Inline::program);
  if (utility != kUtilities.end()) {
    acts = acts || utility->acts;
    message = fmt::format("a server is `{}`, which serves nothing", program);
  } else if (how != kInline.end()) {
    const bool shell = how->options[0].empty();
    std::string line;
    bool next = false;  // this argument is the program
    for (const std::string_view word : server.args) {
      if (shell ? !word.starts_with('-') && !(word.size() == 2 && word[0] == '/') : next) {
        line += LowerCase(word) + " ";
      }
      next = !word.empty() && std::ranges::find(how->options, word) != how->options.end();
    }
    if (line.size() < 4 || MayServe(*how, line)) return;
    acts = acts || shell || Reaches(line);
    message = shell ? "a server is a line for the shell that starts no server"
                    : "a server is a program in one line that reads nothing of what a host says";
  } else {
    return;
  }
  RawFinding& finding = sheet.Raise("SC-030", server.bytes, message);
  if (!acts) finding.scale = utility != kUtilities.end() ? kOddUtility : kOdd;
}

// Where the agent is told to send what it says to its model, or all that it sends; a server, of which the model's
// address may be a setting, all that it sends.
void ReadRoutes(Sheet& sheet, JsonValue environment, bool of_agent) {
  for (auto it = environment.begin(); it != environment.end(); ++it) {
    const code::Route route = (*it).is_string() ? code::RouteOf(it.key()) : code::Route::kNowhere;
    if (route == code::Route::kIndex) {
      constexpr double kOfServer = 1.5;  // its packages are fetched at each start
      sheet.Index((*it).string(), SpanOf(*it), true, kOfServer);
    }
    if (route != code::Route::kProxy && (route != code::Route::kModel || !of_agent)) continue;
    const std::string host = HostOf((*it).string());
    const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost((*it).string());
    if (kind == HostKind::kLocal || kind == HostKind::kForge || kind == HostKind::kRegistry ||
        kind == HostKind::kInstaller || code::IsKnownService(host)) {
      continue;
    }
    RawFinding& finding = sheet.Raise(
        "EXFIL-003", SpanOf(*it),
        std::string(of_agent ? "has all that the agent says" : "has all that a server sends") + " go through " + host);
    finding.host = host;
    finding.scale = 0.8;
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
  }
  // Figures of use are one thing, what was asked word by word is another.
  const bool words = std::ranges::any_of(
      std::array<std::string_view, 3>{"OTEL_LOG_USER_PROMPTS", "OTEL_LOG_TOOL_CONTENT", "OTEL_LOG_RAW_API_BODIES"},
      [&](std::string_view key) {
        const std::string value = LowerCase(environment.Find(key).string());
        return !value.empty() && value != "0" && value != "false";
      });
  for (const std::string_view key : {"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}) {
    const JsonValue to = environment.Find(key);
    if (!words || !to.is_string()) continue;
    const std::string host = HostOf(to.string());
    if (host.empty() || KindOfHost(to.string()) == HostKind::kLocal || code::IsKnownService(host)) continue;
    RawFinding& finding = sheet.Raise("EXFIL-007", SpanOf(to), "has what the user says to the agent kept by " + host);
    finding.host = host;
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
    break;
  }
}

// Every object with a `command` below `hooks`.
void ReadHooks(Sheet& sheet, JsonValue value, const std::string& name, int depth, std::string_view matcher = {}) {
  if (depth > kMaxHookDepth) return;
  const JsonValue command = value.is_object() ? value.Find("command") : JsonValue();
  if (const JsonValue own = value.is_object() ? value.Find("matcher") : JsonValue(); own.is_string())
    matcher = own.string();
  if (command.is_string()) {
    const std::size_t before = sheet.facts().hooks.size();
    sheet.Hook(name, command.string(), SpanOf(command), Reach::kInstall);
    if (sheet.facts().hooks.size() > before) sheet.facts().hooks.back().matcher = matcher;
  }
  for (auto it = value.begin(); it != value.end(); ++it) {
    const JsonValue child = *it;
    if (child.is_object() || child.is_array()) {
      ReadHooks(sheet, child,
                it.key().empty() || it.key() == "hooks" ? name : name + "." + std::string(it.key().substr(0, 40)),
                depth + 1, matcher);
    }
  }
}

void ReadMcpDocument(Sheet& sheet, JsonValue root) {
  for (const std::string_view path : {"/capabilities/tools/listChanged", "/serverCapabilities/tools/listChanged"}) {
    const JsonValue changed = root.FindPointer(path);
    if (changed.AsBool().value_or(false)) {
      sheet.Raise("SC-007", SpanOf(changed), "tools may change after they were looked at");
    }
  }
  // A server's entry in a registry, and an MCP bundle.
  for (const JsonValue package : root.Find("packages")) {
    const JsonValue identifier =
        package.Find("identifier").exists() ? package.Find("identifier") : package.Find("name");
    const std::string type = LowerCase(package.Find("registryType").exists() ? package.Find("registryType").string()
                                                                             : package.Find("registry_name").string());
    const std::string_view version = package.Find("version").string();
    if (!identifier.is_string()) continue;
    if (type == "npm") AddNpmSpec(sheet, identifier.string(), version, SpanOf(identifier), false);
    if (type == "pypi") {
      AddPep508(sheet, std::string(identifier.string()) + (version.empty() ? "" : "==" + std::string(version)),
                SpanOf(identifier), false);
    }
  }
  const JsonValue bundle = root.FindPointer("/server/mcp_config");
  if (bundle.is_object()) ReadServer(sheet, root.Find("name").string(), bundle);
  sheet.Entry(root.FindPointer("/server/entry_point").string());
}

// Settings of a workspace that let an agent's tools run unasked, for whoever opens the folder.
void ReadEditorSettings(Sheet& sheet, const JsonValue& root) {
  const JsonValue inner = root.Find("settings");
  const JsonValue settings = inner.is_object() ? inner : root;
  for (auto it = settings.begin(); it != settings.end(); ++it) {
    const std::string key = LowerCase(it.key());
    // A shell that the editor opens by itself, with what it is told to run.
    if (key.starts_with("terminal.integrated.profiles.") || key.starts_with("terminal.integrated.automationprofile")) {
      const auto profile = [&](JsonValue one) {
        const JsonValue path = one.Find("path");
        const std::vector<std::string> words = StringsOf(one.Find("args"));
        if (path.is_string() && !words.empty())
          sheet.Hook("terminal", code::CommandLine(path.string(), words), SpanOf(one), Reach::kInstall, true);
      };
      profile(*it);
      for (const JsonValue one : *it) profile(one);
    }
    const bool approves = key.find("autoapprove") != std::string::npos || key.find("alwaysallow") != std::string::npos;
    if (!approves) continue;
    const JsonValue value = *it;
    bool all = value.AsBool().value_or(false);
    // A list of some commands is a choice; a pattern for any is none.
    for (auto each = value.begin(); value.is_object() && each != value.end(); ++each) {
      const std::string_view command = each.key();
      all = all || command == "*" || command == "/.*/" || command == "/^.*$/";
    }
    if (all) sheet.Raise("PERSIST-003", SpanOf(value), "lets the tools of agents run unasked in this folder: " + key);
  }
}

// A string, a list of words, or several of either by name.
void ReadLifecycle(Sheet& sheet, JsonValue command, const std::string& name, Reach reach, int depth) {
  if (command.is_string()) {
    sheet.Hook(name, command.string(), SpanOf(command), reach, true);
  } else if (command.is_array()) {
    std::vector<std::string> words = StringsOf(command);
    if (words.empty()) return;
    const std::string program = std::move(words.front());
    words.erase(words.begin());
    sheet.Hook(name, code::CommandLine(program, words), SpanOf(command), reach, true);
  } else if (command.is_object() && depth == 0) {
    for (auto it = command.begin(); it != command.end(); ++it) ReadLifecycle(sheet, *it, name, reach, 1);
  }
}

// "type=bind,source=/x,target=/y", "/x:/y": the folder of the machine.
std::string_view SourceOfMount(std::string_view mount) {
  for (const std::string_view key : {"source=", "src="}) {
    const std::size_t at = mount.find(key);
    if (at != std::string_view::npos) return mount.substr(at + key.size(), mount.find(',', at) - at - key.size());
  }
  // ${localEnv:HOME}:/host
  const std::size_t from = mount.starts_with("${") ? std::min(mount.find('}'), mount.size()) : 0;
  const std::size_t colon = mount.find(':', from);
  return colon == std::string_view::npos ? std::string_view() : mount.substr(0, colon);
}

// Folders of the machine that a container for its developers is given: all of the user's, or all there is.
void ReadMounts(Sheet& sheet, JsonValue root) {
  const JsonValue options = root.Find("runArgs");
  bool privileged = root.Find("privileged").AsBool().value_or(false);
  for (const std::string& option : StringsOf(options)) {
    privileged =
        privileged || option == "--privileged" || option == "--pid=host" || option.starts_with("--cap-add=ALL");
  }
  const auto look = [&](JsonValue at, std::string_view source) {
    const bool all = source == "/";
    if (!all && source != "${localEnv:HOME}" && source != "${localEnv:HOME}${localEnv:USERPROFILE}" &&
        source != "${localEnv:USERPROFILE}") {
      return;
    }
    RawFinding& finding = sheet.Raise(
        "ESCAPE-001", SpanOf(at),
        all ? "a container is given the machine's root folder" : "a container is given all of the user's folder");
    finding.scale = privileged ? 0.9 : 0.5;
  };
  for (const JsonValue mount : root.Find("mounts"))
    look(mount, mount.is_object() ? mount.Find("source").string() : SourceOfMount(mount.string()));
  look(root.Find("workspaceMount"), SourceOfMount(root.Find("workspaceMount").string()));
  for (const JsonValue option : options) {
    std::string_view text = option.string();
    for (const std::string_view flag : {"--volume=", "--mount=", "-v="}) {
      if (text.starts_with(flag)) text.remove_prefix(flag.size());
    }
    look(option, SourceOfMount(text));
  }
}

void ReadDevcontainer(Sheet& sheet, JsonValue root) {
  for (const std::string_view key : {"initializeCommand", "onCreateCommand", "updateContentCommand",
                                     "postCreateCommand", "postStartCommand", "postAttachCommand"}) {
    // The first runs on the machine itself, before there is any container; the others where the sources are mounted.
    ReadLifecycle(sheet, root.Find(key), std::string(key), Reach::kInstall, 0);
  }
  ReadMounts(sheet, root);
}

// Tasks that an editor starts when the folder is opened, and those that they depend on.
void ReadTasks(Sheet& sheet, JsonValue root) {
  const JsonValue tasks = root.Find("tasks");
  std::vector<std::string> needed;
  const auto is_started = [](JsonValue task) { return task.FindPointer("/runOptions/runOn").string() == "folderOpen"; };
  const auto read = [&](JsonValue task) {
    // Options of the task, and of single systems, which take the place of its own.
    for (const std::string_view system : {"", "windows", "osx", "linux"}) {
      const JsonValue own = system.empty() ? task : task.Find(system);
      JsonValue command = own.Find("command");
      if (command.is_object()) command = command.Find("value");
      if (!command.is_string()) continue;
      JsonValue args = own.Find("args");
      if (!args.is_array()) args = task.Find("args");
      std::string line(command.string());
      // A command with its own words is a line for the shell; one without is a program.
      const std::vector<std::string> words = StringsOf(args);
      if (!words.empty()) line = code::CommandLine(line, words);
      sheet.Hook("tasks.folderOpen", line, SpanOf(command), Reach::kInstall, true);
    }
    const JsonValue depends = task.Find("dependsOn");
    if (depends.is_string()) needed.emplace_back(depends.string());
    for (std::string& label : StringsOf(depends)) needed.push_back(std::move(label));
  };
  for (const JsonValue task : tasks) {
    if (is_started(task)) read(task);
  }
  constexpr std::size_t kMostNeeded = 200;
  for (std::size_t i = 0; i < needed.size() && i < kMostNeeded; ++i) {
    const std::string label = needed[i];
    for (const JsonValue task : tasks) {
      if (!is_started(task) && task.Find("label").string() == label) read(task);
    }
  }
}

}  // namespace

void ReadServer(Sheet& sheet, std::string_view name, JsonValue server) {
  const JsonValue command = server.Find("command");
  const JsonValue args = server.Find("args");
  JsonValue url = server.Find("url");
  for (const std::string_view key : {"serverUrl", "httpUrl"}) url = url.exists() ? url : server.Find(key);
  if (url.is_string()) {
    sheet.Source(url.string(), SpanOf(url), name);
    ReadServerKeys(sheet, url, server.Find("headers"));
  }
  JudgeServerEntry(sheet, name, server, url);
  ReadBridgedKeys(sheet, args);
  for (const std::string_view key : {"env", "environment"}) ReadRoutes(sheet, server.Find(key), false);
  StartedServer started{.name = std::string(name.substr(0, 80))};
  if (command.is_string()) {
    started.command = command.string();
    started.args = StringsOf(args);
    started.bytes = {command.offset(), args.exists() ? std::max(args.offset() + args.raw().size(), SpanOf(command).end)
                                                     : SpanOf(command).end};
    if (args.exists() && args.offset() < command.offset()) started.bytes = {args.offset(), SpanOf(command).end};
  } else if (command.is_array()) {  // OpenCode: the program and its arguments in one list
    started.args = StringsOf(command);
    if (started.args.empty()) return;
    started.command = std::move(started.args.front());
    started.args.erase(started.args.begin());
    started.bytes = SpanOf(command);
  } else {
    return;
  }
  for (const JsonValue environment : {server.Find("env"), server.Find("environment")}) {
    for (auto it = environment.begin(); environment.is_object() && it != environment.end(); ++it) {
      started.secrets = started.secrets || code::IsSecretName(it.key());
    }
  }
  AddStartedServer(sheet, started);
}

void AddStartedServer(Sheet& sheet, const StartedServer& server) {
  sheet.Hook("mcpServers." + server.name, code::CommandLine(server.command, server.args), server.bytes,
             Reach::kInstall);
  JudgeServerCommand(sheet, server);
  std::vector<Word> words = WordsOf(server.command, 0);
  for (const std::string& arg : server.args) words.push_back({arg, 0, 0});
  // `cmd /c npx ...` of Windows.
  std::size_t first = 0;
  if (words.size() > 2 && (words[0].text == "cmd" || words[0].text == "cmd.exe")) first = 2;
  std::size_t from = 0;
  const InstallArgs install{.bytes = server.bytes, .whole = true, .server = true};
  if (const Installer* installer = InstallerOf(words, first, from))
    AddInstalled(sheet, *installer, words, from, install);
}

bool ReadHostConfig(Sheet& sheet, std::string_view base) {
  const std::string_view text = sheet.text();
  const bool json = base.ends_with(".json") || base.ends_with(".jsonc") || base.ends_with(".code-workspace");
  if (!json || text.size() > kMaxConfig) return false;
  static constexpr Phrase kMarks[] = {"utoApprove",      "alwaysAllow",      "_BASE_URL\"",       "_PROXY\"",
                                      "ervers\"",        "_ENDPOINT\"",      "\"hooks\"",         "\"command\"",
                                      "listChanged",     "mcp_config",       "registryType",      "registry_name",
                                      "CreateCommand\"", "statusLine",       "initializeCommand", "StartCommand\"",
                                      "AttachCommand\"", "ContentCommand\"", ".profiles.",        "automationProfile",
                                      "\"mcp\""};
  Bigrams pairs;
  pairs.Read(text);
  if (base != "devcontainer.json" && std::ranges::none_of(kMarks, [&](const Phrase& mark) {
        return pairs.MayHave(mark) && base::HasBytes(text, mark.text());
      })) {
    return false;
  }
  const auto doc = ParseJsonc(text);
  if (!doc || !doc->root().is_object()) return false;
  const JsonValue root = doc->root();
  const std::string_view folder = sheet.path().substr(0, sheet.path().size() - base.size());
  for (const JsonValue servers : {root.Find("mcpServers"), root.FindPointer("/mcp/servers"), root.Find("servers"),
                                  root.Find("context_servers"), root.Find("mcp")}) {
    if (!servers.is_object()) continue;
    for (auto it = servers.begin(); it != servers.end(); ++it) {
      if ((*it).is_object()) ReadServer(sheet, it.key(), *it);
    }
  }
  const bool settings = folder.ends_with(".claude/") || folder.ends_with(".cursor/") || folder.ends_with(".gemini/") ||
                        folder.ends_with("hooks/") || folder.ends_with(".claude-plugin/") || base == "hooks.json" ||
                        base.starts_with("settings") || base == "plugin.json" || TellsAgent(root.Find("hooks"));
  if (settings) {
    ReadRoutes(sheet, root.Find("env"), true);
    ReadHooks(sheet, root.Find("hooks"), "hooks", 0);
    for (const std::string_view key : {"statusLine", "fileSuggestion", "subagentStatusLine"}) {
      ReadHooks(sheet, root.Find(key), std::string(key), 0);
    }
    for (const std::string_view key : {"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper"}) {
      const JsonValue command = root.Find(key);
      if (command.is_string()) sheet.Hook(std::string(key), command.string(), SpanOf(command), Reach::kInstall);
    }
  }
  // A shop of plug-ins may carry their hooks and servers itself.
  if (base == "marketplace.json") {
    for (const JsonValue plugin : root.Find("plugins")) {
      ReadHooks(sheet, plugin.Find("hooks"), "hooks", 0);
      const JsonValue servers = plugin.Find("mcpServers");
      for (auto it = servers.begin(); servers.is_object() && it != servers.end(); ++it) {
        if ((*it).is_object()) ReadServer(sheet, it.key(), *it);
      }
    }
  }
  if (folder.ends_with(".vscode/") || base.ends_with(".code-workspace")) ReadEditorSettings(sheet, root);
  if (base == "devcontainer.json") ReadDevcontainer(sheet, root);
  if (base == "tasks.json") ReadTasks(sheet, root);
  if (base.ends_with(".code-workspace")) ReadTasks(sheet, root.Find("tasks"));
  ReadMcpDocument(sheet, root);
  return true;
}

bool ReadContainerFile(Sheet& sheet, std::string_view base) {
  if (!base.starts_with("dockerfile") && !base.starts_with("containerfile") && !base.ends_with(".dockerfile"))
    return false;
  const std::string_view text = sheet.text();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = Trim(text.substr(at, end - at));
    if (LowerCase(line.substr(0, 4)) == "add " && line.find("http://") != std::string_view::npos) {
      std::string_view url = line.substr(line.find("http://"));
      sheet.Source(url.substr(0, url.find(' ')), {at, end}, "ADD");
    }
    at = end + 1;
  }
  ReadIndexVariables(sheet);
  ReadInstallCommands(sheet, text, 0, nullptr);
  return true;
}

void ReadInstallCommands(Sheet& sheet, std::string_view text, std::size_t offset, const base::ByteSpan* whole) {
  // Only where one of the tools is called by name.
  constexpr std::array<std::string_view, 11> kTools = {"pip install", "pip3 install", "pipx ",      "uvx ",
                                                       "uv add ",     "npm ",         "npx ",       "yarn ",
                                                       "pnpm ",       "bunx ",        "poetry add "};
  InstallArgs args;
  args.whole = whole != nullptr;
  if (whole != nullptr) args.bytes = *whole;
  args.offset = offset;
  // In a document that only people read, and in what builds the package, nothing of it is installed by itself.
  args.development = sheet.reach() == Reach::kDocument || sheet.reach() == Reach::kBuild || !sheet.is_own();
  constexpr std::size_t kMostCalls = 2000;
  const std::vector<std::vector<std::size_t>> calls = CallsOf(text, kTools, " \t\n`'\"(;&|/", kMostCalls);
  std::vector<std::size_t> starts;
  for (const std::vector<std::size_t>& some : calls) {
    starts.insert(starts.end(), some.begin(),
                  some.begin() + static_cast<std::ptrdiff_t>(std::min(some.size(), kMostCalls - starts.size())));
  }
  std::sort(starts.begin(), starts.end());
  std::size_t done = 0;
  for (const std::size_t start : starts) {
    if (start < done) continue;
    const std::vector<Word> words = WordsOf(text, start);
    std::size_t from = 0;
    const Installer* const installer = InstallerOf(words, 0, from);
    if (installer == nullptr) continue;
    done = words.empty() ? start + 1 : words.back().end;
    // Prose: "use npm install to set up" has no package behind it that anyone could tell.
    const char before = start == 0 ? '\n' : text[start - 1];
    const bool in_code =
        std::string_view("\n`'\"(;&|/").find(before) != std::string_view::npos ||
        text.substr(start > 2 ? start - 2 : 0, 2) == "$ " || sheet.path().ends_with(".sh") ||
        text.substr(start >= 4 ? start - 4 : 0, 4).find_first_of("$>") != std::string_view::npos ||
        text.substr(start >= 5 ? start - 5 : 0, 5) == "sudo " || text.substr(start >= 4 ? start - 4 : 0, 4) == "RUN " ||
        text.substr(start >= 3 ? start - 3 : 0, 3) == "-m " || text.substr(start >= 3 ? start - 3 : 0, 3) == "uv " ||
        (start >= 2 && (text.substr(start - 2, 2) == "  " || text.substr(start - 2, 2) == "& "));
    if (!in_code) continue;
    AddInstalled(sheet, *installer, words, from, args);
  }
}

}  // namespace interlock::scan
