// SARIF 2.1.0. One run for all packages: paths start with the target where there are several.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "fmt/format.h"
#include "interlock/base/json.h"
#include "interlock/scan/report.h"

namespace interlock::scan {
namespace {

using base::JsonWriter;
using core::Finding;

constexpr std::string_view kSchemaUri = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr std::string_view kHome = "https://github.com/interlock/interlock";

std::string_view LevelOf(core::Severity severity, core::Nature nature) {
  if (nature == core::Nature::kCapability || nature == core::Nature::kHygiene || severity == core::Severity::kInfo)
    return "note";
  return severity >= core::Severity::kHigh ? "error" : "warning";
}

// GitHub and others sort by this: CVSS-like, 0 to 10.
std::string SecuritySeverity(core::Severity severity) {
  constexpr std::array<std::string_view, 5> scores = {"0.0", "3.0", "5.5", "8.0", "9.5"};
  return std::string(scores[static_cast<std::size_t>(severity)]);
}

// A URI reference: what is not unreserved or '/' is escaped.
std::string UriOf(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || c == '/';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", u);
    }
  }
  return out;
}

void WriteText(std::string_view key, std::string_view text, JsonWriter& w) {
  w.Key(key).BeginObject().Key("text").String(text).EndObject();
}

void WriteTaxonomyReference(std::string_view name, std::string_view id, JsonWriter& w) {
  w.BeginObject().Key("target").BeginObject().Key("id").String(id).Key("toolComponent").BeginObject();
  w.Key("name")
      .String(name)
      .EndObject()
      .EndObject()
      .Key("kinds")
      .BeginArray()
      .String("relevant")
      .EndArray()
      .EndObject();
}

void WriteRule(const Rule& rule, JsonWriter& w) {
  w.BeginObject().Key("id").String(rule.id).Key("name").String(rule.title);
  WriteText("shortDescription", rule.title, w);
  WriteText("fullDescription", rule.rationale.empty() ? rule.title : rule.rationale, w);
  w.Key("help").BeginObject().Key("text").String(rule.rationale + "\nRemedy: " + rule.remedy);
  w.Key("markdown").String(rule.rationale + "\n\n**Remedy:** " + rule.remedy).EndObject();
  w.Key("defaultConfiguration").BeginObject().Key("level").String(LevelOf(rule.severity, rule.nature)).EndObject();
  w.Key("properties").BeginObject().Key("security-severity").String(SecuritySeverity(rule.severity));
  w.Key("precision")
      .String(rule.confidence >= 0.85   ? "very-high"
              : rule.confidence >= 0.65 ? "high"
              : rule.confidence >= 0.4  ? "medium"
                                        : "low");
  w.Key("nature").String(core::NameOf(rule.nature));
  w.Key("maturity").String(rule.maturity == Maturity::kStable ? "stable" : "incubating");
  w.Key("tags").BeginArray().String("security");
  if (rule.threat != core::ThreatClass::kNone) w.String(core::NameOf(rule.threat));
  for (const auto* list : {&rule.stride, &rule.owasp, &rule.atlas}) {
    for (const std::string& tag : *list) w.String(tag);
  }
  w.EndArray().EndObject();
  w.Key("relationships").BeginArray();
  if (rule.threat != core::ThreatClass::kNone) WriteTaxonomyReference("skill-threats", core::NameOf(rule.threat), w);
  for (const std::string& cwe : rule.cwe) WriteTaxonomyReference("CWE", cwe, w);
  w.EndArray().EndObject();
}

