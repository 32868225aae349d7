#include "interlock/runtime/audit/log.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "interlock/platform/fd.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/audit/query.h"
#include "testing.h"

namespace interlock::runtime::audit {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using Outcome = VerifyReport::Outcome;
using End = ChainReport::End;

std::vector<std::string> FilesIn(const std::string& dir) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(LogTest, WritesClosesAndVerifies) {
  TempDir dir;
  const SampleCall call;
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
    ASSERT_TRUE(log.ok()) << log.error().ToString();
    std::uint64_t row = 0;
    ASSERT_TRUE(log.value().Append(call.Decision("s1", "c1"), &row).ok());
    EXPECT_EQ(row, 3U);  // after the opening row and its checkpoint
    Record outcome = call.Outcome("s1", "c1");
    outcome.decision_row = row;
    ASSERT_TRUE(log.value().AppendDurable(outcome, &row).ok());
    EXPECT_EQ(row, 4U);
    ASSERT_TRUE(log.value().Close().ok());
    EXPECT_TRUE(log.value().Close().ok());  // again does nothing
    EXPECT_EQ(log.value().Append(call.Decision("s1", "c2")).error().code(), ErrorCode::kAuditWrite);
  }
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_TRUE(report.key_from_folder);
  ASSERT_EQ(report.chains.size(), 1U);
  EXPECT_EQ(report.chains[0].end, End::kClean);
  EXPECT_EQ(report.rows, 6U);  // open, checkpoint, decision, outcome, close, checkpoint
  EXPECT_EQ(report.signatures, 2U);
  EXPECT_TRUE(FilesIn(dir / "journal").empty());
}

