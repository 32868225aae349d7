// requirements files, setup.cfg, setup.py, Pipfile.lock, pip.conf, path files, inline script metadata.
#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using base::JsonValue;

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

// One line of a requirements file, continuation lines joined by blanks.
void ReadRequirement(Sheet& sheet, std::string_view line, base::ByteSpan bytes, bool development) {
  line = Trim(line);
  if (line.empty() || line.front() == '#') return;
  if (const std::size_t comment = line.find(" #"); comment != std::string_view::npos)
    line = Trim(line.substr(0, comment));
  const auto option = [&](std::initializer_list<std::string_view> names) -> std::string_view {
    for (const std::string_view name : names) {
      if (!line.starts_with(name)) continue;
      std::string_view rest = line.substr(name.size());
      if (rest.empty() || (rest.front() != ' ' && rest.front() != '=' && rest.front() != '\t')) continue;
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == '=' || rest.front() == '\t'))
        rest.remove_prefix(1);
      return rest.substr(0, rest.find(' '));
    }
    return {};
  };
  if (line.front() == '-') {
    if (const auto url = option({"--extra-index-url"}); !url.empty()) sheet.Index(url, bytes, false);
    if (const auto url = option({"--index-url", "-i", "--pypi-url"}); !url.empty()) sheet.Index(url, bytes, true);
    if (const auto url = option({"--find-links", "-f"}); !url.empty()) sheet.Source(url, bytes, "--find-links");
    if (const auto host = option({"--trusted-host"}); !host.empty()) sheet.Unchecked(host, bytes, "--trusted-host");
    // A list that its host can change for each who asks.
    if (const auto list = option({"-r", "--requirement", "-c", "--constraint"}); list.find("://") != list.npos) {
      sheet.Source(list, bytes, "a list of packages");
      const std::string host = HostOf(LowerCase(list.substr(0, 300)));
      const HostKind kind = KindOfHost(host);
      if (!host.empty() && kind != HostKind::kRegistry && kind != HostKind::kForge && kind != HostKind::kLocal) {
        RawFinding& finding =
            sheet.Raise("SC-014", bytes, fmt::format("what is installed is a list on {}", host), host);
        finding.host = host;
        finding.severity = core::Severity::kHigh;
      }
    }
    if (const auto target = option({"-e", "--editable"}); target.find("://") != std::string_view::npos) {
      AddPep508(sheet, target, bytes, development);
    }
    return;
  }
  const std::size_t hash = line.find("--hash=");
  AddPep508(sheet, line.substr(0, hash), bytes, development, hash != std::string_view::npos);
}

void ReadRequirements(Sheet& sheet, bool development) {
  const std::string_view text = sheet.text();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    std::string joined;
    for (;;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      at = end + 1;
      if (line.empty() || line.back() != '\\' || at >= text.size() || joined.size() > 20000) {
        joined += line;
        break;
      }
      joined.append(line.substr(0, line.size() - 1)) += ' ';
    }
    const std::size_t first_end = std::min(text.find('\n', begin), text.size());
    ReadRequirement(sheet, joined, {begin, first_end}, development);
  }
}

// Sections and keys of an ini file; indented lines belong to the key before.
template <class Use>
void ForEachIniValue(std::string_view text, Use use) {
  std::string section;
  std::string key;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::string_view body = Trim(line);
    const base::ByteSpan bytes{at, end};
    at = end + 1;
    if (body.empty() || body.front() == '#' || body.front() == ';') continue;
    if (body.front() == '[' && body.back() == ']') {
      section = LowerCase(body.substr(1, body.size() - 2));
      key.clear();
      continue;
    }
    if ((line.front() == ' ' || line.front() == '\t') && !key.empty()) {
      use(section, key, body, bytes);
      continue;
    }
    const std::size_t equals = body.find_first_of("=:");
    if (equals == std::string_view::npos) continue;
    key = LowerCase(Trim(body.substr(0, equals)));
    const std::string_view value = Trim(body.substr(equals + 1));
    if (!value.empty()) use(section, key, value, bytes);
  }
}

