// pyproject.toml, poetry.lock, uv.lock, uv.toml, Pipfile, Cargo.toml, Cargo.lock.
#include <algorithm>

#include "code/vendors.h"
#include "fmt/format.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"
#include "static/supply_other_hosts.h"
#include "static/toml_library.h"

namespace interlock::scan {

base::ByteSpan SpanOf(const Sheet& sheet, const toml::node& node) {
  const toml::source_region& region = node.source();
  const std::size_t begin = sheet.OffsetOf(region.begin.line, region.begin.column);
  const std::size_t end = sheet.OffsetOf(region.end.line, region.end.column);
  return {begin, std::max(begin, end)};
}

namespace {

constexpr std::size_t kMaxToml = std::size_t{8} << 20;

std::string TextAt(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  return node == nullptr ? std::string() : node->value_or(std::string());
}

const toml::table* TableAt(const toml::table* table, std::string_view key) {
  const toml::node* node = table == nullptr ? nullptr : table->get(key);
  return node == nullptr ? nullptr : node->as_table();
}

const toml::array* ArrayAt(const toml::table* table, std::string_view key) {
  const toml::node* node = table == nullptr ? nullptr : table->get(key);
  return node == nullptr ? nullptr : node->as_array();
}

void AddList(Sheet& sheet, const toml::array* list, bool development) {
  if (list == nullptr) return;
  for (const toml::node& node : *list) {
    if (const auto* text = node.as_string()) AddPep508(sheet, text->get(), SpanOf(sheet, node), development);
  }
}

void AddNamedLists(Sheet& sheet, const toml::table* lists, bool development) {
  if (lists == nullptr) return;
  for (const auto& [key, node] : *lists) AddList(sheet, node.as_array(), development);
}

// `name = "^1.2"` or `name = {git = ..., rev = ...}` of Poetry and Pipenv.
void AddTableOf(Sheet& sheet, const toml::table* table, bool development) {
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) {
    if (key.str() == "python") continue;
    const base::ByteSpan bytes = SpanOf(sheet, node);
    const std::string name(key.str());
    const toml::table* const details = node.as_table();
    std::string version = node.value_or(std::string());
    if (details != nullptr) {
      version = TextAt(*details, "version");
      for (const std::string_view source : {"url", "git"}) {
        const std::string url = TextAt(*details, source);
        if (url.empty()) continue;
        std::string ref = TextAt(*details, "rev");
        if (ref.empty()) ref = TextAt(*details, "ref");
        const std::string whole = source == "git" ? "git+" + url + (ref.empty() ? "" : "@" + ref) : url;
        AddPep508(sheet, name + " @ " + whole, bytes, development);
        version.clear();
      }
      if (version.empty()) continue;  // from a folder or a repository
    }
    const bool exact = version.starts_with("==") ||
                       (!version.empty() && version.find_first_not_of("0123456789.abcrdevpost+") == std::string::npos);
    const std::size_t digits = version.find_first_not_of("= ");
    sheet.Add({.ecosystem = kPypi,
               .name = name,
               .version = exact && digits != std::string::npos ? version.substr(digits) : version,
               .pinned = exact,
               .development = development,
               .bytes = bytes});
  }
}

// uv.toml and `[tool.uv]`: addresses as pip has them, at the top and below `pip`. uv takes a name from the first index
// that has it, unless told to look for the highest version in all: then whoever owns one of them owns every name.
void ReadUvIndexes(Sheet& sheet, const toml::table* uv) {
  constexpr double kAnyOwner = 1.6;
  const auto strategy = [](const toml::table* one) {
    const toml::node* const said = one == nullptr ? nullptr : one->get("index-strategy");
    return said != nullptr && said->value_or(std::string()).starts_with("unsafe-");
  };
  const double scale = strategy(uv) || strategy(TableAt(uv, "pip")) ? kAnyOwner : 1.0;
  for (const toml::table* const one : {uv, TableAt(uv, "pip")}) {
    if (one == nullptr) continue;
    if (const toml::node* const url = one->get("index-url")) {
      sheet.Index(url->value_or(std::string()), SpanOf(sheet, *url), true);
    }
    if (const toml::array* const list = ArrayAt(one, "extra-index-url")) {
      for (const toml::node& url : *list) sheet.Index(url.value_or(std::string()), SpanOf(sheet, url), false, scale);
    }
  }
  if (const toml::array* const list = ArrayAt(uv, "index")) {
    for (const toml::node& node : *list) {
      const toml::table* const source = node.as_table();
      const toml::node* const url = source == nullptr ? nullptr : source->get("url");
      if (url == nullptr) continue;
      const bool named = source->get("explicit") != nullptr && source->get("explicit")->value_or(false);
      const bool only = source->get("default") != nullptr && source->get("default")->value_or(false);
      if (named) {
        sheet.Source(url->value_or(std::string()), SpanOf(sheet, *url), "package index");
      } else {
        sheet.Index(url->value_or(std::string()), SpanOf(sheet, *url), only, only ? 1.0 : scale);
      }
    }
  }
}

// Files of the package that build it, which installing from its sources does.
void ReadBuilders(Sheet& sheet, const toml::table& root, const toml::table* tool) {
  const toml::table* const build = TableAt(&root, "build-system");
  if (build != nullptr) {
    std::string backend = TextAt(*build, "build-backend");
    backend = backend.substr(0, backend.find(':'));
    std::replace(backend.begin(), backend.end(), '.', '/');
    const toml::array* const folders = ArrayAt(build, "backend-path");
    if (folders != nullptr && !backend.empty()) {
      for (const toml::node& folder : *folders) {
        std::string path = folder.value_or(std::string());
        path = path == "." || path.empty() ? backend : path + "/" + backend;
        sheet.Entry(path + ".py", true);
        sheet.Entry(path + "/__init__.py", true);
      }
    }
  }
  if (const toml::table* const poetry = TableAt(TableAt(tool, "poetry"), "build")) {
    sheet.Entry(TextAt(*poetry, "script"), true);
  }
  const toml::table* const hatch = TableAt(TableAt(TableAt(tool, "hatch"), "build"), "hooks");
  if (const toml::table* const custom = TableAt(hatch, "custom")) {
    const std::string path = TextAt(*custom, "path");
    sheet.Entry(path.empty() ? "hatch_build.py" : path, true);
  }
}

void ReadPyproject(Sheet& sheet, const toml::table& root) {
  SupplyFacts& facts = sheet.facts();
  const toml::table* const project = TableAt(&root, "project");
  const toml::table* const tool = TableAt(&root, "tool");
  const toml::table* const poetry = TableAt(tool, "poetry");
  for (const toml::table* own : {project, poetry}) {
    if (own == nullptr || !sheet.is_own()) continue;
    if (const toml::node* const name = own->get("name"); name != nullptr)
      sheet.OwnName(kPypi, TextAt(*own, "name"), SpanOf(sheet, *name));
    if (facts.package_version.empty()) facts.package_version = TextAt(*own, "version");
    if (facts.package_description.empty()) facts.package_description = TextAt(*own, "description");
    for (const std::string_view key : {"scripts", "gui-scripts"}) {
      const toml::table* const scripts = TableAt(own, key);
      if (scripts == nullptr) continue;
      for (const auto& [name, node] : *scripts) {
        const std::string target = node.value_or(std::string());
        sheet.EntryOfModule(std::string_view(target).substr(0, target.find(':')));
      }
    }
  }
  ReadBuilders(sheet, root, tool);
  AddList(sheet, ArrayAt(project, "dependencies"), false);
  AddNamedLists(sheet, TableAt(project, "optional-dependencies"), true);
  AddNamedLists(sheet, TableAt(&root, "dependency-groups"), true);
  const std::size_t before = facts.findings.size();
  AddList(sheet, ArrayAt(TableAt(&root, "build-system"), "requires"), true);
  // What builds the package runs while it is installed.
  for (std::size_t i = before; i < facts.findings.size(); ++i) {
    if (facts.findings[i].rule == "SC-014") facts.findings[i].severity = core::Severity::kHigh;
  }
  AddTableOf(sheet, TableAt(poetry, "dependencies"), false);
  AddTableOf(sheet, TableAt(poetry, "dev-dependencies"), true);
  if (const toml::table* const groups = TableAt(poetry, "group")) {
    for (const auto& [name, node] : *groups) AddTableOf(sheet, TableAt(node.as_table(), "dependencies"), true);
  }
  const auto indexes = [&](const toml::array* list, std::string_view mode_key) {
    if (list == nullptr) return;
    for (const toml::node& node : *list) {
      const toml::table* const source = node.as_table();
      if (source == nullptr) continue;
      const toml::node* const url = source->get("url");
      if (url == nullptr) continue;
      const std::string mode = TextAt(*source, mode_key);
      const bool is_default = source->get("default") != nullptr && source->get("default")->value_or(false);
      const bool named_only =
          mode == "explicit" || (source->get("explicit") != nullptr && source->get("explicit")->value_or(false));
      if (named_only) {
        sheet.Source(url->value_or(std::string()), SpanOf(sheet, *url), "package index");
      } else {
        sheet.Index(url->value_or(std::string()), SpanOf(sheet, *url),
                    is_default || mode == "primary" || mode == "default" || mode.empty());
      }
    }
  };
  indexes(ArrayAt(poetry, "source"), "priority");
  indexes(ArrayAt(TableAt(tool, "pdm"), "source"), "type");
  const toml::table* const uv = TableAt(tool, "uv");
  ReadUvIndexes(sheet, uv);
  // What takes the place of what the lists above name, or of what others name.
  AddTableOf(sheet, TableAt(uv, "sources"), false);
  AddList(sheet, ArrayAt(uv, "override-dependencies"), false);
  AddList(sheet, ArrayAt(uv, "constraint-dependencies"), true);
  AddList(sheet, ArrayAt(uv, "dev-dependencies"), true);
  if (const toml::array* const hosts = ArrayAt(uv, "allow-insecure-host")) {
    for (const toml::node& host : *hosts)
      sheet.Unchecked(host.value_or(std::string()), SpanOf(sheet, host), "allow-insecure-host");
  }
}

void ReadLock(Sheet& sheet, const toml::table& root) {
  const toml::array* const packages = ArrayAt(&root, "package");
  if (packages == nullptr) return;
  Locked locked;
  for (const toml::node& node : *packages) {
    const toml::table* const entry = node.as_table();
    if (entry == nullptr) continue;
    const toml::node* const version = entry->get("version");
    const std::string name = TextAt(*entry, "name");
    if (version == nullptr || name.empty()) continue;
    const toml::table* const source = TableAt(entry, "source");
    if (source != nullptr) {
      if (source->get("virtual") != nullptr || source->get("editable") != nullptr ||
          source->get("directory") != nullptr || TextAt(*source, "type") == "directory") {
        continue;  // the package itself
      }
      for (const std::string_view key : {"url", "git", "registry"}) {
        if (const toml::node* const url = source->get(key)) {
          sheet.Source(url->value_or(std::string()), SpanOf(sheet, *url), name);
        }
      }
    }
    const auto hashed_in = [](const toml::array* list) {
      if (list == nullptr || list->empty()) return false;
      const toml::table* const first = list->front().as_table();
      return first != nullptr && first->get("hash") != nullptr;
    };
    const toml::table* const sdist = TableAt(entry, "sdist");
    const bool hashed = hashed_in(ArrayAt(entry, "files")) || hashed_in(ArrayAt(entry, "wheels")) ||
                        (sdist != nullptr && sdist->get("hash") != nullptr);
    // "file" of Poetry and PDM, "url" of uv.
    const auto archive = [&](const toml::table* one) {
      if (one == nullptr) return;
      const std::string url = TextAt(*one, "url");
      CheckLockedPypi(sheet, name, url.empty() ? "pythonhosted.org/" + TextAt(*one, "file") : url, SpanOf(sheet, *one));
      if (!url.empty()) locked.Add(name, url, one->get("hash") != nullptr, SpanOf(sheet, *one));
    };
    archive(sdist);
    for (const std::string_view key : {"wheels", "files"}) {
      const toml::array* const list = ArrayAt(entry, key);
      if (list == nullptr) continue;
      for (const toml::node& one : *list) archive(one.as_table());
    }
    sheet.Add({.ecosystem = kPypi,
               .name = name,
               .version = version->value_or(std::string()),
               .pinned = true,
               .hashed = hashed,
               .direct = false,
               .bytes = SpanOf(sheet, *version)});
  }
  locked.Check(sheet);
}

// bun's settings: where it installs from.
void ReadBunSettings(Sheet& sheet, const toml::table& root) {
  const toml::table* const install = TableAt(&root, "install");
  const toml::node* url = install == nullptr ? nullptr : install->get("registry");
  if (url != nullptr && url->is_table()) url = url->as_table()->get("url");
  if (url != nullptr) sheet.Index(url->value_or(std::string()), SpanOf(sheet, *url), true);
}

void ReadPipfile(Sheet& sheet, const toml::table& root) {
  if (const toml::array* const sources = ArrayAt(&root, "source")) {
    for (const toml::node& node : *sources) {
      const toml::table* const source = node.as_table();
      const toml::node* const url = source == nullptr ? nullptr : source->get("url");
      if (url == nullptr) continue;
      sheet.Index(url->value_or(std::string()), SpanOf(sheet, *url), sources->size() == 1);
      const toml::node* const verify = source->get("verify_ssl");
      if (verify != nullptr && !verify->value_or(true)) {
        sheet.Raise("SC-012", SpanOf(sheet, *verify), "installs do not check who they talk to (verify_ssl = false)");
      }
    }
  }
  AddTableOf(sheet, TableAt(&root, "packages"), false);
  AddTableOf(sheet, TableAt(&root, "dev-packages"), true);
}

std::vector<std::string> StringsOf(const toml::node* node) {
  std::vector<std::string> out;
  const toml::array* const list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr) return out;
  for (const toml::node& one : *list) {
    if (const auto text = one.value<std::string>()) out.push_back(*text);
  }
  return out;
}

