// What words, pairs of neighbours and pairs with one word between are worth as evidence of an order that means harm:
// log-odds from meaning/words.txt (tools/train-order-classifier; read by bake/). Private to text_meaning.cc and
// order_features.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "static/baked.h"
#include "static/text_canvas.h"

namespace interlock::scan {

// Of some sentences; those of several add up.
struct WordEvidence {
  float sum = 0.0F;
  std::uint32_t known = 0;  // words and pairs that the model knows
  WordEvidence& operator+=(const WordEvidence& other) noexcept {
    sum += other.sum;
    known += other.known;
    return *this;
  }
  // A long text has more of everything: what counts is the evidence to the root of its length.
  [[nodiscard]] double odds() const noexcept;
};

class WordModel {
 public:
  struct Slot {
    std::uint32_t tag = 0;     // 0: free
    std::uint32_t weight = 0;  // the bits of a float
  };
  // The place of a key in a table of `mask` + 1 slots is where its low bits say, or the next free one after it.
  [[nodiscard]] static constexpr std::uint32_t TagOf(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>(key >> 32) | 1U;
  }
  // What is looked for is mostly not there, which a table of bits small enough for the nearest cache tells.
  static constexpr std::size_t kKnownBits = std::size_t{1} << 17;
  [[nodiscard]] static constexpr std::size_t BitOf(std::uint64_t key) noexcept { return key >> 40 & (kKnownBits - 1); }
  // Of words by their HashWord(): one, two neighbours, two with one between.
  static constexpr std::uint64_t kNext = 0x9E3779B97F4A7C15ULL;
  static constexpr std::uint64_t kSkip = 0xC2B2AE3D27D4EB4FULL;
  [[nodiscard]] static constexpr std::uint64_t KeyOf(std::uint64_t word) noexcept {
    std::uint64_t h = word;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
  }
  [[nodiscard]] static constexpr std::uint64_t KeyOf(std::uint64_t a, std::uint64_t b, std::uint64_t how) noexcept {
    return KeyOf(a * how + b);
  }

  [[nodiscard]] static const WordModel& Get();
  explicit WordModel(BakedReader& in);  // whose bytes outlive it
  [[nodiscard]] WordEvidence Read(const TextCanvas& canvas, const TextSentence& sentence) const noexcept;
  [[nodiscard]] double bias() const noexcept { return bias_; }

 private:
  std::span<const Slot> slots_;
  std::span<const std::uint64_t> known_;  // bits, by another part of the hash
  std::uint64_t mask_ = 0;
  double bias_ = 0.0;
};

// The words of a sentence as the model knows them: addresses, numbers and names of things in code are one word each.
[[nodiscard]] std::string ModelWords(const TextCanvas& canvas, const TextSentence& sentence);

}  // namespace interlock::scan
