#include "interlock/base/find_bytes.h"

#include <string.h>  // memmem

#include <bit>
#include <cstdint>
#include <cstring>

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
  const char* const begin = text.data();
  const std::size_t to_second = part.size() > 1 ? 1 : 0;
  const std::size_t to_last = part.size() - 1;
  const char head = part.data()[0];
  const char second_byte = part.data()[to_second];
  const char tail = part.data()[to_last];
  if (places < kBlock) {
    for (std::size_t at = 0; at < places; ++at) {
      if (begin[at] == head && begin[at + to_last] == tail && memcmp(begin + at, part.data(), part.size()) == 0) {
        return at;
      }
    }
    return std::string_view::npos;
  }
  // Sixteen places at a time: those whose first, second and last byte fit are looked at. Where too many fit and are not
  // it, the rest is left to a search that no text can slow down.
  std::size_t spare = text.size() + 256;
  const __m128i heads = _mm_set1_epi8(head);
  const __m128i seconds = _mm_set1_epi8(second_byte);
  const __m128i tails = _mm_set1_epi8(tail);
  const auto same = [&](std::size_t at, const __m128i& bytes) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(begin + at)), bytes);
  };
  for (std::size_t at = 0; at < places; at += kBlock) {
    // The last block ends at the last place; what it shares with the one before was looked at and is not it.
    if (places - at < kBlock) at = places - kBlock;
    const __m128i fits =
        _mm_and_si128(_mm_and_si128(same(at, heads), same(at + to_second, seconds)), same(at + to_last, tails));
    for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(fits)); mask != 0; mask &= mask - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(mask));
      if (memcmp(begin + place, part.data(), part.size()) == 0) return place;
      if (spare < part.size()) return FindLinear(text, part, place + 1);
      spare -= part.size();
    }
  }
  return std::string_view::npos;
#else
  return FindLinear(text, part, 0);
#endif
}

bool IsAscii(std::string_view text) noexcept {
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + sizeof seen <= text.size(); i += sizeof seen) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, sizeof word);
    seen |= word;
  }
  for (; i < text.size(); ++i) seen |= static_cast<unsigned char>(text[i]);
  return (seen & kHighs) == 0;
}

}  // namespace interlock::base
