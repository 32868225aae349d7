// Manifests of other builders: go.mod, Gradle's wrapper, bun's lock file, pnpm's hooks.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using base::JsonValue;

// Second part of "github.com/owner/name"; "" where there is none.
std::string_view OwnerOf(std::string_view module) {
  const std::size_t first = module.find('/');
  if (first == std::string_view::npos || module.substr(0, first).find('.') == std::string_view::npos) return {};
  const std::string_view rest = module.substr(first + 1);
  return rest.substr(0, rest.find('/'));
}

// `require a v1`, alone or in a block; "// indirect" is what others brought along.
void ReadGoRequires(Sheet& sheet) {
  const std::string_view text = sheet.text();
  bool open = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const base::ByteSpan bytes{at, end};
    std::string_view line = Trim(text.substr(at, end - at));
    at = end + 1;
    if (open && line.starts_with(')')) open = false;
    const bool alone = line.starts_with("require ");
    if (alone) line = Trim(line.substr(8));
    if (alone && line.starts_with('(')) {
      open = true;
      continue;
    }
    if ((!open && !alone) || line.empty() || line.starts_with("//")) continue;
    const std::size_t blank = line.find_first_of(" \t");
    if (blank == std::string_view::npos) continue;
    std::string_view version = Trim(line.substr(blank));
    version = version.substr(0, version.find_first_of(" \t/"));
    if (version.size() < 2 || version.front() != 'v') continue;
    sheet.Add({.ecosystem = kGoModules,
               .name = std::string(Unquote(line.substr(0, blank))),
               .version = std::string(version),
               .pinned = true,
               .direct = line.find("// indirect") == std::string_view::npos,
               .bytes = bytes});
  }
}

// `replace a => b v1`: forks are honest; one whose owner is another to the machine and the same to the eye is not.
bool ReadGoModule(Sheet& sheet) {
  const std::string_view text = sheet.text();
  ReadGoRequires(sheet);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const base::ByteSpan bytes{at, end};
    at = end + 1;
    const std::size_t arrow = line.find("=>");
    if (arrow == std::string_view::npos) continue;
    std::string_view from = Trim(line.substr(0, arrow));
    if (from.starts_with("replace ")) from = Trim(from.substr(8));
    from = from.substr(0, from.find(' '));
    std::string_view to = Trim(line.substr(arrow + 2));
    to = to.substr(0, to.find(' '));
    const std::string source = LowerCase(OwnerOf(from));
    const std::string target = LowerCase(OwnerOf(to));
    if (source.empty() || target.empty() || !IsOtherOwner(target, source)) continue;
    sheet
        .Raise("SC-003", bytes,
               fmt::format("`{}` is put in the place of `{}`: its owner's name looks the same", to, from), to)
        .scale = 0.8;
  }
  return true;
}

// The builder itself, fetched and run by whoever builds.
bool ReadGradleWrapper(Sheet& sheet) {
  const std::string_view text = sheet.text();
  constexpr std::string_view kKey = "distributionUrl=";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos || text.find("distributionSha256Sum=") != std::string_view::npos) return true;
  const std::size_t from = at + kKey.size();
  const std::size_t end = std::min(text.find_first_of("\r\n", from), text.size());
  std::string url;
  for (const char c : text.substr(from, end - from)) {
    if (c != '\\') url += c;
  }
  const std::string host = HostOf(LowerCase(url));
  if (host.empty() || host == "gradle.org" || host.ends_with(".gradle.org")) return true;
  sheet.Source(url, {from, end}, "the builder");
  const HostKind kind = KindOfHost(host);
  if (kind == HostKind::kOrdinary || kind == HostKind::kPaste || kind == HostKind::kTunnel ||
      kind == HostKind::kShortener) {
    sheet
        .Raise("SC-014", {from, end}, fmt::format("the builder itself is an archive on {}, without a hash", host),
               "gradle")
        .host = host;
  }
  return true;
}

