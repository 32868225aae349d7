#include "interlock/gate/gate.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "interlock/base/text.h"
#include "interlock/risk/rho.h"
#include "redact.h"

namespace interlock::gate {
namespace {

using base::JsonValue;
using core::Decision;
using core::Evidence;
using core::Layer;
using core::Reason;
using core::SideEffect;
using core::Verdict;
using policy::LayerMode;
using policy::Match;

// Collects contributions; the verdict is their join, the evidence of allow-contributions is kept only when they decide.
class Joiner {
 public:
  void Add(Layer layer, Reason reason, Verdict verdict, std::string_view rule, std::string pointer, std::string text) {
    verdict_ = core::Join(verdict_, verdict);
    decision_.evidence.push_back(
        Evidence{layer, reason, verdict, std::string(rule), std::move(pointer), std::move(text)});
  }
  void Errored(std::string_view rule) { decision_.errored_rules.emplace_back(rule); }
  [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }

  // Strictest evidence first (order of arrival among equals); drops what did not make the verdict when it is an allow.
  [[nodiscard]] Decision Finish(Reason allow_reason) && {
    auto& evidence = decision_.evidence;
    // INVARIANT: arrival order is the gate's fixed layer order and ascending rule index, sorted below by rule id among
    // equals, so that the order of rules in the document does not show.
    std::stable_sort(evidence.begin(), evidence.end(), [](const Evidence& a, const Evidence& b) {
      if (a.verdict != b.verdict) return a.verdict > b.verdict;
      if (a.layer != b.layer) return a.layer < b.layer;
      return a.rule < b.rule;
    });
    if (decision_.errored_rules.size() > 1) std::sort(decision_.errored_rules.begin(), decision_.errored_rules.end());
    decision_.verdict = verdict_;
    decision_.reason = verdict_ == Verdict::kAllow || evidence.empty() ? allow_reason : evidence.front().reason;
    return std::move(decision_);
  }
  [[nodiscard]] Decision& decision() noexcept { return decision_; }

