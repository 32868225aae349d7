#include "needs.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "interlock/base/find_bytes.h"
#include "literals.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace interlock::patterns {
namespace {

constexpr std::size_t kMaxWord = 255;

// One of the 8192 places of three bytes in a row: five bits of each, which letters of either case have alike.
constexpr std::uint32_t CodeOf(char c) noexcept { return static_cast<unsigned char>(c) & 31U; }
constexpr std::uint32_t GramOf(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  return a << 8U ^ b << 4U ^ c;
}

using Bytes = unsigned char __attribute__((vector_size(16)));

Bytes Load(const char* at) noexcept {
  Bytes out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

// A bit for each of the bytes, all of whose bits are alike.
std::uint32_t BitsOf(const Bytes& bytes) noexcept {
#ifdef __SSE2__
  return static_cast<std::uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
  std::uint32_t bits = 0;
  for (unsigned k = 0; k < sizeof(Bytes); ++k) bits |= (bytes[k] & 1U) << k;
  return bits;
#endif
}

// The bit that letters of either case have in common; other characters are compared as they are.
unsigned char CaseBit(unsigned char c) noexcept { return c >= 'a' && c <= 'z' ? 0x20 : 0; }

bool IsAt(const char* at, std::string_view word) noexcept {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (FoldAscii(static_cast<unsigned char>(at[i])) != static_cast<unsigned char>(word[i])) return false;
  }
  return true;
}

// How rare a letter is in English, roughly; what is no letter is rare, but for the space.
constexpr std::array<std::uint8_t, 256> kRarity = [] {
  constexpr std::string_view kOften = " etaoinsrhldcumfpgwybvkxjqz";
  std::array<std::uint8_t, 256> table{};
  table.fill(kOften.size());
  for (std::size_t i = 0; i < kOften.size(); ++i)
    table[static_cast<unsigned char>(kOften[i])] = static_cast<std::uint8_t>(i);
  return table;
}();
int Rarity(char c) noexcept { return kRarity[static_cast<unsigned char>(c)]; }

}  // namespace

std::vector<Need> NeedsOf(const re2::FilteredRE2& filter, std::span<const std::string> atoms, std::size_t most,
                          bool beyond) {
  if (atoms.empty()) return {};
  const auto ascii = [&](int i) { return base::IsAscii(atoms[static_cast<std::size_t>(i)]); };
  const auto size = [&](int i) { return atoms[static_cast<std::size_t>(i)].size(); };
  const auto impossible = [&](const std::vector<int>& seen) {
    std::vector<int> possible;
    filter.AllPotentials(seen, &possible);
    return possible.empty();
  };
  // An atom may be left out as long as the expression cannot match with only the atoms that were left out. Words that
  // are not ASCII are left out first: their case is not folded when the text is searched. Then the short ones.
  std::vector<int> order;
  std::vector<int> left_out;
  for (int i = 0; i < static_cast<int>(atoms.size()); ++i) {
    (size(i) <= kMaxWord && (beyond || ascii(i)) ? order : left_out).push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](int i) { return ascii(i) ? size(i) : 0; });
  std::vector<Need> out;
  while (out.size() < most && impossible(left_out)) {
    std::vector<int> seen = left_out;
    Need need;
    bool wide = false;
    bool any = false;
    for (const int atom : order) {
      if (std::ranges::find(left_out, atom) != left_out.end()) continue;
      seen.push_back(atom);
      if (impossible(seen)) continue;
      seen.pop_back();
      if (!ascii(atom)) {
        wide = true;
        continue;
      }
      any = true;
      need.push_back(atoms[static_cast<std::size_t>(atom)]);
      // The next one does without it.
      left_out.push_back(atom);
    }
    if (!any) break;
    std::ranges::sort(need);
    if (wide) need.emplace_back(kBeyondAscii);
    out.push_back(std::move(need));
  }
  return out;
}

Wanted::Wanted(std::string_view word) : beyond_(word == kBeyondAscii), word_(word) {
  for (std::size_t i = 1; i < word_.size(); ++i) {
    if (Rarity(word_[i]) > Rarity(word_[rare_])) rare_ = i;
  }
  other_ = rare_ == 0 ? word_.size() - 1 : 0;
  for (std::size_t i = 0; i < word_.size(); ++i) {
    if (i != rare_ && Rarity(word_[i]) > Rarity(word_[other_])) other_ = i;
  }
  // The rarest first: it says no alone, mostly.
  std::array<int, kMost> rarities{};
  for (std::size_t i = 0; i + 2 < word_.size(); ++i) {
    const char* const at = word_.data() + i;
    int rarity = Rarity(at[0]) + Rarity(at[1]) + Rarity(at[2]);
    std::uint16_t gram = static_cast<std::uint16_t>(GramOf(CodeOf(at[0]), CodeOf(at[1]), CodeOf(at[2])));
    for (std::size_t k = 0; k < count_; ++k) {
      if (rarity <= rarities[k]) continue;
      std::swap(rarity, rarities[k]);
      std::swap(gram, grams_[k]);
    }
    if (count_ == kMost) continue;
    rarities[count_] = rarity;
    grams_[count_++] = gram;
  }
}

