#include "interlock/policy/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace interlock::policy {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

LoadOptions Options() {
  LoadOptions options;
  options.variables = {{"cwd", "/srv/task"}, {"home", "/home/ann"}};
  return options;
}

// "E0403 6:1", with "warn:" or "expect:" in front: the form of the header comments in testdata/errors.
std::string Summary(const Diagnostic& d) {
  return std::string(d.severity == Severity::kError ? "expect: " : "warn: ") + std::string(d.error.id()) + " " +
         std::to_string(d.error.place().line) + ":" + std::to_string(d.error.place().column);
}

std::vector<std::string> Summaries(const LoadedPolicy& loaded) {
  std::vector<std::string> out;
  for (const Diagnostic& d : loaded.diagnostics) out.push_back(Summary(d));
  return out;
}

LoadedPolicy MustLoad(std::string_view yaml, const LoadOptions& options = Options()) {
  LoadedPolicy loaded = LoadPolicy(yaml, options);
  for (const Diagnostic& d : loaded.diagnostics) ADD_FAILURE() << d.ToString();
  EXPECT_NE(loaded.policy, nullptr);
  return loaded;
}

// The code and place of the only diagnostic.
std::string OnlyError(std::string_view yaml, const LoadOptions& options = Options()) {
  const LoadedPolicy loaded = LoadPolicy(yaml, options);
  EXPECT_EQ(loaded.policy, nullptr);
  return loaded.diagnostics.size() == 1 ? Summary(loaded.diagnostics[0])
                                        : std::to_string(loaded.diagnostics.size()) + " diagnostics";
}

std::string OnlyCode(std::string_view yaml, const LoadOptions& options = Options()) {
  return OnlyError(yaml, options).substr(0, std::string_view("expect: E0401").size());
}

// Every file states in its first comments what is wrong with it, in any order.
TEST(LoadGolden, EveryFileHasExactlyItsDiagnostics) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(INTERLOCK_TESTDATA) / "errors")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const std::string text = ReadFile(entry.path());
    std::vector<std::string> expected;
    bool errors = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
      expected.push_back(line.substr(2));
      errors = errors || line.starts_with("# expect:");
    }
    ASSERT_FALSE(expected.empty());
    const LoadedPolicy loaded = LoadPolicy(text, Options());
    EXPECT_THAT(Summaries(loaded), testing::UnorderedElementsAreArray(expected));
    EXPECT_EQ(loaded.policy == nullptr, errors);
    for (const Diagnostic& d : loaded.diagnostics) {
      EXPECT_EQ(d.snippet.empty(), d.error.place().line == 0);
      EXPECT_EQ(d.error.place().file, "interlock.yaml");
    }
  }
  EXPECT_GE(files, 20);
}

TEST(LoadGraph, IsAFileThatMayUseVariables) {
  EXPECT_EQ(MustLoad("version: 1\n").policy->graph(), "");
  EXPECT_EQ(MustLoad("version: 1\ngraph: learned/graph.json\n").policy->graph(), "learned/graph.json");
  EXPECT_EQ(MustLoad("version: 1\nvariables: {team: ops}\ngraph: \"${team}.json\"\n").policy->graph(), "ops.json");
  EXPECT_FALSE(OnlyCode("version: 1\ngraph: \"\"\n").empty());
  EXPECT_FALSE(OnlyCode("version: 1\ngraph: [a, b]\n").empty());
  EXPECT_FALSE(OnlyCode("version: 1\ngraph: \"${nobody}.json\"\n").empty());
}

TEST(LoadScan, SaysWhatTheFirstLookHoldsBack) {
  EXPECT_EQ(MustLoad("version: 1\n").policy->first_use(), FirstUse::kUnsaid);
  EXPECT_EQ(MustLoad("version: 1\nscan: {first_use: on}\n").policy->first_use(), FirstUse::kOn);
  EXPECT_EQ(MustLoad("version: 1\nscan: {first_use: strict}\n").policy->first_use(), FirstUse::kStrict);
  EXPECT_EQ(MustLoad("version: 1\nscan: {first_use: off}\n").policy->first_use(), FirstUse::kOff);
  EXPECT_FALSE(OnlyCode("version: 1\nscan: {first_use: never}\n").empty());
  EXPECT_FALSE(OnlyCode("version: 1\nscan: {firstuse: on}\n").empty());
  EXPECT_FALSE(OnlyCode("version: 1\nscan: strict\n").empty());
}

TEST(LoadDiagnostics, ComeInOrderOfPlace) {
  const LoadedPolicy loaded = LoadPolicy("rules: 3\ntools: 4\nversion: 9\nlabels: {}\n", Options());
  const auto line = [](const Diagnostic& d) { return d.error.place().line; };
  ASSERT_GE(loaded.diagnostics.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(loaded.diagnostics, {}, line));
}

TEST(LoadDiagnostics, CaretStandsUnderTheFault) {
  const LoadedPolicy loaded = LoadPolicy("version: 1\nprofile: defalt\n", Options());
  ASSERT_EQ(loaded.diagnostics.size(), 1u);
  EXPECT_EQ(loaded.diagnostics[0].snippet, "2 | profile: defalt\n  |          ^");
}

