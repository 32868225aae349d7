#include "impact_clock.h"

#include "gtest/gtest.h"

namespace interlock::runtime::mcp {
namespace {

constexpr std::int64_t kMinute = 60'000'000;

base::Result<std::optional<ImpactClock::Told>> Parse(std::string_view json) {
  const auto doc = base::JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  return ImpactClock::Parse(doc.value().root());
}

TEST(ImpactClock, ReadsWhatItIsTold) {
  const auto told = Parse(R"({"severity":"SEV1","rate":0.4,"for_s":120})");
  ASSERT_TRUE(told.ok());
  EXPECT_TRUE(told.value()->severe);
  EXPECT_DOUBLE_EQ(told.value()->rate, 0.4);
  EXPECT_EQ(told.value()->for_us, 2 * kMinute);
  const auto number = Parse(R"({"severity":1})");
  EXPECT_TRUE(number.value()->severe);
  const auto second = Parse(R"({"severity":"SEV2"})");
  EXPECT_FALSE(second.value()->severe);
  const auto over = Parse("null");
  ASSERT_TRUE(over.ok());
  EXPECT_FALSE(over.value().has_value());
  for (const char* wrong :
       {R"({"severity":"high"})", R"({"severity":0})", R"({"severity":1.5})", R"({"severity":"SEV1 "})",
        R"({"rate":-1})", R"({"rate":1e7})", R"({"rate":"1"})", R"({"for_s":-1})", R"({"since":1})", "1", "[]"}) {
    EXPECT_EQ(Parse(wrong).error().code(), base::ErrorCode::kInvalidArgument) << wrong;
  }
}

TEST(ImpactClock, AddsUpWhatLasts) {
  ImpactClock clock;
  EXPECT_EQ(clock.At({kMinute}, kMinute).impact, 0.0);
  clock.Tell({.rate = 0.5, .severe = true}, {0});
  EXPECT_DOUBLE_EQ(clock.At({4 * kMinute}, kMinute).impact, 2.0);
  EXPECT_EQ(clock.At({4 * kMinute}, kMinute).severe_steps, 4u);
  clock.Tell({.rate = 1.0, .severe = true}, {4 * kMinute});
  EXPECT_DOUBLE_EQ(clock.At({6 * kMinute}, kMinute).impact, 4.0);
  EXPECT_EQ(clock.At({6 * kMinute}, kMinute).severe_steps, 6u);
  // Less severe: the steps in a row begin anew, the impact so far stays.
  clock.Tell({.rate = 0.0, .severe = false}, {6 * kMinute});
  EXPECT_DOUBLE_EQ(clock.At({9 * kMinute}, kMinute).impact, 4.0);
  EXPECT_EQ(clock.At({9 * kMinute}, kMinute).severe_steps, 0u);
  clock.Clear();
  EXPECT_EQ(clock.At({9 * kMinute}, kMinute).impact, 0.0);
}

TEST(ImpactClock, WhatNobodyRepeatsIsForgotten) {
  ImpactClock clock;
  clock.Tell({.rate = 1.0, .severe = true}, {0});
  EXPECT_GT(clock.At({ImpactClock::kHoldUs}, kMinute).impact, 14.0);
  EXPECT_EQ(clock.At({ImpactClock::kHoldUs + 1}, kMinute).impact, 0.0);
  EXPECT_EQ(clock.At({ImpactClock::kHoldUs + 1}, kMinute).severe_steps, 0u);
  clock.Tell({.rate = 1.0, .severe = true}, {ImpactClock::kHoldUs + kMinute});
  EXPECT_DOUBLE_EQ(clock.At({ImpactClock::kHoldUs + 2 * kMinute}, kMinute).impact, 1.0);
}

TEST(ImpactClock, WhatLastedBeforeItWasToldCountsOnce) {
  ImpactClock clock;
  clock.Tell({.rate = 2.0, .severe = true, .for_us = 3 * kMinute}, {0});
  clock.Tell({.rate = 2.0, .severe = true, .for_us = 4 * kMinute}, {kMinute});
  EXPECT_DOUBLE_EQ(clock.At({kMinute}, kMinute).impact, 8.0);
  EXPECT_EQ(clock.At({kMinute}, kMinute).severe_steps, 4u);
}

}  // namespace
}  // namespace interlock::runtime::mcp
