#include "interlock/platform/fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace interlock::platform {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

void UniqueFd::Reset(int fd) noexcept {
  // EINTR from close(2) means closed on Linux; retrying could close somebody else's descriptor.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Error SystemError(int err, std::string_view operation, std::string_view path) {
  const ErrorCode code = err == ENOENT || err == ENOTDIR ? ErrorCode::kFileNotFound : ErrorCode::kIo;
  base::SourcePlace place;
  place.file = path;
  return Error(code, fmt::format("cannot {}: {}", operation, std::generic_category().message(err)), std::move(place));
}

Result<Pipe> MakePipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return SystemError(errno, "make a pipe");
  Pipe pipe{.read_end = UniqueFd(fds[0]), .write_end = UniqueFd(fds[1])};
  for (UniqueFd* fd : {&pipe.read_end, &pipe.write_end}) {
    if (fd->get() > STDERR_FILENO) continue;
    const int moved = ::fcntl(fd->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) return SystemError(errno, "move a pipe off the standard descriptors");
    fd->Reset(moved);
  }
  return pipe;
}

Status SetNonBlocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return SystemError(errno, "read descriptor flags");
  const int wanted = on ? (flags | O_NONBLOCK) : (flags & ~O_NONBLOCK);
  if (wanted != flags && ::fcntl(fd, F_SETFL, wanted) < 0) return SystemError(errno, "set descriptor flags");
  return {};
}

Result<Transfer> ReadSome(int fd, std::span<char> buffer) {
  if (buffer.empty()) return Transfer{};
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) return Transfer{.state = Transfer::State::kMoved, .bytes = static_cast<std::size_t>(n)};
    if (n == 0) return Transfer{.state = Transfer::State::kClosed};
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return Transfer{.state = Transfer::State::kWouldBlock};
    return SystemError(errno, "read");
  }
}

Result<Transfer> WriteSome(int fd, std::string_view bytes) {
  if (bytes.empty()) return Transfer{};
  for (;;) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) return Transfer{.state = Transfer::State::kMoved, .bytes = static_cast<std::size_t>(n)};
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return Transfer{.state = Transfer::State::kWouldBlock};
    if (errno == EPIPE) return Transfer{.state = Transfer::State::kClosed};
    return SystemError(errno, "write");
  }
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const Result<Transfer> moved = WriteSome(fd, bytes);
    if (!moved.ok()) return moved.error();
    switch (moved.value().state) {
      case Transfer::State::kMoved:
        bytes.remove_prefix(moved.value().bytes);
        break;
      case Transfer::State::kClosed:
        return SystemError(EPIPE, "write");
      case Transfer::State::kWouldBlock: {
        pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
        if (::poll(&waiting, 1, -1) < 0 && errno != EINTR) return SystemError(errno, "wait for a descriptor");
        break;
      }
    }
  }
  return {};
}

}  // namespace interlock::platform
