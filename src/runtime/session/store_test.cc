#include "interlock/runtime/session/store.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace interlock::runtime::session {
namespace {

using testing::ElementsAre;

class SessionStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "interlock-store-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string path() const { return dir_ + "/sessions.db"; }
  std::unique_ptr<SessionStore> Open(int busy_timeout_ms = 250) {
    auto store = SessionStore::Open({.path = path(), .busy_timeout_ms = busy_timeout_ms});
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().ToString());
    return store.ok() ? std::move(store.value()) : nullptr;
  }
  static base::Now At(std::int64_t seconds) { return {{seconds * 1'000'000}, {seconds * 1'000'000}}; }
  std::string dir_;
};

TEST_F(SessionStoreTest, FileIsForTheOwnerAlone) {
  auto store = Open();
  struct stat st{};
  ASSERT_EQ(::stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777u, 0600u);
}

TEST_F(SessionStoreTest, FactsAreOfASessionAndOfNoOther) {
  auto a = Open();
  auto b = Open();
  auto other = Open();
  ASSERT_TRUE(a->Join({"t", "alice", "s1"}, At(1)).ok());
  ASSERT_TRUE(b->Join({"t", "alice", "s1"}, At(1)).ok());
  ASSERT_TRUE(other->Join({"t", "alice", "s2"}, At(1)).ok());
  ASSERT_TRUE(a->Publish({.fact_channel = "alert", .fact = "{\"service\":\"cart\"}"}, At(2)).ok());
  ASSERT_TRUE(a->Publish({.fact_channel = "alert", .fact = "{\"service\":\"mail\"}"}, At(3)).ok());
  Update update;
  ASSERT_TRUE(b->Poll(0, update).ok());
  EXPECT_THAT(update.facts, ElementsAre(std::pair<std::string, std::string>("alert", "{\"service\":\"cart\"}"),
                                        std::pair<std::string, std::string>("alert", "{\"service\":\"mail\"}")));
  ASSERT_TRUE(b->Poll(update.version, update).ok());
  EXPECT_TRUE(update.facts.empty());
  ASSERT_TRUE(other->Poll(0, update).ok());
  EXPECT_TRUE(update.facts.empty());
}

TEST_F(SessionStoreTest, GuardsOfOneSessionShareKeyLabelsAndValues) {
  auto a = Open();
  auto b = Open();
  const auto key_a = a->Join({"t", "alice", "s1"}, At(1));
  const auto key_b = b->Join({"t", "alice", "s1"}, At(2));
  ASSERT_TRUE(key_a.ok() && key_b.ok());
  EXPECT_EQ(key_a.value(), key_b.value());

  Update update;
  ASSERT_TRUE(b->Poll(0, update).ok());
  EXPECT_TRUE(update.empty);
  ASSERT_TRUE(
      a->Publish({.labels = {"untrusted", "private"}, .label_names = {"private"}, .blob = "BLOB", .request = "do it"},
                 At(3))
          .ok());
  ASSERT_TRUE(b->Poll(update.version, update).ok());
  EXPECT_FALSE(update.empty);
  EXPECT_THAT(update.labels, ElementsAre("private", "untrusted"));
  EXPECT_THAT(update.requests, ElementsAre("do it"));
  ASSERT_EQ(update.entries.size(), 1u);
  EXPECT_EQ(update.entries[0].blob, "BLOB");
  EXPECT_THAT(update.entries[0].label_names, ElementsAre("private"));
  const auto version = update.version;
  ASSERT_TRUE(b->Poll(version, update).ok());
  EXPECT_TRUE(update.empty);
}

TEST_F(SessionStoreTest, ALateGuardSeesEverythingThatWasPublishedBefore) {
  auto a = Open();
  ASSERT_TRUE(a->Join({"t", "alice", "s1"}, At(1)).ok());
  ASSERT_TRUE(a->Publish({.labels = {"untrusted"}}, At(2)).ok());
  auto b = Open();
  ASSERT_TRUE(b->Join({"t", "alice", "s1"}, At(3)).ok());
  Update update;
  ASSERT_TRUE(b->Poll(0, update).ok());
  EXPECT_THAT(update.labels, ElementsAre("untrusted"));
}

TEST_F(SessionStoreTest, SessionsOfOtherTenantsAndPrincipalsAreSeparate) {
  auto a = Open();
  auto b = Open();
  auto c = Open();
  const auto key_a = a->Join({"t", "alice", "s"}, At(1));
  const auto key_b = b->Join({"t", "bob", "s"}, At(1));
  const auto key_c = c->Join({"u", "alice", "s"}, At(1));
  ASSERT_TRUE(key_a.ok() && key_b.ok() && key_c.ok());
  EXPECT_NE(key_a.value(), key_b.value());
  EXPECT_NE(key_a.value(), key_c.value());
  ASSERT_TRUE(a->Publish({.labels = {"untrusted"}, .blob = "x"}, At(2)).ok());
  Update update;
  ASSERT_TRUE(b->Poll(0, update).ok());
  EXPECT_TRUE(update.empty);
  ASSERT_TRUE(c->Poll(0, update).ok());
  EXPECT_TRUE(update.empty);
}

TEST_F(SessionStoreTest, ALockedStoreIsATypedErrorNotSilence) {
  auto a = Open(20);
  ASSERT_TRUE(a->Join({"t", "alice", "s"}, At(1)).ok());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto status = a->Publish({.labels = {"untrusted"}}, At(2));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), base::ErrorCode::kStoreLocked);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_TRUE(a->Publish({.labels = {"untrusted"}}, At(3)).ok());
}

TEST_F(SessionStoreTest, ANewerSchemaIsRefused) {
  {
    auto a = Open();
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA user_version=99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  const auto again = SessionStore::Open({.path = path()});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), base::ErrorCode::kStoreSchema);
}

TEST_F(SessionStoreTest, AFileThatIsNoDatabaseIsRefused) {
  std::ofstream(path()) << std::string(4096, 'x');
  const auto store = SessionStore::Open({.path = path()});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), base::ErrorCode::kStoreIo);
}

TEST_F(SessionStoreTest, IdleSessionsArePrunedWithTheirEntries) {
  auto a = Open();
  ASSERT_TRUE(a->Join({"t", "alice", "old"}, At(10)).ok());
  ASSERT_TRUE(a->Publish({.labels = {"untrusted"}, .blob = "x"}, At(11)).ok());
  auto b = Open();
  ASSERT_TRUE(b->Join({"t", "alice", "new"}, At(1000)).ok());
  const auto pruned = b->PruneIdle({500'000'000});
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(pruned.value(), 1u);
  auto c = Open();
  ASSERT_TRUE(c->Join({"t", "alice", "old"}, At(1001)).ok());
  Update update;
  ASSERT_TRUE(c->Poll(0, update).ok());
  EXPECT_TRUE(update.empty);
}

}  // namespace
}  // namespace interlock::runtime::session
