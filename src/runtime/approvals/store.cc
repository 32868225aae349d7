#include "interlock/runtime/approvals/store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "impl.h"
#include "interlock/base/text.h"
#include "interlock/platform/file.h"
#include "interlock/platform/random.h"

namespace interlock::runtime::approvals {

using base::Error;
using base::ErrorCode;
using base::Status;

namespace {

// Version by version; user_version says how far a file is.
constexpr std::array<const char*, 1> kMigrations = {R"sql(
CREATE TABLE plan (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, principal TEXT, session TEXT, server TEXT NOT NULL, title TEXT NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 5), approver TEXT NOT NULL, reason TEXT NOT NULL,
  from_wall INTEGER NOT NULL, from_mono INTEGER NOT NULL, to_wall INTEGER NOT NULL, to_mono INTEGER NOT NULL,
  boot TEXT NOT NULL, policy BLOB CHECK (policy IS NULL OR length(policy) = 32)) STRICT;
CREATE TABLE step (
  plan TEXT NOT NULL REFERENCES plan(id) ON DELETE CASCADE, place INTEGER NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, max_uses INTEGER NOT NULL CHECK (max_uses BETWEEN 1 AND 100000),
  uses_left INTEGER NOT NULL CHECK (uses_left BETWEEN 0 AND max_uses),
  definition BLOB CHECK (definition IS NULL OR length(definition) = 32),
  preconditions BLOB CHECK (preconditions IS NULL OR length(preconditions) = 32),
  PRIMARY KEY (plan, place)) STRICT;
CREATE INDEX step_by_tool ON step (tool);
CREATE TABLE request (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL, principal TEXT NOT NULL, session TEXT NOT NULL, session_name TEXT NOT NULL,
  server TEXT NOT NULL, tool TEXT NOT NULL,
  call BLOB NOT NULL CHECK (length(call) = 32), definition BLOB NOT NULL CHECK (length(definition) = 32),
  policy BLOB NOT NULL CHECK (length(policy) = 32), preconditions BLOB NOT NULL CHECK (length(preconditions) = 32),
  arguments TEXT NOT NULL, arguments_bytes INTEGER NOT NULL, evidence TEXT NOT NULL, explanation TEXT NOT NULL,
  asks INTEGER NOT NULL, state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 5),
  asked INTEGER NOT NULL, scope INTEGER NOT NULL CHECK (scope BETWEEN 0 AND 2),
  approver TEXT NOT NULL, reason TEXT NOT NULL, decided INTEGER NOT NULL, uses INTEGER NOT NULL,
  from_wall INTEGER NOT NULL, from_mono INTEGER NOT NULL, to_wall INTEGER NOT NULL, to_mono INTEGER NOT NULL,
  boot TEXT NOT NULL, plan TEXT REFERENCES plan(id)) STRICT;
CREATE INDEX request_by_call ON request (call);
CREATE INDEX request_by_tool ON request (server, tool, state);
CREATE TABLE break_glass (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, principal TEXT, session TEXT, reason TEXT NOT NULL CHECK (reason <> ''),
  opened_by TEXT NOT NULL, from_wall INTEGER NOT NULL, from_mono INTEGER NOT NULL, to_wall INTEGER NOT NULL,
  to_mono INTEGER NOT NULL, boot TEXT NOT NULL, ended INTEGER NOT NULL, decisions INTEGER NOT NULL,
  reviewed_by TEXT NOT NULL, reviewed INTEGER NOT NULL) STRICT;
CREATE TABLE budget (
  tenant TEXT NOT NULL, principal TEXT NOT NULL, day INTEGER NOT NULL, budget TEXT NOT NULL,
  sum REAL NOT NULL, PRIMARY KEY (tenant, principal, day, budget)) STRICT, WITHOUT ROWID;
)sql"};
constexpr int kSchemaVersion = static_cast<int>(kMigrations.size());

constexpr char kBootFile[] = "/proc/sys/kernel/random/boot_id";
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

