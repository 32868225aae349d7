// Child processes that do not outlive us.
//
//   Result<Process> child = Spawn({.argv = {"server", "--stdio"}, .stdin_mode = Stdio::kPipe, .stdout_mode =
//   Stdio::kPipe}); if (!child.ok()) return child.error(); WriteAll(child.value().stdin_fd(), "hello\n");
//   child.value().CloseStdin();
//   Result<std::optional<ExitStatus>> end = child.value().WaitFor(std::chrono::seconds(5));
//
// A child leads its own process group (its helpers are reached by SignalGroup, a ^C in our terminal does not reach it),
// starts with an empty signal mask and default signal actions, and inherits no descriptor but 0, 1 and 2.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/platform/fd.h"

namespace interlock::platform {

enum class Stdio : std::uint8_t { kInherit, kPipe, kNull };

struct SpawnOptions {
  std::vector<std::string> argv;                               // argv[0] without a '/' is looked up in our own PATH
  std::optional<std::vector<std::string>> env = std::nullopt;  // "NAME=value"; nothing: ours
  std::string cwd = {};  // "" is ours; a relative argv[0] with a '/' counts from here
  Stdio stdin_mode = Stdio::kInherit;
  Stdio stdout_mode = Stdio::kInherit;
  Stdio stderr_mode = Stdio::kInherit;
  // The kernel kills the child when the THREAD that called Spawn ends: spawn from a thread that lives as long as the
  // child.
  bool die_with_parent = true;
  // Kills what is left of the child's group when the child has ended, before it is reaped.
  bool kill_group_at_end = true;
};

struct ExitStatus {
  bool signaled = false;
  int code = 0;  // exit code, or the signal's number
  [[nodiscard]] bool success() const noexcept { return !signaled && code == 0; }
};

// One running or ended child. Destroying it kills the group (SIGKILL) and reaps the child. One thread at a time.
class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  // Readable (epoll, poll) once the child has ended. Owned by this object.
  [[nodiscard]] int pidfd() const noexcept { return pidfd_.get(); }
  // Our ends of the pipes; -1 where Stdio::kPipe was not asked for, or after closing or taking.
  [[nodiscard]] int stdin_fd() const noexcept { return stdin_.get(); }
  [[nodiscard]] int stdout_fd() const noexcept { return stdout_.get(); }
  [[nodiscard]] int stderr_fd() const noexcept { return stderr_.get(); }
  void CloseStdin() noexcept { stdin_.Reset(); }
  [[nodiscard]] UniqueFd TakeStdin() noexcept { return std::move(stdin_); }
  [[nodiscard]] UniqueFd TakeStdout() noexcept { return std::move(stdout_); }
  [[nodiscard]] UniqueFd TakeStderr() noexcept { return std::move(stderr_); }

  // How it ended; nothing while it runs. Once known, the answer stays.
  [[nodiscard]] base::Result<std::optional<ExitStatus>> TryWait();
  [[nodiscard]] base::Result<ExitStatus> Wait();
  [[nodiscard]] base::Result<std::optional<ExitStatus>> WaitFor(std::chrono::milliseconds timeout);

  // Sends a signal to the child, or to its whole group. A child that has ended is fine.
  [[nodiscard]] base::Status Signal(int signal_number);
  [[nodiscard]] base::Status SignalGroup(int signal_number);
  // SIGTERM to the group, SIGKILL after `grace`, then reaps.
  [[nodiscard]] base::Result<ExitStatus> Stop(std::chrono::milliseconds grace);

 private:
  friend base::Result<Process> Spawn(const SpawnOptions& options);
  Process() = default;
  void Swap(Process& other) noexcept;
  [[nodiscard]] base::Result<ExitStatus> Reap();

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd stdin_;
  UniqueFd stdout_;
  UniqueFd stderr_;
  bool kill_group_at_end_ = true;
  std::optional<ExitStatus> status_;
};

// Starts a program. kSpawn when it cannot be started (not found, not executable, bad folder), known before this
// returns; kInvalidArgument for an empty argv or a NUL inside a string.
[[nodiscard]] base::Result<Process> Spawn(const SpawnOptions& options);

}  // namespace interlock::platform
