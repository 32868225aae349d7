// Which pairs of letters a text has: says "no" to most searches for a phrase without reading the text again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::scan {

class Bigrams {
 public:
  void Read(std::string_view text) noexcept {
    bits_ = {};
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const std::size_t at = Index(text[i], text[i + 1]);
      bits_[at / 64] |= std::uint64_t{1} << (at % 64);
    }
  }
  // False: neither the text nor any part of it has `part`. True says nothing.
  [[nodiscard]] bool MayHave(std::string_view part) const noexcept {
    for (std::size_t i = 0; i + 1 < part.size(); ++i) {
      const std::size_t at = Index(part[i], part[i + 1]);
      if ((bits_[at / 64] >> (at % 64) & 1) == 0) return false;
    }
    return true;
  }

 private:
  static std::size_t Index(char a, char b) noexcept {
    return (static_cast<std::size_t>(static_cast<unsigned char>(a)) & 63) * 64 +
           (static_cast<std::size_t>(static_cast<unsigned char>(b)) & 63);
  }
  std::array<std::uint64_t, 64> bits_{};
};

}  // namespace interlock::scan
