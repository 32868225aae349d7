// What words, pairs of neighbours and pairs with one word between are worth as evidence of an order that means harm:
// log-odds from meaning/words.txt (tools/train-order-classifier). Private to text_meaning.cc and order_features.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  [[nodiscard]] static const WordModel& Get();
  [[nodiscard]] WordEvidence Read(const TextCanvas& canvas, const TextSentence& sentence) const noexcept;
  [[nodiscard]] double bias() const noexcept { return bias_; }

 private:
  WordModel();
  struct Slot {
    std::uint32_t tag = 0;  // 0: free
    float weight = 0.0F;
  };
  void Add(std::uint64_t key, float weight);
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> known_;  // bits, by another part of the hash: most that is looked for is not there
  std::uint64_t mask_ = 0;
  double bias_ = 0.0;
};

// The words of a sentence as the model knows them: addresses, numbers and names of things in code are one word each.
[[nodiscard]] std::string ModelWords(const TextCanvas& canvas, const TextSentence& sentence);

}  // namespace interlock::scan
