#include "interlock/platform/stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"
#include "interlock/platform/random.h"
#include "temp_dir_for_test.h"

namespace interlock::platform {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::string Zstd(std::string_view bytes, int window_log = 0) {
  ZSTD_CCtx* context = ::ZSTD_createCCtx();
  ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log != 0) {
    ::ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ::ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string out(::ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_inBuffer in{.src = bytes.data(), .size = bytes.size(), .pos = 0};
  ZSTD_outBuffer buffer{.dst = out.data(), .size = out.size(), .pos = 0};
  // Streaming without a pledged size: otherwise the window shrinks to the content.
  while (in.pos < in.size)
    EXPECT_EQ(::ZSTD_isError(::ZSTD_compressStream2(context, &buffer, &in, ZSTD_e_continue)), 0u);
  EXPECT_EQ(::ZSTD_compressStream2(context, &buffer, &in, ZSTD_e_end), 0u);
  ::ZSTD_freeCCtx(context);
  out.resize(buffer.pos);
  return out;
}

std::string Mixed(std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const Result<std::string> hex = RandomHex(512);
    EXPECT_TRUE(hex.ok());
    bytes += hex.value();
    bytes += std::string(700, 'x') + "\n";
  }
  bytes.resize(size);
  return bytes;
}

struct Outcome {
  std::string bytes;
  bool ok = true;
  ErrorCode code = ErrorCode::kInternal;
};

Outcome Drain(ByteSource source) {
  Outcome outcome;
  for (;;) {
    const Result<std::string_view> chunk = source.Next();
    if (!chunk.ok()) {
      outcome.ok = false;
      outcome.code = chunk.error().code();
      // An error is final.
      const Result<std::string_view> again = source.Next();
      EXPECT_TRUE(!again.ok() && again.error().code() == outcome.code);
      return outcome;
    }
    if (chunk.value().empty()) break;
    outcome.bytes += chunk.value();
  }
  const Result<std::string_view> after = source.Next();
  EXPECT_TRUE(after.ok() && after.value().empty());
  return outcome;
}

Outcome Read(std::string_view file, const ByteSourceOptions& options = {}) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_TRUE(WriteAll(fd.get(), file).ok());
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_SET), 0);
  Result<ByteSource> source = ByteSource::FromFd(std::move(fd), "test", options);
  EXPECT_TRUE(source.ok());
  return Drain(std::move(source.value()));
}

TEST(ByteSourceTest, ReadsEveryForm) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{262'143},
                                 std::size_t{262'144}, std::size_t{262'145}, std::size_t{1'500'000}}) {
    const std::string bytes = Mixed(size);
    for (const std::string& file : {bytes, Gzip(bytes), Zstd(bytes)}) {
      const Outcome outcome = Read(file);
      ASSERT_TRUE(outcome.ok) << size;
      EXPECT_TRUE(outcome.bytes == bytes) << size;
    }
  }
}

TEST(ByteSourceTest, ReadsAllMembersAndFrames) {
  const std::string a = Mixed(300'000);
  const std::string b = Mixed(10);
  EXPECT_TRUE(Read(Gzip(a) + Gzip("") + Gzip(b)).bytes == a + b);
  EXPECT_TRUE(Read(Zstd(a) + Zstd("") + Zstd(b)).bytes == a + b);
  // A skippable frame, in front and between.
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_TRUE(Read(skippable + Zstd(a) + skippable + Zstd(b)).bytes == a + b);
}

TEST(ByteSourceTest, TheNameDoesNotMatter) {
  const TempDir dir;
  ASSERT_TRUE(AtomicWrite(dir.File("plain.gz"), "not compressed").ok());
  Result<ByteSource> source = ByteSource::Open(dir.File("plain.gz"));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value().compression(), Compression::kNone);
  EXPECT_EQ(Drain(std::move(source.value())).bytes, "not compressed");
}

