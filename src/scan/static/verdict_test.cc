// Weighing evidence: what adds up, what decides, what never counts.
#include "static/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "static/classify.h"

namespace interlock::scan {
namespace {

using core::Nature;
using core::Reach;
using core::ScanReason;
using core::ScanVerdict;
using core::Severity;
using testing::HasSubstr;

// Rules of our own, so that no test depends on the shipped ones' weights.
const RuleSet& Rules() {
  static const RuleSet* const rules = [] {
    std::string text = R"({"schema":"interlock.scan-rules/v1","rules":[)";
    const auto rule = [&](std::string_view id, std::string_view threat, std::string_view severity, double confidence,
                          std::string_view nature, bool decisive) {
      if (text.back() != '[') text += ',';
      text +=
          R"({"id":")" + std::string(id) + R"(","title":"A test","threat":")" + std::string(threat) +
          R"(","severity":")" + std::string(severity) + R"(","confidence":)" + std::to_string(confidence) +
          R"(,"nature":")" + std::string(nature) + R"(","maturity":")" +
          (id.starts_with("I-") ? "incubating" : "stable") + R"(","engine":")" +
          (id.starts_with("P-") ? R"(text","patterns":[{"regex":"zyx9","words":["zyx9"],"weight":0.8}],)"
                                : R"(code",)") +
          (decisive ? R"("decisive":true,)" : "") +
          R"("rationale":"Only to test how evidence is weighed.","remedy":"There is nothing to do.","positive":[{"path":"a.py","text":"a"}],)" +
          R"("negative":[{"path":"b.py","text":"b"}]})";
    };
    rule("M-CRITICAL", "T6", "critical", 0.9, "malicious", false);
    rule("M-FETCH", "T1", "critical", 0.9, "malicious", false);
    rule("M-HIGH", "T2", "high", 0.8, "malicious", false);
    rule("M-LOW", "T2", "low", 0.6, "malicious", false);
    rule("M-DECISIVE", "T2", "medium", 0.9, "malicious", true);
    rule("I-CRITICAL", "T6", "critical", 1.0, "malicious", false);
    rule("PI-TEST", "T3", "critical", 1.0, "malicious", false);
    rule("PI-031", "T2", "high", 0.85, "malicious", false);
    rule("P-HIGH", "T3", "high", 1.0, "malicious", false);
    rule("V-HIGH", "T8", "high", 0.9, "vulnerable", false);
    rule("V-LOW", "T8", "low", 0.5, "vulnerable", false);
    rule("C-HIGH", "T4", "critical", 1.0, "capability", false);
    rule("H-HIGH", "T1", "critical", 1.0, "hygiene", false);
    text += "]}";
    auto loaded = RuleSet::Load(std::vector<RuleFile>{{"test.json", text}});
    EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
    return new RuleSet(std::move(loaded.value()));
  }();
  return *rules;
}
constexpr std::string_view kIds[] = {"M-CRITICAL", "M-FETCH", "M-HIGH", "M-LOW",  "M-DECISIVE", "I-CRITICAL",
                                     "P-HIGH",     "V-HIGH",  "V-LOW",  "C-HIGH", "H-HIGH",     "PI-031"};
constexpr std::size_t kReaches = 9;

struct Package {
  core::PackageView view;
  std::vector<FileContext> files;
  Package() {
    view.files.push_back({.path = "a.py", .bytes = "first\nsecond é line\nthird\n"});
    view.files.push_back({.path = "b.py", .bytes = "other\n"});
    files = ClassifyFiles(view, PackageKind::kCode);
  }
};

ScanReport Weigh(std::vector<RawFinding> raw, const ScanOptions& options = {},
                 std::vector<core::SkippedPart> skipped = {}, core::PermissionSet exercised = 0,
                 std::vector<std::string> own = {}) {
  static const Package package;
  ScanReport report;
  report.coverage.skipped = std::move(skipped);
  report.exercised = exercised;
  Judge(std::move(raw), {&package.files, &Rules(), &options, {std::move(own)}}, report);
  return report;
}

RawFinding Hit(std::string_view rule, Reach reach = Reach::kTool, std::string evidence = "evidence") {
  RawFinding hit;
  hit.rule = rule;
  hit.evidence = std::move(evidence);
  hit.has_reach = true;
  hit.reach = reach;
  return hit;
}

