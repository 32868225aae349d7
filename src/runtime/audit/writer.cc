#include "writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "interlock/platform/clock.h"
#include "interlock/platform/file.h"
#include "interlock/platform/random.h"
#include "io.h"

namespace interlock::runtime::audit {
namespace {

using base::Digest;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using platform::SystemError;

constexpr std::uint64_t kWakeRows = 512;
constexpr std::uint64_t kFinishingSlack = 1024;  // rows past max_pending_rows for records that finish work
constexpr std::int64_t kDayUs = std::int64_t{24} * 3600 * 1'000'000;
constexpr auto kFlushPatience = std::chrono::seconds(30);

bool Finishes(Kind kind) noexcept {
  switch (kind) {
    case Kind::kOutcome:
    case Kind::kApprovalAnswered:
    case Kind::kApprovalVoid:
    case Kind::kSessionEnd:
    case Kind::kNotice:
    case Kind::kChainClose:
    case Kind::kCheckpoint:
      return true;
    default:
      return false;
  }
}

bool IsNoSpace(int err) noexcept { return err == ENOSPC || err == EDQUOT || err == EFBIG; }

}  // namespace

Writer::Writer(const std::string& dir, const LogOptions& options, std::shared_ptr<const Keys> keys, Database db)
    : dir_(dir),
      options_(options),
      hasher_(keys->secrets().hashing),
      keys_(std::move(keys)),
      encoder_(options_, hasher_),
      db_(std::move(db)) {}

Writer::~Writer() { Abandon(); }

std::int64_t Writer::NowUs() const { return (options_.clock ? options_.clock() : platform::ReadNow()).wall.us; }
std::int64_t Writer::MonoUs() const { return (options_.clock ? options_.clock() : platform::ReadNow()).mono.us; }

Result<std::unique_ptr<Writer>> Writer::Start(const std::string& dir, const LogOptions& options,
                                              std::shared_ptr<const Keys> keys) {
  if (options.segment_bytes < (std::size_t{64} << 10) || options.segment_bytes > kMaxSegmentBytes ||
      options.reserve_bytes > options.segment_bytes / 2) {
    return Error(ErrorCode::kInvalidArgument, "journal segment or its reserve has no usable size");
  }
  Result<Database> db = Database::Open(dir, Database::Mode::kWrite);
  if (!db.ok()) return db.error();
  std::unique_ptr<Writer> writer(new Writer(dir, options, std::move(keys), std::move(db.value())));
  Result<std::string> chain = platform::RandomHex(16);
  if (!chain.ok()) return chain.error();
  writer->chain_ = chain.value();
  writer->hash_ = ChainStart(writer->chain_);
  Result<platform::UniqueFd> lock = LockFile(ChainLockPath(dir, writer->chain_), 0);
  if (!lock.ok()) return lock.error();
  writer->lock_ = std::move(lock.value());

  Result<Segment> segment = AllocateSegment(dir, writer->chain_, 1, options.segment_bytes, options.faults);
  if (!segment.ok()) return Error(ErrorCode::kAuditWrite, segment.error().message(), segment.error().place());
  if (Status started = StartSegment(segment.value(), {1, writer->chain_, 1, writer->hash_}, options.faults);
      !started.ok()) {
    return Error(ErrorCode::kAuditWrite, started.error().message(), started.error().place());
  }
  auto active = std::make_shared<Active>();
  active->segment = std::move(segment.value());
  active->written = active->committed = kSegmentHeaderBytes;
  active->hash = writer->hash_;
  writer->active_ = active;
  writer->segments_.push_back(active);
  writer->next_number_ = 2;

  Result<Statement> insert = writer->db_.Prepare(
      "INSERT INTO chains(chain,opened_us,last_row,last_hash,state,referenced_row) VALUES(?,?,0,?,0,0)");
  if (!insert.ok()) return insert.error();
  insert.value().Bind(1, writer->chain_).Bind(2, writer->NowUs());
  insert.value().BindBlob(3, {reinterpret_cast<const char*>(writer->hash_.bytes.data()), writer->hash_.bytes.size()});
  if (insert.value().Step() != SQLITE_DONE) return writer->db_.LastError("start chain");
  Result<RowInserter> inserter = RowInserter::Prepare(writer->db_);
  if (!inserter.ok()) return inserter.error();
  writer->inserter_ = std::make_unique<RowInserter>(std::move(inserter.value()));
  return writer;
}

Status Writer::Run() {
  // Signals belong to the threads of the program.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  Status status;
  try {
    thread_ = std::thread([this] { Loop(); });
  } catch (const std::exception& error) {
    status = Error(ErrorCode::kIo, std::string("cannot start the audit thread: ") + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return status;
}

void Writer::Fail(State state, std::string why) {
  if (state_ == State::kFailed || state_ == State::kClosed || state_ == state) return;
  state_ = state;
  if (failure_.empty()) failure_ = std::move(why);
  done_.notify_all();
}

Status Writer::Refusal() {
  return Error(ErrorCode::kAuditWrite, state_ == State::kClosed ? "log is closed" : failure_);
}

// Leaves `active_` with room for `bytes`, or says why not.
Status Writer::MakeRoom(std::size_t bytes, bool finishing) {
  const std::size_t limit = options_.segment_bytes - options_.reserve_bytes;
  if (bytes > limit - kSegmentHeaderBytes) {
    return Error(ErrorCode::kLimitExceeded, "record does not fit a journal segment");
  }
  if (active_->written + bytes <= limit) return {};
  if (!next_ && state_ == State::kGood) {
    Result<Segment> segment = AllocateSegment(dir_, chain_, next_number_, options_.segment_bytes, options_.faults);
    if (segment.ok()) {
      ++next_number_;
      next_ = std::make_unique<Segment>(std::move(segment.value()));
    } else {
      Fail(State::kNoSpace, segment.error().message());
    }
  }
  if (next_) {
    const SegmentHeader header{next_->header.number, chain_, row_ + 1, hash_};
    if (Status started = StartSegment(*next_, header, options_.faults); !started.ok()) {
      Fail(State::kFailed, started.error().message());
      return Refusal();
    }
    auto fresh = std::make_shared<Active>();
    fresh->segment = std::move(*next_);
    next_.reset();
    fresh->written = fresh->committed = kSegmentHeaderBytes;
    fresh->next_row = row_ + 1;
    fresh->hash = hash_;
    active_->sealed = true;
    unsynced_.push_back(active_);
    active_ = fresh;
    segments_.push_back(std::move(fresh));
    return {};
  }
  // The reserve: allocated long ago, so it works on a full disk.
  if (finishing && active_->written + bytes <= options_.segment_bytes) return {};
  return Refusal();
}

// One write for the row and what goes with it. Nothing of the chain's state changes unless all of it is written.
Status Writer::WriteRow(std::string_view body, bool finishing) {
  if (body.size() > kMaxRecordBytes) return Error(ErrorCode::kLimitExceeded, "record is longer than 1 MiB");
  const Digest hash = ChainNext(sha_, hash_, body);
  frame_.resize(kFrameHeaderBytes);
  EncodeFrameHeader(frame_.data(), kRowFrame, body.size(), hash);
  frame_.append(body).append(originals_);
  originals_.clear();
  if (Status room = MakeRoom(frame_.size(), finishing); !room.ok()) return room;
  int err = AskFault(options_.faults, FaultPoint::kJournalWrite);
  if (err == 0) {
    ssize_t wrote = 0;
    do {
      wrote = ::pwrite(active_->segment.fd.get(), frame_.data(), frame_.size(), static_cast<off_t>(active_->written));
    } while (wrote < 0 && errno == EINTR);
    if (wrote < 0) {
      err = errno;
    } else if (static_cast<std::size_t>(wrote) != frame_.size()) {
      err = ENOSPC;
    }
  }
  if (err != 0) {
    Fail(State::kFailed, std::string("cannot write the journal: ") + std::strerror(err));
    return Refusal();
  }
  active_->written += frame_.size();
  hash_ = hash;
  ++row_;
  return {};
}

void Writer::SealBody(const Record& record, std::uint64_t row, std::int64_t time_us) {
  if (options_.bodies != Bodies::kEncryptedOriginal) return;
  const bool is_result = record.kind == Kind::kOutcome;
  const base::JsonValue value = is_result ? record.result : record.arguments;
  if ((record.kind != Kind::kDecision && !is_result) || !value.exists()) return;
  if (value.raw().size() > options_.max_original_bytes) return;
  context_.assign(chain_).append(":").append(std::to_string(row)).append(is_result ? ":result" : ":arguments");
  std::string sealed;
  SealOriginal(keys_->secrets(), context_, value.raw(), sealed);
  std::string payload;
  AppendOriginalPayload({row, time_us + options_.original_days * kDayUs, is_result, sealed}, payload);
  originals_.resize(kFrameHeaderBytes);
  EncodeFrameHeader(originals_.data(), kOriginalFrame, payload.size(), base::Sha256(payload));
  originals_.append(payload);
}

Status Writer::Append(const Record& record, std::uint64_t* row) {
  if (static_cast<int>(record.kind) >= static_cast<int>(Kind::kChainOpen)) {
    return Error(ErrorCode::kInvalidArgument, "this kind of row is the log's own");
  }
  const bool finishing = Finishes(record.kind);
  const std::int64_t time_us = record.time.us != 0 ? record.time.us : NowUs();
  bool notify = false;
  bool late = false;
  {
    const std::lock_guard lock(mutex_);
    Status status;
    if (state_ != State::kGood && !(state_ == State::kNoSpace && finishing)) {
      status = Refusal();
    } else if (row_ - committed_row_ >= options_.max_pending_rows + (finishing ? kFinishingSlack : 0)) {
      status = Error(ErrorCode::kAuditQueueFull, "database is too far behind the journal");
      notify = true;
    } else {
      const std::string_view body = encoder_.Encode(record, chain_, row_ + 1, time_us);
      SealBody(record, row_ + 1, time_us);
      status = WriteRow(body, finishing);
    }
    if (!status.ok()) {
      ++refused_;
      if (notify) wake_.notify_one();
      return status;
    }
    if (row != nullptr) *row = row_;
    if (unsigned_rows_++ == 0) unsigned_since_us_ = MonoUs();
    notify = idle_ || row_ - committed_row_ == kWakeRows || unsigned_rows_ == options_.checkpoint_rows;
    late = unsigned_rows_ >= std::uint64_t{2} * options_.checkpoint_rows;
    idle_ = false;
  }
  if (notify) wake_.notify_one();
  // The background thread is busy: the appender signs, so that rows without a signature stay few. Where another is
  // signing already it waits: on a busy machine the signer may be off its core for thousands of appends. A failure
  // latches and is the next append's.
  if (late) {
    const std::lock_guard one(checkpoint_mutex_);
    bool still = false;
    {
      const std::lock_guard lock(mutex_);
      still = unsigned_rows_ >= std::uint64_t{2} * options_.checkpoint_rows;
    }
    if (still) (void)SignCheckpointLocked();
  }
  return {};
}

Status Writer::AppendOwn(Kind kind, const std::function<void(base::JsonWriter&)>& fields) {
  const std::int64_t time_us = NowUs();
  const std::lock_guard lock(mutex_);
  const bool finishing = Finishes(kind);
  if (state_ != State::kGood && !(state_ == State::kNoSpace && finishing)) return Refusal();
  fields(encoder_.Begin(kind, chain_, row_ + 1, time_us));
  if (Status written = WriteRow(encoder_.End(), finishing); !written.ok()) return written;
  if (kind != Kind::kCheckpoint && unsigned_rows_++ == 0) unsigned_since_us_ = MonoUs();
  idle_ = false;
  wake_.notify_one();
  return {};
}

Status Writer::Sync() {
  std::uint64_t target = 0;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kFailed) return Refusal();
    target = row_;
  }
  const std::lock_guard one(sync_mutex_);
  if (synced_row_ >= target) return {};  // the sync of another caller covered it
  std::vector<std::shared_ptr<Active>> segments;
  {
    const std::lock_guard lock(mutex_);
    target = row_;
    segments.swap(unsynced_);
    segments.push_back(active_);
  }
  int err = AskFault(options_.faults, FaultPoint::kJournalSync);
  for (const auto& segment : segments) {
    if (err == 0 && segment->segment.fd.valid() && ::fdatasync(segment->segment.fd.get()) != 0) err = errno;
  }
  if (err != 0) {
    const std::lock_guard lock(mutex_);
    Fail(State::kFailed, std::string("cannot sync the journal: ") + std::strerror(err));
    return Refusal();
  }
  synced_row_ = target;
  return {};
}

Status Writer::Flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = row_;
  flush_row_ = std::max(flush_row_, target);
  idle_ = false;
  wake_.notify_one();
  const bool in_time = done_.wait_for(lock, kFlushPatience, [&] {
    return committed_row_ >= target || state_ == State::kFailed || state_ == State::kNoSpace;
  });
  if (committed_row_ >= target) return {};
  if (!in_time) return Error(ErrorCode::kIo, "audit database is locked by another program");
  return Refusal();
}

