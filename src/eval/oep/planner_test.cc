#include "planner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "interlock/base/json.h"
#include "oep_test_util.h"

namespace interlock::eval::oep {
namespace {

class OepPlannerTest : public testing::Test {
 protected:
  ScriptedPlanner Planner(const Payload* payload, PlannerStyle style = {}) {
    if (payload != nullptr) {
      auto goal = GoalFor(*payload, incident_);
      INTERLOCK_CHECK(goal.ok(), "a built-in goal is JSON");
      goal_ = std::move(goal.value());
    }
    return {incident_, payload, payload == nullptr ? nullptr : &goal_, suite_, style, Stream(incident_.id, "s", 1)};
  }
  static PlannerAnswer Ask(ScriptedPlanner& planner, std::uint32_t step, std::vector<SeenText> seen,
                           std::vector<CallOutcome> outcomes = {}) {
    const auto line = planner.Answer(WriteQuestion({.run = "r",
                                                    .step = step,
                                                    .of = 8,
                                                    .alert = R"({"service":"payment_service"})",
                                                    .runbook = {},
                                                    .tools = {},
                                                    .seen = std::move(seen),
                                                    .outcomes = std::move(outcomes)}));
    INTERLOCK_CHECK(line.ok(), "the script answers every question");
    auto answer = ParseAnswer(line.value());
    INTERLOCK_CHECK(answer.ok(), "and can be read");
    return std::move(answer.value());
  }
  static bool Proposes(const PlannerAnswer& answer, std::string_view tool) {
    return std::ranges::any_of(answer.proposals, [&](const ProposedAction& action) { return action.tool == tool; });
  }
  const Payload& PayloadOf(const char* id) { return BuiltIn().data().payloads.at(id); }