RawFinding AnyHit() {
  RawFinding hit = Hit(*rc::gen::elementOf(std::vector<std::string_view>(std::begin(kIds), std::end(kIds))),
                       static_cast<Reach>(*rc::gen::inRange<std::size_t>(0, kReaches)),
                       *rc::gen::element<std::string>("x", "y", "x ", "zz"));
  hit.file = *rc::gen::inRange<std::uint32_t>(0, 3);  // 2: no such file
  hit.bytes = {*rc::gen::inRange<std::size_t>(0, 40), *rc::gen::inRange<std::size_t>(0, 40)};
  hit.scale = *rc::gen::inRange(0, 13) / 10.0;
  hit.described = *rc::gen::inRange(-2, 13) / 10.0;
  hit.host = *rc::gen::element<std::string>("", "https://evil.example/x", "http://203.0.113.7/", "github.com");
  return hit;
}

std::vector<RawFinding> AnyHits() {
  std::vector<RawFinding> hits(*rc::gen::inRange<std::size_t>(0, 12));
  for (RawFinding& hit : hits) hit = AnyHit();
  return hits;
}

TEST(Verdict, MoreEvidenceNeverMakesAPackageLookBetter) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<RawFinding> some = AnyHits();
    ScanOptions options;
    options.strict = *rc::gen::arbitrary<bool>();
    options.max_findings = *rc::gen::element<std::uint32_t>(1, 5, 2000);
    std::vector<RawFinding> more = some;
    more.insert(more.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(some.size()) + 1),
                AnyHit());
    const ScanReport before = Weigh(some, options);
    const ScanReport after = Weigh(more, options);
    RC_ASSERT(after.score >= before.score - 1e-12);
    RC_ASSERT(after.verdict >= before.verdict);
    RC_ASSERT(before.score >= 0.0);
    RC_ASSERT(after.score <= 1.0);
  }));
}

// A copy in the open that counts for nothing takes no person away from a deed that stands aside.
TEST(Verdict, WhatIsFoundAgainIsNoExcuse) {
  RawFinding aside = Hit("M-CRITICAL", Reach::kBuild);
  aside.host = "https://evil.example/x";
  const ScanReport before = Weigh({aside});
  ASSERT_EQ(before.verdict, ScanVerdict::kWarn);
  RawFinding open = Hit("M-CRITICAL", Reach::kTool);
  open.scale = 0.1;
  for (const std::vector<RawFinding>& both : {std::vector{aside, open}, std::vector{open, aside}}) {
    EXPECT_EQ(Weigh(both).verdict, ScanVerdict::kWarn);
    EXPECT_GE(Weigh(both).score, before.score);
  }
}

TEST(Verdict, DoesNotDependOnTheOrderOfTheEvidence) {
  EXPECT_TRUE(rc::check([] {
    std::vector<RawFinding> hits = AnyHits();
    const ScanReport before = Weigh(hits);
    std::reverse(hits.begin(), hits.end());
    const ScanReport after = Weigh(hits);
    RC_ASSERT(std::abs(after.score - before.score) < 1e-12);
    RC_ASSERT(after.verdict == before.verdict);
    RC_ASSERT(after.findings.size() == before.findings.size());
  }));
}

TEST(Verdict, FindingsLieInTheirFileAndHaveTheirOwnFingerprints) {
  EXPECT_TRUE(rc::check([] {
    const ScanReport report = Weigh(AnyHits());
    std::vector<std::string> prints;
    for (const core::Finding& finding : report.findings) {
      RC_ASSERT(finding.begin <= finding.end);
      RC_ASSERT(finding.end <= 27U);
      RC_ASSERT(finding.confidence >= 0.0 && finding.confidence <= 1.0);
      RC_ASSERT(finding.fingerprint.size() == 32U);
      prints.push_back(finding.fingerprint);
    }
    std::sort(prints.begin(), prints.end());
    RC_ASSERT(std::adjacent_find(prints.begin(), prints.end()) == prints.end());
  }));
}

TEST(Verdict, NothingIsSafe) {
  const ScanReport report = Weigh({});
  EXPECT_EQ(report.verdict, ScanVerdict::kSafe);
  EXPECT_EQ(report.reason, ScanReason::kNone);
  EXPECT_EQ(report.score, 0.0);
}

TEST(Verdict, ADecisiveRuleBlocksWhereItRunsAndOnlyThere) {
  for (std::size_t i = 0; i < kReaches; ++i) {
    const auto reach = static_cast<Reach>(i);
    EXPECT_EQ(Weigh({Hit("M-DECISIVE", reach)}).verdict == ScanVerdict::kBlock, reach <= Reach::kRuntime) << i;
  }
  // As something that is described, or hardly sure, it does not decide.
  RawFinding told = Hit("M-DECISIVE");
  told.described = 0.8;
  EXPECT_NE(Weigh({told}).verdict, ScanVerdict::kBlock);
}

