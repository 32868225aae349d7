#include "static/part_set.h"

#include <algorithm>
#include <array>
#include <string>

#include "gtest/gtest.h"
#include "interlock/base/seeded_random.h"

namespace interlock::scan {
namespace {

// Parts that begin alike, lie in each other, and have one letter.
constexpr auto kParts = std::to_array<std::string_view>({"a", "ab", "abc", "abcd", "bc", "cab", "bcaab", "ccc"});

std::string Letters(base::SeededRandom& random, std::size_t most) {
  std::string out(random.Next() % most, 'a');
  for (char& c : out) c = static_cast<char>('a' + random.Next() % 4);
  return out;
}

TEST(PartSetTest, FindsWhatASearchForEachFinds) {
  static constexpr PartSet kSet(kParts);
  base::SeededRandom random(7);
  for (int round = 0; round < 20'000; ++round) {
    // Every tenth is long enough to be looked at many places at once.
    const std::string text = Letters(random, round % 10 == 0 ? 300 : 12);
    std::uint32_t found = 0;
    for (std::size_t k = 0; k < kParts.size(); ++k) {
      found |= text.find(kParts[k]) != std::string::npos ? std::uint32_t{1} << k : 0U;
    }
    ASSERT_EQ(kSet.AllIn(text), found) << text;
    ASSERT_EQ(kSet.AnyIn(text), found != 0) << text;
  }
}

TEST(PartSetTest, EndsOfTheTextAndZeroBytesAreNoLetters) {
  static constexpr PartSet kSet(std::to_array<std::string_view>({"key", "to"}));
  EXPECT_FALSE(kSet.AnyIn(""));
  EXPECT_FALSE(kSet.AnyIn("ke"));
  EXPECT_FALSE(kSet.AnyIn(std::string_view("ke\0", 3)));
  EXPECT_TRUE(kSet.AnyIn("to"));
}

TEST(FixedWordsTest, HasItsWordsAndNoOthers) {
  static constexpr FixedWords kSet(kParts);
  base::SeededRandom random(9);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = Letters(random, 6);
    ASSERT_EQ(kSet.Has(text), std::ranges::find(kParts, text) != kParts.end()) << text;
    ASSERT_EQ(IsOneOf(text, {"abc", "d", "bcaab"}), text == "abc" || text == "d" || text == "bcaab") << text;
  }
}

TEST(IsOneOf, AnEmptyTextMayLieNowhere) {
  EXPECT_TRUE(IsOneOf(std::string_view(), {"", "await"}));
  EXPECT_FALSE(IsOneOf(std::string_view(), {"await", "void"}));
}

}  // namespace
}  // namespace interlock::scan
