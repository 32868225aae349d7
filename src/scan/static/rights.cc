#include "static/rights.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "code/open_settings.h"
#include "code/places.h"
#include "static/access.h"
#include "static/data_files.h"
#include "static/literals.h"
#include "static/part_set.h"
#include "static/shell_judge.h"
#include "static/together.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr double kSaid = 0.5;                              // of a deed that the package's page tells
constexpr double kChoice = 0.35;                           // of a mode in the list of all of them
constexpr std::size_t kMaxRead = std::size_t{256} << 10U;  // bytes of one file

// What the package and its tools say they are for.
std::string PurposeOf(const ScanReport& report) {
  std::string purpose = report.name + " " + report.description;
  for (const ToolSurface& tool : report.tools) purpose += " " + tool.name + " " + tool.description.substr(0, 400);
  return LowerCase(std::string_view(purpose).substr(0, 16'384));
}

// What the package's own page says, where everybody looks before installing: README beside the manifest, or the
// metadata of a wheel. A file of that name deeper in the package is nothing that a user has read.
std::string PageOf(const std::vector<FileContext>& files) {
  std::string page;
  for (const FileContext& file : files) {
    const std::string path = LowerCase(file.file->path);
    const std::size_t slash = path.rfind('/');
    const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    const std::string folder = slash == std::string::npos ? std::string() : path.substr(0, slash);
    const bool top = folder.find('/') == std::string::npos;
    const bool readme = name.starts_with("readme") && (folder.empty() || folder == "package");
    const bool metadata = top && ((name == "metadata" && folder.ends_with(".dist-info")) || name == "pkg-info");
    if (readme || metadata) page += LowerCase(file.text().substr(0, kMaxRead)) + "\n";
  }
  return page;
}

// A name as a page writes it: alone, in a path, between quotes; no part of a longer name.
bool PageNames(std::string_view page, std::string_view name) {
  const auto part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  for (std::size_t at = page.find(name); at != std::string_view::npos; at = page.find(name, at + 1)) {
    const std::string_view after = page.substr(at + name.size());
    if ((at == 0 || !part(page[at - 1])) && (after.empty() || !part(after.front()))) return true;
  }
  return false;
}

// What a file has to say for most questions below to be asked of it at all: all of it is looked for in one reading.
// clang-format off
constexpr auto kTelling = std::to_array<std::string_view>({
    "write_text(", ".write(", "writefile", "appendfile", "writelines(", ">> ", "tee -a", "createwritestream",
    ".claude", ".cursor", ".gemini", ".codex", ".vscode", "claude_desktop",
    "bun:ffi", "ffi-napi", "koffi", "deno.dlopen", "ctypes", "cffi",
    "pyperclip.copy(", "clipboard.copy(", "clipboard.writetext(", "clipboardy.write", "setclipboarddata(",
    "clipboard_append(", "pbpaste", "xclip", "get-clipboard", "wl-paste",
    "mining.", "stratum+",
    "login data", "logins.json", "key4.db", "keychain", "keyring", "cookies", "wallet",
    "mcpservers", "mcp_servers",
    "\"role\": \"system\"", "role: \"system\"", "role: 'system'", "system_prompt", "systemprompt", "systemmessage",
    "'role': 'system'", "system: ",
    "fernet(", "createcipheriv(", "aes.new(", "chacha20", "aesgcm(", "secretbox(", "crypto_secretbox",
    "sha256(hashlib.sha256(", "sha256(sha256(", ".update(createhash(", "randomx_", "cryptonight"
});
// clang-format on
enum class Telling : std::uint8_t {
  kWrites,
  kAgents,
  kForeign,
  kClipboard,
  kMining,
  kStores,
  kServers,
  kLeads,
  kCiphers,
  kProofs
};
// Where in the list each begins, and where the last one ends.
constexpr std::array<std::size_t, 11> kTellingFrom = {0, 8, 14, 20, 30, 32, 39, 41, 49, 56, kTelling.size()};
static_assert(kTelling[56] == "sha256(hashlib.sha256(");

// The text of a file in lower case, and what of the list it says.
struct Said {
  std::string text;
  std::uint64_t told = 0;

  explicit Said(std::string_view of) : text(LowerCase(of)) {
    static constexpr PartSet kParts(kTelling);
    told = kParts.AllIn(text);
  }
  [[nodiscard]] bool Any(Telling what) const {
    const std::size_t from = kTellingFrom[static_cast<std::size_t>(what)];
    const std::size_t count = kTellingFrom[static_cast<std::size_t>(what) + 1] - from;
    return (told >> from & ((std::uint64_t{1} << count) - 1)) != 0;
  }
};

// As a word, or before "rules" (".cursorrules"): "authorized_keys" names no Zed, "/root" no Roo.
bool NamesIt(std::string_view text, std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::string_view after = text.substr(at + name.size());
    const bool begins = at == 0 || !letter(text[at - 1]);
    if (begins && (after.empty() || !letter(after.front()) || after.starts_with("rules"))) return true;
  }
  return false;
}

// {"mybank.com": "mybank-secure.com"}: addresses that take the place of others, and look like them.
void JudgeLookAlikes(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr std::size_t kLargest = 200'000;
  if (file.text().size() > kLargest) return;
  const auto is_host = [](std::string_view text) {
    const auto in_host = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    };
    return text.size() >= 5 && text.size() <= 60 && std::ranges::all_of(text, in_host) &&
           text.find('.') != std::string_view::npos && text.back() != '.' && text.front() != '.' &&
           (text.back() < '0' || text.back() > '9');
  };
  const auto label = [](std::string_view host) {  // "mybank" of "www.mybank.com"
    const std::size_t last = host.rfind('.');
    const std::size_t before =
        last == std::string_view::npos || last == 0 ? std::string_view::npos : host.rfind('.', last - 1);
    return host.substr(before == std::string_view::npos ? 0 : before + 1,
                       last - (before == std::string_view::npos ? 0 : before + 1));
  };
  std::string_view earlier;
  std::size_t earlier_end = 0;
  std::size_t pairs = 0;
  base::ByteSpan first;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    const std::size_t end = at + literal.size();
    const bool host = is_host(literal);
    if (host && !earlier.empty() && at - earlier_end <= 6 && earlier != literal) {
      const std::string_view between = file.text().substr(earlier_end, at - earlier_end);
      const std::string_view was = label(earlier);
      const std::string_view is = label(literal);
      if (between.find(':') != std::string_view::npos && was.size() >= 4 && was != is && is.size() > was.size() &&
          is.find('-') != std::string_view::npos && is.find(was) != std::string_view::npos) {
        ++pairs;
        if (first.end == 0) first = {at, end};
      }
    }
    earlier = host ? literal : std::string_view();
    earlier_end = end;
  });
  if (pairs >= 2)
    AddFinding(out, file, "DIVERT-001", first, "puts hosts in the place of others that they look like", 0.8);
}

