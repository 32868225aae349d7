// One chain being written: the journal under a mutex, the database from a background thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "db.h"
#include "encode.h"
#include "interlock/runtime/audit/log.h"
#include "journal.h"

namespace interlock::runtime::audit {

class Writer {
 public:
  // Makes chain, lock, journal; no row yet and no thread.
  [[nodiscard]] static base::Result<std::unique_ptr<Writer>> Start(const std::string& dir, const LogOptions& options,
                                                                   std::shared_ptr<const Keys> keys);
  ~Writer();  // as Abandon
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Starts the thread that carries rows to the database.
  [[nodiscard]] base::Status Run();

  [[nodiscard]] base::Status Append(const Record& record, std::uint64_t* row);
  // One of the log's own rows. `fields` adds to the common ones.
  [[nodiscard]] base::Status AppendOwn(Kind kind, const std::function<void(base::JsonWriter&)>& fields);
  [[nodiscard]] base::Status Sync();
  [[nodiscard]] base::Status Flush();
  [[nodiscard]] base::Status SignCheckpoint();
  [[nodiscard]] base::Status Close();
  // Stops without closing, as if killed: the journal stays.
  void Abandon();
  void UseKeys(std::shared_ptr<const Keys> keys);

  [[nodiscard]] const std::string& chain() const noexcept { return chain_; }
  [[nodiscard]] LogStats stats() const;
  [[nodiscard]] std::int64_t NowUs() const;

 private:
  enum class State : std::uint8_t {
    kGood,
    kNoSpace,  // the disk is full: only records that finish work, and only into space that is allocated
    kFailed,
    kClosed,
  };
  struct Active {
    Segment segment;
    std::size_t written = 0;  // guarded by mutex_
    bool sealed = false;      // guarded by mutex_: a later segment is in use
    // Committer only.
    std::size_t committed = 0;
    std::uint64_t next_row = 1;
    base::Digest hash;
  };

  Writer(const std::string& dir, const LogOptions& options, std::shared_ptr<const Keys> keys, Database db);

  [[nodiscard]] base::Status Refusal();                                          // mutex_ held
  [[nodiscard]] base::Status WriteRow(std::string_view body, bool finishing);    // mutex_ held
  [[nodiscard]] base::Status MakeRoom(std::size_t bytes, bool finishing);        // mutex_ held
  void SealBody(const Record& record, std::uint64_t row, std::int64_t time_us);  // mutex_ held
  void Fail(State state, std::string why);                                       // mutex_ held
  [[nodiscard]] base::Status WriteAnchor(std::uint64_t row, const std::string& hash, std::int64_t time_us,
                                         const std::string& key, const std::string& signature);

  [[nodiscard]] base::Status SignCheckpointLocked();  // checkpoint_mutex_ held

  void Loop();
  void PrepareSegment();
  [[nodiscard]] bool CheckpointDue(std::int64_t mono_us) const;  // mutex_ held
  enum class Committed : std::uint8_t { kNothing, kSome, kBusy, kFailed };
  Committed CommitBatch();
  int CommitRows(RowInserter& inserter, Active& active, std::size_t end, std::uint64_t& rows, std::string& problem);
  [[nodiscard]] std::int64_t MonoUs() const;

  const std::string dir_;
  const LogOptions options_;
  std::string chain_;
  KeyedHasher hasher_;
  platform::UniqueFd lock_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::shared_ptr<const Keys> keys_;
  Encoder encoder_;
  base::Sha256Hasher sha_;
  std::string frame_;
  std::string originals_;
  std::string context_;
  State state_ = State::kGood;
  std::string failure_;
  std::uint64_t row_ = 0;
  base::Digest hash_;
  std::shared_ptr<Active> active_;
  std::unique_ptr<Segment> next_;
  std::deque<std::shared_ptr<Active>> segments_;  // not yet all in the database; the last one is active_
  std::vector<std::shared_ptr<Active>> unsynced_;
  std::uint32_t next_number_ = 1;
  std::uint64_t committed_row_ = 0;
  std::uint64_t unsigned_rows_ = 0;  // since the last checkpoint was taken
  std::int64_t unsigned_since_us_ = 0;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t refused_ = 0;
  bool idle_ = false;
  bool stop_ = false;
  bool closing_ = false;
  std::uint64_t flush_row_ = 0;

  std::mutex sync_mutex_;
  std::uint64_t synced_row_ = 0;
  std::mutex checkpoint_mutex_;

  Database db_;  // Start, then the committer
  std::unique_ptr<RowInserter> inserter_;
  std::string read_buffer_;
  std::thread thread_;
};

}  // namespace interlock::runtime::audit
