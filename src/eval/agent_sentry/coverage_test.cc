#include "interlock/eval/coverage.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

namespace interlock::eval {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::Result;
using testing::ElementsAre;
using testing::HasSubstr;

using Path = std::vector<std::string>;

TEST(CoverageTest, CountsConsecutiveCalls) {
  CoverageTracker tracker({"a", "b"});
  tracker.AddPath(Path{"a", "b", "b", "c"});
  tracker.AddPath(Path{"a", "b"});
  EXPECT_EQ(tracker.Count({"a", "b"}), 2u);
  EXPECT_EQ(tracker.Count({"b", "b"}), 1u);
  EXPECT_EQ(tracker.Count({"b", "c"}), 1u);
  EXPECT_EQ(tracker.Count({"c", "a"}), 0u);
  EXPECT_EQ(tracker.Count({"x", "y"}), 0u);
  EXPECT_EQ(tracker.covered(), 3u);
  EXPECT_THAT(tracker.tools(), ElementsAre("a", "b", "c"));
  const auto doc = JsonDoc::Parse(tracker.Json());
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc.value().root().FindPointer("/counts/0/1").AsInt64(), 2);
  EXPECT_THAT(tracker.Table(), HasSubstr("3 of 9 transitions seen"));
}

TEST(CoverageTest, NeverSeenComesFirst) {
  CoverageTracker tracker({"a", "b"});
  tracker.AddPath(Path{"a", "a", "b", "a"});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(tracker.Next(seed), (Transition{"b", "b"}));
  }
  EXPECT_FALSE(CoverageTracker().Next(1).has_value());
}

TEST(CoverageTest, ThenInverseToFrequency) {
  CoverageTracker tracker({"a", "b"});
  for (int i = 0; i < 3; ++i) tracker.AddPath(Path{"a", "a"});
  for (int i = 0; i < 3; ++i) tracker.AddPath(Path{"b", "b"});
  tracker.AddPath(Path{"a", "b"});
  tracker.AddPath(Path{"b", "a"});
  std::map<Transition, int> drawn;
  for (std::uint64_t seed = 0; seed < 8000; ++seed) ++drawn[*tracker.Next(seed)];
  // Weights 1/3, 1, 1, 1/3: 1000, 3000, 3000, 1000 of 8000, give or take six standard deviations.
  EXPECT_NEAR(drawn[(Transition{"a", "a"})], 1000, 180);
  EXPECT_NEAR(drawn[(Transition{"a", "b"})], 3000, 260);
  EXPECT_NEAR(drawn[(Transition{"b", "a"})], 3000, 260);
  EXPECT_EQ(tracker.Next(3), tracker.Next(3));
}

TEST(CoverageTest, ManyToolsStayBounded) {
  CoverageTracker tracker;
  for (int i = 0; i < 2000; ++i) tracker.AddPath(Path{"t" + std::to_string(i), "u" + std::to_string(i)});
  EXPECT_LE(tracker.tools().size(), CoverageTracker::kMaxTools);
  EXPECT_EQ(tracker.tools().back(), "*");
  EXPECT_GT(tracker.Count({"*", "*"}), 1000u);
}

const std::vector<KnownTool> kTools = {{.name = "read_file", .description = "reads", .retrieval = true},
                                       {.name = "send_mail", .description = "", .retrieval = false}};
const Transition kWant{"read_file", "send_mail"};

TEST(PlannerTest, QuestionsFitTheSchema) {
  std::ifstream in(std::string(INTERLOCK_SOURCE_DIR) + "/schemas/interlock.planner.v1.json");
  std::ostringstream bytes;
  bytes << in.rdbuf();
  const auto doc = JsonDoc::Parse(bytes.str());
  ASSERT_TRUE(doc.ok());
  const auto schema = policy::JsonSchema::Compile(doc.value().root());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  const Plan missed{.prompt = "p\n", .calls = {{.tool = "send_mail"}}};
  for (const PlanQuestion& question :
       {PlanQuestion{.id = 1, .want = kWant, .style = "terse"},
        PlanQuestion{
            .id = 2, .want = kWant, .style = "angry", .attempt = 2, .missed = &missed, .reason = PlanCheck::kMissed}}) {
    const std::string line = PlannerRequest(question, kTools);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const auto request = JsonDoc::Parse(line);
    ASSERT_TRUE(request.ok());
    const auto outcome = schema.value().Validate(request.value().root());
    EXPECT_TRUE(outcome.valid()) << outcome.ToError().ToString();
  }
  EXPECT_EQ(PlannerStyles().size(), 9u);
}

