// Archives made in memory. For tests.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/check.h"

namespace interlock::platform {

struct TestMember {
  std::string path;
  std::string bytes = {};
  std::string link = {};       // target of a symbolic link
  std::string hard_link = {};  // target of a hard link
  unsigned type = AE_IFREG;
  unsigned mode = 0644;
};

enum class TestFormat { kZip, kTar, kTarGzip, kTarBzip2, kTarXz, kTarZstd, kGzip };

inline std::string MakeArchive(TestFormat format, const std::vector<TestMember>& members,
                               const char* passphrase = nullptr) {
  ::archive* a = ::archive_write_new();
  switch (format) {
    case TestFormat::kZip:
      ::archive_write_set_format_zip(a);
      break;
    case TestFormat::kGzip:
      ::archive_write_set_format_raw(a);
      break;
    default:
      ::archive_write_set_format_pax_restricted(a);
      break;
  }
  if (format == TestFormat::kTarGzip || format == TestFormat::kGzip) ::archive_write_add_filter_gzip(a);
  if (format == TestFormat::kTarBzip2) ::archive_write_add_filter_bzip2(a);
  if (format == TestFormat::kTarXz) ::archive_write_add_filter_xz(a);
  if (format == TestFormat::kTarZstd) ::archive_write_add_filter_zstd(a);
  if (passphrase != nullptr) {
    ::archive_write_set_options(a, "zip:encryption=aes256");
    ::archive_write_set_passphrase(a, passphrase);
  }
  std::string out(std::size_t{1} << 16, '\0');
  for (const TestMember& member : members) out.resize(out.size() + member.bytes.size() + 4096);
  std::size_t used = 0;
  INTERLOCK_CHECK(::archive_write_open_memory(a, out.data(), out.size(), &used) == ARCHIVE_OK, "memory opens");
  for (const TestMember& member : members) {
    ::archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, member.path.c_str());
    ::archive_entry_set_filetype(entry, member.type);
    ::archive_entry_set_perm(entry, member.mode);
    if (!member.link.empty()) {
      ::archive_entry_set_filetype(entry, AE_IFLNK);
      ::archive_entry_set_symlink(entry, member.link.c_str());
    }
    if (!member.hard_link.empty()) ::archive_entry_set_hardlink(entry, member.hard_link.c_str());
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()));
    INTERLOCK_CHECK(::archive_write_header(a, entry) >= ARCHIVE_WARN, "a header is written");
    if (!member.bytes.empty()) ::archive_write_data(a, member.bytes.data(), member.bytes.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(a);
  ::archive_write_free(a);
  out.resize(used);
  return out;
}

}  // namespace interlock::platform