Status Writer::SignCheckpoint() {
  const std::lock_guard one(checkpoint_mutex_);
  return SignCheckpointLocked();
}

Status Writer::SignCheckpointLocked() {
  std::uint64_t row = 0;
  Digest digest;
  std::shared_ptr<const Keys> keys;
  {
    const std::lock_guard lock(mutex_);
    if (unsigned_rows_ == 0) return {};
    row = row_;
    digest = hash_;
    keys = keys_;
    unsigned_rows_ = 0;
  }
  // Signing takes longer than a hundred appends: outside the lock.
  const std::string hash = digest.ToHex();
  const std::int64_t time_us = NowUs();
  const std::string signature = Sign(keys->secrets(), CheckpointMessage(chain_, row, hash, time_us));
  const std::string key = keys->public_key().ToHex();
  Status written = AppendOwn(Kind::kCheckpoint, [&](base::JsonWriter& writer) {
    writer.Key("over").Uint(row).Key("hash").String(hash).Key("signed_us").Int(time_us);
    writer.Key("key").String(key).Key("sig").String(signature);
  });
  if (!written.ok()) return written;
  {
    const std::lock_guard lock(mutex_);
    ++checkpoints_;
  }
  return WriteAnchor(row, hash, time_us, key, signature);
}

Status Writer::WriteAnchor(std::uint64_t row, const std::string& hash, std::int64_t time_us, const std::string& key,
                           const std::string& signature) {
  if (options_.anchor_file.empty()) return {};
  std::string line;
  base::JsonWriter writer(line);
  writer.BeginObject().Key("schema").String("interlock.audit.anchor/v1").Key("chain").String(chain_);
  writer.Key("row").Uint(row).Key("hash").String(hash).Key("signed_us").Int(time_us);
  writer.Key("key").String(key).Key("sig").String(signature).EndObject();
  line.push_back('\n');
  int err = AskFault(options_.faults, FaultPoint::kAnchor);
  if (err == 0) {
    const platform::UniqueFd fd(::open(options_.anchor_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!fd.valid()) {
      err = errno;
    } else {
      const ssize_t wrote = ::write(fd.get(), line.data(), line.size());
      if (wrote < 0) {
        err = errno;
      } else if (static_cast<std::size_t>(wrote) != line.size()) {
        err = ENOSPC;
      } else if (::fdatasync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
        err = errno;  // EINVAL: a pipe or a device, which has no sync
      }
    }
  }
  if (err == 0) return {};
  // A log that cannot be anchored as it was told to is not the log that was asked for.
  const std::lock_guard lock(mutex_);
  Fail(State::kFailed, std::string("cannot write the anchor: ") + std::strerror(err));
  return Refusal();
}

bool Writer::CheckpointDue(std::int64_t mono_us) const {
  if (unsigned_rows_ == 0 || state_ != State::kGood || closing_) return false;
  return unsigned_rows_ >= options_.checkpoint_rows ||
         mono_us - unsigned_since_us_ >= std::int64_t{options_.checkpoint_seconds} * 1'000'000;
}

void Writer::PrepareSegment() {
  std::uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (next_ || state_ != State::kGood || closing_ || active_->written < options_.segment_bytes / 2) return;
    number = next_number_++;
  }
  Result<Segment> segment = AllocateSegment(dir_, chain_, number, options_.segment_bytes, options_.faults);
  const std::lock_guard lock(mutex_);
  if (!segment.ok()) return Fail(State::kNoSpace, segment.error().message());
  // An append could not wait for us and took a later number: files stay in the order of their rows.
  if (next_ || number < active_->segment.header.number) {
    (void)::unlink(segment.value().path.c_str());
    return;
  }
  next_ = std::make_unique<Segment>(std::move(segment.value()));
}

