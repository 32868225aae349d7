// Trains what module bounds learns, and replays traces through it: the same BoundsSession that guards live calls.
//
//   TrainedBounds trained = TrainBounds(fold, {});           // never a trace of the test fold
//   TraceOutcome outcome = RunTrace(trace, trained);
//
// Features that themselves are learned (spans, intent) are taken from inner models that have seen neither the prompt
// nor the attack task of the row, so that the combiner does not trust them more than it may. Traces must have gone
// through StripPreamble. Deterministic.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interlock/bounds/model.h"
#include "interlock/bounds/session.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/injection/span_finder.h"

namespace interlock::eval::agent_sentry {

struct TrainedBounds {
  std::shared_ptr<const bounds::BoundsModel> model;
  std::shared_ptr<const injection::SpanModel> spans;
  double held_out_utility = 0.0;  // domain mean of the training traces at the escalate threshold, inner folds
  double held_out_asr = 0.0;
};

struct TrainBoundsOptions {
  double utility = 0.98;         // domain mean of benign training traces (delegation apart) that must pass
  double block_utility = 0.995;  // ... that must not be refused outright
  double quarantine_rate = 0.004;
  std::vector<std::string> ordinary;  // see TrainSpansOptions
  int inner_folds = 3;
  int forests = 3;
  int trees = 250;
  double rewritten_weight = 0.25;
  int rewritten = 2;  // copies of each training attack, rewritten as the stress suite does (kinds drawn by the seed)
  std::uint64_t seed = 1;
  std::shared_ptr<injection::SpanTexts> texts;  // see TrainSpansOptions
};

[[nodiscard]] TrainedBounds TrainBounds(std::span<const Trace* const> training, const TrainBoundsOptions& options);

struct TraceOutcome {
  bool delegation = false;  // the request delegates
  bool exposed = false;     // a gated call after untrusted output
  bool acts = false;        // any gated call
  float score = -100.0F;    // greatest of its gated calls; of attacks: of those after the injection was read
  core::Verdict verdict = core::Verdict::kAllow;
  bounds::Ground ground = bounds::Ground::kNotGated;  // of the call with that score
  bool judged = false;                                // a gated call was exposed (of attacks: after the injection)
  bool masked = false;                                // something would be masked
  bool masked_whole = false;                          // every injected span would be masked whole
  std::uint32_t calls = 0;                            // decided
  std::uint32_t escalated = 0;
  std::uint32_t blocked = 0;
};
[[nodiscard]] TraceOutcome RunTrace(const Trace& trace, const TrainedBounds& trained);

// What a trace gives the combiner: a row a gated, exposed call.
struct FeatureRow {
  bounds::FeatureVector features;
  bool attack = false;
};
[[nodiscard]] std::vector<FeatureRow> RowsOf(const Trace& trace, const bounds::BoundsModel& model,
                                             const injection::SpanModel& spans);

[[nodiscard]] bounds::IntentModel TrainIntent(std::span<const Trace* const> training, std::uint64_t seed);

}  // namespace interlock::eval::agent_sentry
