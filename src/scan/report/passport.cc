// Writing, signing and comparing passports.
#include "interlock/scan/passport.h"

#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "report/permission_list.h"

namespace interlock::scan {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::JsonWriter;
using core::Permission;

constexpr std::string_view kSignedAs = "interlock.passport/v1 signature\n";

base::Result<base::JsonDoc> ParsePassport(std::string_view passport) {
  base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(passport, {.max_bytes = std::size_t{128} << 20});
  if (!doc.ok()) return Error(ErrorCode::kPassportFormat, doc.error().ToString());
  if (doc.value().root().Find("schema").string() != kPassportSchema) {
    return Error(ErrorCode::kPassportFormat, fmt::format("`schema` is not `{}`", kPassportSchema));
  }
  return doc;
}

bool Contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

void Raise(double& value, core::Reach reach) {
  value = std::max(value, reach == core::Reach::kTool || reach == core::Reach::kAgent ? 1.0 : 0.5);
}

struct Item {
  std::string value;
  bool grave = false;
};
using Items = std::map<std::string, Item>;

// The same name twice is two things: the second must not hide behind the first.
void Put(Items& items, const std::string& name, Item item) {
  std::string key = name;
  for (int n = 2; items.contains(key); ++n) key = fmt::format("{} #{}", name, n);
  items.emplace(std::move(key), std::move(item));
}

void Compare(std::string_view what, const Items& before, const Items& after, std::vector<PassportChange>& out) {
  for (const auto& [name, item] : before) {
    const auto found = after.find(name);
    if (found == after.end()) {
      out.push_back({ChangeKind::kRemoved, std::string(what), name, item.value, "", false});
    } else if (found->second.value != item.value) {
      out.push_back({ChangeKind::kChanged, std::string(what), name, item.value, found->second.value,
                     item.grave || found->second.grave});
    }
  }
  for (const auto& [name, item] : after) {
    if (!before.contains(name))
      out.push_back({ChangeKind::kAdded, std::string(what), name, "", item.value, item.grave});
  }
}

bool Runs(core::Reach reach) { return reach <= core::Reach::kRuntime; }

bool RunsByName(std::string_view reach) {
  return reach == "tool" || reach == "agent" || reach == "install" || reach == "runtime";
}

}  // namespace

PermissionSurface SurfaceOf(const ScanReport& report) {
  PermissionSurface surface;
  for (const PermissionUse& use : report.permissions) {
    if (!Runs(use.reach)) continue;
    switch (use.permission) {
      case Permission::kSubprocess:
      case Permission::kDynamicCode:
        Raise(surface.code_execution, use.reach);
        break;
      case Permission::kFilesystemRead:
      case Permission::kSecretsRead:
        Raise(surface.file_read, use.reach);
        break;
      case Permission::kFilesystemWrite:
        Raise(surface.file_write, use.reach);
        break;
      case Permission::kNetworkEgress:
      case Permission::kNetworkIngress:
        Raise(surface.network, use.reach);
        break;
      default:
        break;
    }
    if (Contains(use.detail, "smtp") || Contains(use.detail, "mail")) Raise(surface.email, use.reach);
    if (Contains(use.detail, "sql") || Contains(use.detail, "mongo") || Contains(use.detail, "redis")) {
      Raise(surface.database, use.reach);
    }
  }
  if (surface.file_read > 0 && surface.file_write > 0)
    surface.file_system = std::min(surface.file_read, surface.file_write);
  return surface;
}

