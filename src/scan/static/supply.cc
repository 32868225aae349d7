// The package's manifests, one sheet each, and what their names and sources say together.
#include "static/supply.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/classify.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxManifest = std::size_t{16} << 20;  // lock files of large projects
constexpr std::size_t kMaxDependencies = 20000;
constexpr std::size_t kMaxHooks = 4000;
constexpr std::size_t kMaxCommand = std::size_t{64} << 10;
constexpr std::size_t kMaxInstallText = std::size_t{1} << 20;  // of a document or script
constexpr std::size_t kMaxNameFindings = 50;
constexpr std::size_t kMaxUnknownNames = 3000;  // compared with the popular ones; direct dependencies first
constexpr std::size_t kMaxFindings = 5000;

// Installed with the package, unless the file lies where nothing is installed from.
Reach InstallReach(Reach reach, bool development) {
  if (reach == Reach::kTest || reach == Reach::kExample || reach == Reach::kVendored) return reach;
  return development ? Reach::kBuild : Reach::kInstall;
}

std::string Purl(std::string_view ecosystem, std::string_view name, std::string_view version) {
  std::string purl = ecosystem == kPypi        ? "pkg:pypi/" + NormalPypiName(name)
                     : ecosystem == kGoModules ? "pkg:golang/" + LowerCase(name)
                     : ecosystem == kCrates    ? "pkg:cargo/" + std::string(name)
                                               : "pkg:npm/";
  if (ecosystem == kNpm) {
    for (const char c : name) {
      if (c == '@')
        purl += "%40";
      else
        purl += c;
    }
  }
  if (!version.empty()) purl += "@";
  for (const char c : version) {
    if (c == '+')
      purl += "%2B";
    else
      purl += c;
  }
  return purl;
}

// What a name looks like, as a finding; none for a name that is known or like no other.
std::optional<RawFinding> JudgeName(std::string_view ecosystem, const std::string& name,
                                    const SupplyState::Place& place) {
  const std::optional<NameLikeness> like = LooksLike(ecosystem, name);
  if (!like) return std::nullopt;
  RawFinding finding;
  switch (like->kind) {
    case NameLikeness::Kind::kHomoglyph:
      finding.rule = "SC-009";
      break;
    case NameLikeness::Kind::kClaim:
      finding.rule = "SC-018";
      break;
    default:
      finding.rule = "SC-003";
      break;
  }
  finding.file = place.file;
  finding.bytes = place.bytes;
  // The more popular the target, the surer; a name that a lock file fetched is one that exists.
  finding.scale = like->rank > 2000 ? 0.8 : 1.0;
  // Who leaves out a hyphen has mostly made the slip himself: `curlcffi`. Whose that package is, a person has to look.
  if (like->kind == NameLikeness::Kind::kEdit && like->how == "a separator left out") finding.scale *= 0.7;
  finding.subject = name;
  finding.message =
      like->kind == NameLikeness::Kind::kClaim
          ? fmt::format("`{}` claims to be the true `{}` and is not among the known packages", name, like->target)
          : fmt::format("`{}` is one slip from `{}` ({})", name, like->target, like->how);
  finding.message = base::Printable(finding.message, 300);
  finding.has_reach = true;
  finding.reach = place.development ? Reach::kBuild : Reach::kInstall;
  return finding;
}

