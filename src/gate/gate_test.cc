#include "interlock/gate/gate.h"

#include <functional>

#include "gate_fixture.h"
#include "gmock/gmock.h"

namespace interlock::gate {
namespace {

using core::Reason;
using core::Verdict;

constexpr std::string_view kTools = R"json([
  {"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},
  {"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},
   "outputSchema":{"type":"object","required":["written"]}},
  {"name":"odd","inputSchema":{"type":"object","properties":{"a":{"pattern":"(?=x)"
}
}
}
}])json";

constexpr std::string_view kPolicy = R"(
version: 1
profile: default
tools:
  read: {effect: read}
  write: {effect: write}
rules:
  - {id: in-work, effect: allow, when: {tool: write, path: {argument: /path, inside: ["/work/**"]}}}
  - {id: no-etc, effect: block, when: {tool: "*", path: {argument: /path, inside: ["/etc/**"]}}, reason: "system files"}
)";

class GateTest : public testing::Test {
 protected:
  void Load(std::string_view yaml, std::string_view tools = kTools) {
    policy_ = MustLoad(yaml);
    ASSERT_NE(policy_, nullptr);
    catalogue_ = MustCatalogue(policy_, tools);
    session_.catalogue = catalogue_.get();
    session_.now = {{1'000'000}, {1'000'000}};
  }
  void SetUp() override { Load(kPolicy); }

  core::Decision Decide(std::string_view tool, std::string_view arguments) {
    args_ = MustParse(arguments);
    return DecideNow(*policy_, session_, core::Call{.id = "1", .server = "", .tool = tool, .arguments = args_.root()},
                     signals_);
  }

  std::shared_ptr<const policy::PolicySnapshot> policy_;
  std::shared_ptr<const policy::ToolCatalogue> catalogue_;
  base::JsonDoc args_;
  SessionView session_;
  core::SignalMap signals_;
};

TEST_F(GateTest, AllowNamesTheRuleThatAllowed) {
  const auto d = Decide("write", R"({"path":"/work/a"})");
  EXPECT_EQ(d.verdict, Verdict::kAllow);
  ASSERT_EQ(d.evidence.size(), 1u);
  EXPECT_EQ(d.evidence[0].rule, "in-work");
}

TEST_F(GateTest, BlockCarriesRulePointerAndWords) {
  const auto d = Decide("write", R"({"path":"/work/../etc/passwd"})");
  EXPECT_EQ(d.verdict, Verdict::kBlock);
  EXPECT_EQ(d.reason, Reason::kPolicyRule);
  ASSERT_FALSE(d.evidence.empty());
  EXPECT_EQ(d.evidence[0].rule, "no-etc");
  EXPECT_EQ(d.evidence[0].pointer, "/path");
  EXPECT_THAT(d.evidence[0].text, testing::HasSubstr("system files"));
}

TEST_F(GateTest, DefaultsFollowTheSideEffect) {
  EXPECT_EQ(Decide("read", R"({"path":"/x"})").verdict, Verdict::kAllow);
  EXPECT_EQ(Decide("read", R"({"path":"/x"})").reason, Reason::kDefaultAllow);
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").verdict, Verdict::kEscalate);
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").reason, Reason::kPolicyDefault);
  EXPECT_EQ(Decide("nobody", "{}").verdict, Verdict::kBlock) << "a tool that the server does not list";
  EXPECT_EQ(Decide("nobody", "{}").reason, Reason::kToolUnknown);
}

TEST_F(GateTest, NoShippedProfileAllowsUnknownSideEffects) {  // P2
  for (const auto name : policy::ShippedProfileNames()) {
    const auto profile = policy::LoadProfile(policy::ShippedProfile(name), name);
    ASSERT_TRUE(profile.ok()) << name;
    EXPECT_NE(profile.value().default_for(core::SideEffect::kUnknown), Verdict::kAllow) << name;
  }
  EXPECT_FALSE(policy::ShippedProfileNames().empty());
}

