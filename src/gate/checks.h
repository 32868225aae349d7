// What the gate checks by itself, each as contributions to one decision. Private to the module.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "interlock/gate/gate.h"

namespace interlock::gate {

// Collects contributions; the verdict is their join, the evidence of allow-contributions is kept only when they decide.
class Joiner {
 public:
  void Add(core::Layer layer, core::Reason reason, core::Verdict verdict, std::string_view rule, std::string pointer,
           std::string text) {
    verdict_ = core::Join(verdict_, verdict);
    decision_.evidence.push_back(
        core::Evidence{layer, reason, verdict, std::string(rule), std::move(pointer), std::move(text)});
  }
  // What is said about an argument that is a secret does not quote it.
  void Hide(std::span<const std::string> secrets) {
    for (core::Evidence& evidence : decision_.evidence) {
      const auto holds = [&](const std::string& at) {
        return evidence.pointer.starts_with(at) &&
               (evidence.pointer.size() == at.size() || evidence.pointer[at.size()] == '/');
      };
      if (!evidence.text.empty() && std::ranges::any_of(secrets, holds)) evidence.text = "of a secret argument";
    }
  }
  void Errored(std::string_view rule) { decision_.errored_rules.emplace_back(rule); }
  [[nodiscard]] core::Verdict verdict() const noexcept { return verdict_; }

  // Strictest evidence first (order of arrival among equals); drops what did not make the verdict when it is an allow.
  [[nodiscard]] core::Decision Finish(core::Reason allow_reason) && {
    auto& evidence = decision_.evidence;
    // INVARIANT: arrival order is the gate's fixed layer order and ascending rule index, sorted below by rule id among
    // equals, so that the order of rules in the document does not show.
    const auto before = [](const core::Evidence& a, const core::Evidence& b) {
      if (a.verdict != b.verdict) return a.verdict > b.verdict;
      if (a.layer != b.layer) return a.layer < b.layer;
      return a.rule < b.rule;
    };
    if (evidence.size() > 1) std::stable_sort(evidence.begin(), evidence.end(), before);
    if (decision_.errored_rules.size() > 1) std::sort(decision_.errored_rules.begin(), decision_.errored_rules.end());
    decision_.verdict = verdict_;
    decision_.reason = verdict_ == core::Verdict::kAllow || evidence.empty() ? allow_reason : evidence.front().reason;
    return std::move(decision_);
  }
  [[nodiscard]] core::Decision& decision() noexcept { return decision_; }

 private:
  core::Verdict verdict_ = core::Verdict::kAllow;
  core::Decision decision_;
};

// `{}`: the arguments of a call that has none.
[[nodiscard]] const base::JsonDoc& EmptyObject();

// The tool's schema, and free-form shell commands.
void SchemaLayer(const policy::Profile& profile, const core::Call& call, const policy::ToolEntry& tool, Joiner& join);
// What has to be in the session first: preconditions of the tool, evidence that unlocks it.
void Preconditions(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
                   const policy::ToolEntry& tool, Joiner& join);
void Budgets(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
             const policy::ToolEntry* tool, const core::SignalMap& known, Joiner& join);
void Bindings(const SessionView& session, const core::Call& call, const policy::ToolEntry& tool, Joiner& join);
[[nodiscard]] BindingState StateOf(const core::RoleBinding& binding, const BindingLookup* sources,
                                   const core::Call& call);
// Values of the call that occur in untrusted text only.
void UntrustedValues(const SessionView& session, const core::Call& call, core::Verdict verdict, Joiner& join);
[[nodiscard]] bool AnyGrantHolds(const policy::PolicySnapshot& policy, const SessionView& session,
                                 const core::Call& call, const policy::ToolEntry* tool);

}  // namespace interlock::gate
