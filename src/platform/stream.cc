#include "interlock/platform/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

namespace interlock::platform {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr int kMaxZstdWindowLog = 27;

struct InflateEnd {
  void operator()(z_stream* stream) const noexcept {
    ::inflateEnd(stream);
    delete stream;  // NOLINT(cppcoreguidelines-owning-memory): this is the owner's deleter
  }
};
struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const noexcept { ::ZSTD_freeDCtx(context); }
};

bool StartsLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool StartsLikeZstd(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const auto at = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(bytes[i])}; };
  const std::uint32_t magic = at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
  return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

}  // namespace

struct ByteSource::Impl {
  UniqueFd fd;
  std::string name;
  ByteSourceOptions options;
  Compression compression = Compression::kNone;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_produced = 0;
  std::uint64_t file_size = 0;

  std::vector<char> input = std::vector<char>(kBufferBytes);
  std::vector<char> output;
  std::string_view pending;  // read, not yet decompressed; points into `input`
  bool at_end_of_file = false;
  bool inside_frame = false;       // compressed data that must not end here
  bool more_output_waits = false;  // zstd filled the output and may hold more
  std::unique_ptr<z_stream, InflateEnd> gzip;
  std::unique_ptr<ZSTD_DCtx, FreeZstd> zstd;
  std::optional<Error> failure;

  [[nodiscard]] Error Fail(ErrorCode code, std::string message) const {
    base::SourcePlace place;
    place.file = name;
    place.offset = bytes_read - pending.size();
    return Error(code, std::move(message), std::move(place));
  }

  // Reads once into `input` behind `kept` bytes; an empty `pending` afterwards means the end of the file.
  Status Fill(std::size_t kept = 0) {
    for (;;) {
      const Result<Transfer> moved = ReadSome(fd.get(), std::span(input).subspan(kept));
      if (!moved.ok()) return Fail(moved.error().code(), moved.error().message());
      if (moved.value().state == Transfer::State::kWouldBlock) return Fail(ErrorCode::kIo, "input is non-blocking");
      at_end_of_file = moved.value().state == Transfer::State::kClosed;
      bytes_read += moved.value().bytes;
      pending = std::string_view(input.data(), kept + moved.value().bytes);
      return {};
    }
  }

  Status Start() {
    // A pipe may hand out its first bytes one by one: read on until four are there to tell the form by.
    do {
      if (Status status = Fill(pending.size()); !status.ok()) return status;
    } while (!at_end_of_file && pending.size() < 4);
    if (!options.decompress) return {};
    if (StartsLikeGzip(pending)) {
      compression = Compression::kGzip;
      gzip.reset(new z_stream{});
      // 16: gzip only. 15: the largest window the format knows, 32 KiB.
      if (::inflateInit2(gzip.get(), 16 + 15) != Z_OK) return Fail(ErrorCode::kInternal, "zlib does not start");
    } else if (StartsLikeZstd(pending)) {
      compression = Compression::kZstd;
      zstd.reset(::ZSTD_createDCtx());
      if (zstd == nullptr ||
          ::ZSTD_isError(::ZSTD_DCtx_setParameter(zstd.get(), ZSTD_d_windowLogMax, kMaxZstdWindowLog)) != 0) {
        return Fail(ErrorCode::kInternal, "zstd does not start");
      }
    }
    if (compression != Compression::kNone) output.resize(kBufferBytes);
    return {};
  }

  Result<std::string_view> NextPlain() {
    if (pending.empty() && !at_end_of_file) {
      if (Status status = Fill(); !status.ok()) return status.error();
    }
    return std::exchange(pending, {});
  }

  Result<std::string_view> NextCompressed() {
    for (;;) {
      if (pending.empty() && !more_output_waits && !at_end_of_file) {
        if (Status status = Fill(); !status.ok()) return status.error();
      }
      if (pending.empty() && !more_output_waits) {
        if (inside_frame) return Fail(ErrorCode::kCompressedTruncated, "the file ends inside compressed data");
        return std::string_view();
      }
      const Result<std::size_t> produced = compression == Compression::kGzip ? InflateOnce() : ZstdOnce();
      if (!produced.ok()) return produced.error();
      if (produced.value() > 0) return std::string_view(output.data(), produced.value());
    }
  }

