// What a value has been made of: words joined or taken apart, words misspelled, amounts computed. Tried only for words
// that nothing explains as they are, for a bounded number of them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "explainer.h"

namespace interlock::provenance::internal {
namespace {

constexpr std::uint32_t kMaxWords = 4;    // of one value that are split, joined, or looked up as misspelled
constexpr std::uint32_t kLongValue = 24;  // words; of a longer one half as many are tried
constexpr std::size_t kMinPart = 3;
constexpr std::size_t kMinJoined = 6;
constexpr std::size_t kMinSurname = 5;
constexpr std::size_t kMaxSplit = 40;
constexpr std::uint32_t kMaxNeighbours = 8;  // places of one word tried in one source
constexpr std::uint32_t kMaxLookAlikes = 32;
constexpr std::size_t kMinTwoEdits = 8;      // bytes of a word in which two may be wrong
constexpr std::size_t kMinIdentifier = 10;   // shorter identifiers that differ in one character are different
constexpr std::uint32_t kComputedEnds = 12;  // first and newest sources whose amounts are tried

constexpr float kJoinedQuality = 0.7F;
constexpr float kInitialQuality = 0.5F;
constexpr std::array<float, 3> kMisspelledQuality{0, 0.7F, 0.5F};
constexpr float kComputedQuality = 0.5F;
constexpr std::array<std::int64_t, 8> kFactors{2, 3, 4, 5, 6, 10, 12, 100};
constexpr float kMinComputed = 0.3F;  // substance: a ten is a sum of too many things

// Edits between two words, or limit + 1; only cells that can be within the limit are worked out.
std::uint32_t Distance(std::string_view a, std::string_view b, std::uint32_t limit) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.empty() || b.empty())
    return static_cast<std::uint32_t>(std::min<std::size_t>(std::max(a.size(), b.size()), limit + 1));
  constexpr std::size_t kMax = kMaxWordBytes + 2;
  if (a.size() + 2 > kMax || b.size() + 2 > kMax) return limit + 1;
  std::array<std::uint32_t, kMax> row;
  const std::uint32_t far = limit + 1;
  for (std::size_t j = 0; j <= b.size() + 1; ++j) row[j] = std::min(static_cast<std::uint32_t>(j), far);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t from = i > limit ? i - limit : 1;
    const std::size_t to = std::min(b.size(), i + limit);
    std::uint32_t diagonal = row[from - 1];
    row[from - 1] = from == 1 ? std::min(static_cast<std::uint32_t>(i), far) : far;
    std::uint32_t least = row[from - 1];
    for (std::size_t j = from; j <= to; ++j) {
      const std::uint32_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1, far});
      least = std::min(least, row[j]);
    }
    row[to + 1] = far;
    if (least > limit) return far;
  }
  return row[b.size()];
}

// Whether amounts of `source` can make up `wanted` without a rate that a request states: no comparison of every two.
bool MayCompute(const Source& source, std::int64_t wanted) {
  const std::vector<std::int64_t>& values = source.values;
  if (values.size() < source.amounts.size()) return true;  // it states a rate
  const std::int64_t* const first = values.data();
  const std::int64_t* const last = first + values.size();
  for (const std::int64_t* v = first; v < last; ++v) {
    for (const std::int64_t factor : kFactors) {
      if (*v * factor == wanted || wanted * factor == *v) return true;
    }
  }
  const std::int64_t* high = last;
  for (const std::int64_t* low = first; low < high; ++low) {  // a sum
    while (low < high && *low + high[-1] > wanted) --high;
    if (low < high && *low + high[-1] == wanted) return true;
  }
  const std::int64_t* up = first;
  for (const std::int64_t* low = first; low < last; ++low) {  // a difference
    while (up < last && *up - *low < wanted) ++up;
    if (up < last && *up - *low == wanted) return true;
  }
  return false;
}

}  // namespace

void Explainer::FindJoined() {
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  const std::uint32_t limit_of_words = n > kLongValue ? kMaxWords / 2 : kMaxWords;
  std::uint32_t tried = 0;
  for (std::uint32_t i = 0; i < n && tried < limit_of_words; ++i) {
    const Token& token = list_.tokens[i];
    if (IsCovered(i) || stop_[i] != 0 || token.has_digit || token.size < kMinJoined || token.size > kMaxSplit) continue;
    ++tried;
    SplitWord(i);
  }
  tried = 0;
  for (std::uint32_t i = 0; i + 1 < n && tried < limit_of_words; ++i) {
    if (IsCovered(i) && IsCovered(i + 1)) continue;
    const std::size_t size = std::size_t{list_.tokens[i].size} + list_.tokens[i + 1].size;
    if (stop_[i] != 0 || stop_[i + 1] != 0 || size < kMinJoined || size > kMaxWordBytes) continue;
    ++tried;
    JoinWords(i);
  }
}

