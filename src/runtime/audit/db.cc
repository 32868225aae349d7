#include "db.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <utility>

#include "interlock/base/json.h"
#include "io.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

// One step a version; never edited once released. A new version appends.
constexpr std::array<const char*, kSchemaVersion> kMigrations = {
    // 1: rows and chains.
    R"sql(
CREATE TABLE rows(seq INTEGER PRIMARY KEY AUTOINCREMENT, chain TEXT NOT NULL, row INTEGER NOT NULL, t INTEGER NOT NULL, kind TEXT NOT NULL, session TEXT, tool TEXT, call TEXT, verdict TEXT, decision_row INTEGER, body BLOB NOT NULL, hash BLOB NOT NULL);
CREATE UNIQUE INDEX rows_chain ON rows(chain, row);
CREATE INDEX rows_session ON rows(session, call) WHERE session IS NOT NULL;
CREATE INDEX rows_decision ON rows(chain, decision_row) WHERE decision_row IS NOT NULL;
CREATE TABLE chains(chain TEXT PRIMARY KEY, opened_us INTEGER NOT NULL, last_row INTEGER NOT NULL, last_hash BLOB NOT NULL, state INTEGER NOT NULL, referenced_row INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tombstones(chain TEXT PRIMARY KEY, through INTEGER NOT NULL, hash BLOB NOT NULL, rows INTEGER NOT NULL, t INTEGER NOT NULL, ended INTEGER NOT NULL, key TEXT NOT NULL, sig TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE rotations(old TEXT NOT NULL, new TEXT NOT NULL, sig_old TEXT NOT NULL, sig_new TEXT NOT NULL, PRIMARY KEY(old, new)) WITHOUT ROWID;
)sql",
    // 2: encrypted originals, and time for `since` and retention.
    R"sql(
CREATE TABLE originals(chain TEXT NOT NULL, row INTEGER NOT NULL, is_result INTEGER NOT NULL, expires_us INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY(chain, row, is_result)) WITHOUT ROWID;
CREATE INDEX originals_expiry ON originals(expires_us);
CREATE INDEX rows_time ON rows(t);
)sql",
};

Error DatabaseError(ErrorCode code, std::string_view operation, sqlite3* db, int result) {
  std::string message = "cannot ";
  message.append(operation).append(": ");
  message.append(db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(result));
  return Error(code, std::move(message));
}

}  // namespace

