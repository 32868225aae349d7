#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace interlock::runtime::audit {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using platform::SystemError;
using platform::UniqueFd;

Result<UniqueFd> LockFile(const std::string& path, int wait_ms, bool* locked) {
  if (locked != nullptr) *locked = false;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return SystemError(errno, "open lock", path);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return SystemError(errno, "lock", path);
    if (std::chrono::steady_clock::now() >= deadline) {
      if (locked != nullptr) *locked = true;
      return Error(ErrorCode::kIo, "another process holds the lock", {.file = path});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return fd;
}

bool IsLocked(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return false;
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Status CheckFolder(const std::string& dir) {
  struct stat info{};
  if (::stat(dir.c_str(), &info) != 0) return SystemError(errno, "open audit folder", dir);
  if (!S_ISDIR(info.st_mode)) return Error(ErrorCode::kInvalidArgument, "not a folder", {.file = dir});
  if ((info.st_mode & 022) != 0) {
    return Error(ErrorCode::kInvalidArgument, "audit folder may be written by others", {.file = dir});
  }
  return {};
}

Status SyncFolder(const std::string& dir) {
  UniqueFd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return SystemError(errno, "open folder", dir);
  if (::fsync(fd.get()) != 0) return SystemError(errno, "sync folder", dir);
  return {};
}

Result<std::vector<std::string>> ListFolder(const std::string& dir) {
  std::vector<std::string> names;
  DIR* handle = ::opendir(dir.c_str());
  if (handle == nullptr) {
    if (errno == ENOENT) return names;
    return SystemError(errno, "list folder", dir);
  }
  while (const dirent* entry = ::readdir(handle)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(handle);
  std::sort(names.begin(), names.end());
  return names;
}

bool FileExists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string ToHex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4U]);
    hex.push_back(kDigits[byte & 15U]);
  }
  return hex;
}

bool FromHex(std::string_view hex, void* out, std::size_t size) {
  if (hex.size() != size * 2) return false;
  auto* bytes = static_cast<unsigned char*>(out);
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  for (std::size_t i = 0; i < size; ++i) {
    const int high = digit(hex[2 * i]);
    const int low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return true;
}

}  // namespace interlock::runtime::audit
