#include "interlock/policy/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "interlock/policy/load.h"

namespace interlock::policy {
namespace {

using core::SideEffect;

std::shared_ptr<const PolicySnapshot> Load(std::string_view yaml) {
  const LoadedPolicy loaded = LoadPolicy(yaml);
  for (const Diagnostic& d : loaded.diagnostics) {
    if (d.severity == Severity::kError) ADD_FAILURE() << d.ToString();
  }
  return loaded.policy;
}

core::ToolSpec Spec(std::string name, std::string input_schema = "") {
  core::ToolSpec spec;
  spec.name = std::move(name);
  spec.input_schema = std::move(input_schema);
  return spec;
}

TEST(Overlay, EachKeyComesFromTheMostSpecificEntryThatStatesIt) {
  const auto policy = Load(R"(
version: 1
labels: [private, secret]
tools:
  "*": {result: trusted, impact: 0.9}
  "read_*": {effect: read, impact: 0.5, labels: [private]}
  "read_s*": {impact: 0.4, hidden: true}
  read_secret: {labels: [secret], hidden: false}
rules: [{id: r, effect: block, when: {flow: {seen: [private, secret]}}}]
)");
  ASSERT_NE(policy, nullptr);
  const core::ToolSpec spec = policy->Overlay(Spec("read_secret"));
  EXPECT_EQ(spec.side_effect, SideEffect::kRead);
  EXPECT_EQ(spec.result_trust, core::Trust::kTrusted);
  EXPECT_DOUBLE_EQ(spec.impact_weight, 0.4);
  EXPECT_FALSE(spec.hidden);
  EXPECT_EQ(spec.result_labels, policy->LabelFromName("secret").value_or(0));
  EXPECT_TRUE(policy->Overlay(Spec("read_size")).hidden);
  EXPECT_EQ(policy->Overlay(Spec("other")).side_effect, SideEffect::kUnknown);
}

TEST(Overlay, OfTwoEqualGlobsTheLaterCounts) {
  const auto policy = Load("version: 1\ntools: {\"a*\": {effect: read}, \"a?\": {effect: write}}\n");
  EXPECT_EQ(policy->StatedEffect("ab"), SideEffect::kWrite);
  EXPECT_EQ(policy->StatedEffect("abc"), SideEffect::kRead);
}

TEST(Overlay, AnnotationsCountOnlyWhereTheyAreTrusted) {
  core::ToolSpec reader = Spec("reader");
  reader.annotations.read_only = true;
  reader.side_effect = SideEffect::kRead;  // whatever somebody derived: the policy has not said it
  core::ToolSpec writer = Spec("writer");
  writer.annotations.read_only = false;
  const auto distrusting = Load("version: 1\n");
  EXPECT_EQ(distrusting->Overlay(reader).side_effect, SideEffect::kUnknown);
  EXPECT_EQ(distrusting->Overlay(writer).side_effect, SideEffect::kUnknown);
  const auto trusting = Load("version: 1\ntrust_annotations: true\ntools: {reader: {trust_annotations: false}}\n");
  EXPECT_EQ(trusting->Overlay(reader).side_effect, SideEffect::kUnknown);
  EXPECT_EQ(trusting->Overlay(writer).side_effect, SideEffect::kWrite);
  const auto one = Load("version: 1\ntools: {reader: {trust_annotations: true}}\n");
  EXPECT_EQ(one->Overlay(reader).side_effect, SideEffect::kRead);
  EXPECT_EQ(one->Overlay(writer).side_effect, SideEffect::kUnknown);
}

TEST(Overlay, ServersGiveNoTrustAndNoLabels) {
  core::ToolSpec spec = Spec("x");
  spec.result_trust = core::Trust::kTrusted;
  spec.result_labels = 0xFFFFFFFF;
  const core::ToolSpec out = Load("version: 1\n")->Overlay(spec);
  EXPECT_EQ(out.result_trust, core::Trust::kUntrusted);
  EXPECT_EQ(out.result_labels, 0u);
}

TEST(Overlay, TheRestOfAToolEntry) {
  const auto policy = Load(R"(
version: 1
tools:
  rollback:
    effect: deploy
    impact: 1
    critical: [{argument: /service, glob: "pay*", factor: 2.5}]
    requires: [{tool: list_deployments, same_argument: /service}, {tool: ping}]
    dry_run: {dryRun: true, mode: "no"}
)");
  const core::ToolSpec spec = policy->Overlay(Spec("rollback"));
  ASSERT_EQ(spec.criticality.size(), 1u);
  EXPECT_EQ(spec.criticality[0].argument, "/service");
  EXPECT_EQ(spec.criticality[0].glob, "pay*");
  EXPECT_DOUBLE_EQ(spec.criticality[0].factor, 2.5);
  ASSERT_EQ(spec.preconditions.size(), 2u);
  EXPECT_EQ(spec.preconditions[0].tool, "list_deployments");
  EXPECT_EQ(spec.preconditions[0].same_argument, "/service");
  EXPECT_EQ(spec.preconditions[1].same_argument, "");
  EXPECT_EQ(spec.dry_run_patch, R"({"dryRun":true,"mode":"no"})");
  ASSERT_EQ(policy->NamedTools().size(), 1u);
  EXPECT_EQ(policy->NamedTools()[0].name, "rollback");
}

TEST(Catalogue, FindsCompilesAndPrepares) {
  auto policy = Load(R"(
version: 1
tools: {write: {effect: write}}
rules:
  - {id: a, effect: block, when: {effect: write}}
  - {id: b, effect: block, when: {tool: read}}
)");
  const auto catalogue =
      ToolCatalogue::Build(policy, {{.spec = Spec("read", R"({"type":"object"})"), .pin = PinState::kMatches},
                                    {.spec = Spec("write", R"({"type":"nonsense"})"), .pin = PinState::kUnpinned},
                                    {.spec = Spec("bare"), .pin = PinState::kChanged}});
  ASSERT_EQ(catalogue->tools().size(), 3u);
  EXPECT_EQ(&catalogue->policy(), policy.get());
  EXPECT_EQ(catalogue->Find("nosuch"), nullptr);
  const ToolEntry* read = catalogue->Find("read");
  ASSERT_NE(read, nullptr);
  EXPECT_TRUE(read->input_schema.has_value());
  EXPECT_FALSE(read->schema_error.has_value());
  EXPECT_EQ(read->pin, PinState::kMatches);
  EXPECT_THAT(read->candidates, testing::ElementsAre(0u, 1u));  // its side effect is not known, so it may be a write
  const ToolEntry* write = catalogue->Find("write");
  ASSERT_NE(write, nullptr);
  EXPECT_FALSE(write->input_schema.has_value());
  ASSERT_TRUE(write->schema_error.has_value());
  EXPECT_EQ(write->schema_error->code(), base::ErrorCode::kSchemaInvalid);
  EXPECT_THAT(write->candidates, testing::ElementsAre(0u));
  EXPECT_FALSE(catalogue->Find("bare")->schema_error.has_value());
}

TEST(Catalogue, ANameListedTwiceIsHeld) {
  const auto catalogue = ToolCatalogue::Build(Load("version: 1\n"),
                                              {{.spec = Spec("a", R"({"type":"object"})"), .pin = PinState::kMatches},
                                               {.spec = Spec("a"), .pin = PinState::kMatches}});
  ASSERT_EQ(catalogue->tools().size(), 1u);
  EXPECT_EQ(catalogue->Find("a")->pin, PinState::kChanged);
  EXPECT_TRUE(catalogue->Find("a")->input_schema.has_value());
}

TEST(Catalogue, ASchemaWithoutADialectMayBeDraft07) {
  const std::string tuple = R"({"type":"object","properties":{"xy":{"items":[{"type":"number"},{"type":"number"}]}}})";
  const std::string stated =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{"type":"number"}]})";
  const auto catalogue =
      ToolCatalogue::Build(Load("version: 1\n"), {{.spec = Spec("old", tuple)}, {.spec = Spec("wrong", stated)}});
  ASSERT_TRUE(catalogue->Find("old")->input_schema.has_value());
  EXPECT_EQ(catalogue->Find("old")->input_schema->dialect(), SchemaDialect::kDraft07);
  EXPECT_TRUE(catalogue->Find("wrong")->schema_error.has_value()) << "a dialect that is named is kept to";
}

