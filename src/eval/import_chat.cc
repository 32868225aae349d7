// Chat histories as documents: LangChain dumps and AgentDojo run files. Both spell a message in several ways; the order
// in which the spellings are tried is the one their own readers use.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "import_common.h"
#include "interlock/base/digest.h"
#include "interlock/core/trace.h"
#include "interlock/eval/import.h"

namespace interlock::eval {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using base::Status;

namespace {

std::optional<core::Role> RoleOf(JsonValue message) {
  const std::string_view type = message.Find("type").string();
  if (type == "system") return core::Role::kSystem;
  if (type == "human") return core::Role::kUser;
  if (type == "ai") return core::Role::kAssistant;
  if (type == "tool") return core::Role::kTool;
  const std::string_view role = message.Find("role").string();
  if (role == "system") return core::Role::kSystem;
  if (role == "user") return core::Role::kUser;
  if (role == "assistant") return core::Role::kAssistant;
  if (role == "tool") return core::Role::kTool;
  return std::nullopt;
}

// Text of one block of a content: itself, or its `content`, or its `text`. Pictures and other blocks are no text, and a
// trace without them would not be what the model saw.
Status AppendBlock(JsonValue block, std::string& out) {
  JsonValue text = block;
  if (block.is_object()) {
    text = block.Find("content");
    if (!text.exists()) text = block.Find("text");
  }
  if (text.is_null()) return {};
  if (!text.is_string()) return ShapeError(block, "a content that is not text");
  out += text.string();
  return {};
}

// A field that LangChain keeps inside `data` and others at the top.
JsonValue FieldOf(JsonValue message, std::string_view key) {
  const JsonValue inside = message.Find("data").Find(key);
  return inside.exists() ? inside : message.Find(key);
}

Result<std::string> ContentOf(JsonValue message) {
  std::string text;
  const JsonValue content = FieldOf(message, "content");
  if (!content.exists()) return text;
  if (!content.is_array()) {
    if (Status status = AppendBlock(content, text); !status.ok()) return status.error();
    return text;
  }
  bool first = true;
  for (const JsonValue block : content) {
    if (!first) text += '\n';
    first = false;
    if (Status status = AppendBlock(block, text); !status.ok()) return status.error();
  }
  return text;
}

// The first list of calls that is not empty, or a missing value.
Result<JsonValue> CallsOf(JsonValue message) {
  const JsonValue data = message.Find("data");
  for (const JsonValue holder : {data, message}) {
    const JsonValue invalid = holder.Find("invalid_tool_calls");
    if (invalid.size() > 0) return ShapeError(invalid, "calls that could not be read when they were recorded");
  }
  for (const JsonValue list : {data.Find("additional_kwargs").Find("tool_calls"), data.Find("tool_calls"),
                               message.Find("tool_calls"), message.Find("additional_kwargs").Find("tool_calls")}) {
    if (!list.exists() || list.is_null()) continue;
    if (!list.is_array()) return ShapeError(list, "`tool_calls` is not an array");
    if (list.size() > 0) return list;
  }
  return JsonValue();
}

// Writes messages one by one and pairs results with calls.
class ChatImporter {
 public:
  explicit ChatImporter(core::TraceWriter& writer) : writer_(writer) {}

  Status Import(JsonValue messages) {
    if (!messages.is_array()) return ShapeError(messages, "the messages are not an array");
    if (messages.size() > kMaxImportCalls) {
      return Error(ErrorCode::kLimitExceeded, "too many messages in a record");
    }
    for (const JsonValue message : messages) {
      ++ordinal_;
      if (!message.is_object()) return ShapeError(message, "a message is not an object");
      const std::optional<core::Role> role = RoleOf(message);
      if (!role.has_value()) return ShapeError(message, "a message of no known kind");
      const Result<std::string> content = ContentOf(message);
      if (!content.ok()) return content.error();
      Status status;
      switch (*role) {
        case core::Role::kSystem:
          writer_.System(content.value());
          break;
        case core::Role::kUser:
          writer_.User(content.value());
          break;
        case core::Role::kAssistant:
          status = Assistant(message, content.value());
          break;
        case core::Role::kTool:
          status = Tool(message, content.value());
          break;
      }
      if (!status.ok()) return status;
    }
    return {};
  }

  // A JSON array of {"call_id","error"}: the errors of results that have one; "" when none has.
  [[nodiscard]] std::string TakeErrors() {
    if (!errors_.empty()) errors_ += ']';
    return std::exchange(errors_, {});
  }

