#include "interlock/policy/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "interlock/policy/load.h"

namespace interlock::policy {
namespace {

namespace fs = std::filesystem;
using core::SideEffect;
using core::Verdict;

Profile Shipped(std::string_view name) {
  const base::Result<Profile> profile = LoadProfile(ShippedProfile(name), name);
  EXPECT_TRUE(profile.ok()) << profile.error().ToString();
  return profile.ok() ? profile.value() : Profile();
}

// Every file of profiles/ is embedded byte by byte under its own name, and nothing else is.
TEST(Profiles, EveryFileLoads) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(INTERLOCK_SOURCE_DIR) / "profiles")) {
    SCOPED_TRACE(entry.path().string());
    ASSERT_EQ(entry.path().extension(), ".yaml");
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    const std::string name = entry.path().stem();
    EXPECT_EQ(ShippedProfile(name), text.str());
    EXPECT_EQ(Shipped(name).name, name);
  }
  EXPECT_EQ(files, ShippedProfileNames().size());
  EXPECT_EQ(ShippedProfile("default.yaml"), "");
  EXPECT_EQ(ShippedProfile(""), "");
}

TEST(Profiles, Default) {
  const Profile p = Shipped("default");
  EXPECT_FALSE(p.shadow);
  EXPECT_EQ(p.layer(core::Layer::kPolicy), LayerMode::kRequired);
  EXPECT_EQ(p.layer(core::Layer::kSchema), LayerMode::kRequired);
  EXPECT_EQ(p.layer(core::Layer::kIntent), LayerMode::kOn);
  EXPECT_EQ(p.default_for(SideEffect::kRead), Verdict::kAllow);
  EXPECT_EQ(p.default_for(SideEffect::kWrite), Verdict::kEscalate);
  EXPECT_EQ(p.default_for(SideEffect::kDeploy), Verdict::kEscalate);
  EXPECT_EQ(p.default_for(SideEffect::kSecurity), Verdict::kBlock);
  EXPECT_EQ(p.default_for(SideEffect::kUnknown), Verdict::kEscalate);
}

TEST(Profiles, StrictIsNowhereLaxerThanDefault) {
  const Profile d = Shipped("default");
  const Profile s = Shipped("strict");
  EXPECT_TRUE(s.durable_writes);
  EXPECT_TRUE(s.strict_objects);
  EXPECT_EQ(s.unusable_schema, Verdict::kBlock);
  EXPECT_EQ(s.bad_result, Verdict::kBlock);
  EXPECT_FALSE(s.shadow);
  for (std::size_t i = 0; i < core::kSideEffectCount; ++i) EXPECT_GE(s.defaults[i], d.defaults[i]);
  for (std::size_t i = 0; i < core::kLayerCount; ++i) EXPECT_GE(s.layers[i], d.layers[i]);
  EXPECT_LE(s.grant_ttl_s, d.grant_ttl_s);
  EXPECT_LE(s.max_risk, d.max_risk);
}

TEST(Profiles, MonitorDecidesLikeDefaultAndEnforcesNothing) {
  const Profile d = Shipped("default");
  const Profile m = Shipped("monitor");
  EXPECT_TRUE(m.shadow);
  EXPECT_EQ(m.defaults, d.defaults);
  EXPECT_EQ(m.layers, d.layers);
}

TEST(Profiles, WhatIsLeftOutIsStrict) {
  const base::Result<Profile> p = LoadProfile("version: 1\nname: bare\n", "bare.yaml");
  ASSERT_TRUE(p.ok());
  EXPECT_TRUE(std::ranges::all_of(p.value().defaults, [](Verdict v) { return v == Verdict::kBlock; }));
  EXPECT_EQ(p.value().layer(core::Layer::kPolicy), LayerMode::kRequired);
  EXPECT_EQ(p.value().layer(core::Layer::kSchema), LayerMode::kRequired);
}

TEST(Profiles, FaultsHaveCodesAndPlaces) {
  struct Row {
    const char* yaml;
    base::ErrorCode code;
    std::uint32_t line;
  };
  const Row rows[] = {
      {"version: 1\nname: x\ndefault: {}\n", base::ErrorCode::kPolicyUnknownKey, 3},
      {"version: 3\nname: x\n", base::ErrorCode::kPolicyVersion, 1},
      {"version: 1\n", base::ErrorCode::kPolicyMissing, 1},
      {"version: 1\nname: x\nlayers: {policy: maybe}\n", base::ErrorCode::kPolicyValue, 3},
      {"version: 1\nname: x\nlayers: {polices: off}\n", base::ErrorCode::kPolicyUnknownKey, 3},
      {"version: 1\nname: x\ndefaults: {read: rewrite}\n", base::ErrorCode::kPolicyValue, 3},
      {"version: 1\nname: x\nmax_risk: 2\n", base::ErrorCode::kPolicyValue, 3},
      {"version: 1\nname: x\ngrant_ttl_s: -1\n", base::ErrorCode::kPolicyValue, 3},
      {"version: 1\nname: x\nname: y\n", base::ErrorCode::kPolicyDuplicateKey, 3},
      {"version: 1\nname: [\n", base::ErrorCode::kPolicySyntax, 3},
  };
  for (const Row& row : rows) {
    const base::Result<Profile> p = LoadProfile(row.yaml, "x.yaml");
    ASSERT_FALSE(p.ok()) << row.yaml;
    EXPECT_EQ(p.error().code(), row.code) << row.yaml;
    EXPECT_EQ(p.error().place().line, row.line) << row.yaml;
  }
}

}  // namespace
}  // namespace interlock::policy
