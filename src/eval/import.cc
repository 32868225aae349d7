#include "interlock/eval/import.h"

#include <fmt/format.h>

#include "import_common.h"
#include "interlock/base/check.h"
#include "interlock/core/trace.h"

namespace interlock::eval {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

std::string_view NameOf(TraceFormat format) noexcept {
  switch (format) {
    case TraceFormat::kTraceV1:
      return "trace";
    case TraceFormat::kCompact:
      return "compact";
    case TraceFormat::kChatDump:
      return "chat";
    case TraceFormat::kAgentDojo:
      return "agentdojo";
  }
  INTERLOCK_CHECK(false, "an enumerator has a name");
}

Result<TraceFormat> DetectTraceFormat(std::string_view record) {
  // The limits are those of a trace, the largest of the four: what is too large for its importer is told by the
  // importer.
  const core::TraceLimits limits;
  const Result<JsonDoc> doc =
      JsonDoc::Parse(record, {.max_bytes = limits.max_line_bytes, .max_values = limits.max_values});
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  const auto has = [&](std::string_view key) { return root.Find(key).exists(); };
  if (root.Find("schema").string() == core::kTraceSchema) return TraceFormat::kTraceV1;
  if (has("calls") && has("prompt") && has("kind")) return TraceFormat::kCompact;
  if (has("messages") && has("suite_name") && has("user_task_id")) return TraceFormat::kAgentDojo;
  if (has("messages") || has("conversation_history") || root.Find("simulated_trace").Find("messages").exists()) {
    return TraceFormat::kChatDump;
  }
  return ShapeError(root, "none of the known forms of a trace");
}

Result<SystemPrompts> ParseSystemPrompts(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return ShapeError(root, "system prompts are an object of strings");
  SystemPrompts prompts;
  for (auto member = root.begin(); member != root.end(); ++member) {
    if (!(*member).is_string()) return ShapeError(*member, "a system prompt is not a string");
    prompts.emplace(member.key(), (*member).string());
  }
  return prompts;
}

}  // namespace interlock::eval
