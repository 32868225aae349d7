// Signals as a descriptor, so that nothing runs in a signal handler.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "interlock/base/result.h"
#include "interlock/platform/fd.h"

namespace interlock::platform {

// Blocks signals in the calling thread and queues them on a descriptor. Make it in `main` before any thread starts:
// threads inherit the mask. Destroying it, on the same thread, restores the mask; signals still pending then act as
// usual.
class SignalFd {
 public:
  [[nodiscard]] static base::Result<SignalFd> Block(std::initializer_list<int> signals);
  SignalFd(SignalFd&& other) noexcept;
  SignalFd& operator=(SignalFd&& other) noexcept;
  ~SignalFd();

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }  // readable when a signal waits; does not block
  // The next signal's number, or nothing when none waits.
  [[nodiscard]] base::Result<std::optional<int>> Read();

 private:
  SignalFd(UniqueFd fd, const sigset_t& old_mask) : fd_(std::move(fd)), old_mask_(old_mask) {}
  UniqueFd fd_;
  sigset_t old_mask_{};
};

// Writing to a closed pipe becomes an answer (Transfer::State::kClosed) instead of the end of the process. Call once in
// `main`. Children get the default back (see Spawn).
void IgnoreSigpipe() noexcept;

}  // namespace interlock::platform
