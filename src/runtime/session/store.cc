#include "interlock/runtime/session/store.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cstring>
#include <span>
#include <utility>

#include "interlock/base/json.h"
#include "interlock/platform/random.h"

namespace interlock::runtime::session {
namespace {

using base::Error;
using base::ErrorCode;

constexpr int kSchemaVersion = 1;
constexpr const char* kSchema = R"sql(
CREATE TABLE session (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, principal TEXT NOT NULL, name TEXT NOT NULL,
  print_key BLOB NOT NULL CHECK (length(print_key) = 16), touched_us INTEGER NOT NULL,
  UNIQUE (tenant, principal, name));
CREATE TABLE label (
  session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE, name TEXT NOT NULL, PRIMARY KEY (session, name)) WITHOUT ROWID;
CREATE TABLE entry (
  version INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  label_names TEXT NOT NULL, blob BLOB NOT NULL, request TEXT NOT NULL);
CREATE INDEX entry_by_session ON entry (session, version);
)sql";
// Beside an entry; programs that do not know it lose nothing but facts.
constexpr const char* kFacts = R"sql(
CREATE TABLE IF NOT EXISTS fact (
  version INTEGER PRIMARY KEY REFERENCES entry(version) ON DELETE CASCADE, channel TEXT NOT NULL, value TEXT NOT NULL);
)sql";

