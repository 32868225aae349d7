#include "interlock/scan/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "interlock/policy/json_schema.h"
#include "rules_impl.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

fs::path Source(const std::string& relative) { return fs::path(INTERLOCK_SOURCE_DIR) / relative; }

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

policy::JsonSchema Schema(const std::string& file) {
  const auto doc = base::JsonDoc::Parse(ReadAll(Source("schemas/" + file)));
  EXPECT_TRUE(doc.ok());
  auto schema = policy::JsonSchema::Compile(doc.value().root());
  EXPECT_TRUE(schema.ok()) << schema.error().ToString();
  return std::move(schema.value());
}

std::vector<RuleFile> RuleFilesOnDisk() {
  std::vector<RuleFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(Source("rules/scan"))) {
    if (entry.path().extension() != ".json") continue;
    std::string bytes = ReadAll(entry.path());
    if (bytes.find("interlock.scan-rules/v1") == std::string::npos) continue;
    files.push_back({entry.path().string(), std::move(bytes)});
  }
  return files;
}

TEST(ScanRules, EveryShippedFileFollowsItsSchema) {
  const policy::JsonSchema schema = Schema("interlock.scan-rules.v1.json");
  for (const RuleFile& file : RuleFilesOnDisk()) {
    const auto doc = base::JsonDoc::Parse(file.bytes);
    ASSERT_TRUE(doc.ok()) << file.name << ": " << doc.error().ToString();
    const auto outcome = schema.Validate(doc.value().root());
    EXPECT_TRUE(outcome.valid()) << file.name << ": " << (outcome.valid() ? "" : outcome.ToError().ToString());
  }
  const auto taxonomy = base::JsonDoc::Parse(ReadAll(Source("rules/scan/taxonomy.json")));
  ASSERT_TRUE(taxonomy.ok());
  EXPECT_TRUE(Schema("interlock.scan-taxonomy.v1.json").Validate(taxonomy.value().root()).valid());
}

TEST(ScanRules, EveryShippedExpressionWorksAndEveryFileIsEmbedded) {
  const auto loaded = RuleSet::Load(RuleFilesOnDisk());
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_EQ(loaded.value().rules().size(), RuleSet::Builtin().rules().size());
  for (const Rule& rule : loaded.value().rules()) EXPECT_NE(RuleSet::Builtin().Find(rule.id), nullptr) << rule.id;
}

TEST(ScanRules, NoTextRuleIsTriedOnEveryText) {
  const RuleSet::Impl& impl = RuleSet::Builtin().impl();
  for (std::size_t i = 0; i < impl.text_patterns.size(); ++i) {
    EXPECT_FALSE(impl.text->always_runs(i))
        << impl.text_patterns[i]->rule->id << ": `" << impl.text_patterns[i]->pattern->regex << "` needs `words`";
  }
}

TEST(ScanRules, EveryRuleHasATaxonomyAndIsFound) {
  std::set<core::ThreatClass> threats;
  for (const Rule& rule : RuleSet::Builtin().rules()) {
    EXPECT_THAT(rule.stride, Not(IsEmpty())) << rule.id;
    EXPECT_THAT(rule.owasp, Not(IsEmpty())) << rule.id;
    EXPECT_THAT(rule.atlas, Not(IsEmpty())) << rule.id;
    EXPECT_EQ(RuleSet::Builtin().Find(rule.id), &rule);
    threats.insert(rule.threat);
  }
  EXPECT_EQ(RuleSet::Builtin().Find("PI"), nullptr);
  EXPECT_THAT(RuleSet::Builtin().version(), SizeIs(16));
  EXPECT_THAT(Threats(), SizeIs(8));
}

constexpr std::string_view kRule = R"({"id":"X-001","title":"Some rule","threat":"T2","severity":"high",
"confidence":0.5,"nature":"malicious","maturity":"stable","engine":"text",
"rationale":"long enough to say why","remedy":"remove it","patterns":[{"regex":"abc+","words":["abc"]}],
"positive":[{"path":"a.md","text":"abc"}],"negative":[{"path":"a.md","text":"x"}]})";

std::string File(const std::string& rules) { return R"({"schema":"interlock.scan-rules/v1","rules":[)" + rules + "]}"; }

