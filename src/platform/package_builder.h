// Internal to package loading: the view under construction, with its budgets. See package.h for what is promised.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/platform/package.h"

namespace interlock::platform::internal {

// Collects the skipped parts: each by its name while they are few, counted by folder when they are many.
class SkipList {
 public:
  explicit SkipList(std::uint32_t max_parts) : max_parts_(max_parts) {}
  void Add(std::string path, core::SkipReason reason, std::uint64_t bytes, std::string detail);
  // `count` entries of the folder (path ends in '/').
  void AddMany(std::string_view folder, core::SkipReason reason, std::uint64_t count, std::uint64_t bytes);
  // Leaves `folder` (ends in '/') out of the paths below it.
  void StripFolder(std::string_view folder);
  [[nodiscard]] std::vector<core::SkippedPart> Take();

 private:
  struct Group {
    std::uint32_t named = 0;
    std::uint64_t more = 0;
    std::uint64_t bytes = 0;
  };
  // What is merely too much must not crowd out the rest.
  [[nodiscard]] std::size_t RoomFor(core::SkipReason reason) const noexcept {
    return reason == core::SkipReason::kBudget ? max_parts_ / 2 : max_parts_;
  }
  [[nodiscard]] Group& GroupOf(std::string_view folder, core::SkipReason reason);

  std::uint32_t max_parts_;
  std::vector<core::SkippedPart> parts_;
  std::map<std::pair<std::string, core::SkipReason>, Group> groups_;
};

enum class ArchiveKind : std::uint8_t { kNone, kZip, kTar, kGzip, kBzip2, kXz, kZstd };

// By content; the name only decides where content alone does not say (tar of the oldest kind).
[[nodiscard]] ArchiveKind ArchiveKindOf(std::string_view name, std::string_view bytes) noexcept;

// Whether a zip's directory stands at the end, where its reader looks for it.
[[nodiscard]] bool EndsAsZip(std::string_view bytes) noexcept;

// Whether a file that begins so is a program for a machine: ELF, Mach-O, PE.
inline constexpr std::size_t kProgramHead = 16;
[[nodiscard]] bool IsProgramHead(std::string_view head) noexcept;

class PackageBuilder {
 public:
  PackageBuilder(const PackageLimits& limits, const OnPackageProgress* on_progress)
      : limits_(limits), on_progress_(on_progress), skips_(limits.max_skipped) {}

  [[nodiscard]] const PackageLimits& limits() const noexcept { return limits_; }
  [[nodiscard]] SkipList& skips() noexcept { return skips_; }

  // Counts one entry of a folder or archive; false when there were too many.
  [[nodiscard]] bool CountEntry(std::string_view path);
  [[nodiscard]] bool HasRoomForFile() const noexcept { return files_.size() < limits_.max_files; }
  [[nodiscard]] std::uint64_t files_left() const noexcept { return limits_.max_files - files_.size(); }
  [[nodiscard]] std::uint64_t bytes_left() const noexcept { return limits_.max_total_bytes - bytes_; }

  // Keeps a file, or names it where there is no room. A member of the archive being unpacked replaces an earlier one of
  // the same path; it never replaces a file from elsewhere.
  void Keep(std::string path, std::string bytes, bool executable);
  void Skip(std::string path, core::SkipReason reason, std::uint64_t bytes = 0, std::string detail = {});
  [[nodiscard]] bool empty() const noexcept { return files_.empty(); }

  // Opens every kept file that is an archive, and the archives in those, up to the depth allowed.
  void UnpackKept();
  // Adds the members of `bytes` under `prefix` ("" or "outer.zip!/").
  void Unpack(ArchiveKind kind, std::string_view name, std::string_view bytes, const std::string& prefix);
  // Leaves out the one folder that holds everything, where there is one.
  void StripSingleFolder();

  [[nodiscard]] core::PackageView Finish(std::string target);

  // Room for what comes out of archives, whatever becomes of it.
  [[nodiscard]] std::uint64_t unpack_left() const noexcept { return limits_.max_unpacked_bytes - unpacked_; }
  void CountUnpacked(std::uint64_t bytes) noexcept { unpacked_ += std::min(bytes, unpack_left()); }

 private:
  void Report(std::string_view path);

  PackageLimits limits_;
  const OnPackageProgress* on_progress_;
  SkipList skips_;
  std::vector<core::PackageFile> files_;
  std::vector<std::uint8_t> archive_depth_;               // of files_[i]
  std::unordered_map<std::string, std::size_t> by_path_;  // index in files_
  std::size_t archive_begin_ = 0;                         // first file of the archive being unpacked
  std::uint8_t depth_ = 0;                                // of what is being added
  std::uint64_t bytes_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t reported_bytes_ = 0;
};

// Version control's own store, by the name of a folder or file.
[[nodiscard]] bool IsVersionControl(std::string_view name) noexcept;

// Walks the folder behind `root` (a descriptor, which stays the caller's) into `builder`.
void WalkFolder(int root, PackageBuilder& builder);

}  // namespace interlock::platform::internal
