#include "interlock/runtime/mcp/codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "interlock/base/decimal.h"

namespace interlock::runtime::mcp {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kKeepBytes = std::size_t{1} << 20;

// One step of the case folding that Go's encoding/json applies to ASCII names: ASCII, plus the two non-ASCII letters
// that fold into it (U+212A Kelvin sign, U+017F long s). Returns the folded byte and moves `at` on.
char FoldNext(std::string_view text, std::size_t& at) {
  const char c = text[at];
  if (text.substr(at).starts_with("\xE2\x84\xAA")) {
    at += 3;
    return 'k';
  }
  if (text.substr(at).starts_with("\xC5\xBF")) {
    at += 2;
    return 's';
  }
  ++at;
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool EqualFolded(std::string_view text, std::string_view name) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < text.size() && j < name.size()) {
    if (FoldNext(text, i) != FoldNext(name, j)) return false;
  }
  return i == text.size() && j == name.size();
}

Error Framing(std::string message) { return Error(ErrorCode::kMcpFraming, std::move(message)); }

}  // namespace

LineFramer::LineFramer(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

std::span<char> LineFramer::Space() {
  if (begin_ == end_) {
    begin_ = scan_ = end_ = 0;
    if (capacity_ > kKeepBytes) {  // one huge line should not be paid for ever after
      buffer_.reset();
      capacity_ = 0;
    }
  }
  if (capacity_ - end_ < kReadBytes / 2) {
    if (begin_ > 0) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      scan_ -= begin_;
      begin_ = 0;
    }
    if (capacity_ - end_ < kReadBytes / 2) {
      const std::size_t wanted = std::max(capacity_ * 2, kReadBytes);
      auto grown = std::make_unique_for_overwrite<char[]>(wanted);
      if (end_ > 0) std::memcpy(grown.get(), buffer_.get(), end_);
      buffer_ = std::move(grown);
      capacity_ = wanted;
    }
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

void LineFramer::Filled(std::size_t bytes) {
  INTERLOCK_CHECK(bytes <= capacity_ - end_, "no more was read than there was room for");
  end_ += bytes;
}

bool LineFramer::Next(Frame& frame) {
  const char* base = buffer_.get();
  const void* found = end_ == scan_ ? nullptr : std::memchr(base + scan_, '\n', end_ - scan_);
  if (found == nullptr) {
    scan_ = end_;
    if (skipping_ || end_ - begin_ > max_line_bytes_) {
      skipping_ = true;
      skipped_ += end_ - begin_;
      begin_ = scan_ = end_ = 0;
    }
    return false;
  }
  const std::size_t after = static_cast<std::size_t>(static_cast<const char*>(found) - base) + 1;
  frame.line = std::string_view(base + begin_, after - begin_);
  frame.bytes = skipped_ + frame.line.size();
  frame.too_long = skipping_ || frame.line.size() - 1 > max_line_bytes_;
  if (frame.too_long) frame.line = {};
  skipping_ = false;
  skipped_ = 0;
  begin_ = scan_ = after;
  return true;
}

MessageReader::MessageReader(const CodecLimits& limits)
    : limits_(limits),
      parser_(base::JsonLimits{
          .max_bytes = limits.max_line_bytes + 1, .max_depth = limits.max_depth, .max_values = limits.max_values}) {}

base::Status MessageReader::Read(std::string_view line, base::JsonDoc& doc, Message& message) {
  std::string_view body = line;
  if (body.ends_with('\n')) body.remove_suffix(1);
  if (body.ends_with('\r')) body.remove_suffix(1);
  if (body.find('\r') != std::string_view::npos) return Framing("carriage return inside the message");
  base::Status parsed = parser_.ParseInto(doc, line);
  if (!parsed.ok()) return parsed;
  return Classify(doc.root(), limits_, message);
}

base::Status Classify(JsonValue root, const CodecLimits& limits, Message& message) {
  message = Message{};
  message.root = root;
  if (root.is_array()) {
    message.kind = MessageKind::kBatch;
    if (root.size() == 0) return Framing("empty batch");
    if (root.size() > limits.max_batch) return Framing("batch with too many members");
    return {};
  }
  if (!root.is_object()) return Framing("a message is an object");
  static constexpr std::array<std::string_view, 6> kNames = {"jsonrpc", "id", "method", "params", "result", "error"};
  JsonValue version;
  JsonValue method;
  for (auto it = root.begin(); it != root.end(); ++it) {
    const std::string_view key = it.key();
    if (key == "jsonrpc") {
      version = *it;
    } else if (key == "id") {
      message.id = *it;
    } else if (key == "method") {
      method = *it;
    } else if (key == "params") {
      message.params = *it;
    } else if (key == "result") {
      message.result = *it;
    } else if (key == "error") {
      message.error = *it;
    } else if (std::any_of(kNames.begin(), kNames.end(), [&](std::string_view n) { return EqualFolded(key, n); })) {
      return Framing("member name differs from the protocol's only in case");
    }
  }
  if (version.string() != "2.0") return Framing("`jsonrpc` is not \"2.0\"");
  if (message.id.exists() && message.id.raw().size() > limits.max_id_bytes) return Framing("id is too long");
  const bool has_id = message.id.is_string() || message.id.is_number();
  if (method.exists()) {
    if (!method.is_string() || method.string().empty()) return Framing("`method` is not a name");
    if (message.result.exists() || message.error.exists()) return Framing("a request and a response at once");
    message.method = method.string();
    if (!message.id.exists()) {
      message.kind = MessageKind::kNotification;
      return {};
    }
    if (!has_id) return Framing("the id of a request is a string or a number");
    message.kind = MessageKind::kRequest;
    return {};
  }
  if (message.result.exists() == message.error.exists()) return Framing("neither a request nor a response");
  if (message.result.exists()) {
    if (!has_id) return Framing("the id of a response is a string or a number");
    message.kind = MessageKind::kResult;
    return {};
  }
  if (!message.error.is_object()) return Framing("`error` is not an object");
  if (!has_id && message.id.exists() && !message.id.is_null()) return Framing("the id of an error is malformed");
  message.kind = MessageKind::kError;
  return {};
}

std::string IdKey(JsonValue id) {
  std::string key;
  if (id.is_string()) {
    key.reserve(id.string().size() + 1);
    key = "s";
    key += id.string();
  } else if (id.is_number()) {
    const std::string_view text = id.number_text();
    const bool plain = text.size() < 18 && text.front() != '0' &&
                       std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    key = "n";
    key += plain ? std::string(text) : base::NormalizeNumber(text);
  }
  return key;
}

bool HasCaseVariant(JsonValue object, std::span<const std::string_view> names) {
  for (auto it = object.begin(); it != object.end(); ++it) {
    const std::string_view key = it.key();
    for (const std::string_view name : names) {
      if (key != name && EqualFolded(key, name)) return true;
    }
  }
  return false;
}

bool IsBlank(std::string_view line) noexcept {
  return std::all_of(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
}

}  // namespace interlock::runtime::mcp
