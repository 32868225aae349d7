// A value that fits a schema of the usual kind is validated without allocating: it stands in the path of every call.
// Counts every operator new of the test binary.
#include <string>

#include "count_allocations.h"
#include "gtest/gtest.h"
#include "interlock/policy/json_schema.h"

#if INTERLOCK_COUNTS_ALLOCATIONS

namespace interlock::policy {
namespace {

TEST(JsonSchemaAllocations, NoneForAValueThatFits) {
  const auto schema_doc = base::JsonDoc::Parse(R"({"type":"object","properties":{
      "path":{"type":"string","minLength":1,"maxLength":4096},"mode":{"type":"string","enum":["read","write"]},
      "count":{"type":"integer","minimum":0,"maximum":1e3},"edits":{"type":"array","items":{"$ref":"#/$defs/edit"}}},
      "required":["path","mode"],"$defs":{"edit":{"allOf":[{"properties":{"old":{"type":"string"}}},
      {"properties":{"new":{"type":"string"}}}],"required":["old"]}}})");
  const auto value_doc = base::JsonDoc::Parse(R"({"mode":"write","path":"/tmp/a\tb","count":17,
      "edits":[{"old":"a","new":"b"},{"old":"c"}]})");
  ASSERT_TRUE(schema_doc.ok() && value_doc.ok());
  for (const bool strict : {false, true}) {
    const auto schema = JsonSchema::Compile(schema_doc.value().root(), {.strict_objects = strict});
    ASSERT_TRUE(schema.ok());
    const std::size_t before = allocations;
    const bool valid = schema.value().Validate(value_doc.value().root()).valid();
    EXPECT_EQ(allocations - before, 0U);
    EXPECT_TRUE(valid);
  }
}

}  // namespace
}  // namespace interlock::policy

#endif
