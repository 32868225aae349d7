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

}  // namespace
}  // namespace interlock::provenance
