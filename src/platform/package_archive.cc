// Archives by libarchive, which reads hostile bytes here: only the formats and filters that packages use are switched
// on, each only where the first bytes say so, and nothing is ever written to the file system.
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <memory>
#include <optional>

#include "interlock/platform/shared_library.h"
#include "package_builder.h"

namespace interlock::platform::internal {

namespace {

using core::SkipReason;

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxParts = 128;
constexpr int kMaxRetries = 16;

// libarchive's functions that are used here: it is loaded with the first archive, and brings six libraries with it.
struct Functions {
  decltype(::archive_entry_filetype)* entry_filetype = nullptr;
  decltype(::archive_entry_hardlink)* entry_hardlink = nullptr;
  decltype(::archive_entry_is_encrypted)* entry_is_encrypted = nullptr;
  decltype(::archive_entry_pathname)* entry_pathname = nullptr;
  decltype(::archive_entry_pathname_utf8)* entry_pathname_utf8 = nullptr;
  decltype(::archive_entry_perm)* entry_perm = nullptr;
  decltype(::archive_entry_size)* entry_size = nullptr;
  decltype(::archive_entry_size_is_set)* entry_size_is_set = nullptr;
  decltype(::archive_entry_symlink)* entry_symlink = nullptr;
  decltype(::archive_error_string)* error_string = nullptr;
  decltype(::archive_read_data_block)* read_data_block = nullptr;
  decltype(::archive_read_free)* read_free = nullptr;
  decltype(::archive_read_new)* read_new = nullptr;
  decltype(::archive_read_next_header)* read_next_header = nullptr;
  decltype(::archive_read_open_memory)* read_open_memory = nullptr;
  decltype(::archive_read_set_options)* read_set_options = nullptr;
  decltype(::archive_read_support_filter_bzip2)* read_support_filter_bzip2 = nullptr;
  decltype(::archive_read_support_filter_gzip)* read_support_filter_gzip = nullptr;
  decltype(::archive_read_support_filter_xz)* read_support_filter_xz = nullptr;
  decltype(::archive_read_support_filter_zstd)* read_support_filter_zstd = nullptr;
  decltype(::archive_read_support_format_raw)* read_support_format_raw = nullptr;
  decltype(::archive_read_support_format_tar)* read_support_format_tar = nullptr;
  decltype(::archive_read_support_format_zip_seekable)* read_support_format_zip_seekable = nullptr;
  decltype(::archive_read_support_format_zip_streamable)* read_support_format_zip_streamable = nullptr;

  // nullptr: it is not installed, or is another one than this was built with.
  static const Functions* Load() {
    static const std::optional<Functions> loaded = [] {
      Functions all;
      const SharedLibrary library(INTERLOCK_LIBARCHIVE);
      const bool complete =
          library.Take("archive_entry_filetype", all.entry_filetype) &&
          library.Take("archive_entry_hardlink", all.entry_hardlink) &&
          library.Take("archive_entry_is_encrypted", all.entry_is_encrypted) &&
          library.Take("archive_entry_pathname", all.entry_pathname) &&
          library.Take("archive_entry_pathname_utf8", all.entry_pathname_utf8) &&
          library.Take("archive_entry_perm", all.entry_perm) && library.Take("archive_entry_size", all.entry_size) &&
          library.Take("archive_entry_size_is_set", all.entry_size_is_set) &&
          library.Take("archive_entry_symlink", all.entry_symlink) &&
          library.Take("archive_error_string", all.error_string) &&
          library.Take("archive_read_data_block", all.read_data_block) &&
          library.Take("archive_read_free", all.read_free) && library.Take("archive_read_new", all.read_new) &&
          library.Take("archive_read_next_header", all.read_next_header) &&
          library.Take("archive_read_open_memory", all.read_open_memory) &&
          library.Take("archive_read_set_options", all.read_set_options) &&
          library.Take("archive_read_support_filter_bzip2", all.read_support_filter_bzip2) &&
          library.Take("archive_read_support_filter_gzip", all.read_support_filter_gzip) &&
          library.Take("archive_read_support_filter_xz", all.read_support_filter_xz) &&
          library.Take("archive_read_support_filter_zstd", all.read_support_filter_zstd) &&
          library.Take("archive_read_support_format_raw", all.read_support_format_raw) &&
          library.Take("archive_read_support_format_tar", all.read_support_format_tar) &&
          library.Take("archive_read_support_format_zip_seekable", all.read_support_format_zip_seekable) &&
          library.Take("archive_read_support_format_zip_streamable", all.read_support_format_zip_streamable);
      return complete ? std::optional(all) : std::nullopt;
    }();
    return loaded ? &*loaded : nullptr;
  }
};

// Asked only for an archive that was opened, or is about to be.
const Functions& Lib() { return *Functions::Load(); }

struct ArchiveCloser {
  void operator()(::archive* a) const noexcept { Lib().read_free(a); }
};
using ArchivePtr = std::unique_ptr<::archive, ArchiveCloser>;

// libarchive converts names to the locale's characters and loses what does not fit: in "C", all but ASCII.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr))) {
    if (locale_ != nullptr) old_ = ::uselocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    ::uselocale(old_);
    ::freelocale(locale_);
  }

