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
#include "interlock/eval/agent_sentry/paper_tables.h"
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
      lists_.push_back(tools.value());
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

  void AddTo(PaperCorpus& corpus, const std::string& name) {
    const base::Status status =
        platform::ForEachLine(folder_ + name, std::size_t{16} << 20, [&](const base::Line& line) -> base::Status {
          const Result<Trace> trace = ParseTrace(line.text);
          if (!trace.ok()) return trace.error();
          return corpus.Add(trace.value());
        });
    ASSERT_TRUE(status.ok()) << status.error().ToString();
  }
  TrainSamples Samples() {
    std::string json;
    const base::Status status =
        platform::ForEachLine(folder_ + "train_samples.json.zst", std::size_t{64} << 20, [&](const base::Line& line) {
          json.append(line.text).push_back('\n');
          return true;
        });
    EXPECT_TRUE(status.ok());
    const Result<TrainSamples> samples = ParseTrainSamples(json);
    EXPECT_TRUE(samples.ok());
    return samples.ok() ? samples.value() : TrainSamples{};
  }

  std::map<std::string, PaperTools> tools_;
  std::vector<DomainTools> lists_;
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

void ExpectSide(JsonValue expected, const PaperCounts::Side& side, const std::string& what) {
  const auto number = [&](std::string_view key) {
    return static_cast<std::uint64_t>(expected.Find(key).AsInt64().value_or(-1));
  };
  EXPECT_EQ(side.total, number("total")) << what;
  EXPECT_EQ(side.graph_allowed, number("graph_allowed")) << what;
  EXPECT_EQ(side.judge_allowed, number("judge_allowed")) << what;
  EXPECT_EQ(side.combined_allowed, number("combined_allowed")) << what;
  for (const FlowClass c : {FlowClass::kUtility, FlowClass::kAmbiguous, FlowClass::kAttack, FlowClass::kNovel}) {
    EXPECT_EQ(static_cast<std::int64_t>(side.actions[static_cast<std::size_t>(c)]),
              expected.Find("cfg_class_actions").Find(NameOf(c)).AsInt64())
        << what;
  }
}

TEST_F(AgentSentryPaperTest, ReferenceTablesAreExact) {
  PaperCorpus corpus(lists_);
  AddTo(corpus, "bench.jsonl.zst");
  TrainSamples samples = Samples();
  AddFullCoverage(corpus, samples);
  const Result<std::string> json = platform::ReadFile(folder_ + "expected_reference_tables.json", 1 << 20);
  ASSERT_TRUE(json.ok()) << json.error().ToString();
  const Result<JsonDoc> doc = JsonDoc::Parse(json.value());
  ASSERT_TRUE(doc.ok()) << doc.error().ToString();
  std::size_t entries = 0;
  for (const JsonValue expected : doc.value().root()) {
    const std::string domain(expected.Find("domain").string());
    const int tenths = static_cast<int>(expected.Find("fraction").AsDouble().value_or(0) * 10 + 0.5);
    const std::string seed = std::to_string(expected.Find("seed").AsInt64().value_or(0));
    const std::string what = domain + " " + std::to_string(tenths) + " " + seed;
    std::size_t index = 0;
    while (kDomains[index] != domain) ++index;
    const auto& seeds = samples.picks.at(tenths).at(domain);
    const auto found = seeds.find(seed);  // full coverage is the same for every seed
    const std::vector<std::string>& picks = found == seeds.end() ? seeds.begin()->second : found->second;
    const PaperCounts counts = CountBench(corpus, index, picks);
    EXPECT_EQ(counts.threshold, expected.Find("threshold").AsDouble()) << what;
    EXPECT_EQ(static_cast<std::int64_t>(counts.train_utilities), expected.Find("train_utilities").AsInt64()) << what;
    ExpectSide(expected.Find("utility"), counts.utility, what + " utility");
    ExpectSide(expected.Find("attack"), counts.attack, what + " attack");
    ++entries;
  }
  EXPECT_EQ(entries, 72u);
}

// The figures that were measured before, from the same traces.
TEST_F(AgentSentryPaperTest, TablesHoldTheFiguresMeasuredBefore) {
  PaperCorpus corpus(lists_);
  AddTo(corpus, "bench.jsonl.zst");
  AddTo(corpus, "ad_run1.jsonl.zst");
  const std::vector<EvalRow> rows = PaperTables(corpus, Samples(), {.seed = 42, .shuffles = 40, .bootstraps = 50});
  const auto value = [&](std::string_view table, std::string_view split, std::string_view row,
                         std::string_view column) {
    for (const EvalRow& one : rows) {
      if (one.table == table && one.split == split && one.row == row && one.column == column) return one.value;
    }
    ADD_FAILURE() << "no row " << table << " " << split << " " << row << " " << column;
    return -1.0;
  };
  constexpr double kRounding = 0.0051;
  EXPECT_NEAR(value("2", "corrected", "overall", "utility"), 94.98, kRounding);
  EXPECT_NEAR(value("2", "corrected", "overall", "asr"), 10.91, kRounding);
  EXPECT_NEAR(value("3", "corrected", "overall", "utility"), 80.58, kRounding);
  EXPECT_NEAR(value("3", "corrected", "overall", "asr"), 8.87, kRounding);
  EXPECT_NEAR(value("4", "corrected", "overall", "utility"), 92.74, kRounding);
  EXPECT_NEAR(value("4", "corrected", "overall", "asr"), 10.58, kRounding);
  EXPECT_NEAR(value("6", "corrected", "overall", "utility"), 90.96, kRounding);
  EXPECT_NEAR(value("6", "corrected", "overall", "asr"), 19.00, kRounding);
  EXPECT_NEAR(value("2", "graph only", "overall", "asr"), 40.95, kRounding);
  EXPECT_NEAR(value("5", "artifact", "slack 100", "ambiguity"), 70.07, kRounding);
  EXPECT_NEAR(value("7", "run 1", "paper", "utility of solved tasks"), 98.68, kRounding);
  EXPECT_NEAR(value("7", "run 1", "paper", "asr of working attacks"), 7.75, kRounding);
  for (const EvalRow& one : rows) EXPECT_FALSE(one.reason.empty()) << one.table << " " << one.split;

  const std::vector<EvalRow> apart = PaperLeakFree(corpus, {.seed = 42, .shuffles = 1, .bootstraps = 50});
  const auto run = [&](std::string_view row, std::string_view column) {
    for (const EvalRow& one : apart) {
      if (one.split == "train bench, test run 1" && one.row == row && one.column == column) return one.value;
    }
    return -1.0;
  };
  EXPECT_NEAR(run("paper, artifact rule", "utility"), 98.44, kRounding);
  EXPECT_NEAR(run("paper, artifact rule", "asr"), 30.85, kRounding);
  EXPECT_NEAR(run("paper, paper-text rule", "utility"), 98.68, kRounding);
  EXPECT_NEAR(run("paper, paper-text rule", "asr"), 24.51, kRounding);
  EXPECT_NEAR(run("paper, graph only", "asr"), 49.28, kRounding);
}

}  // namespace
}  // namespace interlock::eval::agent_sentry
