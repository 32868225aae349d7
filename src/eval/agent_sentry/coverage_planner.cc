// The planner's pipe: questions and answers as lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interlock/base/json.h"
#include "interlock/eval/coverage.h"
#include "splice_text.h"

namespace interlock::eval {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;

namespace {

constexpr std::array<std::string_view, 9> kStyles = {"standard",  "terse",    "verbose", "urgent", "casual",
                                                     "technical", "confused", "angry",   "complex"};

const KnownTool* Find(std::span<const KnownTool> tools, std::string_view name) {
  const auto it = std::find_if(tools.begin(), tools.end(), [&](const KnownTool& tool) { return tool.name == name; });
  return it == tools.end() ? nullptr : &*it;
}

Error AnswerError(JsonValue at, std::string message) {
  return Error(ErrorCode::kPlannerAnswer, std::move(message), {.offset = at.offset()});
}

void WriteTransition(JsonWriter& w, const Transition& transition) {
  w.BeginObject().Key("from").String(transition.from).Key("to").String(transition.to).EndObject();
}

}  // namespace

std::span<const std::string_view> PlannerStyles() noexcept { return kStyles; }

std::string_view NameOf(PlanCheck check) noexcept {
  switch (check) {
    case PlanCheck::kOk:
      return "ok";
    case PlanCheck::kMissed:
      return "missed";
    case PlanCheck::kUnknownTool:
      return "unknown-tool";
    case PlanCheck::kNoRetrieval:
      return "no-retrieval";
  }
  return "?";
}

std::string PlannerRequest(const PlanQuestion& question, std::span<const KnownTool> tools) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("schema").String("interlock.planner/v1").Key("id").Uint(question.id).Key("want");
  WriteTransition(w, question.want);
  w.Key("tools").BeginArray();
  for (const KnownTool& tool : tools) {
    w.BeginObject().Key("name").String(tool.name).Key("description").String(tool.description);
    w.Key("retrieval").Bool(tool.retrieval).EndObject();
  }
  w.EndArray().Key("style").String(question.style).Key("styles").BeginArray();
  for (const std::string_view style : kStyles) w.String(style);
  w.EndArray().Key("attempt").Uint(question.attempt);
  if (question.missed != nullptr) {
    w.Key("refine").BeginObject().Key("reason").String(NameOf(question.reason));
    w.Key("prompt").String(question.missed->prompt).Key("calls").BeginArray();
    for (const PlannedCall& call : question.missed->calls) w.String(call.tool);
    w.EndArray().EndObject();
  }
  w.EndObject();
  out += '\n';
  return out;
}

