// rho: how much a call can hurt if it is wrong, from what it is and not from what anybody says about it.
//
//   rho = min(1, sensitivity x criticality x scope x reversibility x staleness)
//
// * sensitivity: the tool's impact weight w (GIRA, Table 3);
// * criticality c(s) >= 1: of the targets that the policy names as critical (GIRA, section 6.1);
// * scope: how many targets one call acts on; a wildcard is taken as many;
// * reversibility: whether another call can undo it;
// * staleness: how long ago, in calls, the session last looked at what it is about to change.
//
// The numbers of the last three are data (rules/risk/rho.json). All functions are pure; `Explain` is for people.
// Source: GIRA, sections 5.1 and 5.3 (layer 3) and Appendix B; which factors and their numbers are ours (docs/risk.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/base/error.h"
#include "interlock/core/call.h"
#include "interlock/core/tool.h"

namespace interlock::risk {

struct RhoWeights {
  double scope_per_doubling = 0;  // added for each doubling of the number of targets
  double wildcard_targets = 1;    // how many targets a wildcard counts as
  double irreversible = 1;        // factor for what no call can undo
  std::uint32_t fresh_calls = 0;  // an observation so young is fresh
  double stale_per_call = 0;      // added for each call beyond
  double stale_most = 1;
  double never_seen = 1;  // factor for a target that the session has not looked at
};
// Of rules/risk/rho.json (schema interlock.rho/v1): every number must be there and in range.
[[nodiscard]] base::Result<RhoWeights> ReadRhoWeights(std::string_view json);
// The embedded ones; read once a process.
[[nodiscard]] const RhoWeights& DefaultRhoWeights();

struct RhoInputs {
  double sensitivity = 1;
  double criticality = 1;
  double targets = 1;
  bool reversible = false;
  bool has_target = false;           // the tool's spec says what it acts on
  std::optional<std::uint32_t> age;  // calls since a target was looked at; nothing: never
};

struct Rho {
  double value = 1;  // in [0, 1]
  RhoInputs inputs;
  double scope = 1;
  double reversibility = 1;
  double staleness = 1;
  // "0.53: impact 0.3, critical target x1.5, cannot be undone x1.2".
  [[nodiscard]] std::string Explain() const;
};

// What the call says. A tool nobody describes has the greatest sensitivity. `age` is the caller's to fill in.
[[nodiscard]] RhoInputs InputsOf(const core::ToolSpec* spec, const core::Call& call, const RhoWeights& weights);
[[nodiscard]] Rho ComputeRho(const RhoInputs& inputs, const RhoWeights& weights);

// c(s) of the call: the greatest factor among the policy's entries that match; 1 when none does.
[[nodiscard]] double CriticalityOf(const core::ToolSpec& spec, const core::Call& call);

}  // namespace interlock::risk
