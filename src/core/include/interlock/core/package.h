// What is scanned, as values: the files of a skill, a server, a module or an archive, and what of them was left out.
//
// `platform` (folders, archives) and `runtime` (live servers) fill a PackageView; `scan` works on it in memory. Every
// byte of the target is either in `files` or named in `skipped`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::core {

// Path of the virtual file in which a live server's lists are kept, in the shape of `interlock.mcp-listing/v1`:
// {"schema":..,"server":{"name","version"},"instructions":"..","capabilities":{..},"tools":[..],"prompts":[..],
//  "resources":[..],"resourceTemplates":[..]}, each entry as the server sent it.
inline constexpr std::string_view kMcpListingPath = "mcp-listing.json";

struct PackageFile {
  // Relative, '/' between parts, no "." or "..", UTF-8 where the original is; members of an archive inside the package
  // are "outer.zip!/inner/path".
  std::string path;
  std::string bytes;
  bool executable = false;
};

// Why a part is not in `files`, or not all of it. Never a mark against the package by itself, but never hidden either.
enum class SkipReason : std::uint8_t {
  kTooLarge,      // one file over the limit
  kBudget,        // the package's budget (bytes, files, time) was used up before it
  kTooDeep,       // folders or archives in archives
  kLink,          // a symbolic or hard link that is not followed (target in `detail`)
  kUnsafePath,    // archive member that would leave the package, or an absolute path
  kSpecial,       // device, FIFO, socket
  kUnreadable,    // permission, input/output error
  kDamaged,       // archive or compression is broken or encrypted
  kBomb,          // would unpack to far more than it is
  kIgnored,       // version control's own store (.git): not part of what is installed
  kUnsupported,   // of a type that no analyser reads (images, fonts, media): hashed, not analysed
  kParserBudget,  // an analyser's own limits (steps, depth); detail names it
};
[[nodiscard]] std::string_view NameOf(SkipReason reason) noexcept;  // "too-large" "budget" ...

// SkippedPart::detail of a machine program that is too large to be kept.
inline constexpr std::string_view kCompiledProgram = "a compiled program";
// Detail of a file whose constants were too many to be kept: what it does was followed all the same, with some of its
// values unknown.
inline constexpr std::string_view kConstantsLeftOut = "more constants than are kept: some values are not known";

struct SkippedPart {
  std::string path;  // a file, or a folder ending in '/'
  SkipReason reason = SkipReason::kBudget;
  std::uint64_t bytes = 0;  // not analysed; 0 when not known
  std::string detail = {};
};

struct PackageView {
  std::string target;              // as the user named it
  std::vector<PackageFile> files;  // sorted by path, no path twice
  std::vector<SkippedPart> skipped;
  std::uint64_t total_bytes = 0;  // of the target, as far as known: files plus skipped
  [[nodiscard]] const PackageFile* Find(std::string_view path) const noexcept;
};

}  // namespace interlock::core
