#include "interlock/platform/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace interlock::platform {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

namespace {

// What the child reports through a pipe when it cannot become the program.
struct StartFailure {
  enum Stage : int { kRedirect, kFolder, kParentGone, kExec };
  int stage;
  int err;
};

std::string_view NameOf(int stage) {
  switch (stage) {
    case StartFailure::kRedirect:
      return "redirect its input and output";
    case StartFailure::kFolder:
      return "enter its folder";
    case StartFailure::kParentGone:
      return "tie it to its parent";
    default:
      return "execute it";
  }
}

// Everything the child needs, made before the fork: between fork and exec nothing may allocate or lock.
struct ChildPlan {
  const char* file;
  char* const* argv;
  char* const* envp;
  const char* cwd;
  int fds[3];  // to become 0, 1, 2; -1 leaves the one it has
  int report_fd;
  bool die_with_parent;
  pid_t parent;
};

[[noreturn]] void RunChild(const ChildPlan& plan) noexcept {
  const auto fail = [&](int stage) {
    const StartFailure failure{.stage = stage, .err = errno};
    [[maybe_unused]] const ssize_t n = ::write(plan.report_fd, &failure, sizeof(failure));
    ::_exit(127);
  };
  ::setpgid(0, 0);
  if (plan.die_with_parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(StartFailure::kParentGone);
    // The parent may have died before the line above: then nobody will ever send that signal.
    if (::getppid() != plan.parent) fail(StartFailure::kParentGone);
  }
  for (int target = 0; target < 3; ++target) {
    const int fd = plan.fds[target];
    if (fd >= 0 && ::dup2(fd, target) < 0) fail(StartFailure::kRedirect);
  }
  // Descriptors that other code opened without close-on-exec, or that we were started with. Kernels before 5.11 cannot.
  ::syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
  if (plan.cwd != nullptr && ::chdir(plan.cwd) != 0) fail(StartFailure::kFolder);

  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  if (plan.envp != nullptr) {
    ::execvpe(plan.file, plan.argv, plan.envp);
  } else {
    ::execvp(plan.file, plan.argv);
  }
  fail(StartFailure::kExec);
  ::_exit(127);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool HasNul(const std::vector<std::string>& strings) {
  return std::any_of(strings.begin(), strings.end(),
                     [](const std::string& string) { return string.find('\0') != std::string::npos; });
}

// The child's and our end of one of the three streams.
struct Stream {
  UniqueFd child;
  UniqueFd ours;
};

Result<Stream> MakeStream(Stdio mode, bool is_input) {
  Stream stream;
  if (mode == Stdio::kPipe) {
    Result<Pipe> pipe = MakePipe();
    if (!pipe.ok()) return pipe.error();
    stream.child = std::move(is_input ? pipe.value().read_end : pipe.value().write_end);
    stream.ours = std::move(is_input ? pipe.value().write_end : pipe.value().read_end);
  } else if (mode == Stdio::kNull) {
    UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null.valid()) return SystemError(errno, "open", "/dev/null");
    stream.child = UniqueFd(::fcntl(null.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!stream.child.valid()) return SystemError(errno, "copy a descriptor");
  }
  return stream;
}

ExitStatus FromWaitInfo(const siginfo_t& info) {
  return {.signaled = info.si_code != CLD_EXITED, .code = info.si_status};
}

}  // namespace

Result<Process> Spawn(const SpawnOptions& options) {
  if (options.argv.empty() || options.argv[0].empty()) return Error(ErrorCode::kInvalidArgument, "no program to start");
  if (HasNul(options.argv) || (options.env.has_value() && HasNul(*options.env)) ||
      options.cwd.find('\0') != std::string::npos) {
    return Error(ErrorCode::kInvalidArgument, "an argument, variable or folder holds a NUL byte");
  }

  Stream streams[3];
  const Stdio modes[3] = {options.stdin_mode, options.stdout_mode, options.stderr_mode};
  for (int i = 0; i < 3; ++i) {
    Result<Stream> stream = MakeStream(modes[i], i == 0);
    if (!stream.ok()) return stream.error();
    streams[i] = std::move(stream.value());
  }
  Result<Pipe> report = MakePipe();
  if (!report.ok()) return report.error();

  const std::vector<char*> argv = Pointers(options.argv);
  const std::vector<char*> env = options.env.has_value() ? Pointers(*options.env) : std::vector<char*>{};
  const ChildPlan plan{.file = argv[0],
                       .argv = argv.data(),
                       .envp = options.env.has_value() ? env.data() : nullptr,
                       .cwd = options.cwd.empty() ? nullptr : options.cwd.c_str(),
                       .fds = {streams[0].child.get(), streams[1].child.get(), streams[2].child.get()},
                       .report_fd = report.value().write_end.get(),
                       .die_with_parent = options.die_with_parent,
                       .parent = ::getpid()};

  // No handler of ours may run in the child before it resets them.
  sigset_t all;
  sigset_t old_mask;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old_mask);
  const pid_t pid = ::fork();
  if (pid == 0) RunChild(plan);
  const int fork_errno = errno;
  ::pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
  if (pid < 0) {
    return Error(ErrorCode::kSpawn,
                 fmt::format("cannot start `{}`: {}", options.argv[0], std::generic_category().message(fork_errno)));
  }