void ReadSetupCfg(Sheet& sheet) {
  if (sheet.is_own()) sheet.EntryPoints(sheet.text());
  ForEachIniValue(sheet.text(), [&](const std::string& section, const std::string& key, std::string_view value,
                                    base::ByteSpan bytes) {
    SupplyFacts& facts = sheet.facts();
    if (section == "metadata" && sheet.is_own()) {
      if (key == "name") sheet.OwnName(kPypi, value, bytes);
      if (key == "version" && facts.package_version.empty()) facts.package_version = value;
      if (key == "description" && facts.package_description.empty()) facts.package_description = value;
    }
    const bool install = section == "options" && key == "install_requires";
    const bool setup = section == "options" && (key == "setup_requires" || key == "tests_require");
    if (install || setup || section == "options.extras_require") AddPep508(sheet, value, bytes, setup);
  });
}

void ReadPipConf(Sheet& sheet) {
  ForEachIniValue(sheet.text(),
                  [&](const std::string&, const std::string& key, std::string_view value, base::ByteSpan bytes) {
                    if (key == "index-url") sheet.Index(value, bytes, true);
                    if (key == "extra-index-url") sheet.Index(value, bytes, false);
                    if (key == "trusted-host") sheet.Unchecked(value, bytes, key);
                  });
}

// The string literals of a list or of one argument: `key = ["a", 'b']`, `key="x"`. Only what stands there literally.
template <class Use>
void ForEachLiteral(std::string_view text, std::string_view key, Use use) {
  std::size_t from = 0;
  while ((from = text.find(key, from)) != std::string_view::npos) {
    const bool starts = from == 0 || !IsNameByte(text[from - 1]);
    std::size_t at = from + key.size();
    from = at;
    while (at < text.size() && (text[at] == ' ' || text[at] == '"' || text[at] == '\'')) ++at;
    if (!starts || at >= text.size() || (text[at] != '=' && text[at] != ':')) continue;
    ++at;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
    if (at >= text.size()) return;
    const bool list = text[at] == '[' || text[at] == '(';
    if (list) ++at;
    const std::size_t limit = std::min(text.size(), at + 20000);
    while (at < limit) {
      const char c = text[at];
      if (c == '#') {
        at = std::min(text.find('\n', at), limit);
      } else if (c == '"' || c == '\'') {
        const std::size_t end = text.find(c, at + 1);
        if (end == std::string_view::npos || end > limit) return;
        use(text.substr(at + 1, end - at - 1), base::ByteSpan{at + 1, end});
        if (!list) break;
        at = end + 1;
      } else if (c == ']' || c == ')' || (!list && c != ' ')) {
        break;
      } else {
        ++at;
      }
    }
    from = std::max(from, at);  // a list is read once, however often the key stands in it
  }
}

void ReadSetupPy(Sheet& sheet) {
  const std::string_view text = sheet.text();
  SupplyFacts& facts = sheet.facts();
  const auto take = [&](std::string_view key, std::string& into) {
    if (!sheet.is_own() || !into.empty()) return;
    ForEachLiteral(text, key, [&](std::string_view value, base::ByteSpan) {
      if (into.empty()) into = value;
    });
  };
  if (sheet.is_own()) {
    sheet.EntryPoints(text);
    ForEachLiteral(text, "name",
                   [&](std::string_view value, base::ByteSpan bytes) { sheet.OwnName(kPypi, value, bytes); });
  }
  take("version", facts.package_version);
  take("description", facts.package_description);
  ForEachLiteral(text, "install_requires",
                 [&](std::string_view value, base::ByteSpan bytes) { AddPep508(sheet, value, bytes, false); });
  ForEachLiteral(text, "dependency_links",
                 [&](std::string_view value, base::ByteSpan bytes) { sheet.Source(value, bytes, "dependency_links"); });
  ForEachLiteral(text, "setup_requires",
                 [&](std::string_view value, base::ByteSpan bytes) { AddPep508(sheet, value, bytes, true); });
}

void ReadPipfileLock(Sheet& sheet) {
  const auto doc = ParseJsonc(sheet.text());
  if (!doc) return;
  const JsonValue root = doc->root();
  for (const JsonValue source : root.FindPointer("/_meta/sources")) {
    const JsonValue url = source.Find("url");
    sheet.Index(url.string(), SpanOf(url), root.FindPointer("/_meta/sources").size() == 1);
  }
  for (const std::string_view group : {"default", "develop"}) {
    const JsonValue list = root.Find(group);
    for (auto it = list.begin(); it != list.end(); ++it) {
      std::string_view version = (*it).Find("version").string();
      while (version.starts_with('=')) version.remove_prefix(1);
      sheet.Add({.ecosystem = kPypi,
                 .name = std::string(it.key()),
                 .version = std::string(version),
                 .pinned = true,
                 .hashed = (*it).Find("hashes").size() > 0,
                 .direct = false,
                 .development = group == "develop",
                 .bytes = SpanOf(*it)});
    }
  }
}

