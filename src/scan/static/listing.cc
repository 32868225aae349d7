// Front matter's two lines that matter here, and the entries of MCP listings.
#include "static/listing.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "code/places.h"
#include "interlock/base/digest.h"
#include "interlock/base/find_bytes.h"
#include "interlock/base/json.h"
#include "static/classify.h"
#include "static/front_matter.h"
#include "static/shell_judge.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxTools = 10'000;
constexpr std::size_t kShown = 100;

std::string_view Trim(std::string_view text) {
  while (!text.empty() &&
         (text.front() == ' ' || text.front() == '\t' || text.front() == '"' || text.front() == '\'')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '"' || text.back() == '\'')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view FrontMatterValue(std::string_view text, std::string_view key) {
  const std::string_view matter = FindFrontMatter(text).lines(text);
  std::size_t at = 0;
  while ((at = matter.find('\n', at)) != std::string_view::npos) {
    ++at;
    if (matter.substr(at, key.size()) == key && matter.substr(at + key.size(), 1) == ":") {
      const std::string_view rest = matter.substr(at + key.size() + 1);
      return Trim(rest.substr(0, rest.find('\n')));
    }
  }
  return {};
}

bool IsSkillFile(const FileContext& file) {
  const std::string_view base = BaseName(file.file->path);
  return base == "SKILL.md" || base == "skill.md" || base == "Skill.md";
}

core::PermissionSet PermissionsOf(base::JsonValue list, bool& declares) {
  core::PermissionSet set = 0;
  if (!list.is_array()) return set;
  for (auto it = list.begin(); it != list.end(); ++it) {
    if (const auto permission = core::PermissionFromName((*it).string())) {
      set |= core::BitOf(*permission);
      declares = true;
    }
  }
  return set;
}

// file:///home/dev/.aws/credentials, offered to whoever asks for "defaults".
void JudgeResource(base::JsonValue entry, const FileContext& file, std::vector<RawFinding>& out) {
  const base::JsonValue uri = entry.Find("uri");
  std::string_view path = uri.string();
  if (!path.starts_with("file://")) return;
  path.remove_prefix(7);
  if (code::KindOfPath(path) != code::PathKind::kSecret) return;
  RawFinding finding;
  finding.rule = "EXFIL-008";
  finding.file = file.index;
  finding.bytes = {uri.offset(), uri.offset() + uri.raw().size()};
  finding.message = "offers " + std::string(path.substr(0, kShown)) + " as a resource";
  finding.has_reach = true;
  finding.reach = core::Reach::kTool;
  out.push_back(std::move(finding));
}

// "cc": {"default": ["archive@..."]}: a copy of everything, for somebody whom nobody has named.
void JudgeDefaults(base::JsonValue entry, const FileContext& file, std::vector<RawFinding>& out) {
  constexpr auto kCopies =
      std::to_array<std::string_view>({"cc", "bcc", "copy_to", "copyTo", "also_to", "archive", "archive_to",
                                       "recipients", "notify", "reply_to", "forward_to"});
  for (const std::string_view schema : {"inputSchema", "input_schema", "parameters"}) {
    const base::JsonValue properties = entry.Find(schema).Find("properties");
    if (!properties.is_object()) continue;
    for (auto it = properties.begin(); it != properties.end(); ++it) {
      if (std::ranges::find(kCopies, it.key()) == kCopies.end()) continue;
      const base::JsonValue given = (*it).Find("default");
      const base::JsonValue one = given.is_array() && given.size() > 0 ? *given.begin() : given;
      const std::size_t at = one.string().find('@');
      if (at == std::string_view::npos || at == 0 || IsPlaceholderHost(one.string().substr(at + 1))) continue;
      RawFinding finding;
      finding.rule = "PI-059";
      finding.file = file.index;
      finding.bytes = {given.offset(), given.offset() + given.raw().size()};
      finding.message = "sends a copy to " + std::string(one.string().substr(0, kShown)) + " by default";
      finding.has_reach = true;
      finding.reach = core::Reach::kTool;
      out.push_back(std::move(finding));
    }
  }
}

void ReadEntries(base::JsonValue list, std::string_view kind, const FileContext& file, const LineIndex& lines,
                 ScanReport& report, std::vector<RawFinding>& out) {
  if (!list.is_array()) return;
  for (auto it = list.begin(); it != list.end() && report.tools.size() < kMaxTools; ++it) {
    const base::JsonValue entry = *it;
    if (!entry.is_object()) continue;
    if (kind == "resource") JudgeResource(entry, file, out);
    if (kind == "mcp-tool") JudgeDefaults(entry, file, out);
    ToolSurface tool;
    tool.name = std::string(entry.Find("name").string());
    if (tool.name.empty()) tool.name = std::string(entry.Find("uri").string());
    if (tool.name.empty()) continue;
    tool.kind = kind;
    tool.file = file.file->path;
    tool.line = lines.At(entry.offset()).line;
    tool.description = std::string(entry.Find("description").string());
    tool.declared = PermissionsOf(entry.Find("permissions"), tool.declares);
    const base::JsonValue annotations = entry.Find("annotations");
    if (annotations.Find("readOnlyHint").exists() || annotations.Find("destructiveHint").exists()) tool.declares = true;
    tool.definition = base::DigestOf(entry).ToHex();
    report.tools.push_back(std::move(tool));
  }
}

// `Name:` and `Summary:` of a wheel (notes-1.0.dist-info/METADATA) or of a source package (notes-1.0/PKG-INFO), which
// say what package.json says of others. Several at the top describe several packages: none is this one's.
void ReadMetadata(const std::vector<FileContext>& files, ScanReport& report) {
  const FileContext* own = nullptr;
  for (const FileContext& file : files) {
    if (!IsPackageMetadata(file)) continue;
    const std::string_view path = file.file->path;
    const std::size_t slash = path.find('/');
    const bool top = slash == std::string_view::npos || path.find('/', slash + 1) == std::string_view::npos;
    if (!top) continue;
    if (own != nullptr) return;
    own = &file;
  }
  if (own == nullptr) return;
  const std::string_view text = own->text();
  std::string_view head = text.substr(0, std::min(text.find("\n\n"), text.find("\r\n\r\n")));
  while (!head.empty()) {
    std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("Name: ") && report.name.empty()) report.name = std::string(line.substr(6));
    if (line.starts_with("Summary: ") && report.description.empty()) report.description = std::string(line.substr(9));
  }
}

}  // namespace