// `readFileSync("AGENTS.md")`: what is only read there is nothing that others find.
bool IsRead(std::string_view text, std::size_t literal) {
  constexpr std::size_t kCall = 80;  // bytes of a line before the literal
  const std::size_t from = literal > kCall ? literal - kCall : 0;
  std::string_view before = text.substr(from, literal - from);
  before = before.substr(before.rfind('\n') + 1);
  if (before.empty()) return false;
  before.remove_suffix(1);  // the quote
  const bool joins = before.ends_with(", ") || before.ends_with(',');
  if (joins) before = before.substr(0, before.rfind('(') + 1);
  if (!before.ends_with('(')) return false;
  before.remove_suffix(1);
  const auto called = [&] {
    const std::size_t name = before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return LowerCase(before.substr(name == std::string_view::npos ? 0 : name + 1));
  };
  std::string call = called();
  if (joins) {
    // existsSync(join(root, "AGENTS.md")), os.path.exists(os.path.join(root, "AGENTS.md"))
    if (call != "join") return false;
    const std::size_t outer = before.rfind('(');
    if (outer == std::string_view::npos) return false;
    before = before.substr(0, outer);
    call = called();
  }
  return call.starts_with("read") || call.starts_with("load") || call == "existssync" || call == "exists" ||
         call == "isfile";
}

