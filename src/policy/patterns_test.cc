#include "patterns.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::policy {
namespace {

const PathBase kBase{.cwd = "/srv/task", .home = "/home/ann"};

struct PatternRow {
  const char* pattern;
  const char* path;
  bool want;
};

TEST(PathPattern, Table) {
  const PatternRow rows[] = {
      {"/srv/task/**", "/srv/task", true},
      {"/srv/task/**", "/srv/task/a/b", true},
      {"/srv/task/**", "/srv/tas", false},
      {"/srv/task/**", "/srv/task2", false},
      {"/srv//task/./**", "/srv/task/a", true},
      {"/srv/x/../task/**", "/srv/task/a", true},
      {"/**", "/", true},
      {"/**", "/a", true},
      {"/", "/", true},
      {"/", "/a", false},
      {"/a/", "/a", true},
      {"**", "/a/b", true},
      {"**/.git/**", "/a/.git/config", true},
      {"**/.git/**", "/a/.git", true},
      {"**/.git/**", "/a/.github", false},
      {".", "/srv/task", true},
      {"src/**", "/srv/task/src", true},
      {"../other/**", "/srv/other/x", true},
      {"~", "/home/ann", true},
      {"~/**", "/home/ann/x", true},
      {"~/**", "/home/annabel", false},
      {"/{a,b}/**", "/b/x", true},
      {"/{a,b}/**", "/b", true},
      {"/{a,b}/**", "/c", false},
      {"/a\\*/**", "/a*/x", true},
      {"/a\\*/**", "/ab/x", false},
  };
  for (const PatternRow& row : rows) {
    const auto pattern = PathPattern::Compile(row.pattern, kBase);
    ASSERT_TRUE(pattern.ok()) << row.pattern;
    EXPECT_EQ(pattern.value().Matches(row.path), row.want) << row.pattern << " against " << row.path;
  }
}

TEST(PathPattern, Refused) {
  for (const char* pattern : {"", "/a/*/../b", "[", "/{a", "/a\\"}) {
    const auto compiled = PathPattern::Compile(pattern, kBase);
    ASSERT_FALSE(compiled.ok()) << pattern;
    EXPECT_EQ(compiled.error().code(), base::ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(PathPattern::Compile("src/**", {}).ok());
  EXPECT_FALSE(PathPattern::Compile("~/**", {}).ok());
}

struct ResolveRow {
  std::string text;
  ResolvedPath::State state;
  const char* path;
};

TEST(ResolvePath, Table) {
  using State = ResolvedPath::State;
  const ResolveRow rows[] = {
      {"/a/b", State::kResolved, "/a/b"},
      {"/", State::kResolved, "/"},
      {"//", State::kResolved, "/"},
      {"/a/./b//", State::kResolved, "/a/b"},
      {"/a/../../..", State::kResolved, "/"},
      {"a", State::kResolved, "/srv/task/a"},
      {"..", State::kResolved, "/srv"},
      {".", State::kResolved, "/srv/task"},
      {"~", State::kResolved, "/home/ann"},
      {"~/../bob", State::kResolved, "/home/bob"},
      {"c:", State::kResolved, "/srv/task/c:"},
      {"a:b", State::kResolved, "/srv/task/a:b"},
      {"...", State::kResolved, "/srv/task/..."},
      {"~bob/x", State::kNotAPath, ""},
      {"", State::kNotAPath, ""},
      {"https://x/y", State::kNotAPath, ""},
      {"FILE:/x", State::kNotAPath, ""},
      {std::string("/a\0b", 4), State::kNotAPath, ""},
      {std::string("a\0b", 3), State::kNotAPath, ""},
  };
  for (const ResolveRow& row : rows) {
    std::string storage;
    const ResolvedPath resolved = ResolvePath(row.text, kBase, storage);
    EXPECT_EQ(resolved.state, row.state) << row.text;
    EXPECT_EQ(resolved.path, row.path) << row.text;
  }
  std::string storage;
  EXPECT_EQ(ResolvePath("a", {}, storage).state, State::kUnknown);
  EXPECT_EQ(ResolvePath("~/a", {}, storage).state, State::kUnknown);
  EXPECT_EQ(ResolvePath("/a", {}, storage).state, State::kResolved);
}

TEST(NamePattern, KindsAndLimits) {
  const auto exact = NamePattern::Compile("a\\*b");
  ASSERT_TRUE(exact.ok());
  EXPECT_TRUE(exact.value().is_exact());
  EXPECT_EQ(exact.value().prefix(), "a*b");
  const auto glob = NamePattern::Compile("get_{a,b}*");
  ASSERT_TRUE(glob.ok());
  EXPECT_EQ(glob.value().prefix(), "get_");
  EXPECT_TRUE(glob.value().Matches("get_bx"));
  EXPECT_FALSE(glob.value().Matches("get_c"));
  const auto set = NamePattern::Compile("[*]x*");  // a star in a set is a star
  ASSERT_TRUE(set.ok());
  EXPECT_TRUE(set.value().Matches("*x/y"));
  EXPECT_FALSE(set.value().Matches("ax"));
  for (const char* bad : {"", "[", "{a"}) EXPECT_FALSE(NamePattern::Compile(bad).ok()) << bad;
}

TEST(EscapeGlob, MatchesItselfOnly) {
  for (const std::string text : {"a", "*", "[a]", "{a,b}", "a\\b", "?", "**", "]", "}", ",", "!-"}) {
    const auto glob = base::Glob::Compile(EscapeGlob(text));
    ASSERT_TRUE(glob.ok()) << text;
    EXPECT_TRUE(glob.value().is_literal()) << text;
    EXPECT_TRUE(glob.value().Matches(text)) << text;
  }
}

}  // namespace
}  // namespace interlock::policy
