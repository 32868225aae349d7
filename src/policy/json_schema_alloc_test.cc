// A value that fits a schema of the usual kind is validated without allocating: it stands in the path of every call.
// Counts every operator new of the test binary.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "gtest/gtest.h"
#include "interlock/policy/json_schema.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERLOCK_COUNTS_ALLOCATIONS 0
#else
#define INTERLOCK_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

#if INTERLOCK_COUNTS_ALLOCATIONS
namespace {
void* Allocate(std::size_t size) noexcept {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace interlock::policy {
namespace {

TEST(JsonSchemaAllocations, NoneForAValueThatFits) {
#if !INTERLOCK_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "the sanitizer owns operator new";
#endif
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
