// Rotation, pruning, originals: what a person asks of a log now and then.
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/platform/clock.h"
#include "interlock/runtime/audit/verify.h"
#include "io.h"
#include "log_impl.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using base::Status;

constexpr std::size_t kChainsInARow = 256;

struct Pruned {
  std::string chain;
  std::uint64_t through = 0;
  std::uint64_t rows = 0;
  std::string hash;
};

Result<std::uint64_t> OneNumber(const Database& db, std::string_view sql, std::string_view chain, std::int64_t value,
                                std::uint64_t otherwise) {
  Result<Statement> read = db.Prepare(sql);
  if (!read.ok()) return read.error();
  read.value().Bind(1, chain).Bind(2, value);
  if (!read.value().Row()) return db.LastError("read chain");
  return read.value().IsNull(0) ? otherwise : read.value().Unsigned(0);
}

// Last row of the prefix that may go; 0 for none.
Result<std::uint64_t> PruneThrough(const Database& db, const ChainReport& chain, base::WallTime cutoff) {
  Result<std::uint64_t> keep =
      OneNumber(db, "SELECT min(row) FROM rows WHERE chain=?1 AND t>=?2", chain.chain, cutoff.us, chain.last_row + 1);
  if (!keep.ok()) return keep.error();
  std::uint64_t through = std::min(keep.value() - 1, chain.last_row);
  using End = ChainReport::End;
  // Rows that no signature covers stay.
  if (chain.end == End::kLive || chain.end == End::kUnclean) through = std::min(through, chain.last_checkpoint);
  if (chain.end == End::kLive) through = std::min(through, chain.last_row - 1);
  if (chain.end == End::kClean && through < chain.last_row) {
    // Closing row and the signature over it go together.
    Result<std::uint64_t> close =
        OneNumber(db, "SELECT min(row) FROM rows WHERE chain=?1 AND kind='chain.close' AND row>?2", chain.chain, 0,
                  chain.last_row);
    if (!close.ok()) return close.error();
    through = std::min(through, close.value() - 1);
  }
  return through < chain.first_row ? 0 : through;
}

Result<Pruned> PruneChain(const Database& db, const Keys::Secrets& secrets, const ChainReport& chain,
                          std::uint64_t through, std::int64_t now_us, std::uint64_t& originals) {
  Pruned pruned{chain.chain, through, 0, {}};
  Result<Statement> at = db.Prepare("SELECT hash FROM rows WHERE chain=? AND row=?");
  if (!at.ok()) return at.error();
  at.value().Bind(1, chain.chain).BindUnsigned(2, through);
  if (!at.value().Row()) return Error(ErrorCode::kAuditChain, "row to prune through is missing");
  const std::string hash(at.value().Blob(0));
  pruned.hash = ToHex(hash);
  Result<std::uint64_t> before =
      OneNumber(db, "SELECT sum(rows) FROM tombstones WHERE chain=?1 AND through<>?2", chain.chain, -1, 0);
  if (!before.ok()) return before.error();
  Result<Statement> remove = db.Prepare("DELETE FROM rows WHERE chain=? AND row<=?");
  if (!remove.ok()) return remove.error();
  remove.value().Bind(1, chain.chain).BindUnsigned(2, through);
  if (remove.value().Step() != SQLITE_DONE) return db.LastError("prune rows");
  pruned.rows = static_cast<std::uint64_t>(db.changes());
  Result<Statement> boxes = db.Prepare("DELETE FROM originals WHERE chain=? AND row<=?");
  if (!boxes.ok()) return boxes.error();
  boxes.value().Bind(1, chain.chain).BindUnsigned(2, through);
  if (boxes.value().Step() != SQLITE_DONE) return db.LastError("prune originals");
  originals += static_cast<std::uint64_t>(db.changes());

  using End = ChainReport::End;
  const bool ended = through == chain.last_row && (chain.end == End::kClean || chain.end == End::kRecovered);
  const std::uint64_t rows = before.value() + pruned.rows;
  const std::string signature = Sign(secrets, TombstoneMessage(chain.chain, through, pruned.hash, rows, now_us, ended));
  const std::string key = secrets.public_key.ToHex();
  Result<Statement> tombstone =
      db.Prepare("INSERT OR REPLACE INTO tombstones(chain,through,hash,rows,t,ended,key,sig) VALUES(?,?,?,?,?,?,?,?)");
  if (!tombstone.ok()) return tombstone.error();
  tombstone.value().Bind(1, chain.chain).BindUnsigned(2, through).BindBlob(3, hash).BindUnsigned(4, rows);
  tombstone.value().Bind(5, now_us).Bind(6, ended ? 1 : 0).Bind(7, std::string_view(key));
  tombstone.value().Bind(8, std::string_view(signature));
  if (tombstone.value().Step() != SQLITE_DONE) return db.LastError("write tombstone");
  return pruned;
}

