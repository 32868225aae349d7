#include "interlock/platform/package.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "interlock/platform/fd.h"
#include "interlock/platform/file.h"
#include "package_builder.h"

namespace interlock::platform {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using core::SkipReason;
using internal::ArchiveKind;
using internal::PackageBuilder;

std::string LastPartOf(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return name.empty() ? "content" : std::string(name);
}

void AddBytes(PackageBuilder& builder, const std::string& name, std::string bytes, bool executable) {
  const ArchiveKind kind = internal::ArchiveKindOf(name, bytes);
  if (kind == ArchiveKind::kNone || builder.limits().max_archive_depth == 0)
    return builder.Keep(name, std::move(bytes), executable);
  builder.Unpack(kind, name, bytes, "");
  if (builder.empty()) return builder.Keep(name, std::move(bytes), executable);  // at least what it is is seen
  builder.StripSingleFolder();
  builder.UnpackKept();
}

// Whether a file too large to be kept is an archive to be opened: by its first and last bytes.
bool IsLargeArchive(int fd, std::uint64_t size, const std::string& name) {
  constexpr std::size_t kLook = 16 * 1024;
  std::string head(kLook, '\0');
  ssize_t got = ::pread(fd, head.data(), head.size(), 0);
  head.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (internal::ArchiveKindOf(name, head) != ArchiveKind::kNone) return true;
  std::string tail(kLook, '\0');
  got = ::pread(fd, tail.data(), tail.size(), static_cast<off_t>(size - std::min<std::uint64_t>(size, kLook)));
  return got > 0 && tail.rfind("PK\5\6") != std::string::npos;
}

}  // namespace

Result<core::PackageView> LoadPackage(const std::string& path, const PackageLimits& limits,
                                      const OnPackageProgress& on_progress) {
  if (path.empty()) return Error(ErrorCode::kInvalidArgument, "empty path");
  if (path.find('\0') != std::string::npos) return Error(ErrorCode::kInvalidArgument, "path holds a NUL byte");
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return SystemError(errno, "read", path);
  PackageBuilder builder(limits, &on_progress);
  if (S_ISDIR(info.st_mode)) {
    const UniqueFd root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.valid()) return SystemError(errno, "open folder", path);
    internal::WalkFolder(root.get(), builder);
    builder.UnpackKept();
    return builder.Finish(path);
  }
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::kFileType, "neither a file nor a folder", {.file = path});
  const std::string name = LastPartOf(path);
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
  std::uint64_t most = limits.max_file_bytes;
  if (size > most) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd.valid()) return SystemError(errno, "open", path);
    if (IsLargeArchive(fd.get(), size, name)) most = std::max(most, limits.max_archive_bytes);
  }
  Result<std::string> bytes = ReadFile(path, static_cast<std::size_t>(most));
  if (!bytes.ok() && bytes.error().code() != ErrorCode::kLimitExceeded) return bytes.error();
  if (bytes.ok()) {
    AddBytes(builder, name, std::move(bytes.value()), (info.st_mode & 0111) != 0);
  } else {
    builder.Skip(name, SkipReason::kTooLarge, size);
  }
  return builder.Finish(path);
}

core::PackageView LoadPackageBytes(std::string_view name, std::string_view bytes, const PackageLimits& limits) {
  PackageBuilder builder(limits, nullptr);
  AddBytes(builder, LastPartOf(name), std::string(bytes), false);
  return builder.Finish(std::string(name));
}

}  // namespace interlock::platform