// `name = "1.0"`, `name = {version = "=1.2.3", package = "other"}`, `name = {git = ...}` of Cargo.
void AddCrates(Sheet& sheet, const toml::table* table, bool development) {
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) {
    const toml::table* const details = node.as_table();
    std::string name(key.str());
    std::string version = node.value_or(std::string());
    if (details != nullptr) {
      if (const std::string actual = TextAt(*details, "package"); !actual.empty()) name = actual;
      version = TextAt(*details, "version");
      const toml::node* const git = details->get("git");
      if (git != nullptr) sheet.Source(git->value_or(std::string()), SpanOf(sheet, *git), name, development);
      if (git != nullptr && TextAt(*details, "rev").empty() && !development && sheet.is_own()) {
        sheet.Raise("SC-013", SpanOf(sheet, *git),
                    fmt::format("`{}` is whatever its repository holds on the day", name), name);
      }
    }
    if (version.empty()) continue;  // of the workspace, a folder or a repository
    const bool exact = version.starts_with('=');
    sheet.Add({.ecosystem = kCrates,
               .name = std::move(name),
               .version = exact ? std::string(Trim(std::string_view(version).substr(1))) : version,
               .pinned = exact,
               .development = development,
               .bytes = SpanOf(sheet, node)});
  }
}

