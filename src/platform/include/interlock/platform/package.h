// What is to be scanned, read into memory: a folder, a single file, or an archive becomes a core::PackageView.
//
//   Result<core::PackageView> view = LoadPackage("skill/");
//   if (!view.ok()) return view.error();          // nothing there, or not to be read: the only failures
//   Scan(view.value());
//
// Everything else that goes wrong inside the target (a broken archive, a link out of it, a budget used up) is named in
// `skipped` and the rest is read. Where a folder has many of a kind, they are one part whose path ends in '/' and whose
// detail says how many.
//
// Folders are walked level by level, so that what lies near the top is read first; folders of other people's code
// (node_modules and the like) come last. In each folder the files that say what a package is come first, then the
// others by name: what a used-up budget leaves out does not depend on the order of the directory. Symbolic links to
// files inside the target are read as files; all other links are named. Nothing but regular files is ever opened.
// Version control's own stores (.git) are named, not read. Other file systems mounted inside are named, not entered.
//
// Archives are told by their content as well as by name: zip (also .whl .skill .mcpb .dxt .vsix .jar .docx, and zip
// data behind other bytes), tar, and tar or a single file in gzip, bzip2, xz or zstd. An archive that is the target
// itself gives its members as the files; if all of them lie in one folder, as in npm's and Python's source archives,
// that folder's name is left out, unless it is itself a Python package. An archive inside the package is a file like
// any other, and its members are beside it as "outer.zip!/inner/path", never shortened. A member that repeats a path
// replaces the one before it, as unpacking would; what it replaced is named (kUnsafePath). Absolute paths, drive
// letters, ".." and NUL bytes in a member's name are kUnsafePath; '\' in a zip counts as '/'. Links in archives are
// named. Encrypted members are kDamaged.
//
// Memory: the files kept, one archive at a time for each level of nesting, and some 300 bytes for an entry of a folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "interlock/base/result.h"
#include "interlock/core/package.h"

namespace interlock::platform {

struct PackageLimits {
  std::uint64_t max_total_bytes = std::uint64_t{512} << 20;    // of all files kept
  std::uint64_t max_file_bytes = std::uint64_t{32} << 20;      // one file; a larger one is kTooLarge, unread
  std::uint32_t max_files = 200'000;                           // kept, links and members included
  std::uint32_t max_folders = 100'000;                         // entered
  std::uint32_t max_entries = 2'000'000;                       // of folders and archives looked at
  std::uint32_t max_depth = 64;                                // folders in folders
  std::uint32_t max_archive_depth = 3;                         // archives in archives; 0: none is opened
  std::uint64_t max_archive_bytes = std::uint64_t{512} << 20;  // of the target, where it is an archive
  // All that comes out of archives, kept or not: bounds the time.
  std::uint64_t max_unpacked_bytes = std::uint64_t{2} << 30;
  // One archive whose output is more than `ratio_floor_bytes` and more than this many times its size is kBomb.
  std::uint32_t max_ratio = 200;
  std::uint64_t ratio_floor_bytes = std::uint64_t{32} << 20;
  std::uint32_t max_skipped = 4'000;  // entries of `skipped`; beyond that they are counted together
};

struct PackageProgress {
  std::uint64_t entries = 0;  // looked at
  std::uint64_t files = 0;    // kept
  std::uint64_t bytes = 0;    // kept
  std::string_view path;      // where it is; valid during the call
};
// Called on the loading thread every thousand entries or 16 MiB or so.
using OnPackageProgress = std::function<void(const PackageProgress&)>;

// Reads `path`. A link given as the target itself is followed. Errors: kFileNotFound, kIo (not to be read), kFileType
// (device, FIFO, socket), kInvalidArgument (empty path, NUL). `view.target` is `path` as given.
[[nodiscard]] base::Result<core::PackageView> LoadPackage(const std::string& path, const PackageLimits& limits = {},
                                                          const OnPackageProgress& on_progress = {});

// The same for bytes that are in memory already, as if they were a file called `name`. Total: whatever the bytes are,
// the view says what is in them. `name` may have folders; only what follows the last '/' counts.
[[nodiscard]] core::PackageView LoadPackageBytes(std::string_view name, std::string_view bytes,
                                                 const PackageLimits& limits = {});

}  // namespace interlock::platform
