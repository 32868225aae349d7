#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "static/classify.h"
#include "static/verdict.h"

namespace interlock::scan {
namespace {

using core::Finding;

struct Case {
  std::string line;    // the line above the finding's
  std::string same;    // end of the finding's own line
  std::string reason;  // expected; "" not suppressed
  std::string today = "2026-06-15";
};

std::string Suppressed(const Finding& finding, const ScanOptions& options, const std::string& bytes) {
  core::PackageView view;
  view.files.push_back({.path = finding.file, .bytes = bytes});
  const std::vector<FileContext> files = ClassifyFiles(view, PackageKind::kCode);
  std::vector<Finding> findings = {finding};
  ApplySuppressions({&files, &RuleSet::Builtin(), &options, {}}, findings);
  return findings[0].suppressed;
}

std::string With(const Suppression& suppression, std::string today = "2026-06-15") {
  Finding finding;
  finding.rule = "PI-001";
  finding.file = "src/a/tool.py";
  finding.fingerprint = "0123456789abcdef0123456789abcdef";
  ScanOptions options;
  options.suppressions.push_back(suppression);
  options.today = std::move(today);
  return Suppressed(finding, options, "x\n");
}

TEST(Suppressions, MatchByRulePathAndFingerprint) {
  EXPECT_EQ(With({.rule = "PI-001", .reason = "ok"}), "ok");
  EXPECT_EQ(With({.rule = "PI-*", .reason = "ok"}), "ok");
  EXPECT_EQ(With({.rule = "PI-002", .reason = "ok"}), "");
  EXPECT_EQ(With({.rule = "PI-00", .reason = "ok"}), "");
  EXPECT_EQ(With({.path = "src/**", .reason = "ok"}), "ok");
  EXPECT_EQ(With({.path = "src/*", .reason = "ok"}), "");
  EXPECT_EQ(With({.rule = "PI-001", .path = "lib/**", .reason = "ok"}), "");
  EXPECT_EQ(With({.fingerprint = "0123456789abcdef0123456789abcdef", .reason = "ok"}), "ok");
  EXPECT_EQ(With({.rule = "PI-001", .fingerprint = "ff23456789abcdef0123456789abcdef", .reason = "ok"}), "");
}

TEST(Suppressions, NeedAReason) { EXPECT_EQ(With({.rule = "PI-001"}), ""); }

TEST(Suppressions, EndOnTheirDay) {
  const Suppression until{.rule = "PI-001", .reason = "ok", .until = "2026-06-15"};
  EXPECT_EQ(With(until, "2026-06-14"), "ok");
  EXPECT_EQ(With(until, "2026-06-15"), "ok");
  EXPECT_EQ(With(until, "2026-06-16"), "");
  EXPECT_EQ(With(until, "2027-01-01"), "");
  EXPECT_EQ(With(until, ""), "ok");  // no clock: nothing has expired
}

TEST(Suppressions, TheFirstThatFitsGivesTheReason) {
  Finding finding;
  finding.rule = "PI-001";
  finding.file = "a.py";
  ScanOptions options;
  options.suppressions = {
      {.rule = "XX-*", .reason = "one"}, {.rule = "PI-*", .reason = "two"}, {.rule = "*", .reason = "three"}};
  EXPECT_EQ(Suppressed(finding, options, "x\n"), "two");
}

std::string Inline(const Case& c, bool asked = true) {
  const std::string bytes = "first\n" + c.line + "\nbad()" + c.same + "\nafter\n";
  Finding finding;
  finding.rule = "PI-001";
  finding.file = "tool.py";
  finding.line = 3;
  finding.begin = bytes.find("bad()");
  finding.end = finding.begin + 5;
  ScanOptions options;
  options.inline_suppressions = asked;
  options.today = c.today;
  return Suppressed(finding, options, bytes);
}

TEST(Suppressions, InlineOnTheSameLineOrTheOneBefore) {
  const Case cases[] = {
      {"", "  # interlock-ignore: PI-001 a test vector", "a test vector"},
      {"# interlock-ignore: PI-001 a test vector", "", "a test vector"},
      {"<!-- interlock-ignore: PI-001 quoted attack -->", "", "quoted attack"},
      {"/* interlock-ignore: PI-001 quoted attack */", "", "quoted attack"},
      {"", "  # interlock-ignore: PI-001 short-lived until 2026-06-15", "short-lived"},
      {"", "  # interlock-ignore: PI-001 short-lived until 2026-06-15\r", "short-lived"},
      {"", "  # interlock-ignore: PI-001 short-lived until 2026-06-14", ""},
      {"", "  # interlock-ignore: PI-001", ""},                   // no reason
      {"", "  # interlock-ignore: PI-001   ", ""},                // no reason
      {"", "  # interlock-ignore: PI-001 until 2026-12-31", ""},  // an end is no reason
      {"", "  # interlock-ignore: PI-002 other rule", ""},
      {"", "  # interlock-ignore: * everything", ""},  // rules by name only
      {"", "  # interlock-ignore: PI-0011 other rule", ""},
      {"", "  # ignore: PI-001 not ours", ""},
  };
  for (const Case& c : cases) EXPECT_EQ(Inline(c), c.reason) << c.line << "|" << c.same;
}

TEST(Suppressions, InlineReachesNoFurther) {
  const std::string bytes = "# interlock-ignore: PI-001 too far away\n\nbad()\n# interlock-ignore: PI-001 too late\n";
  Finding finding;
  finding.rule = "PI-001";
  finding.file = "tool.py";
  finding.line = 3;
  finding.begin = bytes.find("bad()");
  ScanOptions options;
  options.inline_suppressions = true;
  EXPECT_EQ(Suppressed(finding, options, bytes), "");
}

// A package must not wave itself through.
TEST(Suppressions, InlineOnlyWhereAskedFor) {
  EXPECT_EQ(Inline({"", "  # interlock-ignore: PI-001 trust me", ""}, false), "");
}

}  // namespace
}  // namespace interlock::scan
