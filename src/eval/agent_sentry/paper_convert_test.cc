#include "interlock/eval/agent_sentry/paper_convert.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::eval::agent_sentry {
namespace {

constexpr std::string_view kPublished =
    R"({"utility":{"cfg_ret_to_action":{"['look', 'seek']":["pay"],"[]":["lock"]},)"
    R"("dfg_arg_sources":{"pay.to":["user_prompt","look"],"a.b.c/d~":["look"]}},)"
    R"("ambiguous":{"cfg_action_to_action":{"pay":["lock"]}},"attack":{"cfg_action_to_action":{"lock":["pay"]}}})";

TEST(PaperConvertTest, ImportThenExportIsTheSameGraph) {
  const auto read = ParsePaperPolicy(kPublished);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  const auto graph = GraphFromPaperPolicy(read.value());
  ASSERT_TRUE(graph.ok()) << graph.error().ToString();
  EXPECT_EQ(graph.value().flow_count(), read.value().pairs.size());
  const PaperPolicy back = PaperPolicyFromGraph(graph.value());
  EXPECT_EQ(PaperPolicyJson(back.pairs, back.graph), PaperPolicyJson(read.value().pairs, read.value().graph));
  EXPECT_EQ(graph.value().tools().at("look"), bounds::ToolClass::kRetrieval);
  EXPECT_EQ(graph.value().tools().at("pay"), bounds::ToolClass::kAction);
}

TEST(PaperConvertTest, AnArgumentKeyNeedsADot) {
  const auto read = ParsePaperPolicy(R"({"attack":{"dfg_arg_sources":{"pay":["look"]}}})");
  ASSERT_TRUE(read.ok());
  const auto graph = GraphFromPaperPolicy(read.value());
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code(), base::ErrorCode::kImportShape);
}

TEST(PaperConvertTest, NothingIsAGraphToo) {
  const PaperPolicy back = PaperPolicyFromGraph(bounds::FunctionalityGraph());
  EXPECT_EQ(back.pairs.size(), 0u);
}

}  // namespace
}  // namespace interlock::eval::agent_sentry