void CheckNames(SupplyState& state) {
  std::unordered_set<std::string> seen;
  std::size_t findings = 0;
  std::size_t unknown = 0;
  const std::vector<Dependency>& all = state.facts.dependencies;
  for (std::size_t k = 0; k < 2 * all.size() && findings < kMaxNameFindings; ++k) {
    const std::size_t i = k % all.size();
    const Dependency& dependency = all[i];
    if (dependency.direct != (k < all.size())) continue;
    if (unknown >= kMaxUnknownNames) {
      // Those that a lock file brings along are many; nobody asks for thousands by name.
      if (dependency.direct)
        state.facts.skipped.push_back(
            {dependency.file, core::SkipReason::kParserBudget, 0, "more unknown names than are compared"});
      break;
    }
    if (!HasKnownNames(dependency.ecosystem)) continue;
    if (!seen.insert(dependency.ecosystem + " " + dependency.name).second) continue;
    if (RankOf(dependency.ecosystem, dependency.name) != 0) continue;
    ++unknown;
    if (auto finding = JudgeName(dependency.ecosystem, dependency.name, state.places[i])) {
      ++findings;
      // What a lock file of the package's own brings along, nobody asked for by its name.
      if (!dependency.direct && finding->rule == "SC-003") finding->scale *= 0.45;
      state.facts.findings.push_back(*std::move(finding));
    }
  }
  // The package's own name. It claims to be official where its publisher is; a slip is nobody's name by chance.
  const std::string own =
      state.ecosystem == kPypi ? NormalPypiName(state.facts.package_name) : state.facts.package_name;
  if (state.ecosystem.empty() || RankOf(state.ecosystem, own) != 0) return;
  if (auto finding = JudgeName(state.ecosystem, own, state.named); finding && finding->rule != "SC-018") {
    finding->scale = std::min(finding->scale, 0.8);
    state.facts.findings.push_back(*std::move(finding));
  }
}

// Unpinned dependencies are told once a manifest, not once a line.
void CheckPins(SupplyState& state, const std::vector<FileContext>& files) {
  struct Count {
    std::size_t loose = 0;
    std::size_t first = 0;
  };
  std::vector<Count> counts(files.size());
  bool locked[2] = {false, false};
  for (const Dependency& dependency : state.facts.dependencies) {
    if (dependency.hashed && HasKnownNames(dependency.ecosystem)) locked[dependency.ecosystem == kPypi ? 0 : 1] = true;
  }
  for (std::size_t i = 0; i < state.facts.dependencies.size(); ++i) {
    const Dependency& dependency = state.facts.dependencies[i];
    const SupplyState::Place& place = state.places[i];
    if (!dependency.direct || dependency.pinned || place.development || place.file >= files.size() ||
        !HasKnownNames(dependency.ecosystem)) {
      continue;
    }
    if (locked[dependency.ecosystem == kPypi ? 0 : 1] || files[place.file].reach > Reach::kRuntime) continue;
    if (IsPackageMetadata(files[place.file])) continue;  // wheels say ranges, so that others can stand beside them
    Count& count = counts[place.file];
    if (count.loose++ == 0) count.first = i;
  }
  for (std::size_t file = 0; file < counts.size(); ++file) {
    if (counts[file].loose == 0) continue;
    RawFinding finding;
    finding.rule = "SC-004";
    finding.file = static_cast<std::uint32_t>(file);
    finding.bytes = state.places[counts[file].first].bytes;
    finding.subject = state.facts.dependencies[counts[file].first].name;
    finding.message =
        fmt::format("{} dependencies are neither pinned to a version nor locked with hashes", counts[file].loose);
    state.facts.findings.push_back(std::move(finding));
  }
}

// From the attacker's side of dependency confusion: a version nobody reaches, and something that runs at installation.
void CheckProbe(SupplyState& state) {
  const std::string& version = state.facts.package_version;
  const std::size_t digits = std::min(version.find_first_not_of("0123456789"), version.size());
  if (digits < 2 || digits > 6) return;
  unsigned major = 0;
  for (std::size_t i = 0; i < digits; ++i) major = major * 10 + static_cast<unsigned>(version[i] - '0');
  const bool shadow =
      (major >= 90 && major < 1000 && version[0] == '9') || (major >= 9000 && major < 1000000 && major % 1000 == 999);
  if (!shadow || RankOf(kNpm, state.facts.package_name) != 0 ||
      RankOf(kPypi, NormalPypiName(state.facts.package_name)) != 0) {
    return;
  }
  for (const HookCommand& hook : state.facts.hooks) {
    if (hook.reach != Reach::kInstall ||
        (hook.name != "preinstall" && hook.name != "install" && hook.name != "postinstall")) {
      continue;
    }
    RawFinding finding;
    finding.rule = "SC-019";
    finding.file = hook.file;
    finding.bytes = hook.bytes;
    finding.subject = state.facts.package_name;
    finding.message = fmt::format("version {} outranks any internal package, and `{}` runs at installation",
                                  base::Printable(version, 40), hook.name);
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
    state.facts.findings.push_back(std::move(finding));
    return;
  }
}

