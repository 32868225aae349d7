#include "interlock/platform/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "temp_dir_for_test.h"

namespace interlock::platform {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

void Put(const std::string& path, std::string_view bytes) { ASSERT_TRUE(AtomicWrite(path, bytes).ok()); }

std::string Get(const std::string& path) {
  const Result<std::string> bytes = ReadFile(path, 1 << 20);
  EXPECT_TRUE(bytes.ok());
  return bytes.ok() ? bytes.value() : "";
}

TEST(ReadFileTest, ReadsUpToItsLimit) {
  const TempDir dir;
  const std::string path = dir.File("a");
  Put(path, "12345");
  const Result<std::string> whole = ReadFile(path, 5);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole.value(), "12345");
  const Result<std::string> cut = ReadFile(path, 4);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(cut.error().place().file, path);
}

TEST(ReadFileTest, LimitHoldsWhereTheSizeIsNotKnown) {
  const Result<std::string> cut = ReadFile("/proc/self/status", 10);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code(), ErrorCode::kLimitExceeded);
  const Result<std::string> whole = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(whole.ok());
  EXPECT_GT(whole.value().size(), 10u);
}

TEST(ReadFileTest, EmptyFileAndZeroLimit) {
  const TempDir dir;
  Put(dir.File("a"), "");
  const Result<std::string> bytes = ReadFile(dir.File("a"), 0);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes.value(), "");
}

// Hangs if the FIFO is waited for.
TEST(ReadFileTest, OnlyRegularFiles) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir.File("fifo").c_str(), 0600), 0);
  for (const std::string& path : {dir.File("fifo"), dir.path(), std::string("/dev/zero")}) {
    const Result<std::string> bytes = ReadFile(path, 1 << 20);
    ASSERT_FALSE(bytes.ok()) << path;
    EXPECT_EQ(bytes.error().code(), ErrorCode::kFileType) << path;
  }
}

TEST(ReadFileTest, MissingFilesAndBadPaths) {
  const TempDir dir;
  Put(dir.File("a"), "x");
  for (const std::string& path : {dir.File("none"), dir.File("a/below")}) {
    const Result<std::string> bytes = ReadFile(path, 10);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().code(), ErrorCode::kFileNotFound);
  }
  // The kernel would stop at the NUL and open "a".
  for (const std::string& path : {std::string(), dir.File("a") + std::string("\0.txt", 5)}) {
    const Result<std::string> bytes = ReadFile(path, 10);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(AtomicWriteTest, ReplacesAndSetsTheMode) {
  const TempDir dir;
  const std::string path = dir.File("a");
  Put(path, "old");
  ASSERT_TRUE(AtomicWrite(path, "new", 0644).ok());
  EXPECT_EQ(Get(path), "new");
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0644u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(AtomicWriteTest, ALinkIsReplacedNotFollowed) {
  const TempDir dir;
  Put(dir.File("target"), "keep");
  ASSERT_EQ(::symlink(dir.File("target").c_str(), dir.File("link").c_str()), 0);
  ASSERT_TRUE(AtomicWrite(dir.File("link"), "new").ok());
  EXPECT_EQ(Get(dir.File("target")), "keep");
  EXPECT_FALSE(std::filesystem::is_symlink(dir.File("link")));
}

// As root a rename over /dev/null would take it from the whole machine.
TEST(AtomicWriteTest, WhatIsNoFileIsNotReplaced) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir.File("fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("/dev/null", dir.File("link").c_str()), 0);
  for (const std::string& path : {dir.File("fifo"), dir.File("link")}) {
    const Status status = AtomicWrite(path, "new");
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().code(), ErrorCode::kFileType) << path;
  }
  struct stat info{};
  ASSERT_EQ(::lstat(dir.File("fifo").c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
  EXPECT_TRUE(std::filesystem::is_symlink(dir.File("link")));
}

TEST(AtomicWriteTest, FailureLeavesNothingBehind) {
  const TempDir dir;
  std::filesystem::create_directory(dir.File("folder"));
  Put(dir.File("folder/inside"), "x");
  EXPECT_FALSE(AtomicWrite(dir.File("folder"), "new").ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
  const Status missing = AtomicWrite(dir.File("none/a"), "x");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), ErrorCode::kFileNotFound);
}

TEST(CreateDirectoriesTest, MakesParentsAndAcceptsWhatIsThere) {
  const TempDir dir;
  ASSERT_TRUE(CreateDirectories(dir.File("a/b//c/"), 0700).ok());
  EXPECT_TRUE(std::filesystem::is_directory(dir.File("a/b/c")));
  EXPECT_TRUE(CreateDirectories(dir.File("a/b/c")).ok());
  Put(dir.File("file"), "x");
  const Status status = CreateDirectories(dir.File("file/below"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kFileType);
}

TEST(RemoveFileTest, AMissingFileIsFine) {
  const TempDir dir;
  Put(dir.File("a"), "x");
  EXPECT_TRUE(RemoveFile(dir.File("a")).ok());
  EXPECT_FALSE(std::filesystem::exists(dir.File("a")));
  EXPECT_TRUE(RemoveFile(dir.File("a")).ok());
  EXPECT_FALSE(RemoveFile(dir.path()).ok());
}

TEST(StatStampTest, ChangesWithTheFile) {
  const TempDir dir;
  const std::string path = dir.File("a");
  Put(path, "one");
  const Result<FileStamp> first = StatStamp(path);
  ASSERT_TRUE(first.ok());
  const Result<FileStamp> again = StatStamp(path);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(first.value(), again.value());
  Put(path, "two");  // the same size, a new inode
  const Result<FileStamp> replaced = StatStamp(path);
  ASSERT_TRUE(replaced.ok());
  EXPECT_NE(first.value(), replaced.value());
  const Result<FileStamp> none = StatStamp(dir.File("none"));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code(), ErrorCode::kFileNotFound);
}

TEST(AppendFileTest, AppendsAndGoesOnWhereItWas) {
  const TempDir dir;
  const std::string path = dir.File("log");
  {
    Result<AppendFile> file = AppendFile::Open(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file.value().Write("one\n").ok());
    ASSERT_TRUE(file.value().DataSync().ok());
  }
  Result<AppendFile> file = AppendFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().size(), 4u);
  ASSERT_TRUE(file.value().Write("two\n").ok());
  EXPECT_EQ(file.value().size(), 8u);
  EXPECT_EQ(Get(path), "one\ntwo\n");
}

TEST(AppendFileTest, ReservedSpaceIsNotPartOfTheFile) {
  const TempDir dir;
  const std::string path = dir.File("log");
  Result<AppendFile> file = AppendFile::Open(path, {.reserve_bytes = 1 << 20});
  if (!file.ok() && file.error().code() == ErrorCode::kUnsupported) {
    FAIL() << "the temporary folder's file system cannot reserve space: set TMPDIR to one that can";
  }
  ASSERT_TRUE(file.ok());
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 0);
  EXPECT_GE(info.st_blocks * 512, 1 << 20);
  // Past the reserve several times over: it is refilled on the way.
  const std::string record(100'000, 'r');
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(file.value().Write(record).ok());
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 3'000'000);
  EXPECT_GE(info.st_blocks * 512, 3'000'000 + (1 << 19));
  EXPECT_FALSE(file.value().space_low());
}