std::string WantedDigest(const KeyedHasher& hasher, std::string_view stored, const base::Digest& plain) {
  if (stored.starts_with("hmac-sha256:")) return "hmac-sha256:" + hasher.OfDigest(plain).ToHex();
  return "sha256:" + plain.ToHex();
}

}  // namespace

Result<PublicKey> RotateSigningKey(const std::string& dir, const LogOptions& options) {
  LogOptions quiet = options;
  quiet.create_keys = false;
  // No checkpoint on its own between the row that announces the new key and the first use of it.
  quiet.checkpoint_rows = std::numeric_limits<std::uint32_t>::max();
  quiet.checkpoint_seconds = std::numeric_limits<std::uint32_t>::max();
  Result<AuditLog> log = AuditLog::Open(dir, quiet);
  if (!log.ok()) return log.error();
  auto& impl = Maintenance::ImplOf(log.value());
  Result<platform::UniqueFd> folder = LockFile(dir + std::string(kFolderLock), kFolderLockPatienceMs);
  if (!folder.ok()) return folder.error();
  Result<Keys> current = LoadKeys(dir, options.passphrase);
  if (!current.ok()) return current.error();
  if (current.value().public_key() != impl.keys->public_key()) {
    return Error(ErrorCode::kAuditKey, "key was rotated by somebody else just now", {.file = dir});
  }
  auto fresh = std::make_unique<Keys::Secrets>(WithNewSigningKey(current.value().secrets()));
  const PublicKey new_key = fresh->public_key;
  Rotation rotation{current.value().public_key(), new_key, {}, {}};
  const std::string message = RotationMessage(rotation.old_key, rotation.new_key);
  rotation.signature_old = Sign(current.value().secrets(), message);
  rotation.signature_new = Sign(*fresh, message);

  // The statement first: it proves itself, and does no harm if we stop here.
  Result<Database> db = Database::Open(dir, Database::Mode::kWrite);
  if (!db.ok()) return db.error();
  if (Status full = db.value().Run("PRAGMA synchronous=FULL"); !full.ok()) return full.error();
  Result<Statement> insert = db.value().Prepare("INSERT INTO rotations(old,new,sig_old,sig_new) VALUES(?,?,?,?)");
  if (!insert.ok()) return insert.error();
  const std::string old_hex = rotation.old_key.ToHex();
  const std::string new_hex = rotation.new_key.ToHex();
  insert.value().Bind(1, std::string_view(old_hex)).Bind(2, std::string_view(new_hex));
  insert.value().Bind(3, std::string_view(rotation.signature_old));
  insert.value().Bind(4, std::string_view(rotation.signature_new));
  if (insert.value().Step() != SQLITE_DONE) return db.value().LastError("record key rotation");

  Status recorded = impl.writer->AppendOwn(Kind::kKeyRotated, [&](JsonWriter& json) {
    json.Key("old").String(old_hex).Key("new").String(new_hex);
    json.Key("sig_old").String(rotation.signature_old).Key("sig_new").String(rotation.signature_new);
  });
  if (recorded.ok()) recorded = impl.writer->Sync();
  if (!recorded.ok()) return recorded.error();
  if (Status written = WriteKeys(dir, *fresh, options.passphrase); !written.ok()) return written.error();
  impl.keys = std::make_shared<const Keys>(std::move(fresh));
  impl.writer->UseKeys(impl.keys);
  if (Status closed = log.value().Close(); !closed.ok()) return closed.error();
  return new_key;
}

