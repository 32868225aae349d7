#include "code/fold_python_codecs.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "interlock/base/digits.h"

namespace interlock::scan::code::python {
namespace {

constexpr std::size_t kMaxDigits = 4096;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

using base::AppendUtf8;
using base::HexValue;

using base::Base64Value;

// Bits of a radix 2^n text into bytes; a rest shorter than a byte is dropped.
struct BitSink {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  void Push(std::uint32_t value, int width) {
    bits = (bits << width) | value;
    count += width;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((bits >> count) & 0xFF));
    }
  }
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

struct Digits {
  bool negative = false;
  int base = 10;
  std::string digits;
};

std::optional<Digits> SplitInteger(std::string_view text) {
  text = Trim(text);
  Digits out;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    out.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    out.base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    if (out.base != 10) text.remove_prefix(2);
  }
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  for (const char c : text) {
    if (c == '_') continue;
    const int value = HexValue(c);
    if (value < 0 || value >= out.base) return std::nullopt;
    out.digits.push_back(c);
  }
  if (out.digits.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() / 4 * 3 > kMaxFoldedBytes) return std::nullopt;
  BitSink sink;
  std::size_t characters = 0;
  for (const char c : text) {
    if (c == '=' && characters > 1) break;
    const int value = Base64Value(c);
    if (value < 0) continue;
    ++characters;
    sink.Push(static_cast<std::uint32_t>(value), 6);
  }
  if (characters < 2) return text.empty() ? std::optional<std::string>("") : std::nullopt;
  return std::move(sink.out);
}

std::string EncodeBase64(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) out.push_back(j <= have ? kAlphabet[(group >> (18 - 6 * j)) & 63] : '=');
  }
  return out;
}

std::optional<std::string> DecodeBase32(std::string_view text) {
  if (text.size() > kMaxFoldedBytes) return std::nullopt;
  BitSink sink;
  for (const char c : text) {
    if (c == '=') break;
    if (IsSpace(c)) continue;
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
    const int value = upper >= 'A' && upper <= 'Z' ? upper - 'A' : c >= '2' && c <= '7' ? c - '2' + 26 : -1;
    if (value < 0) return std::nullopt;
    sink.Push(static_cast<std::uint32_t>(value), 5);
  }
  return std::move(sink.out);
}

std::optional<std::string> DecodeBase85(std::string_view text, bool ascii85) {
  constexpr std::string_view kAlphabet =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
  if (text.size() > kMaxFoldedBytes) return std::nullopt;
  if (ascii85 && text.starts_with("<~")) text.remove_prefix(2);
  if (ascii85 && text.ends_with("~>")) text.remove_suffix(2);
  std::string out;
  std::uint64_t group = 0;
  int have = 0;
  const auto flush = [&](int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((group >> (24 - 8 * i)) & 0xFF));
    group = 0;
    have = 0;
  };
  for (const char c : text) {
    if (ascii85 && IsSpace(c)) continue;
    if (ascii85 && c == 'z' && have == 0) {
      out.append(4, '\0');
      continue;
    }
    const std::size_t at = ascii85 ? std::string_view::npos : kAlphabet.find(c);
    const bool valid = ascii85 ? c >= '!' && c <= 'u' : at != std::string_view::npos;
    if (!valid) return std::nullopt;
    group = group * 85 + (ascii85 ? static_cast<std::uint64_t>(c - '!') : at);
    if (++have == 5) {
      if (group > 0xFFFFFFFFU) return std::nullopt;
      flush(4);
    }
  }
  if (have > 0) {
    const int bytes = have - 1;
    for (int i = have; i < 5; ++i) group = group * 85 + 84;
    flush(bytes);
  }
  return out;
}

std::optional<std::string> DecodeHex(std::string_view text) {
  if (text.size() / 2 > kMaxFoldedBytes) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size();) {
    if (IsSpace(text[i])) {
      ++i;
      continue;
    }
    if (i + 1 >= text.size()) return std::nullopt;
    const int high = HexValue(text[i]);
    const int low = HexValue(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

std::string EncodeHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return out;
}

std::string Rot13(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>('a' + (c - 'a' + 13) % 26);
    if (c >= 'A' && c <= 'Z') c = static_cast<char>('A' + (c - 'A' + 13) % 26);
  }
  return out;
}

