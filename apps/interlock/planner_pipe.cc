#include "planner_pipe.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "interlock/platform/fd.h"

namespace interlock::app {

using base::Error;
using base::ErrorCode;
using base::Result;
using Clock = std::chrono::steady_clock;
using State = platform::Transfer::State;

PlannerPipe::PlannerPipe(platform::Process child, std::chrono::milliseconds timeout, std::size_t max_answer_bytes)
    : child_(std::move(child)), timeout_(timeout), max_answer_bytes_(max_answer_bytes) {}

Result<PlannerPipe> PlannerPipe::Start(const std::string& command, std::chrono::milliseconds timeout,
                                       std::size_t max_answer_bytes) {
  auto child = platform::Spawn(
      {.argv = {"sh", "-c", command}, .stdin_mode = platform::Stdio::kPipe, .stdout_mode = platform::Stdio::kPipe});
  if (!child.ok()) return child.error();
  for (const int fd : {child.value().stdin_fd(), child.value().stdout_fd()}) {
    if (const auto status = platform::SetNonBlocking(fd, true); !status.ok()) return status.error();
  }
  return PlannerPipe(std::move(child.value()), timeout, max_answer_bytes);
}

Result<std::string> PlannerPipe::Ask(std::string_view line) {
  const auto deadline = Clock::now() + timeout_;
  bool too_long = false;
  for (;;) {
    if (line.empty()) {
      if (const std::size_t end = rest_.find('\n'); end != std::string::npos) {
        std::string answer = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        if (too_long || answer.size() > max_answer_bytes_) {
          return Error(ErrorCode::kLimitExceeded, "a planner's answer is too long");
        }
        return answer;
      }
      if (rest_.size() > max_answer_bytes_) {
        too_long = true;
        rest_.clear();
      }
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Error(ErrorCode::kPlannerTimeout);
    // A planner that talks while it is being asked must not block both sides; what it may say in advance is bounded.
    const bool listen = rest_.size() <= max_answer_bytes_;
    std::array<pollfd, 2> fds = {{{child_.stdout_fd(), static_cast<short>(listen ? POLLIN : 0), 0},
                                  {line.empty() ? -1 : child_.stdin_fd(), POLLOUT, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::min<std::int64_t>(left.count(), 1000)));
    if (ready < 0 && errno != EINTR) return platform::SystemError(errno, "wait for the planner");
    if (ready <= 0) continue;
    if (fds[1].revents != 0) {
      const auto moved = platform::WriteSome(child_.stdin_fd(), line);
      if (!moved.ok()) return moved.error();
      if (moved.value().state == State::kClosed) return Error(ErrorCode::kPlannerClosed);
      line.remove_prefix(moved.value().bytes);
    }
    if (fds[0].revents != 0) {
      std::array<char, 16384> buffer;
      const auto moved = platform::ReadSome(child_.stdout_fd(), buffer);
      if (!moved.ok()) return moved.error();
      if (moved.value().state == State::kClosed) return Error(ErrorCode::kPlannerClosed);
      rest_.append(buffer.data(), moved.value().bytes);
    }
  }
}

}  // namespace interlock::app
