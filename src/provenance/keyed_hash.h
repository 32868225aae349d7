// A keyed hash for the tables of SourceIndex: folded 64x64->128 multiplication, eight bytes a step.
//
// Why not SipHash: a result of 2 KB has some 350 words, and a SipHash call for each costs more than all the rest of
// adding it. What the key must give is that hostile text, written before the key was drawn and without seeing any hash,
// cannot aim at collisions or at one slot; no hash ever leaves the process. The 128-bit key is spread by SipHash, so a
// weak key given by the caller still makes unrelated constants.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "interlock/base/digest.h"

namespace interlock::provenance::internal {

// A place among `size` by the upper bits of a hash: sizes need not be powers of two, so tables can grow by halves.
inline std::size_t ScaleTo(std::uint64_t hash, std::size_t size) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(static_cast<Wide>(hash) * size >> 64);
}

class KeyedHash {
 public:
  explicit KeyedHash(const std::array<std::uint64_t, 2>& key)
      : a_(base::SipHash(key, "provenance a") | 1),
        b_(base::SipHash(key, "provenance b") | 1),
        c_(base::SipHash(key, "provenance c")) {}

  [[nodiscard]] std::uint64_t operator()(std::string_view bytes, std::uint64_t space = 0) const noexcept {
    std::uint64_t h = c_ ^ (space * 0x9E3779B97F4A7C15u);
    const std::uint64_t size = bytes.size();
    while (bytes.size() > 8) {
      h = Mix(h ^ Load<std::uint64_t>(bytes.data()), a_);
      bytes.remove_prefix(8);
    }
    h = Mix(h ^ Tail(bytes), a_);
    return Mix(h ^ b_, size ^ b_);
  }

  // Order matters.
  [[nodiscard]] std::uint64_t Pair(std::uint64_t first, std::uint64_t second) const noexcept {
    return Mix(Mix(first ^ a_, b_) ^ second, c_ | 1);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static std::uint64_t Mix(std::uint64_t x, std::uint64_t y) noexcept {
    const Wide product = static_cast<Wide>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  template <class T>
  static T Load(const char* data) noexcept {
    T word = 0;
    std::memcpy(&word, data, sizeof word);
    return word;
  }
  // At most eight bytes as one word, without a loop: for its size each has a word of its own.
  static std::uint64_t Tail(std::string_view bytes) noexcept {
    const std::size_t n = bytes.size();
    if (n >= 4) {
      return Load<std::uint32_t>(bytes.data()) | static_cast<std::uint64_t>(Load<std::uint32_t>(bytes.data() + n - 4))
                                                     << 32;
    }
    if (n == 0) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])); };
    return byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }

  std::uint64_t a_;
  std::uint64_t b_;
  std::uint64_t c_;
};

}  // namespace interlock::provenance::internal