  Process process;
  process.pid_ = pid;
  process.kill_group_at_end_ = options.kill_group_at_end;
  process.stdin_ = std::move(streams[0].ours);
  process.stdout_ = std::move(streams[1].ours);
  process.stderr_ = std::move(streams[2].ours);
  // From here on a return destroys `process`, which kills and reaps the child.
  // By number: <sys/pidfd.h> of glibc 2.36 lacks C linkage.
  process.pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.pidfd_.valid()) return SystemError(errno, "open a process descriptor");
  for (Stream& stream : streams) stream.child.Reset();
  report.value().write_end.Reset();

  // The pipe closes by itself when the program starts.
  StartFailure failure{};
  const Result<Transfer> told =
      ReadSome(report.value().read_end.get(), std::span(reinterpret_cast<char*>(&failure), sizeof(failure)));
  if (!told.ok()) return told.error();
  if (told.value().state == Transfer::State::kClosed) return process;
  return Error(ErrorCode::kSpawn, fmt::format("cannot start `{}`: cannot {}: {}", options.argv[0],
                                              NameOf(failure.stage), std::generic_category().message(failure.err)));
}

void Process::Swap(Process& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(stdin_, other.stdin_);
  std::swap(stdout_, other.stdout_);
  std::swap(stderr_, other.stderr_);
  std::swap(kill_group_at_end_, other.kill_group_at_end_);
  std::swap(status_, other.status_);
}

Process::Process(Process&& other) noexcept { Swap(other); }

Process& Process::operator=(Process&& other) noexcept {
  Process taken(std::move(other));
  Swap(taken);
  return *this;
}

Process::~Process() {
  if (pid_ < 0 || status_.has_value()) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // a child that has not made its group yet
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
}

Result<ExitStatus> Process::Reap() {
  // INVARIANT: the child is a zombie here, so its number, and that of its group, cannot belong to anybody else.
  if (kill_group_at_end_) ::kill(-pid_, SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0) {
    if (errno != EINTR) return SystemError(errno, "wait for a program");
  }
  status_ = FromWaitInfo(info);
  return *status_;
}

Result<std::optional<ExitStatus>> Process::WaitFor(std::chrono::milliseconds timeout) {
  if (status_.has_value()) return status_;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + timeout;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    const int rc = ::poll(&waiting, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000)));
    if (rc > 0) break;
    if (rc < 0 && errno != EINTR) return SystemError(errno, "wait for a program");
    if (left <= 0) return std::optional<ExitStatus>();
  }
  const Result<ExitStatus> status = Reap();
  if (!status.ok()) return status.error();
  return status_;
}

Result<std::optional<ExitStatus>> Process::TryWait() { return WaitFor(std::chrono::milliseconds(0)); }

Result<ExitStatus> Process::Wait() {
  for (;;) {
    const Result<std::optional<ExitStatus>> status = WaitFor(std::chrono::hours(1));
    if (!status.ok()) return status.error();
    if (status.value().has_value()) return *status.value();
  }
}

Status Process::Signal(int signal_number) {
  if (status_.has_value()) return {};
  if (::kill(pid_, signal_number) == 0 || errno == ESRCH) return {};
  return SystemError(errno, "send a signal");
}

Status Process::SignalGroup(int signal_number) {
  if (status_.has_value()) return {};
  if (::kill(-pid_, signal_number) == 0 || errno == ESRCH) return {};
  return SystemError(errno, "send a signal");
}

Result<ExitStatus> Process::Stop(std::chrono::milliseconds grace) {
  if (Status status = SignalGroup(SIGTERM); !status.ok()) return status.error();
  const Result<std::optional<ExitStatus>> ended = WaitFor(grace);
  if (!ended.ok()) return ended.error();
  if (ended.value().has_value()) return *ended.value();
  if (Status status = SignalGroup(SIGKILL); !status.ok()) return status.error();
  return Wait();
}

}  // namespace interlock::platform