void ReadIdentity(const std::vector<FileContext>& files, const SupplyFacts& supply, ScanReport& report) {
  // The shallowest SKILL.md is the package's own; of several, each is one of the things that it holds.
  const FileContext* skill = nullptr;
  std::size_t skills = 0;
  for (const FileContext& file : files) {
    if (!IsSkillFile(file)) continue;
    ++skills;
    if (skill == nullptr || file.file->path.size() < skill->file->path.size()) skill = &file;
  }
  if (skill != nullptr && (skills == 1 || supply.package_name.empty())) {
    report.name = std::string(FrontMatterValue(skill->text(), "name"));
    report.description = std::string(FrontMatterValue(skill->text(), "description"));
  }
  if (report.name.empty()) report.name = supply.package_name;
  if (report.description.empty()) report.description = supply.package_description;
  if (report.name.empty() || report.description.empty()) ReadMetadata(files, report);
}

void ReadListings(const std::vector<FileContext>& files, ScanReport& report, std::vector<RawFinding>& out) {
  for (const FileContext& file : files) {
    if (file.type != FileType::kJson || file.reach > core::Reach::kRuntime) continue;
    const std::string_view text = file.text();
    const bool bare = base::HasBytes(text, "\"inputSchema\"");  // a list without a key around it
    if (!bare && !base::HasBytes(text, "\"tools\"") && !base::HasBytes(text, "\"prompts\"") &&
        !base::HasBytes(text, "\"resources\"") && !base::HasBytes(text, "\"functions\""))
      continue;
    const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(text);
    if (!doc.ok()) continue;
    base::JsonValue root = doc.value().root();
    if (root.Find("result").is_object()) root = root.Find("result");  // a recorded answer
    const LineIndex lines(text);
    if (bare && root.is_array()) ReadEntries(root, "mcp-tool", file, lines, report, out);
    ReadEntries(root.Find("tools"), "mcp-tool", file, lines, report, out);
    ReadEntries(root.Find("functions"), "mcp-tool", file, lines, report, out);
    ReadEntries(root.Find("prompts"), "prompt", file, lines, report, out);
    ReadEntries(root.Find("resources"), "resource", file, lines, report, out);
    const base::JsonValue server = root.Find("server");
    if (report.name.empty())
      report.name = std::string(server.is_object() ? server.Find("name").string() : root.Find("name").string());
    if (report.description.empty()) report.description = std::string(root.Find("description").string());
  }
}

}  // namespace interlock::scan
