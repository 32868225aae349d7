#include "static/plain_statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::scan {
namespace {

using testing::ElementsAre;

std::vector<std::string> CodeOf(std::string_view text, PlainLanguage language) {
  std::vector<std::string> out;
  for (const PlainStatement& one : ReadPlainStatements(text, language, nullptr)) out.push_back(one.code);
  return out;
}

TEST(PlainStatements, EndWithLinesAndGoOnWhereTheNextOneSaysSo) {
  EXPECT_THAT(CodeOf("a = 1 # one\nb = f(2,\n  3)\n", PlainLanguage::kRuby), ElementsAre("a = 1 ", "b = f(2, 3)"));
  EXPECT_THAT(CodeOf("x = a\n  .b()\n  .c();\ny = 2;", PlainLanguage::kJava), ElementsAre("x = a .b() .c()", "y = 2"));
  EXPECT_THAT(CodeOf("if (x) { y(); }", PlainLanguage::kPhp), ElementsAre("if (x) {", "y()", "}"));
}

TEST(PlainStatements, TextsHaveHolesAndTheNamesInThem) {
  const auto read = ReadPlainStatements("k = \"a#{key}b\"\n", PlainLanguage::kRuby, nullptr);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].code, "k = \"\"");
  EXPECT_EQ(read[0].texts[0].text, std::string("a") + kPlainHole + "b");
  EXPECT_THAT(read[0].names, ElementsAre("k", "key"));
  const auto php = ReadPlainStatements("$k = \"x$home/y\";", PlainLanguage::kPhp, nullptr);
  EXPECT_THAT(php[0].names, ElementsAre("k", "home"));
  EXPECT_TRUE(ReadPlainStatements("`ls #{d}`", PlainLanguage::kRuby, nullptr)[0].texts[0].runs);
}

TEST(PlainStatements, CommentsAreNoCode) {
  EXPECT_THAT(CodeOf("-- x\nlocal a = 1 -- y\n--[[ z\nz ]] b = 2", PlainLanguage::kLua),
              ElementsAre("local a = 1 ", "b = 2"));
  EXPECT_THAT(CodeOf("/* a */ b(); // c\n", PlainLanguage::kCSharp), ElementsAre("b()"));
}

// A quotation mark in an expression, or behind a path's backslash, would have opened a text and hidden the rest.
TEST(PlainStatements, MarksWithinExpressionsOpenNoText) {
  EXPECT_THAT(CodeOf("w = l.scan(/[a-z']+/).size\nf(1)\n", PlainLanguage::kRuby),
              ElementsAre("w = l.scan(//).size", "f(1)"));
  EXPECT_THAT(CodeOf("g if l =~ /\"/\nf(1)\n", PlainLanguage::kRuby), ElementsAre("g if l =~ //", "f(1)"));
  EXPECT_THAT(CodeOf("a = b / c\nd = \"x\"\n", PlainLanguage::kRuby), ElementsAre("a = b / c", "d = \"\""));
  EXPECT_THAT(CodeOf("$x =~ s/'/\\\"/g;\nf(1);\n", PlainLanguage::kPerl), ElementsAre("$x =~ s//g", "f(1)"));
  const auto path = ReadPlainStatements("var p = @\"C:\\\"; f(\"y\");", PlainLanguage::kCSharp, nullptr);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].texts[0].text, "C:\\");
  EXPECT_EQ(path[1].code, "f(\"\")");
}

TEST(PlainStatements, WhatIsNeverClosedEnds) {
  EXPECT_FALSE(CodeOf("f((((\n" + std::string(20'000, 'a') + "\nb", PlainLanguage::kPerl).empty());
  EXPECT_FALSE(CodeOf("\"" + std::string(200'000, 'x'), PlainLanguage::kPhp).empty());
  bool complete = true;
  (void)ReadPlainStatements(std::string(3U << 20U, ';'), PlainLanguage::kJava, &complete);
  EXPECT_FALSE(complete);
}

TEST(PlainStatements, LanguagesByName) {
  EXPECT_EQ(PlainLanguageOf("a/b/Rakefile"), PlainLanguage::kRuby);
  EXPECT_EQ(PlainLanguageOf("x.KT"), PlainLanguage::kJava);
  EXPECT_EQ(PlainLanguageOf("x.c"), PlainLanguage::kNone);
  EXPECT_EQ(PlainLanguageOf(""), PlainLanguage::kNone);
}

}  // namespace
}  // namespace interlock::scan