TEST(LogTest, FilesAreForTheOwnerOnly) {
  TempDir dir;
  const std::string inner = dir / "audit";
  Result<AuditLog> log = AuditLog::Open(inner, TestOptions());
  ASSERT_TRUE(log.ok());
  struct stat info{};
  ASSERT_EQ(::stat(inner.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  for (const std::string& file : {inner + "/audit.db", inner + "/audit.db-wal", inner + "/keys.json"}) {
    ASSERT_EQ(::stat(file.c_str(), &info), 0) << file;
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << file;
  }
}

TEST(LogTest, RefusesAFolderThatOthersMayWrite) {
  TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  EXPECT_EQ(AuditLog::Open(dir.path(), TestOptions()).error().code(), ErrorCode::kInvalidArgument);
}

TEST(LogTest, RefusesItsOwnKindsFromOutside) {
  TempDir dir;
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  for (const Kind kind :
       {Kind::kChainOpen, Kind::kChainClose, Kind::kCheckpoint, Kind::kRecovered, Kind::kKeyRotated, Kind::kPruned}) {
    Record record;
    record.kind = kind;
    EXPECT_EQ(log.value().Append(record).error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(LogTest, LiveLogVerifiesWhileItIsWritten) {
  TempDir dir;
  const SampleCall call;
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      ASSERT_TRUE(log.value().Append(call.Decision("s", std::to_string(i))).ok());
      if (i % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (int i = 0; i < 6; ++i) {
    const VerifyReport report = MustVerify(dir.path());
    EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
    ASSERT_EQ(report.chains.size(), 1U);
    EXPECT_EQ(report.chains[0].end, End::kLive);
  }
  stop = true;
  writer.join();
}

TEST(LogTest, ManyThreadsOneChainManySegments) {
  TempDir dir;
  const SampleCall call;
  LogOptions options = TestOptions();
  options.segment_bytes = std::size_t{64} << 10;
  options.checkpoint_rows = 100;
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const std::string id = std::to_string(t) + "." + std::to_string(i);
          ASSERT_TRUE(log.value().Append(call.Decision("s", id)).ok());
          if (i % 100 == 0) {
            ASSERT_TRUE(log.value().Sync().ok());
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_GE(log.value().stats().rows, static_cast<std::uint64_t>(kThreads * kEach));
  }
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_EQ(Number(dir.path(), "SELECT count(DISTINCT call) FROM rows WHERE kind='decision'"), kThreads * kEach);
  // At most twice checkpoint_rows without a signature, and one more row of each thread that waits for it.
  EXPECT_GE(report.signatures, kThreads * kEach / (2 * options.checkpoint_rows + kThreads));
  EXPECT_TRUE(FilesIn(dir / "journal").empty());
}

TEST(LogTest, SeveralWritersShareAFolder) {
  TempDir dir;
  const SampleCall call;
  {
    Result<AuditLog> a = AuditLog::Open(dir.path(), TestOptions());
    Result<AuditLog> b = AuditLog::Open(dir.path(), TestOptions());
    ASSERT_TRUE(a.ok());
    ASSERT_TRUE(b.ok());
    EXPECT_NE(a.value().chain(), b.value().chain());
    EXPECT_EQ(b.value().recovery().chains, 0U);  // a is running, not dead
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(a.value().Append(call.Decision("a", std::to_string(i))).ok());
      ASSERT_TRUE(b.value().Append(call.Decision("b", std::to_string(i))).ok());
    }
  }
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_EQ(report.chains.size(), 2U);
}

// A child process that appends and reports each acknowledged row, until it is killed; `stops`: it waits for that at
// `at_least`, where more rows would be committed to the database without being asked.
struct Killed {
  std::uint64_t acknowledged = 0;
};
Killed AppendUntilKilled(const std::string& dir, const LogOptions& options, std::uint64_t at_least,
                         bool stops = false) {
  int fds[2];
  EXPECT_EQ(::pipe(fds), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(fds[0]);
    const SampleCall call;
    Result<AuditLog> log = AuditLog::Open(dir, options);
    if (!log.ok()) ::_exit(1);
    for (int i = 0;; ++i) {
      std::uint64_t row = 0;
      if (!log.value().Append(call.Decision("s", std::to_string(i)), &row).ok()) ::_exit(2);
      if (::write(fds[1], &row, sizeof(row)) != sizeof(row)) ::_exit(3);
      while (stops && row >= at_least) ::pause();
    }
  }
  ::close(fds[1]);
  Killed killed;
  std::uint64_t row = 0;
  while (::read(fds[0], &row, sizeof(row)) == sizeof(row)) {
    killed.acknowledged = row;
    if (row >= at_least) ::kill(child, SIGKILL);
  }
  ::close(fds[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  return killed;
}

// The last process to leave a database removes its write-ahead log: it must not take itself for the last one.
TEST(LogTest, AnotherWriterThatLeavesTakesNothingWithIt) {
  TempDir dir;
  const SampleCall call;
  auto go = platform::MakePipe();
  ASSERT_TRUE(go.ok());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte = 0;
    if (::read(go.value().read_end.get(), &byte, 1) != 1) ::_exit(1);
    Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
    ::_exit(log.ok() && log.value().Close().ok() ? 0 : 2);
  }
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok()) << log.error().ToString();
  ASSERT_TRUE(log.value().Append(call.Decision("s1", "c1")).ok());
  ASSERT_TRUE(log.value().Flush().ok());
  ASSERT_TRUE(platform::WriteAll(go.value().write_end.get(), "x").ok());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ASSERT_TRUE(log.value().Append(call.Decision("s1", "c2")).ok());
  ASSERT_TRUE(log.value().Flush().ok());
  std::size_t seen = 0;
  Filter decisions;
  decisions.kind = Kind::kDecision;
  ASSERT_TRUE(ForEachRow(dir.path(), decisions, [&seen](const StoredRow&) {
                ++seen;
                return true;
              }).ok());
  EXPECT_EQ(seen, 2U);
}

TEST(LogTest, KilledWriterLosesNothingAndIsTold) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.checkpoint_rows = 1'000'000;  // only the one at the opening
  const Killed killed = AppendUntilKilled(dir.path(), options, 700);
  ASSERT_GE(killed.acknowledged, 700U);

  const VerifyReport before = MustVerify(dir.path());
  EXPECT_EQ(before.outcome, Outcome::kUnclean) << RenderVerifyText(before);
  ASSERT_EQ(before.chains.size(), 1U);
  EXPECT_EQ(before.chains[0].end, End::kUnclean);
  EXPECT_EQ(before.chains[0].unclean_since, 2U);  // the checkpoint signed row 1
  EXPECT_GE(before.chains[0].last_row, killed.acknowledged);

  {
    Result<AuditLog> next = AuditLog::Open(dir.path(), TestOptions());
    ASSERT_TRUE(next.ok()) << next.error().ToString();
    EXPECT_EQ(next.value().recovery().chains, 1U);
    EXPECT_EQ(next.value().recovery().damaged, 0U);
  }
  const VerifyReport after = MustVerify(dir.path());
  EXPECT_EQ(after.outcome, Outcome::kIntact) << RenderVerifyText(after);
  ASSERT_EQ(after.chains.size(), 2U);
  EXPECT_EQ(after.chains[0].end, End::kRecovered);
  EXPECT_EQ(after.chains[0].unclean_since, 2U);
  EXPECT_GE(after.chains[0].last_row, killed.acknowledged);
  EXPECT_EQ(after.chains[0].journal_only_rows, 0U);
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE kind='recovered'"), 1);
  // Killed within a record, the part of it that was written is kept beside the journals.
  EXPECT_THAT(FilesIn(dir / "journal"), ::testing::Each(::testing::EndsWith(".torn")));

  // A third writer finds nothing left to do.
  Result<AuditLog> third = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third.value().recovery().chains, 0U);
}

TEST(LogTest, KilledAcrossSegments) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.segment_bytes = std::size_t{64} << 10;
  options.commit_interval_ms = 50;
  const Killed killed = AppendUntilKilled(dir.path(), options, 1000);
  ASSERT_TRUE(AuditLog::Open(dir.path(), TestOptions()).ok());
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_GE(report.chains[0].last_row, killed.acknowledged);
}

// The journal of a killed writer that never committed anything.
std::string KilledJournal(const std::string& dir) {
  LogOptions options = TestOptions();
  options.commit_interval_ms = 60'000;
  options.segment_bytes = std::size_t{4} << 20;
  (void)AppendUntilKilled(dir, options, 200, true);
  for (const auto& entry : std::filesystem::directory_iterator(dir + "/journal")) {
    if (entry.path().extension() == ".journal") return entry.path();
  }
  return {};
}

TEST(LogTest, TornLastRecordIsReportedNotLost) {
  TempDir dir;
  const std::string journal = KilledJournal(dir.path());
  Result<std::string> bytes = platform::ReadFile(journal, std::size_t{8} << 20);
  ASSERT_TRUE(bytes.ok());
  const VerifyReport whole = MustVerify(dir.path());
  const std::size_t end = bytes.value().find_last_not_of('\0') + 1;
  std::string cut = bytes.value();
  std::fill(cut.begin() + static_cast<std::ptrdiff_t>(end - 100), cut.end(), '\0');
  ASSERT_TRUE(platform::AtomicWrite(journal, cut).ok());

  const VerifyReport before = MustVerify(dir.path());
  EXPECT_EQ(before.outcome, Outcome::kUnclean) << RenderVerifyText(before);
  EXPECT_GT(before.chains[0].torn_bytes, 0U);
  EXPECT_EQ(before.chains[0].last_row + 1, whole.chains[0].last_row);
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log.value().recovery().torn_bytes, before.chains[0].torn_bytes);
  EXPECT_EQ(log.value().recovery().damaged, 0U);
  EXPECT_TRUE(std::filesystem::exists(dir / ("journal/" + before.chains[0].chain + ".torn")));
  const VerifyReport after = MustVerify(dir.path());
  EXPECT_EQ(after.outcome, Outcome::kIntact) << RenderVerifyText(after);
  EXPECT_EQ(after.chains[0].torn_bytes, before.chains[0].torn_bytes);
}

TEST(LogTest, DamageInsideAJournalIsNotTakenForATornEnd) {
  TempDir dir;
  const std::string journal = KilledJournal(dir.path());
  Result<std::string> bytes = platform::ReadFile(journal, std::size_t{8} << 20);
  ASSERT_TRUE(bytes.ok());
  std::string changed = bytes.value();
  const std::size_t end = changed.find_last_not_of('\0') + 1;
  changed[end / 2] ^= 1;
  ASSERT_TRUE(platform::AtomicWrite(journal, changed).ok());
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kBroken);
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log.value().recovery().damaged, 1U);
  EXPECT_TRUE(std::filesystem::exists(journal + ".damaged"));
  // It stays on record.
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kBroken);
}

