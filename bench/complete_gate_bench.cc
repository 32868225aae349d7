// links: base core policy provenance injection bounds risk gate
// The complete gate: a bound change under the profiles `gira-full` and `interlock`, in a session that has read the
// alert, the registry, the runbook and 20 results of telemetry. Decisions only: what results cost is indexed before.
// Every argument of the call is bound to a trusted source, so bounds has nothing to judge; `interlock_judged` is the
// same call with a registry that nobody trusts, where it looks every value up and asks the combiner.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "interlock/gate/session.h"
#include "interlock/policy/load.h"

namespace interlock {
namespace {

constexpr std::string_view kTools = R"([
  {"name":"query_metrics"},{"name":"list_recent_deployments"},
  {"name":"rollback_deployment","inputSchema":{"type":"object","additionalProperties":false,"required":["service","version"],
   "properties":{"service":{"type":"string"},"version":{"type":"string","pattern":"^[0-9]+[.][0-9]+[.][0-9]+$"},
                 "dry_run":{"type":"boolean"}}}}])";

constexpr std::string_view kPolicy = R"(
tools:
  query_metrics: {effect: read}
  list_recent_deployments: {effect: read, result: trusted}
  rollback_deployment:
    effect: deploy
    impact: 0.4
    reversible: true
    target: /service
    critical: [{argument: /service, glob: "*_db", factor: 1.5}]
    requires: [{tool: list_recent_deployments, same_argument: /service}]
    bind:
      - {argument: /service, role: service, from: [{fact: alert, path: /service}, request]}
      - argument: /version
        role: version
        from: [{result: list_recent_deployments, path: "/deployments/*/version", same_argument: /service, where: {status: previous}}]
rules:
  - {id: mitigations, effect: allow, when: {tool: rollback_deployment}}
  - {id: never-on-fridays, effect: block, when: {tool: rollback_deployment, arguments: {required: [force]}}}
budgets: [{id: blast, max_blast: 1e9}, {id: risk, max_risk: 1e9}, {id: writes, effect: deploy, max_calls: 1000000000}]
autonomy: [{id: look-first, effects: deploy, evidence: [{tool: query_metrics, same_argument: /service}]}]
)";

base::JsonDoc Parsed(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) std::abort();
  return std::move(doc.value());
}

void Decide(benchmark::State& state, std::string_view head, core::Verdict want, bool trusted = true) {
  std::string yaml = "version: 1\n" + std::string(head) + std::string(kPolicy);
  constexpr std::string_view kTrusted = ", result: trusted";
  if (!trusted) yaml.erase(yaml.find(kTrusted), kTrusted.size());
  auto loaded = policy::LoadPolicy(yaml);
  if (loaded.policy == nullptr) std::abort();
  gate::SessionState session(loaded.policy, {});
  const base::JsonDoc tools = Parsed(kTools);
  std::vector<policy::ToolCatalogue::Listed> listed;
  for (const auto tool : tools.root()) {
    auto spec = core::ToolSpecFromMcp(tool, "");
    if (!spec.ok()) std::abort();
    listed.push_back({std::move(spec.value()), policy::PinState::kMatches});
  }
  session.SetCatalogue(policy::ToolCatalogue::Build(loaded.policy, std::move(listed)), false);
  session.SetRequest("The cart is slow: find out why and repair it.");
  const base::JsonDoc alert = Parsed(R"({"service":"cart","signal":"p99 latency over 2 s","severity":"SEV2"})");
  if (!session.AddFact("alert", alert.root()).ok()) std::abort();
  const base::JsonDoc about = Parsed(R"({"service":"cart"})");
  const base::Now now{{1'000'000}, {1'000'000}};
  for (int i = 0; i < 20; ++i) {
    const std::string text = "t=" + std::to_string(i) + " latency_p99=" + std::to_string(1900 + 17 * i) +
                             "ms error_rate=0.02 saturation=0.81 pod=cart-" + std::to_string(i) + " version=2.4.1";
    (void)session.OnResult({.id = "1", .server = {}, .tool = "query_metrics", .arguments = about.root()},
                           {.tool = "query_metrics", .payload = {}, .text = text});
  }
  (void)session.OnResult(
      {.id = "2", .server = {}, .tool = "list_recent_deployments", .arguments = about.root()},
      {.tool = "list_recent_deployments",
       .payload = {},
       .text = R"({"deployments":[{"version":"2.4.1","status":"current"},{"version":"2.4.0","status":"previous"}]})"});
  const base::JsonDoc arguments = Parsed(R"({"service":"cart","version":"2.4.0"})");
  const core::Call call{.id = "3", .server = {}, .tool = "rollback_deployment", .arguments = arguments.root()};
  if (const auto first = session.DecideNow(call, now); first.verdict != want) {
    state.SkipWithError(first.Explain("rollback_deployment").c_str());
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(session.DecideNow(call, now));
  state.counters["decisions"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(Decide, gira_full, "profile: gira-full\n", core::Verdict::kAllow);
BENCHMARK_CAPTURE(Decide, interlock, "profile: interlock\n", core::Verdict::kAllow);
BENCHMARK_CAPTURE(Decide, interlock_judged, "profile: interlock\n", core::Verdict::kAllow, false);
BENCHMARK_CAPTURE(Decide, interlock_without_bounds, "profile: interlock\nlayers: {bounds: \"off\"}\n",
                  core::Verdict::kAllow);

}  // namespace
}  // namespace interlock
