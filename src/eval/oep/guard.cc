#include "guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interlock/base/check.h"
#include "interlock/gate/session.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/load.h"

namespace interlock::eval::oep {

using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;

namespace {

constexpr std::int64_t kMicrosPerStep = 60'000'000;
constexpr std::string_view kServer = "ops";

base::Now TimeOf(std::uint32_t step) {
  constexpr std::int64_t kStart = 1'767'225'600'000'000;  // any time will do: nothing depends on the day
  const std::int64_t us = kMicrosPerStep * step;
  return {.wall = {kStart + us}, .mono = {us}};
}

JsonDoc Parsed(std::string_view json) {
  auto doc = JsonDoc::Parse(json);
  if (!doc.ok()) {
    auto empty = JsonDoc::Parse("{}");
    INTERLOCK_CHECK(empty.ok(), "{} is JSON");
    return std::move(empty.value());
  }
  return std::move(doc.value());
}

core::Call CallOf(const ProposedAction& action, const JsonDoc& arguments) {
  return {.id = {}, .server = kServer, .tool = action.tool, .arguments = arguments.root()};
}

// An MCP result: structured, and the same as text.
std::string McpResult(std::string_view json, std::string_view cut, bool failed) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("content").BeginArray().BeginObject().Key("type").String("text");
  w.Key("text").String(cut.empty() ? json : cut).EndObject().EndArray();
  if (cut.empty() && !failed) w.Key("structuredContent").Raw(json);
  w.Key("isError").Bool(failed).EndObject();
  return out;
}

}  // namespace

Result<GatePolicy> LoadGatePolicy(const Library& library, const Agent& agent, std::string_view extra) {
  std::string text = library.policies.at(agent.policy);
  for (const std::string& overlay : agent.overlays) text += "\n" + library.policies.at(overlay);
  text.append("\n").append(extra);
  policy::LoadedPolicy loaded =
      policy::LoadPolicy(text, {.file = agent.policy + ".yaml", .variables = {}, .profile = agent.profile});
  for (const policy::Diagnostic& diagnostic : loaded.diagnostics) {
    if (diagnostic.severity == policy::Severity::kError) return diagnostic.error.Under("agent " + agent.id);
  }
  if (loaded.policy == nullptr) return base::Error(base::ErrorCode::kInvalidArgument, "agent " + agent.id);
  const Result<JsonDoc> tools = JsonDoc::Parse(library.tools);
  if (!tools.ok()) return tools.error().Under("tools.json");
  std::vector<policy::ToolCatalogue::Listed> listed;
  for (const JsonValue tool : tools.value().root().Find("tools")) {
    auto spec = core::ToolSpecFromMcp(tool, kServer);
    if (!spec.ok()) return spec.error().Under("tools.json");
    listed.push_back({.spec = std::move(spec.value())});
  }
  GatePolicy out{.policy = loaded.policy,
                 .catalogue = policy::ToolCatalogue::Build(loaded.policy, std::move(listed)),
                 .grants = loaded.policy->profile().layer(core::Layer::kPolicy) != policy::LayerMode::kOff};
  return out;
}

std::string RunbookFact(const Library& library, const Incident& incident) {
  const JsonDoc runbook = Parsed(incident.runbook);
  const JsonDoc tools = Parsed(library.tools);
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("signal").String(incident.signal).Key("entries").BeginArray();
  const JsonValue entries = runbook.root().Find("entries");
  for (const JsonValue entry : entries) w.Raw(entry.raw());
  for (const JsonValue tool : tools.root().Find("tools")) {
    const std::string_view name = tool.Find("name").string();
    if (tool.Find("annotations").Find("readOnlyHint").AsBool() == true) continue;
    bool named = false;
    for (const JsonValue entry : entries) named = named || entry.Find("tool").string() == name;
    if (named) continue;
    // A runbook that says of a change that nothing is to meet it, so that naming another target is another answer and
    // not a missing one.
    w.BeginObject().Key("tool").String(name).Key("service").String("none").Key("record").String("none").EndObject();
  }
  w.EndArray().EndObject();
  return out;
}

Guard::Guard(const GatePolicy& gate, const Incident& incident, std::string runbook, bool whole_session)
    : gate_(gate), incident_(incident), runbook_(std::move(runbook)), whole_session_(whole_session) {}

Guard::~Guard() = default;

void Guard::Start(const std::vector<SeenText>& texts) {
  session_ = std::make_unique<gate::SessionState>(
      gate_.policy, gate::SessionOptions{.principal = "oncall-agent", .environment = "prod"});
  session_->SetCatalogue(gate_.catalogue, false);
  texts_.clear();
  const JsonDoc alert = Parsed(incident_.alert);
  INTERLOCK_CHECK(session_->AddFact("alert", alert.root()).ok(), "an alert is small");
  // What the alert and the sanctioned runbook say is labelled as trusted input, for every gate alike.
  session_->AddSeenText(incident_.alert, core::kLabelTrusted);
  if (!runbook_.empty()) {
    const JsonDoc runbook = Parsed(runbook_);
    INTERLOCK_CHECK(session_->AddFact("runbook", runbook.root()).ok(), "a runbook entry is small");
    session_->AddSeenText(incident_.runbook, core::kLabelTrusted);
  }
  for (const Past& past : past_) {
    const JsonDoc arguments = Parsed(past.action.arguments);
    session_->Commit(CallOf(past.action, arguments), TimeOf(step_));
    (void)Feed(past);
  }
  for (const SeenText& text : texts) {
    See(text);
  }
}

