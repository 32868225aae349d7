#include "patterns.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

namespace interlock::injection {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

bool Hits(const PatternRule& rule, const std::string& text) {
  Folded folded;
  Fold(text, folded);
  Tokens tokens;
  Tokenize(folded, tokens);
  std::vector<PatternHit> hits;
  EXPECT_TRUE(PatternSet::Default().Match(folded, tokens, std::size_t{1} << 20, hits));
  for (const PatternHit& hit : hits) {
    if (hit.rule->id == rule.id) return true;
  }
  return false;
}

TEST(PatternRulesTest, EveryExampleOfEveryRuleIsAsItSays) {
  ASSERT_FALSE(PatternSet::Default().rules().empty());
  for (const PatternRule& rule : PatternSet::Default().rules()) {
    for (const std::string& text : rule.positive) EXPECT_TRUE(Hits(rule, text)) << rule.id << ": " << text;
    for (const std::string& text : rule.negative) EXPECT_FALSE(Hits(rule, text)) << rule.id << ": " << text;
  }
}

TEST(PatternRulesTest, EveryFileIsEmbeddedAndFollowsItsSchema) {
  const std::string text_of_schema =
      ReadAll(fs::path(INTERLOCK_SOURCE_DIR) / "schemas" / "interlock.injection-rules.v1.json");
  const auto schema_doc = base::JsonDoc::Parse(text_of_schema);
  ASSERT_TRUE(schema_doc.ok());
  const auto schema = policy::JsonSchema::Compile(schema_doc.value().root());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  std::size_t rules = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(INTERLOCK_SOURCE_DIR) / "rules" / "injection")) {
    const std::string text = ReadAll(entry.path());
    const auto doc = base::JsonDoc::Parse(text);
    ASSERT_TRUE(doc.ok()) << entry.path();
    EXPECT_TRUE(schema.value().Validate(doc.value().root()).valid()) << entry.path();
    const auto set = PatternSet::Parse({text});
    ASSERT_TRUE(set.ok()) << entry.path() << set.error().ToString();
    rules += set.value()->rules().size();
  }
  EXPECT_EQ(rules, PatternSet::Default().rules().size());
}

TEST(PatternRulesTest, AWrongFileIsRefused) {
  const auto parse = [](std::string_view text) { return PatternSet::Parse({text}).ok(); };
  const std::string head = R"({"schema":"interlock.injection-rules/v1","rules":[)";
  const std::string rule = R"({"id":"a.b","description":"0123456789","evidence":"weak","any":["x"],"pattern":"x+y")";
  const std::string tail = R"(,"positive":["xy"],"negative":["x"]})";
  EXPECT_TRUE(parse(head + rule + tail + "]}"));
  EXPECT_FALSE(parse(head + rule + tail + "," + rule + tail + "]}"));
  EXPECT_FALSE(parse(head + rule + R"(,"positive":["xy"]})" + "]}"));
  EXPECT_FALSE(parse(R"({"schema":"interlock.injection-rules/v9","rules":[]})"));
  EXPECT_FALSE(parse("{"));
  std::string broken = head + rule + tail + "]}";
  broken.replace(broken.find("x+y"), 3, "x(y");
  EXPECT_FALSE(parse(broken));
}

TEST(PatternRulesTest, TheBudgetEndsTheSearch) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "ignore ";
  Folded folded;
  Fold(text, folded);
  Tokens tokens;
  Tokenize(folded, tokens);
  std::vector<PatternHit> hits;
  EXPECT_FALSE(PatternSet::Default().Match(folded, tokens, 1000, hits));
}

}  // namespace
}  // namespace interlock::injection
