// What becomes of a shell's acts: which rule, how sure, where.
#include "static/shell_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace interlock::scan {
namespace {

using code::ShellAct;
using code::ShellUse;
using core::Permission;
using core::Reach;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

ShellUse Act(ShellAct act, std::string detail, std::uint8_t gravity = 0) {
  ShellUse use;
  use.act = act;
  use.detail = std::move(detail);
  use.gravity = gravity;
  use.loc = {4, 9};
  return use;
}

std::vector<RawFinding> Judged(const ShellUse& act, const ShellContext& context = {}) {
  std::vector<RawFinding> out;
  JudgeShell(std::vector<ShellUse>{act}, context, out, nullptr);
  return out;
}

std::vector<Permission> Used(const ShellUse& act) {
  std::vector<RawFinding> findings;
  std::vector<code::CapabilityUse> uses;
  JudgeShell(std::vector<ShellUse>{act}, {}, findings, &uses);
  std::vector<Permission> out;
  for (const code::CapabilityUse& use : uses) out.push_back(use.permission);
  return out;
}

double ScaleOf(const ShellUse& act) {
  const std::vector<RawFinding> findings = Judged(act);
  return findings.empty() ? 0.0 : findings[0].scale;
}

TEST(ShellJudge, EachActHasItsRule) {
  const std::vector<std::pair<ShellAct, std::string_view>> rules = {
      {ShellAct::kFetchAndRun, "SH-001"}, {ShellAct::kDecodeAndRun, "SH-002"}, {ShellAct::kReverseShell, "SH-003"},
      {ShellAct::kSendSecret, "SH-004"},  {ShellAct::kWriteStartup, "SH-005"}, {ShellAct::kWriteAgent, "SH-006"},
      {ShellAct::kDelete, "SH-007"},      {ShellAct::kPermission, "SH-008"}};
  for (const auto& [act, rule] : rules) {
    const std::vector<RawFinding> findings = Judged(Act(act, "203.0.113.7", 2));
    ASSERT_EQ(findings.size(), 1U) << rule;
    EXPECT_EQ(findings[0].rule, rule);
    EXPECT_NE(RuleSet::Builtin().Find(rule), nullptr) << rule;
    // Without a detail there is still a sentence.
    EXPECT_FALSE(Judged(Act(act, "", 2))[0].message.empty());
  }
  EXPECT_NE(RuleSet::Builtin().Find("SH-009"), nullptr);
}

TEST(ShellJudge, EverydayActsAreNoFindings) {
  for (const ShellAct act : {ShellAct::kRun, ShellAct::kInstall, ShellAct::kReadSecret, ShellAct::kWriteFile,
                             ShellAct::kReadEnvironment, ShellAct::kListen}) {
    EXPECT_THAT(Judged(Act(act, "x", 0)), IsEmpty()) << static_cast<int>(act);
  }
  for (const ShellAct act :
       {ShellAct::kDelete, ShellAct::kWriteStartup, ShellAct::kWriteAgent, ShellAct::kPermission}) {
    EXPECT_THAT(Judged(Act(act, "dist", 0)), IsEmpty()) << static_cast<int>(act);
  }
  EXPECT_THAT(Judged(Act(ShellAct::kFetch, "https://get.tool.example/x")), IsEmpty());
  EXPECT_THAT(Judged(Act(ShellAct::kSend, "https://api.tool.example/x")), IsEmpty());
}

TEST(ShellJudge, WhereNobodyAnswersAFetchIsWorthAWord) {
  for (const char* place : {"http://203.0.113.7/x", "https://pastebin.com/raw/x", "https://abc.ngrok.io/x"}) {
    const std::vector<RawFinding> fetched = Judged(Act(ShellAct::kFetch, place));
    ASSERT_EQ(fetched.size(), 1U) << place;
    EXPECT_EQ(fetched[0].rule, "SH-009");
    EXPECT_EQ(fetched[0].host, place);
    EXPECT_GT(ScaleOf(Act(ShellAct::kSend, place)), fetched[0].scale);
  }
  EXPECT_THAT(Judged(Act(ShellAct::kFetch, "http://127.0.0.1:8000/x")), IsEmpty());
}

TEST(ShellJudge, GraverAndHiddenWeighMore) {
  for (const ShellAct act :
       {ShellAct::kFetchAndRun, ShellAct::kDecodeAndRun, ShellAct::kReverseShell, ShellAct::kSendSecret,
        ShellAct::kWriteStartup, ShellAct::kWriteAgent, ShellAct::kDelete, ShellAct::kPermission}) {
    for (std::uint8_t gravity = 0; gravity < 3; ++gravity) {
      ShellUse use = Act(act, "203.0.113.7", gravity);
      const double plain = ScaleOf(use);
      if (gravity < 2) {
        EXPECT_LE(plain, ScaleOf(Act(act, "203.0.113.7", static_cast<std::uint8_t>(gravity + 1))));
      }
      use.obfuscation = 2;
      if (plain > 0.0) {
        EXPECT_GT(ScaleOf(use), plain);
      }
    }
    EXPECT_EQ(ScaleOf(Act(act, "x", 200)), ScaleOf(Act(act, "x", 2)));  // gravity beyond the table
  }
}

TEST(ShellJudge, OnlyWhatTalksToAHostHasOne) {
  for (const ShellAct act : {ShellAct::kFetchAndRun, ShellAct::kReverseShell, ShellAct::kSendSecret}) {
    EXPECT_EQ(Judged(Act(act, "evil.example"))[0].host, "evil.example");
  }
  for (const ShellAct act : {ShellAct::kDelete, ShellAct::kWriteStartup, ShellAct::kWriteAgent}) {
    EXPECT_EQ(Judged(Act(act, "evil.example", 2))[0].host, "");
  }
}

TEST(ShellJudge, PermissionsOfEachAct) {
  EXPECT_THAT(Used(Act(ShellAct::kFetch, "x")), ElementsAre(Permission::kNetworkEgress));
  EXPECT_THAT(Used(Act(ShellAct::kInstall, "x")), ElementsAre(Permission::kNetworkEgress));
  EXPECT_THAT(Used(Act(ShellAct::kFetchAndRun, "x")),
              UnorderedElementsAre(Permission::kNetworkEgress, Permission::kDynamicCode));
  EXPECT_THAT(Used(Act(ShellAct::kSendSecret, "x")),
              UnorderedElementsAre(Permission::kNetworkEgress, Permission::kSecretsRead));
  EXPECT_THAT(Used(Act(ShellAct::kRun, "x")), ElementsAre(Permission::kSubprocess));
  EXPECT_THAT(Used(Act(ShellAct::kDelete, "x")), ElementsAre(Permission::kFilesystemWrite));
  EXPECT_THAT(Used(Act(ShellAct::kWriteAgent, "x")), ElementsAre(Permission::kMemoryWrite));
  EXPECT_THAT(Used(Act(ShellAct::kListen, "x")), ElementsAre(Permission::kNetworkIngress));
  for (int act = 0; act <= static_cast<int>(ShellAct::kListen); ++act) {
    EXPECT_FALSE(Used(Act(static_cast<ShellAct>(act), "x")).empty()) << act;  // every act is some power
  }
}

TEST(ShellJudge, PlacesLieInTheFile) {
  const ShellUse act = Act(ShellAct::kReverseShell, "203.0.113.7");
  ShellContext context;
  context.file = 3;
  context.offset = 100;
  RawFinding finding = Judged(act, context)[0];
  EXPECT_EQ(finding.file, 3U);
  EXPECT_EQ(finding.bytes.begin, 104U);
  EXPECT_EQ(finding.bytes.end, 109U);
  context.whole = {50, 60};  // an escaped string: as a whole
  finding = Judged(act, context)[0];
  EXPECT_EQ(finding.bytes.begin, 50U);
  EXPECT_EQ(finding.bytes.end, 60U);
  const std::vector<std::uint32_t> map = {0, 1, 2, 3, 40, 42, 44, 46, 48, 50};
  context.map = &map;
  finding = Judged(act, context)[0];
  EXPECT_EQ(finding.bytes.begin, 40U);
  EXPECT_EQ(finding.bytes.end, 49U);
  // A map shorter than the text does not lead out of it.
  const std::vector<std::uint32_t> brief = {7, 8};
  context.map = &brief;
  finding = Judged(act, context)[0];
  EXPECT_EQ(finding.bytes.begin, 8U);
  EXPECT_EQ(finding.bytes.end, 9U);
}

TEST(ShellJudge, ContextIsHandedOn) {
  ShellContext context;
  context.described = 0.6;
  context.has_reach = true;
  context.reach = Reach::kInstall;
  const RawFinding finding = Judged(Act(ShellAct::kReverseShell, "203.0.113.7"), context)[0];
  EXPECT_EQ(finding.described, 0.6);
  EXPECT_TRUE(finding.has_reach);
  EXPECT_EQ(finding.reach, Reach::kInstall);
}

}  // namespace
}  // namespace interlock::scan
