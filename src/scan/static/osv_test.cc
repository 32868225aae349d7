#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fmt/format.h"
#include "interlock/scan/report.h"
#include "interlock/scan/scanner.h"
#include "interlock/scan/vulnerabilities.h"

namespace interlock::scan {
namespace {

using core::Severity;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// One affected package; `rest` is its ranges or versions.
std::string Entry(std::string_view id, std::string_view ecosystem, std::string_view name, std::string_view rest,
                  std::string_view more = "") {
  return fmt::format(R"({{"id":"{}","modified":"2026-01-01T00:00:00Z","summary":"Breaks","affected":[{{"package":)"
                     R"({{"ecosystem":"{}","name":"{}"}},{}}}]{}}})",
                     id, ecosystem, name, rest, more);
}

std::string Range(std::string_view events, std::string_view type = "ECOSYSTEM") {
  return fmt::format(R"("ranges":[{{"type":"{}","events":[{}]}}])", type, events);
}

std::string Rated(std::string_view word) { return fmt::format(R"(,"database_specific":{{"severity":"{}"}})", word); }

VulnerabilityIndex Of(std::string_view text) {
  VulnerabilityIndex index;
  index.Add(text);
  return index;
}

std::vector<std::string> Ids(const std::vector<KnownVulnerability>& list) {
  std::vector<std::string> ids;
  for (const KnownVulnerability& one : list) ids.push_back(one.id);
  return ids;
}

// Which of `versions` are affected.
std::vector<std::string> Affected(std::string_view ecosystem, std::string_view rest,
                                  const std::vector<std::string>& versions) {
  const VulnerabilityIndex index = Of(Entry("OSV-TEST-1", ecosystem, "acme", rest));
  std::vector<std::string> out;
  std::copy_if(versions.begin(), versions.end(), std::back_inserter(out),
               [&](const std::string& version) { return !index.Lookup(ecosystem, "acme", version).empty(); });
  return out;
}

TEST(OsvRanges, ModulesOfGoAndCratesAreNoPackagesOfNpm) {
  const std::string range = Range(R"({"introduced":"0"},{"fixed":"0.23.0"})", "SEMVER");
  EXPECT_THAT(Affected("Go", range, {"v0.20.0", "v0.22.9+incompatible", "v0.23.0", "v1.0.0"}),
              ElementsAre("v0.20.0", "v0.22.9+incompatible"));
  EXPECT_THAT(Affected("crates.io", range, {"0.20.0", "0.23.0"}), ElementsAre("0.20.0"));
  EXPECT_TRUE(Of(Entry("OSV-TEST-1", "Go", "acme", range)).Lookup("npm", "acme", "0.20.0").empty());
}

TEST(OsvRanges, FromIntroducedUpToFixed) {
  EXPECT_THAT(Affected("PyPI", Range(R"({"introduced":"1.0"},{"fixed":"2.0"})"),
                       {"0.9", "1.0.dev1", "1.0", "1.0.0", "1.9.9", "2.0rc1", "2.0", "2.0.post1", "2.0+cpu", "1!1.5"}),
              ElementsAre("1.0", "1.0.0", "1.9.9", "2.0rc1"));
  EXPECT_THAT(Affected("npm", Range(R"({"introduced":"1.0.0"},{"fixed":"2.0.0"})", "SEMVER"),
                       {"0.9.0", "1.0.0-rc.1", "1.0.0", "1.10.0", "2.0.0-rc.1", "2.0.0", "2.0.0+b"}),
              ElementsAre("1.0.0", "1.10.0", "2.0.0-rc.1"));
}

TEST(OsvRanges, ZeroIsBeforeEverything) {
  EXPECT_THAT(Affected("PyPI", Range(R"({"introduced":"0"})"), {"0.dev0", "0", "7", "1!0"}), SizeIs(4));
  EXPECT_THAT(Affected("npm", Range(R"({"introduced":"0"},{"fixed":"0.0.2"})"), {"0.0.0-0", "0.0.1", "0.0.2"}),
              ElementsAre("0.0.0-0", "0.0.1"));
}

TEST(OsvRanges, LastAffectedIsAffected) {
  EXPECT_THAT(Affected("PyPI", Range(R"({"introduced":"1.0"},{"last_affected":"1.5"})"),
                       {"1.5", "1.5.0", "1.5.1", "1.5.post1"}),
              ElementsAre("1.5", "1.5.0"));
}

TEST(OsvRanges, SeveralStretchesInAnyOrder) {
  EXPECT_THAT(
      Affected("npm", Range(R"({"fixed":"3.1.0"},{"introduced":"1.0.0"},{"introduced":"3.0.0"},{"fixed":"1.2.0"})"),
               {"0.1.0", "1.1.0", "1.2.0", "2.0.0", "3.0.0", "3.1.0"}),
      ElementsAre("1.1.0", "3.0.0"));
  EXPECT_THAT(Affected("npm",
                       R"("ranges":[{"type":"SEMVER","events":[{"introduced":"1.0.0"},{"fixed":"1.1.0"}]},)"
                       R"({"type":"SEMVER","events":[{"introduced":"2.0.0"},{"fixed":"2.1.0"}]}])",
                       {"1.0.5", "1.5.0", "2.0.5", "2.1.0"}),
              ElementsAre("1.0.5", "2.0.5"));
}

TEST(OsvRanges, NothingAtOrAboveTheLimit) {
  EXPECT_THAT(Affected("PyPI", Range(R"({"introduced":"0"},{"limit":"2.0"})"), {"1.9", "2.0", "3.0"}),
              ElementsAre("1.9"));
  EXPECT_THAT(Affected("PyPI", Range(R"({"introduced":"0"},{"limit":"*"})"), {"1.9", "3.0"}), SizeIs(2));
}

TEST(OsvRanges, CommitsAreNoVersions) {
  EXPECT_THAT(Affected("PyPI", Range(R"({"introduced":"0"})", "GIT"), {"1.0"}), IsEmpty());
}

TEST(OsvRanges, WhatCannotBeOrderedIsLeftOutAndCounted) {
  for (const char* events : {R"({"introduced":"x"},{"fixed":"2.0"})", R"({"introduced":"0"},{"fixed":"soon"})",
                             R"({"fixed":"2.0"})", R"({"introduced":7})", ""}) {
    const VulnerabilityIndex index = Of(Entry("OSV-TEST-1", "PyPI", "acme", Range(events)));
    EXPECT_THAT(index.Lookup("PyPI", "acme", "1.0"), IsEmpty()) << events;
    EXPECT_EQ(index.counts().unordered, 1U) << events;
  }
}

TEST(OsvVersions, ListedOnesAreComparedAsVersions) {
  EXPECT_THAT(
      Affected("PyPI", R"("versions":["1.0","1.1rc1","old-style"])", {"1.0.0", "1.1c1", "1.1", "old-style", "OLD"}),
      ElementsAre("1.0.0", "1.1c1", "old-style"));
  EXPECT_THAT(Affected("npm", R"("versions":["1.0.0"])", {"1.0.0", "v1.0.0", "1.0.1", "^1.0.0", "latest", ""}),
              ElementsAre("1.0.0", "v1.0.0"));
}

TEST(OsvNames, ArePackageNamesOfTheirEcosystem) {
  const VulnerabilityIndex index = Of(Entry("OSV-TEST-1", "PyPI", "Acme_Widgets.Core", Range(R"({"introduced":"0"})")) +
                                      "\n" + Entry("OSV-TEST-2", "npm", "@acme/core", Range(R"({"introduced":"0"})")) +
                                      "\n" + Entry("OSV-TEST-3", "Maven", "a:b", Range(R"({"introduced":"0"})")));
  EXPECT_THAT(Ids(index.Lookup("PyPI", "acme-widgets-core", "1")), ElementsAre("OSV-TEST-1"));
  EXPECT_THAT(Ids(index.Lookup("PyPI", "ACME.widgets__core", "1")), ElementsAre("OSV-TEST-1"));
  EXPECT_THAT(index.Lookup("npm", "acme-widgets-core", "1.0.0"), IsEmpty());
  EXPECT_THAT(Ids(index.Lookup("npm", "@acme/core", "1.0.0")), ElementsAre("OSV-TEST-2"));
  EXPECT_THAT(index.Lookup("PyPI", "@acme/core", "1.0.0"), IsEmpty());
  EXPECT_EQ(index.counts().kept, 2U);
  EXPECT_EQ(index.counts().others, 1U);
}

TEST(OsvEntries, WithdrawnOnesDoNotCount) {
  const VulnerabilityIndex index =
      Of(Entry("OSV-TEST-1", "PyPI", "acme", Range(R"({"introduced":"0"})"), R"(,"withdrawn":"2026-02-01T00:00:00Z")"));
  EXPECT_THAT(index.Lookup("PyPI", "acme", "1.0"), IsEmpty());
  EXPECT_EQ(index.counts().others, 1U);
}

TEST(OsvEntries, FixIsTheFirstAboveTheVersion) {
  const VulnerabilityIndex index = Of(Entry(
      "OSV-TEST-1", "npm", "acme",
      Range(
          R"({"introduced":"0"},{"fixed":"1.2.0"},{"introduced":"2.0.0"},{"fixed":"2.3.4"},{"introduced":"3.0.0"})")));
  EXPECT_EQ(index.Lookup("npm", "acme", "1.0.0").at(0).fixed, "1.2.0");
  EXPECT_EQ(index.Lookup("npm", "acme", "2.1.0").at(0).fixed, "2.3.4");
  EXPECT_EQ(index.Lookup("npm", "acme", "3.1.0").at(0).fixed, "");
}

TEST(OsvEntries, RatingIsTheDatabasesOrTheVectors) {
  const auto severity = [](std::string_view more, std::string_view id = "OSV-TEST-1") {
    return Of(Entry(id, "PyPI", "acme", Range(R"({"introduced":"0"})"), more)).Lookup("PyPI", "acme", "1").at(0);
  };
  constexpr std::string_view kVector =
      R"(,"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}])";
  EXPECT_EQ(severity("").severity, Severity::kMedium);
  EXPECT_LT(severity("").score, 0.0);
  EXPECT_EQ(severity(Rated("MODERATE")).severity, Severity::kMedium);
  EXPECT_EQ(severity(Rated("HIGH")).severity, Severity::kHigh);
  EXPECT_EQ(severity(Rated("nonsense")).severity, Severity::kMedium);
  EXPECT_EQ(severity(kVector).severity, Severity::kCritical);
  EXPECT_DOUBLE_EQ(severity(kVector).score, 9.8);
  EXPECT_EQ(severity(std::string(kVector) + Rated("LOW")).severity, Severity::kLow);
  EXPECT_EQ(severity("", "MAL-TEST-1").severity, Severity::kCritical);
  EXPECT_THAT(severity(R"(,"database_specific":{"cwe_ids":["CWE-79","CWE-x","CWE-89",7,"CWE-"]})").cwe,
              ElementsAre(79U, 89U));
}