// ~/.claude/skills/notes-search, of a package `notes-cli`: a skill of its own name, beside those that are there.
bool IsOwnPlace(std::string_view place, std::string_view name) {
  constexpr std::size_t kShortest = 4;
  constexpr auto kCommon = std::to_array<std::string_view>(
      {"agent",   "agents",   "skill",  "skills", "claude", "code",   "codex",  "cursor",
       "gemini",  "tool",     "tools",  "server", "client", "core",   "memory", "prompt",
       "command", "commands", "helper", "node",   "python", "default"});
  for (const std::string_view folder : {"/skills/", "/commands/"}) {
    const std::size_t at = place.find(folder);
    if (at == std::string_view::npos) continue;
    const std::string_view below = place.substr(at + folder.size());
    for (std::size_t from = 0; from < name.size();) {
      const std::size_t end = std::min(name.find_first_of("-_/@. ", from), name.size());
      const std::string_view word = name.substr(from, end - from);
      if (word.size() >= kShortest && std::ranges::find(kCommon, word) == kCommon.end() &&
          below.find(word) != std::string_view::npos) {
        return true;
      }
      from = end + 1;
    }
  }
  return false;
}

void JudgeInstructions(const FileContext& file, std::string_view purpose, std::string_view own, std::string_view page,
                       const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kWrites)) return;
  if (SaysAny(purpose, {"claude.md",    "agents.md",     "gemini.md",       "instruction",  "rules",   "memory",
                        "memories",     "settings",      "configur",        "setup",        "set up",  "install",
                        "onboard",      "init",          "scaffold",        "template",     "sync",    "skill",
                        "hook",         "plugin",        "prompt",          "mcp server",   "dotfile", "backup",
                        "context file", "agent runtime", "agent framework", "agent harness"})) {
    return;
  }
  base::ByteSpan first;
  std::string_view shown;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    constexpr std::size_t kLongest = 120;
    // A path and nothing else: the end of a sentence has a sign behind it.
    if (first.end != 0 || literal.size() > kLongest || literal.find_first_of(" ()") != std::string_view::npos ||
        code::KindOfPath(literal) != code::PathKind::kAgent || IsRead(file.text(), at)) {
      return;
    }
    first = {at, at + literal.size()};
    shown = literal;
  });
  if (first.end == 0) return;
  // A program for one agent writes that agent's files.
  const std::string place = LowerCase(shown);
  const auto theirs = [&](std::string_view agent) { return NamesIt(place, agent) && NamesIt(purpose, agent); };
  if (std::ranges::any_of(std::to_array<std::string_view>({"claude", "cursor", "gemini", "codex", "copilot", "windsurf",
                                                           "cline", "opencode", "roo", "kiro", "zed"}),
                          theirs)) {
    return;
  }
  // The list of servers that an agent has, and a server.
  if (place.find("mcp") != std::string::npos && purpose.find("mcp") != std::string_view::npos) return;
  RawFinding finding;
  finding.rule = "PERSIST-004";
  finding.file = file.index;
  finding.bytes = first;
  finding.message = "names " + std::string(shown) +
                    ", which agents obey, and writes files, though the package is about something else";
  // What its page says that it does with that file, its user has chosen.
  if (PageNames(page, place.substr(place.rfind('/') + 1))) finding.scale = kSaid;
  // A program for agents of whatever maker.
  const auto about = [&](std::string_view word) { return SaysWord(purpose, word); };
  if (about("agent") || about("agents") || about("agentic")) finding.scale = kSaid;
  // A command of its own for it: whoever starts an installer has asked for one.
  const std::string path = LowerCase(file.file->path);
  const std::string_view base = std::string_view(path).substr(path.rfind('/') + 1);
  const bool installs = base.starts_with("install") || (base != "setup.py" && SaysWord(base, "setup"));
  if (installs || code::IsSettingsPath(place) || IsOwnPlace(place, own)) finding.scale = std::min(finding.scale, kSaid);
  out.push_back(std::move(finding));
}

// {"yolo": "bypassPermissions", "safe": "default"}: what one program calls a mode, and another one calls it. Settings
// have a mode under their own key for it.
bool IsInTableOfModes(std::string_view before, std::string_view after) {
  constexpr auto kValues = std::to_array<std::string_view>({"default", "acceptEdits", "plan", "ask", "dontAsk"});
  constexpr std::string_view kSpace = " \t\r\n\"'`";
  const std::size_t colon = before.find_last_not_of(kSpace);
  if (colon == std::string_view::npos || before[colon] != ':') return false;
  std::string_view key = before.substr(0, before.find_last_not_of(" \t\"'", colon - 1) + 1);
  key = key.substr(key.find_last_of(" \t\r\n\"'{,") + 1);
  if (LowerCase(key).find("mode") != std::string::npos || LowerCase(key).find("permission") != std::string::npos)
    return false;
  // The entry behind it.
  if (after.empty() || after.find(',') == std::string_view::npos) return false;
  after.remove_prefix(after.find(',') + 1);
  const std::size_t next = after.find(':');
  if (next == std::string_view::npos || after.substr(0, next).find_first_of("}])(") != std::string_view::npos)
    return false;
  after.remove_prefix(next + 1);
  const std::size_t value = after.find_first_not_of(kSpace);
  return value != std::string_view::npos &&
         std::ranges::any_of(kValues, [&](auto mode) { return after.substr(value).starts_with(mode); });
}

