#include "interlock/policy/json_schema.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "json_schema_pattern.h"
#include "json_schema_uri.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::Result;

JsonDoc Doc(std::string_view json) {
  Result<JsonDoc> doc = JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << doc.error().ToString() << "\n" << json.substr(0, 200);
  return std::move(doc.value());
}

Result<JsonSchema> Compile(std::string_view json, const SchemaOptions& options = {}) {
  const JsonDoc doc = Doc(json);
  return JsonSchema::Compile(doc.root(), options);
}

JsonSchema MustCompile(std::string_view json, const SchemaOptions& options = {}) {
  Result<JsonSchema> schema = Compile(json, options);
  EXPECT_TRUE(schema.ok()) << schema.error().ToString();
  return schema.value();
}

SchemaOutcome Check(const JsonSchema& schema, std::string_view json) {
  const JsonDoc doc = Doc(json);
  return schema.Validate(doc.root());
}

// ---- testdata/json_schema/*.json: the shape of the official suite, with four more members. A group may have
// "options" {dialect, unknown, strict, formats} and "refused" (the id of the error Compile gives, instead of tests); a
// test's "valid" may be "undecided", and "at" and "keyword" say where the first violation lies.

SchemaOptions OptionsOf(JsonValue given) {
  SchemaOptions out;
  if (given.Find("dialect").string() == "draft-07") out.default_dialect = SchemaDialect::kDraft07;
  if (given.Find("unknown").string() == "annotate") out.unknown_keywords = UnknownKeyword::kAnnotate;
  out.strict_objects = given.Find("strict").AsBool().value_or(false);
  out.assert_formats = given.Find("formats").AsBool().value_or(false);
  return out;
}

std::vector<std::string> DataFiles() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(INTERLOCK_TESTDATA "/json_schema")) {
    out.push_back(entry.path().stem().string());
  }
  std::ranges::sort(out);
  return out;
}

class JsonSchemaFile : public testing::TestWithParam<std::string> {};

void RunTest(const JsonSchema& schema, JsonValue test) {
  SCOPED_TRACE(std::string(test.Find("description").string()));
  const SchemaOutcome outcome = schema.Validate(test.Find("data"));
  const JsonValue want = test.Find("valid");
  ASSERT_TRUE(want.exists());
  if (want.is_string()) {
    EXPECT_EQ(want.string(), "undecided");
    EXPECT_TRUE(outcome.undecided());
    EXPECT_TRUE(outcome.violations.empty());
    return;
  }
  const std::string why = outcome.violations.empty() ? "" : outcome.violations[0].message;
  ASSERT_EQ(outcome.valid(), *want.AsBool()) << why;
  ASSERT_EQ(outcome.invalid(), !outcome.valid());
  EXPECT_EQ(outcome.violations.empty(), outcome.valid());
  if (test.Find("at").exists()) {
    EXPECT_EQ(outcome.violations[0].instance_pointer, test.Find("at").string());
  }
  if (test.Find("keyword").exists()) {
    EXPECT_EQ(outcome.violations[0].keyword, test.Find("keyword").string());
  }
}

TEST_P(JsonSchemaFile, Cases) {
  std::ifstream in(std::string(INTERLOCK_TESTDATA "/json_schema/") + GetParam() + ".json", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const JsonDoc doc = Doc(bytes);
  ASSERT_GT(doc.root().size(), 0U);
  for (const JsonValue group : doc.root()) {
    SCOPED_TRACE(std::string(group.Find("description").string()));
    const Result<JsonSchema> schema = JsonSchema::Compile(group.Find("schema"), OptionsOf(group.Find("options")));
    if (const JsonValue refused = group.Find("refused"); refused.exists()) {
      ASSERT_FALSE(schema.ok());
      EXPECT_EQ(schema.error().id(), refused.string()) << schema.error().ToString();
      EXPECT_GE(schema.error().place().offset, group.Find("schema").offset());
      continue;
    }
    ASSERT_TRUE(schema.ok()) << schema.error().ToString();
    ASSERT_GT(group.Find("tests").size(), 0U);
    for (const JsonValue test : group.Find("tests")) RunTest(schema.value(), test);
  }
}

INSTANTIATE_TEST_SUITE_P(Data, JsonSchemaFile, testing::ValuesIn(DataFiles()),
                         [](const auto& row) { return std::string(row.param); });

// ---- Limits and hostile schemas

std::string Repeat(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

// A reference chain of `n` links that ends at {"type":"integer"}.
std::string Chain(int n) {
  std::string out = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < n - 1; ++i) {
    out += "\"d" + std::to_string(i) + R"(":{"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"},";
  }
  return out + "\"d" + std::to_string(n - 1) + R"(":{"type":"integer"}}})";
}

