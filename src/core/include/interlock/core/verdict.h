// The vocabulary of a decision. Severity order; layers join by the strictest and never weaken each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace interlock::core {

enum class Verdict : std::uint8_t { kAllow, kRewrite, kEscalate, kBlock };
[[nodiscard]] constexpr Verdict Join(Verdict a, Verdict b) noexcept { return std::max(a, b); }
[[nodiscard]] std::string_view NameOf(Verdict verdict) noexcept;  // "allow" "rewrite" "escalate" "block"
[[nodiscard]] std::optional<Verdict> VerdictFromName(std::string_view name) noexcept;

// What was done about a verdict: apart from the verdict itself, because shadow mode decides without enforcing.
enum class Enforcement : std::uint8_t {
  kForwarded,  // went ahead as proposed
  kRewritten,  // went ahead in its rewritten form
  kApproved,   // escalated, a person agreed, went ahead
  kDenied,     // escalated, a person declined, or nobody could be asked or answered in time
  kBlocked,    // refused
  kShadowed,   // the verdict was not allow, shadow mode let it go ahead as proposed
  kFailed,     // could not be decided or recorded; did not run
};
[[nodiscard]] std::string_view NameOf(Enforcement enforcement) noexcept;

// What a tool does to the world. Unknown is never treated as read.
enum class SideEffect : std::uint8_t { kUnknown, kRead, kWrite, kDeploy, kSecurity };
inline constexpr std::size_t kSideEffectCount = 5;
[[nodiscard]] std::string_view NameOf(SideEffect effect) noexcept;  // "unknown" "read" "write" "deploy" "security"
[[nodiscard]] std::optional<SideEffect> SideEffectFromName(std::string_view name) noexcept;

enum class Trust : std::uint8_t { kUnknown, kTrusted, kUntrusted };
[[nodiscard]] std::string_view NameOf(Trust trust) noexcept;  // "unknown" "trusted" "untrusted"
[[nodiscard]] std::optional<Trust> TrustFromName(std::string_view name) noexcept;

// The layers of the gate, cheap first. Layers that are not built yet have their place here: a profile that requires one
// that gives no signal escalates (a missing signal is never favourable).
enum class Layer : std::uint8_t { kPolicy, kSchema, kProvenance, kInjection, kBounds, kRisk, kIntent };
inline constexpr std::size_t kLayerCount = 7;
[[nodiscard]] std::string_view NameOf(Layer layer) noexcept;  // "policy" "schema" ...
[[nodiscard]] std::optional<Layer> LayerFromName(std::string_view name) noexcept;

// Why a decision is what it is: stable ids ("policy.rule"), one row each in verdict.cc. The words that a model and a
// person read are built from the reason plus its evidence.
enum class Reason : std::uint8_t {
  kNone,               // allow by a rule
  kDefaultAllow,       // allow by the default of the side-effect class
  kApproved,           // escalated, and a person's grant for this exact call is in force
  kPolicyRule,         // a policy rule matched
  kPolicyDefault,      // no rule spoke; default of the side-effect class
  kPolicyRuleError,    // a rule that would not allow could not be evaluated
  kSchemaInvalid,      // the arguments do not fit the tool's schema
  kSchemaUnusable,     // the tool's schema does not compile or ran out of budget
  kToolUnknown,        // the tool is in no catalogue and in no server's list
  kToolChanged,        // definition differs from the pinned one
  kServerChanged,      // server instructions differ from the pinned ones
  kToolHidden,         // the policy hides this tool
  kMalformed,          // the call is not a well-formed tools/call
  kLayerMissing,       // a required layer gave no signal
  kSignal,             // another layer's signal
  kPrecondition,       // a precondition of the tool does not hold
  kBudget,             // a budget is used up
  kNoUtility,          // Choose: nothing feasible with positive utility (observe only)
  kPage,               // Choose: page a person
  kPolicyUnavailable,  // fail closed: no readable policy
  kAuditUnavailable,   // fail closed: the record could not be written
  kStoreUnavailable,   // fail closed: session store locked or broken
  kOverloaded,         // fail closed: queue full or memory budget used up
  kUpstreamGone,       // fail closed: the server died, hangs or answers garbage
  kInternalError,      // fail closed: anything else
  kNotApproved,        // a person declined, or no one could be asked in time
  kResultSuspicious,   // result withheld or masked
  kResultMalformed,    // result is not well-formed
  kRoleBinding,        // an argument's value does not come from where its role says
  kAutonomy,           // progressive autonomy: the evidence that unlocks the tool is not in the session
  kFreeFormShell,      // it carries a free-form shell command
  kUntrustedValue,     // a value of it occurs in untrusted text only
  kSecret,             // it carries a secret that has no place in it
};
[[nodiscard]] std::string_view IdOf(Reason reason) noexcept;
// One sentence for people, without evidence.
[[nodiscard]] std::string_view TextOf(Reason reason) noexcept;

}  // namespace interlock::core
