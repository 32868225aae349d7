// Portable literal matcher: a bit for every hash of a word's first three bytes, then the words of that hash one by one.
// Building is linear in the words, so small inputs do not wait for it.
#include <array>
#include <bitset>

#include "literals.h"

namespace interlock::patterns {
namespace {

constexpr std::uint32_t kBuckets = 1U << 15U;

std::uint32_t HashOf(unsigned char a, unsigned char b, unsigned char c) noexcept {
  const std::uint32_t packed = a | (std::uint32_t{b} << 8U) | (std::uint32_t{c} << 16U);
  return (packed * 0x9E3779B1U) >> 17U;
}

constexpr std::array<unsigned char, 256> FoldTable() {
  std::array<unsigned char, 256> table{};
  for (unsigned i = 0; i < 256; ++i) table[i] = FoldAscii(static_cast<unsigned char>(i));
  return table;
}
constexpr std::array<unsigned char, 256> kFold = FoldTable();

class Portable final : public LiteralMatcher {
 public:
  explicit Portable(std::span<const std::string> words) : words_(words), starts_(kBuckets + 1) {
    const auto each_bucket = [&](const std::string& word, auto&& use) {
      const auto at = [&](std::size_t i) { return static_cast<unsigned char>(word[i]); };
      if (word.size() >= 3) {
        use(HashOf(at(0), at(1), at(2)));
        return;
      }
      std::bitset<kBuckets> used;  // two bytes: whatever follows
      for (unsigned c = 0; c < 256; ++c) {
        const std::uint32_t bucket = HashOf(at(0), at(1), kFold[c]);
        if (!used.test(bucket)) use(bucket);
        used.set(bucket);
      }
    };
    for (const std::string& word : words_) {
      each_bucket(word, [&](std::uint32_t bucket) { ++starts_[bucket + 1]; });
    }
    for (std::uint32_t i = 0; i < kBuckets; ++i) starts_[i + 1] += starts_[i];
    entries_.resize(starts_[kBuckets]);
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      each_bucket(words_[i], [&](std::uint32_t bucket) {
        maybe_.set(bucket);
        entries_[next[bucket]++] = i;
      });
    }
  }

  bool Find(std::string_view text, std::unique_ptr<LiteralScratch>& /*scratch*/,
            std::vector<LiteralHit>& out) const override {
    if (words_.empty() || text.size() < 2) return true;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    unsigned char a = kFold[bytes[0]];
    unsigned char b = kFold[bytes[1]];
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const unsigned char c = i + 2 < text.size() ? kFold[bytes[i + 2]] : 0;
      const std::uint32_t bucket = HashOf(a, b, c);
      if (maybe_.test(bucket)) Confirm(text.substr(i), static_cast<std::uint32_t>(i), bucket, out);
      a = b;
      b = c;
    }
    return true;
  }

 private:
  void Confirm(std::string_view rest, std::uint32_t at, std::uint32_t bucket, std::vector<LiteralHit>& out) const {
    for (std::uint32_t e = starts_[bucket]; e < starts_[bucket + 1]; ++e) {
      const std::string& word = words_[entries_[e]];
      if (word.size() > rest.size()) continue;
      std::size_t k = 0;
      while (k < word.size() && kFold[static_cast<unsigned char>(rest[k])] == static_cast<unsigned char>(word[k])) ++k;
      if (k == word.size()) out.push_back({entries_[e], at});
    }
  }

  std::span<const std::string> words_;
  std::vector<std::uint32_t> starts_;   // of each bucket in entries_
  std::vector<std::uint32_t> entries_;  // words
  std::bitset<kBuckets> maybe_;
};

}  // namespace

std::unique_ptr<LiteralMatcher> MakePortableMatcher(std::span<const std::string> words) {
  return std::make_unique<Portable>(words);
}

}  // namespace interlock::patterns
