// Databases of known vulnerabilities, from files.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "interlock/base/text.h"
#include "interlock/platform/package.h"
#include "scan_command.h"

namespace interlock::app {
namespace {

// npm's list is some hundred thousand small files, or one of a gigabyte.
constexpr platform::PackageLimits kLimits = {.max_total_bytes = std::uint64_t{3} << 30,
                                             .max_file_bytes = std::uint64_t{2} << 30,
                                             .max_files = 2'000'000,
                                             .max_entries = 4'000'000,
                                             .max_archive_depth = 1,
                                             .max_archive_bytes = std::uint64_t{2} << 30,
                                             .max_unpacked_bytes = std::uint64_t{3} << 30};

}  // namespace

base::Result<scan::VulnerabilityIndex> ReadOsv(const std::vector<std::string>& paths) {
  using base::Error;
  using base::ErrorCode;
  scan::VulnerabilityIndex index;
  for (const std::string& path : paths) {
    base::Result<core::PackageView> view = platform::LoadPackage(path, kLimits);
    if (!view.ok()) return view.error().Under(path);
    for (const core::SkippedPart& part : view.value().skipped) {
      if (part.reason == core::SkipReason::kIgnored) continue;
      return Error(ErrorCode::kInvalidArgument, fmt::format("the database is not readable to its end: {} ({})",
                                                            base::Printable(part.path, 120), core::NameOf(part.reason)))
          .Under(path);
    }
    const scan::VulnerabilityIndex::Counts before = index.counts();
    for (core::PackageFile& file : view.value().files) {
      // The archive itself stands beside its members in some views.
      if (file.bytes.starts_with("PK\x03\x04")) continue;
      index.Add(file.bytes);
      file.bytes = std::string();
    }
    const scan::VulnerabilityIndex::Counts& now = index.counts();
    if (now.kept + now.others == before.kept + before.others) {
      return Error(ErrorCode::kInvalidArgument, "no OSV entry in it").Under(path);
    }
    if (now.broken != before.broken || now.unordered != before.unordered) {
      fmt::print(stderr, "interlock scan: {}: left out {} broken entries and {} ranges that cannot be ordered\n",
                 base::Printable(path, 200), now.broken - before.broken, now.unordered - before.unordered);
    }
  }
  return index;
}

}  // namespace interlock::app
