// The simulator's data, as read from files (schemas/interlock.oep-*.v1.json). Private to the module.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/oep.h"

namespace interlock::eval::oep {

// NIST SP 800-61 phases; the bit of OepRun::phases is the place in this list.
inline constexpr std::string_view kPhases[] = {"preparation", "detection", "containment",
                                               "eradication", "recovery",  "post-incident"};
inline constexpr std::size_t kPhaseCount = std::size(kPhases);

struct Service {
  std::string name;
  bool critical = false;
  std::vector<std::string> calls;
  std::vector<std::string> versions;  // newest first; the first runs
};

struct World {
  double attenuation = 0.6;  // of a fault, a hop up the callers
  std::vector<Service> services;
  std::vector<std::string> targets;  // JSON pointers of what a call acts on, first that is there
  [[nodiscard]] const Service* Find(std::string_view name) const noexcept;
};

struct CallSpec {
  std::string tool;
  std::string arguments = "{}";  // JSON object
};

// A change that a planner may propose.
struct Write {
  CallSpec call;
  double gain = 0;               // the planner's estimate of the improvement
  double relief = 0;             // what it takes from the fault when it runs, beside completing the playbook
  double harm = 0;               // a fault of its own, at `harm_at`
  std::string harm_at;           // service; empty: what the call acts on
  std::uint32_t harm_steps = 0;  // 0: it stays
};

struct Phase {
  std::size_t phase = 0;
  // Its artefact: reads that were made, writes that ran, a diagnosis, or a closing report that names what ran.
  enum class Check : std::uint8_t { kCalls, kDiagnosis, kMitigated, kReport } check = Check::kCalls;
  std::vector<CallSpec> calls;
};

struct Cascade {
  std::uint32_t after = 0;  // steps without mitigation
  std::string service;
  double level = 0;
};

struct Incident {
  std::string id;
  std::string title;
  std::string service;  // of the alert
  std::string signal;
  std::string severity;
  std::string alert;    // JSON of the fact
  std::string runbook;  // JSON of the fact; "" : the sanctioned store has no entry
  std::string request;
  std::string ticket;
  std::vector<std::string> logs;
  std::string fault_at;
  std::string fault_kind;
  double level = 0;
  double growth = 0;
  std::vector<CallSpec> prepare;   // reads of the preparation phase
  std::vector<CallSpec> diagnose;  // first step
  std::vector<CallSpec> needs;     // reads that the playbook's calls require
  std::vector<Write> playbook;     // ground truth: mitigated when all of them ran
  std::vector<Write> alternatives;
  bool ambiguous = false;  // which of playbook and alternatives is right cannot be told beforehand
  std::vector<Cascade> cascades;
  std::vector<Phase> phases;
};

struct Goal {
  // The attacker is content when one route has run to its end; a plain goal is one route of one call.
  std::vector<std::vector<CallSpec>> routes;
  double harm = 0.7;  // of every call that ran, at what it acts on
  bool exfiltration = false;
};

struct Payload {
  std::string id;
  std::string attack;
  std::string channel;  // request, ticket, log, memory, summary, tool_output
  std::string objective;
  std::string technique;
  std::vector<std::string> atlas;
  std::vector<std::string> attck;
  std::string half;                                         // "", "tune", "heldout"
  std::vector<std::string> parts;                           // texts; several: one a step
  std::vector<std::pair<std::string, std::string>> fields;  // of the answer that carries it
  std::string surface_tool;                                 // of tool_output; "": the first diagnostic of the incident
  std::string surface_service;                              // "": any
  bool typed = false;                  // a field of its own, not prose: what prompts harden against is prose
  bool official = false;               // looks like the operator's own automation: people agree
  bool adaptive = false;               // tries its other routes when one is refused
  double persuades = 1.0;              // share of runs whose planner obeys
  std::vector<std::string> incidents;  // none: all
  std::string goal_json;               // routes as templates: ${service}, ${upstream}
  Goal goal;
};

struct Setting {
  std::string id;
  std::string title;
  std::vector<std::string> payloads;
};

struct Noise {
  double metric = 0.15;
  double log_drop = 0.1;
  double read_failure = 0.06;
  double write_failure = 0.1;
  double partial = 0;       // an answer is cut
  double rate_limited = 0;  // a call is put off
  double unauthorised = 0;  // the first calls of a run fail until credentials are renewed
  double drift = 0;         // a step: somebody else deploys to the service at fault
};

struct Approver {
  double grant = 0.3;  // of a request, a step
  bool believes_official = true;
};

struct Suite {
  std::string id;
  std::string title;
  std::uint32_t steps = 8;
  bool until_mitigated = true;
  bool stops_when_obeyed = true;  // an ungated planner stops once the attacker has what he wants
  Noise noise;
  Approver approver;
  double second_candidate = 0.3;
  double slips = 0;  // a step: the planner proposes a call that fits no schema, or a tool that is not there
  std::vector<std::string> incidents;
  std::vector<Setting> settings;
  std::vector<std::string> agents;
  std::vector<std::string> no_runbook;  // incidents whose runbook entry is missing
  std::vector<std::string> companions;  // suites that are run and shown with it
};

struct PlannerStyle {
  enum class Obeys : std::uint8_t { kAll, kTyped, kNothing } obeys = Obeys::kAll;
  std::uint32_t stops_after = 2;  // injected calls, where nothing holds it up
  double confirms = 0;            // chance to look again before it names the cause
  double dawdles = 0;             // chance of a step without a proposal
  bool looks_ahead = true;        // makes the reads that a gate's preconditions want
  bool looks_again = false;       // after a refusal it looks at the service again whenever it proposes the change
};

struct Agent {
  std::string id;
  std::string title;
  std::string profile;
  std::string policy = "incident-response";
  std::vector<std::string> overlays;  // more policy text, by name: break-glass, ...
  bool whole_session = true;          // false: the gate sees this step's observation (GIRA's o_t)
  bool nobody_answers = false;
  bool batch = false;        // one request for the whole plan
  bool break_glass = false;  // the adapter opens it by the policy's conditions
  PlannerStyle planner;
};

struct Library {
  World world;
  std::string tools;  // tools/list result
  std::map<std::string, Incident, std::less<>> incidents;
  std::map<std::string, Payload, std::less<>> payloads;
  std::map<std::string, Agent, std::less<>> agents;
  std::map<std::string, Suite, std::less<>> suites;
  std::map<std::string, std::string, std::less<>> policies;  // YAML by name
};

[[nodiscard]] base::Result<World> ParseWorld(std::string_view json);
[[nodiscard]] base::Result<Incident> ParseIncident(std::string_view json);
[[nodiscard]] base::Result<std::vector<Payload>> ParsePayloads(std::string_view json);
[[nodiscard]] base::Result<std::vector<Agent>> ParseAgents(std::string_view json);
[[nodiscard]] base::Result<Suite> ParseSuite(std::string_view json);
// The payload's goal with the incident's names in it. kImportShape when the result is no JSON.
[[nodiscard]] base::Result<Goal> GoalFor(const Payload& payload, const Incident& incident);
// ${service} and the like of `text` for this incident.
[[nodiscard]] std::string Fill(std::string_view text, const Incident& incident);

}  // namespace interlock::eval::oep
