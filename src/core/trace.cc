#include "interlock/core/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "interlock/base/check.h"
#include "interlock/base/text.h"

namespace interlock::core {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::Result;
using base::Status;

namespace {

constexpr std::array<std::string_view, 4> kRoleNames = {"system", "user", "assistant", "tool"};

std::optional<Role> RoleFromName(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

// Reads one document into a session. Annotations are gathered, never put into the session.
class TraceReader {
 public:
  TraceReader(const TraceLimits& limits, TraceSession& session, TraceAnnotations& annotations)
      : limits_(limits), session_(session), annotations_(annotations) {}

  Status Read(JsonValue root) {
    if (!root.is_object()) return Shape(root, "a session is an object");
    JsonValue schema;
    JsonValue messages;
    for (auto member = root.begin(); member != root.end(); ++member) {
      const JsonValue value = *member;
      Status status;
      if (member.key() == "schema") {
        schema = value;
      } else if (member.key() == "session") {
        status = Text(value, "session", session_.session);
      } else if (member.key() == "domain") {
        status = Text(value, "domain", session_.domain);
      } else if (member.key() == "principal") {
        status = Text(value, "principal", session_.principal);
      } else if (member.key() == "facts") {
        if (!value.is_object()) return Shape(value, "`facts` is an object");
        session_.facts = value;
      } else if (member.key() == "messages") {
        messages = value;
      } else if (member.key() == "annotations") {
        if (!value.is_object()) return Shape(value, "`annotations` is an object");
        annotations_.session = value;
      } else {
        status = Unknown(value, member.key());
      }
      if (!status.ok()) return status;
    }
    if (schema.string() != kTraceSchema)
      return Shape(schema.exists() ? schema : root, "`schema` is not interlock.trace/v1");
    if (session_.session.empty()) return Shape(root, "`session` is missing or empty");
    if (!messages.is_array()) return Shape(root, "`messages` is missing or not an array");
    if (messages.size() > limits_.max_messages) {
      return Error(ErrorCode::kLimitExceeded, fmt::format("more than {} messages in a session", limits_.max_messages),
                   At(messages));
    }
    session_.messages.reserve(messages.size());
    for (const JsonValue message : messages) {
      if (Status status = ReadMessage(message); !status.ok()) return status;
    }
    return {};
  }

 private:
  [[nodiscard]] static base::SourcePlace At(JsonValue value) {
    base::SourcePlace place;
    if (value.exists()) place.offset = value.offset();
    return place;
  }
  [[nodiscard]] Error Shape(JsonValue value, std::string_view what) const {
    if (in_message_) {
      return Error(ErrorCode::kTraceSchema, fmt::format("message {}: {}", session_.messages.size(), what), At(value));
    }
    return Error(ErrorCode::kTraceSchema, std::string(what), At(value));
  }
  [[nodiscard]] Error Unknown(JsonValue value, std::string_view key) const {
    return Shape(value, fmt::format("unknown field `{}`", base::Printable(key, 80)));
  }
  [[nodiscard]] Status Text(JsonValue value, std::string_view key, std::string_view& out) const {
    if (!value.is_string()) return Shape(value, fmt::format("`{}` is not a string", key));
    out = value.string();
    return {};
  }

  Status ReadMessage(JsonValue object) {
    in_message_ = true;
    if (!object.is_object()) return Shape(object, "a message is an object");
    const std::optional<Role> role = RoleFromName(object.Find("role").string());
    if (!role.has_value()) return Shape(object, "`role` is none of system, user, assistant, tool");
    TraceMessage message;
    message.role = *role;
    bool has_call_id = false;
    for (auto member = object.begin(); member != object.end(); ++member) {
      const JsonValue value = *member;
      const std::string_view key = member.key();
      Status status;
      if (key == "role") continue;
      if (key == "content") {
        status = Text(value, key, message.content);
      } else if (key == "calls" && *role == Role::kAssistant) {
        status = ReadCalls(value, message.calls);
      } else if (key == "call_id" && *role == Role::kTool) {
        has_call_id = true;
        status = Text(value, key, message.call_id);
      } else if (key == "trust" && *role == Role::kTool) {
        const std::optional<Trust> trust = TrustFromName(value.string());
        if (!trust.has_value()) return Shape(value, "`trust` is none of trusted, untrusted, unknown");
        message.trust = *trust;
      } else if (key == "is_error" && *role == Role::kTool) {
        if (!value.is_bool()) return Shape(value, "`is_error` is neither true nor false");
        message.is_error = value.AsBool().value_or(false);
      } else {
        status = Unknown(value, key);
      }
      if (!status.ok()) return status;
    }
    if (*role == Role::kTool) {
      if (!has_call_id) return Shape(object, "a tool message without `call_id`");
      const auto call = answered_.find(message.call_id);
      if (call == answered_.end()) {
        return Error(ErrorCode::kTraceCallUnknown,
                     fmt::format("message {}: no earlier call has the id `{}`", session_.messages.size(),
                                 base::Printable(message.call_id, 80)),
                     At(object.Find("call_id")));
      }
      if (std::exchange(call->second, true)) return Shape(object.Find("call_id"), "a call has two results");
    }
    session_.messages.push_back(std::move(message));
    in_message_ = false;
    return {};
  }

  Status ReadCalls(JsonValue array, std::vector<TraceCall>& calls) {
    if (!array.is_array()) return Shape(array, "`calls` is not an array");
    if (array.size() > limits_.max_calls - answered_.size()) {
      return Error(ErrorCode::kLimitExceeded, fmt::format("more than {} calls in a session", limits_.max_calls),
                   At(array));
    }
    calls.reserve(array.size());
    for (const JsonValue object : array) {
      if (!object.is_object()) return Shape(object, "a call is an object");
      TraceCall call;
      JsonValue annotations;
      for (auto member = object.begin(); member != object.end(); ++member) {
        const JsonValue value = *member;
        const std::string_view key = member.key();
        Status status;
        if (key == "id") {
          status = Text(value, key, call.id);
        } else if (key == "tool") {
          status = Text(value, key, call.tool);
        } else if (key == "arguments") {
          if (!value.is_object()) return Shape(value, "`arguments` is not an object");
          call.arguments = value;
        } else if (key == "decision") {
          if (!value.is_object()) return Shape(value, "`decision` is not an object");
          call.decision = value;
        } else if (key == "annotations") {
          if (!value.is_object()) return Shape(value, "`annotations` is not an object");
          annotations = value;
        } else {
          status = Unknown(value, key);
        }
        if (!status.ok()) return status;
      }
      if (call.id.empty()) return Shape(object, "a call without `id`");
      if (call.tool.empty()) return Shape(object, "a call without `tool`");
      if (!answered_.emplace(call.id, false).second) return Shape(object, "two calls have the same id");
      if (annotations.exists()) annotations_.calls.emplace_back(call.id, annotations);
      calls.push_back(call);
    }
    return {};
  }

  const TraceLimits& limits_;
  TraceSession& session_;
  TraceAnnotations& annotations_;
  // Call id -> whether its result was seen. A tree, not a hash table: ids come from outside and may be made to collide.
  std::map<std::string_view, bool> answered_;
  bool in_message_ = false;
};

Result<JsonDoc> ParseLine(std::string_view line, const TraceLimits& limits) {
  if (line.size() > limits.max_line_bytes) {
    return Error(ErrorCode::kTraceLineTooLong, fmt::format("a session of more than {} bytes", limits.max_line_bytes));
  }
  return JsonDoc::Parse(line, {.max_bytes = limits.max_line_bytes, .max_values = limits.max_values});
}

// `line` with every annotation object emptied.
std::string WithoutAnnotations(std::string_view line, const TraceAnnotations& annotations) {
  std::vector<JsonValue> found;
  if (annotations.session.exists()) found.push_back(annotations.session);
  for (const auto& [id, value] : annotations.calls) found.push_back(value);
  std::sort(found.begin(), found.end(), [](JsonValue a, JsonValue b) { return a.offset() < b.offset(); });
  std::string stripped;
  stripped.reserve(line.size());
  std::size_t at = 0;
  for (const JsonValue value : found) {
    stripped += line.substr(at, value.offset() - at);
    stripped += "{}";
    at = value.offset() + value.raw().size();
  }
  stripped += line.substr(at);
  return stripped;
}

}  // namespace

std::string_view NameOf(Role role) noexcept {
  const auto index = static_cast<std::size_t>(role);
  INTERLOCK_CHECK(index < kRoleNames.size(), "an enumerator has a name");
  return kRoleNames[index];
}

Result<AnnotatedTrace> ParseAnnotatedTraceLine(std::string_view line, const TraceLimits& limits) {
  AnnotatedTrace trace;
  Result<JsonDoc> doc = ParseLine(line, limits);
  if (!doc.ok()) return doc.error();
  trace.session.doc = std::move(doc.value());
  const Status status = TraceReader(limits, trace.session, trace.annotations).Read(trace.session.doc.root());
  if (!status.ok()) return status.error();
  if (!trace.annotations.session.exists() && trace.annotations.calls.empty()) return trace;

  // SAFETY: the session hands out its document, so a document with annotations in it must not be the session's. The
  // annotated document stays with the annotations and the session is read anew from bytes that never held them.
  TraceSession session;
  TraceAnnotations none;
  Result<JsonDoc> bare = ParseLine(WithoutAnnotations(line, trace.annotations), limits);
  INTERLOCK_CHECK(bare.ok(), "emptying objects keeps a document valid");
  session.doc = std::move(bare.value());
  const Status again = TraceReader(limits, session, none).Read(session.doc.root());
  INTERLOCK_CHECK(again.ok(), "emptying annotations keeps a session valid");
  trace.annotations.doc = std::move(trace.session.doc);
  trace.session = std::move(session);
  return trace;
}

AnnotatedTraceReader::AnnotatedTraceReader(const TraceLimits& limits)
    : limits_(limits), parser_({.max_bytes = limits.max_line_bytes, .max_values = limits.max_values}) {}

Status AnnotatedTraceReader::Read(std::string_view line) {
  session_ = TraceSession();
  annotations_ = TraceAnnotations();
  if (line.size() > limits_.max_line_bytes) {
    return Error(ErrorCode::kTraceLineTooLong, fmt::format("a session of more than {} bytes", limits_.max_line_bytes));
  }
  if (Status status = parser_.ParseInto(doc_, line); !status.ok()) return status;
  Status status = TraceReader(limits_, session_, annotations_).Read(doc_.root());
  if (!status.ok()) {
    session_ = TraceSession();
    annotations_ = TraceAnnotations();
  }
  return status;
}

Result<TraceSession> ParseTraceLine(std::string_view line, const TraceLimits& limits) {
  Result<AnnotatedTrace> trace = ParseAnnotatedTraceLine(line, limits);
  if (!trace.ok()) return trace.error();
  return std::move(trace.value().session);
}

namespace {

// JSON text as one line: outside strings a line end is white space, and inside strings JSON has none.
void WriteRaw(base::JsonWriter& writer, std::string_view json) {
  if (json.find_first_of("\r\n") == std::string_view::npos) {
    writer.Raw(json);
    return;
  }
  std::string one_line(json);
  std::replace_if(one_line.begin(), one_line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  writer.Raw(one_line);
}

}  // namespace

TraceWriter::TraceWriter(std::string& out) : writer_(out) {}

TraceWriter& TraceWriter::Begin(std::string_view session, std::string_view domain, std::string_view principal,
                                std::string_view facts_json) {
  INTERLOCK_CHECK(!session.empty(), "a session has a name");
  writer_.BeginObject().Key("schema").String(kTraceSchema).Key("session").String(session);
  if (!domain.empty()) writer_.Key("domain").String(domain);
  if (!principal.empty()) writer_.Key("principal").String(principal);
  if (!facts_json.empty()) WriteRaw(writer_.Key("facts"), facts_json);
  writer_.Key("messages").BeginArray();
  return *this;
}

TraceWriter& TraceWriter::System(std::string_view content) {
  writer_.BeginObject().Key("role").String("system").Key("content").String(content).EndObject();
  return *this;
}

TraceWriter& TraceWriter::User(std::string_view content) {
  writer_.BeginObject().Key("role").String("user").Key("content").String(content).EndObject();
  return *this;
}

TraceWriter& TraceWriter::Assistant(std::string_view content, const std::vector<CallRecord>& calls) {
  writer_.BeginObject().Key("role").String("assistant");
  if (!content.empty() || calls.empty()) writer_.Key("content").String(content);
  if (!calls.empty()) {
    writer_.Key("calls").BeginArray();
    for (const CallRecord& call : calls) {
      writer_.BeginObject().Key("id").String(call.id).Key("tool").String(call.tool);
      if (!call.arguments_json.empty()) WriteRaw(writer_.Key("arguments"), call.arguments_json);
      if (!call.decision_json.empty()) WriteRaw(writer_.Key("decision"), call.decision_json);
      if (!call.annotations_json.empty()) WriteRaw(writer_.Key("annotations"), call.annotations_json);
      writer_.EndObject();
    }
    writer_.EndArray();
  }
  writer_.EndObject();
  return *this;
}

TraceWriter& TraceWriter::Tool(std::string_view call_id, std::string_view content, Trust trust, bool is_error) {
  writer_.BeginObject().Key("role").String("tool").Key("call_id").String(call_id).Key("content").String(content);
  writer_.Key("trust").String(NameOf(trust));
  if (is_error) writer_.Key("is_error").Bool(true);
  writer_.EndObject();
  return *this;
}

TraceWriter& TraceWriter::End(std::string_view annotations_json) {
  writer_.EndArray();
  if (!annotations_json.empty()) WriteRaw(writer_.Key("annotations"), annotations_json);
  writer_.EndObject();
  return *this;
}

}  // namespace interlock::core
