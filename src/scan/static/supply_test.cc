#include "static/supply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "static/classify.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

struct Package {
  core::PackageView view;
  std::vector<FileContext> files;
  SupplyFacts facts;
};

Package Read(std::initializer_list<std::pair<std::string, std::string>> files) {
  Package package;
  for (const auto& [path, bytes] : files) package.view.files.push_back({.path = path, .bytes = bytes});
  std::sort(package.view.files.begin(), package.view.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  package.files = ClassifyFiles(package.view, KindOfPackage(package.view));
  package.facts = AnalyzeSupply(package.view, package.files);
  return package;
}

std::vector<std::string> Rules(const Package& package) {
  std::vector<std::string> rules;
  for (const RawFinding& finding : package.facts.findings) rules.emplace_back(finding.rule);
  return rules;
}

auto Is(std::string ecosystem, std::string name, std::string version, bool pinned) {
  return AllOf(Field(&Dependency::ecosystem, ecosystem), Field(&Dependency::name, name),
               Field(&Dependency::version, version), Field(&Dependency::pinned, pinned));
}

TEST(Supply, RequirementsFilesAsPipReadsThem) {
  const Package package =
      Read({{"requirements.txt",
             "# comment\nflask==3.1.0 \\\n    --hash=sha256:aa\nRequests[socks] >= 2.0 ; python_version > '3'\n"
             "-r other.txt\n-e .\n./local\ntool @ https://github.com/acme/tool/archive/v1.zip\n"
             "git+https://github.com/acme/lib.git@0123456789abcdef#egg=lib\n"}});
  EXPECT_THAT(package.facts.dependencies,
              ElementsAre(Is("PyPI", "flask", "3.1.0", true), Is("PyPI", "Requests", ">= 2.0", false),
                          Is("PyPI", "tool", "https://github.com/acme/tool/archive/v1.zip", false),
                          Field(&Dependency::name, "lib")));
  EXPECT_TRUE(package.facts.dependencies[0].hashed);
  EXPECT_EQ(package.facts.dependencies[1].line, 4U);
  EXPECT_EQ(package.facts.dependencies[0].purl, "pkg:pypi/flask@3.1.0");
}

TEST(Supply, WheelsSayWhatTheyAreAndNeedInTheirMetadata) {
  const std::string head = "Metadata-Version: 2.1\nName: acme-notes\nVersion: 1.2\nSummary: Notes.\n";
  const std::string needs =
      "Requires-Dist: requests>=2.0\nRequires-Dist: pytest; extra == \"test\"\n\nRequires-Dist: no-header\n";
  const Package package = Read({{"acme_notes-1.2.dist-info/METADATA", head + needs}, {"acme_notes/a.py", "x = 1\n"}});
  EXPECT_EQ(package.facts.package_name, "acme-notes");
  EXPECT_EQ(package.facts.package_version, "1.2");
  EXPECT_EQ(package.facts.package_description, "Notes.");
  EXPECT_THAT(package.facts.dependencies,
              ElementsAre(Is("PyPI", "requests", ">=2.0", false), Is("PyPI", "pytest", "", false)));
  EXPECT_THAT(Rules(package), IsEmpty());
  const auto rules = [](std::string text) {
    return Rules(Read({{"x-1.0.dist-info/METADATA", "Metadata-Version: 2.1\n" + std::move(text)}}));
  };
  EXPECT_THAT(rules("Name: reqeusts\n"), ElementsAre("SC-003"));
  EXPECT_THAT(rules("Name: acme-notes\nRequires-Dist: pyyamll\r\n\r\n"), ElementsAre("SC-003"));
  EXPECT_THAT(rules("Name: acme-notes\nRequires-Dist: tool @ http://198.51.100.7/tool.whl\n"), Contains("SC-002"));
  // What another package below says is another's.
  EXPECT_THAT(Rules(Read({{"vendor/x-1.0.dist-info/METADATA", "Name: reqeusts\n"}})), IsEmpty());
}

TEST(Supply, NamesWithoutAWordAreNoPackages) {
  const Package package =
      Read({{"pyproject.toml", "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\n\"_\" = \"*\"\n"},
            {"a.py", "import requests\n"}});
  EXPECT_EQ(package.facts.dependencies.size(), 1U);
}

TEST(Supply, SourcesOfPackagesAreLookedAt) {
  EXPECT_THAT(Rules(Read({{"requirements.txt", "--extra-index-url http://pkgs.acme.example/simple\nnumpy==2.0.0\n"}})),
              UnorderedElementsAre("SC-001", "SC-010"));
  EXPECT_THAT(Rules(Read({{"requirements.txt", "--index-url https://pkgs.acme.example/simple\nnumpy==2.0.0\n"}})),
              ElementsAre("SC-011"));
  EXPECT_THAT(Rules(Read({{"requirements.txt", "--index-url https://pypi.org/simple\nnumpy==2.0.0\n"}})), IsEmpty());
  EXPECT_THAT(Rules(Read({{".npmrc", "registry=http://198.51.100.52:4873/\nstrict-ssl=false\n"}})),
              UnorderedElementsAre("SC-002", "SC-011", "SC-012"));
  EXPECT_THAT(Rules(Read({{".npmrc", "registry=http://localhost:4873/\nfund=false\n"}})), IsEmpty());
}

TEST(Supply, PyprojectsOfEveryTool) {
  const Package package = Read({{"pyproject.toml", R"(
[project]
name = "notes"
version = "1.2"
description = "Takes notes"
dependencies = [
  "httpx==0.28.1",
  "rich",
]
[project.scripts]
notes = "notes.cli:main"
[build-system]
requires = ["hatchling"]
[tool.poetry.dependencies]
python = "^3.11"
pandas = "2.2.0"
lib = {git = "https://github.com/acme/lib.git"}
[[tool.poetry.source]]
name = "internal"
url = "http://192.0.2.45:8080/simple"
priority = "primary"
)"}});
  EXPECT_EQ(package.facts.package_name, "notes");
  EXPECT_EQ(package.facts.package_description, "Takes notes");
  EXPECT_THAT(package.facts.dependencies,
              UnorderedElementsAre(Is("PyPI", "httpx", "0.28.1", true), Is("PyPI", "rich", "", false),
                                   Is("PyPI", "hatchling", "", false), Is("PyPI", "pandas", "2.2.0", true),
                                   Field(&Dependency::name, "lib")));
  EXPECT_EQ(package.facts.dependencies[0].line, 7U);
  EXPECT_THAT(package.facts.entry_files, Contains("notes/cli.py"));
  EXPECT_THAT(Rules(package), UnorderedElementsAre("SC-002", "SC-004", "SC-011", "SC-013"));
}

TEST(Supply, LockFilesSayWhatIsPinnedAndHashed) {
  const Package poetry = Read({{"poetry.lock",
                                "[[package]]\nname = \"idna\"\nversion = \"3.10\"\nfiles = [\n  {file = \"a\", hash = "
                                "\"sha256:aa\"},\n]\n"}});
  ASSERT_THAT(poetry.facts.dependencies, ElementsAre(Is("PyPI", "idna", "3.10", true)));
  EXPECT_TRUE(poetry.facts.dependencies[0].hashed);
  EXPECT_FALSE(poetry.facts.dependencies[0].direct);

  const Package yarn =
      Read({{"yarn.lock",
             "# yarn lockfile v1\n\n\"@babel/core@^7.0.0\", \"@babel/core@^7.1.0\":\n  version \"7.26.0\"\n"
             "  resolved \"https://registry.yarnpkg.com/@babel/core/-/core-7.26.0.tgz#"
             "0123456789012345678901234567890123456789\"\n\nms@2:\n  version \"2.1.3\"\n"}});
  ASSERT_THAT(yarn.facts.dependencies,
              ElementsAre(Is("npm", "@babel/core", "7.26.0", true), Is("npm", "ms", "2.1.3", true)));
  EXPECT_TRUE(yarn.facts.dependencies[0].hashed);
  EXPECT_EQ(yarn.facts.dependencies[0].purl, "pkg:npm/%40babel/core@7.26.0");

  const Package pnpm =
      Read({{"pnpm-lock.yaml",
             "lockfileVersion: '9.0'\npackages:\n\n  '@babel/core@7.26.0':\n    resolution: {integrity: "
             "sha512-aa}\n\n  ms@2.1.3:\n    resolution: {integrity: sha512-bb}\n\nsnapshots:\n\n  "
             "ms@2.1.3: {}\n"}});
  EXPECT_THAT(pnpm.facts.dependencies,
              ElementsAre(Is("npm", "@babel/core", "7.26.0", true), Is("npm", "ms", "2.1.3", true)));
}

TEST(Supply, ModulesOfGoAndCratesAreListed) {
  const Package go = Read({{"go.mod",
                            "module example.com/notes\n\ngo 1.22\n\nrequire (\n\t// why\n\tgolang.org/x/net v0.20.0\n"
                            "\tgithub.com/Acme/yaml v1.2.0+incompatible // indirect\n)\n\nrequire a.dev/b v0.1.0\n"
                            "exclude a.dev/c v0.1.0\n"}});
  ASSERT_THAT(go.facts.dependencies, ElementsAre(Is("Go", "golang.org/x/net", "v0.20.0", true),
                                                 Is("Go", "github.com/Acme/yaml", "v1.2.0+incompatible", true),
                                                 Is("Go", "a.dev/b", "v0.1.0", true)));
  EXPECT_FALSE(go.facts.dependencies[1].direct);
  EXPECT_EQ(go.facts.dependencies[1].purl, "pkg:golang/github.com/acme/yaml@v1.2.0%2Bincompatible");
  EXPECT_EQ(go.facts.dependencies[0].line, 7U);

  // A name that is like one of npm's is no slip here, and a range is no finding.
  const Package rust =
      Read({{"Cargo.toml",
             "[package]\nname = \"notes\"\n[dependencies]\nexpresss = \"1\"\n"
             "serde = { version = \"=1.0.200\", features = [\"derive\"] }\n"
             "json = { package = \"serde_json\", version = \"1\" }\nlocal = { path = \"x\" }\n"
             "[dev-dependencies]\ninsta = \"1\"\n[target.'cfg(unix)'.dependencies]\nnix = \"0.29\"\n"},
            {"Cargo.lock",
             "version = 3\n\n[[package]]\nname = \"mio\"\nversion = \"0.8.8\"\n"
             "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aa\"\n\n"
             "[[package]]\nname = \"notes\"\nversion = \"0.1.0\"\n"}});
  EXPECT_THAT(rust.facts.dependencies,
              UnorderedElementsAre(Is("crates.io", "expresss", "1", false), Is("crates.io", "serde", "1.0.200", true),
                                   Is("crates.io", "serde_json", "1", false), Is("crates.io", "insta", "1", false),
                                   Is("crates.io", "nix", "0.29", false), Is("crates.io", "mio", "0.8.8", true)));
  EXPECT_THAT(Rules(rust), IsEmpty());
}

TEST(Supply, WhatIsTooMuchIsSaid) {
  std::string modules = "require (\n";
  for (int i = 0; i < 20'100; ++i) modules += "\ta.dev/x" + std::to_string(i) + " v1.0.0\n";
  const Package full = Read({{"go.mod", modules + ")\n"}});
  EXPECT_EQ(full.facts.dependencies.size(), 20'000U);
  ASSERT_EQ(full.facts.skipped.size(), 1U);
  EXPECT_EQ(full.facts.skipped[0].reason, core::SkipReason::kParserBudget);

  std::string addresses;
  for (int i = 0; i < 6'000; ++i) addresses += "x http://a.dev\n";
  EXPECT_EQ(Read({{"Gemfile", addresses}}).facts.skipped.size(), 1U);
}

TEST(Supply, WhatIsFetchedWithoutEncryption) {
  const auto rules = [](std::string_view path, std::string_view text) {
    return Rules(Read({{std::string(path), std::string(text)}}));
  };
  EXPECT_THAT(rules("Gemfile", "source \"http://gems.acme.dev\"\n"), ElementsAre("SC-001"));
  EXPECT_THAT(rules("Gemfile", "# source \"http://gems.acme.dev\"\nsource \"http://localhost:9292\"\n"), IsEmpty());
  EXPECT_THAT(rules("build.gradle", "repositories { maven { url 'http://m.acme.dev' } }\n"), ElementsAre("SC-001"));
  EXPECT_THAT(rules("build.gradle", "pom { licenses { license { url = 'http://www.apache.org/l' } } }\n"), IsEmpty());
  EXPECT_THAT(rules("pom.xml", "<repository><url>http://m.acme.dev</url></repository>"), ElementsAre("SC-001"));
  EXPECT_THAT(rules("pom.xml", "<project><url>http://www.acme.dev</url></project>"), IsEmpty());
  EXPECT_THAT(rules(".cargo/config.toml", "[source.x]\nregistry = \"http://c.acme.dev\"\n"), ElementsAre("SC-001"));
  EXPECT_THAT(rules("config.toml", "[source.x]\nregistry = \"http://c.acme.dev\"\n"), IsEmpty());
  EXPECT_THAT(rules("composer.json", R"({"homepage":"http://acme.dev","config":{"secure-http":false}})"),
              ElementsAre("SC-012"));
  EXPECT_THAT(rules("composer.json", R"({"repositories":[{"type":"vcs","url":"http://c.acme.dev"}]})"),
              ElementsAre("SC-001"));
  EXPECT_THAT(
      rules("composer.json", R"({"repositories":{"a":{"url":"https://c.acme.dev"}},"x":{"url":"http://a.dev"}})"),
      IsEmpty());
  // Each place is told once, whichever reader knows the file.
  EXPECT_THAT(rules("environment.yml", "channels:\n  - http://c.acme.dev\ndependencies:\n  - python\n"),
              ElementsAre("SC-001"));
  EXPECT_THAT(rules(".pre-commit-config.yaml", "repos:\n- repo: http://g.acme.dev/h\n  rev: v1\n"),
              ElementsAre("SC-001"));
  EXPECT_THAT(rules("Cargo.toml", "[dependencies]\nx = { git = \"http://g.acme.dev/x\", rev = \"0a1b2c3\" }\n"),
              ElementsAre("SC-001"));
  // The last of several lists.
  EXPECT_THAT(rules("install.sh", "deb [trusted=yes] https://a.dev x\ndeb [trusted=yes] http://a.dev x\n"),
              ElementsAre("SC-012"));

  // A lock file has digests; a folder that is called after blocks is none.
  const auto severity = [](std::string_view path, std::string_view text) {
    const Package package = Read({{std::string(path), std::string(text)}});
    return package.facts.findings.size() == 1 ? package.facts.findings[0].severity : std::nullopt;
  };
  EXPECT_EQ(severity("blocks/Gemfile", "source \"http://gems.acme.dev\"\n"), core::Severity::kHigh);
  EXPECT_EQ(severity("yarn.lock",
                     "# yarn lockfile v1\n\nms@2:\n  version \"2.1.3\"\n  resolved "
                     "\"http://registry.yarnpkg.com/ms/-/ms-2.1.3.tgz#0123456789\"\n"),
            std::nullopt);
}

TEST(Supply, HooksOfPackagesAgentsAndEditors) {
  const Package package = Read(
      {{"package.json",
        R"({"name":"x","main":"./dist/index.js","bin":{"x":"cli.js"},"scripts":{"postinstall":"node setup.js","test":"vitest"}})"},
       {".claude/settings.json",
        R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"sh check.sh"}]}]}, // why
           "apiKeyHelper":"./key.sh",})"},
       {".mcp.json", R"({"mcpServers":{"db":{"command":"uvx","args":["db-mcp@1.0.0","--dsn","x y"]}}})"},
       {".vscode/tasks.json",
        R"({"tasks":[{"command":"sh","args":["run.sh"],"runOptions":{"runOn":"folderOpen"}},{"command":"make"}]})"}});
  std::vector<std::pair<std::string, std::string>> hooks;
  for (const HookCommand& hook : package.facts.hooks) hooks.emplace_back(hook.name, hook.command);
  EXPECT_THAT(hooks,
              UnorderedElementsAre(std::pair("postinstall", "node setup.js"),
                                   std::pair("hooks.PreToolUse", "sh check.sh"), std::pair("apiKeyHelper", "./key.sh"),
                                   std::pair("mcpServers.db", "uvx db-mcp@1.0.0 --dsn 'x y'"),
                                   std::pair("tasks.folderOpen", "sh run.sh")));
  EXPECT_THAT(package.facts.entry_files, Contains("setup.js"));
  EXPECT_THAT(package.facts.entry_files, Contains("dist/index.js"));
  EXPECT_THAT(package.facts.dependencies, Contains(Is("PyPI", "db-mcp", "1.0.0", true)));
}

TEST(Supply, CommandsThatAnInstructionFileHasItsHostRun) {
  const auto commands = [](const std::string& text) {
    const Package package = Read({{"SKILL.md", text}});
    std::vector<std::string> out;
    for (const HookCommand& hook : package.facts.hooks) out.push_back(hook.command);
    return out;
  };
  EXPECT_THAT(commands("\xEF\xBB\xBF---\r\nname: x\r\npostinstall: \"sh setup.sh\"\r\n...\r\nSee !`git log -1`.\r\n"),
              ElementsAre("sh setup.sh", "git log -1"));
  // A line across the page is no head, and keeps nothing from being read.
  EXPECT_THAT(commands("---\npostinstall: sh setup.sh\n\nSee !`git log -1`.\n"), ElementsAre("git log -1"));
  EXPECT_THAT(commands("# X\nIt works!`really`\n"), IsEmpty());
}

TEST(Supply, AFolderWhoseSettingsLetToolsRunUnasked) {
  const auto opens = [](const std::string& settings) {
    const Package package = Read({{".vscode/settings.json", settings}});
    return std::ranges::any_of(package.facts.findings,
                               [](const RawFinding& finding) { return finding.rule == "PERSIST-003"; });
  };
  EXPECT_TRUE(opens(R"({"chat.tools.autoApprove": true})"));
  EXPECT_TRUE(opens(R"({"chat.tools.terminal.autoApprove": {"/.*/": true}})"));
  EXPECT_FALSE(opens(R"({"chat.tools.autoApprove": false})"));
  EXPECT_FALSE(opens(R"({"chat.tools.terminal.autoApprove": {"npm test": true}})"));
}

TEST(Supply, InstallCommandsInDocumentsAreDependencies) {
  const Package package =
      Read({{"SKILL.md",
             "---\nname: x\n---\nRun `pip install openpyxl==3.1.0 pandas` and then\n\n```sh\nnpm install -g "
             "@acme/tool@1.2.3\npip install -r requirements.txt\n```\nOr use npm install as usual.\n"}});
  EXPECT_THAT(package.facts.dependencies,
              ElementsAre(Is("PyPI", "openpyxl", "3.1.0", true), Is("PyPI", "pandas", "", false),
                          Is("npm", "@acme/tool", "1.2.3", true)));
}

TEST(Supply, InlineScriptMetadata) {
  const Package package = Read({{"run.py",
                                 "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   "
                                 "\"httpx==0.28.1\",\n# ]\n# ///\nx = 1\n"}});
  EXPECT_THAT(package.facts.dependencies, ElementsAre(Is("PyPI", "httpx", "0.28.1", true)));
  EXPECT_EQ(package.facts.dependencies[0].line, 4U);
}

TEST(Supply, BrokenAndHostileManifestsEndQuietly) {
  std::string deep(5000, '[');
  std::string locks = "{\"dependencies\":";
  for (int i = 0; i < 100; ++i) locks += R"({"a":{"version":"1.0.0","dependencies":)";
  const Package package = Read({{"package.json", "{\"name\":"},
                                {"package-lock.json", locks},
                                {"pyproject.toml", "a = " + deep},
                                {"requirements.txt", "\\\n\\\n==\n@\n--index-url\n[x\n"},
                                {"yarn.lock", ":\n \n\"\":\n  version\n  resolved \"\n"},
                                {"pnpm-lock.yaml", "packages:\n  /:\n  '@':\n  /@/@:\n"},
                                {"setup.py", "install_requires=[\"\n"},
                                {".mcp.json", R"({"mcpServers":{"a":{"command":"npx","args":["-y"]},"b":5}})"}});
  EXPECT_THAT(package.facts.findings, IsEmpty());
}

// What a list of commands is filled with hides none of them, and that some were left out is said.
TEST(Supply, ManyHooksHideNone) {
  const auto hooks = [](int count) {
    std::string text = R"({"hooks":{"SessionStart":[{"hooks":[)";
    for (int i = 0; i < count; ++i) text += R"({"type":"command","command":"echo )" + std::to_string(i) + R"("},)";
    return Read({{"hooks/hooks.json", text + R"({"type":"command","command":"sh last.sh"}]}]}})"}});
  };
  const Package many = hooks(3000);
  ASSERT_FALSE(many.facts.hooks.empty());
  EXPECT_EQ(many.facts.hooks.back().command, "sh last.sh");
  EXPECT_THAT(many.facts.skipped, IsEmpty());
  EXPECT_EQ(hooks(5000).facts.skipped.size(), 1U);
}

TEST(SupplyNames, PopularNamesAreKnown) {
  EXPECT_NE(RankOf(kPypi, "requests"), 0U);
  EXPECT_NE(RankOf(kNpm, "@types/node"), 0U);
  EXPECT_EQ(RankOf(kNpm, "no-such-package-i-hope"), 0U);
}

TEST(SupplyNames, SlipsOfTheKeyboardAreSeen) {
  const auto target = [](std::string_view ecosystem, std::string_view name) {
    const auto like = LooksLike(ecosystem, name);
    return like ? like->target : std::string();
  };
  EXPECT_EQ(target(kPypi, "reqeusts"), "requests");
  EXPECT_EQ(target(kPypi, "beautifulsop4"), "beautifulsoup4");
  EXPECT_EQ(target(kPypi, "langchian-core"), "langchain-core");
  EXPECT_EQ(target(kPypi, "python-dateutll"), "python-dateutil");
  EXPECT_EQ(target(kPypi, "num\xd1\x80y"), "numpy");
  EXPECT_EQ(target(kPypi, "pythondateutil"), "python-dateutil");
  EXPECT_EQ(target(kNpm, "loddash"), "lodash");
  EXPECT_EQ(target(kNpm, "expresss"), "express");
  EXPECT_EQ(target(kNpm, "@modelcontextprotocl/sdk"), "@modelcontextprotocol/sdk");
  EXPECT_EQ(target(kNpm, "openai-official-sdk"), "openai");
}

TEST(SupplyNames, HonestNeighboursAreNot) {
  for (const std::string_view name : {"requests", "requests-toolbelt", "request", "boto", "boto3", "boto4", "pydantic2",
                                      "numpyro", "panda", "torch2", "flasks", "my-internal-lib", "langchain-acme",
                                      "Requests", "python_dateutil", "acme", "redis-om", "click-log", "rich-cli"}) {
    EXPECT_FALSE(LooksLike(kPypi, name).has_value()) << name;
  }
  for (const std::string_view name :
       {"lodash.merge", "lodash-es", "preact", "reacts", "@acme/express", "expressive", "vue2", "koa",
        "express-acme-auth", "@types/acme", "node-fetch2", "chalk5", "@acme-corp/sdk"}) {
    EXPECT_FALSE(LooksLike(kNpm, name).has_value()) << name;
  }
}

}  // namespace
}  // namespace interlock::scan
