#include "static/rights.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "code/places.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxRead = std::size_t{256} << 10U;  // bytes of one file

// What the package and its tools say they are for.
std::string PurposeOf(const ScanReport& report) {
  std::string purpose = report.name + " " + report.description;
  for (const ToolSurface& tool : report.tools) purpose += " " + tool.name + " " + tool.description.substr(0, 400);
  return LowerCase(std::string_view(purpose).substr(0, 16'384));
}

// Roles above which there is none.
constexpr std::array kHighest =
    std::to_array<std::string_view>({"cluster-admin", "AdministratorAccess", "roles/owner", "system:masters",
                                     "roles/resourcemanager.organizationAdmin", "IAMFullAccess"});

// Calls that give a role to somebody.
constexpr std::array kGives = std::to_array<std::string_view>(
    {"create_cluster_role_binding", "create_role_binding", "createclusterrolebinding", "create_cluster_role",
     "clusterrolebinding", "attach_user_policy", "attach_role_policy", "attach-user-policy", "attach-role-policy",
     "attachuserpolicy", "attachrolepolicy", "put_user_policy", "set_iam_policy", "setiampolicy",
     "add-iam-policy-binding", "rolebindings"});

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

void JudgeGrants(const FileContext& file, std::string_view purpose, std::string_view text,
                 std::vector<RawFinding>& out) {
  if (SaysAny(purpose, {"rbac", " iam", "iam-", "permission", "access control", "admin", "privilege", "provision",
                        "bootstrap", "terraform", "role binding", "rolebinding"})) {
    return;
  }
  base::ByteSpan role;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    const auto names = [&](std::string_view high) {
      return literal == high || literal.ends_with("/" + std::string(high)) ||
             literal.ends_with("=" + std::string(high));
    };
    if (role.end == 0 && std::ranges::any_of(kHighest, names)) role = {at, at + literal.size()};
  });
  if (role.end == 0) return;
  if (!SaysAny(text, kGives)) return;
  RawFinding finding;
  finding.rule = "GRANT-001";
  finding.file = file.index;
  finding.bytes = role;
  out.push_back(std::move(finding));
}

bool Writes(std::string_view text) {
  return SaysAny(
      text, {"write_text(", ".write(", "writefile", "appendfile", "writelines(", ">> ", "tee -a", "createwritestream"});
}

void JudgeInstructions(const FileContext& file, std::string_view purpose, std::string_view text,
                       std::vector<RawFinding>& out) {
  if (SaysAny(purpose, {"claude.md",  "agents.md", "gemini.md", "instruction", "rules",   "memory",  "memories",
                        "settings",   "configur",  "setup",     "set up",      "install", "onboard", "init",
                        "scaffold",   "template",  "sync",      "skill",       "hook",    "plugin",  "prompt",
                        "mcp server", "dotfile",   "backup",    "context file"})) {
    return;
  }
  base::ByteSpan first;
  std::string_view shown;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    constexpr std::size_t kLongest = 120;
    if (first.end != 0 || literal.size() > kLongest || literal.find(' ') != std::string_view::npos ||
        code::KindOfPath(literal) != code::PathKind::kAgent) {
      return;
    }
    first = {at, at + literal.size()};
    shown = literal;
  });
  if (first.end == 0) return;
  if (!Writes(text)) return;
  // A program for one agent writes that agent's files.
  const std::string place = LowerCase(shown);
  const auto theirs = [&](std::string_view agent) { return NamesIt(place, agent) && NamesIt(purpose, agent); };
  if (std::ranges::any_of(std::to_array<std::string_view>({"claude", "cursor", "gemini", "codex", "copilot", "windsurf",
                                                           "cline", "opencode", "roo", "kiro", "zed"}),
                          theirs)) {
    return;
  }
  RawFinding finding;
  finding.rule = "PERSIST-004";
  finding.file = file.index;
  finding.bytes = first;
  finding.message = "names " + std::string(shown) +
                    ", which agents obey, and writes files, though the package is about something else";
  out.push_back(std::move(finding));
}

// What lets every command through, in a file that names where an agent keeps its permissions and writes.
void JudgePermissions(const FileContext& file, std::string_view text, std::vector<RawFinding>& out) {
  if (!Writes(text) || !SaysAny(text, {".claude", ".cursor", ".gemini", ".codex", ".vscode", "claude_desktop"})) return;
  base::ByteSpan opened;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    const bool opens = literal == "bypassPermissions" || literal == "Bash(*)" || literal == "Bash(*:*)" ||
                       literal == "chat.tools.autoApprove" || literal == "dangerously-skip-permissions" ||
                       literal == "Write(/**)" || literal == "danger-full-access";
    if (opens && opened.end == 0) opened = {at, at + literal.size()};
  });
  if (opened.end == 0) return;
  RawFinding finding;
  finding.rule = "PERSIST-003";
  finding.file = file.index;
  finding.bytes = opened;
  finding.scale = 0.9;
  finding.message = "writes an agent's settings so that every command goes through";
  out.push_back(std::move(finding));
}