 private:
  locale_t locale_;
  locale_t old_ = nullptr;
};

struct ZipDirectory {
  std::uint64_t entries = 0;  // at most: records of archives stored inside count too
  std::vector<std::string> cut_names;
};

// The reader loads a zip's whole directory before the first member, and cuts names at a NUL byte.
ZipDirectory LookAtZipDirectory(std::string_view bytes) {
  constexpr std::size_t kRecord = 46;
  constexpr std::size_t kNameLength = 28;
  constexpr std::size_t kMaxCutNames = 32;
  ZipDirectory out;
  for (std::size_t at = bytes.find("PK\1\2"); at != std::string_view::npos; at = bytes.find("PK\1\2", at + 4)) {
    ++out.entries;
    if (bytes.size() - at < kRecord) break;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    const std::size_t length = byte(kNameLength) | static_cast<std::size_t>(byte(kNameLength + 1)) << 8;
    const std::string_view name = bytes.substr(at + kRecord, length);
    const std::size_t nul = name.find('\0');
    if (nul != std::string_view::npos && out.cut_names.size() < kMaxCutNames)
      out.cut_names.emplace_back(name.substr(0, nul));
  }
  return out;
}

enum class Mode : std::uint8_t { kMembers, kSingleFile };

ArchivePtr OpenArchive(ArchiveKind kind, Mode mode, std::string_view bytes, bool seekable, std::string& problem) {
  if (Functions::Load() == nullptr) {
    problem = "the library that reads archives is not installed";
    return nullptr;
  }
  ArchivePtr a(Lib().read_new());
  if (a == nullptr) {
    problem = "out of memory";
    return nullptr;
  }
  int rc = ARCHIVE_OK;
  switch (kind) {
    case ArchiveKind::kGzip:
      rc = Lib().read_support_filter_gzip(a.get());
      break;
    case ArchiveKind::kBzip2:
      rc = Lib().read_support_filter_bzip2(a.get());
      break;
    case ArchiveKind::kXz:
      rc = Lib().read_support_filter_xz(a.get());
      break;
    case ArchiveKind::kZstd:
      rc = Lib().read_support_filter_zstd(a.get());
      break;
    case ArchiveKind::kZip:
    case ArchiveKind::kTar:
    case ArchiveKind::kNone:
      break;
  }
  // Anything but "ok" means that the library would start a program to do it.
  if (rc != ARCHIVE_OK) {
    problem = "this build does not read the compression";
    return nullptr;
  }
  if (mode == Mode::kSingleFile) {
    rc = Lib().read_support_format_raw(a.get());
  } else if (kind == ArchiveKind::kZip) {
    rc = seekable ? Lib().read_support_format_zip_seekable(a.get()) : Lib().read_support_format_zip_streamable(a.get());
  } else {
    rc = Lib().read_support_format_tar(a.get());
    // What follows the end mark is unpacked by some programs and not by others.
    if (rc == ARCHIVE_OK) (void)Lib().read_set_options(a.get(), "tar:read_concatenated_archives");
  }
  if (rc == ARCHIVE_OK) rc = Lib().read_open_memory(a.get(), bytes.data(), bytes.size());
  if (rc == ARCHIVE_OK) return a;
  const char* text = Lib().error_string(a.get());
  problem = text != nullptr ? text : "cannot be opened";
  return nullptr;
}