TEST(Verdict, TheClassifierOfOrdersBlocksOnlyBesideSomethingElse) {
  EXPECT_EQ(Weigh({Hit("PI-031")}).verdict, ScanVerdict::kWarn);
  EXPECT_EQ(Weigh({Hit("PI-031"), Hit("M-LOW")}).verdict, ScanVerdict::kWarn);
  EXPECT_EQ(Weigh({Hit("PI-031"), Hit("M-HIGH")}).verdict, ScanVerdict::kBlock);
  EXPECT_EQ(Weigh({Hit("PI-031"), Hit("PI-031", Reach::kTool, "another text")}).verdict, ScanVerdict::kWarn);
  RawFinding unsure = Hit("PI-031");
  unsure.scale = 0.8;
  EXPECT_EQ(Weigh({unsure, Hit("M-HIGH")}).verdict, Weigh({Hit("M-HIGH")}).verdict);
}

TEST(Verdict, TestsAndBuildScriptsDoNotCondemn) {
  for (const Reach reach : {Reach::kTest, Reach::kBuild}) {
    std::vector<RawFinding> hits;
    for (const std::string_view id : kIds) {
      hits.push_back(Hit(id, reach, "one"));
      hits.push_back(Hit(id, reach, "two"));
    }
    const ScanReport report = Weigh(hits);
    EXPECT_NE(report.verdict, ScanVerdict::kBlock) << core::NameOf(reach);
    EXPECT_EQ(report.findings.size(), 2 * std::size(kIds));  // said all the same
  }
  for (const Reach reach : {Reach::kDocument, Reach::kExample, Reach::kTest, Reach::kBuild, Reach::kVendored}) {
    EXPECT_NE(Weigh({Hit("M-CRITICAL", reach)}).verdict, ScanVerdict::kBlock) << core::NameOf(reach);
    EXPECT_EQ(Weigh({Hit("V-HIGH", reach), Hit("V-LOW", reach)}).verdict, ScanVerdict::kSafe) << core::NameOf(reach);
  }
  ScanOptions strict;
  strict.strict = true;
  EXPECT_EQ(Weigh({Hit("M-CRITICAL", Reach::kTest)}, strict).verdict, ScanVerdict::kBlock);
}

TEST(Verdict, APersonLooksAtADeedAsideThatSaysWhereTo) {
  const auto aside = [](Reach reach, std::string host) {
    RawFinding hit = Hit("M-CRITICAL", reach);
    hit.host = std::move(host);
    return Weigh({hit}).verdict;
  };
  for (const Reach reach : {Reach::kBuild, Reach::kExample, Reach::kVendored}) {
    EXPECT_EQ(aside(reach, "https://in.evil.example/x"), ScanVerdict::kWarn) << core::NameOf(reach);
    EXPECT_EQ(aside(reach, "*/models"), ScanVerdict::kSafe) << core::NameOf(reach);
  }
  // A build that asks nobody else does it to this machine; a library's own trick is its own.
  EXPECT_EQ(aside(Reach::kBuild, ""), ScanVerdict::kWarn);
  EXPECT_EQ(aside(Reach::kVendored, ""), ScanVerdict::kSafe);
  // Documents show, tests play.
  EXPECT_EQ(aside(Reach::kDocument, "https://in.evil.example/x"), ScanVerdict::kSafe);
  EXPECT_EQ(aside(Reach::kTest, "https://in.evil.example/x"), ScanVerdict::kSafe);
  RawFinding light = Hit("M-LOW", Reach::kBuild);
  light.host = "https://in.evil.example/x";
  EXPECT_EQ(Weigh({light}).verdict, ScanVerdict::kSafe);
}

TEST(Verdict, AnIncubatingRuleNeverBlocksAlone) {
  EXPECT_EQ(Weigh({Hit("I-CRITICAL"), Hit("I-CRITICAL", Reach::kTool, "again")}).verdict, ScanVerdict::kWarn);
  EXPECT_EQ(Weigh({Hit("I-CRITICAL"), Hit("M-HIGH")}).verdict, ScanVerdict::kBlock);
}

