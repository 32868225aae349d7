// Questions about sixteen bytes at a time, for loops over whole files. Engine room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace interlock::scan {

using Bytes16 = unsigned char __attribute__((vector_size(16)));

inline Bytes16 LoadBytes(const char* at) noexcept {
  Bytes16 out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

// One of the sixteen has its high bit set.
inline bool AnyHigh(Bytes16 bytes) noexcept {
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, sizeof bytes);
  return ((halves[0] | halves[1]) & 0x8080808080808080U) != 0;
}

// The first byte beyond ASCII from `at` on; the size of the text where there is none.
inline std::size_t NextWide(std::string_view text, std::size_t at) noexcept {
  for (; at + 16 <= text.size(); at += 16) {
    if (AnyHigh(LoadBytes(text.data() + at))) break;
  }
  while (at < text.size() && (text[at] & 0x80) == 0) ++at;
  return at;
}

// `text` with small ASCII letters; other bytes as they are. `out` may be the text itself.
inline void LowerInto(std::string_view text, char* out) noexcept {
  std::size_t i = 0;
  for (; i + 16 <= text.size(); i += 16) {
    Bytes16 bytes = LoadBytes(text.data() + i);
    bytes |= reinterpret_cast<Bytes16>((bytes - 'A') < 26) & 0x20;
    std::memcpy(out + i, &bytes, sizeof bytes);
  }
  for (; i < text.size(); ++i) {
    const char c = text[i];
    out[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
}

}  // namespace interlock::scan
