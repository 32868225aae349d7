// The decision. Pure and total: no clock, no state, no I/O; the same values give the same answer on every machine.
//
// Adverse evidence never weakens a verdict; a missing signal never counts as favourable; the order of rules does not
// matter; a rule that would not allow and cannot be evaluated raises the floor to escalate. What a deployment wants
// (thresholds, defaults, layers) stands in its policy and profile, as data.
//
//   auto answer = gate::Decide(view, call, signals);
//   if (auto* need = std::get_if<gate::NeedSignals>(&answer)) { ...fetch, then Decide again... }
//
// Source: GIRA (Algorithm 1, equation 2), design "The gate"; the readable reference model is spec/reference_gate.h and
// the named properties are in spec/PROPERTIES.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "interlock/base/clock.h"
#include "interlock/base/digest.h"
#include "interlock/base/error.h"
#include "interlock/core/call.h"
#include "interlock/core/decision.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/snapshot.h"

namespace interlock::gate {

// How far a person's agreement goes.
enum class GrantScope : std::uint8_t {
  kOnce,     // this exact call, one time
  kSession,  // this exact call, until it expires
  kPattern,  // a step of an approved plan: calls of one tool whose arguments fit a schema, so many times
};

// A person's agreement. Void when the arguments, the tool's definition, the policy, or what its preconditions rest on
// change, when either clock says it has expired, or when the wall clock stands before it was given.
struct Grant {
  base::Digest call;        // CallDigest; not asked for kPattern
  base::Digest definition;  // of the tool, as pinned when it was given
  base::Digest policy;
  base::Digest preconditions;  // PreconditionDigest when it was given; not asked for kPattern
  base::MonoTime expires_mono;
  base::WallTime given_wall;
  base::WallTime expires_wall;
  GrantScope scope = GrantScope::kOnce;  // the session drops a one-time grant after use
  std::string id = {};                   // of the approval, for the record
  // For kPattern only.
  std::string tool = {};
  std::shared_ptr<const policy::JsonSchema> arguments = nullptr;  // null fits nothing
  std::uint32_t uses_left = 0;
  base::Digest plan = {};  // the approved plan that it is a step of
};

// What the session has used up; allowed calls only.
struct BudgetUse {
  std::array<std::uint64_t, core::kSideEffectCount> calls{};
  // By budget of the policy, for every kind; a budget past the end counts `calls`, or, if it is no count of calls, has
  // nothing that could be read (and waits). Not owned.
  std::span<const double> amounts = {};
};

// Which earlier calls succeeded, for preconditions and unlocking.
class HistoryLookup {
 public:
  virtual ~HistoryLookup() = default;
  struct Seen {
    std::uint64_t result = 0;  // fingerprint of the newest such call's result
    std::uint32_t age = 0;     // calls made since
  };
  // The newest successful call of `tool`; with an equal value at `pointer` when that is not empty.
  [[nodiscard]] virtual std::optional<Seen> Newest(std::string_view tool, std::string_view pointer,
                                                   base::JsonValue value) const = 0;
};

// Whether a source of a role binding names a value.
class BindingLookup {
 public:
  virtual ~BindingLookup() = default;
  enum class Answer : std::uint8_t {
    kNoSource,  // the session holds nothing that this source could be
    kOther,     // it is there and names something else
    kNames,
    kVouches,  // it names it, and nothing untrusted can have made it do so
  };
  [[nodiscard]] virtual Answer Names(const core::BindingSource& source, const core::Call& call,
                                     base::JsonValue value) const = 0;
};

// What the sources of one role binding say of the value at its argument.
struct BindingState {
  bool present = false;    // the call has that argument
  bool holds = false;      // the binding is satisfied
  bool unsourced = false;  // no source is there (with `all`: none that is there says something else)
  bool vouched = false;    // it holds, and a trusted source is why
};

// Everything about the session that a decision may use, as values.
struct SessionView {
  base::Now now;
  const core::Principal* principal = nullptr;
  std::string_view environment;
  core::RequestState request = core::RequestState::kUnknown;
  core::LabelSet labels = 0;
  const policy::OriginLookup* origins = nullptr;
  const HistoryLookup* history = nullptr;
  const BindingLookup* bindings = nullptr;  // null: no source is there
  // Of this call, by the bindings of its tool, where somebody has asked before; else the gate asks.
  std::optional<std::span<const BindingState>> bound;
  std::optional<double> criticality;  // of this call's target, where somebody has asked before; else the gate asks
  BudgetUse used;
  std::span<const Grant> grants;
  const policy::ToolCatalogue* catalogue = nullptr;  // null: no tool is known
  bool instructions_changed = false;                 // the server's instructions differ from the pinned ones
  bool break_glass = false;                          // an opening is in force; of no effect without one in the policy
  std::array<bool, core::kLayerCount> can_ask{};     // layers whose missing signal somebody could still fetch
};

struct NeedSignals {
  std::array<bool, core::kLayerCount> wanted{};
};

// SHA-256 over server, tool and canonical arguments.
[[nodiscard]] base::Digest CallDigest(const core::Call& call);
// Over the newest results that the tool's preconditions rest on: a fresh, different answer changes it. Zero when the
// tool has none.
[[nodiscard]] base::Digest PreconditionDigest(const SessionView& session, const core::Call& call);
// Whether `grant` covers the call now.
[[nodiscard]] bool Covers(const Grant& grant, const policy::PolicySnapshot& policy, const SessionView& session,
                          const core::Call& call);

// What a call costs a budget; nothing: it cannot be told (and the call waits). 0 for a budget that does not concern it.
// `criticality`: see SessionView.
[[nodiscard]] std::optional<double> CostOf(const policy::Budget& budget, const policy::ToolEntry* tool,
                                           const core::Call& call, const core::SignalMap& known,
                                           std::optional<double> criticality = std::nullopt);

// Whether an adapter that is told of the impact opens break-glass by itself.
[[nodiscard]] bool BreakGlassDue(const policy::PolicySnapshot& policy, double integrated_impact,
                                 std::uint32_t severe_steps) noexcept;

[[nodiscard]] std::variant<core::Decision, NeedSignals> Decide(const policy::PolicySnapshot& policy,
                                                               const SessionView& session, const core::Call& call,
                                                               const core::SignalMap& known) noexcept;

// The same, for a caller that can fetch nothing more: missing signals are settled the strict way.
[[nodiscard]] core::Decision DecideNow(const policy::PolicySnapshot& policy, const SessionView& session,
                                       const core::Call& call, const core::SignalMap& known) noexcept;

// A result on its way back: allow = pass, rewrite = pass the masked form, block = withhold.
[[nodiscard]] core::Decision DecideResult(const policy::PolicySnapshot& policy, const SessionView& session,
                                          const core::ToolResult& result, const core::SignalMap& known) noexcept;

// The utility rule over several proposals: the feasible one with the greatest U = gain - lambda R - mu C_H > 0, else
// observe only, else a page to a person when every proposal was refused or waits. Ties go to the lower risk, then to
// the earlier proposal. With the profile's `early_return` the first proposal that waits ends the round: what stands
// after it is not looked at (and `decisions` is shorter), as GIRA's Algorithm 1 has it.
struct Proposal {
  core::Call call;
  double gain = 0.0;        // expected improvement E[dI], the planner's estimate
  double human_cost = 0.0;  // C_H
};
struct Choice {
  enum class Kind : std::uint8_t { kExecute, kObserveOnly, kPage } kind = Kind::kObserveOnly;
  std::size_t index = 0;  // of the chosen proposal, for kExecute
  double utility = 0.0;
  core::Decision decision;                // of the chosen one, or why none was
  std::vector<core::Decision> decisions;  // one a proposal
};
[[nodiscard]] Choice Choose(const policy::PolicySnapshot& policy, const SessionView& session,
                            std::span<const Proposal> proposals, std::span<const core::SignalMap> known) noexcept;

// The only place where an error becomes a verdict: block, with the reason that fits the error's code.
[[nodiscard]] core::Decision FailClosed(const base::Error& error) noexcept;
// The same for the adapters' own fail-closed states.
[[nodiscard]] core::Decision FailClosed(core::Reason reason, std::string_view text) noexcept;

// Applies an RFC 7396 merge patch to an object's JSON text. For rewrites.
[[nodiscard]] base::Result<std::string> MergePatch(base::JsonValue target, base::JsonValue patch);

}  // namespace interlock::gate
