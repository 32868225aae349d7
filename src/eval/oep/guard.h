// The gate, as the simulator drives it: the only file of the simulator that knows module gate. Private to the module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/decision.h"
#include "library.h"
#include "planner.h"

namespace interlock::policy {
class PolicySnapshot;
class ToolCatalogue;
}  // namespace interlock::policy
namespace interlock::gate {
class SessionState;
}

namespace interlock::eval::oep {

// A loaded policy with the catalogue of the tools. Immutable, one for all runs of an agent.
struct GatePolicy {
  std::shared_ptr<const policy::PolicySnapshot> policy;
  std::shared_ptr<const policy::ToolCatalogue> catalogue;
  bool grants = false;  // the policy layer is on: what it lets pass is granted by it
};
// `extra`: more top-level lines of policy text (a sweep's threshold).
[[nodiscard]] base::Result<GatePolicy> LoadGatePolicy(const Library& library, const Agent& agent,
                                                      std::string_view extra = {});

class Guard {
 public:
  // `whole_session` false: what the gate knows of the session's texts is this step's observation, as GIRA's o_t;
  // answers of tools, facts and budgets stay. `runbook`: the fact, or "".
  Guard(const GatePolicy& gate, const Incident& incident, std::string runbook, bool whole_session);
  ~Guard();

  // What is there to be read in this step, beside the answers of tools.
  void BeginStep(std::uint32_t step, const std::vector<SeenText>& texts);

  // A read: decided by itself.
  [[nodiscard]] core::Decision DecideRead(const ProposedAction& action) const;

  // Changes, of which at most one is made.
  struct Weighed {
    std::optional<std::size_t> chosen;
    std::vector<core::Decision> decisions;  // fewer than proposals where an early return ended the round
    double utility = 0;
  };
  [[nodiscard]] Weighed Choose(const std::vector<ProposedAction>& changes) const;

  // A person agreed to this exact call, for now.
  void Grant(const ProposedAction& action);

  // The call goes ahead in the form of `arguments`.
  void Commit(const ProposedAction& action, const core::Decision& decision);
  // Its answer; what the planner may read of it comes back.
  [[nodiscard]] std::string OnAnswer(const ProposedAction& action, std::string_view json, std::string_view cut,
                                     bool failed);

  // Impact so far and steps at the highest severity: opens break-glass where the policy says so.
  void TellImpact(double integrated, std::uint32_t severe_steps);
  [[nodiscard]] bool break_glass() const;
  // Injection score and risk that the gate's layers measured for the call; what is not measured is 0.
  struct Scores {
    double injection = 0;
    double risk = 0;
  };
  [[nodiscard]] Scores ScoresOf(const ProposedAction& action) const;

 private:
  struct Past {
    ProposedAction action;
    std::string json;
    std::string cut;
    bool failed = false;
    bool answered = false;
  };
  void Start(const std::vector<SeenText>& texts);
  void See(const SeenText& text);
  [[nodiscard]] std::string Feed(const Past& past);

  const GatePolicy& gate_;
  const Incident& incident_;
  std::string runbook_;
  bool whole_session_;
  std::uint32_t step_ = 0;
  std::unique_ptr<gate::SessionState> session_;
  std::vector<SeenText> texts_;    // that the session has
  std::vector<SeenText> earlier_;  // each text of the run once, in the order of its first reading
  std::vector<Past> past_;
  std::optional<std::uint32_t> glass_until_;
};

// The fact `runbook`: the entries, and of every other change that it acts on nothing.
[[nodiscard]] std::string RunbookFact(const Library& library, const Incident& incident);

}  // namespace interlock::eval::oep
