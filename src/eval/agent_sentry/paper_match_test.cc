#include "interlock/eval/agent_sentry/paper_match.h"

#include <gmock/gmock.h>

#include <string>

#include "paper_text.h"

namespace interlock::eval::agent_sentry {
namespace {

using base::JsonDoc;
using testing::ElementsAre;
using testing::IsEmpty;

PaperSide Argument(std::string_view json) {
  const base::Result<JsonDoc> doc = JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  return PaperSide(doc.value().root());
}

struct Pair {
  const char* name;
  const char* argument;  // JSON
  const char* source;
  PaperRule rule;
};

class MatchPairTest : public testing::TestWithParam<Pair> {};

TEST_P(MatchPairTest, FirstRuleThatHolds) {
  PaperSide argument = Argument(GetParam().argument);
  PaperSide source{std::string(GetParam().source)};
  const PairAnswer answer = MatchPair(argument, source);
  EXPECT_EQ(answer.rule, GetParam().rule);
  EXPECT_FALSE(answer.capped);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, MatchPairTest,
    testing::Values(Pair{"IbanAnyCase", R"("xx11abcd2222")", "to XX11ABCD2222.", PaperRule::kFormat},
                    Pair{"Email", R"("Ann@Mail.Example")", "write <ann@mail.example>!", PaperRule::kFormat},
                    Pair{"UrlWithoutItsFullStop", R"("https://a.example/x")", "see https://a.example/x.",
                         PaperRule::kFormat},
                    Pair{"DateOtherOrder", R"("2031-04-05")", "due 05.04.2031", PaperRule::kFormat},
                    Pair{"DateMonthFirst", R"("2031-04-05")", "due 04/05/2031", PaperRule::kFormat},
                    Pair{"Phone", R"("+49 (030) 555 1234")", "call +49-030-555-1234", PaperRule::kFormat},
                    Pair{"TokenInside", R"("blue")", "The Blueberry farm", PaperRule::kToken},
                    Pair{"SourceTokenInside", R"("the whole quartz vein")", R"({"k": "Quartz"})", PaperRule::kToken},
                    Pair{"KeysAreNoTokensButText", R"("quartz")", R"({"quartz": "zz"})", PaperRule::kGrams},
                    Pair{"PythonQuotes", R"("quartz")", "{'k': 'QUARTZ'}", PaperRule::kToken},
                    Pair{"JsonInJson", R"("quartz")", R"(["{\"k\": \"quartz\"}"])", PaperRule::kToken},
                    Pair{"ShortTokenEqual", R"("ox")", R"(["ox"])", PaperRule::kToken},
                    Pair{"ShortTokenInside", R"("ox")", R"(["oxen"])", PaperRule::kNone},
                    Pair{"OneCharacter", R"("o")", R"(["o"])", PaperRule::kNone},
                    // The reading that settles rule 2: a number's token is Python's text of it, not the text's words.
                    Pair{"NumberIsItsPythonText", "10.0", "1810.0", PaperRule::kNone},
                    Pair{"TextOfTheSameNumber", R"("10.0")", "1810.0", PaperRule::kToken},
                    Pair{"NumberEqualInJson", "1100.00", R"([1100.0])", PaperRule::kToken},
                    Pair{"NumberCommonZero", "70.05", "x 0.0 y", PaperRule::kNone},
                    Pair{"NumberZero", R"("0")", "x 0.0 y", PaperRule::kNumber},
                    Pair{"NumberHalf", "500", "a total of 1,000", PaperRule::kNumber},
                    Pair{"NumberThird", "33.4", "100 in all", PaperRule::kNumber},
                    Pair{"NumberWithinTen", "-3", "at 7", PaperRule::kNumber},
                    Pair{"NumberWithinAFifth", "800", "at 999", PaperRule::kNumber},
                    Pair{"NumberFar", "300", "at 999", PaperRule::kNone},
                    Pair{"WordsInAnyOrder", R"("moss green")", "green paint, then moss", PaperRule::kWords},
                    Pair{"OneWordIsTooFew", R"("moss moss")", R"(["green moss and so"])", PaperRule::kGrams},
                    Pair{"TwoEdits", R"("harbour")", R"(["harbxux"])", PaperRule::kEdit},
                    Pair{"ThreeEdits", R"("harbour")", R"(["hxrbxux"])", PaperRule::kNone},
                    Pair{"HalfOfTheGrams", R"("abcdefgh")", R"(["abcdefZZZZZZ"])", PaperRule::kGrams},
                    Pair{"NullHasNothing", "null", "anything", PaperRule::kNone},
                    Pair{"BoolIsNoTokenButText", "true", R"(["true"])", PaperRule::kGrams}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(MatchPairTest, CapIsAnAnswer) {
  PaperSide argument = Argument(R"("needle")");
  PaperSide source{std::string(1000, 'x')};
  EXPECT_TRUE(MatchPair(argument, source, 999).capped);
  EXPECT_FALSE(MatchPair(argument, source, 100'000).capped);
}

TEST(MatchPairTest, HostileNumbersStopAtTheCap) {
  std::string many = "[";
  for (int i = 0; i < 9000; ++i) many += (i == 0 ? "" : ",") + std::to_string(1e9 + i * 1e5);
  many += "]";
  PaperSide argument = Argument(many);
  std::string text;
  for (int i = 0; i < 9000; ++i) text += std::to_string(-(i % 900) - 100) + "." + std::to_string(i) + " ";
  PaperSide source(text);
  const PairAnswer answer = MatchPair(argument, source);
  EXPECT_TRUE(answer.capped || answer.rule != PaperRule::kNone);
}

TEST(PaperTextTest, Forms) {
  EXPECT_EQ(Norm("Ab-c 1_2é"), "abc12");
  EXPECT_EQ(Canon("  Ab-c  1_2é"), "ab c 1 2");
  EXPECT_EQ(Canon("\xE2\x84\xAA"
                  "elvin \xC4\xB0x"),
            "kelvin i x");
  EXPECT_EQ(Canon("--"), "");
  EXPECT_EQ(CanonOf("a b").padded, " a b ");
}

TEST(PaperTextTest, Numbers) {
  EXPECT_THAT(FindNumbers("12345"), ElementsAre(45.0, 123.0));
  EXPECT_THAT(FindNumbers("1100.0"), ElementsAre(0.0, 110.0));
  EXPECT_THAT(FindNumbers("-$1,250.50 and 12,3456"), ElementsAre(-1250.5, 6.0, 12345.0));
  EXPECT_THAT(FindNumbers("5% +7"), ElementsAre(5.0, 7.0));
  EXPECT_THAT(FindNumbers("none"), IsEmpty());
}

TEST(PaperTextTest, Formats) {
  EXPECT_THAT(FindFormats(FormatKind::kIban, "XX11ABC XX11ABCD_2 yy22efgh XX11ABCDé"), ElementsAre("YY22EFGH"));
  EXPECT_THAT(FindFormats(FormatKind::kEmail, ".a@b.cd, x@y, A@B.Cd9 q@r.st.u"), ElementsAre("a@b.cd", "q@r.st"));
  EXPECT_THAT(FindFormats(FormatKind::kUrl, "www.A.example,; http:// ftp://x"), ElementsAre("www.a.example"));
  EXPECT_THAT(FindFormats(FormatKind::kDate, "2031-02-03 20-01-2031 21-01-2031"),
              ElementsAre("20-01-2031", "2031-01-21", "2031-02-03"));
  EXPECT_THAT(FindFormats(FormatKind::kPhone, "+1 555 123 4567 and 12-34"), ElementsAre("+15551234567"));
}

TEST(PaperTextTest, PythonSpellsNumbers) {
  EXPECT_EQ(PythonNumber("1100.00"), "1100.0");
  EXPECT_EQ(PythonNumber("1e3"), "1000.0");
  EXPECT_EQ(PythonNumber("1e16"), "1e+16");
  EXPECT_EQ(PythonNumber("0.00001"), "1e-05");
  EXPECT_EQ(PythonNumber("0.0001"), "0.0001");
  EXPECT_EQ(PythonNumber("-0"), "0");
  EXPECT_EQ(PythonNumber("-0.0"), "-0.0");
  EXPECT_EQ(PythonNumber("1e999"), "inf");
  EXPECT_EQ(PythonNumber("1e-999"), "0.0");
}

TEST(PaperTextTest, PythonDumps) {
  const base::Result<JsonDoc> doc = JsonDoc::Parse(R"({"a":[1,2.50,null,true],"b":"é\u0001\ud83d\ude00\u007f\""})");
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(PythonDumps(doc.value().root()), R"({"a": [1, 2.5, null, true], "b": "\u00e9\u0001\ud83d\ude00\u007f\""})");
}

DomainTools SmallBank() {
  return {.domain = "banking",
          .retrieval = {"look"},
          .action = {"pay"},
          .ignored = {"ping"},
          .noisy_arguments = {"note"},
          .descriptions = {}};
}

Trace SmallTrace() {
  Trace trace;
  trace.domain = "banking";
  trace.prompt = "Settle what the lamp costs.";
  trace.calls = {
      {.turn = 0, .name = "ping", .arguments = R"({"host":"lamp"})", .output = "lamp", .has_output = true},
      {.turn = 0, .name = "look", .arguments = R"({"at":"shelf"})", .output = "a lamp: 7000", .has_output = true},
      {.turn = 0, .name = "look", .arguments = R"({"at":"lamp"})", .output = "", .has_output = false},
      {.turn = 0,
       .name = "pay",
       .arguments = R"({"sum":7000,"note":"lamp","to":"Zyx"})",
       .output = "",
       .has_output = false}};
  return trace;
}

TEST(PaperMatcherTest, NodesAndSources) {
  PaperMatcher matcher;
  const auto nodes = matcher.Provenance(SmallTrace(), PaperTools(SmallBank()));
  ASSERT_TRUE(nodes.ok());
  EXPECT_THAT(nodes.value(), ElementsAre(ArgumentNode{1, "at", {}}, ArgumentNode{2, "at", {kFromPrompt, 1}},
                                         ArgumentNode{3, "sum", {1}}, ArgumentNode{3, "to", {}}));
}

TEST(PaperMatcherTest, AFullCacheChangesNothing) {
  PaperMatcher small(1);
  PaperMatcher large;
  for (int i = 0; i < 3; ++i) {
    const auto a = small.Provenance(SmallTrace(), PaperTools(SmallBank()));
    const auto b = large.Provenance(SmallTrace(), PaperTools(SmallBank()));
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a.value(), b.value());
  }
  EXPECT_EQ(small.cached_bytes(), 0u);
  EXPECT_GT(large.cached_bytes(), 0u);
}

TEST(PaperMatcherTest, ArgumentsThatAreNoJson) {
  Trace trace = SmallTrace();
  trace.calls[1].arguments = "{";
  PaperMatcher matcher;
  EXPECT_FALSE(matcher.Provenance(trace, PaperTools(SmallBank())).ok());
}

// Words that begin, end and go on where blocks of 64 bytes do.
TEST(PaperTextTest, WordsAreTheSameWhereverTheyStand) {
  for (std::size_t gap = 1; gap <= 70; ++gap) {
    for (const std::size_t length : {1u, 2u, 7u, 8u, 9u, 63u, 64u, 65u, 130u}) {
      const std::string word(length, 'A');
      const std::string text = std::string(gap, '-') + word + "\xC3\xA9" + word + std::string(gap, ' ') + "9";
      const std::string small(length, 'a');
      EXPECT_EQ(CanonOf(text).padded, " " + small + " " + small + " 9 ") << gap << ' ' << length;
      EXPECT_EQ(CanonOf(text).norm, small + small + "9");
    }
  }
  EXPECT_EQ(CanonOf(std::string(200, '-')).padded, " ");
  EXPECT_EQ(CanonOf("").padded, " ");
}

}  // namespace
}  // namespace interlock::eval::agent_sentry
