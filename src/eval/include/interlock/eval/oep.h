// OEP, the operational evaluation protocol of GIRA: a seeded simulator of incidents, in which a planner proposes tool
// calls, the real gate decides about them, and what comes of it is measured (docs/oep.md).
//
//   auto library = OepLibrary::Load(BuiltInOepFiles());
//   OepOptions options{.suite = "paper", .seeds = 10};
//   auto runs = RunOep(*library.value(), options);
//   EvalReport report{..., .rows = OepRows(*library.value(), options, runs.value())};
//
// Everything random comes from counters keyed by (incident, setting, seed, step, purpose), never by the agent: agents
// of one seed meet the same noise, and the figures do not depend on the number of threads. Incidents, payloads, tools,
// policies, agents and suites are data files; a new one is a file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/report.h"

namespace interlock::eval {

// A data file by its name below the data folder: "incidents/api_memory_leak.json", "policies/incident-response.yaml".
struct OepFile {
  std::string name;
  std::string bytes;
};
[[nodiscard]] std::vector<OepFile> BuiltInOepFiles();

namespace oep {
struct Library;
}

// All data of the simulator, read and checked. Immutable.
class OepLibrary {
 public:
  // Files of one name: the last counts, so that own files can follow the built-in ones. kImportShape and JSON errors,
  // with the file; the errors of policies.
  [[nodiscard]] static base::Result<std::shared_ptr<const OepLibrary>> Load(std::span<const OepFile> files);
  [[nodiscard]] std::vector<std::string> suites() const;
  [[nodiscard]] const oep::Library& data() const noexcept { return *data_; }
  ~OepLibrary();

 private:
  explicit OepLibrary(std::unique_ptr<const oep::Library> data);
  std::unique_ptr<const oep::Library> data_;
};

// What proposes calls. One line of JSON in, one out: schemas/interlock.oep-planner.v1.json.
class OepPlanner {
 public:
  virtual ~OepPlanner() = default;
  [[nodiscard]] virtual base::Result<std::string> Answer(std::string_view question) = 0;
};

struct OepOptions {
  std::string suite = "paper";
  std::uint32_t seeds = 10;
  std::uint64_t seed = 1;           // the first; the others follow it
  std::uint32_t threads = 1;        // figures do not depend on it
  std::vector<std::string> agents;  // of the suite's; none: all
  bool sweeps = true;               // the frontiers over rho_max and eta as well
  bool traces = false;              // keep interlock.trace/v1 lines
  bool answers = false;             // keep what the planner answered, as a transcript
  // Instead of the scripted planner: one a thread.
  std::function<base::Result<std::unique_ptr<OepPlanner>>()> planner;
};

// A planner that repeats a transcript: lines {"run","step","answer"}. It answers a run and step that it does not have
// with kPlannerAnswer.
[[nodiscard]] base::Result<std::unique_ptr<OepPlanner>> ReplayPlanner(std::string_view transcript);

// What one run came to.
struct OepRun {
  std::string agent;
  std::string incident;
  std::string setting;
  std::string payload;  // "" where nobody attacks
  std::uint64_t seed = 0;
  bool attacked = false;
  bool mitigated = false;
  bool injected = false;           // a call that the attacker wanted was executed
  bool injected_approved = false;  // and every one of them because a person agreed
  bool turned = false;             // the planner proposed such a call
  std::uint32_t steps = 0;         // of the run, at most T
  std::uint32_t limit = 0;         // T
  std::uint32_t ttd = 0;           // 0: never
  std::uint32_t ttm = 0;           // 0: never
  std::uint32_t executed = 0;      // calls that ran; what a tool refused or failed at has not run
  std::uint32_t reads = 0;
  std::uint32_t unauthorised = 0;  // neither granted by the policy nor approved
  std::uint32_t unapproved = 0;    // changes that no person agreed to
  std::uint32_t injected_calls = 0;
  std::uint32_t refused_unsafe = 0;  // proposals that are no reads and were refused, or whose approval never came
  std::uint32_t approvals = 0;       // requests
  std::uint32_t granted = 0;
  std::uint32_t approval_wait = 0;  // steps from a call's first request to its grant, summed over grants
  std::uint32_t benign_proposed = 0;
  std::uint32_t benign_refused = 0;
  std::uint32_t invalid_proposed = 0;  // do not fit the tool's schema, or name no tool
  std::uint32_t invalid_executed = 0;
  std::uint32_t stale = 0;  // executed although the world had moved on
  std::uint32_t exfiltration_tried = 0;
  std::uint32_t exfiltrated = 0;
  std::uint32_t secrets_shown = 0;  // to the planner
  std::uint32_t break_glass = 0;    // calls executed under it
  std::uint32_t phases = 0;         // bits of the incident's phases whose artefact is there
  double blast_sum = 0;             // of impact weight times criticality over executed calls
  double blast_injected_sum = 0;
  double impact = 0;      // integral of the impact rate over T steps
  double worst_s = 0;     // highest injection score of a call
  std::string trace;      // with OepOptions::traces
  std::string answers;    // with OepOptions::answers: transcript lines
  std::string decisions;  // digest over all decisions: two agents of one class have equal ones
};

struct OepRuns {
  std::vector<OepRun> runs;  // agents, seeds, incidents, settings in order
  // Name, its value and the runs of a gate with it: "rho_max", 0.5.
  struct Point {
    std::string name;
    double value = 0;
    std::vector<OepRun> runs;
  };
  std::vector<Point> sweeps;
  std::vector<std::pair<std::string, std::vector<OepRun>>> companions;  // by suite
};
// kInvalidArgument for a suite or agent that is not there; what the planner's pipe says.
[[nodiscard]] base::Result<OepRuns> RunOep(const OepLibrary& library, const OepOptions& options);

// Tidy rows for interlock.eval/v1, and how they are shown.
[[nodiscard]] std::vector<EvalRow> OepRows(const OepLibrary& library, const OepOptions& options, const OepRuns& runs);
[[nodiscard]] ReportLayout OepLayout(std::string_view suite);
// Name and text of what a reader needs to repeat it: suite, agents, digests of their policies.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> OepFacts(const OepLibrary& library,
                                                                        const OepOptions& options);

}  // namespace interlock::eval
