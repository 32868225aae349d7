// Reports quote hostile text: whatever a package holds, a report stays a report.
#include "interlock/scan/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

namespace interlock::scan {
namespace {

using base::JsonDoc;
using base::JsonValue;
using testing::HasSubstr;
using testing::Not;

// Every text that a package can put into a report.
ScanReport Hostile(const std::string& text) {
  ScanReport report;
  report.target = "folder/" + text;
  report.kind = PackageKind::kSkill;
  report.name = text;
  report.description = text;
  report.verdict = core::ScanVerdict::kBlock;
  report.reason = core::ScanReason::kMalicious;
  report.score = 0.9;
  report.summary = text;
  core::Finding finding;
  finding.rule = RuleSet::Builtin().rules()[0].id;
  finding.threat = core::ThreatClass::kT2;
  finding.severity = core::Severity::kHigh;
  finding.nature = core::Nature::kMalicious;
  finding.confidence = 0.9;
  finding.file = text;
  finding.line = finding.end_line = 3;
  finding.column = finding.utf16_column = 2;
  finding.end_column = finding.utf16_end_column = 5;
  finding.message = text;
  finding.evidence = text;
  finding.decoded = text;
  finding.subject = text;
  finding.flow.push_back({text, 1, 1, text});
  finding.fingerprint = std::string(32, '1');
  report.findings.push_back(finding);
  finding.fingerprint = std::string(32, '2');
  finding.suppressed = text.empty() ? "reason" : text;
  report.findings.push_back(finding);
  report.permissions.push_back({core::Permission::kNetworkEgress, text, 1, text, core::Reach::kTool, {text}});
  report.exercised = core::BitOf(core::Permission::kNetworkEgress);
  report.tools.push_back({text, "mcp-tool", text, 1, text});
  report.dependencies.push_back({"npm", text, text, false, false, true, text, 1, "pkg:npm/x"});
  KnownVulnerability known;
  known.id = known.summary = known.vector = known.fixed = known.name = known.version = known.purl = text;
  known.ecosystem = "npm";
  known.score = 9.8;
  known.cwe = {79};
  report.vulnerabilities.push_back(known);
  report.files.push_back({text, std::string(64, 'a'), 5, 5, "markdown", core::Reach::kAgent});
  report.files.push_back({"other", std::string(64, 'b'), 5, 5, "markdown", core::Reach::kAgent});
  report.coverage = {10, 10, {{text, core::SkipReason::kDamaged, 1, text}}};
  report.layers = {"static"};
  return report;
}

std::vector<std::string> AllFormats(const std::vector<ScanReport>& reports) {
  const RuleSet& rules = RuleSet::Builtin();
  TextReportOptions options;
  options.all = true;
  return {TextReport(reports, rules, options), HtmlReport(reports, rules, "1.0"), JsonReport(reports, rules, "1.0"),
          SarifReport(reports, rules, "1.0"), CycloneDxReport(reports, "1.0", "", "")};
}

const char* const kHostile[] = {
    "</style><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg/onload=alert(1)>",
    "' onmouseover='alert(1)",
    "<!-- --> ]]> &lt;script&gt; &amp;",
    "\x1b[2J\x1b]0;title\x07\x1b[31m",
    "\xc2\x9b"
    "31m",  // CSI as one character
    "abc\xe2\x80\xae"
    "cba\xe2\x81\xa6",               // right to left
    "\xe2\x80\x8b\xf3\xa0\x81\xa1",  // invisible, tag characters
    "line one\nSAFE  other-package\r\nline three",
    "\xff\xfe broken \xc3",
    "{\"a\": \"\\u0000\"}",
    "`code` | table | [link](javascript:alert(1)) ![i](http://evil.example/x.png)",
    "%s %n {} {0}",
};

TEST(Reports, HtmlKeepsQuotedTextAsText) {
  const std::string clean = HtmlReport(std::vector<ScanReport>{Hostile("harmless")}, RuleSet::Builtin(), "1.0");
  const auto tags = [](const std::string& html) { return std::count(html.begin(), html.end(), '<'); };
  const auto quotes = [](const std::string& html) { return std::count(html.begin(), html.end(), '"'); };
  for (const char* text : kHostile) {
    const std::string html = HtmlReport(std::vector<ScanReport>{Hostile(text)}, RuleSet::Builtin(), "1.0");
    EXPECT_EQ(tags(html), tags(clean)) << text;
    EXPECT_EQ(quotes(html), quotes(clean)) << text;
    EXPECT_THAT(html, Not(HasSubstr("<script"))) << text;
  }
  EXPECT_THAT(clean, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(clean, Not(HasSubstr("http://")));
  EXPECT_THAT(clean, Not(HasSubstr("src=")));
}

// Bytes that drive a terminal or turn the direction of writing round.
bool Drives(const std::string& text) {
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\n') || u == 0x7f) return true;
  }
  for (const char* sequence : {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\xad", "\xe2\x81\xa6", "\xe2\x81\xa9"}) {
    if (text.find(sequence) != std::string::npos) return true;
  }
  return false;
}

TEST(Reports, TextCannotDriveATerminalNorForgeALine) {
  for (const char* text : kHostile) {
    const std::vector<ScanReport> reports = {Hostile(text)};
    for (const bool all : {false, true}) {
      TextReportOptions options;
      options.all = all;
      const std::string out = TextReport(reports, RuleSet::Builtin(), options);
      EXPECT_FALSE(Drives(out)) << text;
      EXPECT_THAT(out, Not(HasSubstr("\nSAFE"))) << text;
      EXPECT_THAT(out, testing::StartsWith("BLOCK  ")) << text;
    }
  }
  TextReportOptions colour;
  colour.colour = true;
  EXPECT_THAT(TextReport(std::vector<ScanReport>{Hostile("x")}, RuleSet::Builtin(), colour), HasSubstr("\x1b["));
}

policy::JsonSchema ScanSchema() {
  std::ifstream in(std::string(INTERLOCK_SOURCE_DIR) + "/schemas/interlock.scan.v1.json");
  std::ostringstream text;
  text << in.rdbuf();
  const auto doc = JsonDoc::Parse(text.str());
  EXPECT_TRUE(doc.ok());
  auto schema = policy::JsonSchema::Compile(doc.value().root());
  EXPECT_TRUE(schema.ok());
  return std::move(schema.value());
}

TEST(Reports, JsonParsesAndFollowsItsSchema) {
  const policy::JsonSchema schema = ScanSchema();
  for (const char* text : kHostile) {
    const std::string out = JsonReport(std::vector<ScanReport>{Hostile(text)}, RuleSet::Builtin(), "1.0");
    const auto doc = JsonDoc::Parse(out);
    ASSERT_TRUE(doc.ok()) << text << ": " << doc.error().ToString();
    const auto outcome = schema.Validate(doc.value().root());
    EXPECT_TRUE(outcome.valid()) << text << ": " << (outcome.valid() ? "" : outcome.ToError().ToString());
  }
  const auto none = JsonDoc::Parse(JsonReport({}, RuleSet::Builtin(), "1.0"));
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(schema.Validate(none.value().root()).valid());
}

TEST(Reports, EveryFormatTakesAnyBytes) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    const std::vector<ScanReport> reports = {Hostile(bytes), Hostile(bytes)};
    const std::vector<std::string> out = AllFormats(reports);
    RC_ASSERT(!Drives(out[0]));
    for (std::size_t i = 2; i < out.size(); ++i) RC_ASSERT(JsonDoc::Parse(out[i]).ok());
    RC_ASSERT(AllFormats(reports) == out);
  }));
}

