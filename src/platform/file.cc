#include "interlock/platform/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "interlock/platform/random.h"

namespace interlock::platform {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

namespace {

Error AtPath(const Error& error, const std::string& path) {
  base::SourcePlace place;
  place.file = path;
  return Error(error.code(), error.message(), std::move(place));
}

Error FileError(ErrorCode code, std::string message, const std::string& path) {
  return AtPath(Error(code, std::move(message)), path);
}

// A NUL would silently cut the path for the kernel: what was named is not what would be opened.
Status CheckPath(const std::string& path) {
  if (path.empty()) return Error(ErrorCode::kInvalidArgument, "empty path");
  if (path.find('\0') != std::string::npos) return Error(ErrorCode::kInvalidArgument, "path holds a NUL byte");
  return {};
}

Result<UniqueFd> OpenPath(const std::string& path, int flags, mode_t mode, std::string_view operation) {
  if (Status status = CheckPath(path); !status.ok()) return status.error();
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return SystemError(errno, operation, path);
  return UniqueFd(fd);
}

Result<struct stat> StatFd(int fd, const std::string& path) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return SystemError(errno, "stat", path);
  return info;
}

Status SyncFd(int fd, const std::string& path) {
  int rc = 0;
  do {
    rc = ::fsync(fd);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) return SystemError(errno, "sync", path);
  return {};
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a FIFO nobody writes to must not hang; on regular files it changes nothing.
  const Result<UniqueFd> fd = OpenPath(path, O_RDONLY | O_NONBLOCK, 0, "open");
  if (!fd.ok()) return fd.error();
  const Result<struct stat> info = StatFd(fd.value().get(), path);
  if (!info.ok()) return info.error();
  if (!S_ISREG(info.value().st_mode)) return FileError(ErrorCode::kFileType, "not a regular file", path);
  const auto too_large = [&] {
    return FileError(ErrorCode::kLimitExceeded, fmt::format("file is larger than {} bytes", max_bytes), path);
  };
  if (static_cast<std::uint64_t>(info.value().st_size) > max_bytes) return too_large();

  // The size is a hint only: files in /proc say 0, and a file may grow while it is read.
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(info.value().st_size) + 1);
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    const Result<Transfer> moved = ReadSome(fd.value().get(), buffer);
    if (!moved.ok()) return AtPath(moved.error(), path);
    if (moved.value().state == Transfer::State::kClosed) return bytes;
    if (moved.value().state == Transfer::State::kWouldBlock) return SystemError(EAGAIN, "read", path);
    if (moved.value().bytes > max_bytes - bytes.size()) return too_large();
    bytes.append(buffer.data(), moved.value().bytes);
  }
}

Status AtomicWrite(const std::string& path, std::string_view bytes, mode_t mode) {
  if (Status status = CheckPath(path); !status.ok()) return status;
  struct stat present{};
  if (::stat(path.c_str(), &present) == 0 && !S_ISREG(present.st_mode) && !S_ISDIR(present.st_mode)) {
    return FileError(ErrorCode::kFileType, "not a regular file: it is not replaced", path);
  }
  const Result<std::string> suffix = RandomHex(8);
  if (!suffix.ok()) return suffix.error();
  const std::string temporary = fmt::format("{}.{}.tmp", path, suffix.value());

  const auto write_temporary = [&]() -> Status {
    const Result<UniqueFd> fd = OpenPath(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, "create");
    if (!fd.ok()) return fd.error();
    if (Status status = WriteAll(fd.value().get(), bytes); !status.ok()) return AtPath(status.error(), temporary);
    if (::fchmod(fd.value().get(), mode) != 0) return SystemError(errno, "set the mode of", temporary);
    if (Status status = SyncFd(fd.value().get(), temporary); !status.ok()) return status;
    if (::rename(temporary.c_str(), path.c_str()) != 0) return SystemError(errno, "rename over", path);
    return {};
  };
  if (Status status = write_temporary(); !status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  const std::string folder = FolderOf(path);
  const Result<UniqueFd> fd = OpenPath(folder, O_RDONLY | O_DIRECTORY, 0, "open folder");
  if (!fd.ok()) return fd.error();
  return SyncFd(fd.value().get(), folder);
}

Status CreateDirectories(const std::string& path, mode_t mode) {
  if (Status status = CheckPath(path); !status.ok()) return status;
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') continue;
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), mode) == 0) continue;
    const int err = errno;
    struct stat info{};
    // Other failures (a read-only parent, say) do not matter where the folder is there already.
    if (::stat(part.c_str(), &info) == 0) {
      if (S_ISDIR(info.st_mode)) continue;
      return FileError(ErrorCode::kFileType, "not a folder", part);
    }
    return SystemError(err, "create folder", part);
  }
  return {};
}

Status RemoveFile(const std::string& path) {
  if (Status status = CheckPath(path); !status.ok()) return status;
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError(errno, "remove", path);
}

