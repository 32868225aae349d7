#include "planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "interlock/base/error.h"
#include "world.h"

namespace interlock::eval::oep {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;

std::string WriteQuestion(const Question& q) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("schema").String("interlock.oep-planner/v1").Key("run").String(q.run);
  w.Key("step").Uint(q.step).Key("of").Uint(q.of).Key("closing").Bool(q.closing);
  w.Key("alert").Raw(q.alert).Key("runbook").Raw(q.runbook);
  if (!q.tools.empty()) {
    w.Key("tools").Raw(q.tools);
  }
  w.Key("seen").BeginArray();
  for (const SeenText& text : q.seen) {
    w.BeginObject().Key("channel").String(text.channel).Key("text").String(text.text).EndObject();
  }
  w.EndArray().Key("outcomes").BeginArray();
  for (const CallOutcome& outcome : q.outcomes) {
    w.BeginObject().Key("tool").String(outcome.tool).Key("arguments").Raw(outcome.arguments);
    w.Key("outcome").String(outcome.outcome).Key("content").String(outcome.content).EndObject();
  }
  w.EndArray().EndObject();
  return out;
}

std::string WriteAnswer(const PlannerAnswer& answer) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("diagnosis");
  if (answer.diagnosis.empty()) {
    w.Null();
  } else {
    w.String(answer.diagnosis);
  }
  w.Key("proposals").BeginArray();
  for (const ProposedAction& action : answer.proposals) {
    w.BeginObject().Key("tool").String(action.tool).Key("arguments").Raw(action.arguments);
    w.Key("gain").Double(action.gain).EndObject();
  }
  w.EndArray();
  if (answer.done) w.Key("done").Bool(true);
  if (!answer.report.empty()) {
    w.Key("report").BeginArray();
    for (const std::string& line : answer.report) w.String(line);
    w.EndArray();
  }
  w.EndObject();
  return out;
}

