// CycloneDX 1.6 JSON.
#include <map>
#include <set>
#include <vector>

#include "fmt/format.h"
#include "interlock/base/json.h"
#include "interlock/scan/report.h"

namespace interlock::scan {
namespace {

using base::JsonWriter;

std::string RefOf(const Dependency& dependency, std::size_t index) {
  return dependency.purl.empty() ? fmt::format("dependency-{}", index) : dependency.purl;
}

// Each weakness once, with every component that has it.
void WriteVulnerabilities(std::span<const ScanReport> reports, JsonWriter& w) {
  std::map<std::string_view, std::vector<const KnownVulnerability*>> by_id;
  for (const ScanReport& report : reports) {
    for (const KnownVulnerability& known : report.vulnerabilities) by_id[known.id].push_back(&known);
  }
  if (by_id.empty()) return;
  w.Key("vulnerabilities").BeginArray();
  for (const auto& [id, places] : by_id) {
    const KnownVulnerability& known = *places.front();
    w.BeginObject().Key("bom-ref").String(fmt::format("vulnerability-{}", id)).Key("id").String(id);
    w.Key("source").BeginObject().Key("name").String("OSV").EndObject();
    w.Key("ratings").BeginArray().BeginObject();
    if (known.score >= 0.0) w.Key("score").Double(known.score);
    w.Key("severity").String(core::NameOf(known.severity));
    if (known.score >= 0.0) {
      w.Key("method").String(known.vector.starts_with("CVSS:3.1") ? "CVSSv31" : "CVSSv3");
      w.Key("vector").String(known.vector);
    }
    w.EndObject().EndArray();
    if (!known.cwe.empty()) {
      w.Key("cwes").BeginArray();
      for (const std::uint32_t cwe : known.cwe) w.Uint(cwe);
      w.EndArray();
    }
    if (!known.summary.empty()) w.Key("description").String(known.summary);
    if (!known.fixed.empty()) w.Key("recommendation").String(fmt::format("Fixed in {}.", known.fixed));
    w.Key("affects").BeginArray();
    std::set<std::string_view> refs;
    for (const KnownVulnerability* place : places) {
      if (place->purl.empty() || !refs.insert(place->purl).second) continue;
      w.BeginObject().Key("ref").String(place->purl).Key("versions").BeginArray();
      w.BeginObject().Key("version").String(place->version).Key("status").String("affected").EndObject();
      w.EndArray().EndObject();
    }
    w.EndArray().EndObject();
  }
  w.EndArray();
}

}  // namespace

std::string CycloneDxReport(std::span<const ScanReport> reports, std::string_view version, std::string_view serial,
                            std::string_view time) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject()
      .Key("$schema")
      .String("http://cyclonedx.org/schema/bom-1.6.schema.json")
      .Key("bomFormat")
      .String("CycloneDX");
  w.Key("specVersion").String("1.6");
  if (!serial.empty()) w.Key("serialNumber").String(fmt::format("urn:uuid:{}", serial));
  w.Key("version").Uint(1);
  w.Key("metadata").BeginObject();
  if (!time.empty()) w.Key("timestamp").String(time);
  w.Key("tools").BeginObject().Key("components").BeginArray().BeginObject().Key("type").String("application");
  w.Key("name").String("interlock").Key("version").String(version).EndObject().EndArray().EndObject();
  if (reports.size() == 1) {
    const ScanReport& report = reports.front();
    w.Key("component").BeginObject().Key("type").String("application").Key("bom-ref").String("package-0");
    w.Key("name").String(report.name.empty() ? report.target : report.name);
    if (!report.description.empty()) w.Key("description").String(report.description);
    w.EndObject();
  }
  w.EndObject();

  w.Key("components").BeginArray();
  std::set<std::string> refs;
  if (reports.size() != 1) {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      w.BeginObject().Key("type").String("application").Key("bom-ref").String(fmt::format("package-{}", i));
      w.Key("name").String(reports[i].name.empty() ? reports[i].target : reports[i].name).EndObject();
    }
  }
  for (const ScanReport& report : reports) {
    for (std::size_t i = 0; i < report.dependencies.size(); ++i) {
      const Dependency& dependency = report.dependencies[i];
      const std::string ref = RefOf(dependency, i);
      if (!refs.insert(ref).second) continue;
      w.BeginObject().Key("type").String("library").Key("bom-ref").String(ref).Key("name").String(dependency.name);
      if (dependency.pinned && !dependency.version.empty()) w.Key("version").String(dependency.version);
      if (!dependency.purl.empty()) w.Key("purl").String(dependency.purl);
      w.Key("properties").BeginArray();
      w.BeginObject().Key("name").String("interlock:constraint").Key("value").String(dependency.version).EndObject();
      w.BeginObject().Key("name").String("interlock:declared-in").Key("value").String(dependency.file).EndObject();
      w.EndArray().EndObject();
    }
  }
  w.EndArray();

  w.Key("services").BeginArray();
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t i = 0; i < reports[p].tools.size(); ++i) {
      const ToolSurface& tool = reports[p].tools[i];
      w.BeginObject()
          .Key("bom-ref")
          .String(fmt::format("tool-{}-{}", p, i))
          .Key("name")
          .String(tool.name.empty() ? tool.kind : tool.name);
      if (!tool.description.empty()) w.Key("description").String(tool.description);
      w.Key("properties").BeginArray();
      w.BeginObject().Key("name").String("interlock:kind").Key("value").String(tool.kind).EndObject();
      for (std::size_t bit = 0; bit < core::kPermissionCount; ++bit) {
        const auto permission = static_cast<core::Permission>(bit);
        if ((tool.exercised & core::BitOf(permission)) == 0) continue;
        w.BeginObject()
            .Key("name")
            .String("interlock:exercises")
            .Key("value")
            .String(core::NameOf(permission))
            .EndObject();
      }
      w.EndArray().EndObject();
    }
  }
  w.EndArray();

  w.Key("dependencies").BeginArray();
  for (std::size_t p = 0; p < reports.size(); ++p) {
    std::set<std::string> direct;
    for (std::size_t i = 0; i < reports[p].dependencies.size(); ++i) {
      if (reports[p].dependencies[i].direct) direct.insert(RefOf(reports[p].dependencies[i], i));
    }
    w.BeginObject().Key("ref").String(fmt::format("package-{}", p)).Key("dependsOn").BeginArray();
    for (const std::string& ref : direct) w.String(ref);
    w.EndArray().EndObject();
  }
  w.EndArray();
  WriteVulnerabilities(reports, w);
  w.EndObject();
  out += '\n';
  return out;
}

}  // namespace interlock::scan
