#include "static/literals.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::scan {
namespace {

TEST(LowerCase, ChangesCapitalLettersOfAsciiAndNothingElse) {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  all += all;
  for (std::size_t from = 0; from < 300; ++from) {
    const std::string text = all.substr(from, from % 37);
    std::string expected = text;
    for (char& c : expected) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    ASSERT_EQ(LowerCase(text), expected) << from;
  }
  EXPECT_EQ(LowerCase(all).size(), all.size());
}

}  // namespace
}  // namespace interlock::scan
