// Portable literal matcher: of each word the four bytes in a row that are rarest in texts, hashed; a bit for every
// hash, then the words of that hash one by one. Building is linear in the words, so small inputs do not wait for it.
#include <algorithm>
#include <array>
#include <cstring>

#include "literals.h"

namespace interlock::patterns {
namespace {

constexpr std::size_t kAnchor = 4;
constexpr unsigned kBitsLog = 18;     // of what says no
constexpr unsigned kBucketsLog = 13;  // of words
constexpr std::uint32_t kBuckets = 1U << kBucketsLog;

// Capitals as small letters, and some signs as others: what is found so is compared byte by byte.
std::uint32_t AnchorAt(const char* at) noexcept {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes | 0x20202020U;
}
constexpr std::uint32_t HashOf(std::uint32_t anchor) noexcept { return anchor * 0x9E3779B1U; }

constexpr std::array<unsigned char, 256> kFold = [] {
  std::array<unsigned char, 256> table{};
  for (unsigned i = 0; i < 256; ++i) table[i] = FoldAscii(static_cast<unsigned char>(i));
  return table;
}();

// How often a byte stands in texts, roughly.
constexpr std::array<double, 256> kOften = [] {
  std::array<double, 256> table{};
  table.fill(0.002);
  std::size_t rank = 0;
  for (const char c : std::string_view(" etaoinsrhldcumfpgwyb.,vk-'\"`/:"))
    table[static_cast<unsigned char>(c)] = 0.16 / static_cast<double>(++rank);
  return table;
}();
double Often(char c) noexcept { return kOften[static_cast<unsigned char>(c)]; }

class Portable final : public LiteralMatcher {
 public:
  explicit Portable(std::span<const std::string> words)
      : words_(words), maybe_((std::size_t{1} << kBitsLog) / 64), starts_(kBuckets + 1) {
    std::vector<Entry> entries;
    const auto add = [&](const char* anchor, std::uint32_t word, std::uint32_t offset) {
      Entry& entry = entries.emplace_back();
      entry.anchor = entry.other = AnchorAt(anchor);
      entry.word = word;
      entry.offset = static_cast<std::uint8_t>(offset);
      if (const std::size_t size = words_[word].size(); size > kAnchor) {
        entry.other_offset = static_cast<std::uint8_t>(offset > size / 2 - kAnchor / 2 ? 0 : size - kAnchor);
        entry.other = AnchorAt(words_[word].data() + entry.other_offset);
      }
      entry.size = static_cast<std::uint8_t>(words_[word].size());
      const std::uint32_t bit = HashOf(entry.anchor) >> (32 - kBitsLog);
      maybe_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      ++starts_[BucketOf(entry.anchor) + 1];
    };
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (word.size() == 2) {
        pairs_.push_back(i);
      } else if (word.size() == 3) {
        triples_.push_back(i);
        for (unsigned next = 0; next < 256; ++next) {
          const char anchor[kAnchor] = {word[0], word[1], word[2], static_cast<char>(next)};
          if ((next & 0x20) != 0) add(anchor, i, 0);  // as all of them have it in an anchor
        }
      } else {
        const auto offset = static_cast<std::uint32_t>(RarestOf(word));
        add(word.data() + offset, i, offset);
      }
    }
    for (std::uint32_t i = 0; i < kBuckets; ++i) starts_[i + 1] += starts_[i];
    entries_.resize(entries.size());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (const Entry& entry : entries) entries_[next[BucketOf(entry.anchor)]++] = entry;
  }

