#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "store_for_test.h"

namespace interlock::runtime::approvals {
namespace {

using base::ErrorCode;
using Kind = Taken::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class RequestsTest : public StoreTest {};

TEST_F(RequestsTest, AskedAnsweredUsedOnce) {
  auto guard = Open();
  auto person = Open();
  const Question q = Ask();
  EXPECT_EQ(KindOf(*guard, q, At(0)), Kind::kNone);
  const std::string id = Put(*guard, q, At(0));
  EXPECT_EQ(KindOf(*guard, q, At(1)), Kind::kNone) << "asked is not answered";

  auto seen = person->Get(id, At(2));
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen.value().state, State::kPending);
  EXPECT_EQ(seen.value().question.arguments, q.arguments);
  EXPECT_EQ(seen.value().question.evidence, q.evidence);
  EXPECT_EQ(seen.value().question.subject.session, "s");
  ASSERT_TRUE(person->Decide(id, Yes(), At(3)).ok());

  auto taken = Take(*guard, q, At(4));
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken.value().kind, Kind::kGranted);
  EXPECT_EQ(taken.value().id, id);
  EXPECT_EQ(taken.value().approver, "bob");
  EXPECT_EQ(taken.value().expires_wall.us, At(3 + 900).wall.us);
  EXPECT_EQ(taken.value().expires_mono.us, At(3 + 900).mono.us);
  EXPECT_EQ(KindOf(*guard, q, At(5)), Kind::kNone) << "once is once";
  auto after = person->Get(id, At(6));
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after.value().state, State::kUsed);
  EXPECT_EQ(after.value().uses, 1u);
}

TEST_F(RequestsTest, GrantOutlivesTheGuardsProcess) {
  const Question q = Ask();
  std::string id;
  {
    auto guard = Open();
    id = Put(*guard, q, At(0));
  }
  ASSERT_TRUE(Open()->Decide(id, Yes(), At(10)).ok());
  EXPECT_EQ(KindOf(*Open(), q, At(20)), Kind::kGranted);
}

TEST_F(RequestsTest, TheSameQuestionIsAskedOnce) {
  auto guard = Open();
  const std::string id = Put(*guard, Ask(), At(0));
  EXPECT_EQ(Put(*guard, Ask(), At(1)), id);
  EXPECT_NE(Put(*guard, Ask('e'), At(2)), id);
  EXPECT_EQ(Read(*guard, id, At(3)).asks, 2u);
  EXPECT_THAT(All(*guard, {.state = State::kPending}, At(3)), SizeIs(2));
}

TEST_F(RequestsTest, ASecondAnswerIsRefused) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  ASSERT_TRUE(store->Decide(id, Yes(), At(1)).ok());
  for (const bool granted : {true, false}) {
    Ruling again = Yes();
    again.granted = granted;
    auto second = Open()->Decide(id, again, At(2));
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code(), ErrorCode::kApprovalDecided);
  }
  EXPECT_EQ(store->Decide("a-0000000000", Yes(), At(2)).error().code(), ErrorCode::kNotFound);
}

TEST_F(RequestsTest, AStandingNoRefusesTheSameCallUnasked) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  ASSERT_TRUE(store->Decide(id, {.approver = "bob", .reason = "not today", .ttl_us = 60 * kSecondUs}, At(1)).ok());
  auto taken = Take(*store, Ask(), At(2));
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken.value().kind, Kind::kDenied);
  EXPECT_EQ(taken.value().reason, "not today");
  EXPECT_EQ(KindOf(*store, Ask('e'), At(2)), Kind::kNone) << "another call";
  EXPECT_EQ(KindOf(*store, Ask(), At(62)), Kind::kNone) << "its time is over";
  // It wins over a yes to the same call, and can be taken back.
  const std::string other = Put(*store, Ask(), At(3));
  ASSERT_TRUE(store->Decide(other, Yes(), At(4)).ok());
  EXPECT_EQ(KindOf(*store, Ask(), At(5)), Kind::kDenied);
  ASSERT_TRUE(store->Revoke(id, "bob", "changed my mind", At(6)).ok());
  EXPECT_EQ(KindOf(*store, Ask(), At(7)), Kind::kGranted);
}