TEST(LogTest, FirstWriteErrorRefusesEverythingUntilReopen) {
  for (const int err : {ENOSPC, EIO}) {
    TempDir dir;
    const SampleCall call;
    std::atomic<int> fail = 0;
    LogOptions options = TestOptions();
    options.faults = [&fail](FaultPoint point) { return point == FaultPoint::kJournalWrite ? fail.load() : 0; };
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log.value().Append(call.Decision("s", "1")).ok());
    fail = err;
    EXPECT_EQ(log.value().Append(call.Decision("s", "2")).error().code(), ErrorCode::kAuditWrite);
    fail = 0;
    EXPECT_EQ(log.value().Append(call.Decision("s", "3")).error().code(), ErrorCode::kAuditWrite);
    EXPECT_EQ(log.value().Append(call.Outcome("s", "1")).error().code(), ErrorCode::kAuditWrite);
    EXPECT_EQ(log.value().AppendDurable(call.Decision("s", "3")).error().code(), ErrorCode::kAuditWrite);
    EXPECT_TRUE(log.value().stats().failed);
    EXPECT_EQ(log.value().stats().refused, 4U);
    const std::string first = log.value().chain();
    ASSERT_TRUE(log.value().Reopen().ok());
    EXPECT_NE(log.value().chain(), first);
    EXPECT_EQ(log.value().recovery().chains, 1U);
    ASSERT_TRUE(log.value().Append(call.Decision("s", "4")).ok());
    ASSERT_TRUE(log.value().Close().ok());
    const VerifyReport report = MustVerify(dir.path());
    EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
    EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE kind='decision'"), 2);
  }
}

