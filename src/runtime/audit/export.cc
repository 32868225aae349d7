// Export of stored rows for other programs. Sessions are read whole, one at a time.
#include <map>
#include <set>
#include <utility>

#include "export_ocsf.h"
#include "interlock/base/json.h"
#include "interlock/core/trace.h"
#include "interlock/runtime/audit/query.h"
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

using Sink = std::function<bool(std::string_view)>;

struct Row {
  StoredRow stored;
  JsonDoc body;
  [[nodiscard]] JsonValue root() const { return body.root(); }
  [[nodiscard]] std::string_view Text(std::string_view key) const { return body.root().Find(key).string(); }
};

// All rows of one session with the places that belong together.
struct Session {
  std::string name;  // empty: rows whose adapter named no session
  std::vector<Row> rows;
  std::map<std::size_t, std::size_t> outcome_of;   // index of a decision -> index of its outcome
  std::map<std::size_t, std::size_t> approval_of;  // ... -> index of the answer
  std::string_view label;
  std::string_view labelled_by;
  std::string_view end;
};

void Join(Session& session) {
  std::map<std::string_view, std::size_t> by_call;                               // call id -> latest decision
  std::map<std::pair<std::string_view, std::uint64_t>, std::size_t> by_place;    // chain, row -> decision
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> answers;  // chain, call -> answer before it
  for (std::size_t i = 0; i < session.rows.size(); ++i) {
    const Row& row = session.rows[i];
    switch (row.stored.kind) {
      case Kind::kDecision:
        by_call[row.Text("call")] = i;
        by_place[{row.stored.chain, row.stored.row}] = i;
        // A proxy's answer comes before the decision that it makes possible.
        if (const auto answer = answers.find({row.stored.chain, row.Text("call")}); answer != answers.end()) {
          session.approval_of[i] = answer->second;
          answers.erase(answer);
        }
        break;
      case Kind::kOutcome: {
        const auto number = row.root().Find("decision_row").AsInt64();
        if (number) {
          const auto place = by_place.find({row.stored.chain, static_cast<std::uint64_t>(*number)});
          if (place != by_place.end()) session.outcome_of.emplace(place->second, i);
        } else if (const auto call = by_call.find(row.Text("call")); call != by_call.end()) {
          session.outcome_of.emplace(call->second, i);
        }
        break;
      }
      case Kind::kApprovalAnswered:
      case Kind::kApprovalUsed:
        if (!row.Text("call").empty()) answers[{row.stored.chain, row.Text("call")}] = i;
        if (const auto call = by_call.find(row.Text("call")); call != by_call.end()) {
          session.approval_of[call->second] = i;
        }
        break;
      case Kind::kSessionLabel:
        session.label = row.Text("name");
        session.labelled_by = row.Text("actor");
        break;
      case Kind::kSessionEnd:
        session.end = row.Text("text");
        break;
      default:
        break;
    }
  }
}

Result<Session> LoadSession(const Database& db, const std::string& name) {
  Session session;
  session.name = name;
  Filter filter;
  filter.session = name;
  if (name.empty()) filter.kind = Kind::kDecision;
  Result<RowReader> reader = RowReader::Prepare(db, filter);
  if (!reader.ok()) return reader.error();
  StoredRow stored;
  while (reader.value().Next(stored)) {
    Result<JsonDoc> body = JsonDoc::Parse(stored.body, kRowLimits);
    if (!body.ok()) return Error(ErrorCode::kAuditChain, "row is not valid JSON");
    if (name.empty() && body.value().root().Find("session").exists()) continue;
    session.rows.push_back({stored, std::move(body.value())});
  }
  if (!reader.value().done()) return db.LastError("read audit rows");
  Join(session);
  return session;
}

// What a tool's answer says, as text; a note where it was not kept.
std::string ContentOf(const Row& outcome) {
  const JsonValue result = outcome.root().Find("result");
  if (result.is_string()) return std::string(result.string());
  if (!result.exists() || result.Find("$omitted").exists()) {
    const auto bytes = outcome.root().Find("result_bytes").AsInt64().value_or(0);
    return "[not stored: " + std::to_string(bytes) + " bytes, " + std::string(outcome.Text("result_digest")) + "]";
  }
  std::string text;
  bool only_text = result.Find("content").is_array() && result.Find("content").size() > 0;
  for (const JsonValue part : result.Find("content")) {
    only_text = only_text && part.Find("type").string() == "text" && part.Find("text").is_string();
    if (!text.empty()) text.push_back('\n');
    text.append(part.Find("text").string());
  }
  return only_text ? text : std::string(result.raw());
}

