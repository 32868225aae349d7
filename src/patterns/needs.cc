#include "needs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "literals.h"

namespace interlock::patterns {
namespace {

constexpr std::size_t kMaxAtoms = 64;
constexpr std::size_t kMaxWord = 255;

// Of 64: letters in either case alike, digits, and what is left over among the rest.
constexpr std::array<std::uint8_t, 256> kPairCodes = [] {
  std::array<std::uint8_t, 256> codes{};
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const std::size_t lower = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    const bool letter = lower >= 'a' && lower <= 'z';
    const bool digit = c >= '0' && c <= '9';
    codes[c] = static_cast<std::uint8_t>(letter ? lower - 'a' : digit ? 26 + c - '0' : 36 + c % 28);
  }
  return codes;
}();

using Bytes = unsigned char __attribute__((vector_size(16)));

Bytes Load(const char* at) noexcept {
  Bytes out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

// The bit that letters of either case have in common; other characters are compared as they are.
unsigned char CaseBit(unsigned char c) noexcept { return c >= 'a' && c <= 'z' ? 0x20 : 0; }

bool IsAt(std::string_view text, std::size_t at, std::string_view word) noexcept {
  return std::ranges::equal(
      text.substr(at, word.size()), word, {}, [](char c) { return FoldAscii(static_cast<unsigned char>(c)); },
      [](char c) { return static_cast<unsigned char>(c); });
}

bool Has(std::string_view text, std::string_view word) noexcept {
  if (word.size() > text.size()) return false;
  const std::size_t places = text.size() - word.size() + 1;
  const auto first = static_cast<unsigned char>(word.front());
  const auto last = static_cast<unsigned char>(word.back());
  const unsigned char first_case = CaseBit(first);
  const unsigned char last_case = CaseBit(last);
  std::size_t i = 0;
  for (; i + sizeof(Bytes) <= places; i += sizeof(Bytes)) {
    const auto hits = reinterpret_cast<Bytes>(((Load(text.data() + i) | first_case) == first) &
                                              ((Load(text.data() + i + word.size() - 1) | last_case) == last));
    std::uint64_t halves[2];
    std::memcpy(halves, &hits, sizeof hits);
    if ((halves[0] | halves[1]) == 0) continue;
    for (std::size_t k = 0; k < sizeof(Bytes); ++k) {
      if (hits[k] != 0 && IsAt(text, i + k, word)) return true;
    }
  }
  for (; i < places; ++i) {
    if (IsAt(text, i, word)) return true;
  }
  return false;
}

}  // namespace

std::vector<Need> NeedsOf(re2::FilteredRE2& filter, std::size_t most) {
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  if (atoms.empty() || atoms.size() > kMaxAtoms) return {};
  const auto fits = [](const std::string& atom) {
    return atom.size() <= kMaxWord &&
           std::ranges::all_of(atom, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  const auto impossible = [&](const std::vector<int>& seen) {
    std::vector<int> possible;
    filter.AllPotentials(seen, &possible);
    return possible.empty();
  };
  // An atom may be left out as long as the expression cannot match with only the atoms that were left out. Words that
  // are not ASCII cannot serve: their case is not folded when the text is searched. Then the short ones.
  std::vector<int> order;
  std::vector<int> left_out;
  for (std::size_t i = 0; i < atoms.size(); ++i) (fits(atoms[i]) ? order : left_out).push_back(static_cast<int>(i));
  std::ranges::stable_sort(order, {}, [&](int i) { return atoms[static_cast<std::size_t>(i)].size(); });
  std::vector<Need> out;
  while (out.size() < most && impossible(left_out)) {
    std::vector<int> seen = left_out;
    Need need;
    for (const int atom : order) {
      if (std::ranges::find(left_out, atom) != left_out.end()) continue;
      seen.push_back(atom);
      if (impossible(seen)) continue;
      seen.pop_back();
      need.push_back(atoms[static_cast<std::size_t>(atom)]);
      // The next one does without it.
      left_out.push_back(atom);
    }
    if (need.empty()) break;
    std::ranges::sort(need);
    out.push_back(std::move(need));
  }
  return out;
}

void BytePairs::Add(std::string_view text) noexcept {
  if (text.empty()) return;
  std::size_t before = kPairCodes[static_cast<unsigned char>(text.front())];
  for (const char c : text.substr(1)) {
    const std::size_t code = kPairCodes[static_cast<unsigned char>(c)];
    bits_[before % 64] |= std::uint64_t{1} << code;
    before = code;
  }
}

void BytePairs::Add(const BytePairs& other) noexcept {
  for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
}

bool BytePairs::MayHave(std::string_view word) const noexcept {
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    const std::size_t first = kPairCodes[static_cast<unsigned char>(word[i])];
    const std::size_t second = kPairCodes[static_cast<unsigned char>(word[i + 1])];
    if ((bits_[first % 64] >> second & 1) == 0) return false;
  }
  return true;
}

void BlockPairs::Open(std::string_view text) {
  text_ = text;
  read_.assign(text.size() / kBlock + 1, 0);
  if (blocks_.size() < read_.size()) blocks_.resize(read_.size());
}

const BytePairs& BlockPairs::Block(std::size_t index) {
  BytePairs& block = blocks_[index];
  if (read_[index] == 0) {
    read_[index] = 1;
    block = {};
    block.Add(text_.substr(index * kBlock, kBlock + 1));  // with the pair over its end
  }
  return block;
}

const BytePairs* BlockPairs::Of(std::size_t begin, std::size_t end) {
  if (begin >= end || end > text_.size()) return nullptr;
  const std::size_t first = begin / kBlock;
  const std::size_t last = (end - 1) / kBlock;
  if (last - first >= kMostBlocks) return nullptr;
  if (first == last) return &Block(first);
  several_ = {};
  for (std::size_t i = first; i <= last; ++i) several_.Add(Block(i));
  return &several_;
}

bool HasAny(std::string_view text, std::span<const std::string> words, const BytePairs* pairs) noexcept {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return (pairs == nullptr || pairs->MayHave(word)) && Has(text, word); });
}

}  // namespace interlock::patterns