std::string MakePassport(const ScanReport& report, const PassportInfo& info) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject();
  w.Key("schema").String(kPassportSchema);
  w.Key("target").String(report.target);
  w.Key("name").String(report.name);
  w.Key("kind").String(NameOf(report.kind));
  if (!info.created.empty()) w.Key("created").String(info.created);
  w.Key("scanner").BeginObject().Key("name").String("interlock").Key("version").String(info.version);
  w.Key("rules").String(report.rules_version).Key("layers").BeginArray();
  for (const std::string& layer : report.layers) w.String(layer);
  w.EndArray().EndObject();
  w.Key("verdict").String(core::NameOf(report.verdict));
  w.Key("reason").String(core::NameOf(report.reason));
  w.Key("score").Double(report.score);
  w.Key("permissions").BeginObject().Key("exercised");
  WritePermissions(report.exercised, w);
  w.Key("declares").Bool(report.declares).Key("declared");
  WritePermissions(report.declared, w);
  w.EndObject();
  const PermissionSurface surface = SurfaceOf(report);
  w.Key("surface").BeginObject();
  w.Key("code_execution").Double(surface.code_execution).Key("database").Double(surface.database);
  w.Key("file_read").Double(surface.file_read).Key("file_write").Double(surface.file_write);
  w.Key("network").Double(surface.network).Key("email").Double(surface.email);
  w.Key("file_system").Double(surface.file_system).EndObject();
  w.Key("tools").BeginArray();
  for (const ToolSurface& tool : report.tools) {
    w.BeginObject().Key("name").String(tool.name).Key("kind").String(tool.kind).Key("file").String(tool.file);
    if (!tool.definition.empty()) w.Key("definition").String(tool.definition);
    w.Key("description").String(base::Sha256(tool.description).ToHex());
    w.Key("exercised");
    WritePermissions(tool.exercised, w);
    w.EndObject();
  }
  w.EndArray();
  w.Key("files").BeginArray();
  for (const FileRecord& file : report.files) {
    w.BeginObject().Key("path").String(file.path).Key("sha256").String(file.sha256).Key("bytes").Uint(file.bytes);
    w.Key("type").String(file.type).Key("reach").String(core::NameOf(file.reach)).EndObject();
  }
  w.EndArray();
  w.Key("dependencies").BeginArray();
  for (const Dependency& dependency : report.dependencies) {
    w.BeginObject().Key("ecosystem").String(dependency.ecosystem).Key("name").String(dependency.name);
    w.Key("version").String(dependency.version).EndObject();
  }
  w.EndArray();
  w.Key("findings").BeginArray();
  for (const core::Finding& finding : report.findings) {
    w.BeginObject().Key("rule").String(finding.rule).Key("fingerprint").String(finding.fingerprint);
    w.Key("severity").String(core::NameOf(finding.severity)).Key("nature").String(core::NameOf(finding.nature));
    w.Key("file").String(finding.file).Key("line").Uint(finding.line).EndObject();
  }
  w.EndArray();
  w.Key("coverage")
      .BeginObject()
      .Key("bytes")
      .Uint(report.coverage.bytes)
      .Key("analysed")
      .Uint(report.coverage.analysed);
  w.Key("skipped").Uint(report.coverage.skipped.size()).EndObject();
  w.EndObject();
  out += '\n';
  return out;
}

base::Result<std::string> PassportMessage(std::string_view passport) {
  const base::Result<base::JsonDoc> doc = ParsePassport(passport);
  if (!doc.ok()) return doc.error();
  std::string bare;
  JsonWriter w(bare);
  w.BeginObject();
  const JsonValue root = doc.value().root();
  for (auto it = root.begin(); it != root.end(); ++it) {
    if (it.key() != "signature") w.Key(it.key()).Raw((*it).raw());
  }
  w.EndObject();
  const base::Result<base::JsonDoc> again = base::JsonDoc::Parse(bare, {.max_bytes = std::size_t{128} << 20});
  if (!again.ok()) return again.error();
  return std::string(kSignedAs) + base::CanonicalJson(again.value().root());
}

base::Result<std::string> WithSignature(std::string_view passport, std::string_view key_hex,
                                        std::string_view value_hex) {
  const base::Result<base::JsonDoc> doc = ParsePassport(passport);
  if (!doc.ok()) return doc.error();
  std::string out;
  JsonWriter w(out);
  w.BeginObject();
  const JsonValue root = doc.value().root();
  for (auto it = root.begin(); it != root.end(); ++it) {
    if (it.key() != "signature") w.Key(it.key()).Raw((*it).raw());
  }
  w.Key("signature").BeginObject().Key("algorithm").String("ed25519").Key("key").String(key_hex);
  w.Key("value").String(value_hex).EndObject().EndObject();
  out += '\n';
  return out;
}

