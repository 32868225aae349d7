#include "interlock/base/find_bytes.h"

#include <string>

#include "gtest/gtest.h"
#include "interlock/base/seeded_random.h"

namespace interlock::base {
namespace {

TEST(FindBytesTest, FindsWhatThePlainSearchFinds) {
  SeededRandom random(5);
  for (int round = 0; round < 30'000; ++round) {
    // Few letters, so that most places look right; sizes around those of a block.
    const auto letters = 1 + random.Next() % 3;
    const auto word = [&](std::size_t size) {
      std::string out(size, 'a');
      for (char& c : out) c = static_cast<char>('a' + random.Next() % letters);
      return out;
    };
    const std::string text = word(random.Next() % 70);
    const std::string part = word(random.Next() % 20);
    ASSERT_EQ(FindBytes(text, part), std::string_view(text).find(part)) << text << " / " << part;
    const std::size_t from = random.Next() % 80;
    ASSERT_EQ(FindBytes(text, part, from), std::string_view(text).find(part, from)) << text << " / " << part;
    ASSERT_EQ(HasBytes(text, part), std::string_view(text).find(part) != std::string_view::npos);
  }
}

TEST(FindBytesTest, FindsAPartOfALongTextWherePlacesNearlyFit) {
  std::string text(100'000, 'a');
  const std::string part = std::string(500, 'a') + "b" + std::string(500, 'a');
  EXPECT_EQ(FindBytes(text, part), std::string_view::npos);
  text[90'000] = 'b';
  EXPECT_EQ(FindBytes(text, part), 89'500U);
}

TEST(FindBytesTest, EmptyAndTooLong) {
  EXPECT_EQ(FindBytes({}, {}), 0U);
  EXPECT_EQ(FindBytes("abc", {}), 0U);
  EXPECT_EQ(FindBytes({}, "a"), std::string_view::npos);
  EXPECT_EQ(FindBytes("ab", "abc"), std::string_view::npos);
}

}  // namespace
}  // namespace interlock::base