Error Unsafe(const std::string& path, std::string_view why) {
  return Error(ErrorCode::kStoreUnsafe, "`" + path + "` " + std::string(why));
}

// SAFETY: who can write the file, or put another in its place, can approve.
Status CheckFile(const std::string& path, bool& exists) {
  struct stat info{};
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  if (::stat(folder.c_str(), &info) != 0) {
    return Error(ErrorCode::kStoreIo, "folder `" + folder + "`: " + std::strerror(errno));
  }
  if ((info.st_mode & kWritableByOthers) != 0) return Unsafe(folder, "(its folder) can be written by others");
  if (info.st_uid != ::geteuid() && info.st_uid != 0) return Unsafe(folder, "(its folder) belongs to another user");
  exists = false;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string name = path + suffix;
    if (::lstat(name.c_str(), &info) != 0) {
      if (errno == ENOENT) continue;
      return Error(ErrorCode::kStoreIo, "`" + name + "`: " + std::strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) return Unsafe(name, "is not a regular file");
    if ((info.st_mode & kWritableByOthers) != 0) return Unsafe(name, "can be written by others");
    if (info.st_uid != ::geteuid()) return Unsafe(name, "belongs to another user");
    if (*suffix == '\0') exists = true;
  }
  return {};
}

base::Result<std::string> BootOf(const StoreOptions& options) {
  if (!options.boot.empty()) return options.boot;
  auto text = platform::ReadFile(kBootFile, 256);
  if (!text.ok()) return text.error().Under("which run of the machine this is");
  const std::string boot(Trimmed(text.value()));
  if (boot.empty()) return Error(ErrorCode::kStoreIo, "the kernel does not say which run of the machine this is");
  return boot;
}

Status Migrate(sqlite3* db) {
  Transaction transaction(db);
  if (Status begun = transaction.begun("preparing the approvals file"); !begun.ok()) return begun;
  int version = 0;
  {
    Query query(db, "PRAGMA user_version");
    if (query.Row()) version = static_cast<int>(query.IntAt(0));
    if (Status read = query.status("reading the schema's version"); !read.ok()) return read;
  }
  if (version < 0 || version > kSchemaVersion) {
    return Error(ErrorCode::kStoreSchema, "schema " + std::to_string(version) + " is not known to this program (" +
                                              std::to_string(kSchemaVersion) + ")");
  }
  for (; version < kSchemaVersion; ++version) {
    const int rc = sqlite3_exec(db, kMigrations[static_cast<std::size_t>(version)], nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) return SqlError(db, rc, "creating the schema");
  }
  const std::string set = "PRAGMA user_version=" + std::to_string(kSchemaVersion);
  if (const int rc = sqlite3_exec(db, set.c_str(), nullptr, nullptr, nullptr); rc != SQLITE_OK) {
    return SqlError(db, rc, "creating the schema");
  }
  return transaction.Commit("creating the schema");
}

}  // namespace

