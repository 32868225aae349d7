// File descriptors that close themselves, and transfers that survive interrupts.
//
// Every function retries on EINTR. Descriptors made by this module are close-on-exec. Errors: kFileNotFound for ENOENT
// and ENOTDIR, else kIo, with the path as the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "interlock/base/result.h"

namespace interlock::platform {

// Owns one descriptor; -1 is "none". Movable, not copyable. Not thread safe.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { Reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int Release() noexcept { return std::exchange(fd_, -1); }
  void Reset(int fd = -1) noexcept;  // closes the old one

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};
// A close-on-exec pipe whose ends are never descriptors 0 to 2, so that a child's redirection cannot overwrite them.
[[nodiscard]] base::Result<Pipe> MakePipe();

[[nodiscard]] base::Status SetNonBlocking(int fd, bool on);

// What one read or write did. `bytes` is zero unless state is kMoved.
struct Transfer {
  enum class State : std::uint8_t {
    kMoved,       // at least one byte (zero for an empty buffer)
    kWouldBlock,  // non-blocking descriptor, nothing to do now
    kClosed,      // read: end of file; write: the reader is gone (EPIPE; SIGPIPE must be ignored, see signals.h)
  };
  State state = State::kMoved;
  std::size_t bytes = 0;
};
[[nodiscard]] base::Result<Transfer> ReadSome(int fd, std::span<char> buffer);
[[nodiscard]] base::Result<Transfer> WriteSome(int fd, std::string_view bytes);
// Writes everything or fails; waits (poll) where the descriptor does not block. A reader that is gone is kIo.
[[nodiscard]] base::Status WriteAll(int fd, std::string_view bytes);

// The error for `err` (an errno value): "cannot <operation>: <words>", place = `path`.
[[nodiscard]] base::Error SystemError(int err, std::string_view operation, std::string_view path = {});

}  // namespace interlock::platform