void WriteTaxonomies(const std::set<std::string>& cwes, JsonWriter& w) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> threats = {
      {{"T1", "Supply chain"},
       {"T2", "Prompt injection"},
       {"T3", "Tool-description jailbreak"},
       {"T4", "Privilege escalation"},
       {"T5", "Dependency confusion"},
       {"T6", "Exfiltration"},
       {"T7", "State and memory poisoning"},
       {"T8", "Memory safety"}}};
  w.Key("taxonomies").BeginArray();
  w.BeginObject().Key("name").String("skill-threats").Key("organization").String("interlock");
  WriteText("shortDescription", "Threat classes of agentic skill packages", w);
  w.Key("taxa").BeginArray();
  for (const auto& [id, name] : threats) {
    w.BeginObject().Key("id").String(id).Key("name").String(name);
    WriteText("shortDescription", name, w);
    w.EndObject();
  }
  w.EndArray().EndObject();
  if (!cwes.empty()) {
    w.BeginObject().Key("name").String("CWE").Key("organization").String("MITRE");
    WriteText("shortDescription", "The MITRE Common Weakness Enumeration", w);
    w.Key("taxa").BeginArray();
    for (const std::string& cwe : cwes) w.BeginObject().Key("id").String(cwe).EndObject();
    w.EndArray().EndObject();
  }
  w.EndArray();
}

struct Region {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;
};

void WritePhysical(std::string_view prefix, std::string_view file, const Region& region, std::string_view snippet,
                   JsonWriter& w) {
  w.Key("physicalLocation").BeginObject().Key("artifactLocation").BeginObject();
  w.Key("uri").String(UriOf(std::string(prefix) + std::string(file))).EndObject();
  if (region.line > 0) {
    // Columns count UTF-8 bytes here; SARIF knows UTF-16 units and code points only, so bytes go to byteOffset-free
    // regions: start column is exact for ASCII lines.
    w.Key("region")
        .BeginObject()
        .Key("startLine")
        .Uint(region.line)
        .Key("startColumn")
        .Uint(std::max(1U, region.column));
    if (region.end_line > 0) {
      w.Key("endLine").Uint(std::max(region.end_line, region.line));
      const bool same_line = region.end_line <= region.line;
      w.Key("endColumn").Uint(same_line ? std::max(region.end_column, region.column) : std::max(1U, region.end_column));
    }
    if (!snippet.empty()) {
      w.Key("snippet").BeginObject().Key("text").String(snippet).EndObject();
    }
    w.EndObject();
  }
  w.EndObject();
}

void WriteResult(const Finding& finding, std::string_view prefix, std::size_t rule_index, JsonWriter& w) {
  w.BeginObject().Key("ruleId").String(finding.rule).Key("ruleIndex").Uint(rule_index);
  w.Key("level").String(LevelOf(finding.severity, finding.nature));
  std::string message = finding.message;
  if (!finding.decoded.empty()) message += "\nDecoded: " + finding.decoded;
  WriteText("message", message.empty() ? finding.rule : message, w);
  w.Key("locations").BeginArray().BeginObject();
  WritePhysical(prefix, finding.file, {finding.line, finding.utf16_column, finding.end_line, finding.utf16_end_column},
                finding.evidence, w);
  if (!finding.subject.empty()) {
    w.Key("logicalLocations").BeginArray().BeginObject().Key("name").String(finding.subject).EndObject().EndArray();
  }
  w.EndObject().EndArray();
  w.Key("partialFingerprints").BeginObject().Key("interlock/v1").String(finding.fingerprint).EndObject();
  w.Key("rank").Double(finding.confidence * 100.0);
  if (!finding.flow.empty()) {
    w.Key("codeFlows")
        .BeginArray()
        .BeginObject()
        .Key("threadFlows")
        .BeginArray()
        .BeginObject()
        .Key("locations")
        .BeginArray();
    for (const core::FlowStep& step : finding.flow) {
      w.BeginObject().Key("location").BeginObject();
      WritePhysical(prefix, step.file, {step.line, step.column, 0, 0}, {}, w);
      WriteText("message", step.text, w);
      w.EndObject().EndObject();
    }
    w.EndArray().EndObject().EndArray().EndObject().EndArray();
  }
  if (!finding.suppressed.empty()) {
    w.Key("suppressions").BeginArray().BeginObject().Key("kind").String("external");
    w.Key("justification").String(finding.suppressed).EndObject().EndArray();
  }
  w.Key("properties").BeginObject().Key("confidence").Double(finding.confidence);
  w.Key("nature").String(core::NameOf(finding.nature)).Key("reach").String(core::NameOf(finding.reach));
  w.Key("repeats").Uint(finding.repeats).EndObject();
  w.EndObject();
}

