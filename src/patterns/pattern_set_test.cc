#include "interlock/patterns/pattern_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "re2/re2.h"

namespace interlock::patterns {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

PatternSet Make(const std::vector<PatternSpec>& specs, PatternOptions options = {}) {
  auto made = PatternSet::Compile(specs, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().ToString());
  return std::move(made.value());
}

std::vector<PatternHit> Hits(const PatternSet& set, std::string_view text) {
  PatternScratch scratch;
  std::vector<PatternHit> hits;
  EXPECT_TRUE(set.Scan(text, scratch, hits).complete);
  return hits;
}

PatternHit At(std::uint32_t pattern, std::size_t begin, std::size_t end) { return {pattern, {begin, end}}; }

class Both : public testing::TestWithParam<PatternBackend> {
 protected:
  void SetUp() override {
    if (GetParam() == PatternBackend::kVectorscan && !PatternSet::Compile({}, options()).ok()) GTEST_SKIP();
  }
  static PatternOptions options() { return {.backend = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Backends, Both, testing::Values(PatternBackend::kPortable, PatternBackend::kVectorscan),
                         [](const auto& param) {
                           return param.param == PatternBackend::kPortable ? "Portable" : "Vectorscan";
                         });

TEST_P(Both, FindsEveryMatchThatDoesNotOverlap) {
  const PatternSet set = Make({{R"(ignore (all|previous) \w+)", {"ignore"}}, {"all", {"all"}}}, options());
  EXPECT_THAT(Hits(set, "ignore all rules; ignore previous orders"),
              ElementsAre(At(0, 0, 16), At(0, 18, 40), At(1, 7, 10)));
}

TEST_P(Both, AnExpressionIsNotTriedWithoutItsWord) {
  const PatternSet set = Make({{R"(\d+)", {"port"}}}, options());
  PatternScratch scratch;
  std::vector<PatternHit> hits;
  EXPECT_EQ(set.Scan("call 4711", scratch, hits).candidates, 0U);
  EXPECT_THAT(hits, IsEmpty());
  EXPECT_THAT(Hits(set, "port 4711"), ElementsAre(At(0, 5, 9)));
}

TEST_P(Both, MatchesLieWithinReachOfAWordAndSeeTheWholeText) {
  const PatternSet set = Make({{R"(\bx+\b)", {"key"}, 4}}, options());
  EXPECT_THAT(Hits(set, "xx key xx ... xx"), ElementsAre(At(0, 0, 2), At(0, 7, 9)));
  EXPECT_THAT(Hits(set, "axxx key xxxb"), IsEmpty()) << "a cut in a word is no border of it";
}

TEST_P(Both, WordsOfTwoBytesAndAtTheVeryEnd) {
  const PatternSet set = Make({{"a+b", {"ab"}}, {"c$", {"xc"}}}, options());
  EXPECT_THAT(Hits(set, "aab"), ElementsAre(At(0, 0, 3)));
  EXPECT_THAT(Hits(set, "ab ... xc"), ElementsAre(At(0, 0, 2), At(1, 8, 9)));
  EXPECT_THAT(Hits(set, "x"), IsEmpty());
  EXPECT_THAT(Hits(set, ""), IsEmpty());
}

TEST_P(Both, WordsIgnoreAsciiCaseOnly) {
  const PatternSet set = Make({{R"((?i)key\s*=)", {"KEY"}}, {"é+", {"é"}}}, options());
  EXPECT_THAT(Hits(set, "Key = kEY="), ElementsAre(At(0, 0, 5), At(0, 6, 10)));
  EXPECT_THAT(Hits(set, "É é"), ElementsAre(At(1, 3, 5)));
}

TEST_P(Both, WordsAreTakenFromTheExpression) {
  const PatternSet set = Make({{R"((?i)delete (the )?(file|folder))", {}}, {R"([a-z]\d)", {}}}, options());
  EXPECT_FALSE(set.always_runs(0));
  EXPECT_TRUE(set.always_runs(1));
  EXPECT_THAT(Hits(set, "Delete FOLDER a1"), ElementsAre(At(0, 0, 13), At(1, 14, 16)));
}

TEST_P(Both, HitsOfAPatternAreCapped) {
  PatternOptions few = options();
  few.max_hits = 3;
  const PatternSet set = Make({{"ab", {"ab"}}, {"cd", {"cd"}}}, few);
  PatternScratch scratch;
  std::vector<PatternHit> hits;
  const PatternOutcome outcome = set.Scan("abababababcd", scratch, hits);
  EXPECT_TRUE(outcome.capped);
  EXPECT_TRUE(outcome.complete);
  EXPECT_THAT(hits, ElementsAre(At(0, 0, 2), At(0, 2, 4), At(0, 4, 6), At(1, 10, 12)));
}

TEST_P(Both, LookingIsLimitedAndSaid) {
  PatternOptions little = options();
  little.confirm_floor = 10;
  little.confirm_factor = 1;
  std::vector<PatternSpec> specs(8, {"zzz", {"ab"}});
  const PatternSet set = Make(specs, little);
  PatternScratch scratch;
  std::vector<PatternHit> hits;
  const std::string text(100, 'a');
  EXPECT_TRUE(set.Scan(text, scratch, hits).complete);
  const PatternOutcome outcome = set.Scan("ab" + text, scratch, hits);
  EXPECT_FALSE(outcome.complete);
  EXPECT_LE(outcome.looked, 112U);
}

TEST_P(Both, AScratchFitsEverySet) {
  const PatternSet a = Make({{"abc", {"abc"}}}, options());
  const PatternSet b = Make({{"xyz", {"xyz"}}, {"q", {"qq"}}}, options());
  PatternScratch scratch;
  for (int i = 0; i < 12; ++i) {
    std::vector<PatternHit> hits;
    a.Scan("abc", scratch, hits);
    b.Scan("xyz qq", scratch, hits);
    EXPECT_THAT(hits, ElementsAre(At(0, 0, 3), At(0, 0, 3), At(1, 4, 5), At(1, 5, 6)));
  }
}

TEST_P(Both, ThreadsShareASet) {
  std::vector<PatternSpec> specs;
  for (int i = 0; i < 50; ++i) specs.push_back({"w" + std::to_string(i) + R"(\w)", {"w" + std::to_string(i)}});
  const PatternSet set = Make(specs, options());
  std::string text;
  for (int i = 0; i < 50; ++i) text += "w" + std::to_string(i) + "x ";
  const std::vector<PatternHit> expected = Hits(set, text);
  const PatternSet fresh = Make(specs, options());
  std::vector<std::thread> threads;
  std::vector<std::vector<PatternHit>> seen(4);
  for (std::size_t t = 0; t < seen.size(); ++t) threads.emplace_back([&, t] { seen[t] = Hits(fresh, text); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& hits : seen) EXPECT_EQ(hits, expected);
}

TEST_P(Both, NoMatchReachesOverABorder) {
  const PatternSet set = Make({{R"(key\W+(?:\w+\W+)?word\b)", {"key"}}, {R"(^a\W+b)", {"zz"}}}, options());
  PatternScratch scratch;
  const auto hits = [&](std::string_view text, const std::vector<std::uint32_t>& borders) {
    std::vector<PatternHit> out;
    set.Scan(text, scratch, out, borders);
    return out;
  };
  EXPECT_THAT(hits("key\nword", {}), ElementsAre(At(0, 0, 8)));
  EXPECT_THAT(hits("key\nword", {0, 4}), IsEmpty());
  EXPECT_THAT(hits("key word\nword", {}), ElementsAre(At(0, 0, 13)));
  EXPECT_THAT(hits("key word\nword", {0, 9}), ElementsAre(At(0, 0, 8)));
  EXPECT_THAT(hits("key key\nkey word", {8}), ElementsAre(At(0, 8, 16)))
      << "what would have begun before the border hides nothing behind it";
  EXPECT_THAT(hits("a b\nzz", {0, 4}), ElementsAre(At(1, 0, 3))) << "a word finds what lies behind a border";
  EXPECT_THAT(hits("b\na b\nzz", {0, 2, 6}), IsEmpty()) << "a border is no beginning of the text";
}

// Texts of some megabytes are the other matcher's; hits are the same before and behind that.
TEST(Patterns, LargeTextsHaveTheSameHitsAsSmallOnes) {
  const std::vector<PatternSpec> specs = {{"ab+c", {"ab"}}, {"(?i)key=", {"key"}}};
  const PatternSet set = Make(specs);
  const PatternSet portable = Make(specs, {.backend = PatternBackend::kPortable});
  const std::string text = "abbc Key= ab" + std::string(std::size_t{1} << 20, '-') + "abc";
  const std::vector<PatternHit> expected = Hits(portable, text);
  EXPECT_THAT(expected, ElementsAre(At(0, 0, 4), At(0, text.size() - 3, text.size()), At(1, 5, 9)));
  std::vector<std::vector<PatternHit>> seen(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 4; ++i) seen[t] = Hits(set, text);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& hits : seen) EXPECT_EQ(hits, expected);
}

TEST_P(Both, WordsFarApartHaveWindowsOfTheirOwn) {
  const PatternSet set = Make({{"ab|bc", {"! ", "b!"}, 1}}, options());
  EXPECT_THAT(Hits(set, "B!cbc! "), IsEmpty()) << "whichever word is looked for first";
}

TEST_P(Both, WordsBeyondAsciiAreFoundWhereverTheTextHasSuch) {
  const PatternSet set =
      Make({{"пароль (?:от|для) банка|bank password|mot de passe[^.]{0,9}banque", {"bank", "banque", "банка"}},
            {"(?i)ask the bank", {"bank", "ban"}}},
           options());
  EXPECT_THAT(Hits(set, "bank: a bank password"), ElementsAre(At(0, 8, 21)));
  EXPECT_THAT(Hits(set, "bank, as one says: пароль от банка").size(), 1U);
  EXPECT_THAT(Hits(set, "le mot de passe de la banque"), ElementsAre(At(0, 3, 28)));
  EXPECT_THAT(Hits(set, "aſK the banK").size(), 1U);
  EXPECT_THAT(Hits(set, "bank"), IsEmpty());
}

// What is asked of a window as a whole, of the parts of a long one, and of a part that is long itself.
TEST_P(Both, LongWindowsAreSearchedPartByPart) {
  const PatternSet set =
      Make({{R"(open\W+(?:the\W+)?door)", {"open"}, kWholeText}, {R"(shut\W+it)", {"shut"}}}, options());
  for (const std::size_t lines : {std::size_t{1}, std::size_t{100}, std::size_t{4000}}) {
    std::string text;
    std::vector<std::uint32_t> borders;
    std::vector<PatternHit> wanted;
    for (std::size_t i = 0; i < lines; ++i) {
      borders.push_back(static_cast<std::uint32_t>(text.size()));
      if (i % 7 == 0) wanted.push_back(At(0, text.size() + 2, text.size() + 15));
      text += i % 7 == 0 ? "- open the door\n" : i % 7 == 1 ? "- the door\n" : "- open, or shut\n";
    }
    borders.push_back(static_cast<std::uint32_t>(text.size()));
    wanted.push_back(At(0, text.size() + 20'001, text.size() + 20'010));
    text += std::string(20'000, 'x') + " open door";
    if (wanted.size() > 64) wanted.resize(64);
    PatternScratch scratch;
    std::vector<PatternHit> found;
    set.Scan(text, scratch, found, borders);
    EXPECT_EQ(found, wanted) << lines;
  }
}

TEST(Patterns, WhatIsWrongHasItsPlace) {
  const auto code_of = [](const PatternSpec& spec) {
    const std::vector<PatternSpec> specs = {{"fine", {}}, spec};
    const auto made = PatternSet::Compile(specs);
    EXPECT_FALSE(made.ok());
    return std::tuple(made.error().code(), made.error().place().offset);
  };
  const std::tuple expected(base::ErrorCode::kPatternSyntax, std::uint64_t{1});
  EXPECT_EQ(code_of({"(", {}}), expected);
  EXPECT_EQ(code_of({"(?=x)", {}}), expected);
  EXPECT_EQ(code_of({"a*", {}}), expected);
  EXPECT_EQ(code_of({"abc", {"a"}}), expected);
  EXPECT_EQ(code_of({"abc", {std::string(256, 'a')}}), expected);
  EXPECT_EQ(code_of({"((a{100}){100}){100}", {}}), expected);
}

TEST(Patterns, WordsOfAnExpressionAreThoseItNeeds) {
  EXPECT_THAT(PatternSet::WordsOf("ignore (all|every) order"),
              UnorderedElementsAre("ignore all order", "ignore every order"));
  EXPECT_THAT(PatternSet::WordsOf("(?i)BEGIN [A-Z ]*PRIVATE KEY"), UnorderedElementsAre("private key"));
  EXPECT_THAT(PatternSet::WordsOf("(curl|wget) .*sh"), UnorderedElementsAre("curl ", "wget "));
  EXPECT_THAT(PatternSet::WordsOf("[0-9]+"), IsEmpty());
  EXPECT_THAT(PatternSet::WordsOf("abc|[0-9]+"), IsEmpty());
  EXPECT_THAT(PatternSet::WordsOf("("), IsEmpty());
  EXPECT_THAT(PatternSet::WordsOf("忽略|ignore"), IsEmpty()) << "a word that is not ASCII is not taken";
}

// Fields, branches and words as bars, tildes and commas.
std::string Derived(const PatternSpec& spec) {
  std::string out = PatternSet::Derive(spec);
  for (char& c : out) {
    if (c == '\x01') c = '/';
    if (c == '\x02') c = '~';
    if (c == '\x03') c = ',';
  }
  return out;
}

TEST(Patterns, WhatIsDerivedIsWhatMatchesNeed) {
  EXPECT_EQ(Derived({"ignore (all|every) order"}),
            "ignore all order,ignore every order/-h/~0/ignore all order,ignore every order");
  EXPECT_EQ(Derived({"(?i)key{3} of [0-9]+", {"key"}}), "/l-/~1/ of ,*");
  EXPECT_EQ(Derived({"[0-9]+"}), "/--");
  EXPECT_EQ(Derived({"("}), "");
  EXPECT_EQ(Derived({"abc\x03"}), "") << "that byte stands between words";
}

TEST(Patterns, EachAlternativeHasItsOwnNeeds) {
  EXPECT_EQ(Derived({"open.*door|shut.*gate", {"open", "shut"}}), "/-h/~2/door/open/~2/gate/shut");
  EXPECT_EQ(Derived({R"(\b(?:open\W+door|shut\W+gate)\b)", {"open", "shut"}}), "/-h/~2/door/open/~2/gate/shut");
  EXPECT_EQ(Derived({"(?i)open.*door|shut.*gate", {"open", "shut"}}), "/--/~2/door,*/open,*/~2/gate,*/shut,*");
  // What an alternative needs is not known, or where alternatives end: all of them together.
  EXPECT_EQ(Derived({"open.*door|[0-9]+", {"open"}}), "/--");
  EXPECT_EQ(Derived({R"([|]open|shut\|gate)", {"open", "shut"}}), "/-h/~1/|open/~1/shut|gate");
  EXPECT_EQ(Derived({"(?i:open|shut).*(door|gate)", {"open", "shut"}}), "/--/~1/door,gate,*/open,shut,*");
}

TEST(Patterns, AKeptDatabaseIsUsedOnlyForItsOwnWords) {
  const std::vector<PatternSpec> specs = {{"abc", {"abc"}}, {"d(e|f)", {"de", "df"}}};
  const PatternSet set = Make(specs);
  const std::string kept = set.SerializeLiterals();
  EXPECT_EQ(kept.empty(), set.backend() != PatternBackend::kVectorscan);
  EXPECT_EQ(Hits(Make(specs, {.literals = kept}), "abc df"), Hits(set, "abc df"));
  EXPECT_THAT(Hits(Make({{"xyz", {"xyz"}}}, {.literals = kept}), "abc xyz"), ElementsAre(At(0, 4, 7)));
  std::string damaged = kept;
  if (!damaged.empty()) damaged.resize(damaged.size() / 2);
  EXPECT_EQ(Hits(Make(specs, {.literals = damaged}), "abc df"), Hits(set, "abc df"));
}

// Small alphabets make words overlap, contain each other and touch.
rc::Gen<std::string> Text(int max) {
  return rc::gen::resize(max,
                         rc::gen::container<std::string>(rc::gen::element('a', 'b', 'B', 'c', ' ', '\xc3', '\xa9')));
}

RC_GTEST_PROP(PatternsProperty, BothMatchersAgree, ()) {
  std::vector<PatternSpec> specs;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    PatternSpec spec;
    spec.regex = *rc::gen::element<std::string>("a+b", "[ab]c", "(?i)b.", "é", "a[^c]{0,3}c", "ab|bc");
    spec.reach = *rc::gen::element(0U, 1U, 5U, kWholeText);
    for (int w = *rc::gen::inRange(0, 4); w > 0; --w) {
      const std::string word = *Text(5);
      if (word.size() >= 2) spec.words.push_back(word);
    }
    specs.push_back(spec);
  }
  const std::string text = *Text(60);
  auto vectorscan = PatternSet::Compile(specs, {.backend = PatternBackend::kVectorscan});
  RC_PRE(vectorscan.ok());
  const PatternSet portable = Make(specs, {.backend = PatternBackend::kPortable});
  RC_ASSERT(Hits(portable, text) == Hits(vectorscan.value(), text));
}

RC_GTEST_PROP(PatternsProperty, DerivedWordsLoseNoMatch, ()) {
  const auto atom = [] { return *rc::gen::element<std::string>("abc", "(aab|cba)", "[ab]", "b?", "(?i:bcb)", "c+"); };
  std::string regex = "a";
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) regex += atom();
  const std::string text = *rc::gen::resize(80, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'B', 'c')));
  const PatternSet set = Make({{regex, {}, kWholeText}});
  const re2::RE2 plain(regex);
  RC_ASSERT(Hits(set, text).empty() == !re2::RE2::PartialMatch(text, plain));
}