void Writer::Loop() {
  const auto interval = std::chrono::milliseconds(std::max<std::uint32_t>(options_.commit_interval_ms, 1));
  bool settled = true;
  for (;;) {
    bool checkpoint = false;
    {
      std::unique_lock lock(mutex_);
      const auto urgent = [this] { return stop_ || flush_row_ > committed_row_ || row_ - committed_row_ >= kWakeRows; };
      const bool stuck = state_ == State::kFailed || state_ == State::kNoSpace;
      if (row_ == committed_row_ || stuck) {
        idle_ = true;
        const auto woken = [&] { return stop_ || !idle_; };
        if (unsigned_rows_ > 0 && !stuck) {
          const std::int64_t left =
              std::int64_t{options_.checkpoint_seconds} * 1'000'000 - (MonoUs() - unsigned_since_us_);
          wake_.wait_for(lock, std::chrono::microseconds(std::clamp<std::int64_t>(left, 1000, 60'000'000)), woken);
        } else {
          wake_.wait(lock, woken);
        }
        idle_ = false;
      }
      // Lets a group gather.
      if (row_ != committed_row_ && !urgent()) wake_.wait_for(lock, interval, urgent);
      if (stop_) return;
      checkpoint = CheckpointDue(MonoUs());
    }
    if (checkpoint) (void)SignCheckpoint();  // a failure latches and is seen by the next append
    PrepareSegment();
    for (settled = false; !settled;) {
      switch (CommitBatch()) {
        case Committed::kNothing:
        case Committed::kFailed:
          settled = true;
          break;
        case Committed::kBusy: {
          std::unique_lock lock(mutex_);
          wake_.wait_for(lock, interval, [this] { return stop_; });
          settled = true;
          break;
        }
        case Committed::kSome:
          break;
      }
      PrepareSegment();
    }
  }
}

