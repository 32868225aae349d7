// Private. Code points one by one, for hot loops over text of unknown quality.
#pragma once

#include <cstddef>
#include <string_view>

namespace interlock::injection {

inline constexpr char32_t kBadUtf8 = 0xFFFFFFFFU;

// Reads the code point at `at` and moves past it; one byte and kBadUtf8 where the bytes are not UTF-8.
[[nodiscard]] inline char32_t DecodeUtf8(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80U) {
    ++at;
    return lead;
  }
  const std::size_t count = lead >= 0xF0U && lead < 0xF5U ? 4 : lead >= 0xE0U ? 3 : lead >= 0xC2U ? 2 : 0;
  if (count == 0 || lead >= 0xF5U || at + count > text.size()) {
    ++at;
    return kBadUtf8;
  }
  char32_t code = lead & (0xFFU >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0U) != 0x80U) {
      ++at;
      return kBadUtf8;
    }
    code = (code << 6U) | (byte & 0x3FU);
  }
  if ((count == 3 && code < 0x800U) || (count == 4 && (code < 0x10000U || code > 0x10FFFFU)) ||
      (code >= 0xD800U && code <= 0xDFFFU)) {
    ++at;
    return kBadUtf8;
  }
  at += count;
  return code;
}

// Bytes written to `out`, 1 to 4.
[[nodiscard]] inline std::size_t EncodeUtf8(char32_t code, char out[4]) {
  if (code < 0x80U) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800U) {
    out[0] = static_cast<char>(0xC0U | (code >> 6U));
    out[1] = static_cast<char>(0x80U | (code & 0x3FU));
    return 2;
  }
  if (code < 0x10000U) {
    out[0] = static_cast<char>(0xE0U | (code >> 12U));
    out[1] = static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out[2] = static_cast<char>(0x80U | (code & 0x3FU));
    return 3;
  }
  out[0] = static_cast<char>(0xF0U | (code >> 18U));
  out[1] = static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
  out[2] = static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
  out[3] = static_cast<char>(0x80U | (code & 0x3FU));
  return 4;
}

// Simple lower case of the Latin-1, Latin Extended-A, Greek and Cyrillic letters; others stay.
[[nodiscard]] inline char32_t LowerCase(char32_t code) {
  if ((code >= 0xC0U && code <= 0xDEU && code != 0xD7U) || (code >= 0x391U && code <= 0x3A9U) ||
      (code >= 0x410U && code <= 0x42FU)) {
    return code + 32;
  }
  if (code >= 0x100U && code <= 0x137U) return code | 1U;
  if (code >= 0x400U && code <= 0x40FU) return code + 80;
  return code;
}

// A letter of a script whose words are not set apart by blanks.
[[nodiscard]] inline bool IsIdeograph(char32_t code) {
  return (code >= 0x3040U && code <= 0x30FFU) || (code >= 0x3400U && code <= 0x9FFFU) ||
         (code >= 0xF900U && code <= 0xFAFFU) || (code >= 0x20000U && code <= 0x3FFFFU);
}

// Punctuation and symbols outside ASCII that end a word. Everything else there counts as a letter.
[[nodiscard]] inline bool IsForeignPunctuation(char32_t code) {
  return code < 0xAAU || code == 0xABU || (code >= 0xACU && code <= 0xB4U) || (code >= 0xB6U && code <= 0xB9U) ||
         (code >= 0xBBU && code <= 0xBFU) || code == 0xD7U || code == 0xF7U || (code >= 0x2000U && code <= 0x2BFFU) ||
         (code >= 0x3000U && code <= 0x303FU) || (code >= 0xFE00U && code <= 0xFE0FU) ||
         (code >= 0xFF00U && code <= 0xFF0FU) || (code >= 0xFF1AU && code <= 0xFF20U) || code >= 0x1F000U;
}

}  // namespace interlock::injection