bool IsReadForCommands(const FileContext& file) {
  return file.type == FileType::kMarkdown || file.type == FileType::kShell || file.type == FileType::kPlainText ||
         BaseName(file.file->path) == "setup.py";
}

}  // namespace

std::string_view Unquote(std::string_view text) noexcept {
  text = Trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

std::string NormalPypiName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') {
      if (!out.empty() && out.back() != '-') out += '-';
    } else {
      out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
  }
  return out;
}

bool IsExactNpmVersion(std::string_view version) noexcept {
  if (!version.empty() && (version.front() == '=' || version.front() == 'v')) version.remove_prefix(1);
  int dots = 0;
  bool digits = false;
  for (std::size_t i = 0; i < version.size(); ++i) {
    const char c = version[i];
    if (c >= '0' && c <= '9') {
      digits = true;
    } else if (c == '.' && digits) {
      ++dots;
      digits = false;
    } else {
      return dots == 2 && digits && (c == '-' || c == '+') &&
             version.find_first_of(" |<>*^~", i) == std::string_view::npos;
    }
  }
  return dots == 2 && digits;
}

bool Sheet::is_own() const noexcept {
  return file_.reach != Reach::kTest && file_.reach != Reach::kExample && file_.reach != Reach::kVendored;
}

void Sheet::Add(Requirement requirement) {
  if (state_.facts.dependencies.size() >= kMaxDependencies) {
    return Dropped("more dependencies than are listed");
  }
  // Other people's manifests inside the package are theirs: nothing is installed from them.
  if (file_.reach == Reach::kVendored || file_.reach == Reach::kTest) return;
  Dependency dependency;
  dependency.ecosystem = requirement.ecosystem;
  dependency.name = requirement.name;
  dependency.version = requirement.version;
  dependency.pinned = requirement.pinned;
  dependency.hashed = requirement.hashed;
  dependency.direct = requirement.direct;
  dependency.file = file_.file->path;
  const std::vector<std::uint32_t>& starts = line_starts();
  dependency.line = static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), requirement.bytes.begin) -
                                               starts.begin());
  dependency.purl =
      Purl(requirement.ecosystem, requirement.name, requirement.pinned ? requirement.version : std::string());
  state_.facts.dependencies.push_back(std::move(dependency));
  state_.places.push_back({file_.index, requirement.bytes, requirement.development || file_.reach == Reach::kExample});
}

void Sheet::Hook(std::string name, std::string_view command, base::ByteSpan bytes, Reach reach, bool opens) {
  if (Trim(command).empty()) return;
  if (state_.facts.hooks.size() >= kMaxHooks) return Dropped("more commands than are read");
  if (command.size() > kMaxCommand) Dropped("a command over 64 KiB");
  state_.facts.hooks.push_back(
      {file_.index, bytes, std::move(name), std::string(command.substr(0, kMaxCommand)), reach, opens});
}

void Sheet::Entry(std::string_view path, bool installs) {
  if (!is_own() || path.empty() || path.size() > 300 || state_.facts.entry_files.size() >= 1000) return;
  while (path.starts_with("./")) path.remove_prefix(2);
  state_.facts.entry_files.emplace_back(path);
  if (installs) state_.facts.install_files.emplace_back(path);
}

void Sheet::EntryOfModule(std::string_view module) {
  std::string path(module);
  std::ranges::replace(path, '.', '/');
  Entry(path + ".py");
  Entry(path + "/__init__.py");
}

void Sheet::EntryPoints(std::string_view text) {
  const auto in_module = [](char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '.'; };
  constexpr std::size_t kMost = 200;
  std::size_t found = 0;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos && found < kMost;
       colon = text.find(':', colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && in_module(text[begin - 1])) --begin;
    std::size_t before = begin;
    while (before > 0 && text[before - 1] == ' ') --before;
    const bool called = colon + 1 < text.size() && (IsLetter(text[colon + 1]) || text[colon + 1] == '_');
    if (begin == colon || before == 0 || text[before - 1] != '=' || !called) continue;
    ++found;
    EntryOfModule(text.substr(begin, colon - begin));
  }
}

