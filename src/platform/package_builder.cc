#include "package_builder.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "interlock/base/check.h"

namespace interlock::platform::internal {

namespace {

using core::SkipReason;

constexpr std::uint32_t kNamedPerFolder = 32;
constexpr std::uint64_t kReportEntries = 1000;
constexpr std::uint64_t kReportBytes = std::uint64_t{16} << 20;
constexpr std::string_view kWholePackage = "./";

std::string_view FolderOf(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? kWholePackage : path.substr(0, slash + 1);
}

std::uint32_t LittleEndian(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

}  // namespace

bool IsVersionControl(std::string_view name) noexcept {
  return name == ".git" || name == ".hg" || name == ".svn" || name == ".bzr" || name == ".jj";
}

// A zip's directory stands at its end, so that anything may stand before it: scripts, programs, pictures.
bool EndsAsZip(std::string_view bytes) noexcept {
  constexpr std::size_t kRecord = 22;
  constexpr std::size_t kLongestComment = 16 * 1024 - kRecord;  // what the reader looks through
  constexpr std::uint32_t kInZip64 = 0xffffffff;
  if (bytes.size() < kRecord) return false;
  const std::size_t first = bytes.size() - kRecord - std::min(kLongestComment, bytes.size() - kRecord);
  // One that fits is enough, so the order is free: a search forwards passes over text without a P many bytes at a time.
  constexpr std::string_view kMark = "PK\5\6";
  for (std::size_t at = bytes.find(kMark, first); at != std::string_view::npos; at = bytes.find(kMark, at + 1)) {
    if (bytes.size() - at < kRecord) continue;
    const std::uint32_t size = LittleEndian(bytes, at + 12, 4);
    const std::uint32_t offset = LittleEndian(bytes, at + 16, 4);
    const bool fits = offset == kInZip64 || std::uint64_t{size} + offset <= at;
    if (fits && LittleEndian(bytes, at + 20, 2) == bytes.size() - at - kRecord) return true;
  }
  return false;
}

ArchiveKind ArchiveKindOf(std::string_view name, std::string_view bytes) noexcept {
  if (bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6")) return ArchiveKind::kZip;
  if (bytes.starts_with("\x1f\x8b\x08")) return ArchiveKind::kGzip;
  if (bytes.starts_with("\xfd"
                        "7zXZ")) {
    return ArchiveKind::kXz;
  }
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return ArchiveKind::kZstd;
  if (bytes.size() > 14 && bytes.starts_with("BZh") && bytes[3] >= '1' && bytes[3] <= '9' &&
      (bytes.substr(4, 6) == "1AY&SY" || bytes.substr(4, 4) == "\x17\x72\x45\x38")) {
    return ArchiveKind::kBzip2;
  }
  constexpr std::size_t kTarBlock = 512;
  if (bytes.size() >= kTarBlock && (bytes.substr(257, 5) == "ustar" || name.ends_with(".tar")))
    return ArchiveKind::kTar;
  return EndsAsZip(bytes) ? ArchiveKind::kZip : ArchiveKind::kNone;
}

SkipList::Group& SkipList::GroupOf(std::string_view folder, SkipReason reason) {
  const auto key = std::pair(std::string(folder), reason);
  const auto known = groups_.find(key);
  if (known != groups_.end()) return known->second;
  // With too many folders to tell apart, the rest is counted for the package as a whole.
  if (groups_.size() >= RoomFor(reason)) return groups_[std::pair(std::string(kWholePackage), reason)];
  return groups_[key];
}

void SkipList::Add(std::string path, SkipReason reason, std::uint64_t bytes, std::string detail) {
  Group& group = GroupOf(FolderOf(path), reason);
  if (group.named < kNamedPerFolder && parts_.size() < RoomFor(reason)) {
    ++group.named;
    parts_.push_back({.path = std::move(path), .reason = reason, .bytes = bytes, .detail = std::move(detail)});
    return;
  }
  ++group.more;
  group.bytes += bytes;
}

void SkipList::AddMany(std::string_view folder, SkipReason reason, std::uint64_t count, std::uint64_t bytes) {
  if (count == 0) return;
  Group& group = GroupOf(folder.empty() ? kWholePackage : folder, reason);
  group.more += count;
  group.bytes += bytes;
}

void SkipList::StripFolder(std::string_view folder) {
  for (core::SkippedPart& part : parts_)
    if (part.path.starts_with(folder) && part.path.size() > folder.size()) part.path.erase(0, folder.size());
  std::map<std::pair<std::string, SkipReason>, Group> groups;
  for (auto& [key, group] : groups_) {
    std::string path = key.first;
    if (path.starts_with(folder)) path.erase(0, folder.size());
    Group& into = groups[std::pair(path.empty() ? std::string(kWholePackage) : std::move(path), key.second)];
    into.named += group.named;
    into.more += group.more;
    into.bytes += group.bytes;
  }
  groups_ = std::move(groups);
}

std::vector<core::SkippedPart> SkipList::Take() {
  for (const auto& [key, group] : groups_) {
    if (group.more == 0) continue;
    parts_.push_back({.path = key.first,
                      .reason = key.second,
                      .bytes = group.bytes,
                      .detail = std::to_string(group.more) + (group.named > 0 ? " more" : " entries")});
  }
  groups_.clear();
  std::stable_sort(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return std::move(parts_);
}

void PackageBuilder::Report(std::string_view path) {
  reported_bytes_ = bytes_;
  if (on_progress_ != nullptr && *on_progress_)
    (*on_progress_)({.entries = entries_, .files = files_.size(), .bytes = bytes_, .path = path});
}

bool PackageBuilder::CountEntry(std::string_view path) {
  if (entries_ >= limits_.max_entries) return false;
  if (++entries_ % kReportEntries == 0) Report(path);
  return true;
}

void PackageBuilder::Keep(std::string path, std::string bytes, bool executable) {
  if (bytes.size() > limits_.max_file_bytes) return Skip(std::move(path), SkipReason::kTooLarge, bytes.size());
  const auto known = by_path_.find(path);
  if (known != by_path_.end() && known->second < archive_begin_)
    return Skip(std::move(path), SkipReason::kUnsafePath, bytes.size(), "a member with the path of another file");
  const std::uint64_t freed = known == by_path_.end() ? 0 : files_[known->second].bytes.size();
  if ((known == by_path_.end() && !HasRoomForFile()) || bytes.size() > bytes_left() + freed)
    return Skip(std::move(path), SkipReason::kBudget, bytes.size());
  bytes_ += bytes.size() - freed;
  if (known != by_path_.end()) {
    Skip(path, SkipReason::kUnsafePath, freed, "another member of the same path follows");
    files_[known->second] = {.path = std::move(path), .bytes = std::move(bytes), .executable = executable};
    return;
  }
  by_path_.emplace(path, files_.size());
  files_.push_back({.path = std::move(path), .bytes = std::move(bytes), .executable = executable});
  archive_depth_.push_back(depth_);
  if (bytes_ - reported_bytes_ >= kReportBytes) Report(files_.back().path);
}

bool IsProgramHead(std::string_view head) noexcept {
  using namespace std::string_view_literals;
  constexpr auto kHeads =
      std::to_array<std::string_view>({"\x7f"
                                       "ELF"sv,
                                       "\xfe\xed\xfa\xce"sv, "\xfe\xed\xfa\xcf"sv, "\xcf\xfa\xed\xfe"sv,
                                       "\xce\xfa\xed\xfe"sv, "\xca\xfe\xba\xbe"sv, "MZ\x90\0"sv, "MZx\0"sv});
  return std::ranges::any_of(kHeads, [&](std::string_view magic) { return head.starts_with(magic); });
}

void PackageBuilder::Skip(std::string path, SkipReason reason, std::uint64_t bytes, std::string detail) {
  skips_.Add(std::move(path), reason, bytes, std::move(detail));
}

void PackageBuilder::UnpackKept() {
  // Members are appended, so that one pass reaches the archives in archives too.
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const ArchiveKind kind = ArchiveKindOf(files_[i].path, files_[i].bytes);
    if (kind == ArchiveKind::kNone) continue;
    if (archive_depth_[i] >= limits_.max_archive_depth) {
      Skip(files_[i].path, SkipReason::kTooDeep, 0, "an archive in archives");
      continue;
    }
    const std::string path = files_[i].path;
    std::string bytes = std::move(files_[i].bytes);
    archive_begin_ = files_.size();
    depth_ = static_cast<std::uint8_t>(archive_depth_[i] + 1);
    Unpack(kind, path, bytes, path + "!/");
    files_[i].bytes = std::move(bytes);
  }
}

void PackageBuilder::StripSingleFolder() {
  // Folders that macOS puts beside what was packed do not count.
  std::string_view folder;
  for (const core::PackageFile& file : files_) {
    const std::string_view path = file.path;
    if (path.starts_with("__MACOSX/")) continue;
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return;
    const std::string_view top = path.substr(0, slash + 1);
    if (folder.empty()) folder = top;
    if (top != folder || path.substr(slash + 1) == "__init__.py") return;
  }
  if (folder.empty()) return;
  const std::string prefix(folder);
  for (const core::PackageFile& file : files_) {
    // What stands beside the folder must not meet a name that comes out of it.
    if (file.path.starts_with("__MACOSX/") && by_path_.contains(prefix + file.path)) return;
  }
  by_path_.clear();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path.starts_with(prefix)) files_[i].path.erase(0, prefix.size());
    by_path_.emplace(files_[i].path, i);
  }
  skips_.StripFolder(prefix);
}

core::PackageView PackageBuilder::Finish(std::string target) {
  core::PackageView view;
  view.target = std::move(target);
  view.files = std::move(files_);
  std::sort(view.files.begin(), view.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  view.skipped = skips_.Take();
  for (const core::PackageFile& file : view.files) view.total_bytes += file.bytes.size();
  for (const core::SkippedPart& part : view.skipped) view.total_bytes += part.bytes;
  return view;
}

}  // namespace interlock::platform::internal
