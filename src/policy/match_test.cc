// Rules against calls: what matches, what does not, and what cannot be told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "interlock/policy/catalogue.h"
#include "interlock/policy/load.h"
#include "rule.h"

namespace interlock::policy {
namespace {

using core::SideEffect;

class FakeOrigins final : public OriginLookup {
 public:
  std::map<std::string, core::LabelSet, std::less<>> labels;
  bool complete = true;
  [[nodiscard]] Answer OriginsOf(std::string_view text) const override {
    const auto it = labels.find(text);
    return {.labels = it == labels.end() ? 0 : it->second, .complete = complete};
  }
};

struct World {
  std::string tool = "t";
  std::string server;
  std::string arguments = "{}";  // "" for none at all
  SideEffect effect = SideEffect::kUnknown;
  std::string principal;  // "" for unknown
  std::string environment;
  core::LabelSet seen = 0;
  const OriginLookup* origins = nullptr;
};

std::shared_ptr<const PolicySnapshot> Load(const std::string& when, const std::string& more = "") {
  LoadOptions options;
  options.variables = {{"cwd", "/srv/task"}, {"home", "/home/ann"}};
  const std::string yaml = "version: 1\nprincipals: {alice: {roles: [developer]}, bob: {roles: [operator]}}\n" + more +
                           "rules:\n  - id: r\n    effect: block\n    when: " + when + "\n";
  const LoadedPolicy loaded = LoadPolicy(yaml, options);
  for (const Diagnostic& d : loaded.diagnostics) {
    if (d.severity == Severity::kError) ADD_FAILURE() << d.ToString();
  }
  return loaded.policy;
}

Match Ask(const PolicySnapshot& policy, const World& world, PolicySnapshot::Why* why = nullptr) {
  const auto doc = base::JsonDoc::Parse(world.arguments.empty() ? "null" : world.arguments);
  EXPECT_TRUE(doc.ok()) << world.arguments;
  core::Call call{.id = "1", .server = world.server, .tool = world.tool, .arguments = {}};
  if (!world.arguments.empty()) call.arguments = doc.value().root();
  ToolEntry entry;
  entry.spec.name = world.tool;
  entry.spec.side_effect = world.effect;
  const core::Principal principal = policy.ResolvePrincipal(world.principal);
  const MatchContext context{.principal = world.principal.empty() ? nullptr : &principal,
                             .environment = world.environment,
                             .session_labels = world.seen,
                             .origins = world.origins};
  const Match plain = policy.Evaluate(0, call, &entry, context, nullptr);
  PolicySnapshot::Why local;
  EXPECT_EQ(policy.Evaluate(0, call, &entry, context, why != nullptr ? why : &local), plain)
      << "asking why changed the answer";
  // Whatever can match must be a candidate.
  if (plain != Match::kNo) {
    EXPECT_THAT(policy.CandidatesFor(world.server, world.tool, world.effect), testing::ElementsAre(0u));
  }
  return plain;
}

struct Row {
  const char* name;
  std::string when;
  World world;
  Match want;
};

class MatchTable : public testing::TestWithParam<Row> {};

TEST_P(MatchTable, Holds) {
  const auto policy = Load(GetParam().when);
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(Ask(*policy, GetParam().world), GetParam().want);
}

constexpr Match kNo = Match::kNo;
constexpr Match kYes = Match::kYes;
constexpr Match kUnknown = Match::kUnknown;

const Row kNames[] = {
    {"exact", "{tool: t}", {.tool = "t"}, kYes},
    {"exact_other", "{tool: t}", {.tool = "tt"}, kNo},
    {"list", "{tool: [a, t]}", {.tool = "t"}, kYes},
    {"prefix", "{tool: \"write_*\"}", {.tool = "write_file"}, kYes},
    {"prefix_other", "{tool: \"write_*\"}", {.tool = "rewrite_file"}, kNo},
    {"star_crosses_slash", "{tool: \"*\"}", {.tool = "a/b"}, kYes},
    {"middle_star_crosses_slash", "{tool: \"a*c\"}", {.tool = "a/b/c"}, kYes},
    {"escaped", "{tool: \"a\\\\*\"}", {.tool = "a*"}, kYes},
    {"escaped_other", "{tool: \"a\\\\*\"}", {.tool = "ab"}, kNo},
    {"case_matters", "{tool: Read}", {.tool = "read"}, kNo},
    {"no_condition", "{}", {}, kYes},
    {"server", "{server: \"git*\"}", {.server = "github"}, kYes},
    {"server_other", "{server: \"git*\"}", {.server = "files"}, kNo},
    {"server_unknown", "{server: \"git*\"}", {}, kUnknown},
    {"effect", "{effect: [write, deploy]}", {.effect = SideEffect::kWrite}, kYes},
    {"effect_other", "{effect: [write, deploy]}", {.effect = SideEffect::kRead}, kNo},
    {"effect_unstated", "{effect: [write, deploy]}", {}, kUnknown},
    {"effect_unknown_named", "{effect: unknown}", {}, kYes},
    {"principal", "{principal: alice}", {.principal = "alice"}, kYes},
    {"principal_other", "{principal: alice}", {.principal = "bob"}, kNo},
    {"principal_unknown", "{principal: alice}", {}, kUnknown},
    {"role", "{role: [developer, operator]}", {.principal = "bob"}, kYes},
    {"role_other", "{role: developer}", {.principal = "bob"}, kNo},
    {"role_of_stranger", "{role: developer}", {.principal = "mallory"}, kNo},
    {"role_unknown", "{role: developer}", {}, kUnknown},
    {"environment", "{environment: prod}", {.environment = "prod"}, kYes},
    {"environment_other", "{environment: prod}", {.environment = "dev"}, kNo},
    {"environment_unknown", "{environment: prod}", {}, kUnknown},
};

const Row kFlow[] = {
    {"seen", "{flow: {seen: untrusted}}", {.seen = core::kLabelUntrusted}, kYes},
    {"seen_not", "{flow: {seen: untrusted}}", {.seen = core::kLabelTrusted}, kNo},
    {"seen_is_all", "{flow: {seen: [untrusted, trusted]}}", {.seen = core::kLabelTrusted}, kNo},
    {"seen_any", "{flow: {seen_any: [untrusted, trusted]}}", {.seen = core::kLabelTrusted}, kYes},
    {"not_seen", "{flow: {not_seen: untrusted}}", {.seen = core::kLabelTrusted}, kYes},
    {"not_seen_list_is_any", "{flow: {not_seen: [untrusted, trusted]}}", {.seen = core::kLabelTrusted}, kNo},
};

const Row kArguments[] = {
    {"valid", "{arguments: {required: [a], properties: {a: {const: 1}}}}", {.arguments = R"({"a":1.0})"}, kYes},
    {"invalid", "{arguments: {required: [a], properties: {a: {const: 1}}}}", {.arguments = R"({"a":2})"}, kNo},
    {"big_numbers_differ",
     "{arguments: {properties: {a: {const: 9007199254740993}}}}",
     {.arguments = R"({"a":9007199254740992})"},
     kNo},
    {"missing_is_empty_object", "{arguments: {required: [a]}}", {.arguments = ""}, kNo},
    {"missing_fits_anything", "{arguments: {type: object}}", {.arguments = ""}, kYes},
    {"quoted_is_string", "{arguments: {properties: {a: {const: \"1\"}}}}", {.arguments = R"({"a":1})"}, kNo},
};

const std::string kOutside = "{path: {argument: [/path, /paths/*], outside: [\"/srv/task/**\"]}}";
const std::string kInside = "{path: {argument: [/path, /paths/*], inside: [\"/srv/task/**\"]}}";

const std::string kTouches = "{path: {argument: [/path, /paths/*], touches: [\"/srv/task/**\"]}}";

const Row kPaths[] = {
    {"in", kOutside, {.arguments = R"({"path":"/srv/task/a"})"}, kNo},
    {"root_itself", kOutside, {.arguments = R"({"path":"/srv/task"})"}, kNo},
    {"root_with_slash", kOutside, {.arguments = R"({"path":"/srv/task/"})"}, kNo},
    {"out", kOutside, {.arguments = R"({"path":"/etc/passwd"})"}, kYes},
    {"sibling_with_same_prefix", kOutside, {.arguments = R"({"path":"/srv/task2/a"})"}, kYes},
    {"dots_climb_out", kOutside, {.arguments = R"({"path":"/srv/task/../../etc/passwd"})"}, kYes},
    {"dots_stay_in", kOutside, {.arguments = R"({"path":"/srv/task/a/../b"})"}, kNo},
    {"dots_climb_past_root", kOutside, {.arguments = R"({"path":"/../../srv/task/x"})"}, kNo},
    {"doubled_slashes", kOutside, {.arguments = R"({"path":"//srv///task/./x"})"}, kNo},
    {"relative_in", kOutside, {.arguments = R"({"path":"src/main.cc"})"}, kNo},
    {"relative_out", kOutside, {.arguments = R"({"path":"../x"})"}, kYes},
    {"home_out", kOutside, {.arguments = R"({"path":"~/.ssh/id_rsa"})"}, kYes},
    {"other_home", kOutside, {.arguments = R"({"path":"~root/x"})"}, kYes},
    {"url_is_no_path", kOutside, {.arguments = R"({"path":"file:///srv/task/x"})"}, kYes},
    {"scheme_without_authority", kOutside, {.arguments = R"({"path":"file:/etc/passwd"})"}, kYes},
    {"empty", kOutside, {.arguments = R"({"path":""})"}, kYes},
    {"nul", kOutside, {.arguments = "{\"path\":\"/srv/task/a\\u0000/../../etc\"}"}, kYes},
    {"not_a_string", kOutside, {.arguments = R"({"path":7})"}, kYes},
    {"list_where_string_is_meant", kOutside, {.arguments = R"({"path":["/srv/task/a"]})"}, kYes},
    {"any_of_many", kOutside, {.arguments = R"({"paths":["/srv/task/a","/etc/x"]})"}, kYes},
    {"all_of_many", kOutside, {.arguments = R"({"paths":["/srv/task/a","/srv/task/b"]})"}, kNo},
    {"string_where_list_is_meant", kOutside, {.arguments = R"({"paths":"/etc/x"})"}, kYes},
    {"object_where_list_is_meant", kOutside, {.arguments = R"({"paths":{"a":"/etc/x"}})"}, kYes},
    {"none_is_not_outside", kOutside, {.arguments = "{}"}, kNo},
    {"no_arguments_is_not_outside", kOutside, {.arguments = ""}, kNo},
    {"inside", kInside, {.arguments = R"({"path":"/srv/task/a"})"}, kYes},
    {"inside_not", kInside, {.arguments = R"({"path":"/etc/a"})"}, kNo},
    {"inside_needs_one", kInside, {.arguments = "{}"}, kNo},
    {"inside_empty_list_is_none", kInside, {.arguments = R"({"paths":[]})"}, kNo},
    {"inside_all", kInside, {.arguments = R"({"path":"/srv/task/a","paths":["/etc/x"]})"}, kNo},
    {"touches", kTouches, {.arguments = R"({"path":"/srv/task/a"})"}, kYes},
    {"touches_one_of_many", kTouches, {.arguments = R"({"paths":["/a","/srv/task/a"]})"}, kYes},
    {"touches_none", kTouches, {.arguments = R"({"path":"/a","paths":["/b"]})"}, kNo},
    {"touches_nothing", kTouches, {.arguments = "{}"}, kNo},
    {"touches_url_cannot_be_told", kTouches, {.arguments = R"({"path":"file:///srv/task/a"})"}, kUnknown},
    {"touches_number_cannot_be_told", kTouches, {.arguments = R"({"path":7})"}, kUnknown},
    {"touches_in_spite_of_a_url", kTouches, {.arguments = R"({"path":"file:///x","paths":["/srv/task"]})"}, kYes},
    {"glob", "{path: {argument: /path, inside: [\"**/*.env\"]}}", {.arguments = R"({"path":"/a/b/.env"})"}, kYes},
    {"glob_one_level",
     "{path: {argument: /path, inside: [\"/srv/*/logs\"]}}",
     {.arguments = R"({"path":"/srv/a/b/logs"})"},
     kNo},
    {"glob_root_of_tree",
     "{path: {argument: /path, inside: [\"/srv/*/**\"]}}",
     {.arguments = R"({"path":"/srv/a"})"},
     kYes},
    {"relative_glob",
     "{path: {argument: /path, inside: [\"src/**\"]}}",
     {.arguments = R"({"path":"/srv/task/src/x"})"},
     kYes},
    {"home_glob", "{path: {argument: /path, inside: [\"~/.ssh/**\"]}}", {.arguments = R"({"path":"~/.ssh/id"})"}, kYes},
    {"nested_pointer",
     "{path: {argument: /edits/*/path, outside: [\"/srv/**\"]}}",
     {.arguments = R"({"edits":[{"path":"/srv/a"},{"path":"/b"}]})"},
     kYes},
    {"index_pointer",
     "{path: {argument: /edits/1, outside: [\"/srv/**\"]}}",
     {.arguments = R"({"edits":["/b","/srv/a"]})"},
     kNo},
    {"escaped_pointer",
     "{path: {argument: \"/a~1b~0\", outside: [\"/srv/**\"]}}",
     {.arguments = R"({"a/b~":"/x"})"},
     kYes},
};

const Row kLogic[] = {
    {"and_no_beats_unknown", "{principal: alice, tool: other}", {}, kNo},
    {"and_unknown_beats_yes", "{principal: alice, tool: t}", {}, kUnknown},
    {"any_yes_beats_unknown", "{any: [{principal: alice}, {tool: t}]}", {}, kYes},
    {"any_unknown_beats_no", "{any: [{principal: alice}, {tool: other}]}", {}, kUnknown},
    {"any_no", "{any: [{tool: a}, {tool: b}]}", {}, kNo},
    {"all", "{all: [{tool: t}, {tool: \"*\"}]}", {}, kYes},
    {"not_yes", "{not: {tool: t}}", {}, kNo},
    {"not_no", "{not: {tool: a}}", {}, kYes},
    {"not_unknown", "{not: {principal: alice}}", {}, kUnknown},
    {"not_all", "{not: {tool: t, principal: alice}}", {.principal = "bob"}, kYes},
};

std::string RowName(const testing::TestParamInfo<Row>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Names, MatchTable, testing::ValuesIn(kNames), RowName);
INSTANTIATE_TEST_SUITE_P(Flow, MatchTable, testing::ValuesIn(kFlow), RowName);
INSTANTIATE_TEST_SUITE_P(Arguments, MatchTable, testing::ValuesIn(kArguments), RowName);
INSTANTIATE_TEST_SUITE_P(Paths, MatchTable, testing::ValuesIn(kPaths), RowName);
INSTANTIATE_TEST_SUITE_P(Logic, MatchTable, testing::ValuesIn(kLogic), RowName);

TEST(MatchPath, WithoutAWorkingDirectoryRelativePathsCannotBeTold) {
  const LoadedPolicy loaded = LoadPolicy(
      "version: 1\nrules: [{id: r, effect: block, when: {path: {argument: \"/p/*\", outside: \"/srv/**\"}}}]\n");
  ASSERT_NE(loaded.policy, nullptr);
  EXPECT_EQ(Ask(*loaded.policy, {.arguments = R"({"p":["a"]})"}), kUnknown);
  EXPECT_EQ(Ask(*loaded.policy, {.arguments = R"({"p":["~/a"]})"}), kUnknown);
  EXPECT_EQ(Ask(*loaded.policy, {.arguments = R"({"p":["a","/etc"]})"}), kYes);  // one is out for certain
  EXPECT_EQ(Ask(*loaded.policy, {.arguments = R"({"p":["/srv/a"]})"}), kNo);
}

TEST(MatchPath, VariablesAreLiteralInGlobs) {
  LoadOptions options;
  options.variables = {{"workspace", "/srv/[a]*"}};
  const LoadedPolicy loaded = LoadPolicy(
      "version: 1\nrules: [{id: r, effect: block, when: {path: {argument: /p, outside: \"${workspace}/**\"}}}]\n",
      options);
  ASSERT_NE(loaded.policy, nullptr);
  EXPECT_EQ(Ask(*loaded.policy, {.arguments = R"({"p":"/srv/[a]*/x"})"}), kNo);
  EXPECT_EQ(Ask(*loaded.policy, {.arguments = R"({"p":"/srv/ab/x"})"}), kYes);
}

TEST(MatchPath, SaysWhichArgument) {
  const auto policy = Load(kOutside);
  PolicySnapshot::Why why;
  EXPECT_EQ(Ask(*policy, {.arguments = R"({"paths":["/srv/task/a","/etc/x"]})"}, &why), kYes);
  EXPECT_EQ(why.pointer, "/paths/1");
  EXPECT_FALSE(why.text.empty());
}

TEST(MatchProvenance, Table) {
  FakeOrigins origins;
  origins.labels = {{"bad@x.test", core::kLabelUntrusted},
                    {"both@x.test", core::kLabelUntrusted | core::kLabelRequest},
                    {"me@x.test", core::kLabelRequest},
                    {"12345678", core::kLabelUntrusted},
                    {"77", core::kLabelUntrusted}};
  FakeOrigins partial = origins;
  partial.complete = false;
  const std::string from = "{provenance: {argument: /to, from: untrusted}}";
  const std::string both = "{provenance: {argument: /to, from: untrusted, not_from: request}}";
  const std::string not_from = "{provenance: {argument: /to, not_from: request}}";
  const std::string any = "{provenance: {argument: \"*\", from: untrusted}}";
  struct Case {
    const char* name;
    const std::string& when;
    const char* arguments;
    const OriginLookup* origins;
    Match want;
  };
  const Case cases[] = {
      {"found", from, R"({"to":"bad@x.test"})", &origins, kYes},
      {"absent", from, R"({"to":"new@x.test"})", &origins, kNo},
      {"nothing addressed", from, R"({"cc":"bad@x.test"})", &origins, kNo},
      {"no lookup", from, R"({"to":"bad@x.test"})", nullptr, kUnknown},
      {"no lookup, nothing addressed", from, "{}", nullptr, kNo},
      {"found though incomplete", from, R"({"to":"bad@x.test"})", &partial, kYes},
      {"absent from incomplete", from, R"({"to":"new@x.test"})", &partial, kUnknown},
      {"incomplete, then found", from, R"({"to":["new@x.test","bad@x.test"]})", &partial, kYes},
      {"asked for by the user", both, R"({"to":"both@x.test"})", &origins, kNo},
      {"asked for by the user, incomplete", both, R"({"to":"both@x.test"})", &partial, kNo},
      {"not asked for", both, R"({"to":"bad@x.test"})", &origins, kYes},
      {"perhaps asked for", both, R"({"to":"bad@x.test"})", &partial, kUnknown},
      {"own idea", not_from, R"({"to":"new@x.test"})", &origins, kYes},
      {"own idea, incomplete", not_from, R"({"to":"new@x.test"})", &partial, kUnknown},
      {"the user's", not_from, R"({"to":"me@x.test"})", &partial, kNo},
      {"leaf below", from, R"({"to":{"list":[{"a":"bad@x.test"}]}})", &origins, kYes},
      {"anywhere", any, R"({"x":{"y":["a","bad@x.test"]}})", &origins, kYes},
      {"long number anywhere", any, R"({"x":12345678})", &origins, kYes},
      {"short number identifies nothing", any, R"({"x":77})", &origins, kNo},
      {"short number where it is named", from, R"({"to":77})", &origins, kYes},
  };
  for (const Case& c : cases) {
    const auto policy = Load(c.when);
    ASSERT_NE(policy, nullptr);
    EXPECT_TRUE(policy->uses_provenance());
    EXPECT_EQ(Ask(*policy, {.arguments = c.arguments, .origins = c.origins}), c.want) << c.name;
  }
}

TEST(MatchProvenance, HugeArgumentsCannotBeTold) {
  const auto policy = Load("{provenance: {argument: \"*\", from: untrusted}}");
  const FakeOrigins origins;
  std::string many = "{\"a\":[\"x\"";
  for (int i = 0; i < 5000; ++i) many += ",\"y\"";
  EXPECT_EQ(Ask(*policy, {.arguments = many + "]}", .origins = &origins}), kUnknown);
  EXPECT_EQ(Ask(*policy, {.arguments = "{\"a\":\"" + std::string(2'000'000, 'x') + "\"}", .origins = &origins}),
            kUnknown);
}

TEST(MatchWhy, LastConditionSpeaksAndUnknownGoesFirst) {
  const auto policy = Load("{principal: alice, path: {argument: /p, outside: \"/srv/**\"}}");
  PolicySnapshot::Why why;
  EXPECT_EQ(Ask(*policy, {.arguments = R"({"p":"/x"})", .principal = "alice"}, &why), kYes);
  EXPECT_EQ(why.pointer, "/p");
  EXPECT_EQ(Ask(*policy, {.arguments = R"({"p":"/x"})"}, &why), kUnknown);
  EXPECT_EQ(why.pointer, "");  // it is the principal that is not known
  EXPECT_FALSE(why.text.empty());
}

// All trees of one combinator over two operands, against strong Kleene logic. Operands: yes, no, unknown.
TEST(MatchLogic, KleeneExhaustively) {
  const std::pair<std::string, Match> operands[] = {
      {"{tool: t}", kYes}, {"{tool: a}", kNo}, {"{principal: alice}", kUnknown}};
  const auto rank = [](Match m) { return m == kNo ? 0 : m == kUnknown ? 1 : 2; };
  const auto unrank = [](int r) { return r == 0 ? kNo : r == 1 ? kUnknown : kYes; };
  for (const auto& [a, ma] : operands) {
    for (const auto& [b, mb] : operands) {
      const Match all = unrank(std::min(rank(ma), rank(mb)));
      const Match any = unrank(std::max(rank(ma), rank(mb)));
      EXPECT_EQ(Ask(*Load("{all: [" + a + ", " + b + "]}"), {}), all) << a << b;
      EXPECT_EQ(Ask(*Load("{any: [" + a + ", " + b + "]}"), {}), any) << a << b;
      EXPECT_EQ(Ask(*Load("{not: {any: [" + a + ", " + b + "]}}"), {}), unrank(2 - rank(any))) << a << b;
      EXPECT_EQ(Ask(*Load("{not: {all: [" + a + ", " + b + "]}}"), {}), unrank(2 - rank(all))) << a << b;
    }
  }
}

TEST(Candidates, OnlyRulesThatCanConcernTheTool) {
  const LoadedPolicy loaded = LoadPolicy(R"(
version: 1
tools: {known_read: {effect: read}}
rules:
  - {id: r0, effect: block, when: {tool: a}}
  - {id: r1, effect: block, when: {tool: "a*"}}
  - {id: r2, effect: block, when: {effect: write}}
  - {id: r3, effect: block, when: {principal: x}}
  - {id: r4, effect: block, when: {any: [{tool: a}, {tool: b, effect: read}]}}
  - {id: r5, effect: block, when: {not: {tool: a}}}
  - {id: r6, effect: block, when: {tool: [b, a], server: s}}
)");
  ASSERT_NE(loaded.policy, nullptr);
  const auto of = [&](std::string_view server, std::string_view tool, SideEffect effect) {
    return loaded.policy->CandidatesFor(server, tool, effect);
  };
  using testing::ElementsAre;
  EXPECT_THAT(of("s", "a", SideEffect::kRead), ElementsAre(0u, 1u, 3u, 4u, 6u));
  EXPECT_THAT(of("z", "a", SideEffect::kWrite), ElementsAre(0u, 1u, 2u, 3u, 4u));
  EXPECT_THAT(of("", "b", SideEffect::kRead), ElementsAre(3u, 4u, 5u, 6u));
  EXPECT_THAT(of("", "c", SideEffect::kUnknown), ElementsAre(2u, 3u, 5u));
  // What the policy states of an unlisted tool counts.
  EXPECT_THAT(of("", "known_read", SideEffect::kUnknown), ElementsAre(3u, 5u));
}

TEST(Environment, TheDocumentsOwnCountsUntilSomebodySaysMore) {
  const auto policy = Load("{environment: prod}", "environment: prod\n");
  EXPECT_EQ(policy->environment(), "prod");
  EXPECT_EQ(Ask(*policy, {}), kYes);
  EXPECT_EQ(Ask(*policy, {.environment = "dev"}), kNo);
}

}  // namespace
}  // namespace interlock::policy
