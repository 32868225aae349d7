// Our own method under protocols that keep training and test apart, as rows beside the paper's.
//
//   std::vector<EvalRow> rows = GroupedProtocol(bench, options);
//
// Row `interlock` everywhere. Tables come twice: "... gate" counts what the gate refuses or holds (escalation is not
// allowed), "... gate+quarantine" also what never reached the model: an attack is stopped by quarantine only when every
// injected span is masked whole; any masking in a benign trace is utility lost. Requests that delegate ("do what the
// file says") stand in a split of their own, outside the means. Splits are the domains and "mean", the mean of the
// domains, with 95 % intervals by resampling groups (a utility's prompt, an attack's task) inside each domain. Shares
// in per cent.
//
// Traces must have gone through StripPreamble. Deterministic for equal input and options, whatever `jobs` is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/agent_sentry/paper_tables.h"
#include "interlock/eval/agent_sentry/train_bounds.h"

namespace interlock::eval::agent_sentry {

struct ProtocolOptions {
  std::uint64_t seed = 1;
  int folds = 5;
  int shifts = 1;  // of the attack folds against the prompt folds: `folds` of them test every attack once
  unsigned jobs = 2;
  int bootstraps = 1000;
  int stress_share = 3;  // every so many test attacks are rewritten
  TrainBoundsOptions training;
  std::function<void(std::string_view)> progress;  // may be empty; called from any thread, one at a time
};

// Test prompts and test attack tasks unseen. `stress` and `adaptive` add tables with one split a kind: the same models
// on rewritten attacks, and on attacks that only write data.
struct GroupedExtras {
  bool stress = false;
  bool adaptive = false;
};
[[nodiscard]] std::vector<EvalRow> GroupedProtocol(std::span<const Trace> bench, const ProtocolOptions& options,
                                                   const GroupedExtras& extras = {});
// Trained on bench alone, tested on the AgentDojo traces that count.
[[nodiscard]] std::vector<EvalRow> CrossProtocol(std::span<const Trace> bench, std::span<const Trace> agentdojo,
                                                 const ProtocolOptions& options);
// The same in four folds, where training also loses the AgentDojo user tasks of the test fold and every AgentDojo
// injection task.
[[nodiscard]] std::vector<EvalRow> FourFoldProtocol(std::span<const Trace> bench, std::span<const Trace> agentdojo,
                                                    const ProtocolOptions& options);
// Three domains teach, the fourth is tested.
[[nodiscard]] std::vector<EvalRow> LeaveDomainOutProtocol(std::span<const Trace> bench, const ProtocolOptions& options);
// Shares of the training groups, from few to all: what each more trace is worth. Tables "learning curve ...", split the
// share in per cent.
[[nodiscard]] std::vector<EvalRow> LearningCurve(std::span<const Trace> bench, const ProtocolOptions& options);

}  // namespace interlock::eval::agent_sentry