void Sheet::Entries(std::string_view command, bool installs) {
  while (!command.empty()) {
    const std::size_t end = std::min(command.find_first_of(" ;&|\"'"), command.size());
    const std::string_view word = command.substr(0, end);
    for (const std::string_view ending : {".js", ".mjs", ".cjs", ".sh", ".ts", ".py"}) {
      if (word.ends_with(ending)) Entry(word, installs);
    }
    command.remove_prefix(std::min(end + 1, command.size()));
  }
}

RawFinding& Sheet::Raise(std::string_view rule, base::ByteSpan bytes, std::string message, std::string_view subject) {
  RawFinding finding;
  finding.rule = rule;
  finding.file = file_.index;
  finding.bytes = bytes;
  finding.message = base::Printable(message, 300);
  finding.subject = subject;
  finding.has_reach = true;
  finding.reach = InstallReach(file_.reach, false);
  if (state_.facts.findings.size() >= kMaxFindings) return state_.dropped = std::move(finding);
  state_.facts.findings.push_back(std::move(finding));
  return state_.facts.findings.back();
}

void Sheet::Source(std::string_view url, base::ByteSpan bytes, std::string_view subject, bool development) {
  const std::string lower = LowerCase(url.substr(0, 300));
  const std::string host = HostOf(lower);
  if (host.empty()) return;
  const HostKind kind = KindOfHost(host);
  if (kind == HostKind::kLocal) return;
  if (kind == HostKind::kRawAddress) {
    RawFinding& finding =
        Raise("SC-002", bytes, fmt::format("`{}` comes from the bare address {}", subject, host), subject);
    finding.reach = InstallReach(file_.reach, development);
    finding.host = host;
    return;
  }
  if (lower.starts_with("http://") || lower.starts_with("git+http://") || lower.starts_with("git://") ||
      lower.starts_with("ftp://")) {
    RawFinding& finding =
        Raise("SC-001", bytes, fmt::format("`{}` is fetched from {} without encryption", subject, host), subject);
    finding.reach = InstallReach(file_.reach, development);
    // What a lock file holds has its hash beside it, mostly; all else is run as it comes.
    if (!IsLockFile(path())) finding.severity = core::Severity::kHigh;
  }
}

void Sheet::Index(std::string_view url, base::ByteSpan bytes, bool only, double scale) {
  const std::string host = HostOf(LowerCase(url.substr(0, 300)));
  Source(url, bytes, "package index");
  if (host.empty()) return;
  const HostKind kind = KindOfHost(host);
  if (kind == HostKind::kRegistry || kind == HostKind::kInstaller || kind == HostKind::kLocal) return;
  RawFinding& finding =
      only ? Raise("SC-011", bytes, fmt::format("every install asks {} instead of the public registry", host), host)
           : Raise("SC-010", bytes, fmt::format("installs ask {} and the public index: the higher version wins", host),
                   host);
  finding.host = host;
  finding.scale = scale;
  if (scale > 1.0) finding.severity = core::Severity::kHigh;
}

void Sheet::OwnName(std::string_view ecosystem, std::string_view name, base::ByteSpan bytes) {
  if (!state_.facts.package_name.empty() || name.empty()) return;
  state_.facts.package_name = name;
  state_.ecosystem = ecosystem;
  state_.named = {.file = index(), .bytes = bytes};
}

core::Severity Sheet::SeverityOfArchive() const noexcept {
  return type() == FileType::kMarkdown && !IsInstructionFile(path()) ? core::Severity::kMedium : core::Severity::kHigh;
}

void Sheet::Unchecked(std::string_view host, base::ByteSpan bytes, std::string_view option) {
  if (KindOfHost(host) == HostKind::kLocal) return;
  Raise("SC-012", bytes, fmt::format("installs do not check who {} is ({})", host, option), host);
}

void Sheet::Unread(std::string why) {
  state_.facts.skipped.push_back({file_.file->path, core::SkipReason::kUnsupported, 0, std::move(why)});
}

void Sheet::Dropped(std::string why) {
  if (std::exchange(dropped_, true)) return;
  state_.facts.skipped.push_back({file_.file->path, core::SkipReason::kParserBudget, 0, std::move(why)});
}

const std::vector<std::uint32_t>& Sheet::line_starts() const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (std::size_t at = text().find('\n'); at != std::string_view::npos; at = text().find('\n', at + 1)) {
      line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
    }
  }
  return line_starts_;
}