// What to put before a package's paths, so that they are those of the folder in which the scan was started: a host
// shows a finding in its file only then. For targets elsewhere, the last part of their name where there are several.
std::string PrefixOf(const ScanReport& report, bool several) {
  std::string_view target = report.target;
  while (target.starts_with("./")) target.remove_prefix(2);
  while (target.ends_with('/') && target.size() > 1) target.remove_suffix(1);
  const bool single = report.files.size() == 1;
  const bool live = single && report.files.front().path == core::kMcpListingPath;
  if (!live && !target.starts_with('/') && !target.starts_with("..") && target.find("://") == std::string_view::npos) {
    if (target.empty() || target == ".") return {};
    if (single && target == report.files.front().path) return {};
    if (single && target.ends_with("/" + report.files.front().path)) {
      return std::string(target.substr(0, target.size() - report.files.front().path.size()));
    }
    return std::string(target) + "/";
  }
  return several ? std::string(target.substr(target.rfind('/') + 1)) + "/" : std::string{};
}

}  // namespace

std::string SarifReport(std::span<const ScanReport> reports, const RuleSet& rules, std::string_view version) {
  // Only rules that speak, so that a small report stays small.
  std::map<std::string_view, std::size_t> index;
  std::set<std::string> cwes;
  for (const ScanReport& report : reports) {
    for (const Finding& finding : report.findings) {
      if (const Rule* rule = rules.Find(finding.rule)) {
        index.emplace(rule->id, 0);
        cwes.insert(rule->cwe.begin(), rule->cwe.end());
      }
    }
  }
  std::size_t next = 0;
  for (auto& [id, position] : index) position = next++;

  std::string out;
  JsonWriter w(out);
  w.BeginObject()
      .Key("$schema")
      .String(kSchemaUri)
      .Key("version")
      .String("2.1.0")
      .Key("runs")
      .BeginArray()
      .BeginObject();
  w.Key("tool").BeginObject().Key("driver").BeginObject().Key("name").String("interlock");
  w.Key("semanticVersion").String(version).Key("informationUri").String(kHome).Key("rules").BeginArray();
  for (const auto& [id, position] : index) WriteRule(*rules.Find(id), w);
  w.EndArray();
  w.Key("supportedTaxonomies").BeginArray().BeginObject().Key("name").String("skill-threats").EndObject();
  if (!cwes.empty()) w.BeginObject().Key("name").String("CWE").EndObject();
  w.EndArray().EndObject().EndObject();
  WriteTaxonomies(cwes, w);
  w.Key("columnKind").String("utf16CodeUnits");

  w.Key("invocations").BeginArray().BeginObject().Key("executionSuccessful").Bool(true);
  w.Key("toolExecutionNotifications").BeginArray();
  for (const ScanReport& report : reports) {
    for (const core::SkippedPart& part : report.coverage.skipped) {
      w.BeginObject().Key("level").String("note");
      WriteText("message", fmt::format("not analysed ({}): {} {}", core::NameOf(part.reason), part.path, part.detail),
                w);
      w.EndObject();
    }
  }
  w.EndArray().EndObject().EndArray();

  w.Key("results").BeginArray();
  for (const ScanReport& report : reports) {
    const std::string prefix = PrefixOf(report, reports.size() > 1);
    for (const Finding& finding : report.findings) {
      const auto found = index.find(finding.rule);
      if (found != index.end()) WriteResult(finding, prefix, found->second, w);
    }
  }
  w.EndArray();
  w.Key("properties").BeginObject().Key("packages").BeginArray();
  for (const ScanReport& report : reports) {
    w.BeginObject().Key("target").String(report.target).Key("verdict").String(core::NameOf(report.verdict));
    w.Key("reason").String(core::NameOf(report.reason)).Key("score").Double(report.score).EndObject();
  }
  w.EndArray().EndObject();
  w.EndObject().EndArray().EndObject();
  out += '\n';
  return out;
}

}  // namespace interlock::scan
