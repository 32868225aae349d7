#include "explainer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "interlock/base/decimal.h"

namespace interlock::provenance::internal {
namespace {

constexpr std::size_t kMaxValueWords = 16'384;
constexpr std::uint32_t kMaxChain = 32;       // places of one word tried in one source
constexpr std::uint64_t kStepsBase = 20'000;  // of one lookup, whatever was added
constexpr std::uint64_t kStepsPerWord = 400;
constexpr std::uint32_t kCommon = kFirst + kNewest;  // a word that more sources share identifies none of them

constexpr std::size_t kMinIdentifying = 6;
constexpr std::size_t kMinIdentifyingRun = 16;

constexpr unsigned char kByRequest = 1;
constexpr unsigned char kByResult = 2;
constexpr unsigned char kByOther = 4;

// How good a match of each kind is before it is weighed with what it matches.
constexpr float kExactQuality = 1.0F;
constexpr float kCanonicalQuality = 0.97F;
constexpr float kFormatQuality = 0.95F;
constexpr float kSubstringQuality = 0.9F;
constexpr float kReformattedQuality = 0.75F;

// Of a run of the value's words.
constexpr float QualityOf(MatchKind kind) {
  if (kind == MatchKind::kSubstring) return kSubstringQuality;
  return kind == MatchKind::kFormat ? kFormatQuality : kReformattedQuality;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// A digit or a mark that identifiers and addresses are joined with.
bool IsJoint(char c) {
  constexpr auto kSet = [] {
    std::array<bool, 256> set{};
    for (const char joint : std::string_view("0123456789@:/._-+")) set[static_cast<unsigned char>(joint)] = true;
    return set;
  }();
  return kSet[static_cast<unsigned char>(c)];
}
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether the digits that start at `at` go on to the left as one number: 1,250 or 3.14. In a list, [100,200] or a
// record of a table, commas separate.
bool IsNumberComma(std::string_view text, std::size_t comma) {
  constexpr std::size_t kLook = 64;
  if (text[comma] != ',') return true;
  const auto in_number = [](char c) { return IsDigit(c) || c == ',' || c == '.'; };
  std::size_t begin = comma;
  while (begin > 0 && comma - begin < kLook && in_number(text[begin - 1])) --begin;
  std::size_t end = comma;
  while (end < text.size() && end - comma < kLook && in_number(text[end])) ++end;
  if (text[begin] == ',' || text[end - 1] == ',') return false;
  if ((begin > 0 && text[begin - 1] == '[') || (end < text.size() && text[end] == ']')) return false;
  std::size_t left = comma;
  while (left > begin && IsDigit(text[left - 1])) --left;
  std::size_t right = comma + 1;
  while (right < end && IsDigit(text[right])) ++right;
  return comma - left <= 3 && right - comma - 1 <= 3;
}
bool JoinedBefore(std::string_view text, std::size_t at) {
  return at >= 2 && at < text.size() && IsDigit(text[at]) && IsDigit(text[at - 2]) &&
         (text[at - 1] == '.' || text[at - 1] == ',' || text[at - 1] == '\'') && IsNumberComma(text, at - 1);
}
bool JoinedAfter(std::string_view text, std::size_t end) { return JoinedBefore(text, end + 1); }

}  // namespace

Explanation Explainer::Explain(std::string_view value, const ExplainOptions& options) {
  options_ = options;
  Start(value);
  if (!list_.tokens.empty()) {
    FindRuns();
    FindFormatsInValue();
    if (options_.derived) FindJoined();
    if (options_.fuzzy) FindMisspelled();
    if (options_.derived) FindArithmetic();
  }
  Explanation out;
  out.complete = store_.complete() && !exhausted_;
  Select(out);
  return out;
}

void Explainer::Start(std::string_view value) {
  value_ = value;
  steps_ = 0;
  any_direct_ = false;
  any_whole_ = false;
  labels_ = 0;
  identified_ = 0;
  before_turn_ = options_.before_turn == kNoTurn ? ~std::uint64_t{0} : options_.before_turn;
  pieces_.clear();
  const std::size_t read = tokenizer_.Read(value, Reading::kPlain, kMaxValueWords, list_);
  const std::size_t n = list_.tokens.size();
  exhausted_ = read < value.size();
  budget_ = kStepsBase + kStepsPerWord * n;
  ids_.resize(n);
  stop_.resize(n);
  cover_.assign(n, 0);
  weights_.assign(n, Weight{});
  only_stops_ = true;
  pair_hashes_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    store_.PrefetchSlot(list_.tokens[i].hash);
    if (i + 1 == n) break;
    pair_hashes_[i] = store_.hash().Pair(list_.tokens[i].hash, list_.tokens[i + 1].hash);
    store_.PrefetchSlot(pair_hashes_[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    store_.PrefetchEntry(list_.tokens[i].hash);
    if (i + 1 < n) store_.PrefetchEntry(pair_hashes_[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    ids_[i] = store_.Find(list_.tokens[i].hash);
    if (ids_[i] != kNone) store_.PrefetchPlaces(ids_[i]);
    stop_[i] = IsStopWord(list_.word(i)) ? 1 : 0;
    only_stops_ = only_stops_ && stop_[i] != 0;
  }
  FindJoints();
  content_bytes_ = Content(0, static_cast<std::uint32_t>(n));
  has_space_ = std::ranges::any_of(value, IsSpace);
  if (per_source_.size() < store_.sources().size()) per_source_.resize(store_.sources().size());
  if (++epoch_ == 0) {
    std::ranges::fill(per_source_, PerSource{});
    epoch_ = 1;
  }
  FindParts();
}

// Which of the value's words of digits go on as one number, to the left and to the right.
void Explainer::FindJoints() {
  const std::size_t n = list_.tokens.size();
  const Token* const tokens = list_.tokens.data();
  joined_before_.assign(n, 0);
  joined_after_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!tokens[i].all_digits) continue;
    joined_before_.data()[i] = JoinedBefore(value_, tokens[i].begin) ? 1 : 0;
    joined_after_.data()[i] = JoinedAfter(value_, tokens[i].end) ? 1 : 0;
  }
}

// The parts of a URL, an address or a path that mean something alone.
void Explainer::FindParts() {
  parts_.clear();
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  if (has_space_ || n < 2) return;
  const auto words_in = [&](std::size_t begin, std::size_t end) {
    std::uint32_t first = 0;
    while (first < n && list_.tokens[first].begin < begin) ++first;
    std::uint32_t last = first;
    while (last < n && list_.tokens[last].end <= end) ++last;
    if (first < last && last - first < n) parts_.push_back({first, last});
  };
  std::size_t host = 0;
  if (const std::size_t scheme = value_.find("://"); scheme != std::string_view::npos) {
    host = scheme + 3;
  } else if (!value_.starts_with("www.")) {
    host = std::string_view::npos;
  }
  if (host != std::string_view::npos) {
    const std::size_t host_end = std::min(value_.find_first_of("/?#", host), value_.size());
    std::size_t host_begin = host;
    if (const std::size_t at = value_.rfind('@', host_end); at != std::string_view::npos && at > host)
      host_begin = at + 1;
    words_in(host_begin, host_end);
    words_in(host, value_.size());
    const std::size_t path_end = std::min(value_.find_first_of("?#", host_end), value_.size());
    words_in(host_end, path_end);
    if (path_end < value_.size()) {
      words_in(0, path_end);
      words_in(host, path_end);
    }
    if (const std::size_t slash = value_.rfind('/', path_end); slash != std::string_view::npos && slash >= host_end) {
      words_in(slash + 1, path_end);
    }
    return;
  }
  if (const std::size_t at = value_.rfind('@'); at != std::string_view::npos) {
    std::size_t begin = 0;
    if (value_.starts_with("mailto:")) begin = 7;
    if (begin > 0) words_in(begin, value_.size());
    words_in(begin, at);
    words_in(at + 1, value_.size());
    return;
  }
  if (const std::size_t slash = value_.find_last_of("/\\"); slash != std::string_view::npos) {
    words_in(slash + 1, value_.size());
    words_in(0, slash);
    if (const std::size_t dot = value_.rfind('.'); dot != std::string_view::npos && dot > slash) {
      words_in(slash + 1, dot);
      words_in(0, dot);
    }
    return;
  }
  if (const std::size_t dot = value_.rfind('.'); dot != std::string_view::npos) words_in(0, dot);
}

bool Explainer::Counts(std::uint32_t source) const {
  const SourceInfo& info = store_.sources()[source].info;
  return info.kind != SourceKind::kResult || info.turn < before_turn_;
}

void Explainer::FindRuns() {
  // The places of the next word are on their way into the cache while those of this one are visited.
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  Gather(0, next_visits_);
  for (std::uint32_t i = 0; i < n && steps_ <= budget_; ++i) {
    visits_.swap(next_visits_);
    if (i + 1 < n) Gather(i + 1, next_visits_);
    if (!visits_.empty()) VisitRuns(i);
  }
}

// The places of word `i` that are looked at.
void Explainer::Gather(std::uint32_t i, std::vector<std::uint32_t>& places) {
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  places.clear();
  if (stop_[i] != 0 && !only_stops_) return;
  if (ids_[i] == kNone) return;
  // Pairs lead to the right sources where both words are common. A stop word before this one had no turn of its own.
  if (i > 0 && ids_[i - 1] != kNone && stop_[i - 1] != 0) GatherPair(i - 1, i, places);
  if (i + 1 < n && ids_[i + 1] != kNone) GatherPair(i, i, places);
  // What a common word alone would find is not reported, and more than the word is found by its pairs or by its
  // neighbours, but for the sources where it was not common yet.
  const bool newest = n == 1 || store_.Count(ids_[i]) <= kCommon || Identifies(i);
  store_.ForEachPlace(
      ids_[i],
      [&](std::uint32_t at) {
        store_.PrefetchPlace(at);
        places.push_back(at);
      },
      newest);
}

void Explainer::GatherPair(std::uint32_t first, std::uint32_t anchor, std::vector<std::uint32_t>& places) {
  const std::uint32_t pair = store_.Find(pair_hashes_[first]);
  if (pair == kNone) return;
  store_.ForEachPlace(pair, [&](std::uint32_t at) {
    store_.PrefetchPlace(at);
    places.push_back(at + (anchor - first));
  });
}

// Whether a word alone tells its sources from all others, however many have it.
bool Explainer::Identifies(std::uint32_t i) const {
  const Token& word = list_.tokens[i];
  return word.has_digit && word.size >= 3 && !(word.all_digits && word.size < 4);
}

Explainer::Lone Explainer::LoneOf(std::uint32_t i) {
  Lone lone;
  if (stop_[i] != 0 || list_.tokens[i].size < 3) return lone;  // reported by none
  lone.by_request = true;
  lone.by_any = Identifies(i) || store_.Count(ids_[i]) <= kCommon;
  lone.identifies = IsIdentifying(ValueSpan(i, i + 1));
  lone.kind = KindOf(i, i + 1);
  lone.strength = StrengthOf(lone.kind, QualityOf(lone.kind), i, i + 1);
  return lone;
}

// A part of a number is another number.
bool Explainer::IsPartOfNumber(const Segment& segment, std::uint32_t place, std::uint32_t word) const {
  if (joined_before_[word] != 0 || joined_after_[word] != 0) return true;
  const std::string_view text = store_.sources()[segment.source].text;
  return JoinedBefore(text, store_.place(place).begin()) || JoinedAfter(text, store_.End(place));
}

inline void Explainer::TakeLone(const Segment& segment, std::uint32_t place, std::uint32_t word, const Lone& lone,
                                PerSource& state) {
  if (!lone.by_any && !(lone.by_request && segment.kind == SourceKind::kRequest)) return;
  pieces_.push_back({.source = segment.source,
                     .first = word,
                     .last = word + 1,
                     .kind = lone.kind,
                     .strength = lone.strength,
                     .in_source = SourceSpan(place, place),
                     .in_value = ValueSpan(word, word + 1),
                     .before = state.newest});
  state.newest = static_cast<std::uint32_t>(pieces_.size() - 1);
  CountLabels(segment.labels, lone.strength, lone.identifies);
  Cover(segment.kind, word, word + 1);
}

// For each of visits_, a place that has word `anchor`: the longest run of the value's words around it in its source,
// there or where the word stands again in that source.
void Explainer::VisitRuns(std::uint32_t anchor) {
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  const std::uint32_t* const ids = ids_.data();
  const Token* const tokens = list_.tokens.data();
  const char* const joined_before = joined_before_.data();
  const char* const joined_after = joined_after_.data();
  const Chunked<Place>::View places = store_.places();
  const Lone lone = LoneOf(anchor);
  const bool is_number = tokens[anchor].all_digits;
  const bool may_be_alone = n > 1;
  const bool has_after = anchor + 1 < n && ids[anchor + 1] != kNone;
  const bool has_before = anchor > 0 && ids[anchor - 1] != kNone;
  const std::uint32_t after = has_after ? ids[anchor + 1] : kNone;
  const std::uint32_t before = has_before ? ids[anchor - 1] : kNone;
  for (const std::uint32_t place : visits_) {
    if (!Spend(1)) return;
    const Segment& segment = store_.SegmentOf(place);
    if (!Counts(segment)) continue;
    PerSource& state = Of(segment.source);
    const std::uint32_t reach = state.reach;
    if (state.whole || reach > anchor) continue;
    const std::uint32_t segment_begin = segment.begin;
    const std::uint32_t segment_end = segment.end;
    const bool look_before = has_before && anchor > reach;
    std::uint32_t best_place = kNone;
    std::uint32_t best_first = anchor;
    std::uint32_t best_last = anchor;
    std::uint32_t tried = 0;
    bool done = false;
    for (std::uint32_t at = place; at != kNone && tried < kMaxChain; ++tried) {
      std::uint32_t begin = at;
      std::uint32_t end = at + 1;
      at = places[at].next;
      const bool longer_after = has_after && end < segment_end && places[end].entry == after;
      const bool longer_before = look_before && begin > segment_begin && places[begin - 1].entry == before;
      if (!longer_after && !longer_before && may_be_alone) {
        if (!Spend(1)) return;
        if (best_place != kNone || (is_number && IsPartOfNumber(segment, begin, anchor))) continue;
        best_place = begin, best_last = anchor + 1;
        continue;
      }
      std::uint32_t first = anchor;
      std::uint32_t last = anchor + 1;
      if (longer_after) {
        do {
          ++last, ++end;
        } while (last < n && end < segment_end && ids[last] == places[end].entry);
      }
      if (longer_before) {
        do {
          --first, --begin;
        } while (first > reach && begin > segment_begin && ids[first - 1] == places[begin - 1].entry);
      }
      if (!Spend(last - first)) return;
      if (tokens[first].all_digits || tokens[last - 1].all_digits) {
        const std::string_view text = store_.sources()[segment.source].text;
        while (first < last && tokens[last - 1].all_digits &&
               (joined_after[last - 1] != 0 || JoinedAfter(text, store_.End(end - 1)))) {
          --last, --end;
        }
        while (first < last && tokens[first].all_digits &&
               (joined_before[first] != 0 || JoinedBefore(text, places[begin].begin()))) {
          ++first, ++begin;
        }
        if (first > anchor || last <= anchor) continue;
      }
      if (first == 0 && last == n) {
        done = TakeWhole(segment, begin, true);
        if (done) break;
        if (best_place != kNone && best_first == 0 && best_last == n) continue;
      }
      if (last - first > best_last - best_first) best_place = begin, best_first = first, best_last = last;
    }
    if (done || best_place == kNone) continue;
    if (best_first == 0 && best_last == n) {
      TakeWhole(segment, best_place, false);
      continue;
    }
    if (best_last - best_first == 1) {
      TakeLone(segment, best_place, anchor, lone, state);
    } else {
      TakeRun(segment, best_place, best_first, best_last);
    }
    state.reach = best_last;
  }
}

bool Explainer::IsExact(const Segment& segment, std::uint32_t place) const {
  const std::string_view text = store_.sources()[segment.source].text;
  const std::size_t lead = list_.tokens.front().begin;
  const std::size_t begin = store_.place(place).begin();
  return begin >= lead && text.substr(begin - lead).starts_with(value_);
}

bool Explainer::TakeWhole(const Segment& segment, std::uint32_t place, bool exact_only) {
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  const bool exact = IsExact(segment, place);
  if (exact_only && !exact) return false;
  Of(segment.source).whole = true;
  any_direct_ = true;
  base::ByteSpan in_source = SourceSpan(place, place + n - 1);
  if (exact) {
    in_source.begin -= list_.tokens.front().begin;
    in_source.end = in_source.begin + value_.size();
    TakePiece(segment.source, MatchKind::kExact, kExactQuality, in_source, 0, n);
    pieces_.back().in_value = {0, value_.size()};
    return true;
  }
  const base::ByteSpan in_value = ValueSpan(0, n);
  const std::string_view quoted =
      std::string_view(store_.sources()[segment.source].text).substr(in_source.begin, in_source.end - in_source.begin);
  const std::string_view wanted = value_.substr(in_value.begin, in_value.end - in_value.begin);
  Spend(quoted.size() / 8);
  if (quoted == wanted || CanonicalText(quoted, segment.reading) == CanonicalText(wanted, Reading::kPlain)) {
    TakePiece(segment.source, MatchKind::kCanonical, kCanonicalQuality, in_source, 0, n);
    return true;
  }
  // The same words with other punctuation: a number that is written in other groups, or words joined another way.
  std::size_t digits = 0;
  for (const char c : list_.text()) digits += IsDigit(c) ? std::size_t{1} : 0;
  const bool number = digits * 2 >= list_.text().size();
  TakePiece(segment.source, number ? MatchKind::kFormat : MatchKind::kDerived,
            number ? kFormatQuality : kReformattedQuality, in_source, 0, n);
  return true;
}

void Explainer::TakeRun(const Segment& segment, std::uint32_t place, std::uint32_t first, std::uint32_t last) {
  // Stop words at the ends belong to no one.
  const char* const stop = stop_.data();
  while (first < last && stop[first] != 0 && !only_stops_) ++first, ++place;
  while (last > first && stop[last - 1] != 0 && !only_stops_) --last;
  if (first == last) return;
  std::uint32_t content = 0;
  std::uint32_t content_word = first;
  for (std::uint32_t i = first; i < last; ++i) {
    if (stop[i] != 0) continue;
    ++content;
    content_word = i;
  }
  if (content <= 1) {
    if (list_.tokens[content_word].size < 3 || stop_[content_word] != 0) return;
    const bool request = segment.kind == SourceKind::kRequest;
    if (!Identifies(content_word) && !request && store_.Count(ids_[content_word]) > kCommon) return;
  }
  const base::ByteSpan in_source = SourceSpan(place, place + (last - first) - 1);
  const MatchKind kind = KindOf(first, last);
  TakePiece(segment.source, kind, QualityOf(kind), in_source, first, last);
}

// Of a run that is not the whole value.
MatchKind Explainer::KindOf(std::uint32_t first, std::uint32_t last) const {
  if (has_space_) return MatchKind::kSubstring;
  const auto is_part = [&](const Part& part) { return part.first == first && part.last == last; };
  return std::ranges::any_of(parts_, is_part) ? MatchKind::kFormat : MatchKind::kDerived;
}

std::uint64_t Explainer::Content(std::uint32_t first, std::uint32_t last) const {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    if (stop_[i] == 0 || only_stops_) bytes += list_.tokens[i].end - list_.tokens[i].begin;
  }
  return bytes;
}

const Explainer::Weight& Explainer::WeightOf(std::uint32_t first, std::uint32_t last) {
  Weight& weight = weights_[first];
  if (weight.last != last) weight = {last, Substance(first, last), Content(first, last)};
  return weight;
}

// How much it takes to write these words by chance: 1 for five letters and more, little for what every text has.
float Explainer::Substance(std::uint32_t first, std::uint32_t last) const {
  std::size_t letters = 0;
  std::size_t digits = 0;
  std::size_t zeros = 0;  // that end the number
  bool only_digits = true;
  bool leading = true;
  for (std::uint32_t i = first; i < last; ++i) {
    if (stop_[i] != 0) continue;
    for (const char c : list_.word(i)) {
      if (!IsDigit(c)) {
        ++letters;
        only_digits = false;
        continue;
      }
      leading = leading && c == '0';
      if (leading && last - first > 0 && only_digits && digits == 0 && c == '0') {
        continue;
      }
      ++digits;
      zeros = c == '0' ? zeros + 1 : 0;
    }
  }
  if (letters + digits == 0) return 0.05F;
  if (only_digits) {
    const float size = static_cast<float>(digits) - 1.0F;
    const float significant = static_cast<float>(digits - std::min(zeros, digits - 1)) - 1.0F;
    return std::min(1.0F, 0.1F + 0.15F * size + 0.1F * significant);
  }
  static constexpr std::array<float, 5> kByLength{0.05F, 0.1F, 0.15F, 0.6F, 0.85F};
  const std::size_t weight = letters + digits * 2;
  return weight < kByLength.size() ? kByLength[weight] : 1.0F;
}

base::ByteSpan Explainer::ValueSpan(std::uint32_t first, std::uint32_t last) const {
  return {list_.tokens[first].begin, list_.tokens[last - 1].end};
}

base::ByteSpan Explainer::SourceSpan(std::uint32_t first_place, std::uint32_t last_place) const {
  return {store_.place(first_place).begin(), store_.End(last_place)};
}

// The canonical word at a place. Most are ASCII as they stand.
const std::string& Explainer::WordAt(std::uint32_t place) {
  const Segment& segment = store_.SegmentOf(place);
  const base::ByteSpan span = SourceSpan(place, place);
  const std::string_view raw =
      std::string_view(store_.sources()[segment.source].text).substr(span.begin, span.end - span.begin);
  word_.assign(raw);
  for (char& c : word_) {
    if ((static_cast<unsigned char>(c) & 0x80) != 0 || c == '\\') {
      word_ = CanonicalText(raw, segment.reading);
      break;
    }
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return word_;
}

float Explainer::StrengthOf(MatchKind kind, float quality, std::uint32_t first, std::uint32_t last) {
  const Weight& weight = WeightOf(first, last);
  float strength = quality * weight.substance;
  const bool whole = first == 0 && last == list_.tokens.size();
  if (!whole && content_bytes_ > 0) {
    const float share = static_cast<float>(weight.content) / static_cast<float>(content_bytes_);
    const float floor = kind == MatchKind::kFormat ? 0.5F : 0.3F;
    strength *= floor + (1.0F - floor) * share;
  }
  return std::max(strength, 0.01F);
}

void Explainer::TakePiece(std::uint32_t source, MatchKind kind, float quality, base::ByteSpan in_source,
                          std::uint32_t first, std::uint32_t last) {
  const SourceInfo& info = store_.sources()[source].info;
  PerSource& state = Of(source);
  pieces_.push_back({.source = source,
                     .first = first,
                     .last = last,
                     .kind = kind,
                     .strength = StrengthOf(kind, quality, first, last),
                     .in_source = in_source,
                     .in_value = ValueSpan(first, last),
                     .before = state.newest});
  state.newest = static_cast<std::uint32_t>(pieces_.size() - 1);
  const Piece& piece = pieces_.back();
  const bool whole = first == 0 && last == list_.tokens.size();
  any_whole_ = any_whole_ || whole;
  const bool brings = (identified_ | info.labels) != identified_ && kind != MatchKind::kFuzzy;
  CountLabels(info.labels, piece.strength, brings && (whole || IsIdentifying(piece.in_value)));
  Cover(info.kind, first, last);
}

void Explainer::Cover(SourceKind kind, std::uint32_t first, std::uint32_t last) {
  const unsigned char bit =
      kind == SourceKind::kRequest ? kByRequest : (kind == SourceKind::kResult ? kByResult : kByOther);
  for (std::uint32_t i = first; i < last; ++i) cover_[i] |= bit;
}

bool Explainer::IsIdentifying(base::ByteSpan in_value) const {
  const std::string_view part = value_.substr(in_value.begin, in_value.end - in_value.begin);
  if (part.size() >= kMinIdentifyingRun) return true;
  return part.size() >= kMinIdentifying && std::ranges::any_of(part, IsJoint);
}

// Of the pieces in order_, after the first `wholes`, the strongest that there is room for: the first half of them with
// the first sources before others as strong, the second half with the newest.
void Explainer::KeepStrongest(std::size_t wholes) {
  const auto room = static_cast<std::ptrdiff_t>(SourceIndex::kMaxMatches - wholes);
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(wholes);
  // Most are weaker than any that will be taken.
  strengths_.clear();
  for (auto at = begin; at != order_.end(); ++at) strengths_.push_back(pieces_.data()[*at].strength);
  if (room > 0) {
    const auto least = strengths_.begin() + (room - 1);
    std::nth_element(strengths_.begin(), least, strengths_.end(), std::greater<>());
    const float bound = *least;
    order_.erase(
        std::remove_if(begin, order_.end(), [&](std::uint32_t i) { return pieces_.data()[i].strength < bound; }),
        order_.end());
    const auto strongest = [&](bool newest) {
      return [this, newest](std::uint32_t a, std::uint32_t b) {
        const Piece& x = pieces_.data()[a];
        const Piece& y = pieces_.data()[b];
        if (x.strength != y.strength) return x.strength > y.strength;
        if (x.source != y.source) return newest ? x.source > y.source : x.source < y.source;
        return x.first < y.first;
      };
    };
    const auto half = begin + (room + 1) / 2;
    std::partial_sort(begin, half, order_.end(), strongest(false));
    std::partial_sort(half, begin + room, order_.end(), strongest(true));
  }
  order_.resize(SourceIndex::kMaxMatches);
}

void Explainer::Select(Explanation& out) {
  std::uint64_t request = 0;
  std::uint64_t results = 0;
  std::uint64_t any = 0;
  for (std::uint32_t i = 0; i < list_.tokens.size(); ++i) {
    if (stop_[i] != 0 && !only_stops_) continue;
    const std::uint64_t bytes = list_.tokens[i].end - list_.tokens[i].begin;
    if ((cover_[i] & kByRequest) != 0) request += bytes;
    if ((cover_[i] & kByResult) != 0) results += bytes;
    if (cover_[i] != 0) any += bytes;
  }
  if (content_bytes_ > 0) {
    const auto total = static_cast<float>(content_bytes_);
    out.by_request = static_cast<float>(request) / total;
    out.by_results = static_cast<float>(results) / total;
    out.covered = static_cast<float>(any) / total;
  }
  out.labels = labels_;
  out.identified = identified_;
  const auto n = list_.tokens.size();
  const auto is_whole = [&](std::uint32_t i) { return pieces_.data()[i].first == 0 && pieces_.data()[i].last == n; };
  const auto by_source = [&](std::uint32_t a, std::uint32_t b) {
    const Piece& x = pieces_.data()[a];
    const Piece& y = pieces_.data()[b];
    if (x.source != y.source) return x.source < y.source;
    if (x.first != y.first) return x.first < y.first;
    return x.strength > y.strength;
  };
  order_.clear();
  for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
    // A source that explains the whole value says nothing more by its pieces.
    if (any_whole_ && !is_whole(i) && per_source_[pieces_[i].source].whole) continue;
    order_.push_back(i);
  }
  const std::size_t cap = SourceIndex::kMaxMatches;
  if (order_.size() > cap) {
    const auto pieces_begin =
        any_whole_ ? std::stable_partition(order_.begin(), order_.end(), is_whole) : order_.begin();
    const auto wholes = static_cast<std::size_t>(pieces_begin - order_.begin());
    std::sort(order_.begin(), pieces_begin, by_source);
    if (wholes > cap) {
      // The first half and the newest half.
      std::copy(pieces_begin - static_cast<std::ptrdiff_t>(cap / 2), pieces_begin,
                order_.begin() + static_cast<std::ptrdiff_t>(cap / 2));
      order_.resize(cap);
    } else {
      KeepStrongest(wholes);
    }
  }
  std::sort(order_.begin(), order_.end(), by_source);
  out.matches.reserve(order_.size());
  for (const std::uint32_t i : order_) {
    const Piece& piece = pieces_[i];
    out.matches.push_back({.source = piece.source,
                           .kind = piece.kind,
                           .strength = piece.strength,
                           .in_source = piece.in_source,
                           .in_value = piece.in_value});
  }
}

}  // namespace interlock::provenance::internal
