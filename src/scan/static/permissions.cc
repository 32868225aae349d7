// Permissions: a reading "no network" that talks to the network is a broken promise; a tool that says nothing is not.
#include "static/permissions.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "fmt/format.h"
#include "interlock/base/json.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/front_matter.h"

namespace interlock::scan {
namespace {

using core::BitOf;
using core::Permission;
using core::PermissionSet;
using core::Reach;

struct NamePermission {
  std::string_view name;
  PermissionSet permissions;
};

// The agent's own tools as skills list them in `allowed-tools`. A shell can do everything.
constexpr PermissionSet kEverything = (PermissionSet{1} << core::kPermissionCount) - 1;
constexpr NamePermission kHostTools[] = {
    {"bash", kEverything},
    {"shell", kEverything},
    {"execute", kEverything},
    {"terminal", kEverything},
    {"read", BitOf(Permission::kFilesystemRead)},
    {"glob", BitOf(Permission::kFilesystemRead)},
    {"grep", BitOf(Permission::kFilesystemRead)},
    {"write", BitOf(Permission::kFilesystemWrite)},
    {"edit", BitOf(Permission::kFilesystemWrite)},
    {"multiedit", BitOf(Permission::kFilesystemWrite)},
    {"notebookedit", BitOf(Permission::kFilesystemWrite)},
    {"webfetch", BitOf(Permission::kNetworkEgress)},
    {"websearch", BitOf(Permission::kNetworkEgress)},
    {"task", BitOf(Permission::kAgentSpawn)},
};

void AddHostTool(std::string_view name, Declaration& declaration) {
  const std::string lower = LowerCase(name.substr(0, name.find('(')));
  declaration.declares = true;
  for (const NamePermission& row : kHostTools) {
    if (lower == row.name) declaration.permissions |= row.permissions;
  }
  if (lower.find("mcp__") == 0) declaration.permissions |= BitOf(Permission::kNetworkEgress);
}

// `allowed-tools: A, B(x:*), C` or a YAML list below it, in the front matter. Read by shape: a full YAML reading of
// front matter is the text analyser's; this line is all that counts here.
void ReadAllowedTools(const FileContext& file, Declaration& declaration) {
  const std::string_view text = file.text();
  const FrontMatter head = FindFrontMatter(text);
  const std::string_view matter = head.lines(text);
  const std::size_t key = matter.find("\nallowed-tools:");
  if (key == std::string_view::npos) return;
  std::size_t stop = matter.find('\n', key + 1);
  while (stop != std::string_view::npos && stop + 1 < matter.size() &&
         (matter[stop + 1] == ' ' || matter[stop + 1] == '-' || matter[stop + 1] == '\t')) {
    stop = matter.find('\n', stop + 1);
  }
  if (stop == std::string_view::npos) stop = matter.size();
  const std::string_view value = matter.substr(key + 15, stop - key - 15);
  std::string word;
  int depth = 0;
  for (const char c : value) {
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    const bool separator = depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '[' || c == ']' ||
                                          c == '"' || c == '\'' || c == '-' || c == '\r');
    if (!separator) {
      word += c;
      continue;
    }
    if (!word.empty()) AddHostTool(word, declaration);
    word.clear();
  }
  if (!word.empty()) AddHostTool(word, declaration);
  declaration.file = file.index;
  declaration.bytes = {head.begin + key, head.begin - 1 + stop};
  declaration.by_host_tools = true;
}

void ReadManifestPermissions(const FileContext& file, Declaration& declaration) {
  if (file.text().find("\"permissions\"") == std::string_view::npos) return;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(file.text());
  if (!doc.ok()) return;
  const base::JsonValue list = doc.value().root().Find("permissions");
  if (!list.is_array()) return;
  bool any = list.size() == 0;
  PermissionSet set = 0;
  for (auto it = list.begin(); it != list.end(); ++it) {
    if (const auto permission = core::PermissionFromName((*it).string())) {
      set |= BitOf(*permission);
      any = true;
    }
  }
  // "permissions" of other formats (browser extensions, Android) have other words: no declaration of ours.
  if (!any) return;
  declaration.declares = true;
  declaration.permissions |= set;
  declaration.file = file.index;
  declaration.bytes = {list.offset(), list.offset() + list.raw().size()};
  std::string_view folder = file.file->path;
  folder = folder.substr(0, folder.size() - BaseName(folder).size());
  // `.claude-plugin/plugin.json` speaks for the folder that it is in.
  const std::string_view above = folder.substr(0, folder.size() - std::min<std::size_t>(folder.size(), 1));
  if (BaseName(above).starts_with('.')) folder = above.substr(0, above.size() - BaseName(above).size());
  declaration.folders.emplace_back(folder);
}

// What leaves the machine, runs programs or reads secrets is worth a word; reading a file is not.
double WeightOf(Permission permission) {
  switch (permission) {
    case Permission::kSecretsRead:
    case Permission::kSubprocess:
    case Permission::kDynamicCode:
      return 1.0;
    case Permission::kNetworkEgress:
    case Permission::kNetworkIngress:
    case Permission::kFilesystemWrite:
    case Permission::kMemoryWrite:
    case Permission::kAgentSpawn:
    case Permission::kToolRegister:
      return 0.8;
    case Permission::kEnvironmentWrite:
      return 0.4;
    case Permission::kEnvironmentRead:
    case Permission::kFilesystemRead:
    case Permission::kMemoryRead:
      return 0.15;
  }
  return 0.0;
}

}  // namespace

