// Learning a functionality graph from sessions.
//
//   GraphLearner learner(classes);
//   for each session: learner.Observe(trace, {.side = Side::kBenign, .day = day});
//   FunctionalityGraph graph = learner.Take().value();
//
// Streaming: a session is looked at once and not kept; memory is bounded by GraphLimits. Sessions may be shared out
// among learners in any way: merging their graphs gives the same bytes. Which side a session counts for is the caller's
// word (a label, a reviewer); nothing here reads annotations or takes a label from a session itself.
//
// Where a value came from is learned by fingerprints of words in one pass over the sources, linear in their length:
// the whole value byte for byte, its words in a row, an identifying part, or half of its words (OriginMatch). That is
// coarser than provenance::SourceIndex, which looks up single values with offsets, and an order faster.
//
// Not thread safe; one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/bounds/graph.h"
#include "interlock/bounds/tool_class.h"
#include "interlock/core/trace.h"

namespace interlock::bounds {

struct ObserveOptions {
  Side side = Side::kBenign;
  Day day = kUndated;
  // Ordinal of the first call that may have been influenced by an attack: in an attack session the calls before it are
  // the user's own and are counted for neither side. 0: every call counts.
  std::uint32_t first_call = 0;
  // Counted in the general scope always, and in each of these.
  std::span<const Scope> scopes = {};
};

struct LearnLimits {
  GraphLimits graph;
  std::size_t max_values = 4'096;                     // argument values looked at in a session
  std::size_t max_value_bytes = 4'096;                // longer values count by their beginning
  std::size_t max_words = 64;                         // of a value
  std::uint64_t max_steps = std::uint64_t{64} << 20;  // words read and values compared, in a session
};

class GraphLearner {
 public:
  explicit GraphLearner(ToolClasses classes = {}, const LearnLimits& limits = {});
  GraphLearner(GraphLearner&&) noexcept;
  GraphLearner& operator=(GraphLearner&&) noexcept;
  ~GraphLearner();

  // All of the session or nothing. kGraphSession: a tool's name is longer than GraphLimits allows, or a step limit was
  // passed. kGraphLimit: the graph is full.
  [[nodiscard]] base::Status Observe(const core::TraceSession& session, const ObserveOptions& options);

  [[nodiscard]] std::uint64_t sessions() const noexcept;
  // What was learned so far, and the learner starts anew.
  [[nodiscard]] base::Result<FunctionalityGraph> Take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::bounds
