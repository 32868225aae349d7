#include "leaf_text.h"

#include <algorithm>
#include <array>

#include "words.h"

namespace interlock::bounds {
namespace {

bool IsTokenByte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

constexpr std::string_view kStopWords[] = {
    "a",    "an",   "and", "are",  "as", "at",  "be", "by",   "can",  "could", "do",    "for", "from", "had", "has",
    "have", "i",    "if",  "in",   "is", "it",  "me", "my",   "no",   "not",   "of",    "on",  "or",   "our", "please",
    "so",   "that", "the", "this", "to", "was", "we", "were", "will", "with",  "would", "you", "your"};
// Lengths of stop words as bits, by first byte: nearly every other word is let go by one look.
constexpr auto kStopLengths = [] {
  std::array<std::uint32_t, 256> lengths{};
  for (const std::string_view word : kStopWords) {
    lengths[static_cast<unsigned char>(word.front())] |= 1U << word.size();
  }
  return lengths;
}();

// `word` is not empty.
bool IsStopWord(std::string_view word) noexcept {
  constexpr std::size_t kLongest = 6;
  if (word.size() > kLongest) return false;
  if ((kStopLengths[static_cast<unsigned char>(word.front())] >> word.size() & 1U) == 0) return false;
  return std::binary_search(std::begin(kStopWords), std::end(kStopWords), word);
}

}  // namespace

void Tokens(std::string_view text, std::size_t limit, bool sorted, std::vector<std::uint32_t>& out) {
  __attribute__((uninitialized)) char word[64];
  std::size_t n = 0;
  const auto flush = [&] {
    if (n == 0) return;
    const std::string_view token(word, n);
    if (!IsStopWord(token)) out.push_back(HashOf(token));
    n = 0;
  };
  for (const char c : text) {
    if (out.size() >= limit) break;
    if (!IsTokenByte(c)) {
      flush();
    } else if (n < sizeof(word)) {
      word[n++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  flush();
  if (sorted) {
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
}

bool Holds(std::span<const std::uint32_t> sorted, std::uint32_t token) noexcept {
  return std::binary_search(sorted.begin(), sorted.end(), token);
}

float Share(std::span<const std::uint32_t> tokens, std::span<const std::uint32_t> sorted) noexcept {
  if (tokens.empty()) return 1.0F;
  if (sorted.empty()) return 0.0F;
  std::size_t hits = 0;
  for (const std::uint32_t token : tokens) hits += Holds(sorted, token) ? 1U : 0U;
  return static_cast<float>(hits) / static_cast<float>(tokens.size());
}

Shape ShapeOf(std::string_view word) noexcept {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kLeastDigits = 5;
  if (word.size() < kShortest || word.size() > kLongValue) return Shape::kNone;
  if (word.find("://") != std::string_view::npos || word.starts_with("www.")) return Shape::kLink;
  std::size_t digits = 0;
  bool plain = true;
  for (const char c : word) {
    digits += c >= '0' && c <= '9' ? 1U : 0U;
    plain = plain && (IsTokenByte(c) || c == '-' || c == '+');
  }
  const std::size_t at = word.find('@');
  if (at != std::string_view::npos && at > 0 && at + 1 < word.size()) return Shape::kMail;
  return plain && digits >= kLeastDigits ? Shape::kAccount : Shape::kNone;
}

}  // namespace interlock::bounds
