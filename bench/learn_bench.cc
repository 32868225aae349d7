// links: base core policy provenance injection bounds own-main
// Learning a functionality graph from trace lines, a session at a time, reading included; merging; and one lookup of
// each kind in a graph of 60 tools. Sessions are made here: four turns, results of 1 KB, values taken from them.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "interlock/bounds/graph_index.h"
#include "interlock/bounds/learn.h"
#include "interlock/core/trace.h"

namespace interlock {
namespace {

constexpr int kTools = 30;  // of each class

std::string Line(int n) {
  std::string line;
  core::TraceWriter writer(line);
  const auto pick = [n](int salt) { return std::to_string((n * 7 + salt * 13) % kTools); };
  std::string text;
  for (int i = 0; text.size() < 1000; ++i) {
    text += "- id: " + std::to_string(n * 100 + i) + "\n  owner: user" + std::to_string(i) +
            "@shop.test\n  amount: " + std::to_string(i * 37 % 5000) + ".50\n  subject: quarterly figures, reviewed\n";
  }
  writer.Begin("s" + std::to_string(n), "bench", "").User("Please pay user3@shop.test for the quarterly figures.");
  int id = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const std::string call = "c" + std::to_string(id++);
    const bool acts = turn % 2 == 1;
    const std::string tool = (acts ? "send_" : "read_") + pick(turn);
    const std::string arguments =
        acts ? R"({"to":"user3@shop.test","amount":111.5,"subject":"quarterly figures, reviewed"})" : R"({"id":"x17"})";
    writer.Assistant("", {{.id = call, .tool = tool, .arguments_json = arguments}});
    writer.Tool(call, text, core::Trust::kUnknown);
  }
  writer.End(R"({"label":"benign"})");
  return line;
}

std::vector<std::string> Lines() {
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i) lines.push_back(Line(i));
  return lines;
}

bounds::FunctionalityGraph Graph() {
  bounds::GraphLearner learner;
  core::AnnotatedTraceReader reader;
  int n = 0;
  for (const std::string& line : Lines()) {
    if (!reader.Read(line).ok()) std::abort();
    const auto side = ++n % 3 == 0 ? bounds::Side::kAttack : bounds::Side::kBenign;
    if (!learner.Observe(reader.session(), {.side = side}).ok()) std::abort();
  }
  auto graph = learner.Take();
  if (!graph.ok()) std::abort();
  return std::move(graph.value());
}

void ReadAndLearn(benchmark::State& state) {
  const std::vector<std::string> lines = Lines();
  bounds::GraphLearner learner;
  core::AnnotatedTraceReader reader;
  std::size_t at = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string& line = lines[at++ % lines.size()];
    if (!reader.Read(line).ok() || !learner.Observe(reader.session(), {}).ok()) state.SkipWithError("not learned");
    bytes += line.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ReadAndLearn);

void LearnOnly(benchmark::State& state) {
  core::AnnotatedTraceReader reader;
  const std::string line = Line(1);
  if (!reader.Read(line).ok()) std::abort();
  bounds::GraphLearner learner;
  for (auto _ : state) benchmark::DoNotOptimize(learner.Observe(reader.session(), {}));
}
BENCHMARK(LearnOnly);

struct World {
  std::shared_ptr<const bounds::GraphIndex> index = bounds::GraphIndex::Build(Graph());
  bounds::FlowContext context{index, index->ScopesFor("", {}, bounds::BackOff::kGeneral)};
  World() {
    for (const char* tool : {"read_7", "send_20", "read_3"}) {
      context.Add(tool, index->ClassOf(tool).value_or(bounds::ToolClass::kAction));
      context.NextTurn();
    }
  }
};

void ControlFlow(benchmark::State& state) {
  const World world;
  for (auto _ : state) benchmark::DoNotOptimize(world.context.ControlFlow("send_16"));
}
BENCHMARK(ControlFlow);

void PathOddsLookup(benchmark::State& state) {
  const World world;
  for (auto _ : state) benchmark::DoNotOptimize(world.context.Odds("send_16"));
}
BENCHMARK(PathOddsLookup);

void ArgumentLookup(benchmark::State& state) {
  const World world;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        world.context.Argument("send_16", "/to", {.kind = bounds::OriginKind::kResult, .source = "read_3"}));
  }
}
BENCHMARK(ArgumentLookup);

void MergeGraphs(benchmark::State& state) {
  const bounds::FunctionalityGraph graph = Graph();
  for (auto _ : state) {
    bounds::FunctionalityGraph sum = graph;
    benchmark::DoNotOptimize(sum.Merge(graph));
  }
}
BENCHMARK(MergeGraphs);

}  // namespace
}  // namespace interlock

BENCHMARK_MAIN();
