#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "gate_fixture.h"

namespace interlock::gate {
namespace {

constexpr std::string_view kTools =
    R"([{"name":"read","inputSchema":{"type":"object"}},{"name":"write","inputSchema":{"type":"object"}},{"name":"send"}])";

// One random rule as YAML.
std::string GenRule(int id) {
  const auto effect = *rc::gen::element<std::string>("allow", "rewrite", "escalate", "block");
  std::string out = "  - id: r" + std::to_string(id) + "\n    effect: " + effect + "\n    when:\n";
  out += "      tool: \"" + *rc::gen::element<std::string>("read", "write", "send", "*", "w*", "[rs]*") + "\"\n";
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      out += "      flow: {seen: untrusted}\n";
      break;
    case 1:
      out += "      principal: alice\n";
      break;
    case 2:
      out += "      path: {argument: /path, outside: [\"/work/**\"]}\n";
      break;
    case 3:
      out += "      arguments: {type: object, required: [path]}\n";
      break;
    case 4:
      out += "      provenance: {argument: /path, from: untrusted}\n";
      break;
    default:
      break;
  }
  if (effect == "rewrite") out += "    rewrite: {r" + std::to_string(id) + ": 1}\n";
  return out;
}

std::string Document(const std::vector<std::string>& rules, bool shadow) {
  std::string out =
      "version: 1\nprofile: default\nprincipals: {alice: {roles: [dev]}}\ntools: {read: {effect: read}, write: "
      "{effect: write}}\n";
  if (shadow) out += "shadow: true\n";
  if (!rules.empty()) out += "rules:\n";
  for (const auto& rule : rules) out += rule;
  return out;
}

struct Setting {
  std::string tool;
  std::string arguments;
  core::LabelSet labels;
  bool known_principal;
};

Setting GenSetting() {
  return {*rc::gen::element<std::string>("read", "write", "send", "unlisted", ""),
          *rc::gen::element<std::string>("{}", R"({"path":"/work/a"})", R"({"path":"/etc/x"})", R"({"path":7})", "[]"),
          *rc::gen::element<core::LabelSet>(0u, core::kLabelUntrusted, core::kLabelUntrusted | core::kLabelRequest),
          *rc::gen::arbitrary<bool>()};
}

core::Decision RunPolicy(const std::string& yaml, const Setting& setting) {
  const auto policy = MustLoad(yaml);
  RC_ASSERT(policy != nullptr);
  const auto catalogue = MustCatalogue(policy, kTools);
  const auto args = MustParse(setting.arguments);
  const core::Principal alice = policy->ResolvePrincipal("alice");
  SessionView session;
  session.catalogue = catalogue.get();
  session.labels = setting.labels;
  if (setting.known_principal) session.principal = &alice;
  return DecideNow(*policy, session,
                   core::Call{.id = "1", .server = "", .tool = setting.tool, .arguments = args.root()}, {});
}

bool SameEvidence(const core::Decision& a, const core::Decision& b) {
  if (a.evidence.size() != b.evidence.size()) return false;
  for (std::size_t i = 0; i < a.evidence.size(); ++i) {
    if (a.evidence[i].rule != b.evidence[i].rule || a.evidence[i].reason != b.evidence[i].reason ||
        a.evidence[i].verdict != b.evidence[i].verdict || a.evidence[i].text != b.evidence[i].text) {
      return false;
    }
  }
  return a.errored_rules == b.errored_rules;
}

TEST(GateProperty, OrderOfRulesDoesNotShow) {  // P5
  const bool ok = rc::check("permuted rules give the same decision", [] {
    std::vector<std::string> rules;
    const int n = *rc::gen::inRange(0, 7);
    for (int i = 0; i < n; ++i) rules.push_back(GenRule(i));
    const Setting setting = GenSetting();
    const core::Decision before = RunPolicy(Document(rules, false), setting);
    std::mt19937 shuffle(*rc::gen::arbitrary<std::uint32_t>());
    std::shuffle(rules.begin(), rules.end(), shuffle);
    const core::Decision after = RunPolicy(Document(rules, false), setting);
    RC_ASSERT(before.verdict == after.verdict);
    RC_ASSERT(before.reason == after.reason);
    RC_ASSERT(before.rewritten_arguments == after.rewritten_arguments);
    RC_ASSERT(SameEvidence(before, after));
  });
  EXPECT_TRUE(ok);
}

TEST(GateProperty, ShadowDecidesAsEnforceDoes) {  // P7, P8, P9
  const bool ok = rc::check("shadow equals enforce", [] {
    std::vector<std::string> rules;
    const int n = *rc::gen::inRange(0, 5);
    for (int i = 0; i < n; ++i) rules.push_back(GenRule(i));
    const Setting setting = GenSetting();
    const core::Decision enforce = RunPolicy(Document(rules, false), setting);
    const core::Decision shadow = RunPolicy(Document(rules, true), setting);
    RC_ASSERT(enforce.verdict == shadow.verdict);
    RC_ASSERT(enforce.reason == shadow.reason);
    RC_ASSERT(SameEvidence(enforce, shadow));
    RC_ASSERT(!enforce.shadow);
    RC_ASSERT(shadow.shadow);
    RC_ASSERT(enforce.verdict == core::Verdict::kAllow || !enforce.evidence.empty());
  });
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace interlock::gate