 private:
  Status Assistant(JsonValue message, std::string_view content) {
    const Result<JsonValue> list = CallsOf(message);
    if (!list.ok()) return list.error();
    turn_begin_ = ids_.size();
    std::vector<core::TraceWriter::CallRecord> records;
    // Documents parsed from argument texts: they own what the records point to.
    std::vector<JsonDoc> texts;
    if (list.value().size() > kMaxImportCalls - ids_.size()) {
      return Error(ErrorCode::kLimitExceeded, "too many calls in a record");
    }
    texts.reserve(list.value().size());
    for (const JsonValue call : list.value()) {
      if (Status status = AddCall(call, records, texts); !status.ok()) return status;
    }
    writer_.Assistant(content, records);
    return {};
  }

  Status AddCall(JsonValue call, std::vector<core::TraceWriter::CallRecord>& records, std::vector<JsonDoc>& texts) {
    if (!call.is_object()) return ShapeError(call, "a call is not an object");
    const JsonValue function = call.Find("function");
    std::string_view name;
    JsonValue arguments;
    if (function.is_string()) {
      name = function.string();
      arguments = call.Find("args");
    } else if (function.is_object() && function.Find("name").exists()) {
      name = function.Find("name").string();
      arguments = function.Find("arguments");
    } else {
      name = call.Find("name").string();
      arguments = call.Find("args");
    }
    if (name.empty()) return ShapeError(call, "a call without the name of a tool");
    const Result<std::string_view> given_id = TextMember(call, "id");
    if (!given_id.ok()) return given_id.error();

    core::TraceWriter::CallRecord record{.id = {}, .tool = name};
    const Result<std::string_view> json = ArgumentsOf(arguments, texts);
    if (!json.ok()) return json.error();
    record.arguments_json = json.value();

    const auto [entry, is_new] = calls_.emplace(
        given_id.value().empty() ? fmt::format("call_{}_{}", ordinal_, records.size()) : std::string(given_id.value()),
        ids_.size());
    if (!is_new) return ShapeError(call, "two calls have the same id");
    unanswered_.insert(ids_.size());
    ids_.push_back(entry->first);
    record.id = entry->first;
    records.push_back(record);
    return {};
  }

  Result<std::string_view> ArgumentsOf(JsonValue arguments, std::vector<JsonDoc>& texts) {
    if (!arguments.exists() || arguments.is_null()) return std::string_view();
    if (arguments.is_object()) return arguments.raw();
    if (!arguments.is_string()) return ShapeError(arguments, "arguments are neither an object nor text");
    // Models write nothing at all for a call without arguments.
    if (arguments.string().empty()) return std::string_view();
    argument_text_bytes_ += arguments.string().size();
    if (argument_text_bytes_ > kMaxArgumentTextBytes) {
      return Error(ErrorCode::kLimitExceeded, "the arguments given as text are too large");
    }
    Result<JsonDoc> doc = JsonDoc::Parse(arguments.string(), {.max_depth = kMaxImportDepth});
    if (!doc.ok()) {
      base::SourcePlace place;
      place.offset = arguments.offset();
      return Error(doc.error().code(), "arguments given as text: " + doc.error().message(), std::move(place));
    }
    if (!doc.value().root().is_object()) return ShapeError(arguments, "the arguments given as text are not an object");
    texts.push_back(std::move(doc.value()));
    return texts.back().root().raw();
  }

  Status Tool(JsonValue message, std::string_view content) {
    const JsonValue given = FieldOf(message, "tool_call_id");
    if (given.exists() && !given.is_null() && !given.is_string()) {
      return ShapeError(given, "`tool_call_id` is not a string");
    }
    std::size_t index = 0;
    if (!given.string().empty()) {
      const auto call = calls_.find(given.string());
      if (call == calls_.end()) return ShapeError(given, "a result of a call that is not there");
      index = call->second;
      if (unanswered_.erase(index) == 0) return ShapeError(given, "two results of one call");
    } else {
      // Results without ids come in the order of their calls: the first open one of the latest turn, else the latest.
      if (unanswered_.empty()) return ShapeError(message, "a result without a call");
      auto open = unanswered_.lower_bound(turn_begin_);
      if (open == unanswered_.end()) --open;
      index = *open;
      unanswered_.erase(open);
    }
    const Result<std::string_view> error = TextMember(message, "error");
    if (!error.ok()) return error.error();
    const bool is_error = !error.value().empty() || FieldOf(message, "status").string() == "error";
    if (!error.value().empty()) {
      errors_ += errors_.empty() ? '[' : ',';
      JsonWriter(errors_)
          .BeginObject()
          .Key("call_id")
          .String(ids_[index])
          .Key("error")
          .String(error.value())
          .EndObject();
    }
    writer_.Tool(ids_[index], content.empty() ? error.value() : content, core::Trust::kUnknown, is_error);
    return {};
  }

