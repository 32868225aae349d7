#include <gtest/gtest.h>

#include "graph_test_util.h"
#include "interlock/bounds/graph_index.h"
#include "interlock/bounds/tool_class.h"

namespace interlock::bounds {
namespace {

bool Has(const FunctionalityGraph& graph, const Flow& flow, Side side) {
  const auto scope = graph.scopes().find({});
  if (scope == graph.scopes().end()) return false;
  const auto it = scope->second.flows.find(flow);
  return it != scope->second.flows.end() && !it->second.of(side).empty();
}

Flow Origin(OriginKind from, std::string source, OriginMatch match) {
  return {.view = View::kArguments,
          .tool = "send",
          .argument = "/v",
          .from = from,
          .source = std::move(source),
          .match = match};
}

// How a value is matched in one earlier result.
OriginMatch MatchIn(const std::string& value, const std::string& result) {
  std::string json;
  base::AppendJsonString(json, value);
  const FunctionalityGraph graph = Learned(
      {{Side::kBenign,
        Session("a", "go",
                {{{.tool = "read", .result = result}}, {{.tool = "send", .arguments = "{\"v\":" + json + "}"}}})}});
  for (const OriginMatch match :
       {OriginMatch::kExact, OriginMatch::kCanonical, OriginMatch::kFormat, OriginMatch::kSubstring}) {
    if (Has(graph, Origin(OriginKind::kResult, "read", match), Side::kBenign)) return match;
  }
  EXPECT_TRUE(Has(graph, Origin(OriginKind::kModel, "", OriginMatch::kNone), Side::kBenign)) << value;
  return OriginMatch::kNone;
}

TEST(GraphLearner, SaysHowAValueMatches) {
  EXPECT_EQ(MatchIn("bob@shop.test", "write to bob@shop.test today"), OriginMatch::kExact);
  EXPECT_EQ(MatchIn("Bob@Shop.test", "write to bob@shop.test today"), OriginMatch::kCanonical);
  EXPECT_EQ(MatchIn("1100", "amount: 1,100.00"), OriginMatch::kCanonical);
  EXPECT_EQ(MatchIn("Rent for May", "rent  for-may"), OriginMatch::kCanonical);
  EXPECT_EQ(MatchIn("please pay DE89370400440532013000", "IBAN DE89370400440532013000"), OriginMatch::kFormat);
  EXPECT_EQ(MatchIn("quarterly figures reviewed twice", "the quarterly report: figures, appendix"),
            OriginMatch::kSubstring);
  EXPECT_EQ(MatchIn("entirely different words", "nothing of the kind"), OriginMatch::kNone);
  EXPECT_EQ(MatchIn("110", "amount: 1,100.00"), OriginMatch::kNone) << "a part of a number is another number";
}

TEST(GraphLearner, LaterResultsAndThoseOfTheSameTurnExplainNothing) {
  const FunctionalityGraph graph =
      Learned({{Side::kBenign,
                Session("a", "go",
                        {{{.tool = "read", .result = "code 77431"}, {.tool = "send", .arguments = R"({"v":"77431"})"}},
                         {{.tool = "read", .result = "code 77431"}}})}});
  EXPECT_TRUE(Has(graph, Origin(OriginKind::kModel, "", OriginMatch::kNone), Side::kBenign));
  EXPECT_FALSE(Has(graph, Origin(OriginKind::kResult, "read", OriginMatch::kExact), Side::kBenign));
}

TEST(GraphLearner, ASessionCountsOnceHoweverOftenItRepeats) {
  std::vector<std::vector<CallSpec>> turns;
  for (int i = 0; i < 5; ++i) turns.push_back({{.tool = "send"}});
  const FunctionalityGraph graph = Learned({{Side::kBenign, Session("a", "go", turns)}});
  EXPECT_EQ(graph.scopes().at({}).flows.at({.view = View::kCalls, .tool = "send"}).benign.total(), 1U);
}

TEST(GraphLearner, WhatWasStoppedIsNotBenign) {
  const std::string blocked = R"({"verdict":"block","enforcement":"blocked"})";
  const auto session = Session("a", "go", {{{.tool = "send", .decision = blocked}}, {{.tool = "read"}}});
  const Flow call{.view = View::kCalls, .tool = "send"};
  EXPECT_FALSE(Has(Learned({{Side::kBenign, session}}), call, Side::kBenign));
  EXPECT_TRUE(Has(Learned({{Side::kAttack, session}}), call, Side::kAttack)) << "in an attack it is the evidence";
  const std::string shadowed = R"({"verdict":"block","enforcement":"shadowed"})";
  EXPECT_TRUE(Has(Learned({{Side::kBenign, Session("b", "go", {{{.tool = "send", .decision = shadowed}}})}}), call,
                  Side::kBenign))
      << "it ran";
}

TEST(GraphLearner, CallsBeforeAnAttackAreTheUsersOwn) {
  GraphLearner learner;
  const auto session = Session("a", "go", {{{.tool = "read"}}, {{.tool = "send"}}});
  ASSERT_TRUE(learner.Observe(*session, {.side = Side::kAttack, .first_call = 1}).ok());
  const auto graph = learner.Take();
  ASSERT_TRUE(graph.ok());
  EXPECT_FALSE(Has(graph.value(), {.view = View::kCalls, .tool = "read"}, Side::kAttack));
  EXPECT_TRUE(Has(graph.value(), {.view = View::kRetrievalToAction, .after = {"read"}, .tool = "send"}, Side::kAttack))
      << "but they are what came before";
}

TEST(GraphLearner, HostileSessionsEndWithAnErrorAndTeachNothing) {
  GraphLearner learner;
  const auto long_name = Session("a", "go", {{{.tool = std::string(257, 'x')}}});
  EXPECT_EQ(learner.Observe(*long_name, {}).error().code(), base::ErrorCode::kGraphSession);
  LearnLimits small;
  small.max_steps = 1000;
  GraphLearner limited({}, small);
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "w ";
  const auto repeats =
      Session("b", "go", {{{.tool = "read", .result = words}}, {{.tool = "send", .arguments = R"({"v":"ww w"})"}}});
  EXPECT_EQ(limited.Observe(*repeats, {}).error().code(), base::ErrorCode::kGraphSession);
  const auto graph = limited.Take();
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(graph.value().empty());
}

TEST(ToolClassTest, ByName) {
  for (const char* name : {"get_balance", "readTextFile", "list-files", "search_web", "fs.read_text_file"}) {
    EXPECT_EQ(ClassifyName(name), ToolClass::kRetrieval) << name;
  }
  for (const char* name : {"fetch", "read_webpage", "get_url", "web_fetch", "visit_website"}) {
    EXPECT_EQ(ClassifyName(name), ToolClass::kSink) << name;
  }
  for (const char* name : {"send_mail", "search_and_replace", "frobnicate", "", "post_webpage", "share_file"}) {
    EXPECT_EQ(ClassifyName(name), ToolClass::kAction) << name;
  }
}

TEST(ToolClassTest, TheMoreCautiousOfTwoAndAPersonsWordFirst) {
  core::ToolSpec tool;
  tool.name = "send_report";
  tool.annotations.read_only = true;
  EXPECT_EQ(Classify(tool), ToolClass::kAction) << "a claim does not outweigh the name";
  tool.side_effect = core::SideEffect::kRead;
  EXPECT_EQ(Classify(tool), ToolClass::kRetrieval) << "the policy's word does";
  tool.input_schema = R"({"properties":{"callback_url":{"type":"string"}}})";
  EXPECT_EQ(Classify(tool), ToolClass::kSink);
  ToolClasses classes;
  classes.Describe(tool);
  EXPECT_EQ(classes.Of("send_report"), ToolClass::kSink);
  classes.State("send_report", ToolClass::kRetrieval);
  EXPECT_EQ(classes.Of("send_report"), ToolClass::kRetrieval);
  EXPECT_EQ(classes.Of("never_heard_of"), ToolClass::kAction);
  EXPECT_EQ(ToolClasses::Parse(R"({"a":"harmless"})").error().code(), base::ErrorCode::kGraphTools);
  const auto listed = ToolClasses::Parse(R"({"tools":[{"name":"gander","annotations":{"readOnlyHint":true}}]})");
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(listed.value().Of("gander"), ToolClass::kRetrieval);
}

}  // namespace
}  // namespace interlock::bounds
