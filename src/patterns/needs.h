// Words that a match cannot do without, beside those by which its place was found: a window that lacks them is not
// worth an automaton. Private to the module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "re2/filtered_re2.h"

namespace interlock::patterns {

// One of these occurs in every text that the expression matches, in whatever ASCII case. Lower case.
using Need = std::vector<std::string>;

// Stands in a need for all words with a byte beyond ASCII: a text without such bytes has none of them.
inline constexpr std::string_view kBeyondAscii = "\x80";

// Words of `filter`'s only expression, of which one must occur: ASCII, the longest ones that will do. `atoms`: what its
// Compile() gave; takes their number squared. Several: each by itself, none has an ASCII word of another. `most`: of
// them. `beyond`: kBeyondAscii will do as one of them.
[[nodiscard]] std::vector<Need> NeedsOf(const re2::FilteredRE2& filter, std::span<const std::string> atoms,
                                        std::size_t most, bool beyond);

// A word that windows are searched for, with what its letters say to BlockGrams.
class Wanted {
 public:
  // `word`: lower case, or kBeyondAscii; lives as long.
  explicit Wanted(std::string_view word);
  // Whether the text has it, in whatever ASCII case. Linear.
  [[nodiscard]] bool IsIn(std::string_view text) const noexcept;

 private:
  friend class BlockGrams;
  static constexpr std::size_t kMost = 8;
  bool beyond_ = false;
  std::string_view word_;
  std::size_t rare_ = 0;  // where its rarest letters stand
  std::size_t other_ = 0;
  std::array<std::uint16_t, kMost> grams_{};  // three letters each, some of the word's
  std::uint8_t count_ = 0;
};

// Which three bytes stand side by side in a text, whatever the case of letters, by blocks that are read when a window
// of them is first asked for: says "no" to most words without a search for them.
class BlockGrams {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 10;  // that are asked about together

  void Open(std::string_view text);
  // Bytes [begin, end) are asked about next.
  void Look(std::size_t begin, std::size_t end);
  // False: they are without the word. More than kMostBytes, and a block, always may have it.
  [[nodiscard]] bool MayHave(const Wanted& wanted) const noexcept {
    if (one_ == nullptr) return true;
    if (wanted.beyond_) return beyond_;
    const std::uint64_t* const one = one_->data();
    const std::uint64_t* const other = other_->data();
    for (std::size_t k = 0; k < wanted.count_; ++k) {
      const std::size_t gram = wanted.grams_.data()[k];
      if (((one[gram / 64] | other[gram / 64]) >> gram % 64 & 1) == 0) return false;
    }
    return true;
  }
  // False: they may have bytes beyond ASCII.
  [[nodiscard]] bool AreAscii() const noexcept { return one_ != nullptr && !beyond_; }

 private:
  static constexpr std::size_t kBlock = 512;
  static constexpr std::size_t kMostBlocks = kMostBytes / kBlock + 1;
  using Grams = std::array<std::uint64_t, 128>;

  void Read(std::size_t index);

  std::string_view text_;
  std::vector<Grams> blocks_;
  enum : std::uint8_t { kUnread, kAscii, kBeyond };
  std::vector<std::uint8_t> read_;
  // What is asked about: two blocks, which may be one, or `together_` twice; nullptr: nothing is, or too much.
  const Grams* one_ = nullptr;
  const Grams* other_ = nullptr;
  // What blocks [first_, end_) have: windows of patterns that share a word are the same ones.
  Grams together_{};
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  bool beyond_ = false;  // one of them has bytes beyond ASCII
};

}  // namespace interlock::patterns