// "packages": {"key": ["name@version", "registry or address", {...}, "hash"]}
bool ReadBunLock(Sheet& sheet) {
  const auto doc = ParseJsonc(sheet.text());
  if (!doc) return true;
  const JsonValue packages = doc->root().Find("packages");
  Locked locked;
  // "key": "npm:name@..."
  std::set<std::pair<std::string, std::string>> aliases;
  constexpr std::string_view kAlias = "\": \"npm:";
  const std::string_view text = sheet.text();
  for (std::size_t at = text.find(kAlias); at != std::string_view::npos; at = text.find(kAlias, at + kAlias.size())) {
    constexpr std::size_t kLongest = 214;  // of a name
    const std::string_view before = text.substr(at - std::min(at, kLongest), std::min(at, kLongest));
    const std::string_view after = text.substr(at + kAlias.size(), kLongest);
    const std::string_view name = after.substr(0, after.find('"'));
    aliases.emplace(before.substr(before.rfind('"') + 1), name.substr(0, name.find('@', 1)));
  }
  for (auto it = packages.begin(); packages.is_object() && it != packages.end(); ++it) {
    const JsonValue entry = *it;
    auto part = entry.begin();
    if (!entry.is_array() || part == entry.end() || !(*part).is_string()) continue;
    const std::string fetched((*part).string());
    const base::ByteSpan bytes = SpanOf(*part);
    const std::size_t version = fetched.find('@', 1);
    if (version == std::string::npos) continue;
    const std::string actual = fetched.substr(0, version);
    const std::string what = fetched.substr(version + 1);
    if (what.find(':') != std::string::npos && !what.starts_with("npm:")) continue;  // a folder, a repository
    // "a/b" is b below a; "a/@s/b" is @s/b.
    std::string_view key = it.key();
    std::size_t slash = key.rfind('/');
    if (slash != std::string_view::npos && slash > 0) {
      const std::size_t scope = key.rfind('/', slash - 1);
      const std::size_t start = scope == std::string_view::npos ? 0 : scope + 1;
      key = key.substr(start).starts_with('@') ? key.substr(start) : key.substr(slash + 1);
    }
    // An alias is written where somebody asks for it.
    if (key != actual && !aliases.contains(std::pair(std::string(key), actual))) {
      sheet.Raise("SC-033", bytes, fmt::format("`{}` is locked to an archive of `{}`", key, actual), key);
    }
    bool hashed = false;
    std::string url;
    for (++part; part != entry.end(); ++part) {
      if (!(*part).is_string()) continue;
      const std::string_view said = (*part).string();
      if (said.find("://") != std::string_view::npos) url = said;
      hashed = hashed || said.starts_with("sha");
    }
    if (!url.empty()) {
      sheet.Source(url, bytes, actual);
      CheckLockedNpm(sheet, actual, what, url, bytes);
    }
    locked.Add(actual, url, hashed, bytes);
    sheet.Add({.ecosystem = kNpm,
               .name = actual,
               .version = what,
               .pinned = true,
               .hashed = hashed,
               .direct = false,
               .bytes = bytes});
  }
  locked.Check(sheet);
  return true;
}

// composer.json: repositories, a list or a map of them, and whether they may be asked without encryption.
bool ReadComposer(Sheet& sheet) {
  const auto doc = ParseJsonc(sheet.text());
  if (!doc) return true;
  const JsonValue list = doc->root().Find("repositories");
  for (auto it = list.begin(); it != list.end(); ++it) {
    const JsonValue url = (*it).Find("url");
    if (url.is_string()) sheet.Source(url.string(), SpanOf(url), "package repository");
  }
  // post-install-cmd: "@php -r ...", or a list of such; classes and other scripts are named without a command.
  const JsonValue scripts = doc->root().Find("scripts");
  for (auto it = scripts.begin(); scripts.is_object() && it != scripts.end(); ++it) {
    if (!it.key().starts_with("post-") && !it.key().starts_with("pre-")) continue;
    const auto hook = [&](const JsonValue value) {
      if (!value.is_string()) return;
      std::string command(value.string());
      if (command.starts_with("@php ")) command.erase(0, 1);
      if (command.find(' ') == std::string::npos || command.starts_with('@')) return;
      sheet.Hook(std::string(it.key()), command, SpanOf(value), core::Reach::kInstall);
    };
    if ((*it).is_array()) {
      for (const JsonValue one : *it) hook(one);
    } else {
      hook(*it);
    }
  }
  const JsonValue secure = doc->root().Find("config").Find("secure-http");
  if (!secure.AsBool().value_or(true))
    sheet.Raise("SC-012", SpanOf(secure), "installs do not check who they talk to (secure-http: false)");
  return true;
}

// Runs at each installation and may rewrite what other packages ask for.
bool ReadPnpmFile(Sheet& sheet) {
  sheet.Entry(sheet.path(), true);
  const std::string_view text = sheet.text();
  for (std::size_t at = text.find("http"); at != std::string_view::npos; at = text.find("http", at + 4)) {
    if (at == 0 || std::string_view("\"'`").find(text[at - 1]) == std::string_view::npos) continue;
    const std::size_t end = std::min(text.find(text[at - 1], at), std::min(text.size(), at + 300));
    const std::string_view url = text.substr(at, end - at);
    if (!url.ends_with(".tgz") && !url.ends_with(".tar.gz")) continue;
    sheet.Source(url, {at, end}, "a dependency of a dependency");
    const std::string host = HostOf(LowerCase(url));
    const HostKind kind = KindOfHost(host);
    if (kind == HostKind::kRegistry || kind == HostKind::kForge || kind == HostKind::kLocal) continue;
    RawFinding& finding = sheet.Raise(
        "SC-014", {at, end}, fmt::format("what other packages need is replaced by an archive on {}", host), host);
    finding.host = host;
    finding.severity = core::Severity::kHigh;
  }
  return true;
}

}  // namespace

bool ReadOtherManifest(Sheet& sheet, std::string_view base) {
  if (base == "composer.json") return ReadComposer(sheet);
  if (base == "go.mod") return ReadGoModule(sheet);
  if (base == "gradle-wrapper.properties") return ReadGradleWrapper(sheet);
  if (base == ".pnpmfile.cjs" || base == ".pnpmfile.mjs") return ReadPnpmFile(sheet);
  if (base == "bun.lock") return ReadBunLock(sheet);
  return false;
}

}  // namespace interlock::scan
