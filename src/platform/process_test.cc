#include "interlock/platform/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "interlock/base/check.h"
#include "interlock/platform/file.h"
#include "interlock/platform/signals.h"
#include "temp_dir_for_test.h"

namespace interlock::platform {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string ReadToEnd(int fd) {
  std::string bytes;
  char buffer[4096];
  for (;;) {
    const Result<Transfer> moved = ReadSome(fd, buffer);
    EXPECT_TRUE(moved.ok());
    if (!moved.ok() || moved.value().state != Transfer::State::kMoved) return bytes;
    bytes.append(buffer, moved.value().bytes);
  }
}

Process Started(const SpawnOptions& options) {
  Result<Process> process = Spawn(options);
  INTERLOCK_CHECK(process.ok(), "the test's program starts");
  return std::move(process.value());
}

// The shell's output; the shell must succeed.
std::string Output(const std::string& script, SpawnOptions options = {}) {
  options.argv = {"sh", "-c", script};
  options.stdout_mode = Stdio::kPipe;
  Process process = Started(options);
  std::string out = ReadToEnd(process.stdout_fd());
  const Result<ExitStatus> status = process.Wait();
  EXPECT_TRUE(status.ok() && status.value().success()) << script;
  return out;
}

bool IsGone(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    // A killed orphan is a zombie until init collects it, which containers may never do.
    const Result<std::string> stat = ReadFile("/proc/" + std::to_string(pid) + "/stat", 4096);
    if (!stat.ok() || stat.value().find(") Z ") != std::string::npos) return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(SpawnTest, PipesBothWays) {
  Process process = Started({.argv = {"cat"}, .stdin_mode = Stdio::kPipe, .stdout_mode = Stdio::kPipe});
  ASSERT_TRUE(WriteAll(process.stdin_fd(), "hello\n").ok());
  process.CloseStdin();
  EXPECT_EQ(ReadToEnd(process.stdout_fd()), "hello\n");
  const Result<ExitStatus> status = process.Wait();
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(status.value().success());
  // Once known, the answer stays.
  const Result<std::optional<ExitStatus>> again = process.TryWait();
  ASSERT_TRUE(again.ok() && again.value().has_value());
  EXPECT_TRUE(process.SignalGroup(SIGTERM).ok());
}

TEST(SpawnTest, TellsHowAProgramEnded) {
  Process exits = Started({.argv = {"sh", "-c", "exit 7"}});
  const Result<ExitStatus> code = exits.Wait();
  ASSERT_TRUE(code.ok());
  EXPECT_FALSE(code.value().signaled);
  EXPECT_EQ(code.value().code, 7);
  Process dies = Started({.argv = {"sh", "-c", "kill -SEGV $$"}});
  const Result<ExitStatus> signal = dies.Wait();
  ASSERT_TRUE(signal.ok());
  EXPECT_TRUE(signal.value().signaled);
  EXPECT_EQ(signal.value().code, SIGSEGV);
}

TEST(SpawnTest, FailureIsKnownAtOnce) {
  const TempDir dir;
  ASSERT_TRUE(AtomicWrite(dir.File("data"), "no program", 0644).ok());
  const SpawnOptions kBad[] = {
      {.argv = {"interlock-no-such-program"}},
      {.argv = {dir.File("none")}},
      {.argv = {dir.File("data")}},
      {.argv = {"true"}, .cwd = dir.File("none")},
  };
  for (const SpawnOptions& options : kBad) {
    const Result<Process> process = Spawn(options);
    ASSERT_FALSE(process.ok()) << options.argv[0];
    EXPECT_EQ(process.error().code(), ErrorCode::kSpawn) << options.argv[0];
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing is left to reap
}

TEST(SpawnTest, RefusesWhatTheKernelWouldCut) {
  const SpawnOptions kBad[] = {
      {.argv = {}},
      {.argv = {""}},
      {.argv = {"echo", std::string("a\0b", 3)}},
      {.argv = {"true"}, .env = std::vector<std::string>{std::string("A=\0", 3)}},
      {.argv = {"true"}, .cwd = std::string("/\0x", 3)},
  };
  for (const SpawnOptions& options : kBad) {
    const Result<Process> process = Spawn(options);
    ASSERT_FALSE(process.ok());
    EXPECT_EQ(process.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(SpawnTest, FolderAndEnvironment) {
  const TempDir dir;
  EXPECT_EQ(Output("pwd", {.cwd = dir.path()}), std::filesystem::canonical(dir.path()).string() + "\n");
  EXPECT_EQ(Output("echo $COLOUR-$HOME", {.env = std::vector<std::string>{"COLOUR=blue"}}), "blue-\n");
  ASSERT_EQ(::setenv("INTERLOCK_TEST_INHERITED", "yes", 1), 0);
  EXPECT_EQ(Output("echo $INTERLOCK_TEST_INHERITED"), "yes\n");
}

TEST(SpawnTest, ErrorsCanBePipedOrSilenced) {
  Process process = Started({.argv = {"sh", "-c", "echo out; echo err >&2"},
                             .stdin_mode = Stdio::kNull,
                             .stdout_mode = Stdio::kNull,
                             .stderr_mode = Stdio::kPipe});
  EXPECT_EQ(process.stdout_fd(), -1);
  EXPECT_EQ(ReadToEnd(process.stderr_fd()), "err\n");
  EXPECT_TRUE(process.Wait().ok());
}

// A guarded server must not reach the audit log or another server's pipes through an inherited descriptor.
TEST(SpawnTest, NothingButTheStandardDescriptorsIsInherited) {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // not close-on-exec, on purpose
  ASSERT_TRUE(leaky.valid());
  ASSERT_EQ(::fcntl(leaky.get(), F_SETFD, 0), 0);
  const std::string list = Output("ls /proc/$$/fd");
  EXPECT_THAT(list, testing::MatchesRegex("0\n1\n2\n([0-9]+\n)?"));
  EXPECT_THAT("\n" + list, testing::Not(testing::HasSubstr("\n" + std::to_string(leaky.get()) + "\n")));
}

TEST(SpawnTest, SignalsStartFresh) {
  const Result<SignalFd> blocked = SignalFd::Block({SIGTERM, SIGINT});
  ASSERT_TRUE(blocked.ok());
  IgnoreSigpipe();
  const std::string status = Output("grep -E 'Sig(Blk|Ign)' /proc/self/status");
  EXPECT_THAT(status, testing::HasSubstr("SigBlk:\t0000000000000000"));
  // Signals 32 and 33 are glibc's own: sigaction refuses to touch them, so they stay as whoever started us left them.
  constexpr unsigned long long kGlibcsOwn = (1ull << 31) | (1ull << 32);
  const std::size_t at = status.find("SigIgn:\t");
  ASSERT_NE(at, std::string::npos) << status;
  EXPECT_EQ(std::strtoull(status.c_str() + at + 8, nullptr, 16) & ~kGlibcsOwn, 0u) << status;
}

TEST(ProcessTest, DescriptorBecomesReadableAtTheEnd) {
  Process process = Started({.argv = {"cat"}, .stdin_mode = Stdio::kPipe});
  pollfd waiting{.fd = process.pidfd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waiting, 1, 0), 0);
  const Result<std::optional<ExitStatus>> running = process.TryWait();
  ASSERT_TRUE(running.ok());
  EXPECT_FALSE(running.value().has_value());
  const Result<std::optional<ExitStatus>> soon = process.WaitFor(milliseconds(5));
  ASSERT_TRUE(soon.ok());
  EXPECT_FALSE(soon.value().has_value());
  process.CloseStdin();
  EXPECT_EQ(::poll(&waiting, 1, 30'000), 1);
  const Result<std::optional<ExitStatus>> ended = process.TryWait();
  ASSERT_TRUE(ended.ok());
  EXPECT_TRUE(ended.value().has_value());
}

TEST(ProcessTest, StopAsksBeforeItKills) {
  Process polite = Started({.argv = {"sh", "-c", "trap 'exit 3' TERM; echo ready; while :; do sleep 0.01; done"},
                            .stdout_mode = Stdio::kPipe});
  char ready = 0;
  ASSERT_TRUE(ReadSome(polite.stdout_fd(), std::span(&ready, 1)).ok());
  const Result<ExitStatus> asked = polite.Stop(seconds(30));
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ(asked.value().code, 3);

  Process deaf = Started(
      {.argv = {"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.01; done"}, .stdout_mode = Stdio::kPipe});
  ASSERT_TRUE(ReadSome(deaf.stdout_fd(), std::span(&ready, 1)).ok());
  const Result<ExitStatus> killed = deaf.Stop(milliseconds(50));
  ASSERT_TRUE(killed.ok());
  EXPECT_TRUE(killed.value().signaled);
  EXPECT_EQ(killed.value().code, SIGKILL);
}

// Servers start helpers; none of them may outlive the server.
TEST(ProcessTest, HelpersEndWithTheirGroup) {
  for (const bool leader_exits : {true, false}) {
    pid_t helper = 0;
    {
      Process process = Started(
          {.argv = {"sh", "-c",
                    std::string("sleep 1000 >/dev/null & echo $!; ") + (leader_exits ? "exit 0" : "sleep 1000")},
           .stdout_mode = Stdio::kPipe});
      std::string line;
      char c = 0;
      while (c != '\n') {
        const Result<Transfer> moved = ReadSome(process.stdout_fd(), std::span(&c, 1));
        ASSERT_TRUE(moved.ok() && moved.value().bytes == 1);
        line += c;
      }
      helper = static_cast<pid_t>(std::stol(line));
      if (leader_exits) {
        EXPECT_TRUE(process.Wait().ok());
      }
    }
    EXPECT_TRUE(IsGone(helper));
  }
}

TEST(ProcessTest, MovingKeepsTheChild) {
  Process first = Started({.argv = {"cat"}, .stdin_mode = Stdio::kPipe});
  const pid_t pid = first.pid();
  Process second = std::move(first);
  EXPECT_EQ(second.pid(), pid);
  EXPECT_EQ(::kill(pid, 0), 0);
  second = Started({.argv = {"true"}});
  EXPECT_TRUE(IsGone(pid));
  EXPECT_TRUE(second.Wait().ok());
}

// Two generations: a parent that is killed outright, and the child that must not survive it.
TEST(ProcessTest, ChildrenDieWithTheirParent) {
  Result<Pipe> pipe = MakePipe();
  ASSERT_TRUE(pipe.ok());
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    Result<Process> child = Spawn({.argv = {"sleep", "1000"}});
    const pid_t pid = child.ok() ? child.value().pid() : -1;
    [[maybe_unused]] const ssize_t n = ::write(pipe.value().write_end.get(), &pid, sizeof(pid));
    ::kill(::getpid(), SIGKILL);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(pipe.value().read_end.get(), &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ASSERT_GT(child, 0);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_TRUE(IsGone(child));
}

}  // namespace
}  // namespace interlock::platform