Result<PruneReport> Prune(const std::string& dir, base::WallTime cutoff, const LogOptions& options) {
  LogOptions own = options;
  own.create_keys = false;
  Result<AuditLog> log = AuditLog::Open(dir, own);
  if (!log.ok()) return log.error();
  auto& impl = Maintenance::ImplOf(log.value());
  if (Status flushed = log.value().Flush(); !flushed.ok()) return flushed.error();
  // No writer comes or goes, and nobody else prunes, while this runs.
  Result<platform::UniqueFd> folder = LockFile(dir + std::string(kFolderLock), kFolderLockPatienceMs);
  if (!folder.ok()) return folder.error();
  VerifyOptions verify;
  verify.key = impl.keys->public_key();
  const Result<VerifyReport> verified = Verify(dir, verify);
  if (!verified.ok()) return verified.error();
  if (verified.value().finding_count > 0) {
    return Error(ErrorCode::kAuditChain,
                 "log does not verify, nothing was removed: " + verified.value().findings.front().what, {.file = dir});
  }
  Result<Database> opened = Database::Open(dir, Database::Mode::kWrite);
  if (!opened.ok()) return opened.error();
  const Database& db = opened.value();
  if (Status full = db.Run("PRAGMA synchronous=FULL"); !full.ok()) return full.error();

  PruneReport report;
  std::vector<Pruned> pruned;
  if (Status begun = db.Run("BEGIN IMMEDIATE"); !begun.ok()) return begun.error();
  for (const ChainReport& chain : verified.value().chains) {
    if (chain.rows == 0 || chain.chain == log.value().chain()) continue;
    const Result<std::uint64_t> through = PruneThrough(db, chain, cutoff);
    if (through.ok() && through.value() == 0) continue;
    Result<Pruned> done = through.ok() ? PruneChain(db, impl.keys->secrets(), chain, through.value(),
                                                    impl.writer->NowUs(), report.originals)
                                       : Result<Pruned>(through.error());
    if (!done.ok()) {
      (void)db.Execute("ROLLBACK");
      return done.error();
    }
    report.rows += done.value().rows;
    pruned.push_back(std::move(done.value()));
  }
  if (Status committed = db.Run("COMMIT"); !committed.ok()) {
    (void)db.Execute("ROLLBACK");
    return committed.error();
  }
  report.chains = pruned.size();
  for (std::size_t begin = 0; begin < pruned.size(); begin += kChainsInARow) {
    Status noted = impl.writer->AppendOwn(Kind::kPruned, [&](JsonWriter& json) {
      json.Key("cutoff").Int(cutoff.us).Key("chains").BeginArray();
      for (std::size_t i = begin; i < std::min(pruned.size(), begin + kChainsInARow); ++i) {
        json.BeginObject().Key("chain").String(pruned[i].chain).Key("through").Uint(pruned[i].through);
        json.Key("hash").String(pruned[i].hash).Key("rows").Uint(pruned[i].rows).EndObject();
      }
      json.EndArray();
    });
    if (!noted.ok()) return noted.error();
  }
  if (Status closed = log.value().Close(); !closed.ok()) return closed.error();
  (void)db.Execute("PRAGMA wal_checkpoint(TRUNCATE)");  // what was deleted shall not stay in the write-ahead log
  return report;
}

Result<std::uint64_t> PurgeOriginals(const std::string& dir, base::WallTime now, bool all) {
  if (!FileExists(dir + std::string(kDatabaseFile))) {
    return Error(ErrorCode::kFileNotFound, "no audit log here", {.file = dir});
  }
  Result<Database> db = Database::Open(dir, Database::Mode::kWrite);
  if (!db.ok()) return db.error();
  Result<Statement> remove = db.value().Prepare("DELETE FROM originals WHERE expires_us<=?1 OR ?2");
  if (!remove.ok()) return remove.error();
  remove.value().Bind(1, now.us).Bind(2, all ? 1 : 0);
  if (remove.value().Step() != SQLITE_DONE) return db.value().LastError("purge originals");
  const auto removed = static_cast<std::uint64_t>(db.value().changes());
  if (removed > 0) (void)db.value().Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  return removed;
}

Result<std::string> ReadOriginal(const std::string& dir, const Keys& keys, std::string_view chain, std::uint64_t row,
                                 std::string_view field) {
  if (field != "arguments" && field != "result") {
    return Error(ErrorCode::kInvalidArgument, "originals are kept of `arguments` and `result`");
  }
  const bool is_result = field == "result";
  Result<Database> db = Database::Open(dir, Database::Mode::kRead);
  if (!db.ok()) return db.error();
  Result<Statement> read = db.value().Prepare(
      "SELECT o.sealed, r.body FROM originals o JOIN rows r ON r.chain=o.chain AND r.row=o.row "
      "WHERE o.chain=? AND o.row=? AND o.is_result=?");
  if (!read.ok()) return read.error();
  read.value().Bind(1, chain).BindUnsigned(2, row).Bind(3, is_result ? 1 : 0);
  if (!read.value().Row()) return Error(ErrorCode::kNotFound, "original was not kept, or is purged");
  const std::string context = std::string(chain) + ":" + std::to_string(row) + ":" + std::string(field);
  Result<std::string> plain = OpenOriginal(keys.secrets(), context, read.value().Blob(0));
  if (!plain.ok()) return plain.error();
  const Result<base::JsonDoc> body = base::JsonDoc::Parse(read.value().Blob(1), kRowLimits);
  if (!body.ok()) return Error(ErrorCode::kAuditChain, "row is not valid JSON");
  const std::string_view stored = body.value().root().Find(is_result ? "result_digest" : "arguments_digest").string();
  base::Digest digest;
  if (is_result) {
    digest = base::Sha256(plain.value());
  } else {
    const Result<base::JsonDoc> arguments =
        base::JsonDoc::Parse(plain.value(), {.max_bytes = plain.value().size(), .max_depth = 1000});
    if (!arguments.ok()) return Error(ErrorCode::kAuditChain, "original is not valid JSON");
    digest = base::DigestOf(arguments.value().root());
  }
  if (stored != WantedDigest(KeyedHasher(keys.secrets().hashing), stored, digest)) {
    return Error(ErrorCode::kAuditChain, "original does not fit the digest in its row");
  }
  return plain;
}

}  // namespace interlock::runtime::audit