void ReadCargo(Sheet& sheet, const toml::table& root) {
  const auto lists = [&](const toml::table* one) {
    AddCrates(sheet, TableAt(one, "dependencies"), false);
    AddCrates(sheet, TableAt(one, "build-dependencies"), false);  // run whenever it is built
    AddCrates(sheet, TableAt(one, "dev-dependencies"), true);
  };
  lists(&root);
  AddCrates(sheet, TableAt(TableAt(&root, "workspace"), "dependencies"), false);
  if (const toml::table* const targets = TableAt(&root, "target")) {
    for (const auto& [name, node] : *targets) lists(node.as_table());
  }
  // What takes the place of a registry's crate, for whatever asks for it.
  const toml::table* const patches = TableAt(&root, "patch");
  if (patches == nullptr) return;
  for (const auto& [registry, list] : *patches) {
    if (list.as_table() == nullptr) continue;
    for (const auto& [name, node] : *list.as_table()) {
      const toml::table* const details = node.as_table();
      const toml::node* const git = details == nullptr ? nullptr : details->get("git");
      if (git == nullptr) continue;
      sheet.Source(git->value_or(std::string()), SpanOf(sheet, *git), name.str());
      const std::string host = HostOf(LowerCase(git->value_or(std::string())));
      const HostKind kind = KindOfHost(host);
      if (host.empty() || kind == HostKind::kForge || kind == HostKind::kRegistry || kind == HostKind::kLocal) continue;
      sheet
          .Raise("SC-014", SpanOf(sheet, *git),
                 fmt::format("`{}` is replaced everywhere by a repository on {}", name.str(), host), name.str())
          .host = host;
    }
  }
}

