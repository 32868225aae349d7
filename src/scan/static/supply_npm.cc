// package.json, npm's, Yarn's and pnpm's lock files, .npmrc.
#include <algorithm>
#include <array>
#include <map>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using core::Reach;

constexpr int kMaxLockDepth = 64;

bool IsHex(std::string_view text, std::size_t min) {
  return text.size() >= min && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// "name" of "name@spec" and "@scope/name@spec".
std::string_view NameOfSpec(std::string_view spec) {
  const std::size_t at = spec.find('@', spec.empty() ? 0 : 1);
  return spec.substr(0, at);
}

void ReadScripts(Sheet& sheet, JsonValue root) {
  const JsonValue scripts = root.Find("scripts");
  struct Kind {
    std::string_view name;
    Reach reach;
  };
  // `prepare` also runs when a git dependency is installed, but mostly on its maker's machine.
  constexpr std::array kKinds = {Kind{"preinstall", Reach::kInstall},  Kind{"install", Reach::kInstall},
                                 Kind{"postinstall", Reach::kInstall}, Kind{"preuninstall", Reach::kInstall},
                                 Kind{"prepare", Reach::kBuild},       Kind{"start", Reach::kRuntime}};
  for (const Kind& kind : kKinds) {
    const JsonValue script = scripts.Find(kind.name);
    if (!script.is_string()) continue;
    sheet.Hook(std::string(kind.name), script.string(), SpanOf(script), kind.reach);
    sheet.Entries(script.string(), kind.reach == Reach::kInstall);
    if (kind.reach == Reach::kInstall && sheet.is_own()) {
      sheet.Raise("SC-027", SpanOf(script), fmt::format("`{}` runs when the package is installed", kind.name),
                  kind.name);
    }
  }
  // `npm run format`: what nobody starts but by its name, and a text may have an agent start.
  constexpr std::size_t kMostScripts = 200;
  std::size_t seen = 0;
  for (auto it = scripts.begin(); scripts.is_object() && it != scripts.end() && seen < kMostScripts; ++it, ++seen) {
    const std::string_view name = it.key();
    const bool known = std::ranges::any_of(kKinds, [&](const Kind& kind) { return kind.name == name; });
    if (known || !(*it).is_string()) continue;
    const std::string_view command = (*it).string();
    const bool far =
        std::ranges::any_of(std::to_array<std::string_view>({"curl ", "wget ", "nc ", "iwr ", "/dev/tcp/", "base64 "}),
                            [&](std::string_view word) { return command.find(word) != std::string_view::npos; });
    if (far) sheet.Hook(fmt::format("run {}", name.substr(0, 60)), command, SpanOf(*it), Reach::kBuild);
  }
}

// Commands that a machine has, and that everybody calls by name.
bool IsSystemCommand(std::string_view command) {
  constexpr auto kCommands = std::to_array<std::string_view>(
      {"git",  "node", "npm",  "npx", "python", "python3", "pip", "ssh",     "scp",    "curl",  "wget",
       "bash", "sh",   "sudo", "ls",  "cat",    "docker",  "gh",  "kubectl", "claude", "codex", "code"});
  return std::ranges::find(kCommands, command) != kCommands.end();
}

// Scopes whose packages everybody has from the public registry.
bool IsPublicScope(std::string_view scope) {
  constexpr auto kScopes = std::to_array<std::string_view>({"@types",        "@modelcontextprotocol",
                                                            "@anthropic-ai", "@openai",
                                                            "@langchain",    "@babel",
                                                            "@aws-sdk",      "@angular",
                                                            "@vue",          "@nestjs",
                                                            "@azure",        "@typescript-eslint",
                                                            "@vercel",       "@ai-sdk",
                                                            "@octokit",      "@playwright",
                                                            "@huggingface",  "@mui",
                                                            "@tanstack",     "@radix-ui",
                                                            "@sentry",       "@prisma",
                                                            "@supabase",     "@google",
                                                            "@google-cloud", "@opentelemetry"});
  return std::ranges::find(kScopes, scope) != kScopes.end();
}

// "callendar-mcp" that installs a command `calendar-mcp` beside its own: whoever made the slip finds what he meant.
void ReadCommandNames(Sheet& sheet, JsonValue root) {
  const std::string_view name = root.Find("name").string();
  const JsonValue bin = root.Find("bin");
  if (!sheet.is_own() || name.empty()) return;
  for (auto it = bin.begin(); it != bin.end(); ++it) {
    // "bin": {"git": ...} of a package that is not about it: where its commands come first, every call is its own.
    const std::string_view command = it.key();
    if (!IsSystemCommand(command) || name.find(command) != std::string_view::npos) continue;
    sheet.Raise("SC-023", SpanOf(*it),
                fmt::format("installs a command `{}`, in the place of the machine's own", command), command);
    return;
  }
  if (name.starts_with('@')) return;
  for (auto it = bin.begin(); it != bin.end(); ++it) {
    if (!IsSlipOf(kNpm, name, it.key())) continue;
    RawFinding& found = sheet.Raise(
        "SC-003", SpanOf(*it),
        fmt::format("installs the command `{}`, one letter from its own name", std::string_view(it.key())), it.key());
    // Who has changed his name keeps the command of the old one: a look.
    found.scale = 0.7;
    return;
  }
}

void ReadEntries(Sheet& sheet, JsonValue root) {
  ReadCommandNames(sheet, root);
  for (const std::string_view key : {"main", "module", "browser"}) sheet.Entry(root.Find(key).string());
  const JsonValue bin = root.Find("bin");
  sheet.Entry(bin.string());
  for (const JsonValue path : bin) sheet.Entry(path.string());
  const JsonValue exports = root.Find("exports");
  sheet.Entry(exports.string());
  for (const JsonValue one : exports) {
    sheet.Entry(one.string());
    for (const JsonValue two : one) sheet.Entry(two.string());
  }
}

// What is put in the place of other packages' dependencies, at any depth: "overrides", "resolutions".
void ReadOverrides(Sheet& sheet, JsonValue list, int depth) {
  for (auto it = list.begin(); it != list.end(); ++it) {
    if ((*it).is_object() && depth < kMaxLockDepth) ReadOverrides(sheet, *it, depth + 1);
    const std::string_view spec = (*it).string();
    // A version is still the registry's; an address is somebody's.
    if (spec.find("://") == std::string_view::npos && !spec.starts_with("npm:")) continue;
    AddNpmSpec(sheet, NameOfSpec(it.key().substr(it.key().rfind('>') + 1)), spec, SpanOf(*it), false, true);
  }
}

bool ReadPackageJson(Sheet& sheet) {
  const auto doc = ParseJsonc(sheet.text());
  if (!doc) return true;
  const JsonValue root = doc->root();
  const JsonValue name = root.Find("name");
  if (sheet.facts().package_name.empty() && sheet.is_own() && name.is_string()) {
    sheet.OwnName(kNpm, name.string(), SpanOf(name));
    sheet.facts().package_version = root.Find("version").string();
    sheet.facts().package_description = root.Find("description").string();
  }
  ReadScripts(sheet, root);
  ReadEntries(sheet, root);
  struct Group {
    std::string_view key;
    bool development;
  };
  constexpr std::array kGroups = {Group{"dependencies", false}, Group{"optionalDependencies", false},
                                  Group{"peerDependencies", true}, Group{"devDependencies", true}};
  for (const Group& group : kGroups) {
    const JsonValue list = root.Find(group.key);
    for (auto it = list.begin(); it != list.end(); ++it) {
      AddNpmSpec(sheet, it.key(), (*it).string(), SpanOf(*it), group.development);
    }
  }
  // Where the installer of native modules fetches what is built already.
  const JsonValue built = root.FindPointer("/binary/host");
  if (built.is_string() && sheet.is_own()) sheet.Source(built.string(), SpanOf(built), "the native module");
  // What is bundled is the package's own: it is installed from nowhere else.
  for (const std::string_view key : {"bundleDependencies", "bundledDependencies"}) {
    for (const JsonValue one : root.Find(key)) {
      if (one.is_string() && sheet.is_own()) sheet.facts().bundled.emplace_back(one.string());
    }
  }
  ReadOverrides(sheet, root.Find("overrides"), 0);
  ReadOverrides(sheet, root.Find("resolutions"), 0);
  ReadOverrides(sheet, root.Find("pnpm").Find("overrides"), 0);
  return true;
}

void ReadOldLock(Sheet& sheet, JsonValue list, Locked& locked, int depth) {
  for (auto it = list.begin(); it != list.end(); ++it) {
    const JsonValue entry = *it;
    const JsonValue resolved = entry.Find("resolved");
    const bool hashed = entry.Find("integrity").is_string();
    Requirement requirement{.ecosystem = kNpm,
                            .name = std::string(it.key()),
                            .version = std::string(entry.Find("version").string()),
                            .pinned = true,
                            .hashed = hashed,
                            .direct = depth == 0,
                            .development = entry.Find("dev").AsBool().value_or(false),
                            .bytes = SpanOf(entry.Find("version"))};
    // An alias: "npm:other@1.0.0".
    if (requirement.version.starts_with("npm:")) {
      requirement.name = NameOfSpec(std::string_view(requirement.version).substr(4));
      requirement.version.erase(0, requirement.name.size() + 5);
    }
    sheet.Source(resolved.string(), SpanOf(resolved), it.key(), requirement.development);
    CheckLockedNpm(sheet, requirement.name, requirement.version, resolved.string(), SpanOf(resolved));
    locked.Add(requirement.name, resolved.string(), hashed, SpanOf(resolved));
    sheet.Add(std::move(requirement));
    if (depth < kMaxLockDepth) ReadOldLock(sheet, entry.Find("dependencies"), locked, depth + 1);
  }
}

// A clone or an archive of a repository, which no registry has seen.
bool IsOfRepository(std::string_view url) {
  return url.starts_with("git+") || url.starts_with("git:") || url.starts_with("https://codeload.github.com/") ||
         (KindOfHost(HostOf(LowerCase(url.substr(0, 300)))) == HostKind::kForge &&
          (url.find("/archive/") != std::string_view::npos || url.find("/tarball/") != std::string_view::npos));
}

bool ReadPackageLock(Sheet& sheet) {
  const auto doc = ParseJsonc(sheet.text());
  if (!doc) return true;
  const JsonValue root = doc->root();
  const JsonValue packages = root.Find("packages");
  Locked locked;
  if (!packages.is_object()) {
    ReadOldLock(sheet, root.Find("dependencies"), locked, 0);
    locked.Check(sheet);
    return true;
  }
  const JsonValue direct = packages.Find("").Find("dependencies");
  const JsonValue direct_dev = packages.Find("").Find("devDependencies");
  for (auto it = packages.begin(); it != packages.end(); ++it) {
    const JsonValue entry = *it;
    constexpr std::string_view kModules = "node_modules/";
    const std::size_t at = it.key().rfind(kModules);
    if (at == std::string_view::npos || entry.Find("link").AsBool().value_or(false)) continue;
    const std::string_view key = it.key().substr(at + kModules.size());
    const JsonValue alias = entry.Find("name");
    const std::string_view name = alias.is_string() ? alias.string() : key;
    const JsonValue resolved = entry.Find("resolved");
    const bool hashed = entry.Find("integrity").is_string();
    Requirement requirement{.ecosystem = kNpm,
                            .name = std::string(name),
                            .version = std::string(entry.Find("version").string()),
                            .pinned = true,
                            .hashed = hashed,
                            .direct = at == 0 && (direct.Find(key).exists() || direct_dev.Find(key).exists()),
                            .development = entry.Find("dev").AsBool().value_or(false),
                            .bytes = SpanOf(entry.Find("version"))};
    const bool in_bundle = entry.Find("inBundle").AsBool().value_or(false);
    if (!in_bundle) {
      sheet.Source(resolved.string(), SpanOf(resolved), name, requirement.development);
      CheckLockedNpm(sheet, name, requirement.version, resolved.string(), SpanOf(resolved));
      // Where the manifest itself names an address, the lock file follows it.
      const bool asked = direct.Find(key).string().find("://") != std::string_view::npos ||
                         direct_dev.Find(key).string().find("://") != std::string_view::npos;
      if (!asked) locked.Add(requirement.name, resolved.string(), hashed, SpanOf(resolved));
      // Asked of the registry by a version, and taken out of somebody's repository.
      const JsonValue wanted = direct.Find(key).exists() ? direct.Find(key) : direct_dev.Find(key);
      const std::string_view spec = wanted.string();
      if (at == 0 && !spec.empty() && spec.find_first_of("/:") == std::string_view::npos &&
          IsOfRepository(resolved.string())) {
        sheet.Raise("SC-015", SpanOf(resolved),
                    fmt::format("`{}` is asked of the registry and locked to a repository, {}", name,
                                HostOf(LowerCase(resolved.string().substr(0, 300)))),
                    name);
      }
    }
    sheet.Add(std::move(requirement));
  }
  locked.Check(sheet);
  return true;
}

// Lines of `text` with their offsets.
template <class Use>
void ForEachLine(std::string_view text, Use use) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    use(text.substr(at, end - at), at);
    at = end + 1;
  }
}

