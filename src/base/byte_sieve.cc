#include "interlock/base/byte_sieve.h"

#include "interlock/base/check.h"

#ifdef __x86_64__
#include <tmmintrin.h>
#endif

namespace interlock::base {

#ifdef __x86_64__

bool ByteSieve::Works() noexcept {
  static const bool works = __builtin_cpu_supports("ssse3") != 0;
  return works;
}

__attribute__((target("ssse3"))) std::uint64_t ByteSieve::PlacesAt(const char* text) const noexcept {
  constexpr std::size_t kBlock = 16;
  const auto load = [](const void* from) __attribute__((target("ssse3"), always_inline)) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i half = _mm_set1_epi8(0x0F);
  std::uint64_t places = 0;
  for (std::size_t at = 0; at < kPlaces; at += kBlock) {
    __m128i fits = _mm_set1_epi8(static_cast<char>(0xFF));
    for (std::size_t i = 0; i < kHead; ++i) {
      const __m128i bytes = load(text + at + i);
      const __m128i low = _mm_shuffle_epi8(load(low_[i].data()), _mm_and_si128(bytes, half));
      const __m128i high = _mm_shuffle_epi8(load(high_[i].data()), _mm_and_si128(_mm_srli_epi16(bytes, 4), half));
      fits = _mm_and_si128(fits, _mm_and_si128(low, high));
    }
    const auto none = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(fits, _mm_setzero_si128())));
    places |= static_cast<std::uint64_t>(~none & 0xFFFFU) << at;
  }
  return places;
}

#else

bool ByteSieve::Works() noexcept { return false; }

std::uint64_t ByteSieve::PlacesAt(const char* /*text*/) const noexcept {
  INTERLOCK_CHECK(false, "asked only where it works");
  return 0;
}

#endif

}  // namespace interlock::base