RC_GTEST_PROP(PatternsProperty, WhatIsDerivedSavesWorkAndChangesNothing, ()) {
  PatternSpec spec;
  spec.regex = *rc::gen::element<std::string>("abc", "a.{0,3}c", "(abc|cba)[^b]{0,9}(aab|bba)", "(?i)ab.*c", "b+a",
                                              "(abc|é)b{2,3}", "(?i:bcb)|aab", "abc.*c|cba.?b", "(?i)abb.c|bab|cca",
                                              R"(\b(?:aab.{0,4}c|bba|c{2}a)\b)", "(?:(?:abc|bca).a|acc{2})");
  for (int w = *rc::gen::inRange(0, 3); w > 0; --w)
    spec.words.push_back(*rc::gen::element<std::string>("ab", "cb", "abc"));
  const std::string text = *Text(200);
  PatternSpec again = spec;
  const std::string derived = PatternSet::Derive(spec);
  again.derived = derived;
  RC_ASSERT(!derived.empty());
  RC_ASSERT(Hits(Make({spec}), text) == Hits(Make({again}), text));
}

// Between borders everything is as in texts of their own, as long as nothing looks beyond them.
RC_GTEST_PROP(PatternsProperty, PartsAreSearchedByThemselves, ()) {
  const std::string regex = *rc::gen::element<std::string>("abc", "a.{0,3}c", "(abc|cba)[^b]{0,9}(aab|bba)",
                                                           "(?i)ab.*c", "b+a", "abc|cba.?b");
  PatternSpec spec = {regex, {"ab", "ba"}, kWholeText};
  const std::string derived = PatternSet::Derive(spec);
  if (*rc::gen::arbitrary<bool>()) spec.derived = derived;
  const PatternSet set = Make({spec});
  std::string text;
  std::vector<std::uint32_t> borders;
  std::vector<PatternHit> wanted;
  PatternScratch scratch;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    const auto begin = static_cast<std::uint32_t>(text.size());
    const std::string part =
        *rc::gen::resize(60, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'B', 'c', ' '))) + "abba\n";
    borders.push_back(begin);
    text += part;
    for (const PatternHit& hit : Hits(set, part))
      wanted.push_back(At(0, begin + hit.bytes.begin, begin + hit.bytes.end));
  }
  std::vector<PatternHit> found;
  set.Scan(text, scratch, found, borders);
  RC_ASSERT(found == wanted);
}