TEST(Catalogue, ABrokenOutputSchemaDoesNotConcernCalls) {
  core::ToolSpec spec = Spec("a", R"({"type":"object"})");
  spec.output_schema = R"({"type":"nonsense"})";
  const auto catalogue = ToolCatalogue::Build(Load("version: 1\n"), {{.spec = spec}});
  EXPECT_FALSE(catalogue->Find("a")->schema_error.has_value());
  EXPECT_TRUE(catalogue->Find("a")->output_schema_error.has_value());
}

TEST(Catalogue, ServersMayUseKeywordsOfTheirOwn) {
  const auto catalogue =
      ToolCatalogue::Build(Load("version: 1\n"), {{.spec = Spec("a", R"({"type":"object","hint":1})")}});
  EXPECT_TRUE(catalogue->Find("a")->input_schema.has_value());
}

TEST(Catalogue, StrictProfileRefusesUnnamedArguments) {
  const std::string schema = R"({"type":"object","properties":{"a":{}}})";
  const auto doc = base::JsonDoc::Parse(R"({"a":1,"b":2})");
  ASSERT_TRUE(doc.ok());
  const auto lax = ToolCatalogue::Build(Load("version: 1\n"), {{.spec = Spec("a", schema)}});
  const auto strict = ToolCatalogue::Build(Load("version: 1\nprofile: strict\n"), {{.spec = Spec("a", schema)}});
  EXPECT_TRUE(lax->Find("a")->input_schema->Validate(doc.value().root()).valid());
  EXPECT_TRUE(strict->Find("a")->input_schema->Validate(doc.value().root()).invalid());
}

}  // namespace
}  // namespace interlock::policy
