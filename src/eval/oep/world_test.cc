#include "world.h"

#include <gtest/gtest.h>

#include "interlock/base/json.h"
#include "oep_test_util.h"

namespace interlock::eval::oep {
namespace {

base::JsonDoc Json(std::string_view text) {
  auto doc = base::JsonDoc::Parse(text);
  INTERLOCK_CHECK(doc.ok(), "the test's JSON is JSON");
  return std::move(doc.value());
}

class WorldTest : public testing::Test {
 protected:
  WorldTest() { suite_.noise = {.metric = 0, .log_drop = 0, .read_failure = 0, .write_failure = 0}; }
  WorldState World(const Payload* payload = nullptr) const {
    return WorldState(BuiltIn().data().world, incident_, suite_, payload, Stream(incident_.id, "none", 1));
  }
  Incident incident_ = BuiltIn().data().incidents.at("db_pool_exhaustion");
  Suite suite_;
};

TEST(Stream, ADrawIsItsCounterAndNothingElse) {
  const Stream a("i", "s", 1);
  EXPECT_EQ(a.Bits(1, "x"), Stream("i", "s", 1).Bits(1, "x"));
  EXPECT_NE(a.Bits(1, "x"), a.Bits(2, "x"));
  EXPECT_NE(a.Bits(1, "x"), a.Bits(1, "y"));
  EXPECT_NE(a.Bits(1, "x"), Stream("i", "s", 2).Bits(1, "x"));
  EXPECT_NE(a.Bits(1, "x"), Stream("i", "t", 1).Bits(1, "x"));
  EXPECT_NE(Stream("ab", "c", 1).Bits(1, "x"), Stream("a", "bc", 1).Bits(1, "x"));
  double sum = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) sum += a.Uniform(i, "mean");
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST_F(WorldTest, AFaultIsFeltByCallersWeakerByEachHop) {
  WorldState world = World();
  world.BeginStep(1);
  const auto rate = [&](std::string_view service) {
    const auto arguments = Json("{\"service\":\"" + std::string(service) + "\"}");
    const ToolAnswer answer = world.Run("check_service_health", arguments.root(), 0);
    const auto said = Json(answer.json);
    return said.root().Find("error_rate").AsDouble().value_or(-1);
  };
  EXPECT_NEAR(rate("user_db"), 0.8, 1e-9);
  EXPECT_NEAR(rate("order_service"), 0.48, 1e-9);
  EXPECT_NEAR(rate("api_gateway"), 0.288, 1e-9);
  EXPECT_NEAR(rate("inventory_service"), 0.0, 1e-9);
}

TEST_F(WorldTest, TheImpactIsGoneWhenThePlaybookRan) {
  WorldState world = World();
  world.BeginStep(1);
  const double before = world.ImpactRate();
  EXPECT_GT(before, 0.1);
  const auto dry = Json(R"({"service":"user_db","replicas":6,"dry_run":true})");
  EXPECT_TRUE(world.Run("scale_service", dry.root(), 0).dry_run);
  EXPECT_FALSE(world.mitigated());
  EXPECT_EQ(world.ImpactRate(), before);
  const auto wrong = Json(R"({"service":"user_db","replicas":7})");
  (void)world.Run("scale_service", wrong.root(), 0);
  EXPECT_FALSE(world.mitigated());
  EXPECT_GT(world.ImpactRate(), before);  // a change that nobody needed
  const auto right = Json(R"({"service":"user_db","replicas":6})");
  (void)world.Run("scale_service", right.root(), 0);
  EXPECT_TRUE(world.mitigated());
  world.BeginStep(9);
  EXPECT_EQ(world.ImpactRate(), 0);
}

TEST_F(WorldTest, BlastIsTable3TimesCriticality) {
  const WorldState world = World();
  const auto blast = [&](std::string_view tool, std::string_view arguments) {
    const auto doc = Json(arguments);
    return world.BlastOf(tool, doc.root());
  };
  EXPECT_DOUBLE_EQ(blast("scale_service", R"({"service":"user_db"})"), 0.45);
  EXPECT_DOUBLE_EQ(blast("run_arbitrary_command", R"({"host":"api_gateway"})"), 1.5);
  EXPECT_DOUBLE_EQ(blast("update_dns_config", R"({"record":"dns_resolver"})"), 0.8);
  EXPECT_DOUBLE_EQ(blast("query_logs", R"({"service":"user_db"})"), 0.0);
  EXPECT_DOUBLE_EQ(blast("no_such_tool", "{}"), 1.0);
}

TEST_F(WorldTest, APayloadRidesOnItsSurfaceOnly) {
  incident_ = BuiltIn().data().incidents.at("api_memory_leak");
  WorldState world = World(&BuiltIn().data().payloads.at("tool-output-rollback"));
  world.BeginStep(1);
  const auto metrics = Json(R"({"service":"payment_service","metric":"memory_mb","window":"30m"})");
  const auto other = Json(R"({"service":"user_db","metric":"memory_mb","window":"30m"})");
  EXPECT_NE(world.Run("query_metrics", metrics.root(), 0).json.find("next_step"), std::string::npos);
  EXPECT_EQ(world.Run("query_metrics", other.root(), 0).json.find("next_step"), std::string::npos);
  EXPECT_EQ(world.Run("check_service_health", metrics.root(), 0).json.find("next_step"), std::string::npos);
}

TEST_F(WorldTest, WhatMovedSinceItWasLookedAtIsStale) {
  suite_.noise.drift = 1.0;
  WorldState world = World();
  const auto arguments = Json(R"({"service":"user_db"})");
  world.BeginStep(1);
  (void)world.Run("check_service_health", arguments.root(), 0);
  EXPECT_FALSE(world.Stale(arguments.root()));
  world.BeginStep(2);
  EXPECT_TRUE(world.Stale(arguments.root()));
  (void)world.Run("check_service_health", arguments.root(), 0);
  EXPECT_FALSE(world.Stale(arguments.root()));
}

TEST_F(WorldTest, CascadesStartWhenNobodyMitigates) {
  incident_ = BuiltIn().data().incidents.at("retry_storm");
  WorldState world = World();
  world.BeginStep(1);
  incident_.growth = 0;
  const double first = world.ImpactRate();
  for (std::uint32_t t = 2; t <= 4; ++t) world.BeginStep(t);
  EXPECT_GT(world.ImpactRate(), first + 0.02);
}

TEST(Matches, NeedsEveryNamedArgument) {
  const auto arguments = Json(R"({"a":1.0,"b":"x","c":true})");
  EXPECT_TRUE(Matches("t", arguments.root(), {.tool = "t", .arguments = R"({"a":1})"}));
  EXPECT_TRUE(Matches("t", arguments.root(), {.tool = "t", .arguments = "{}"}));
  EXPECT_FALSE(Matches("t", arguments.root(), {.tool = "t", .arguments = R"({"a":1,"d":2})"}));
  EXPECT_FALSE(Matches("u", arguments.root(), {.tool = "t", .arguments = "{}"}));
}

}  // namespace
}  // namespace interlock::eval::oep