// "emmajohnson" of "Emma Johnson", "ejohnson" of it.
void Explainer::SplitWord(std::uint32_t i) {
  const std::string word(list_.word(i));
  for (std::size_t cut = kMinPart; cut + kMinPart <= word.size(); ++cut) {
    if (!Spend(2)) return;
    const std::uint32_t head = store_.FindKey(Space::kWord, std::string_view(word).substr(0, cut));
    if (head == kNone) continue;
    const std::uint32_t tail = store_.FindKey(Space::kWord, std::string_view(word).substr(cut));
    if (tail != kNone && (TakeNeighbours(i, head, tail) || TakeNeighbours(i, tail, head))) return;
  }
  if (word.size() <= kMinSurname) return;
  const std::uint32_t surname = store_.FindKey(Space::kWord, std::string_view(word).substr(1));
  if (surname != kNone) TakeInitial(i, surname);
}

bool Explainer::TakeNeighbours(std::uint32_t word, std::uint32_t first_entry, std::uint32_t second_entry) {
  bool found = false;
  store_.ForEachPlace(first_entry, [&](std::uint32_t place) {
    const Segment& segment = store_.SegmentOf(place);
    if (!Spend(1) || !Counts(segment)) return;
    std::uint32_t tried = 0;
    for (std::uint32_t at = place; at != kNone && tried < kMaxNeighbours; at = store_.place(at).next, ++tried) {
      if (!Spend(1)) return;
      if (at + 1 >= segment.end || store_.place(at + 1).entry != second_entry) continue;
      if (!Explains(segment.source, word, word + 1)) {
        TakePiece(segment.source, MatchKind::kDerived, kJoinedQuality, SourceSpan(at, at + 1), word, word + 1);
      }
      found = true;
      return;
    }
  });
  return found;
}

bool Explainer::TakeInitial(std::uint32_t word, std::uint32_t entry) {
  const char initial = list_.word(word)[0];
  bool found = false;
  store_.ForEachPlace(entry, [&](std::uint32_t place) {
    const Segment& segment = store_.SegmentOf(place);
    if (!Spend(1) || !Counts(segment) || place == segment.begin) return;
    const char first = store_.sources()[segment.source].text[store_.place(place - 1).begin()];
    if ((first | 0x20) != initial || Explains(segment.source, word, word + 1)) return;
    TakePiece(segment.source, MatchKind::kDerived, kInitialQuality, SourceSpan(place - 1, place), word, word + 1);
    found = true;
  });
  return found;
}

// "Emma Johnson" of "emmajohnson".
void Explainer::JoinWords(std::uint32_t first) {
  std::string joined(list_.word(first));
  joined += list_.word(first + 1);
  const std::uint32_t entry = store_.FindKey(Space::kWord, joined);
  if (entry == kNone) return;
  store_.ForEachPlace(entry, [&](std::uint32_t place) {
    const Segment& segment = store_.SegmentOf(place);
    if (!Spend(1) || !Counts(segment) || Explains(segment.source, first, first + 2)) return;
    TakePiece(segment.source, MatchKind::kDerived, kJoinedQuality, SourceSpan(place, place), first, first + 2);
  });
}

void Explainer::FindMisspelled() {
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  const std::uint32_t limit_of_words = n > kLongValue ? kMaxWords / 2 : kMaxWords;
  std::uint32_t tried = 0;
  for (std::uint32_t i = 0; i < n && tried < limit_of_words; ++i) {
    const Token& token = list_.tokens[i];
    const std::size_t least = token.has_digit ? kMinIdentifier : kMinFuzzy;
    if (IsCovered(i) || stop_[i] != 0 || token.size < least) continue;
    ++tried;
    const std::string word(list_.word(i));
    const std::uint32_t limit = token.has_digit || token.size < kMinTwoEdits ? 1 : 2;
    const std::uint32_t signature = SourceStore::SignatureOf(word);
    constexpr std::uint32_t kLetters = (1u << 26) - 1;
    store_.ForEachLookAlike(word, kMaxLookAlikes, [&](const SourceStore::LookAlike& like) {
      if (!Spend(1)) return;
      const std::uint32_t other = like.signature;
      const auto gap = static_cast<int>(signature >> 26) - static_cast<int>(other >> 26);
      if (static_cast<std::uint32_t>(std::abs(gap)) > limit) return;
      if (static_cast<std::uint32_t>(std::popcount((signature ^ other) & kLetters)) > 2 * limit) return;
      const std::uint32_t distance = Distance(word, WordAt(store_.FirstPlace(like.entry)), limit);
      if (!Spend(word.size()) || distance == 0 || distance > limit) return;
      TakeMisspelled(i, like.entry, distance);
    });
  }
}

