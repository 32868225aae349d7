// Trains what module bounds learns, and replays traces through it: the same BoundsSession that guards live calls.
//
//   TrainedBounds trained = TrainBounds(fold, {});           // never a trace of the test fold
//   TraceOutcome outcome = RunTrace(trace, trained);
//
// Features that themselves are learned (spans, intent) are taken from inner models that have seen neither the prompt
// nor the attack task of the row, so that the combiner does not trust them more than it may; so are the paths of a
// functionality graph. Each forest sees half of the traces without their paths, every trace in one way or the other,
// since a gate may have no graph; thresholds are chosen without one. Traces must have gone
// through StripPreamble. Deterministic.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interlock/bounds/graph_index.h"
#include "interlock/bounds/model.h"
#include "interlock/bounds/session.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/injection/span_finder.h"

namespace interlock::eval::agent_sentry {

struct TrainedBounds {
  std::shared_ptr<const bounds::BoundsModel> model;
  std::shared_ptr<const injection::SpanModel> spans;
  std::shared_ptr<const bounds::GraphIndex> graph;  // of the same traces, with a role a domain
  double held_out_utility = 0.0;  // domain mean of the training traces at the escalate threshold, inner folds
  double held_out_asr = 0.0;
  std::vector<float> authored_benign;  // greatest score of each authored session, by forests that have not seen it
  std::vector<float> authored_attacks;
};

struct TrainBoundsOptions {
  double utility = 0.985;        // domain mean of benign training traces (delegation apart) that must pass
  double block_utility = 0.995;  // ... that must not be refused outright
  double quarantine_rate = 0.004;
  std::vector<std::string> ordinary;  // see TrainSpansOptions
  std::span<const Trace> authored;    // sessions of other domains (authored.h); they teach, and choose no threshold
  // What the authored sessions weigh in the combiner, against one recorded domain. At 1 they cost the recorded domains
  // more than they teach other lines of work.
  double authored_weight = 0.5;
  int inner_folds = 3;
  int forests = 3;
  int trees = 250;
  double rewritten_weight = 0.25;
  bool monotone = true;  // see bounds::MonotoneDirections
  int rewritten = 2;     // copies of each training attack, rewritten as the stress suite does (kinds drawn by the seed)
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
// `with_graph`: as a gate that was given `trained.graph`; else as one that has none.
[[nodiscard]] TraceOutcome RunTrace(const Trace& trace, const TrainedBounds& trained, bool with_graph = false);

// What a trace gives the combiner: a row a gated, exposed call.
struct FeatureRow {
  bounds::FeatureVector features;
  bool attack = false;
};
[[nodiscard]] std::vector<FeatureRow> RowsOf(const Trace& trace, const bounds::BoundsModel& model,
                                             const injection::SpanModel& spans,
                                             std::shared_ptr<const bounds::GraphIndex> graph = nullptr);

// Paths of the traces, in the general scope and in a role named like the domain. Where values come from is left out:
// nothing here asks for it.
[[nodiscard]] std::shared_ptr<const bounds::GraphIndex> LearnPaths(std::span<const Trace* const> traces);

[[nodiscard]] bounds::IntentModel TrainIntent(std::span<const Trace* const> training, std::uint64_t seed);

}  // namespace interlock::eval::agent_sentry