TEST(Verdict, SmallSignsHaveNobodyLookUntilOneOfThemIsWorthIt) {
  const auto scaled = [](std::string_view rule, double scale, Reach reach) {
    RawFinding hit = Hit(rule, reach, std::string(rule) + std::to_string(scale));
    hit.scale = scale;
    return hit;
  };
  std::vector<RawFinding> hits;
  for (const std::string_view rule : {"M-CRITICAL", "M-FETCH", "M-HIGH", "P-HIGH", "M-LOW"}) {
    hits.push_back(scaled(rule, 0.18, Reach::kTool));
    hits.push_back(scaled(rule, 0.17, Reach::kTool));
  }
  EXPECT_EQ(Weigh(hits).verdict, ScanVerdict::kSafe);
  const auto with = [&](RawFinding more) {
    std::vector<RawFinding> all = hits;
    all.push_back(std::move(more));
    return Weigh(all).verdict;
  };
  EXPECT_EQ(with(scaled("M-HIGH", 0.5, Reach::kTool)), ScanVerdict::kWarn);
  // Words have to be plainer than deeds.
  EXPECT_EQ(with(scaled("P-HIGH", 0.4, Reach::kTool)), ScanVerdict::kSafe);
  EXPECT_EQ(with(scaled("P-HIGH", 0.6, Reach::kTool)), ScanVerdict::kWarn);
}

TEST(Verdict, WordsInAPackageThatOffersAnAgentNothingAreForProgrammers) {
  const auto score = [](PackageKind kind, Reach reach) {
    static const Package package;
    const ScanOptions options;
    ScanReport report;
    report.kind = kind;
    Judge({Hit("PI-TEST", reach)}, {&package.files, &Rules(), &options, {}}, report);
    return report.score;
  };
  EXPECT_LT(score(PackageKind::kCode, Reach::kRuntime), score(PackageKind::kMcpServer, Reach::kRuntime));
  EXPECT_EQ(score(PackageKind::kCode, Reach::kTool), score(PackageKind::kMcpServer, Reach::kTool));
  EXPECT_EQ(score(PackageKind::kCode, Reach::kAgent), score(PackageKind::kSkill, Reach::kAgent));
}

TEST(Verdict, WeaknessesWarnAndNeverBlock) {
  std::vector<RawFinding> hits;
  for (int i = 0; i < 20; ++i) hits.push_back(Hit("V-HIGH", Reach::kTool, std::to_string(i)));
  for (int i = 0; i < 20; ++i) hits.push_back(Hit("V-LOW", Reach::kTool, std::to_string(i)));
  const ScanReport report = Weigh(hits);
  EXPECT_EQ(report.verdict, ScanVerdict::kWarn);
  EXPECT_EQ(report.reason, ScanReason::kVulnerable);
  EXPECT_EQ(report.score, 0.0);
}

TEST(Verdict, PowersAndHygieneAreListedOnly) {
  std::vector<RawFinding> hits;
  for (int i = 0; i < 50; ++i) hits.push_back(Hit(i % 2 == 0 ? "C-HIGH" : "H-HIGH", Reach::kTool, std::to_string(i)));
  const ScanReport report = Weigh(hits, {}, {}, core::BitOf(core::Permission::kSubprocess));
  EXPECT_EQ(report.verdict, ScanVerdict::kSafe);
  EXPECT_EQ(report.reason, ScanReason::kPowerful);
  EXPECT_EQ(report.findings.size(), 50U);
  EXPECT_THAT(report.summary, HasSubstr(core::NameOf(core::Permission::kSubprocess)));
}

TEST(Verdict, ManyWeakGroundsAreNoStrongOne) {
  std::vector<RawFinding> hits;
  for (const std::string_view rule : {"M-CRITICAL", "M-FETCH", "M-HIGH"}) {
    for (const std::string_view evidence : {"one", "another"}) {
      hits.push_back(Hit(rule, Reach::kTool, std::string(evidence)));
      hits.back().scale = rule == "M-HIGH" ? 0.8 : 0.38;
    }
  }
  EXPECT_EQ(Weigh(hits).verdict, ScanVerdict::kWarn);
  hits.front().scale = 0.5;
  EXPECT_EQ(Weigh(hits).verdict, ScanVerdict::kBlock);
}

TEST(Verdict, OneWeakHintIsNoVerdict) {
  EXPECT_EQ(Weigh({Hit("M-LOW")}).verdict, ScanVerdict::kSafe);
  // Nor is the same hint repeated: it is one thing said many times.
  std::vector<RawFinding> hits;
  for (int i = 0; i < 100; ++i) hits.push_back(Hit("M-LOW", Reach::kTool, std::to_string(i)));
  EXPECT_EQ(Weigh(hits).verdict, ScanVerdict::kSafe);
}