// The foreign-function interface together with what it takes to run bytes, or to change the interpreter's own objects.
void JudgeMemory(const FileContext& file, std::string_view text, std::vector<RawFinding>& out) {
  const bool foreign = SaysAny(text, {"bun:ffi", "ffi-napi", "koffi", "deno.dlopen", "ctypes", "cffi"});
  if (!foreign) return;
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
  const std::size_t move = std::min(text.find("memmove("), text.find(".from_address("));
  if (move != std::string_view::npos && file.type == FileType::kPython && SaysAny(text, {"(id(", " id(", "+id("})) {
    raise("MEM-005", move, 8, "writes to memory at an object's own address");
    // A structure laid over an object may only look, or mend what has no other handle; bytes moved over it do not.
    if (!SaysAny(text, {"memmove("})) out.back().scale = 0.5;
  }
}

// ![status](https://host/s.svg?d={encoded}): whoever shows the answer fetches the picture, and its address says what
// was encoded.
void JudgePictures(const FileContext& file, std::string_view purpose, std::string_view text,
                   std::vector<RawFinding>& out) {
  if (!SaysAny(text, {"base64", "b64encode", "encodeuricomponent", "urlencode", "quote(", "tojson", "json.dumps",
                      "json.stringify"}) ||
      SaysAny(purpose, {"chart", "qr", "badge", "map", "diagram", "avatar", "plot", "graph", "image", "picture",
                        "screenshot", "render", "icon", "photo", "tile"})) {
    return;
  }
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    const std::size_t mark = std::min(literal.find("!["), literal.find("<img "));
    if (mark == std::string_view::npos) return;
    const std::size_t url = literal.find("https://", mark);
    const std::size_t query = url == std::string_view::npos ? url : literal.find('?', url);
    if (query == std::string_view::npos || literal.find('{', query) == std::string_view::npos) return;
    const std::string host = HostOf(literal.substr(url, query - url));
    if (host.empty() || host.find('{') != std::string::npos || host.find("shields.io") != std::string::npos) return;
    RawFinding finding;
    finding.rule = "EXFIL-010";
    finding.file = file.index;
    finding.bytes = {at, at + literal.size()};
    finding.host = host;
    finding.message = "answers with a picture whose address carries data to " + host;
    out.push_back(std::move(finding));
  });
}

// {"class": "logging.handlers.HTTPHandler", "host": "..."} in a file of settings: each line that is logged leaves.
void JudgeLogSettings(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr std::string_view kHandlers = "logging.handlers.";
  constexpr std::size_t kNear = 400;  // bytes from the handler's name to its host
  const std::string_view text = file.text().substr(0, kMaxRead);
  for (std::size_t at = text.find(kHandlers); at != std::string_view::npos; at = text.find(kHandlers, at + 1)) {
    const std::string_view name = text.substr(at + kHandlers.size(), 16);
    if (!std::ranges::any_of(std::array{"HTTPHandler", "SocketHandler", "DatagramHandler", "SMTPHandler"},
                             [&](std::string_view sends) { return name.starts_with(sends); })) {
      continue;
    }
    std::string_view rest = text.substr(at + kHandlers.size(), kNear);
    rest = rest.substr(0, std::min(rest.find(kHandlers), rest.find('}')));
    std::size_t key = rest.find("host");
    if (key == std::string_view::npos) continue;
    key = rest.find_first_of(":=", key);
    const std::size_t from = key == std::string_view::npos ? key : rest.find_first_not_of(" '\"(,:=", key);
    if (from == std::string_view::npos) continue;
    std::string host = LowerCase(rest.substr(from, rest.find_first_of(" '\",:)\r\n", from) - from));
    const bool plain = host.find('.') != std::string::npos && host.find_first_of("${}/<") == std::string::npos;
    const HostKind kind = plain ? KindOfHost(host) : HostKind::kLocal;
    if (kind != HostKind::kOrdinary && kind != HostKind::kRawAddress && kind != HostKind::kTunnel) continue;
    RawFinding finding;
    finding.rule = "EXFIL-011";
    finding.file = file.index;
    finding.bytes = {at, at + kHandlers.size() + name.find("Handler") + 7};
    finding.message = "sends what is logged to " + host;
    finding.host = std::move(host);
    out.push_back(std::move(finding));
    return;
  }
}

}  // namespace

void JudgeRights(const std::vector<FileContext>& files, const ScanReport& report, std::vector<RawFinding>& out) {
  const std::string purpose = PurposeOf(report);
  for (const FileContext& file : files) {
    if (file.reach > Reach::kRuntime) continue;
    if (file.type == FileType::kJson || file.type == FileType::kYaml || file.type == FileType::kToml ||
        file.type == FileType::kIni) {
      JudgeLogSettings(file, out);
    }
    if (!IsCode(file.type)) continue;
    const std::string text = LowerCase(file.text().substr(0, kMaxRead));
    JudgeGrants(file, purpose, text, out);
    JudgeInstructions(file, purpose, text, out);
    JudgePermissions(file, text, out);
    JudgeMemory(file, text, out);
    JudgePictures(file, LowerCase(report.name + " " + report.description), text, out);
  }
}

}  // namespace interlock::scan
