#include "checks.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "interlock/base/check.h"
#include "interlock/base/text.h"
#include "interlock/risk/rho.h"

namespace interlock::gate {
namespace {

using base::JsonValue;
using core::Layer;
using core::Reason;
using core::SideEffect;
using core::Verdict;

bool Holds(const core::Precondition& pre, const SessionView& session, const core::Call& call) {
  const JsonValue value = call.arguments.FindPointer(pre.same_argument);
  if (session.history == nullptr || (!pre.same_argument.empty() && !value.exists())) return false;
  const auto newest = session.history->Newest(pre.tool, pre.same_argument, value);
  return newest.has_value() && (pre.max_age == 0 || newest->age <= pre.max_age);
}

std::string WordsOf(const core::Precondition& pre) {
  std::string text = "`" + pre.tool + "` must have succeeded first";
  if (!pre.same_argument.empty()) text += ", with the same `" + pre.same_argument + "`";
  if (pre.max_age != 0) text += ", within the last " + std::to_string(pre.max_age) + " calls";
  return text;
}

double UsedOf(const policy::Budget& budget, std::size_t index, const BudgetUse& used, bool& readable) {
  if (index < used.amounts.size()) return used.amounts[index];
  readable = budget.kind == policy::Budget::Kind::kCalls && budget.tool.empty();
  if (budget.effect.has_value()) return static_cast<double>(used.calls[static_cast<std::size_t>(*budget.effect)]);
  std::uint64_t all = 0;
  for (const auto n : used.calls) all += n;
  return static_cast<double>(all);
}

std::string Number(double value) {
  std::string out;
  base::JsonWriter(out).Double(value);
  return out;
}

std::string Shown(JsonValue value) {
  constexpr std::size_t kShown = 80;
  return "`" + base::Printable(value.is_string() ? value.string() : value.raw(), kShown) + "`";
}

std::string WordsOf(const core::BindingSource& source) {
  switch (source.kind) {
    case core::BindingSource::Kind::kRequest:
      return "the user's request";
    case core::BindingSource::Kind::kFact:
      return "`" + source.path + "` of the " + source.name;
    case core::BindingSource::Kind::kResult:
      return "`" + source.path + "` of a result of `" + source.name + "`";
    case core::BindingSource::Kind::kConstant:
      return "the policy's list";
  }
  return {};
}

// Constants need no session.
std::optional<BindingLookup::Answer> NamesConstant(const core::BindingSource& source, JsonValue value) {
  if (source.kind != core::BindingSource::Kind::kConstant) return std::nullopt;
  const std::string text = base::CanonicalJson(value);
  const bool named = std::find(source.constants.begin(), source.constants.end(), text) != source.constants.end();
  return named ? BindingLookup::Answer::kVouches : BindingLookup::Answer::kOther;
}

constexpr std::size_t kShortestValue = 3;  // shorter ones occur everywhere
constexpr int kMaxDepth = 64;

void UntrustedLeaves(const policy::OriginLookup* origins, JsonValue value, const std::string& pointer, int depth,
                     Verdict verdict, Joiner& join) {
  if (depth > kMaxDepth) return;
  if (value.is_string() || value.is_number()) {
    const std::string_view text = value.is_string() ? value.string() : value.number_text();
    if (text.size() < kShortestValue || (value.is_number() && text.size() < 2 * kShortestValue)) return;
    const auto seen = origins->OriginsOf(text);
    constexpr core::LabelSet kGood = core::kLabelRequest | core::kLabelTrusted;
    if ((seen.labels & core::kLabelUntrusted) == 0 || (seen.labels & kGood) != 0) return;
    join.Add(Layer::kProvenance, Reason::kUntrustedValue, verdict, {}, pointer,
             Shown(value) + " occurs in untrusted text only");
    return;
  }
  for (auto it = value.begin(); it != value.end(); ++it) {
    UntrustedLeaves(origins, *it, value.is_object() ? pointer + "/" + std::string(it.key()) : pointer, depth + 1,
                    verdict, join);
  }
}

void FreeFormShell(Verdict verdict, const core::Call& call, const policy::ToolEntry& tool, Joiner& join) {
  if (verdict == Verdict::kAllow) return;
  if (tool.spec.free_form_shell == true && tool.shell_arguments.empty()) {
    join.Add(Layer::kSchema, Reason::kFreeFormShell, verdict, {}, {}, "the policy says that this tool takes one");
    return;
  }
  for (const std::string& pointer : tool.shell_arguments) {
    const JsonValue value = call.arguments.FindPointer(pointer);
    if (!value.exists() || value.is_null() || (value.is_string() && value.string().empty())) continue;
    join.Add(Layer::kSchema, Reason::kFreeFormShell, verdict, {}, pointer,
             Shown(value) + " is whatever it wants to be");
  }
}

}  // namespace

const base::JsonDoc& EmptyObject() {
  static const base::JsonDoc doc = [] {
    auto parsed = base::JsonDoc::Parse("{}");
    INTERLOCK_CHECK(parsed.ok(), "{} is JSON");
    return std::move(parsed.value());
  }();
  return doc;
}

void SchemaLayer(const policy::Profile& profile, const core::Call& call, const policy::ToolEntry& tool, Joiner& join) {
  FreeFormShell(profile.free_form_shell, call, tool, join);
  if (tool.schema_error.has_value()) {
    join.Add(Layer::kSchema, Reason::kSchemaUnusable, profile.unusable_schema, {}, {}, tool.schema_error->ToString());
    return;
  }
  if (!tool.input_schema.has_value()) return;  // the tool states no schema: nothing to hold the call against
  const auto outcome = tool.input_schema->Validate(call.arguments.exists() ? call.arguments : EmptyObject().root());
  if (outcome.valid()) return;
  if (!outcome.invalid()) {
    join.Add(Layer::kSchema, Reason::kSchemaUnusable, core::Join(Verdict::kEscalate, profile.unusable_schema), {}, {},
             "validation budget used up");
    return;
  }
  std::string pointer;
  std::string text;
  for (const auto& violation : outcome.violations) {
    if (text.empty()) pointer = violation.instance_pointer;
    if (!text.empty()) text += "; ";
    text += violation.instance_pointer.empty() ? "arguments" : violation.instance_pointer;
    text += ": ";
    text += violation.message;
  }
  join.Add(Layer::kSchema, Reason::kSchemaInvalid, Verdict::kBlock, {}, std::move(pointer), std::move(text));
}

void Preconditions(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
                   const policy::ToolEntry& tool, Joiner& join) {
  for (const auto& pre : tool.spec.preconditions) {
    if (Holds(pre, session, call)) continue;
    join.Add(Layer::kPolicy, Reason::kPrecondition, Verdict::kBlock, {}, pre.same_argument, WordsOf(pre));
  }
  const policy::BreakGlass* glass = session.break_glass ? policy.break_glass() : nullptr;
  if (glass != nullptr && glass->waives_autonomy) return;
  for (const auto& unlock : tool.spec.unlocks) {
    const auto held = std::count_if(unlock.evidence.begin(), unlock.evidence.end(),
                                    [&](const core::Precondition& pre) { return Holds(pre, session, call); });
    if (held >= static_cast<std::ptrdiff_t>(unlock.min)) continue;
    std::string text = std::to_string(held) + " of " + std::to_string(unlock.min) + " pieces of evidence";
    for (const auto& pre : unlock.evidence) {
      if (Holds(pre, session, call)) continue;
      text += "; missing: " + WordsOf(pre);
      break;
    }
    join.Add(Layer::kPolicy, Reason::kAutonomy, unlock.otherwise, unlock.id, {}, std::move(text));
  }
}

void Budgets(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
             const policy::ToolEntry* tool, const core::SignalMap& known, Joiner& join) {
  const auto budgets = policy.budgets();
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    const policy::Budget& budget = budgets[i];
    const std::optional<double> cost = CostOf(budget, tool, call, known, session.criticality);
    if (cost == 0.0) continue;
    bool readable = true;
    const double used = UsedOf(budget, i, session.used, readable);
    if (!cost.has_value() || !readable) {
      join.Add(Layer::kPolicy, Reason::kBudget, Verdict::kEscalate, budget.id, budget.argument,
               readable ? "what the call costs cannot be told: no number at `" + budget.argument + "`"
                        : "what was used so far cannot be told");
      continue;
    }
    // A hair's width of rounding is no excess: sums of decimal amounts are not exact in binary.
    if (used + *cost <= budget.max * (1 + 1e-12)) continue;
    join.Add(Layer::kPolicy, Reason::kBudget, Verdict::kEscalate, budget.id, budget.argument,
             Number(used) + " of " + Number(budget.max) +
                 (budget.kind == policy::Budget::Kind::kCalls ? " calls used"
                                                              : " used, and this would add " + Number(*cost)));
  }
}