// A line of a path file that starts with `import` is run at every start of the interpreter.
void ReadPathFile(Sheet& sheet) {
  constexpr std::array<std::string_view, 10> kActs = {"exec(",  "eval(",           "subprocess", "os.system",
                                                      "urllib", "socket",          "b64decode",  "requests",
                                                      "popen",  "__import__('os')"};
  const std::string_view text = sheet.text();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if ((line.starts_with("import ") || line.starts_with("import\t")) &&
        std::any_of(kActs.begin(), kActs.end(),
                    [&](std::string_view act) { return line.find(act) != std::string_view::npos; })) {
      sheet.Raise("SC-028", {at, end}, "runs whenever Python starts, in every program");
    }
    at = end + 1;
  }
}

// PEP 723: a TOML block in comments.
void ReadScriptBlock(Sheet& sheet) {
  const std::string_view text = sheet.text();
  std::size_t at = text.substr(0, 64 * 1024).find("# /// script");
  if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return;
  bool in_list = false;
  at = std::min(text.find('\n', at), text.size());
  while (at < text.size()) {
    const std::size_t begin = ++at;
    at = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, at - begin);
    if (!line.starts_with('#') || line.starts_with("# ///")) return;
    const std::size_t body = begin + 1;
    line = line.substr(1);
    const std::string_view trimmed = Trim(line);
    if (trimmed.starts_with("dependencies")) in_list = true;
    if (!in_list) continue;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == ']') in_list = false;
      if (line[i] != '"' && line[i] != '\'') continue;
      const std::size_t end = line.find(line[i], i + 1);
      if (end == std::string_view::npos) break;
      AddPep508(sheet, line.substr(i + 1, end - i - 1), {body + i + 1, body + end}, false);
      i = end;
    }
  }
}

// notes-1.0.dist-info/METADATA of a wheel: what pyproject.toml says of a folder of sources. What comes with extras is
// for who asks for them.
void ReadCoreMetadata(Sheet& sheet) {
  const std::string_view path = sheet.path();
  const std::size_t folder = path.find('/');
  if (folder == std::string_view::npos || !path.substr(0, folder).ends_with(".dist-info") ||
      path.find('/', folder + 1) != std::string_view::npos)
    return;
  const std::string_view text = sheet.text();
  SupplyFacts& facts = sheet.facts();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const base::ByteSpan bytes{at, at + line.size()};
    at = end + 1;
    if (line.empty()) return;  // the description follows
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = Trim(line.substr(colon + 1));
    if (key == "Name") sheet.OwnName(kPypi, value, bytes);
    if (key == "Version" && facts.package_version.empty()) facts.package_version = value;
    if (key == "Summary" && facts.package_description.empty()) facts.package_description = value;
    if (key == "Requires-Dist") AddPep508(sheet, value, bytes, value.find("extra ==") != std::string_view::npos);
  }
}

}  // namespace