std::string With(std::string_view from, std::string_view to) {
  std::string rule(kRule);
  const std::size_t at = rule.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return rule.replace(at, from.size(), to);
}

base::Error ErrorOf(const std::string& bytes) {
  const RuleFile file{"own.json", bytes};
  const auto loaded = RuleSet::Load({&file, 1});
  EXPECT_FALSE(loaded.ok()) << bytes;
  return loaded.ok() ? base::Error(base::ErrorCode::kIo) : loaded.error();
}

TEST(ScanRules, AUsersFileAddsAndReplaces) {
  const RuleFile file{"own.json", File(std::string(kRule))};
  const auto loaded = RuleSet::LoadWithBuiltin({&file, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const Rule* rule = loaded.value().Find("X-001");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->threat, core::ThreatClass::kT2);
  EXPECT_EQ(rule->surfaces, ~SurfaceSet{0});
  EXPECT_THAT(rule->owasp, testing::Contains("LLM01:2025")) << "that of T2";
  EXPECT_NE(loaded.value().version(), RuleSet::Builtin().version());

  const RuleFile both[] = {file, {"later.json", File(With("\"Some rule\"", "\"Other one\",\"replaces\":true"))}};
  const auto replaced = RuleSet::Load(both);
  ASSERT_TRUE(replaced.ok()) << replaced.error().ToString();
  EXPECT_EQ(replaced.value().Find("X-001")->title, "Other one");
  EXPECT_THAT(replaced.value().rules(), SizeIs(1));
}

TEST(ScanRules, WhatIsWrongIsToldAtOnceWithItsPlace) {
  const auto format_error = [](const std::string& rules) {
    EXPECT_EQ(ErrorOf(File(rules)).code(), base::ErrorCode::kRuleFormat) << rules;
  };
  format_error(With("\"T2\"", "\"T9\""));
  format_error(With("\"T2\"", "\"\""));
  format_error(With("\"high\"", "\"HIGH\""));
  format_error(With("0.5", "1.5"));
  format_error(With("\"stable\"", "\"old\""));
  format_error(With("\"title\"", "\"titel\""));
  format_error(With("\"engine\":\"text\"", "\"engine\":\"code\""));
  format_error(With("\"positive\":[{\"path\":\"a.md\",\"text\":\"abc\"}]", "\"positive\":[]"));
  format_error(With("\"nature\":\"malicious\"", "\"nature\":\"hygiene\",\"decisive\":true"));
  format_error(With("\"remedy\"", "\"surfaces\":[\"nowhere\"],\"remedy\""));
  format_error(std::string(kRule) + "," + std::string(kRule));
  format_error("17");
  EXPECT_EQ(ErrorOf(R"({"schema":"interlock.scan-rules/v2","rules":[]})").code(), base::ErrorCode::kRuleFormat);
  EXPECT_EQ(ErrorOf("{").code(), base::ErrorCode::kRuleFormat);

  const base::Error pattern = ErrorOf(File(With("abc+", "abc(")));
  EXPECT_EQ(pattern.code(), base::ErrorCode::kRulePattern);
  EXPECT_EQ(pattern.place().file, "own.json");
  EXPECT_EQ(pattern.place().line, 3U);
  EXPECT_EQ(ErrorOf(File(With("\"words\"", "\"near\":\"(\",\"words\""))).code(), base::ErrorCode::kRulePattern);
  EXPECT_EQ(ErrorOf(File(With("abc+", "a*"))).code(), base::ErrorCode::kRulePattern);

  std::string two = With("\"T2\"", "\"T9\"");
  two.replace(two.find("\"stable\""), 8, "\"stale\"");
  EXPECT_THAT(ErrorOf(File(two)).message(), HasSubstr("2 diagnostics"));
}

TEST(ScanRules, AnExampleMayBeBytesAndHaveOtherFiles) {
  const RuleFile file{
      "own.json",
      File(With("\"text\":\"abc\"", "\"text\":\"AAH/\",\"encoding\":\"base64\",\"files\":{\"b.py\":\"x = 1\"}"))};
  const auto loaded = RuleSet::Load({&file, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const RuleExample& example = loaded.value().rules()[0].positive[0];
  EXPECT_EQ(example.text, std::string("\x00\x01\xff", 3));
  EXPECT_THAT(example.files, ElementsAre(testing::Pair("b.py", "x = 1")));
}

// What an analyser raises under a name that no rule has is dropped without a word.
TEST(ScanRules, EveryRuleThatCodeNamesIsShipped) {
  std::set<std::string> named;
  for (const auto& entry : fs::recursive_directory_iterator(Source("src/scan"))) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".cc" || path.ends_with("_test.cc")) continue;
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    static const std::regex kId("\"([A-Z]{2,}(-[A-Z]+)?-[0-9]{3})\"");
    for (std::sregex_iterator it(text.begin(), text.end(), kId), end; it != end; ++it) named.insert((*it)[1]);
  }
  EXPECT_GT(named.size(), 100U);
  for (const std::string& id : named) EXPECT_NE(RuleSet::Builtin().Find(id), nullptr) << id;
}

// The build reads the rules once and for all: nothing that a file says of a rule may be lost on the way.
TEST(ScanRules, WhatWasBakedIsWhatTheFilesSay) {
  const auto baked = RuleSet::LoadWithBuiltin({}, {.examples = false});
  const auto read = RuleSet::Load(RuleFilesOnDisk());
  ASSERT_TRUE(baked.ok() && read.ok());
  ASSERT_EQ(baked.value().rules().size(), read.value().rules().size());
  for (std::size_t i = 0; i < read.value().rules().size(); ++i) {
    const Rule& one = baked.value().rules()[i];
    const Rule& other = read.value().rules()[i];
    EXPECT_EQ(std::tie(one.id, one.title, one.rationale, one.remedy, one.confidence, one.surfaces),
              std::tie(other.id, other.title, other.rationale, other.remedy, other.confidence, other.surfaces));
    EXPECT_EQ(std::tie(one.threat, one.severity, one.nature, one.maturity, one.engine, one.decisive),
              std::tie(other.threat, other.severity, other.nature, other.maturity, other.engine, other.decisive));
    EXPECT_EQ(std::tie(one.stride, one.owasp, one.atlas, one.cwe),
              std::tie(other.stride, other.owasp, other.atlas, other.cwe));
    EXPECT_THAT(one.positive, IsEmpty()) << "only who asks for examples reads any";
    ASSERT_EQ(one.patterns.size(), other.patterns.size()) << one.id;
    for (std::size_t p = 0; p < one.patterns.size(); ++p) {
      const Rule::Pattern& pattern = one.patterns[p];
      const Rule::Pattern& same = other.patterns[p];
      EXPECT_EQ(std::tie(pattern.regex, pattern.words, pattern.near, pattern.unless, pattern.window, pattern.across,
                         pattern.weight),
                std::tie(same.regex, same.words, same.near, same.unless, same.window, same.across, same.weight));
      EXPECT_NE(patterns::PatternSet::Derive({.regex = pattern.regex, .words = pattern.words}), "")
          << one.id << ": what it needs would be worked out in every run";
    }
  }
  EXPECT_EQ(baked.value().version(), RuleSet::Builtin().version());
}

TEST(ScanRules, SurfacesHaveNames) {
  EXPECT_THAT(SurfaceNames(kSurfaceSchema | kSurfaceDecoded), ElementsAre("schema", "decoded"));
  EXPECT_THAT(SurfaceNames(~SurfaceSet{0}), SizeIs(12));
}

TEST(ScanRules, KeptLiteralsFitOnlyTheirRulesAndAreOtherwisePassedOver) {
  const auto fresh = RuleSet::LoadWithBuiltin({});
  ASSERT_TRUE(fresh.ok());
  const std::string kept = fresh.value().SerializeLiterals();
  for (const std::string& literals : {kept, std::string("garbage"), kept.substr(0, kept.size() / 2), std::string()}) {
    const auto again = RuleSet::LoadWithBuiltin({}, {.literals = literals});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again.value().version(), fresh.value().version());
    EXPECT_EQ(again.value().SerializeLiterals(), kept);
  }
}

}  // namespace
}  // namespace interlock::scan
