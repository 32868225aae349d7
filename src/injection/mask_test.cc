#include "gtest/gtest.h"
#include "interlock/base/json.h"
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
            "abc[removed by Interlock: an order inside data]def[removed by Interlock: an order inside "
            "data]ghi");
  EXPECT_EQ(MaskSpans(text, {first, overlapping}), "abc[removed by Interlock: an order inside data]efMOREghi");
  EXPECT_EQ(MaskSpans(text, {}), text);
}

constexpr std::string_view kNotice = "[removed by Interlock: an order inside data]";

std::string Masked(const std::string& text, std::size_t begin, std::size_t end) {
  Span span;
  span.bytes = {begin, end};
  return MaskSpans(text, {span});
}

TEST(MaskSpansTest, JsonStaysJsonWhereverTheSpanLies) {
  const std::string text = R"({"a": "x\ny \u00e9\ud83d\ude00 \\\" z", "b": [1, "ü", {"c": "long text"}], "d": ""})";
  ASSERT_TRUE(base::JsonDoc::Parse(text).ok());
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t end = begin + 1; end <= text.size(); ++end) {
      const std::string masked = Masked(text, begin, end);
      EXPECT_TRUE(base::JsonDoc::Parse(masked).ok()) << begin << " " << end << " " << masked;
    }
  }
}

TEST(MaskSpansTest, InJsonEachFieldOfASpanIsMasked) {
  const std::string text = R"({"a": "one", "b": "two"})";
  EXPECT_EQ(Masked(text, 8, 21),
            R"({"a": "o)" + std::string(kNotice) + R"(", "b": ")" + std::string(kNotice) + R"(o"})");
}

TEST(MaskSpansTest, CharactersAreNotCut) {
  const std::string text = R"(a\u00fcb ü c)";
  EXPECT_TRUE(base::IsValidUtf8(Masked("aüb", 2, 3)));
  EXPECT_EQ(Masked(text, 3, 5), "a" + std::string(kNotice) + "b ü c");
}

}  // namespace
}  // namespace interlock::injection
