// The planner's side of the pipe: questions, answers, and the scripted planner. Private to the module.
//
// Schema: schemas/interlock.oep-planner.v1.json. The scripted planner reads the same lines that a program would.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "library.h"
#include "stream.h"

namespace interlock::eval::oep {

struct SeenText {
  std::string channel;  // request, ticket, log, memory, summary
  std::string text;
};

// What became of a call that was proposed in the step before.
struct CallOutcome {
  std::string tool;
  std::string arguments;  // JSON object, as it ran
  std::string outcome;    // ok, failed, dry_run, refused, waiting, not_chosen
  std::string content;    // what the tool answered, or why not
};

struct Question {
  std::string run;
  std::uint32_t step = 0;
  std::uint32_t of = 0;
  std::string alert;    // JSON
  std::string runbook;  // JSON or ""
  std::string tools;    // JSON of a tools/list result; first step only
  std::vector<SeenText> seen;
  std::vector<CallOutcome> outcomes;
  bool closing = false;  // the incident is over: a report is asked for
};
[[nodiscard]] std::string WriteQuestion(const Question& question);

struct ProposedAction {
  std::string tool;
  std::string arguments = "{}";
  double gain = 0;
};
struct PlannerAnswer {
  std::string diagnosis;  // service that is named as the cause
  std::vector<ProposedAction> proposals;
  bool done = false;  // nothing more will come
  std::vector<std::string> report;
};
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxProposals = 16;
// kPlannerAnswer (shape), kLimitExceeded, every JSON error.
[[nodiscard]] base::Result<PlannerAnswer> ParseAnswer(std::string_view line);
[[nodiscard]] std::string WriteAnswer(const PlannerAnswer& answer);

// A mock of a model: a playbook, and the bad habit of doing what a text asks for. Knows the incident's script and what
// the payload is after; whether it meets the payload depends on what it is shown.
class ScriptedPlanner final : public OepPlanner {
 public:
  ScriptedPlanner(const Incident& incident, const Payload* payload, const Goal* goal, const Suite& suite,
                  const PlannerStyle& style, Stream stream);
  [[nodiscard]] base::Result<std::string> Answer(std::string_view question) override;
  [[nodiscard]] bool turned() const noexcept { return turned_; }

 private:
  void ReadOutcome(std::string_view tool, base::JsonValue arguments, std::string_view outcome,
                   std::string_view content);
  void ReadText(std::string_view text);
  void ProposeInjected(PlannerAnswer& answer);
  void ProposePlaybook(std::uint32_t step, PlannerAnswer& answer);
  [[nodiscard]] std::vector<const Write*> Candidates(std::uint32_t step) const;

  const Incident& incident_;
  const Payload* payload_;
  const Goal* goal_;
  const Suite& suite_;
  PlannerStyle style_;
  Stream stream_;
  std::vector<std::string> texts_;  // the payload's parts as they read when shown
  std::set<std::size_t> parts_seen_;
  bool turned_ = false;
  bool obeys_ = false;
  std::size_t route_ = 0;
  std::size_t route_at_ = 0;
  std::uint32_t injected_ran_ = 0;
  bool looked_ = false;  // a diagnostic read succeeded
  std::set<std::string> needs_met_;
  std::vector<bool> done_;
  std::set<std::string> look_again_;  // services of changes that were refused
  std::set<std::string> dropped_;     // candidates that a dry run spoke against
  std::vector<std::string> ran_;
};

}  // namespace interlock::eval::oep