// Two of its letters say no to nearly all places, sixteen at a time.
bool Wanted::IsIn(std::string_view text) const noexcept {
  if (beyond_) return !base::IsAscii(text);
  if (word_.size() > text.size()) return false;
  const std::size_t places = text.size() - word_.size() + 1;
  const auto rare = static_cast<unsigned char>(word_[rare_]);
  const auto other = static_cast<unsigned char>(word_[other_]);
  const unsigned char rare_case = CaseBit(rare);
  const unsigned char other_case = CaseBit(other);
  if (places < sizeof(Bytes)) {
    for (std::size_t i = 0; i < places; ++i) {
      if ((static_cast<unsigned char>(text[i + rare_]) | rare_case) == rare && IsAt(text.data() + i, word_))
        return true;
    }
    return false;
  }
  const std::size_t last = places - sizeof(Bytes);
  for (std::size_t i = 0;; i = std::min(i + sizeof(Bytes), last)) {
    const char* const at = text.data() + i;
    const auto hits =
        reinterpret_cast<Bytes>(((Load(at + rare_) | rare_case) == rare) & ((Load(at + other_) | other_case) == other));
    for (std::uint32_t bits = BitsOf(hits); bits != 0; bits &= bits - 1) {
      if (IsAt(at + std::countr_zero(bits), word_)) return true;
    }
    if (i == last) return false;
  }
}

void BlockGrams::Open(std::string_view text) {
  text_ = text;
  one_ = other_ = nullptr;
  first_ = end_ = 0;
  read_.assign(text.size() / kBlock + 1, kUnread);
  if (blocks_.size() < read_.size()) blocks_.resize(read_.size());
}

void BlockGrams::Read(std::size_t index) {
  Grams& grams = blocks_[index];
  grams = {};
  const std::string_view text = text_.substr(index * kBlock, kBlock + 2);  // with what begins in it
  read_[index] = base::IsAscii(text) ? kAscii : kBeyond;
  if (text.size() < 3) return;
  std::uint64_t* const bits = grams.data();
  const char* const bytes = text.data();
  const auto add = [bits](std::uint32_t gram) { bits[gram / 64] |= std::uint64_t{1} << gram % 64; };
  std::uint32_t a = CodeOf(bytes[0]);
  std::uint32_t b = CodeOf(bytes[1]);
  std::size_t i = 2;
  for (; i + 3 <= text.size(); i += 3) {
    const std::uint32_t c = CodeOf(bytes[i]);
    add(GramOf(a, b, c));
    a = CodeOf(bytes[i + 1]);
    add(GramOf(b, c, a));
    b = CodeOf(bytes[i + 2]);
    add(GramOf(c, a, b));
  }
  for (; i < text.size(); ++i) {
    const std::uint32_t c = CodeOf(bytes[i]);
    add(GramOf(a, b, c));
    a = b;
    b = c;
  }
}

void BlockGrams::Look(std::size_t begin, std::size_t end) {
  one_ = other_ = nullptr;
  if (begin >= end || end > text_.size()) return;
  const std::size_t first = begin / kBlock;
  const std::size_t last = (end - 1) / kBlock;
  if (last - first >= kMostBlocks) return;
  const bool two = last - first < 2;
  if (two || first != first_ || last + 1 != end_) {
    beyond_ = false;
    for (std::size_t i = first; i <= last; ++i) {
      if (read_[i] == kUnread) Read(i);
      beyond_ = beyond_ || read_[i] == kBeyond;
    }
    first_ = end_ = 0;
  }
  if (two) {
    one_ = &blocks_[first];
    other_ = &blocks_[last];
    return;
  }
  if (end_ == 0) {
    together_ = blocks_[first];
    for (std::size_t i = first + 1; i <= last; ++i) {
      for (std::size_t k = 0; k < together_.size(); ++k) together_[k] |= blocks_[i][k];
    }
    first_ = first;
    end_ = last + 1;
  }
  one_ = other_ = &together_;
}

}  // namespace interlock::patterns
