#include "static/asked_rights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "code/open_settings.h"
#include "code/shell.h"
#include "interlock/base/find_bytes.h"
#include "static/ascii.h"
#include "static/front_matter.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxRead = std::size_t{128} << 10U;  // bytes of one file
constexpr std::size_t kMaxHead = 8'192;                    // bytes of a page's head
constexpr std::size_t kMaxValue = 400;                     // bytes of a value, lists and all
constexpr std::size_t kMaxKey = 48;                        // bytes of a key, blanks and all
constexpr int kMostCommands = 256;                         // of the tools of one file
constexpr int kEverything = 3;                             // kinds of power without any limit

// Kinds of power that a declaration can ask for without a limit.
enum Power : std::uint16_t {
  kTools = 1,
  kDisk = 2,
  kNetwork = 4,
  kCommands = 8,
  kVariables = 16,
  kSenses = 32,   // microphone, camera, screen, keys, clipboard
  kRank = 64,     // administrator
  kQuiet = 128,   // nobody is asked
  kStart = 256,   // whenever the machine starts
  kOffice = 512,  // an account's mail, files and directory
};

// The whole of something, or all of a kind.
bool IsAll(std::string_view value) {
  return Among(value, {"*", "[*]", "all", "any", "full", "unrestricted", "unlimited", "[all]", "[any]", "everything",
                       "**", "[**]"});
}

// `key: value` with quotes, blanks and list signs taken off.
std::uint16_t PowerOf(std::string_view key, std::string_view value) {
  const bool yes = Among(value, {"true", "yes", "on", "always", "1"});
  if (Among(key, {"allowed-tools", "allowed_tools", "allowedtools", "tools"})) return IsAll(value) ? kTools : 0;
  if (Among(key, {"filesystem", "file_system", "fs", "files", "paths", "disk", "file-access", "file_access"})) {
    const bool root =
        value.ends_with(":/") ||
        Among(value, {"/", "[/]", "/**", "[/**]", "~/**", "[~/**]", "//**", "[//**]", "c:\\", "[c:\\]"}) ||
        value.find("read-write:/,") != std::string_view::npos;
    return IsAll(value) || root ? kDisk : 0;
  }
  if (Among(key, {"network", "net", "hosts", "domains", "internet", "host_permissions"})) {
    return IsAll(value) || value.find("<all_urls>") != std::string_view::npos ||
                   value.find("0.0.0.0/0") != std::string_view::npos || value.find("*://*/*") != std::string_view::npos
               ? kNetwork
               : 0;
  }
  if (Among(key, {"shell", "exec", "execute", "commands", "subprocess", "terminal", "bash"}))
    return IsAll(value) || yes ? kCommands : 0;
  if (Among(key, {"env", "environment", "env-vars", "env_vars", "secrets"})) return IsAll(value) ? kVariables : 0;
  if (Among(key, {"microphone", "camera", "screen", "screen_recording", "keyboard", "clipboard", "input_monitoring",
                  "location"})) {
    return yes || IsAll(value) ? kSenses : 0;
  }
  if (Among(key, {"run-as", "run_as", "runas", "privilege", "privileges", "elevation", "user"})) {
    return Among(value, {"administrator", "root", "admin", "system", "elevated", "superuser"}) ? kRank : 0;
  }
  if (Among(key, {"requires_root", "requires-root", "sudo", "requires_admin", "requires-admin", "privileged"}))
    return yes ? kRank : 0;
  if (Among(key, {"disable-confirmation", "disable_confirmation", "skip-confirmation", "skip_confirmation",
                  "auto-approve", "auto_approve", "autoapprove", "auto-confirm", "auto_confirm", "bypass_approval",
                  "bypass-approval", "no-prompt", "no_prompt"})) {
    return yes || IsAll(value) ? kQuiet : 0;
  }
  if (Among(key,
            {"confirmation", "require_confirmation", "requires_confirmation", "require-confirmation", "approval"})) {
    return Among(value, {"false", "never", "none", "no"}) ? kQuiet : 0;
  }
  if (Among(key, {"run_at_login", "run-at-login", "autostart", "start_at_login", "startup", "launch_at_login"}))
    return yes ? kStart : 0;
  if (Among(key, {"scopes", "scope", "oauth_scopes"})) {
    int wide = 0;
    for (const std::string_view word :
         {"admin", "full_control", "read_write.all", "readwrite.all", "mail.send", "contacts.read_write", ".full",
          "directory.", "delete_repo", "mail.google.com"}) {
      wide += value.find(word) != std::string_view::npos ? 1 : 0;
    }
    return wide >= 3 ? kOffice : 0;
  }
  return 0;
}

// Quotes, blanks and line ends taken off; list items of the lines below joined.
std::string Bare(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '"' && c != '\'') out += c;
  }
  while (out.ends_with(',') || out.ends_with('}')) out.pop_back();
  return out;
}