TEST(Verdict, WhatCouldNotBeReadIsNoRiskScore) {
  const core::SkippedPart part{"run.py", core::SkipReason::kTooLarge, 1 << 30};
  const ScanReport report = Weigh({}, {}, {part});
  EXPECT_EQ(report.verdict, ScanVerdict::kWarn);
  EXPECT_EQ(report.reason, ScanReason::kUnanalysed);
  EXPECT_EQ(report.score, 0.0);
  // Evidence says more than ignorance.
  EXPECT_EQ(Weigh({Hit("M-CRITICAL")}, {}, {part}).reason, ScanReason::kMalicious);
  // Pictures, links and version control's store are named, and that is all.
  for (const core::SkippedPart& quiet : {core::SkippedPart{"logo.png", core::SkipReason::kUnsupported, 10},
                                         {"x", core::SkipReason::kLink},
                                         {".git/", core::SkipReason::kIgnored},
                                         {"pipe.py", core::SkipReason::kSpecial},
                                         {"data.parquet", core::SkipReason::kTooLarge, 1 << 30},
                                         {"models/small.gguf", core::SkipReason::kTooLarge, 1 << 30},
                                         {"models/model.safetensors", core::SkipReason::kTooLarge, 1 << 30}}) {
    EXPECT_EQ(Weigh({}, {}, {quiet}).verdict, ScanVerdict::kSafe) << quiet.path;
  }
  EXPECT_EQ(Weigh({}, {}, {{"inner.zip", core::SkipReason::kDamaged, 5}}).reason, ScanReason::kUnanalysed);
  EXPECT_EQ(Weigh({}, {}, {{"deep/", core::SkipReason::kTooDeep}}).reason, ScanReason::kUnanalysed);
  // An archive that could not be opened, where something that runs could open it.
  EXPECT_EQ(Weigh({}, {}, {{"a.py", core::SkipReason::kUnsupported, 5, "archive"}}).reason, ScanReason::kUnanalysed);
  EXPECT_EQ(Weigh({}, {}, {{".env.vault", core::SkipReason::kUnsupported, 5, "binary"}}).verdict, ScanVerdict::kSafe);
  // A compiled program of any size is one that came compiled; a script that begins like one was not read.
  const std::string compiled(core::kCompiledProgram);
  EXPECT_EQ(Weigh({}, {}, {{"bin/notes", core::SkipReason::kTooLarge, 1 << 30, compiled}}).verdict, ScanVerdict::kSafe);
  EXPECT_EQ(Weigh({}, {}, {{"run.py", core::SkipReason::kTooLarge, 1 << 30, compiled}}).reason,
            ScanReason::kUnanalysed);
  // What is called a script and is none was not read.
  EXPECT_EQ(Weigh({}, {}, {{"a.py", core::SkipReason::kUnsupported, 5, "image"}}).reason, ScanReason::kUnanalysed);
}

TEST(Verdict, APackageOfWhichNothingWasReadIsNotClean) {
  core::PackageView view;
  view.files.push_back({.path = "tools.zip", .bytes = std::string("PK\x03\x04 cut off")});
  const ScanReport report = Scan(view);
  EXPECT_EQ(report.verdict, ScanVerdict::kWarn);
  EXPECT_EQ(report.reason, ScanReason::kUnanalysed);
}

TEST(Verdict, SuppressedFindingsDoNotCountAndAreShownLast) {
  ScanOptions options;
  options.suppressions.push_back({.rule = "M-CRITICAL", .reason = "known"});
  const ScanReport report = Weigh({Hit("M-CRITICAL"), Hit("H-HIGH")}, options);
  EXPECT_EQ(report.verdict, ScanVerdict::kSafe);
  EXPECT_EQ(report.score, 0.0);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].rule, "H-HIGH");
  EXPECT_EQ(report.findings[1].suppressed, "known");
}

TEST(Verdict, TheSameHitTwiceIsOneFindingAtItsNearest) {
  const ScanReport report = Weigh({Hit("M-HIGH", Reach::kTest), Hit("M-HIGH", Reach::kTool)});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].repeats, 1U);
  EXPECT_EQ(report.findings[0].reach, Reach::kTool);
  EXPECT_GE(report.score, Weigh({Hit("M-HIGH", Reach::kTool)}).score);
  EXPECT_LT(report.score, Weigh({Hit("M-HIGH", Reach::kTool), Hit("M-HIGH", Reach::kTool, "other")}).score);
}

TEST(Verdict, ACopyOfAFileIsNoSecondCase) {
  RawFinding copy = Hit("M-HIGH", Reach::kTool, "the same words");
  copy.file = 1;
  const ScanReport once = Weigh({Hit("M-HIGH", Reach::kTool, "the same words")});
  const ScanReport twice = Weigh({Hit("M-HIGH", Reach::kTool, "the same words"), copy});
  EXPECT_EQ(twice.findings.size(), 2U);
  EXPECT_EQ(twice.score, once.score);
  copy.evidence = "other words";
  EXPECT_GT(Weigh({Hit("M-HIGH", Reach::kTool, "the same words"), copy}).score, once.score);
}

