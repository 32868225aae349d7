// The grammar of a JSON number, shared by the reader and by decimal arithmetic. Private to `base`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace interlock::base::internal {

// Longer exponents are refused everywhere: 18 digits plus the length of any document fit a 64-bit integer, so that no
// arithmetic on exponents can overflow.
inline constexpr std::ptrdiff_t kMaxExponentDigits = 18;
inline constexpr std::int64_t kMaxExponent = 999'999'999'999'999'999;

inline bool IsDigit(char c) noexcept { return static_cast<unsigned char>(c - '0') <= 9; }

// The end of the number that starts at `p`, or nullptr when no valid number does. What follows it is the caller's to
// judge, and so is whether its exponent stays in range once the point is moved (ParseDecimal knows).
inline const char* ScanNumber(const char* p, const char* end) noexcept {
  if (p != end && *p == '-') ++p;
  if (p == end || !IsDigit(*p)) return nullptr;
  if (*p == '0') {
    ++p;
    if (p != end && IsDigit(*p)) return nullptr;
  } else {
    while (p != end && IsDigit(*p)) ++p;
  }
  if (p != end && *p == '.') {
    ++p;
    if (p == end || !IsDigit(*p)) return nullptr;
    while (p != end && IsDigit(*p)) ++p;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && (*p == '+' || *p == '-')) ++p;
    const char* const digits = p;
    while (p != end && IsDigit(*p)) ++p;
    if (p == digits || p - digits > kMaxExponentDigits) return nullptr;
  }
  return p;
}

}  // namespace interlock::base::internal