std::string DecisionJson(const Row& row) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  for (const std::string_view key : {"verdict", "reason", "enforcement"}) {
    if (row.root().Find(key).exists()) json.Key(key).String(row.Text(key));
  }
  if (row.root().Find("shadow").exists()) json.Key("shadow").Bool(true);
  if (row.root().Find("evidence").exists()) json.Key("evidence").Raw(row.root().Find("evidence").raw());
  json.EndObject();
  return out;
}

std::string TraceLine(const Session& session) {
  std::string out;
  core::TraceWriter trace(out);
  std::string_view principal;
  std::string_view domain;
  for (const Row& row : session.rows) {
    if (principal.empty()) principal = row.Text("principal");
    if (domain.empty()) domain = row.Text("environment");
  }
  trace.Begin(session.name.empty() ? std::string_view("unnamed") : std::string_view(session.name), domain, principal);
  std::set<std::string> used;
  for (std::size_t i = 0; i < session.rows.size(); ++i) {
    const Row& row = session.rows[i];
    if (row.stored.kind == Kind::kSessionStart && !row.Text("text").empty()) trace.User(row.Text("text"));
    if (row.stored.kind != Kind::kDecision) continue;
    // JSON-RPC ids may come again in a session, call ids of a trace may not.
    std::string id = row.Text("call").empty() ? "row-" + std::to_string(row.stored.row) : std::string(row.Text("call"));
    if (!used.insert(id).second) {
      id += "#" + row.stored.chain.substr(0, 8) + "." + std::to_string(row.stored.row);
      used.insert(id);
    }
    const JsonValue arguments = row.root().Find("arguments");
    const std::string decision = DecisionJson(row);
    trace.Assistant({}, {{.id = id,
                          .tool = row.Text("tool"),
                          .arguments_json = arguments.is_object() ? arguments.raw() : std::string_view("{}"),
                          .decision_json = decision,
                          .annotations_json = {}}});
    const auto found = session.outcome_of.find(i);
    if (found == session.outcome_of.end()) continue;
    const Row& outcome = session.rows[found->second];
    trace.Tool(id, ContentOf(outcome), core::TrustFromName(outcome.Text("trust")).value_or(core::Trust::kUnknown),
               outcome.Text("status") != "ok");
  }
  trace.End();
  return out;
}

// The state as it was before a call, from the rows before it.
struct Before {
  std::uint64_t forwarded = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::vector<std::string> recent;  // "tool:enforcement", the last five
};

void Copy(JsonWriter& json, std::string_view key, JsonValue value) {
  if (value.exists()) json.Key(key).Raw(value.raw());
}

std::string TupleLine(const Session& session, std::size_t index, const Before& before) {
  const Row& row = session.rows[index];
  const JsonValue root = row.root();
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("schema").String("interlock.tuple/v1").Key("session").String(session.name);
  json.Key("chain").String(row.stored.chain).Key("row").Uint(row.stored.row).Key("t").Int(row.stored.time_us);
  json.Key("state").BeginObject();
  for (const std::string_view key : {"step", "request", "principal", "environment", "profile", "policy", "labels"}) {
    Copy(json, key, root.Find(key));
  }
  json.Key("forwarded").Uint(before.forwarded).Key("refused").Uint(before.refused);
  json.Key("failed").Uint(before.failed).Key("recent").BeginArray();
  for (const std::string& call : before.recent) json.String(call);
  json.EndArray().EndObject().Key("call").BeginObject();
  for (const std::string_view key : {"server", "tool", "call", "side_effect", "arguments", "arguments_digest"}) {
    Copy(json, key == "call" ? "id" : key, root.Find(key));
  }
  json.EndObject().Key("decision").BeginObject();
  for (const std::string_view key : {"verdict", "reason", "enforcement", "shadow", "evidence", "errored_rules",
                                     "rewritten_arguments", "latency_us"}) {
    Copy(json, key, root.Find(key));
  }
  json.EndObject().Key("result");
  const auto found = session.outcome_of.find(index);
  if (found == session.outcome_of.end()) {
    json.Null();
  } else {
    json.BeginObject();
    const JsonValue outcome = session.rows[found->second].root();
    for (const std::string_view key : {"status", "trust", "labels", "result_bytes", "result_digest", "latency_us"}) {
      Copy(json, key, outcome.Find(key));
    }
    json.EndObject();
  }
  json.Key("outcome").BeginObject();
  if (const auto answer = session.approval_of.find(index); answer != session.approval_of.end()) {
    json.Key("approval").BeginObject();
    const Row& given = session.rows[answer->second];
    const bool used = given.stored.kind == Kind::kApprovalUsed;
    json.Key("answer").String(used ? std::string_view("approved") : given.Text("name"));
    if (used) json.Key("id").String(given.Text("name"));
    json.Key("by").String(given.Text("actor")).EndObject();
  }
  // Only labelled sessions may train anything.
  json.Key("label");
  if (session.label.empty()) {
    json.Null();
  } else {
    json.String(session.label).Key("labelled_by").String(session.labelled_by);
  }
  if (!session.end.empty()) json.Key("session_end").String(session.end);
  json.EndObject().EndObject();
  return out;
}