// More constants than are kept are named, and no reason to look: what the file does was followed. What was not followed
// to its end is one.
TEST(Verdict, WhatWasNotFollowedIsNamed) {
  std::string table = "def seg():\n    return [\n";
  for (int i = 0; i < 8000; ++i) table += "    (" + std::to_string(i) + ", 'M', 'a" + std::to_string(i) + "'),\n";
  table += "    ]\n\nTABLE = seg()\n";
  core::PackageView view;
  view.files.push_back({.path = "table.py", .bytes = table});
  const ScanReport report = Scan(view, {});
  EXPECT_EQ(report.verdict, ScanVerdict::kSafe);
  ASSERT_EQ(report.coverage.skipped.size(), 1U);
  EXPECT_EQ(report.coverage.skipped[0].path, "table.py");
  EXPECT_EQ(report.coverage.skipped[0].detail, core::kConstantsLeftOut);
  const core::SkippedPart tangle{"a.py", core::SkipReason::kParserBudget, 0, "flows too entangled"};
  EXPECT_EQ(Weigh({}, {}, {tangle}).verdict, ScanVerdict::kWarn);
}

TEST(Verdict, AFindingLeftOutOfTheListStillCounts) {
  ScanOptions options;
  options.max_findings = 1;
  const ScanReport report = Weigh({Hit("M-CRITICAL"), Hit("M-FETCH"), Hit("H-HIGH")}, options);
  EXPECT_EQ(report.verdict, ScanVerdict::kBlock);
  EXPECT_EQ(report.score, Weigh({Hit("M-CRITICAL"), Hit("M-FETCH"), Hit("H-HIGH")}).score);
  EXPECT_EQ(report.findings.size(), 1U);
  ASSERT_EQ(report.coverage.skipped.size(), 1U);
  EXPECT_EQ(report.coverage.skipped[0].reason, core::SkipReason::kBudget);
}

TEST(Verdict, WhoseHostItIsWeighs) {
  const auto confidence = [](std::string host) {
    RawFinding hit = Hit("M-FETCH");
    hit.scale = 0.7;
    hit.host = std::move(host);
    const Rule& rule = *Rules().Find("M-FETCH");
    return ContextConfidence(rule, hit, Reach::kTool, {{"acme"}}, false);
  };
  const double stranger = confidence("https://evil.example/x.sh");
  EXPECT_GT(confidence("http://203.0.113.7/x.sh"), stranger);
  EXPECT_GT(confidence("https://pastebin.com/raw/1"), stranger);
  EXPECT_LT(confidence("https://get.acme.example/x.sh"), stranger);
  EXPECT_LT(confidence("https://sh.rustup.rs"), stranger);
  EXPECT_LT(confidence("http://localhost:8000/x.sh"), stranger);
  // A word in somebody else's path changes nothing.
  EXPECT_EQ(confidence("https://evil.example/acme/x.sh"), stranger);
  EXPECT_EQ(confidence("https://sh.rustup.rs@evil.example/"), stranger);
}

TEST(Verdict, PlacesAreGivenInBytesAndAsEditorsCount) {
  RawFinding hit = Hit("M-HIGH");
  hit.bytes = {16, 20};  // "line" after a two-byte letter
  hit.evidence.clear();
  const ScanReport report = Weigh({hit});
  ASSERT_EQ(report.findings.size(), 1U);
  const core::Finding& finding = report.findings[0];
  EXPECT_EQ(finding.evidence, "line");
  EXPECT_EQ(finding.line, 2U);
  EXPECT_EQ(finding.column, 11U);
  EXPECT_EQ(finding.utf16_column, 10U);
  EXPECT_EQ(finding.end_column, 15U);
  EXPECT_EQ(finding.utf16_end_column, 14U);
}

TEST(Verdict, TheSameFoundWhereItRunsTakesNothingFromWhatStandsAside) {
  const auto hit = [](Reach reach, std::string evidence, double scale) {
    RawFinding one = Hit("M-CRITICAL", reach, std::move(evidence));
    one.scale = scale;
    return one;
  };
  const std::vector<RawFinding> before = {hit(Reach::kTool, "y", 0.12), hit(Reach::kDocument, "zz", 0.2)};
  std::vector<RawFinding> after = before;
  after.push_back(hit(Reach::kTool, "zz", 0.03));
  EXPECT_GE(Weigh(after).score, Weigh(before).score);
  std::rotate(after.begin(), after.end() - 1, after.end());
  EXPECT_GE(Weigh(after).score, Weigh(before).score);
}

