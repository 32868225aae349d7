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

// Words of `filter`'s only expression, of which one must occur: ASCII, the longest ones that will do. Compiles the
// filter. Several: each by itself, none has a word of another. `most`: of them.
[[nodiscard]] std::vector<Need> NeedsOf(re2::FilteredRE2& filter, std::size_t most);

// Which pairs of bytes stand side by side in a text, whatever the case of letters: says "no" to most words without a
// search for them.
class BytePairs {
 public:
  void Add(std::string_view text) noexcept;
  void Add(const BytePairs& other) noexcept;
  // False: the text, and every part of it, is without the word.
  [[nodiscard]] bool MayHave(std::string_view word) const noexcept;

 private:
  std::array<std::uint64_t, 64> bits_{};
};

// The pairs of a text by blocks, each read when a window of it is first asked for.
class BlockPairs {
 public:
  void Open(std::string_view text);
  // nullptr: the part is too long for its pairs to say anything. Valid until the next call.
  [[nodiscard]] const BytePairs* Of(std::size_t begin, std::size_t end);

 private:
  static constexpr std::size_t kBlock = 1024;
  static constexpr std::size_t kMostBlocks = 16;

  const BytePairs& Block(std::size_t index);

  std::string_view text_;
  std::vector<BytePairs> blocks_;
  std::vector<std::uint8_t> read_;
  BytePairs several_;
};

// Linear in the text for each of the words, which have two bytes or more. `pairs`: of a text that has this one as a
// part; nullptr: not known.
[[nodiscard]] bool HasAny(std::string_view text, std::span<const std::string> words, const BytePairs* pairs) noexcept;

}  // namespace interlock::patterns