  bool Find(std::string_view text, std::unique_ptr<LiteralScratch>& /*scratch*/,
            std::vector<LiteralHit>& out) const override {
    const char* const bytes = text.data();
    const std::uint64_t* const maybe = maybe_.data();
    const std::size_t before = out.size();
    for (std::size_t i = 0; i + kAnchor <= text.size(); ++i) {
      const std::uint32_t anchor = AnchorAt(bytes + i);
      const std::uint32_t bit = HashOf(anchor) >> (32 - kBitsLog);
      if ((maybe[bit / 64] >> (bit % 64) & 1) != 0) Confirm(text, i, anchor, out);
    }
    const std::size_t long_ones = out.size();
    if (text.size() >= 3) {
      for (const std::uint32_t word : triples_) Compare(text, text.size() - 3, word, out);
    }
    for (const std::uint32_t word : pairs_) Pair(text, word, out);
    if (out.size() > long_ones) {
      std::ranges::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), {}, &LiteralHit::begin);
    }
    return true;
  }

 private:
  struct Entry {
    std::uint32_t anchor = 0;
    std::uint32_t other = 0;  // four of its bytes as well
    std::uint32_t word = 0;
    std::uint8_t offset = 0;  // of the anchor in the word
    std::uint8_t other_offset = 0;
    std::uint8_t size = 0;  // of the word
  };

  static std::uint32_t BucketOf(std::uint32_t anchor) noexcept { return HashOf(anchor) >> (32 - kBucketsLog); }

  static std::size_t RarestOf(std::string_view word) noexcept {
    std::size_t best = 0;
    double least = 2.0;
    for (std::size_t i = 0; i + kAnchor <= word.size(); ++i) {
      double often = 1.0;
      for (std::size_t k = 0; k < kAnchor; ++k) often *= Often(word[i + k]);
      if (often >= least) continue;
      least = often;
      best = i;
    }
    return best;
  }

  void Confirm(std::string_view text, std::size_t at, std::uint32_t anchor, std::vector<LiteralHit>& out) const {
    const std::uint32_t* const start = starts_.data() + BucketOf(anchor);
    const Entry* const end = entries_.data() + start[1];
    for (const Entry* entry = entries_.data() + start[0]; entry != end; ++entry) {
      if (entry->anchor != anchor || at < entry->offset) continue;
      const std::size_t begin = at - entry->offset;
      if (entry->size > text.size() - begin || AnchorAt(text.data() + begin + entry->other_offset) != entry->other)
        continue;
      Compare(text, begin, entry->word, out);
    }
  }

  // By its rarer byte.
  void Pair(std::string_view text, std::uint32_t index, std::vector<LiteralHit>& out) const {
    const std::string& word = words_[index];
    const std::size_t rare = Often(word[1]) < Often(word[0]) ? 1 : 0;
    const char small = word[rare];
    const bool letter = small >= 'a' && small <= 'z';
    for (std::size_t at = rare; at + 1 - rare < text.size(); ++at) {
      if (!letter) at = text.find(small, at);
      if (at >= text.size() || at + 1 - rare >= text.size()) break;
      Compare(text, at - rare, index, out);
    }
  }

  void Compare(std::string_view text, std::size_t at, std::uint32_t index, std::vector<LiteralHit>& out) const {
    const std::string_view word = words_[index];
    if (word.size() > text.size() - at) return;
    const char* const bytes = text.data() + at;
    for (std::size_t k = 0; k < word.size(); ++k) {
      if (kFold[static_cast<unsigned char>(bytes[k])] != static_cast<unsigned char>(word[k])) return;
    }
    out.push_back({index, static_cast<std::uint32_t>(at)});
  }

  std::span<const std::string> words_;
  std::vector<std::uint64_t> maybe_;    // a bit of each hash
  std::vector<std::uint32_t> pairs_;    // words of two bytes, ...
  std::vector<std::uint32_t> triples_;  // ... of three
  std::vector<std::uint32_t> starts_;   // of each bucket in entries_
  std::vector<Entry> entries_;
};

}  // namespace

std::unique_ptr<LiteralMatcher> MakePortableMatcher(std::span<const std::string> words) {
  return std::make_unique<Portable>(words);
}

}  // namespace interlock::patterns
