// Compact Agent-Sentry traces.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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
  JsonValue arguments_value;
  JsonValue result;         // string or null
  std::string annotations;  // JSON or empty
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
    call.id = "c" + std::to_string(calls.size());
    const std::optional<std::int64_t> turn = object.Find("turn").AsInt64();
    if (!turn.has_value()) return ShapeError(object, "`turn` is not an integer");
    if (!calls.empty() && *turn < calls.back().turn) return ShapeError(object, "turns run backwards");
    call.turn = *turn;
    call.tool = object.Find("name").string();
    if (call.tool.empty()) return ShapeError(object, "a call without `name`");
    const JsonValue arguments = object.Find("args");
    if (!arguments.is_object()) return ShapeError(object, "`args` is not an object");
    call.arguments = arguments.raw();
    call.arguments_value = arguments;
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
      // Most texts are ASCII, eight bytes of which are eight code points.
      std::uint64_t next = 0;
      if (wanted - code_points >= 8 && utf8.size() - at >= 8) {
        std::memcpy(&next, utf8.data() + at, sizeof next);
        if ((next & 0x8080808080808080U) == 0) {
          at += 8;
          code_points += 8;
          continue;
        }
      }
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

// What a record says, checked. Views of its document.
struct CompactRecord {
  std::string_view set;
  std::string_view domain;
  std::string_view id;
  std::string_view system_key;
  std::string_view prompt;
  std::string_view answer;
  std::string_view label;
  std::vector<CompactCall> calls;

  [[nodiscard]] std::string SessionName() const {
    return set.empty() ? std::string(id) : fmt::format("{}/{}", set, id);
  }
};

Status ReadCompact(JsonValue root, CompactRecord& record) {
  if (!root.is_object()) return ShapeError(root, "a record is an object");
  if (Status status = CheckKeys(
          root, {"set", "domain", "kind", "id", "file", "sys", "prompt", "calls", "answer", "inj", "meta", "intent"});
      !status.ok()) {
    return status;
  }
  struct Text {
    std::string_view key;
    std::string_view& into;
  };
  for (const Text& text :
       {Text{"set", record.set}, Text{"domain", record.domain}, Text{"id", record.id}, Text{"sys", record.system_key},
        Text{"prompt", record.prompt}, Text{"answer", record.answer}}) {
    const Result<std::string_view> value = TextMember(root, text.key);
    if (!value.ok()) return value.error();
    text.into = value.value();
  }
  if (record.id.empty()) return ShapeError(root, "a record without `id`");
  if (!root.Find("prompt").is_string()) return ShapeError(root, "a record without `prompt`");
  const Result<std::string_view> label = LabelOf(root);
  if (!label.ok()) return label.error();
  record.label = label.value();
  Result<std::vector<CompactCall>> calls = ReadCalls(root.Find("calls"));
  if (!calls.ok()) return calls.error();
  record.calls = std::move(calls.value());
  return AnnotateInjections(root.Find("inj"), record.calls);
}

}  // namespace

Status ImportCompactTrace(std::string_view line, const SystemPrompts& systems, std::string& out) {
  const Result<JsonDoc> doc = ParseRecord(line);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  CompactRecord record;
  if (Status status = ReadCompact(root, record); !status.ok()) return status;
  const std::vector<CompactCall>& calls = record.calls;

  Appended appended(out);
  core::TraceWriter writer(out);
  writer.Begin(record.SessionName(), record.domain, "");
  if (!record.system_key.empty() && !systems.empty()) {
    const auto system = systems.find(record.system_key);
    if (system == systems.end()) return ShapeError(root.Find("sys"), "no system prompt has this key");
    writer.System(system->second);
  }
  writer.User(record.prompt);
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
  if (!record.answer.empty()) writer.Assistant(record.answer, {});

  std::string annotations;
  JsonWriter facts(annotations);
  facts.BeginObject().Key("label").String(record.label).Key("agent_sentry").BeginObject();
  for (const std::string_view key : {"set", "kind", "id", "file", "sys", "inj", "meta", "intent"}) {
    if (const JsonValue value = root.Find(key); value.exists()) facts.Key(key).Raw(value.raw());
  }
  facts.EndObject().EndObject();
  writer.End(annotations);
  return appended.Keep();
}

struct CompactTraceReader::Impl {
  base::JsonParser parser{{.max_bytes = kMaxImportBytes, .max_depth = kMaxImportDepth, .max_values = kMaxImportValues}};
  JsonDoc doc;
  CompactRecord record;
  std::string name;
  std::vector<std::string_view> injected;
  core::TraceSession session;

  Status Build();
};

// The messages that a reader of the imported line gives.
Status CompactTraceReader::Impl::Build() {
  const std::vector<CompactCall>& calls = record.calls;
  name = record.SessionName();
  session.session = name;
  session.domain = record.domain;
  std::vector<core::TraceMessage>& messages = session.messages;
  messages.push_back({.role = core::Role::kUser, .content = record.prompt});
  for (std::size_t first = 0; first < calls.size();) {
    core::TraceMessage turn{.role = core::Role::kAssistant};
    std::size_t last = first;
    for (; last < calls.size() && calls[last].turn == calls[first].turn; ++last) {
      turn.calls.push_back(
          {.id = calls[last].id, .tool = calls[last].tool, .arguments = calls[last].arguments_value, .decision = {}});
      if (!calls[last].annotations.empty()) injected.push_back(calls[last].id);
    }
    messages.push_back(std::move(turn));
    for (; first < last; ++first) {
      if (!calls[first].result.is_string()) continue;
      messages.push_back(
          {.role = core::Role::kTool, .content = calls[first].result.string(), .call_id = calls[first].id});
    }
  }
  if (!record.answer.empty()) messages.push_back({.role = core::Role::kAssistant, .content = record.answer});
  const core::TraceLimits limits;
  if (messages.size() > limits.max_messages) {
    return Error(ErrorCode::kLimitExceeded, fmt::format("more than {} messages in a session", limits.max_messages));
  }
  return {};
}

CompactTraceReader::CompactTraceReader() : impl_(std::make_unique<Impl>()) {}
CompactTraceReader::CompactTraceReader(CompactTraceReader&&) noexcept = default;
CompactTraceReader& CompactTraceReader::operator=(CompactTraceReader&&) noexcept = default;
CompactTraceReader::~CompactTraceReader() = default;

Status CompactTraceReader::Read(std::string_view line) {
  Impl& impl = *impl_;
  impl.session = core::TraceSession();
  impl.record = CompactRecord();
  impl.injected.clear();
  Status status = impl.parser.ParseInto(impl.doc, line);
  if (status.ok()) status = ReadCompact(impl.doc.root(), impl.record);
  if (status.ok()) status = impl.Build();
  if (!status.ok()) {
    impl.session = core::TraceSession();
    impl.record = CompactRecord();
    impl.injected.clear();
  }
  return status;
}

const core::TraceSession& CompactTraceReader::session() const noexcept { return impl_->session; }
std::string_view CompactTraceReader::label() const noexcept { return impl_->record.label; }
const std::vector<std::string_view>& CompactTraceReader::injected_calls() const noexcept { return impl_->injected; }

}  // namespace interlock::eval
