// A policy drawn from a functionality graph: a proposal for a person to read and edit, never applied by itself. It
// loads without errors; each rule says in a comment what was counted.
#pragma once

#include <string>

#include "interlock/bounds/graph.h"
#include "interlock/bounds/graph_index.h"

namespace interlock::bounds {

// From the general scope:
//   tools     what each tool does, as it was learned;
//   block     actions seen in attacks only;
//   escalate  arguments that benign sessions took from the request and attacks from results, when they come from an
//             untrusted result and not from the request; actions that benign sessions took before reading anything and
//             attacks after; visits of addresses that a result named.
// Tools whose name the policy language would take for a pattern are named in a comment and left out.
[[nodiscard]] std::string ProposePolicy(const FunctionalityGraph& graph, const GraphPolicy& policy);

}  // namespace interlock::bounds