TEST_F(GateTest, SchemaViolationBlocksAndSaysWhere) {
  const auto d = Decide("read", R"({"path":7})");
  EXPECT_EQ(d.verdict, Verdict::kBlock);
  EXPECT_EQ(d.reason, Reason::kSchemaInvalid);
  EXPECT_EQ(d.evidence[0].pointer, "/path");
}

TEST_F(GateTest, MissingArgumentsAreAnEmptyObjectForTheSchema) {
  const core::Call call{.id = "1", .server = "", .tool = "read", .arguments = {}};
  EXPECT_EQ(DecideNow(*policy_, session_, call, signals_).reason, Reason::kSchemaInvalid);
}

TEST_F(GateTest, AToolWhoseSchemaDoesNotCompileEscalates) {
  const auto d = Decide("odd", R"({"a":"y"})");
  EXPECT_GE(d.verdict, Verdict::kEscalate);
}

TEST_F(GateTest, WithoutACatalogueNothingIsKnownAndNothingIsAllowed) {
  session_.catalogue = nullptr;
  EXPECT_GE(Decide("read", R"({"path":"/x"})").verdict, Verdict::kEscalate);
}

TEST_F(GateTest, HiddenAndChangedToolsAreRefused) {
  Load(
      "version: 1\nprofile: default\ntools: {read: {effect: read, hidden: true}}\nrules: [{id: a, effect: allow, when: "
      "{tool: \"**\"}}]\n");
  EXPECT_EQ(Decide("read", R"({"path":"/x"})").reason, Reason::kToolHidden);
  catalogue_ = MustCatalogue(policy_, kTools, policy::PinState::kChanged);
  session_.catalogue = catalogue_.get();
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").reason, Reason::kToolChanged);
}

TEST_F(GateTest, AMissingRequiredSignalIsAskedForOnlyWhenItCouldStillMatter) {
  Load(std::string(kPolicy));
  // The shipped profiles do not require the layers to come; a profile that does is one flag away.
  auto profile_yaml = std::string(policy::ShippedProfile("default"));
  ASSERT_FALSE(profile_yaml.empty());
  session_.can_ask[static_cast<std::size_t>(core::Layer::kIntent)] = true;
  args_ = MustParse(R"({"path":"/etc/x"})");
  const core::Call call{.id = "1", .server = "", .tool = "write", .arguments = args_.root()};
  const auto answer = gate::Decide(*policy_, session_, call, signals_);
  ASSERT_TRUE(std::holds_alternative<core::Decision>(answer));
  EXPECT_EQ(std::get<core::Decision>(answer).verdict, Verdict::kBlock);
}

class GrantTest : public GateTest {
 protected:
  Grant GrantFor(std::string_view tool, std::string_view arguments) {
    grant_args_ = MustParse(arguments);
    const core::Call call{.id = "1", .server = "", .tool = tool, .arguments = grant_args_.root()};
    return Grant{.call = CallDigest(call),
                 .definition = catalogue_->Find(tool)->spec.definition,
                 .policy = policy_->digest(),
                 .expires_mono = {session_.now.mono.us + 1000},
                 .given_wall = session_.now.wall,
                 .expires_wall = {session_.now.wall.us + 1000},
                 .scope = GrantScope::kOnce};
  }
  base::JsonDoc grant_args_;
};

TEST_F(GrantTest, LiftsExactlyTheCallItWasGivenFor) {  // P11
  const Grant grant = GrantFor("write", R"({"path":"/x"})");
  session_.grants = std::span(&grant, 1);
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").verdict, Verdict::kAllow);
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").reason, Reason::kApproved);
  EXPECT_EQ(Decide("write", R"({"path":"/y"})").verdict, Verdict::kEscalate);
  EXPECT_EQ(Decide("write", R"({ "path" : "/x" })").verdict, Verdict::kAllow) << "spelling is not a change";
}

TEST_F(GrantTest, NeverLiftsABlock) {
  const Grant grant = GrantFor("write", R"({"path":"/etc/x"})");
  session_.grants = std::span(&grant, 1);
  EXPECT_EQ(Decide("write", R"({"path":"/etc/x"})").verdict, Verdict::kBlock);
}