TEST(Reports, CycloneDxTellsEachWeaknessOnceWithItsComponents) {
  ScanReport report;
  report.dependencies.push_back({"npm", "a", "1.0.0", true, false, true, "package.json", 1, "pkg:npm/a@1.0.0"});
  report.dependencies.push_back({"npm", "b", "1.0.0", true, false, true, "package.json", 2, "pkg:npm/b@1.0.0"});
  KnownVulnerability known;
  known.id = "OSV-TEST-1";
  known.severity = core::Severity::kCritical;
  known.score = 9.8;
  known.vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
  known.cwe = {79};
  for (const Dependency& dependency : report.dependencies) {
    known.purl = dependency.purl;
    known.version = dependency.version;
    report.vulnerabilities.push_back(known);
  }
  const base::Result<JsonDoc> doc = JsonDoc::Parse(CycloneDxReport(std::vector{report, report}, "1.0", "", ""));
  ASSERT_TRUE(doc.ok());
  const JsonValue list = doc.value().root().Find("vulnerabilities");
  ASSERT_EQ(list.size(), 1U);
  const JsonValue one = list.FindPointer("/0");
  EXPECT_EQ(one.Find("id").string(), "OSV-TEST-1");
  EXPECT_EQ(one.FindPointer("/ratings/0/score").AsDouble(), 9.8);
  EXPECT_EQ(one.FindPointer("/ratings/0/severity").string(), "critical");
  EXPECT_EQ(one.FindPointer("/ratings/0/method").string(), "CVSSv31");
  EXPECT_EQ(one.FindPointer("/cwes/0").AsInt64(), 79);
  EXPECT_EQ(one.Find("affects").size(), 2U);
  EXPECT_EQ(one.FindPointer("/affects/0/ref").string(), "pkg:npm/a@1.0.0");
  const base::Result<JsonDoc> none = JsonDoc::Parse(CycloneDxReport(std::vector{ScanReport{}}, "1.0", "", ""));
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none.value().root().Find("vulnerabilities").exists());
}