bool IsBusy(int code) noexcept { return (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED; }
bool IsFull(int code) noexcept { return (code & 0xFF) == SQLITE_FULL; }

Statement& Statement::operator=(Statement&& other) noexcept {
  if (this != &other) {
    sqlite3_finalize(stmt_);
    stmt_ = std::exchange(other.stmt_, nullptr);
    code_ = other.code_;
  }
  return *this;
}
Statement::~Statement() { sqlite3_finalize(stmt_); }

// Bound text and blobs are not copied: they live until Step returns.
Statement& Statement::Bind(int index, std::string_view text) {
  sqlite3_bind_text64(stmt_, index, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}
Statement& Statement::Bind(int index, std::int64_t value) {
  sqlite3_bind_int64(stmt_, index, value);
  return *this;
}
Statement& Statement::BindBlob(int index, std::string_view bytes) {
  sqlite3_bind_blob64(stmt_, index, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}
Statement& Statement::BindTextOrNull(int index, std::string_view text) {
  if (!text.empty()) return Bind(index, text);
  sqlite3_bind_null(stmt_, index);
  return *this;
}

int Statement::Step() { return sqlite3_step(stmt_); }
void Statement::Reset() { sqlite3_reset(stmt_); }
std::int64_t Statement::Int(int column) const { return sqlite3_column_int64(stmt_, column); }
bool Statement::IsNull(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }

std::string_view Statement::Text(int column) const { return Blob(column); }

std::string_view Statement::Blob(int column) const {
  const void* data = sqlite3_column_blob(stmt_, column);
  const int size = sqlite3_column_bytes(stmt_, column);
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Database& Database::operator=(Database&& other) noexcept {
  if (this != &other) {
    sqlite3_close_v2(db_);
    db_ = std::exchange(other.db_, nullptr);
  }
  return *this;
}
Database::~Database() { sqlite3_close_v2(db_); }

Result<Statement> Database::Prepare(std::string_view sql) const {
  sqlite3_stmt* stmt = nullptr;
  const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), 0, &stmt, nullptr);
  if (code != SQLITE_OK) {
    const bool shape = code == SQLITE_ERROR || code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    return DatabaseError(shape ? ErrorCode::kAuditSchema : ErrorCode::kIo, "prepare statement", db_, code);
  }
  return Statement(stmt);
}

int Database::Execute(const char* sql) const { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }

Status Database::Run(const char* sql) const {
  if (Execute(sql) == SQLITE_OK) return {};
  return LastError("change audit database");
}

Error Database::LastError(std::string_view operation) const {
  const int code = sqlite3_errcode(db_);
  const bool shape = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return DatabaseError(shape ? ErrorCode::kAuditSchema : ErrorCode::kIo, operation, db_, code);
}

int Database::changes() const { return sqlite3_changes(db_); }

namespace {

Result<int> VersionOf(const Database& db) {
  Result<Statement> read = db.Prepare("PRAGMA user_version");
  if (!read.ok()) return read.error();
  if (!read.value().Row()) return db.LastError("read schema version");
  return static_cast<int>(read.value().Int(0));
}

Status Migrate(const Database& db, int target) {
  // Under the write lock: two processes may start on the same new folder.
  if (Status begun = db.Run("BEGIN IMMEDIATE"); !begun.ok()) return begun;
  const Result<int> version = VersionOf(db);
  if (!version.ok()) return version.error();
  if (version.value() > kSchemaVersion || version.value() < 0) {
    (void)db.Execute("ROLLBACK");
    return Error(ErrorCode::kAuditSchema, "database has schema version " + std::to_string(version.value()) +
                                              ", this program knows up to " + std::to_string(kSchemaVersion));
  }
  for (int step = version.value(); step < target; ++step) {
    const std::string sql = std::string(kMigrations[static_cast<std::size_t>(step)]) +
                            "PRAGMA user_version=" + std::to_string(step + 1) + ";";
    if (Status applied = db.Run(sql.c_str()); !applied.ok()) {
      (void)db.Execute("ROLLBACK");
      return Error(ErrorCode::kAuditSchema,
                   "cannot migrate to version " + std::to_string(step + 1) + ": " + applied.error().message());
    }
  }
  return db.Run("COMMIT");
}

}  // namespace

Result<Database> Database::Open(const std::string& dir, Mode mode) {
  const std::string path = dir + std::string(kDatabaseFile);
  if (mode == Mode::kWrite) return OpenAtVersion(dir, kSchemaVersion);
  if (!FileExists(path)) return Error(ErrorCode::kFileNotFound, "no audit log here", {.file = path});
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW, nullptr);
  Database db(handle);
  if (code != SQLITE_OK) return DatabaseError(ErrorCode::kIo, "open audit database", handle, code);
  sqlite3_busy_timeout(handle, 5000);
  // The file may be hostile: no functions or virtual tables out of its schema.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  (void)db.Execute("PRAGMA cell_size_check=ON");
  const Result<int> version = VersionOf(db);
  if (!version.ok()) return Error(ErrorCode::kAuditSchema, version.error().message(), {.file = path});
  if (version.value() != kSchemaVersion) {
    const bool newer = version.value() > kSchemaVersion;
    return Error(ErrorCode::kAuditSchema,
                 std::string(newer ? "newer" : "older") + " schema version " + std::to_string(version.value()) +
                     (newer ? "" : "; a writer migrates it when it opens the log"),
                 {.file = path});
  }
  return db;
}

Result<Database> Database::OpenAtVersion(const std::string& dir, int version) {
  const std::string path = dir + std::string(kDatabaseFile);
  // SQLite's own files take the mode of the database.
  // SAFETY: a file that is there is not touched: closing a descriptor of it gives up the POSIX locks that other
  // connections of this process hold, and the next process to leave would remove the write-ahead log under them.
  platform::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid() && errno != EEXIST) return platform::SystemError(errno, "open audit database", path);
  file.Reset();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  Database db(handle);
  if (code != SQLITE_OK) return DatabaseError(ErrorCode::kIo, "open audit database", handle, code);
  sqlite3_busy_timeout(handle, 5000);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Rows survive a killed process in the journal, so a commit need not wait for the disk; `Settle` makes one that does
  // before journal files go.
  for (const char* pragma : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA secure_delete=ON",
                             "PRAGMA journal_size_limit=16777216"}) {
    if (Status set = db.Run(pragma); !set.ok()) return set.error();
  }
  if (Status migrated = Migrate(db, version); !migrated.ok()) {
    return Error(migrated.error().code(), migrated.error().message(), {.file = path});
  }
  return db;
}

RowColumns ColumnsOf(base::JsonValue body) {
  RowColumns columns;
  columns.time_us = body.Find("t").AsInt64().value_or(0);
  columns.kind = body.Find("kind").string();
  columns.session = body.Find("session").string();
  columns.tool = body.Find("tool").string();
  columns.call = body.Find("call").string();
  columns.verdict = body.Find("verdict").string();
  columns.decision_row = static_cast<std::uint64_t>(body.Find("decision_row").AsInt64().value_or(0));
  return columns;
}

