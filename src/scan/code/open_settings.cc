#include "code/open_settings.h"

#include <algorithm>
#include <array>

#include "interlock/base/find_bytes.h"
#include "static/literals.h"

namespace interlock::scan::code {
namespace {

// Lower case.
constexpr auto kModes = std::to_array<std::string_view>(
    {"bypasspermissions", "bash(*)", "bash(*:*)", "bash(sh:*)", "bash(bash:*)", "bash(zsh:*)", "bash(sudo:*)",
     "write(/**)", "chat.tools.autoapprove", "chat.tools.global.autoapprove", "danger-full-access"});
// Too common as a part of something else.
constexpr auto kWhole = std::to_array<std::string_view>({"dangerously-skip-permissions", "autoapproveall"});
// A mode as the value of its key: `disableBypassPermissionsMode` and `"chat.tools.autoApprove": false` close what they
// name.
constexpr auto kSettings = std::to_array<std::string_view>({"defaultmode:bypasspermissions",
                                                            "bash(*)",
                                                            "bash(*:*)",
                                                            "bash(sh:*)",
                                                            "bash(bash:*)",
                                                            "bash(sudo:*)",
                                                            "approvalmode:yolo",
                                                            "autoaccept:true",
                                                            "foldertrust:{enabled:false",
                                                            "chat.tools.autoapprove:true",
                                                            "chat.tools.global.autoapprove:true",
                                                            "sandbox_mode=danger-full-access",
                                                            "yolo:true",
                                                            "alwaysallow:[*]",
                                                            "alwaysallow=[*]",
                                                            "alwaysallow]=[*]",
                                                            "autoapprove:[*]",
                                                            "autoapprove=[*]",
                                                            "autoapprove]=[*]",
                                                            "autoapprove:true"});

std::string_view FirstIn(std::string_view text, const auto& words) {
  const auto found = std::ranges::find_if(
      words, [&](std::string_view word) { return base::FindBytes(text, word) != std::string_view::npos; });
  return found == words.end() ? std::string_view() : *found;
}

}  // namespace

bool IsFreeFlag(std::string_view word) {
  constexpr auto kFlags = std::to_array<std::string_view>(
      {"--dangerously-skip-permissions", "--yolo", "--trust-all-tools", "--allow-all-tools",
       "--dangerously-bypass-approvals-and-sandbox", "--dangerously-allow-all", "bypassPermissions"});
  return std::ranges::find(kFlags, word) != kFlags.end();
}

bool IsOpenMode(std::string_view literal) {
  constexpr std::size_t kLongest = 32;
  if (literal.size() > kLongest) return false;
  const std::string lower = LowerCase(literal);
  return std::ranges::find(kModes, lower) != kModes.end() || std::ranges::find(kWhole, lower) != kWhole.end();
}

std::string_view OpenModeIn(std::string_view lower) { return FirstIn(lower, kModes); }

std::string_view OpenSettingIn(std::string_view bare) { return FirstIn(bare, kSettings); }

bool IsOfOneRun(std::string_view text, std::size_t literal, std::size_t size) {
  constexpr std::size_t kNear = 100;
  constexpr std::string_view kSpace = " \t\r\n";
  const std::string near = LowerCase(text.substr(literal > kNear ? literal - kNear : 0, std::min(literal, kNear)));
  std::string_view before = near;
  if (!before.empty()) before.remove_suffix(1);  // its quote
  std::string_view after = text.substr(std::min(literal + size + 1, text.size()), kNear);
  after.remove_prefix(std::min(after.find_first_not_of(" \t"), after.size()));
  const bool mode = text.substr(literal, size).find_first_of(".(") == std::string_view::npos;
  if (mode && after.starts_with(':')) {
    const std::size_t asks = before.find_last_not_of(kSpace);
    return asks != std::string_view::npos && (before[asks] == '{' || before[asks] == ',');
  }
  if (before.ends_with('[') && before.size() > 1 && after.starts_with(']')) {
    const char owner = before[before.size() - 2];
    after.remove_prefix(1);
    after.remove_prefix(std::min(after.find_first_not_of(" \t"), after.size()));
    const bool set = after.starts_with('=') && !after.starts_with("==");
    return !set && ((owner >= 'a' && owner <= 'z') || owner == '_' || owner == ')');
  }
  before = before.substr(0, before.find_last_not_of(kSpace) + 1);
  if (before.ends_with(',')) {
    before = before.substr(0, before.find_last_not_of(", \t\r\n\"'`") + 1);
    return before.ends_with("--permission-mode") || before.ends_with("--sandbox");
  }
  // permission_mode = settings.get("permission_mode") or "bypassPermissions"
  for (const std::string_view otherwise : {" or", "||", "??"}) {
    if (!before.ends_with(otherwise)) continue;
    const std::string_view line = before.substr(before.rfind('\n') + 1);
    const std::size_t set = line.find_first_of(":=");
    if (set == std::string_view::npos) return false;
    before = line.substr(0, set + 1);
    break;
  }
  if (!before.ends_with(':') && !before.ends_with('=')) return false;
  before = before.substr(0, before.find_last_not_of(":= \t\"'`") + 1);
  // {name: "dangerously-skip-permissions", type: "boolean"}: an option that the program has.
  return before.ends_with("permissionmode") || before.ends_with("permission_mode") || before.ends_with("sandboxmode") ||
         (before.ends_with("name") && text.substr(literal).starts_with("dangerously"));
}

std::string Bare(std::string_view lower) {
  std::string out(lower.size(), '\0');
  std::size_t size = 0;
  for (const char c : lower) {
    out[size] = c;
    size += static_cast<unsigned char>(c) > ' ' && c != '"' && c != '\'' && c != '\\' ? 1U : 0U;
  }
  out.resize(size);
  return out;
}

}  // namespace interlock::scan::code
