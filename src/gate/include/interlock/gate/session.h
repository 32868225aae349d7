// One session's state between decisions: labels, taint, budgets, grants, history. Sans-IO; time comes in as a value.
// The proxy, the replay and the simulator drive the same class, so that live and offline agree.
//
//   SessionState session(policy, options);
//   session.SetRequest("Summarise the report");            // unless the request is unknown
//   core::Decision d = session.DecideNow(call, now);       // dry: changes nothing
//   session.Commit(call, now);                             // the call goes ahead: budgets count it
//   auto view = session.OnResult(call, result);            // labels and taint; view.masked: what may be read instead
//
// The layers that need to have seen the session (bounds, injection) are measured here, as values; gate::Decide stays
// pure. They run when the profile has them on. Bounds knows what this session was shown: what another guard of the same
// session saw arrives as labels only, and then it says so (the signal's evidence).
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
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/gate/binding_facts.h"
#include "interlock/gate/gate.h"
#include "interlock/provenance/value_index.h"

namespace interlock::bounds {
class BoundsSession;
class GraphIndex;
enum class ToolClass : std::uint8_t;
struct BoundsModel;
}  // namespace interlock::bounds
namespace interlock::injection {
class SpanFinder;
struct ScanResult;
}  // namespace interlock::injection

namespace interlock::gate {

struct SessionOptions {
  std::string principal;
  std::string environment;
  std::array<std::uint64_t, 2> key{};  // for fingerprints; random in production, fixed in tests
  std::size_t max_grants = 256;
  std::size_t max_history = 65'536;
  // Null: the embedded weights, parsed once a process. Shared between sessions and threads.
  std::shared_ptr<const bounds::BoundsModel> bounds_model = nullptr;
  std::shared_ptr<const injection::SpanFinder> span_finder = nullptr;
  std::shared_ptr<const bounds::GraphIndex> graph = nullptr;  // null: no learned flows; the path says nothing
  // For recorded sessions: their agent has read every result as it was, whatever is decided about it now.
  bool as_recorded = false;
};

struct Redaction;

// An opening of break-glass, as a person (or the policy's own condition) gave it. Both clocks rule its end.
struct BreakGlassOpening {
  base::MonoTime until_mono;
  base::WallTime given_wall;
  base::WallTime until_wall;
  std::string id = {};  // for the record
};

// What a budget that is counted per principal and day has used up, by budget id.
struct BudgetAmount {
  std::string budget;
  double amount = 0;
};

class SessionState final : private HistoryLookup, private BindingLookup {
 public:
  SessionState(std::shared_ptr<const policy::PolicySnapshot> policy, SessionOptions options);
  ~SessionState() override;

  // A new policy or tool list takes effect with the next decision. Labels, taint, budgets and history stay; grants of
  // another policy are void by their digest.
  void SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy);
  void SetCatalogue(std::shared_ptr<const policy::ToolCatalogue> catalogue, bool instructions_changed);

  // The user's words for this session. Text given later is added (a session may have several requests).
  void SetRequest(std::string_view text);

  // A fact that the adapter vouches for, such as the alert that started this work: what bindings call `fact`. A later
  // one of the same channel takes its place. At most 64 channels of 64 KiB each: kLimitExceeded.
  [[nodiscard]] base::Status AddFact(std::string_view channel, base::JsonValue value);

  [[nodiscard]] std::variant<core::Decision, NeedSignals> Decide(const core::Call& call, const core::SignalMap& known,
                                                                 base::Now now) const;
  // `measured` receives what Measure says, for callers that show it.
  [[nodiscard]] core::Decision DecideNow(const core::Call& call, base::Now now,
                                         core::SignalMap* measured = nullptr) const;
  // What the session's own layers say about the call; Decide joins it with what it is given.
  // `now` decides whether break-glass is open.
  [[nodiscard]] core::SignalMap Measure(const core::Call& call, base::Now now = {}) const;

  // The utility rule over several proposals (gate::Choose), each measured as DecideNow would.
  [[nodiscard]] Choice Choose(std::span<const Proposal> proposals, base::Now now) const;

  // The call goes ahead (allowed, rewritten or approved): counts it against the budgets, drops a used one-time grant
  // and takes one use of a plan's. `decision`, where known, tells whether a grant was needed at all.
  void Commit(const core::Call& call, base::Now now, const core::Decision* decision = nullptr);