std::string ProblemOf(::archive* a) {
  const char* text = Lib().error_string(a);
  return text != nullptr ? text : "damaged";
}

enum class PathFault : std::uint8_t { kNone, kUnsafe, kTooDeep, kIgnored };

// The member's path as it lies below the package, or why it does not.
PathFault CleanPath(std::string_view raw, bool backslash_separates, std::string& out) {
  out.clear();
  std::string path(raw);
  // The reader has done so already for zips that say they are from Windows.
  if (backslash_separates) std::replace(path.begin(), path.end(), '\\', '/');
  const bool has_drive = path.size() >= 2 && path[1] == ':' && ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z');
  if (path.empty() || path.size() > kMaxPath || path[0] == '/' || has_drive) return PathFault::kUnsafe;
  std::size_t parts = 0;
  bool ignored = false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = std::string_view(path).substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return PathFault::kUnsafe;
    if (++parts > kMaxParts) return PathFault::kTooDeep;
    ignored = ignored || IsVersionControl(part);
    if (!out.empty()) out += '/';
    out += part;
  }
  if (out.empty()) return PathFault::kUnsafe;
  return ignored ? PathFault::kIgnored : PathFault::kNone;
}

// "x.json.gz" unpacks to "x.json", "x.tgz" to "x.tar".
std::string SingleFileName(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return "content";
  const std::string_view suffix = name.substr(dot);
  name = name.substr(0, dot);
  const bool is_tar = suffix == ".tgz" || suffix == ".txz" || suffix == ".tbz2" || suffix == ".tzst";
  return std::string(name) + (is_tar ? ".tar" : "");
}

// One archive on its way into the builder.
class Unpacker {
 public:
  Unpacker(PackageBuilder& builder, ::archive* a, std::string_view name, std::uint64_t packed_bytes,
           const std::string& prefix, bool is_zip, bool seekable)
      : builder_(builder),
        a_(a),
        name_(name),
        packed_bytes_(packed_bytes),
        prefix_(prefix),
        is_zip_(is_zip),
        seekable_(seekable) {}

  // False when no member was seen.
  [[nodiscard]] bool Run(const std::string& single_name) {
    bool any = false;
    for (int retries = 0; retries < kMaxRetries;) {
      ::archive_entry* entry = nullptr;
      const int rc = Lib().read_next_header(a_, &entry);
      if (rc == ARCHIVE_EOF) return any;
      if (rc == ARCHIVE_RETRY) {
        ++retries;
        continue;
      }
      if (rc < ARCHIVE_WARN) {
        Stop(SkipReason::kDamaged, ProblemOf(a_));
        return any;
      }
      any = true;
      if (!builder_.CountEntry(name_)) {
        Stop(SkipReason::kBudget, "too many entries");
        return true;
      }
      if (!Member(entry, single_name)) return true;
    }
    Stop(SkipReason::kDamaged, "no progress");
    return true;
  }

 private:
  // The rest of this archive is not read.
  void Stop(SkipReason reason, std::string detail) {
    builder_.Skip(prefix_.empty() ? "./" : prefix_, reason, 0, "the rest of the archive: " + std::move(detail));
  }