  Result<std::size_t> InflateOnce() {
    if (!inside_frame) {
      if (!StartsLikeGzip(pending) && pending != "\x1f") {
        return Fail(ErrorCode::kDecompress, "bytes after the compressed data");
      }
      if (::inflateReset(gzip.get()) != Z_OK) return Fail(ErrorCode::kInternal, "zlib does not restart");
      inside_frame = true;
    }
    gzip->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(pending.data()));
    gzip->avail_in = static_cast<uInt>(pending.size());
    gzip->next_out = reinterpret_cast<Bytef*>(output.data());
    gzip->avail_out = static_cast<uInt>(output.size());
    const int rc = ::inflate(gzip.get(), Z_NO_FLUSH);
    pending = pending.substr(pending.size() - gzip->avail_in);
    more_output_waits = gzip->avail_out == 0 && rc != Z_STREAM_END;
    // Z_BUF_ERROR: nothing to do with what is there; not an error while more can be read.
    if (rc == Z_STREAM_END) {
      inside_frame = false;
    } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
      return Fail(ErrorCode::kDecompress, fmt::format("gzip data is damaged ({})", rc));
    }
    return output.size() - gzip->avail_out;
  }

  Result<std::size_t> ZstdOnce() {
    ZSTD_inBuffer in{.src = pending.data(), .size = pending.size(), .pos = 0};
    ZSTD_outBuffer out{.dst = output.data(), .size = output.size(), .pos = 0};
    const std::size_t rc = ::ZSTD_decompressStream(zstd.get(), &out, &in);
    pending = pending.substr(in.pos);
    if (::ZSTD_isError(rc) != 0) {
      return Fail(ErrorCode::kDecompress, fmt::format("zstd data is damaged: {}", ::ZSTD_getErrorName(rc)));
    }
    inside_frame = rc != 0;
    more_output_waits = inside_frame && out.pos == out.size;
    return out.pos;
  }

  Result<std::string_view> Next() {
    Result<std::string_view> chunk = compression == Compression::kNone ? NextPlain() : NextCompressed();
    if (!chunk.ok()) return chunk.error();
    if (chunk.value().size() > options.max_output_bytes - bytes_produced) {
      return Fail(ErrorCode::kLimitExceeded, fmt::format("more than {} bytes of data", options.max_output_bytes));
    }
    bytes_produced += chunk.value().size();
    return chunk;
  }
};

ByteSource::ByteSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::Open(const std::string& path, const ByteSourceOptions& options) {
  if (path == "-") {
    // A copy, so that destroying the source does not close standard input.
    UniqueFd fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!fd.valid()) return SystemError(errno, "open standard input");
    return FromFd(std::move(fd), "-", options);
  }
  if (path.empty() || path.find('\0') != std::string::npos) {
    return Error(ErrorCode::kInvalidArgument, "path is empty or holds a NUL byte");
  }
  UniqueFd fd;
  do {
    fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  } while (!fd.valid() && errno == EINTR);
  if (!fd.valid()) return SystemError(errno, "open", path);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return SystemError(errno, "stat", path);
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
    base::SourcePlace place;
    place.file = path;
    return Error(ErrorCode::kFileType, "neither a regular file nor a pipe", std::move(place));
  }
  return FromFd(std::move(fd), path, options);
}

Result<ByteSource> ByteSource::FromFd(UniqueFd fd, std::string name, const ByteSourceOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->fd = std::move(fd);
  impl->name = std::move(name);
  impl->options = options;
  struct stat info{};
  if (::fstat(impl->fd.get(), &info) == 0 && S_ISREG(info.st_mode)) {
    impl->file_size = static_cast<std::uint64_t>(info.st_size);
    // Only advice: the file is read once, front to back.
    ::posix_fadvise(impl->fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  if (Status status = impl->Start(); !status.ok()) return status.error();
  return ByteSource(std::move(impl));
}

Result<std::string_view> ByteSource::Next() {
  if (impl_->failure.has_value()) return *impl_->failure;
  Result<std::string_view> chunk = impl_->Next();
  if (!chunk.ok()) impl_->failure = chunk.error();
  return chunk;
}

Compression ByteSource::compression() const noexcept { return impl_->compression; }
std::uint64_t ByteSource::bytes_read() const noexcept { return impl_->bytes_read; }
std::uint64_t ByteSource::bytes_produced() const noexcept { return impl_->bytes_produced; }
std::uint64_t ByteSource::file_size() const noexcept { return impl_->file_size; }

Result<std::string> ReadStream(const std::string& path, std::size_t max_bytes) {
  Result<ByteSource> source = ByteSource::Open(path, {.max_output_bytes = max_bytes});
  if (!source.ok()) return source.error();
  std::string bytes;
  for (;;) {
    const Result<std::string_view> chunk = source.value().Next();
    if (!chunk.ok()) return chunk.error();
    if (chunk.value().empty()) return bytes;
    bytes += chunk.value();
  }
}

}  // namespace interlock::platform