BindingState StateOf(const core::RoleBinding& binding, const BindingLookup* sources, const core::Call& call) {
  using Answer = BindingLookup::Answer;
  const JsonValue value = call.arguments.FindPointer(binding.argument);
  if (!value.exists()) return {};
  std::size_t named = 0;
  std::size_t absent = 0;
  bool vouched = false;
  for (const core::BindingSource& source : binding.from) {
    Answer answer = Answer::kNoSource;
    if (const auto constant = NamesConstant(source, value)) {
      answer = *constant;
    } else if (sources != nullptr) {
      answer = sources->Names(source, call, value);
    }
    named += answer == Answer::kNames || answer == Answer::kVouches ? 1 : 0;
    absent += answer == Answer::kNoSource ? 1 : 0;
    vouched = vouched || answer == Answer::kVouches;
    if (vouched && !binding.all) break;
  }
  // With `all`, a source that says something else decides; without, any source that is not there could have named it.
  const bool holds = binding.all ? named == binding.from.size() : named > 0;
  return {.present = true,
          .holds = holds,
          .unsourced = binding.all ? named + absent == binding.from.size() : absent == binding.from.size(),
          .vouched = holds && vouched};
}

// A value that merely occurs somewhere is not enough: it has to stand where its role says.
void Bindings(const SessionView& session, const core::Call& call, const policy::ToolEntry& tool, Joiner& join) {
  const std::vector<core::RoleBinding>& bindings = tool.spec.bindings;
  INTERLOCK_CHECK(!session.bound || session.bound->size() == bindings.size(), "they are this tool's");
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const core::RoleBinding& binding = bindings[i];
    const BindingState state = session.bound ? (*session.bound)[i] : StateOf(binding, session.bindings, call);
    // Whether an argument may be missing is the schema's question.
    if (!state.present || state.holds) continue;
    const JsonValue value = call.arguments.FindPointer(binding.argument);
    std::string places;
    for (const core::BindingSource& source : binding.from) {
      if (!places.empty()) places += binding.all ? " and " : " or ";
      places += WordsOf(source);
    }
    std::string text = (binding.role.empty() ? "`" + binding.argument + "`" : binding.role) + " " + Shown(value) +
                       " has to come from " + places +
                       (state.unsourced ? ", and nothing of that is in the session" : ", which names another");
    join.Add(Layer::kProvenance, Reason::kRoleBinding, state.unsourced ? binding.unsourced : binding.otherwise, {},
             binding.argument, std::move(text));
  }
}

