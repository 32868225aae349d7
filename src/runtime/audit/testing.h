// Shared by this module's tests: a temporary folder, sample records, raw access to the database.
#pragma once

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "interlock/base/json.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/audit/record.h"
#include "interlock/runtime/audit/verify.h"

namespace interlock::runtime::audit {

class TempDir {
 public:
  TempDir() {
    // Memory where there is some: syncing a real disk some hundred times takes most of the tests' time.
    const char* set = ::getenv("TMPDIR");
    const bool memory = set == nullptr && ::access("/dev/shm", W_OK) == 0;
    std::string pattern =
        (memory ? std::string("/dev/shm") : std::filesystem::temp_directory_path().string()) + "/audit_test.XXXXXX";
    path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
  }
  ~TempDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

// A decision and its arguments that live as long as the Record that points at them.
class SampleCall {
 public:
  explicit SampleCall(std::string_view arguments = R"({"path":"/srv/a.txt","mode":"r"})") {
    base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(arguments);
    EXPECT_TRUE(doc.ok());
    if (doc.ok()) doc_ = std::move(doc.value());
    decision_.verdict = core::Verdict::kBlock;
    decision_.reason = core::Reason::kPolicyRule;
    decision_.evidence.push_back({core::Layer::kPolicy, core::Reason::kPolicyRule, core::Verdict::kBlock, "no-write",
                                  "/path", "path is outside of the project"});
  }
  [[nodiscard]] Record Decision(std::string_view session, std::string_view call,
                                std::string_view tool = "read_file") const {
    Record record;
    record.kind = Kind::kDecision;
    record.session = session;
    record.principal = "alice";
    record.environment = "prod";
    record.profile = "default";
    record.server = "files";
    record.tool = tool;
    record.call = call;
    record.decision = &decision_;
    record.enforcement = core::Enforcement::kBlocked;
    record.arguments = doc_.root();
    record.arguments_digest = base::DigestOf(doc_.root());
    record.side_effect = core::SideEffect::kRead;
    record.latency_us = 41;
    return record;
  }
  // The same as a result.
  [[nodiscard]] Record Outcome(std::string_view session, std::string_view call) const {
    Record record;
    record.kind = Kind::kOutcome;
    record.session = session;
    record.tool = "read_file";
    record.server = "files";
    record.call = call;
    record.status = CallStatus::kOk;
    record.trust = core::Trust::kUntrusted;
    record.result = doc_.root();
    record.result_digest = base::Sha256(doc_.root().raw());
    record.result_bytes = doc_.root().raw().size();
    record.latency_us = 1200;
    return record;
  }
  core::Decision& decision() { return decision_; }

 private:
  base::JsonDoc doc_;
  core::Decision decision_;
};

// Options that make tests fast; everything else as in production.
inline LogOptions TestOptions() {
  LogOptions options;
  options.new_key_cost = SealCost::kInteractive;
  options.commit_interval_ms = 1;
  options.segment_bytes = std::size_t{256} << 10;
  options.reserve_bytes = std::size_t{16} << 10;
  return options;
}

// Runs SQL as somebody who can write the file but has no key.
inline void Tamper(const std::string& dir, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((dir + "/audit.db").c_str(), &db), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << (error != nullptr ? error : "");
  sqlite3_free(error);
  sqlite3_close(db);
}

inline std::int64_t Number(const std::string& dir, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* stmt = nullptr;
  std::int64_t value = -1;
  if (sqlite3_open((dir + "/audit.db").c_str(), &db) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql.c_str(), -1, &stmt, nullptr) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
    value = sqlite3_column_int64(stmt, 0);
  }
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return value;
}

inline VerifyReport MustVerify(const std::string& dir, const VerifyOptions& options = {}) {
  base::Result<VerifyReport> report = Verify(dir, options);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().ToString());
  return report.ok() ? std::move(report.value()) : VerifyReport{};
}

}  // namespace interlock::runtime::audit
