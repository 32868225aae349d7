// All runs of a suite, on as many threads as wanted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "../import_common.h"
#include "interlock/base/json.h"
#include "run.h"

namespace interlock::eval {
namespace oep {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

struct Work {
  RunPlan plan;
  std::vector<OepRun>* into = nullptr;
  std::size_t at = 0;
};

// One suite's runs, in order: agents, seeds, incidents, settings.
void Expand(const Library& library, const ToolSchemas& schemas, const Suite& suite,
            const std::vector<const Agent*>& agents, const std::map<std::string, const GatePolicy*>& gates,
            const OepOptions& options, std::vector<OepRun>& runs, std::vector<Work>& work) {
  for (const Agent* agent : agents) {
    for (std::uint32_t s = 0; s < options.seeds; ++s) {
      for (const std::string& incident : suite.incidents) {
        for (const Setting& setting : suite.settings) {
          work.push_back({.plan = {.library = &library,
                                   .schemas = &schemas,
                                   .suite = &suite,
                                   .incident = &library.incidents.at(incident),
                                   .setting = &setting,
                                   .agent = agent,
                                   .gate = gates.at(agent->id),
                                   .seed = options.seed + s,
                                   .trace = options.traces,
                                   .answers = options.answers},
                          .into = &runs,
                          .at = runs.size()});
          runs.emplace_back();
        }
      }
    }
  }
}

Status Drive(std::vector<Work>& work, const OepOptions& options) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<std::pair<std::size_t, Error>> failure;  // the first in order: the same at any number of threads
  const auto fail = [&](std::size_t at, const Error& error) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!failure || at < failure->first) failure.emplace(at, error);
  };
  const auto loop = [&] {
    std::unique_ptr<OepPlanner> planner;
    if (options.planner) {
      auto made = options.planner();
      if (!made.ok()) {
        fail(0, made.error());
        return;
      }
      planner = std::move(made.value());
    }
    for (std::size_t i = next.fetch_add(1); i < work.size(); i = next.fetch_add(1)) {
      work[i].plan.planner = planner.get();
      Result<OepRun> run = RunOne(work[i].plan);
      if (!run.ok()) {
        fail(i, run.error());
        next = work.size();
        return;
      }
      (*work[i].into)[work[i].at] = std::move(run.value());
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i < options.threads; ++i) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  if (failure) return failure->second;
  return {};
}

class TranscriptPlanner final : public OepPlanner {
 public:
  explicit TranscriptPlanner(std::map<std::string, std::string> answers) : answers_(std::move(answers)) {}
  Result<std::string> Answer(std::string_view question) override {
    const auto doc = base::JsonDoc::Parse(question);
    if (!doc.ok()) return doc.error();
    const base::JsonValue root = doc.value().root();
    const std::string key = fmt::format("{}#{}{}", root.Find("run").string(), root.Find("step").AsInt64().value_or(0),
                                        root.Find("closing").AsBool().value_or(false) ? "!" : "");
    const auto it = answers_.find(key);
    if (it == answers_.end()) return Error(ErrorCode::kPlannerAnswer, "the transcript has no answer for " + key);
    return it->second;
  }

 private:
  std::map<std::string, std::string> answers_;
};

}  // namespace
}  // namespace oep

base::Result<std::unique_ptr<OepPlanner>> ReplayPlanner(std::string_view transcript) {
  std::map<std::string, std::string> answers;
  while (!transcript.empty()) {
    const std::size_t end = std::min(transcript.find('\n'), transcript.size());
    const std::string_view line = transcript.substr(0, end);
    transcript.remove_prefix(std::min(end + 1, transcript.size()));
    if (line.empty()) continue;
    const auto doc = ParseRecord(line);
    if (!doc.ok()) return doc.error();
    const base::JsonValue root = doc.value().root();
    if (!root.Find("run").is_string() || !root.Find("step").is_number() || !root.Find("answer").is_object()) {
      return ShapeError(root, "a transcript line has `run`, `step` and `answer`");
    }
    answers.insert_or_assign(fmt::format("{}#{}{}", root.Find("run").string(), root.Find("step").AsInt64().value_or(0),
                                         root.Find("closing").AsBool().value_or(false) ? "!" : ""),
                             std::string(root.Find("answer").raw()));
  }
  return std::unique_ptr<OepPlanner>(std::make_unique<oep::TranscriptPlanner>(std::move(answers)));
}

