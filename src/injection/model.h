// Private. The learned part: evidence of each word in its context, and the spans where it piles up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interlock/injection/span_finder.h"
#include "tokens.h"

namespace interlock::injection {

inline constexpr std::size_t kContext = 5;  // words before that a word is paired with
inline constexpr std::uint32_t kStartMark = 0x9E3779B9U;

enum class PairKind : std::uint32_t { kAdjacent = 0x85EBCA6BU, kNear = 0xC2B2AE35U, kStart = 0x27D4EB2FU };

[[nodiscard]] inline std::uint32_t HashPair(PairKind kind, std::uint32_t first, std::uint32_t second) {
  std::uint64_t mix = (static_cast<std::uint64_t>(first) << 32U) | second;
  mix = (mix ^ static_cast<std::uint32_t>(kind)) * 0x9E3779B97F4A7C15ULL;
  mix ^= mix >> 29U;
  mix *= 0xBF58476D1CE4E5B9ULL;
  const auto hash = static_cast<std::uint32_t>(mix >> 32U);
  return hash == 0 ? 1 : hash;
}

// Open addressing from hash to weight; immutable once built.
class WeightTable {
 public:
  struct Entry {
    std::uint32_t hash;
    std::int8_t weight;
  };
  void Build(std::vector<Entry> entries);
  [[nodiscard]] const std::int8_t* Find(std::uint32_t hash) const {
    std::size_t at = hash & mask_;
    while (keys_[at] != 0) {
      if (keys_[at] == hash) return &weights_[at];
      at = (at + 1) & mask_;
    }
    return nullptr;
  }
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;  // sorted by hash
  std::vector<std::uint32_t> keys_ = {0};
  std::vector<std::int8_t> weights_ = {0};
  std::size_t mask_ = 0;
};

struct ModelParameters {
  float scale = 1.0F;    // of one unit of a weight
  float drift = 0.0F;    // of every word
  float unknown = 0.0F;  // of a word that is not in the vocabulary
  float floor = -0.4F;   // evidence of one word is clipped to [floor, ceiling]
  float ceiling = 3.0F;
  float slope = 1.0F;  // log-odds of a span = slope * sqrt(sum of evidence) + offset
  float offset = 0.0F;
  float quarantine = 4.0F;  // log-odds from which a span should not be read by a model
};

struct Weights {
  ModelParameters parameters;
  WeightTable words;
  WeightTable pairs;

  // Evidence of each token, clipped; one step a token.
  void Evidence(const std::vector<Token>& tokens, std::vector<float>& out) const;
  [[nodiscard]] float LogOdds(float sum) const;
};

struct SpanModel::Impl : Weights {};

namespace internal {
struct Access {
  static const Weights& Of(const SpanModel& model) { return *model.impl_; }
};
}  // namespace internal

// A maximal run of tokens whose evidence sums above zero (Ruzzo and Tompa). In order, disjoint.
struct Run {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  float sum = 0.0F;
};
// `steps` counts the work done: at most a small multiple of the input.
void MaximalRuns(const std::vector<float>& evidence, std::vector<Run>& out, std::uint64_t* steps = nullptr);

}  // namespace interlock::injection
