// links: base policy
// Input: one byte of options, a schema, a NUL byte, a value. Whatever comes in: no crash, the same answer twice, an
// answer within the budget, and less budget never gives another answer than "undecided".
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

using interlock::policy::JsonSchema;
using interlock::policy::SchemaDialect;
using interlock::policy::SchemaOutcome;
using interlock::policy::UnknownKeyword;

namespace {
void Require(bool holds) {
  if (!holds) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned bits = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t cut = text.find('\0');
  const auto schema_doc = interlock::base::JsonDoc::Parse(text.substr(0, cut));
  if (!schema_doc.ok()) return 0;
  const interlock::policy::SchemaOptions options = {
      .default_dialect = (bits & 1) != 0 ? SchemaDialect::kDraft07 : SchemaDialect::kDraft2020,
      .unknown_keywords = (bits & 2) != 0 ? UnknownKeyword::kAnnotate : UnknownKeyword::kRefuse,
      .strict_objects = (bits & 4) != 0,
      .assert_formats = (bits & 8) != 0,
      .budget = 20'000,
      .max_violations = 4};
  const auto schema = JsonSchema::Compile(schema_doc.value().root(), options);
  if (!schema.ok()) {
    Require(schema.error().place().offset <= text.size());
    return 0;
  }
  const auto value_doc = interlock::base::JsonDoc::Parse(cut == std::string_view::npos ? "{}" : text.substr(cut + 1));
  if (!value_doc.ok()) return 0;
  const SchemaOutcome first = schema.value().Validate(value_doc.value().root());
  const SchemaOutcome second = schema.value().Validate(value_doc.value().root());
  Require(first.kind == second.kind && first.violations.size() == second.violations.size());
  Require(first.invalid() == !first.violations.empty() && first.violations.size() <= 4);
  for (const auto& violation : first.violations) {
    if (violation.keyword.empty()) continue;
    Require(value_doc.value().root().FindPointer(violation.instance_pointer).exists());
  }
  const SchemaOutcome less = schema.value().Validate(value_doc.value().root(), 50);
  Require(less.undecided() || less.kind == first.kind);
  return 0;
}
