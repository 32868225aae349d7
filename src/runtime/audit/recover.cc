#include "recover.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>

#include "interlock/base/json.h"
#include "interlock/platform/file.h"
#include "io.h"
#include "journal.h"

namespace interlock::runtime::audit {
namespace {

using base::Digest;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr std::size_t kMaxTornBytes = std::size_t{4} << 20;

Digest DigestFrom(std::string_view bytes) {
  Digest digest;
  if (bytes.size() == digest.bytes.size()) std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

void Damage(DeadChain& dead, std::string what) {
  dead.damaged = true;
  if (dead.damage.empty()) dead.damage = std::move(what);
}

// Where the database ends: last row (or tombstone, or the start) and its hash.
Status ReadTail(const Database& db, DeadChain& dead) {
  dead.last_hash = ChainStart(dead.chain);
  for (const std::string_view sql : {"SELECT through, hash FROM tombstones WHERE chain=?",
                                     "SELECT row, hash FROM rows WHERE chain=? ORDER BY row DESC LIMIT 1"}) {
    Result<Statement> read = db.Prepare(sql);
    if (!read.ok()) return read.error();
    read.value().Bind(1, dead.chain);
    if (read.value().Row()) {
      dead.last_row = read.value().Unsigned(0);
      dead.last_hash = DigestFrom(read.value().Blob(1));
    } else if (!read.value().done()) {
      return db.LastError("read chain");
    }
  }
  return {};
}

// Compares rows that stand in both, then inserts what the database lacks.
Status Replay(const Database& db, const JournalContent& journal, DeadChain& dead) {
  if (journal.first_row == 0) return {};
  if (journal.first_row > dead.last_row + 1) {
    Damage(dead, "rows between database and journal are missing");
    return {};
  }
  Result<Statement> stored = db.Prepare("SELECT hash FROM rows WHERE chain=? AND row=?");
  if (!stored.ok()) return stored.error();
  const std::uint64_t tail = dead.last_row;
  if (journal.first_row == tail + 1 && journal.previous != dead.last_hash) {
    Damage(dead, "journal does not continue the database");
    return {};
  }
  Result<RowInserter> inserter = RowInserter::Prepare(db);
  if (!inserter.ok()) return inserter.error();
  for (const JournalRow& row : journal.rows) {
    if (row.row <= tail) {
      Statement& read = stored.value();
      read.Reset();
      read.Bind(1, dead.chain).BindUnsigned(2, row.row);
      // A row that is not there was pruned, or cut out: Verify tells which.
      if (read.Row() && DigestFrom(read.Blob(0)) != row.hash) {
        Damage(dead, "row " + std::to_string(row.row) + " differs between database and journal");
        return {};
      }
      continue;
    }
    const int code = inserter.value().Row(dead.chain, row.row, row.body, row.hash);
    if (code != SQLITE_DONE) return db.LastError("recover row");
    dead.last_row = row.row;
    dead.last_hash = row.hash;
    ++dead.replayed;
  }
  for (const JournalOriginal& original : journal.originals) {
    if (original.row <= tail) continue;
    const int code =
        inserter.value().Original(dead.chain, original.row, original.is_result, original.expires_us, original.sealed);
    if (code != SQLITE_DONE) return db.LastError("recover original");
  }
  if (dead.replayed > 0 &&
      inserter.value().Chain(dead.chain, dead.last_row, dead.last_hash, ChainState::kOpen) != SQLITE_DONE) {
    return db.LastError("recover chain");
  }
  return {};
}

Status ReadEnd(const Database& db, DeadChain& dead) {
  Result<Statement> closed = db.Prepare("SELECT 1 FROM rows WHERE chain=? AND kind='chain.close'");
  if (!closed.ok()) return closed.error();
  closed.value().Bind(1, dead.chain);
  dead.clean = closed.value().Row() && !dead.damaged;
  Result<Statement> checkpoint =
      db.Prepare("SELECT body FROM rows WHERE chain=? AND kind='checkpoint' ORDER BY row DESC LIMIT 1");
  if (!checkpoint.ok()) return checkpoint.error();
  checkpoint.value().Bind(1, dead.chain);
  dead.unclean_since = 1;
  if (checkpoint.value().Row()) {
    const Result<base::JsonDoc> body = base::JsonDoc::Parse(checkpoint.value().Blob(0), kRowLimits);
    if (body.ok()) {
      dead.unclean_since = static_cast<std::uint64_t>(body.value().root().Find("over").AsInt64().value_or(0)) + 1;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<DeadChain>> RecoverChains(const std::string& dir, const Database& db) {
  Result<std::vector<std::string>> names = JournalChains(dir);
  if (!names.ok()) return names.error();
  std::vector<std::string> candidates = std::move(names.value());
  {
    Result<Statement> open = db.Prepare("SELECT chain FROM chains WHERE state=0");
    if (!open.ok()) return open.error();
    while (open.value().Row()) candidates.emplace_back(open.value().Text(0));
    if (!open.value().done()) return db.LastError("read chains");
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());

  std::vector<DeadChain> found;
  for (const std::string& chain : candidates) {
    if (!IsChainId(chain)) continue;
    DeadChain dead;
    dead.chain = chain;
    bool locked = false;
    Result<platform::UniqueFd> lock = LockFile(ChainLockPath(dir, chain), 0, &locked);
    if (!lock.ok()) {
      if (locked) continue;  // its writer is running
      return lock.error();
    }
    dead.lock = std::move(lock.value());
    Result<JournalContent> journal = ReadJournal(dir, chain);
    if (!journal.ok()) return journal.error();
    dead.files = journal.value().files;
    dead.torn = journal.value().torn.substr(0, kMaxTornBytes);
    if (journal.value().damaged) Damage(dead, journal.value().damage);

    if (Status begun = db.Run("BEGIN IMMEDIATE"); !begun.ok()) return begun.error();
    Status status = ReadTail(db, dead);
    if (status.ok()) status = Replay(db, journal.value(), dead);
    if (status.ok()) status = ReadEnd(db, dead);
    if (status.ok()) status = db.Run("COMMIT");
    if (!status.ok()) {
      (void)db.Execute("ROLLBACK");
      return status.error();
    }
    found.push_back(std::move(dead));
  }
  return found;
}

Status FinishRecovery(const std::string& dir, const Database& db, std::vector<DeadChain>& chains) {
  if (chains.empty()) return {};
  // The rows must be on the disk before the journals that hold them go.
  if (Status full = db.Run("PRAGMA synchronous=FULL"); !full.ok()) return full;
  Result<RowInserter> inserter = RowInserter::Prepare(db);
  Result<Statement> forget = db.Prepare("DELETE FROM chains WHERE chain=?");
  if (!inserter.ok()) return inserter.error();
  if (!forget.ok()) return forget.error();
  for (const DeadChain& dead : chains) {
    int code = SQLITE_DONE;
    if (dead.last_row == 0) {
      forget.value().Reset();
      forget.value().Bind(1, dead.chain);
      code = forget.value().Step();  // died before its first row
    } else {
      code = inserter.value().Chain(dead.chain, dead.last_row, dead.last_hash,
                                    dead.clean ? ChainState::kClosed : ChainState::kRecovered);
    }
    if (code != SQLITE_DONE) return db.LastError("mark recovered chain");
  }
  if (Status normal = db.Run("PRAGMA synchronous=NORMAL"); !normal.ok()) return normal;
  for (DeadChain& dead : chains) {
    const std::string stem = dir + std::string(kJournalDir) + "/" + dead.chain;
    if (!dead.torn.empty()) {
      if (Status kept = platform::AtomicWrite(stem + ".torn", dead.torn, 0600); !kept.ok()) return kept;
    }
    for (const std::string& file : dead.files) {
      if (dead.damaged) {
        if (::rename(file.c_str(), (file + ".damaged").c_str()) != 0) return platform::SystemError(errno, "keep", file);
      } else {
        (void)::unlink(file.c_str());
      }
    }
    (void)::unlink(ChainLockPath(dir, dead.chain).c_str());
    dead.lock.Reset();
  }
  return {};
}

}  // namespace interlock::runtime::audit
