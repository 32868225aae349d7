#include "interlock/base/byte_sieve.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "interlock/base/seeded_random.h"

namespace interlock::base {
namespace {

constexpr auto kWords = std::to_array<std::string_view>({"a", "key", "keys", "to", "\x80\xff", "zip"});

TEST(ByteSieve, PassesOverNoPlaceWhereAWordBegins) {
  if (!ByteSieve::Works()) return;  // other machines have nothing of it
  static constexpr ByteSieve kSieve = ByteSieve::Of(kWords);
  SeededRandom random(3);
  std::size_t begun = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::string text(ByteSieve::kBytes, ' ');
    for (char& c : text) c = static_cast<char>(random.Next() % 256);
    const std::string_view word = kWords[random.Next() % kWords.size()];
    text.replace(random.Next() % (ByteSieve::kPlaces - 4), word.size(), word);
    const std::uint64_t places = kSieve.PlacesAt(text.data());
    for (std::size_t i = 0; i < ByteSieve::kPlaces; ++i) {
      for (const std::string_view one : kWords) {
        if (!std::string_view(text).substr(i).starts_with(one)) continue;
        ++begun;
        ASSERT_TRUE((places >> i & 1U) != 0) << i;
      }
    }
  }
  EXPECT_GE(begun, 2'000U);
}

TEST(ByteSieve, PassesOverMostOfAPlainText) {
  if (!ByteSieve::Works()) return;  // other machines have nothing of it
  static constexpr ByteSieve kSieve = ByteSieve::Of(std::to_array<std::string_view>({"key", "zip"}));
  const std::string text(ByteSieve::kBytes, 'e');
  EXPECT_EQ(kSieve.PlacesAt(text.data()), 0U);
}

}  // namespace
}  // namespace interlock::base
