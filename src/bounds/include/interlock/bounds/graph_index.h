// Looking things up in a functionality graph: a call before it runs, against what was learned.
//
//   auto index = GraphIndex::Build(graph, policy);              // once a graph; immutable, shared by every thread
//   FlowContext context(index, index->ScopesFor("acme", roles, BackOff::kGeneral));   // one a session
//   context.Add("read_file", index->ClassOf("read_file").value_or(...));    // a call that ran
//   context.NextTurn();                                         // what follows has seen its result
//   FlowReading control = context.ControlFlow("send_money");    // benign, ambiguous, attack or novel, with counts
//   PathOdds odds = context.Odds("send_money");                 // > 0: more like the attacks
//   FlowReading origin = context.Argument("send_money", "/recipient", {.kind = OriginKind::kRequest});
//
// A lookup takes about a microsecond and allocates nothing. Counts are evidence, not a verdict: novel is not benign.
// FlowContext is not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/bounds/graph.h"

namespace interlock::bounds {

// How counts become classes and odds; policy values.
struct GraphPolicy {
  std::uint64_t min_support = 1;  // sessions, both sides together; fewer: novel
  double purity = 1.0;            // share of one side that makes an entry that side's; below on both: ambiguous
  bool by_rate = false;    // shares of each side's sessions rather than of counts: for unequal amounts of the two
  double smoothing = 2.0;  // weight, in sessions, of the coarser estimate that an entry's odds are mixed with
};

// kInvalidArgument: purity outside (0.5, 1], a smoothing that is not positive, no support.
[[nodiscard]] base::Status CheckGraphPolicy(const GraphPolicy& policy);

enum class FlowClass : std::uint8_t { kBenign, kNovel, kAmbiguous, kAttack };
[[nodiscard]] std::string_view NameOf(FlowClass flow_class) noexcept;

// The class of an entry with these counts, in a scope with so many sessions of each side.
[[nodiscard]] FlowClass ClassifyCounts(std::uint64_t benign, std::uint64_t attack, std::uint64_t benign_sessions,
                                       std::uint64_t attack_sessions, const GraphPolicy& policy) noexcept;

struct FlowReading {
  FlowClass flow = FlowClass::kNovel;
  std::uint64_t benign = 0;  // sessions
  std::uint64_t attack = 0;
  std::uint8_t level = 0;  // which scope answered: 0 the first of the chain, 1 the next ...
};

// Log of how much likelier this call is after this path in attacks than in benign sessions, from counts smoothed by
// coarser contexts (Dirichlet back-off): exact set of retrievals <- last call <- the tool itself <- any tool. Natural
// logarithm; 0 says nothing. Where a side was never observed, its share is even over the known tools.
struct PathOdds {
  double log_odds = 0;        // all of the chain: the estimate to use
  double tool = 0;            // of the tool alone
  double transition = 0;      // of the tool after the last call
  double retrievals = 0;      // of the tool after exactly these retrievals, if it is gated; else as `transition`
  double actions = 0;         // of the tool after an earlier action: the one that speaks most for an attack
  std::uint64_t support = 0;  // sessions that the finest context seen was seen in, with this tool
  std::uint64_t context = 0;  // the same with any tool
};

struct OriginQuery {
  OriginKind kind = OriginKind::kRequest;
  std::string_view source = {};           // kResult: the tool; empty: any tool's
  std::optional<OriginMatch> match = {};  // nothing: however it matched
};

// Which scopes may answer when the session's own does not know an entry.
enum class BackOff : std::uint8_t {
  kNone,     // only the session's own
  kTenant,   // then the tenant as a whole
  kGeneral,  // then everybody
};

class GraphIndex {
 public:
  static constexpr std::size_t kMaxChain = 8;
  struct Chain {
    std::array<std::uint32_t, kMaxChain> scope{};
    std::uint8_t size = 0;
  };

  [[nodiscard]] static std::shared_ptr<const GraphIndex> Build(const FunctionalityGraph& graph,
                                                               const GraphPolicy& policy = {});
  ~GraphIndex();

  // The class that `tool` was learned under: what its flows mean. Nothing where the graph does not know it.
  [[nodiscard]] std::optional<ToolClass> ClassOf(std::string_view tool) const noexcept;
  // The scopes to ask, finest first: each of (tenant, role), (tenant, all), (all, role), then, with back-off, the
  // coarser ones. Scopes that the graph does not have are left out. No tenant and no role: the general scope.
  [[nodiscard]] Chain ScopesFor(std::string_view tenant, std::span<const std::string> roles, BackOff back_off) const;
  [[nodiscard]] const GraphPolicy& policy() const noexcept;
  // Sessions learned from in the first scope of the chain.
  [[nodiscard]] FlowReading Sessions(const Chain& chain) const noexcept;
  [[nodiscard]] std::size_t tool_count() const noexcept;

 private:
  friend class FlowContext;
  struct Impl;
  explicit GraphIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The path of one session so far.
class FlowContext {
 public:
  FlowContext(std::shared_ptr<const GraphIndex> index, const GraphIndex::Chain& chain);

  // A call that ran (or was let go ahead). It counts as earlier from the next turn on: calls of one assistant turn have
  // not seen each other. Where turns are not known, say NextTurn after every result.
  void Add(std::string_view tool, ToolClass tool_class);
  void NextTurn();

  [[nodiscard]] FlowReading Retrievals(std::string_view tool) const noexcept;      // retrieval_to_action
  [[nodiscard]] FlowReading EarlierActions(std::string_view tool) const noexcept;  // action_to_action, see ControlFlow
  [[nodiscard]] FlowReading Transition(std::string_view tool) const noexcept;
  [[nodiscard]] FlowReading Call(std::string_view tool) const noexcept;
  [[nodiscard]] FlowReading Argument(std::string_view tool, std::string_view argument,
                                     const OriginQuery& origin) const noexcept;
  // Retrievals and earlier actions together (control flow in the paper, 4.4): of the pairs with earlier actions the
  // worst that is known speaks for them (attack, then ambiguous, then benign; novel when none is known); then attack if
  // either is, else ambiguous if either is, else benign if both are, else novel. The counts are of the part that
  // decided.
  [[nodiscard]] FlowReading ControlFlow(std::string_view tool) const noexcept;
  [[nodiscard]] PathOdds Odds(std::string_view tool) const noexcept;
  // The graph knows the tool, and every scope that may answer has sessions of both sides: else odds compare with
  // nothing.
  [[nodiscard]] bool SpeaksOf(std::string_view tool) const noexcept;

  [[nodiscard]] bool has_actions() const noexcept { return !actions_.empty(); }
  // A retrieval that the graph does not know came before: no learned set can fit.
  [[nodiscard]] bool has_unknown_retrieval() const noexcept { return unknown_retrievals_; }

 private:
  struct Pending {
    std::uint32_t tool;
    ToolClass tool_class;
  };
  std::shared_ptr<const GraphIndex> index_;
  GraphIndex::Chain chain_;
  std::vector<std::uint32_t> retrievals_;  // sorted, of the graph's tools
  std::vector<std::uint32_t> actions_;     // sorted
  std::vector<Pending> pending_;
  std::uint64_t set_hash_ = 0;
  std::uint32_t last_call_;
  bool unknown_retrievals_ = false;
  bool unknown_actions_ = false;
};

}  // namespace interlock::bounds