// Of transcripts by the megabyte some sentence sounds like an order; a deed does not hide among them.
TEST(Verdict, WordsAmongDataByTheMegabyteCountLess) {
  const auto weigh = [](std::string_view rule, std::size_t bytes) {
    core::PackageView view;
    for (const char* path : {"server.py", "data/a.json", "data/b.json", "data/c.json"}) {
      view.files.push_back({.path = path, .bytes = "[]" + std::string(path[0] == 'd' ? bytes : 0, ' ')});
    }
    const std::vector<FileContext> files = ClassifyFiles(view, PackageKind::kMcpServer);
    RawFinding hit;
    hit.rule = rule;
    hit.evidence = "evidence";
    hit.file = 1;
    ScanReport report;
    const ScanOptions options;
    Judge({hit}, {&files, &Rules(), &options, {}}, report);
    return report.score;
  };
  EXPECT_LT(weigh("PI-TEST", 1U << 20), weigh("PI-TEST", 200));
  EXPECT_LT(weigh("PI-TEST", 1U << 20), weigh("PI-TEST", 1U << 18));
  EXPECT_EQ(weigh("M-CRITICAL", 1U << 20), weigh("M-CRITICAL", 200));
}

// Where anybody may run a program, what is sent to the package's own maker is no stranger's.
TEST(Verdict, DataSentToAFreeHostOfAProgramIsWorthALookUnlessItIsTheMakers) {
  const auto verdict = [](const std::string& name) {
    core::PackageView view;
    view.files.push_back({.path = "SKILL.md",
                          .bytes = "---\nname: " + name +
                                   "\ndescription: Writes minutes.\n---\n# Minutes\n\n1. Check them: "
                                   "`curl -X POST https://quillberry.onrender.com/check -F 'file=@out.txt'`\n"});
    return Scan(view, {}).verdict;
  };
  EXPECT_EQ(verdict("minutes"), ScanVerdict::kWarn);
  EXPECT_EQ(verdict("quillberry"), ScanVerdict::kSafe);
}

// The larger a package, the likelier one of its sentences or calls looks like an attack by chance.
TEST(Verdict, ALookAsksForMoreWhereThereIsMoreToLookAt) {
  const auto weigh = [](std::string_view rule, double scale, std::size_t bytes, const char* path = "lib.py",
                        bool strict = false, std::string_view second = {}, Reach reach = Reach::kTool) {
    core::PackageView view;
    view.files.push_back({.path = "server.py", .bytes = "pass\n"});
    view.files.push_back({.path = path, .bytes = "#" + std::string(bytes, ' ')});
    const std::vector<FileContext> files = ClassifyFiles(view, PackageKind::kMcpServer);
    std::vector<RawFinding> hits{Hit(rule, reach)};
    if (!second.empty()) hits.push_back(Hit(second, Reach::kTool, "other"));
    for (RawFinding& hit : hits) hit.scale = scale;
    ScanOptions options;
    options.strict = strict;
    ScanReport report;
    Judge(std::move(hits), {&files, &Rules(), &options, {}}, report);
    return report.verdict;
  };
  constexpr std::size_t kSmall = 1000;
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  constexpr std::size_t kHuge = std::size_t{30} << 20;
  // "M-HIGH" at .5: weight .24.
  EXPECT_EQ(weigh("M-HIGH", 0.5, kSmall), ScanVerdict::kWarn);
  EXPECT_EQ(weigh("M-HIGH", 0.5, kLarge), ScanVerdict::kSafe);
  EXPECT_EQ(weigh("M-HIGH", 0.5, kLarge, "lib.py", true), ScanVerdict::kWarn) << "the strict profile";
  EXPECT_EQ(weigh("M-HIGH", 0.5, kLarge, "tests/test_lib.py"), ScanVerdict::kWarn) << "tests are no part of it";
  EXPECT_EQ(weigh("V-HIGH", 0.5, kSmall), ScanVerdict::kWarn);
  EXPECT_EQ(weigh("V-HIGH", 0.5, kHuge), ScanVerdict::kSafe);
  // Nothing that is grave by itself can be buried.
  EXPECT_EQ(weigh("M-HIGH", 1.0, kHuge), ScanVerdict::kWarn);
  EXPECT_EQ(weigh("V-HIGH", 1.0, kHuge), ScanVerdict::kWarn);
  EXPECT_EQ(weigh("M-CRITICAL", 1.0, kSmall), ScanVerdict::kBlock);
  EXPECT_EQ(weigh("M-CRITICAL", 1.0, kHuge), ScanVerdict::kWarn) << "among megabytes one finding is no ground";
  EXPECT_EQ(weigh("M-CRITICAL", 1.0, kHuge, "lib.py", true), ScanVerdict::kBlock) << "the strict profile";
  EXPECT_EQ(weigh("M-CRITICAL", 1.0, kHuge, "data.json"), ScanVerdict::kBlock) << "nobody hides a deed behind data";
  EXPECT_EQ(weigh("M-CRITICAL", 1.0, kLarge, "lib.py", false, "M-FETCH"), ScanVerdict::kBlock) << "two are";
  EXPECT_EQ(weigh("M-CRITICAL", 1.0, kLarge, "lib.py", false, {}, Reach::kInstall), ScanVerdict::kBlock)
      << "what installing runs";
  EXPECT_EQ(weigh("M-DECISIVE", 1.0, kSmall), ScanVerdict::kBlock);
  EXPECT_EQ(weigh("M-DECISIVE", 1.0, kHuge), ScanVerdict::kWarn);
  EXPECT_EQ(weigh("M-DECISIVE", 1.0, kHuge, "lib.py", false, {}, Reach::kInstall), ScanVerdict::kBlock);
  // Two that are a ground together, .36 each.
  EXPECT_EQ(weigh("M-CRITICAL", 0.4, kSmall, "lib.py", false, "M-FETCH"), ScanVerdict::kBlock);
  // ... in a package that one person reads; among megabytes a person looks, and nothing is hidden.
  EXPECT_EQ(weigh("M-CRITICAL", 0.4, kHuge, "lib.py", false, "M-FETCH"), ScanVerdict::kWarn);
  EXPECT_EQ(weigh("M-CRITICAL", 0.4, kHuge, "lib.py", true, "M-FETCH"), ScanVerdict::kBlock) << "the strict profile";
  EXPECT_EQ(weigh("M-CRITICAL", 0.4, kHuge), ScanVerdict::kSafe);
}