TEST(ByteSourceTest, EveryTruncationIsTold) {
  const std::string bytes = Mixed(3'000);
  const std::string gzip = Gzip(bytes);
  const std::string zstd = Zstd(bytes);
  for (const std::string& file : {gzip, zstd}) {
    // Fewer bytes than the magic number are a plain file.
    for (std::size_t size = 4; size < file.size(); ++size) {
      const Outcome outcome = Read(std::string_view(file).substr(0, size));
      ASSERT_FALSE(outcome.ok) << size;
      EXPECT_EQ(outcome.code, ErrorCode::kCompressedTruncated) << size;
    }
  }
}

TEST(ByteSourceTest, DamageIsTold) {
  const std::string bytes = Mixed(5'000);
  for (const std::string& good : {Gzip(bytes), Zstd(bytes)}) {
    std::string flipped = good;
    flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x10);
    const Outcome damaged = Read(flipped);
    ASSERT_FALSE(damaged.ok);
    EXPECT_EQ(damaged.code, ErrorCode::kDecompress);

    std::string checksum = good;
    checksum[good.size() - 5] = static_cast<char>(checksum[good.size() - 5] ^ 0x01);
    EXPECT_FALSE(Read(checksum).ok);

    for (const std::string_view tail : {"trailing", "\x1f", "\x1f\x8c", "\0\0\0\0"}) {
      const Outcome trailing = Read(good + std::string(tail) + std::string(8, 'z'));
      ASSERT_FALSE(trailing.ok);
      EXPECT_EQ(trailing.code, ErrorCode::kDecompress);
    }
  }
}

TEST(ByteSourceTest, OutputBudgetStopsABomb) {
  const std::string zeros(8 << 20, '\0');
  for (const std::string& file : {Gzip(zeros), Zstd(zeros)}) {
    ASSERT_LT(file.size(), 20'000u);
    const Outcome bomb = Read(file, {.max_output_bytes = 1'000'000});
    ASSERT_FALSE(bomb.ok);
    EXPECT_EQ(bomb.code, ErrorCode::kLimitExceeded);
    EXPECT_LE(bomb.bytes.size(), 1'000'000u);
    EXPECT_TRUE(Read(file, {.max_output_bytes = zeros.size()}).ok);
    EXPECT_FALSE(Read(file, {.max_output_bytes = zeros.size() - 1}).ok);
  }
  EXPECT_TRUE(Read("12345", {.max_output_bytes = 5}).ok);
  EXPECT_EQ(Read("12345", {.max_output_bytes = 4}).code, ErrorCode::kLimitExceeded);
}

// Asks for a window of 256 MiB; the program must not be made to allocate it.
TEST(ByteSourceTest, HugeZstdWindowsAreRefused) {
  const std::string bytes = Mixed(100'000);
  EXPECT_TRUE(Read(Zstd(bytes, 27)).ok);
  const Outcome outcome = Read(Zstd(bytes, 28));
  ASSERT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.code, ErrorCode::kDecompress);
}

TEST(ByteSourceTest, RawBytesOnRequest) {
  const std::string file = Gzip("hello");
  EXPECT_EQ(Read(file, {.decompress = false}).bytes, file);
}

TEST(ByteSourceTest, ReadsAPipeThatDripsItsFirstBytes) {
  const std::string bytes = Mixed(100'000);
  for (const std::string& file : {bytes, Gzip(bytes), Zstd(bytes), std::string("ab")}) {
    Result<Pipe> pipe = MakePipe();
    ASSERT_TRUE(pipe.ok());
    std::jthread writer([&file, fd = std::move(pipe.value().write_end)] {
      for (std::size_t i = 0; i < 8 && i < file.size(); ++i) EXPECT_TRUE(WriteAll(fd.get(), file.substr(i, 1)).ok());
      EXPECT_TRUE(WriteAll(fd.get(), std::string_view(file).substr(std::min<std::size_t>(8, file.size()))).ok());
    });
    Result<ByteSource> source = ByteSource::FromFd(std::move(pipe.value().read_end), "pipe");
    ASSERT_TRUE(source.ok());
    const Outcome outcome = Drain(std::move(source.value()));
    ASSERT_TRUE(outcome.ok);
    EXPECT_TRUE(outcome.bytes == (file == "ab" ? "ab" : bytes));
  }
}

TEST(ByteSourceTest, CountsProgress) {
  const TempDir dir;
  const std::string bytes = Mixed(1'000'000);
  const std::string file = Zstd(bytes);
  ASSERT_TRUE(AtomicWrite(dir.File("f"), file).ok());
  Result<ByteSource> source = ByteSource::Open(dir.File("f"));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value().file_size(), file.size());
  EXPECT_EQ(source.value().compression(), Compression::kZstd);
  for (;;) {
    const Result<std::string_view> chunk = source.value().Next();
    ASSERT_TRUE(chunk.ok());
    if (chunk.value().empty()) break;
  }
  EXPECT_EQ(source.value().bytes_read(), file.size());
  EXPECT_EQ(source.value().bytes_produced(), bytes.size());
}

TEST(ByteSourceTest, OpensFilesAndPipesOnly) {
  const TempDir dir;
  for (const std::string& path : {dir.path(), std::string("/dev/zero")}) {
    const Result<ByteSource> source = ByteSource::Open(path);
    ASSERT_FALSE(source.ok()) << path;
    EXPECT_EQ(source.error().code(), ErrorCode::kFileType) << path;
  }
  const Result<ByteSource> none = ByteSource::Open(dir.File("none"));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code(), ErrorCode::kFileNotFound);
  const Result<ByteSource> nul = ByteSource::Open(std::string("a\0b", 3));
  ASSERT_FALSE(nul.ok());
  EXPECT_EQ(nul.error().code(), ErrorCode::kInvalidArgument);
}

TEST(ReadStreamTest, HoldsItsLimit) {
  const TempDir dir;
  ASSERT_TRUE(AtomicWrite(dir.File("f"), Zstd("hello")).ok());
  const Result<std::string> whole = ReadStream(dir.File("f"), 5);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole.value(), "hello");
  const Result<std::string> cut = ReadStream(dir.File("f"), 4);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code(), ErrorCode::kLimitExceeded);
}