Result<RowInserter> RowInserter::Prepare(const Database& db) {
  RowInserter inserter;
  struct Wanted {
    Statement& statement;
    std::string_view sql;
  };
  for (const Wanted& wanted : {
           Wanted{inserter.row_,
                  "INSERT INTO rows(chain,row,t,kind,session,tool,call,verdict,decision_row,body,hash) "
                  "VALUES(?,?,?,?,?,?,?,?,?,?,?)"},
           Wanted{inserter.original_,
                  "INSERT OR REPLACE INTO originals(chain,row,is_result,expires_us,sealed) VALUES(?,?,?,?,?)"},
           Wanted{inserter.chain_,
                  "INSERT INTO chains(chain,opened_us,last_row,last_hash,state,referenced_row) "
                  "VALUES(?1,0,?2,?3,?4,0) "
                  "ON CONFLICT(chain) DO UPDATE SET last_row=?2,last_hash=?3,state=?4"},
       }) {
    Result<Statement> prepared = db.Prepare(wanted.sql);
    if (!prepared.ok()) return prepared.error();
    wanted.statement = std::move(prepared.value());
  }
  return inserter;
}

int RowInserter::Row(std::string_view chain, std::uint64_t row, std::string_view body, const base::Digest& hash) {
  if (!parser_.ParseInto(doc_, body).ok()) return SQLITE_MISMATCH;
  const RowColumns columns = ColumnsOf(doc_.root());
  row_.Reset();
  row_.Bind(1, chain).BindUnsigned(2, row).Bind(3, columns.time_us).Bind(4, columns.kind);
  row_.BindTextOrNull(5, columns.session).BindTextOrNull(6, columns.tool).BindTextOrNull(7, columns.call);
  row_.BindTextOrNull(8, columns.verdict);
  if (columns.decision_row != 0) {
    row_.BindUnsigned(9, columns.decision_row);
  } else {
    row_.BindTextOrNull(9, {});
  }
  row_.BindBlob(10, body);
  row_.BindBlob(11, {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()});
  const int code = row_.Step();
  row_.Reset();
  return code;
}

int RowInserter::Original(std::string_view chain, std::uint64_t row, bool is_result, std::int64_t expires_us,
                          std::string_view sealed) {
  original_.Reset();
  original_.Bind(1, chain).BindUnsigned(2, row).Bind(3, is_result ? 1 : 0).Bind(4, expires_us).BindBlob(5, sealed);
  const int code = original_.Step();
  original_.Reset();
  return code;
}

int RowInserter::Chain(std::string_view chain, std::uint64_t last_row, const base::Digest& hash, ChainState state) {
  chain_.Reset();
  chain_.Bind(1, chain).BindUnsigned(2, last_row);
  chain_.BindBlob(3, {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()});
  chain_.Bind(4, static_cast<std::int64_t>(state));
  const int code = chain_.Step();
  chain_.Reset();
  return code;
}

Result<std::vector<std::string>> ActualSchema(const Database& db) {
  Result<Statement> read = db.Prepare(
      "SELECT type, name, coalesce(sql,'') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
      "ORDER BY name");
  if (!read.ok()) return read.error();
  std::vector<std::string> objects;
  while (read.value().Row()) {
    objects.push_back(std::string(read.value().Text(0)) + " " + std::string(read.value().Text(1)) + " " +
                      std::string(read.value().Text(2)));
  }
  if (!read.value().done()) return db.LastError("read schema");
  return objects;
}

std::vector<std::string> ExpectedSchema() {
  sqlite3* handle = nullptr;
  (void)sqlite3_open(":memory:", &handle);
  for (const char* sql : kMigrations) (void)sqlite3_exec(handle, sql, nullptr, nullptr, nullptr);
  std::vector<std::string> objects;
  sqlite3_stmt* stmt = nullptr;
  (void)sqlite3_prepare_v2(handle,
                           "SELECT type || ' ' || name || ' ' || coalesce(sql,'') FROM sqlite_schema "
                           "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
                           -1, &stmt, nullptr);
  while (sqlite3_step(stmt) == SQLITE_ROW) {
    objects.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(stmt, 0)));
  }
  sqlite3_finalize(stmt);
  sqlite3_close(handle);
  return objects;
}

Result<std::vector<Rotation>> ReadRotations(const Database& db) {
  Result<Statement> read = db.Prepare("SELECT old, new, sig_old, sig_new FROM rotations");
  if (!read.ok()) return read.error();
  std::vector<Rotation> rotations;
  Statement& row = read.value();
  while (row.Row()) {
    const auto old_key = PublicKey::FromHex(row.Text(0));
    const auto new_key = PublicKey::FromHex(row.Text(1));
    if (old_key && new_key) {
      rotations.push_back({*old_key, *new_key, std::string(row.Text(2)), std::string(row.Text(3))});
    }
  }
  if (!row.done()) return db.LastError("read key rotations");
  return rotations;
}

}  // namespace interlock::runtime::audit
