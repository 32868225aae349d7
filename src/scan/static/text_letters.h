// What single bytes and characters are to whoever reads text for what it hides. Private to text_canvas.cc and
// text_encoded.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "static/ascii.h"

namespace interlock::scan::letters {

inline bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// What a byte can be part of; one look instead of a chain of comparisons.
enum ByteBits : std::uint16_t {
  kUpper = 1,
  kLower = 2,
  kDigit = 4,
  kNotHex = 8,      // in base64, not in hex
  kBase64 = 16,     // also of URLs
  kEscape = 32,     // % and backslash
  kWordStart = 64,  // letters, digits and what paths and variables begin with
  kJoins = 128,     // signs inside paths, addresses, compound words
  kEnds = 256,      // what may end a sentence
  kGoesOn = 512,    // behind letters: may be part of the same token
};
inline constexpr std::array<std::uint16_t, 256> kBytes = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < 128; ++i) {
    const char c = static_cast<char>(i);
    unsigned bits = 0;
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (upper) bits |= kUpper;
    if (lower) bits |= kLower;
    if (digit) bits |= kDigit;
    if (upper || lower || digit || c == '+' || c == '/' || c == '-' || c == '_') {
      bits |= kBase64;
      if (!digit && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) bits |= kNotHex;
    }
    if (c == '%' || c == '\\') bits |= kEscape;
    if (upper || lower || digit || c == '~' || c == '/' || c == '.' || c == '$' || c == '_' || c == '@')
      bits |= kWordStart;
    if (std::string_view("./@~-$=&%?+#").find(c) != std::string_view::npos) bits |= kJoins;
    if (upper || lower || digit || c == '_' || c == '\'' || c == ':' || (bits & kJoins) != 0) bits |= kGoesOn;
    if (std::string_view("\n!?;.").find(c) != std::string_view::npos) bits |= kEnds;
    table[i] = static_cast<std::uint16_t>(bits);
  }
  return table;
}();
inline std::uint16_t BitsOf(char c) { return kBytes[static_cast<unsigned char>(c)]; }

struct Decoded {
  std::uint32_t code = 0;
  std::uint32_t size = 1;
};

// One UTF-8 character; anything wrong counts as one byte of Latin-1.
inline Decoded CharAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::uint32_t a = byte(at);
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  if (a < 0x80) return {a, 1};
  if (a >= 0xC2 && a < 0xE0 && follows(at + 1)) return {((a & 0x1F) << 6) | (byte(at + 1) & 0x3F), 2};
  if (a >= 0xE0 && a < 0xF0 && follows(at + 1) && follows(at + 2)) {
    return {((a & 0x0F) << 12) | ((byte(at + 1) & 0x3F) << 6) | (byte(at + 2) & 0x3F), 3};
  }
  if (a >= 0xF0 && a < 0xF5 && follows(at + 1) && follows(at + 2) && follows(at + 3)) {
    return {((a & 0x07) << 18) | ((byte(at + 1) & 0x3F) << 12) | ((byte(at + 2) & 0x3F) << 6) | (byte(at + 3) & 0x3F),
            4};
  }
  return {a, 1};
}

