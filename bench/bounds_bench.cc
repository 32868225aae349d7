// links: base core policy provenance injection bounds gate
// A session of ten untrusted results of 2 KB: what one decision costs with the layer bounds and without, what of it is
// the look-up of the arguments in the index (which the rest is measured against), and what a result costs.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "interlock/gate/session.h"
#include "interlock/policy/load.h"
#include "interlock/provenance/source_index.h"

namespace interlock {
namespace {

constexpr std::string_view kRequest =
    "Check 'lease_agreement.txt' for the rent amount and my bank balance; if covered, transfer the rent.";
constexpr std::string_view kArguments =
    R"({"recipient":"GB33BUKB20201555555555","amount":1250.00,"subject":"Rent for November","date":"2026-12-01"})";
constexpr std::size_t kResultBytes = 2048;

std::string ResultText(int number) {
  std::string out = "Statement " + std::to_string(number) + "\nAccount: GB33BUKB20201555555555\n";
  for (int line = 0; out.size() < kResultBytes; ++line) {
    out += "2026-11-" + std::to_string(10 + line % 18) + "  payment " + std::to_string(1000 * number + line) +
           "  to Harbour Lane Homes  " + std::to_string(100 + 7 * line) + ".50\n";
  }
  out.resize(kResultBytes);
  return out;
}

struct World {
  std::shared_ptr<const policy::PolicySnapshot> policy;
  std::unique_ptr<gate::SessionState> session;
  provenance::SourceIndex sources;
  base::JsonDoc arguments;
  core::Call call;

  explicit World(bool bounds_on) {
    auto loaded =
        policy::LoadPolicy(std::string("version: 1\ntools: {read_file: {effect: read}, send_money: {effect: write}}\n"
                                       "bounds: {escalate: 99, block: 100}\n"  // the same verdict on both sides
                                       "rules: [{id: ok, effect: allow, when: {tool: send_money}}]\n") +
                           (bounds_on ? "" : "layers: {bounds: \"off\", injection: \"off\"}\n"));
    if (loaded.policy == nullptr) std::abort();
    policy = loaded.policy;
    auto tools = base::JsonDoc::Parse(R"([{"name":"read_file"},{"name":"send_money"}])");
    if (!tools.ok()) std::abort();
    std::vector<policy::ToolCatalogue::Listed> listed;
    for (const auto tool : tools.value().root()) {
      auto spec = core::ToolSpecFromMcp(tool, "");
      if (!spec.ok()) std::abort();
      listed.push_back({std::move(spec.value()), policy::PinState::kMatches});
    }
    session = std::make_unique<gate::SessionState>(policy, gate::SessionOptions{});
    session->SetCatalogue(policy::ToolCatalogue::Build(policy, std::move(listed)), false);
    session->SetRequest(kRequest);
    (void)sources.Add({.kind = provenance::SourceKind::kRequest, .labels = core::kLabelRequest}, kRequest);
    for (int i = 0; i < 10; ++i) Read(ResultText(i));
    auto doc = base::JsonDoc::Parse(kArguments);
    if (!doc.ok()) std::abort();
    arguments = std::move(doc.value());
    call = {.id = "1", .server = {}, .tool = "send_money", .arguments = arguments.root()};
  }
  void Read(const std::string& text) {
    (void)session->OnResult({.id = "r", .server = {}, .tool = "read_file", .arguments = {}},
                            {.tool = "read_file", .payload = {}, .text = text});
    (void)sources.Add({.kind = provenance::SourceKind::kResult, .labels = core::kLabelUntrusted}, text);
  }
};

void Decide(benchmark::State& state, bool bounds_on) {
  const World world(bounds_on);
  if (world.session->DecideNow(world.call, {}).verdict != core::Verdict::kAllow) state.SkipWithError("not allowed");
  for (auto _ : state) benchmark::DoNotOptimize(world.session->DecideNow(world.call, {}));
}
BENCHMARK_CAPTURE(Decide, without_bounds, false);
BENCHMARK_CAPTURE(Decide, with_bounds, true);

// The look-ups that bounds makes: of the arguments that the request does not name.
void LookUpOnly(benchmark::State& state) {
  const World world(false);
  const base::JsonValue root = world.arguments.root();
  for (auto _ : state) {
    for (const base::JsonValue leaf : root) benchmark::DoNotOptimize(world.sources.Explain(leaf));
  }
}
BENCHMARK(LookUpOnly);

void OnResult(benchmark::State& state, bool bounds_on) {
  const std::string text = ResultText(11);
  for (auto _ : state) {
    state.PauseTiming();
    World world(bounds_on);
    state.ResumeTiming();
    benchmark::DoNotOptimize(world.session->OnResult({.id = "r", .server = {}, .tool = "read_file", .arguments = {}},
                                                     {.tool = "read_file", .payload = {}, .text = text}));
  }
}
BENCHMARK_CAPTURE(OnResult, without_bounds, false)->Iterations(200);
BENCHMARK_CAPTURE(OnResult, with_bounds, true)->Iterations(200);

}  // namespace
}  // namespace interlock