std::optional<std::string> Inflate(std::string_view data) {
  if (data.size() < 2 || data.size() > kMaxFoldedBytes) return std::nullopt;
  const auto first = static_cast<unsigned char>(data[0]);
  const auto second = static_cast<unsigned char>(data[1]);
  const bool gzip = first == 0x1F && second == 0x8B;
  const bool zlib = (first & 0x0F) == 8 && (first * 256U + second) % 31 == 0;
  z_stream stream{};
  if (inflateInit2(&stream, gzip ? 15 + 16 : zlib ? 15 : -15) != Z_OK) return std::nullopt;
  std::string input(data);  // zlib's input pointer is not const
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string out;
  std::array<char, 16384> buffer;
  int rc = Z_OK;
  while (rc == Z_OK && out.size() <= kMaxFoldedBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    rc = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (rc == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;
  }
  inflateEnd(&stream);
  // A stream cut short still says what it said.
  if (out.empty() || out.size() > kMaxFoldedBytes || (rc != Z_STREAM_END && rc != Z_OK && rc != Z_BUF_ERROR)) {
    return std::nullopt;
  }
  return out;
}

std::string PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

std::string HtmlUnescape(std::string_view text) {
  constexpr std::pair<std::string_view, char> kNamed[] = {{"lt", '<'},     {"gt", '>'},    {"amp", '&'},  {"quot", '"'},
                                                          {"apos", '\''},  {"sol", '/'},   {"lpar", '('}, {"rpar", ')'},
                                                          {"period", '.'}, {"colon", ':'}, {"nbsp", ' '}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.substr(i, 12).find(';') : std::string_view::npos;
    if (end == std::string_view::npos || end < 2) {
      out.push_back(text[i]);
      continue;
    }
    const std::string_view name = text.substr(i + 1, end - 1);
    bool done = false;
    if (name.front() == '#') {
      const bool hex = name.size() > 1 && (name[1] | 0x20) == 'x';
      const std::string_view digits = name.substr(hex ? 2 : 1);
      std::uint32_t code = 0;
      const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
      done = error == std::errc() && stop == digits.data() + digits.size();
      if (done) AppendUtf8(code, &out);
    } else {
      for (const auto& [known, c] : kNamed) {
        if (name == known) {
          out.push_back(c);
          done = true;
        }
      }
    }
    if (done) {
      i += end;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::uint32_t FirstCharacter(std::string_view text, std::size_t* bytes) {
  *bytes = 1;
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t extra = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : 0;
  if (extra == 0 || lead >= 0xF5 || text.size() <= extra) return lead;
  std::uint32_t code = lead & (0x3FU >> extra);
  for (std::size_t i = 1; i <= extra; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next >> 6) != 2) return lead;
    code = (code << 6) | (next & 0x3FU);
  }
  *bytes = extra + 1;
  return code;
}

std::string LatinToUtf8(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) AppendUtf8(static_cast<unsigned char>(c), &out);
  return out;
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  const std::optional<Digits> parts = SplitInteger(text);
  if (!parts) return std::nullopt;
  std::int64_t value = 0;
  const char* last = parts->digits.data() + parts->digits.size();
  const auto [end, error] = std::from_chars(parts->digits.data(), last, value, parts->base);
  if (error != std::errc() || end != last) return std::nullopt;
  return parts->negative ? -value : value;
}

std::optional<std::string> IntegerBytes(std::string_view text, std::size_t length, bool big_endian) {
  const std::optional<Digits> parts = SplitInteger(text);
  if (!parts || parts->negative || length > kMaxDigits) return std::nullopt;
  std::string out;  // little end first
  for (const char c : parts->digits) {
    unsigned carry = static_cast<unsigned>(HexValue(c));
    for (char& byte : out) {
      carry += static_cast<unsigned>(static_cast<unsigned char>(byte)) * static_cast<unsigned>(parts->base);
      byte = static_cast<char>(carry & 0xFF);
      carry >>= 8;
    }
    if (carry != 0) out.push_back(static_cast<char>(carry));
  }
  if (out.size() > length) return std::nullopt;
  out.resize(length, '\0');
  if (big_endian) std::reverse(out.begin(), out.end());
  return out;
}

std::string Dedented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    out += line.substr(first);
    text.remove_prefix(line.size());
    if (text.empty()) break;
    out += '\n';
    text.remove_prefix(1);
  }
  return out;
}

std::string QuotedForShell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return out + "'";
}

}  // namespace interlock::scan::code::python