  // Judges and records a result. `trust_override` for traces that state the trust of each result.
  struct ResultView {
    core::Decision decision;
    core::LabelSet labels = 0;  // what the result carries
    core::Trust trust = core::Trust::kUntrusted;
    // When decision.rewritten_result: the payload's JSON on one line (or the recorded text) with the spans masked. It
    // has been judged again and passes.
    std::string masked = {};
    std::size_t redacted = 0;  // secrets taken out of it
    std::string note = {};     // for the record: text that addresses the agent and was passed all the same, and why
  };
  [[nodiscard]] ResultView OnResult(const core::Call& call, const core::ToolResult& result,
                                    std::optional<core::Trust> trust_override = std::nullopt);

  // Text that was seen in the session other than as a call's result (resources, prompts, policy tests).
  // As it is: nothing is masked.
  void AddSeenText(std::string_view text, core::LabelSet labels);

  // A person agreed to this exact call.
  void AddGrant(const core::Call& call, bool once, base::Now now);
  // The same as a value, for stores that outlive the session; bound to what the session holds now.
  [[nodiscard]] Grant MakeGrant(const core::Call& call, GrantScope scope, base::Now now) const;
  // The oldest one goes when there are too many.
  void AddGrant(Grant grant);
  [[nodiscard]] base::Digest PreconditionDigest(const core::Call& call) const;
  // The grant that covers the call now; null: none.
  [[nodiscard]] const Grant* CoveringGrant(const core::Call& call, base::Now now) const;

  // Nothing: closed. Of no effect when the policy knows no break-glass.
  void SetBreakGlass(std::optional<BreakGlassOpening> opening) { opening_ = std::move(opening); }
  [[nodiscard]] bool BreakGlassActive(base::Now now) const noexcept;

  // Budgets per principal and day are counted by whoever owns the store: what this session has added since the last
  // time, and what stands in the store now (this session's own included).
  [[nodiscard]] std::vector<BudgetAmount> TakeBudgetDelta();
  void CarryBudgets(std::span<const BudgetAmount> amounts);

  // Labels and taint learned elsewhere (another proxy of the same session). Labels only ever grow.
  void MergeLabels(core::LabelSet labels);
  // Those of an earlier state of this session, whose texts are given again where there are any.
  void CarryLabels(core::LabelSet labels) noexcept { labels_ |= labels; }
  [[nodiscard]] base::Status MergeValues(std::string_view blob);
  // The same from a process with another policy: `label_names[i]` is what its policy label i is called.
  [[nodiscard]] base::Status MergeValues(std::string_view blob, std::span<const std::string> label_names);
  [[nodiscard]] std::string TakeValueDelta();

  [[nodiscard]] core::LabelSet labels() const noexcept { return labels_; }
  [[nodiscard]] core::RequestState request_state() const noexcept { return request_; }
  [[nodiscard]] const policy::PolicySnapshot& policy() const noexcept { return *policy_; }
  [[nodiscard]] const policy::ToolCatalogue* catalogue() const noexcept { return catalogue_.get(); }
  [[nodiscard]] BudgetUse used() const noexcept { return {.calls = used_calls_, .amounts = used_amounts_}; }

