// Dependencies against the database of known vulnerabilities (SC-008).
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/classify.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxKnown = 2000;
constexpr std::size_t kMaxVersionsOfOne = 32;  // a name at so many versions is no honest lock file
constexpr double kTransitive = 0.5;

std::string NameOfDependency(const Dependency& dependency) {
  return dependency.ecosystem + " " +
         (dependency.ecosystem == kPypi ? NormalPypiName(dependency.name) : dependency.name);
}

}  // namespace

bool IsLockFile(std::string_view path) {
  constexpr std::array<std::string_view, 10> kNames = {
      "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "pdm.lock",
      "uv.lock",           "pipfile.lock",        "bun.lock",  "cargo.lock"};
  const std::string base = LowerCase(BaseName(path));
  return std::find(kNames.begin(), kNames.end(), base) != kNames.end();
}

void CheckVulnerabilities(SupplyState& state, const VulnerabilityIndex& index) {
  const std::vector<Dependency>& all = state.facts.dependencies;
  // Lock files hold versions, manifests say which of them the package asks for itself, and for what.
  std::map<std::string, bool> declared;  // name -> needed by whoever uses the package
  std::set<std::string_view> ecosystems;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (IsLockFile(all[i].file)) continue;
    ecosystems.insert(all[i].ecosystem);
    bool& needed = declared[NameOfDependency(all[i])];
    needed = needed || !state.places[i].development;
  }
  struct Asked {
    std::size_t index = 0;
    bool direct = true;
    bool development = false;
    std::string name;
  };
  std::vector<Asked> asked;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].pinned || all[i].version.empty()) continue;
    Asked one{i, all[i].direct, state.places[i].development, NameOfDependency(all[i])};
    if (IsLockFile(all[i].file) && ecosystems.contains(all[i].ecosystem)) {
      const auto it = declared.find(one.name);
      one.direct = it != declared.end();
      one.development = one.development || (one.direct && !it->second);
    }
    asked.push_back(std::move(one));
  }
  // What counts most first: it is the one that is told.
  std::stable_sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) {
    return std::make_pair(a.development, !a.direct) < std::make_pair(b.development, !b.direct);
  });
  std::map<std::string, std::set<std::string>> versions;
  for (const Asked& one : asked) {
    const Dependency& dependency = all[one.index];
    std::set<std::string>& seen = versions[one.name];
    if (seen.size() >= kMaxVersionsOfOne || !seen.insert(dependency.version).second) continue;
    std::string_view exact = dependency.version;
    while (exact.starts_with('=') || exact.starts_with(' ')) exact.remove_prefix(1);
    for (KnownVulnerability& known : index.Lookup(dependency.ecosystem, dependency.name, exact)) {
      if (state.facts.vulnerabilities.size() >= kMaxKnown) return;
      known.purl = dependency.purl;
      known.direct = one.direct;
      known.development = one.development;
      RawFinding finding;
      finding.rule = "SC-008";
      finding.file = state.places[one.index].file;
      finding.bytes = state.places[one.index].bytes;
      finding.scale = one.direct ? 1.0 : kTransitive;
      finding.severity = known.severity;
      finding.subject = dependency.name;
      finding.evidence = fmt::format("{} {}: {}", dependency.name, exact, known.id);
      finding.message = base::Printable(
          fmt::format("{} {}: {}{}{}; {}", dependency.name, exact, known.id, known.summary.empty() ? "" : " ",
                      known.summary, known.fixed.empty() ? "no fixed version is known" : "fixed in " + known.fixed),
          400);
      finding.has_reach = true;
      finding.reach = one.development ? Reach::kBuild : Reach::kInstall;
      finding.listed_only = !one.direct || one.development || known.severity < core::Severity::kHigh;
      state.facts.findings.push_back(std::move(finding));
      state.facts.vulnerabilities.push_back(std::move(known));
    }
  }
}

}  // namespace interlock::scan