TEST(LogTest, FailedSyncLatches) {
  TempDir dir;
  const SampleCall call;
  std::atomic<int> fail = 0;
  LogOptions options = TestOptions();
  options.faults = [&fail](FaultPoint point) { return point == FaultPoint::kJournalSync ? fail.load() : 0; };
  Result<AuditLog> log = AuditLog::Open(dir.path(), options);
  ASSERT_TRUE(log.ok());
  fail = EIO;
  ASSERT_TRUE(log.value().Append(call.Decision("s", "1")).ok());  // a write, not a sync
  EXPECT_EQ(log.value().AppendDurable(call.Decision("s", "2")).error().code(), ErrorCode::kAuditWrite);
  fail = 0;
  EXPECT_EQ(log.value().Append(call.Decision("s", "3")).error().code(), ErrorCode::kAuditWrite);
}

TEST(LogTest, FailedCommitLatchesAndTheJournalKeepsTheRows) {
  TempDir dir;
  const SampleCall call;
  std::atomic<int> fail = 0;
  LogOptions options = TestOptions();
  options.faults = [&fail](FaultPoint point) { return point == FaultPoint::kCommit ? fail.load() : 0; };
  Result<AuditLog> log = AuditLog::Open(dir.path(), options);
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log.value().Flush().ok());
  fail = EIO;
  ASSERT_TRUE(log.value().Append(call.Decision("s", "1")).ok());
  EXPECT_EQ(log.value().Flush().error().code(), ErrorCode::kAuditWrite);
  EXPECT_EQ(log.value().Append(call.Decision("s", "2")).error().code(), ErrorCode::kAuditWrite);
  fail = 0;
  ASSERT_TRUE(log.value().Reopen().ok());
  EXPECT_EQ(log.value().recovery().rows, 1U);
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE kind='decision'"), 1);
}

TEST(LogTest, FullDiskRefusesNewCallsButWorkInHandIsRecorded) {
  TempDir dir;
  const SampleCall call;
  std::atomic<bool> full = false;
  LogOptions options = TestOptions();
  options.segment_bytes = std::size_t{64} << 10;
  options.faults = [&full](FaultPoint point) {
    return full && (point == FaultPoint::kJournalAllocate || point == FaultPoint::kCommit) ? ENOSPC : 0;
  };
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log.value().Append(call.Decision("s", "1")).ok());
    ASSERT_TRUE(log.value().Flush().ok());
    full = true;
    Status last;
    int taken = 0;
    for (; taken < 10'000 && last.ok(); ++taken) last = log.value().Append(call.Decision("s", "x"));
    ASSERT_FALSE(last.ok());
    EXPECT_EQ(last.error().code(), ErrorCode::kAuditWrite);
    // The call that is running may still be finished, on the record.
    std::uint64_t row = 0;
    EXPECT_TRUE(log.value().AppendDurable(call.Outcome("s", "1"), &row).ok());
    EXPECT_GT(row, 0U);
    EXPECT_EQ(log.value().Append(call.Decision("s", "y")).error().code(), ErrorCode::kAuditWrite);
    EXPECT_FALSE(log.value().Close().ok());
  }
  full = false;
  Result<AuditLog> log = AuditLog::Open(dir.path(), options);
  ASSERT_TRUE(log.ok()) << log.error().ToString();
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE kind='outcome'"), 1);
  EXPECT_EQ(report.chains[0].end, End::kClean);  // even the closing row found its place
}

// The real path, without the seam: the kernel refuses to write further into the file.
TEST(LogTest, KernelLimitOnFileSize) {
  TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const SampleCall call;
    LogOptions options = TestOptions();
    options.commit_interval_ms = 60'000;
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    if (!log.ok()) ::_exit(1);
    const rlimit limit{std::size_t{40} << 10, std::size_t{40} << 10};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    for (int i = 0; i < 1000; ++i) {
      const Status status = log.value().Append(call.Decision("s", std::to_string(i)));
      if (status.ok()) continue;
      if (status.error().code() != ErrorCode::kAuditWrite) ::_exit(3);
      ::_exit(log.value().Append(call.Decision("s", "more")).ok() ? 4 : 42);
    }
    ::_exit(5);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 42);
  ASSERT_TRUE(AuditLog::Open(dir.path(), TestOptions()).ok());
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
  EXPECT_GT(report.chains[0].rows, 10U);
}