// The value behind a colon: to the end of the line, of the list, or of the lines of "- item" below.
std::string ValueAt(std::string_view text, std::size_t at) {
  text = text.substr(at, kMaxValue);
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  if (text[first] == '[') return Bare(text.substr(first, std::min(text.find(']', first), text.size() - 1) - first + 1));
  const std::size_t line = std::min(text.find('\n'), text.size());
  if (first < line) return Bare(text.substr(first, line - first));
  std::string items;
  for (std::size_t i = line; i < text.size();) {
    std::size_t end = text.find('\n', i + 1);
    if (end == std::string_view::npos) end = text.size();
    const std::string item = Bare(text.substr(i, end - i));
    if (!item.starts_with('-')) break;
    if (!items.empty()) items += ",";
    items += item.substr(1);
    i = end;
  }
  return items.empty() ? items : "[" + items + "]";
}

// The part of a file that declares: all of a manifest, the head of a page.
std::string_view Declared(const FileContext& file) {
  const std::string_view text = file.text().substr(0, kMaxRead);
  if (file.type != FileType::kMarkdown) return text;
  const std::string_view head = FindFrontMatter(text).lines(text);
  return head.size() > kMaxHead ? std::string_view() : head;
}

bool IsManifest(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return Among(name, {"skill.md", "manifest.json", "plugin.json", "skill.json", "skill.yaml", "skill.yml",
                      "manifest.yaml", "manifest.yml", "server.json", "mcp.json", "tool.json", "agent.json",
                      "agent.yaml", "plugin.yaml", "dxt.json", "permissions.json", "permissions.yaml"});
}

void JudgePowers(const FileContext& file, std::string_view path, std::vector<RawFinding>& out) {
  if (!IsManifest(path)) return;
  const std::string head = LowerCase(Declared(file));
  std::uint16_t powers = 0;
  std::size_t first = 0;
  for (std::size_t colon = head.find(':'); colon != std::string::npos; colon = head.find(':', colon + 1)) {
    const std::size_t far = colon > kMaxKey ? colon - kMaxKey : 0;
    std::size_t begin = colon;
    while (begin > far && head[begin - 1] != '{' && head[begin - 1] != ',' && head[begin - 1] != '\n') --begin;
    const std::string key = Bare(std::string_view(head).substr(begin, colon - begin));
    if (key.empty()) continue;
    const std::uint16_t power = PowerOf(key.starts_with('-') ? std::string_view(key).substr(1) : std::string_view(key),
                                        ValueAt(head, colon + 1));
    if (power != 0 && powers == 0) first = begin;
    powers |= power;
  }
  const int kinds = std::popcount(powers);
  if (kinds < kEverything) return;
  RawFinding finding;
  finding.rule = "DECL-005";
  finding.file = file.index;
  finding.bytes = {first, std::min(head.find('\n', first + 1), head.size())};
  finding.scale = kinds == kEverything ? 0.8 : 1.0;
  finding.message = "asks for " + std::to_string(kinds) + " kinds of power without any limit";
  out.push_back(std::move(finding));
}

// "deny": ["Bash(sudo:*)"]: what is listed there, and under "ask", is not let through. Blanks keep every other place; a
// key in a comment has no list of texts and nothing else behind it.
void BlankRefused(std::string* text) {
  for (const std::string_view key : {"\"deny\"", "\"ask\""}) {
    for (std::size_t at = text->find(key); at != std::string::npos; at = text->find(key, at + 1)) {
      const std::size_t open = text->find_first_not_of(" \t\r\n:", at + key.size());
      if (open == std::string::npos || (*text)[open] != '[') continue;
      std::size_t close = open + 1;
      while (close < text->size() && (*text)[close] != ']') {
        if ((*text)[close] == '"') {
          close = text->find_first_of("\"\n", close + 1);
          if (close == std::string::npos || (*text)[close] == '\n') break;
        } else if (std::string_view(" \t\r\n,").find((*text)[close]) == std::string_view::npos) {
          break;
        }
        ++close;
      }
      if (close >= text->size() || (*text)[close] != ']') continue;
      std::fill(text->begin() + static_cast<std::ptrdiff_t>(open), text->begin() + static_cast<std::ptrdiff_t>(close),
                ' ');
    }
  }
}

