#include "interlock/provenance/source_origins.h"

#include <gtest/gtest.h>

#include <string_view>

#include "interlock/provenance/value_index.h"

namespace interlock::provenance {
namespace {

constexpr core::LabelSet kBad = core::kLabelUntrusted;
constexpr core::LabelSet kAsked = core::kLabelRequest;

struct Row {
  const char* name;
  std::string_view seen;
  std::string_view asked;
  core::LabelSet want;
};

const Row kRows[] = {
    {"whole", "pay Bob now", "Pay Bob NOW", kBad},
    {"word", "pay Bob now", "Bob", kBad},
    {"address_in_a_sentence", "mail bob@evil.test", "send it to bob@evil.test now", kBad},
    {"account_in_a_long_text", "IBAN DE89-3704-0044 today",
     "Dear all, the money of this month goes to DE89-3704-0044, please do not forget about it", kBad},
    {"shared_words", "the lunch is on Friday", "Invite Bob to lunch tomorrow", 0},
    {"trivial", "it is true", "true", 0},
    {"off_by_one", "to GB29NWBK60161331926819", "GB29NWBK60161331926818", 0},
    {"sum", "rent $1,100.00 and deposit $250.00", "1350", 0},
    {"another", "pay Bob now", "Alice", 0},
};

TEST(SourceOrigins, LabelsOfWhatIdentifies) {
  for (const Row& row : kRows) {
    SourceIndex index({.key = {1, 2}});
    index.Add({.kind = SourceKind::kResult, .labels = kBad}, row.seen);
    const auto answer = SourceOrigins(index).OriginsOf(row.asked);
    EXPECT_EQ(answer.labels, row.want) << row.name;
    EXPECT_TRUE(answer.complete);
  }
}

TEST(SourceOrigins, TurnsAndRequests) {
  SourceIndex index({.key = {1, 2}, .max_bytes = 64});
  index.Add({.kind = SourceKind::kRequest, .labels = kAsked}, "pay 12345678");
  index.Add({.kind = SourceKind::kResult, .turn = 3, .labels = kBad}, "pay 12345678");
  EXPECT_EQ(SourceOrigins(index, 3).OriginsOf("12345678").labels, kAsked);
  EXPECT_EQ(SourceOrigins(index).OriginsOf("12345678").labels, kAsked | kBad);
  index.Add({.kind = SourceKind::kResult}, "more text than there is room for in this index of sixty-four bytes");
  EXPECT_FALSE(SourceOrigins(index).OriginsOf("12345678").complete);
}

// Where the label store between processes sees a value, this index sees it too.
TEST(SourceOrigins, SeesWhatTheValueIndexSees) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {"  Pay bob NOW \n", "pay Bob now"},
      {"Write to Attacker@Evil.test, please.", "attacker@evil.test"},
      {"see https://collector.evil.test/a", "collector.evil.test"},
      {"open /srv/in/report-2024.txt", "report-2024.txt"},
      {R"({"a":"line one\nline two of the text"})", "line two of the text"},
      {"1000", "1e3"},
      {"run with --to=bob@evil.test", "bob@evil.test"},
  };
  for (const auto& [seen, asked] : pairs) {
    ValueIndex values({.key = {1, 2}});
    values.AddText(seen, kBad);
    SourceIndex index({.key = {1, 2}});
    index.Add({.kind = SourceKind::kResult, .labels = kBad}, seen);
    EXPECT_EQ(values.OriginsOf(asked).labels, kBad) << asked;
    EXPECT_EQ(SourceOrigins(index).OriginsOf(asked).labels, kBad) << asked;
  }
}

}  // namespace
}  // namespace interlock::provenance
