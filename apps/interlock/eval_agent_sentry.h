// `interlock eval agent-sentry`: the parts that the command puts together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/paper_tables.h"

namespace interlock::app {

struct PaperEvalArgs {
  std::string data;  // the folder with bench.jsonl.zst, tools/ and the rest
  std::uint64_t seed = 42;
};

// The published method: tables 1-13 as published, reproduced and corrected, then the protocols that keep training and
// test apart. Run 1 is left out where its file is missing; everything else has to be there.
[[nodiscard]] base::Result<std::vector<eval::agent_sentry::EvalRow>> EvalAgentSentryPaper(const PaperEvalArgs& args);

// The traces of the folder as the published method sees them, for protocols of others.
[[nodiscard]] base::Result<eval::agent_sentry::PaperCorpus> LoadPaperCorpus(const std::string& folder);

// {"eval":"agent-sentry","command","data","seed","rows":[...]}
[[nodiscard]] std::string EvalRowsJson(const std::vector<eval::agent_sentry::EvalRow>& rows, const std::string& command,
                                       const PaperEvalArgs& args);
// One table after another, aligned, for people.
[[nodiscard]] std::string EvalRowsText(const std::vector<eval::agent_sentry::EvalRow>& rows);

}  // namespace interlock::app
