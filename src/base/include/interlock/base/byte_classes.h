// What each of 64 bytes is, as bits: a tokenizer goes from word to word instead of from byte to byte.
//
//   ByteClasses classes(text);
//   classes.LoadAt(at);                                    // the 64 bytes that byte `at` is among
//   std::uint64_t ahead = classes.word() >> at % 64;       // bit 0: byte `at`
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace interlock::base {

// Of the blocks of 64 bytes that a text falls into, one at a time. Bytes past its end are none of these.
class ByteClasses {
 public:
  static constexpr std::size_t kBlock = 64;

  explicit ByteClasses(std::string_view text) noexcept : text_(text) {}

  // The block that holds byte `at`.
  void LoadAt(std::size_t at) noexcept {
    const std::size_t begin = at - at % kBlock;
    if (begin == begin_) return;
    begin_ = begin;
    const std::size_t left = text_.size() - begin;
    if (left >= kBlock) {
      Classify(text_.data() + begin);
    } else {
      alignas(16) char rest[kBlock] = {};
      std::memcpy(rest, text_.data() + begin, left);
      Classify(rest);
    }
  }
  [[nodiscard]] std::uint64_t word() const noexcept { return word_; }  // ASCII letters and digits
  [[nodiscard]] std::uint64_t digit() const noexcept { return digit_; }
  [[nodiscard]] std::uint64_t letter() const noexcept { return word_ & ~digit_; }
  [[nodiscard]] std::uint64_t backslash() const noexcept { return backslash_; }
  [[nodiscard]] std::uint64_t beyond() const noexcept { return beyond_; }  // ASCII

 private:
  using Bytes = unsigned char __attribute__((vector_size(16)));

  // One bit a byte, all of whose bits are alike.
  static std::uint64_t BitsOf(const Bytes& bytes) noexcept {
#ifdef __SSE2__
    return static_cast<std::uint16_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
    std::uint64_t bits = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(&bytes) + half * 8, sizeof word);
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      bits |= ((word & 0x0101010101010101U) * 0x0102040810204080U >> 56U) << (half * 8);
    }
    return bits;
#endif
  }
  void Classify(const char* block) noexcept {
    word_ = 0;
    digit_ = 0;
    backslash_ = 0;
    beyond_ = 0;
    for (unsigned i = 0; i < kBlock; i += 16) {
      Bytes c;
      std::memcpy(&c, block + i, sizeof c);
      const auto digit = reinterpret_cast<Bytes>((c - '0') < 10);
      const auto letter = reinterpret_cast<Bytes>(((c | 0x20) - 'a') < 26);
      digit_ |= BitsOf(digit) << i;
      word_ |= BitsOf(digit | letter) << i;
      backslash_ |= BitsOf(reinterpret_cast<Bytes>(c == '\\')) << i;
      beyond_ |= BitsOf(reinterpret_cast<Bytes>(c > 0x7F)) << i;
    }
  }

  std::string_view text_;
  std::size_t begin_ = ~std::size_t{0};
  std::uint64_t word_ = 0;
  std::uint64_t digit_ = 0;
  std::uint64_t backslash_ = 0;
  std::uint64_t beyond_ = 0;
};

// The first `size` bytes of `text`, all of them ASCII letters and digits, with small letters. Writes up to seven bytes
// more: `out` must have room.
inline void CopyLowered(std::string_view text, std::size_t size, char* out) noexcept {
  constexpr std::uint64_t kSmall = 0x2020202020202020U;  // the bit that capitals lack, and digits have
  std::size_t i = 0;
  // Eight at a time while there are eight: a copy of known size is an instruction, not a call.
  for (; i < size && text.size() - i >= 8; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, sizeof word);
    word |= kSmall;
    std::memcpy(out + i, &word, sizeof word);
  }
  if (i < size) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, text.size() - i);
    word |= kSmall;
    std::memcpy(out + i, &word, sizeof word);
  }
}

}  // namespace interlock::base
