// Descriptors, signals, clocks and randomness.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>
#include <string>
#include <thread>

#include "interlock/platform/clock.h"
#include "interlock/platform/fd.h"
#include "interlock/platform/random.h"
#include "interlock/platform/signals.h"

namespace interlock::platform {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFdTest, ClosesOnceAndMoves) {
  int raw = -1;
  {
    UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    raw = fd.get();
    ASSERT_TRUE(fd.valid());
    UniqueFd moved = std::move(fd);
    EXPECT_FALSE(fd.valid());  // NOLINT(bugprone-use-after-move): what a moved-from descriptor is, is the point
    EXPECT_EQ(moved.get(), raw);
    UniqueFd& self = moved;
    moved = std::move(self);
    EXPECT_TRUE(IsOpen(raw));
  }
  EXPECT_FALSE(IsOpen(raw));
}

TEST(PipeTest, IsCloseOnExecAndOffTheStandardDescriptors) {
  const UniqueFd saved(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10));
  ::close(STDIN_FILENO);
  const Result<Pipe> pipe = MakePipe();
  if (saved.valid()) ::dup2(saved.get(), STDIN_FILENO);
  ASSERT_TRUE(pipe.ok());
  for (const int fd : {pipe.value().read_end.get(), pipe.value().write_end.get()}) {
    EXPECT_GT(fd, 2);
    EXPECT_EQ(::fcntl(fd, F_GETFD), FD_CLOEXEC);
  }
}

TEST(TransferTest, TellsItsStates) {
  IgnoreSigpipe();
  Result<Pipe> pipe = MakePipe();
  ASSERT_TRUE(pipe.ok());
  const int in = pipe.value().read_end.get();
  const int out = pipe.value().write_end.get();
  ASSERT_TRUE(SetNonBlocking(in, true).ok());
  ASSERT_TRUE(SetNonBlocking(out, true).ok());
  std::array<char, 8> buffer{};
  EXPECT_EQ(ReadSome(in, buffer).ok(), true);

  const Result<Transfer> nothing = ReadSome(in, buffer);
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing.value().state, Transfer::State::kWouldBlock);

  const Result<Transfer> wrote = WriteSome(out, "abc");
  ASSERT_TRUE(wrote.ok());
  EXPECT_EQ(wrote.value().bytes, 3u);
  const Result<Transfer> read = ReadSome(in, buffer);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().bytes, 3u);

  const std::string large(1 << 20, 'x');
  std::size_t total = 0;
  for (;;) {
    const Result<Transfer> moved = WriteSome(out, large);
    ASSERT_TRUE(moved.ok());
    if (moved.value().state == Transfer::State::kWouldBlock) break;
    total += moved.value().bytes;
  }
  EXPECT_GT(total, 0u);

  pipe.value().read_end.Reset();
  const Result<Transfer> closed = WriteSome(out, "x");
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(closed.value().state, Transfer::State::kClosed);
  const Status all = WriteAll(out, "x");
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.error().code(), ErrorCode::kIo);

  Result<Pipe> other = MakePipe();
  ASSERT_TRUE(other.ok());
  other.value().write_end.Reset();
  const Result<Transfer> end = ReadSome(other.value().read_end.get(), buffer);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().state, Transfer::State::kClosed);
}

TEST(TransferTest, WriteAllWaitsForASlowReader) {
  Result<Pipe> pipe = MakePipe();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(SetNonBlocking(pipe.value().write_end.get(), true).ok());
  const std::string bytes(1 << 20, 'x');
  std::size_t received = 0;
  std::jthread reader([&] {
    std::array<char, 4096> buffer{};
    for (;;) {
      const Result<Transfer> moved = ReadSome(pipe.value().read_end.get(), buffer);
      if (!moved.ok() || moved.value().state != Transfer::State::kMoved) return;
      received += moved.value().bytes;
    }
  });
  EXPECT_TRUE(WriteAll(pipe.value().write_end.get(), bytes).ok());
  pipe.value().write_end.Reset();
  reader.join();
  EXPECT_EQ(received, bytes.size());
}

TEST(TransferTest, ErrorsKeepTheirKind) {
  std::array<char, 1> buffer{};
  const Result<Transfer> bad = ReadSome(-1, buffer);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code(), ErrorCode::kIo);
  EXPECT_EQ(SystemError(ENOENT, "open", "/x").code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(SystemError(EACCES, "open", "/x").code(), ErrorCode::kIo);
  EXPECT_EQ(SystemError(EACCES, "open", "/x").place().file, "/x");
}

TEST(SignalFdTest, QueuesSignalsAndRestoresTheMask) {
  sigset_t mask;
  {
    Result<SignalFd> signals = SignalFd::Block({SIGUSR1, SIGUSR2});
    ASSERT_TRUE(signals.ok());
    const Result<std::optional<int>> none = signals.value().Read();
    ASSERT_TRUE(none.ok());
    EXPECT_FALSE(none.value().has_value());

    ASSERT_EQ(::pthread_kill(::pthread_self(), SIGUSR2), 0);
    SignalFd moved = std::move(signals.value());
    pollfd waiting{.fd = moved.fd(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&waiting, 1, 10'000), 1);
    const Result<std::optional<int>> got = moved.Read();
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(got.value(), SIGUSR2);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGUSR1), 1);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGUSR1), 0);
}

TEST(ClockTest, BothClocksRun) {
  const base::Now first = ReadNow();
  EXPECT_GT(first.wall.us, std::int64_t{1'600'000'000} * 1'000'000);
  EXPECT_GT(first.mono.us, 0);
  base::Now second = ReadNow();
  for (int i = 0; i < 1'000'000 && second.mono == first.mono; ++i) second = ReadNow();
  EXPECT_GT(second.mono, first.mono);
}

TEST(RandomTest, FillsEverythingAndDiffers) {
  std::array<std::uint8_t, 1000> bytes{};
  ASSERT_TRUE(RandomBytes(bytes).ok());
  EXPECT_GT(std::set<std::uint8_t>(bytes.begin(), bytes.end()).size(), 100u);
  EXPECT_TRUE(RandomBytes({}).ok());
  const Result<std::string> a = RandomHex(16);
  const Result<std::string> b = RandomHex(16);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_THAT(a.value(), testing::MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(a.value().size(), 32u);
  EXPECT_NE(a.value(), b.value());
}

}  // namespace
}  // namespace interlock::platform
