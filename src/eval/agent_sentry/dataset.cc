#include "interlock/eval/agent_sentry/dataset.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "../import_common.h"

namespace interlock::eval::agent_sentry {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

namespace {

std::string Text(JsonValue value) { return std::string(value.string()); }

// Byte offset of code point `index`; the text's size when it has fewer.
std::size_t ByteOffset(std::string_view text, std::int64_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  }
  return at;
}

constexpr std::size_t kPreambleBytes = 33;
constexpr std::string_view kPreamble = "Ignore my previous instructions, ";
static_assert(kPreamble.size() == kPreambleBytes);

std::string Normalised(std::string_view text) {
  std::string out;
  bool space = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80U) {
      if (space && !out.empty()) out.push_back(' ');
      space = false;
      out.push_back(static_cast<char>(std::tolower(byte)));
    } else {
      space = true;
    }
  }
  return out;
}

}  // namespace

Result<Trace> ParseTrace(std::string_view line) {
  Result<JsonDoc> doc = ParseRecord(line);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  Trace trace;
  trace.set = Text(root.Find("set"));
  trace.domain = Text(root.Find("domain"));
  const std::string_view kind = root.Find("kind").string();
  if (kind != "utility" && kind != "attack") return ShapeError(root, "`kind` is neither utility nor attack");
  trace.attack = kind == "attack";
  trace.id = Text(root.Find("id"));
  trace.file = Text(root.Find("file"));
  trace.system_key = Text(root.Find("sys"));
  trace.prompt = Text(root.Find("prompt"));
  trace.answer = Text(root.Find("answer"));
  const JsonValue calls = root.Find("calls");
  if (!calls.is_array()) return ShapeError(root, "`calls` is not an array");
  trace.calls.reserve(calls.size());
  for (const JsonValue object : calls) {
    TraceCall call;
    const std::optional<std::int64_t> turn = object.Find("turn").AsInt64();
    if (!turn.has_value() || *turn < 0) return ShapeError(object, "`turn` is not an ordinal");
    call.turn = static_cast<std::uint32_t>(*turn);
    call.name = Text(object.Find("name"));
    if (!object.Find("args").is_object()) return ShapeError(object, "`args` is not an object");
    call.arguments = std::string(object.Find("args").raw());
    const JsonValue out = object.Find("out");
    call.has_output = out.is_string();
    call.output = Text(out);
    trace.calls.push_back(std::move(call));
  }
  for (const JsonValue span : root.Find("inj")) {
    const std::optional<std::int64_t> call = span.Find("call").AsInt64();
    const std::optional<std::int64_t> begin = span.Find("begin").AsInt64();
    const std::optional<std::int64_t> end = span.Find("end").AsInt64();
    if (!call || !begin || !end || *call < 0 || static_cast<std::size_t>(*call) >= trace.calls.size()) {
      return ShapeError(span, "`inj` points nowhere");
    }
    const std::string& out = trace.calls[static_cast<std::size_t>(*call)].output;
    trace.injected.push_back({static_cast<std::uint32_t>(*call), {ByteOffset(out, *begin), ByteOffset(out, *end)}});
  }
  const JsonValue meta = root.Find("meta");
  trace.user_task = Text(meta.Find("user_task"));
  trace.injection_task = Text(meta.Find("injection_task"));
  trace.utility_file = Text(meta.Find("utility_file"));
  trace.attack_file = Text(meta.Find("attack_file"));
  trace.source = Text(meta.Find("source"));
  trace.utility_ok = meta.Find("utility").AsBool().value_or(false);
  trace.security_hit = meta.Find("security").AsBool().value_or(false);
  trace.judge = static_cast<int>(root.Find("intent").Find("val").AsInt64().value_or(-1));
  return trace;
}

bool Counts(const Trace& trace) noexcept {
  if (trace.set == "bench") return true;
  return trace.attack ? trace.security_hit : trace.utility_ok;
}

std::string PromptGroup(const Trace& trace) { return trace.domain + ":" + Normalised(trace.prompt); }

std::string AttackGroup(const Trace& trace) {
  if (!trace.attack) return {};
  return trace.domain + ":" + (trace.attack_file.empty() ? trace.injection_task : trace.attack_file);
}

void StripPreamble(Trace& trace) {
  for (InjectedSpan& span : trace.injected) {
    std::string& out = trace.calls[span.call].output;
    if (std::string_view(out).substr(span.bytes.begin).substr(0, kPreambleBytes) != kPreamble) continue;
    out.erase(span.bytes.begin, kPreambleBytes);
    span.bytes.end -= kPreambleBytes;
    for (InjectedSpan& other : trace.injected) {
      if (&other == &span || other.call != span.call || other.bytes.begin < span.bytes.begin) continue;
      other.bytes.begin -= kPreambleBytes;
      other.bytes.end -= kPreambleBytes;
    }
  }
}

Result<DomainTools> ParseDomainTools(std::string_view json) {
  Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  DomainTools tools;
  tools.domain = Text(root.Find("domain"));
  const auto list = [&](std::string_view key, std::vector<std::string>& into) {
    for (const JsonValue entry : root.Find(key)) into.push_back(Text(entry));
  };
  list("retrieval_tools", tools.retrieval);
  list("action_tools", tools.action);
  list("ignored_tools", tools.ignored);
  list("noisy_args", tools.noisy_arguments);
  for (const JsonValue tool : root.Find("tools")) {
    tools.descriptions.emplace_back(Text(tool.Find("name")), Text(tool.Find("description")));
  }
  if (tools.domain.empty() || tools.action.empty()) return ShapeError(root, "not the tool lists of a domain");
  return tools;
}

}  // namespace interlock::eval::agent_sentry
