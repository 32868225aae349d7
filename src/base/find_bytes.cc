#include "interlock/base/find_bytes.h"

#include <string.h>  // memmem

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace interlock::base {
namespace {

std::size_t FindLinear(std::string_view text, std::string_view part, std::size_t from) noexcept {
  const void* const found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

std::size_t FindBytes(std::string_view text, std::string_view part) noexcept {
  if (part.empty()) return 0;
  if (part.size() > text.size()) return std::string_view::npos;  // also keeps null pointers from memmem
#ifdef __SSE2__
  constexpr std::size_t kBlock = 16;
  const std::size_t places = text.size() - part.size() + 1;
  if (places < kBlock) return FindLinear(text, part, 0);
  // Sixteen places at a time: those whose first and last byte fit are looked at. Where too many fit and are not it, the
  // rest is left to a search that no text can slow down.
  std::size_t spare = text.size() + 256;
  const __m128i first = _mm_set1_epi8(part.front());
  const __m128i last = _mm_set1_epi8(part.back());
  const auto fits = [&](std::size_t at) {
    const auto heads = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const auto tails = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at + part.size() - 1));
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(heads, first), _mm_cmpeq_epi8(tails, last))));
  };
  for (std::size_t at = 0; at < places; at += kBlock) {
    // The last block ends at the last place; what it shares with the one before was looked at and is not it.
    if (places - at < kBlock) at = places - kBlock;
    for (unsigned mask = fits(at); mask != 0; mask &= mask - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(mask));
      if (memcmp(text.data() + place, part.data(), part.size()) == 0) return place;
      if (spare < part.size()) return FindLinear(text, part, place + 1);
      spare -= part.size();
    }
  }
  return std::string_view::npos;
#else
  return FindLinear(text, part, 0);
#endif
}

}  // namespace interlock::base