TEST(OsvEntries, OneWeaknessInTwoDatabasesIsToldOnce) {
  const std::string all = Range(R"({"introduced":"0"},{"fixed":"2.0"})");
  const VulnerabilityIndex index =
      Of(Entry("OSV-TEST-1", "PyPI", "acme", all, R"(,"aliases":["CVE-TEST-9"])") + "\n" +
         Entry("OSV-TEST-2", "PyPI", "acme", all, R"(,"aliases":["CVE-TEST-9"])" + Rated("LOW")) + "\n" +
         Entry("OSV-TEST-3", "PyPI", "acme", all, Rated("HIGH")));
  EXPECT_THAT(Ids(index.Lookup("PyPI", "acme", "1.0")), ElementsAre("OSV-TEST-3", "OSV-TEST-2"));
}

TEST(OsvText, ListsLinesAndBrokenParts) {
  const std::string a = Entry("OSV-TEST-1", "PyPI", "acme", Range(R"({"introduced":"0"})"));
  const std::string b = Entry("OSV-TEST-2", "npm", "acme", Range(R"({"introduced":"0"})"));
  for (const std::string& text :
       {a + "\n" + b, "[" + a + ",\n" + b + "]", "\xEF\xBB\xBF" + a + "\r\n\r\n" + b + "\r\n"}) {
    EXPECT_EQ(Of(text).counts().kept, 2U);
    EXPECT_EQ(Of(text).counts().broken, 0U);
  }
  for (const std::string& text : {a + "\nwhat is this\n" + b, a + "\n{\"id\":\n" + b, a + "\n{\"id\":\"x\",}\n" + b,
                                  a + "\n{}\n" + b, a + "\n{\"x\":\"}\n" + b, a + "\n{\"id\":\"\xFF\"}\n" + b}) {
    EXPECT_EQ(Of(text).counts().kept, 2U) << text;
    EXPECT_GE(Of(text).counts().broken, 1U) << text;
  }
  EXPECT_EQ(Of("").counts().broken, 0U);
}