// Settings of an agent or a host that come with the package and open every door to whoever opens its folder.
void JudgeSettings(const FileContext& file, std::string_view path, std::vector<RawFinding>& out) {
  if (file.type != FileType::kJson && file.type != FileType::kToml && file.type != FileType::kYaml) return;
  std::string text = LowerCase(file.text().substr(0, kMaxRead));
  BlankRefused(&text);
  const bool agent = SaysAny(path, {".claude/settings", ".gemini/settings", ".codex/config", ".cursor/",
                                    ".vscode/settings", ".windsurf/", ".kiro/"});
  const bool servers = SaysAny(text, {"mcpservers", "mcp_servers"});
  if (!agent && !servers) return;
  const std::string bare = code::Bare(text);
  std::string_view word = code::OpenSettingIn(bare);
  std::string message = agent ? "brings settings of an agent by which every command goes through"
                              : "brings settings of a host by which no call of a server is asked about";
  if (word.empty() && servers) {
    for (const std::string_view opens :
         {"dangerously_omit_auth=true", "dangerously_omit_auth:true", "--inspect=0.0.0.0"}) {
      if (bare.find(opens) != std::string::npos) word = opens;
    }
    message = "brings settings of a host that open a server to the network";
  }
  if (word.empty()) return;
  // Where the words stand in the file: the first name of them.
  const std::string_view name = word.substr(0, std::min(word.find_first_of(":="), word.size()));
  std::size_t at = text.find(name);
  if (at == std::string::npos) at = 0;
  RawFinding finding;
  finding.rule = "PERSIST-003";
  finding.file = file.index;
  finding.bytes = {at, std::min(at + name.size(), text.size())};
  finding.scale = 0.8;
  finding.has_reach = true;
  finding.reach = Reach::kRuntime;
  finding.message = std::move(message);
  out.push_back(std::move(finding));
}

// Deletes or overwrites what a caller names.
bool Destroys(std::string_view command) {
  return SaysAny(
      command, {" -delete", "rm -rf", "rm -r ", "rm -f", "truncate ", "shred ", "fdupes -r -d", "fdupes -d",
                "drop table", "delete from", "git reset --hard", "git push", "git clean", "mkfs", "dd of=", "unlink "});
}

// [sh, -c, TEXT] of a tool that a list defines: the text is a program, and the notes beside it say what it does.
void JudgeToolCommands(const FileContext& file, std::vector<RawFinding>& out) {
  if (file.type != FileType::kJson && file.type != FileType::kYaml) return;
  const std::string_view text = file.text().substr(0, kMaxRead);
  if (!base::HasBytes(text, "tools") || !base::HasBytes(text, "-c")) return;
  int commands = 0;
  for (const std::string_view flag : {"\"-c\"", "'-c'", "- -c\n"}) {
    for (std::size_t at = base::FindBytes(text, flag); at != std::string_view::npos && commands < kMostCommands;
         at = base::FindBytes(text, flag, at + flag.size())) {
      const std::size_t open = text.find_first_not_of(" ,\n\t-", at + flag.size());
      if (open == std::string_view::npos || open - at > 80 || (text[open] != '"' && text[open] != '\'')) continue;
      std::string command;
      std::vector<std::uint32_t> map;
      for (std::size_t i = open + 1; i < text.size() && text[i] != text[open] && command.size() < kMaxValue * 5; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        command += text[i];
        map.push_back(static_cast<std::uint32_t>(i));
      }
      if (command.size() < 4) continue;
      ++commands;
      ShellContext context;
      context.file = file.index;
      context.map = &map;
      context.place = ShellPlace::kCodeString;
      const code::ShellScript script = code::ParseShell(command);
      const std::vector<code::ShellUse> acts = code::AnalyzeShellScript(script, command);
      JudgeShell(acts, context, out, nullptr);
      if (!Destroys(LowerCase(command))) continue;
      // The entry of the list that it belongs to.
      constexpr std::size_t kFar = 3'000;
      const std::size_t far = at > kFar ? at - kFar : 0;
      std::size_t begin = std::string_view::npos;
      for (const std::string_view name : {"- name:", "\"name\""}) {
        const std::size_t found = text.substr(far, at - far).rfind(name);
        if (found != std::string_view::npos && (begin == std::string_view::npos || far + found > begin))
          begin = far + found;
      }
      if (begin == std::string_view::npos) continue;
      const std::string entry = Bare(LowerCase(text.substr(begin, at - begin)));
      if (!SaysAny(entry, {"readonlyhint:true", "read_only:true", "readonly:true", "read-only:true"})) continue;
      RawFinding finding;
      finding.rule = "DECL-001";
      finding.file = file.index;
      finding.bytes = {open + 1, std::min(open + 1 + command.size(), text.size())};
      finding.scale = 1.3;
      finding.severity = core::Severity::kHigh;
      finding.message = "a tool that is declared to read only deletes";
      out.push_back(std::move(finding));
    }
  }
}

}  // namespace

void JudgeAskedRights(const std::vector<FileContext>& files, std::vector<RawFinding>& out) {
  for (const FileContext& file : files) {
    std::string path = "/" + LowerCase(file.file->path);
    if (path.starts_with("/package/")) path.erase(0, 8);
    // Settings of editors are no part of what runs, but whoever opens the folder lives by them.
    const bool opened = path.starts_with("/.") && file.reach == Reach::kBuild;
    if (file.reach > Reach::kDocument && !opened) continue;
    JudgePowers(file, path, out);
    JudgeSettings(file, path, out);
    if (file.reach <= Reach::kRuntime) JudgeToolCommands(file, out);
  }
}

}  // namespace interlock::scan