base::Result<OepRuns> RunOep(const OepLibrary& library, const OepOptions& options) {
  using namespace oep;
  const Library& data = library.data();
  const auto suite = data.suites.find(options.suite);
  if (suite == data.suites.end()) {
    return base::Error(base::ErrorCode::kInvalidArgument, "there is no suite `" + options.suite + "`");
  }
  for (const std::string& agent : options.agents) {
    if (!data.agents.contains(agent)) {
      return base::Error(base::ErrorCode::kInvalidArgument, "there is no agent `" + agent + "`");
    }
  }
  const auto agents_of = [&](const Suite& one) {
    std::vector<const Agent*> agents;
    for (const std::string& id : one.agents) {
      const bool wanted = options.agents.empty() || std::ranges::find(options.agents, id) != options.agents.end();
      if (wanted) agents.push_back(&data.agents.at(id));
    }
    return agents;
  };
  base::Result<ToolSchemas> schemas = CompileToolSchemas(data);
  if (!schemas.ok()) return schemas.error();
  std::vector<const Suite*> suites{&suite->second};
  for (const std::string& id : suite->second.companions) suites.push_back(&data.suites.at(id));
  std::map<std::string, GatePolicy> owned;
  std::map<std::string, const GatePolicy*> gates;
  for (const Suite* one : suites) {
    for (const Agent* agent : agents_of(*one)) {
      if (owned.contains(agent->id)) continue;
      base::Result<GatePolicy> gate = LoadGatePolicy(data, *agent);
      if (!gate.ok()) return gate.error();
      gates[agent->id] = &owned.emplace(agent->id, std::move(gate.value())).first->second;
    }
  }
  OepRuns out;
  std::vector<Work> work;
  out.companions.reserve(suites.size());
  for (const Suite* one : suites) {
    std::vector<OepRun>* runs = &out.runs;
    if (one != suites.front()) runs = &out.companions.emplace_back(one->id, std::vector<OepRun>{}).second;
    Expand(data, schemas.value(), *one, agents_of(*one), gates, options, *runs, work);
  }
  // The frontiers: a gate with another threshold. That of rho_max is drawn for a gate that asks a person above it and
  // nobody below: where every change is asked about, no threshold says anything.
  constexpr int kPoints = 11;
  constexpr std::uint32_t kSweepSeeds = 5;
  struct Sweep {
    const char* name;
    const char* agent;
    const char* policy;
  };
  constexpr const char* kAsksAbove = "defaults: {{write: allow, deploy: allow, security: allow}}\nmax_risk: {:.2f}\n";
  const std::array<Sweep, 3> sweeps{{{"rho_max", "gira_full", kAsksAbove},
                                     {"rho_max", "gira_no_injection", kAsksAbove},
                                     {"eta", "gira_full", "injection: {{reach: context, eta: {:.2f}}}\n"}}};
  std::vector<GatePolicy> swept;
  swept.reserve(sweeps.size() * kPoints);
  out.sweeps.reserve(sweeps.size() * kPoints);
  OepOptions few = options;
  few.seeds = std::min(options.seeds, kSweepSeeds);
  few.traces = few.answers = false;
  for (const Sweep& sweep : sweeps) {
    const auto agent = data.agents.find(sweep.agent);
    if (!options.sweeps || agent == data.agents.end() || !gates.contains(sweep.agent)) continue;
    for (int i = 0; i < kPoints; ++i) {
      const double value = static_cast<double>(i) / (kPoints - 1);
      base::Result<GatePolicy> gate =
          LoadGatePolicy(data, agent->second, fmt::format(fmt::runtime(sweep.policy), value));
      if (!gate.ok()) return gate.error();
      swept.push_back(std::move(gate.value()));
      out.sweeps.push_back({.name = sweep.name, .value = value, .runs = {}});
      const std::map<std::string, const GatePolicy*> one{{sweep.agent, &swept.back()}};
      Expand(data, schemas.value(), suite->second, {&agent->second}, one, few, out.sweeps.back().runs, work);
    }
  }
  if (auto status = Drive(work, options); !status.ok()) return status.error();
  return out;
}

}  // namespace interlock::eval