TEST_F(RequestsTest, AnyChangeVoidsAndSaysWhy) {
  const auto change = [](const std::function<void(Question&)>& how) {
    Question q = Ask();
    how(q);
    return q;
  };
  const std::vector<Question> changed = {change([](Question& q) { q.binding.definition = D('1'); }),
                                         change([](Question& q) { q.binding.policy = D('1'); }),
                                         change([](Question& q) { q.binding.preconditions = D('1'); })};
  std::vector<std::string> reasons;
  for (const Question& q : changed) {
    for (const Scope scope : {Scope::kOnce, Scope::kSession}) {
      auto store = Open();
      const std::string id = Put(*store, Ask(), At(0));
      ASSERT_TRUE(store->Decide(id, Yes(scope), At(1)).ok());
      auto taken = Take(*store, q, At(2));
      ASSERT_TRUE(taken.ok());
      EXPECT_EQ(taken.value().kind, Kind::kNone);
      ASSERT_THAT(taken.value().voided, SizeIs(1));
      EXPECT_EQ(taken.value().voided[0].id, id);
      reasons.push_back(taken.value().voided[0].why);
      EXPECT_EQ(Read(*store, id, At(3)).state, State::kVoid);
      EXPECT_EQ(KindOf(*store, Ask(), At(3)), Kind::kNone) << "it does not come back";
    }
  }
  EXPECT_EQ(std::set<std::string>(reasons.begin(), reasons.end()).size(), 3u) << "each change has its own words";
}

TEST_F(RequestsTest, OtherArgumentsAreNotCoveredAndTheGrantIsNamed) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  ASSERT_TRUE(store->Decide(id, Yes(), At(1)).ok());
  auto taken = Take(*store, Ask('e'), At(2));
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken.value().kind, Kind::kNone);
  EXPECT_EQ(taken.value().near, id);
  EXPECT_EQ(KindOf(*store, Ask(), At(3)), Kind::kGranted) << "the call it was given for still goes ahead";
}

TEST_F(RequestsTest, OnlyItsOwnSubject) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  ASSERT_TRUE(store->Decide(id, Yes(), At(1)).ok());
  for (auto change : std::vector<std::function<void(Subject&)>>{
           [](Subject& s) { s.tenant = "t"; }, [](Subject& s) { s.principal = "eve"; },
           [](Subject& s) { s.session = "s2"; }, [](Subject& s) { s.named = false; },
           [](Subject& s) { s.server = "other"; }}) {
    Question q = Ask();
    change(q.subject);
    EXPECT_EQ(KindOf(*store, q, At(2)), Kind::kNone);
  }
  EXPECT_EQ(KindOf(*store, Ask(), At(3)), Kind::kGranted);
}

TEST_F(RequestsTest, UnnamedSessionsOfOnePrincipalAreOne) {
  auto store = Open();
  Question q = Ask();
  q.subject = {.principal = "alice", .session = "proxy-1", .named = false, .server = "srv"};
  const std::string id = Put(*store, q, At(0));
  ASSERT_TRUE(store->Decide(id, Yes(), At(1)).ok());
  q.subject.session = "proxy-2";
  EXPECT_EQ(KindOf(*store, q, At(2)), Kind::kGranted);
}