TEST(JsonSchemaLimits, ReferenceChain) {
  const JsonSchema schema = MustCompile(Chain(256));
  EXPECT_TRUE(Check(schema, "1").valid());
  EXPECT_TRUE(Check(schema, "\"a\"").invalid());
  const Result<JsonSchema> longer = Compile(Chain(257));
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().code(), ErrorCode::kLimitExceeded);
}

// Ten thousand references among ten thousand definitions, each found by stepping over members: refused, not waited for.
TEST(JsonSchemaLimits, ManyReferencesAmongManyDefinitions) {
  std::string json = R"({"$defs":{)";
  for (int i = 0; i < 9000; ++i) json += (i == 0 ? "\"d" : ",\"d") + std::to_string(i) + "\":true";
  json += R"(},"anyOf":[)";
  for (int i = 0; i < 9000; ++i) json += std::string(i == 0 ? "" : ",") + R"({"$ref":"#/$defs/d8999"})";
  const Result<JsonSchema> schema = Compile(json + "]}");
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(schema.error().code(), ErrorCode::kLimitExceeded);
}

TEST(JsonSchemaLimits, Nesting) {
  const auto nested = [](int depth) { return Repeat(R"({"items":)", depth) + "true" + Repeat("}", depth); };
  EXPECT_TRUE(Compile(nested(64)).ok());
  const Result<JsonSchema> deeper = Compile(nested(65));
  ASSERT_FALSE(deeper.ok());
  EXPECT_EQ(deeper.error().code(), ErrorCode::kLimitExceeded);
}

TEST(JsonSchemaLimits, Subschemas) {
  const auto many = [](int n) { return R"({"anyOf":[true)" + Repeat(",true", n - 1) + "]}"; };
  EXPECT_TRUE(Compile(many(19'999)).ok());
  const Result<JsonSchema> more = Compile(many(20'000));
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code(), ErrorCode::kLimitExceeded);
}

TEST(JsonSchemaLimits, Patterns) {
  const auto many = [](int n) {
    std::string out = R"({"patternProperties":{"p0":true)";
    for (int i = 1; i < n; ++i) out += ",\"p" + std::to_string(i) + "\":true";
    return out + "}}";
  };
  EXPECT_TRUE(Compile(many(128)).ok());
  const Result<JsonSchema> more = Compile(many(129));
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code(), ErrorCode::kLimitExceeded);
  EXPECT_TRUE(Compile(R"({"anyOf":[{"pattern":"a"})" + Repeat(R"(,{"pattern":"a"})", 500) + "]}").ok());
  EXPECT_TRUE(Compile(R"({"pattern":")" + std::string(4096, 'a') + "\"}").ok());
  EXPECT_FALSE(Compile(R"({"pattern":")" + std::string(4097, 'a') + "\"}").ok());
}

TEST(JsonSchemaLimits, GroupsInAPattern) {
  const auto nested = [](int n) { return Repeat("(", n) + "a" + Repeat(")", n); };
  EXPECT_TRUE(schema::TranslatePattern(nested(64)).ok());
  EXPECT_FALSE(schema::TranslatePattern(nested(65)).ok());
}

// Each level asks the next twice: 2^40 evaluations if nothing counted.
TEST(JsonSchemaLimits, DoublingReferencesAreUndecided) {
  std::string json = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    json.append("\"d").append(std::to_string(i)).append(R"(":{"allOf":[)");
    json.append(next).append(",").append(next).append("]},");
  }
  const JsonSchema schema = MustCompile(json + R"("d40":true}})");
  EXPECT_TRUE(Check(schema, "1").undecided());
  EXPECT_EQ(Check(schema, "1").ToError().code(), ErrorCode::kSchemaBudget);
}

// What a failing branch hides must not become a verdict: undecided beats both answers of `not`.
TEST(JsonSchemaLimits, UndecidedIsNotTurnedAround) {
  const JsonSchema schema = MustCompile(R"({"not":{"multipleOf":1234567890123456789e-400}})");
  EXPECT_TRUE(Check(schema, "1e400").undecided());
  const JsonSchema any = MustCompile(R"({"anyOf":[{"multipleOf":1234567890123456789e-400},{"type":"string"}]})");
  EXPECT_TRUE(Check(any, "1e400").undecided());
}

TEST(JsonSchemaLimits, BudgetIsExact) {
  const JsonSchema schema = MustCompile(R"({"items":{"type":"integer"}})");
  const JsonDoc doc = Doc("[1,2,3]");
  std::uint64_t least = 0;
  while (!schema.Validate(doc.root(), least).valid()) {
    EXPECT_TRUE(schema.Validate(doc.root(), least).undecided());
    ASSERT_LT(++least, 100U);
  }
  EXPECT_EQ(least, 4U);  // the array and its three items
  EXPECT_TRUE(schema.Validate(doc.root(), least + 1).valid());
}

TEST(JsonSchemaLimits, EndlessDynamicReferenceIsUndecided) {
  // Lexically `#n` is the harmless definition; seen from the root it is the root itself.
  const JsonSchema schema = MustCompile(R"({"$id":"https://x.example/a","$dynamicAnchor":"n","$ref":"b","$defs":{
      "b":{"$id":"b","$dynamicRef":"#n","$defs":{"c":{"$dynamicAnchor":"n"}}}}})");
  EXPECT_TRUE(Check(schema, "1").undecided());
}