// ["default", "acceptEdits", "bypassPermissions"]: one of the modes that there are, in a list of what may be chosen.
bool IsOneOfModes(std::string_view text, std::size_t literal, std::size_t size) {
  constexpr std::string_view kBetween = " \t\r\n,\"'`";
  constexpr auto kModes = std::to_array<std::string_view>(
      {"default", "acceptEdits", "plan", "ask", "dontAsk", "read-only", "workspace-write"});
  constexpr std::size_t kNear = 60;
  const std::size_t end = std::min(literal + size, text.size());
  std::string_view after = text.substr(end, kNear);
  const std::size_t next = after.find_first_not_of(kBetween);
  const bool followed = next != std::string_view::npos && after.substr(0, next).find(',') != std::string_view::npos &&
                        std::ranges::any_of(kModes, [&](auto mode) { return after.substr(next).starts_with(mode); });
  std::string_view before = text.substr(literal > kNear ? literal - kNear : 0, std::min(literal, kNear));
  if (IsInTableOfModes(before, after)) return true;
  const std::size_t last = before.find_last_not_of(kBetween);
  if (last == std::string_view::npos) return followed;
  bool comma = before.substr(last).find(',') != std::string_view::npos;
  before = before.substr(0, last + 1);
  // now === "bypassPermissions" ? "acceptEdits" : "bypassPermissions": a switch to and fro.
  if (before.ends_with(':') && before.find('?') != std::string_view::npos) {
    const std::string_view other = before.substr(0, before.find_last_not_of(": \t\"'`") + 1);
    if (std::ranges::any_of(kModes, [&](auto mode) { return other.ends_with(mode); })) return true;
  }
  if (before.ends_with('=') || before.ends_with(':')) {
    // Members of an enumeration: `workspace_write = "workspace-write"`, and this one on the next line.
    before.remove_suffix(1);
    before = before.substr(0, before.find_last_not_of(" \t") + 1);
    const std::size_t name = before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (name == std::string_view::npos) return followed;
    const std::size_t mode = before.find_last_not_of(kBetween, name);
    comma = mode != std::string_view::npos && before.substr(mode).find('\n') != std::string_view::npos;
    before = before.substr(0, mode + 1);
  }
  return followed || (comma && std::ranges::any_of(kModes, [&](auto mode) { return before.ends_with(mode); }));
}

// What lets every command through, in a file that names where an agent keeps its permissions and writes.
void JudgePermissions(const FileContext& file, std::string_view page, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kWrites) || !said.Any(Telling::kAgents)) return;
  const std::string_view text = said.text;
  base::ByteSpan opened;
  bool chosen = false;  // what was found so far is one of several, or of one run
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    if ((opened.end != 0 && !chosen) || !code::IsOpenMode(literal) ||
        code::IsCompared(file.text(), at - 1, at + literal.size() + 1)) {
      return;
    }
    // Settings keep a mode under `defaultMode`; a large file that has no such key hands modes around.
    constexpr std::size_t kLarge = std::size_t{16} << 10U;
    const bool elsewhere = text.size() > kLarge && literal == "bypassPermissions" && !SaysAny(text, {"defaultmode"});
    const bool one =
        elsewhere || IsOneOfModes(file.text(), at, literal.size()) || code::IsOfOneRun(file.text(), at, literal.size());
    if (opened.end != 0 && one) return;
    opened = {at, at + literal.size()};
    chosen = one;
  });
  // "alwaysAllow": ["*"]
  for (const std::string_view key : {"alwaysallow", "autoapprove"}) {
    for (std::size_t at = text.find(key); at != std::string_view::npos && opened.end == 0;
         at = text.find(key, at + 1)) {
      const std::string_view set = code::OpenSettingIn(code::Bare(text.substr(at, key.size() + 40)));
      if (set.starts_with(key)) opened = {at, at + key.size()};
    }
  }
  if (opened.end == 0) return;
  RawFinding finding;
  finding.rule = "PERSIST-003";
  finding.file = file.index;
  finding.bytes = opened;
  const std::size_t size = opened.end - opened.begin;
  finding.scale = chosen ? kChoice : PageNames(page, LowerCase(file.text().substr(opened.begin, size))) ? kSaid : 0.9;
  finding.message = "writes an agent's settings so that every command goes through";
  out.push_back(std::move(finding));
}