// .cargo/config.toml: where crates are asked for, `[source.NAME] registry = ...`, `[registries.NAME] index = ...`.
void ReadCargoSettings(Sheet& sheet, const toml::table& root) {
  for (const std::string_view group : {"source", "registries"}) {
    const toml::table* const list = TableAt(&root, group);
    if (list == nullptr) continue;
    bool replaced = false;
    for (const auto& [name, node] : *list)
      replaced = replaced || (node.as_table() != nullptr && node.as_table()->contains("replace-with"));
    for (const auto& [name, node] : *list) {
      for (const std::string_view key : {"registry", "index", "git"}) {
        const toml::node* const url = node.as_table() == nullptr ? nullptr : node.as_table()->get(key);
        if (url == nullptr) continue;
        std::string from = url->value_or(std::string());
        if (from.starts_with("sparse+")) from.erase(0, 7);
        sheet.Source(from, SpanOf(sheet, *url), "package registry");
        // [source] crates-io = {replace-with = "fast"}
        if (group == "source" && key == "registry" && replaced) sheet.Index(from, SpanOf(sheet, *url), true, 1.4);
      }
    }
  }
}

void ReadCargoLock(Sheet& sheet, const toml::table& root) {
  const toml::array* const packages = ArrayAt(&root, "package");
  if (packages == nullptr) return;
  for (const toml::node& node : *packages) {
    const toml::table* const entry = node.as_table();
    const toml::node* const version = entry == nullptr ? nullptr : entry->get("version");
    if (version == nullptr || !TextAt(*entry, "source").starts_with("registry+")) continue;
    sheet.Add({.ecosystem = kCrates,
               .name = TextAt(*entry, "name"),
               .version = version->value_or(std::string()),
               .pinned = true,
               .hashed = !TextAt(*entry, "checksum").empty(),
               .direct = false,
               .bytes = SpanOf(sheet, *version)});
  }
}