base::Result<PassportSignature> SignatureOf(std::string_view passport) {
  const base::Result<base::JsonDoc> doc = ParsePassport(passport);
  if (!doc.ok()) return doc.error();
  PassportSignature signature;
  const JsonValue value = doc.value().root().Find("signature");
  if (!value.exists()) return signature;
  if (value.Find("algorithm").string() != "ed25519") {
    return Error(ErrorCode::kPassportFormat, "`signature.algorithm` is not `ed25519`");
  }
  signature.present = true;
  signature.key = std::string(value.Find("key").string());
  signature.value = std::string(value.Find("value").string());
  return signature;
}

base::Result<PassportDiff> ComparePassport(std::string_view passport, const ScanReport& now) {
  const base::Result<base::JsonDoc> doc = ParsePassport(passport);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  PassportDiff diff;
  diff.rules_changed = root.Find("scanner").Find("rules").string() != now.rules_version;

  Items before;
  Items after;
  const JsonValue tools = root.Find("tools");
  for (auto it = tools.begin(); it != tools.end(); ++it) {
    const JsonValue tool = *it;
    Put(before, fmt::format("{} {}", tool.Find("kind").string(), tool.Find("name").string()),
        {fmt::format("{}{}", tool.Find("definition").string(), tool.Find("description").string()), true});
  }
  for (const ToolSurface& tool : now.tools) {
    Put(after, fmt::format("{} {}", tool.kind, tool.name),
        {tool.definition + base::Sha256(tool.description).ToHex(), true});
  }
  Compare("tool", before, after, diff.changes);

  before.clear();
  after.clear();
  const JsonValue files = root.Find("files");
  for (auto it = files.begin(); it != files.end(); ++it) {
    before[std::string((*it).Find("path").string())] = {std::string((*it).Find("sha256").string()),
                                                        RunsByName((*it).Find("reach").string())};
  }
  for (const FileRecord& file : now.files) after[file.path] = {file.sha256, Runs(file.reach)};
  Compare("file", before, after, diff.changes);

  before.clear();
  after.clear();
  const JsonValue exercised = root.Find("permissions").Find("exercised");
  for (auto it = exercised.begin(); it != exercised.end(); ++it) before[std::string((*it).string())] = {"", false};
  for (std::size_t i = 0; i < core::kPermissionCount; ++i) {
    const auto permission = static_cast<Permission>(i);
    if ((now.exercised & core::BitOf(permission)) != 0) after[std::string(core::NameOf(permission))] = {"", true};
  }
  Compare("permission", before, after, diff.changes);

  before.clear();
  after.clear();
  const JsonValue findings = root.Find("findings");
  for (auto it = findings.begin(); it != findings.end(); ++it) {
    before[std::string((*it).Find("fingerprint").string())] = {
        fmt::format("{} {}", (*it).Find("rule").string(), (*it).Find("file").string()), false};
  }
  for (const core::Finding& finding : now.findings) {
    after[finding.fingerprint] = {finding.rule + " " + finding.file, finding.nature == core::Nature::kMalicious};
  }
  Compare("finding", before, after, diff.changes);

  before.clear();
  after.clear();
  const JsonValue dependencies = root.Find("dependencies");
  for (auto it = dependencies.begin(); it != dependencies.end(); ++it) {
    Put(before, fmt::format("{}:{}", (*it).Find("ecosystem").string(), (*it).Find("name").string()),
        {std::string((*it).Find("version").string()), false});
  }
  for (const Dependency& dependency : now.dependencies) {
    Put(after, fmt::format("{}:{}", dependency.ecosystem, dependency.name), {dependency.version, false});
  }
  Compare("dependency", before, after, diff.changes);

  const std::string_view verdict = root.Find("verdict").string();
  if (verdict != core::NameOf(now.verdict)) {
    const auto was = core::ScanVerdictFromName(verdict);
    diff.changes.push_back({ChangeKind::kChanged, "verdict", "verdict", std::string(verdict),
                            std::string(core::NameOf(now.verdict)), !was.has_value() || *was < now.verdict});
  }
  std::stable_sort(diff.changes.begin(), diff.changes.end(),
                   [](const PassportChange& a, const PassportChange& b) { return a.grave > b.grave; });
  return diff;
}

}  // namespace interlock::scan