bool Declaration::Binds(std::string_view path) const {
  return std::ranges::any_of(folders, [&](const std::string& folder) { return path.starts_with(folder); });
}

Declaration ReadDeclaration(const std::vector<FileContext>& files) {
  Declaration declaration;
  for (const FileContext& file : files) {
    if (file.reach > Reach::kRuntime) continue;
    if (file.type == FileType::kMarkdown && LowerCase(BaseName(file.file->path)) == "skill.md")
      ReadAllowedTools(file, declaration);
    if (file.type == FileType::kJson) ReadManifestPermissions(file, declaration);
  }
  return declaration;
}

void ComparePermissions(const std::vector<FileContext>& files, const code::CodeFacts& facts,
                        const Declaration& declaration, ScanReport& report, std::vector<RawFinding>& out) {
  report.declares = declaration.declares;
  report.declared = declaration.permissions;
  // A file's lines are counted once, however many tools and uses stand in it.
  std::map<std::uint32_t, LineIndex> lines;
  const auto lines_of = [&](std::uint32_t file) -> const LineIndex& {
    auto index = lines.find(file);
    if (index == lines.end()) index = lines.emplace(file, LineIndex(files[file].text())).first;
    return index->second;
  };
  const std::size_t first_tool = report.tools.size();  // those of a listing stand before, known by name
  for (const code::EntryPoint& entry : facts.entries) {
    ToolSurface tool;
    tool.name = entry.name;
    tool.kind = entry.kind;
    tool.description = entry.description;
    tool.declared = entry.declared;
    tool.declares = entry.declares;
    if (entry.file < files.size()) {
      tool.file = files[entry.file].file->path;
      tool.line = lines_of(entry.file).At(entry.loc.begin).line;
    }
    report.tools.push_back(std::move(tool));
  }

  struct Group {
    const code::CapabilityUse* first = nullptr;
    std::uint8_t obfuscation = 0;
  };
  std::map<Permission, Group> beyond;
  std::map<std::tuple<Permission, std::uint32_t, std::string>, std::size_t> seen;
  for (const code::CapabilityUse& use : facts.uses) {
    if (use.file >= files.size()) continue;
    Reach reach = files[use.file].reach;
    if (!use.entries.empty()) reach = std::min(reach, Reach::kTool);
    if (reach <= Reach::kRuntime) report.exercised |= BitOf(use.permission);
    for (const std::uint32_t entry : use.entries) {
      if (entry < facts.entries.size()) {
        report.tools[first_tool + entry].exercised |= BitOf(use.permission);
        for (std::size_t i = 0; i < first_tool; ++i) {
          if (report.tools[i].name == facts.entries[entry].name) report.tools[i].exercised |= BitOf(use.permission);
        }
      }
    }
    if (reach <= Reach::kRuntime && declaration.declares && !declaration.by_host_tools &&
        declaration.Binds(files[use.file].file->path) && (declaration.permissions & BitOf(use.permission)) == 0) {
      Group& group = beyond[use.permission];
      if (group.first == nullptr || use.obfuscation > group.obfuscation) group.first = &use;
      group.obfuscation = std::max(group.obfuscation, use.obfuscation);
    }
    const auto [it, fresh] = seen.try_emplace({use.permission, use.file, use.detail}, report.permissions.size());
    if (!fresh) continue;
    PermissionUse shown;
    shown.permission = use.permission;
    shown.file = files[use.file].file->path;
    shown.line = lines_of(use.file).At(use.loc.begin).line;
    shown.detail = use.detail.empty() ? use.callee : use.detail;
    shown.reach = reach;
    for (const std::uint32_t entry : use.entries) {
      if (entry < facts.entries.size()) shown.tools.push_back(facts.entries[entry].name);
    }
    report.permissions.push_back(std::move(shown));
  }

  for (const auto& [permission, group] : beyond) {
    const double hidden = group.obfuscation >= 2 ? 1.3 : 1.0;
    RawFinding finding;
    finding.rule = "PE-DELTA-001";
    finding.file = group.first->file;
    finding.bytes = {group.first->loc.begin, group.first->loc.end};
    finding.scale = WeightOf(permission) * hidden;
    finding.subject = std::string(core::NameOf(permission));
    finding.message =
        fmt::format("uses {} ({}), which its manifest does not declare", core::NameOf(permission), group.first->callee);
    finding.flow.push_back(
        {declaration.file, static_cast<std::uint32_t>(declaration.bytes.begin), "declares its permissions here"});
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
