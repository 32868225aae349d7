#include "export_ocsf.h"

#include <array>

#include "interlock/base/json.h"
#include "row_reader.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using base::Status;

constexpr std::string_view kVersion = "1.6.0";
constexpr int kApiActivity = 6003;
constexpr int kDetectionFinding = 2004;

struct Id {
  int id;
  std::string_view caption;
};

Id Activity(std::string_view side_effect) {
  if (side_effect == "read") return {2, "Read"};
  if (side_effect == "write") return {3, "Update"};
  if (side_effect == "deploy") return {99, "Deploy"};
  if (side_effect == "security") return {99, "Security"};
  return {0, "Unknown"};
}

struct Enforced {
  std::string_view enforcement;
  Id action;
  Id disposition;
};
constexpr std::array<Enforced, 7> kEnforced = {{
    {"forwarded", {1, "Allowed"}, {1, "Allowed"}},
    {"rewritten", {4, "Modified"}, {11, "Corrected"}},
    {"approved", {1, "Allowed"}, {8, "Approved"}},
    {"denied", {2, "Denied"}, {25, "Rejected"}},
    {"blocked", {2, "Denied"}, {2, "Blocked"}},
    {"shadowed", {3, "Observed"}, {17, "Logged"}},
    {"failed", {2, "Denied"}, {27, "Error"}},
}};

Id Severity(std::string_view verdict) {
  if (verdict == "block") return {4, "High"};
  if (verdict == "escalate") return {3, "Medium"};
  if (verdict == "rewrite") return {2, "Low"};
  return {1, "Informational"};
}

void Pair(JsonWriter& json, std::string_view key, const Id& id) {
  json.Key(std::string(key) + "_id").Int(id.id).Key(key).String(id.caption);
}

void CopyText(JsonWriter& json, std::string_view key, JsonValue value) {
  if (!value.string().empty()) json.Key(key).String(value.string());
}

void Copy(JsonWriter& json, std::string_view key, JsonValue value) {
  if (value.exists()) json.Key(key).Raw(value.raw());
}

void Common(JsonWriter& json, const StoredRow& row, int category, int class_uid, std::string_view class_name,
            const Id& activity, bool profile) {
  json.Key("category_uid")
      .Int(category)
      .Key("category_name")
      .String(category == 6 ? "Application Activity" : "Findings");
  json.Key("class_uid").Int(class_uid).Key("class_name").String(class_name);
  json.Key("activity_id").Int(activity.id).Key("activity_name").String(activity.caption);
  json.Key("type_uid").Int(class_uid * 100 + activity.id).Key("time").Int(row.time_us / 1000);
  json.Key("metadata").BeginObject().Key("version").String(kVersion);
  json.Key("product").BeginObject().Key("name").String("Interlock").Key("vendor_name").String("Interlock").EndObject();
  json.Key("uid").String(row.chain + ":" + std::to_string(row.row)).Key("sequence").Uint(row.seq);
  json.Key("log_name").String("interlock.audit/v1");
  if (profile) json.Key("profiles").BeginArray().String("security_control").EndArray();
  json.EndObject();
}

Id StatusOf(const Id& action, JsonValue outcome) {
  if (action.id == 2) return {2, "Failure"};
  if (!outcome.exists()) return {0, "Unknown"};
  return outcome.Find("status").string() == "ok" ? Id{1, "Success"} : Id{2, "Failure"};
}

