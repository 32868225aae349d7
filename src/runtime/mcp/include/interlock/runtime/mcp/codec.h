// Line-framed JSON-RPC, sans-IO: bytes to lines, a line to a classified message. Nothing is copied but by the parser.
//
//   LineFramer framer(limits.max_line_bytes);
//   read(fd, framer.Space()) -> framer.Filled(n);
//   LineFramer::Frame frame;
//   while (framer.Next(frame)) {
//     Message message;
//     Status status = reader.Read(frame.line, doc, message);      // `message` is a set of views into `doc`
//   }
//
// Refused, because two readers could take the bytes for different messages: duplicate keys, anything but one JSON
// document a line, a carriage return inside the line (some readers end a line there), a message that is a request and
// a response at once, member names that differ from the protocol's only in case (some readers fold case), a null or
// missing id where one belongs. Thread rule: one thread an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/base/result.h"

namespace interlock::runtime::mcp {

struct CodecLimits {
  std::size_t max_line_bytes = std::size_t{64} << 20;
  std::uint32_t max_depth = 256;
  std::uint32_t max_values = 4'000'000;
  std::size_t max_id_bytes = 1024;
  std::size_t max_batch = 1024;  // members of a batch
};

// Splits a byte stream into lines in place, in one buffer that is at most one line (plus a read) long.
class LineFramer {
 public:
  explicit LineFramer(std::size_t max_line_bytes);

  // Room for the next read, never empty. Views handed out by Next end here.
  [[nodiscard]] std::span<char> Space();
  void Filled(std::size_t bytes);

  struct Frame {
    std::string_view line;  // with its '\n'; empty when too long
    bool too_long = false;  // the line was longer than the limit and is gone
    std::uint64_t bytes = 0;
  };
  // The next whole line, if there is one. Views are valid until Space().
  [[nodiscard]] bool Next(Frame& frame);
  // Bytes of a line that has no end yet.
  [[nodiscard]] std::size_t unfinished() const noexcept { return skipping_ ? 1 : end_ - begin_; }

 private:
  std::size_t max_line_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t scan_ = 0;
  std::size_t end_ = 0;
  bool skipping_ = false;
  std::uint64_t skipped_ = 0;
};

enum class MessageKind : std::uint8_t { kRequest, kNotification, kResult, kError, kBatch };

// Views into the JsonDoc it was read into.
struct Message {
  MessageKind kind = MessageKind::kNotification;
  base::JsonValue root;
  std::string_view method;  // unescaped; requests and notifications
  base::JsonValue id;       // string or number; null only for an error that answers no known request
  base::JsonValue params;
  base::JsonValue result;
  base::JsonValue error;
};

class MessageReader {
 public:
  explicit MessageReader(const CodecLimits& limits = {});

  // E01xx for bytes that are not one JSON document, kMcpFraming for a document that is not a message. On kMcpFraming
  // `doc` holds the document.
  [[nodiscard]] base::Status Read(std::string_view line, base::JsonDoc& doc, Message& message);
  [[nodiscard]] const CodecLimits& limits() const noexcept { return limits_; }

 private:
  CodecLimits limits_;
  base::JsonParser parser_;
};

// Classifies one document (or member of a batch).
[[nodiscard]] base::Status Classify(base::JsonValue root, const CodecLimits& limits, Message& message);

// One key for all spellings of an id: "1" and 1 differ, 1 and 1.0 do not, nor do "a" and "\u0061".
[[nodiscard]] std::string IdKey(base::JsonValue id);

// True when `object` has a member whose name equals one of `names` only after case folding.
[[nodiscard]] bool HasCaseVariant(base::JsonValue object, std::span<const std::string_view> names);

// True for white space only.
[[nodiscard]] bool IsBlank(std::string_view line) noexcept;

}  // namespace interlock::runtime::mcp
