#include "static/shown_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/base/find_bytes.h"
#include "interlock/scan/scanner.h"
#include "rules_impl.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/last_word.h"
#include "static/literals.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxBlock = std::size_t{64} << 10;
constexpr std::size_t kLeast = 24;    // bytes
constexpr double kShown = 0.85;       // as shown_code.cc has it
constexpr double kLeastSure = 0.35;   // of a finding: the lesser ones are about what surrounds a file
constexpr double kLeastWeak = 0.25;   // ... of a weakness, ...
constexpr double kOfUntouched = 0.5;  // ... of which the verdict leaves so much in a file that no tool reaches

bool IsSettings(std::string_view path) {
  switch (TypeOfName(path)) {
    case FileType::kJson:
    case FileType::kYaml:
    case FileType::kToml:
    case FileType::kIni:
    case FileType::kXml:
    case FileType::kDockerfile:
      return true;
    default:
      return path.ends_with(".tf") || path.ends_with(".service") || path.ends_with(".plist") ||
             BaseName(path) == "crontab";
  }
}

// The last word of a text that is the name of a file of settings: `envs/prod/backend.tf`, ~/.config/pip/pip.conf
std::string_view NamedIn(std::string_view text) {
  return LastWordThat(text, {}, [](std::string_view word) {
    return (word.find('.') != std::string_view::npos && IsSettings(word)) || word == "Dockerfile" || word == "crontab";
  });
}

// What no lead names, told by what stands in it.
std::string_view NameBy(std::string_view lang, std::string_view block) {
  const auto says = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::all_of(words, [&](std::string_view word) { return base::HasBytes(block, word); });
  };
  if (lang == "json" || lang == "jsonc" || lang == "json5") {
    if (says({"mcpServers"})) return ".mcp.json";
    if (says({"\"hooks\""}) || says({"\"permissions\""})) return ".claude/settings.json";
    return "shown.json";
  }
  if (lang == "yaml" || lang == "yml") {
    if (says({"jobs:", "on:"})) return "pipeline.yml";
    return says({"services:"}) ? "docker-compose.yml" : "shown.yaml";
  }
  if (lang == "toml") return says({"mcp_servers"}) ? ".codex/config.toml" : "shown.toml";
  if (lang == "ini" || lang == "conf" || lang == "cfg") return says({"index-url"}) ? "pip.conf" : "shown.ini";
  if (lang == "dotenv" || lang == "env") return ".env";
  if (lang == "hcl" || lang == "terraform" || lang == "tf") return "main.tf";
  if (lang == "dockerfile" || lang == "docker") return "Dockerfile";
  if (lang == "npmrc") return ".npmrc";
  return {};
}

}  // namespace

std::string PathOfShown(std::string_view lang, std::string_view block, std::string_view lead) {
  constexpr std::size_t kFirstLine = 120;
  if (block.size() < kLeast || block.size() > kMaxBlock) return {};
  std::string_view named;
  const std::string_view first = block.substr(0, std::min(block.find('\n'), kFirstLine));
  if (first.starts_with("# ") || first.starts_with("// ")) named = NamedIn(first);
  const std::string_view by_content = NameBy(lang, block);
  // Of a block in another language what is named before it is what it reads.
  if (named.empty() && (lang.empty() || !by_content.empty())) named = NamedIn(lead);
  if (named.empty()) named = by_content;
  while (named.starts_with("./") || named.starts_with("~/")) named.remove_prefix(2);
  while (named.starts_with('/')) named.remove_prefix(1);
  if (named.find("..") != std::string_view::npos) return {};
  // A pipeline that an agent writes is no build of the package's own.
  if (named.starts_with(".github/") || named.starts_with(".circleci/")) named = BaseName(named);
  return std::string(named);
}

void JudgeShownFile(std::string path, std::string_view block, std::uint32_t file, const RuleSet& rules,
                    std::vector<RawFinding>& out, bool orders) {
  core::PackageView view;
  view.files.emplace_back();
  view.files.back().path = std::move(path);
  view.files.back().bytes = std::string(block);
  ScanOptions options;
  options.rules = &rules;
  for (const core::Finding& found : Scan(view, options).findings) {
    const Rule* const rule = rules.Find(found.rule);
    // What its words say was read with the document's, and weighed by what stands around them.
    if (rule == nullptr || rule->confidence <= 0.0 || rule->id.starts_with("PI-") != orders) continue;
    const bool weak = found.nature == core::Nature::kVulnerable && !rule->id.starts_with("SC-02");
    if (found.nature != core::Nature::kMalicious && !weak) continue;
    if (found.confidence < (weak ? kLeastWeak : kLeastSure)) continue;
    RawFinding finding;
    finding.rule = rule->id;
    finding.file = file;
    finding.bytes = {found.begin, found.end};
    finding.scale = kShown * found.confidence / (rule->confidence * (weak ? kOfUntouched : 1.0));
    finding.message = found.message;
    finding.decoded = found.decoded;
    finding.told = true;
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
