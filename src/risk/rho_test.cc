#include "interlock/risk/rho.h"

#include <gtest/gtest.h>

#include "interlock/base/json.h"

namespace interlock::risk {
namespace {

base::JsonDoc Parsed(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  return std::move(doc.value());
}

core::ToolSpec Rollback() {
  core::ToolSpec spec;
  spec.name = "rollback";
  spec.side_effect = core::SideEffect::kDeploy;
  spec.impact_weight = 0.4;
  spec.reversible = true;
  spec.target = "/service";
  spec.criticality = {{.argument = "/service", .glob = "user_db", .factor = 1.5}};
  return spec;
}

double RhoOf(const core::ToolSpec* spec, std::string_view arguments, std::optional<std::uint32_t> age = 0) {
  const base::JsonDoc doc = Parsed(arguments);
  const core::Call call{.id = {}, .server = {}, .tool = "rollback", .arguments = doc.root()};
  RhoInputs inputs = InputsOf(spec, call, DefaultRhoWeights());
  inputs.age = age;
  return ComputeRho(inputs, DefaultRhoWeights()).value;
}

TEST(Rho, IsTheImpactWeightForOneFreshReversibleChange) {
  const core::ToolSpec spec = Rollback();
  EXPECT_DOUBLE_EQ(RhoOf(&spec, R"({"service":"cart"})"), 0.4);
}

TEST(Rho, EveryFactorRaises) {
  core::ToolSpec spec = Rollback();
  const double base = RhoOf(&spec, R"({"service":"cart"})");
  EXPECT_DOUBLE_EQ(RhoOf(&spec, R"({"service":"user_db"})"), 0.4 * 1.5);
  EXPECT_GT(RhoOf(&spec, R"({"service":["cart","search","mail","x"]})"), base);
  EXPECT_GT(RhoOf(&spec, R"({"service":"*"})"), RhoOf(&spec, R"({"service":["cart","search"]})"));
  EXPECT_GT(RhoOf(&spec, R"({"service":"cart"})", 100), base);
  EXPECT_GT(RhoOf(&spec, R"({"service":"cart"})", std::nullopt), base);
  spec.reversible = false;
  EXPECT_GT(RhoOf(&spec, R"({"service":"cart"})"), base);
}

TEST(Rho, AWildcardMeetsEveryCriticalTarget) {
  const core::ToolSpec spec = Rollback();
  const base::JsonDoc doc = Parsed(R"({"service":"*"})");
  EXPECT_DOUBLE_EQ(CriticalityOf(spec, {.id = {}, .server = {}, .tool = "rollback", .arguments = doc.root()}), 1.5);
  const base::JsonDoc list = Parsed(R"({"service":["cart","user_db"]})");
  EXPECT_DOUBLE_EQ(CriticalityOf(spec, {.id = {}, .server = {}, .tool = "rollback", .arguments = list.root()}), 1.5);
}

TEST(Rho, WhatNobodyDescribesWeighsMost) { EXPECT_DOUBLE_EQ(RhoOf(nullptr, "{}"), 1.0); }

TEST(Rho, StaysInItsRange) {
  core::ToolSpec spec = Rollback();
  spec.impact_weight = 1.0;
  spec.reversible = false;
  EXPECT_DOUBLE_EQ(RhoOf(&spec, R"({"service":["*","*","*"]})", std::nullopt), 1.0);
  spec.impact_weight = 0.0;
  EXPECT_DOUBLE_EQ(RhoOf(&spec, R"({"service":["*","*","*"]})", std::nullopt), 0.0);
}

TEST(Rho, SaysItsFactors) {
  const core::ToolSpec spec = Rollback();
  const base::JsonDoc doc = Parsed(R"({"service":"user_db"})");
  RhoInputs inputs =
      InputsOf(&spec, {.id = {}, .server = {}, .tool = "rollback", .arguments = doc.root()}, DefaultRhoWeights());
  inputs.age = 0;
  EXPECT_EQ(ComputeRho(inputs, DefaultRhoWeights()).Explain(), "0.6: impact 0.4, critical target x1.5");
}

TEST(RhoWeights, RefusesWhatIsMissingOrOutOfRange) {
  EXPECT_FALSE(ReadRhoWeights("{}").ok());
  EXPECT_FALSE(ReadRhoWeights("[").ok());
  EXPECT_FALSE(ReadRhoWeights(R"({"schema":"interlock.rho/v1","scope_per_doubling":-1})").ok());
  EXPECT_TRUE(ReadRhoWeights(R"({"schema":"interlock.rho/v1","scope_per_doubling":0,"wildcard_targets":1,
    "irreversible":1,"fresh_calls":0,"stale_per_call":0,"stale_most":1,"never_seen":1})")
                  .ok());
}

}  // namespace
}  // namespace interlock::risk
