// Recorded agents through the complete gate, profile by profile: what real sessions say beside the incident simulator.
//
//   auto measured = MeasureProfiles(sets, {.jobs = 2});        // sets: Agent-Sentry traces, tools of their domains
//   report.rows = std::move(measured.value());
//
// A recorded agent has read and done what it has read and done: a session is decided call by call, and an attack has
// succeeded when no call that came after the injected text was stopped. Two policies: every change waits by default, as
// the profiles ship; or a rule lets the agent's own tools go ahead, so that the other layers decide alone (profiles
// whose point is that nothing does are left out there), without and with the schemas that the data has for the tools.
//
// Rows but those of table `latency` are the same for the same data, seed and options at any number of jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/report.h"

namespace interlock::eval {

struct TraceSet {
  std::string name;  // "run 1"
  std::string note;  // what a reader has to know of it
  std::vector<agent_sentry::Trace> traces;
};

struct GateProfilesOptions {
  std::uint64_t seed = 42;  // of the resampling
  int bootstraps = 1000;
  unsigned jobs = 1;
  bool latency = true;                // rows of the machine, too
  std::vector<std::string> profiles;  // empty: all that are shipped for it
  std::function<void(std::string_view)> progress = {};
};

// `tools`: tools/DOMAIN.json by domain, in the order of kDomains. Every JSON and policy error.
[[nodiscard]] base::Result<std::vector<EvalRow>> MeasureProfiles(const std::vector<TraceSet>& sets,
                                                                 const std::vector<std::string>& tools,
                                                                 const GateProfilesOptions& options);
[[nodiscard]] ReportLayout GateProfilesLayout();

}  // namespace interlock::eval
