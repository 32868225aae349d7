#include <fstream>

#include "gmock/gmock.h"
#include "store_for_test.h"

namespace interlock::runtime::approvals {
namespace {

using base::ErrorCode;
using Kind = Taken::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kPlan[] = R"({"schema":"interlock.plan/v1","title":"t","server":"srv","steps":[
  {"tool":"write","arguments":{"properties":{"path":{"enum":["a.txt","b.txt"]}},"required":["path"]},"max_uses":2},
  {"tool":"restart","arguments":{"properties":{"service":{"const":"web"}},"required":["service"]}}]})";

class PlansTest : public StoreTest {
 protected:
  std::string Add(ApprovalStore& store, const std::function<void(Plan&)>& change = {}, std::int64_t seconds = 600) {
    auto text = ParsePlan(kPlan);
    EXPECT_TRUE(text.ok()) << text.error().ToString();
    Plan plan;
    plan.text = text.value();
    plan.principal = "alice";
    plan.approver = "bob";
    if (change) change(plan);
    auto id = store.AddPlan(plan, seconds * kSecondUs, At(0));
    EXPECT_TRUE(id.ok()) << (id.ok() ? "" : id.error().ToString());
    return id.ok() ? id.value() : "";
  }
  static Question Call(const std::string& arguments, const std::string& tool = "write") {
    Question q = Ask();
    q.tool = tool;
    q.arguments = arguments;
    q.binding.call = base::Sha256(tool + arguments);
    return q;
  }
  static std::vector<Plan> Plans(ApprovalStore& store, base::Now now) {
    auto plans = store.Plans(now);
    EXPECT_TRUE(plans.ok()) << (plans.ok() ? "" : plans.error().ToString());
    return plans.ok() ? plans.value() : std::vector<Plan>{};
  }
};

TEST_F(PlansTest, CallsWithinItsBoundsSoManyTimes) {
  auto store = Open();
  const std::string id = Add(*store);
  auto taken = Take(*store, Call(R"({"path":"a.txt"})"), At(1));
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken.value().kind, Kind::kGranted);
  EXPECT_EQ(taken.value().scope, Scope::kPattern);
  EXPECT_EQ(taken.value().id, id);
  EXPECT_FALSE(taken.value().constraint.empty());
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"c.txt"})"), At(2)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"a.txt","force":true})"), At(2)), Kind::kNone) << "not named, not allowed";
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"a.txt"})", "delete"), At(2)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"b.txt"})"), At(3)), Kind::kGranted);
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"b.txt"})"), At(4)), Kind::kNone) << "used up";
  EXPECT_EQ(KindOf(*store, Call(R"({"service":"web"})", "restart"), At(5)), Kind::kGranted);
  const auto plans = Plans(*store, At(6));
  ASSERT_THAT(plans, SizeIs(1));
  EXPECT_THAT(plans[0].uses_left, ElementsAre(0u, 0u));
}

TEST_F(PlansTest, ForItsPrincipalSessionServerAndTime) {
  auto store = Open();
  Add(*store, [](Plan& p) { p.session = "s"; });
  const auto with = [&](const std::function<void(Subject&)>& change) {
    Question q = Call(R"({"path":"a.txt"})");
    change(q.subject);
    return q;
  };
  EXPECT_EQ(KindOf(*store, with([](Subject& s) { s.principal = "eve"; }), At(1)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, with([](Subject& s) { s.session = "other"; }), At(1)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, with([](Subject& s) { s.named = false; }), At(1)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, with([](Subject& s) { s.server = "other"; }), At(1)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, with([](Subject& s) { s.tenant = "other"; }), At(1)), Kind::kNone);
  Add(*store, [](Plan& p) { p.tenant = "acme"; });
  EXPECT_EQ(KindOf(*store, with([](Subject& s) { s.tenant = "acme"; }), At(1)), Kind::kGranted);
  EXPECT_EQ(KindOf(*store, with([](Subject&) {}), At(600)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, with([](Subject&) {}), {At(1).wall, At(600).mono}), Kind::kNone);
  EXPECT_EQ(KindOf(*store, with([](Subject&) {}), At(599)), Kind::kGranted);
  EXPECT_EQ(Plans(*store, At(600)).at(0).state, State::kExpired);
}

