#include "interlock/policy/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/load.h"

namespace interlock::policy {
namespace {

using core::SideEffect;

std::vector<core::ToolSpec> Tools(std::string_view json) {
  std::vector<core::ToolSpec> out;
  const auto doc = base::JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok());
  if (!doc.ok()) return out;
  for (const base::JsonValue tool : doc.value().root()) {
    auto spec = core::ToolSpecFromMcp(tool, "");
    EXPECT_TRUE(spec.ok());
    if (spec.ok()) out.push_back(std::move(spec.value()));
  }
  return out;
}

std::vector<core::ToolSpec> Server(const std::string& name) {
  std::ifstream in(std::filesystem::path(INTERLOCK_TESTDATA) / "servers" / (name + ".json"), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return Tools(text.str());
}

LoadedPolicy MustLoad(const std::string& yaml) {
  LoadOptions options;
  options.variables = {{"cwd", "/srv/task"}, {"home", "/home/ann"}};
  LoadedPolicy loaded = LoadPolicy(yaml, options);
  for (const Diagnostic& d : loaded.diagnostics) ADD_FAILURE() << d.ToString() << "\n" << yaml;
  EXPECT_NE(loaded.policy, nullptr);
  return loaded;
}

// Ids of the rules that match a call, in a session that has seen `seen`.
std::vector<std::string> Matching(const PolicySnapshot& policy, std::string_view tool, std::string_view arguments,
                                  core::LabelSet seen = 0) {
  const auto doc = base::JsonDoc::Parse(arguments);
  EXPECT_TRUE(doc.ok());
  const core::Call call{.id = "1", .server = "", .tool = tool, .arguments = doc.value().root()};
  const MatchContext context{.principal = nullptr, .environment = "", .session_labels = seen, .origins = nullptr};
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < policy.rule_count(); ++i) {
    if (policy.Evaluate(i, call, nullptr, context, nullptr) == Match::kYes) out.emplace_back(policy.rule(i).id);
  }
  return out;
}

TEST(Draft, ReferenceServersLoadWithoutDiagnostics) {
  for (const char* name : {"filesystem", "memory", "everything"}) {
    SCOPED_TRACE(name);
    const std::vector<core::ToolSpec> tools = Server(name);
    ASSERT_GT(tools.size(), 5u);
    const LoadedPolicy loaded = MustLoad(DraftPolicy(tools, {.server_command = "npx server", .workspace = ""}));
    ASSERT_NE(loaded.policy, nullptr);
    EXPECT_EQ(loaded.policy->NamedTools().size(), tools.size());
    EXPECT_GE(loaded.tests.size(), 2u);
  }
}

TEST(Draft, FilesystemServer) {
  const LoadedPolicy loaded =
      MustLoad(DraftPolicy(Server("filesystem"), {.server_command = "x", .workspace = "/srv/work"}));
  ASSERT_NE(loaded.policy, nullptr);
  const PolicySnapshot& policy = *loaded.policy;
  EXPECT_EQ(policy.StatedEffect("read_text_file"), SideEffect::kRead);
  EXPECT_EQ(policy.StatedEffect("write_file"), SideEffect::kWrite);
  EXPECT_EQ(policy.StatedEffect("move_file"), SideEffect::kWrite);
  EXPECT_EQ(policy.StatedEffect("directory_tree"), SideEffect::kRead);
  using testing::ElementsAre;
  EXPECT_THAT(Matching(policy, "write_file", R"({"path":"/srv/work/a","content":""})"), ElementsAre("writes-inside"));
  EXPECT_THAT(Matching(policy, "write_file", R"({"path":"/etc/a","content":""})"), ElementsAre("changes-stay-inside"));
  EXPECT_THAT(Matching(policy, "move_file", R"({"source":"/srv/work/a","destination":"/tmp/b"})"),
              ElementsAre("changes-stay-inside"));
  EXPECT_THAT(Matching(policy, "read_text_file", R"({"path":"/srv/work/a"})"), ElementsAre());
  EXPECT_THAT(Matching(policy, "read_multiple_files", R"({"paths":["/srv/work/a","~/.ssh/id_rsa"]})"),
              ElementsAre("reads-outside-ask"));
  ASSERT_EQ(loaded.tests.size(), 4u);
  // The examples are true of the rules.
  for (const PolicyTestCase& test : loaded.tests) {
    if (test.want_rule.empty()) continue;
    EXPECT_THAT(Matching(policy, test.tool, test.arguments_json), ElementsAre(test.want_rule)) << test.name;
  }
}

TEST(Draft, MemoryServer) {
  const LoadedPolicy loaded = MustLoad(DraftPolicy(Server("memory"), {}));
  ASSERT_NE(loaded.policy, nullptr);
  EXPECT_EQ(loaded.policy->StatedEffect("delete_entities"), SideEffect::kWrite);
  EXPECT_EQ(loaded.policy->StatedEffect("search_nodes"), SideEffect::kRead);
  using testing::ElementsAre;
  EXPECT_THAT(Matching(*loaded.policy, "create_entities", "{}"), ElementsAre("writes-before-untrusted"));
  EXPECT_THAT(Matching(*loaded.policy, "create_entities", "{}", core::kLabelUntrusted), ElementsAre());
  EXPECT_THAT(Matching(*loaded.policy, "delete_entities", "{}"), ElementsAre());
}

struct EffectRow {
  const char* tool;
  SideEffect want;
};

TEST(Draft, EffectsFromAnnotationsAndVerbs) {
  const EffectRow rows[] = {
      {R"({"name":"get_commit"})", SideEffect::kRead},
      {R"({"name":"github_create_issue"})", SideEffect::kWrite},
      {R"({"name":"readTextFile"})", SideEffect::kRead},
      {R"({"name":"search_and_replace"})", SideEffect::kWrite},
      {R"({"name":"list_recent_deployments"})", SideEffect::kRead},
      {R"({"name":"deploy_service"})", SideEffect::kDeploy},
      {R"({"name":"grant_role"})", SideEffect::kSecurity},
      {R"({"name":"run_command"})", SideEffect::kUnknown},
      {R"({"name":"frobnicate"})", SideEffect::kUnknown},
      {R"({"name":"frobnicate","annotations":{"readOnlyHint":true}})", SideEffect::kRead},
      {R"({"name":"delete_all","annotations":{"readOnlyHint":true}})", SideEffect::kWrite},  // the stricter of the two
      {R"({"name":"deploy","annotations":{"readOnlyHint":true}})", SideEffect::kDeploy},
      {R"({"name":"get_it","annotations":{"readOnlyHint":false}})", SideEffect::kWrite},
      {R"({"name":"get_it","annotations":{"destructiveHint":true}})", SideEffect::kWrite},
  };
  for (const EffectRow& row : rows) {
    const auto tools = Tools("[" + std::string(row.tool) + "]");
    ASSERT_EQ(tools.size(), 1u);
    EXPECT_EQ(MustLoad(DraftPolicy(tools, {})).policy->StatedEffect(tools[0].name), row.want) << row.tool;
  }
}

// A server chooses its tools' names; it must not thereby write policy.
TEST(Draft, HostileNamesStayNames) {
  const std::string names[] = {"*",
                               "a\nrules: [{id: x, effect: allow}]",
                               "true",
                               "\"",
                               "a: b",
                               "#",
                               "- x",
                               "a\\*",
                               "{x,y}",
                               "~",
                               "${cwd}",
                               "\x7f",
                               "\xe2\x80\xa8",
                               "\xef\xbb\xbf",
                               "\xf0\x9f\x98\x80",
                               "yes",
                               "007",
                               std::string(256, '*'),
                               "&a",
                               "*a",
                               "!!str x",
                               "[",
                               "\\",
                               "a/b",
                               "<<",
                               "null"};
  std::vector<core::ToolSpec> tools;
  for (const std::string& name : names) {
    core::ToolSpec spec;
    spec.name = name;
    spec.input_schema = R"({"properties":{"path":{"type":"string"},"url":{"type":"string"}}})";
    spec.annotations.read_only = false;
    tools.push_back(spec);
  }
  const LoadedPolicy loaded =
      MustLoad(DraftPolicy(tools, {.server_command = "a\nrules:", .workspace = "/srv/\"a\nb*"}));
  ASSERT_NE(loaded.policy, nullptr);
  std::vector<std::string> found;
  for (const core::ToolSpec& spec : loaded.policy->NamedTools()) found.push_back(spec.name);
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(names));
  EXPECT_EQ(loaded.policy->StatedEffect("something else"), SideEffect::kUnknown);
  for (const std::string& name : names) {
    EXPECT_THAT(Matching(*loaded.policy, name, R"({"path":"/etc/x"})"), testing::Contains("changes-stay-inside"))
        << name;
    EXPECT_THAT(Matching(*loaded.policy, name, R"({"path":"/srv/\"a\nb*/x"})"), testing::Contains("writes-inside"))
        << name;
  }
}

TEST(Draft, OddListsStillLoad) {
  MustLoad(DraftPolicy({}, {}));
  std::vector<core::ToolSpec> tools(3);
  tools[0].name = std::string(5000, 'x');
  tools[1].name = "twice";
  tools[2].name = "twice";
  const LoadedPolicy loaded = MustLoad(DraftPolicy(tools, {}));
  EXPECT_EQ(loaded.policy->NamedTools().size(), 1u);
}

}  // namespace
}  // namespace interlock::policy