TEST(AppendFileTest, CutsATornEnd) {
  const TempDir dir;
  const std::string path = dir.File("log");
  Put(path, "whole\ntor");
  Result<AppendFile> file = AppendFile::Open(path, {.reserve_bytes = 4096});
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file.value().Truncate(6).ok());
  ASSERT_TRUE(file.value().Write("next\n").ok());
  EXPECT_EQ(Get(path), "whole\nnext\n");
  const Status longer = file.value().Truncate(100);
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(file.value().failed());
}

TEST(AppendFileTest, OnlyRegularFilesAndNoLinks) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir.File("fifo").c_str(), 0600), 0);
  Put(dir.File("target"), "");
  ASSERT_EQ(::symlink(dir.File("target").c_str(), dir.File("link").c_str()), 0);
  for (const std::string& path : {dir.File("fifo"), dir.path(), std::string("/dev/null")}) {
    const Result<AppendFile> file = AppendFile::Open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.error().code(), ErrorCode::kFileType) << path;
  }
  const Result<AppendFile> link = AppendFile::Open(dir.File("link"));
  ASSERT_FALSE(link.ok());
  EXPECT_EQ(link.error().code(), ErrorCode::kIo);
}

// Runs the body in a child whose files may grow to `limit` bytes: a disk that is full.
template <class Body>
void WithFileSizeLimit(rlim_t limit, Body&& body) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit rlim{.rlim_cur = limit, .rlim_max = limit};
    ::_exit(::setrlimit(RLIMIT_FSIZE, &rlim) == 0 ? body() : 99);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(AppendFileTest, AFailedWriteLeavesNoPartAndIsFinal) {
  const TempDir dir;
  const std::string path = dir.File("log");
  WithFileSizeLimit(100, [&] {
    Result<AppendFile> file = AppendFile::Open(path);
    if (!file.ok()) return 1;
    if (!file.value().Write(std::string(60, 'a')).ok()) return 2;
    if (file.value().Write(std::string(60, 'b')).ok()) return 3;  // 40 fit
    if (!file.value().failed()) return 4;
    if (file.value().Write("c").ok()) return 5;
    if (file.value().DataSync().ok()) return 6;
    return 0;
  });
  EXPECT_EQ(Get(path), std::string(60, 'a'));
}

TEST(FileLockTest, IsHeldByOne) {
  const TempDir dir;
  const std::string path = dir.File("lock");
  {
    const Result<FileLock> first = FileLock::TryAcquire(path);
    ASSERT_TRUE(first.ok());
    const Result<FileLock> second = FileLock::TryAcquire(path);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code(), ErrorCode::kFileLocked);
  }
  EXPECT_TRUE(FileLock::TryAcquire(path).ok());
}

}  // namespace
}  // namespace interlock::platform
