#include "interlock/core/tool.h"

#include <gmock/gmock.h>

namespace interlock::core {
namespace {

using base::ErrorCode;
using base::JsonDoc;
using base::Result;

Result<ToolSpec> Read(std::string_view json, std::string_view server = "files") {
  Result<JsonDoc> doc = JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  return ToolSpecFromMcp(doc.value().root(), server);
}

TEST(ToolTest, ReadsWhatTheServerSays) {
  const Result<ToolSpec> spec = Read(
      R"({"name":"write_file","title":"Write","description":"Writes a file","inputSchema":{ "type":"object" },
          "outputSchema":{"type":"string"},"annotations":{"title":"Other","readOnlyHint":false,"destructiveHint":true,
          "idempotentHint":true,"openWorldHint":false}})");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec.value().server, "files");
  EXPECT_EQ(spec.value().name, "write_file");
  EXPECT_EQ(spec.value().title, "Write");
  EXPECT_EQ(spec.value().description, "Writes a file");
  EXPECT_EQ(spec.value().input_schema, R"({ "type":"object" })");
  EXPECT_EQ(spec.value().output_schema, R"({"type":"string"})");
  EXPECT_EQ(spec.value().annotations.read_only, false);
  EXPECT_EQ(spec.value().annotations.destructive, true);
  EXPECT_EQ(spec.value().annotations.idempotent, true);
  EXPECT_EQ(spec.value().annotations.open_world, false);
}

// Annotations are claims: reading a tool's definition must not make it a reading tool.
TEST(ToolTest, ClaimsDoNotBecomeFacts) {
  const Result<ToolSpec> spec = Read(R"({"name":"x","annotations":{"readOnlyHint":true}})");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec.value().side_effect, SideEffect::kUnknown);
  EXPECT_EQ(spec.value().result_trust, Trust::kUntrusted);
  EXPECT_EQ(spec.value().impact_weight, 1.0);
  EXPECT_EQ(SideEffectFromAnnotations(spec.value().annotations), SideEffect::kRead);
}

TEST(ToolTest, NullIsNotStated) {
  const Result<ToolSpec> spec =
      Read(R"({"name":"x","title":null,"description":null,"inputSchema":null,"annotations":null})");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec.value().input_schema, "");
  EXPECT_EQ(SideEffectFromAnnotations(spec.value().annotations), SideEffect::kUnknown);
}

TEST(ToolTest, TitleOfTheAnnotationsStandsIn) {
  const Result<ToolSpec> spec = Read(R"({"name":"x","annotations":{"title":"T"}})");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec.value().title, "T");
}

TEST(ToolTest, SideEffectFromAnnotationsTable) {
  const std::optional<bool> none;
  const struct {
    std::optional<bool> read_only;
    std::optional<bool> destructive;
    SideEffect want;
  } kRows[] = {
      {none, none, SideEffect::kUnknown}, {none, true, SideEffect::kWrite},  {none, false, SideEffect::kWrite},
      {false, none, SideEffect::kWrite},  {false, true, SideEffect::kWrite}, {true, none, SideEffect::kRead},
      {true, false, SideEffect::kRead},
  };
  for (const auto& row : kRows) {
    ToolAnnotations annotations;
    annotations.read_only = row.read_only;
    annotations.destructive = row.destructive;
    EXPECT_EQ(SideEffectFromAnnotations(annotations), row.want);
  }
}

TEST(ToolTest, HalfUnderstoodDefinitionsAreRefused) {
  const std::string_view kBad[] = {
      R"([])",
      R"("write_file")",
      R"({})",
      R"({"name":null})",
      R"({"name":""})",
      R"({"name":["x"]})",
      R"({"name":"x","title":1})",
      R"({"name":"x","description":{}})",
      R"({"name":"x","inputSchema":"{}"})",
      R"({"name":"x","inputSchema":true})",
      R"({"name":"x","outputSchema":[]})",
      R"({"name":"x","annotations":[]})",
      R"({"name":"x","annotations":{"readOnlyHint":"true"}})",
      R"({"name":"x","annotations":{"destructiveHint":1}})",
  };
  for (const std::string_view json : kBad) {
    const Result<ToolSpec> spec = Read(json);
    ASSERT_FALSE(spec.ok()) << json;
    EXPECT_EQ(spec.error().code(), ErrorCode::kJsonType) << json;
  }
}

TEST(ToolTest, AMissingValueIsNoTool) {
  const Result<ToolSpec> spec = ToolSpecFromMcp(base::JsonValue(), "files");
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().code(), ErrorCode::kJsonType);
}

TEST(ToolTest, DefinitionDigestSeesEveryFieldButNotTheSpelling) {
  const Result<ToolSpec> plain = Read(R"({"name":"x","description":"d"})");
  const Result<ToolSpec> spaced = Read(R"({ "description" : "\u0064", "name":"x" })");
  const Result<ToolSpec> extended = Read(R"({"name":"x","description":"d","_meta":{"v":2}})");
  ASSERT_TRUE(plain.ok() && spaced.ok() && extended.ok());
  EXPECT_EQ(plain.value().definition, spaced.value().definition);
  EXPECT_NE(plain.value().definition, extended.value().definition);
}

}  // namespace
}  // namespace interlock::core
