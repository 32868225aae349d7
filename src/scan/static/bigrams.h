// Which pairs of letters a text has: says "no" to most searches for a phrase without reading the text again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::scan {

// A phrase that texts are asked for, with the pairs of its letters that are rarest in English.
class Phrase {
 public:
  template <std::size_t n>
  consteval Phrase(const char (&text)[n]) : text_(text, n - 1) {  // NOLINT: a literal is a phrase
    for (count_ = 0; count_ < kPairs; ++count_) {
      int best = kNever;
      std::size_t where = 0;
      for (std::size_t i = 0; i + 1 < text_.size(); ++i) {
        const int often = Often(text_[i]) * Often(text_[i + 1]);
        bool known = false;
        for (std::size_t k = 0; k < count_; ++k) known = known || pairs_[k] == PairOf(text_[i], text_[i + 1]);
        if (known || often >= best) continue;
        best = often;
        where = i;
      }
      if (best == kNever) break;
      pairs_[count_] = PairOf(text_[where], text_[where + 1]);
    }
  }
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

 private:
  friend class Bigrams;
  static constexpr std::size_t kPairs = 3;
  static constexpr int kNever = 1 << 20;
  static constexpr std::uint16_t PairOf(char a, char b) noexcept {
    return static_cast<std::uint16_t>((static_cast<unsigned char>(a) & 63U) * 64 +
                                      (static_cast<unsigned char>(b) & 63U));
  }
  // Roughly, of a thousand letters.
  static consteval int Often(char c) {
    constexpr std::string_view kLetters = " etaoinsrhldcumfpgwyb.,vk-'\"`/:?xjqz";
    constexpr int kCounts[] = {160, 105, 76, 68, 63, 58, 58, 53, 50, 42, 34, 32, 25, 23, 21, 18, 17, 16,
                               15,  14,  13, 12, 12, 8,  7,  6,  4,  4,  4,  4,  3,  2,  2,  1,  1,  1};
    const std::size_t at = kLetters.find(c);
    return at == std::string_view::npos ? 3 : kCounts[at];
  }
  std::string_view text_;
  std::uint16_t pairs_[kPairs] = {};
  std::uint16_t count_ = 0;
};

class Bigrams {
 public:
  void Read(std::string_view text) noexcept {
    bits_ = {};
    if (text.empty()) return;
    std::uint64_t* const bits = bits_.data();
    const char* const bytes = text.data();
    const auto code = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]) & 63U; };
    std::size_t before = code(0);
    std::size_t i = 1;
    for (; i + 2 <= text.size(); i += 2) {
      const std::size_t a = code(i);
      const std::size_t b = code(i + 1);
      bits[before] |= std::uint64_t{1} << a;
      bits[a] |= std::uint64_t{1} << b;
      before = b;
    }
    if (i < text.size()) bits[before] |= std::uint64_t{1} << code(i);
  }
  [[nodiscard]] bool MayHave(const Phrase& phrase) const noexcept {
    for (std::size_t i = 0; i < phrase.count_; ++i) {
      if ((bits_[phrase.pairs_[i] / 64] >> (phrase.pairs_[i] % 64) & 1) == 0) return false;
    }
    return true;
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

// Of the sentence that is at hand: whoever has questions about it shares them, so that it is read once and only if
// somebody asks.
class SentenceBigrams {
 public:
  [[nodiscard]] const Bigrams& Of(std::uint32_t sentence, std::string_view text) noexcept {
    if (sentence_ != sentence) bigrams_.Read(text);
    sentence_ = sentence;
    return bigrams_;
  }

 private:
  Bigrams bigrams_;
  std::uint32_t sentence_ = ~std::uint32_t{0};
};

}  // namespace interlock::scan
