// interlock.scan/v1.
#include "fmt/format.h"
#include "interlock/base/json.h"
#include "interlock/scan/report.h"
#include "report/permission_list.h"

namespace interlock::scan {
namespace {

using base::JsonWriter;

void WriteFinding(const core::Finding& finding, const RuleSet& rules, JsonWriter& w) {
  const Rule* rule = rules.Find(finding.rule);
  w.BeginObject().Key("rule").String(finding.rule).Key("class").String(core::NameOf(finding.threat));
  w.Key("severity").String(core::NameOf(finding.severity)).Key("confidence").Double(finding.confidence);
  w.Key("nature").String(core::NameOf(finding.nature)).Key("reach").String(core::NameOf(finding.reach));
  w.Key("file").String(finding.file).Key("line").Uint(finding.line).Key("column").Uint(finding.column);
  w.Key("end_line").Uint(finding.end_line).Key("end_column").Uint(finding.end_column);
  w.Key("begin").Uint(finding.begin).Key("end").Uint(finding.end);
  w.Key("message").String(finding.message).Key("evidence").String(finding.evidence);
  if (!finding.decoded.empty()) w.Key("decoded").String(finding.decoded);
  if (!finding.subject.empty()) w.Key("subject").String(finding.subject);
  w.Key("flow").BeginArray();
  for (const core::FlowStep& step : finding.flow) {
    w.BeginObject().Key("file").String(step.file).Key("line").Uint(step.line).Key("column").Uint(step.column);
    w.Key("text").String(step.text).EndObject();
  }
  w.EndArray();
  w.Key("remedy").String(rule != nullptr ? rule->remedy : std::string_view{});
  w.Key("fingerprint").String(finding.fingerprint);
  if (finding.repeats > 0) w.Key("repeats").Uint(finding.repeats);
  if (!finding.suppressed.empty()) w.Key("suppressed").String(finding.suppressed);
  w.EndObject();
}

void WritePackage(const ScanReport& report, const RuleSet& rules, JsonWriter& w) {
  w.BeginObject().Key("target").String(report.target).Key("kind").String(NameOf(report.kind));
  w.Key("name").String(report.name).Key("description").String(report.description);
  w.Key("verdict").String(core::NameOf(report.verdict)).Key("score").Double(report.score);
  w.Key("reason").String(core::NameOf(report.reason)).Key("summary").String(report.summary);
  w.Key("layers").BeginArray();
  for (const std::string& layer : report.layers) w.String(layer);
  w.EndArray();
  w.Key("rules").String(report.rules_version);
  w.Key("coverage")
      .BeginObject()
      .Key("bytes")
      .Uint(report.coverage.bytes)
      .Key("analysed")
      .Uint(report.coverage.analysed);
  w.Key("skipped").BeginArray();
  for (const core::SkippedPart& part : report.coverage.skipped) {
    w.BeginObject().Key("path").String(part.path).Key("reason").String(core::NameOf(part.reason));
    w.Key("bytes").Uint(part.bytes).Key("detail").String(part.detail).EndObject();
  }
  w.EndArray().EndObject();
  w.Key("permissions").BeginObject().Key("exercised");
  WritePermissions(report.exercised, w);
  w.Key("declares").Bool(report.declares).Key("declared");
  WritePermissions(report.declared, w);
  w.Key("uses").BeginArray();
  for (const PermissionUse& use : report.permissions) {
    w.BeginObject().Key("permission").String(core::NameOf(use.permission)).Key("file").String(use.file);
    w.Key("line").Uint(use.line).Key("detail").String(use.detail).Key("reach").String(core::NameOf(use.reach));
    w.Key("tools").BeginArray();
    for (const std::string& tool : use.tools) w.String(tool);
    w.EndArray().EndObject();
  }
  w.EndArray().EndObject();
  w.Key("tools").BeginArray();
  for (const ToolSurface& tool : report.tools) {
    w.BeginObject().Key("name").String(tool.name).Key("kind").String(tool.kind).Key("file").String(tool.file);
    w.Key("line").Uint(tool.line).Key("exercised");
    WritePermissions(tool.exercised, w);
    w.Key("declares").Bool(tool.declares).Key("declared");
    WritePermissions(tool.declared, w);
    if (!tool.definition.empty()) w.Key("definition").String(tool.definition);
    w.EndObject();
  }
  w.EndArray();
  w.Key("dependencies").BeginArray();
  for (const Dependency& dependency : report.dependencies) {
    w.BeginObject().Key("ecosystem").String(dependency.ecosystem).Key("name").String(dependency.name);
    w.Key("version")
        .String(dependency.version)
        .Key("pinned")
        .Bool(dependency.pinned)
        .Key("hashed")
        .Bool(dependency.hashed);
    w.Key("direct").Bool(dependency.direct).Key("file").String(dependency.file).Key("line").Uint(dependency.line);
    w.Key("purl").String(dependency.purl).EndObject();
  }
  w.EndArray();
  w.Key("vulnerabilities").BeginArray();
  for (const KnownVulnerability& known : report.vulnerabilities) {
    w.BeginObject().Key("id").String(known.id).Key("summary").String(known.summary);
    w.Key("severity").String(core::NameOf(known.severity));
    if (known.score >= 0.0) w.Key("score").Double(known.score).Key("vector").String(known.vector);
    w.Key("cwe").BeginArray();
    for (const std::uint32_t cwe : known.cwe) w.Uint(cwe);
    w.EndArray().Key("fixed").String(known.fixed).Key("ecosystem").String(known.ecosystem);
    w.Key("name").String(known.name).Key("version").String(known.version).Key("purl").String(known.purl);
    w.Key("direct").Bool(known.direct).Key("development").Bool(known.development).EndObject();
  }
  w.EndArray();
  w.Key("files").BeginArray();
  for (const FileRecord& file : report.files) {
    w.BeginObject().Key("path").String(file.path).Key("sha256").String(file.sha256).Key("bytes").Uint(file.bytes);
    w.Key("analysed").Uint(file.analysed).Key("type").String(file.type).Key("reach").String(core::NameOf(file.reach));
    w.EndObject();
  }
  w.EndArray();
  w.Key("findings").BeginArray();
  for (const core::Finding& finding : report.findings) WriteFinding(finding, rules, w);
  w.EndArray().EndObject();
}

}  // namespace

std::string JsonReport(std::span<const ScanReport> reports, const RuleSet& rules, std::string_view version) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("schema").String(kScanSchema).Key("version").String(version).Key("rules").String(rules.version());
  w.Key("packages").BeginArray();
  for (const ScanReport& report : reports) WritePackage(report, rules, w);
  w.EndArray().EndObject();
  out += '\n';
  return out;
}

}  // namespace interlock::scan
