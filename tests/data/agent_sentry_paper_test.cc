// The published method against what the authors' own program computed: every argument node, every action's classes and
// score, every count of the reference tables. Needs INTERLOCK_DATA (a folder that holds `agent_sentry/`), which is not
// part of the project; fails without it.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/agent_sentry/paper_graph.h"
#include "interlock/eval/agent_sentry/paper_match.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"

namespace interlock::eval::agent_sentry {
namespace {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

struct Matched {
  std::string domain;
  bool attack = false;
  std::vector<std::string> nodes;  // [call,"argument",["source",...]]
  TraceFlow flow;
};

std::string NodeText(const Trace& trace, const ArgumentNode& node) {
  std::string out;
  base::JsonWriter writer(out);
  writer.BeginArray().Uint(node.call).String(node.argument).BeginArray();
  for (const std::int32_t source : node.sources) writer.String(SourceName(trace, source));
  writer.EndArray().EndArray();
  return out;
}

std::string Key(std::string_view id, bool attack) { return std::string(id) + (attack ? " attack" : " utility"); }

class AgentSentryPaperTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* root = std::getenv("INTERLOCK_DATA");
    ASSERT_NE(root, nullptr) << "INTERLOCK_DATA is not set";
    folder_ = std::string(root) + "/agent_sentry/";
    for (const std::string_view domain : kDomains) {
      const Result<std::string> json = platform::ReadFile(folder_ + "tools/" + std::string(domain) + ".json", 1 << 20);
      ASSERT_TRUE(json.ok()) << json.error().ToString();
      const Result<DomainTools> tools = ParseDomainTools(json.value());
      ASSERT_TRUE(tools.ok()) << tools.error().ToString();
      tools_.emplace(std::string(domain), PaperTools(tools.value()));
    }
  }

  void Match(const std::string& name, std::map<std::string, Matched>& out) {
    const base::Status status =
        platform::ForEachLine(folder_ + name, std::size_t{16} << 20, [&](const base::Line& line) -> base::Status {
          const Result<Trace> trace = ParseTrace(line.text);
          if (!trace.ok()) return trace.error();
          const PaperTools& tools = tools_.at(trace.value().domain);
          const auto nodes = matcher_.Provenance(trace.value(), tools);
          if (!nodes.ok()) return nodes.error();
          Matched matched{.domain = trace.value().domain, .attack = trace.value().attack, .nodes = {}, .flow = {}};
          for (const ArgumentNode& node : nodes.value()) matched.nodes.push_back(NodeText(trace.value(), node));
          matched.flow = FlowOf(trace.value(), nodes.value(), tools, pairs_);
          EXPECT_TRUE(out.emplace(Key(trace.value().id, trace.value().attack), std::move(matched)).second);
          return {};
        });
    ASSERT_TRUE(status.ok()) << status.error().ToString();
  }

  struct Agreement {
    int traces = 0;
    int nodes = 0;
    int nodes_same = 0;
    int actions = 0;
    int actions_same = 0;
    int scores_same = 0;
  };
  Agreement Compare(const std::string& name, const std::map<std::string, Matched>& matched,
                    const std::map<std::string, PaperGraph>& graphs) {
    Agreement agreement;
    const base::Status status =
        platform::ForEachLine(folder_ + name, std::size_t{16} << 20, [&](const base::Line& line) -> base::Status {
          const Result<JsonDoc> doc = JsonDoc::Parse(line.text);
          if (!doc.ok()) return doc.error();
          const JsonValue golden = doc.value().root();
          const std::string key = Key(golden.Find("id").string(), golden.Find("kind").string() == "attack");
          const auto found = matched.find(key);
          if (found == matched.end()) {
            ADD_FAILURE() << "no trace " << key;
            return {};
          }
          CompareOne(golden, found->second, graphs.at(found->second.domain), agreement);
          return {};
        });
    EXPECT_TRUE(status.ok()) << status.error().ToString();
    return agreement;
  }

  std::map<std::string, PaperTools> tools_;
  std::string folder_;
  PaperMatcher matcher_;
  PairTable pairs_;

 private:
  static void CompareOne(JsonValue golden, const Matched& mine, const PaperGraph& graph, Agreement& agreement) {
    ++agreement.traces;
    EXPECT_EQ(golden.Find("dfg").size(), mine.nodes.size());
    std::size_t index = 0;
    for (const JsonValue node : golden.Find("dfg")) {
      std::string text;
      base::JsonWriter writer(text);
      const auto part = [&](int i) { return node.FindPointer("/" + std::to_string(i)); };
      writer.BeginArray().Int(part(0).AsInt64().value_or(-1)).String(part(1).string()).BeginArray();
      for (const JsonValue source : part(2)) writer.String(source.string());
      writer.EndArray().EndArray();
      ++agreement.nodes;
      const bool same = index < mine.nodes.size() && mine.nodes[index] == text;
      agreement.nodes_same += same ? 1 : 0;
      ++index;
    }
    const TraceScore score = ScoreTrace(graph, mine.flow);
    EXPECT_EQ(golden.Find("actions").size(), score.actions.size());
    index = 0;
    for (const JsonValue action : golden.Find("actions")) {
      ++agreement.actions;
      if (index >= score.actions.size()) continue;
      const ActionScore& one = score.actions[index++];
      const auto part = [&](int i) { return action.FindPointer("/" + std::to_string(i)); };
      const bool same = part(0).AsInt64() == one.call && part(1).string() == NameOf(one.control) &&
                        part(2).string() == NameOf(one.data) && part(3).AsDouble() == one.score;
      agreement.actions_same += same ? 1 : 0;
    }
    agreement.scores_same += golden.Find("max_score").AsDouble() == score.max_score ? 1 : 0;
  }
};

TEST_F(AgentSentryPaperTest, AgreesWithTheAuthorsProgram) {
  std::map<std::string, Matched> bench;
  std::map<std::string, Matched> run;
  Match("bench.jsonl.zst", bench);
  Match("ad_run1.jsonl.zst", run);
  ASSERT_EQ(bench.size(), 6'731u);
  ASSERT_EQ(run.size(), 1'046u);
  EXPECT_EQ(matcher_.capped_pairs(), 0u);
  std::map<std::string, PaperGraph> graphs;  // both golden files use those of all bench traces
  for (const auto& [key, matched] : bench) graphs[matched.domain].Learn(matched.flow, matched.attack);

  const Agreement of_bench = Compare("golden_bench.jsonl.zst", bench, graphs);
  EXPECT_EQ(of_bench.traces, 6'731);
  EXPECT_EQ(of_bench.nodes, 25'699);
  EXPECT_EQ(of_bench.nodes_same, 25'699);
  EXPECT_EQ(of_bench.actions, 9'622);
  EXPECT_EQ(of_bench.actions_same, 9'622);
  EXPECT_EQ(of_bench.scores_same, 6'731);

  const Agreement of_run = Compare("golden_ad_run1.jsonl.zst", run, graphs);
  EXPECT_EQ(of_run.traces, 1'046);
  EXPECT_EQ(of_run.nodes, 5'676);
  EXPECT_EQ(of_run.nodes_same, 5'676);
  EXPECT_EQ(of_run.actions, 1'777);
  EXPECT_EQ(of_run.actions_same, 1'777);
  EXPECT_EQ(of_run.scores_same, 1'046);
}

}  // namespace
}  // namespace interlock::eval::agent_sentry