TEST_F(PlansTest, BoundByItsFirstUseAndVoidOnAnyChange) {
  for (const bool policy : {true, false}) {
    auto store = Open();
    const std::string id = Add(*store);
    Question q = Call(R"({"path":"a.txt"})");
    EXPECT_EQ(KindOf(*store, q, At(1)), Kind::kGranted);
    (policy ? q.binding.policy : q.binding.definition) = D('n');
    auto taken = Take(*store, q, At(2));
    ASSERT_TRUE(taken.ok());
    EXPECT_EQ(taken.value().kind, Kind::kNone);
    ASSERT_THAT(taken.value().voided, SizeIs(1));
    EXPECT_EQ(taken.value().voided[0].id, id);
    EXPECT_EQ(KindOf(*store, Call(R"({"service":"web"})", "restart"), At(3)), Kind::kNone) << "the whole plan is void";
  }
}

TEST_F(PlansTest, PatternOfARequestIsBoundToWhatWasShown) {
  auto store = Open();
  const std::string id = Put(*store, Call(R"({"path":"a.txt"})"), At(0));
  Ruling ruling = Yes(Scope::kPattern);
  ruling.constraint = R"({"properties":{"path":{"pattern":"^[a-z]\\.txt$"}},"required":["path"]})";
  ruling.max_uses = 2;
  ASSERT_TRUE(store->Decide(id, ruling, At(1)).ok());
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"q.txt"})"), At(2)), Kind::kGranted);
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"../q"})"), At(2)), Kind::kNone);
  EXPECT_EQ(Read(*store, id, At(3)).uses, 1u);
  Question changed = Call(R"({"path":"q.txt"})");
  changed.binding.preconditions = D('n');
  EXPECT_EQ(KindOf(*store, changed, At(4)), Kind::kNone);
  EXPECT_EQ(Read(*store, id, At(5)).state, State::kVoid);
}

TEST_F(PlansTest, RevokedAndHostile) {
  auto store = Open();
  const std::string id = Add(*store);
  ASSERT_TRUE(store->Revoke(id, "bob", "", At(1)).ok());
  EXPECT_EQ(KindOf(*store, Call(R"({"path":"a.txt"})"), At(2)), Kind::kNone);
  EXPECT_EQ(store->Revoke(id, "bob", "", At(3)).error().code(), ErrorCode::kApprovalDecided);
  EXPECT_EQ(store->Revoke("p-0000000000", "bob", "", At(3)).error().code(), ErrorCode::kNotFound);
  for (const char* damage : {"UPDATE step SET arguments='true'", "UPDATE plan SET approver=''",
                             "PRAGMA ignore_check_constraints=1; UPDATE plan SET policy=x'01'"}) {
    SCOPED_TRACE(damage);
    Sql("DELETE FROM plan; DELETE FROM step");
    Add(*store);
    Sql(damage);
    auto taken = Take(*store, Call(R"({"path":"a.txt"})"), At(4));
    ASSERT_FALSE(taken.ok());
    EXPECT_EQ(taken.error().code(), ErrorCode::kStoreIo);
  }
}