TEST(PlannerTest, Answers) {
  const auto plan = ParsePlan(
      R"({"id":4,"prompt":"p","calls":["read_file",{"tool":"send_mail","arguments":{"to":"a"},"result":"ok"}],"why":"-"})",
      4);
  ASSERT_TRUE(plan.ok()) << plan.error().ToString();
  ASSERT_EQ(plan.value().calls.size(), 2u);
  EXPECT_EQ(plan.value().calls[1].arguments, R"({"to":"a"})");
  EXPECT_EQ(CheckPlan(plan.value(), kWant, kTools), PlanCheck::kOk);
  EXPECT_EQ(CheckPlan(plan.value(), {"send_mail", "read_file"}, kTools), PlanCheck::kMissed);
  EXPECT_EQ(CheckPlan({.prompt = "p", .calls = {{.tool = "rm"}}}, kWant, kTools), PlanCheck::kUnknownTool);
  EXPECT_EQ(CheckPlan({.prompt = "p", .calls = {{.tool = "send_mail"}, {.tool = "send_mail"}}},
                      {"send_mail", "send_mail"}, kTools),
            PlanCheck::kNoRetrieval);
  const auto session =
      core::ParseTraceLine(PlannedTrace(plan.value(), "s", {.id = 4, .want = kWant, .style = "terse"}));
  ASSERT_TRUE(session.ok()) << session.error().ToString();
  EXPECT_EQ(session.value().messages.size(), 5u);
}

TEST(PlannerTest, AnswersThatAreNoPlan) {
  const auto code = [](std::string_view line) {
    const auto plan = ParsePlan(line, 1);
    return plan.ok() ? ErrorCode::kInternal : plan.error().code();
  };
  EXPECT_EQ(code(""), ErrorCode::kJsonEmpty);
  EXPECT_EQ(code("hello"), ErrorCode::kJsonSyntax);
  EXPECT_EQ(code(R"({"prompt":"p","prompt":"q"})"), ErrorCode::kJsonDuplicateKey);
  for (const std::string_view bad :
       {"[]", "{}", R"({"prompt":"","calls":["a"]})", R"({"prompt":"p","calls":[]})", R"({"prompt":"p","calls":[1]})",
        R"({"prompt":"p","calls":[{"tool":"a","arguments":[]}]})",
        R"({"prompt":"p","calls":[{"tool":"a","result":{}}]})", R"({"id":2,"prompt":"p","calls":["a"]})"}) {
    EXPECT_EQ(code(bad), ErrorCode::kPlannerAnswer) << bad;
  }
  std::string many = R"({"prompt":"p","calls":["a")";
  for (int i = 0; i < 16; ++i) many += R"(,"a")";
  EXPECT_EQ(code(many + "]}"), ErrorCode::kLimitExceeded);
  EXPECT_EQ(code(std::string(kMaxPlanBytes + 1, ' ')), ErrorCode::kLimitExceeded);
}

std::string Answer(std::string_view from, std::string_view to) {
  return R"({"prompt":"p","calls":[{"tool":")" + std::string(from) + R"("},{"tool":")" + std::string(to) + R"("}]})";
}

TEST(PlannerTest, RefinesUntilThePlanMeetsTheTransition) {
  CoverageTracker tracker({"read_file", "send_mail"});
  std::vector<std::string> requests;
  const auto outcome =
      PlanSessions(tracker, kTools, {.count = 3, .refinements = 2}, [&](std::string_view line) -> Result<std::string> {
        requests.emplace_back(line);
        const auto doc = JsonDoc::Parse(line);
        const auto want = doc.value().root().Find("want");
        if (!doc.value().root().Find("refine").exists()) return std::string(R"({"prompt":"p","calls":["read_file"]})");
        EXPECT_EQ(doc.value().root().Find("refine").Find("reason").string(), "missed");
        if (want.Find("from").string() == "read_file")
          return Answer(want.Find("from").string(), want.Find("to").string());
        return R"({"prompt":"p","calls":["read_file","send_mail",")" + std::string(want.Find("to").string()) + "\"]}";
      });
  EXPECT_FALSE(outcome.stopped.has_value());
  EXPECT_EQ(outcome.lines.size(), 3u);
  EXPECT_EQ(outcome.questions, 6u);
  EXPECT_EQ(requests.size(), 6u);
  EXPECT_GE(tracker.covered(), 3u);
  for (const std::string& line : outcome.lines) EXPECT_TRUE(core::ParseTraceLine(line).ok());
}

TEST(PlannerTest, GivesUpOnATransitionAndStopsAtASilentPlanner) {
  CoverageTracker tracker({"read_file", "send_mail"});
  int asked = 0;
  const auto stubborn =
      PlanSessions(tracker, kTools, {.count = 9, .refinements = 1}, [&](std::string_view) -> Result<std::string> {
        return ++asked % 2 == 0 ? Result<std::string>(std::string("garbage")) : Result<std::string>(std::string("[]"));
      });
  EXPECT_TRUE(stubborn.lines.empty());
  EXPECT_EQ(stubborn.missed.size(), 4u);  // all transitions of two tools
  EXPECT_EQ(stubborn.questions, 8u);
  EXPECT_EQ(stubborn.malformed.size(), 8u);
  const auto silent = PlanSessions(tracker, kTools, {.count = 9}, [&](std::string_view) -> Result<std::string> {
    return Error(ErrorCode::kPlannerTimeout);
  });
  ASSERT_TRUE(silent.stopped.has_value());
  EXPECT_EQ(silent.stopped->code(), ErrorCode::kPlannerTimeout);
  EXPECT_EQ(silent.questions, 1u);
}

}  // namespace
}  // namespace interlock::eval