Result<FileStamp> StatStamp(const std::string& path) {
  if (Status status = CheckPath(path); !status.ok()) return status.error();
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return SystemError(errno, "stat", path);
  return FileStamp{.device = info.st_dev,
                   .inode = info.st_ino,
                   .size = static_cast<std::uint64_t>(info.st_size),
                   .mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

Result<AppendFile> AppendFile::Open(const std::string& path, const AppendOptions& options) {
  Result<UniqueFd> fd =
      OpenPath(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, options.mode, "open for appending");
  if (!fd.ok()) {
    // ENXIO: a FIFO without a reader; EISDIR: a folder. Say what it is rather than how it failed.
    struct stat info{};
    if (path.find('\0') == std::string::npos && ::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
        !S_ISLNK(info.st_mode)) {
      return FileError(ErrorCode::kFileType, "not a regular file", path);
    }
    return fd.error();
  }
  const Result<struct stat> info = StatFd(fd.value().get(), path);
  if (!info.ok()) return info.error();
  if (!S_ISREG(info.value().st_mode)) return FileError(ErrorCode::kFileType, "not a regular file", path);

  AppendFile file;
  file.fd_ = std::move(fd.value());
  file.path_ = path;
  file.size_ = static_cast<std::uint64_t>(info.value().st_size);
  file.reserved_end_ = file.size_;
  file.reserve_bytes_ = options.reserve_bytes;
  if (options.reserve_bytes > 0) {
    if (Status status = file.Reserve(file.size_ + options.reserve_bytes); !status.ok()) return status.error();
  }
  return file;
}

Status AppendFile::Reserve(std::uint64_t end) {
  int rc = 0;
  do {
    // KEEP_SIZE: the reserved blocks lie past the end of the file, so a reader never sees a tail of zeros.
    rc = ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(reserved_end_),
                     static_cast<off_t>(end - reserved_end_));
  } while (rc != 0 && errno == EINTR);
  if (rc == 0) {
    reserved_end_ = end;
    return {};
  }
  if (errno == EOPNOTSUPP || errno == ENOSYS) {
    return FileError(ErrorCode::kUnsupported, "the file system cannot reserve space", path_);
  }
  return SystemError(errno, "reserve disk space for", path_);
}

Status AppendFile::Write(std::string_view record) {
  if (failed_) return FileError(ErrorCode::kIo, "an earlier write failed", path_);
  const std::uint64_t end = size_ + record.size();
  if (reserve_bytes_ > 0 && end + reserve_bytes_ / 2 > reserved_end_) {
    const Status refilled = Reserve(end + reserve_bytes_);
    space_low_ = !refilled.ok();
    if (space_low_ && end > reserved_end_) {
      failed_ = true;
      return refilled;
    }
  }
  if (Status status = WriteAll(fd_.get(), record); !status.ok()) {
    failed_ = true;
    // Best effort: a torn record at the end would otherwise look like damage.
    [[maybe_unused]] const int rc = ::ftruncate(fd_.get(), static_cast<off_t>(size_));
    return AtPath(status.error(), path_);
  }
  size_ = end;
  return {};
}

Status AppendFile::DataSync() {
  if (failed_) return FileError(ErrorCode::kIo, "an earlier write failed", path_);
  int rc = 0;
  do {
    rc = ::fdatasync(fd_.get());
  } while (rc != 0 && errno == EINTR);
  if (rc == 0) return {};
  failed_ = true;
  return SystemError(errno, "sync", path_);
}

Status AppendFile::Truncate(std::uint64_t size) {
  if (failed_) return FileError(ErrorCode::kIo, "an earlier write failed", path_);
  if (size > size_) return FileError(ErrorCode::kInvalidArgument, "a cut cannot make the file longer", path_);
  int rc = 0;
  do {
    rc = ::ftruncate(fd_.get(), static_cast<off_t>(size));
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) {
    failed_ = true;
    return SystemError(errno, "truncate", path_);
  }
  size_ = size;
  // Cutting a file gives its reserved blocks back.
  reserved_end_ = size;
  if (reserve_bytes_ == 0) return {};
  Status status = Reserve(size + reserve_bytes_);
  if (!status.ok()) failed_ = true;
  return status;
}

Result<FileLock> FileLock::TryAcquire(const std::string& path) {
  Result<UniqueFd> fd = OpenPath(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600, "open lock file");
  if (!fd.ok()) return fd.error();
  int rc = 0;
  do {
    rc = ::flock(fd.value().get(), LOCK_EX | LOCK_NB);
  } while (rc != 0 && errno == EINTR);
  if (rc == 0) return FileLock(std::move(fd.value()));
  if (errno == EWOULDBLOCK) return FileError(ErrorCode::kFileLocked, "locked by another process", path);
  return SystemError(errno, "lock", path);
}

}  // namespace interlock::platform
