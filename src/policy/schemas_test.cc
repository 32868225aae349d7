// The published schemas and the documentation say what the loader does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/draft.h"
#include "interlock/policy/json_schema.h"
#include "interlock/policy/load.h"
#include "interlock/policy/pins.h"
#include "read.h"

namespace interlock::policy {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

fs::path Source(const std::string& relative) { return fs::path(INTERLOCK_SOURCE_DIR) / relative; }

JsonSchema Published(const std::string& file) {
  const auto doc = base::JsonDoc::Parse(ReadFile(Source("schemas/" + file)));
  EXPECT_TRUE(doc.ok());
  auto schema = JsonSchema::Compile(doc.value().root());
  EXPECT_TRUE(schema.ok()) << schema.error().ToString();
  return std::move(schema.value());
}

std::string AsJson(const std::string& yaml) {
  const auto document = ReadYaml(yaml, "x.yaml");
  EXPECT_TRUE(document.ok()) << yaml;
  Diagnostics diagnostics("x.yaml", yaml);
  return document.ok() ? ToJson(document.value().root, diagnostics).value_or("null") : "null";
}

SchemaOutcome Check(const JsonSchema& schema, const std::string& json) {
  const auto doc = base::JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  return schema.Validate(doc.value().root());
}

void ExpectFits(const JsonSchema& schema, const std::string& json) {
  const SchemaOutcome outcome = Check(schema, json);
  EXPECT_TRUE(outcome.valid()) << (outcome.valid() ? "" : outcome.ToError().ToString()) << "\n" << json;
}

// The ```yaml blocks of a document.
std::vector<std::string> Blocks(const std::string& markdown) {
  std::vector<std::string> out;
  std::optional<std::string> open;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line == "```yaml") {
      open.emplace();
    } else if (line == "```" && open) {
      out.push_back(std::move(*open));
      open.reset();
    } else if (open) {
      *open += line + "\n";
    }
  }
  return out;
}

TEST(Docs, EveryPolicyInTheManualLoadsAndFitsTheSchema) {
  const JsonSchema schema = Published("interlock.policy.v1.json");
  LoadOptions options;
  options.variables = {{"cwd", "/srv/task"}, {"home", "/home/ann"}};
  const std::vector<std::string> blocks = Blocks(ReadFile(Source("docs/policy.md")));
  EXPECT_GE(blocks.size(), 10u);
  for (const std::string& block : blocks) {
    EXPECT_TRUE(block.starts_with("version: 1\n")) << block;
    const LoadedPolicy loaded = LoadPolicy(block, options);
    for (const Diagnostic& d : loaded.diagnostics) ADD_FAILURE() << d.ToString() << "\n" << block;
    ExpectFits(schema, AsJson(block));
  }
}

TEST(Schemas, ProfilesFit) {
  const JsonSchema schema = Published("interlock.profile.v1.json");
  for (std::string_view name : ShippedProfileNames()) ExpectFits(schema, AsJson(std::string(ShippedProfile(name))));
  EXPECT_TRUE(Check(schema, R"({"version":1,"name":"x","layer":{}})").invalid());
  EXPECT_TRUE(Check(schema, R"({"version":1,"name":"x","defaults":{"read":"rewrite"}})").invalid());
}

TEST(Schemas, PinsFit) {
  const JsonSchema schema = Published("interlock.pins.v1.json");
  Pins pins;
  ExpectFits(schema, pins.ToJson());
  pins.PinTool("s", "t", base::Sha256("x"));
  pins.PinInstructions("s", base::Sha256("y"));
  ExpectFits(schema, pins.ToJson());
  EXPECT_TRUE(Check(schema, R"({"schema":"interlock.pins/v1","servers":{"s":{"tools":{"t":"md5:0"}}}})").invalid());
}

TEST(Schemas, DraftsAndTheFuzzSeedFit) {
  const JsonSchema schema = Published("interlock.policy.v1.json");
  ExpectFits(schema, AsJson(DraftPolicy({}, {})));
  ExpectFits(schema, AsJson(ReadFile(Source("fuzz/corpus/policy/every_condition.yaml"))));
  for (const char* server : {"filesystem", "memory", "everything"}) {
    const auto doc =
        base::JsonDoc::Parse(ReadFile(fs::path(INTERLOCK_TESTDATA) / "servers" / (std::string(server) + ".json")));
    ASSERT_TRUE(doc.ok());
    std::vector<core::ToolSpec> tools;
    for (const base::JsonValue tool : doc.value().root()) {
      auto spec = core::ToolSpecFromMcp(tool, "");
      ASSERT_TRUE(spec.ok());
      tools.push_back(std::move(spec.value()));
    }
    ExpectFits(schema, AsJson(DraftPolicy(tools, {})));
  }
}

// Faults of form are faults to the schema too; faults of meaning (references, patterns) are the loader's alone.
TEST(Schemas, RefuseWhatTheLoaderRefusesForItsForm) {
  const JsonSchema schema = Published("interlock.policy.v1.json");
  for (const char* name : {"unknown_keys", "missing", "types", "values", "version", "rewrite_rules", "pointers"}) {
    const std::string yaml = ReadFile(fs::path(INTERLOCK_TESTDATA) / "errors" / (std::string(name) + ".yaml"));
    EXPECT_TRUE(Check(schema, AsJson(yaml)).invalid()) << name;
  }
}

TEST(Published, DataOfTheGateFits) {
  ExpectFits(Published("interlock.rho.v1.json"), ReadFile(Source("rules/risk/rho.json")));
  ExpectFits(Published("interlock.controls.v1.json"), ReadFile(Source("rules/controls/layers.json")));
}

}  // namespace
}  // namespace interlock::policy
