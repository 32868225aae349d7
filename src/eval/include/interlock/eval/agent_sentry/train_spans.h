// Trains the span finder from traces: prompts and injected texts are commands, outputs without them are data.
//
//   std::vector<const Trace*> fold = ...;      // never a trace of the test fold
//   std::shared_ptr<const injection::SpanModel> model = TrainSpans(fold, {});
//
// Traces must have gone through StripPreamble. Deterministic for equal traces in equal order.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/injection/span_finder.h"

namespace interlock::eval::agent_sentry {

struct TrainSpansOptions {
  std::uint64_t seed = 1;
  // Share of benign training traces that may have a span over the quarantine threshold, measured on inner folds grouped
  // by prompt whose model has not seen them.
  double quarantine_rate = 0.005;
  int inner_folds = 5;  // 0: the threshold stays at `quarantine`
  float quarantine = 4.0F;
  // Ordinary documents, such as manuals of programs: data too, however much they tell their reader to do.
  std::span<const std::string> ordinary = {};
  // Weight of the made-up orders and facts about the running of systems, of which the traces know nothing; 0: without.
  float operations = 0.9F;
  std::shared_ptr<injection::SpanTexts> texts;  // shared by trainings on the same traces; may be null
};

[[nodiscard]] std::shared_ptr<const injection::SpanModel> TrainSpans(std::span<const Trace* const> training,
                                                                     const TrainSpansOptions& options);

// Names of the tools that the traces of a domain call, sorted: what an agent of that domain is known to have.
[[nodiscard]] std::vector<std::string> ToolNames(std::span<const Trace* const> traces, std::string_view domain);

}  // namespace interlock::eval::agent_sentry
