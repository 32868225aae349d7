#include "interlock/gate/gate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checks.h"
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

// Something speaks for an attack behind this call. A window lifts nothing for it, not even when a person agreed: an
// emergency is what such text pretends.
bool Suspected(const Decision& decision) {
  return std::any_of(decision.evidence.begin(), decision.evidence.end(), [](const Evidence& item) {
    const bool reads_text =
        item.layer == Layer::kInjection || item.layer == Layer::kProvenance || item.layer == Layer::kBounds;
    return reads_text && item.verdict >= Verdict::kEscalate;
  });
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
  if (profile.untrusted_value != Verdict::kAllow && !reads) {
    UntrustedValues(session, call, profile.untrusted_value, join);
  }
  if (profile.layer(Layer::kSchema) != LayerMode::kOff) {
    if (tool != nullptr) {
      SchemaLayer(profile, call, *tool, join);
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

  if (tool != nullptr && !tool->spec.secret_arguments.empty()) join.Hide(tool->spec.secret_arguments);

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
    const bool lifted = glass != nullptr && !Suspected(decision);
    const double lambda = lifted ? profile.lambda * glass->lambda_factor : profile.lambda;
    const double max_risk = lifted ? std::min(1.0, profile.max_risk + glass->raise_max_risk) : profile.max_risk;
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
