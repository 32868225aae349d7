// One step of UTF-8 decoding. Private to `base`.
#pragma once

#include <cstddef>

namespace interlock::base::internal {

// Bytes of the well-formed sequence at `p` (p < end), or 0 if none starts there.
inline std::size_t Utf8Length(const char* p, const char* end) noexcept {
  const auto at = [p](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  const auto tail = [&at](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const auto room = static_cast<std::size_t>(end - p);
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return room >= 2 && tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (room < 3 || !tail(1) || !tail(2)) return 0;
    if (lead == 0xE0 && at(1) < 0xA0) return 0;  // overlong
    if (lead == 0xED && at(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (room < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
    if (lead == 0xF0 && at(1) < 0x90) return 0;  // overlong
    if (lead == 0xF4 && at(1) > 0x8F) return 0;  // past U+10FFFF
    return 4;
  }
  return 0;
}

}  // namespace interlock::base::internal
