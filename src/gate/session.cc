#include "interlock/gate/session.h"

#include <algorithm>
#include <utility>

namespace interlock::gate {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

// Preimage of one history fact; parts are length-prefixed.
std::string FactKey(std::string_view tool, std::string_view pointer, base::JsonValue value) {
  std::string key = std::to_string(tool.size());
  key += ':';
  key += tool;
  key += std::to_string(pointer.size());
  key += ':';
  key += pointer;
  if (!pointer.empty()) base::AppendCanonicalJson(key, value);
  return key;
}

}  // namespace

SessionState::SessionState(std::shared_ptr<const policy::PolicySnapshot> policy, SessionOptions options)
    : policy_(std::move(policy)),
      options_(std::move(options)),
      values_(provenance::ValueIndexOptions{.key = options_.key}) {
  INTERLOCK_CHECK(policy_ != nullptr, "a session has a policy; without one the adapter fails closed");
  principal_ = policy_->ResolvePrincipal(options_.principal);
}

SessionState::~SessionState() = default;

void SessionState::SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy) {
  INTERLOCK_CHECK(policy != nullptr, "a session has a policy; without one the adapter fails closed");
  // Label bits are a policy's own numbering: what the session has seen is carried over by name.
  std::array<core::LabelSet, core::kMaxPolicyLabels> renumbered{};
  core::LabelSet labels = labels_ & ((core::LabelSet{1} << core::kFirstPolicyLabel) - 1);
  for (std::size_t i = 0; i < renumbered.size(); ++i) {
    const core::LabelSet bit = core::LabelSet{1} << (core::kFirstPolicyLabel + static_cast<int>(i));
    const std::vector<std::string_view> name = policy_->LabelNames(bit);
    if (!name.empty()) renumbered[i] = policy->LabelFromName(name.front()).value_or(0);
    if ((labels_ & bit) != 0) labels |= renumbered[i];
  }
  labels_ = labels;
  values_.Relabel(renumbered);
  policy_ = std::move(policy);
  principal_ = policy_->ResolvePrincipal(options_.principal);
  // Entries point into the rules of the policy they were built for.
  if (catalogue_ != nullptr && &catalogue_->policy() != policy_.get()) catalogue_.reset();
}

void SessionState::SetCatalogue(std::shared_ptr<const policy::ToolCatalogue> catalogue, bool instructions_changed) {
  INTERLOCK_CHECK(catalogue == nullptr || &catalogue->policy() == policy_.get(),
                  "a catalogue is built for the session's policy");
  catalogue_ = std::move(catalogue);
  instructions_changed_ = instructions_changed;
}

void SessionState::SetRequest(std::string_view text) {
  request_ = core::RequestState::kKnown;
  labels_ |= core::kLabelRequest;
  if (policy_->uses_provenance()) {
    values_.AddText(text, core::kLabelRequest);
  } else {
    values_.MarkIncomplete();
  }
}

SessionView SessionState::View(base::Now now) const {
  SessionView view;
  view.now = now;
  view.principal = principal_.name.empty() ? nullptr : &principal_;
  view.environment = options_.environment;
  view.request = request_;
  view.labels = labels_;
  view.origins = &values_;
  view.history = this;
  view.used = used_;
  view.grants = grants_;
  view.catalogue = catalogue_.get();
  view.instructions_changed = instructions_changed_;
  return view;
}

std::variant<core::Decision, NeedSignals> SessionState::Decide(const core::Call& call, const core::SignalMap& known,
                                                               base::Now now) const {
  return gate::Decide(*policy_, View(now), call, known);
}

core::Decision SessionState::DecideNow(const core::Call& call, base::Now now) const {
  static const core::SignalMap kNone;
  return gate::DecideNow(*policy_, View(now), call, kNone);
}

void SessionState::Commit(const core::Call& call, base::Now now) {
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  const core::SideEffect effect = tool == nullptr ? core::SideEffect::kUnknown : tool->spec.side_effect;
  ++used_.calls[static_cast<std::size_t>(effect)];
  if (grants_.empty()) return;
  const base::Digest digest = CallDigest(call);
  std::erase_if(grants_, [&](const Grant& grant) {
    return (grant.once && grant.call == digest) || grant.expires_mono <= now.mono;
  });
}

SessionState::ResultView SessionState::OnResult(const core::Call& call, const core::ToolResult& result,
                                                std::optional<core::Trust> trust_override) {
  ResultView out;
  static const core::SignalMap kNone;
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  SessionView view = View(base::Now{});
  out.decision = DecideResult(*policy_, view, result, kNone);
  out.trust = tool == nullptr ? core::Trust::kUntrusted : tool->spec.result_trust;
  // A trace may state that a result was untrusted; it cannot make a result trusted that the policy does not trust.
  if (trust_override == core::Trust::kUntrusted) out.trust = core::Trust::kUntrusted;
  out.labels = out.trust == core::Trust::kTrusted ? core::kLabelTrusted : core::kLabelUntrusted;
  if (tool != nullptr) out.labels |= tool->spec.result_labels;
  labels_ |= out.labels;
  if (policy_->uses_provenance()) {
    if (result.payload.exists()) values_.AddJson(result.payload, out.labels);
    if (result.text.has_value()) values_.AddText(*result.text, out.labels);
  } else {
    values_.MarkIncomplete();
  }
  if (!result.is_error && catalogue_ != nullptr && history_.size() < options_.max_history) {
    for (const policy::ToolEntry& entry : catalogue_->tools()) {
      for (const core::Precondition& pre : entry.spec.preconditions) {
        if (pre.tool != call.tool) continue;
        const base::JsonValue value = call.arguments.FindPointer(pre.same_argument);
        if (!pre.same_argument.empty() && !value.exists()) continue;
        history_.insert(base::SipHash(options_.key, FactKey(pre.tool, pre.same_argument, value)));
      }
    }
  }
  return out;
}

void SessionState::AddSeenText(std::string_view text, core::LabelSet labels) {
  labels_ |= labels;
  if (policy_->uses_provenance()) {
    values_.AddText(text, labels);
  } else {
    values_.MarkIncomplete();
  }
}

bool SessionState::Happened(std::string_view tool, std::string_view pointer, base::JsonValue value) const {
  return history_.contains(base::SipHash(options_.key, FactKey(tool, pointer, value)));
}

void SessionState::AddGrant(const core::Call& call, bool once, base::Now now) {
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  const std::int64_t ttl_us = std::int64_t{policy_->profile().grant_ttl_s} * kMicrosPerSecond;
  if (grants_.size() >= options_.max_grants) grants_.erase(grants_.begin());
  grants_.push_back(Grant{.call = CallDigest(call),
                          .definition = tool == nullptr ? base::Digest{} : tool->spec.definition,
                          .policy = policy_->digest(),
                          .expires_mono = {now.mono.us + ttl_us},
                          .given_wall = now.wall,
                          .expires_wall = {now.wall.us + ttl_us},
                          .once = once});
}

base::Status SessionState::MergeValues(std::string_view blob) { return values_.MergeDelta(blob); }

base::Status SessionState::MergeValues(std::string_view blob, std::span<const std::string> label_names) {
  std::vector<core::LabelSet> bits;
  bits.reserve(label_names.size());
  for (const std::string& name : label_names) bits.push_back(policy_->LabelFromName(name).value_or(0));
  return values_.MergeDelta(blob, bits);
}

std::string SessionState::TakeValueDelta() { return values_.TakeDelta(); }

}  // namespace interlock::gate