TEST_F(RequestsTest, SessionScopeIsGoodUntilEitherClockEndsIt) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  ASSERT_TRUE(store->Decide(id, Yes(Scope::kSession, 100), At(10)).ok());
  EXPECT_EQ(KindOf(*store, Ask(), At(20)), Kind::kGranted);
  EXPECT_EQ(KindOf(*store, Ask(), At(109)), Kind::kGranted);
  EXPECT_EQ(KindOf(*store, Ask(), At(110)), Kind::kNone);
  EXPECT_EQ(KindOf(*store, Ask(), {At(20).wall, At(110).mono}), Kind::kNone) << "wall clock set back";
  EXPECT_EQ(KindOf(*store, Ask(), {At(110).wall, At(20).mono}), Kind::kNone);
  EXPECT_EQ(KindOf(*store, Ask(), {At(9).wall, At(20).mono}), Kind::kNone) << "before it was given";
  EXPECT_EQ(KindOf(*store, Ask(), {At(20).wall, At(9).mono}), Kind::kNone);
  EXPECT_EQ(KindOf(*store, Ask(), At(30)), Kind::kGranted);
  EXPECT_EQ(Read(*store, id, At(30)).uses, 3u);
  EXPECT_EQ(Read(*store, id, At(200)).state, State::kExpired);
  EXPECT_EQ(KindOf(*Open("boot-2"), Ask(), At(30)), Kind::kNone) << "nothing is known across a restart";
}

TEST_F(RequestsTest, AQuestionExpiresUnanswered) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  const base::Now late = At(24 * 3600);
  EXPECT_EQ(Read(*store, id, late).state, State::kExpired);
  EXPECT_EQ(store->Decide(id, Yes(), late).error().code(), ErrorCode::kApprovalDecided);
  EXPECT_NE(Put(*store, Ask(), late), id);
}

TEST_F(RequestsTest, TwoGuardsRaceForOneGrant) {
  constexpr int kGuards = 4;
  constexpr int kRounds = 10;
  auto person = Open();
  for (int round = 0; round < kRounds; ++round) {
    const std::string id = Put(*person, Ask(), At(0));
    ASSERT_TRUE(person->Decide(id, Yes(), At(1)).ok());
    std::atomic<int> won{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> guards;
    for (int i = 0; i < kGuards; ++i) {
      guards.emplace_back([&] {
        auto store = ApprovalStore::Open({.path = path(), .busy_timeout_ms = 5000, .boot = "boot-1"});
        ASSERT_TRUE(store.ok());
        while (!go) std::this_thread::yield();
        if (KindOf(*store.value(), Ask(), At(2)) == Kind::kGranted) ++won;
      });
    }
    go = true;
    for (auto& guard : guards) guard.join();
    EXPECT_EQ(won, 1);
  }
}

TEST_F(RequestsTest, WhatIsNotWitnessedHasNotHappened) {
  auto store = Open();
  const auto fail = [] { return base::Status(base::Error(ErrorCode::kAuditWrite, "scripted")); };
  EXPECT_EQ(store->Put(Ask(), At(0), fail).error().code(), ErrorCode::kAuditWrite);
  EXPECT_THAT(All(*store, {}, At(0)), IsEmpty());
  const std::string id = Put(*store, Ask(), At(0));
  EXPECT_EQ(store->Decide(id, Yes(), At(1), [&](const Request&) { return fail(); }).error().code(),
            ErrorCode::kAuditWrite);
  EXPECT_EQ(Read(*store, id, At(1)).state, State::kPending);
  ASSERT_TRUE(store->Decide(id, Yes(), At(1)).ok());
  const Question q = Ask();
  EXPECT_FALSE(store->Take(q.subject, q.tool, q.binding, {}, At(2), [&](const Taken&) { return fail(); }).ok());
  EXPECT_EQ(KindOf(*store, q, At(3)), Kind::kGranted) << "the use was rolled back";
}

TEST_F(RequestsTest, AnsweredElsewhereDecidesThePendingOne) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  auto answered = store->Answered(Ask(), Yes(), At(1));
  ASSERT_TRUE(answered.ok());
  EXPECT_EQ(answered.value(), id);
  EXPECT_EQ(store->Decide(id, Yes(), At(2)).error().code(), ErrorCode::kApprovalDecided);
  EXPECT_EQ(KindOf(*store, Ask(), At(2)), Kind::kGranted);
  EXPECT_TRUE(store->Answered(Ask('n'), Yes(), At(3)).ok()) << "filed and decided at once";
  EXPECT_EQ(KindOf(*store, Ask('n'), At(4)), Kind::kGranted);
}

