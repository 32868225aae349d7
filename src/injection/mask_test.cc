#include "gtest/gtest.h"
#include "interlock/injection/span_finder.h"

namespace interlock::injection {
namespace {

TEST(MaskSpansTest, ReplacesEachSpanAndKeepsTheRest) {
  const std::string text = "abcSPANdefMOREghi";
  Span later;
  later.bytes = {10, 14};
  Span first;
  first.bytes = {3, 7};
  Span overlapping;
  overlapping.bytes = {5, 8};
  Span outside;
  outside.bytes = {100, 120};
  EXPECT_EQ(MaskSpans(text, {later, first, outside}),
            "abc[removed by Interlock: text addressed to the assistant]def[removed by Interlock: text addressed to the "
            "assistant]ghi");
  EXPECT_EQ(MaskSpans(text, {first, overlapping}),
            "abc[removed by Interlock: text addressed to the assistant]efMOREghi");
  EXPECT_EQ(MaskSpans(text, {}), text);
}

}  // namespace
}  // namespace interlock::injection