  core::TraceWriter& writer_;
  std::size_t ordinal_ = 0;  // of the message, from 1
  std::size_t turn_begin_ = 0;
  std::size_t argument_text_bytes_ = 0;
  std::map<std::string, std::size_t, std::less<>> calls_;  // id -> index; a tree, since ids may be made to collide
  std::vector<std::string_view> ids_;                      // by index; owned by calls_
  std::set<std::size_t> unanswered_;
  std::string errors_;
};

// Members of `object` but the one named `left_out`, as members of the object that `writer` has open.
void CopyMembers(JsonWriter& writer, JsonValue object, std::string_view left_out) {
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (member.key() != left_out) writer.Key(member.key()).Raw((*member).raw());
  }
}

std::string DigestName(std::string_view bytes) { return "sha256-" + base::Sha256(bytes).ToHex().substr(0, 16); }

}  // namespace

Status ImportChatDump(std::string_view bytes, std::string& out, const ImportNames& names) {
  const Result<JsonDoc> doc = ParseRecord(bytes);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return ShapeError(root, "a record is an object");
  const JsonValue simulated = root.Find("simulated_trace");
  std::string_view history = "messages";
  JsonValue messages = root.Find(history);
  if (!messages.exists() && simulated.Find("messages").exists()) {
    history = "simulated_trace";
    messages = simulated.Find("messages");
  } else if (!messages.exists()) {
    history = "conversation_history";
    messages = root.Find(history);
  }

  Appended appended(out);
  core::TraceWriter writer(out);
  writer.Begin(names.session.empty() ? DigestName(bytes) : std::string(names.session), names.domain, "");
  ChatImporter importer(writer);
  if (Status status = importer.Import(messages); !status.ok()) return status;

  std::string annotations;
  JsonWriter facts(annotations);
  facts.BeginObject().Key("chat_dump").BeginObject();
  CopyMembers(facts, root, history);
  if (history == "simulated_trace") {
    facts.Key(history).BeginObject();
    CopyMembers(facts, simulated, "messages");
    facts.EndObject();
  }
  facts.EndObject();
  if (const std::string errors = importer.TakeErrors(); !errors.empty()) facts.Key("tool_errors").Raw(errors);
  facts.EndObject();
  writer.End(annotations);
  return appended.Keep();
}

Status ImportAgentDojoRun(std::string_view bytes, std::string& out, const ImportNames& names) {
  const Result<JsonDoc> doc = ParseRecord(bytes);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return ShapeError(root, "a record is an object");
  std::map<std::string_view, std::string_view> ids;
  for (const std::string_view key :
       {"suite_name", "pipeline_name", "user_task_id", "injection_task_id", "attack_type"}) {
    const Result<std::string_view> text = TextMember(root, key);
    if (!text.ok()) return text.error();
    ids[key] = text.value();
  }
  if (ids["suite_name"].empty()) return ShapeError(root, "a run without `suite_name`");
  if (ids["user_task_id"].empty()) return ShapeError(root, "a run without `user_task_id`");
  const auto or_none = [](std::string_view text) { return text.empty() ? std::string_view("none") : text; };
  const std::string own_name =
      fmt::format("{}/{}/{}/{}/{}", or_none(ids["pipeline_name"]), ids["suite_name"], ids["user_task_id"],
                  or_none(ids["attack_type"]), or_none(ids["injection_task_id"]));

  Appended appended(out);
  core::TraceWriter writer(out);
  writer.Begin(names.session.empty() ? own_name : std::string(names.session),
               names.domain.empty() ? ids["suite_name"] : names.domain, "");
  ChatImporter importer(writer);
  if (Status status = importer.Import(root.Find("messages")); !status.ok()) return status;

  std::string annotations;
  JsonWriter facts(annotations);
  facts.BeginObject().Key("label").String(ids["injection_task_id"].empty() ? "benign" : "attack");
  facts.Key("agentdojo").BeginObject();
  CopyMembers(facts, root, "messages");
  facts.EndObject();
  if (const std::string errors = importer.TakeErrors(); !errors.empty()) facts.Key("tool_errors").Raw(errors);
  facts.EndObject();
  writer.End(annotations);
  return appended.Keep();
}

}  // namespace interlock::eval