// Reads the clipboard, knows an account of a chain by its letters, and writes the clipboard: whoever pastes pays
// another.
void JudgeClipboard(const FileContext& file, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kClipboard)) return;
  const std::string_view text = said.text;
  constexpr auto kWrites = std::to_array<std::string_view>(
      {"pyperclip.copy(", "clipboard.copy(", "clipboard.writetext(", "clipboardy.write", "setclipboarddata(",
       "clipboard_append(", "pbcopy", "xclip", "wl-copy", "set-clipboard"});
  const auto written =
      std::ranges::find_if(kWrites, [&](std::string_view call) { return text.find(call) != std::string_view::npos; });
  if (written == kWrites.end()) return;
  if (!SaysAny(text, {"pyperclip.paste(", "clipboard.paste(", "clipboard.readtext(", "clipboardy.read",
                      "getclipboarddata(", "clipboard_get(", "pbpaste", "xclip', '-o'", "wl-paste", "get-clipboard"}))
    return;
  if (!SaysAny(text, {"[13][a-km-z", "[a-km-za-hj-np-z1-9]", "0x[a-fa-f0-9]{40}", "0x[0-9a-fa-f]{40}", "bc1["})) return;
  RawFinding finding;
  finding.rule = "DIVERT-003";
  finding.file = file.index;
  const std::size_t at = text.find(*written);
  finding.bytes = {at, at + written->size()};
  finding.message = "looks for accounts in the clipboard, and writes another there";
  out.push_back(std::move(finding));
}

// memmove(id(x) + 16, ...). A structure of the program's own, addressof(self.data), is written to as it is meant to be.
std::size_t MovedOver(std::string_view text) {
  constexpr std::string_view kCall = "memmove(";
  for (std::size_t at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1)) {
    std::string_view to = text.substr(at + kCall.size());
    to.remove_prefix(std::min(to.find_first_not_of(" \t\r\n"), to.size()));
    if (to.starts_with("ctypes.")) to.remove_prefix(std::string_view("ctypes.").size());
    const std::size_t arguments = to.find(',');
    if (!to.starts_with("addressof(") || to.substr(0, arguments).find_first_of("+-") != std::string_view::npos)
      return at;
  }
  return std::string_view::npos;
}

// The foreign-function interface together with what it takes to run bytes, or to change the interpreter's own objects.
void JudgeMemory(const FileContext& file, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kForeign)) return;
  const std::string_view text = said.text;
  const auto raise = [&](std::string_view rule, std::size_t at, std::size_t size, std::string message) {
    RawFinding finding;
    finding.rule = rule;
    finding.file = file.index;
    finding.bytes = {at, at + size};
    finding.message = std::move(message);
    out.push_back(std::move(finding));
  };
  for (const std::string_view call : {"mprotect", "virtualprotect", "virtualalloc", "prot_exec"}) {
    const std::size_t at = text.find(call);
    if (at == std::string_view::npos || !SaysAny(text, {"base64", "b64decode", "fromhex", "\\x", "uint8array"}))
      continue;
    raise("MEM-001", at, call.size(), "asks for memory that runs, beside bytes that are decoded");
    out.back().scale = 0.45;  // that the bytes get there is not shown
    break;
  }
  const std::size_t move = std::min(MovedOver(text), text.find(".from_address("));
  if (move != std::string_view::npos && file.type == FileType::kPython && SaysAny(text, {"(id(", " id(", "+id("})) {
    raise("MEM-005", move, 8, "writes to memory at an object's own address");
    // A structure laid over an object may only look, or mend what has no other handle; bytes moved over it do not.
    if (MovedOver(text) == std::string_view::npos) out.back().scale = 0.5;
  }
}