Error SqlError(sqlite3* db, int rc, std::string_view what) {
  const bool locked = (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
  std::string message(what);
  message += ": ";
  message += db == nullptr ? sqlite3_errstr(rc) : sqlite3_errmsg(db);
  return Error(locked ? ErrorCode::kStoreLocked : ErrorCode::kStoreIo, std::move(message));
}

Status CheckText(std::string_view text, std::size_t max, std::string_view what) {
  if (text.size() > max) return Error(ErrorCode::kStoreIo, std::string(what) + " is longer than it can be");
  if (!base::IsValidUtf8(text)) return Error(ErrorCode::kStoreIo, std::string(what) + " is no UTF-8");
  return {};
}

Error Damaged(std::string_view id, std::string_view what) {
  return Error(ErrorCode::kStoreIo, "row `" + base::Printable(id, 40) + "` is damaged: " + std::string(what));
}

namespace {
// No letters that are read as others: ids are read out and typed.
constexpr std::string_view kIdLetters = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t kIdLength = 10;
}  // namespace

base::Result<std::string> ApprovalStore::Impl::NewId(char kind) const {
  std::array<std::uint8_t, kIdLength> random{};
  if (Status got = platform::RandomBytes(random); !got.ok()) return got.error();
  std::string id{kind, '-'};
  for (const std::uint8_t byte : random) id += kIdLetters[byte % kIdLetters.size()];
  return id;
}

bool IsId(std::string_view id, char kind) noexcept {
  return id.size() == 2 + kIdLength && id[0] == kind && id[1] == '-' &&
         id.substr(2).find_first_not_of(kIdLetters) == std::string_view::npos;
}

std::string_view Trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

ApprovalStore::ApprovalStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApprovalStore::~ApprovalStore() = default;

base::Result<std::unique_ptr<ApprovalStore>> ApprovalStore::Open(const StoreOptions& options) {
  auto impl = std::make_unique<Impl>();
  auto boot = BootOf(options);
  if (!boot.ok()) return boot.error();
  impl->boot = std::move(boot.value());
  bool exists = false;
  if (Status safe = CheckFile(options.path, exists); !safe.ok()) return safe.error();
  if (!exists && !options.create) return Error(ErrorCode::kFileNotFound, options.path);
  // Arguments and reasons stand in it: for the owner alone, from its first byte on.
  const mode_t old_mask = ::umask(0077);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (options.create ? SQLITE_OPEN_CREATE : 0);
  int rc = sqlite3_open_v2(options.path.c_str(), &impl->db, flags, nullptr);
  ::umask(old_mask);
  if (rc != SQLITE_OK) return SqlError(impl->db, rc, "opening `" + options.path + "`");
  sqlite3_busy_timeout(impl->db, options.busy_timeout_ms);
  sqlite3_extended_result_codes(impl->db, 1);
  // A foreign file's schema must not run code of its own choosing on us.
  sqlite3_db_config(impl->db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(impl->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  rc = sqlite3_exec(impl->db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;", nullptr,
                    nullptr, nullptr);
  if (rc != SQLITE_OK) return SqlError(impl->db, rc, "preparing the approvals file");
  if (Status migrated = Migrate(impl->db); !migrated.ok()) return migrated.error();
  return std::unique_ptr<ApprovalStore>(new ApprovalStore(std::move(impl)));
}

Status ApprovalStore::Sweep(base::Now now) {
  constexpr std::int64_t kKeepUs = std::int64_t{30} * 24 * 3600 * kSecondUs;
  sqlite3* db = impl_->db;
  Transaction transaction(db);
  if (Status begun = transaction.begun("sweeping approvals"); !begun.ok()) return begun;
  for (const char* table : {"request", "plan"}) {
    Query query(db, "UPDATE " + std::string(table) +
                        " SET state=5 WHERE state IN (0,1) AND (boot<>? OR to_wall<=? OR to_mono<=?)");
    query.Text(impl_->boot).Int(now.wall.us).Int(now.mono.us);
    if (Status run = query.Run("sweeping approvals"); !run.ok()) return run;
  }
  const auto remove = [&](std::string_view sql, std::int64_t bound) {
    Query query(db, sql);
    query.Int(bound);
    return query.Run("sweeping approvals");
  };
  const std::int64_t before = now.wall.us - kKeepUs;
  for (Status removed : {remove("DELETE FROM request WHERE state>=2 AND to_wall<?", before),
                         remove("DELETE FROM request WHERE state>=2 AND seq <= (SELECT seq FROM request ORDER BY seq "
                                "DESC LIMIT 1 OFFSET ?)",
                                static_cast<std::int64_t>(kMaxRows)),
                         remove("DELETE FROM plan WHERE state>=2 AND to_wall<? AND id NOT IN (SELECT plan FROM request "
                                "WHERE plan IS NOT NULL)",
                                before),
                         remove("DELETE FROM break_glass WHERE reviewed_by<>'' AND reviewed<?", before),
                         remove("DELETE FROM budget WHERE day<?", before / (24 * 3600 * kSecondUs))}) {
    if (!removed.ok()) return removed;
  }
  return transaction.Commit("sweeping approvals");
}

}  // namespace interlock::runtime::approvals