// Letters of other scripts that look like Latin ones.
inline char LookAlike(std::uint32_t c) {
  struct Pair {
    std::uint32_t code;
    char latin;
  };
  static constexpr std::array<Pair, 56> kPairs = {
      {{0x0391, 'a'}, {0x0392, 'b'}, {0x0395, 'e'}, {0x0396, 'z'}, {0x0397, 'h'}, {0x0399, 'i'}, {0x039A, 'k'},
       {0x039C, 'm'}, {0x039D, 'n'}, {0x039F, 'o'}, {0x03A1, 'p'}, {0x03A4, 't'}, {0x03A5, 'y'}, {0x03A7, 'x'},
       {0x03B1, 'a'}, {0x03B9, 'i'}, {0x03BF, 'o'}, {0x03C1, 'p'}, {0x03C5, 'u'}, {0x03BD, 'v'}, {0x0405, 's'},
       {0x0406, 'i'}, {0x0408, 'j'}, {0x0410, 'a'}, {0x0412, 'b'}, {0x0415, 'e'}, {0x041A, 'k'}, {0x041C, 'm'},
       {0x041D, 'h'}, {0x041E, 'o'}, {0x0420, 'p'}, {0x0421, 'c'}, {0x0422, 't'}, {0x0425, 'x'}, {0x0430, 'a'},
       {0x0435, 'e'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'}, {0x0443, 'y'}, {0x0445, 'x'}, {0x0455, 's'},
       {0x0456, 'i'}, {0x0458, 'j'}, {0x04BB, 'h'}, {0x0501, 'd'}, {0x051B, 'q'}, {0x051D, 'w'}, {0x0261, 'g'},
       {0x0131, 'i'}, {0x1D0F, 'o'}, {0x0578, 'n'}, {0x057D, 'u'}, {0x0585, 'o'}, {0x217C, 'l'}, {0x2170, 'i'}}};
  if (c < 0x0131 || c > 0x217C || (c > 0x0585 && c < 0x1D0F)) return 0;
  for (const Pair& pair : kPairs) {
    if (pair.code == c) return pair.latin;
  }
  return 0;
}

// The small letter of a capital beyond ASCII, of as many bytes of UTF-8; anything else as it is.
constexpr std::uint32_t SmallForm(std::uint32_t c) {
  const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  // Greek and Cyrillic, Armenian: the alphabet once more further on.
  if (within(0xC0, 0xDE) && c != 0xD7) return c + 0x20;
  if (within(0x391, 0x3A9) || within(0x410, 0x42F)) return c + 0x20;
  if (within(0x400, 0x40F)) return c + 0x50;
  if (within(0x531, 0x556)) return c + 0x30;
  if (c == 0x386) return 0x3AC;
  if (within(0x388, 0x38A)) return c + 0x25;
  if (c == 0x38C) return 0x3CC;
  if (within(0x38E, 0x38F)) return c + 0x3F;
  if (c == 0x178) return 0xFF;
  // Capitals and small letters by turns. The dotted capital I of Turkish has a small form of one byte.
  const bool even = (c & 1) == 0;
  if (within(0x139, 0x148) || within(0x179, 0x17E) || c == 0x1AF) return even ? c : c + 1;
  if ((within(0x100, 0x137) && c != 0x130) || within(0x14A, 0x177) || c == 0x1A0 || within(0x460, 0x481) ||
      within(0x48A, 0x4BF) || within(0x4D0, 0x52F) || within(0x1E00, 0x1E95) || within(0x1EA0, 0x1EFF)) {
    return even ? c + 1 : c;
  }
  return c;
}

// A character as it is written, a capital as its small letter.
inline void AppendSmall(const Decoded& one, std::string_view written, std::string& text) {
  const std::uint32_t small = SmallForm(one.code);
  if (small == one.code || one.size == 1) {
    text.append(written);
    return;
  }
  if (one.size == 2) {
    text.push_back(static_cast<char>(0xC0 | (small >> 6)));
  } else {
    text.push_back(static_cast<char>(0xE0 | (small >> 12)));
    text.push_back(static_cast<char>(0x80 | ((small >> 6) & 0x3F)));
  }
  text.push_back(static_cast<char>(0x80 | (small & 0x3F)));
}

// Forms of one and the same Latin letter: wide, mathematical, circled. 0: none.
inline char LatinForm(std::uint32_t c) {
  if (c >= 0xFF01 && c <= 0xFF5E) return Lower(static_cast<char>(c - 0xFF01 + 0x21));
  if (c >= 0x1D400 && c <= 0x1D6A3) return static_cast<char>('a' + (c - 0x1D400) % 26);
  if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<char>('0' + (c - 0x1D7CE) % 10);
  if (c >= 0x24B6 && c <= 0x24E9) return static_cast<char>('a' + (c - 0x24B6) % 26);
  if (c >= 0x1F130 && c <= 0x1F149) return static_cast<char>('a' + (c - 0x1F130));
  if (c >= 0x1F150 && c <= 0x1F169) return static_cast<char>('a' + (c - 0x1F150));
  if (c >= 0x1F170 && c <= 0x1F189) return static_cast<char>('a' + (c - 0x1F170));
  if (c >= 0x2018 && c <= 0x201B) return '\'';
  if (c >= 0x201C && c <= 0x201F) return '"';
  if (c >= 0x2010 && c <= 0x2015) return '-';
  if (c == 0x2026) return '.';
  if (c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0x2028 ||
      c == 0x2029) {
    return ' ';
  }
  if (c == 0x3002) return '.';
  return 0;
}

inline bool IsZeroWidth(std::uint32_t c) {
  return (c >= 0x200B && c <= 0x200D) || c == 0x2060 || (c >= 0x2061 && c <= 0x2064) || c == 0xFEFF || c == 0x180E ||
         c == 0xAD || c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0 || c == 0x034F;
}
inline bool IsBidi(std::uint32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}
inline bool IsTag(std::uint32_t c) { return c >= 0xE0000 && c <= 0xE007F; }
inline bool IsSelector(std::uint32_t c) { return (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF); }
// Scripts that need joiners or direction marks.
inline bool NeedsJoiners(std::uint32_t c) {
  return (c >= 0x0590 && c <= 0x08FF) || (c >= 0x0900 && c <= 0x0DFF) || (c >= 0x0E00 && c <= 0x109F) ||
         (c >= 0x1780 && c <= 0x17FF) || (c >= 0xFB1D && c <= 0xFEFC) || (c >= 0x1800 && c <= 0x18AF);
}

}  // namespace interlock::scan::letters
