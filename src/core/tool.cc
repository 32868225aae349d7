#include "interlock/core/tool.h"

#include <fmt/format.h>

namespace interlock::core {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;
using base::Status;

namespace {

Error TypeError(JsonValue value, std::string_view field, std::string_view wanted) {
  base::SourcePlace place;
  if (value.exists()) place.offset = value.offset();
  return Error(ErrorCode::kJsonType,
               fmt::format("`{}` of a tool is {}, not {}", field, base::NameOf(value.type()), wanted),
               std::move(place));
}

// Servers write `null` for what they do not state: the same as leaving it out. Any other wrong type refuses the whole
// definition, since a half-understood definition would be pinned and shown as if it were understood.
bool IsStated(JsonValue value) { return value.exists() && !value.is_null(); }

Status ReadText(JsonValue object, std::string_view key, std::string& out) {
  const JsonValue value = object.Find(key);
  if (!IsStated(value)) return {};
  if (!value.is_string()) return TypeError(value, key, "a string");
  out = value.string();
  return {};
}

Status ReadSchema(JsonValue object, std::string_view key, std::string& out) {
  const JsonValue value = object.Find(key);
  if (!IsStated(value)) return {};
  if (!value.is_object()) return TypeError(value, key, "an object");
  out = value.raw();
  return {};
}

Status ReadHint(JsonValue object, std::string_view key, std::optional<bool>& out) {
  const JsonValue value = object.Find(key);
  if (!IsStated(value)) return {};
  if (!value.is_bool()) return TypeError(value, key, "true or false");
  out = value.AsBool();
  return {};
}

}  // namespace

SideEffect SideEffectFromAnnotations(const ToolAnnotations& annotations) noexcept {
  if (annotations.read_only.has_value()) return *annotations.read_only ? SideEffect::kRead : SideEffect::kWrite;
  if (annotations.destructive.has_value()) return SideEffect::kWrite;
  return SideEffect::kUnknown;
}

Result<ToolSpec> ToolSpecFromMcp(JsonValue tool, std::string_view server) {
  if (!tool.is_object()) return TypeError(tool, "", "an object");
  ToolSpec spec;
  spec.server = server;
  const JsonValue name = tool.Find("name");
  if (!name.is_string() || name.string().empty()) return TypeError(name, "name", "a string that is not empty");
  spec.name = name.string();

  const JsonValue annotations = tool.Find("annotations");
  if (IsStated(annotations) && !annotations.is_object()) return TypeError(annotations, "annotations", "an object");
  // The tool's own title goes before the one among its annotations, so it is read last.
  for (const Status& status :
       {ReadText(annotations, "title", spec.title), ReadText(tool, "title", spec.title),
        ReadText(tool, "description", spec.description), ReadSchema(tool, "inputSchema", spec.input_schema),
        ReadSchema(tool, "outputSchema", spec.output_schema),
        ReadHint(annotations, "readOnlyHint", spec.annotations.read_only),
        ReadHint(annotations, "destructiveHint", spec.annotations.destructive),
        ReadHint(annotations, "idempotentHint", spec.annotations.idempotent),
        ReadHint(annotations, "openWorldHint", spec.annotations.open_world)}) {
    if (!status.ok()) return status.error();
  }
  spec.definition = base::DigestOf(tool);
  return spec;
}

}  // namespace interlock::core