 private:
  Verdict verdict_ = Verdict::kAllow;
  Decision decision_;
};

struct RuleOutcome {
  bool allowed = false;
  bool rewrites = false;
  std::uint32_t rewrite_rule = 0;  // of the rewrites, the one with the smallest id: independent of document order
};

void ApplyRule(const policy::PolicySnapshot& policy, std::uint32_t index, const core::Call& call,
               const policy::ToolEntry* tool, const policy::MatchContext& context, Joiner& join, RuleOutcome& out) {
  const Match match = policy.Evaluate(index, call, tool, context, nullptr);
  if (match == Match::kNo) return;
  const auto rule = policy.rule(index);
  if (match == Match::kUnknown) {
    join.Errored(rule.id);
    if (rule.effect == Verdict::kAllow) return;  // an allow that cannot be evaluated does not apply
    policy::PolicySnapshot::Why why;
    (void)policy.Evaluate(index, call, tool, context, &why);
    join.Add(Layer::kPolicy, Reason::kPolicyRuleError, Verdict::kEscalate, rule.id, std::move(why.pointer),
             std::move(why.text));
    return;
  }
  if (rule.effect == Verdict::kAllow) {
    out.allowed = true;
    join.Add(Layer::kPolicy, Reason::kPolicyRule, Verdict::kAllow, rule.id, {}, {});
    return;
  }
  policy::PolicySnapshot::Why why;
  (void)policy.Evaluate(index, call, tool, context, &why);
  std::string text(rule.reason);
  if (!why.text.empty()) {
    if (!text.empty()) text += ": ";
    text += why.text;
  }
  join.Add(Layer::kPolicy, Reason::kPolicyRule, rule.effect, rule.id, std::move(why.pointer), std::move(text));
  if (rule.effect == Verdict::kRewrite) {
    if (!out.rewrites || rule.id < policy.rule(out.rewrite_rule).id) out.rewrite_rule = index;
    out.rewrites = true;
  }
}

RuleOutcome PolicyLayer(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
                        const policy::ToolEntry* tool, Joiner& join) {
  policy::MatchMemo memo;
  const policy::MatchContext context{.principal = session.principal,
                                     .environment = session.environment,
                                     .session_labels = session.labels,
                                     .origins = session.origins,
                                     .memo = &memo};
  RuleOutcome out;
  if (tool != nullptr) {
    for (const std::uint32_t index : tool->candidates) ApplyRule(policy, index, call, tool, context, join, out);
  } else {
    for (const std::uint32_t index : policy.CandidatesFor(call.server, call.tool, SideEffect::kUnknown)) {
      ApplyRule(policy, index, call, nullptr, context, join, out);
    }
  }
  return out;
}

const base::JsonDoc& EmptyObject() {
  static const base::JsonDoc doc = [] {
    auto parsed = base::JsonDoc::Parse("{}");
    INTERLOCK_CHECK(parsed.ok(), "{} is JSON");
    return std::move(parsed.value());
  }();
  return doc;
}

void SchemaLayer(const policy::Profile& profile, const core::Call& call, const policy::ToolEntry& tool, Joiner& join) {
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

void Budgets(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
             const policy::ToolEntry* tool, const core::SignalMap& known, Joiner& join) {
  const auto budgets = policy.budgets();
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    const policy::Budget& budget = budgets[i];
    const std::optional<double> cost = CostOf(budget, tool, call, known);
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
  return named ? BindingLookup::Answer::kNames : BindingLookup::Answer::kOther;
}

// A value that merely occurs somewhere is not enough: it has to stand where its role says.
void Bindings(const SessionView& session, const core::Call& call, const policy::ToolEntry& tool, Joiner& join) {
  using Answer = BindingLookup::Answer;
  for (const core::RoleBinding& binding : tool.spec.bindings) {
    const JsonValue value = call.arguments.FindPointer(binding.argument);
    if (!value.exists()) continue;  // whether it may be missing is the schema's question
    std::size_t named = 0;
    std::size_t absent = 0;
    std::string places;
    for (const core::BindingSource& source : binding.from) {
      Answer answer = Answer::kNoSource;
      if (const auto constant = NamesConstant(source, value)) {
        answer = *constant;
      } else if (session.bindings != nullptr) {
        answer = session.bindings->Names(source, call, value);
      }
      named += answer == Answer::kNames ? 1 : 0;
      absent += answer == Answer::kNoSource ? 1 : 0;
      if (answer == Answer::kNames && !binding.all) break;
    }
    const bool holds = binding.all ? named == binding.from.size() : named > 0;
    if (holds) continue;
    // With `all`, a source that says something else decides; without, any source that is not there could have named it.
    const bool unsourced = binding.all ? named + absent == binding.from.size() : absent == binding.from.size();
    for (const core::BindingSource& source : binding.from) {
      if (!places.empty()) places += binding.all ? " and " : " or ";
      places += WordsOf(source);
    }
    std::string text = (binding.role.empty() ? "`" + binding.argument + "`" : binding.role) + " " + Shown(value) +
                       " has to come from " + places +
                       (unsourced ? ", and nothing of that is in the session" : ", which names another");
    join.Add(Layer::kProvenance, Reason::kRoleBinding, unsourced ? binding.unsourced : binding.otherwise, {},
             binding.argument, std::move(text));
  }
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

// Signals of layers that others measure. Returns the layers that are required, absent and could still be asked.
NeedSignals OtherLayers(const policy::Profile& profile, const SessionView& session, const core::SignalMap& known,
                        bool may_ask, bool can_rewrite, Joiner& join) {
  NeedSignals need;
  for (std::size_t i = 0; i < core::kLayerCount; ++i) {
    const Layer layer = static_cast<Layer>(i);
    const LayerMode mode = profile.layer(layer);
    if (mode == LayerMode::kOff) continue;
    const core::Signal& signal = known[layer];
    switch (signal.state) {
      case core::Signal::State::kAbsent:
        if (layer == Layer::kPolicy || layer == Layer::kSchema || mode != LayerMode::kRequired) break;
        if (may_ask && session.can_ask[i]) {
          need.wanted[i] = true;
        } else {
          join.Add(layer, Reason::kLayerMissing, Verdict::kEscalate, {}, {},
                   "layer `" + std::string(core::NameOf(layer)) + "` is required and gave no signal");
        }
        break;
      case core::Signal::State::kError:
        join.Add(layer, Reason::kSignal, core::Join(Verdict::kEscalate, signal.floor), {}, signal.pointer,
                 signal.evidence);
        break;
      case core::Signal::State::kPresent:
        if (signal.floor != Verdict::kAllow) {
          // A layer that wants a harmless form of a call that has none asks a person instead.
          const bool stuck = signal.floor == Verdict::kRewrite && !can_rewrite;
          join.Add(layer, Reason::kSignal, stuck ? Verdict::kEscalate : signal.floor, {}, signal.pointer,
                   signal.evidence);
        }
        break;
    }
  }
  return need;
}

// SAFETY: both clocks must agree that the grant is alive. The wall clock alone could be set back to revive it, the
// monotonic one alone says nothing after a restart; a wall clock that stands before the grant was given voids it.
bool IsAlive(const Grant& grant, const SessionView& session, const base::Digest& definition,
             const base::Digest& policy) {
  return grant.definition == definition && grant.policy == policy && session.now.mono < grant.expires_mono &&
         session.now.wall < grant.expires_wall && session.now.wall >= grant.given_wall;
}

bool FitsPattern(const Grant& grant, const core::Call& call) {
  return grant.uses_left > 0 && grant.tool == call.tool && grant.arguments != nullptr &&
         grant.arguments->Validate(call.arguments.exists() ? call.arguments : EmptyObject().root()).valid();
}

bool AnyGrantHolds(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
                   const policy::ToolEntry* tool) {
  if (session.grants.empty()) return false;
  const base::Digest digest = CallDigest(call);
  const base::Digest preconditions = PreconditionDigest(session, call);
  const base::Digest definition = tool == nullptr ? base::Digest{} : tool->spec.definition;
  return std::any_of(session.grants.begin(), session.grants.end(), [&](const Grant& grant) {
    if (!IsAlive(grant, session, definition, policy.digest())) return false;
    return grant.scope == GrantScope::kPattern ? FitsPattern(grant, call)
                                               : grant.call == digest && grant.preconditions == preconditions;
  });
}

// The form that is to run: secrets out, then the patch of the rule or, where a layer wants one, of the tool's dry run.
void AttachRewrite(const policy::PolicySnapshot& policy, const core::Call& call, const policy::ToolEntry* tool,
                   const RuleOutcome& rules, const Redaction& secrets, Decision& decision) {
  const bool layer_asks = std::any_of(decision.evidence.begin(), decision.evidence.end(), [](const Evidence& e) {
    return e.verdict == Verdict::kRewrite && e.reason == Reason::kSignal;
  });
  std::string_view patch_text;
  if (rules.rewrites) {
    patch_text = policy.rule(rules.rewrite_rule).rewrite_patch;
  } else if (layer_asks && tool != nullptr && decision.reason != Reason::kApproved) {
    patch_text = tool->spec.dry_run_patch;
  }
  INTERLOCK_CHECK(!patch_text.empty() || secrets.count > 0, "a rewrite comes from a rule, a dry run or a secret");
  decision.rewritten_arguments = secrets.json;
  if (patch_text.empty()) return;
  auto patch = base::JsonDoc::Parse(patch_text);
  if (!patch.ok()) {
    decision = FailClosed(patch.error());
    return;
  }
  base::JsonDoc redacted;
  JsonValue from = call.arguments.exists() ? call.arguments : EmptyObject().root();
  if (secrets.count > 0) {
    auto parsed = base::JsonDoc::Parse(secrets.json);
    if (!parsed.ok()) {
      decision = FailClosed(parsed.error());
      return;
    }
    redacted = std::move(parsed.value());
    from = redacted.root();
  }
  auto rewritten = MergePatch(from, patch.value().root());
  if (!rewritten.ok()) {
    decision = FailClosed(rewritten.error());
    return;
  }
  decision.rewritten_arguments = std::move(rewritten.value());
}

bool Malformed(const core::Call& call) {
  return call.tool.empty() || (call.arguments.exists() && !call.arguments.is_object());
}

std::variant<Decision, NeedSignals> DecideImpl(const policy::PolicySnapshot& policy, const SessionView& session,
                                               const core::Call& call, const core::SignalMap& known, bool may_ask) {
  const policy::Profile& profile = policy.profile();
  Joiner join;
  join.decision().shadow = profile.shadow;
  const policy::BreakGlass* glass = session.break_glass ? policy.break_glass() : nullptr;
  join.decision().break_glass = glass != nullptr;
  if (Malformed(call)) {
    join.Add(Layer::kSchema, Reason::kMalformed, Verdict::kBlock, {}, {},
             "a call needs a tool name and an object of arguments");
    return std::move(join).Finish(Reason::kMalformed);
  }
  const policy::ToolEntry* tool = session.catalogue == nullptr ? nullptr : session.catalogue->Find(call.tool);

  if (session.instructions_changed) {
    join.Add(Layer::kPolicy, Reason::kServerChanged, Verdict::kEscalate, {}, {},
             "run `interlock policy accept` after reading them");
  }
  if (tool != nullptr && tool->spec.hidden) join.Add(Layer::kPolicy, Reason::kToolHidden, Verdict::kBlock, {}, {}, {});
  if (tool != nullptr && tool->pin == policy::PinState::kChanged) {
    join.Add(Layer::kPolicy, Reason::kToolChanged, Verdict::kBlock, {}, {},
             "its definition is not the one that was accepted; run `interlock policy accept` after reading the change");
  }

  RuleOutcome rules;
  Reason allow_reason = Reason::kNone;
  if (profile.layer(Layer::kPolicy) != LayerMode::kOff) {
    rules = PolicyLayer(policy, session, call, tool, join);
    // The default is the answer for the form that will run: a call that a rule rewrites is decided again, and there the
    // default speaks. An allow rule stands in for the default and weakens nothing else.
    if (!rules.allowed && !rules.rewrites) {
      const SideEffect effect = tool == nullptr ? SideEffect::kUnknown : tool->spec.side_effect;
      Verdict verdict = profile.default_for(effect);
      // What a default only holds back may be waived; what it refuses stays refused.
      if (glass != nullptr && glass->waives_defaults && verdict == Verdict::kEscalate && tool != nullptr) {
        verdict = Verdict::kAllow;
      }
      allow_reason = Reason::kDefaultAllow;
      if (verdict != Verdict::kAllow) {
        join.Add(Layer::kPolicy, tool == nullptr ? Reason::kToolUnknown : Reason::kPolicyDefault, verdict, {}, {},
                 "the default for side effect `" + std::string(core::NameOf(effect)) + "` is " +
                     std::string(core::NameOf(verdict)));
      }
    }
    if (tool != nullptr) Preconditions(policy, session, call, *tool, join);
    Budgets(policy, session, call, tool, known, join);
  }
  const bool reads = tool != nullptr && tool->spec.side_effect == SideEffect::kRead;
  if (profile.layer(Layer::kProvenance) != LayerMode::kOff && tool != nullptr) Bindings(session, call, *tool, join);
  if (profile.untrusted_value != Verdict::kAllow && !reads && session.origins != nullptr) {
    UntrustedLeaves(session.origins, call.arguments, {}, 0, profile.untrusted_value, join);
  }
  if (profile.layer(Layer::kSchema) != LayerMode::kOff) {
    if (tool != nullptr) {
      SchemaLayer(profile, call, *tool, join);
      FreeFormShell(profile.free_form_shell, call, *tool, join);
    } else if (profile.layer(Layer::kSchema) == LayerMode::kRequired) {
      // A list that does not name the tool is an answer: there is nothing to approve. No list at all is a missing one.
      const bool listed_nowhere = session.catalogue != nullptr;
      join.Add(Layer::kSchema, Reason::kToolUnknown, listed_nowhere ? Verdict::kBlock : Verdict::kEscalate, {}, {},
               listed_nowhere ? "the server does not list it" : "no list of tools and no schema is known");
    }
  }
  Redaction secrets;
  if (profile.redact.arguments) {
    secrets =
        RedactSecrets(call.arguments, tool == nullptr ? std::span<const std::string>() : tool->spec.secret_arguments);
    if (secrets.count > 0) {
      join.Add(Layer::kPolicy, Reason::kSecret, Verdict::kRewrite, {}, secrets.pointer,
               std::to_string(secrets.count) + (secrets.count == 1 ? " secret is" : " secrets are") + " taken out");
    }
  }
  const bool can_rewrite = rules.rewrites || (tool != nullptr && !tool->spec.dry_run_patch.empty());
  // Cheap first: nothing that could still be fetched changes a block.
  const NeedSignals need =
      OtherLayers(profile, session, known, may_ask && join.verdict() != Verdict::kBlock, can_rewrite, join);
  if (join.verdict() != Verdict::kBlock &&
      std::any_of(need.wanted.begin(), need.wanted.end(), [](bool b) { return b; })) {
    return need;
  }

  // What the policy rewrites stays rewritten, whoever agrees. A dry run that only its risk asked for does not: a person
  // who agreed to this call did not mean a dry run.
  const bool rewritten = rules.rewrites || secrets.count > 0;
  const bool waits = join.verdict() == Verdict::kEscalate || (join.verdict() == Verdict::kRewrite && !rewritten);
  if (waits && AnyGrantHolds(policy, session, call, tool)) {
    Decision decision = std::move(join).Finish(Reason::kApproved);
    // What was lifted stays in the evidence; the verdict is that of the rest.
    decision.verdict = rewritten ? Verdict::kRewrite : Verdict::kAllow;
    decision.reason = Reason::kApproved;
    if (rewritten) AttachRewrite(policy, call, tool, rules, secrets, decision);
    return decision;
  }
  Decision decision = std::move(join).Finish(allow_reason);
  if (decision.verdict == Verdict::kRewrite) AttachRewrite(policy, call, tool, rules, secrets, decision);
  return decision;
}

}  // namespace

base::Digest CallDigest(const core::Call& call) {
  base::Sha256Hasher hasher;
  // Length-prefixed, so that no two (server, tool) pairs share a preimage.
  const auto prefix = [&hasher](std::string_view part) {
    hasher.Update(std::to_string(part.size())).Update(":").Update(part);
  };
  prefix(call.server);
  prefix(call.tool);
  hasher.Update(base::CanonicalJson(call.arguments.exists() ? call.arguments : EmptyObject().root()));
  return hasher.Finish();
}

base::Digest PreconditionDigest(const SessionView& session, const core::Call& call) {
  const policy::ToolEntry* tool = session.catalogue == nullptr ? nullptr : session.catalogue->Find(call.tool);
  if (tool == nullptr || tool->spec.preconditions.empty()) return {};
  base::Sha256Hasher hasher;
  for (const core::Precondition& pre : tool->spec.preconditions) {
    const JsonValue value = call.arguments.FindPointer(pre.same_argument);
    const auto newest = session.history == nullptr || (!pre.same_argument.empty() && !value.exists())
                            ? std::nullopt
                            : session.history->Newest(pre.tool, pre.same_argument, value);
    hasher.Update(newest ? std::to_string(newest->result) : "none").Update(";");
  }
  return hasher.Finish();
}

bool Covers(const Grant& grant, const policy::PolicySnapshot& policy, const SessionView& session,
            const core::Call& call) {
  SessionView view = session;
  view.grants = {&grant, 1};
  const policy::ToolEntry* tool = session.catalogue == nullptr ? nullptr : session.catalogue->Find(call.tool);
  return AnyGrantHolds(policy, view, call, tool);
}

std::optional<double> CostOf(const policy::Budget& budget, const policy::ToolEntry* tool, const core::Call& call,
                             const core::SignalMap& known) {
  using Kind = policy::Budget::Kind;
  const SideEffect effect = tool == nullptr ? SideEffect::kUnknown : tool->spec.side_effect;
  if (budget.effect.has_value() && *budget.effect != effect) return 0.0;
  if (!budget.tool.empty() && budget.tool != call.tool) return 0.0;
  switch (budget.kind) {
    case Kind::kCalls:
      return 1.0;
    case Kind::kBlast:
      return tool == nullptr ? 1.0 : tool->spec.impact_weight * risk::CriticalityOf(tool->spec, call);
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

std::variant<Decision, NeedSignals> Decide(const policy::PolicySnapshot& policy, const SessionView& session,
                                           const core::Call& call, const core::SignalMap& known) noexcept {
  return DecideImpl(policy, session, call, known, true);
}

Decision DecideNow(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
                   const core::SignalMap& known) noexcept {
  auto answer = DecideImpl(policy, session, call, known, false);
  INTERLOCK_CHECK(std::holds_alternative<Decision>(answer), "nothing is asked for when may_ask is false");
  return std::move(*std::get_if<Decision>(&answer));
}

Decision DecideResult(const policy::PolicySnapshot& policy, const SessionView& session, const core::ToolResult& result,
                      const core::SignalMap& known) noexcept {
  const policy::Profile& profile = policy.profile();
  Joiner join;
  join.decision().shadow = profile.shadow;
  const bool is_text = result.text.has_value() && !result.payload.exists();
  if (!is_text && !result.payload.is_object() && !result.payload.is_string()) {
    join.Add(Layer::kSchema, Reason::kResultMalformed, Verdict::kBlock, {}, {}, "a result is an object");
    return std::move(join).Finish(Reason::kNone);
  }
  const policy::ToolEntry* tool = session.catalogue == nullptr ? nullptr : session.catalogue->Find(result.tool);
  const JsonValue structured = result.payload.Find("structuredContent");
  if (profile.validate_results && profile.layer(Layer::kSchema) != LayerMode::kOff && tool != nullptr &&
      !result.is_error && tool->output_schema.has_value() && structured.exists()) {
    const auto outcome = tool->output_schema->Validate(structured);
    if (!outcome.valid()) {
      std::string text = outcome.violations.empty() ? "validation budget used up" : outcome.violations.front().message;
      join.Add(Layer::kSchema, Reason::kResultMalformed, profile.bad_result, {}, {}, std::move(text));
    }
  }
  for (std::size_t i = 0; i < core::kLayerCount; ++i) {
    const Layer layer = static_cast<Layer>(i);
    const core::Signal& signal = known[layer];
    if (profile.layer(layer) == LayerMode::kOff || signal.state == core::Signal::State::kAbsent) continue;
    Verdict floor = signal.floor;
    if (signal.state == core::Signal::State::kError) floor = core::Join(floor, Verdict::kEscalate);
    if (floor != Verdict::kAllow) join.Add(layer, Reason::kResultSuspicious, floor, {}, {}, signal.evidence);
  }
  Decision decision = std::move(join).Finish(Reason::kNone);
  // A result cannot wait for a person without the call hanging: what would escalate is withheld.
  if (decision.verdict == Verdict::kEscalate) decision.verdict = Verdict::kBlock;
  decision.rewritten_result = decision.verdict == Verdict::kRewrite;
  return decision;
}

Choice Choose(const policy::PolicySnapshot& policy, const SessionView& session, std::span<const Proposal> proposals,
              std::span<const core::SignalMap> known) noexcept {
  const policy::Profile& profile = policy.profile();
  Choice choice;
  choice.decisions.reserve(proposals.size());
  bool any_feasible = false;
  bool any_waits = false;
  const policy::BreakGlass* glass = session.break_glass ? policy.break_glass() : nullptr;
  const double lambda = glass == nullptr ? profile.lambda : profile.lambda * glass->lambda_factor;
  const double max_risk = glass == nullptr ? profile.max_risk : std::min(1.0, profile.max_risk + glass->raise_max_risk);
  double chosen_risk = 0;
  static const core::SignalMap kNoSignals;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    const core::SignalMap& signals = i < known.size() ? known[i] : kNoSignals;
    choice.decisions.push_back(DecideNow(policy, session, proposals[i].call, signals));
    const Decision& decision = choice.decisions.back();
    any_waits = any_waits || decision.verdict == Verdict::kEscalate;
    if (profile.early_return && decision.verdict == Verdict::kEscalate) break;
    if (decision.verdict > Verdict::kRewrite) continue;
    // Without a risk signal the tool's impact weight stands in for E[R]: a missing signal is never favourable.
    const core::Signal& risk_signal = signals[Layer::kRisk];
    const policy::ToolEntry* tool =
        session.catalogue == nullptr ? nullptr : session.catalogue->Find(proposals[i].call.tool);
    const double risk = risk_signal.state == core::Signal::State::kPresent ? risk_signal.score
                        : tool == nullptr                                  ? 1.0
                                                                           : tool->spec.impact_weight;
    // A person who agreed to this very call has taken its risk. The comparison refuses NaN as well.
    const bool agreed = decision.reason == Reason::kApproved;
    if (!agreed && profile.layer(Layer::kRisk) != LayerMode::kOff && !(risk <= max_risk)) continue;
    any_feasible = true;
    const double utility = proposals[i].gain - lambda * risk - profile.mu * proposals[i].human_cost;
    if (!(utility > 0.0)) continue;
    const bool better = choice.kind != Choice::Kind::kExecute || utility > choice.utility ||
                        (utility == choice.utility && risk < chosen_risk);
    if (better) {
      choice.kind = Choice::Kind::kExecute;
      choice.index = i;
      choice.utility = utility;
      chosen_risk = risk;
    }
  }
  if (choice.kind == Choice::Kind::kExecute) {
    choice.decision = choice.decisions[choice.index];
    return choice;
  }
  const bool page = !proposals.empty() && !any_feasible && any_waits;
  choice.kind = page ? Choice::Kind::kPage : Choice::Kind::kObserveOnly;
  choice.decision.verdict = page ? Verdict::kEscalate : Verdict::kBlock;
  choice.decision.reason = page ? Reason::kPage : Reason::kNoUtility;
  choice.decision.shadow = profile.shadow;
  choice.decision.evidence.push_back(Evidence{
      Layer::kPolicy,
      choice.decision.reason,
      choice.decision.verdict,
      {},
      {},
      page ? "every proposal waits for a person or was refused" : "no feasible proposal has positive utility"});
  return choice;
}

Decision FailClosed(Reason reason, std::string_view text) noexcept {
  Decision decision;
  decision.verdict = Verdict::kBlock;
  decision.reason = reason == Reason::kNone ? Reason::kInternalError : reason;
  decision.evidence.push_back(Evidence{Layer::kPolicy, decision.reason, Verdict::kBlock, {}, {}, std::string(text)});
  return decision;
}

Decision FailClosed(const base::Error& error) noexcept {
  // By range of the error's id (see error_table.inc): one place, so that a new code is closed before anyone thinks of
  // it.
  const std::string_view range = error.id().substr(0, 3);
  Reason reason = Reason::kInternalError;
  if (error.code() == base::ErrorCode::kMcpQueueFull || error.code() == base::ErrorCode::kLimitExceeded) {
    reason = Reason::kOverloaded;
  } else if (error.code() == base::ErrorCode::kMcpPeerClosed || error.code() == base::ErrorCode::kMcpTimeout) {
    reason = Reason::kUpstreamGone;
  } else if (range == "E01" || range == "E07") {
    reason = Reason::kMalformed;
  } else if (range == "E04") {
    reason = Reason::kPolicyUnavailable;
  } else if (range == "E05") {
    reason = Reason::kSchemaUnusable;
  } else if (range == "E08") {
    reason = Reason::kAuditUnavailable;
  } else if (range == "E10") {
    reason = Reason::kStoreUnavailable;
  }
  return FailClosed(reason, error.ToString());
}

}  // namespace interlock::gate