// args: ["-y", "relay", "--", entry.command, ...entry.args]: the words of a command that takes another one along. Where
// the list begins; npos: nowhere.
std::size_t WrappedCommand(std::string_view text) {
  constexpr std::size_t kLongestList = 300;
  for (std::size_t at = base::FindBytes(text, "args"); at != std::string_view::npos;
       at = base::FindBytes(text, "args", at + 4)) {
    const std::size_t open = text.find_first_not_of("\"' :=", at + 4);
    if (open == std::string_view::npos || open == at + 4 || text[open] != '[') continue;
    std::string_view list = text.substr(open, kLongestList);
    list = list.substr(0, list.find('\n'));
    if (!SaysAny(list,
                 {".command,", ".command]", "[\"command\"]", "['command']", ".get(\"command\"", ".get('command'"}))
      continue;
    // { command: "cmd", args: ["/c", command] }: how Windows starts what is a script.
    if (SaysAny(list.substr(0, list.find(',')), {"'/c'", "\"/c\""})) continue;
    // The command itself is set beside it.
    const std::string_view near = text.substr(at > kLongestList ? at - kLongestList : 0, 2 * kLongestList);
    if (SaysAny(near,
                {"command:", "\"command\":", "'command':", "command\"] =", "command'] =", ".command =", "command="}))
      return at;
  }
  return std::string_view::npos;
}

// Every server that an agent knows is started through another program from now on. Where the new command begins; npos:
// nothing is wrapped here. `far`: the file does not name where agents keep their servers, another may.
std::size_t Wraps(const Said& said, bool* far) {
  const std::string_view text = said.text;
  *far = true;
  static constexpr PartSet kEach(std::to_array<std::string_view>(
      {"servers.values()", "servers.items()", "object.values(", "object.entries(", "object.keys(", "in servers"}));
  if (!kEach.AnyIn(text)) return std::string_view::npos;
  if (said.Any(Telling::kServers) && said.Any(Telling::kWrites)) {
    for (const std::string_view set : {"[\"command\"] = ", "['command'] = ", ".command = "}) {
      const std::size_t at = text.find(set);
      // The old command goes among the words of the new one.
      if (at == std::string_view::npos ||
          !SaysAny(text, {"entry[\"command\"], ", "[\"command\"], *", "['command'], *", ".command, ..."})) {
        continue;
      }
      *far = false;
      return at;
    }
  }
  return WrappedCommand(text);
}

// Lines of what others wrote that begin with "rule:" are kept, and what is kept stands in the system's prompt.
void JudgeDirectives(const FileContext& file, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kLeads)) return;
  const std::string_view text = said.text;
  static constexpr PartSet kKeeps(std::to_array<std::string_view>(
      {"write_text(", "writefile", "json.dump(", "upsert(", ".put(", ".add(", "insert into", ">>"}));
  static constexpr PartSet kOthers(
      std::to_array<std::string_view>({"requests.get(", "httpx.", "fetch(", "tool_calls", "imaplib", "[\"text\"]",
                                       "[\"body\"]", "ticket", "issue", "comment"}));
  if (!kKeeps.AnyIn(text) || !kOthers.AnyIn(text)) return;
  const base::ByteSpan first = FirstLiteral(file, [](std::string_view literal) {
    if (literal.size() > 120) return false;
    const std::string lower = LowerCase(literal);
    const bool line = lower == "rule:" || lower == "policy:" || lower == "always:" || lower == "note to agent:" ||
                      lower == "note to assistant:" || lower == "operator:";
    const bool pattern = SaysAny(lower, {"note to agent", "policy|", "rule|", "|rule"}) &&
                         lower.find('^') != std::string::npos &&
                         lower.find(':', lower.find("rule")) != std::string::npos;
    return line || pattern;
  });
  if (first.end == 0) return;
  AddFinding(out, file, "STATE-002", first, "keeps lines that others wrote as rules for an agent", 1.4).severity =
      core::Severity::kHigh;
}

// Stores of credentials of several programs, one of them a browser's or the system's own, named beside what takes files
// up.
void JudgeStores(const FileContext& file, std::string_view purpose, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kStores)) return;
  const std::string_view text = said.text;
  if (!SaysAny(text, {"zipfile", "tarfile", "shutil.", "read_bytes", "readfile", "copyfile", "make_archive", "archiver",
                      "adm-zip"}))
    return;
  if (SaysAny(purpose, {"forensic", "password manager", "credential scan", "secret scan", "incident response", "backup",
                        "migrat", "cookie"}))
    return;
  const NamedStores stores = StoresNamedIn(file);
  constexpr int kSeveral = 3;
  if (stores.personal < 2 && (stores.personal == 0 || stores.owners < kSeveral)) return;
  AddFinding(out, file, "EXFIL-013", stores.first,
             "takes up the stores of credentials of " + std::to_string(stores.owners) + " kinds of programs", 0.9);
}