Result<Plan> ParsePlan(std::string_view line, std::uint64_t id) {
  if (line.size() > kMaxPlanBytes) return Error(ErrorCode::kLimitExceeded, "a planner's answer over 1 MiB");
  const Result<JsonDoc> doc =
      JsonDoc::Parse(line, {.max_bytes = kMaxPlanBytes, .max_depth = 64, .max_values = 100'000});
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return AnswerError(root, "not an object");
  if (const JsonValue given = root.Find("id"); given.exists()) {
    const std::optional<std::int64_t> number = given.AsInt64();
    if (!number || *number < 0 || static_cast<std::uint64_t>(*number) != id) {
      return AnswerError(given, "an answer to another question");
    }
  }
  Plan plan;
  const JsonValue prompt = root.Find("prompt");
  if (prompt.string().empty()) return AnswerError(root, "no `prompt`");
  plan.prompt = std::string(prompt.string());
  const JsonValue calls = root.Find("calls");
  if (!calls.is_array() || calls.size() == 0) return AnswerError(root, "no `calls`");
  if (calls.size() > kMaxPlanCalls) return Error(ErrorCode::kLimitExceeded, "a plan of more than 16 calls");
  for (const JsonValue entry : calls) {
    PlannedCall call;
    call.tool = std::string(entry.is_string() ? entry.string() : entry.Find("tool").string());
    if (call.tool.empty()) return AnswerError(entry, "a call without `tool`");
    const JsonValue arguments = entry.Find("arguments");
    if (arguments.exists() && !arguments.is_object()) return AnswerError(arguments, "`arguments` is not an object");
    if (arguments.exists()) call.arguments = std::string(arguments.raw());
    const JsonValue result = entry.Find("result");
    if (result.exists() && !result.is_string()) return AnswerError(result, "`result` is not a string");
    call.result = std::string(result.string());
    plan.calls.push_back(std::move(call));
  }
  return plan;
}

PlanCheck CheckPlan(const Plan& plan, const Transition& want, std::span<const KnownTool> tools) {
  bool met = false;
  for (std::size_t i = 0; i < plan.calls.size(); ++i) {
    if (Find(tools, plan.calls[i].tool) == nullptr) return PlanCheck::kUnknownTool;
    met |= i > 0 && plan.calls[i - 1].tool == want.from && plan.calls[i].tool == want.to;
  }
  if (!met) return PlanCheck::kMissed;
  return Find(tools, plan.calls.front().tool)->retrieval ? PlanCheck::kOk : PlanCheck::kNoRetrieval;
}

std::string PlannedTrace(const Plan& plan, std::string_view session, const PlanQuestion& question) {
  std::string line;
  core::TraceWriter writer(line);
  writer.Begin(session, "", "").User(plan.prompt);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < plan.calls.size(); ++i) {
    const PlannedCall& call = plan.calls[i];
    const std::string id = fmt::format("c{}", i);
    writer.Assistant("", {{.id = id, .tool = call.tool, .arguments_json = call.arguments}});
    writer.Tool(id, call.result, core::Trust::kUnknown);
  }
  std::string annotations;
  JsonWriter w(annotations);
  w.BeginObject().Key("planned").BeginObject().Key("want");
  WriteTransition(w, question.want);
  w.Key("style").String(question.style).Key("attempts").Uint(question.attempt).EndObject().EndObject();
  writer.End(annotations);
  return line;
}

PlanningOutcome PlanSessions(CoverageTracker& tracker, std::span<const KnownTool> tools, const PlanningOptions& options,
                             const std::function<Result<std::string>(std::string_view request)>& ask) {
  constexpr std::size_t kMaxKept = 100;
  PlanningOutcome outcome;
  std::vector<Transition> wanted;
  for (const KnownTool& from : tools) {
    for (const KnownTool& to : tools) {
      if (wanted.size() < CoverageTracker::kMaxTools * CoverageTracker::kMaxTools)
        wanted.push_back({from.name, to.name});
    }
  }
  for (std::uint64_t n = 0; n < options.count; ++n) {
    const std::optional<Transition> want = tracker.Next(wanted, options.seed + n);
    if (!want) break;
    Dice dice(options.seed, fmt::format("style\n{}", n));
    PlanQuestion question{.id = n + 1, .want = *want, .style = kStyles[dice.Below(kStyles.size())]};
    std::optional<Plan> last;
    bool made = false;
    for (; question.attempt <= options.refinements + 1 && !made; ++question.attempt) {
      question.missed = last ? &*last : nullptr;
      ++outcome.questions;
      const Result<std::string> answer = ask(PlannerRequest(question, tools));
      std::optional<Error> error;
      if (!answer.ok()) {
        error = answer.error();
        const ErrorCode code = error->code();
        if (code == ErrorCode::kPlannerTimeout || code == ErrorCode::kPlannerClosed || code == ErrorCode::kIo) {
          outcome.stopped = std::move(error);
          return outcome;
        }
      } else if (Result<Plan> plan = ParsePlan(answer.value(), question.id); plan.ok()) {
        question.reason = CheckPlan(plan.value(), *want, tools);
        made = question.reason == PlanCheck::kOk;
        question.missed = nullptr;
        last = std::move(plan.value());
      } else {
        error = plan.error();
      }
      if (error && outcome.malformed.size() < kMaxKept) outcome.malformed.push_back(std::move(*error));
      if (made) {
        outcome.lines.push_back(PlannedTrace(*last, fmt::format("{}/{}", options.session, n + 1), question));
        std::vector<std::string> path;
        for (const PlannedCall& call : last->calls) path.push_back(call.tool);
        tracker.AddPath(path);
      }
    }
    if (!made) {
      outcome.missed.push_back(*want);
      std::erase(wanted, *want);
    }
  }
  return outcome;
}

}  // namespace interlock::eval