bool ReadYarnLock(Sheet& sheet) {
  std::string name;
  Requirement open;
  std::string resolved;
  base::ByteSpan resolved_bytes;
  bool asked = false;      // the manifest itself names an address
  std::string other_name;  // that may be meant
  Locked locked;
  const auto close = [&] {
    if (!name.empty()) {
      open.ecosystem = kNpm;
      open.name = name;
      open.pinned = true;
      open.direct = false;
      sheet.Source(resolved, resolved_bytes, name);
      const bool other = !other_name.empty() && resolved.find("/" + other_name + "/-/") != std::string::npos;
      CheckLockedNpm(sheet, other ? other_name : name, open.version, resolved, resolved_bytes);
      if (!asked) locked.Add(name, resolved, open.hashed, resolved_bytes);
      sheet.Add(open);
    }
    name.clear();
    resolved.clear();
    open = {};
  };
  ForEachLine(sheet.text(), [&](std::string_view line, std::size_t at) {
    if (line.empty() || line.front() == '#') return;
    if (line.front() != ' ') {
      close();
      std::string_view key = Trim(line);
      if (!key.ends_with(':')) return;
      key.remove_suffix(1);
      key = key.substr(0, key.find(", "));
      if (!key.empty() && (key.front() == '"' || key.front() == '\'')) key.remove_prefix(1);
      if (!key.empty() && (key.back() == '"' || key.back() == '\'')) key.remove_suffix(1);
      const std::string_view spec = key.substr(std::min(NameOfSpec(key).size() + 1, key.size()));
      if (spec.starts_with("workspace:") || key.starts_with("__")) return;
      asked = spec.find("://") != std::string_view::npos;
      // An alias ("x@npm:y@1") names the package that is meant; a word alone behind "npm:" may be one, or a tag.
      const std::string_view meant = spec.starts_with("npm:") ? spec.substr(4) : std::string_view();
      const bool alias = meant.starts_with('@') || meant.find('@', 1) != std::string_view::npos;
      name = NameOfSpec(alias ? meant : key);
      other_name = alias ? std::string_view() : meant;
      open.bytes = {at, at + line.size()};
      return;
    }
    const std::string_view body = Trim(line);
    const auto value = [&](std::string_view key) -> std::string_view {
      if (!body.starts_with(key)) return {};
      std::string_view rest = body.substr(key.size());
      if (rest.starts_with(':')) rest.remove_prefix(1);
      return Unquote(rest);
    };
    if (body.starts_with("version")) open.version = value("version");
    if (body.starts_with("resolved ")) {
      resolved = value("resolved");
      resolved_bytes = {at, at + line.size()};
    }
    // Berry: "chalk@npm:5.3.0" says what was fetched.
    if (body.starts_with("resolution:")) {
      const std::string_view fetched = value("resolution");
      const std::string_view actual = NameOfSpec(fetched);
      const std::string_view how = fetched.substr(std::min(actual.size(), fetched.size()));
      if (!name.empty() && how.starts_with("@npm:") && actual != name && actual != other_name) {
        sheet.Raise("SC-033", {at, at + line.size()}, fmt::format("`{}` is locked to an archive of `{}`", name, actual),
                    name);
      }
    }
    if (body.starts_with("integrity ") || body.starts_with("checksum:")) open.hashed = true;
    // Yarn 1 writes the SHA-1 behind the address.
    if (const std::size_t hash = resolved.find('#');
        hash != std::string::npos && IsHex(std::string_view(resolved).substr(hash + 1), 40)) {
      open.hashed = true;
    }
  });
  close();
  locked.Check(sheet);
  return true;
}

