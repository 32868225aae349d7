// A store in a folder of its own, and time by hand. Private to the module's tests.
#pragma once

#include <sqlite3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "interlock/runtime/approvals/store.h"

namespace interlock::runtime::approvals {

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "interlock-approvals-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  [[nodiscard]] std::string path() const { return dir_ + "/approvals.db"; }
  [[nodiscard]] base::Result<std::unique_ptr<ApprovalStore>> TryOpen(const std::string& boot = "boot-1") const {
    return ApprovalStore::Open({.path = path(), .boot = boot});
  }
  [[nodiscard]] std::unique_ptr<ApprovalStore> Open(const std::string& boot = "boot-1") const {
    auto store = TryOpen(boot);
    EXPECT_TRUE(store.ok()) << (store.ok() ? "" : store.error().ToString());
    return store.ok() ? std::move(store.value()) : nullptr;
  }
  // A statement straight into the file, as somebody who damages it would.
  void Sql(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  static base::Now At(std::int64_t seconds) {
    return {{(1'700'000'000 + seconds) * kSecondUs}, {(1000 + seconds) * kSecondUs}};
  }
  static base::Digest D(char c) { return base::Sha256(std::string(1, c)); }
  static Subject Alice() { return {.principal = "alice", .session = "s", .server = "srv"}; }
  static Question Ask(char call = 'c') {
    return {.subject = Alice(),
            .tool = "write",
            .binding = {.call = D(call), .definition = D('d'), .policy = D('p'), .preconditions = D('x')},
            .arguments = R"({"path":"a.txt"})",
            .arguments_bytes = 16,
            .evidence = R"([{"layer":"policy","reason":"policy.default","verdict":"escalate"}])",
            .explanation = "a person decides about writes"};
  }
  static Ruling Yes(Scope scope = Scope::kOnce, std::int64_t seconds = 900) {
    return {.granted = true, .scope = scope, .approver = "bob", .ttl_us = seconds * kSecondUs};
  }
  static base::Result<Taken> Take(ApprovalStore& store, const Question& q, base::Now now) {
    auto doc = base::JsonDoc::Parse(q.arguments);
    EXPECT_TRUE(doc.ok());
    return store.Take(q.subject, q.tool, q.binding, doc.value().root(), now);
  }
  static Taken::Kind KindOf(ApprovalStore& store, const Question& q, base::Now now) {
    auto taken = Take(store, q, now);
    EXPECT_TRUE(taken.ok()) << (taken.ok() ? "" : taken.error().ToString());
    return taken.ok() ? taken.value().kind : Taken::Kind::kNone;
  }
  static std::string Put(ApprovalStore& store, const Question& q, base::Now now) {
    auto filed = store.Put(q, now);
    EXPECT_TRUE(filed.ok()) << (filed.ok() ? "" : filed.error().ToString());
    return filed.ok() ? filed.value().id : "";
  }

  static Request Read(ApprovalStore& store, const std::string& id, base::Now now) {
    auto request = store.Get(id, now);
    EXPECT_TRUE(request.ok()) << (request.ok() ? "" : request.error().ToString());
    return request.ok() ? std::move(request.value()) : Request{};
  }
  static std::vector<Request> All(ApprovalStore& store, const ApprovalStore::Filter& filter, base::Now now) {
    auto list = store.List(filter, now);
    EXPECT_TRUE(list.ok()) << (list.ok() ? "" : list.error().ToString());
    return list.ok() ? std::move(list.value()) : std::vector<Request>{};
  }

  std::string dir_;
};

}  // namespace interlock::runtime::approvals