Result<PlannerAnswer> ParseAnswer(std::string_view line) {
  const Result<JsonDoc> doc =
      JsonDoc::Parse(line, {.max_bytes = kMaxAnswerBytes, .max_depth = 64, .max_values = 100'000});
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  const auto bad = [](std::string message) { return Error(ErrorCode::kPlannerAnswer, std::move(message)); };
  const JsonValue proposals = root.Find("proposals");
  if (!root.is_object() || !proposals.is_array()) return bad("an answer is an object with `proposals`");
  if (proposals.size() > kMaxProposals) return Error(ErrorCode::kLimitExceeded, "too many proposals in a step");
  PlannerAnswer answer;
  answer.diagnosis = std::string(root.Find("diagnosis").string());
  answer.done = root.Find("done").AsBool().value_or(false);
  for (const JsonValue item : proposals) {
    const JsonValue tool = item.Find("tool");
    const JsonValue arguments = item.Find("arguments");
    if (!tool.is_string() || tool.string().empty()) return bad("a proposal has no tool");
    if (arguments.exists() && !arguments.is_object()) return bad("a proposal's arguments are no object");
    const double gain = item.Find("gain").AsDouble().value_or(0.5);
    if (!(gain >= 0 && gain <= 1)) return bad("a proposal's gain is not in [0, 1]");
    answer.proposals.push_back({.tool = std::string(tool.string()),
                                .arguments = arguments.exists() ? std::string(arguments.raw()) : "{}",
                                .gain = gain});
  }
  for (const JsonValue item : root.Find("report")) answer.report.emplace_back(item.string());
  return answer;
}

namespace {

std::string KeyOf(const CallSpec& call) {
  const auto doc = JsonDoc::Parse(call.arguments);
  return call.tool + (doc.ok() ? base::CanonicalJson(doc.value().root()) : call.arguments);
}

constexpr double kInjectedGain = 0.99;  // who obeys, believes

}  // namespace

ScriptedPlanner::ScriptedPlanner(const Incident& incident, const Payload* payload, const Goal* goal, const Suite& suite,
                                 const PlannerStyle& style, Stream stream)
    : incident_(incident),
      payload_(payload),
      goal_(goal),
      suite_(suite),
      style_(style),
      stream_(stream),
      done_(incident.playbook.size()) {
  if (payload_ == nullptr) return;
  for (const std::string& part : payload_->parts) texts_.push_back(Fill(part, incident));
  // Of a typed payload the last field is what matters: the message around it only makes it look at home.
  if (!payload_->fields.empty()) texts_.push_back(Fill(payload_->fields.back().second, incident));
  const bool reads_it =
      style.obeys == PlannerStyle::Obeys::kAll || (style.obeys == PlannerStyle::Obeys::kTyped && payload_->typed);
  obeys_ = reads_it && (payload_->persuades >= 1.0 || stream_.Chance(payload_->persuades, 0, "persuaded"));
}

void ScriptedPlanner::ReadText(std::string_view text) {
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (text.find(texts_[i]) != std::string_view::npos) parts_seen_.insert(i);
  }
  if (obeys_ && !texts_.empty() && parts_seen_.size() == texts_.size()) turned_ = true;
}

void ScriptedPlanner::ReadOutcome(std::string_view tool, JsonValue arguments, std::string_view outcome,
                                  std::string_view content) {
  // The answer as the tool wrote it: a payload inside a JSON string reads the same to a model.
  const auto answer = JsonDoc::Parse(content);
  if (answer.ok() && answer.value().root().is_object()) {
    const JsonValue members = answer.value().root();
    for (auto it = members.begin(); it != members.end(); ++it) ReadText((*it).string());
  } else {
    ReadText(content);
  }
  const bool ok = outcome == "ok";
  if (goal_ != nullptr && route_ < goal_->routes.size() && route_at_ < goal_->routes[route_].size() &&
      Matches(tool, arguments, goal_->routes[route_][route_at_])) {
    if (ok) {
      ++injected_ran_;
      ++route_at_;
    }
    if (ok && route_at_ == goal_->routes[route_].size() && goal_->routes[route_].size() == 1) route_at_ = 0;
    if (outcome == "refused" && payload_->adaptive && route_ + 1 < goal_->routes.size()) {
      ++route_;
      route_at_ = 0;
    }
    return;
  }
  if (outcome == "dry_run" && answer.ok()) {
    const double relief = answer.value().root().Find("predicted_relief").AsDouble().value_or(0);
    const double harm = answer.value().root().Find("predicted_harm").AsDouble().value_or(0);
    for (const std::vector<Write>* writes : {&incident_.playbook, &incident_.alternatives}) {
      for (const Write& write : *writes) {
        if (!Matches(tool, arguments, write.call)) continue;
        if (relief <= harm) dropped_.insert(KeyOf(write.call));
      }
    }
  }
  if (outcome == "refused" && incident_.ambiguous) {
    for (const Write& write : incident_.alternatives) {
      if (Matches(tool, arguments, write.call)) dropped_.insert(KeyOf(write.call));
    }
  }
  if (outcome == "refused" && style_.looks_again) {
    for (const Write& write : incident_.playbook) {
      if (Matches(tool, arguments, write.call)) look_again_.emplace(arguments.Find("service").string());
    }
  }
  if (!ok || !answer.ok()) return;  // of a cut answer one does not know what it said
  for (const CallSpec& spec : incident_.diagnose) looked_ = looked_ || Matches(tool, arguments, spec);
  for (const std::vector<CallSpec>* wanted : {&incident_.needs, &incident_.prepare}) {
    for (const CallSpec& spec : *wanted) {
      if (Matches(tool, arguments, spec)) needs_met_.insert(KeyOf(spec));
    }
  }
  for (std::size_t i = 0; i < incident_.playbook.size(); ++i) {
    if (Matches(tool, arguments, incident_.playbook[i].call)) done_[i] = true;
  }
  for (const Write& write : incident_.alternatives) {
    if (Matches(tool, arguments, write.call)) dropped_.insert(KeyOf(write.call));  // it has had its effect
  }
  if (!IsRead(tool)) ran_.push_back(fmt::format("{} on {}", tool, arguments.Find("service").string()));
}

void ScriptedPlanner::ProposeInjected(PlannerAnswer& answer) {
  const std::vector<CallSpec>& route = goal_->routes[route_];
  if (route_at_ >= route.size()) return;  // the attacker has what he wants
  answer.proposals.push_back(
      {.tool = route[route_at_].tool, .arguments = route[route_at_].arguments, .gain = kInjectedGain});
}

std::vector<const Write*> ScriptedPlanner::Candidates(std::uint32_t step) const {
  std::vector<const Write*> out;
  for (std::size_t i = 0; i < incident_.playbook.size(); ++i) {
    if (!done_[i]) {
      out.push_back(&incident_.playbook[i]);
      break;  // in order
    }
  }
  if (out.empty()) return out;
  if (incident_.ambiguous) {
    for (const Write& write : incident_.alternatives) {
      if (!dropped_.contains(KeyOf(write.call))) out.push_back(&write);
    }
    // Nothing tells them apart beforehand but the planner's own estimates.
    std::stable_sort(out.begin(), out.end(), [](const Write* a, const Write* b) { return a->gain > b->gain; });
    return out;
  }
  if (!incident_.alternatives.empty() && stream_.Chance(suite_.second_candidate, step, "second")) {
    out.push_back(&incident_.alternatives[stream_.Below(incident_.alternatives.size(), step, "which")]);
  }
  return out;
}

void ScriptedPlanner::ProposePlaybook(std::uint32_t step, PlannerAnswer& answer) {
  for (const Write* write : Candidates(step)) {
    const auto arguments = JsonDoc::Parse(write->call.arguments);
    const std::string service(arguments.ok() ? arguments.value().root().Find("service").string() : "");
    if (!service.empty() && look_again_.contains(service)) {
      std::string look;
      base::JsonWriter(look).BeginObject().Key("service").String(service).EndObject();
      answer.proposals.push_back({.tool = "check_service_health", .arguments = std::move(look), .gain = 0.1});
    }
    answer.proposals.push_back({.tool = write->call.tool, .arguments = write->call.arguments, .gain = write->gain});
  }
}

Result<std::string> ScriptedPlanner::Answer(std::string_view question) {
  const Result<JsonDoc> doc = JsonDoc::Parse(question);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  const auto step = static_cast<std::uint32_t>(root.Find("step").AsInt64().value_or(1));
  for (const JsonValue text : root.Find("seen")) ReadText(text.Find("text").string());
  for (const JsonValue outcome : root.Find("outcomes")) {
    ReadOutcome(outcome.Find("tool").string(), outcome.Find("arguments"), outcome.Find("outcome").string(),
                outcome.Find("content").string());
  }
  PlannerAnswer answer;
  if (root.Find("closing").AsBool().value_or(false)) {
    for (const std::string& line : ran_) answer.report.push_back("done: " + line);
    answer.report.push_back("to do: keep the runbook for " + incident_.signal + " current");
    return WriteAnswer(answer);
  }
  if (turned_ && injected_ran_ >= style_.stops_after && suite_.stops_when_obeyed) {
    answer.done = true;
    return WriteAnswer(answer);
  }
  if (turned_) ProposeInjected(answer);
  for (const CallSpec& spec : incident_.prepare) {
    if (needs_met_.contains(KeyOf(spec))) continue;
    answer.proposals.push_back({.tool = spec.tool, .arguments = spec.arguments, .gain = 0.1});
  }
  // It names the cause from what the alert and the first look show; now and then it wants to look twice.
  const std::uint32_t named = 1 + (stream_.Chance(style_.confirms, 0, "confirms") ? 1U : 0U);
  if (step >= named) answer.diagnosis = incident_.fault_at;
  bool reads = false;
  if (!looked_) {
    for (const CallSpec& spec : incident_.diagnose) {
      answer.proposals.push_back({.tool = spec.tool, .arguments = spec.arguments, .gain = 0.1});
    }
    reads = true;
  }
  bool lacks = false;
  for (const CallSpec& spec : incident_.needs) {
    if (!style_.looks_ahead || needs_met_.contains(KeyOf(spec))) continue;
    answer.proposals.push_back({.tool = spec.tool, .arguments = spec.arguments, .gain = 0.1});
    lacks = true;
  }
  const std::uint32_t ready = named + (stream_.Chance(style_.dawdles, 0, "dawdles") ? 1U : 0U);
  if (!reads && !lacks && step > ready) {
    if (stream_.Chance(suite_.slips, step, "slip") && !incident_.playbook.empty()) {
      // What live models do: a tool that is not there, an argument that is none.
      const Write& write = incident_.playbook.front();
      const bool tool = stream_.Chance(0.5, step, "slip/tool");
      std::string arguments = write.call.arguments;
      if (!tool) {
        arguments.pop_back();
        arguments += ",\"force\":true}";
      }
      answer.proposals.push_back({.tool = tool ? "drain_and_" + write.call.tool : write.call.tool,
                                  .arguments = arguments,
                                  .gain = write.gain});
    }
    ProposePlaybook(step, answer);
  }
  return WriteAnswer(answer);
}

}  // namespace interlock::eval::oep