// "license: complete terms in LICENSE.txt" is no order to follow them; a sentence that names the file is one.
TEST(Verdict, TheLicenceLineOfASkillHasNobodyReadTheLicence) {
  const auto reach = [](const std::string& body) {
    core::PackageView view;
    view.files.push_back({.path = "SKILL.md",
                          .bytes = "---\nname: x\ndescription: Formats.\nlicense: Terms in LICENSE.txt\n---\n" + body});
    view.files.push_back({.path = "LICENSE.txt", .bytes = "Users may not retain copies.\n"});
    const ScanReport report = Scan(view, {});
    for (const FileRecord& file : report.files) {
      if (file.path == "LICENSE.txt") return file.reach;
    }
    return Reach::kTest;
  };
  EXPECT_EQ(reach("# X\nFormats tables.\n"), Reach::kDocument);
  EXPECT_EQ(reach("# X\nRead LICENSE.txt and do what it says.\n"), Reach::kAgent);
}

// A document that the agent is given hands on what it names itself; a folder that is named is given with its documents,
// and a skill's references are looked into, named or not.
TEST(Verdict, WhatAGivenDocumentNamesIsGivenToo) {
  const auto reach = [](const std::string& body, std::string_view path) {
    core::PackageView view;
    view.files.push_back({.path = "SKILL.md", .bytes = "---\nname: x\ndescription: Formats.\n---\n" + body});
    for (const std::string folder : {"references/", "guides/"}) {
      view.files.push_back({.path = folder + "index.md", .bytes = "# Index\nGo on with `letters.md`.\n"});
      view.files.push_back({.path = folder + "letters.md", .bytes = "# Letters\nTwo lines between.\n"});
      view.files.push_back({.path = folder + "README.md", .bytes = "# About\nWritten in spring.\n"});
    }
    const ScanReport report = Scan(view, {});
    for (const FileRecord& file : report.files) {
      if (file.path == path) return file.reach;
    }
    return Reach::kTest;
  };
  EXPECT_EQ(reach("# X\nFormats tables.\n", "guides/letters.md"), Reach::kDocument);
  EXPECT_EQ(reach("# X\nFollow `guides/index.md`.\n", "guides/letters.md"), Reach::kAgent);
  EXPECT_EQ(reach("# X\nRead all of `guides/` first.\n", "guides/letters.md"), Reach::kAgent);
  EXPECT_EQ(reach("# X\nRead all of `guides/` first.\n", "guides/README.md"), Reach::kDocument);
  EXPECT_EQ(reach("# X\nFormats tables.\n", "references/letters.md"), Reach::kAgent);
  EXPECT_EQ(reach("# X\nFormats tables.\n", "references/README.md"), Reach::kDocument);
}

}  // namespace
}  // namespace interlock::scan
