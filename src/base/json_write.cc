#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "utf8_step.h"

namespace interlock::base {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// Non-zero when one of the eight bytes is a control character, a quote, a backslash or not ASCII. (The borrow of a
// subtraction can only flag a byte above one that is flagged rightly, so zero means clean.)
std::uint64_t NeedsCare(std::uint64_t word) noexcept {
  const auto zero_bytes = [](std::uint64_t x) { return (x - kOnes) & ~x; };
  const std::uint64_t control = (word - kOnes * 0x20) & ~word;
  return (control | zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) | word) & kHighs;
}

bool IsPlain(char c) noexcept { return c >= 0x20 && c != '"' && c != '\\'; }

const char* SkipPlain(const char* p, const char* end) noexcept {
  while (end - p >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof(word));
    if (NeedsCare(word) != 0) break;
    p += 8;
  }
  while (p != end && static_cast<unsigned char>(*p) < 0x80 && IsPlain(*p)) ++p;
  return p;
}

void AppendEscape(std::string& out, char c) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\b':
      out.append("\\b");
      return;
    case '\t':
      out.append("\\t");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\f':
      out.append("\\f");
      return;
    case '\r':
      out.append("\\r");
      return;
    default: {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out.append("\\u00").push_back(kHex[byte >> 4U]);
      out.push_back(kHex[byte & 15U]);
    }
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* const run = p;
    p = SkipPlain(p, end);
    out.append(run, static_cast<std::size_t>(p - run));
    if (p == end) break;
    if (static_cast<unsigned char>(*p) < 0x80) {
      AppendEscape(out, *p++);
    } else if (const std::size_t length = internal::Utf8Length(p, end); length != 0) {
      out.append(p, length);
      p += length;
    } else {
      out.append("\xEF\xBF\xBD");
      ++p;
    }
  }
  out.push_back('"');
}

// `stack_` holds the open containers, '{' or '['. `need_comma_` says that the innermost one has a child already.
void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  INTERLOCK_CHECK(stack_.empty() || stack_.back() == '[', "inside an object a key comes before each value");
  if (need_comma_ && !stack_.empty()) out_.push_back(',');
}

JsonWriter& JsonWriter::BeginObject() {
  Separate();
  stack_.push_back('{');
  out_.push_back('{');
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::EndObject() {
  INTERLOCK_CHECK(!stack_.empty() && stack_.back() == '{' && !after_key_, "an object is open and no key waits");
  stack_.pop_back();
  out_.push_back('}');
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::BeginArray() {
  Separate();
  stack_.push_back('[');
  out_.push_back('[');
  need_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::EndArray() {
  INTERLOCK_CHECK(!stack_.empty() && stack_.back() == '[', "an array is open");
  stack_.pop_back();
  out_.push_back(']');
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  INTERLOCK_CHECK(!stack_.empty() && stack_.back() == '{' && !after_key_, "keys belong in objects, one for each value");
  if (need_comma_) out_.push_back(',');
  AppendJsonString(out_, key);
  out_.push_back(':');
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Separate();
  AppendJsonString(out_, text);
  need_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Int(std::int64_t value) {
  std::array<char, 24> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  INTERLOCK_CHECK(error == std::errc(), "64 bits have at most 20 digits");
  return Raw({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

JsonWriter& JsonWriter::Uint(std::uint64_t value) {
  std::array<char, 24> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  INTERLOCK_CHECK(error == std::errc(), "64 bits have at most 20 digits");
  return Raw({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

JsonWriter& JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  INTERLOCK_CHECK(error == std::errc(), "the shortest form has at most 24 characters");
  return Raw({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

JsonWriter& JsonWriter::Bool(bool value) { return Raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::Null() { return Raw("null"); }

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  out_.append(json.empty() ? std::string_view("null") : json);
  need_comma_ = true;
  return *this;
}

}  // namespace interlock::base