std::string CallEvent(const StoredRow& row, JsonValue root, JsonValue outcome) {
  const std::string_view enforcement = root.Find("enforcement").string();
  Id action{0, "Unknown"};
  Id disposition{0, "Unknown"};
  for (const Enforced& entry : kEnforced) {
    if (entry.enforcement != enforcement) continue;
    action = entry.action;
    disposition = entry.disposition;
  }
  const std::string_view verdict = root.Find("verdict").string();
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  Common(json, row, 6, kApiActivity, "API Activity", Activity(root.Find("side_effect").string()), true);
  Pair(json, "severity", Severity(verdict));
  Pair(json, "status", StatusOf(action, outcome));
  CopyText(json, "status_detail", outcome.Find("status"));
  Pair(json, "action", action);
  Pair(json, "disposition", disposition);
  json.Key("is_alert").Bool(verdict == "block" || verdict == "escalate");
  std::string message = "tool call " + std::string(root.Find("tool").string()) + ": " + std::string(verdict);
  if (!root.Find("reason").string().empty()) message += " (" + std::string(root.Find("reason").string()) + ")";
  json.Key("message").String(message);

  json.Key("actor").BeginObject().Key("app_name").String("MCP client");
  if (!root.Find("principal").string().empty()) {
    json.Key("user").BeginObject().Key("name").String(root.Find("principal").string()).EndObject();
  }
  if (!root.Find("session").string().empty()) {
    json.Key("session").BeginObject().Key("uid").String(root.Find("session").string()).EndObject();
  }
  json.EndObject();

  json.Key("api").BeginObject().Key("operation").String(root.Find("tool").string());
  json.Key("service").BeginObject().Key("name").String(root.Find("server").string()).EndObject();
  json.Key("request").BeginObject().Key("uid").String(root.Find("call").string());
  Copy(json, "data", root.Find("arguments"));
  json.EndObject();
  if (outcome.exists()) {
    const bool ok = outcome.Find("status").string() == "ok";
    json.Key("response").BeginObject().Key("code").Int(ok ? 0 : 1);
    if (!ok) CopyText(json, "error", outcome.Find("status"));
    json.EndObject();
  }
  json.EndObject();

  json.Key("src_endpoint").BeginObject().Key("svc_name").String("MCP client").EndObject();
  json.Key("dst_endpoint").BeginObject().Key("svc_name").String(root.Find("server").string()).EndObject();
  if (root.Find("policy").exists() || root.Find("profile").exists()) {
    json.Key("policy").BeginObject();
    CopyText(json, "name", root.Find("profile"));
    CopyText(json, "uid", root.Find("policy"));
    json.EndObject();
  }
  if (const auto us = outcome.Find("latency_us").AsInt64()) json.Key("duration").Int(*us / 1000);
  json.Key("unmapped").BeginObject();
  for (const std::string_view key : {"verdict", "reason", "enforcement", "shadow", "environment", "side_effect",
                                     "labels", "evidence", "errored_rules", "arguments_digest", "latency_us"}) {
    Copy(json, key, root.Find(key));
  }
  Copy(json, "result_digest", outcome.Find("result_digest"));
  Copy(json, "result_labels", outcome.Find("labels"));
  Copy(json, "trust", outcome.Find("trust"));
  json.EndObject().EndObject();
  return out;
}

std::string ToolEvent(const StoredRow& row, JsonValue root) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  Common(json, row, 2, kDetectionFinding, "Detection Finding", {1, "Create"}, false);
  Pair(json, "severity", {3, "Medium"});
  Pair(json, "status", {1, "New"});
  const std::string title = "definition of tool " + std::string(root.Find("tool").string()) + " changed";
  json.Key("message").String(title);
  json.Key("finding_info").BeginObject().Key("uid").String(row.chain + ":" + std::to_string(row.row));
  json.Key("title").String(title).Key("types").BeginArray().String("Tool Definition Changed").EndArray().EndObject();
  json.Key("is_alert").Bool(true).Key("unmapped").BeginObject();
  for (const std::string_view key : {"server", "tool", "definition", "session"}) Copy(json, key, root.Find(key));
  json.EndObject().EndObject();
  return out;
}

}  // namespace

Status ExportOcsf(const Database& db, const Filter& filter, const std::function<bool(std::string_view)>& sink) {
  Result<RowReader> reader = RowReader::Prepare(db, filter);
  if (!reader.ok()) return reader.error();
  Result<Statement> by_row =
      db.Prepare("SELECT body FROM rows WHERE chain=?1 AND decision_row=?2 AND kind='outcome' ORDER BY row LIMIT 1");
  if (!by_row.ok()) return by_row.error();
  Result<Statement> by_call = db.Prepare(
      "SELECT body FROM rows WHERE session=?1 AND call=?2 AND kind='outcome' AND decision_row IS NULL AND seq>?3 "
      "ORDER BY seq LIMIT 1");
  if (!by_call.ok()) return by_call.error();
  base::JsonParser parser(kRowLimits);
  JsonDoc body;
  JsonDoc outcome;
  StoredRow row;
  while (reader.value().Next(row)) {
    if (row.kind != Kind::kDecision && row.kind != Kind::kToolsChanged) continue;
    if (!parser.ParseInto(body, row.body).ok()) return Error(ErrorCode::kAuditChain, "row is not valid JSON");
    const JsonValue root = body.root();
    if (row.kind == Kind::kToolsChanged) {
      if (!sink(ToolEvent(row, root))) return {};
      continue;
    }
    Statement& first = by_row.value();
    first.Reset();
    first.Bind(1, row.chain).BindUnsigned(2, row.row);
    Statement& second = by_call.value();
    second.Reset();
    second.Bind(1, root.Find("session").string()).Bind(2, root.Find("call").string()).BindUnsigned(3, row.seq);
    bool found = first.Row() && parser.ParseInto(outcome, first.Blob(0)).ok();
    found = found || (second.Row() && parser.ParseInto(outcome, second.Blob(0)).ok());
    if (!sink(CallEvent(row, root, found ? outcome.root() : JsonValue()))) return {};
  }
  return reader.value().done() ? Status() : db.LastError("read audit rows");
}

}  // namespace interlock::runtime::audit