  [[nodiscard]] bool Member(::archive_entry* entry, const std::string& single_name) {
    const char* raw = single_name.empty() ? Lib().entry_pathname(entry) : single_name.c_str();
    if (raw == nullptr) raw = Lib().entry_pathname_utf8(entry);
    const std::int64_t stated = Lib().entry_size_is_set(entry) != 0 ? Lib().entry_size(entry) : 0;
    const std::uint64_t size = stated > 0 ? static_cast<std::uint64_t>(stated) : 0;
    const std::string_view original = raw != nullptr ? raw : "";
    std::string path;
    const PathFault fault = CleanPath(original, is_zip_, path);
    const auto type = Lib().entry_filetype(entry);
    if (fault == PathFault::kUnsafe) {
      builder_.Skip(prefix_ + std::string(original.substr(0, kMaxPath)), SkipReason::kUnsafePath, size,
                    "a member's path that leaves the package");
      return Drain();
    }
    if (type == AE_IFDIR && Lib().entry_hardlink(entry) == nullptr) return true;
    path = prefix_ + path;
    if (fault != PathFault::kNone) {
      builder_.Skip(std::move(path), fault == PathFault::kTooDeep ? SkipReason::kTooDeep : SkipReason::kIgnored, size);
      return Drain();
    }
    const char* link = Lib().entry_hardlink(entry);
    if (link == nullptr) link = Lib().entry_symlink(entry);
    if (link != nullptr || type == AE_IFLNK) {
      builder_.Skip(std::move(path), SkipReason::kLink, 0,
                    link != nullptr ? "-> " + std::string(std::string_view(link).substr(0, kMaxPath)) : "");
      return Drain();
    }
    if (type != AE_IFREG && type != 0) {
      builder_.Skip(std::move(path), SkipReason::kSpecial);
      return Drain();
    }
    if (Lib().entry_is_encrypted(entry) != 0) {
      builder_.Skip(std::move(path), SkipReason::kDamaged, size, "encrypted");
      return Drain();
    }
    if (size > builder_.limits().max_file_bytes) {
      const void* block = nullptr;
      std::size_t length = 0;
      la_int64_t offset = 0;
      const bool read = Lib().read_data_block(a_, &block, &length, &offset) == ARCHIVE_OK && offset == 0;
      if (read && !CountOutput(length)) return false;
      const bool program =
          read && IsProgramHead({static_cast<const char*>(block), std::min<std::size_t>(length, kProgramHead)});
      builder_.Skip(std::move(path), SkipReason::kTooLarge, size,
                    std::string(program ? core::kCompiledProgram : std::string_view()));
      return Drain();
    }
    if (!builder_.HasRoomForFile() || size > builder_.bytes_left()) {
      builder_.Skip(std::move(path), SkipReason::kBudget, size);
      return Drain();
    }
    return Content(entry, std::move(path), size);
  }

