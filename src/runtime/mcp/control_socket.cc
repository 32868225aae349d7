#include "control_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace interlock::runtime::mcp {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t kMaxPeers = 8;
constexpr std::size_t kMaxLine = std::size_t{1} << 20;

base::Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return Error(ErrorCode::kInvalidArgument, "a socket path has 1 to 107 bytes: " + path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

}  // namespace

base::Result<ControlSocket> ControlSocket::Listen(const std::string& path) {
  auto address = AddressOf(path);
  if (!address.ok()) return address.error();
  const auto* name = reinterpret_cast<const sockaddr*>(&address.value());
  platform::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return platform::SystemError(errno, "make a socket", path);
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) {
    platform::UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (probe.valid() && ::connect(probe.get(), name, sizeof(sockaddr_un)) == 0) {
      return Error(ErrorCode::kIo, "somebody listens on " + path);
    }
    ::unlink(path.c_str());
  }
  // The file must never be open to others, not even between bind and chmod.
  const mode_t old_mask = ::umask(0177);
  const int bound = ::bind(fd.get(), name, sizeof(sockaddr_un));
  const int bind_errno = errno;
  ::umask(old_mask);
  if (bound != 0) return platform::SystemError(bind_errno, "bind", path);
  if (::listen(fd.get(), 8) != 0) return platform::SystemError(errno, "listen on", path);
  return ControlSocket(std::move(fd), path);
}

ControlSocket::ControlSocket(ControlSocket&& other) noexcept
    : listener_(std::move(other.listener_)), path_(std::move(other.path_)), peers_(std::move(other.peers_)) {
  other.path_.clear();
}

ControlSocket::~ControlSocket() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

int ControlSocket::Accept() {
  platform::UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid()) return -1;
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid()) return -1;
  if (peers_.size() >= kMaxPeers) return -1;
  const int raw = fd.get();
  peers_.push_back(Peer{std::move(fd), LineFramer(kMaxLine)});
  return raw;
}

bool ControlSocket::Owns(int fd) const {
  return std::any_of(peers_.begin(), peers_.end(), [fd](const Peer& p) { return p.fd.get() == fd; });
}

bool ControlSocket::Serve(int fd, const Handler& handler) {
  const auto peer = std::find_if(peers_.begin(), peers_.end(), [fd](const Peer& p) { return p.fd.get() == fd; });
  if (peer == peers_.end()) return false;
  const auto moved = platform::ReadSome(fd, peer->framer.Space());
  if (!moved.ok() || moved.value().state == platform::Transfer::State::kClosed) {
    peers_.erase(peer);
    return false;
  }
  if (moved.value().state == platform::Transfer::State::kWouldBlock) return true;
  peer->framer.Filled(moved.value().bytes);
  LineFramer::Frame frame;
  while (peer->framer.Next(frame)) {
    std::string answer;
    if (!frame.too_long && IsBlank(frame.line)) continue;
    auto doc = base::JsonDoc::Parse(frame.too_long ? std::string_view("!") : frame.line, {.max_bytes = kMaxLine + 1});
    if (doc.ok() && doc.value().root().is_object()) {
      answer = handler(doc.value().root());
    } else {
      answer = R"({"error":"one JSON object a line"})";
    }
    answer += '\n';
    // Answers are short: a peer that does not read them loses the connection, not the proxy its time.
    const auto written = platform::WriteSome(fd, answer);
    if (!written.ok() || written.value().bytes != answer.size()) {
      peers_.erase(peer);
      return false;
    }
  }
  return true;
}

}  // namespace interlock::runtime::mcp