TEST(Reports, SarifHasWhatCodeScanningReads) {
  const std::string out = SarifReport(std::vector<ScanReport>{Hostile("a b.md")}, RuleSet::Builtin(), "1.2.3");
  const auto doc = JsonDoc::Parse(out);
  ASSERT_TRUE(doc.ok());
  const JsonValue root = doc.value().root();
  EXPECT_EQ(root.Find("version").string(), "2.1.0");
  const JsonValue run = *root.Find("runs").begin();
  const JsonValue driver = run.Find("tool").Find("driver");
  EXPECT_EQ(driver.Find("semanticVersion").string(), "1.2.3");
  EXPECT_EQ(driver.Find("rules").size(), 1U);  // only rules that speak
  ASSERT_EQ(run.Find("results").size(), 2U);
  auto results = run.Find("results").begin();
  const JsonValue first = *results;
  ++results;
  const JsonValue second = *results;
  EXPECT_EQ(first.Find("ruleId").string(), (*driver.Find("rules").begin()).Find("id").string());
  EXPECT_EQ(first.Find("level").string(), "error");
  EXPECT_FALSE(first.Find("suppressions").exists());
  EXPECT_EQ(second.Find("suppressions").size(), 1U);
  const JsonValue place = (*first.Find("locations").begin()).Find("physicalLocation");
  EXPECT_EQ(place.Find("artifactLocation").Find("uri").string(), "folder/a%20b.md/a%20b.md");
  EXPECT_EQ(place.Find("region").Find("startLine").AsInt64(), 3);
  EXPECT_EQ(first.Find("codeFlows").size(), 1U);
  EXPECT_EQ((*run.Find("invocations").begin()).Find("toolExecutionNotifications").size(), 1U);
}

std::string UriOf(const std::string& target, std::vector<std::string> files, const std::string& file,
                  bool several = false) {
  ScanReport report = Hostile("x");
  report.target = target;
  report.files.clear();
  for (std::string& path : files) report.files.push_back({std::move(path), "", 0, 0, "markdown", core::Reach::kAgent});
  report.findings[0].file = file;
  std::vector<ScanReport> reports = {report};
  if (several) reports.push_back(Hostile("y"));
  const auto doc = JsonDoc::Parse(SarifReport(reports, RuleSet::Builtin(), "1"));
  const JsonValue result = *(*doc.value().root().Find("runs").begin()).Find("results").begin();
  const JsonValue place = (*result.Find("locations").begin()).Find("physicalLocation");
  return std::string(place.Find("artifactLocation").Find("uri").string());
}

TEST(Reports, SarifPathsAreThoseOfTheCallersFolder) {
  const std::vector<std::string> two = {"SKILL.md", "a/run.sh"};
  EXPECT_EQ(UriOf(".", two, "a/run.sh"), "a/run.sh");
  EXPECT_EQ(UriOf("./", two, "a/run.sh"), "a/run.sh");
  EXPECT_EQ(UriOf("skills/tidy", two, "a/run.sh"), "skills/tidy/a/run.sh");
  EXPECT_EQ(UriOf("./skills/tidy/", two, "SKILL.md"), "skills/tidy/SKILL.md");
  EXPECT_EQ(UriOf("skills/tidy/SKILL.md", {"SKILL.md"}, "SKILL.md"), "skills/tidy/SKILL.md");
  EXPECT_EQ(UriOf("SKILL.md", {"SKILL.md"}, "SKILL.md"), "SKILL.md");
  // Elsewhere: the package's own paths, told apart where there are several.
  EXPECT_EQ(UriOf("/home/u/tidy", two, "SKILL.md"), "SKILL.md");
  EXPECT_EQ(UriOf("/home/u/tidy/", two, "SKILL.md", true), "tidy/SKILL.md");
  EXPECT_EQ(UriOf("../tidy", two, "SKILL.md"), "SKILL.md");
  EXPECT_EQ(UriOf("https://mcp.example/mcp", {std::string(core::kMcpListingPath)}, "mcp-listing.json"),
            "mcp-listing.json");
  EXPECT_EQ(UriOf("node server.js", {std::string(core::kMcpListingPath)}, "mcp-listing.json"), "mcp-listing.json");
}

TEST(Reports, ListsAreCutAndSaySo) {
  ScanReport report = Hostile("x");
  for (int i = 0; i < 1000; ++i) {
    core::Finding finding = report.findings[0];
    finding.fingerprint = std::to_string(i);
    report.findings.push_back(finding);
  }
  TextReportOptions options;
  options.limit = 3;
  const std::string text = TextReport(std::vector<ScanReport>{report}, RuleSet::Builtin(), options);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_THAT(text, HasSubstr("--all"));
  options.all = true;
  EXPECT_GT(TextReport(std::vector<ScanReport>{report}, RuleSet::Builtin(), options).size(), 10 * text.size());
}

}  // namespace
}  // namespace interlock::scan
