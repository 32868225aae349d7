// A loaded policy: immutable, shared by every thread, swapped whole.
//
// Loading is a compiler's work (`LoadPolicy` in load.h). Matching is here, and it is tri-state: a rule matches, does
// not match, or cannot be evaluated. What an unevaluable rule means is the gate's business, not ours.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/core/call.h"
#include "interlock/core/tool.h"
#include "interlock/core/verdict.h"
#include "interlock/policy/profile.h"

namespace interlock::policy {

// Answers "which labels has this text been seen under in the session?" Implemented by module provenance; a port here so
// that a rule can ask only when its cheaper conditions hold.
class OriginLookup {
 public:
  virtual ~OriginLookup() = default;
  struct Answer {
    core::LabelSet labels = 0;  // union over everything the text (or an identifying part of it) was seen in
    bool complete = true;       // false: the index overflowed, so absence proves nothing
  };
  [[nodiscard]] virtual Answer OriginsOf(std::string_view text) const = 0;
};

// Work that the rules of one decision share: a path is resolved once, not once a rule. For one call only; the arguments
// must stay where they are meanwhile.
struct MatchMemo {
  struct Path {
    const char* data = nullptr;  // identity of the argument's text
    std::size_t size = 0;
    std::uint8_t state = 0;
    bool stored = false;  // the resolved path is in `storage`, else it is the argument itself
    std::string storage;
  };
  std::array<Path, 4> paths;
  std::size_t next = 0;
};

// What a rule can ask about, besides the call itself.
struct MatchContext {
  const core::Principal* principal = nullptr;  // null: unknown
  std::string_view environment;                // "": unknown
  core::LabelSet session_labels = 0;
  const OriginLookup* origins = nullptr;  // null: provenance unknown -> provenance predicates cannot be evaluated
  MatchMemo* memo = nullptr;              // null: nothing is shared between rules
};

enum class Match : std::uint8_t { kNo, kYes, kUnknown };

struct Rule;       // compiled; private to the module
struct ToolEntry;  // below

// A cumulative budget, so that harm split into harmless steps still stops. A call that would take it over `max` waits
// for a person.
struct Budget {
  enum class Kind : std::uint8_t {
    kCalls,  // how many calls
    kSum,    // of the number at `argument`, by its size; a call that has none there waits
    kBlast,  // of impact weight times criticality (GIRA, equation 3, not divided)
    kRisk,   // of rho
  };
  enum class Per : std::uint8_t { kSession, kPrincipalDay };
  std::string id;
  Kind kind = Kind::kCalls;
  Per per = Per::kSession;
  std::optional<core::SideEffect> effect;  // nothing: every call
  std::string tool;                        // nothing: every tool
  std::string argument;                    // JSON pointer, for kSum
  double max = 0;
};

// Break-glass: what changes while it is in force. It lifts no rule that forbids, and nothing of the injection layer.
struct BreakGlass {
  double raise_max_risk = 0.2;  // rho_max' = min(1, rho_max + this)
  double lambda_factor = 0.5;
  std::uint32_t ttl_s = 900;  // of one opening, at most
  // What waits by these no longer does.
  bool waives_defaults = false;
  bool waives_autonomy = false;
  // When an adapter that is told the impact opens it by itself; nothing: only a person does.
  std::optional<double> impact;               // integrated impact over this, or ...
  std::optional<std::uint32_t> severe_steps;  // ... the highest severity for so many steps
  std::uint32_t step_s = 60;                  // how long a step is, for adapters that go by the clock
};

// What a proxy's first look at a server's tools and texts holds back; the command line may say otherwise.
enum class FirstUse : std::uint8_t {
  kUnsaid,
  kOff,
  kOn,      // what the scanner would block
  kStrict,  // what it warns of, too
};

class PolicySnapshot {
 public:
  ~PolicySnapshot();
  PolicySnapshot(const PolicySnapshot&) = delete;
  PolicySnapshot& operator=(const PolicySnapshot&) = delete;

  // SHA-256 of the policy text it was loaded from, profile included: goes into every audit row.
  [[nodiscard]] const base::Digest& digest() const noexcept;
  [[nodiscard]] const Profile& profile() const noexcept;
  // The document's own `environment`: what conditions see when the context names none. Empty: unknown.
  [[nodiscard]] std::string_view environment() const noexcept;
  // The functionality graph it asks for: a file, relative to the policy's own folder. Empty: none. Nothing is read
  // here.
  [[nodiscard]] std::string_view graph() const noexcept;
  [[nodiscard]] std::span<const Budget> budgets() const noexcept;
  [[nodiscard]] FirstUse first_use() const noexcept;

  // Null: this policy knows no break-glass.
  [[nodiscard]] const BreakGlass* break_glass() const noexcept;

  [[nodiscard]] std::size_t rule_count() const noexcept;
  struct RuleView {
    std::string_view id;
    core::Verdict effect;
    std::string_view reason;         // the author's words, may be empty
    std::string_view rewrite_patch;  // JSON merge patch, for effect rewrite
    std::uint32_t line;
  };
  [[nodiscard]] RuleView rule(std::uint32_t index) const;
  // Whether rule `index` holds for `call`. `why` (may be null) receives words for people when the answer is yes or
  // unknown: the pointer of the deciding argument and what was seen. Bounded work; never throws.
  struct Why {
    std::string pointer;
    std::string text;
  };
  [[nodiscard]] Match Evaluate(std::uint32_t index, const core::Call& call, const ToolEntry* tool,
                               const MatchContext& context, Why* why) const;
  // Rules whose tool condition can match `tool` (ascending). For tools of a catalogue this was computed at build time.
  [[nodiscard]] std::vector<std::uint32_t> CandidatesFor(std::string_view server, std::string_view tool,
                                                         core::SideEffect effect) const;

  // Roles of a principal by name; a name the policy does not know has none.
  [[nodiscard]] core::Principal ResolvePrincipal(std::string_view name) const;
  // Names of the label bits, for evidence: "untrusted", "private", ... and back.
  [[nodiscard]] std::vector<std::string_view> LabelNames(core::LabelSet labels) const;
  [[nodiscard]] std::optional<core::LabelSet> LabelFromName(std::string_view name) const;
  // The side-effect class that the policy itself states for a tool, listed or not; kUnknown when it states none.
  [[nodiscard]] core::SideEffect StatedEffect(std::string_view tool) const noexcept;
  // What the policy says of a tool by exact name or by glob, laid over what the server says: the policy's words win.
  [[nodiscard]] core::ToolSpec Overlay(core::ToolSpec from_server) const;
  // Tools that the policy names exactly, for use when no server has listed any (replay).
  [[nodiscard]] std::vector<core::ToolSpec> NamedTools() const;
  // Any rule asks for provenance: otherwise nobody needs to index values.
  [[nodiscard]] bool uses_provenance() const noexcept;

 private:
  friend class PolicyCompiler;
  struct Impl;
  explicit PolicySnapshot(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::policy
