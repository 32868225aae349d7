// Digits of encodings, and code points as UTF-8: the loops that undo escapes and decode blobs. Total, allocation-free
// but for growth of `out`; safe from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace interlock::base {

// Value of a hexadecimal digit; -1: it is none.
[[nodiscard]] constexpr int HexValue(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Value of a digit of base64, the alphabets of RFC 4648 sections 4 and 5 alike; -1: it is none.
[[nodiscard]] constexpr int Base64Value(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

// Appends a code point. Surrogates and what is past U+10FFFF become U+FFFD, so that valid text stays valid.
inline void AppendUtf8(std::uint32_t code, std::string* out) {
  if (code > 0x10FFFFU || (code >= 0xD800U && code <= 0xDFFFU)) code = 0xFFFDU;
  if (code < 0x80U) {
    out->push_back(static_cast<char>(code));
    return;
  }
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  const unsigned extra = code < 0x800U ? 1 : code < 0x10000U ? 2 : 3;
  out->push_back(static_cast<char>(kLead[extra] | (code >> (6 * extra))));
  for (unsigned left = extra; left-- > 0;) {
    out->push_back(static_cast<char>(0x80U | ((code >> (6 * left)) & 0x3FU)));
  }
}

}  // namespace interlock::base
