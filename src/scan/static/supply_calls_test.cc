#include <gtest/gtest.h>

#include <array>

#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using Places = std::vector<std::vector<std::size_t>>;

constexpr std::array<std::string_view, 2> kNames = {"pip install", "npx "};

TEST(CallsOf, ByNameAndThenByPlace) {
  EXPECT_EQ(CallsOf("npx a; pip install b\nnpx c", kNames, "\n ;", 10), (Places{{7}, {0, 21}}));
}

TEST(CallsOf, OnlyBehindWhatMayStandBefore) {
  EXPECT_EQ(CallsOf("xnpx a (npx b) npx-c 1npx d", kNames, " ", 10), (Places{{}, {}}));
  EXPECT_EQ(CallsOf("(npx b)", kNames, "(", 10), (Places{{}, {1}}));
}

TEST(CallsOf, NoMoreThanAreWanted) { EXPECT_EQ(CallsOf("npx a npx b npx c", kNames, " ", 2), (Places{{}, {0, 6}})); }

TEST(CallsOf, WhereverTheTextIsDivided) {
  for (std::size_t before = 50; before < 80; ++before) {
    const std::string text = std::string(before, 'a') + " pip install b";
    EXPECT_EQ(CallsOf(text, kNames, " ", 10), (Places{{before + 1}, {}})) << before;
    EXPECT_EQ(CallsOf(std::string(before, 'a') + "npx b", kNames, "a ", 10), (Places{{}, {}})) << before;
  }
}

}  // namespace
}  // namespace interlock::scan