// sha256(sha256(block)) for each number, until one is small enough: what a miner does, whatever it is called.
void JudgeProofs(const FileContext& file, std::string_view purpose, const Said& said, std::vector<RawFinding>& out) {
  constexpr std::size_t kLargest = 200'000;  // a bundle has a little of everything
  const std::string_view text = said.text;
  if (text.size() > kLargest || !said.Any(Telling::kProofs)) return;
  if (SaysAny(purpose, {"mining", "miner", "bitcoin", "blockchain", "wallet", "proof of work", "proof-of-work",
                        "hashcash", "nostr", "crypto"})) {
    return;
  }
  const std::size_t twice =
      std::min({base::FindBytes(text, "createhash('sha256').update(createhash('sha256')"),
                base::FindBytes(text, "createhash(\"sha256\").update(createhash(\"sha256\")"),
                base::FindBytes(text, "sha256(hashlib.sha256("), base::FindBytes(text, "sha256(sha256("),
                base::FindBytes(text, "randomx_"), base::FindBytes(text, "cryptonight")});
  if (twice == std::string_view::npos) return;
  const bool counts = SaysAny(text, {"writeuint32le(", "writeuint32be(", "struct.pack(", "to_bytes(4", "nonce"});
  const bool asks = SaysAny(text, {".compare(", "< target", "<target", "< limit", "<= target", "difficulty",
                                   "startswith('0000", "startswith(\"0000", "leading zero"});
  const bool loops = SaysAny(text, {"for (", "for(", "while ", "while(", "for n", "for i"});
  if (!counts || !asks || !loops) return;
  AddFinding(out, file, "SH-011", {twice, twice + 12}, "looks for numbers whose digest is small, as a miner does", 0.8);
}

// The words that workers of a mining pool send.
void JudgeMining(const FileContext& file, std::string_view purpose, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kMining) || SaysAny(purpose, {"mining", "miner", "stratum", "hashrate"})) return;
  const base::ByteSpan first = FirstLiteral(file, [](std::string_view literal) {
    const bool worker = literal == "mining.subscribe" || literal == "mining.authorize" || literal == "mining.submit";
    const bool pool = (literal.starts_with("stratum+tcp://") || literal.starts_with("stratum+ssl://")) &&
                      literal.find('.', 14) != std::string_view::npos &&
                      literal.find_first_of(" *(|\\") == std::string_view::npos;
    return worker || pool;
  });
  if (first.end != 0) AddFinding(out, file, "SH-011", first, "works for a mining pool", 0.9);
}

// Everything below the user's folder, enciphered, written beside and removed.
void JudgeLocking(const FileContext& file, std::string_view purpose, const Said& said, std::vector<RawFinding>& out) {
  if (!said.Any(Telling::kCiphers)) return;
  const std::string_view text = said.text;
  if (SaysAny(purpose, {"encrypt", "vault", "cipher", "backup", "crypto", "secure", "password"})) return;
  const bool home = SaysAny(text, {"path.home()", "homedir()", "expanduser(\"~", "expanduser('~", "env.home",
                                   "environ[\"home\"]", "userprofile"});
  const bool walks = SaysAny(text, {"rglob(", "os.walk(", "readdirsync(", "readdir(", "glob("});
  const bool removes =
      SaysAny(text, {".unlink(", "os.remove(", "unlinksync(", ".rename(", "renamesync(", "os.rename(", "rmsync("});
  constexpr std::size_t kLargest = 100'000;  // a bundle has a little of everything
  if (!home || !walks || !removes || text.size() > kLargest) return;
  const base::ByteSpan mark = FirstLiteral(file, [](std::string_view literal) {
    constexpr std::size_t kLongestName = 24;
    if (literal.size() > kLongestName) return false;
    return literal == ".locked" || literal == ".enc" || literal == ".encrypted" || literal == ".crypt" ||
           literal == ".crypted" || literal == ".lock3d" || SaysAny(literal, {"READ_ME", "RECOVER", "DECRYPT"});
  });
  if (mark.end == 0) return;
  AddFinding(out, file, "DESTROY-001", mark, "enciphers what lies in the user's folder, and removes what it was", 0.85);
}