TEST_F(PlansTest, FilesThatBoundNothingAreRefused) {
  const auto step = [](const std::string& body) {
    return R"({"schema":"interlock.plan/v1","steps":[{)" + body + "}]}";
  };
  for (const std::string& text :
       {std::string("{}"), std::string("[]"), std::string("{"), std::string(R"({"schema":"interlock.plan/v1"})"),
        std::string(R"({"schema":"interlock.plan/v1","steps":[]})"),
        std::string(R"({"schema":"interlock.plan/v1","extra":1,"steps":[{"tool":"a","arguments":{"properties":{}}}]})"),
        step(R"("tool":"a")"), step(R"("arguments":{"properties":{}})"), step(R"("tool":"a","arguments":true)"),
        step(R"("tool":"a","arguments":{})"), step(R"("tool":"a","arguments":{"properties":{}},"max_uses":0)"),
        step(R"("tool":"a","arguments":{"properties":{}},"uses":1)"),
        step(R"x("tool":"a","arguments":{"properties":{"x":{"pattern":"(?=a)"}}})x")}) {
    EXPECT_FALSE(ParsePlan(text).ok()) << text;
  }
  EXPECT_TRUE(ParsePlan(step(R"("tool":"a","arguments":{"properties":{}})")).ok()) << "no arguments at all";
  auto store = Open();
  auto text = ParsePlan(kPlan);
  ASSERT_TRUE(text.ok());
  Plan plan;
  plan.text = text.value();
  plan.approver = "bob";
  EXPECT_EQ(store->AddPlan(plan, kSecondUs, At(0)).error().code(), ErrorCode::kInvalidArgument) << "for nobody";
  plan.session = "s";
  EXPECT_EQ(store->AddPlan(plan, 0, At(0)).error().code(), ErrorCode::kInvalidArgument);
  plan.reason = "\xff";
  EXPECT_EQ(store->AddPlan(plan, kSecondUs, At(0)).error().code(), ErrorCode::kInvalidArgument);
  plan.reason.clear();
  plan.approver.clear();
  EXPECT_EQ(store->AddPlan(plan, kSecondUs, At(0)).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(Plans(*store, At(0)), IsEmpty());
}

TEST_F(PlansTest, AListWithADamagedPlanIsAnError) {
  auto store = Open();
  Add(*store);
  Sql("UPDATE step SET arguments='{'");
  auto plans = store->Plans(At(1));
  ASSERT_FALSE(plans.ok());
  EXPECT_EQ(plans.error().code(), ErrorCode::kStoreIo);
}

class BreakGlassTest : public StoreTest {
 protected:
  static BreakGlass For(const std::string& reason = "checkout is down") {
    BreakGlass window;
    window.principal = "alice";
    window.reason = reason;
    window.opened_by = "bob";
    return window;
  }
  static bool Active(ApprovalStore& store, const Subject& subject, base::Now now) {
    auto window = store.ActiveBreakGlass(subject, now);
    EXPECT_TRUE(window.ok()) << (window.ok() ? "" : window.error().ToString());
    return window.ok() && window.value().has_value();
  }
};

TEST_F(BreakGlassTest, OpenedWithAReasonOverByItselfReviewedOnce) {
  auto person = Open();
  auto guard = Open();
  EXPECT_FALSE(Active(*guard, Alice(), At(0)));
  EXPECT_EQ(person->OpenBreakGlass(For(" \n"), 60 * kSecondUs, At(0)).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(person->OpenBreakGlass(For(), 0, At(0)).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(person->OpenBreakGlass(For(), kMaxBreakGlassTtlUs + 1, At(0)).error().code(), ErrorCode::kInvalidArgument);
  BreakGlass all = For();
  all.principal.reset();
  EXPECT_EQ(person->OpenBreakGlass(all, kSecondUs, At(0)).error().code(), ErrorCode::kInvalidArgument);
  auto id = person->OpenBreakGlass(For(), 60 * kSecondUs, At(0));
  ASSERT_TRUE(id.ok());
  EXPECT_TRUE(Active(*guard, Alice(), At(1))) << "another process sees it";
  Subject eve = Alice();
  eve.principal = "eve";
  EXPECT_FALSE(Active(*guard, eve, At(1)));
  EXPECT_FALSE(Active(*guard, Alice(), {At(1).wall, At(60).mono}));
  EXPECT_FALSE(Active(*guard, Alice(), {At(60).wall, At(1).mono}));
  EXPECT_FALSE(Active(*guard, Alice(), {At(-1).wall, At(1).mono}));
  EXPECT_FALSE(Active(*Open("boot-2"), Alice(), At(1)));
  ASSERT_TRUE(guard->CountBreakGlass(id.value()).ok());
  EXPECT_EQ(person->ReviewBreakGlass(id.value(), "carol", At(1)).error().code(), ErrorCode::kInvalidArgument)
      << "still open";
  EXPECT_FALSE(Active(*guard, Alice(), At(60)));
  EXPECT_EQ(person->ReviewBreakGlass(id.value(), " ", At(61)).error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(person->ReviewBreakGlass(id.value(), "carol", At(61)).ok());
  EXPECT_EQ(person->ReviewBreakGlass(id.value(), "dave", At(62)).error().code(), ErrorCode::kApprovalDecided);
  EXPECT_EQ(person->ReviewBreakGlass("b-0000000000", "dave", At(62)).error().code(), ErrorCode::kNotFound);
  auto windows = person->BreakGlasses(At(63));
  ASSERT_TRUE(windows.ok());
  ASSERT_THAT(windows.value(), SizeIs(1));
  EXPECT_EQ(windows.value()[0].decisions, 1u);
  EXPECT_EQ(windows.value()[0].reviewed_by, "carol");
}

TEST_F(BreakGlassTest, ThePolicyOpensOneAtATimeAndNotAgainBeforeItsReview) {
  auto guard = Open();
  Subject unnamed = Alice();
  unnamed.session = "proxy-1";
  unnamed.named = false;
  Subject bob = Alice();
  bob.principal = "bob";
  EXPECT_FALSE(
      guard
          ->OpenByPolicy(Alice(), "x", 60 * kSecondUs, At(0),
                         [](std::string_view) -> base::Status { return base::Error(ErrorCode::kIo, "no record"); })
          .ok());
  auto active = guard->ActiveBreakGlass(Alice(), At(0));
  ASSERT_TRUE(active.ok());
  EXPECT_FALSE(active.value().has_value()) << "without a record nothing is open";
  const auto opened = guard->OpenByPolicy(Alice(), "impact 3", 60 * kSecondUs, At(0));
  ASSERT_TRUE(opened.ok());
  ASSERT_TRUE(opened.value().has_value());
  active = guard->ActiveBreakGlass(Alice(), At(1));
  ASSERT_TRUE(active.ok() && active.value().has_value());
  EXPECT_EQ(active.value()->id, *opened.value());
  for (const Subject& other : {unnamed, bob}) {
    active = guard->ActiveBreakGlass(other, At(1));
    ASSERT_TRUE(active.ok());
    EXPECT_FALSE(active.value().has_value()) << "it is for that session of that principal";
  }
  for (const std::int64_t second : {1, 61}) {
    const auto again = guard->OpenByPolicy(Alice(), "impact 4", 60 * kSecondUs, At(second));
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again.value().has_value()) << second;
  }
  // A guard that starts anew under a made-up name is no new incident either.
  const auto restarted = guard->OpenByPolicy(unnamed, "impact 4", 60 * kSecondUs, At(61));
  ASSERT_TRUE(restarted.ok());
  EXPECT_FALSE(restarted.value().has_value());
  ASSERT_TRUE(guard->ReviewBreakGlass(*opened.value(), "carol", At(62)).ok());
  const auto next = guard->OpenByPolicy(unnamed, "impact 5", 60 * kSecondUs, At(63));
  ASSERT_TRUE(next.ok() && next.value().has_value());
  active = guard->ActiveBreakGlass(unnamed, At(64));
  ASSERT_TRUE(active.ok());
  EXPECT_TRUE(active.value().has_value()) << "its own guard knows the name";
  active = guard->ActiveBreakGlass(Alice(), At(64));
  ASSERT_TRUE(active.ok());
  EXPECT_FALSE(active.value().has_value());
}

TEST_F(BreakGlassTest, OfOneTenant) {
  auto store = Open();
  BreakGlass window = For();
  window.tenant = "acme";
  ASSERT_TRUE(store->OpenBreakGlass(window, 60 * kSecondUs, At(0)).ok());
  EXPECT_FALSE(Active(*store, Alice(), At(1)));
  Subject theirs = Alice();
  theirs.tenant = "acme";
  EXPECT_TRUE(Active(*store, theirs, At(1)));
}

TEST_F(BreakGlassTest, EndedEarly) {
  auto store = Open();
  auto id = store->OpenBreakGlass(For(), 60 * kSecondUs, At(0));
  ASSERT_TRUE(id.ok());
  EXPECT_TRUE(Active(*store, Alice(), At(1)));
  ASSERT_TRUE(Open()->Revoke(id.value(), "bob", "", At(2)).ok());
  EXPECT_FALSE(Active(*store, Alice(), At(3)));
  EXPECT_EQ(store->Revoke(id.value(), "bob", "", At(4)).error().code(), ErrorCode::kApprovalDecided);
}

TEST_F(BreakGlassTest, AWindowForASessionIsForNamedOnes) {
  auto store = Open();
  BreakGlass window = For();
  window.principal.reset();
  window.session = "s";
  ASSERT_TRUE(store->OpenBreakGlass(window, 60 * kSecondUs, At(0)).ok());
  EXPECT_TRUE(Active(*store, Alice(), At(1)));
  Subject made_up = Alice();
  made_up.named = false;
  EXPECT_FALSE(Active(*store, made_up, At(1)));
}

TEST_F(BreakGlassTest, HostileRowsOpenNothing) {
  for (const char* damage :
       {"PRAGMA ignore_check_constraints=1; UPDATE break_glass SET reason=' '", "UPDATE break_glass SET principal=NULL",
        "UPDATE break_glass SET to_wall=9000000000000000000", "UPDATE break_glass SET opened_by=''",
        "UPDATE break_glass SET id='x'"}) {
    SCOPED_TRACE(damage);
    auto store = Open();
    Sql("DELETE FROM break_glass");
    ASSERT_TRUE(store->OpenBreakGlass(For(), 60 * kSecondUs, At(0)).ok());
    Sql(damage);
    EXPECT_FALSE(store->ActiveBreakGlass(Alice(), At(1)).ok());
  }
}

class BudgetsTest : public StoreTest {};

TEST_F(BudgetsTest, SharedAndCountedOnlyOnWhatWasSeen) {
  auto a = Open();
  auto b = Open();
  auto seen_a = a->Budgets("", "alice", At(0));
  auto seen_b = b->Budgets("", "alice", At(0));
  ASSERT_TRUE(seen_a.ok() && seen_b.ok());
  auto charged = a->Charge("", "alice", seen_a.value(), {{"spend", 60.0}}, At(0));
  ASSERT_TRUE(charged.ok());
  EXPECT_TRUE(charged.value());
  charged = b->Charge("", "alice", seen_b.value(), {{"spend", 60.0}}, At(0));
  ASSERT_TRUE(charged.ok());
  EXPECT_FALSE(charged.value()) << "it was decided on an older sum";
  charged = b->Charge("", "alice", seen_b.value(), {{"other", 1.0}}, At(0));
  ASSERT_TRUE(charged.ok());
  EXPECT_TRUE(charged.value()) << "another budget";
  seen_b = b->Budgets("", "alice", At(1));
  ASSERT_TRUE(seen_b.ok());
  EXPECT_EQ(seen_b.value(), (ApprovalStore::Sums{{"other", 1.0}, {"spend", 60.0}}));
  EXPECT_EQ(Open()->Budgets("", "bob", At(1)).ok(), true);
  auto next_day = a->Budgets("", "alice", At(24 * 3600));
  ASSERT_TRUE(next_day.ok());
  EXPECT_THAT(next_day.value(), IsEmpty());
  EXPECT_FALSE(a->Charge("", "alice", {}, {{"spend", -1.0}}, At(0)).ok()) << "nothing is earned back";
  EXPECT_FALSE(a->Charge("", "alice", {}, {{"spend", HUGE_VAL}}, At(0)).ok());
}

TEST_F(BudgetsTest, HostileSumsAreErrors) {
  auto store = Open();
  ASSERT_TRUE(store->Charge("", "alice", {}, {{"spend", 1.0}}, At(0)).ok());
  Sql("UPDATE budget SET sum=9e999");
  EXPECT_EQ(store->Budgets("", "alice", At(0)).error().code(), ErrorCode::kStoreIo);
  Sql("UPDATE budget SET sum=-5");
  EXPECT_EQ(store->Budgets("", "alice", At(0)).error().code(), ErrorCode::kStoreIo);
}

}  // namespace
}  // namespace interlock::runtime::approvals
