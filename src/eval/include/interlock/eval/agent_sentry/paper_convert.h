// Between the published graphs and the product's: `graph import|export --format agent-sentry`.
//
// The published layout knows which flows occur on which side and nothing else. Read, each flow counts one undated
// session on its side (ambiguous: one on both), and an argument's value matched as loosely as the published rules do.
// Written, counts, days, match strengths, scopes but the general one, flows of single calls, transitions and values
// that only the model explains are left out; of an argument's pointer the first key stays.
#pragma once

#include "interlock/base/result.h"
#include "interlock/bounds/graph.h"
#include "interlock/eval/agent_sentry/paper_graph.h"

namespace interlock::eval::agent_sentry {

// kImportShape for an argument key without a dot; errors of FunctionalityGraph::Add.
[[nodiscard]] base::Result<bounds::FunctionalityGraph> GraphFromPaperPolicy(const PaperPolicy& policy);
[[nodiscard]] PaperPolicy PaperPolicyFromGraph(const bounds::FunctionalityGraph& graph);

}  // namespace interlock::eval::agent_sentry