Error FromSqlite(sqlite3* db, int rc, std::string_view what) {
  const bool locked = (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
  std::string message(what);
  message += ": ";
  message += db == nullptr ? sqlite3_errstr(rc) : sqlite3_errmsg(db);
  return Error(locked ? ErrorCode::kStoreLocked : ErrorCode::kStoreIo, std::move(message));
}

// A prepared statement that is reset when the scope of its use ends.
class Statement {
 public:
  Statement() = default;
  ~Statement() { sqlite3_finalize(stmt_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  int Prepare(sqlite3* db, const char* sql) {
    return sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt_, nullptr);
  }
  [[nodiscard]] sqlite3_stmt* get() const { return stmt_; }

 private:
  sqlite3_stmt* stmt_ = nullptr;
};

class Use {
 public:
  [[nodiscard]] explicit Use(Statement& statement) : stmt_(statement.get()) {}
  ~Use() {
    sqlite3_reset(stmt_);
    sqlite3_clear_bindings(stmt_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  Use& Text(int i, std::string_view text) {
    sqlite3_bind_text64(stmt_, i, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  Use& Blob(int i, std::string_view blob) {
    sqlite3_bind_blob64(stmt_, i, blob.data() == nullptr ? "" : blob.data(), blob.size(), SQLITE_STATIC);
    return *this;
  }
  Use& Int(int i, std::int64_t value) {
    sqlite3_bind_int64(stmt_, i, value);
    return *this;
  }
  int Step() { return sqlite3_step(stmt_); }
  [[nodiscard]] std::string_view Column(int i) {
    const void* data = sqlite3_column_blob(stmt_, i);
    return data == nullptr ? std::string_view()
                           : std::string_view(static_cast<const char*>(data),
                                              static_cast<std::size_t>(sqlite3_column_bytes(stmt_, i)));
  }
  [[nodiscard]] std::int64_t ColumnInt(int i) { return sqlite3_column_int64(stmt_, i); }

 private:
  sqlite3_stmt* stmt_;
};

std::string NamesToJson(const std::vector<std::string>& names) {
  std::string out;
  base::JsonWriter w(out);
  w.BeginArray();
  for (const auto& name : names) w.String(name);
  w.EndArray();
  return out;
}

base::Result<std::vector<std::string>> NamesFromJson(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  std::vector<std::string> names;
  for (const auto value : doc.value().root()) names.emplace_back(value.string());
  return names;
}

}  // namespace

struct SessionStore::Impl {
  sqlite3* db = nullptr;
  std::int64_t session = 0;
  std::int64_t data_version = -1;
  std::uint64_t polled = 0;  // entries up to here have been handed out since `data_version` was read
  Statement data_version_stmt, begin, commit, rollback, find, insert, touch, add_label, labels, add_entry, add_fact,
      entries;

  ~Impl() {
    // Statements are finalised by their own destructors before the connection must close: sqlite3_close_v2 waits for
    // them.
    sqlite3_close_v2(db);
  }
};

SessionStore::SessionStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SessionStore::~SessionStore() = default;

base::Result<std::unique_ptr<SessionStore>> SessionStore::Open(const StoreOptions& options) {
  auto impl = std::make_unique<Impl>();
  // The file holds fingerprints and request texts: for the owner alone, from its first byte on.
  const mode_t old_mask = ::umask(0077);
  const int rc_open = sqlite3_open_v2(options.path.c_str(), &impl->db,
                                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  ::umask(old_mask);
  if (rc_open != SQLITE_OK) return FromSqlite(impl->db, rc_open, "opening `" + options.path + "`");
  sqlite3_busy_timeout(impl->db, options.busy_timeout_ms);
  sqlite3_extended_result_codes(impl->db, 1);
  int rc = sqlite3_exec(impl->db,
                        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; BEGIN IMMEDIATE;",
                        nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return FromSqlite(impl->db, rc, "preparing the store");
  int version = 0;
  {
    Statement stmt;
    if (stmt.Prepare(impl->db, "PRAGMA user_version") == SQLITE_OK && sqlite3_step(stmt.get()) == SQLITE_ROW)
      version = sqlite3_column_int(stmt.get(), 0);
  }
  if (version > kSchemaVersion) {
    sqlite3_exec(impl->db, "ROLLBACK", nullptr, nullptr, nullptr);
    return Error(ErrorCode::kStoreSchema, "schema " + std::to_string(version) + " is newer than this program's " +
                                              std::to_string(kSchemaVersion));
  }
  if (version == 0) {
    rc = sqlite3_exec(impl->db, kSchema, nullptr, nullptr, nullptr);
    if (rc == SQLITE_OK) rc = sqlite3_exec(impl->db, "PRAGMA user_version=1", nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) return FromSqlite(impl->db, rc, "creating the schema");
  }
  rc = sqlite3_exec(impl->db, kFacts, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return FromSqlite(impl->db, rc, "creating the schema");
  rc = sqlite3_exec(impl->db, "COMMIT", nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return FromSqlite(impl->db, rc, "creating the schema");
  const std::pair<Statement*, const char*> statements[] = {
      {&impl->data_version_stmt, "PRAGMA data_version"},
      {&impl->begin, "BEGIN IMMEDIATE"},
      {&impl->commit, "COMMIT"},
      {&impl->rollback, "ROLLBACK"},
      {&impl->find, "SELECT id, print_key FROM session WHERE tenant=?1 AND principal=?2 AND name=?3"},
      {&impl->insert, "INSERT INTO session (tenant, principal, name, print_key, touched_us) VALUES (?1,?2,?3,?4,?5)"},
      {&impl->touch, "UPDATE session SET touched_us=max(touched_us,?2) WHERE id=?1"},
      {&impl->add_label, "INSERT OR IGNORE INTO label (session, name) VALUES (?1,?2)"},
      {&impl->labels, "SELECT name FROM label WHERE session=?1 ORDER BY name"},
      {&impl->add_entry, "INSERT INTO entry (session, label_names, blob, request) VALUES (?1,?2,?3,?4)"},
      {&impl->entries,
       "SELECT version, label_names, blob, request, channel, value FROM entry LEFT JOIN fact USING (version) "
       "WHERE session=?1 AND version>?2 ORDER BY version"},
      {&impl->add_fact, "INSERT INTO fact (version, channel, value) VALUES (?1,?2,?3)"},
  };
  for (const auto& [statement, sql] : statements) {
    rc = statement->Prepare(impl->db, sql);
    if (rc != SQLITE_OK) return FromSqlite(impl->db, rc, "preparing a statement");
  }
  return std::unique_ptr<SessionStore>(new SessionStore(std::move(impl)));
}

base::Result<std::array<std::uint64_t, 2>> SessionStore::Join(const SessionKey& key, base::Now now) {
  Impl& s = *impl_;
  std::array<std::uint64_t, 2> print_key{};
  int rc = Use(s.begin).Step();
  if (rc != SQLITE_DONE) return FromSqlite(s.db, rc, "joining the session");
  bool found = false;
  {
    Use use(s.find);
    rc = use.Text(1, key.tenant).Text(2, key.principal).Text(3, key.name).Step();
    if (rc == SQLITE_ROW && use.Column(1).size() == sizeof print_key) {
      s.session = use.ColumnInt(0);
      std::memcpy(print_key.data(), use.Column(1).data(), sizeof print_key);
      found = true;
    }
  }
  if (!found) {
    const auto random =
        platform::RandomBytes(std::span(reinterpret_cast<std::uint8_t*>(print_key.data()), sizeof print_key));
    if (!random.ok()) {
      Use(s.rollback).Step();
      return random.error();
    }
    Use use(s.insert);
    rc = use.Text(1, key.tenant)
             .Text(2, key.principal)
             .Text(3, key.name)
             .Blob(4, std::string_view(reinterpret_cast<const char*>(print_key.data()), sizeof print_key))
             .Int(5, now.wall.us)
             .Step();
    s.session = sqlite3_last_insert_rowid(s.db);
  } else {
    rc = Use(s.touch).Int(1, s.session).Int(2, now.wall.us).Step();
  }
  if (rc == SQLITE_DONE) rc = Use(s.commit).Step();
  if (rc != SQLITE_DONE) {
    Error error = FromSqlite(s.db, rc, "joining the session");
    Use(s.rollback).Step();
    return error;
  }
  return print_key;
}

base::Status SessionStore::Poll(std::uint64_t since, Update& out) {
  Impl& s = *impl_;
  INTERLOCK_CHECK(s.session != 0, "a session is joined before it is polled");
  out.version = since;
  out.empty = true;
  out.labels.clear();
  out.requests.clear();
  out.facts.clear();
  out.entries.clear();
  std::int64_t data_version = 0;
  {
    Use use(s.data_version_stmt);
    const int rc = use.Step();
    if (rc != SQLITE_ROW) return FromSqlite(s.db, rc, "polling the session");
    data_version = use.ColumnInt(0);
  }
  if (data_version == s.data_version && since == s.polled) return {};
  {
    Use use(s.entries);
    use.Int(1, s.session).Int(2, static_cast<std::int64_t>(since));
    int rc = SQLITE_ROW;
    while ((rc = use.Step()) == SQLITE_ROW) {
      out.version = static_cast<std::uint64_t>(use.ColumnInt(0));
      auto names = NamesFromJson(use.Column(1));
      if (!names.ok()) return Error(ErrorCode::kStoreIo, "label names of an entry are damaged");
      if (!use.Column(2).empty()) out.entries.push_back({std::move(names.value()), std::string(use.Column(2))});
      if (!use.Column(3).empty()) out.requests.emplace_back(use.Column(3));
      if (!use.Column(4).empty()) out.facts.emplace_back(use.Column(4), use.Column(5));
      out.empty = false;
    }
    if (rc != SQLITE_DONE) return FromSqlite(s.db, rc, "polling the session");
  }
  {
    Use use(s.labels);
    use.Int(1, s.session);
    int rc = SQLITE_ROW;
    while ((rc = use.Step()) == SQLITE_ROW) out.labels.emplace_back(use.Column(0));
    if (rc != SQLITE_DONE) return FromSqlite(s.db, rc, "polling the session");
    out.empty = out.empty && out.labels.empty();
  }
  s.data_version = data_version;
  s.polled = out.version;
  return {};
}

base::Status SessionStore::Publish(const Publication& publication, base::Now now) {
  Impl& s = *impl_;
  INTERLOCK_CHECK(s.session != 0, "a session is joined before it is published to");
  int rc = Use(s.begin).Step();
  if (rc != SQLITE_DONE) return FromSqlite(s.db, rc, "publishing to the session");
  for (const auto& label : publication.labels) {
    if (rc == SQLITE_DONE) rc = Use(s.add_label).Int(1, s.session).Text(2, label).Step();
  }
  // An entry is written even when it carries nothing but labels: its version is what wakes the other guards.
  const std::string names = NamesToJson(publication.label_names);
  if (rc == SQLITE_DONE) {
    rc =
        Use(s.add_entry).Int(1, s.session).Text(2, names).Blob(3, publication.blob).Text(4, publication.request).Step();
  }
  if (rc == SQLITE_DONE && !publication.fact_channel.empty()) {
    const std::int64_t version = sqlite3_last_insert_rowid(s.db);
    rc = Use(s.add_fact).Int(1, version).Text(2, publication.fact_channel).Text(3, publication.fact).Step();
  }
  if (rc == SQLITE_DONE) rc = Use(s.touch).Int(1, s.session).Int(2, now.wall.us).Step();
  if (rc == SQLITE_DONE) rc = Use(s.commit).Step();
  if (rc != SQLITE_DONE) {
    Error error = FromSqlite(s.db, rc, "publishing to the session");
    Use(s.rollback).Step();
    return error;
  }
  return {};
}

base::Result<std::uint64_t> SessionStore::PruneIdle(base::WallTime before) {
  Statement stmt;
  int rc = stmt.Prepare(impl_->db, "DELETE FROM session WHERE touched_us < ?1");
  if (rc != SQLITE_OK) return FromSqlite(impl_->db, rc, "pruning sessions");
  rc = Use(stmt).Int(1, before.us).Step();
  if (rc != SQLITE_DONE) return FromSqlite(impl_->db, rc, "pruning sessions");
  return static_cast<std::uint64_t>(sqlite3_changes(impl_->db));
}

}  // namespace interlock::runtime::session