bool ReadPnpmLock(Sheet& sheet) {
  bool in_packages = false;
  Requirement open;
  std::string_view archive;  // where it comes from, if not from the registry
  Locked locked;
  const auto close = [&] {
    if (!open.name.empty()) {
      locked.Add(open.name, archive, open.hashed, open.bytes);
      sheet.Add(open);
    }
    open = {};
    archive = {};
  };
  ForEachLine(sheet.text(), [&](std::string_view line, std::size_t at) {
    if (line.empty() || line.front() == '#') return;
    if (line.front() != ' ') {
      close();
      in_packages = line.starts_with("packages:");
      return;
    }
    if (!in_packages) return;
    const std::string_view body = Trim(line);
    if (line.size() > 2 && line[2] != ' ' && body.ends_with(':')) {
      close();
      std::string_view key = Unquote(body.substr(0, body.size() - 1));
      if (key.starts_with('/')) key.remove_prefix(1);
      key = key.substr(0, key.find('('));
      std::size_t at_sign = key.find('@', 1);
      if (at_sign == std::string_view::npos) at_sign = key.rfind('/');
      if (at_sign == std::string_view::npos || at_sign == 0 || key.find("://") != std::string_view::npos) return;
      open = {.ecosystem = kNpm,
              .name = std::string(key.substr(0, at_sign)),
              .version = std::string(key.substr(at_sign + 1)),
              .pinned = true,
              .direct = false,
              .bytes = {at, at + line.size()}};
      return;
    }
    if (open.name.empty() || !body.starts_with("resolution:")) return;
    open.hashed = body.find("integrity:") != std::string_view::npos;
    const std::size_t tarball = body.find("tarball:");
    if (tarball == std::string_view::npos) return;
    std::string_view url = Trim(body.substr(tarball + 8));
    url = Unquote(url.substr(0, url.find_first_of(",}")));
    sheet.Source(url, {at, at + line.size()}, open.name);
    CheckLockedNpm(sheet, open.name, open.version, url, {at, at + line.size()});
    archive = url;
    open.bytes = {at, at + line.size()};
  });
  close();
  locked.Check(sheet);
  return true;
}

