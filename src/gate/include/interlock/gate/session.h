// One session's state between decisions: labels, taint, budgets, grants, history. Sans-IO; time comes in as a value.
// The proxy, the replay and the simulator drive the same class, so that live and offline agree.
//
//   SessionState session(policy, options);
//   session.SetRequest("Summarise the report");           // unless the request is unknown
//   core::Decision d = session.Decide(call, now);          // dry: changes nothing
//   session.Commit(call, d);                               // the call goes ahead: budgets count it
//   session.OnResult(call, result, now);                   // labels and taint
//
// Not thread safe. Bounded by its options.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "interlock/gate/gate.h"
#include "interlock/provenance/value_index.h"

namespace interlock::gate {

struct SessionOptions {
  std::string principal;
  std::string environment;
  std::array<std::uint64_t, 2> key{};  // for fingerprints; random in production, fixed in tests
  std::size_t max_grants = 256;
  std::size_t max_history = 65'536;
};

class SessionState final : private HistoryLookup {
 public:
  SessionState(std::shared_ptr<const policy::PolicySnapshot> policy, SessionOptions options);
  ~SessionState() override;

  // A new policy or tool list takes effect with the next decision. Labels, taint, budgets and history stay; grants of
  // another policy are void by their digest.
  void SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy);
  void SetCatalogue(std::shared_ptr<const policy::ToolCatalogue> catalogue, bool instructions_changed);

  // The user's words for this session. Text given later is added (a session may have several requests).
  void SetRequest(std::string_view text);

  [[nodiscard]] std::variant<core::Decision, NeedSignals> Decide(const core::Call& call, const core::SignalMap& known,
                                                                 base::Now now) const;
  [[nodiscard]] core::Decision DecideNow(const core::Call& call, base::Now now) const;

  // The call goes ahead (allowed, rewritten or approved): counts it, drops a used one-time grant.
  void Commit(const core::Call& call, base::Now now);

  // Judges and records a result. `trust_override` for traces that state the trust of each result.
  struct ResultView {
    core::Decision decision;
    core::LabelSet labels = 0;  // what the result carries
    core::Trust trust = core::Trust::kUntrusted;
  };
  [[nodiscard]] ResultView OnResult(const core::Call& call, const core::ToolResult& result,
                                    std::optional<core::Trust> trust_override = std::nullopt);

  // Text that was seen in the session other than as a call's result (resources, prompts, policy tests).
  void AddSeenText(std::string_view text, core::LabelSet labels);

  // A person agreed to this exact call.
  void AddGrant(const core::Call& call, bool once, base::Now now);

  // Labels and taint learned elsewhere (another proxy of the same session). Labels only ever grow.
  void MergeLabels(core::LabelSet labels) { labels_ |= labels; }
  [[nodiscard]] base::Status MergeValues(std::string_view blob);
  // The same from a process with another policy: `label_names[i]` is what its policy label i is called.
  [[nodiscard]] base::Status MergeValues(std::string_view blob, std::span<const std::string> label_names);
  [[nodiscard]] std::string TakeValueDelta();

  [[nodiscard]] core::LabelSet labels() const noexcept { return labels_; }
  [[nodiscard]] core::RequestState request_state() const noexcept { return request_; }
  [[nodiscard]] const policy::PolicySnapshot& policy() const noexcept { return *policy_; }
  [[nodiscard]] const policy::ToolCatalogue* catalogue() const noexcept { return catalogue_.get(); }
  [[nodiscard]] const BudgetUse& used() const noexcept { return used_; }

 private:
  [[nodiscard]] bool Happened(std::string_view tool, std::string_view pointer, base::JsonValue value) const override;
  [[nodiscard]] SessionView View(base::Now now) const;

  std::shared_ptr<const policy::PolicySnapshot> policy_;
  std::shared_ptr<const policy::ToolCatalogue> catalogue_;
  SessionOptions options_;
  core::Principal principal_;
  core::RequestState request_ = core::RequestState::kUnknown;
  core::LabelSet labels_ = 0;
  bool instructions_changed_ = false;
  BudgetUse used_;
  std::vector<Grant> grants_;
  std::unordered_set<std::uint64_t> history_;
  provenance::ValueIndex values_;
};

}  // namespace interlock::gate
