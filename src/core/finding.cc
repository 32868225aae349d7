// Names of the scanner's values: one table a type.
#include "interlock/core/finding.h"

#include <array>

#include "interlock/core/package.h"

namespace interlock::core {
namespace {

constexpr std::array<std::string_view, 9> kThreats = {"", "T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8"};
constexpr std::array<std::string_view, 5> kSeverities = {"info", "low", "medium", "high", "critical"};
constexpr std::array<std::string_view, 4> kNatures = {"malicious", "vulnerable", "capability", "hygiene"};
constexpr std::array<std::string_view, 9> kReaches = {"tool",    "agent", "install", "runtime", "document",
                                                      "example", "test",  "build",   "vendored"};
constexpr std::array<std::string_view, kPermissionCount> kPermissions = {
    "network:egress", "network:ingress", "filesystem:read", "filesystem:write", "subprocess:exec",
    "env:read",       "env:write",       "memory:read",     "memory:write",     "agent:spawn",
    "tool:register",  "code:dynamic",    "secrets:read"};
constexpr std::array<std::string_view, 3> kVerdicts = {"SAFE", "WARN", "BLOCK"};
constexpr std::array<std::string_view, 5> kReasons = {"none", "powerful", "unanalysed", "vulnerable", "malicious"};
constexpr std::array<std::string_view, 12> kSkips = {"too-large",   "budget",  "too-deep",    "link",
                                                     "unsafe-path", "special", "unreadable",  "damaged",
                                                     "bomb",        "ignored", "unsupported", "parser-budget"};

template <class Enum, std::size_t n>
std::string_view At(const std::array<std::string_view, n>& names, Enum value) noexcept {
  const auto i = static_cast<std::size_t>(value);
  return i < n ? names[i] : std::string_view{};
}

template <class Enum, std::size_t n>
std::optional<Enum> From(const std::array<std::string_view, n>& names, std::string_view name) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view NameOf(ThreatClass threat) noexcept { return At(kThreats, threat); }
std::optional<ThreatClass> ThreatClassFromName(std::string_view name) noexcept {
  return From<ThreatClass>(kThreats, name);
}
std::string_view NameOf(Severity severity) noexcept { return At(kSeverities, severity); }
std::optional<Severity> SeverityFromName(std::string_view name) noexcept { return From<Severity>(kSeverities, name); }
std::string_view NameOf(Nature nature) noexcept { return At(kNatures, nature); }
std::optional<Nature> NatureFromName(std::string_view name) noexcept { return From<Nature>(kNatures, name); }
std::string_view NameOf(Reach reach) noexcept { return At(kReaches, reach); }
std::string_view NameOf(Permission permission) noexcept { return At(kPermissions, permission); }
std::optional<Permission> PermissionFromName(std::string_view name) noexcept {
  return From<Permission>(kPermissions, name);
}
std::string_view NameOf(ScanVerdict verdict) noexcept { return At(kVerdicts, verdict); }
std::optional<ScanVerdict> ScanVerdictFromName(std::string_view name) noexcept {
  return From<ScanVerdict>(kVerdicts, name);
}
std::string_view NameOf(ScanReason reason) noexcept { return At(kReasons, reason); }
std::string_view NameOf(SkipReason reason) noexcept { return At(kSkips, reason); }

const PackageFile* PackageView::Find(std::string_view path) const noexcept {
  for (const PackageFile& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace interlock::core