  [[nodiscard]] bool Content(::archive_entry* entry, std::string path, std::uint64_t size) {
    // The stated size is a hint that may lie; no more than this is taken on trust.
    constexpr std::uint64_t kTrusted = std::uint64_t{1} << 20;
    const bool executable = (Lib().entry_perm(entry) & 0111) != 0;
    const std::uint64_t most = std::min(builder_.limits().max_file_bytes, builder_.bytes_left());
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(std::min(size, kTrusted)));
    for (int retries = 0; retries < kMaxRetries;) {
      const void* block = nullptr;
      std::size_t length = 0;
      la_int64_t offset = 0;
      const int rc = Lib().read_data_block(a_, &block, &length, &offset);
      if (rc == ARCHIVE_EOF) break;
      if (rc == ARCHIVE_RETRY) {
        ++retries;
        continue;
      }
      if (rc < ARCHIVE_WARN) {
        builder_.Skip(path, SkipReason::kDamaged, size > bytes.size() ? size - bytes.size() : 0, ProblemOf(a_));
        if (!bytes.empty()) builder_.Keep(std::move(path), std::move(bytes), executable);
        if (rc == ARCHIVE_FATAL) {
          Stop(SkipReason::kDamaged, ProblemOf(a_));
          return false;
        }
        return true;
      }
      if (!CountOutput(length)) return false;
      const auto at = static_cast<std::uint64_t>(std::max<la_int64_t>(offset, 0));
      if (at > most || length > most - at) {
        builder_.Skip(std::move(path),
                      most == builder_.limits().max_file_bytes ? SkipReason::kTooLarge : SkipReason::kBudget,
                      std::max<std::uint64_t>(size, at + length));
        return Drain();
      }
      if (at > bytes.size()) bytes.resize(static_cast<std::size_t>(at), '\0');  // a hole of a sparse file
      if (length > 0) bytes.append(static_cast<const char*>(block), length);
      if (rc == ARCHIVE_WARN) builder_.Skip(path, SkipReason::kDamaged, 0, ProblemOf(a_));
    }
    builder_.Keep(std::move(path), std::move(bytes), executable);
    return true;
  }

  // Passes over what is left of the member, counting. A zip with a directory seeks to the next one instead.
  [[nodiscard]] bool Drain() {
    if (seekable_) return true;
    for (int retries = 0; retries < kMaxRetries;) {
      const void* block = nullptr;
      std::size_t length = 0;
      la_int64_t offset = 0;
      const int rc = Lib().read_data_block(a_, &block, &length, &offset);
      if (rc == ARCHIVE_EOF) return true;
      if (rc == ARCHIVE_RETRY) {
        ++retries;
        continue;
      }
      if (rc == ARCHIVE_FATAL) {
        Stop(SkipReason::kDamaged, ProblemOf(a_));
        return false;
      }
      if (rc < ARCHIVE_WARN) return true;
      if (!CountOutput(length)) return false;
    }
    Stop(SkipReason::kDamaged, "no progress");
    return false;
  }

  [[nodiscard]] bool CountOutput(std::size_t length) {
    output_ += length;
    builder_.CountUnpacked(length);
    const PackageLimits& limits = builder_.limits();
    if (output_ > limits.ratio_floor_bytes && output_ / limits.max_ratio > packed_bytes_) {
      Stop(SkipReason::kBomb, "it unpacks to more than " + std::to_string(limits.max_ratio) + " times its size");
      return false;
    }
    if (builder_.unpack_left() == 0) {
      Stop(SkipReason::kBudget, "too much was unpacked");
      return false;
    }
    return true;
  }

  PackageBuilder& builder_;
  ::archive* a_;
  std::string_view name_;
  std::uint64_t packed_bytes_;
  const std::string& prefix_;
  bool is_zip_;
  bool seekable_;
  std::uint64_t output_ = 0;
};

}  // namespace

void PackageBuilder::Unpack(ArchiveKind kind, std::string_view name, std::string_view bytes,
                            const std::string& prefix) {
  const Utf8Locale utf8;
  const std::string whole = prefix.empty() ? "./" : prefix;
  const bool is_zip = kind == ArchiveKind::kZip;
  bool seekable = false;
  if (is_zip) {
    const ZipDirectory directory = LookAtZipDirectory(bytes);
    // INVARIANT: the library's own table of a zip's members stays bounded.
    if (directory.entries > std::uint64_t{2} * limits_.max_files)
      return Skip(whole, SkipReason::kBudget, bytes.size(), "an archive of too many members");
    for (const std::string& cut : directory.cut_names)
      Skip(prefix + cut, SkipReason::kUnsafePath, 0, "a member's name that holds a NUL byte");
    seekable = EndsAsZip(bytes);
  }
  std::string problem;
  const bool compressed = !is_zip && kind != ArchiveKind::kTar;
  const ArchivePtr members = OpenArchive(kind, Mode::kMembers, bytes, seekable, problem);
  if (members != nullptr) {
    const bool any = Unpacker(*this, members.get(), name, bytes.size(), prefix, is_zip, seekable).Run("");
    // A file that begins with zeros passes for an empty tar.
    if (any || !compressed) return;
  }
  if (compressed) {
    // Not a tar inside: one file, whatever it is. "Raw" reads anything, hence only behind a compression that is there.
    const ArchivePtr single = OpenArchive(kind, Mode::kSingleFile, bytes, false, problem);
    if (single != nullptr) {
      (void)Unpacker(*this, single.get(), name, bytes.size(), prefix, false, false).Run(SingleFileName(name));
      return;
    }
  }
  Skip(whole, SkipReason::kDamaged, 0, "not readable: " + problem);
}

}  // namespace interlock::platform::internal