// Codex: servers that it starts, and the program that it tells of each turn.
void ReadCodexConfig(Sheet& sheet, const toml::table& root) {
  if (const toml::table* const servers = TableAt(&root, "mcp_servers")) ReadTomlServers(sheet, *servers);
  const std::vector<std::string> notify = StringsOf(root.get("notify"));
  if (!notify.empty()) {
    const std::vector<std::string> rest(notify.begin() + 1, notify.end());
    sheet.Hook("notify", code::CommandLine(notify.front(), rest), SpanOf(sheet, *root.get("notify")),
               core::Reach::kInstall);
  }
}

}  // namespace

bool ReadTomlManifest(Sheet& sheet, std::string_view base) {
  const bool cargo = base == "config.toml" && sheet.path().find(".cargo/") != std::string_view::npos;
  const bool codex = base == "config.toml" && (sheet.path().ends_with(".codex/config.toml") ||
                                               sheet.text().find("mcp_servers") != std::string_view::npos);
  if (base != "pyproject.toml" && base != "poetry.lock" && base != "uv.lock" && base != "pipfile" &&
      base != "pdm.lock" && base != "uv.toml" && base != "bunfig.toml" && base != "cargo.toml" &&
      base != "cargo.lock" && !codex && !cargo) {
    return false;
  }
  if (sheet.text().size() > kMaxToml) return true;
  toml::table root;
  try {
    root = toml::parse(sheet.text());
  } catch (const std::exception&) {
    return true;  // no TOML: nothing is installed from it either
  }
  if (codex)
    ReadCodexConfig(sheet, root);
  else if (cargo)
    ReadCargoSettings(sheet, root);
  else if (base == "pyproject.toml")
    ReadPyproject(sheet, root);
  else if (base == "cargo.toml")
    ReadCargo(sheet, root);
  else if (base == "cargo.lock")
    ReadCargoLock(sheet, root);
  else if (base == "pipfile")
    ReadPipfile(sheet, root);
  else if (base == "uv.toml")
    ReadUvIndexes(sheet, &root);
  else if (base == "bunfig.toml")
    ReadBunSettings(sheet, root);
  else
    ReadLock(sheet, root);
  return true;
}

}  // namespace interlock::scan
