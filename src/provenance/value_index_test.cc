#include "interlock/provenance/value_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::provenance {
namespace {

constexpr core::LabelSet kBad = core::kLabelUntrusted;
constexpr core::LabelSet kAsked = core::kLabelRequest;

ValueIndex Make(ValueIndexOptions options = {}) {
  options.key = {1, 2};
  return ValueIndex(options);
}

base::JsonDoc Json(std::string_view text) {
  auto doc = base::JsonDoc::Parse(text);
  EXPECT_TRUE(doc.ok()) << text;
  return doc.ok() ? std::move(doc.value()) : base::JsonDoc();
}

struct Row {
  const char* name;
  std::string seen;
  std::string asked;
  bool want;
};

TEST(ValueIndex, WhatIsFoundAgain) {
  const Row rows[] = {
      {"whole", "pay Bob now", "pay Bob now", true},
      {"whole, trimmed and folded", "  Pay bob NOW \n", "pay Bob now", true},
      {"a line of many", "first\nsecond line\nthird", "second line", true},
      {"a word alone identifies nothing", "pay Bob now", "Bob", false},
      {"address", "Write to Attacker@Evil.test, please.", "attacker@evil.test", true},
      {"address in brackets", "Bob <bob@evil.test>;", "bob@evil.test", true},
      {"address in a longer value", "mail bob@evil.test", "send it to bob@evil.test now", true},
      {"account number", "IBAN DE89-3704-0044 today", "DE89-3704-0044", true},
      {"url", "see (https://evil.test/a?b=c).", "https://evil.test/a?b=c", true},
      {"host of a url", "see https://collector.evil.test/a", "collector.evil.test", true},
      {"address after mailto", "[x](mailto:bob@evil.test)", "bob@evil.test", true},
      {"file of a path", "open /srv/in/report-2024.txt", "report-2024.txt", true},
      {"another path to a file of that name", "open /srv/in/report-2024.txt", "/tmp/report-2024.txt", false},
      {"another page of the host", "see https://evil.test/a", "https://evil.test/b", false},
      {"option value", "bob@evil.test", "mail --to=bob@evil.test", true},
      {"value of an option", "run with --to=bob@evil.test", "bob@evil.test", true},
      {"whole line inside a longer value", "x\nthe launch code is swordfish\ny",
       "FYI:\nthe launch code is swordfish\nbye", true},
      {"short line inside a longer value", "x\nyes\ny", "no\nyes\n", false},
      {"number by value", "1e3", "1000", true},
      {"full-width letters", "\xef\xbd\x82\xef\xbd\x8f\xef\xbd\x82@evil.test", "bob@evil.test", true},
      {"invisible characters", "bob\xe2\x80\x8b@evil.test", "bob@evil.test", true},
      {"invisible characters in the call", "bob@evil.test",
       "bob@\xe2\x80\x8b"
       "evil.test",
       true},
      {"case beyond ASCII", "\xc3\x84rger-2024", "\xc3\xa4rger-2024", true},
      {"json inside text", R"({"to":"pay bob","n":[{"k":"in here"}]})", "in here", true},
      {"not UTF-8", "\xff\xfe bad@evil.test", "bad@evil.test", true},
      {"nothing", "bob@evil.test", "", false},
      {"white space", "a b", "   ", false},
  };
  for (const Row& row : rows) {
    ValueIndex index = Make();
    index.AddText(row.seen, kBad);
    const auto answer = index.OriginsOf(row.asked);
    EXPECT_EQ(answer.labels, row.want ? kBad : 0u) << row.name;
    EXPECT_TRUE(answer.complete) << row.name;
  }
}

TEST(ValueIndex, LabelsAreJoined) {
  ValueIndex index = Make();
  index.AddText("bob@evil.test", kBad);
  index.AddText("send it to bob@evil.test", kAsked);
  index.AddText("ann@here.test", kAsked);
  EXPECT_EQ(index.OriginsOf("bob@evil.test").labels, kBad | kAsked);
  EXPECT_EQ(index.OriginsOf("ann@here.test").labels, kAsked);
  EXPECT_EQ(index.OriginsOf("ann@here.test, bob@evil.test").labels, kBad | kAsked);
}

TEST(ValueIndex, JsonStringsNumbersAndKeys) {
  ValueIndex index = Make();
  const base::JsonDoc doc =
      Json(R"({"to":{"some key":["pay bob",12345678,"{\"deep\":\"as text\"}"]},"flag":true,"none":null})");
  index.AddJson(doc.root(), kBad);
  for (const char* value : {"pay bob", "12345678", "1.2345678e7", "some key", "as text"}) {
    EXPECT_EQ(index.OriginsOf(value).labels, kBad) << value;
  }
  EXPECT_EQ(index.OriginsOf("true").labels, 0u);
}