TEST_F(RequestsTest, RevokedIsVoid) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  EXPECT_EQ(store->Revoke(id, "bob", "", At(1)).error().code(), ErrorCode::kApprovalDecided)
      << "nothing is granted yet";
  ASSERT_TRUE(store->Decide(id, Yes(Scope::kSession), At(1)).ok());
  ASSERT_TRUE(store->Revoke(id, "bob", "mistake", At(2)).ok());
  EXPECT_EQ(KindOf(*store, Ask(), At(3)), Kind::kNone);
  EXPECT_EQ(store->Revoke(id, "bob", "", At(4)).error().code(), ErrorCode::kApprovalDecided);
  EXPECT_EQ(store->Revoke("nonsense", "bob", "", At(4)).error().code(), ErrorCode::kNotFound);
}

TEST_F(RequestsTest, RulingsAreChecked) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  const auto refused = [&](const std::function<void(Ruling&)>& change) {
    Ruling ruling = Yes();
    change(ruling);
    auto decided = store->Decide(id, ruling, At(1));
    return !decided.ok() && decided.error().code() == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](Ruling& r) { r.approver = " "; }));
  EXPECT_TRUE(refused([](Ruling& r) { r.ttl_us = 0; }));
  EXPECT_TRUE(refused([](Ruling& r) { r.ttl_us = kMaxGrantTtlUs + 1; }));
  EXPECT_TRUE(refused([](Ruling& r) {
    r.scope = Scope::kPattern;
    r.constraint = R"({"type":"object"})";
  }));
  EXPECT_TRUE(refused([](Ruling& r) { r.constraint = R"({"properties":{}})"; }));
  EXPECT_TRUE(refused([](Ruling& r) { r.reason = "\xff"; }));
  EXPECT_EQ(Read(*store, id, At(2)).state, State::kPending);
}

TEST_F(RequestsTest, TooManyOrTooLargeIsRefused) {
  auto store = Open();
  Question large = Ask();
  large.arguments = "\"" + std::string(kMaxArgumentsBytes, 'x') + "\"";
  EXPECT_EQ(store->Put(large, At(0)).error().code(), ErrorCode::kLimitExceeded);
  Question q = Ask();
  for (std::size_t i = 0; i < kMaxPending; ++i) {
    q.binding.call = base::Sha256(std::to_string(i));
    ASSERT_TRUE(store->Put(q, At(0)).ok());
  }
  q.binding.call = D('z');
  EXPECT_EQ(store->Put(q, At(0)).error().code(), ErrorCode::kLimitExceeded);
  q.subject.session = "another";
  EXPECT_TRUE(store->Put(q, At(0)).ok());
}

TEST_F(RequestsTest, SweptRowsAreGone) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  constexpr std::int64_t kDay = 24 * 3600;
  ASSERT_TRUE(store->Sweep(At(2 * kDay)).ok());
  EXPECT_EQ(Read(*store, id, At(2 * kDay)).state, State::kExpired);
  ASSERT_TRUE(store->Sweep(At(40 * kDay)).ok());
  EXPECT_EQ(store->Get(id, At(40 * kDay)).error().code(), ErrorCode::kNotFound);
}