TEST_F(GrantTest, IsVoidAfterAnyChangeOfDefinitionOrPolicy) {
  Grant grant = GrantFor("write", R"({"path":"/x"})");
  grant.definition.bytes[0] ^= 1;
  session_.grants = std::span(&grant, 1);
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").verdict, Verdict::kEscalate);
  grant = GrantFor("write", R"({"path":"/x"})");
  grant.policy.bytes[0] ^= 1;
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").verdict, Verdict::kEscalate);
}

TEST_F(GrantTest, NoClockJumpExtendsIt) {
  const Grant grant = GrantFor("write", R"({"path":"/x"})");
  session_.grants = std::span(&grant, 1);
  const auto now = session_.now;
  struct Row {
    const char* name;
    std::int64_t wall_step, mono_step;
  };
  for (const Row row : {Row{"both past expiry", 1000, 1000}, Row{"wall set back after expiry", -500'000, 1000},
                        Row{"wall set back to the start", 0, 1000}, Row{"wall before the grant", -1, 10},
                        Row{"wall jumps ahead", 5000, 10}}) {
    session_.now = {{now.wall.us + row.wall_step}, {now.mono.us + row.mono_step}};
    EXPECT_EQ(Decide("write", R"({"path":"/x"})").verdict, Verdict::kEscalate) << row.name;
  }
  session_.now = {{now.wall.us + 999}, {now.mono.us + 999}};
  EXPECT_EQ(Decide("write", R"({"path":"/x"})").verdict, Verdict::kAllow) << "the last microsecond counts";
}

TEST_F(GateTest, ARewriteKeepsUntouchedMembersAndIsDecidedAgain) {  // P10
  Load(R"(
version: 1
profile: default
tools: {write: {effect: write}}
rules:
  - {id: dry, effect: rewrite, when: {tool: write, not: {arguments: {type: object, required: [dryRun]}}}, rewrite: {dryRun: true}}
  - {id: ok, effect: allow, when: {tool: write, arguments: {type: object, required: [dryRun]}}}
)");
  const auto d = Decide("write", R"({"path":"/x","n":1.50})");
  ASSERT_EQ(d.verdict, Verdict::kRewrite);
  EXPECT_EQ(d.rewritten_arguments, R"({"path":"/x","n":1.50,"dryRun":true})");
  EXPECT_EQ(Decide("write", d.rewritten_arguments).verdict, Verdict::kAllow);
}

TEST_F(GateTest, FailClosedIsABlockWithAFittingReasonForEveryError) {
  for (const auto& info : base::AllErrors()) {
    const auto d = FailClosed(base::Error(info.code, "x"));
    EXPECT_EQ(d.verdict, Verdict::kBlock) << info.id;
    EXPECT_NE(d.reason, Reason::kNone) << info.id;
    EXPECT_FALSE(d.evidence.empty()) << info.id;
  }
  EXPECT_EQ(FailClosed(base::Error(base::ErrorCode::kAuditWrite)).reason, Reason::kAuditUnavailable);
  EXPECT_EQ(FailClosed(base::Error(base::ErrorCode::kStoreLocked)).reason, Reason::kStoreUnavailable);
  EXPECT_EQ(FailClosed(base::Error(base::ErrorCode::kPolicySyntax)).reason, Reason::kPolicyUnavailable);
  EXPECT_EQ(FailClosed(base::Error(base::ErrorCode::kMcpQueueFull)).reason, Reason::kOverloaded);
}

TEST_F(GateTest, ResultsPassAreNotedOrWithheld) {
  const base::JsonDoc good = MustParse(R"({"content":[],"structuredContent":{"written":1}})");
  const base::JsonDoc bad = MustParse(R"({"content":[],"structuredContent":{}})");
  const base::JsonDoc list = MustParse("[]");
  const auto decide = [&](const base::JsonDoc& doc) {
    return DecideResult(*policy_, session_, {.tool = "write", .payload = doc.root()}, signals_);
  };
  EXPECT_EQ(decide(good).verdict, Verdict::kAllow);
  EXPECT_TRUE(decide(good).evidence.empty());
  EXPECT_FALSE(decide(bad).evidence.empty());
  EXPECT_EQ(decide(list).verdict, Verdict::kBlock);
  signals_[core::Layer::kInjection] = {core::Signal::State::kPresent, Verdict::kRewrite, 0.9, "addresses the agent"};
  EXPECT_TRUE(decide(good).rewritten_result);
  signals_[core::Layer::kInjection].floor = Verdict::kEscalate;
  EXPECT_EQ(decide(good).verdict, Verdict::kBlock) << "a result does not wait for a person";
}

class ChooseTest : public GateTest {
 protected:
  Choice Choose(std::vector<std::pair<std::string_view, double>> proposals) {
    docs_.clear();
    std::vector<Proposal> list;
    for (const auto& [path, gain] : proposals) {
      docs_.push_back(MustParse("{\"path\":\"" + std::string(path) + "\"}"));
      list.push_back(
          {core::Call{.id = "1", .server = "", .tool = "write", .arguments = docs_.back().root()}, gain, 0.0});
    }
    std::vector<core::SignalMap> signals(list.size());
    for (auto& s : signals) s[core::Layer::kRisk] = {core::Signal::State::kPresent, Verdict::kAllow, 0.1, ""};
    return gate::Choose(*policy_, session_, list, signals);
  }
  std::vector<base::JsonDoc> docs_;
};

TEST_F(ChooseTest, TakesTheFeasibleProposalOfGreatestUtility) {
  const auto choice = Choose({{"/work/a", 0.3}, {"/etc/x", 0.9}, {"/work/b", 0.5}});
  EXPECT_EQ(choice.kind, Choice::Kind::kExecute);
  EXPECT_EQ(choice.index, 2u);
}

TEST_F(ChooseTest, TiesGoToTheEarlierProposal) { EXPECT_EQ(Choose({{"/work/a", 0.5}, {"/work/b", 0.5}}).index, 0u); }

TEST_F(ChooseTest, ObservesOnlyWhenNothingFeasibleHelps) {
  const auto choice = Choose({{"/work/a", 0.05}});
  EXPECT_EQ(choice.kind, Choice::Kind::kObserveOnly);
  EXPECT_EQ(choice.decision.reason, Reason::kNoUtility);
  EXPECT_EQ(Choose({}).kind, Choice::Kind::kObserveOnly);
}

TEST_F(ChooseTest, PagesWhenEveryProposalWaits) {
  const auto choice = Choose({{"/x", 0.9}, {"/etc/x", 0.9}});
  EXPECT_EQ(choice.kind, Choice::Kind::kPage);
  EXPECT_EQ(choice.decision.verdict, Verdict::kEscalate);
}

TEST_F(ChooseTest, AMissingRiskSignalCountsAsTheToolsImpact) {
  docs_.push_back(MustParse(R"({"path":"/work/a"})"));
  const Proposal proposal{core::Call{.id = "1", .server = "", .tool = "write", .arguments = docs_.back().root()}, 0.45,
                          0.0};
  EXPECT_EQ(gate::Choose(*policy_, session_, std::span(&proposal, 1), {}).kind, Choice::Kind::kObserveOnly);
}

TEST(MergePatch, FollowsRfc7396) {
  struct Row {
    const char *target, *patch, *want;
  };
  for (const Row row :
       {Row{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        Row{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"}, Row{R"({"a":"b"})", R"({"a":null})", R"({})"},
        Row{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        Row{R"({"a":[1]})", R"({"a":{"b":1,"z":null}})", R"({"a":{"b":1}})"},
        Row{R"({"big":12345678901234567890123})", R"({"x":1e0})", R"({"big":12345678901234567890123,"x":1e0})"}}) {
    const auto target = MustParse(row.target);
    const auto patch = MustParse(row.patch);
    const auto merged = MergePatch(target.root(), patch.root());
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(merged.value(), row.want);
  }
}

}  // namespace
}  // namespace interlock::gate