void UntrustedValues(const SessionView& session, const core::Call& call, Verdict verdict, Joiner& join) {
  if (session.origins != nullptr) UntrustedLeaves(session.origins, call.arguments, {}, 0, verdict, join);
}

std::optional<double> CostOf(const policy::Budget& budget, const policy::ToolEntry* tool, const core::Call& call,
                             const core::SignalMap& known, std::optional<double> criticality) {
  using Kind = policy::Budget::Kind;
  const SideEffect effect = tool == nullptr ? SideEffect::kUnknown : tool->spec.side_effect;
  if (budget.effect.has_value() && *budget.effect != effect) return 0.0;
  if (!budget.tool.empty() && budget.tool != call.tool) return 0.0;
  switch (budget.kind) {
    case Kind::kCalls:
      return 1.0;
    case Kind::kBlast:
      if (tool == nullptr) return 1.0;
      return tool->spec.impact_weight * (criticality ? *criticality : risk::CriticalityOf(tool->spec, call));
    case Kind::kRisk: {
      const core::Signal& signal = known[Layer::kRisk];
      if (signal.state == core::Signal::State::kPresent) return signal.score;
      return tool == nullptr ? 1.0 : tool->spec.impact_weight;
    }
    case Kind::kSum: {
      // By its size: a negative amount earns nothing back.
      const JsonValue value = call.arguments.FindPointer(budget.argument);
      if (value.is_number()) {
        const auto number = value.AsDouble();
        return number ? std::optional(std::abs(*number)) : std::nullopt;
      }
      if (!value.is_string()) return std::nullopt;
      const auto doc = base::JsonDoc::Parse(value.string());
      if (!doc.ok() || !doc.value().root().is_number()) return std::nullopt;
      const auto number = doc.value().root().AsDouble();
      return number ? std::optional(std::abs(*number)) : std::nullopt;
    }
  }
  return std::nullopt;
}

bool BreakGlassDue(const policy::PolicySnapshot& policy, double integrated_impact,
                   std::uint32_t severe_steps) noexcept {
  const policy::BreakGlass* glass = policy.break_glass();
  if (glass == nullptr) return false;
  return (glass->impact && integrated_impact > *glass->impact) ||
         (glass->severe_steps && severe_steps >= *glass->severe_steps);
}

}  // namespace interlock::gate