TEST_F(RequestsTest, HostileRowsAreErrorsAndGrantNothing) {
  const std::vector<std::string> damages = {"UPDATE request SET id='a-;drop'",
                                            "UPDATE request SET principal=CAST(x'ff' AS TEXT), session='s'",
                                            "UPDATE request SET approver=''",
                                            "UPDATE request SET arguments='{'",
                                            "UPDATE request SET evidence='nothing'",
                                            "UPDATE request SET reason=CAST(x'c0' AS TEXT)",
                                            "UPDATE request SET session_name='t'",
                                            "PRAGMA ignore_check_constraints=1; UPDATE request SET state=9",
                                            "PRAGMA ignore_check_constraints=1; UPDATE request SET scope=7",
                                            "PRAGMA ignore_check_constraints=1; UPDATE request SET policy=x'00'"};
  for (const std::string& damage : damages) {
    SCOPED_TRACE(damage);
    std::filesystem::remove(path());
    auto store = Open();
    const std::string id = Put(*store, Ask(), At(0));
    ASSERT_TRUE(store->Decide(id, Yes(), At(1)).ok());
    Sql(damage);
    auto taken = Take(*store, Ask(), At(2));
    if (taken.ok()) {
      EXPECT_EQ(taken.value().kind, Kind::kNone);
    } else {
      EXPECT_EQ(taken.error().code(), ErrorCode::kStoreIo);
    }
    auto list = store->List({}, At(2));
    ASSERT_FALSE(list.ok());
    EXPECT_EQ(list.error().code(), ErrorCode::kStoreIo);
    store.reset();
    std::filesystem::remove(path() + "-wal");
    std::filesystem::remove(path() + "-shm");
  }
}

TEST_F(RequestsTest, FileIsTheOwnersAloneAndOthersFilesAreRefused) {
  {
    auto store = Open();
    struct stat st{};
    ASSERT_EQ(::stat(path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777u, 0600u);
  }
  for (const mode_t mode : {mode_t{0620}, mode_t{0602}}) {
    ASSERT_EQ(::chmod(path().c_str(), mode), 0);
    EXPECT_EQ(TryOpen().error().code(), ErrorCode::kStoreUnsafe);
  }
  ASSERT_EQ(::chmod(path().c_str(), 0644), 0) << "others may read it if its owner wants";
  EXPECT_TRUE(TryOpen().ok());
  ASSERT_EQ(::chmod(dir_.c_str(), 0770), 0);
  EXPECT_EQ(TryOpen().error().code(), ErrorCode::kStoreUnsafe);
  ASSERT_EQ(::chmod(dir_.c_str(), 0700), 0);
  std::filesystem::rename(path(), dir_ + "/real.db");
  std::filesystem::create_symlink(dir_ + "/real.db", path());
  EXPECT_EQ(TryOpen().error().code(), ErrorCode::kStoreUnsafe);
}

TEST_F(RequestsTest, ForeignAndNewerFilesAreRefused) {
  std::ofstream(path()) << std::string(4096, 'x');
  ::chmod(path().c_str(), 0600);
  EXPECT_EQ(TryOpen().error().code(), ErrorCode::kStoreIo);
  std::filesystem::remove(path());
  {
    auto store = Open();
  }
  Sql("PRAGMA user_version=99");
  EXPECT_EQ(TryOpen().error().code(), ErrorCode::kStoreSchema);
  EXPECT_EQ(ApprovalStore::Open({.path = dir_ + "/none.db", .create = false, .boot = "b"}).error().code(),
            ErrorCode::kFileNotFound);
}

TEST_F(RequestsTest, ALockedFileIsATypedError) {
  auto opened = ApprovalStore::Open({.path = path(), .busy_timeout_ms = 10, .boot = "boot-1"});
  ASSERT_TRUE(opened.ok());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(opened.value()->Put(Ask(), At(0)).error().code(), ErrorCode::kStoreLocked);
  EXPECT_EQ(Take(*opened.value(), Ask(), At(0)).error().code(), ErrorCode::kStoreLocked);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_TRUE(opened.value()->Put(Ask(), At(0)).ok());
}

}  // namespace
}  // namespace interlock::runtime::approvals