TEST(JsonSchemaLimits, HugeEnumIsSearchedNotScanned) {
  std::string json = R"({"enum":[)";
  for (int i = 0; i < 100'000; ++i) json += (i == 0 ? "\"v" : ",\"v") + std::to_string(i) + "\"";
  const JsonSchema schema = MustCompile(json + "]}");
  const JsonDoc in = Doc("\"v99999\"");
  const JsonDoc out = Doc("\"w\"");
  EXPECT_TRUE(schema.Validate(in.root(), 10).valid());
  EXPECT_TRUE(schema.Validate(out.root(), 10).invalid());
}

TEST(JsonSchemaLimits, UniqueItemsIsNotQuadratic) {
  std::string json = "[";
  for (int i = 0; i < 100'000; ++i) json += (i == 0 ? "" : ",") + std::to_string(i);
  const JsonSchema schema = MustCompile(R"({"uniqueItems":true})");
  EXPECT_TRUE(Check(schema, json + "]").valid());
  EXPECT_TRUE(Check(schema, json + ",5]").invalid());
}

TEST(JsonSchemaLimits, PathologicalPatternOnALongText) {
  const JsonSchema schema = MustCompile(R"({"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"})");
  EXPECT_TRUE(Check(schema, "\"" + std::string(100'000, 'a') + "\"").invalid());
}

TEST(JsonSchemaLimits, DeepValueInARecursiveSchema) {
  const JsonSchema schema =
      MustCompile(R"({"type":"array","items":{"anyOf":[{"$ref":"#"},{"type":"integer"}]}})", {.budget = 1'000'000});
  EXPECT_TRUE(Check(schema, Repeat("[", 120) + "1" + Repeat("]", 120)).valid());
  EXPECT_TRUE(Check(schema, Repeat("[", 120) + "\"a\"" + Repeat("]", 120)).invalid());
}

// ---- Reports

TEST(JsonSchemaReport, AllViolationsUpToTheLimit) {
  const std::string json = R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"maxLength":1}},
      "required":["c","d"]})";
  const std::string value = R"({"a":"x","b":"xyz"})";
  const SchemaOutcome all = Check(MustCompile(json), value);
  std::vector<std::string> seen;
  seen.reserve(all.violations.size());
  for (const SchemaViolation& v : all.violations) seen.push_back(v.instance_pointer + " " + v.schema_pointer);
  EXPECT_THAT(seen,
              testing::ElementsAre("/a /properties/a/type", "/b /properties/b/maxLength", " /required", " /required"));
  EXPECT_EQ(Check(MustCompile(json, {.max_violations = 2}), value).violations.size(), 2U);
  EXPECT_EQ(Check(MustCompile(json, {.max_violations = 0}), value).violations.size(), 1U);
}

TEST(JsonSchemaReport, SchemaPointerGoesThroughReferences) {
  const SchemaOutcome outcome =
      Check(MustCompile(R"({"properties":{"a/b":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"items":{"type":"null"}}}})"),
            R"({"a/b":[null,1]})");
  ASSERT_EQ(outcome.violations.size(), 1U);
  EXPECT_EQ(outcome.violations[0].instance_pointer, "/a~1b/1");
  EXPECT_EQ(outcome.violations[0].schema_pointer, "/$defs/x~1y/items/type");
  EXPECT_EQ(outcome.ToError().code(), ErrorCode::kSchemaViolation);
}

TEST(JsonSchemaReport, AlternativesAreOneViolation) {
  const SchemaOutcome outcome =
      Check(MustCompile(R"({"anyOf":[{"type":"string"},{"required":["a"],"type":"object"}]})"), "1");
  ASSERT_EQ(outcome.violations.size(), 1U);
  EXPECT_EQ(outcome.violations[0].schema_pointer, "/anyOf");
}

TEST(JsonSchemaReport, HostileNamesStayPrintableAndShort) {
  const SchemaOutcome outcome =
      Check(MustCompile(R"({"required":["\u001b[2J\u202e)" + std::string(5000, 'x') + R"("]})"), "{}");
  ASSERT_EQ(outcome.violations.size(), 1U);
  EXPECT_LT(outcome.violations[0].message.size(), 200U);
  EXPECT_EQ(outcome.violations[0].message.find('\x1b'), std::string::npos);
}

// The description may run out of budget after the verdict is settled: still invalid, never undecided.
TEST(JsonSchemaReport, VerdictSurvivesABudgetTooSmallToDescribeIt) {
  const JsonSchema schema = MustCompile(R"({"properties":{"a":false},"required":["z"]})");
  const JsonDoc doc = Doc(R"({"a":1,"b":2})");
  bool invalid = false;
  for (std::uint64_t budget = 0; budget < 50; ++budget) {
    const SchemaOutcome outcome = schema.Validate(doc.root(), budget);
    EXPECT_FALSE(outcome.valid());
    EXPECT_TRUE(outcome.invalid() || !invalid);
    invalid = invalid || outcome.invalid();
    EXPECT_EQ(outcome.violations.empty(), !outcome.invalid());
  }
  EXPECT_TRUE(invalid);
}

TEST(JsonSchemaTest, MissingValuesAreUndecidedAndMissingSchemasRefused) {
  EXPECT_TRUE(MustCompile("true").Validate(JsonValue()).undecided());
  const Result<JsonSchema> none = JsonSchema::Compile(JsonValue());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code(), ErrorCode::kSchemaInvalid);
}

TEST(JsonSchemaTest, OutlivesItsDocumentAndIsShared) {
  const JsonSchema schema =
      MustCompile(R"({"properties":{"a":{"enum":["x",{"k":1}],"pattern":"x|y"}},"required":["a"]})");
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  threads.reserve(right.size());
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([copy = schema, &right, t] {
      for (int i = 0; i < 200; ++i) {
        right[t] += Check(copy, R"({"a":"x"})").valid() && Check(copy, R"({"a":"z"})").invalid() ? 1 : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(right, testing::Each(200));
}

TEST(JsonSchemaTest, DialectIsTheSchemasOwnOrTheDefault) {
  EXPECT_EQ(MustCompile("{}").dialect(), SchemaDialect::kDraft2020);
  EXPECT_EQ(MustCompile("{}", {.default_dialect = SchemaDialect::kDraft07}).dialect(), SchemaDialect::kDraft07);
  EXPECT_EQ(MustCompile(R"({"$schema":"http://json-schema.org/draft-07/schema#"})").dialect(), SchemaDialect::kDraft07);
  EXPECT_EQ(MustCompile(R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})",
                        {.default_dialect = SchemaDialect::kDraft07})
                .dialect(),
            SchemaDialect::kDraft2020);
}

// RFC 3986, sections 5.4.1 and 5.4.2.
TEST(JsonSchemaUri, ReferencesResolveAsInTheRfc) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
  };
  for (const auto& [reference, want] : cases) {
    EXPECT_EQ(schema::ResolveUri("http://a/b/c/d;p?q", reference), want) << reference;
  }
  EXPECT_EQ(schema::ResolveUri("", "a/b"), "a/b");
  EXPECT_EQ(schema::ResolveUri("http://a", "b"), "http://a/b");
  EXPECT_EQ(schema::PercentDecode("a%2Fb%7e").value_or("?"), "a/b~");
  EXPECT_FALSE(schema::PercentDecode("a%2").has_value());
}

}  // namespace
}  // namespace interlock::policy