// What is looked for before the expression itself (other words, a looser expression) must not cost a match.
RC_GTEST_PROP(PatternsProperty, HitsAreTheMatchesOfTheExpression, ()) {
  const std::string regex = *rc::gen::element<std::string>(
      "abc{2}d", "ab.{0,3}cd", R"(a\{1,2\}b)", "[{1}]{2,3}a", "[]{2}]b", "[^]{2}]{1,2}b", R"(\x{61}{2}b)",
      R"(\p{L}{2}\W)", "(?:abc{1,2}){2}", "(?i)kk{1,3}s", "(?i:abk)+s", "(?i:sa{1,2})|bé{1,3}a", "é{2}",
      "[[:alpha:]]{3}b", R"(\Qa{2}\E)", "(abc|cba).{1,4}?(aab|bba)", "^a{2,}b", R"(\bab{1,2}\b)", "a{,2}b",
      "(?P<i>ab){2}c", "(?s)a.{2}b", "abc|cab.{1,3}?d", R"(\b(?:abc.{0,9}d|a\|b|cab)\b)", "(?i)abk|sab.{0,4}c|kks",
      "[|]ab|[]|]a{2}b", "(?:(?:abc|bcd).ab|dd{1,2}a)", "abc$|^cba|d a", R"(\babc|cba\b|\Bbcb)", "(?:abc)|(?:cab)");
  const std::string text =
      *rc::gen::map(rc::gen::resize(60, rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                                            "a", "b", "c", "d", "ab", "abc", "K", "k", "s", "é", "\xE2\x84\xAA",
                                            "\xC5\xBF", "\xFF", "{1}", "{2}", "]", ".", "\n", " "))),
                    [](const std::vector<std::string>& parts) {
                      std::string joined;
                      for (const std::string& part : parts) joined += part;
                      return joined + "\nword";
                    });
  const PatternSet set = Make({{regex, {"word"}, kWholeText}});
  const re2::RE2 plain(regex);
  std::vector<PatternHit> wanted;
  for (std::size_t from = 0; from < text.size();) {
    re2::StringPiece match;
    if (!plain.Match(text, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    wanted.push_back(At(0, begin, begin + match.size()));
    from = begin + match.size();
  }
  RC_ASSERT(Hits(set, text) == wanted);
}

}  // namespace
}  // namespace interlock::patterns
