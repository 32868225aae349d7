// Private. The learned part: evidence of each word in its context, and the spans where it piles up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interlock/injection/span_finder.h"
#include "tokens.h"

namespace interlock::injection {

inline constexpr std::size_t kContext = 5;  // words before that a word is paired with
inline constexpr std::uint32_t kStartMark = 0x9E3779B9U;

enum class PairKind : std::uint32_t {
  kAdjacent = 0x85EBCA6BU,
  kNear = 0xC2B2AE35U,
  kStart = 0x27D4EB2FU,
  kTyped = 0x165667B1U
};

// Stand-ins for what is no word of the vocabulary.
inline constexpr std::uint32_t kNumberMark = 0x51ED270BU;
inline constexpr std::uint32_t kAddressMark = 0x2545F491U;
inline constexpr std::uint32_t kNameMark = 0x7FEB352DU;

[[nodiscard]] inline std::uint32_t HashPair(PairKind kind, std::uint32_t first, std::uint32_t second) {
  std::uint64_t mix = (static_cast<std::uint64_t>(first) << 32U) | second;
  mix = (mix ^ static_cast<std::uint32_t>(kind)) * 0x9E3779B97F4A7C15ULL;
  mix ^= mix >> 29U;
  mix *= 0xBF58476D1CE4E5B9ULL;
  const auto hash = static_cast<std::uint32_t>(mix >> 32U);
  return hash == 0 ? 1 : hash;
}

// Calls visit(index, hash) for each pair of a token with what stands before it. `known(hash)`: a word of the
// vocabulary. Words outside of it do not part the others, so that padding with rare words changes nothing.
template <class Known, class Visit>
void VisitPairs(const Token* begin, const Token* end, Known&& known, Visit&& visit) {
  std::array<std::uint32_t, kContext> context{};
  std::size_t head = 0;
  std::size_t filled = 0;
  bool adjoins = false;  // the token before is the newest of the context
  for (const Token* token = begin; token != end; ++token) {
    const auto index = static_cast<std::size_t>(token - begin);
    if (token->kind == TokenKind::kWord && token->sense == 0) continue;
    if (token->kind != TokenKind::kWord || !known(token->sense)) {
      const std::uint32_t mark = token->kind == TokenKind::kNumber    ? kNumberMark
                                 : token->kind == TokenKind::kAddress ? kAddressMark
                                 : token->capital                     ? kNameMark
                                                                      : 0;
      if (mark != 0 && adjoins) {
        visit(index, HashPair(PairKind::kTyped, context[(head + kContext - 1) % kContext], mark));
      }
      adjoins = false;
      continue;
    }
    if (token->starts) visit(index, HashPair(PairKind::kStart, kStartMark, token->sense));
    for (std::size_t back = 0; back < filled; ++back) {
      const std::uint32_t other = context[(head + kContext - 1 - back) % kContext];
      visit(index, HashPair(back == 0 ? PairKind::kAdjacent : PairKind::kNear, other, token->sense));
    }
    context[head] = token->sense;
    head = (head + 1) % kContext;
    filled = std::min(filled + 1, kContext);
    adjoins = true;
  }
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
    // Most pairs of a text are not in the table: a filter that fits the first cache says so at once.
    if (((filter_[(hash >> 6U) % filter_.size()] >> (hash & 63U)) & 1U) == 0) return nullptr;
    std::size_t at = (hash >> 3U) & mask_;
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
  std::array<std::uint64_t, 2048> filter_{};
};

struct ModelParameters {
  float scale = 1.0F;    // of one unit of a weight
  float drift = 0.0F;    // of every word
  float unknown = 0.0F;  // of a word that is not in the vocabulary
  float floor = -1.0F;   // evidence of one word is clipped to [floor, ceiling]
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
