// The hot path's parser allocates nothing once its buffers have grown. Counts every operator new of the test binary.
#include <gtest/gtest.h>

#include <string>

#include "count_allocations.h"
#include "interlock/base/json.h"

#if INTERLOCK_COUNTS_ALLOCATIONS

namespace interlock::base {
namespace {

TEST(JsonAllocations, NoneInSteadyState) {
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

#endif