std::size_t Sheet::OffsetOf(std::uint32_t line, std::uint32_t column) const {
  const std::vector<std::uint32_t>& starts = line_starts();
  if (line == 0 || line > starts.size()) return 0;
  return std::min<std::size_t>(text().size(), starts[line - 1] + (column > 0 ? column - 1 : 0));
}

namespace {

// What is left of the path inside a package in node_modules that is shipped with this one, or inside a folder that is
// installed with it; empty: neither.
std::string_view InsideBundled(std::string_view path, const SupplyFacts& facts) {
  for (const std::string& folder : facts.folders) {
    if (path.starts_with(folder)) return path.substr(folder.size() - 1);
  }
  constexpr std::string_view kFolder = "node_modules/";
  const std::size_t at = path.find(kFolder);
  if (at == std::string_view::npos) return {};
  // One level: what a bundled package brings itself is not listed.
  const std::string_view below = path.substr(at + kFolder.size());
  if (below.find(kFolder) != std::string_view::npos || path.substr(0, at).find('/') != path.substr(0, at).rfind('/'))
    return {};
  for (const std::string& name : facts.bundled) {
    if (below.starts_with(name) && below.size() > name.size() && below[name.size()] == '/')
      return below.substr(name.size());
  }
  return {};
}

// Code of bundled packages runs as the package's own does.
void EnterBundled(SupplyState& state, const std::vector<FileContext>& files) {
  constexpr std::size_t kMostBundled = 400;
  std::size_t entered = 0;
  if (state.facts.bundled.empty() && state.facts.folders.empty()) return;
  for (const FileContext& file : files) {
    if (entered >= kMostBundled) return;
    const std::string_view path = file.file->path;
    const std::string_view inside = IsCode(file.type) ? InsideBundled(path, state.facts) : std::string_view();
    if (inside.empty() || inside.find("/test") != std::string_view::npos) continue;
    ++entered;
    state.facts.entry_files.emplace_back(path);
  }
}

}  // namespace

SupplyFacts AnalyzeSupply(const core::PackageView& /*view*/, const std::vector<FileContext>& files,
                          const VulnerabilityIndex* vulnerabilities) {
  SupplyState state;
  // The manifest nearest to the root says what the package is.
  std::vector<const FileContext*> order;
  for (const FileContext& file : files) {
    if (IsText(file.type) && file.file->bytes.size() <= kMaxManifest) order.push_back(&file);
  }
  const auto depth = [](const FileContext* file) {
    return std::count(file->file->path.begin(), file->file->path.end(), '/');
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const FileContext* a, const FileContext* b) { return depth(a) < depth(b); });
  for (const FileContext* file : order) {
    const std::string base = LowerCase(BaseName(file->file->path));
    Sheet sheet(*file, state);
    const bool known = ReadNpmManifest(sheet, base) || ReadPythonManifest(sheet, base) ||
                       ReadTomlManifest(sheet, base) || ReadContainerFile(sheet, base) || ReadHostConfig(sheet, base) ||
                       ReadYamlManifest(sheet, base) || ReadPatch(sheet, base) || ReadOtherManifest(sheet, base) ||
                       ReadBuildFile(sheet, base);
    ReadBuildSources(sheet, base);
    if (file->type == FileType::kMarkdown && IsInstructionFile(file->file->path)) {
      ReadInstructionCommands(sheet);
      ReadInstructionEndpoints(sheet);
      ReadShownCommands(sheet);
      ReadIndexVariables(sheet);
    }
    if (file->type == FileType::kShell || base.starts_with(".env") || base == "makefile" || base == "justfile")
      ReadIndexVariables(sheet);
    if (base == "setup.py" || (!known && IsReadForCommands(*file) && file->file->bytes.size() <= kMaxInstallText)) {
      ReadInstallCommands(sheet, file->text(), 0, nullptr);
    }
  }
  ReadHookCommands(state, files);
  EnterBundled(state, files);
  CheckNames(state);
  CheckPins(state, files);
  CheckProbe(state);
  CheckSharedIndexes(state, files);
  CheckImports(state, files);
  if (vulnerabilities != nullptr) CheckVulnerabilities(state, *vulnerabilities);
  return std::move(state.facts);
}

}  // namespace interlock::scan