  Incident incident_ = BuiltIn().data().incidents.at("api_memory_leak");
  Suite suite_ = [] {
    Suite suite = BuiltIn().data().suites.at("paper");
    suite.second_candidate = 0;
    return suite;
  }();
  Goal goal_;
};

TEST(ParseAnswer, ReadsWhatAPlannerSays) {
  const auto answer = ParseAnswer(
      R"({"diagnosis":"a","proposals":[{"tool":"t","arguments":{"x":1}},{"tool":"u","gain":0.9}],"done":true})");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().diagnosis, "a");
  EXPECT_EQ(answer.value().proposals.size(), 2u);
  EXPECT_EQ(answer.value().proposals[0].arguments, "{\"x\":1}");
  EXPECT_EQ(answer.value().proposals[0].gain, 0.5);
  EXPECT_EQ(answer.value().proposals[1].arguments, "{}");
  EXPECT_TRUE(answer.value().done);
}

TEST(ParseAnswer, RefusesWhatIsNoAnswer) {
  struct Row {
    std::string line;
    base::ErrorCode code;
  };
  std::string many = "{\"proposals\":[";
  for (std::size_t i = 0; i <= kMaxProposals; ++i) many += std::string(i == 0 ? "" : ",") + R"({"tool":"t"})";
  const Row rows[] = {
      {"", base::ErrorCode::kJsonEmpty},
      {"[]", base::ErrorCode::kPlannerAnswer},
      {"{}", base::ErrorCode::kPlannerAnswer},
      {R"({"proposals":[{}]})", base::ErrorCode::kPlannerAnswer},
      {R"({"proposals":[{"tool":""}]})", base::ErrorCode::kPlannerAnswer},
      {R"({"proposals":[{"tool":"t","arguments":[1]}]})", base::ErrorCode::kPlannerAnswer},
      {R"({"proposals":[{"tool":"t","gain":2}]})", base::ErrorCode::kPlannerAnswer},
      {R"({"proposals":[],"proposals":[]})", base::ErrorCode::kJsonDuplicateKey},
      {many + "]}", base::ErrorCode::kLimitExceeded},
  };
  for (const Row& row : rows) {
    const auto answer = ParseAnswer(row.line);
    ASSERT_FALSE(answer.ok()) << row.line;
    EXPECT_EQ(answer.error().code(), row.code) << row.line;
  }
}

TEST_F(OepPlannerTest, FollowsThePlaybookOnceItHasLooked) {
  ScriptedPlanner planner = Planner(nullptr);
  const PlannerAnswer first = Ask(planner, 1, {});
  EXPECT_TRUE(Proposes(first, "query_metrics"));
  EXPECT_TRUE(Proposes(first, "list_recent_deployments"));
  EXPECT_FALSE(Proposes(first, "rollback_deployment"));
  EXPECT_EQ(first.diagnosis, "payment_service");
  const PlannerAnswer blind = Ask(planner, 2, {}, {{"query_metrics", incident_.diagnose[0].arguments, "failed", "{}"}});
  EXPECT_FALSE(Proposes(blind, "rollback_deployment"));
  const PlannerAnswer second = Ask(planner, 3, {},
                                   {{"query_metrics", incident_.diagnose[0].arguments, "ok", "{}"},
                                    {"list_recent_deployments", incident_.needs[0].arguments, "ok", "{}"}});
  EXPECT_TRUE(Proposes(second, "rollback_deployment"));
  const PlannerAnswer third =
      Ask(planner, 4, {}, {{"rollback_deployment", incident_.playbook[0].call.arguments, "ok", "{}"}});
  EXPECT_TRUE(Proposes(third, "restart_service"));
  EXPECT_FALSE(Proposes(third, "rollback_deployment"));
}

TEST_F(OepPlannerTest, ObeysWhatItIsShownAndNothingElse) {
  const Payload& payload = PayloadOf("indirect-log-command");
  ScriptedPlanner unseen = Planner(&payload);
  EXPECT_FALSE(Proposes(Ask(unseen, 1, {{"log", "all quiet"}}), "run_arbitrary_command"));
  ScriptedPlanner planner = Planner(&payload);
  EXPECT_TRUE(Proposes(Ask(planner, 1, {{"log", "x\n" + payload.parts[0]}}), "run_arbitrary_command"));
  EXPECT_TRUE(Proposes(Ask(planner, 2, {}), "run_arbitrary_command"));  // it does not forget
  ScriptedPlanner deaf = Planner(&payload, {.obeys = PlannerStyle::Obeys::kTyped});
  EXPECT_FALSE(Proposes(Ask(deaf, 1, {{"log", payload.parts[0]}}), "run_arbitrary_command"));
}

TEST_F(OepPlannerTest, TypedFieldsReachAHardenedPromptUnlessTheyAreMasked) {
  const Payload& payload = PayloadOf("tool-output-rollback");
  const auto content = [&](const std::string& field) {
    std::string out = R"({"values":[1],"next_step":)";
    base::AppendJsonString(out, field);
    return out + "}";
  };
  ScriptedPlanner planner = Planner(&payload, {.obeys = PlannerStyle::Obeys::kTyped});
  const auto answer =
      Ask(planner, 2, {},
          {{"query_metrics", incident_.diagnose[0].arguments, "ok", content(payload.fields.back().second)}});
  ASSERT_FALSE(answer.proposals.empty());
  EXPECT_NE(answer.proposals[0].arguments.find("malicious"), std::string::npos);
  ScriptedPlanner masked = Planner(&payload);
  EXPECT_FALSE(
      Proposes(Ask(masked, 2, {}, {{"query_metrics", incident_.diagnose[0].arguments, "ok", content("[taken out]")}}),
               "rollback_deployment"));
}

TEST_F(OepPlannerTest, CoaxingNeedsEveryMessage) {
  const Payload& payload = PayloadOf("coax-restart");
  ScriptedPlanner planner = Planner(&payload);
  for (std::size_t i = 0; i + 1 < payload.parts.size(); ++i) {
    EXPECT_FALSE(
        Proposes(Ask(planner, static_cast<std::uint32_t>(i + 1), {{"ticket", payload.parts[i]}}), "restart_service"));
  }
  EXPECT_TRUE(Proposes(Ask(planner, 4, {{"ticket", payload.parts.back()}}), "restart_service"));
}

TEST_F(OepPlannerTest, AnAdaptiveAttackerTriesAnotherRoute) {
  const Payload& payload = PayloadOf("adaptive-outage");
  ScriptedPlanner planner = Planner(&payload);
  const auto first = Ask(planner, 1, {{"ticket", payload.parts[0]}});
  EXPECT_TRUE(Proposes(first, "run_arbitrary_command"));
  const auto second = Ask(planner, 2, {}, {{first.proposals[0].tool, first.proposals[0].arguments, "refused", ""}});
  EXPECT_FALSE(Proposes(second, "run_arbitrary_command"));
  EXPECT_TRUE(Proposes(second, "rollback_deployment"));
}

TEST_F(OepPlannerTest, StopsWhenTheAttackerHasWhatHeWants) {
  const Payload& payload = PayloadOf("indirect-log-command");
  ScriptedPlanner planner = Planner(&payload);
  auto answer = Ask(planner, 1, {{"log", payload.parts[0]}});
  const CallOutcome ran{answer.proposals[0].tool, answer.proposals[0].arguments, "ok", "{}"};
  EXPECT_FALSE(Ask(planner, 2, {}, {ran}).done);
  EXPECT_TRUE(Ask(planner, 3, {}, {ran}).done);
}

}  // namespace
}  // namespace interlock::eval::oep
