#include "interlock/platform/random.h"

#include <sys/random.h>

#include <cerrno>
#include <vector>

#include "interlock/platform/fd.h"

namespace interlock::platform {

base::Status RandomBytes(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const ssize_t n = ::getrandom(out.data(), out.size(), 0);
    if (n < 0) {
      if (errno == EINTR) continue;
      return SystemError(errno, "get random bytes");
    }
    out = out.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

base::Result<std::string> RandomHex(std::size_t bytes) {
  std::vector<std::uint8_t> raw(bytes);
  if (base::Status status = RandomBytes(raw); !status.ok()) return status.error();
  std::string hex;
  hex.reserve(2 * bytes);
  for (const std::uint8_t byte : raw) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 0xf];
  }
  return hex;
}

}  // namespace interlock::platform
