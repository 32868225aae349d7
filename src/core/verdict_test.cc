#include "interlock/core/verdict.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace interlock::core {
namespace {

constexpr Verdict kVerdicts[] = {Verdict::kAllow, Verdict::kRewrite, Verdict::kEscalate, Verdict::kBlock};

TEST(VerdictTest, JoinTakesTheStricterOne) {
  for (const Verdict a : kVerdicts) {
    for (const Verdict b : kVerdicts) {
      EXPECT_EQ(Join(a, b), Join(b, a));
      EXPECT_GE(Join(a, b), a);
      EXPECT_TRUE(Join(a, b) == a || Join(a, b) == b);
    }
  }
  EXPECT_EQ(Join(Verdict::kEscalate, Verdict::kRewrite), Verdict::kEscalate);
}

TEST(VerdictTest, NamesReadBackAsThemselves) {
  for (const Verdict verdict : kVerdicts) EXPECT_EQ(VerdictFromName(NameOf(verdict)), verdict);
  for (std::size_t i = 0; i < kSideEffectCount; ++i) {
    const auto effect = static_cast<SideEffect>(i);
    EXPECT_EQ(SideEffectFromName(NameOf(effect)), effect);
  }
  for (const Trust trust : {Trust::kUnknown, Trust::kTrusted, Trust::kUntrusted}) {
    EXPECT_EQ(TrustFromName(NameOf(trust)), trust);
  }
  for (std::size_t i = 0; i < kLayerCount; ++i) {
    const auto layer = static_cast<Layer>(i);
    EXPECT_EQ(LayerFromName(NameOf(layer)), layer);
  }
}

TEST(VerdictTest, OtherNamesAreNothing) {
  EXPECT_EQ(VerdictFromName("Allow"), std::nullopt);
  EXPECT_EQ(VerdictFromName(""), std::nullopt);
  EXPECT_EQ(SideEffectFromName("reads"), std::nullopt);
  EXPECT_EQ(TrustFromName("trusted "), std::nullopt);
  EXPECT_EQ(LayerFromName("semantic"), std::nullopt);
}

TEST(VerdictTest, EnforcementNamesDiffer) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Enforcement::kFailed); ++i) names.insert(NameOf(static_cast<Enforcement>(i)));
  EXPECT_EQ(names.size(), 7u);
}

TEST(VerdictTest, ReasonsHaveDistinctIdsAndAPlainSentence) {
  std::set<std::string_view> ids;
  std::set<std::string_view> texts;
  const int count = static_cast<int>(Reason::kResultMalformed) + 1;
  for (int i = 0; i < count; ++i) {
    const auto reason = static_cast<Reason>(i);
    const std::string id(IdOf(reason));
    EXPECT_THAT(id, testing::ContainsRegex("^[a-z]+[.][a-z-]+$"));
    EXPECT_FALSE(TextOf(reason).empty()) << id;
    EXPECT_FALSE(TextOf(reason).ends_with('.')) << id;
    ids.insert(IdOf(reason));
    texts.insert(TextOf(reason));
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(count));
}

// Written into audit logs and read by other programs: these must never change.
TEST(VerdictTest, ReasonIdsAreStable) {
  EXPECT_EQ(IdOf(Reason::kPolicyRule), "policy.rule");
  EXPECT_EQ(IdOf(Reason::kPolicyDefault), "policy.default");
  EXPECT_EQ(IdOf(Reason::kToolChanged), "tool.changed");
  EXPECT_EQ(IdOf(Reason::kAuditUnavailable), "audit.unavailable");
}

}  // namespace
}  // namespace interlock::core
