// Declared against exercised.
#include "static/permissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "static/classify.h"

namespace interlock::scan {
namespace {

using core::BitOf;
using core::Permission;
using core::PermissionSet;
using core::Reach;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Package {
 public:
  explicit Package(std::vector<std::pair<std::string, std::string>> files) {
    for (auto& [path, bytes] : files) view_.files.push_back({.path = path, .bytes = bytes});
    contexts_ = ClassifyFiles(view_, KindOfPackage(view_));
  }
  [[nodiscard]] const std::vector<FileContext>& files() const { return contexts_; }
  [[nodiscard]] Declaration declaration() const { return ReadDeclaration(contexts_); }

 private:
  core::PackageView view_;
  std::vector<FileContext> contexts_;
};

Declaration OfSkill(const std::string& matter) {
  return Package({{"SKILL.md", "---\nname: x\n" + matter + "---\n# X\n"}, {"a.py", "x = 1\n"}}).declaration();
}

TEST(Permissions, AllowedToolsInEveryShape) {
  const PermissionSet read = BitOf(Permission::kFilesystemRead);
  const PermissionSet net = BitOf(Permission::kNetworkEgress);
  EXPECT_FALSE(OfSkill("").declares);
  for (const char* matter :
       {"allowed-tools: Read, WebFetch\n", "allowed-tools: [Read, WebFetch]\n",
        "allowed-tools:\n  - Read\n  - WebFetch\n", "allowed-tools:\n- Read\n- WebFetch\nother: 1\n",
        "allowed-tools: \"Read\", 'WebFetch'\r\n", "allowed-tools: Read(./docs/**) WebFetch(domain:a.example)\n"}) {
    const Declaration declaration = OfSkill(matter);
    EXPECT_TRUE(declaration.declares) << matter;
    EXPECT_TRUE(declaration.by_host_tools) << matter;
    EXPECT_EQ(declaration.permissions, read | net) << matter;
  }
  EXPECT_EQ(OfSkill("allowed-tools: Read\nother: WebFetch\n").permissions, read);
  EXPECT_EQ(OfSkill("allowed-tools: mcp__search__query\n").permissions, net);
  // A shell can do everything, whatever its pattern says.
  EXPECT_NE(OfSkill("allowed-tools: Bash(ls:*)\n").permissions & BitOf(Permission::kSecretsRead), 0U);
  // A byte order mark, other line ends and another closing line hide nothing.
  for (const char* text : {"\xEF\xBB\xBF---\nallowed-tools: Read\n---\n", "---\r\nallowed-tools: Read\r\n...\r\n"}) {
    const Package package({{"SKILL.md", text}, {"a.py", ""}});
    const Declaration declaration = package.declaration();
    EXPECT_EQ(declaration.permissions, read) << text;
    EXPECT_TRUE(package.files().front().text().substr(declaration.bytes.begin).starts_with("allowed-tools: Read"));
  }
  // Not front matter.
  EXPECT_FALSE(Package({{"SKILL.md", "# X\nallowed-tools: Read\n"}, {"a.py", ""}}).declaration().declares);
  EXPECT_FALSE(Package({{"SKILL.md", "---\nallowed-tools: Read\n"}, {"a.py", ""}}).declaration().declares);
}

TEST(Permissions, ManifestsInOurWords) {
  const auto of = [](const std::string& json) {
    return Package({{"manifest.json", json}, {"a.py", "x = 1\n"}}).declaration();
  };
  EXPECT_EQ(of(R"({"permissions":["network:egress","filesystem:read"]})").permissions,
            BitOf(Permission::kNetworkEgress) | BitOf(Permission::kFilesystemRead));
  // Nothing at all is a promise too.
  EXPECT_TRUE(of(R"({"permissions":[]})").declares);
  EXPECT_EQ(of(R"({"permissions":[]})").permissions, 0U);
  // A browser extension's words are not ours.
  EXPECT_FALSE(of(R"({"permissions":["tabs","storage"]})").declares);
  EXPECT_FALSE(of(R"({"permissions":"network:egress"})").declares);
  EXPECT_FALSE(of(R"({"permissions":["network:egress")").declares);
  // Of a test's data nobody is told.
  EXPECT_FALSE(Package({{"tests/manifest.json", R"({"permissions":[]})"}, {"a.py", ""}}).declaration().declares);
}

struct Compared {
  ScanReport report;
  std::vector<RawFinding> findings;
};

Compared Compare(const Package& package, const code::CodeFacts& facts) {
  Compared out;
  ComparePermissions(package.files(), facts, package.declaration(), out.report, out.findings);
  return out;
}

code::CapabilityUse Use(Permission permission, std::uint32_t file, std::string detail = {}) {
  code::CapabilityUse use;
  use.permission = permission;
  use.file = file;
  use.detail = std::move(detail);
  use.callee = "call";
  return use;
}

std::vector<std::string> Subjects(const std::vector<RawFinding>& findings) {
  std::vector<std::string> out;
  for (const RawFinding& finding : findings) {
    EXPECT_EQ(finding.rule, "PE-DELTA-001");
    out.push_back(finding.subject);
  }
  return out;
}

TEST(Permissions, ABrokenPromiseIsAFinding) {
  const Package silent({{"a.py", "x = 1\n"}, {"package.json", "{}"}});
  const Package promise({{"a.py", "x = 1\n"}, {"manifest.json", R"({"permissions":["filesystem:read"]})"}});
  code::CodeFacts facts;
  facts.uses = {Use(Permission::kFilesystemRead, 0), Use(Permission::kNetworkEgress, 0),
                Use(Permission::kSubprocess, 0), Use(Permission::kNetworkEgress, 0, "elsewhere")};
  EXPECT_THAT(Subjects(Compare(promise, facts).findings),
              UnorderedElementsAre(core::NameOf(Permission::kNetworkEgress), core::NameOf(Permission::kSubprocess)));
  EXPECT_THAT(Subjects(Compare(silent, facts).findings), IsEmpty());
}

TEST(Permissions, WorseAndHiddenUsesWeighMore) {
  const Package promise({{"a.py", "x = 1\n"}, {"manifest.json", R"({"permissions":[]})"}});
  const auto scale = [&](Permission permission, std::uint8_t obfuscation) {
    code::CodeFacts facts;
    facts.uses = {Use(permission, 0)};
    facts.uses[0].obfuscation = obfuscation;
    const Compared compared = Compare(promise, facts);
    return compared.findings.size() == 1 ? compared.findings[0].scale : -1.0;
  };
  EXPECT_GT(scale(Permission::kSecretsRead, 0), scale(Permission::kNetworkEgress, 0));
  EXPECT_GT(scale(Permission::kNetworkEgress, 0), scale(Permission::kFilesystemRead, 0));
  EXPECT_GT(scale(Permission::kNetworkEgress, 2), scale(Permission::kNetworkEgress, 1));
  EXPECT_GT(scale(Permission::kFilesystemRead, 0), 0.0);
}

// allowed-tools limits what the agent does by itself, not what a script that it starts may do.
TEST(Permissions, HostToolsBindTheHostOnly) {
  const Package skill({{"SKILL.md", "---\nname: x\nallowed-tools: Read\n---\n"}, {"a.py", "x = 1\n"}});
  code::CodeFacts facts;
  facts.uses = {Use(Permission::kNetworkEgress, 1)};
  const Compared compared = Compare(skill, facts);
  EXPECT_THAT(compared.findings, IsEmpty());
  EXPECT_TRUE(compared.report.declares);
}

TEST(Permissions, WhatTestsUseThePackageDoesNotExercise) {
  const Package promise(
      {{"a.py", "x = 1\n"}, {"manifest.json", R"({"permissions":[]})"}, {"tests/test_a.py", "y = 1\n"}});
  code::CodeFacts facts;
  facts.uses = {Use(Permission::kSubprocess, 2, "sh")};
  const Compared compared = Compare(promise, facts);
  EXPECT_THAT(compared.findings, IsEmpty());
  EXPECT_EQ(compared.report.exercised, 0U);
  ASSERT_EQ(compared.report.permissions.size(), 1U);  // listed all the same, with its place
  EXPECT_EQ(compared.report.permissions[0].reach, Reach::kTest);
}

TEST(Permissions, ToolsGetWhatTheyReach) {
  const Package package({{"a.py", "one\ntwo\n"}, {"b.py", "x\n"}});
  code::CodeFacts facts;
  code::EntryPoint first;
  first.name = "fetch";
  first.kind = "mcp-tool";
  first.file = 0;
  first.loc = {4, 7};
  code::EntryPoint second = first;
  second.name = "list";
  facts.entries = {first, second};
  facts.uses = {Use(Permission::kNetworkEgress, 1, "api.example"), Use(Permission::kNetworkEgress, 1, "api.example"),
                Use(Permission::kFilesystemRead, 1)};
  facts.uses[0].entries = {0, 99};  // 99: no such entry
  facts.uses[2].entries = {0, 1};
  const ScanReport report = Compare(package, facts).report;
  ASSERT_EQ(report.tools.size(), 2U);
  EXPECT_EQ(report.tools[0].line, 2U);
  EXPECT_EQ(report.tools[0].exercised, BitOf(Permission::kNetworkEgress) | BitOf(Permission::kFilesystemRead));
  EXPECT_EQ(report.tools[1].exercised, BitOf(Permission::kFilesystemRead));
  ASSERT_EQ(report.permissions.size(), 2U);
  EXPECT_EQ(report.permissions[0].detail, "api.example");
  EXPECT_EQ(report.permissions[0].reach, Reach::kTool);
  EXPECT_THAT(report.permissions[0].tools, ElementsAre("fetch"));
  EXPECT_EQ(report.permissions[1].detail, "call");
}

// Two tools of one name are two tools.
TEST(Permissions, ToolsOfOneNameAreKeptApart) {
  const Package package({{"a.py", "x\n"}, {"b.py", "y\n"}});
  code::CodeFacts facts;
  code::EntryPoint entry;
  entry.name = "fetch";
  entry.file = 0;
  facts.entries = {entry, entry};
  facts.uses = {Use(Permission::kNetworkEgress, 0)};
  facts.uses[0].entries = {1};
  const ScanReport report = Compare(package, facts).report;
  ASSERT_EQ(report.tools.size(), 2U);
  EXPECT_EQ(report.tools[0].exercised, 0U);
  EXPECT_EQ(report.tools[1].exercised, BitOf(Permission::kNetworkEgress));
}

}  // namespace
}  // namespace interlock::scan
