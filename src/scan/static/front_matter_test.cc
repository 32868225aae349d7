// Where the head of an instruction file begins and ends.
#include "static/front_matter.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::scan {
namespace {

TEST(FrontMatter, IsFoundAsHostsFindIt) {
  for (const std::string before : {"", "\xEF\xBB\xBF", "\n\n", "\xEF\xBB\xBF\r\n"}) {
    for (const std::string line : {"\n", "\r\n", " \n"}) {
      for (const std::string close : {"---", "..."}) {
        const std::string text = before + "---" + line + "name: x" + line + close + line + "# X\n";
        const FrontMatter head = FindFrontMatter(text);
        ASSERT_TRUE(head.found()) << text;
        EXPECT_EQ(text.substr(head.begin, head.end - head.begin), "name: x" + line);
        EXPECT_EQ(head.lines(text), "\nname: x" + line);
        EXPECT_EQ(text.substr(head.body), "# X\n");
      }
    }
  }
}

TEST(FrontMatter, MayBeEmptyOrEndTheFile) {
  const std::string empty = "---\n---\nx";
  EXPECT_EQ(FindFrontMatter(empty).lines(empty), "\n");
  EXPECT_EQ(FindFrontMatter("---\na: b\n---").body, 12U);
}

TEST(FrontMatter, IsNoRuleOfAPage) {
  for (const char* text : {"", "---", "---\n", "# X\n---\na: b\n---\n", "---\na: b\n", "------\na: b\n---\n",
                           "---\na: b\n ---\n", "--- a: b\n---\n", "---\na: b\n--- # x\n"}) {
    EXPECT_FALSE(FindFrontMatter(text).found()) << text;
    EXPECT_EQ(FindFrontMatter(text).lines(text), "");
  }
}

}  // namespace
}  // namespace interlock::scan