TEST(ValueIndex, TheEnvelopeOfAResultSaysNothing) {
  ValueIndex index = Make();
  const base::JsonDoc doc = Json(R"({"content":[{"type":"text","text":"hello you"}],"isError":false})");
  index.AddJson(doc.root(), kBad);
  for (const char* value : {"content", "type", "text", "isError"})
    EXPECT_EQ(index.OriginsOf(value).labels, 0u) << value;
  EXPECT_EQ(index.OriginsOf("hello you").labels, kBad);
}

TEST(ValueIndex, AFullIndexSaysThatItIsIncomplete) {
  ValueIndex index = Make({.max_entries = 2});
  index.AddText("one", kBad);
  index.AddText("two", kBad);
  EXPECT_TRUE(index.complete());
  index.AddText("one", kAsked);  // nothing new
  EXPECT_TRUE(index.complete());
  index.AddText("three", kBad);
  EXPECT_EQ(index.size(), 2u);
  EXPECT_FALSE(index.OriginsOf("three").complete);
  EXPECT_EQ(index.OriginsOf("one").labels, kBad | kAsked);
}

TEST(ValueIndex, TextOverTheLimitIsIncomplete) {
  ValueIndex index = Make({.max_text_bytes = 20});
  index.AddText(std::string(20, 'x'), kBad);
  EXPECT_TRUE(index.complete());
  EXPECT_FALSE(index.OriginsOf(std::string(21, 'y')).complete);
  EXPECT_TRUE(index.complete()) << "asking changes nothing";
  index.AddText("bob@evil.test " + std::string(20, 'x'), kBad);
  EXPECT_FALSE(index.complete());
  EXPECT_EQ(index.OriginsOf("bob@evil.test").labels, kBad);
}

TEST(ValueIndex, DeltasCarryWhatIsNew) {
  ValueIndex a = Make();
  ValueIndex b = Make();
  a.AddText("bob@evil.test", kBad);
  ASSERT_TRUE(b.MergeDelta(a.TakeDelta()).ok());
  EXPECT_EQ(b.OriginsOf("bob@evil.test").labels, kBad);
  const std::size_t empty = Make().TakeDelta().size();
  EXPECT_EQ(a.TakeDelta().size(), empty) << "taken once";
  EXPECT_EQ(b.TakeDelta().size(), empty) << "what came from the store does not go back";
  b.AddText("bob@evil.test", kAsked);
  ASSERT_TRUE(a.MergeDelta(b.TakeDelta()).ok());
  EXPECT_EQ(a.OriginsOf("bob@evil.test").labels, kBad | kAsked) << "merged, not replaced";
  b.MarkIncomplete();
  ASSERT_TRUE(a.MergeDelta(b.TakeDelta()).ok());
  EXPECT_FALSE(a.complete());
}

TEST(ValueIndex, DeltasAreChecked) {
  ValueIndex index = Make();
  index.AddText("bob@evil.test", kBad);
  const std::string good = index.TakeDelta();
  ValueIndex other = Make();
  std::vector<std::string> bad = {"", "x", good.substr(0, 5), good.substr(0, good.size() - 1), good + "x"};
  std::string wrong = good;
  wrong[0] = 'J';
  bad.push_back(wrong);  // magic
  wrong = good;
  wrong[4] = 2;
  bad.push_back(wrong);  // flags
  wrong = good;
  wrong[5] = static_cast<char>(wrong[5] ^ 1);
  bad.push_back(wrong);  // another key
  wrong = good;
  for (std::size_t i = good.size() - 4; i < good.size(); ++i) wrong[i] = 0;
  bad.push_back(wrong);  // no labels
  for (const std::string& blob : bad) {
    const base::Status merged = other.MergeDelta(blob);
    ASSERT_FALSE(merged.ok());
    EXPECT_EQ(merged.error().code(), base::ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(other.size(), 0u);
  EXPECT_TRUE(other.complete());
}

TEST(ValueIndex, OtherKeysGiveOtherPrints) {
  ValueIndex a(ValueIndexOptions{.key = {1, 2}});
  ValueIndex b(ValueIndexOptions{.key = {1, 3}});
  a.AddText("bob@evil.test", kBad);
  EXPECT_FALSE(b.MergeDelta(a.TakeDelta()).ok());
}

TEST(ValueIndex, HostileTextIsLinear) {
  ValueIndex index = Make({.max_entries = 1000});
  std::string text;
  while (text.size() < (std::size_t{4} << 20)) text += "a=/?&:=://.";
  index.AddText(text, kBad);
  index.AddText("[" + std::string(1 << 20, '[') + "]", kBad);
  (void)index.OriginsOf(text);
  EXPECT_LE(index.size(), 1000u);
}

}  // namespace
}  // namespace interlock::provenance
