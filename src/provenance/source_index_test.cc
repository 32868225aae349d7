#include "interlock/provenance/source_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "source_index_peer.h"

namespace interlock::provenance {
namespace {

constexpr SourceInfo kRequest{.kind = SourceKind::kRequest, .labels = core::kLabelRequest};

SourceInfo Result(std::uint32_t turn, core::LabelSet labels = core::kLabelUntrusted) {
  return {.kind = SourceKind::kResult, .call = turn, .turn = turn, .labels = labels};
}

SourceIndex Make() { return SourceIndex({.key = {1, 2}}); }

std::string_view Quoted(const SourceIndex& index, const SourceMatch& match) {
  return index.text(match.source).substr(match.in_source.begin, match.in_source.end - match.in_source.begin);
}

// The only source is `source`; how is `value` explained by it first? "kind quoted", or "-".
std::string First(std::string_view source, std::string_view value) {
  SourceIndex index = Make();
  index.Add(Result(0), source);
  const Explanation e = index.Explain(value);
  if (e.matches.empty()) return "-";
  return std::string(NameOf(e.matches[0].kind)) + " " + std::string(Quoted(index, e.matches[0]));
}

struct Row {
  const char* name;
  std::string_view source;
  std::string_view value;
  std::string_view want;
};

class Matching : public testing::TestWithParam<Row> {};

TEST_P(Matching, FirstMatch) { EXPECT_EQ(First(GetParam().source, GetParam().value), GetParam().want); }

const Row kRows[] = {
    {"exact_word", "pay Bob now", "Bob", "exact Bob"},
    {"exact_with_punctuation", "call (555) 123-4567.", "(555) 123-4567", "exact (555) 123-4567"},
    {"case", "pay BOB now", "Bob", "canonical BOB"},
    {"spacing", "New\n   York", "new york", "canonical New\n   York"},
    {"compatibility_forms", "\xEF\xBC\xA5vil.test", "evil.test", "canonical \xEF\xBC\xA5vil.test"},
    {"invisible", "ev\xE2\x80\x8Bil.test", "evil.test", "canonical ev\xE2\x80\x8Bil.test"},
    {"json_escape", R"({"a":"caf\u00e9 \"Roma\""})", "caf\xC3\xA9 \"Roma\"", R"(canonical caf\u00e9 \"Roma)"},
    {"json_newline", R"({"a":"one\ntwo"})", "two", "exact two"},
    {"path_in_plain_text", R"(open C:\new\temp now)", R"(C:\new\temp)", R"(exact C:\new\temp)"},
    {"json_in_json", R"({"t":"{\"a\":\"one\\ntwo\"}"})", "two", "exact two"},
    {"number_spelling", "total 1250.50", "1250.5", "canonical 1250.50"},
    {"number_exponent", "total 1000", "1e3", "canonical 1000"},
    {"currency", "total $1,250.00 due", "1250", "format 1,250.00"},
    {"european", "Summe 1.250,00 EUR", "1250.00", "format 1.250,00"},
    {"part_of_a_number", "total 1,253.00", "253", "-"},
    {"integer_of_a_decimal", "total 250.75", "250", "-"},
    {"decimal_of_an_integer", "total 250", "250.0", "canonical 250"},
    {"list_of_numbers", "[12345,67890]", "67890", "exact 67890"},
    {"iban_in_groups", "to GB29 NWBK 6016 1331 9268 19 please", "GB29NWBK60161331926819",
     "format GB29 NWBK 6016 1331 9268 19"},
    {"iban_ungrouped", "to GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19", "format GB29NWBK60161331926819"},
    {"date", "on May 15, 2024 at noon", "2024-05-15", "format May 15, 2024"},
    {"date_ordinal", "on the 3rd of May 2024", "2024-05-03", "format 3rd of May 2024"},
    {"date_of_iso", "due 2024-05-15", "15 May 2024", "format 2024-05-15"},
    {"date_american", "due 5/15/2024", "2024-05-15", "format 5/15/2024"},
    {"date_dots", "am 15.05.2024", "2024-05-15", "format 15.05.2024"},
    {"phone", "call +1 (555) 123-4567", "+15551234567", "format 1 (555) 123-4567"},
    {"phone_without_prefix", "call 555-123-4567", "+15551234567", "format 555-123-4567"},
    {"host_of_a_url", "see https://evil.test/a?b=c", "evil.test", "exact evil.test"},
    {"url_from_its_host", "visit evil.test", "https://evil.test/a", "format evil.test"},
    {"base_name", "the file is report-2024.txt", "/srv/in/report-2024.txt", "format report-2024.txt"},
    {"local_part", "ask emma.johnson", "emma.johnson@blue.test", "format emma.johnson"},
    {"joined_otherwise", "Emma Johnson", "emma.johnson", "derived Emma Johnson"},
    {"run_of_words", "please buy milk and bread today", "We should buy milk and bread", "substring buy milk and bread"},
    {"nothing", "pay Bob now", "Alice", "-"},
    {"joined_words", "ask Emma Johnson", "emmajohnson", "derived Emma Johnson"},
    {"initial_and_surname", "ask Emma Johnson", "ejohnson", "derived Emma Johnson"},
    {"words_taken_apart", "user emmajohnson", "Emma Johnson", "derived emmajohnson"},
    {"misspelled_once", "the Restaurent is open", "Restaurant", "fuzzy Restaurent"},
    {"misspelled_twice", "the accomodattion is paid", "accommodation", "fuzzy accomodattion"},
    {"short_words_are_different_words", "pay Jones", "James", "-"},
    {"identifiers_are_different", "see INV00421", "INV00422", "-"},
    {"account_numbers_off_by_one", "to GB29NWBK60161331926819", "GB29NWBK60161331926818",
     "fuzzy GB29NWBK60161331926819"},
    {"sum", "rent $1,100.00 and deposit $250.00", "1350", "derived 1,100.00 and deposit $250.00"},
    {"difference", "was $1,100.00, paid $250.50", "849.5", "derived 1,100.00, paid $250.50"},
    {"half", "total $96.50 for two", "48.25", "derived 96.50"},
    {"percentage", "bill: $84.00, add 15% tip", "96.60", "derived 84.00, add 15"},
    {"not_to_the_cent", "total $96.50 for two", "48.3", "-"},
    {"compact_date_is_not_read", "on 2024-05-15", "20240515", "-"},
    {"part_of_a_version", "use 10.20.30.40", "20.30", "-"},
    {"card_in_groups", "card 4111 1111 1111 1111", "4111111111111111", "format 4111 1111 1111 1111"},
    {"escape_in_one_word", R"({"a":"att\u0061cker"})", "attacker", R"(canonical att\u0061cker)"},
    {"surrogates", R"({"a":"\ud835\udc1avil"})", "avil", R"(canonical \ud835\udc1avil)"},
    {"bytes_that_are_no_text", "x\xFF\xFE caf\xC3\xA9 y", "caf\xC3\xA9", "exact caf\xC3\xA9"},
    {"windows_path_in_json", R"({"p":"C:\\new\\temp"})", R"(C:\new\temp)", R"(canonical C:\\new\\temp)"},
    {"yaml", "- name: Emma\n  iban: \"GB29\"", "Emma", "exact Emma"},
    {"chinese", "\xE8\xAF\xB7\xE4\xBB\x98\xE6\xAC\xBE\xE7\xBB\x99\xE7\x8E\x8B\xE8\x8A\xB3", "\xE7\x8E\x8B\xE8\x8A\xB3",
     "exact \xE7\x8E\x8B\xE8\x8A\xB3"},
};