 private:
  [[nodiscard]] std::optional<Seen> Newest(std::string_view tool, std::string_view pointer,
                                           base::JsonValue value) const override;
  [[nodiscard]] Answer Names(const core::BindingSource& source, const core::Call& call,
                             base::JsonValue value) const override;
  [[nodiscard]] bool IndexesValues() const noexcept;
  // `criticality` is CriticalityOf the call afterwards, where its tool is known.
  [[nodiscard]] core::Signal RiskSignal(const core::Call& call, const policy::ToolEntry* tool, base::Now now,
                                        std::optional<double>& criticality) const;
  [[nodiscard]] core::Signal InjectionSignal(const core::Call& call, const policy::ToolEntry* tool) const;
  void NoteScan(std::string_view source, std::string_view text, const injection::ScanResult& found);
  [[nodiscard]] Redaction WithoutSecrets(core::ToolResult& form, base::JsonDoc& clean);
  static void SayRedacted(const Redaction& secrets, ResultView& out);
  void Watch();  // what the catalogue's tools need to be remembered
  void RememberFacts(const core::Call& call, const core::ToolResult& read, core::Trust trust,
                     std::uint64_t fingerprint);
  // What is looked up once a decision. Valid until the next call is asked about.
  struct Asked {
    const policy::ToolEntry* tool = nullptr;
    std::span<const BindingState> bound;          // by binding; empty where bindings do not speak
    std::span<const std::string_view> explained;  // arguments whose binding a trusted source satisfies: JSON pointers
    std::optional<double> criticality;            // see SessionView
  };
  [[nodiscard]] Asked Ask(const core::Call& call) const;
  [[nodiscard]] core::SignalMap MeasureAsked(const core::Call& call, Asked& asked, base::Now now) const;
  [[nodiscard]] SessionView ViewOf(const Asked& asked, base::Now now) const;
  [[nodiscard]] SessionView View(base::Now now) const;
  void StartReading();  // makes the layers' state when the profile has one of them on
  [[nodiscard]] bool LayerOn(core::Layer layer) const noexcept;
  [[nodiscard]] bounds::ToolClass ClassOf(const policy::ToolEntry* tool) const;
  [[nodiscard]] core::Signal BoundsSignal(const core::Call& call, const Asked& asked) const;
  [[nodiscard]] core::SignalMap Joined(const core::Call& call, const core::SignalMap& known, Asked& asked,
                                       base::Now now) const;
  struct Look;
  [[nodiscard]] Look LookAt(const core::Call& call, const core::ToolResult& result, core::Trust trust,
                            bool masked) const;
  // Lets the layers read what the agent reads, which is the answer: a view of `result`, of `out.masked` or nothing.
  [[nodiscard]] core::ToolResult Read(const core::Call& call, const core::ToolResult& result, ResultView& out,
                                      base::JsonDoc& masked);
  void Remember(const core::Call& call, const Look& look, core::Trust trust);
  [[nodiscard]] bool Mask(const core::Call& call, core::ToolResult& form, Look look, ResultView& out,
                          base::JsonDoc& masked);

  std::shared_ptr<const policy::PolicySnapshot> policy_;
  std::shared_ptr<const policy::ToolCatalogue> catalogue_;
  SessionOptions options_;
  core::Principal principal_;
  core::RequestState request_ = core::RequestState::kUnknown;
  core::LabelSet labels_ = 0;
  bool instructions_changed_ = false;
  std::array<std::uint64_t, core::kSideEffectCount> used_calls_{};
  std::vector<double> used_amounts_;  // by budget
  std::vector<Grant> grants_;
  struct Event {
    std::uint64_t result = 0;
    std::uint64_t step = 0;
  };
  std::unordered_map<std::uint64_t, Event> history_;  // by fact (FactKey)
  std::uint64_t step_ = 0;                            // calls made
  // What a tool's results have to be kept for.
  struct Watched {
    std::vector<std::string> pointers;                // of arguments: preconditions, unlocking
    std::vector<const core::BindingSource*> sources;  // owned by the catalogue
  };
  std::unordered_map<std::string, Watched> watched_;
  BindingFacts facts_;
  std::vector<std::pair<std::string, base::JsonDoc>> given_facts_;  // by channel, to be read again
  std::string request_text_;
  std::string redacted_text_;                                   // of the result at hand
  std::unordered_map<std::uint64_t, std::uint64_t> looked_at_;  // target -> step it was last looked at
  // Spans that address the agent and were read all the same, and how much of that each source has said (reach:
  // context).
  struct Suspicion {
    std::string source;
    double decayed = 0;  // sum of its scores, earlier ones weighing less
    double score = 0;    // the most that it ever came to
    std::string words;   // of its spans
  };
  std::vector<Suspicion> suspicions_;
  std::vector<double> own_;  // by budget: what TakeBudgetDelta has not told yet
  std::optional<BreakGlassOpening> opening_;
  provenance::ValueIndex values_;
  std::unique_ptr<bounds::BoundsSession> reading_;  // null: neither bounds nor injection is on
  bool has_seen_ = false;                           // request, results, calls
  bool saw_all_ = true;                             // false: something was seen that `reading_` was not shown
  mutable std::vector<std::uint8_t> tool_classes_;  // of the catalogue's tools, once asked for
  mutable std::vector<BindingState> bound_;         // of the call that was asked about last
  mutable std::vector<std::string_view> explained_;
  mutable std::string key_scratch_;  // of FactKey
};

}  // namespace interlock::gate
