// The engine against the reference model, exhaustively over a small space: up to three rules of every effect and match
// state, every default, every state of the checks and of one other layer, with and without a grant.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "../../spec/reference_gate.h"
#include "gate_fixture.h"

namespace interlock::gate {
namespace {

using spec::M;
using spec::S;
using spec::V;

constexpr std::array kVerdicts{V::allow, V::rewrite, V::escalate, V::block};
constexpr std::array kSignals{S::absent, S::allow, S::rewrite, S::escalate, S::block, S::error};

core::Verdict ToEngine(V v) { return static_cast<core::Verdict>(v); }

std::string Name(V v) { return std::string(core::NameOf(ToEngine(v))); }

// A rule whose match state is fixed by construction: `principal` is a condition on something the session does not know.
std::string RuleYaml(std::size_t i, spec::Rule rule) {
  std::string out = "  - id: r" + std::to_string(i) + "\n    effect: " + Name(rule.effect) + "\n    when:\n";
  out += rule.match == M::no ? "      tool: other\n" : "      tool: t\n";
  if (rule.match == M::unknown) out += "      principal: somebody\n";
  if (rule.effect == V::rewrite) out += "    rewrite: {dryRun: true}\n";
  return out;
}

std::string PolicyYaml(const spec::Input& in, bool full) {
  std::string out = "version: 1\nprofile: default\n";
  out += "tools:\n  t:\n    effect: write\n    requires: [{tool: before}]\n    shell: true\n";
  if (full) out += "    bind: [{argument: /a, role: r, from: [{fact: f, path: /x}]}]\n";
  out += "  before: {effect: read}\n";
  out += "defaults: {write: " + Name(in.default_verdict) + ", unknown: " + Name(in.default_verdict) + "}\n";
  if (in.locked != V::allow) {
    out += "autonomy: [{id: x, tools: t, evidence: [{tool: proof}], otherwise: " + Name(in.locked) + "}]\n";
  }
  out += "free_form_shell: " + Name(in.shell) + "\nbreak_glass: {waives: [defaults, autonomy]}\n";
  if (!in.rules.empty()) out += "rules:\n";
  for (std::size_t i = 0; i < in.rules.size(); ++i) out += RuleYaml(i, in.rules[i]);
  return out;
}

std::string PolicyYaml(const std::vector<spec::Rule>& rules, V fallback, bool budget) {
  std::string out = "version: 1\nprofile: default\nprincipals: {somebody: {roles: [x]}}\n";
  out += "tools:\n  t: {effect: write, requires: [{tool: before}]}\n  before: {effect: read}\n";
  out += "defaults: {write: " + Name(fallback) + ", unknown: " + Name(fallback) + "}\n";
  if (budget) out += "budgets: [{id: b, max_calls: 1}]\n";
  if (!rules.empty()) out += "rules:\n";
  for (std::size_t i = 0; i < rules.size(); ++i) out += RuleYaml(i, rules[i]);
  return out;
}

class History final : public HistoryLookup {
 public:
  explicit History(bool happened) : happened_(happened) {}
  std::optional<Seen> Newest(std::string_view tool, std::string_view, base::JsonValue) const override {
    return happened_ && tool != "proof" ? std::optional<Seen>(Seen{}) : std::nullopt;
  }

 private:
  bool happened_;
};

class Sources final : public BindingLookup {
 public:
  explicit Sources(V says) : says_(says) {}
  Answer Names(const core::BindingSource&, const core::Call&, base::JsonValue) const override {
    return says_ == V::allow ? Answer::kNames : says_ == V::escalate ? Answer::kNoSource : Answer::kOther;
  }

