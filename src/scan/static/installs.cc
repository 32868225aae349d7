#include "static/installs.h"

#include <algorithm>
#include <string>

#include "code/places.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Permission;
using core::Reach;

constexpr std::size_t kMostOfOneFile = 3;
constexpr std::size_t kShown = 80;

// What an installation has no part in; empty: it may.
std::string Apart(const code::CapabilityUse& use) {
  const std::string_view shown = std::string_view(use.detail).substr(0, kShown);
  if (use.permission == Permission::kSecretsRead && code::KindOfPath(use.detail) == code::PathKind::kSecret) {
    return "reads " + std::string(shown) + " while the package is installed";
  }
  const bool address = use.permission == Permission::kNetworkEgress && KindOfHost(use.detail) == HostKind::kRawAddress;
  return address ? "talks to " + std::string(shown) + " while the package is installed" : std::string();
}

}  // namespace

void JudgeInstalls(const std::vector<FileContext>& files, std::span<const code::CapabilityUse> uses,
                   std::vector<RawFinding>& raw) {
  for (RawFinding& finding : raw) {
    if (finding.file >= files.size() || !finding.has_reach || finding.reach != Reach::kInstall) continue;
    // Packages of npm fetch the programs that they are made for when they are installed; what a build of Python runs
    // then is its own.
    const bool fetched = finding.rule == "RCE-004" && files[finding.file].file->path.ends_with("setup.py");
    if (fetched || finding.rule == "SH-001" || finding.rule == "EXFIL-004" || finding.rule == "EXFIL-006")
      finding.severity = core::Severity::kCritical;
  }
  std::vector<std::uint8_t> count(files.size());
  for (const code::CapabilityUse& use : uses) {
    if (use.file >= files.size() || files[use.file].reach != Reach::kInstall || count[use.file] >= kMostOfOneFile)
      continue;
    std::string message = Apart(use);
    if (message.empty()) continue;
    ++count[use.file];
    RawFinding finding;
    finding.rule = "SC-029";
    finding.file = use.file;
    finding.bytes = {use.loc.begin, use.loc.end};
    finding.message = std::move(message);
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
    raw.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