TEST(LoadDiagnostics, LongAndHostileLinesStayShort) {
  const std::string yaml = "version: 1\nenvironmen: " + std::string(200'000, 'x') + "\n";
  const LoadedPolicy loaded = LoadPolicy(yaml, Options());
  ASSERT_EQ(loaded.diagnostics.size(), 1u);
  EXPECT_LT(loaded.diagnostics[0].ToString().size(), 1000u);
}

TEST(LoadDiagnostics, AreCapped) {
  std::string yaml = "version: 1\nrules:\n";
  for (int i = 0; i < 5000; ++i) yaml += "  - {}\n";
  const LoadedPolicy loaded = LoadPolicy(yaml, Options());
  EXPECT_EQ(loaded.policy, nullptr);
  EXPECT_LE(loaded.diagnostics.size(), 200u);
}

TEST(LoadLimits, SizeIsCheckedFirst) {
  LoadOptions options = Options();
  options.max_bytes = 100;
  EXPECT_NE(LoadPolicy("version: 1\n#" + std::string(87, 'x'), options).policy, nullptr);
  EXPECT_EQ(OnlyError("version: 1\n#" + std::string(89, 'x'), options), "expect: E0411 0:0");
}

TEST(LoadLimits, RulesAndTools) {
  std::string yaml = "version: 1\nrules:\n";
  for (int i = 0; i < 10'000; ++i) yaml += "- {id: r" + std::to_string(i) + ", effect: block, when: {tool: t}}\n";
  EXPECT_EQ(MustLoad(yaml).policy->rule_count(), 10'000u);
  EXPECT_EQ(OnlyCode(yaml + "- {id: x, effect: block, when: {tool: t}}\n"), "expect: E0411");
}

TEST(LoadHostile, NestingIsBounded) {
  for (const std::string& unit : {std::string("["), std::string("{a: "), std::string("[{a: "), std::string("- "),
                                  std::string("? "), std::string("? - "), std::string("!!x "), std::string("&a ")}) {
    std::string yaml = "version: 1\nx: \n  ";
    for (int i = 0; i < 200'000 && yaml.size() < 4'000'000; ++i) yaml += unit;
    const LoadedPolicy loaded = LoadPolicy(yaml, Options());
    EXPECT_EQ(loaded.policy, nullptr) << unit;
    EXPECT_EQ(loaded.diagnostics.size(), 1u) << unit;
  }
}

TEST(LoadHostile, BlockNestingIsBounded) {
  std::string yaml = "version: 1\n";
  for (std::size_t depth = 0; depth < 500; ++depth) yaml += std::string(depth, ' ') + "a:\n";
  EXPECT_EQ(OnlyCode(yaml), "expect: E0411");
}

TEST(LoadHostile, DepthAtTheLimit) {
  const auto nested = [](int depth) {
    std::string args;
    for (int i = 0; i < depth; ++i) args += "[";
    for (int i = 0; i < depth; ++i) args += "]";
    return "version: 1\ntests: [{name: a, want: {verdict: allow}, call: {tool: t, arguments: {x: " + args + "}}}]\n";
  };
  // Open around the innermost: document, tests, test, call, arguments.
  MustLoad(nested(59));
  EXPECT_EQ(OnlyCode(nested(60)), "expect: E0411");
}

TEST(LoadHostile, BytesThatAreNoText) {
  EXPECT_EQ(OnlyCode(std::string("version: 1\nenvironment: \"a\0b\"\n", 29)), "expect: E0401");
  EXPECT_EQ(OnlyError("version: 1\n# \x1b[2J\n"), "expect: E0401 2:3");
  EXPECT_EQ(OnlyCode("version: 1\nenvironment: \xff\n"), "expect: E0401");
  EXPECT_EQ(OnlyCode("\xff\xfe"
                     "v\0e\0"),
            "expect: E0401");  // UTF-16
}

TEST(LoadHostile, AliasBomb) {
  std::string yaml = "version: 1\nx0: &x0 [a, a]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = std::to_string(i - 1);
    yaml += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [*x" + last + ", *x" + last + "]\n";
  }
  EXPECT_EQ(OnlyCode(yaml), "expect: E0401");
}

TEST(LoadHostile, ManyBracketsThatNeverNest) {
  std::string yaml = "version: 1\nx: [";
  for (int i = 0; i < 150'000; ++i) yaml += "[],";
  EXPECT_EQ(OnlyCode(yaml + "]\n"), "expect: E0411");
}

TEST(LoadProfile, ThreeWaysToChooseOne) {
  EXPECT_EQ(MustLoad("version: 1\n").policy->profile().name, "default");
  EXPECT_EQ(MustLoad("version: 1\nprofile: strict\n").policy->profile().name, "strict");
  LoadOptions options = Options();
  options.profile = "monitor";
  EXPECT_EQ(MustLoad("version: 1\nprofile: strict\n", options).policy->profile().name, "monitor");
  options.profile = "nosuch";
  EXPECT_EQ(OnlyCode("version: 1\n", options), "expect: E0409");
}

TEST(LoadProfile, DefaultsOverrideOneByOne) {
  const auto policy = MustLoad("version: 1\ndefaults: {write: block}\n").policy;
  EXPECT_EQ(policy->profile().default_for(core::SideEffect::kWrite), core::Verdict::kBlock);
  EXPECT_EQ(policy->profile().default_for(core::SideEffect::kRead), core::Verdict::kAllow);
}

TEST(LoadShadow, DocumentAndOptions) {
  EXPECT_FALSE(MustLoad("version: 1\n").policy->profile().shadow);
  EXPECT_TRUE(MustLoad("version: 1\nshadow: true\n").policy->profile().shadow);
  EXPECT_FALSE(MustLoad("version: 1\nprofile: monitor\nshadow: false\n").policy->profile().shadow);
  LoadOptions options = Options();
  options.force_shadow = true;
  EXPECT_TRUE(MustLoad("version: 1\nshadow: false\n", options).policy->profile().shadow);
}

TEST(LoadDigest, ChangesWithWhatDecidesAndOnlyWithThat) {
  const auto digest = [](std::string_view yaml, const LoadOptions& options) {
    return MustLoad(yaml, options).policy->digest();
  };
  const std::string plain = "version: 1\n";
  const std::string paths =
      "version: 1\nrules: [{id: a, effect: block, when: {path: {argument: /p, outside: \"${cwd}/**\"}}}]\n";
  LoadOptions elsewhere = Options();
  elsewhere.variables["cwd"] = "/other";
  LoadOptions strict = Options();
  strict.profile = "strict";
  LoadOptions shadow = Options();
  shadow.force_shadow = true;
  EXPECT_EQ(digest(plain, Options()), digest(plain, elsewhere));
  EXPECT_NE(digest(paths, Options()), digest(paths, elsewhere));
  EXPECT_NE(digest(plain, Options()), digest(plain, strict));
  EXPECT_NE(digest(plain, Options()), digest(plain, shadow));
  EXPECT_NE(digest(plain, Options()), digest(plain + "#\n", Options()));
}

TEST(LoadVariables, OptionsOverrideAndFeedTheDocument) {
  const std::string yaml = R"(
version: 1
variables: {workspace: /srv/a, inner: "${workspace}/in"}
tests:
  - {name: t, call: {tool: x, arguments: {p: "${inner}/f", "${inner}": 1}}, want: {verdict: block}}
)";
  EXPECT_EQ(MustLoad(yaml).tests.at(0).arguments_json, R"({"p":"/srv/a/in/f","${inner}":1})");
  LoadOptions options = Options();
  options.variables["workspace"] = "/b";
  EXPECT_EQ(MustLoad(yaml, options).tests.at(0).arguments_json, R"({"p":"/b/in/f","${inner}":1})");
}

TEST(LoadTests, EverythingIsRead) {
  const LoadedPolicy loaded = MustLoad(R"(
version: 1
rules: [{id: stop, effect: block, when: {tool: x}}]
tests:
  - name: full
    call: {tool: x, arguments: {n: 9007199254740993, s: "1", t: yes, u: true, v: null, w: [1.50, {}]}}
    principal: alice
    environment: prod
    session:
      request: please
      seen: [untrusted]
      results: [{label: untrusted, text: "a\nb"}, {label: trusted, text: c}]
    want: {verdict: block, rule: stop}
)");
  ASSERT_EQ(loaded.tests.size(), 1u);
  const PolicyTestCase& test = loaded.tests[0];
  EXPECT_EQ(test.name, "full");
  EXPECT_EQ(test.line, 5u);
  EXPECT_EQ(test.tool, "x");
  EXPECT_EQ(test.arguments_json, R"({"n":9007199254740993,"s":"1","t":"yes","u":true,"v":null,"w":[1.50,{}]})");
  EXPECT_EQ(test.principal, "alice");
  EXPECT_EQ(test.environment, "prod");
  EXPECT_EQ(test.request, "please");
  EXPECT_THAT(test.seen, testing::ElementsAre("untrusted"));
  ASSERT_EQ(test.results.size(), 2u);
  EXPECT_EQ(test.results[0].label, "untrusted");
  EXPECT_EQ(test.results[0].text, "a\nb");
  EXPECT_EQ(test.results[1].label, "trusted");
  EXPECT_EQ(test.results[1].text, "c");
  EXPECT_EQ(test.want, core::Verdict::kBlock);
  EXPECT_EQ(test.want_rule, "stop");
}

TEST(LoadBudgets, EffectIsOptional) {
  const auto policy =
      MustLoad("version: 1\nbudgets: [{id: w, effect: write, max_calls: 50}, {id: all, max_calls: 9}]\n").policy;
  ASSERT_EQ(policy->budgets().size(), 2u);
  EXPECT_EQ(policy->budgets()[0].effect, core::SideEffect::kWrite);
  EXPECT_EQ(policy->budgets()[0].max, 50);
  EXPECT_EQ(policy->budgets()[1].effect, std::nullopt);
}

}  // namespace
}  // namespace interlock::policy
