#include "interlock/policy/snapshot.h"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/policy/catalogue.h"
#include "snapshot_impl.h"

namespace interlock::policy {
namespace {

struct FixedLabel {
  std::string_view name;
  core::LabelSet bit;
};
constexpr std::array<FixedLabel, 3> kFixedLabels{
    {{"request", core::kLabelRequest}, {"trusted", core::kLabelTrusted}, {"untrusted", core::kLabelUntrusted}}};

// The rule's tool condition when it names tools exactly and nothing else can widen it.
const ToolTest* ExactToolTest(const Rule& rule) {
  for (const Condition& child : std::get<AllTest>(rule.when.test).children) {
    const auto* tool = std::get_if<ToolTest>(&child.test);
    if (tool != nullptr && tool->globs.empty()) return tool;
  }
  return nullptr;
}

}  // namespace

void PolicySnapshot::Impl::Index() {
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (tools[i].pattern.is_exact()) {
      exact_tools.emplace(tools[i].pattern.prefix(), i);
    } else {
      glob_tools.push_back(i);
    }
  }
  std::ranges::stable_sort(glob_tools, {}, [this](std::size_t i) { return tools[i].pattern.prefix().size(); });
  for (std::uint32_t i = 0; i < rules.size(); ++i) {
    const ToolTest* exact = ExactToolTest(rules[i]);
    if (exact == nullptr) {
      general_rules.push_back(i);
      continue;
    }
    for (const std::string& name : exact->exact) rules_by_tool[name].push_back(i);
  }
}

