#include "needs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "literals.h"

namespace interlock::patterns {
namespace {

constexpr std::size_t kMaxAtoms = 64;
constexpr std::size_t kMaxWord = 255;

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

bool HasAny(std::string_view text, std::span<const std::string> words) noexcept {
  return std::ranges::any_of(words, [&](const std::string& word) { return Has(text, word); });
}

}  // namespace interlock::patterns
