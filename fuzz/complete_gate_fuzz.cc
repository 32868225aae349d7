// links: base core policy provenance injection bounds risk gate
// Facts, results and arguments of hostile make through the complete gate. Lines of the input in turn: a fact, a
// result's text, arguments. Whatever they are: a decision with a reason, a redacted or dry form that is JSON, never a
// crash; and a bound argument goes ahead only where a source names it.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "interlock/gate/session.h"
#include "interlock/policy/load.h"

namespace {

using namespace interlock;

constexpr std::string_view kPolicy = R"(
version: 1
profile: interlock
injection: {reach: action, eta: 0.5, decay: 0.5}
max_risk: 0.6
tools:
  read: {effect: read}
  act:
    effect: write
    impact: 0.4
    target: /to
    dry_run: {dry: true}
    critical: [{argument: /to, glob: "a*", factor: 1.5}]
    requires: [{tool: read, max_age: 3}]
    bind:
      - {argument: /to, from: [{fact: f, path: /to}, {result: read, path: "/items/*/to", where: {kind: x, id: /id}}, request]}
      - {argument: /n, from: [{constant: [1, 2.50]}, {fact: f, path: "/n/*"}], need: all}
rules: [{id: ok, effect: allow, when: {tool: act}}]
budgets: [{id: sum, argument: /amount, max_sum: 10}, {id: risk, max_risk: 2}]
break_glass: {waives: [defaults, autonomy]}
autonomy: [{id: a, effects: write, evidence: [{tool: read}, {tool: read, same_argument: /id}], min: 1}]
)";

struct World {
  std::shared_ptr<const policy::PolicySnapshot> policy;
  std::shared_ptr<const policy::ToolCatalogue> catalogue;
  World() {
    auto loaded = policy::LoadPolicy(kPolicy);
    if (loaded.policy == nullptr) std::abort();
    policy = loaded.policy;
    std::vector<policy::ToolCatalogue::Listed> tools;
    for (const char* name : {"read", "act"}) {
      core::ToolSpec spec;
      spec.name = name;
      spec.input_schema =
          R"({"type":"object","properties":{"cmd":{"type":"string"},"key":{"type":"string","x-secret":true}},
                              "additionalProperties":true})";
      tools.push_back({std::move(spec), policy::PinState::kMatches});
    }
    catalogue = policy::ToolCatalogue::Build(policy, std::move(tools));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const World world;
  gate::SessionState session(world.policy, {});
  session.SetCatalogue(world.catalogue, false);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  base::Now now{{1'000'000}, {1'000'000}};
  const base::JsonDoc none;
  for (int i = 0; !rest.empty() && i < 64; ++i) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto doc = base::JsonDoc::Parse(line);
    const base::JsonValue value = doc.ok() ? doc.value().root() : base::JsonValue();
    const core::Call read{
        .id = "r", .server = {}, .tool = "read", .arguments = value.is_object() ? value : none.root()};
    switch (i % 3) {
      case 0:
        (void)session.AddFact("f", value);
        session.SetRequest(line);
        break;
      case 1:
        (void)session.OnResult(read, {.tool = "read", .payload = {}, .text = line});
        if (value.is_object()) (void)session.OnResult(read, {.tool = "read", .payload = value});
        break;
      default: {
        const core::Call call{.id = "a", .server = {}, .tool = "act", .arguments = value};
        const core::Decision decision = session.DecideNow(call, now);
        if (decision.verdict != core::Verdict::kAllow && decision.evidence.empty()) std::abort();
        if (decision.verdict == core::Verdict::kRewrite && !base::JsonDoc::Parse(decision.rewritten_arguments).ok()) {
          std::abort();
        }
        if (decision.verdict == core::Verdict::kAllow) {
          session.Commit(call, now, &decision);
        } else {
          session.AddGrant(session.MakeGrant(call, gate::GrantScope::kOnce, now));
          // A person lifts what waits, nothing that is refused.
          const core::Decision again = session.DecideNow(call, now);
          if (decision.verdict == core::Verdict::kBlock && again.verdict != core::Verdict::kBlock) std::abort();
        }
        break;
      }
    }
  }
  return 0;
}