TEST(OsvText, HostileTextEnds) {
  EXPECT_EQ(Of(std::string(3'000'000, '{')).counts().kept, 0U);
  EXPECT_EQ(Of("{\"id\":\"x\",\"affected\":" + std::string(100'000, '[')).counts().kept, 0U);
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "{\"a\":\"\n";
  EXPECT_GE(Of(lines).counts().broken, 1U);
  // Longer than any entry: the one after it is still read.
  const std::string long_one = R"({"id":")" + std::string(5'000'000, 'x') + "\"}\n";
  EXPECT_EQ(Of(long_one + Entry("OSV-TEST-1", "PyPI", "acme", Range(R"({"introduced":"0"})"))).counts().kept, 1U);
}

core::PackageView View(std::vector<core::PackageFile> files) {
  core::PackageView view;
  view.target = "test";
  view.files = std::move(files);
  std::sort(view.files.begin(), view.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  for (const core::PackageFile& file : view.files) view.total_bytes += file.bytes.size();
  return view;
}

ScanReport ScanWith(std::vector<core::PackageFile> files, std::string_view database, bool strict = false) {
  const VulnerabilityIndex index = Of(database);
  return Scan(View(std::move(files)), {.vulnerabilities = &index, .strict = strict});
}

std::vector<core::Finding> Found(const ScanReport& report) {
  std::vector<core::Finding> out;
  for (const core::Finding& finding : report.findings) {
    if (finding.rule == "SC-008") out.push_back(finding);
  }
  return out;
}

constexpr std::string_view kManifest =
    R"({"name":"notes","version":"1.0.0","dependencies":{"acme-one":"^1.0.0"},"devDependencies":{"acme-dev":"1.0.0"}})";
constexpr std::string_view kLock =
    R"({"name":"notes","lockfileVersion":3,"packages":{"":{"dependencies":{"acme-one":"^1.0.0"}},)"
    R"("node_modules/acme-one":{"version":"1.1.0","integrity":"sha512-AAAA"},)"
    R"("node_modules/acme-two":{"version":"1.1.0","integrity":"sha512-AAAA"}}})";

std::string NpmEntry(std::string_view name, std::string_view word) {
  return Entry(fmt::format("OSV-TEST-{}", name), "npm", name, Range(R"({"introduced":"0"},{"fixed":"1.2.0"})"),
               Rated(word));
}

TEST(OsvScan, DirectAndHighIsAWarning) {
  const std::vector<core::PackageFile> files = {{"package.json", std::string(kManifest)},
                                                {"package-lock.json", std::string(kLock)}};
  const ScanReport report = ScanWith(files, NpmEntry("acme-one", "HIGH"));
  ASSERT_THAT(Found(report), SizeIs(1));
  EXPECT_EQ(Found(report)[0].severity, Severity::kHigh);
  EXPECT_EQ(Found(report)[0].subject, "acme-one");
  EXPECT_EQ(Found(report)[0].file, "package-lock.json");
  EXPECT_EQ(report.verdict, core::ScanVerdict::kWarn);
  EXPECT_EQ(report.reason, core::ScanReason::kVulnerable);
  ASSERT_THAT(report.vulnerabilities, SizeIs(1));
  EXPECT_EQ(report.vulnerabilities[0].fixed, "1.2.0");
  EXPECT_EQ(report.vulnerabilities[0].purl, "pkg:npm/acme-one@1.1.0");
  EXPECT_TRUE(report.vulnerabilities[0].direct);
}

TEST(OsvScan, TransitiveMediumAndDevelopmentOnesAreListedOnly) {
  const std::vector<core::PackageFile> files = {{"package.json", std::string(kManifest)},
                                                {"package-lock.json", std::string(kLock)}};
  const std::string many =
      NpmEntry("acme-two", "CRITICAL") + NpmEntry("acme-one", "MODERATE") + NpmEntry("acme-dev", "CRITICAL");
  const ScanReport report = ScanWith(files, many);
  EXPECT_THAT(Found(report), SizeIs(3));
  EXPECT_EQ(report.verdict, core::ScanVerdict::kSafe);
  for (const KnownVulnerability& one : report.vulnerabilities) {
    EXPECT_EQ(one.direct, one.name != "acme-two") << one.name;
    EXPECT_EQ(one.development, one.name == "acme-dev") << one.name;
  }
  EXPECT_EQ(ScanWith(files, many, true).verdict, core::ScanVerdict::kWarn);
}

TEST(OsvScan, OnlyExactVersionsAreLookedUp) {
  const std::string all = Entry("OSV-TEST-1", "PyPI", "acme", Range(R"({"introduced":"0"})"), Rated("HIGH"));
  EXPECT_THAT(Found(ScanWith({{"requirements.txt", "acme>=1.0\nAcme\nacme~=1.0\nacme==1.*\n"}}, all)), IsEmpty());
  EXPECT_THAT(Found(ScanWith({{"requirements.txt", "Acme == 1.0\n"}}, all)), SizeIs(1));
  EXPECT_THAT(Found(ScanWith({{"requirements.txt", "Acme == 1.0\n"}, {"sub/requirements.txt", "acme==1.0\n"}}, all)),
              SizeIs(1));
}

TEST(OsvScan, SeveralWeaknessesOfOneAreSeveralFindings) {
  const std::string all = Range(R"({"introduced":"0"})");
  EXPECT_THAT(Found(ScanWith({{"requirements.txt", "acme==1.0\n"}},
                             Entry("OSV-TEST-1", "PyPI", "acme", all) + Entry("OSV-TEST-2", "PyPI", "acme", all))),
              SizeIs(2));
}

TEST(OsvScan, WithoutADatabaseNothingIsLookedUp) {
  const ScanReport report = Scan(View({{"requirements.txt", "acme==1.0\n"}}));
  EXPECT_THAT(Found(report), IsEmpty());
  EXPECT_THAT(report.vulnerabilities, IsEmpty());
}

}  // namespace
}  // namespace interlock::scan
