// audit.db: a thin owner of SQLite handles, the schema and its migrations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crypto.h"
#include "encode.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace interlock::runtime::audit {

inline constexpr int kSchemaVersion = 2;

// How a chain ended, in the table `chains`. A hint only: Verify goes by the rows.
enum class ChainState : std::uint8_t { kOpen = 0, kClosed = 1, kRecovered = 2 };

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept : stmt_(other.stmt_) { other.stmt_ = nullptr; }
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  Statement& Bind(int index, std::string_view text);
  Statement& Bind(int index, std::int64_t value);
  Statement& BindUnsigned(int index, std::uint64_t value) { return Bind(index, static_cast<std::int64_t>(value)); }
  Statement& BindBlob(int index, std::string_view bytes);
  Statement& BindTextOrNull(int index, std::string_view text);

  // SQLITE_ROW, SQLITE_DONE or an error code.
  int Step();
  void Reset();
  // False for the last row and on error; look at `code()`.
  [[nodiscard]] bool Row() { return (code_ = Step()) == 100; }
  [[nodiscard]] int code() const noexcept { return code_; }
  [[nodiscard]] bool done() const noexcept { return code_ == 101; }

  [[nodiscard]] std::int64_t Int(int column) const;
  [[nodiscard]] std::uint64_t Unsigned(int column) const { return static_cast<std::uint64_t>(Int(column)); }
  [[nodiscard]] std::string_view Text(int column) const;  // until the next Step
  [[nodiscard]] std::string_view Blob(int column) const;
  [[nodiscard]] bool IsNull(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* stmt) : stmt_(stmt) {}
  sqlite3_stmt* stmt_ = nullptr;
  int code_ = 0;
};

class Database {
 public:
  enum class Mode : std::uint8_t { kWrite, kRead };
  // kWrite makes and migrates the database. kAuditSchema when it is newer or not ours, kFileNotFound (kRead), kIo.
  [[nodiscard]] static base::Result<Database> Open(const std::string& dir, Mode mode);
  // Migrates only as far as `version`: for tests of the migrations.
  [[nodiscard]] static base::Result<Database> OpenAtVersion(const std::string& dir, int version);

  Database(Database&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  Database& operator=(Database&& other) noexcept;
  ~Database();

  [[nodiscard]] base::Result<Statement> Prepare(std::string_view sql) const;
  // Runs statements without results. Returns SQLite's code.
  int Execute(const char* sql) const;
  [[nodiscard]] base::Status Run(const char* sql) const;
  [[nodiscard]] base::Error LastError(std::string_view operation) const;
  [[nodiscard]] int changes() const;

 private:
  explicit Database(sqlite3* db) : db_(db) {}
  sqlite3* db_ = nullptr;
};

[[nodiscard]] bool IsBusy(int code) noexcept;
[[nodiscard]] bool IsFull(int code) noexcept;

// Inserts rows; the columns are read from the body, so that journal and database cannot say different things.
class RowInserter {
 public:
  [[nodiscard]] static base::Result<RowInserter> Prepare(const Database& db);
  // SQLite's code; SQLITE_DONE is good.
  int Row(std::string_view chain, std::uint64_t row, std::string_view body, const base::Digest& hash);
  int Original(std::string_view chain, std::uint64_t row, bool is_result, std::int64_t expires_us,
               std::string_view sealed);
  int Chain(std::string_view chain, std::uint64_t last_row, const base::Digest& hash, ChainState state);

 private:
  Statement row_;
  Statement original_;
  Statement chain_;
  base::JsonParser parser_{kRowLimits};
  base::JsonDoc doc_;
};

// What the index columns of a row must be, given its body.
struct RowColumns {
  std::int64_t time_us = 0;
  std::string_view kind;
  std::string_view session;
  std::string_view tool;
  std::string_view call;
  std::string_view verdict;
  std::uint64_t decision_row = 0;
};
[[nodiscard]] RowColumns ColumnsOf(base::JsonValue body);

// What the schema must look like: (type, name, sql) of every object, in order of name.
[[nodiscard]] std::vector<std::string> ExpectedSchema();
[[nodiscard]] base::Result<std::vector<std::string>> ActualSchema(const Database& db);

[[nodiscard]] base::Result<std::vector<Rotation>> ReadRotations(const Database& db);

}  // namespace interlock::runtime::audit
