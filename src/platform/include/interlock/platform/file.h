// Files: bounded reads, durable writes, appends that reserve their space, stamps for hot reload.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/result.h"
#include "interlock/platform/fd.h"

namespace interlock::platform {

// The whole of a regular file. Anything else (folder, FIFO, device, socket) is kFileType, found without waiting on it;
// more than `max_bytes` is kLimitExceeded; also kFileNotFound, kIo.
[[nodiscard]] base::Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes);

// Replaces `path` by `bytes` so that readers and a crash see the old file or the new one, never a part: temporary file
// in the same folder, sync, rename, sync of the folder. `mode` is the file's exact mode (no umask). A symbolic link at
// `path` is replaced, not followed. Devices, FIFOs and sockets, and links to them, are kFileType and stay. On failure
// the old file is untouched and the temporary file is removed; only where the sync of the folder fails has the new file
// its place already.
[[nodiscard]] base::Status AtomicWrite(const std::string& path, std::string_view bytes, mode_t mode = 0600);

// Makes `path` and its parents where missing (new folders get `mode` less the umask). A folder that exists is fine;
// something else in the way is kFileType.
[[nodiscard]] base::Status CreateDirectories(const std::string& path, mode_t mode = 0700);

// Removes a file. One that is not there is fine.
[[nodiscard]] base::Status RemoveFile(const std::string& path);

// Identity and version of a file, for polling: different stamps mean "read again".
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  auto operator<=>(const FileStamp&) const = default;
};
[[nodiscard]] base::Result<FileStamp> StatStamp(const std::string& path);

struct AppendOptions {
  mode_t mode = 0600;  // of a new file, less the umask
  // Bytes of disk space kept allocated past the end of the file (fallocate), so that a full disk is noticed while there
  // is room left, and before anything is written. Zero: none. Refilled when less than half is left.
  std::uint64_t reserve_bytes = 0;
};

// A file that only grows. Each Write is one record: wholly in the file, or the file is cut back to where it was.
// After the first failure every further Write and DataSync returns kIo: what follows a gap is not a log.
// One writer at a time; not thread safe.
class AppendFile {
 public:
  // Opens or creates. A symbolic link at `path` is refused (kIo), anything but a regular file is kFileType.
  // kUnsupported when space is to be reserved and the file system cannot.
  [[nodiscard]] static base::Result<AppendFile> Open(const std::string& path, const AppendOptions& options = {});

  AppendFile(AppendFile&&) noexcept = default;
  AppendFile& operator=(AppendFile&&) noexcept = default;

  [[nodiscard]] base::Status Write(std::string_view record);
  // Waits until what was written is on the disk (fdatasync). A failed sync is final: the kernel may have dropped the
  // pages.
  [[nodiscard]] base::Status DataSync();
  // Cuts the file down to `size` bytes (recovery of a torn end, before the first Write). kInvalidArgument if it is
  // smaller.
  [[nodiscard]] base::Status Truncate(std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // The reserve could not be refilled: time to start nothing new.
  [[nodiscard]] bool space_low() const noexcept { return space_low_; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  AppendFile() = default;
  [[nodiscard]] base::Status Reserve(std::uint64_t end);

  UniqueFd fd_;
  std::string path_;
  std::uint64_t size_ = 0;
  std::uint64_t reserved_end_ = 0;
  std::uint64_t reserve_bytes_ = 0;
  bool space_low_ = false;
  bool failed_ = false;
};

// An exclusive lock (flock) on `path`, which is created where missing and never removed. Held until destroyed or the
// process ends, however it ends.
class FileLock {
 public:
  // kFileLocked when another process, or another FileLock of this one, holds it. Never waits.
  [[nodiscard]] static base::Result<FileLock> TryAcquire(const std::string& path);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace interlock::platform
