// links: base core platform
// Archives of any kind: whatever the bytes are, the view holds paths that stay inside, none twice, within the limits,
// and the same bytes give the same view.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interlock/platform/package.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

bool StaysInside(std::string_view path) {
  if (path.empty() || path.starts_with('/')) return false;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock;  // NOLINT: a fuzz target is one file
  const platform::PackageLimits limits{.max_total_bytes = std::uint64_t{4} << 20,
                                       .max_file_bytes = std::uint64_t{1} << 20,
                                       .max_files = 500,
                                       .max_entries = 2000,
                                       .max_unpacked_bytes = std::uint64_t{8} << 20,
                                       .ratio_floor_bytes = std::uint64_t{2} << 20,
                                       .max_skipped = 100};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const core::PackageView view = platform::LoadPackageBytes("target.bin", bytes, limits);
  Require(!view.files.empty() || !view.skipped.empty());
  Require(view.files.size() <= limits.max_files);
  Require(view.skipped.size() <= 2 * limits.max_skipped + 32);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < view.files.size(); ++i) {
    Require(StaysInside(view.files[i].path));
    Require(i == 0 || view.files[i - 1].path < view.files[i].path);
    Require(view.files[i].bytes.size() <= limits.max_file_bytes);
    total += view.files[i].bytes.size();
  }
  Require(total <= limits.max_total_bytes);
  const core::PackageView again = platform::LoadPackageBytes("target.bin", bytes, limits);
  Require(again.files.size() == view.files.size() && again.skipped.size() == view.skipped.size());
  return 0;
}