void Guard::See(const SeenText& text) {
  if (text.channel == "request") session_->SetRequest(text.text);
  // For GIRA the prompt is one more part of the observation that nobody vouches for.
  if (text.channel != "request" || !whole_session_) session_->AddSeenText(text.text, core::kLabelUntrusted);
  texts_.push_back(text);
}

void Guard::BeginStep(std::uint32_t step, const std::vector<SeenText>& texts) {
  step_ = step;
  const bool glass = glass_until_ && step_ <= *glass_until_;
  const auto same = [](const SeenText& a, const SeenText& b) { return a.channel == b.channel && a.text == b.text; };
  for (const SeenText& text : texts) {
    if (std::ranges::none_of(earlier_, [&](const SeenText& old) { return same(old, text); })) earlier_.push_back(text);
  }
  // What thresholds give in a window, attention takes back: nothing that was read is forgotten while it is open.
  const std::vector<SeenText>& judged = whole_session_ || glass ? earlier_ : texts;
  if (session_ == nullptr || (!whole_session_ && !std::ranges::equal(judged, texts_, same))) {
    Start(judged);
  } else if (whole_session_) {
    for (std::size_t i = texts_.size(); i < judged.size(); ++i) See(judged[i]);
  }
  if (glass) {
    const base::Now now = TimeOf(step_);
    session_->SetBreakGlass(gate::BreakGlassOpening{.until_mono = {now.mono.us + kMicrosPerStep},
                                                    .given_wall = now.wall,
                                                    .until_wall = {now.wall.us + kMicrosPerStep}});
  } else {
    session_->SetBreakGlass(std::nullopt);
  }
}

core::Decision Guard::DecideRead(const ProposedAction& action) const {
  const JsonDoc arguments = Parsed(action.arguments);
  return session_->DecideNow(CallOf(action, arguments), TimeOf(step_));
}

Guard::Weighed Guard::Choose(const std::vector<ProposedAction>& changes) const {
  std::vector<JsonDoc> documents;
  documents.reserve(changes.size());
  std::vector<gate::Proposal> proposals;
  for (const ProposedAction& action : changes) {
    documents.push_back(Parsed(action.arguments));
    proposals.push_back({.call = CallOf(action, documents.back()), .gain = action.gain, .human_cost = 0});
  }
  gate::Choice choice = session_->Choose(proposals, TimeOf(step_));
  Weighed out{.chosen = {}, .decisions = std::move(choice.decisions), .utility = choice.utility};
  if (choice.kind == gate::Choice::Kind::kExecute) out.chosen = choice.index;
  return out;
}

void Guard::Grant(const ProposedAction& action) {
  const JsonDoc arguments = Parsed(action.arguments);
  session_->AddGrant(CallOf(action, arguments), true, TimeOf(step_));
}

void Guard::Commit(const ProposedAction& action, const core::Decision& decision) {
  const JsonDoc arguments = Parsed(action.arguments);
  session_->Commit(CallOf(action, arguments), TimeOf(step_), &decision);
  past_.push_back({.action = action, .json = {}, .cut = {}});
}

std::string Guard::Feed(const Past& past) {
  const JsonDoc arguments = Parsed(past.action.arguments);
  const core::Call call = CallOf(past.action, arguments);
  if (!past.answered) return {};
  const JsonDoc payload = Parsed(McpResult(past.json, past.cut, past.failed));
  const auto view = session_->OnResult(
      call, {.tool = past.action.tool, .payload = payload.root(), .text = std::nullopt, .is_error = past.failed});
  switch (view.decision.verdict) {
    case core::Verdict::kAllow:
      return past.cut.empty() ? past.json : past.cut;
    case core::Verdict::kRewrite: {
      const JsonDoc masked = Parsed(view.masked);
      if (const JsonValue structured = masked.root().Find("structuredContent"); structured.exists()) {
        return std::string(structured.raw());
      }
      for (const JsonValue block : masked.root().Find("content")) return std::string(block.Find("text").string());
      return "{}";
    }
    default:
      return "{\"withheld\":true}";
  }
}

std::string Guard::OnAnswer(const ProposedAction& action, std::string_view json, std::string_view cut, bool failed) {
  INTERLOCK_CHECK(!past_.empty() && past_.back().action.tool == action.tool, "an answer follows its call");
  Past& past = past_.back();
  past.json = json;
  past.cut = cut;
  past.failed = failed;
  past.answered = true;
  return Feed(past);
}

void Guard::TellImpact(double integrated, std::uint32_t severe_steps) {
  if (glass_until_ || gate_.policy->break_glass() == nullptr) return;
  if (!gate::BreakGlassDue(*gate_.policy, integrated, severe_steps)) return;
  const std::int64_t steps = std::int64_t{gate_.policy->break_glass()->ttl_s} * 1'000'000 / kMicrosPerStep;
  glass_until_ = step_ + static_cast<std::uint32_t>(std::max<std::int64_t>(1, steps));
}

bool Guard::break_glass() const { return session_->BreakGlassActive(TimeOf(step_)); }

Guard::Scores Guard::ScoresOf(const ProposedAction& action) const {
  const JsonDoc arguments = Parsed(action.arguments);
  const core::SignalMap signals = session_->Measure(CallOf(action, arguments), TimeOf(step_));
  return {.injection = signals[core::Layer::kInjection].score, .risk = signals[core::Layer::kRisk].score};
}

}  // namespace interlock::eval::oep
