#include "interlock/platform/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace interlock::platform {

using base::Result;

Result<SignalFd> SignalFd::Block(std::initializer_list<int> signals) {
  sigset_t mask;
  sigset_t old_mask;
  sigemptyset(&mask);
  for (const int signal : signals) sigaddset(&mask, signal);
  if (const int err = ::pthread_sigmask(SIG_BLOCK, &mask, &old_mask); err != 0)
    return SystemError(err, "block signals");
  UniqueFd fd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) {
    const int err = errno;
    ::pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
    return SystemError(err, "make a signal descriptor");
  }
  return SignalFd(std::move(fd), old_mask);
}

SignalFd::SignalFd(SignalFd&& other) noexcept : fd_(std::move(other.fd_)), old_mask_(other.old_mask_) {}

SignalFd& SignalFd::operator=(SignalFd&& other) noexcept {
  if (this == &other) return *this;
  if (fd_.valid()) ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  fd_ = std::move(other.fd_);
  old_mask_ = other.old_mask_;
  return *this;
}

SignalFd::~SignalFd() {
  if (fd_.valid()) ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

Result<std::optional<int>> SignalFd::Read() {
  signalfd_siginfo info{};
  for (;;) {
    const ssize_t n = ::read(fd_.get(), &info, sizeof(info));
    if (n == static_cast<ssize_t>(sizeof(info))) return std::optional<int>(static_cast<int>(info.ssi_signo));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return std::optional<int>();
    return SystemError(n < 0 ? errno : EIO, "read a signal");
  }
}

void IgnoreSigpipe() noexcept {
  struct sigaction action{};
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace interlock::platform
