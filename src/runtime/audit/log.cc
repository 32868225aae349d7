#include "interlock/runtime/audit/log.h"

#include <sqlite3.h>
#include <unistd.h>

#include <utility>

#include "interlock/platform/clock.h"
#include "interlock/platform/file.h"
#include "io.h"
#include "log_impl.h"
#include "recover.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonWriter;
using base::Result;
using base::Status;

constexpr std::string_view kRowSchema = "interlock.audit/v1";
constexpr std::size_t kMaxHeads = 128;

struct Head {
  std::string chain;
  std::uint64_t row = 0;
  std::string hash;
};

// Ends of chains that no later chain has named in their present state. A new chain names them, so that the chain as a
// whole cannot be taken out without a trace.
Result<std::vector<Head>> OpenHeads(const Database& db, const std::string& self) {
  Result<Statement> read = db.Prepare(
      "SELECT c.chain, r.row, r.hash FROM chains c JOIN rows r ON r.chain=c.chain AND r.row=c.last_row "
      "WHERE c.last_row>c.referenced_row AND c.chain<>? ORDER BY c.opened_us LIMIT ?");
  if (!read.ok()) return read.error();
  Statement& row = read.value();
  row.Bind(1, self).BindUnsigned(2, kMaxHeads);
  std::vector<Head> heads;
  while (row.Row()) heads.push_back({std::string(row.Text(0)), row.Unsigned(1), ToHex(row.Blob(2))});
  if (!row.done()) return db.LastError("read chains");
  return heads;
}

Status MarkReferenced(const Database& db, const std::vector<Head>& heads) {
  Result<Statement> update = db.Prepare("UPDATE chains SET referenced_row=max(referenced_row,?) WHERE chain=?");
  if (!update.ok()) return update.error();
  for (const Head& head : heads) {
    update.value().Reset();
    update.value().BindUnsigned(1, head.row).Bind(2, head.chain);
    if (update.value().Step() != SQLITE_DONE) return db.LastError("mark chains");
  }
  return {};
}

Status AppendOpenRow(Writer& writer, const LogOptions& options, const Keys& keys, const std::vector<Head>& heads) {
  return writer.AppendOwn(Kind::kChainOpen, [&](JsonWriter& json) {
    json.Key("schema").String(kRowSchema).Key("producer").String(options.producer).Key("pid").Int(::getpid());
    json.Key("key").String(keys.public_key().ToHex()).Key("checkpoint_rows").Uint(options.checkpoint_rows);
    json.Key("heads").BeginArray();
    for (const Head& head : heads) {
      json.BeginObject().Key("chain").String(head.chain).Key("row").Uint(head.row).Key("hash").String(head.hash);
      json.EndObject();
    }
    json.EndArray();
  });
}

Status AppendRecoveredRow(Writer& writer, const DeadChain& dead) {
  return writer.AppendOwn(Kind::kRecovered, [&](JsonWriter& json) {
    json.Key("of").String(dead.chain).Key("last").Uint(dead.last_row).Key("hash").String(dead.last_hash.ToHex());
    json.Key("replayed").Uint(dead.replayed).Key("torn_bytes").Uint(dead.torn.size());
    if (!dead.torn.empty()) json.Key("torn_sha256").String(base::Sha256(dead.torn).ToHex());
    json.Key("damaged").Bool(dead.damaged);
    if (dead.damaged) json.Key("text").String(dead.damage);
    json.Key("unclean_since").Uint(dead.unclean_since);
  });
}

}  // namespace