// ![status](https://host/s.svg?d={encoded}): whoever shows the answer fetches the picture, and its address says what
// was encoded.
void JudgePictures(const FileContext& file, std::string_view purpose, std::string_view text,
                   std::vector<RawFinding>& out) {
  static constexpr PartSet kEncodes(std::to_array<std::string_view>(
      {"base64", "b64encode", "encodeuricomponent", "urlencode", "quote(", "tojson", "json.dumps", "json.stringify"}));
  if (!kEncodes.AnyIn(text) ||
      SaysAny(purpose, {"chart", "qr", "badge", "map", "diagram", "avatar", "plot", "graph", "image", "picture",
                        "screenshot", "render", "icon", "photo", "tile"})) {
    return;
  }
  if (!SaysAny(file.text(), {"![", "<img "})) return;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    const std::size_t mark = std::min(literal.find("!["), literal.find("<img "));
    if (mark == std::string_view::npos) return;
    const std::size_t url = literal.find("https://", mark);
    const std::size_t query = url == std::string_view::npos ? url : literal.find('?', url);
    if (query == std::string_view::npos || literal.find('{', query) == std::string_view::npos) return;
    const std::string host = HostOf(literal.substr(url, query - url));
    if (host.empty() || host.find('{') != std::string::npos || IsHostOrBelow(host, "shields.io")) return;
    if (KindOfHost(host) == HostKind::kForge) return;  // nobody but the forge reads what is asked of it
    RawFinding finding;
    finding.rule = "EXFIL-010";
    finding.file = file.index;
    finding.bytes = {at, at + literal.size()};
    finding.host = host;
    finding.message = "answers with a picture whose address carries data to " + host;
    out.push_back(std::move(finding));
  });
}

}  // namespace

Rights::Rights(const std::vector<FileContext>& files, const ScanReport& report)
    : files_(files),
      purpose_(PurposeOf(report)),
      page_(PageOf(files)),
      name_(LowerCase(report.name)),
      own_(LowerCase(report.name + " " + report.description)),
      only_reads_(SaysOnlyReads(purpose_)),
      evaluates_(std::ranges::any_of(report.permissions, [](const PermissionUse& use) {
        return use.permission == core::Permission::kDynamicCode;
      })) {}

bool Rights::WritesServers() const {
  std::call_once(asked_, [&] {
    writes_servers_ = std::ranges::any_of(files_, [](const FileContext& file) {
      if (file.reach > Reach::kRuntime || !IsCode(file.type)) return false;
      const std::string_view text = file.text().substr(0, kMaxRead);
      return SaysAny(text, {"mcpServers", "mcp_servers"}) &&
             SaysAny(text, {"write_text(", ".write(", "writeFile", "json.dump(", "outputJson"});
    });
  });
  return writes_servers_;
}

void Rights::Judge(const FileContext& file, std::vector<RawFinding>& out) const {
  JudgeDataFile(file, {.evaluates = evaluates_, .only_reads = only_reads_}, out);
  // Statements stand in files of their own as well; what documents show is no deed.
  const bool states = only_reads_ && IsText(file.type) && file.type != FileType::kMarkdown;
  if (!IsCode(file.type) && !states) return;
  const Said said(file.text().substr(0, kMaxRead));
  const std::string_view text = said.text;
  JudgeAccess(file, {.says = purpose_, .only_reads = only_reads_}, text, out);
  if (!IsCode(file.type)) return;
  JudgeInstructions(file, purpose_, name_, page_, said, out);
  JudgePermissions(file, page_, said, out);
  JudgeMemory(file, said, out);
  JudgeClipboard(file, said, out);
  JudgeMining(file, purpose_, said, out);
  JudgeProofs(file, purpose_, said, out);
  JudgeStores(file, purpose_, said, out);
  JudgeLookAlikes(file, out);
  JudgeDirectives(file, said, out);
  bool far = false;
  if (const std::size_t at = Wraps(said, &far); at != std::string_view::npos && (!far || WritesServers())) {
    AddFinding(out, file, "PERSIST-003", {at, at + 4},
               "has every server that an agent knows started through another program", 0.8);
  }
  JudgeLocking(file, purpose_, said, out);
  JudgePictures(file, own_, text, out);
}

}  // namespace interlock::scan
