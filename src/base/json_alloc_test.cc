// The hot path's parser allocates nothing once its buffers have grown. Counts every operator new of the test binary.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "interlock/base/json.h"

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

namespace interlock::base {
namespace {

TEST(JsonAllocations, NoneInSteadyState) {
#if !INTERLOCK_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "the sanitizer owns operator new";
#endif
  std::string big = "{";
  for (int i = 0; i < 300; ++i) big += "\"key\\n" + std::to_string(i) + "\":[1,{\"a\":\"\\u0041\"}],";
  big += "\"last\":null}";
  const std::string small = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x\ty"}})";
  JsonParser parser;
  JsonDoc doc;
  ASSERT_TRUE(parser.ParseInto(doc, big).ok());
  const std::size_t before = allocations;
  bool all = true;
  std::size_t found = 0;
  for (int i = 0; i < 10; ++i) {
    all = all && parser.ParseInto(doc, small).ok();
    found += doc.root().Find("params").Find("name").string().size();
    all = all && parser.ParseInto(doc, big).ok();
  }
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_TRUE(all);
  EXPECT_EQ(found, 30U);
}

}  // namespace
}  // namespace interlock::base