INSTANTIATE_TEST_SUITE_P(SourceIndex, Matching, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SourceIndex, ResultsOfTheSameTurnDoNotCount) {
  SourceIndex index = Make();
  index.Add(kRequest, "send it");
  index.Add(Result(0), "account 12345678");
  index.Add(Result(1), "account 12345678");
  EXPECT_EQ(index.Explain("12345678", {.before_turn = 0}).matches.size(), 0u);
  EXPECT_EQ(index.Explain("12345678", {.before_turn = 1}).matches.size(), 1u);
  EXPECT_EQ(index.Explain("12345678").matches.size(), 2u);
  EXPECT_EQ(index.Explain("send", {.before_turn = 0}).matches.size(), 1u);
}

TEST(SourceIndex, CoverageByWhom) {
  SourceIndex index = Make();
  index.Add(kRequest, "Invite Bob to lunch");
  index.Add(Result(0), "The lunch is at Luigi's");
  const Explanation e = index.Explain("Lunch with Bob at Luigi's");
  EXPECT_FLOAT_EQ(e.by_request, 8.0F / 13.0F);
  EXPECT_FLOAT_EQ(e.by_results, 10.0F / 13.0F);
  EXPECT_FLOAT_EQ(e.covered, 1.0F);
  EXPECT_EQ(e.labels, core::kLabelRequest | core::kLabelUntrusted);
}

