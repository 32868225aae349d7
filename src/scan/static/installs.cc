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
                   std::vector<RawFinding>& out) {
  std::vector<std::uint8_t> count(files.size());
  for (const code::CapabilityUse& use : uses) {
    if (use.file >= files.size() || files[use.file].reach != Reach::kInstall || count[use.file] >= kMostOfOneFile) continue;
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
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
