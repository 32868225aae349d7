#include "static/rights.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "code/places.h"
#include "static/literals.h"

namespace interlock::scan {
namespace {

using core::Reach;

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

void JudgeGrants(const FileContext& file, std::string_view purpose, std::vector<RawFinding>& out) {
  if (SaysAny(purpose, {"rbac", " iam", "iam-", "permission", "access control", "admin", "privilege", "provision",
                        "bootstrap", "terraform", "role binding", "rolebinding"})) {
    return;
  }
  base::ByteSpan role;
  ForEachLiteral(file, [&](std::size_t at, std::string_view text) {
    const auto names = [&](std::string_view high) {
      return text == high || text.ends_with("/" + std::string(high)) || text.ends_with("=" + std::string(high));
    };
    if (role.end == 0 && std::ranges::any_of(kHighest, names)) role = {at, at + text.size()};
  });
  if (role.end == 0) return;
  if (!SaysAny(LowerCase(file.text().substr(0, 256 * 1024)), kGives)) return;
  RawFinding finding;
  finding.rule = "GRANT-001";
  finding.file = file.index;
  finding.bytes = role;
  out.push_back(std::move(finding));
}

void JudgeInstructions(const FileContext& file, std::string_view purpose, std::vector<RawFinding>& out) {
  if (SaysAny(purpose, {"claude.md",  "agents.md", "gemini.md", "instruction", "rules",   "memory",  "memories",
                        "settings",   "configur",  "setup",     "set up",      "install", "onboard", "init",
                        "scaffold",   "template",  "sync",      "skill",       "hook",    "plugin",  "prompt",
                        "mcp server", "dotfile",   "backup",    "context file"})) {
    return;
  }
  base::ByteSpan first;
  std::string_view shown;
  ForEachLiteral(file, [&](std::size_t at, std::string_view text) {
    constexpr std::size_t kLongest = 120;
    if (first.end != 0 || text.size() > kLongest || text.find(' ') != std::string_view::npos ||
        code::KindOfPath(text) != code::PathKind::kAgent) {
      return;
    }
    first = {at, at + text.size()};
    shown = text;
  });
  if (first.end == 0) return;
  const std::string text = LowerCase(file.text().substr(0, 256 * 1024));
  if (!SaysAny(text, {"write_text(", ".write(", "writefile", "appendfile", "writelines(", ">> ", "tee -a",
                      "createwritestream"})) {
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

}  // namespace

void JudgeRights(const std::vector<FileContext>& files, const ScanReport& report, std::vector<RawFinding>& out) {
  const std::string purpose = PurposeOf(report);
  for (const FileContext& file : files) {
    if (file.reach > Reach::kRuntime || !IsCode(file.type)) continue;
    JudgeGrants(file, purpose, out);
    JudgeInstructions(file, purpose, out);
  }
}

}  // namespace interlock::scan