void Explainer::TakeMisspelled(std::uint32_t word, std::uint32_t entry, std::uint32_t distance) {
  store_.ForEachPlace(entry, [&](std::uint32_t place) {
    const Segment& segment = store_.SegmentOf(place);
    if (!Spend(1) || !Counts(segment) || Explains(segment.source, word, word + 1)) return;
    TakePiece(segment.source, MatchKind::kFuzzy, kMisspelledQuality[distance], SourceSpan(place, place), word,
              word + 1);
  });
}

// A number that is the sum or the difference of two amounts of one source, a simple multiple or share of one, or a
// percentage of one by a rate that this source or a request states. To the cent.
void Explainer::FindArithmetic() {
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  const auto number = std::ranges::find_if(
      hits_, [&](const FormatHit& hit) { return hit.format == Format::kNumber && hit.first == 0 && hit.last == n; });
  if (number == hits_.end() || Substance(0, n) < kMinComputed) return;
  const std::optional<std::int64_t> wanted = ScaledNumber(number->key);
  if (!wanted.has_value() || *wanted <= 0) return;
  const auto& sources = store_.sources();
  const auto count = static_cast<std::uint32_t>(sources.size());
  std::vector<std::int64_t> rates;
  const auto visit = [&](auto&& take) {
    for (std::uint32_t i = 0; i < count && i < kComputedEnds; ++i) take(i);
    std::uint32_t newest = 0;
    for (std::uint32_t i = count; i > kComputedEnds && newest < kComputedEnds && Spend(1); --i) {
      if (!Counts(i - 1)) continue;
      ++newest;
      take(i - 1);
    }
  };
  visit([&](std::uint32_t source) {
    if (sources[source].info.kind != SourceKind::kRequest) return;
    for (const Amount& amount : sources[source].amounts) {
      if (amount.percent) rates.push_back(amount.value);
    }
  });
  const bool direct = any_direct_;
  visit([&](std::uint32_t source) {
    // A number that stands somewhere as it is was not computed from results.
    if (direct && sources[source].info.kind != SourceKind::kRequest) return;
    if (Counts(source) && !Of(source).whole) ComputeFrom(source, *wanted, rates);
  });
}

void Explainer::ComputeFrom(std::uint32_t source, std::int64_t wanted, const std::vector<std::int64_t>& rates) {
  constexpr std::int64_t kUnit = 10'000;
  constexpr std::int64_t kHalfCent = kUnit / 200;
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  const std::vector<Amount>& amounts = store_.sources()[source].amounts;
  if (!Spend(amounts.size() * amounts.size() / 8 + 1)) return;
  const auto take = [&](const Amount& a, const Amount& b) {
    TakePiece(source, MatchKind::kDerived, kComputedQuality, {std::min(a.begin, b.begin), std::max(a.end, b.end)}, 0,
              n);
    Of(source).whole = true;
  };
  const auto near = [&](std::int64_t value) { return std::abs(value - wanted) <= kHalfCent; };
  const auto by_rate = [&](std::int64_t amount, std::int64_t rate) {
    if (rate > 1000 * kUnit || amount > (std::int64_t{1} << 62) / (1000 * kUnit)) return false;
    const std::int64_t share = amount * rate / (100 * kUnit);
    return near(share) || near(amount + share) || near(amount - share);
  };
  if (rates.empty() && !MayCompute(store_.sources()[source], wanted)) return;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const Amount& a = amounts[i];
    if (a.percent) continue;
    for (const std::int64_t factor : kFactors) {
      if (a.value * factor == wanted || wanted * factor == a.value) return take(a, a);
    }
    for (const std::int64_t rate : rates) {
      if (by_rate(a.value, rate)) return take(a, a);
    }
    for (std::size_t j = 0; j < amounts.size(); ++j) {
      const Amount& b = amounts[j];
      if (b.percent && by_rate(a.value, b.value)) return take(a, b);
      if (b.percent || j <= i || a.begin == b.begin) continue;
      if (a.value + b.value == wanted || std::abs(a.value - b.value) == wanted) return take(a, b);
    }
  }
}

}  // namespace interlock::provenance::internal
