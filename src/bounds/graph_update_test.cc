#include "interlock/bounds/graph_update.h"

#include <gtest/gtest.h>

#include "graph_test_util.h"
#include "interlock/bounds/graph_diff.h"
#include "interlock/bounds/graph_index.h"

namespace interlock::bounds {
namespace {

using base::ErrorCode;

const Flow kFlow{.view = View::kRetrievalToAction, .after = {"read"}, .tool = "pay"};

// `benign` sessions on `benign_day` and `attack` ones on `attack_day`, of one flow.
FunctionalityGraph Ambiguous(std::uint64_t benign, Day benign_day, std::uint64_t attack, Day attack_day) {
  FunctionalityGraph graph;
  EXPECT_TRUE(graph.Add({}, kFlow, Side::kBenign, benign_day, benign).ok());
  EXPECT_TRUE(graph.Add({}, kFlow, Side::kAttack, attack_day, attack).ok());
  return graph;
}

const Counts& CountsOf(const FunctionalityGraph& graph) { return graph.scopes().at({}).flows.at(kFlow); }

TEST(GraphPromotion, SettlesWhatOneSideAloneShowed) {
  const UpdatePolicy policy{.promote_sessions = 3, .promote_days = 10};
  FunctionalityGraph graph = Ambiguous(3, 95, 7, 90);
  const auto promotions = Promote(graph, policy, 100);
  ASSERT_EQ(promotions.size(), 1U);
  EXPECT_EQ(promotions[0].to, Side::kBenign);
  EXPECT_EQ(promotions[0].sessions, 3U);
  EXPECT_EQ(promotions[0].dropped, 7U);
  EXPECT_TRUE(CountsOf(graph).attack.empty());
  FunctionalityGraph other = Ambiguous(7, 90, 3, 95);
  ASSERT_EQ(Promote(other, policy, 100).size(), 1U);
  EXPECT_TRUE(CountsOf(other).benign.empty());
}

TEST(GraphPromotion, StopsAtTheLimits) {
  const UpdatePolicy policy{.promote_sessions = 3, .promote_days = 10};
  const auto settled = [&](std::uint64_t benign, Day benign_day, Day attack_day) {
    FunctionalityGraph graph = Ambiguous(benign, benign_day, 1, attack_day);
    const FunctionalityGraph before = graph;
    const bool any = !Promote(graph, policy, 100).empty();
    EXPECT_EQ(any, !(graph == before));
    return any;
  };
  EXPECT_FALSE(settled(2, 95, 10)) << "too few";
  EXPECT_TRUE(settled(3, 91, 10)) << "first day of the window";
  EXPECT_FALSE(settled(3, 90, 10)) << "the day before it";
  EXPECT_TRUE(settled(3, 100, 90)) << "the attack the day before the window";
  EXPECT_FALSE(settled(3, 100, 91)) << "an attack in the window";
  EXPECT_FALSE(settled(3, 100, 101)) << "an attack after it";
  EXPECT_FALSE(settled(3, 101, 10)) << "benign sessions of the future do not count";
  EXPECT_FALSE(settled(30, kUndated, 10)) << "nor do those without a date";
  EXPECT_TRUE(settled(3, 95, kUndated));
  FunctionalityGraph kept = Ambiguous(3, 95, 1, kUndated);
  EXPECT_TRUE(Promote(kept, {.promote_sessions = 3, .promote_days = 10, .promote_undated = false}, 100).empty());
}

TEST(GraphDecay, HalvesOncePerHalfLifeAndNeverTwice) {
  const UpdatePolicy policy{.benign_half_life_days = 10, .attack_half_life_days = 0};
  FunctionalityGraph graph = Ambiguous(9, 100, 9, 100);
  EXPECT_EQ(Decay(graph, policy, 109), 0U);
  EXPECT_EQ(Decay(graph, policy, 110), 5U);
  EXPECT_EQ(Decay(graph, policy, 110), 0U) << "the same day again";
  EXPECT_EQ(CountsOf(graph).benign.parts(), (std::vector<Tally::Part>{{.day = 100, .halvings = 1, .sessions = 4}}));
  EXPECT_EQ(Decay(graph, policy, 130), 3U) << "two more at once";
  EXPECT_EQ(Decay(graph, policy, 139), 0U);
  EXPECT_EQ(Decay(graph, policy, 140), 1U);
  EXPECT_TRUE(CountsOf(graph).benign.empty());
  EXPECT_EQ(CountsOf(graph).attack.total(), 9U) << "attacks are not forgotten";
  const auto read = FunctionalityGraph::Parse(graph.ToJson());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), graph);
}

