// SQLite for this module: statements that are finalised, bound and reset by scope. Private to the module.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/digest.h"
#include "interlock/base/result.h"

namespace interlock::runtime::approvals {

// kStoreLocked when another process is in the way, else kStoreIo.
[[nodiscard]] base::Error SqlError(sqlite3* db, int rc, std::string_view what);

// One statement, prepared, run once and finalised. Approvals come at the pace of people: nothing is kept prepared.
class Query {
 public:
  [[nodiscard]] Query(sqlite3* db, std::string_view sql) : db_(db) {
    rc_ = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &stmt_, nullptr);
  }
  ~Query() { sqlite3_finalize(stmt_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& Text(std::string_view text) {
    return Bound(sqlite3_bind_text64(stmt_, ++at_, text.data() == nullptr ? "" : text.data(), text.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  Query& Blob(const base::Digest& digest) {
    return Bound(
        sqlite3_bind_blob(stmt_, ++at_, digest.bytes.data(), static_cast<int>(digest.bytes.size()), SQLITE_TRANSIENT));
  }
  Query& Int(std::int64_t value) { return Bound(sqlite3_bind_int64(stmt_, ++at_, value)); }
  Query& Real(double value) { return Bound(sqlite3_bind_double(stmt_, ++at_, value)); }
  Query& Null() { return Bound(sqlite3_bind_null(stmt_, ++at_)); }

  // True for a row; false at the end and on error, which `status` tells apart.
  [[nodiscard]] bool Row() {
    if (rc_ == SQLITE_OK || rc_ == SQLITE_ROW) rc_ = sqlite3_step(stmt_);
    return rc_ == SQLITE_ROW;
  }
  // Runs a statement without rows.
  [[nodiscard]] base::Status Run(std::string_view what) {
    while (Row()) {
    }
    return status(what);
  }
  [[nodiscard]] base::Status status(std::string_view what) const {
    if (rc_ == SQLITE_DONE || rc_ == SQLITE_ROW) return {};
    return SqlError(db_, rc_, what);
  }

  [[nodiscard]] std::string_view TextAt(int column) const {
    const void* data = sqlite3_column_blob(stmt_, column);
    return data == nullptr ? std::string_view()
                           : std::string_view(static_cast<const char*>(data),
                                              static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column)));
  }
  [[nodiscard]] std::int64_t IntAt(int column) const { return sqlite3_column_int64(stmt_, column); }
  [[nodiscard]] double RealAt(int column) const { return sqlite3_column_double(stmt_, column); }
  [[nodiscard]] bool IsNull(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }

 private:
  Query& Bound(int rc) {
    if (rc_ == SQLITE_OK) rc_ = rc;
    return *this;
  }
  sqlite3* db_;
  sqlite3_stmt* stmt_ = nullptr;
  int rc_ = SQLITE_OK;
  int at_ = 0;
};

// A write transaction; rolled back unless committed.
class Transaction {
 public:
  [[nodiscard]] explicit Transaction(sqlite3* db) : db_(db) {
    rc_ = sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    open_ = rc_ == SQLITE_OK;
  }
  ~Transaction() {
    if (open_) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] base::Status begun(std::string_view what) const {
    if (open_) return {};
    return SqlError(db_, rc_, what);
  }
  [[nodiscard]] base::Status Commit(std::string_view what) {
    const int rc = sqlite3_exec(db_, "COMMIT", nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) return SqlError(db_, rc, what);
    open_ = false;
    return {};
  }

 private:
  sqlite3* db_;
  int rc_ = SQLITE_OK;
  bool open_ = false;
};

}  // namespace interlock::runtime::approvals
