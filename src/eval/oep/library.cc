#include "library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "../import_common.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

namespace interlock::embedded {
std::string_view Find_oep_data(std::string_view file);
std::string_view Name_oep_data(std::size_t index);
std::string_view Find_oep_schemas(std::string_view file);
}  // namespace interlock::embedded

namespace interlock::eval {
namespace oep {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::Result;
using base::Status;

// The shape of every file is its schema's business; what stands below reads what has been checked.
Result<JsonDoc> Checked(std::string_view json, std::string_view schema_name) {
  Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc;
  const std::string_view text = embedded::Find_oep_schemas(std::string(schema_name) + ".json");
  const Result<JsonDoc> schema_doc = JsonDoc::Parse(text);
  if (!schema_doc.ok()) return schema_doc.error().Under(schema_name);
  const Result<policy::JsonSchema> schema = policy::JsonSchema::Compile(schema_doc.value().root());
  if (!schema.ok()) return schema.error().Under(schema_name);
  const policy::SchemaOutcome outcome = schema.value().Validate(doc.value().root());
  if (outcome.valid()) return doc;
  if (outcome.violations.empty()) return ShapeError(doc.value().root(), "too large to be checked");
  const policy::SchemaViolation& first = outcome.violations.front();
  return ShapeError(doc.value().root().FindPointer(first.instance_pointer),
                    fmt::format("`{}`: {}", first.instance_pointer, first.message));
}

std::string Text(JsonValue object, std::string_view key, std::string_view otherwise = {}) {
  const JsonValue value = object.Find(key);
  return std::string(value.is_string() ? value.string() : otherwise);
}
double Number(JsonValue object, std::string_view key, double otherwise = 0) {
  return object.Find(key).AsDouble().value_or(otherwise);
}
std::uint32_t Count(JsonValue object, std::string_view key, std::uint32_t otherwise = 0) {
  return static_cast<std::uint32_t>(object.Find(key).AsInt64().value_or(otherwise));
}
bool Flag(JsonValue object, std::string_view key, bool otherwise = false) {
  return object.Find(key).AsBool().value_or(otherwise);
}
std::vector<std::string> Texts(JsonValue array) {
  std::vector<std::string> out;
  for (const JsonValue item : array) out.emplace_back(item.string());
  return out;
}
// On one line, as it goes through a planner's pipe.
std::string Raw(JsonValue value) { return value.exists() ? base::CanonicalJson(value) : std::string(); }

CallSpec CallOf(JsonValue value) {
  CallSpec call{.tool = Text(value, "tool")};
  if (value.Find("arguments").exists()) call.arguments = Raw(value.Find("arguments"));
  return call;
}
std::vector<CallSpec> CallsOf(JsonValue array) {
  std::vector<CallSpec> out;
  for (const JsonValue item : array) out.push_back(CallOf(item));
  return out;
}
std::vector<Write> WritesOf(JsonValue array) {
  std::vector<Write> out;
  for (const JsonValue item : array) {
    out.push_back({.call = CallOf(item),
                   .gain = Number(item, "gain"),
                   .relief = Number(item, "relief"),
                   .harm = Number(item, "harm"),
                   .harm_at = Text(item, "harm_at"),
                   .harm_steps = Count(item, "harm_steps")});
  }
  return out;
}

std::vector<Phase> PhasesOf(JsonValue array) {
  std::vector<Phase> out;
  for (const JsonValue item : array) {
    const std::string name = item.is_string() ? std::string(item.string()) : Text(item, "phase");
    Phase phase;
    phase.phase = static_cast<std::size_t>(std::ranges::find(kPhases, name) - std::begin(kPhases));
    const std::string check = item.is_string() ? std::string() : Text(item, "check");
    if (check == "diagnosis" || (check.empty() && name == "detection")) phase.check = Phase::Check::kDiagnosis;
    if (check == "mitigated" ||
        (check.empty() && (name == "containment" || name == "eradication" || name == "recovery"))) {
      phase.check = Phase::Check::kMitigated;
    }
    if (check == "report" || (check.empty() && name == "post-incident")) phase.check = Phase::Check::kReport;
    if (!item.is_string()) phase.calls = CallsOf(item.Find("calls"));
    out.push_back(std::move(phase));
  }
  return out;
}

Result<Goal> GoalOf(JsonValue goal) {
  Goal out{.routes = {}, .harm = Number(goal, "harm", 0.7), .exfiltration = Flag(goal, "exfiltration")};
  if (goal.Find("tool").exists()) out.routes.push_back({CallOf(goal)});
  for (const JsonValue route : goal.Find("routes")) out.routes.push_back(CallsOf(route));
  return out;
}

}  // namespace

const Service* World::Find(std::string_view name) const noexcept {
  for (const Service& service : services) {
    if (service.name == name) return &service;
  }
  return nullptr;
}

Result<World> ParseWorld(std::string_view json) {
  const Result<JsonDoc> doc = Checked(json, "interlock.oep-world.v1");
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  World world{.attenuation = Number(root, "attenuation", 0.6), .services = {}, .targets = Texts(root.Find("targets"))};
  for (const JsonValue item : root.Find("services")) {
    world.services.push_back({.name = Text(item, "name"),
                              .critical = Flag(item, "critical"),
                              .calls = Texts(item.Find("calls")),
                              .versions = Texts(item.Find("versions"))});
  }
  for (const Service& service : world.services) {
    for (const std::string& called : service.calls) {
      if (world.Find(called) == nullptr) return ShapeError(root, fmt::format("no service `{}`", called));
    }
  }
  return world;
}

Result<Incident> ParseIncident(std::string_view json) {
  const Result<JsonDoc> doc = Checked(json, "interlock.oep-incident.v1");
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  const JsonValue alert = root.Find("alert");
  const JsonValue fault = root.Find("fault");
  Incident out;
  out.id = Text(root, "id");
  out.title = Text(root, "title");
  out.service = Text(alert, "service");
  out.signal = Text(alert, "signal");
  out.severity = Text(alert, "severity");
  out.alert = Raw(alert);
  if (const JsonValue runbook = root.Find("runbook"); runbook.is_array() && runbook.size() > 0) {
    out.runbook = fmt::format("{{\"signal\":\"{}\",\"entries\":{}}}", out.signal, Raw(runbook));
  }
  out.request = Text(root, "request");
  out.ticket = Text(root, "ticket");
  out.logs = Texts(root.Find("logs"));
  out.fault_at = Text(fault, "service");
  out.fault_kind = Text(fault, "kind");
  out.level = Number(fault, "level");
  out.growth = Number(fault, "growth");
  out.prepare = CallsOf(root.Find("prepare"));
  out.diagnose = CallsOf(root.Find("diagnose"));
  out.needs = CallsOf(root.Find("needs"));
  out.playbook = WritesOf(root.Find("playbook"));
  out.alternatives = WritesOf(root.Find("alternatives"));
  out.ambiguous = Flag(root, "ambiguous");
  for (const JsonValue item : root.Find("cascades")) {
    out.cascades.push_back(
        {.after = Count(item, "after"), .service = Text(item, "service"), .level = Number(item, "level")});
  }
  out.phases = PhasesOf(root.Find("phases"));
  return out;
}

Result<std::vector<Payload>> ParsePayloads(std::string_view json) {
  const Result<JsonDoc> doc = Checked(json, "interlock.oep-attacks.v1");
  if (!doc.ok()) return doc.error();
  std::vector<Payload> out;
  for (const JsonValue item : doc.value().root().Find("payloads")) {
    Payload payload;
    payload.id = Text(item, "id");
    payload.attack = Text(item, "attack");
    payload.channel = Text(item, "channel");
    payload.objective = Text(item, "objective");
    payload.technique = Text(item, "technique");
    payload.atlas = Texts(item.Find("atlas"));
    payload.attck = Texts(item.Find("attck"));
    payload.half = Text(item, "half");
    if (item.Find("text").exists()) payload.parts.push_back(Text(item, "text"));
    for (std::string& part : Texts(item.Find("parts"))) payload.parts.push_back(std::move(part));
    const JsonValue fields = item.Find("fields");
    for (auto it = fields.begin(); it != fields.end(); ++it) {
      payload.fields.emplace_back(std::string(it.key()), std::string((*it).string()));
    }
    payload.surface_tool = Text(item.Find("surface"), "tool");
    payload.surface_service = Text(item.Find("surface"), "service");
    payload.typed = Flag(item, "typed");
    payload.official = Flag(item, "looks_official");
    payload.adaptive = Flag(item, "adaptive");
    payload.persuades = Number(item, "persuades", 1.0);
    payload.incidents = Texts(item.Find("incidents"));
    payload.goal_json = Raw(item.Find("goal"));
    out.push_back(std::move(payload));
  }
  return out;
}

Result<std::vector<Agent>> ParseAgents(std::string_view json) {
  const Result<JsonDoc> doc = Checked(json, "interlock.oep-agents.v1");
  if (!doc.ok()) return doc.error();
  std::vector<Agent> out;
  for (const JsonValue item : doc.value().root().Find("agents")) {
    Agent agent;
    agent.id = Text(item, "id");
    agent.title = Text(item, "title");
    agent.profile = Text(item, "profile");
    agent.policy = Text(item, "policy", agent.policy);
    agent.overlays = Texts(item.Find("overlays"));
    agent.whole_session = Text(item, "window", "session") == "session";
    agent.nobody_answers = Flag(item, "nobody_answers");
    agent.batch = Flag(item, "batch");
    agent.break_glass = Flag(item, "break_glass");
    const JsonValue planner = item.Find("planner");
    const std::string obeys = Text(planner, "obeys", "all");
    agent.planner.obeys = obeys == "all"     ? PlannerStyle::Obeys::kAll
                          : obeys == "typed" ? PlannerStyle::Obeys::kTyped
                                             : PlannerStyle::Obeys::kNothing;
    agent.planner.stops_after = Count(planner, "stops_after", agent.planner.stops_after);
    agent.planner.confirms = Number(planner, "confirms");
    agent.planner.dawdles = Number(planner, "dawdles");
    agent.planner.looks_ahead = Flag(planner, "looks_ahead", true);
    agent.planner.looks_again = Flag(planner, "looks_again");
    out.push_back(std::move(agent));
  }
  return out;
}

Result<Suite> ParseSuite(std::string_view json) {
  const Result<JsonDoc> doc = Checked(json, "interlock.oep-suite.v1");
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  Suite out;
  out.id = Text(root, "id");
  out.title = Text(root, "title");
  out.steps = Count(root, "steps", out.steps);
  out.until_mitigated = Text(root, "until", "mitigated") == "mitigated";
  out.stops_when_obeyed = Flag(root, "stops_when_obeyed", true);
  const JsonValue noise = root.Find("noise");
  out.noise = {.metric = Number(noise, "metric"),
               .log_drop = Number(noise, "log_drop"),
               .read_failure = Number(noise, "read_failure"),
               .write_failure = Number(noise, "write_failure"),
               .partial = Number(noise, "partial"),
               .rate_limited = Number(noise, "rate_limited"),
               .unauthorised = Number(noise, "unauthorised"),
               .drift = Number(noise, "drift")};
  const JsonValue approver = root.Find("approver");
  out.approver = {.grant = Number(approver, "grant"), .believes_official = Flag(approver, "believes_official")};
  out.second_candidate = Number(root, "second_candidate");
  out.slips = Number(root, "slips");
  out.incidents = Texts(root.Find("incidents"));
  for (const JsonValue item : root.Find("settings")) {
    out.settings.push_back({.id = Text(item, "id"),
                            .title = Text(item, "title", Text(item, "id")),
                            .payloads = Texts(item.Find("payloads"))});
  }
  out.agents = Texts(root.Find("agents"));
  out.no_runbook = Texts(root.Find("no_runbook"));
  out.companions = Texts(root.Find("companions"));
  return out;
}

std::string Fill(std::string_view text, const Incident& incident) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> words = {{{"${service}", incident.service},
                                                                               {"${fault}", incident.fault_at},
                                                                               {"${signal}", incident.signal},
                                                                               {"${incident}", incident.id}}};
  std::string out(text);
  for (const auto& [word, value] : words) {
    for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word, at + value.size())) {
      out.replace(at, word.size(), value);
    }
  }
  return out;
}