TEST(GraphDecay, WhatHasNoDateStaysAndWhatIsNothingGoes) {
  const UpdatePolicy policy{.benign_half_life_days = 1, .attack_half_life_days = 1};
  FunctionalityGraph graph = Ambiguous(1, kUndated, 1, 1);
  EXPECT_EQ(Decay(graph, policy, 2'000'000), 1U);
  EXPECT_EQ(CountsOf(graph).benign.total(), 1U);
  FunctionalityGraph gone = Ambiguous(1, 1, 1, 1);
  EXPECT_EQ(Decay(gone, policy, 2'000'000), 2U);
  EXPECT_EQ(gone.flow_count(), 0U);
  EXPECT_TRUE(gone.scopes().empty());
}

TEST(GraphDecay, IsTakenBackByItsDiff) {
  const FunctionalityGraph before = Ambiguous(9, 100, 9, 80);
  FunctionalityGraph after = before;
  (void)Promote(after, {.promote_sessions = 3, .promote_days = 10}, 105);
  (void)Decay(after, {.benign_half_life_days = 2}, 105);
  const GraphDiff diff = GraphDiff::Between(before, after);
  FunctionalityGraph graph = before;
  ASSERT_TRUE(diff.Apply(graph).ok());
  EXPECT_EQ(graph.ToJson(), after.ToJson());
  ASSERT_TRUE(diff.Revert(graph).ok());
  EXPECT_EQ(graph.ToJson(), before.ToJson());
}

Review By(ReviewSource source, Side side, double confidence) {
  return {.session = "s", .side = side, .source = source, .reviewer = "r", .confidence = confidence, .day = {}};
}

Ruling RulingOn(const std::vector<Review>& given) {
  Reviews reviews;
  for (const Review& review : given) reviews.Add(review);
  return reviews.Of("s", {}).ruling;
}

TEST(GraphReviews, OnlySureAndUndisputedOnesTeach) {
  constexpr auto kPerson = ReviewSource::kPerson;
  constexpr auto kOutcome = ReviewSource::kOutcome;
  EXPECT_EQ(RulingOn({}), Ruling::kUnreviewed);
  EXPECT_EQ(RulingOn({By(kPerson, Side::kBenign, 0.9)}), Ruling::kLearn);
  EXPECT_EQ(RulingOn({By(kPerson, Side::kBenign, 0.89)}), Ruling::kLowConfidence);
  EXPECT_EQ(RulingOn({By(kOutcome, Side::kBenign, 0.9)}), Ruling::kLowConfidence) << "an outcome has its own limit";
  EXPECT_EQ(RulingOn({By(kOutcome, Side::kAttack, 0.95)}), Ruling::kLearn);
  EXPECT_EQ(RulingOn({By(kPerson, Side::kBenign, 0.5), By(kPerson, Side::kBenign, 1)}), Ruling::kLearn);
  EXPECT_EQ(RulingOn({By(kPerson, Side::kBenign, 1), By(kPerson, Side::kAttack, 0.1)}), Ruling::kDisagreement);
}

TEST(GraphReviews, LinesAreReadStrictly) {
  const std::string good =
      R"({"schema":"interlock.review/v1","session":"s1","label":"attack","by":"outcome","reviewer":"refund desk",)"
      R"("confidence":0.97,"date":"2026-01-31","note":"money came back"})";
  const auto review = ParseReview(good);
  ASSERT_TRUE(review.ok()) << review.error().ToString();
  EXPECT_EQ(review.value().session, "s1");
  EXPECT_EQ(review.value().side, Side::kAttack);
  EXPECT_EQ(review.value().source, ReviewSource::kOutcome);
  EXPECT_EQ(DateOf(*review.value().day), "2026-01-31");
  const auto without = [&](std::string_view part, std::string_view instead) {
    std::string line = good;
    line.replace(line.find(part), part.size(), instead);
    const auto read = ParseReview(line);
    EXPECT_FALSE(read.ok()) << line;
    return read.ok() ? ErrorCode::kInternal : read.error().code();
  };
  EXPECT_EQ(without("review/v1", "review/v2"), ErrorCode::kGraphReview);
  EXPECT_EQ(without("0.97", "1.01"), ErrorCode::kGraphReview);
  EXPECT_EQ(without("0.97", "0"), ErrorCode::kGraphReview);
  EXPECT_EQ(without("0.97", "\"high\""), ErrorCode::kGraphReview);
  EXPECT_EQ(without("attack", "fine"), ErrorCode::kGraphReview);
  EXPECT_EQ(without("outcome", "model"), ErrorCode::kGraphReview);
  EXPECT_EQ(without("refund desk", ""), ErrorCode::kGraphReview);
  EXPECT_EQ(without("2026-01-31", "yesterday"), ErrorCode::kGraphReview);
  EXPECT_EQ(without("\"note\"", "\"notes\""), ErrorCode::kGraphReview);
  EXPECT_EQ(without("money came back\"}", "money"), ErrorCode::kJsonSyntax);
}

}  // namespace
}  // namespace interlock::bounds