 private:
  V says_;
};

struct Engine {
  std::shared_ptr<const policy::PolicySnapshot> policy;
  std::shared_ptr<const policy::ToolCatalogue> catalogue;
};

constexpr std::string_view kTools =
    R"([{"name":"t","inputSchema":{"type":"object","required":["a"]}},{"name":"before","inputSchema":{"type":"object"}}])";

core::Decision RunEngine(const Engine& engine, const spec::Input& in) {
  const base::JsonDoc args = MustParse(in.malformed ? "[]" : in.schema_fits ? R"({"a":1})" : R"({"b":1})");
  const core::Call call{
      .id = "1", .server = "", .tool = in.tool_known ? "t" : "nobody-knows", .arguments = args.root()};
  const History history(!in.precondition_fails);
  SessionView session;
  session.now = {{1'000'000}, {1'000'000}};
  session.history = &history;
  const Sources sources(in.unbound);
  session.bindings = &sources;
  session.break_glass = in.break_glass;
  session.catalogue = engine.catalogue.get();
  session.instructions_changed = in.instructions_changed;
  if (in.budget_used_up) session.used.calls[static_cast<std::size_t>(core::SideEffect::kRead)] = 1;
  Grant grant;
  if (in.granted) {
    grant.call = CallDigest(call);
    grant.definition = in.tool_known ? engine.catalogue->Find("t")->spec.definition : base::Digest{};
    grant.policy = engine.policy->digest();
    grant.preconditions = PreconditionDigest(session, call);
    grant.expires_mono = {2'000'000};
    grant.expires_wall = {2'000'000};
    session.grants = std::span(&grant, 1);
  }
  core::SignalMap signals;
  core::Signal& signal = signals[core::Layer::kRisk];
  switch (in.signal) {
    case S::absent:
      break;
    case S::error:
      signal.state = core::Signal::State::kError;
      break;
    case S::allow:
      signal = {core::Signal::State::kPresent, core::Verdict::kAllow, 0, "clean"};
      break;
    case S::rewrite:
      signal = {core::Signal::State::kPresent, core::Verdict::kRewrite, 0, "x"};
      break;
    case S::escalate:
      signal = {core::Signal::State::kPresent, core::Verdict::kEscalate, 0, "x"};
      break;
    case S::block:
      signal = {core::Signal::State::kPresent, core::Verdict::kBlock, 0, "x"};
      break;
  }
  return DecideNow(*engine.policy, session, call, signals);
}

void Compare(const Engine& engine, const spec::Input& in, std::size_t& cases) {
  const core::Decision decision = RunEngine(engine, in);
  const V want = spec::Decide(in);
  ++cases;
  ASSERT_EQ(decision.verdict, ToEngine(want))
      << PolicyYaml(in.rules, in.default_verdict, in.budget_used_up) << decision.Explain("t");
  if (want != V::allow) {
    ASSERT_NE(decision.reason, core::Reason::kNone);
    ASSERT_FALSE(decision.evidence.empty());
  }
  if (want == V::rewrite) {
    ASSERT_EQ(decision.rewritten_arguments.find("\"dryRun\":true") != std::string::npos, true);
  }
}

TEST(GateModel, AgreesOnEverySmallInput) {
  std::vector<spec::Rule> kinds;
  for (const V effect : kVerdicts) {
    for (const M match : {M::yes, M::unknown}) kinds.push_back({effect, match});
  }
  kinds.push_back({V::block, M::no});
  // Multisets of up to three rules: order is P5's business.
  std::vector<std::vector<spec::Rule>> sets{{}};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    sets.push_back({kinds[i]});
    for (std::size_t j = i; j < kinds.size(); ++j) {
      sets.push_back({kinds[i], kinds[j]});
      for (std::size_t k = j; k < kinds.size(); ++k) sets.push_back({kinds[i], kinds[j], kinds[k]});
    }
  }
  std::size_t cases = 0;
  for (const auto& rules : sets) {
    for (const V fallback : {V::allow, V::escalate, V::block}) {
      for (const bool budget : {false, true}) {
        Engine engine;
        engine.policy = MustLoad(PolicyYaml(rules, fallback, budget));
        ASSERT_NE(engine.policy, nullptr);
        engine.catalogue = MustCatalogue(engine.policy, kTools);
        spec::Input in;
        in.rules = rules;
        in.default_verdict = fallback;
        in.budget_used_up = budget;
        for (const S signal : kSignals) {
          for (int bits = 0; bits < 16; ++bits) {
            in.signal = signal;
            in.granted = (bits & 1) != 0;
            in.schema_fits = (bits & 2) == 0;
            in.precondition_fails = (bits & 4) != 0;
            in.instructions_changed = (bits & 8) != 0;
            ASSERT_NO_FATAL_FAILURE(Compare(engine, in, cases));
          }
        }
      }
    }
  }
  EXPECT_GT(cases, 100'000u);
}

// Bindings, autonomy, free-form shell and break-glass, beside the rest.
TEST(GateModel, AgreesWhereTheCompleteGateSpeaks) {
  std::size_t cases = 0;
  const std::array<std::vector<spec::Rule>, 5> sets{
      {{}, {{V::allow, M::yes}}, {{V::rewrite, M::yes}}, {{V::escalate, M::yes}}, {{V::block, M::yes}}}};
  for (const auto& rules : sets) {
    for (const V fallback : {V::allow, V::escalate, V::block}) {
      for (const V locked : {V::allow, V::escalate, V::block}) {
        for (const V shell : {V::allow, V::escalate, V::block}) {
          spec::Input in;
          in.rules = rules;
          in.default_verdict = fallback;
          in.locked = locked;
          in.shell = shell;
          Engine engine;
          engine.policy = MustLoad(PolicyYaml(in, true));
          ASSERT_NE(engine.policy, nullptr);
          engine.catalogue = MustCatalogue(engine.policy, kTools);
          for (const V unbound : {V::allow, V::escalate, V::block}) {
            for (const S signal : kSignals) {
              for (int bits = 0; bits < 16; ++bits) {
                in.unbound = unbound;
                in.signal = signal;
                in.granted = (bits & 1) != 0;
                in.break_glass = (bits & 2) != 0;
                in.precondition_fails = (bits & 4) != 0;
                in.tool_known = (bits & 8) == 0;
                in.schema_fits = true;
                ASSERT_NO_FATAL_FAILURE(Compare(engine, in, cases)) << PolicyYaml(in, true);
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(cases, 35'000u);
}

// Everything at once, drawn at random: 10^5 cases, 10^6 and more with INTERLOCK_SLOW (make test-slow).
TEST(GateModel, AgreesOnRandomInputs) {
  std::mt19937_64 random(20'261'122);
  const auto draw = [&random](const auto& values) { return values[random() % values.size()]; };
  const std::array kFloors{V::allow, V::escalate, V::block};
  const std::array kMatches{M::no, M::yes, M::unknown};
  const int policies = std::getenv("INTERLOCK_SLOW") != nullptr ? 6'000 : 500;
  std::size_t cases = 0;
  for (int i = 0; i < policies; ++i) {
    spec::Input in;
    for (std::size_t rules = random() % 7; rules > 0; --rules) in.rules.push_back({draw(kVerdicts), draw(kMatches)});
    in.default_verdict = draw(kFloors);
    in.locked = draw(kFloors);
    in.shell = draw(kFloors);
    in.changed = random() % 16 == 0;
    Engine engine;
    engine.policy = MustLoad(PolicyYaml(in, true));
    ASSERT_NE(engine.policy, nullptr);
    engine.catalogue =
        MustCatalogue(engine.policy, kTools, in.changed ? policy::PinState::kChanged : policy::PinState::kMatches);
    for (int j = 0; j < 200; ++j) {
      in.unbound = draw(kFloors);
      in.signal = draw(kSignals);
      in.granted = random() % 2 == 0;
      in.break_glass = random() % 4 == 0;
      in.precondition_fails = random() % 8 == 0;
      in.tool_known = in.changed || random() % 16 != 0;
      in.instructions_changed = random() % 8 == 0;
      in.schema_fits = random() % 8 != 0 || !in.tool_known;
      ASSERT_NO_FATAL_FAILURE(Compare(engine, in, cases)) << PolicyYaml(in, true);
    }
  }
  EXPECT_GE(cases, 100'000u);
}

TEST(GateModel, UnknownToolsHiddenToolsChangedToolsAndMalformedCalls) {
  std::size_t cases = 0;
  for (const V effect : kVerdicts) {
    for (const V fallback : {V::allow, V::escalate, V::block}) {
      for (int bits = 0; bits < 4; ++bits) {
        spec::Input in;
        in.default_verdict = fallback;
        in.rules = {{effect, M::yes}};
        in.malformed = (bits & 1) != 0;
        in.changed = (bits & 2) != 0;
        Engine engine;
        engine.policy = MustLoad(PolicyYaml(in.rules, fallback, false));
        engine.catalogue =
            MustCatalogue(engine.policy, kTools, in.changed ? policy::PinState::kChanged : policy::PinState::kMatches);
        ASSERT_NO_FATAL_FAILURE(Compare(engine, in, cases));
        in = {};
        in.default_verdict = fallback;
        in.tool_known = false;
        ASSERT_NO_FATAL_FAILURE(Compare(engine, in, cases));
      }
    }
  }
}

// P1, P3, P4, P6 on the model itself: since the engine agrees with it everywhere, they hold for the engine.
TEST(GateModel, IsMonotoneInAdverseEvidence) {
  // A signal that wants a rewrite is milder than one that wants a person only where there is something to rewrite with.
  const auto strictness = [](S s, bool can_rewrite) {
    if (s == S::rewrite) return can_rewrite ? 1 : 2;
    return s == S::allow || s == S::absent ? 0 : s == S::block ? 3 : 2;
  };
  for (const V a : kVerdicts) {
    for (const V b : kVerdicts) {
      for (const V fallback : {V::allow, V::escalate, V::block}) {
        for (const M ma : {M::no, M::yes, M::unknown}) {
          for (const S s1 : kSignals) {
            spec::Input base;
            base.default_verdict = fallback;
            base.rules = {{a, ma}, {b, M::no}};
            base.signal = s1;
            const bool rewrites = a == V::rewrite && ma == M::yes;
            const V before = spec::Decide(base);
            for (const M mb : {M::yes, M::unknown}) {
              spec::Input worse = base;
              worse.rules[1].match = mb;
              if (b != V::allow && b != V::rewrite) {
                EXPECT_GE(spec::Decide(worse), before);
              }
            }
            for (const S s2 : kSignals) {
              if (strictness(s2, rewrites) < strictness(s1, rewrites)) continue;
              spec::Input worse = base;
              worse.signal = s2;
              EXPECT_GE(spec::Decide(worse), before);
            }
            spec::Input missing = base;
            missing.signal = S::absent;
            spec::Input clean = base;
            clean.signal = S::allow;
            EXPECT_GE(spec::Decide(missing), spec::Decide(clean));
            missing.signal_required = true;
            EXPECT_GE(spec::Decide(missing), V::escalate);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace interlock::gate
