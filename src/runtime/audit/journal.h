// The journal: append-only segment files, one series a chain, allocated ahead.
//
// A segment is a header and frames, then zeros. A frame is {type u32, length u32, hash 32 bytes, payload}. A row
// frame's hash is the row's place in the chain: SHA-256(hash of the row before, payload). An original's frame carries
// the SHA-256 of its payload. Reading stops at the first byte that does not fit and says what kind of end that is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/result.h"
#include "interlock/platform/fd.h"
#include "interlock/runtime/audit/log.h"

namespace interlock::runtime::audit {

inline constexpr std::size_t kSegmentHeaderBytes = 112;
inline constexpr std::size_t kFrameHeaderBytes = 40;
inline constexpr std::uint32_t kRowFrame = 0x31574f52;       // "ROW1"
inline constexpr std::uint32_t kOriginalFrame = 0x3147524f;  // "ORG1"
inline constexpr std::size_t kMaxFrameBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxSegmentBytes = std::size_t{1} << 30;

// Hash before the first row of `chain`.
[[nodiscard]] base::Digest ChainStart(std::string_view chain);
[[nodiscard]] base::Digest ChainNext(base::Sha256Hasher& hasher, const base::Digest& previous, std::string_view body);

struct SegmentHeader {
  std::uint32_t number = 0;     // from 1
  std::string chain;            // 32 hex digits
  std::uint64_t first_row = 1;  // number of the first row in it
  base::Digest previous;        // hash of the row before that
};
[[nodiscard]] std::string EncodeSegmentHeader(const SegmentHeader& header);
// False when the bytes are not a whole, undamaged header.
[[nodiscard]] bool DecodeSegmentHeader(std::string_view bytes, SegmentHeader& header);

// Writes the frame header for a payload of `length` bytes into `at` (kFrameHeaderBytes).
void EncodeFrameHeader(char* at, std::uint32_t type, std::size_t length, const base::Digest& hash);

struct OriginalFrame {
  std::uint64_t row = 0;
  std::int64_t expires_us = 0;
  bool is_result = false;
  std::string_view sealed;
};
void AppendOriginalPayload(const OriginalFrame& original, std::string& out);

// Walks frames. `bytes` starts at a frame (after the header) and reaches to the end of the segment.
class FrameCursor {
 public:
  FrameCursor(std::string_view bytes, std::uint64_t first_row, const base::Digest& previous)
      : bytes_(bytes), row_(first_row), hash_(previous) {}

  enum class Step : std::uint8_t {
    kRow,
    kOriginal,
    kEnd,      // only zeros follow
    kTorn,     // the last frame is not whole: it was being written
    kDamaged,  // something else stands here or behind
  };
  Step Next();

  // After kRow.
  [[nodiscard]] std::uint64_t row() const noexcept { return row_ - 1; }
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  [[nodiscard]] const base::Digest& hash() const noexcept { return hash_; }  // of the last row
  [[nodiscard]] std::uint64_t next_row() const noexcept { return row_; }
  // After kOriginal.
  [[nodiscard]] const OriginalFrame& original() const noexcept { return original_; }
  // Bytes walked over so far; after kTorn or kDamaged, where the trouble starts.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  // After kTorn: bytes from offset() to the last one that is not zero.
  [[nodiscard]] std::size_t torn_bytes() const noexcept { return torn_bytes_; }

 private:
  Step Broken(std::size_t frame_bytes);
  std::string_view bytes_;
  std::size_t offset_ = 0;
  std::uint64_t row_;
  base::Digest hash_;
  std::string_view body_;
  OriginalFrame original_;
  std::size_t torn_bytes_ = 0;
  base::Sha256Hasher hasher_;
};

// An open segment of a running writer.
struct Segment {
  platform::UniqueFd fd;
  std::string path;
  SegmentHeader header;
  std::size_t size = 0;
};
[[nodiscard]] std::string SegmentPath(const std::string& dir, std::string_view chain, std::uint32_t number);
// Creates an empty file and allocates its space. The header comes later, when the segment is put to use.
[[nodiscard]] base::Result<Segment> AllocateSegment(const std::string& dir, std::string_view chain,
                                                    std::uint32_t number, std::size_t size, const FaultHook& faults);
// Writes the header: from here on the segment counts.
[[nodiscard]] base::Status StartSegment(Segment& segment, const SegmentHeader& header, const FaultHook& faults);

// All of one chain's journal, read back.
struct JournalRow {
  std::uint64_t row = 0;
  base::Digest hash;
  std::string body;
};
struct JournalOriginal {
  std::uint64_t row = 0;
  std::int64_t expires_us = 0;
  bool is_result = false;
  std::string sealed;
};
struct JournalContent {
  std::vector<std::string> files;
  std::uint64_t first_row = 0;  // 0: no usable segment
  base::Digest previous;
  std::vector<JournalRow> rows;
  std::vector<JournalOriginal> originals;
  std::string torn;      // bytes of a last record that was not whole
  bool damaged = false;  // something else is wrong
  std::string damage;
};
[[nodiscard]] base::Result<JournalContent> ReadJournal(const std::string& dir, std::string_view chain);
// Chains that have journal or lock files.
[[nodiscard]] base::Result<std::vector<std::string>> JournalChains(const std::string& dir);
[[nodiscard]] std::string ChainLockPath(const std::string& dir, std::string_view chain);
[[nodiscard]] bool IsChainId(std::string_view text) noexcept;

}  // namespace interlock::runtime::audit
