#include "interlock/core/verdict.h"

#include <array>
#include <cstddef>

#include "interlock/base/check.h"

namespace interlock::core {
namespace {

template <class Enum>
struct NameRow {
  Enum value;
  std::string_view name;
};

// One table for both directions. Rows stand in the order of their enumerators, which the compiler checks.
template <class Enum, std::size_t kSize>
consteval std::array<NameRow<Enum>, kSize> Table(const NameRow<Enum> (&rows)[kSize]) {
  std::array<NameRow<Enum>, kSize> table{};
  for (std::size_t i = 0; i < kSize; ++i) {
    if (static_cast<std::size_t>(rows[i].value) != i || rows[i].name.empty()) throw "a row is missing or out of order";
    table[i] = rows[i];
  }
  return table;
}

template <class Enum, std::size_t kSize>
std::string_view NameIn(const std::array<NameRow<Enum>, kSize>& table, Enum value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  INTERLOCK_CHECK(index < kSize, "an enumerator has a row");
  return table[index].name;
}

template <class Enum, std::size_t kSize>
std::optional<Enum> ValueIn(const std::array<NameRow<Enum>, kSize>& table, std::string_view name) noexcept {
  for (const NameRow<Enum>& row : table) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

constexpr auto kVerdicts = Table<Verdict>({{Verdict::kAllow, "allow"},
                                           {Verdict::kRewrite, "rewrite"},
                                           {Verdict::kEscalate, "escalate"},
                                           {Verdict::kBlock, "block"}});

constexpr auto kEnforcements = Table<Enforcement>({{Enforcement::kForwarded, "forwarded"},
                                                   {Enforcement::kRewritten, "rewritten"},
                                                   {Enforcement::kApproved, "approved"},
                                                   {Enforcement::kDenied, "denied"},
                                                   {Enforcement::kBlocked, "blocked"},
                                                   {Enforcement::kShadowed, "shadowed"},
                                                   {Enforcement::kFailed, "failed"}});

constexpr auto kSideEffects = Table<SideEffect>({{SideEffect::kUnknown, "unknown"},
                                                 {SideEffect::kRead, "read"},
                                                 {SideEffect::kWrite, "write"},
                                                 {SideEffect::kDeploy, "deploy"},
                                                 {SideEffect::kSecurity, "security"}});
static_assert(kSideEffects.size() == kSideEffectCount);

constexpr auto kTrusts =
    Table<Trust>({{Trust::kUnknown, "unknown"}, {Trust::kTrusted, "trusted"}, {Trust::kUntrusted, "untrusted"}});

constexpr auto kLayers = Table<Layer>({{Layer::kPolicy, "policy"},
                                       {Layer::kSchema, "schema"},
                                       {Layer::kProvenance, "provenance"},
                                       {Layer::kInjection, "injection"},
                                       {Layer::kBounds, "bounds"},
                                       {Layer::kRisk, "risk"},
                                       {Layer::kIntent, "intent"}});
static_assert(kLayers.size() == kLayerCount);

struct ReasonRow {
  Reason reason;
  std::string_view id;
  std::string_view text;
};

// Texts start lower case and end without a full stop: they stand after "Interlock blocked the call `x`: ".
constexpr ReasonRow kReasons[] = {
    {Reason::kNone, "policy.allow", "a policy rule allows it"},
    {Reason::kDefaultAllow, "policy.default-allow",
     "no policy rule speaks about it and the policy's default allows it"},
    {Reason::kApproved, "approval.granted", "a person approved exactly this call"},
    {Reason::kPolicyRule, "policy.rule", "a policy rule applies to it"},
    {Reason::kPolicyDefault, "policy.default",
     "no policy rule speaks about it and the policy's default for such tools does not allow it"},
    {Reason::kPolicyRuleError, "policy.rule-error", "a policy rule that may forbid it could not be evaluated"},
    {Reason::kSchemaInvalid, "schema.invalid", "its arguments do not fit the tool's schema"},
    {Reason::kSchemaUnusable, "schema.unusable", "the tool's schema cannot be used to check its arguments"},
    {Reason::kToolUnknown, "tool.unknown", "no catalogue and no server lists this tool"},
    {Reason::kToolChanged, "tool.changed", "the tool's definition is not the one that was accepted"},
    {Reason::kServerChanged, "server.changed", "the server's instructions are not the ones that were accepted"},
    {Reason::kToolHidden, "tool.hidden", "the policy does not offer this tool"},
    {Reason::kMalformed, "call.malformed", "it is not a well-formed tool call"},
    {Reason::kLayerMissing, "layer.missing", "a check that the profile requires gave no answer"},
    {Reason::kSignal, "layer.signal", "a check speaks against it"},
    {Reason::kPrecondition, "tool.precondition", "a precondition of the tool does not hold"},
    {Reason::kBudget, "budget.exhausted", "a budget of this session is used up"},
    {Reason::kNoUtility, "choose.no-utility", "no proposed call is worth its risk"},
    {Reason::kPage, "choose.page", "its risk asks for a person"},
    {Reason::kPolicyUnavailable, "policy.unavailable", "no readable policy is loaded"},
    {Reason::kAuditUnavailable, "audit.unavailable", "it could not be recorded, and what is not recorded does not run"},
    {Reason::kStoreUnavailable, "store.unavailable", "the state of this session cannot be read"},
    {Reason::kOverloaded, "gate.overloaded", "too many calls wait for a decision"},
    {Reason::kUpstreamGone, "upstream.gone", "the tool's server does not answer properly"},
    {Reason::kInternalError, "internal.error", "it could not be decided"},
    {Reason::kNotApproved, "approval.refused", "it needs a person's approval and did not get one"},
    {Reason::kResultSuspicious, "result.suspicious", "the result looks like it gives instructions to the reader"},
    {Reason::kResultMalformed, "result.malformed", "the result is not well-formed"},
    {Reason::kRoleBinding, "argument.unbound", "a value in it does not come from where its role says"},
    {Reason::kAutonomy, "autonomy.locked", "the evidence that unlocks this tool is not in the session yet"},
    {Reason::kFreeFormShell, "shell.free-form", "it carries a free-form shell command"},
    {Reason::kUntrustedValue, "argument.untrusted", "a value in it comes from untrusted text only"},
    {Reason::kSecret, "secret.redacted", "it carries a secret that has no place in it"},
};
constexpr std::size_t kReasonCount = std::size(kReasons);

consteval bool ReasonsAreComplete() {
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    if (static_cast<std::size_t>(kReasons[i].reason) != i) return false;
  }
  return kReasonCount == static_cast<std::size_t>(Reason::kSecret) + 1;
}
static_assert(ReasonsAreComplete(), "one row for each reason, in order");

const ReasonRow& RowOf(Reason reason) noexcept {
  const auto index = static_cast<std::size_t>(reason);
  INTERLOCK_CHECK(index < kReasonCount, "an enumerator has a row");
  return kReasons[index];
}

}  // namespace

std::string_view NameOf(Verdict verdict) noexcept { return NameIn(kVerdicts, verdict); }
std::optional<Verdict> VerdictFromName(std::string_view name) noexcept { return ValueIn(kVerdicts, name); }

std::string_view NameOf(Enforcement enforcement) noexcept { return NameIn(kEnforcements, enforcement); }

std::string_view NameOf(SideEffect effect) noexcept { return NameIn(kSideEffects, effect); }
std::optional<SideEffect> SideEffectFromName(std::string_view name) noexcept { return ValueIn(kSideEffects, name); }

std::string_view NameOf(Trust trust) noexcept { return NameIn(kTrusts, trust); }
std::optional<Trust> TrustFromName(std::string_view name) noexcept { return ValueIn(kTrusts, name); }

std::string_view NameOf(Layer layer) noexcept { return NameIn(kLayers, layer); }
std::optional<Layer> LayerFromName(std::string_view name) noexcept { return ValueIn(kLayers, name); }

std::string_view IdOf(Reason reason) noexcept { return RowOf(reason).id; }
std::string_view TextOf(Reason reason) noexcept { return RowOf(reason).text; }

}  // namespace interlock::core