void AddPep508(Sheet& sheet, std::string_view text, base::ByteSpan bytes, bool development, bool hashed) {
  text = Trim(text);
  if (text.empty() || text.size() > 2000) return;
  Requirement requirement{.ecosystem = kPypi, .hashed = hashed, .development = development, .bytes = bytes};
  std::string_view url;
  if (text.find("://") != std::string_view::npos && text.find(" @ ") == std::string_view::npos &&
      text.find('@') > text.find("://")) {
    url = text;  // a bare address
    const std::size_t egg = text.find("#egg=");
    std::string_view name = egg == std::string_view::npos ? std::string_view() : text.substr(egg + 5);
    name = name.substr(0, name.find_first_of("&[ "));
    requirement.name = name;
  } else {
    std::size_t end = 0;
    while (end < text.size() && IsNameByte(text[end])) ++end;
    if (end == 0) return;
    requirement.name = text.substr(0, end);
    std::string_view rest = Trim(text.substr(end));
    if (rest.starts_with('[')) rest = Trim(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
    if (rest.starts_with('@')) {
      url = Trim(rest.substr(1));
    } else {
      rest = Trim(rest.substr(0, rest.find(';')));
      if (!rest.empty() && std::string_view("=<>!~(").find(rest.front()) == std::string_view::npos) return;
      const bool exact = rest.starts_with("==") && rest.find(',') == std::string_view::npos &&
                         rest.find('*') == std::string_view::npos;
      requirement.pinned = exact;
      requirement.version = exact ? Trim(rest.substr(rest.starts_with("===") ? 3 : 2)) : rest;
    }
  }
  if (!url.empty()) {
    url = url.substr(0, url.find_first_of(" ;"));
    const std::string lower = LowerCase(url);
    const std::string subject = requirement.name.empty() ? std::string(url.substr(0, 120)) : requirement.name;
    sheet.Source(url, bytes, subject, development);
    requirement.version = url.substr(0, 200);
    const std::string host = HostOf(lower);
    // Repositories of an owner who is not who he seems.
    if (const std::size_t path = lower.find(host + "/"); !host.empty() && path != std::string::npos) {
      const std::string_view rest = std::string_view(lower).substr(path + host.size() + 1);
      const std::string_view owner = rest.substr(0, rest.find('/'));
      if (const auto like = KindOfHost(host) == HostKind::kForge ? LooksLikeOwner(owner) : std::nullopt) {
        sheet.Raise("SC-003", bytes, fmt::format("the owner `{}` is one slip from `{}`", owner, *like), owner).scale =
            0.8;
      }
    }
    if (lower.starts_with("git+") || lower.starts_with("hg+")) {
      const std::size_t at = url.rfind('@');
      const std::string_view ref =
          at == std::string_view::npos || at < url.find("://") + 3 ? std::string_view() : url.substr(at + 1);
      const std::string_view commit = ref.substr(0, ref.find_first_of("#&"));
      requirement.pinned = commit.size() >= 7 && commit.find_first_not_of("0123456789abcdef") == std::string_view::npos;
      if (!requirement.pinned && !development && sheet.is_own()) {
        sheet.Raise("SC-013", bytes, fmt::format("`{}` is whatever its repository holds on the day", subject), subject);
      }
    } else if (lower.starts_with("http")) {
      requirement.hashed = requirement.hashed || lower.find("#sha256=") != std::string::npos;
      const HostKind kind = KindOfHost(host);
      if (!requirement.hashed && kind != HostKind::kRegistry && kind != HostKind::kForge && kind != HostKind::kLocal &&
          kind != HostKind::kInstaller && kind != HostKind::kRawAddress) {
        RawFinding& finding = sheet.Raise(
            "SC-014", bytes, fmt::format("`{}` is an archive on {}, no registry's package", subject, host), subject);
        finding.host = host;
        finding.severity = sheet.SeverityOfArchive();
      }
    }
  }
  if (!requirement.name.empty()) sheet.Add(std::move(requirement));
}

bool ReadPythonManifest(Sheet& sheet, std::string_view base) {
  const bool requirements =
      (base.find("requirements") != std::string_view::npos || base.find("constraints") != std::string_view::npos) &&
      (base.ends_with(".txt") || base.ends_with(".in") || base.ends_with(".pip"));
  const bool in_folder = base.ends_with(".txt") && sheet.path().find("requirements/") != std::string_view::npos;
  if (requirements || in_folder) {
    const bool development = base.find("dev") != std::string_view::npos ||
                             base.find("test") != std::string_view::npos ||
                             base.find("doc") != std::string_view::npos || base.find("lint") != std::string_view::npos;
    ReadRequirements(sheet, development);
    return true;
  }
  if (base == "entry_points.txt" && sheet.is_own()) return sheet.EntryPoints(sheet.text()), true;
  if (base == "metadata") return ReadCoreMetadata(sheet), true;
  if (base == "setup.cfg") return ReadSetupCfg(sheet), true;
  if (base == "setup.py") return ReadSetupPy(sheet), true;
  if (base == "pipfile.lock") return ReadPipfileLock(sheet), true;
  if (base == "pip.conf" || base == "pip.ini") return ReadPipConf(sheet), true;
  if (base.ends_with(".pth")) return ReadPathFile(sheet), true;
  if (base.ends_with(".py")) ReadScriptBlock(sheet);
  return false;
}

}  // namespace interlock::scan
