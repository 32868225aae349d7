// The inside of a graph, for the parts of this module that read, decay and promote. Private to the module.
#pragma once

#include <map>

#include "interlock/bounds/graph.h"

namespace interlock::bounds {

class GraphAccess {
 public:
  static std::map<Scope, FunctionalityGraph::ScopeGraph>& Scopes(FunctionalityGraph& graph) { return graph.scopes_; }
  static base::Status Entry(FunctionalityGraph& graph, const Scope& scope, const Flow& flow, Counts*& counts) {
    return graph.Entry(scope, flow, counts);
  }
  // Flows and scopes whose counts came to nothing.
  static void RemoveEmpty(FunctionalityGraph& graph) {
    std::size_t flows = 0;
    for (auto& [scope, content] : graph.scopes_) {
      std::erase_if(content.flows, [](const auto& item) { return item.second.empty(); });
      flows += content.flows.size();
    }
    std::erase_if(graph.scopes_,
                  [](const auto& item) { return item.second.sessions.empty() && item.second.flows.empty(); });
    graph.flow_count_ = flows;
  }
};

}  // namespace interlock::bounds