PolicySnapshot::PolicySnapshot(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PolicySnapshot::~PolicySnapshot() = default;

const base::Digest& PolicySnapshot::digest() const noexcept { return impl_->digest; }
const Profile& PolicySnapshot::profile() const noexcept { return impl_->profile; }
FirstUse PolicySnapshot::first_use() const noexcept { return impl_->first_use; }
std::string_view PolicySnapshot::environment() const noexcept { return impl_->environment; }
std::string_view PolicySnapshot::graph() const noexcept { return impl_->graph; }
std::span<const Budget> PolicySnapshot::budgets() const noexcept { return impl_->budgets; }
const BreakGlass* PolicySnapshot::break_glass() const noexcept {
  return impl_->break_glass ? &*impl_->break_glass : nullptr;
}
std::size_t PolicySnapshot::rule_count() const noexcept { return impl_->rules.size(); }
bool PolicySnapshot::uses_provenance() const noexcept { return impl_->uses_provenance; }

PolicySnapshot::RuleView PolicySnapshot::rule(std::uint32_t index) const {
  INTERLOCK_CHECK(index < impl_->rules.size(), "rule indices come from rule_count or from candidates of this policy");
  const Rule& r = impl_->rules[index];
  return {.id = r.id, .effect = r.effect, .reason = r.reason, .rewrite_patch = r.rewrite_patch, .line = r.line};
}

Match PolicySnapshot::Evaluate(std::uint32_t index, const core::Call& call, const ToolEntry* tool,
                               const MatchContext& context, Why* why) const {
  INTERLOCK_CHECK(index < impl_->rules.size(), "rule indices come from rule_count or from candidates of this policy");
  const MatchInput input{
      .call = &call,
      .effect = tool != nullptr ? tool->spec.side_effect : StatedEffect(call.tool),
      .context = &context,
      .environment = context.environment.empty() ? std::string_view(impl_->environment) : context.environment,
      .paths = &impl_->paths,
      .policy = this};
  if (why != nullptr) *why = {};
  return EvaluateCondition(impl_->rules[index].when, input, why);
}

std::vector<std::uint32_t> PolicySnapshot::CandidatesFor(std::string_view server, std::string_view tool,
                                                         core::SideEffect effect) const {
  std::vector<std::uint32_t> out;
  if (effect == core::SideEffect::kUnknown) effect = StatedEffect(tool);  // as Evaluate sees it
  const auto consider = [&](std::uint32_t i) {
    if (EvaluateStatic(impl_->rules[i].when, server, tool, effect) != Match::kNo) out.push_back(i);
  };
  if (const auto it = impl_->rules_by_tool.find(tool); it != impl_->rules_by_tool.end()) {
    for (std::uint32_t i : it->second) consider(i);
  }
  const auto middle = static_cast<std::ptrdiff_t>(out.size());
  for (std::uint32_t i : impl_->general_rules) consider(i);
  std::inplace_merge(out.begin(), out.begin() + middle, out.end());
  return out;
}

core::Principal PolicySnapshot::ResolvePrincipal(std::string_view name) const {
  const auto it = impl_->principals.find(name);
  if (it != impl_->principals.end()) return it->second;
  core::Principal nobody;
  nobody.name = std::string(name);
  return nobody;
}

std::vector<std::string_view> PolicySnapshot::LabelNames(core::LabelSet labels) const {
  std::vector<std::string_view> out;
  for (const FixedLabel& fixed : kFixedLabels) {
    if ((labels & fixed.bit) != 0) out.push_back(fixed.name);
  }
  for (std::size_t i = 0; i < impl_->labels.size(); ++i) {
    if ((labels >> (core::kFirstPolicyLabel + static_cast<int>(i)) & 1u) != 0) out.push_back(impl_->labels[i]);
  }
  return out;
}

std::optional<core::LabelSet> PolicySnapshot::LabelFromName(std::string_view name) const {
  for (const FixedLabel& fixed : kFixedLabels) {
    if (fixed.name == name) return fixed.bit;
  }
  for (std::size_t i = 0; i < impl_->labels.size(); ++i) {
    if (impl_->labels[i] == name) return core::LabelSet{1} << (core::kFirstPolicyLabel + static_cast<int>(i));
  }
  return std::nullopt;
}

core::SideEffect PolicySnapshot::StatedEffect(std::string_view tool) const noexcept {
  core::SideEffect effect = core::SideEffect::kUnknown;
  impl_->ForEachEntry(tool, [&](const ToolPolicy& entry) { effect = entry.effect.value_or(effect); });
  return effect;
}

core::ToolSpec PolicySnapshot::Overlay(core::ToolSpec spec) const {
  std::optional<core::SideEffect> effect;
  std::optional<double> impact;
  bool trust_annotations = impl_->trust_annotations;
  spec.result_trust = core::Trust::kUntrusted;
  spec.result_labels = 0;
  impl_->ForEachEntry(spec.name, [&](const ToolPolicy& entry) {
    if (entry.effect) effect = entry.effect;
    if (entry.result_trust) spec.result_trust = *entry.result_trust;
    if (entry.labels) spec.result_labels = *entry.labels;
    if (entry.impact) impact = entry.impact;
    if (entry.hidden) spec.hidden = *entry.hidden;
    if (entry.trust_annotations) trust_annotations = *entry.trust_annotations;
    if (entry.critical) spec.criticality = *entry.critical;
    if (entry.preconditions) spec.preconditions = *entry.preconditions;
    if (entry.dry_run) spec.dry_run_patch = *entry.dry_run;
    if (entry.bindings) spec.bindings = *entry.bindings;
    if (entry.target) spec.target = *entry.target;
    if (entry.reversible) spec.reversible = *entry.reversible;
    if (entry.shell) spec.free_form_shell = *entry.shell;
    if (entry.secrets) spec.secret_arguments = *entry.secrets;
  });
  // A server's word on itself counts only where the policy says so: otherwise an unstated class stays unknown.
  spec.side_effect = effect              ? *effect
                     : trust_annotations ? core::SideEffectFromAnnotations(spec.annotations)
                                         : core::SideEffect::kUnknown;
  spec.impact_weight = impact.value_or(impl_->profile.impact_for(spec.side_effect));
  spec.unlocks.clear();
  for (const AutonomyRule& rule : impl_->autonomy) {
    const bool effect_asked = rule.effects == 0 ? spec.side_effect != core::SideEffect::kRead
                                                : (rule.effects >> static_cast<unsigned>(spec.side_effect) & 1u) != 0;
    const auto names = [&](const NamePattern& pattern) { return pattern.Matches(spec.name); };
    if (effect_asked && (rule.tools.empty() || std::ranges::any_of(rule.tools, names))) {
      spec.unlocks.push_back(rule.unlock);
    }
  }
  return spec;
}

std::vector<core::ToolSpec> PolicySnapshot::NamedTools() const {
  std::vector<core::ToolSpec> out;
  for (const ToolPolicy& entry : impl_->tools) {
    if (!entry.pattern.is_exact()) continue;
    core::ToolSpec spec;
    spec.name = entry.pattern.prefix();
    out.push_back(Overlay(std::move(spec)));
  }
  return out;
}

}  // namespace interlock::policy
