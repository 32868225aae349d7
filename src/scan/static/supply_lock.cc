// What lock files say was fetched, held against what they call it: an entry whose archive is another package's, or that
// alone comes from elsewhere.
#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view WithoutEnding(std::string_view file) {
  for (const std::string_view ending : {".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip", ".whl", ".egg"}) {
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size());
  }
  return {};
}

// "@a%2fb", "%40a/b"
std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view three = text.substr(i, 3);
    if (three == "%2f" || three == "%40") {
      out += three == "%2f" ? '/' : '@';
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void CheckLockedNpm(Sheet& sheet, std::string_view name, std::string_view version, std::string_view resolved,
                    base::ByteSpan bytes) {
  const std::string url =
      Decoded(LowerCase(resolved.substr(0, std::min(resolved.find_first_of("#?"), std::size_t{400}))));
  const std::size_t scheme = url.find("://");
  const std::size_t mark = url.rfind("/-/");
  if (scheme == std::string::npos || mark == std::string::npos || mark < scheme + 3) return;
  const std::string_view before = std::string_view(url).substr(scheme + 3, mark - scheme - 3);
  const std::string_view stem = WithoutEnding(LastPart(url));
  const std::string own = LowerCase(name);
  const std::string_view plain = LastPart(own);
  if (stem.empty() || own.empty()) return;
  const bool same = before.ends_with("/" + own) && stem.starts_with(plain);
  if (!same) {
    const std::size_t slash = before.rfind('/');
    const std::size_t scope = slash == std::string_view::npos ? slash : before.rfind('/', slash - 1);
    std::string_view actual = before.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (scope != std::string_view::npos && before.substr(scope + 1).starts_with('@')) actual = before.substr(scope + 1);
    sheet.Raise("SC-033", bytes, fmt::format("`{}` is locked to an archive of `{}`", name, actual), name);
    return;
  }
  // chalk-5.6.1.tgz under "5.3.0": what is written is not what is fetched.
  std::string_view given = stem.substr(plain.size());
  if (given.size() < 2 || given.front() != '-' || !IsDigit(given[1]) || !IsExactNpmVersion(version)) return;
  given.remove_prefix(1);
  std::string wanted = LowerCase(version.substr(0, version.find('+')));
  if (!wanted.empty() && (wanted.front() == 'v' || wanted.front() == '=')) wanted.erase(0, 1);
  if (given.substr(0, given.find('+')) == wanted) return;
  sheet
      .Raise("SC-033", bytes, fmt::format("`{}` {} is locked to the archive of version {}", name, version, given), name)
      .scale = 0.8;
}

void CheckLockedPypi(Sheet& sheet, std::string_view name, std::string_view file, base::ByteSpan bytes) {
  const std::string_view whole = LastPart(file.substr(0, std::min(file.find_first_of("#?"), std::size_t{400})));
  const std::string_view stem = WithoutEnding(whole);
  const std::string own = NormalPypiName(name);
  if (stem.empty() || own.empty()) return;
  bool same = false;
  if (whole.ends_with(".whl") || whole.ends_with(".egg")) {
    same = NormalPypiName(stem.substr(0, stem.find('-'))) == own;
  } else {
    const std::string normal = NormalPypiName(stem);
    same = normal.starts_with(own + "-") && normal.size() > own.size() + 1 &&
           (IsDigit(normal[own.size() + 1]) || normal[own.size() + 1] == 'v');
    // An archive of a forge is called after a tag or a commit.
    same = same || file.find("pythonhosted.org") == std::string_view::npos;
  }
  if (same) return;
  sheet.Raise("SC-033", bytes, fmt::format("`{}` is locked to the archive `{}`", name, whole), name);
}

namespace {

// "registry.npmjs.help", "files.pythonhosted.cc": a registry's own word in a host that is not the registry's.
bool PosesAsRegistry(std::string_view host) {
  for (std::string_view rest = host; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(".-"), rest.size());
    const std::string_view label = rest.substr(0, end);
    for (const std::string_view known : {"npmjs", "pythonhosted", "yarnpkg"}) {
      if (label == known || (known.size() > 6 && IsSlipOf(kNpm, label, known))) return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace

void Locked::Add(std::string name, std::string_view resolved, bool hashed, base::ByteSpan bytes) {
  entries_.push_back({std::move(name), HostOf(LowerCase(resolved.substr(0, 300))), hashed, bytes});
}

void Locked::Check(Sheet& sheet) const {
  std::map<std::string, std::size_t> hosts;  // "": none is said, so the public registry
  for (const Entry& entry : entries_) ++hosts[entry.host];
  std::size_t most = 0;
  for (const auto& [host, count] : hosts) most = std::max(most, count);
  for (const Entry& entry : entries_) {
    // A mirror has most of them.
    if (entry.host.empty() || hosts[entry.host] * 2 > entries_.size()) continue;
    const HostKind kind = KindOfHost(entry.host);
    if (kind == HostKind::kRegistry || kind == HostKind::kForge || kind == HostKind::kLocal ||
        kind == HostKind::kInstaller) {
      continue;
    }
    // With its hash beside it, it may be a mirror's, unless nobody answers for the host; but a mirror is asked for more
    // than one of many. An organisation's own scope is where its own packages are.
    const bool nobodys = kind == HostKind::kPaste || kind == HostKind::kTunnel || kind == HostKind::kShortener ||
                         RunsAnybodysProgram(entry.host) || PosesAsRegistry(entry.host);
    constexpr std::size_t kMany = 12;
    const bool odd_one = hosts[entry.host] == 1 && most >= kMany && !entry.name.starts_with('@');
    if (entry.hashed && !nobodys && !odd_one) continue;
    RawFinding& finding = sheet.Raise(
        "SC-015", entry.bytes,
        fmt::format("`{}` alone comes from {}{}", entry.name, entry.host, entry.hashed ? "" : ", without a hash"),
        entry.name);
    finding.host = entry.host;
    if (entry.hashed && !nobodys) finding.scale = 0.8;
  }
}

}  // namespace interlock::scan
