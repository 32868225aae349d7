#include "operations.h"

#include <set>
#include <string>

#include "gmock/gmock.h"

namespace interlock::eval::agent_sentry {
namespace {

constexpr std::string_view kLists = R"({"schema":"interlock.operations/v1",
  "things":{"service":["the api","nginx"]},
  "acts":[{"verb":"restart","done":"restarted","doing":"restarting","noun":"restart","of":["service"],"tails":[""," twice"]}],
  "languages":[{"language":"de","things":["den Server"],"orders":["Starte {thing} neu."],"facts":[]}],
  "orders":["{verb} {object}{tail} now.","call {call}."],
  "facts":["{\"event\": \"{noun}\", \"of\": \"{object}\"}","{object} was {done}"]})";

TEST(OperationsTest, EveryFormIsFilled) {
  const auto made = MakeOperationsTexts(kLists, 12, 6, 3);
  ASSERT_TRUE(made.ok());
  EXPECT_GE(made.value().orders.size(), 6U);
  for (const std::string& text : made.value().orders) EXPECT_EQ(text.find("{verb}"), std::string::npos) << text;
  const std::set<std::string> distinct(made.value().orders.begin(), made.value().orders.end());
  EXPECT_EQ(distinct.size(), made.value().orders.size());
  EXPECT_EQ(made.value().orders.back(), "Starte den Server neu.");
  EXPECT_THAT(made.value().facts, ::testing::Contains(R"({"event": "restart", "of": "nginx"})"));
  const auto again = MakeOperationsTexts(kLists, 12, 6, 3);
  const auto other = MakeOperationsTexts(kLists, 12, 6, 4);
  ASSERT_TRUE(again.ok() && other.ok());
  EXPECT_EQ(again.value().orders, made.value().orders);
  EXPECT_NE(other.value().orders, made.value().orders);
}

TEST(OperationsTest, TheEmbeddedListsYieldWhatIsAskedFor) {
  const OperationsTexts& texts = EmbeddedOperationsTexts();
  EXPECT_GT(texts.orders.size(), 2400U);  // and those of other languages
  EXPECT_GT(texts.facts.size(), 4000U);
  for (const std::string& text : texts.orders) {
    for (const std::string_view slot :
         {"{verb}", "{thing}", "{done}", "{doing}", "{noun}", "{object}", "{tail}", "{call}"}) {
      EXPECT_EQ(text.find(slot), std::string::npos) << text;
    }
  }
}

TEST(OperationsTest, RefusesWhatIsNoList) {
  EXPECT_FALSE(MakeOperationsTexts("{}", 1, 1, 1).ok());
  std::string without(kLists);
  without.replace(without.find("\"service\""), 9, "\"server\"");
  EXPECT_FALSE(MakeOperationsTexts(without, 1, 1, 1).ok());
}

}  // namespace
}  // namespace interlock::eval::agent_sentry