Result<Goal> GoalFor(const Payload& payload, const Incident& incident) {
  const Result<JsonDoc> doc = ParseRecord(Fill(payload.goal_json, incident));
  if (!doc.ok()) return doc.error().Under(payload.id);
  return GoalOf(doc.value().root());
}

namespace {

// What one file adds to the library.
Status AddFile(const OepFile& file, Library& library) {
  const std::string_view name = file.name;
  if (name == "world.json") {
    Result<World> world = ParseWorld(file.bytes);
    if (!world.ok()) return world.error();
    library.world = std::move(world.value());
  } else if (name == "tools.json") {
    const Result<JsonDoc> doc = ParseRecord(file.bytes);
    if (!doc.ok()) return doc.error();
    if (!doc.value().root().Find("tools").is_array()) return ShapeError(doc.value().root(), "no list of tools");
    library.tools = Raw(doc.value().root());
  } else if (name.starts_with("agents")) {
    Result<std::vector<Agent>> agents = ParseAgents(file.bytes);
    if (!agents.ok()) return agents.error();
    for (Agent& agent : agents.value()) {
      std::string id = agent.id;
      library.agents.insert_or_assign(std::move(id), std::move(agent));
    }
  } else if (name.starts_with("incidents/")) {
    Result<Incident> incident = ParseIncident(file.bytes);
    if (!incident.ok()) return incident.error();
    std::string id = incident.value().id;
    library.incidents.insert_or_assign(std::move(id), std::move(incident.value()));
  } else if (name.starts_with("attacks/")) {
    Result<std::vector<Payload>> payloads = ParsePayloads(file.bytes);
    if (!payloads.ok()) return payloads.error();
    for (Payload& payload : payloads.value()) {
      std::string id = payload.id;
      library.payloads.insert_or_assign(std::move(id), std::move(payload));
    }
  } else if (name.starts_with("suites/")) {
    Result<Suite> suite = ParseSuite(file.bytes);
    if (!suite.ok()) return suite.error();
    std::string id = suite.value().id;
    library.suites.insert_or_assign(std::move(id), std::move(suite.value()));
  } else if (name.starts_with("policies/") && name.ends_with(".yaml")) {
    const std::size_t begin = std::string_view("policies/").size();
    const std::size_t end = std::string_view(".yaml").size();
    library.policies.insert_or_assign(std::string(name.substr(begin, name.size() - begin - end)), file.bytes);
  } else {
    return Error(ErrorCode::kImportShape, "not a name of the simulator's data");
  }
  return {};
}

Error Lacks(std::string_view what, const std::string& id, const std::string& in) {
  return Error(ErrorCode::kImportShape, fmt::format("`{}`: there is no {} `{}`", in, what, id));
}

// Names that one file says and another has to know.
Status CheckNames(const Library& library) {
  if (library.world.services.empty() || library.tools.empty()) {
    return Error(ErrorCode::kImportShape, "world.json and tools.json are needed");
  }
  for (const auto& [id, incident] : library.incidents) {
    for (const std::string& service : {incident.service, incident.fault_at}) {
      if (library.world.Find(service) == nullptr) return Lacks("service", service, id);
    }
  }
  for (const auto& [id, agent] : library.agents) {
    if (!library.policies.contains(agent.policy)) return Lacks("policy", agent.policy, id);
    for (const std::string& overlay : agent.overlays) {
      if (!library.policies.contains(overlay)) return Lacks("policy", overlay, id);
    }
  }
  for (const auto& [id, payload] : library.payloads) {
    for (const std::string& incident : payload.incidents) {
      if (!library.incidents.contains(incident)) return Lacks("incident", incident, id);
    }
    for (const auto& [name, incident] : library.incidents) {
      const Result<Goal> goal = GoalFor(payload, incident);
      if (!goal.ok()) return goal.error();
    }
  }
  for (const auto& [id, suite] : library.suites) {
    for (const std::string& incident : suite.incidents) {
      if (!library.incidents.contains(incident)) return Lacks("incident", incident, id);
    }
    for (const Setting& setting : suite.settings) {
      for (const std::string& payload : setting.payloads) {
        if (!library.payloads.contains(payload)) return Lacks("payload", payload, id);
      }
    }
    for (const std::string& companion : suite.companions) {
      if (!library.suites.contains(companion)) return Lacks("suite", companion, id);
    }
    for (const std::string& agent : suite.agents) {
      if (!library.agents.contains(agent)) return Lacks("agent", agent, id);
    }
  }
  return {};
}

}  // namespace
}  // namespace oep

OepLibrary::OepLibrary(std::unique_ptr<const oep::Library> data) : data_(std::move(data)) {}
OepLibrary::~OepLibrary() = default;

base::Result<std::shared_ptr<const OepLibrary>> OepLibrary::Load(std::span<const OepFile> files) {
  auto data = std::make_unique<oep::Library>();
  for (const OepFile& file : files) {
    if (base::Status status = oep::AddFile(file, *data); !status.ok()) return status.error().Under(file.name);
  }
  if (base::Status status = oep::CheckNames(*data); !status.ok()) return status.error();
  return std::shared_ptr<const OepLibrary>(new OepLibrary(std::move(data)));
}

std::vector<std::string> OepLibrary::suites() const {
  std::vector<std::string> out;
  for (const auto& [id, suite] : data_->suites) out.push_back(id);
  return out;
}

std::vector<OepFile> BuiltInOepFiles() {
  std::vector<OepFile> out;
  for (std::size_t i = 0; !embedded::Name_oep_data(i).empty(); ++i) {
    const std::string_view name = embedded::Name_oep_data(i);
    out.push_back({.name = std::string(name), .bytes = std::string(embedded::Find_oep_data(name))});
  }
  return out;
}

}  // namespace interlock::eval
