// links: base core policy provenance injection bounds
// A graph, a diff, a review line or tool classes, by the first byte. What is read must come back the same; a graph that
// is read can be merged with itself, diffed, indexed, faded and proposed from.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interlock/bounds/graph.h"
#include "interlock/bounds/graph_diff.h"
#include "interlock/bounds/graph_index.h"
#include "interlock/bounds/graph_propose.h"
#include "interlock/bounds/graph_update.h"
#include "interlock/bounds/tool_class.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Graph(std::string_view text) {
  using namespace interlock::bounds;
  const auto read = FunctionalityGraph::Parse(text, {.max_bytes = 1 << 20, .max_flows = 10'000});
  if (!read.ok()) return;
  const FunctionalityGraph& graph = read.value();
  const auto again = FunctionalityGraph::Parse(graph.ToJson());
  Require(again.ok() && again.value() == graph);
  FunctionalityGraph twice = graph;
  if (!twice.Merge(graph).ok()) return;
  const GraphDiff diff = GraphDiff::Between(graph, twice);
  Require(diff.Revert(twice).ok() && twice == graph);
  (void)Promote(twice, {.promote_sessions = 1}, 20'000);
  (void)Decay(twice, {.benign_half_life_days = 30, .attack_half_life_days = 30}, 20'000);
  Require(Decay(twice, {.benign_half_life_days = 30, .attack_half_life_days = 30}, 20'000) == 0);
  const auto index = GraphIndex::Build(graph);
  FlowContext context(index, index->ScopesFor("", {}, BackOff::kGeneral));
  for (const auto& [tool, tool_class] : graph.tools()) {
    (void)context.ControlFlow(tool);
    (void)context.Odds(tool);
    context.Add(tool, tool_class);
    context.NextTurn();
  }
  (void)ProposePolicy(graph, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock::bounds;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'd': {
      const auto diff = GraphDiff::Parse(text);
      if (!diff.ok()) break;
      const auto again = GraphDiff::Parse(diff.value().ToJson());
      Require(again.ok() && again.value() == diff.value());
      FunctionalityGraph graph;
      (void)diff.value().Apply(graph);
      break;
    }
    case 'r':
      (void)ParseReview(text);
      break;
    case 't':
      (void)ToolClasses::Parse(text);
      break;
    default:
      Graph(text);
  }
  return 0;
}