TEST(ForEachLineTest, GivesLinesWithTheirPlaces) {
  const TempDir dir;
  ASSERT_TRUE(AtomicWrite(dir.File("f"), Gzip("one\r\n\ntoo-long-line\nlast")).ok());
  std::vector<std::string> lines;
  const Status status = ForEachLine(dir.File("f"), 5, [&](const base::Line& line) -> Status {
    lines.push_back(std::to_string(line.number) + ":" + std::to_string(line.offset) + ":" + std::string(line.text) +
                    (line.too_long ? "+" : ""));
    return {};
  });
  ASSERT_TRUE(status.ok());
  EXPECT_THAT(lines, testing::ElementsAre("1:0:one", "2:5:", "3:6:too-l+", "4:20:last"));
}

TEST(ForEachLineTest, LinesAcrossChunksStayWhole) {
  const TempDir dir;
  std::string file;
  std::vector<std::string> want;
  for (int i = 0; i < 40; ++i) {
    const Result<std::string> hex = RandomHex(20'000 + static_cast<std::size_t>(i));
    ASSERT_TRUE(hex.ok());
    want.push_back(hex.value());
    file += hex.value() + "\n";
  }
  ASSERT_TRUE(AtomicWrite(dir.File("f"), file).ok());
  std::vector<std::string> lines;
  ASSERT_TRUE(ForEachLine(dir.File("f"), 1 << 20, [&](const base::Line& line) {
                lines.emplace_back(line.text);
                return true;
              }).ok());
  EXPECT_TRUE(lines == want);
}

TEST(ForEachLineTest, StopsWhenToldTo) {
  const TempDir dir;
  ASSERT_TRUE(AtomicWrite(dir.File("f"), "1\n2\n3\n").ok());
  int seen = 0;
  EXPECT_TRUE(ForEachLine(dir.File("f"), 10, [&](const base::Line&) { return ++seen < 2; }).ok());
  EXPECT_EQ(seen, 2);
  seen = 0;
  const Status status = ForEachLine(dir.File("f"), 10, [&](const base::Line&) -> Status {
    if (++seen == 3) return base::Error(ErrorCode::kTraceSchema, "stop");
    return {};
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kTraceSchema);
}

TEST(ForEachLineTest, ErrorsOfTheSourceComeThrough) {
  const TempDir dir;
  const std::string file = Gzip(Mixed(2'000'000));
  ASSERT_TRUE(AtomicWrite(dir.File("f"), file.substr(0, file.size() / 2)).ok());
  std::size_t lines = 0;
  const Status status = ForEachLine(dir.File("f"), 1 << 20, [&](const base::Line&) { return ++lines > 0; });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kCompressedTruncated);
  EXPECT_GT(lines, 0u);
}

}  // namespace
}  // namespace interlock::platform