bool ReadNpmrc(Sheet& sheet) {
  // A stranger's registry that nobody checks the certificate of: whoever is on the way chooses what is installed.
  const bool elsewhere = sheet.text().find(":registry=https://") != std::string_view::npos;
  ForEachLine(sheet.text(), [&](std::string_view line, std::size_t at) {
    const std::string_view body = Trim(line);
    if (body.empty() || body.front() == '#' || body.front() == ';') return;
    const std::size_t equals = body.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view key = Trim(body.substr(0, equals));
    const std::string_view value = Unquote(body.substr(equals + 1));
    const base::ByteSpan bytes{at, at + line.size()};
    if (key == "registry") sheet.Index(value, bytes, true);
    // A scope's own registry is how private packages are meant to be fetched.
    if (key.ends_with(":registry")) {
      constexpr double kOfEverybody = 1.5;
      const std::string_view scope = key.substr(0, key.find(':'));
      if (IsPublicScope(scope)) {
        sheet.Index(value, bytes, true, kOfEverybody);
      } else {
        sheet.Source(value, bytes, scope);
      }
    }
    // Programs of the folder in the place of the machine's own, whenever anything is installed there.
    const bool program = key == "git" || key == "script-shell" || key == "shell" || key == "editor" ||
                         key == "python" || key == "onload-script" || key == "viewer" || key == "browser";
    const bool inside =
        value.starts_with("./") || value.starts_with("../") || value.starts_with("${PWD}") || value.starts_with("$PWD");
    const bool loads =
        key == "node-options" &&
        (value.find("--require") != std::string_view::npos || value.find("--import") != std::string_view::npos ||
         value.find("-r ") != std::string_view::npos) &&
        value.find("./") != std::string_view::npos;
    if ((program && inside) || loads || key == "onload-script") {
      sheet.Raise("SC-040", bytes, fmt::format("`{}` runs a file of the folder whenever npm does", key), key);
      const std::size_t from = value.find_first_not_of("./", value.find("./"));
      if (from != std::string_view::npos) sheet.Entry(value.substr(from, value.find(' ', from) - from), true);
    }
    if (key == "strict-ssl" && LowerCase(value) == "false") {
      RawFinding& finding = sheet.Raise("SC-012", bytes, "installs do not check who they talk to (strict-ssl=false)");
      if (elsewhere) finding.severity = core::Severity::kHigh;
    }
  });
  return true;
}

}  // namespace

