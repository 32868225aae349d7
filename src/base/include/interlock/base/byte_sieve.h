// At which places of a text one of a list of words may begin, told by the words' first three bytes for sixteen places
// at once: most places can begin none of them, and are passed over. Who asks then looks at the
// few that are left.
//
//   static constexpr ByteSieve sieve = ByteSieve::Of(words);   // any number of them, none empty
//   if (ByteSieve::Works()) for (std::uint64_t bits = sieve.PlacesAt(text); bits != 0; bits &= bits - 1) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace interlock::base {

class ByteSieve {
 public:
  static constexpr std::size_t kPlaces = 64;          // that are asked about together
  static constexpr std::size_t kBytes = kPlaces + 2;  // that are read of the text for it

  [[nodiscard]] static consteval ByteSieve Of(std::span<const std::string_view> words) {
    ByteSieve sieve;
    for (std::size_t k = 0; k < words.size(); ++k) {
      // Words in a row mostly begin alike: they share a group.
      const auto group = static_cast<std::uint8_t>(1U << (k * kGroups / words.size()));
      for (std::size_t i = 0; i < kHead; ++i) {
        for (std::size_t half = 0; half < 16; ++half) {
          const bool any = i >= words[k].size();
          const auto byte = any ? 0U : static_cast<unsigned char>(words[k][i]);
          if (any || (byte & 0x0FU) == half) sieve.low_[i][half] |= group;
          if (any || byte >> 4U == half) sieve.high_[i][half] |= group;
        }
      }
    }
    return sieve;
  }

  // This machine has what it takes.
  [[nodiscard]] static bool Works() noexcept;
  // A bit for each of the first kPlaces places of the text, which has kBytes bytes at least. Only where it works.
  [[nodiscard]] std::uint64_t PlacesAt(const char* text) const noexcept;

 private:
  static constexpr std::size_t kHead = 3;
  static constexpr std::size_t kGroups = 8;

  // By a byte's lower and upper half: the groups with a word that has such a byte there.
  alignas(16) std::array<std::array<std::uint8_t, 16>, kHead> low_{};
  alignas(16) std::array<std::array<std::uint8_t, 16>, kHead> high_{};
};

}  // namespace interlock::base
