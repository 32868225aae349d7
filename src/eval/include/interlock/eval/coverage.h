// Which tool follows which, over sessions: what a set of traces covers, and what to make next. And the pipe by which a
// planner (a language model, a script) makes sessions for transitions that are missing: JSON lines, one question, one
// answer.
//
//   CoverageTracker tracker(names);
//   for (...) tracker.Add(session);
//   Transition want = *tracker.Next(seed);             // a transition never seen, if there is one
//   std::string line = PlannerRequest({.id = 1, .want = want, .style = "terse"}, tools);
//   Result<Plan> plan = ParsePlan(answer);
//   PlanCheck check = CheckPlan(plan.value(), want, tools);   // not kOk: ask again, with PlanQuestion::refine
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/trace.h"
#include "interlock/eval/splice.h"

namespace interlock::eval {

struct Transition {
  std::string from;
  std::string to;
  auto operator<=>(const Transition&) const = default;
};

// Counts of transitions between consecutive calls of a session. Not thread safe.
class CoverageTracker {
 public:
  // At most this many tools have a row; those that come after it are counted together under "*". Bounds memory.
  static constexpr std::size_t kMaxTools = 500;

  // Tools whose transitions are wanted; names met in sessions are added.
  explicit CoverageTracker(const std::vector<std::string>& tools = {});
  void Add(const core::TraceSession& session);
  void AddPath(std::span<const std::string> tools);

  [[nodiscard]] const std::vector<std::string>& tools() const noexcept { return names_; }
  [[nodiscard]] std::uint64_t Count(const Transition& transition) const;
  // Transitions seen, of those that there are.
  [[nodiscard]] std::size_t covered() const noexcept { return counts_.size(); }

  // The transition to cover next: one of those never seen, all alike; when there is none, one drawn with a chance
  // inverse to how often it was seen. The same state and seed give the same answer. Nothing without tools.
  [[nodiscard]] std::optional<Transition> Next(std::uint64_t seed) const;
  // The same, out of `among` only.
  [[nodiscard]] std::optional<Transition> Next(std::span<const Transition> among, std::uint64_t seed) const;

  // A table for people: rows are what came first. And JSON: {"schema":"interlock.coverage/v1","tools":[...],
  // "counts":[[...]]}.
  [[nodiscard]] std::string Table() const;
  [[nodiscard]] std::string Json() const;

 private:
  std::size_t IndexOf(std::string_view tool);
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> counts_;
};

// Ways of asking, one a session, so that not all requests sound alike.
[[nodiscard]] std::span<const std::string_view> PlannerStyles() noexcept;

enum class PlanCheck : std::uint8_t {
  kOk,
  kMissed,       // the wanted transition does not occur
  kUnknownTool,  // a call of a tool that is not on the list
  kNoRetrieval,  // the first call retrieves nothing: no place for injected text
};
[[nodiscard]] std::string_view NameOf(PlanCheck check) noexcept;

struct PlannedCall {
  std::string tool;
  std::string arguments = "{}";  // JSON object
  std::string result;            // made-up result; "" where the planner gave none
};
struct Plan {
  std::string prompt;
  std::vector<PlannedCall> calls;
};

struct PlanQuestion {
  std::uint64_t id = 0;
  Transition want;
  std::string_view style;
  std::uint32_t attempt = 1;          // over 1: a refinement of
  const Plan* missed = nullptr;       // this plan,
  PlanCheck reason = PlanCheck::kOk;  // which failed so
};
// One line with its line end, of schema interlock.planner/v1.
[[nodiscard]] std::string PlannerRequest(const PlanQuestion& question, std::span<const KnownTool> tools);

inline constexpr std::size_t kMaxPlanBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxPlanCalls = 16;
// An answer: {"prompt": "...", "calls": ["tool", {"tool": "...", "arguments": {...}, "result": "..."}]}. Unknown
// members are passed over. kPlannerAnswer (shape), kLimitExceeded (size, calls), every JSON error. An `id`, if there is
// one, is that of the question: kPlannerAnswer otherwise.
[[nodiscard]] base::Result<Plan> ParsePlan(std::string_view line, std::uint64_t id = 0);
[[nodiscard]] PlanCheck CheckPlan(const Plan& plan, const Transition& want, std::span<const KnownTool> tools);
// The plan as a session without label, results of trust `unknown`; annotations say that it was planned.
[[nodiscard]] std::string PlannedTrace(const Plan& plan, std::string_view session, const PlanQuestion& question);

// Generate, verify, refine: asks for `count` sessions, each for the least covered transition that has not been given
// up. `ask` sends a request line and returns the answer's line, or an error. kPlannerTimeout, kPlannerClosed and kIo
// end the run and are in `stopped`; any other error, or an answer that is no plan, costs an attempt.
struct PlanningOptions {
  std::uint64_t count = 10;
  std::uint32_t refinements = 3;  // more questions for a transition that a plan missed
  std::uint64_t seed = 1;
  std::string session = "planned";  // sessions are called <session>/1, ...
};
struct PlanningOutcome {
  std::vector<std::string> lines;      // interlock.trace/v1, without line end
  std::vector<Transition> missed;      // given up after the last refinement
  std::vector<base::Error> malformed;  // at most 100 are kept
  std::uint64_t questions = 0;
  std::optional<base::Error> stopped;
};
[[nodiscard]] PlanningOutcome PlanSessions(
    CoverageTracker& tracker, std::span<const KnownTool> tools, const PlanningOptions& options,
    const std::function<base::Result<std::string>(std::string_view request)>& ask);

}  // namespace interlock::eval
