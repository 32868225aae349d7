// Bytes of a plain, .gz or .zst file, in bounded memory.
//
//   Result<ByteSource> source = ByteSource::Open(path);
//   if (!source.ok()) return source.error();
//   for (;;) {
//     Result<std::string_view> chunk = source.value().Next();
//     if (!chunk.ok()) return chunk.error();
//     if (chunk.value().empty()) break;                 // the end
//     Use(chunk.value());
//   }
//
// The form is told by the first bytes, never by the name. All members of a .gz and all frames of a .zst are read.
// Memory: two buffers of 256 KiB, plus a window of 32 KiB (gzip) or at most 128 MiB (zstd; frames that ask for more are
// kDecompress). One thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/base/result.h"
#include "interlock/platform/fd.h"

namespace interlock::platform {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

struct ByteSourceOptions {
  // Most bytes that may come out (against decompression bombs); one more is kLimitExceeded.
  std::uint64_t max_output_bytes = std::numeric_limits<std::uint64_t>::max();
  bool decompress = true;  // false: bytes as they are
};

class ByteSource {
 public:
  // "-" is standard input. Regular files and pipes; anything else is kFileType. Opening a named pipe waits for its
  // writer.
  [[nodiscard]] static base::Result<ByteSource> Open(const std::string& path, const ByteSourceOptions& options = {});
  // Any readable, blocking descriptor; `name` stands in errors.
  [[nodiscard]] static base::Result<ByteSource> FromFd(UniqueFd fd, std::string name,
                                                       const ByteSourceOptions& options = {});
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // The next bytes, valid until the next call; empty at the end, and only there. kIo; kCompressedTruncated when
  // compressed data ends early; kDecompress when it is damaged, or followed by bytes that belong to nothing;
  // kLimitExceeded. An error is final: every later call returns it again. Bytes handed out before an error were
  // verified by no checksum yet.
  [[nodiscard]] base::Result<std::string_view> Next();

  [[nodiscard]] Compression compression() const noexcept;
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;      // from the file: for progress
  [[nodiscard]] std::uint64_t bytes_produced() const noexcept;  // handed out
  [[nodiscard]] std::uint64_t file_size() const noexcept;       // zero when not a regular file

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The whole output of a ByteSource; more than `max_bytes` is kLimitExceeded.
[[nodiscard]] base::Result<std::string> ReadStream(const std::string& path, std::size_t max_bytes);

}  // namespace interlock::platform
