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

// The first of either byte from `at` on; npos where there is none.
inline std::size_t FindEither(std::string_view text, char a, char b, std::size_t at) noexcept {
  for (; at + 16 <= text.size(); at += 16) {
    const Bytes16 bytes = LoadBytes(text.data() + at);
    if (AnyHigh(reinterpret_cast<Bytes16>((bytes == static_cast<unsigned char>(a)) |
                                          (bytes == static_cast<unsigned char>(b))))) {
      break;
    }
  }
  while (at < text.size() && text[at] != a && text[at] != b) ++at;
  return at < text.size() ? at : std::string_view::npos;
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

// out[i] = first + i.
inline void CountUp(std::uint32_t* out, std::size_t count, std::uint32_t first) noexcept {
  using Words = std::uint32_t __attribute__((vector_size(16)));
  Words next = {first, first + 1, first + 2, first + 3};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4, next += 4) std::memcpy(out + i, &next, sizeof next);
  for (; i < count; ++i) out[i] = first + static_cast<std::uint32_t>(i);
}

}  // namespace interlock::scan