// Inserts the frames of [committed, end). SQLite's code, SQLITE_DONE when all went in.
int Writer::CommitRows(RowInserter& inserter, Active& active, std::size_t end, std::uint64_t& rows,
                       std::string& problem) {
  read_buffer_.resize(end - active.committed);
  const ssize_t got =
      ::pread(active.segment.fd.get(), read_buffer_.data(), read_buffer_.size(), static_cast<off_t>(active.committed));
  if (got < 0 || static_cast<std::size_t>(got) != read_buffer_.size()) {
    problem = "cannot read the journal back";
    return SQLITE_IOERR;
  }
  FrameCursor cursor(read_buffer_, active.next_row, active.hash);
  while (cursor.offset() < read_buffer_.size()) {
    int code = SQLITE_DONE;
    switch (cursor.Next()) {
      case FrameCursor::Step::kRow:
        code = inserter.Row(chain_, cursor.row(), cursor.body(), cursor.hash());
        ++rows;
        break;
      case FrameCursor::Step::kOriginal: {
        const OriginalFrame& original = cursor.original();
        code = inserter.Original(chain_, original.row, original.is_result, original.expires_us, original.sealed);
        break;
      }
      default:
        problem = "journal was changed from outside";
        return SQLITE_CORRUPT;
    }
    if (code != SQLITE_DONE) return code;
  }
  const int code = inserter.Chain(chain_, cursor.next_row() - 1, cursor.hash(), ChainState::kOpen);
  if (code != SQLITE_DONE) return code;
  active.next_row = cursor.next_row();
  active.hash = cursor.hash();
  return SQLITE_DONE;
}

