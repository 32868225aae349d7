// Fixed lists of words that every name, path and call of a program is asked for: whether one of them stands in a text,
// in one reading of it; whether a text is one of them, in one look.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "interlock/base/byte_sieve.h"

namespace interlock::scan {

// Whether the text is one of a few words. A template, so that the words of a call are constants where they are compared
// instead of a list that is made for it.
template <std::size_t n>
[[nodiscard]] inline bool IsOneOf(std::string_view text, const std::string_view (&words)[n]) noexcept {
  if constexpr (n <= 24) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
      // An empty text may lie nowhere.
      return ((text.size() == words[i].size() &&
               (words[i].empty() || std::memcmp(text.data(), words[i].data(), words[i].size()) == 0)) ||
              ...);
    }(std::make_index_sequence<n>());
  } else {
    return std::find(std::begin(words), std::end(words), text) != std::end(words);
  }
}

// What stands at a place of the text is told by its first three letters, by a table of each: most places fit none of
// the parts.
template <std::size_t n>
class PartSet {
  static_assert(n <= 64);

 public:
  using Bits = std::conditional_t<(n <= 32), std::uint32_t, std::uint64_t>;

  // NOLINTNEXTLINE: a list is a set
  consteval PartSet(const std::array<std::string_view, n>& parts) : parts_(parts), sieve_(base::ByteSieve::Of(parts)) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t c = 0; c < letters_[i].size(); ++c) {
          const bool fits = i >= parts[k].size() || static_cast<unsigned char>(parts[k][i]) == c;
          if (fits) letters_[i][c] |= Bits{1} << k;
        }
      }
    }
  }

  [[nodiscard]] bool AnyIn(std::string_view text) const noexcept { return Search(text, true) != 0; }
  // A bit for each part that stands in the text.
  [[nodiscard]] Bits AllIn(std::string_view text) const noexcept { return Search(text, false); }

 private:
  static constexpr std::size_t kLetters = 3;

  [[nodiscard]] Bits Search(std::string_view text, bool one) const noexcept {
    Bits found = 0;
    std::size_t i = 0;
    if (text.size() >= base::ByteSieve::kBytes && base::ByteSieve::Works()) {
      for (; text.size() - i >= base::ByteSieve::kBytes; i += base::ByteSieve::kPlaces) {
        for (std::uint64_t places = sieve_.PlacesAt(text.data() + i); places != 0; places &= places - 1) {
          found |= At(text, i + static_cast<std::size_t>(std::countr_zero(places)));
          if (one && found != 0) return found;
        }
      }
    }
    for (; i < text.size(); ++i) {
      found |= At(text, i);
      if (one && found != 0) return found;
    }
    return found;
  }

  // The parts that begin at this place.
  [[nodiscard]] Bits At(std::string_view text, std::size_t i) const noexcept {
    const auto at = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text.data()[k]) : 0U; };
    Bits found = 0;
    Bits maybe = letters_[0][at(i)] & letters_[1][at(i + 1)];
    if (maybe == 0) return found;
    for (maybe &= letters_[2][at(i + 2)]; maybe != 0; maybe &= maybe - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(maybe));
      if (text.substr(i).starts_with(parts_[k])) found |= Bits{1} << k;
    }
    return found;
  }

  std::array<std::string_view, n> parts_;
  base::ByteSieve sieve_;
  std::array<std::array<Bits, 256>, kLetters> letters_{};
};

// Words of which a text may be one.
template <std::size_t n>
class FixedWords {
  static_assert(n < 256);

 public:
  consteval FixedWords(const std::array<std::string_view, n>& words) : words_(words) {  // NOLINT: a list is a set
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t at = Place(words[k]);
      while (slots_[at] != 0) at = (at + 1) % kSlots;
      slots_[at] = static_cast<std::uint8_t>(k + 1);
    }
  }
  [[nodiscard]] constexpr bool Has(std::string_view text) const noexcept {
    for (std::size_t at = Place(text); slots_[at] != 0; at = (at + 1) % kSlots) {
      if (words_[slots_[at] - 1U] == text) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kSlots = std::bit_ceil(n * 3);

  static constexpr std::size_t Place(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto letter = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
    return (letter(0) * 7 + letter(text.size() - 1) * 31 + letter(text.size() / 2) * 131 + text.size() * 523) % kSlots;
  }

  std::array<std::string_view, n> words_;
  std::array<std::uint8_t, kSlots> slots_{};
};

}  // namespace interlock::scan
