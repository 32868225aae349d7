// The audit log's writer.
//
//   Result<AuditLog> log = AuditLog::Open("/var/lib/interlock/audit", options);
//   std::uint64_t row = 0;
//   Status written = log.value().Append(record, &row);      // before the call is forwarded
//   if (!written.ok()) -> refuse the call (Reason::kAuditUnavailable)
//   ... strict profile, outside effect: log.value().AppendDurable(record, &row)
//   log.value().Close();
//
// Append makes the row, extends the chain (SHA-256 over the previous row's hash and the row's bytes) and writes one
// journal record with one write: once it returns, the record survives the process being killed. A background thread
// carries rows from the journal into SQLite in groups. Nothing is ever dropped: when the database falls too far behind,
// Append says kAuditQueueFull.
//
// The first failure to write latches: from then on Append says kAuditWrite, until `Reopen`. Records that finish work in
// hand (outcomes, approval answers, session ends, notices) may still use the reserved end of the journal when it was
// the disk that filled up.
//
// Several processes may share a folder: each has its own chain and journal, all share `audit.db`.
//
// Thread rule: every method may be called from any thread, except Close, Reopen and the destructor (one thread, no
// other call running).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/base/clock.h"
#include "interlock/base/result.h"
#include "interlock/runtime/audit/keys.h"
#include "interlock/runtime/audit/record.h"

namespace interlock::runtime::audit {

// What is kept of arguments and results. Digests are kept in every mode.
enum class Bodies : std::uint8_t {
  kNone,               // nothing
  kRedacted,           // structure and values, secrets as keyed hashes
  kEncryptedOriginal,  // as kRedacted, and the original encrypted beside it, for `original_days`
};

// Fault seam: asked before every write, allocation and sync of the journal, and every commit; a value other than 0 is
// the errno to fail with. Empty in production.
enum class FaultPoint : std::uint8_t { kJournalWrite, kJournalAllocate, kJournalSync, kCommit, kAnchor };
using FaultHook = std::function<int(FaultPoint)>;

struct LogOptions {
  std::string passphrase;                          // of sealed keys
  KeyStorage new_key_storage = KeyStorage::kFile;  // when the folder has no keys yet
  SealCost new_key_cost = SealCost::kModerate;
  bool create_keys = true;  // false: missing keys are an error
  Bodies bodies = Bodies::kRedacted;
  int original_days = 30;
  std::string producer = "interlock";                  // who writes: goes into the chain's first row
  std::string anchor_file;                             // each checkpoint is also appended here; empty: none
  std::uint32_t checkpoint_rows = 1000;                // a signed checkpoint about every so many rows, at most twice
  std::uint32_t checkpoint_seconds = 60;               // and this long after the first row that has none
  std::size_t segment_bytes = std::size_t{8} << 20;    // of the journal; allocated ahead. At least 64 KiB
  std::size_t reserve_bytes = std::size_t{256} << 10;  // end of a segment kept for records that finish work
  std::uint64_t max_pending_rows = 65536;              // in the journal but not yet in the database
  std::uint32_t commit_interval_ms = 20;
  std::size_t max_arguments_bytes = std::size_t{64} << 10;  // redacted form; longer is left out, its digest stays
  std::size_t max_result_bytes = std::size_t{16} << 10;
  std::size_t max_original_bytes = std::size_t{1} << 20;
  FaultHook faults;
  std::function<base::Now()> clock;  // empty: platform::ReadNow
};

// What `Open` found of writers that did not end well.
struct Recovery {
  std::uint64_t chains = 0;
  std::uint64_t rows = 0;        // carried from journals into the database
  std::uint64_t torn_bytes = 0;  // of last records that were being written; kept in journal/<chain>.torn
  std::uint64_t damaged = 0;     // chains whose journal is broken before its end: tampering or a failing disk
};

struct LogStats {
  std::uint64_t rows = 0;       // appended in this chain
  std::uint64_t committed = 0;  // of them in the database
  std::uint64_t checkpoints = 0;
  std::uint64_t refused = 0;  // Appends that failed
  bool failed = false;        // latched
  std::string failure;        // why
};

class AuditLog {
 public:
  // Makes what is missing, migrates the database, recovers journals of dead writers, starts a chain.
  // kAuditKey, kAuditSchema (a newer program's database), kAuditWrite, kIo, kInvalidArgument (folder writable by
  // others).
  [[nodiscard]] static base::Result<AuditLog> Open(const std::string& dir, LogOptions options = {});

  AuditLog(AuditLog&&) noexcept;
  AuditLog& operator=(AuditLog&&) noexcept;
  ~AuditLog();  // closes cleanly where it can

  // kAuditWrite (latched), kAuditQueueFull (try again), kLimitExceeded (over 1 MiB), kInvalidArgument (the log's own
  // kinds). `row` receives the row number within this chain.
  [[nodiscard]] base::Status Append(const Record& record, std::uint64_t* row = nullptr);
  // Append, then Sync.
  [[nodiscard]] base::Status AppendDurable(const Record& record, std::uint64_t* row = nullptr);
  // Waits until everything appended so far is on the disk (fdatasync; callers at the same time share one).
  [[nodiscard]] base::Status Sync();
  // Waits until everything appended so far is in the database.
  [[nodiscard]] base::Status Flush();
  // Signs a checkpoint now, then as Flush.
  [[nodiscard]] base::Status Checkpoint();
  // Closing row, last checkpoint, everything into the database, journal removed. Later calls do nothing.
  [[nodiscard]] base::Status Close();
  // After a latched failure: gives up the chain, recovers what it wrote, starts a new one.
  [[nodiscard]] base::Status Reopen();

  [[nodiscard]] const std::string& chain() const noexcept;  // id of this writer's chain, 32 hex digits
  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] const Recovery& recovery() const noexcept;  // by Open or the last Reopen
  [[nodiscard]] LogStats stats() const;

 private:
  struct Impl;
  explicit AuditLog(std::unique_ptr<Impl> impl) noexcept;
  friend class Maintenance;
  std::unique_ptr<Impl> impl_;
};

// New signing key, signed by the old one (and signing it), recorded as a row. Running writers keep the old key until
// they are restarted. Returns the new public key.
[[nodiscard]] base::Result<PublicKey> RotateSigningKey(const std::string& dir, const LogOptions& options = {});

struct PruneReport {
  std::uint64_t chains = 0;  // that lost rows
  std::uint64_t rows = 0;    // removed
  std::uint64_t originals = 0;
};
// Removes rows older than `cutoff` from the start of each chain, as far as they verify, and leaves signed tombstones,
// so that Verify still passes and says what is gone. A chain that does not verify is kAuditChain and nothing is
// removed.
[[nodiscard]] base::Result<PruneReport> Prune(const std::string& dir, base::WallTime cutoff,
                                              const LogOptions& options = {});
// Deletes encrypted originals past their date, or all of them. The chain is not concerned: it covers digests.
[[nodiscard]] base::Result<std::uint64_t> PurgeOriginals(const std::string& dir, base::WallTime now, bool all = false);

// The original of arguments ("arguments") or result ("result") of a row, decrypted and checked against its digest.
// kNotFound when it was not kept or is purged, kAuditChain when it does not fit.
[[nodiscard]] base::Result<std::string> ReadOriginal(const std::string& dir, const Keys& keys, std::string_view chain,
                                                     std::uint64_t row, std::string_view field);

}  // namespace interlock::runtime::audit
