// Sessions written for training, in interlock.trace/v1, as traces: the domains that the recorded benchmark has none of.
//
//   {"schema":"interlock.trace/v1",...,"calls":[{"id":"c1",...,"annotations":{"injections":[{"begin":12,"end":80}]}},
//                                               {"id":"c2",...,"annotations":{"attack":true}}]}
//
// `injections`: byte ranges of the call's own result that somebody planted there. `attack`: the call carries the attack
// out. Both are facts for training and for counting and never reach what decides.
#pragma once

#include <string_view>

#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/dataset.h"

namespace interlock::eval::agent_sentry {

inline constexpr std::string_view kAuthoredSet = "authored";

// Reads one line. The request is every turn of the user, in order. kTraceSchema where a range lies outside its result,
// and the errors of core::ParseAnnotatedTraceLine.
[[nodiscard]] base::Result<Trace> ParseAuthoredTrace(std::string_view line);

}  // namespace interlock::eval::agent_sentry
