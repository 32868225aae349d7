// CycloneDX 1.6 JSON.
#include <set>

#include "fmt/format.h"
#include "interlock/base/json.h"
#include "interlock/scan/report.h"

namespace interlock::scan {
namespace {

using base::JsonWriter;

std::string RefOf(const Dependency& dependency, std::size_t index) {
  return dependency.purl.empty() ? fmt::format("dependency-{}", index) : dependency.purl;
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
  w.EndArray().EndObject();
  out += '\n';
  return out;
}

}  // namespace interlock::scan
