// Approvals as values: what is asked, what a person said, and what that is worth now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/digest.h"
#include "interlock/base/result.h"

namespace interlock::runtime::approvals {

enum class State : std::uint8_t {
  kPending,  // nobody has answered
  kGranted,  // agreed to; good until it expires
  kDenied,   // declined
  kUsed,     // a once-grant that a call has used
  kVoid,     // something it was bound to has changed, or it was taken back
  kExpired,  // its time is over, answered or not
};
[[nodiscard]] std::string_view NameOf(State state) noexcept;  // "pending" "granted" ...
[[nodiscard]] std::optional<State> StateFromName(std::string_view name) noexcept;

enum class Scope : std::uint8_t {
  kOnce,     // this exact call, one time
  kSession,  // this exact call, as often as it comes up in its session
  kPattern,  // calls of this tool whose arguments fit a JSON Schema, so many times
};
[[nodiscard]] std::string_view NameOf(Scope scope) noexcept;  // "once" "session" "pattern"
[[nodiscard]] std::optional<Scope> ScopeFromName(std::string_view name) noexcept;

// Whose call it is. A session without a name of its own has one made up by its guard; all unnamed sessions of one
// principal and server count as one, so that a grant outlives the guard's process.
struct Subject {
  std::string tenant;
  std::string principal;
  std::string session;
  bool named = true;  // false: `session` is made up, for display
  std::string server;

  [[nodiscard]] std::string_view key() const noexcept { return named ? std::string_view(session) : std::string_view(); }
};

// What an approval is bound to. A change of any of these voids it.
struct Binding {
  base::Digest call;           // gate::CallDigest: server, tool and exact arguments
  base::Digest definition;     // of the tool; zero: not listed
  base::Digest policy;         // snapshot
  base::Digest preconditions;  // of the results that satisfy the tool's preconditions; zero: it has none
};

// What a guard asks a person.
struct Question {
  Subject subject;
  std::string tool;
  Binding binding;
  std::string arguments;              // JSON for people, secrets taken out
  std::uint64_t arguments_bytes = 0;  // of the original
  std::string evidence;               // JSON array of {layer, reason, verdict, rule?, pointer?, text?}
  std::string explanation;            // one line: why it waits
};

struct Request {
  std::string id;
  Question question;
  State state = State::kPending;  // as of the time it was read
  std::uint64_t asks = 1;         // how often the same call was put
  base::WallTime asked;
  base::WallTime expires;  // of the question while pending; of the grant or refusal afterwards
  Scope scope = Scope::kOnce;
  std::string approver;  // empty: nobody answered
  base::WallTime decided;
  std::string reason;      // the person's, or what voided it
  std::uint64_t uses = 0;  // calls that went ahead under it
  std::string plan;        // scope pattern: the plan that carries it
};

// One step of an approved, constrained plan.
struct PlanStep {
  std::string tool;
  std::string arguments;  // JSON Schema that the call's arguments must fit
  std::uint32_t max_uses = 1;
};

// A batch approval as a person writes it (interlock.plan/v1).
struct PlanText {
  std::string title;
  std::string server;  // "": any
  std::vector<PlanStep> steps;
};

// Reads a plan file. Every step's schema must compile, name `properties` or `const`/`enum` bounds under a closed
// object, and be used a counted number of times. kInvalidArgument, JSON and schema errors, kLimitExceeded (64 steps,
// 256 KiB).
[[nodiscard]] base::Result<PlanText> ParsePlan(std::string_view bytes);

struct Plan {
  std::string id;
  PlanText text;
  std::vector<std::uint32_t> uses_left;  // one a step
  std::string tenant;
  std::optional<std::string> principal;  // nothing: anybody's
  std::optional<std::string> session;    // nothing: any session; "": unnamed ones
  State state = State::kGranted;         // granted, void or expired
  std::string approver;
  std::string reason;
  base::WallTime decided;
  base::WallTime expires;
};

struct BreakGlass {
  std::string id;
  std::string tenant;
  std::optional<std::string> principal;
  std::optional<std::string> session;
  std::string reason;
  std::string opened_by;
  base::WallTime opened;
  base::WallTime expires;
  base::WallTime ended;         // zero: not before it expires
  bool active = false;          // as of the time it was read
  std::uint64_t decisions = 0;  // made under it
  std::string reviewed_by;      // empty: nobody has looked at what happened
  base::WallTime reviewed;
};

}  // namespace interlock::runtime::approvals
