// links: base core platform runtime.audit
// A journal segment as a killed writer, or somebody else, left it. First byte: which way to read it (0: with header,
// else: frames only). Whatever comes in: rows are numbered without gaps, the walk ends, and what was read in whole
// segments reads the same from its first half.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../src/runtime/audit/journal.h"

using interlock::runtime::audit::ChainStart;
using interlock::runtime::audit::DecodeSegmentHeader;
using interlock::runtime::audit::FrameCursor;
using interlock::runtime::audit::kSegmentHeaderBytes;
using interlock::runtime::audit::SegmentHeader;

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

struct Walk {
  std::uint64_t rows = 0;
  std::size_t bytes = 0;
};

Walk WalkFrames(std::string_view bytes, const SegmentHeader& header) {
  FrameCursor cursor(bytes, header.first_row, header.previous);
  Walk walk;
  for (;;) {
    const std::size_t before = cursor.offset();
    const FrameCursor::Step step = cursor.Next();
    if (step == FrameCursor::Step::kRow) {
      Require(cursor.row() == header.first_row + walk.rows);
      ++walk.rows;
    }
    if (step != FrameCursor::Step::kRow && step != FrameCursor::Step::kOriginal) {
      Require(cursor.offset() == before && cursor.torn_bytes() <= bytes.size() - before);
      break;
    }
    Require(cursor.offset() > before && cursor.offset() <= bytes.size());
    walk.bytes = cursor.offset();
  }
  return walk;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  SegmentHeader header;
  header.previous = ChainStart("00000000000000000000000000000000");
  if (data[0] == 0) {
    if (!DecodeSegmentHeader(bytes, header)) return 0;
    bytes.remove_prefix(kSegmentHeaderBytes);
  }
  const Walk whole = WalkFrames(bytes, header);
  const Walk part = WalkFrames(bytes.substr(0, whole.bytes), header);
  Require(part.rows == whole.rows && part.bytes == whole.bytes);
  return 0;
}