Writer::Committed Writer::CommitBatch() {
  std::shared_ptr<Active> active;
  std::size_t end = 0;
  bool drop = false;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kFailed || state_ == State::kNoSpace) return Committed::kFailed;
    active = segments_.front();
    end = active->written;
    drop = active->sealed;
    if (end == active->committed && !drop) return Committed::kNothing;
  }
  const std::uint64_t next_row = active->next_row;
  const Digest hash = active->hash;
  // A file that will go needs its rows on the disk first: this commit waits for it (and with it all before).
  const bool settle = drop;
  if (settle) (void)db_.Execute("PRAGMA synchronous=FULL");
  int code = db_.Execute("BEGIN IMMEDIATE");
  std::string problem;
  std::uint64_t rows = 0;
  if (code == SQLITE_OK) {
    code = end > active->committed ? CommitRows(*inserter_, *active, end, rows, problem)
                                   : inserter_->Chain(chain_, next_row - 1, hash, ChainState::kOpen);
    if (code == SQLITE_DONE) {
      const int err = AskFault(options_.faults, FaultPoint::kCommit);
      code = err == 0 ? db_.Execute("COMMIT") : (IsNoSpace(err) ? SQLITE_FULL : SQLITE_IOERR);
    }
    if (code != SQLITE_OK) {
      if (problem.empty()) problem = db_.LastError("commit audit rows").message();
      (void)db_.Execute("ROLLBACK");
    }
  }
  if (settle) (void)db_.Execute("PRAGMA synchronous=NORMAL");
  if (code != SQLITE_OK) {
    active->next_row = next_row;
    active->hash = hash;
    if (IsBusy(code)) return Committed::kBusy;
    if (problem.empty()) problem = db_.LastError("begin audit commit").message();
    const std::lock_guard lock(mutex_);
    Fail(IsFull(code) ? State::kNoSpace : State::kFailed, problem);
    return Committed::kFailed;
  }
  active->committed = end;
  {
    const std::lock_guard lock(mutex_);
    committed_row_ = active->next_row - 1;
    if (drop) segments_.pop_front();
    done_.notify_all();
  }
  if (drop) (void)::unlink(active->segment.path.c_str());
  return Committed::kSome;
}