TEST(LogTest, FullQueueIsAnErrorAndNothingIsDropped) {
  TempDir dir;
  const SampleCall call;
  LogOptions options = TestOptions();
  options.max_pending_rows = 20;
  Result<AuditLog> log = AuditLog::Open(dir.path(), options);
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log.value().Flush().ok());
  sqlite3* blocker = nullptr;
  ASSERT_EQ(sqlite3_open((dir / "audit.db").c_str(), &blocker), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(blocker, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  int taken = 0;
  Status status;
  while (taken < 1000) {
    status = log.value().Append(call.Decision("s", std::to_string(taken)));
    if (!status.ok()) break;
    ++taken;
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kAuditQueueFull);
  EXPECT_FALSE(log.value().stats().failed);
  EXPECT_TRUE(log.value().Append(call.Outcome("s", "0")).ok());  // what finishes work has some room more
  ASSERT_EQ(sqlite3_exec(blocker, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(blocker);
  ASSERT_TRUE(log.value().Flush().ok());
  EXPECT_TRUE(log.value().Append(call.Decision("s", "again")).ok());
  ASSERT_TRUE(log.value().Flush().ok());
  EXPECT_EQ(Number(dir.path(), "SELECT count(*) FROM rows WHERE kind='decision'"), taken + 1);
}

TEST(LogTest, TooLargeRecordIsAnErrorAndDoesNotLatch) {
  TempDir dir;
  Result<AuditLog> log = AuditLog::Open(dir.path(), TestOptions());
  ASSERT_TRUE(log.ok());
  const std::vector<std::string> names(2000, std::string(1000, 'x'));
  const std::vector<std::string_view> labels(names.begin(), names.end());
  Record record;
  record.labels = labels;
  record.kind = Kind::kOutcome;
  EXPECT_EQ(log.value().Append(record).error().code(), ErrorCode::kLimitExceeded);
  EXPECT_FALSE(log.value().stats().failed);
  EXPECT_TRUE(log.value().Append(Record{}).ok());
}

// What an agent may send must not be able to stop the log.
TEST(LogTest, DeepestArguments) {
  TempDir dir;
  for (const std::uint32_t depth : {128U, 999U}) {
    const std::string text = "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
    const Result<base::JsonDoc> doc = base::JsonDoc::Parse(text, {.max_depth = 1000});
    ASSERT_TRUE(doc.ok());
    LogOptions options = TestOptions();
    options.bodies = Bodies::kEncryptedOriginal;
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    Record record;
    record.kind = Kind::kDecision;
    record.arguments = doc.value().root();
    std::uint64_t row = 0;
    ASSERT_TRUE(log.value().Append(record, &row).ok());
    ASSERT_TRUE(log.value().Flush().ok());
    EXPECT_FALSE(log.value().stats().failed);
    Result<Keys> keys = LoadKeys(dir.path());
    ASSERT_TRUE(keys.ok());
    EXPECT_TRUE(ReadOriginal(dir.path(), keys.value(), log.value().chain(), row, "arguments").ok());
  }
  EXPECT_EQ(MustVerify(dir.path()).outcome, Outcome::kIntact);
}

TEST(LogTest, ClockThatRunsBackwards) {
  TempDir dir;
  const SampleCall call;
  std::atomic<std::int64_t> wall = 1'800'000'000'000'000;
  LogOptions options = TestOptions();
  options.clock = [&wall] { return base::Now{{wall.fetch_sub(1'000'000'000)}, {1'000'000}}; };
  {
    Result<AuditLog> log = AuditLog::Open(dir.path(), options);
    ASSERT_TRUE(log.ok());
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(log.value().Append(call.Decision("s", std::to_string(i))).ok());
  }
  Result<AuditLog> log = AuditLog::Open(dir.path(), options);
  ASSERT_TRUE(log.ok());
  const VerifyReport report = MustVerify(dir.path());
  EXPECT_EQ(report.outcome, Outcome::kIntact) << RenderVerifyText(report);
}

TEST(LogTest, AnchorThatCannotBeWrittenLatches) {
  TempDir dir;
  LogOptions options = TestOptions();
  options.anchor_file = dir / "missing/anchor";
  const Result<AuditLog> log = AuditLog::Open(dir / "log", options);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code(), ErrorCode::kAuditWrite);
}

}  // namespace
}  // namespace interlock::runtime::audit