void AddNpmSpec(Sheet& sheet, std::string_view name, std::string_view spec, base::ByteSpan bytes, bool development,
                bool instead) {
  spec = Trim(spec);
  Requirement requirement{.ecosystem = kNpm,
                          .name = std::string(name),
                          .version = std::string(spec),
                          .development = development,
                          .bytes = bytes};
  const std::string lower = LowerCase(spec.substr(0, 300));
  const auto is_local = [&] {
    return lower.starts_with("file:") || lower.starts_with("link:") || lower.starts_with("workspace:") ||
           lower.starts_with("portal:") || lower.starts_with("catalog:") || lower.starts_with("./") ||
           lower.starts_with("../") || lower.starts_with("patch:");
  };
  if (is_local()) {
    // What lies there is installed, and its hooks run, whatever the folder is called.
    const std::size_t colon = spec.find(':');
    std::string_view folder = Trim(spec.substr(colon == std::string_view::npos ? 0 : colon + 1));
    while (folder.starts_with("./")) folder.remove_prefix(2);
    while (folder.ends_with('/')) folder.remove_suffix(1);
    constexpr std::size_t kMostFolders = 100;
    if (!development && sheet.is_own() && sheet.facts().folders.size() < kMostFolders && folder.size() > 1 &&
        folder.size() < 300 && !folder.starts_with("..") && !folder.ends_with(".tgz") &&
        (lower.starts_with("file:") || lower.starts_with("link:") || lower[0] == '.'))
      sheet.facts().folders.push_back(
          fmt::format("{}{}/", sheet.path().substr(0, sheet.path().rfind('/') + 1), folder));
    return;
  }
  if (lower.starts_with("npm:") || lower.starts_with("jsr:")) {
    const std::string_view target = spec.substr(4);
    const std::string_view actual = NameOfSpec(target);
    requirement.name = actual;
    requirement.version = target.substr(std::min(actual.size() + 1, target.size()));
    requirement.pinned = IsExactNpmVersion(requirement.version);
    // A known name that stands for a package nobody knows; forks keep the name in theirs.
    const std::string_view plain = name.substr(name.find('/') == std::string_view::npos ? 0 : name.find('/') + 1);
    const std::uint32_t rank = RankOf(kNpm, name);
    if (lower.starts_with("npm:") && rank != 0 && rank <= 5000 && actual != name && RankOf(kNpm, actual) == 0 &&
        actual.front() != '@' && actual.find(plain) == std::string_view::npos) {
      sheet.Raise("SC-016", bytes,
                  fmt::format("`{}` is another package here: `{}`, which is not well known", name, actual), actual);
    }
    sheet.Add(std::move(requirement));
    return;
  }
  const bool is_http = lower.starts_with("http://") || lower.starts_with("https://");
  const bool is_git = lower.starts_with("git+") || lower.starts_with("git://") || lower.starts_with("git@") ||
                      lower.starts_with("github:") || lower.starts_with("gitlab:") || lower.starts_with("bitbucket:") ||
                      lower.starts_with("gist:") || (is_http && lower.substr(0, lower.find('#')).ends_with(".git")) ||
                      (!is_http && spec.find('/') != std::string_view::npos && spec.front() != '@' &&
                       spec.find(' ') == std::string_view::npos);
  if (is_git) {
    const std::size_t hash = spec.find('#');
    const std::string_view ref = hash == std::string_view::npos ? std::string_view() : spec.substr(hash + 1);
    requirement.pinned = IsHex(ref, 7);
    sheet.Source(spec, bytes, name, development);
    std::string_view owner = lower;
    owner.remove_prefix(
        std::min(owner.find("://") == std::string_view::npos ? 0 : owner.find("://") + 3, owner.size()));
    for (const std::string_view forge : {"github.com/", "gitlab.com/", "github:", "gitlab:", "git@github.com:"}) {
      if (owner.starts_with(forge)) owner.remove_prefix(forge.size());
    }
    owner = owner.substr(0, owner.find('/'));
    if (const auto like = LooksLikeOwner(owner)) {
      sheet.Raise("SC-003", bytes, fmt::format("the owner `{}` is one slip from `{}`", owner, *like), owner).scale =
          0.8;
    }
    if (!requirement.pinned && sheet.is_own() && !development) {
      sheet.Raise("SC-013", bytes, fmt::format("`{}` is whatever its repository holds on the day", name), name);
    }
    requirement.version = spec.substr(0, 120);
    sheet.Add(std::move(requirement));
    return;
  }
  if (is_http) {
    const std::string host = HostOf(lower);
    const HostKind kind = KindOfHost(host);
    sheet.Source(spec, bytes, name, development);
    if (kind == HostKind::kOrdinary || kind == HostKind::kPaste || kind == HostKind::kTunnel ||
        kind == HostKind::kShortener) {
      RawFinding& finding = sheet.Raise(
          "SC-014", bytes, fmt::format("`{}` is an archive on {}, no registry's package", name, host), name);
      finding.host = host;
      finding.severity = sheet.SeverityOfArchive();
      if (development) finding.reach = Reach::kBuild;
      if (instead) {
        // Other packages asked for the registry's.
        finding.severity = core::Severity::kHigh;
        finding.message =
            fmt::format("`{}` is replaced, for every package that needs it, by an archive on {}", name, host);
      }
    }
    sheet.Add(std::move(requirement));
    return;
  }
  requirement.pinned = IsExactNpmVersion(spec);
  sheet.Add(std::move(requirement));
}

bool ReadNpmManifest(Sheet& sheet, std::string_view base) {
  if (base == "package.json") return ReadPackageJson(sheet);
  if (base == "package-lock.json" || base == "npm-shrinkwrap.json") return ReadPackageLock(sheet);
  if (base == "yarn.lock") return ReadYarnLock(sheet);
  if (base == "pnpm-lock.yaml") return ReadPnpmLock(sheet);
  if (base == ".npmrc") return ReadNpmrc(sheet);
  return false;
}

}  // namespace interlock::scan