Status AuditLog::Impl::Start() {
  Result<platform::UniqueFd> folder = LockFile(dir + std::string(kFolderLock), kFolderLockPatienceMs);
  if (!folder.ok()) return folder.error();
  if (!FileExists(dir + std::string(kKeyFile))) {
    if (!options.create_keys) return Error(ErrorCode::kAuditKey, "no keys in this folder", {.file = dir});
    // Rows without their key: a new one would make the log look like another.
    if (FileExists(dir + std::string(kDatabaseFile))) {
      return Error(ErrorCode::kAuditKey, "the log has rows, but its keys are gone", {.file = dir});
    }
    const auto made = CreateKeys(dir, options.new_key_storage, options.passphrase, options.new_key_cost);
    if (!made.ok()) return made.error();
  }
  Result<Keys> loaded = LoadKeys(dir, options.passphrase);
  if (!loaded.ok()) return loaded.error();
  keys = std::make_shared<const Keys>(std::move(loaded.value()));

  Result<Database> db = Database::Open(dir, Database::Mode::kWrite);
  if (!db.ok()) return db.error();
  Result<Statement> expired = db.value().Prepare("DELETE FROM originals WHERE expires_us<=?");
  if (!expired.ok()) return expired.error();
  expired.value().Bind(1, (options.clock ? options.clock() : platform::ReadNow()).wall.us);
  if (expired.value().Step() != SQLITE_DONE) return db.value().LastError("purge originals");
  Result<std::vector<DeadChain>> dead = RecoverChains(dir, db.value());
  if (!dead.ok()) return dead.error();

  Result<std::unique_ptr<Writer>> started = Writer::Start(dir, options, keys);
  if (!started.ok()) return started.error();
  writer = std::move(started.value());
  const Result<std::vector<Head>> heads = OpenHeads(db.value(), writer->chain());
  if (!heads.ok()) return heads.error();
  if (Status running = writer->Run(); !running.ok()) return running;
  if (Status opened = AppendOpenRow(*writer, options, *keys, heads.value()); !opened.ok()) return opened;
  recovery = {};
  for (const DeadChain& chain : dead.value()) {
    recovery.rows += chain.replayed;
    recovery.torn_bytes += chain.torn.size();
    recovery.damaged += chain.damaged ? 1 : 0;
    const bool nothing = chain.last_row == 0 && chain.torn.empty() && !chain.damaged;
    if (chain.clean || nothing) continue;
    ++recovery.chains;
    if (Status noted = AppendRecoveredRow(*writer, chain); !noted.ok()) return noted;
  }
  if (Status signed_now = writer->SignCheckpoint(); !signed_now.ok()) return signed_now;
  if (Status synced = writer->Sync(); !synced.ok()) return synced;
  if (Status marked = MarkReferenced(db.value(), heads.value()); !marked.ok()) return marked;
  return FinishRecovery(dir, db.value(), dead.value());
}

AuditLog::AuditLog(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
AuditLog::AuditLog(AuditLog&&) noexcept = default;
AuditLog& AuditLog::operator=(AuditLog&& other) noexcept {
  if (this != &other) {
    if (impl_) (void)Close();
    impl_ = std::move(other.impl_);
  }
  return *this;
}
AuditLog::~AuditLog() {
  if (impl_) (void)Close();
}

Result<AuditLog> AuditLog::Open(const std::string& dir, LogOptions options) {
  if (dir.empty()) return Error(ErrorCode::kInvalidArgument, "audit folder has no name");
  if (Status made = platform::CreateDirectories(dir, 0700); !made.ok()) return made.error();
  if (Status fit = CheckFolder(dir); !fit.ok()) return fit.error();
  if (Status made = platform::CreateDirectories(dir + std::string(kJournalDir), 0700); !made.ok()) return made.error();
  auto impl = std::make_unique<Impl>();
  impl->dir = dir;
  impl->options = std::move(options);
  if (Status started = impl->Start(); !started.ok()) return started.error();
  return AuditLog(std::move(impl));
}

Status AuditLog::Append(const Record& record, std::uint64_t* row) { return impl_->writer->Append(record, row); }

Status AuditLog::AppendDurable(const Record& record, std::uint64_t* row) {
  if (Status appended = impl_->writer->Append(record, row); !appended.ok()) return appended;
  return impl_->writer->Sync();
}

Status AuditLog::Sync() { return impl_->writer->Sync(); }
Status AuditLog::Flush() { return impl_->writer->Flush(); }

Status AuditLog::Checkpoint() {
  if (Status done = impl_->writer->SignCheckpoint(); !done.ok()) return done;
  return impl_->writer->Flush();
}

Status AuditLog::Close() { return impl_->writer->Close(); }

Status AuditLog::Reopen() {
  impl_->writer->Abandon();
  return impl_->Start();
}

const std::string& AuditLog::chain() const noexcept { return impl_->writer->chain(); }
PublicKey AuditLog::public_key() const { return impl_->keys->public_key(); }
const Recovery& AuditLog::recovery() const noexcept { return impl_->recovery; }
LogStats AuditLog::stats() const { return impl_->writer->stats(); }

}  // namespace interlock::runtime::audit
