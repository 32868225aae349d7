// What changed between two functionality graphs, as a file that can be applied and taken back exactly.
//
//   GraphDiff diff = GraphDiff::Between(before, after);
//   diff.Apply(graph);     // graph == before  ->  graph == after
//   diff.Revert(graph);    // and back
//
// A diff names the digests of both graphs and fits no other. File: schemas/interlock.graph-diff.v1.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/result.h"
#include "interlock/bounds/graph.h"

namespace interlock::bounds {

class GraphDiff {
 public:
  struct Part {
    Day day = kUndated;
    std::uint16_t halvings = 0;
    std::int64_t sessions = 0;  // more, or fewer; never 0
    bool operator==(const Part&) const = default;
  };
  struct Change {
    Scope scope;
    std::optional<Flow> flow;  // nothing: the scope's number of sessions
    std::vector<Part> benign;
    std::vector<Part> attack;
    bool operator==(const Change&) const = default;
  };
  struct ToolChange {
    std::string tool;
    std::optional<ToolClass> from;  // nothing: not known
    std::optional<ToolClass> to;
    bool operator==(const ToolChange&) const = default;
  };

  [[nodiscard]] static GraphDiff Between(const FunctionalityGraph& from, const FunctionalityGraph& to);
  // kGraphDiff, and the graph is as it was, when it is not the one the diff starts from (ends at), or the diff does not
  // lead where it says.
  [[nodiscard]] base::Status Apply(FunctionalityGraph& graph) const;
  [[nodiscard]] base::Status Revert(FunctionalityGraph& graph) const;

  // Errors: every JSON error, kGraphDiff (with the offset of what is wrong), kGraphLimit.
  [[nodiscard]] static base::Result<GraphDiff> Parse(std::string_view json, const GraphLimits& limits = {});
  [[nodiscard]] std::string ToJson() const;

  [[nodiscard]] const base::Digest& from() const noexcept { return from_; }
  [[nodiscard]] const base::Digest& to() const noexcept { return to_; }
  [[nodiscard]] const std::vector<ToolChange>& tools() const noexcept { return tools_; }  // by name
  [[nodiscard]] const std::vector<Change>& changes() const noexcept { return changes_; }  // by scope and flow
  [[nodiscard]] bool empty() const noexcept { return tools_.empty() && changes_.empty(); }
  bool operator==(const GraphDiff&) const = default;

 private:
  [[nodiscard]] base::Status Step(FunctionalityGraph& graph, bool forward) const;
  base::Digest from_;
  base::Digest to_;
  std::vector<ToolChange> tools_;
  std::vector<Change> changes_;
};

}  // namespace interlock::bounds