bool WentAhead(std::string_view enforcement) {
  return enforcement == "forwarded" || enforcement == "rewritten" || enforcement == "approved" ||
         enforcement == "shadowed";
}

bool Tuples(const Session& session, const std::set<std::uint64_t>& wanted, const Sink& sink) {
  Before before;
  for (std::size_t i = 0; i < session.rows.size(); ++i) {
    const Row& row = session.rows[i];
    if (row.stored.kind != Kind::kDecision) continue;
    if (wanted.contains(row.stored.seq) && !sink(TupleLine(session, i, before))) return false;
    const std::string_view enforcement = row.Text("enforcement");
    ++(WentAhead(enforcement) ? before.forwarded : before.refused);
    const auto outcome = session.outcome_of.find(i);
    if (outcome != session.outcome_of.end() && session.rows[outcome->second].Text("status") != "ok") ++before.failed;
    before.recent.push_back(std::string(row.Text("tool")) + ":" + std::string(enforcement));
    if (before.recent.size() > 5) before.recent.erase(before.recent.begin());
  }
  return true;
}

// Sessions that have matching decisions, in order of the first one, with those decisions.
struct Picked {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::uint64_t>> decisions;
};

Result<Picked> PickSessions(const Database& db, Filter filter) {
  filter.kind = Kind::kDecision;
  Result<RowReader> reader = RowReader::Prepare(db, filter);
  if (!reader.ok()) return reader.error();
  Picked picked;
  StoredRow row;
  base::JsonParser parser(kRowLimits);
  JsonDoc doc;
  while (reader.value().Next(row)) {
    if (Status parsed = parser.ParseInto(doc, row.body); !parsed.ok()) {
      return Error(ErrorCode::kAuditChain, "row is not valid JSON");
    }
    const std::string name(doc.root().Find("session").string());
    std::set<std::uint64_t>& decisions = picked.decisions[name];
    if (decisions.empty()) picked.order.push_back(name);
    decisions.insert(row.seq);
  }
  if (!reader.value().done()) return db.LastError("read audit rows");
  return picked;
}

}  // namespace

std::optional<ExportFormat> ExportFormatFromName(std::string_view name) noexcept {
  if (name == "jsonl") return ExportFormat::kJsonLines;
  if (name == "trace") return ExportFormat::kTrace;
  if (name == "ocsf") return ExportFormat::kOcsf;
  if (name == "tuples") return ExportFormat::kTuples;
  return std::nullopt;
}

Status Export(const std::string& dir, ExportFormat format, const Filter& filter, const Sink& sink) {
  if (format == ExportFormat::kJsonLines) {
    return ForEachRow(dir, filter, [&sink](const StoredRow& row) { return sink(RenderRowJson(row)); });
  }
  Result<Database> db = Database::Open(dir, Database::Mode::kRead);
  if (!db.ok()) return db.error();
  // One view of the log for all the queries of an export.
  if (Status begun = db.value().Run("BEGIN"); !begun.ok()) return begun;
  if (format == ExportFormat::kOcsf) return ExportOcsf(db.value(), filter, sink);
  const Result<Picked> picked = PickSessions(db.value(), filter);
  if (!picked.ok()) return picked.error();
  for (const std::string& name : picked.value().order) {
    const Result<Session> session = LoadSession(db.value(), name);
    if (!session.ok()) return session.error();
    const bool more = format == ExportFormat::kTrace ? sink(TraceLine(session.value()))
                                                     : Tuples(session.value(), picked.value().decisions.at(name), sink);
    if (!more) break;
  }
  return {};
}

}  // namespace interlock::runtime::audit
