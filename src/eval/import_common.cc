#include "import_common.h"

#include <fmt/format.h>

#include "interlock/core/trace.h"
#include "interlock/eval/import.h"

namespace interlock::eval {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::Result;
using base::Status;

Result<JsonDoc> ParseRecord(std::string_view bytes) {
  return JsonDoc::Parse(bytes,
                        {.max_bytes = kMaxImportBytes, .max_depth = kMaxImportDepth, .max_values = kMaxImportValues});
}

Error ShapeError(JsonValue at, std::string message) {
  base::SourcePlace place;
  if (at.exists()) place.offset = at.offset();
  return Error(ErrorCode::kImportShape, std::move(message), std::move(place));
}

Result<std::string_view> TextMember(JsonValue object, std::string_view key) {
  const JsonValue value = object.Find(key);
  if (!value.exists() || value.is_null()) return std::string_view();
  if (!value.is_string()) return ShapeError(value, fmt::format("`{}` is not a string", key));
  return value.string();
}

Status Appended::Keep() {
  if (out_.size() - size_ > core::TraceLimits{}.max_line_bytes) {
    return Error(ErrorCode::kLimitExceeded, "the record is too large for a line of a trace");
  }
  kept_ = true;
  return {};
}

}  // namespace interlock::eval