Status Writer::Close() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kClosed) return {};
    closing_ = true;
  }
  Status status = AppendOwn(Kind::kChainClose, [](base::JsonWriter&) {});
  if (status.ok()) status = SignCheckpoint();
  if (status.ok()) status = Sync();
  if (status.ok()) status = Flush();
  const bool clean = status.ok();
  std::vector<std::string> files;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& segment : segments_) files.push_back(segment->segment.path);
    if (next_) files.push_back(next_->path);
  }
  const std::uint64_t last_row = row_;
  const Digest last_hash = hash_;
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      wake_.notify_all();
    }
    thread_.join();
  }
  if (clean) {
    (void)db_.Execute("PRAGMA synchronous=FULL");
    if (inserter_->Chain(chain_, last_row, last_hash, ChainState::kClosed) == SQLITE_DONE) {
      for (const std::string& file : files) (void)::unlink(file.c_str());
      (void)::unlink(ChainLockPath(dir_, chain_).c_str());
    } else {
      status = db_.LastError("close chain");
    }
  }
  const std::lock_guard lock(mutex_);
  state_ = State::kClosed;
  lock_.Reset();
  return status;
}

void Writer::Abandon() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      wake_.notify_all();
    }
    thread_.join();
  }
  const std::lock_guard lock(mutex_);
  state_ = State::kClosed;
  lock_.Reset();
}

void Writer::UseKeys(std::shared_ptr<const Keys> keys) {
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

LogStats Writer::stats() const {
  const std::lock_guard lock(mutex_);
  return {.rows = row_,
          .committed = committed_row_,
          .checkpoints = checkpoints_,
          .refused = refused_,
          .failed = state_ != State::kGood,
          .failure = failure_};
}

}  // namespace interlock::runtime::audit
