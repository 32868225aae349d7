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
constexpr std::size_t kMostText = std::size_t{1} << 20U;
constexpr double kBrought = 1.3;
constexpr double kAgents = 1.4;

// What an installation has no part in; empty: it may.
std::string Apart(const code::CapabilityUse& use) {
  const std::string_view shown = std::string_view(use.detail).substr(0, kShown);
  if (use.permission == Permission::kSecretsRead && code::KindOfPath(use.detail) == code::PathKind::kSecret) {
    return "reads " + std::string(shown) + " while the package is installed";
  }
  const bool address = use.permission == Permission::kNetworkEgress && KindOfHost(use.detail) == HostKind::kRawAddress;
  return address ? "talks to " + std::string(shown) + " while the package is installed" : std::string();
}

// Whether a file starts a program that goes on when the file has ended, and lets go of it.
std::size_t StartsWhatStays(const FileContext& file) {
  const std::string_view text = file.text().substr(0, kMostText);
  const auto says = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (file.type == FileType::kJavaScript || file.type == FileType::kTypeScript) {
    if (!says("spawn(") && !says("fork(") && !says("execFile(")) return std::string_view::npos;
    const std::size_t at =
        std::min(text.find("detached: true"), std::min(text.find("detached:true"), text.find("detached:!0")));
    return says(".unref()") || says("'ignore'") || says("\"ignore\"") ? at : std::string_view::npos;
  }
  if (file.type == FileType::kPython) {
    if (!says("Popen(")) return std::string_view::npos;
    return std::min({text.find("start_new_session=True"), text.find("os.setsid"), text.find("DETACHED_PROCESS"),
                     text.find("CREATE_NO_WINDOW"), text.find("CREATE_NEW_PROCESS_GROUP")});
  }
  return std::string_view::npos;
}

// A program or an address by number that the package brings: what stays is not the package's own script.
bool BringsProgram(const std::vector<FileContext>& files) {
  return std::ranges::any_of(files, [](const FileContext& file) {
    const std::string_view path = file.file->path;
    const bool module = path.ends_with(".node") || path.ends_with(".so") || path.ends_with(".dylib") ||
                        path.ends_with(".dll") || path.ends_with(".pyd");
    return !module && file.reach != Reach::kTest && file.reach != Reach::kExample &&
           (file.type == FileType::kElf || file.type == FileType::kPe || file.type == FileType::kMachO);
  });
}

void JudgeStaying(const std::vector<FileContext>& files, std::vector<RawFinding>& raw) {
  for (const FileContext& file : files) {
    if (file.reach != Reach::kInstall) continue;
    const std::size_t at = StartsWhatStays(file);
    if (at == std::string_view::npos) continue;
    RawFinding finding;
    finding.rule = "SC-035";
    finding.file = file.index;
    finding.bytes = {at, std::min(file.text().find('\n', at), file.text().size())};
    finding.message = "starts a program that goes on after the installation";
    if (BringsProgram(files)) {
      finding.scale = kBrought;
      finding.message += ", and the package brings one that nobody can read";
    }
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
    raw.push_back(std::move(finding));
  }
}

}  // namespace

void JudgeInstalls(const std::vector<FileContext>& files, std::span<const code::CapabilityUse> uses,
                   std::vector<RawFinding>& raw) {
  for (RawFinding& finding : raw) {
    if (finding.file >= files.size() || !finding.has_reach || finding.reach != Reach::kInstall) continue;
    // Packages of npm fetch the programs that they are made for when they are installed; what a build of Python runs
    // then is its own.
    // Installing one package is no leave to change what another program, an agent, is allowed or starts.
    if (finding.rule == "SH-006") finding.scale *= kAgents;
    const bool fetched = finding.rule == "RCE-004" && files[finding.file].file->path.ends_with("setup.py");
    if (fetched || finding.rule == "SH-001" || finding.rule == "EXFIL-004" || finding.rule == "EXFIL-006")
      finding.severity = core::Severity::kCritical;
  }
  JudgeStaying(files, raw);
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
