// links: base core policy provenance gate
// Decide with the layers of today (policy, schema, session state) and 1 / 100 / 1,000 rules; one allowed call, one that
// is blocked, one of whose rules one in twenty has to be looked at, one where all have to be. Reference points in the
// same run: parsing the call, its digest.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "interlock/base/digest.h"
#include "interlock/gate/session.h"
#include "interlock/policy/load.h"

namespace interlock {
namespace {

constexpr std::string_view kArguments =
    R"({"path":"/srv/task/reports/2026/summary.md","content":")"
    "Quarterly figures, reviewed twice; the appendix lists every source with its date and the person who checked it. "
    R"(","mode":"overwrite","retries":3,"tags":["report","q3"]})";
constexpr std::string_view kTools =
    R"([{"name":"write_file","inputSchema":{"type":"object","properties":{"path":{"type":"string","minLength":1},
  "content":{"type":"string"},"mode":{"enum":["overwrite","append"]},"retries":{"type":"integer","minimum":0},
  "tags":{"type":"array","items":{"type":"string"}}},"required":["path","content"],"additionalProperties":false}}])";

// How many of the rules concern the tool that is called and so have to be evaluated.
enum class Spread : unsigned char { kOtherTools, kOneInTwenty, kEveryRule };

std::string Policy(int rules, Spread spread) {
  std::string out = "version: 1\nprofile: default\nlabels: [private]\ntools: {write_file: {effect: write}}\nrules:\n";
  out += "  - {id: ok, effect: allow, when: {tool: write_file, path: {argument: /path, inside: [\"/srv/task/**\"]}}}\n";
  for (int i = 0; i < rules; ++i) {
    const std::string n = std::to_string(i);
    const bool elsewhere = spread == Spread::kOtherTools || (spread == Spread::kOneInTwenty && i % 20 != 0);
    out += "  - {id: r" + n + ", effect: block, when: {tool: \"" +
           (elsewhere ? "tool_" + n + "*" : std::string("write_*")) +
           "\", path: {argument: /path, inside: [\"/forbidden/" + n + "/**\"]}}}\n";
  }
  return out;
}

struct World {
  std::shared_ptr<const policy::PolicySnapshot> policy;
  std::unique_ptr<gate::SessionState> session;
  base::JsonDoc arguments;
  core::Call call;

  World(int rules, Spread spread, std::string_view args) {
    auto loaded = policy::LoadPolicy(Policy(rules, spread));
    if (loaded.policy == nullptr) std::abort();
    policy = loaded.policy;
    auto tools = base::JsonDoc::Parse(kTools);
    if (!tools.ok()) std::abort();
    std::vector<policy::ToolCatalogue::Listed> listed;
    for (const auto tool : tools.value().root()) {
      auto spec = core::ToolSpecFromMcp(tool, "");
      if (!spec.ok()) std::abort();
      listed.push_back({std::move(spec.value()), policy::PinState::kMatches});
    }
    session = std::make_unique<gate::SessionState>(policy, gate::SessionOptions{});
    session->SetCatalogue(policy::ToolCatalogue::Build(policy, std::move(listed)), false);
    session->MergeLabels(core::kLabelUntrusted);
    auto doc = base::JsonDoc::Parse(args);
    if (!doc.ok()) std::abort();
    arguments = std::move(doc.value());
    call = {.id = "1", .server = {}, .tool = "write_file", .arguments = arguments.root()};
  }
};

void DecideAllowed(benchmark::State& state, Spread spread) {
  const World world(static_cast<int>(state.range(0)), spread, kArguments);
  if (world.session->DecideNow(world.call, {}).verdict != core::Verdict::kAllow) state.SkipWithError("not allowed");
  for (auto _ : state) benchmark::DoNotOptimize(world.session->DecideNow(world.call, {}));
}
BENCHMARK_CAPTURE(DecideAllowed, rules_about_other_tools, Spread::kOtherTools)->Arg(1)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(DecideAllowed, one_rule_in_twenty_evaluated, Spread::kOneInTwenty)->Arg(1000);
BENCHMARK_CAPTURE(DecideAllowed, every_rule_evaluated, Spread::kEveryRule)->Arg(1)->Arg(100)->Arg(1000);

void DecideBlocked(benchmark::State& state) {
  const World world(static_cast<int>(state.range(0)), Spread::kOtherTools, R"({"path":7,"content":"x"})");
  if (world.session->DecideNow(world.call, {}).verdict != core::Verdict::kBlock) state.SkipWithError("not blocked");
  for (auto _ : state) benchmark::DoNotOptimize(world.session->DecideNow(world.call, {}));
}
BENCHMARK(DecideBlocked)->Arg(1000);

void ParseCall(benchmark::State& state) {
  base::JsonParser parser;
  base::JsonDoc doc;
  for (auto _ : state) benchmark::DoNotOptimize(parser.ParseInto(doc, kArguments));
}
BENCHMARK(ParseCall);

void DigestCall(benchmark::State& state) {
  const World world(1, Spread::kOtherTools, kArguments);
  for (auto _ : state) benchmark::DoNotOptimize(gate::CallDigest(world.call));
}
BENCHMARK(DigestCall);

}  // namespace
}  // namespace interlock

BENCHMARK_MAIN();
