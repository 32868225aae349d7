// `interlock eval agent-sentry`: the parts that the command puts together.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/agent_sentry/paper_tables.h"

namespace interlock::app {

struct PaperEvalArgs {
  std::string data;  // the folder with bench.jsonl.zst, tools/ and the rest
  std::uint64_t seed = 42;
  bool quick = false;  // a tenth of the shuffles and resamplings
};

// The published method: tables 1-13 as published, reproduced and corrected, then the protocols that keep training and
// test apart. Run 1 is left out where its file is missing; everything else has to be there. `facts`: what was read and
// how often it was drawn, name and text.
[[nodiscard]] base::Result<std::vector<eval::EvalRow>> EvalAgentSentryPaper(
    const PaperEvalArgs& args, std::vector<std::pair<std::string, std::string>>& facts);

// The traces of the folder as the published method sees them, for protocols of others.
[[nodiscard]] base::Result<eval::agent_sentry::PaperCorpus> LoadPaperCorpus(const std::string& folder);

// The traces themselves, for our own protocols: StripPreamble has been through them. `agentdojo` is empty where the
// file of run 1 is missing.
struct EvalTraces {
  std::vector<eval::agent_sentry::Trace> bench;
  std::vector<eval::agent_sentry::Trace> agentdojo;
};
[[nodiscard]] base::Result<EvalTraces> LoadEvalTraces(const std::string& folder);

}  // namespace interlock::app