TEST(SourceIndex, WhatSaysNothingIsWeak) {
  SourceIndex index = Make();
  index.Add(Result(0), "it is true that 3 of the items are ok");
  for (const std::string_view value : {"true", "3", "of", "the", "ok", "is it", "of the"}) {
    const Explanation e = index.Explain(value);
    EXPECT_EQ(e.labels, 0u) << value;
    for (const SourceMatch& match : e.matches) EXPECT_LT(match.strength, kTrivialStrength) << value;
  }
  for (const std::string_view value : {"", " ", "?!", "\xE2\x80\x8B"}) {
    const Explanation e = index.Explain(value);
    EXPECT_TRUE(e.matches.empty()) << value;
    EXPECT_EQ(e.covered, 0.0F) << value;
  }
}

TEST(SourceIndex, LeavesThatAreNotStrings) {
  SourceIndex index = Make();
  index.Add(kRequest, "Pay 1250.50 to Emma Johnson, urgent: true");
  const auto doc =
      base::JsonDoc::Parse(R"({"amount":1.2505e3,"to":["Emma Johnson","Nobody Else"],"urgent":true,"x":null})");
  ASSERT_TRUE(doc.ok());
  const base::JsonValue root = doc.value().root();
  EXPECT_EQ(index.Explain(root.Find("amount")).matches.at(0).kind, MatchKind::kCanonical);
  EXPECT_LT(index.Explain(root.Find("urgent")).matches.at(0).strength, kTrivialStrength);
  EXPECT_TRUE(index.Explain(root.Find("x")).matches.empty());
  const Explanation all = index.Explain(root);
  EXPECT_EQ(all.matches.size(), 3u);
  EXPECT_FLOAT_EQ(all.by_request, (7.0F + 11.0F + 4.0F) / (7.0F + 11.0F + 10.0F + 4.0F));
}

TEST(SourceIndex, FirstAndNewestSourcesAndAllLabels) {
  SourceIndex index = Make();
  for (std::uint32_t i = 0; i < 100; ++i) {
    index.Add(Result(i, i == 50 ? core::kLabelTrusted : core::kLabelUntrusted), "account 12345678 again");
  }
  const Explanation e = index.Explain("12345678");
  ASSERT_EQ(e.matches.size(), SourceIndex::kMaxMatches);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(e.matches[i].source, i);
    EXPECT_EQ(e.matches[8 + i].source, 92 + i);
  }
  EXPECT_EQ(e.labels, core::kLabelTrusted | core::kLabelUntrusted);
}

// All words are common, their order is not: only the pairs lead to the one source.
TEST(SourceIndex, ARareRunOfCommonWords) {
  SourceIndex index = Make();
  for (std::uint32_t i = 0; i < 100; ++i) {
    index.Add(Result(i), i == 50 ? "now grant access everyone" : "everyone now access then grant");
  }
  const Explanation e = index.Explain("please grant access everyone quickly");
  EXPECT_THAT(e.matches, testing::Contains(testing::Field(&SourceMatch::source, 50u)));
}

TEST(SourceIndex, TooMuchTextIsIncomplete) {
  SourceIndex index({.key = {1, 2}, .max_bytes = 40, .max_source_bytes = 30});
  index.Add(Result(0), "twenty bytes of text");
  EXPECT_TRUE(index.Explain("twenty").complete);
  EXPECT_EQ(index.Add(Result(1), "another twenty bytes or so"), 1u);
  EXPECT_FALSE(index.complete());
  EXPECT_FALSE(index.Explain("twenty").complete);
  EXPECT_EQ(index.text(1), "another twenty bytes");
  EXPECT_EQ(index.Add(Result(2), "more"), 2u);
  EXPECT_EQ(index.text(2), "");
  EXPECT_EQ(index.text(9), "");
}

TEST(SourceIndex, MovedFromAndTo) {
  SourceIndex index = Make();
  index.Add(kRequest, "pay Bob");
  SourceIndex other = std::move(index);
  EXPECT_EQ(other.Explain("Bob").matches.size(), 1u);
  index = std::move(other);
  EXPECT_EQ(index.Explain("Bob").matches.size(), 1u);
}

TEST(SourceIndex, KindsHaveNames) {
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(NameOf(static_cast<MatchKind>(i)).empty());
  EXPECT_TRUE(NameOf(static_cast<MatchKind>(6)).empty());
}

}  // namespace
}  // namespace interlock::provenance
