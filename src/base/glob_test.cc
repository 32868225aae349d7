#include "interlock/base/glob.h"

#include <chrono>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace interlock::base {
namespace {

struct GlobCase {
  const char* name;
  const char* pattern;
  const char* text;
  bool matches;
};

class GlobTable : public testing::TestWithParam<GlobCase> {};

TEST_P(GlobTable, Matches) {
  const Result<Glob> glob = Glob::Compile(GetParam().pattern);
  ASSERT_TRUE(glob.ok()) << glob.error().ToString();
  EXPECT_EQ(glob.value().Matches(GetParam().text), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    All, GlobTable,
    testing::Values(
        GlobCase{"EmptyMatchesEmpty", "", "", true}, GlobCase{"EmptyOnly", "", "a", false},
        GlobCase{"Literal", "mail.send", "mail.send", true}, GlobCase{"LiteralPrefix", "mail.send", "mail.sen", false},
        GlobCase{"LiteralLonger", "mail.send", "mail.sendx", false},
        GlobCase{"DotIsPlain", "mail.send", "mailxsend", false}, GlobCase{"StarEmptyRun", "mail.*", "mail.", true},
        GlobCase{"StarRun", "mail.*", "mail.send", true}, GlobCase{"StarNotSlash", "/etc/*", "/etc/a/b", false},
        GlobCase{"StarInside", "/home/*/x", "/home/ann/x", true},
        GlobCase{"StarInsideNotSlash", "/home/*/x", "/home/ann/b/x", false},
        GlobCase{"DoubleStar", "/etc/**", "/etc/a/b", true}, GlobCase{"DoubleStarEmpty", "/etc/**", "/etc/", true},
        GlobCase{"DoubleStarNeedsSlash", "/etc/**", "/etc", false},
        GlobCase{"DoubleStarMiddle", "/a/**/z", "/a/b/c/z", true},
        GlobCase{"TripleStarIsDouble", "a***b", "a/x/b", true}, GlobCase{"StarThenDouble", "*/**x", "a/b/cx", true},
        GlobCase{"BacktrackAcross", "**ab*c", "ab/abxc", true}, GlobCase{"BacktrackInside", "*ab*ab", "abxabab", true},
        GlobCase{"NoFit", "*ab*ab", "abxaba", false}, GlobCase{"Question", "a?c", "abc", true},
        GlobCase{"QuestionNotSlash", "a?c", "a/c", false}, GlobCase{"QuestionNeedsOne", "a?c", "ac", false},
        GlobCase{"QuestionIsACodePoint", "a?c", "aéc", true}, GlobCase{"QuestionNotTwo", "a?c", "aééc", false},
        GlobCase{"Set", "[abc]x", "bx", true}, GlobCase{"SetMiss", "[abc]x", "dx", false},
        GlobCase{"SetRange", "[a-f0-3]", "e", true}, GlobCase{"SetRangeMiss", "[a-f]", "g", false},
        GlobCase{"SetLiteralDash", "[a-]", "-", true}, GlobCase{"SetNegated", "[!a]", "b", true},
        GlobCase{"SetNegatedMiss", "[!a]", "a", false}, GlobCase{"SetNegatedNotSlash", "[!a]", "/", false},
        GlobCase{"SetRangeOverSlashStillNot", "[.-9]", "/", false}, GlobCase{"SetNonAscii", "[à-é]", "è", true},
        GlobCase{"SetEscapedBracket", "[\\]]", "]", true}, GlobCase{"SetBracketInside", "[[]", "[", true},
        GlobCase{"EscapedStar", "a\\*b", "a*b", true}, GlobCase{"EscapedStarOnly", "a\\*b", "axb", false},
        GlobCase{"EscapedBrace", "\\{a,b}", "{a,b}", true}, GlobCase{"BraceFirst", "{get,list}_*", "get_x", true},
        GlobCase{"BraceSecond", "{get,list}_*", "list_x", true}, GlobCase{"BraceNone", "{get,list}_*", "put_x", false},
        GlobCase{"BraceEmptyBranch", "a{,b}c", "ac", true}, GlobCase{"BraceWildcard", "{a*,[xy]?}!", "yz!", true},
        GlobCase{"TwoBraces", "{a,b}{c,d}", "bd", true}, GlobCase{"TwoBracesMiss", "{a,b}{c,d}", "ba", false},
        GlobCase{"CloseBraceAlone", "a}", "a}", true}, GlobCase{"CommaAlone", "a,b", "a,b", true},
        GlobCase{"CaseMatters", "Mail", "mail", false},
        GlobCase{"InvalidByteIsOneChar", "a?b",
                 "a\xff"
                 "b",
                 true},
        GlobCase{"InvalidByteIsNoCodePoint",
                 "a\xC3\xBF"
                 "b",
                 "a\xff"
                 "b",
                 false},
        GlobCase{"TruncatedSequence", "?\xC3", "a\xC3", true}, GlobCase{"FourByteCharacter", "?", "😀", true}),
    [](const auto& row) { return std::string(row.param.name); });

struct BadGlob {
  const char* name;
  std::string pattern;
};
class BadGlobTable : public testing::TestWithParam<BadGlob> {};

TEST_P(BadGlobTable, Refused) {
  const Result<Glob> glob = Glob::Compile(GetParam().pattern);
  ASSERT_FALSE(glob.ok());
  EXPECT_EQ(glob.error().code(), ErrorCode::kInvalidArgument);
}

std::string Alternatives(int n) {
  std::string out = "{";
  for (int i = 0; i < n; ++i) out += (i == 0 ? "x" : ",x") + std::to_string(i);
  return out + "}";
}

INSTANTIATE_TEST_SUITE_P(All, BadGlobTable,
                         testing::Values(BadGlob{"OpenSet", "[abc"}, BadGlob{"OpenNegatedSet", "[!"},
                                         BadGlob{"EmptySet", "a[]b"}, BadGlob{"EscapeEndsSet", "[a\\"},
                                         BadGlob{"RangeReversed", "[z-a]"}, BadGlob{"CaretNegation", "[^a]"},
                                         BadGlob{"OpenBrace", "{a,b"}, BadGlob{"NestedBrace", "{a,{b,c}}"},
                                         BadGlob{"TrailingBackslash", "abc\\"},
                                         BadGlob{"TooManyAlternatives", Alternatives(65)},
                                         BadGlob{"TooManyProducts", Alternatives(9) + Alternatives(8)},
                                         BadGlob{"TooLong", std::string(4097, 'a')}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(GlobTest, LimitsThemselvesAreAllowed) {
  EXPECT_TRUE(Glob::Compile(std::string(4096, 'a')).ok());
  EXPECT_TRUE(Glob::Compile(Alternatives(64)).ok());
  const Result<Glob> longest = Glob::Compile(std::string(4096, '?'));
  ASSERT_TRUE(longest.ok());
  EXPECT_TRUE(longest.value().Matches(std::string(4096, 'x')));
  EXPECT_FALSE(longest.value().Matches(std::string(4095, 'x')));
}

TEST(GlobTest, LiteralIsUnescaped) {
  const Result<Glob> plain = Glob::Compile("a\\*b");
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE(plain.value().is_literal());
  EXPECT_EQ(plain.value().literal(), "a*b");
  EXPECT_EQ(plain.value().pattern(), "a\\*b");
  const Result<Glob> wild = Glob::Compile("a*b");
  ASSERT_TRUE(wild.ok());
  EXPECT_FALSE(wild.value().is_literal());
  const Result<Glob> brace = Glob::Compile("{a}");
  ASSERT_TRUE(brace.ok());
  EXPECT_FALSE(brace.value().is_literal());
}

// A backtracking matcher needs 2^n or n^k steps here; ours n * k. The bound is loose, to hold under sanitizers.
TEST(GlobTest, HostilePatternsStayLinear) {
  const std::string text = std::string(100'000, 'a') + "/" + std::string(100'000, 'a');
  const auto start = std::chrono::steady_clock::now();
  for (const char* pattern : {"*a*a*a*a*b", "**a*a*a*a*a*b", "**a**a**a*a*b", "{*a,**a}*a*a*b"}) {
    const Result<Glob> glob = Glob::Compile(pattern);
    ASSERT_TRUE(glob.ok());
    EXPECT_FALSE(glob.value().Matches(text)) << pattern;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// Every pattern of up to five characters over a small alphabet agrees with the textbook recursive matcher.
bool Naive(std::string_view p, std::string_view t) {
  if (p.empty()) return t.empty();
  if (p.starts_with("**")) return Naive(p.substr(2), t) || (!t.empty() && Naive(p, t.substr(1)));
  if (p[0] == '*') return Naive(p.substr(1), t) || (!t.empty() && t[0] != '/' && Naive(p, t.substr(1)));
  if (t.empty()) return false;
  if (p[0] == '?') return t[0] != '/' && Naive(p.substr(1), t.substr(1));
  return p[0] == t[0] && Naive(p.substr(1), t.substr(1));
}

void ForEachWord(std::string_view alphabet, std::size_t max, const auto& use) {
  std::string word;
  const auto grow = [&](const auto& self) -> void {
    use(word);
    if (word.size() == max) return;
    for (const char c : alphabet) {
      word.push_back(c);
      self(self);
      word.pop_back();
    }
  };
  grow(grow);
}

TEST(GlobTest, AgreesWithNaiveMatcherExhaustively) {
  std::vector<std::string> texts;
  ForEachWord("ab/", 4, [&](const std::string& t) { texts.push_back(t); });
  std::size_t matched = 0;
  ForEachWord("a*?/", 5, [&](const std::string& pattern) {
    const Result<Glob> glob = Glob::Compile(pattern);
    ASSERT_TRUE(glob.ok());
    for (const std::string& text : texts) {
      const bool got = glob.value().Matches(text);
      matched += got ? 1 : 0;
      ASSERT_EQ(got, Naive(pattern, text)) << pattern << " on " << text;
    }
  });
  EXPECT_GT(matched, 1000U);
}

struct PathCase {
  const char* name;
  const char* in;
  const char* out;
};
class PathTable : public testing::TestWithParam<PathCase> {};

TEST_P(PathTable, Canonical) {
  const Result<std::string> path = CanonicalPath(GetParam().in);
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path.value(), GetParam().out);
  const Result<std::string> again = CanonicalPath(path.value());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value(), path.value());
}

INSTANTIATE_TEST_SUITE_P(
    All, PathTable,
    testing::Values(PathCase{"Plain", "/a/b", "/a/b"}, PathCase{"DoubleSlash", "//a///b", "/a/b"},
                    PathCase{"Dot", "/a/./b/.", "/a/b"}, PathCase{"TrailingSlash", "/a/b/", "/a/b"},
                    PathCase{"Root", "/", "/"}, PathCase{"RootDots", "/../..", "/"},
                    PathCase{"DotDot", "/a/b/../c", "/a/c"}, PathCase{"DotDotToRoot", "/a/..", "/"},
                    PathCase{"Escape", "/srv/../../etc/shadow", "/etc/shadow"}, PathCase{"Relative", "a/b", "a/b"},
                    PathCase{"RelativeDot", "./a", "a"}, PathCase{"RelativeToNothing", "a/..", "."},
                    PathCase{"Empty", "", "."}, PathCase{"ClimbsOut", "../a", "../a"},
                    PathCase{"ClimbsOutTwice", "a/../../../b", "../../b"},
                    PathCase{"ClimbedPartStays", "../a/../b", "../b"}, PathCase{"ClimbThenAll", "../../a/..", "../.."},
                    PathCase{"DotsAreNames", "/a/.../..b", "/a/.../..b"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(CanonicalPathTest, NulIsRefused) {
  const Result<std::string> path = CanonicalPath(std::string_view("/a\0/b", 5));
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace interlock::base
