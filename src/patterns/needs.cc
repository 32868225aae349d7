#include "needs.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>

#include "literals.h"

namespace interlock::patterns {
namespace {

constexpr std::size_t kMaxAtoms = 64;
constexpr std::size_t kMaxWord = 255;

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
#ifdef __SSE2__
  // Sixteen places at a time: those where the first and the last letter fit.
  const auto all = [](unsigned char c) { return _mm_set1_epi8(static_cast<char>(c)); };
  const __m128i firsts = all(first);
  const __m128i lasts = all(last);
  const __m128i first_cases = all(first_case);
  const __m128i last_cases = all(last_case);
  const auto load = [](const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
  constexpr std::size_t kStep = sizeof(__m128i);
  for (; i + kStep <= places; i += kStep) {
    const __m128i head = _mm_cmpeq_epi8(_mm_or_si128(load(text.data() + i), first_cases), firsts);
    const __m128i tail = _mm_cmpeq_epi8(_mm_or_si128(load(text.data() + i + word.size() - 1), last_cases), lasts);
    auto hits = static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(head, tail)));
    for (; hits != 0; hits &= hits - 1) {
      if (IsAt(text, i + static_cast<std::size_t>(std::countr_zero(hits)), word)) return true;
    }
  }
#endif
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
