// Compact Agent-Sentry traces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "import_common.h"
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

struct CompactCall {
  std::string id;
  std::int64_t turn = 0;
  std::string_view tool;
  std::string_view arguments;  // JSON
  JsonValue result;            // string or null
  std::string annotations;     // JSON or empty
};

// Where injected text lies in the result of a call: code points in the record, bytes in a trace.
struct InjectedSpan {
  std::size_t call = 0;
  std::size_t ordinal = 0;  // in the record
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Status CheckKeys(JsonValue object, std::initializer_list<std::string_view> known) {
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
      return ShapeError(*member, "a field this importer does not know");
    }
  }
  return {};
}

Result<std::vector<CompactCall>> ReadCalls(JsonValue array) {
  if (!array.is_array()) return ShapeError(array, "`calls` is not an array");
  if (array.size() > kMaxImportCalls) return Error(ErrorCode::kLimitExceeded, "too many calls in a record");
  std::vector<CompactCall> calls;
  calls.reserve(array.size());
  for (const JsonValue object : array) {
    if (!object.is_object()) return ShapeError(object, "a call is not an object");
    if (Status status = CheckKeys(object, {"turn", "name", "args", "out"}); !status.ok()) return status.error();
    CompactCall call;
    call.id = fmt::format("c{}", calls.size());
    const std::optional<std::int64_t> turn = object.Find("turn").AsInt64();
    if (!turn.has_value()) return ShapeError(object, "`turn` is not an integer");
    if (!calls.empty() && *turn < calls.back().turn) return ShapeError(object, "turns run backwards");
    call.turn = *turn;
    call.tool = object.Find("name").string();
    if (call.tool.empty()) return ShapeError(object, "a call without `name`");
    const JsonValue arguments = object.Find("args");
    if (!arguments.is_object()) return ShapeError(object, "`args` is not an object");
    call.arguments = arguments.raw();
    call.result = object.Find("out");
    if (call.result.exists() && !call.result.is_string() && !call.result.is_null()) {
      return ShapeError(call.result, "`out` is neither a string nor null");
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

// Code point offsets, in rising order, as byte offsets; nothing when one lies past the end. One walk over the text for
// all of them: with a walk for each, many spans in a long text would cost the square of the record's size.
std::optional<std::vector<std::size_t>> ToByteOffsets(std::string_view utf8, const std::vector<std::int64_t>& rising) {
  std::vector<std::size_t> bytes;
  bytes.reserve(rising.size());
  std::size_t at = 0;
  std::int64_t code_points = 0;
  for (const std::int64_t wanted : rising) {
    while (code_points < wanted) {
      if (at == utf8.size()) return std::nullopt;
      ++at;
      while (at < utf8.size() && (static_cast<unsigned char>(utf8[at]) & 0xC0) == 0x80) ++at;
      ++code_points;
    }
    bytes.push_back(at);
  }
  return bytes;
}

Status AnnotateInjections(JsonValue array, std::vector<CompactCall>& calls) {
  if (!array.exists() || array.is_null()) return {};
  if (!array.is_array()) return ShapeError(array, "`inj` is not an array");
  std::vector<InjectedSpan> spans;
  for (const JsonValue object : array) {
    if (Status status = CheckKeys(object, {"call", "begin", "end"}); !status.ok()) return status;
    const std::optional<std::int64_t> call = object.Find("call").AsInt64();
    const std::optional<std::int64_t> begin = object.Find("begin").AsInt64();
    const std::optional<std::int64_t> end = object.Find("end").AsInt64();
    if (!call || !begin || !end || *call < 0 || static_cast<std::uint64_t>(*call) >= calls.size() || *begin < 0 ||
        *end < *begin) {
      return ShapeError(object, "a span of `inj` names no part of a call's result");
    }
    spans.push_back({.call = static_cast<std::size_t>(*call), .ordinal = spans.size(), .begin = *begin, .end = *end});
  }
  std::sort(spans.begin(), spans.end(), [](const InjectedSpan& a, const InjectedSpan& b) {
    return std::tie(a.call, a.ordinal) < std::tie(b.call, b.ordinal);
  });
  for (auto first = spans.begin(); first != spans.end();) {
    const auto last = std::find_if(first, spans.end(), [&](const InjectedSpan& s) { return s.call != first->call; });
    CompactCall& call = calls[first->call];
    std::vector<std::int64_t> rising;
    for (auto span = first; span != last; ++span) {
      rising.push_back(span->begin);
      rising.push_back(span->end);
    }
    std::sort(rising.begin(), rising.end());
    rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
    const std::optional<std::vector<std::size_t>> bytes = ToByteOffsets(call.result.string(), rising);
    if (!bytes.has_value()) return ShapeError(array, "a span of `inj` ends past the call's result");
    const auto to_bytes = [&](std::int64_t offset) {
      return (
          *bytes)[static_cast<std::size_t>(std::lower_bound(rising.begin(), rising.end(), offset) - rising.begin())];
    };
    JsonWriter writer(call.annotations);
    writer.BeginObject().Key("injections").BeginArray();
    for (; first != last; ++first) {
      writer.BeginObject().Key("begin").Uint(to_bytes(first->begin)).Key("end").Uint(to_bytes(first->end)).EndObject();
    }
    writer.EndArray().EndObject();
  }
  return {};
}

Result<std::string_view> LabelOf(JsonValue root) {
  const std::string_view kind = root.Find("kind").string();
  if (kind == "utility") return std::string_view("benign");
  if (kind == "attack") return std::string_view("attack");
  return ShapeError(root, "`kind` is neither utility nor attack");
}

}  // namespace

Status ImportCompactTrace(std::string_view line, const SystemPrompts& systems, std::string& out) {
  const Result<JsonDoc> doc = ParseRecord(line);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return ShapeError(root, "a record is an object");
  if (Status status = CheckKeys(
          root, {"set", "domain", "kind", "id", "file", "sys", "prompt", "calls", "answer", "inj", "meta", "intent"});
      !status.ok()) {
    return status;
  }
  std::array<std::string_view, 6> texts;
  constexpr std::array<std::string_view, 6> kTextKeys = {"set", "domain", "id", "sys", "prompt", "answer"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<std::string_view> text = TextMember(root, kTextKeys[i]);
    if (!text.ok()) return text.error();
    texts[i] = text.value();
  }
  const auto [set, domain, id, system_key, prompt, answer] = texts;
  if (id.empty()) return ShapeError(root, "a record without `id`");
  if (!root.Find("prompt").is_string()) return ShapeError(root, "a record without `prompt`");
  const Result<std::string_view> label = LabelOf(root);
  if (!label.ok()) return label.error();
  Result<std::vector<CompactCall>> read = ReadCalls(root.Find("calls"));
  if (!read.ok()) return read.error();
  std::vector<CompactCall>& calls = read.value();
  if (Status status = AnnotateInjections(root.Find("inj"), calls); !status.ok()) return status;

  Appended appended(out);
  core::TraceWriter writer(out);
  writer.Begin(set.empty() ? std::string(id) : fmt::format("{}/{}", set, id), domain, "");
  if (!system_key.empty() && !systems.empty()) {
    const auto system = systems.find(system_key);
    if (system == systems.end()) return ShapeError(root.Find("sys"), "no system prompt has this key");
    writer.System(system->second);
  }
  writer.User(prompt);
  std::vector<core::TraceWriter::CallRecord> records;
  for (std::size_t first = 0; first < calls.size();) {
    std::size_t last = first;
    records.clear();
    for (; last < calls.size() && calls[last].turn == calls[first].turn; ++last) {
      const CompactCall& call = calls[last];
      records.push_back(
          {.id = call.id, .tool = call.tool, .arguments_json = call.arguments, .annotations_json = call.annotations});
    }
    writer.Assistant("", records);
    for (; first < last; ++first) {
      if (calls[first].result.is_string()) {
        writer.Tool(calls[first].id, calls[first].result.string(), core::Trust::kUnknown);
      }
    }
  }
  if (!answer.empty()) writer.Assistant(answer, {});

  std::string annotations;
  JsonWriter facts(annotations);
  facts.BeginObject().Key("label").String(label.value()).Key("agent_sentry").BeginObject();
  for (const std::string_view key : {"set", "kind", "id", "file", "sys", "inj", "meta", "intent"}) {
    if (const JsonValue value = root.Find(key); value.exists()) facts.Key(key).Raw(value.raw());
  }
  facts.EndObject().EndObject();
  writer.End(annotations);
  return appended.Keep();
}

}  // namespace interlock::eval
