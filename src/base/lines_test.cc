#include "interlock/base/lines.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace interlock::base {
namespace {

std::string Show(const Line& line) {
  return std::to_string(line.number) + "@" + std::to_string(line.offset) + (line.too_long ? "!" : ":") +
         std::string(line.text);
}

std::vector<std::string> Split(std::string_view text, std::size_t limit, std::size_t step) {
  std::vector<std::string> out;
  LineSplitter splitter(limit);
  const auto sink = [&out](const Line& line) {
    out.push_back(Show(line));
    return true;
  };
  for (std::size_t at = 0; at < text.size(); at += step) EXPECT_TRUE(splitter.Push(text.substr(at, step), sink));
  EXPECT_TRUE(splitter.Finish(sink));
  return out;
}

using Lines = std::vector<std::string>;

TEST(LineSplitterTest, LinesNumbersAndOffsets) {
  for (const std::size_t step : {1U, 2U, 3U, 100U}) {
    EXPECT_EQ(Split("", 10, step), Lines{});
    EXPECT_EQ(Split("a", 10, step), Lines{"1@0:a"});
    EXPECT_EQ(Split("a\n", 10, step), Lines{"1@0:a"});
    EXPECT_EQ(Split("\n\n", 10, step), (Lines{"1@0:", "2@1:"}));
    EXPECT_EQ(Split("ab\r\ncd\n\ne", 10, step), (Lines{"1@0:ab", "2@4:cd", "3@7:", "4@8:e"}));
    EXPECT_EQ(Split("a\rb\n", 10, step), Lines{"1@0:a\rb"});
  }
}

TEST(LineSplitterTest, LinesAtTheLimitAndOnePast) {
  for (const std::size_t step : {1U, 2U, 5U, 100U}) {
    EXPECT_EQ(Split("abcde\nx\n", 5, step), (Lines{"1@0:abcde", "2@6:x"}));
    EXPECT_EQ(Split("abcdef\nx\n", 5, step), (Lines{"1@0!abcde", "2@7:x"}));
    EXPECT_EQ(Split("abcdefghijkl", 5, step), Lines{"1@0!abcde"});
    EXPECT_EQ(Split("abcde", 5, step), Lines{"1@0:abcde"});
  }
}

TEST(LineSplitterTest, SinkMayStop) {
  LineSplitter splitter(10);
  int seen = 0;
  EXPECT_FALSE(splitter.Push("a\nb\nc\n", [&](const Line&) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

TEST(LineSplitterTest, ChunksDoNotMatter) {
  EXPECT_TRUE(rc::check("any step gives the lines of one push", [](const std::vector<std::uint8_t>& choices) {
    std::string text;
    for (const std::uint8_t c : choices) text += "ab\r\n"[c % 4];
    const Lines whole = Split(text, 4, text.size() + 1);
    for (const std::size_t step : {1U, 2U, 3U, 7U}) RC_ASSERT(Split(text, 4, step) == whole);
  }));
}

}  // namespace
}  // namespace interlock::base
