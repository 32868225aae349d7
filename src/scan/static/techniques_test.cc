// Techniques by name: short programs that a skill has its agent run, a file a language; and honest ones with the same
// powers.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "interlock/scan/scanner.h"
#include "static/packages_for_test.h"

namespace interlock::scan {
namespace {

struct Technique {
  std::string name;
  std::string program;
  bool gap = false;
};

std::vector<std::string> LinesOf(const std::string& name) {
  std::ifstream file(std::string(INTERLOCK_TESTDATA) + "/techniques/" + name + ".txt");
  EXPECT_TRUE(file) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(std::move(line));
  }
  return lines;
}

Technique Read(std::string line) {
  Technique out;
  if (line.starts_with("? ")) {
    out.gap = true;
    line.erase(0, 2);
  }
  const std::size_t tab = line.find('\t');
  EXPECT_NE(tab, std::string::npos) << line;
  out.name = line.substr(0, tab);
  out.program = line.substr(tab + 1);
  return out;
}

ScanReport ScanOne(const std::string& language, std::string program) {
  if (language != "sh") {
    for (std::size_t at = program.find("\\n"); at != std::string::npos; at = program.find("\\n", at + 1)) {
      if (at > 0 && program[at - 1] == '\\') continue;
      program.replace(at, 2, "\n");
    }
  } else {
    program.insert(0, "#!/bin/bash\n");
  }
  core::PackageView view;
  view.files.push_back(
      {.path = "SKILL.md",
       .bytes = "---\nname: helper-notes\ndescription: Formats notes.\n---\n# Notes\n\nRun `scripts/go." + language +
                "`.\n"});
  view.files.push_back({.path = "scripts/go." + language, .bytes = program + "\n"});
  return Scan(view, {});
}

TEST(Techniques, EachHasAPersonLook) {
  for (const std::string& language : std::vector<std::string>{"sh", "ps1", "py", "js", "go", "rs"}) {
    std::size_t seen = 0;
    for (const std::string& line : LinesOf(language)) {
      const Technique technique = Read(line);
      const ScanReport report = ScanOne(language, technique.program);
      const bool caught = report.verdict != core::ScanVerdict::kSafe;
      seen += caught ? 1 : 0;
      // A gap that has been closed is to be marked so.
      EXPECT_EQ(caught, !technique.gap) << language << " " << technique.name << ": " << report.summary;
    }
    EXPECT_GE(seen, 25U) << language;
  }
}

TEST(Techniques, HonestOnesStaySafe) {
  std::size_t count = 0;
  for (const std::string& line : LinesOf("honest")) {
    const std::size_t tab = line.find('\t');
    const Technique technique = Read(line.substr(tab + 1));
    const ScanReport report = ScanOne(line.substr(0, tab), technique.program);
    EXPECT_EQ(report.verdict, core::ScanVerdict::kSafe)
        << line.substr(0, tab) << " " << technique.name << ": " << report.summary;
    ++count;
  }
  EXPECT_GE(count, 25U);
}

// Scans each package of a file; its number without the gaps. A gap that has been closed is to be marked so.
std::size_t ExpectOf(const std::string& name, bool seen) {
  std::size_t count = 0;
  for (const NamedPackage& package : PackagesOf(name)) {
    const ScanReport report = Scan(package.view, {});
    const bool gap = package.name.starts_with("? ");
    EXPECT_EQ(report.verdict != core::ScanVerdict::kSafe, seen && !gap) << package.name << ": " << report.summary;
    count += gap ? 0 : 1;
  }
  return count;
}

TEST(Packages, AreFollowedThroughSettingsAndModules) {
  EXPECT_GE(ExpectOf("followed", true), 100U);
  EXPECT_GE(ExpectOf("settings", true), 15U);
  EXPECT_GE(ExpectOf("typed", true), 51U);
  EXPECT_GE(ExpectOf("addresses", true), 41U);
  EXPECT_GE(ExpectOf("modules", true), 115U);
  EXPECT_GE(ExpectOf("connected", true), 38U);
  EXPECT_GE(ExpectOf("kept", true), 28U);
  EXPECT_GE(ExpectOf("honest", false), 105U);
}

// A person looks at a package that is full of samples of attacks and says so; nothing BLOCKs it.
TEST(Packages, SamplesOfAttacksAreNoGroundToBlock) {
  const std::vector<NamedPackage> packages = PackagesOf("samples");
  ASSERT_FALSE(packages.empty());
  for (const NamedPackage& package : packages)
    EXPECT_EQ(Scan(package.view, {}).verdict, core::ScanVerdict::kWarn) << package.name;
}

TEST(Packages, WhatIsHandedOnIsFollowed) {
  EXPECT_GE(ExpectOf("handed", true), 111U);
  EXPECT_GE(ExpectOf("channels", true), 115U);
  EXPECT_GE(ExpectOf("woven", true), 15U);
  EXPECT_GE(ExpectOf("fetched", true), 25U);
  EXPECT_GE(ExpectOf("plain", true), 209U);
  EXPECT_GE(ExpectOf("harm", true), 25U);
  EXPECT_GE(ExpectOf("named", true), 107U);
  EXPECT_GE(ExpectOf("loaded", true), 33U);
  EXPECT_GE(ExpectOf("forwarded", true), 13U);
  EXPECT_GE(ExpectOf("carried", true), 113U);
}

// Through libraries of services, options that helpers hand on, and containers that are filled.
TEST(Packages, WhatLeavesByLibrariesAndOptions) {
  EXPECT_GE(ExpectOf("libraries", true), 195U);
  EXPECT_GE(ExpectOf("options", true), 159U);
  EXPECT_GE(ExpectOf("libraries_honest", false), 32U);
}

// Fields that are declared with a type, connections that are handed on, headers that are copied.
TEST(Packages, WhatClientsInFieldsSend) {
  EXPECT_GE(ExpectOf("connections", true), 203U);
  EXPECT_GE(ExpectOf("connections_honest", false), 26U);
}

// What the user is not to learn, in twenty languages; capitals too. What is reported otherwise than it is.
TEST(Packages, WhatPeopleAreNotToLearn) {
  EXPECT_GE(ExpectOf("secrecy", true), 80U);
  EXPECT_GE(ExpectOf("secrecy_honest", false), 68U);
  EXPECT_GE(ExpectOf("misreported", true), 14U);
  EXPECT_GE(ExpectOf("misreported_honest", false), 17U);
}

TEST(Packages, WhatKeepsAnEstateSafeStands) {
  EXPECT_GE(ExpectOf("walls", true), 77U);
  EXPECT_GE(ExpectOf("walls_told", false), 68U);
  EXPECT_GE(ExpectOf("peers", true), 41U);
  EXPECT_GE(ExpectOf("servers", true), 125U);
  EXPECT_GE(ExpectOf("servers_honest", false), 65U);
  EXPECT_GE(ExpectOf("destroyed", true), 80U);
}

// Scripts that scripts write, programs that are packed, what leaves by the ways that nobody answers on.
TEST(Packages, WhatNobodyHears) {
  EXPECT_GE(ExpectOf("unheard", true), 40U);
  EXPECT_GE(ExpectOf("unheard_honest", false), 22U);
}

// One command, whatever its text goes through on its way to what runs it, and whatever runs it.
TEST(Packages, WhatTextsGoThrough) {
  EXPECT_GE(ExpectOf("shapes", true), 157U);
  EXPECT_GE(ExpectOf("shapes_honest", false), 17U);
  EXPECT_GE(ExpectOf("callees", true), 144U);
  EXPECT_GE(ExpectOf("callees_honest", false), 7U);
  EXPECT_GE(ExpectOf("shelled", true), 132U);
  EXPECT_GE(ExpectOf("shelled_honest", false), 18U);
}

TEST(Packages, DoorsInChecksOfAccess) {
  EXPECT_GE(ExpectOf("doors", true), 36U);
  EXPECT_GE(ExpectOf("doors_honest", false), 11U);
}

TEST(Packages, WhereBuildersFetchFrom) {
  EXPECT_GE(ExpectOf("sources", true), 63U);
  EXPECT_GE(ExpectOf("sources_honest", false), 21U);
}

TEST(Packages, WhatToolsAreSaidToBeInOtherLanguages) {
  EXPECT_GE(ExpectOf("described", true), 74U);
  EXPECT_GE(ExpectOf("described_honest", false), 39U);
}

TEST(Packages, MoreCodeThanIsFollowedIsNamedAndNeverLooksClean) {
  core::PackageView view;
  view.target = "package";
  view.files.push_back({.path = "bundle.js", .bytes = "export const a = " + std::string(2'000, '1') + ";\n"});
  view.files.push_back({.path = "index.js", .bytes = "require('child_process').exec(process.argv[2]);\n"});
  ScanOptions options;
  EXPECT_TRUE(Scan(view, options).coverage.skipped.empty());
  options.max_code_bytes = 1'000;
  const ScanReport report = Scan(view, options);
  ASSERT_EQ(report.coverage.skipped.size(), 1U);
  EXPECT_EQ(report.coverage.skipped[0].path, "bundle.js");  // the small one is read first
  EXPECT_EQ(report.coverage.skipped[0].reason, core::SkipReason::kParserBudget);
  EXPECT_NE(report.verdict, core::ScanVerdict::kSafe);
}

TEST(Packages, WhatIsToldOrBuiltInParts) {
  EXPECT_GE(ExpectOf("parts", true), 24U);
  EXPECT_GE(ExpectOf("parts_honest", false), 14U);
}

// What is fetched, unpacked or written at one place, and run at another; and what is taken by ways that read harmless.
TEST(Packages, WhatComesInStages) {
  EXPECT_GE(ExpectOf("stages", true), 37U);
  EXPECT_GE(ExpectOf("taken", true), 25U);
  EXPECT_GE(ExpectOf("stages_honest", false), 25U);
}

// One of the values that a loop, a condition or a list of arguments may give, and not the first.
TEST(Packages, WhatAVariableMayBe) {
  EXPECT_GE(ExpectOf("perhaps", true), 25U);
  EXPECT_GE(ExpectOf("perhaps_honest", false), 7U);
}

// Settings and commands that a guide shows are what its reader writes and runs; plain ways of shells beside them.
TEST(Packages, WhatGuidesShow) {
  EXPECT_GE(ExpectOf("guides", true), 29U);
  EXPECT_GE(ExpectOf("guides_honest", false), 15U);
}

// Settings that let others in or send their visitors on, environments that are set by the table, doors known by a
// digest.
TEST(Packages, WhatSettingsDo) {
  EXPECT_GE(ExpectOf("estates", true), 20U);
  EXPECT_GE(ExpectOf("estates_honest", false), 16U);
}

// What is sent beside a tool's work: requests that nobody hears the answer of, tables that clients are made of.
TEST(Packages, WhatNobodyAnswers) {
  EXPECT_GE(ExpectOf("unanswered", true), 10U);
  EXPECT_GE(ExpectOf("unanswered_honest", false), 5U);
}

TEST(Packages, WhatADrawShowedToBeHonest) {
  EXPECT_GE(ExpectOf("drawn_honest", false), 75U);
  EXPECT_GE(ExpectOf("drawn", true), 104U);
}

}  // namespace
}  // namespace interlock::scan
