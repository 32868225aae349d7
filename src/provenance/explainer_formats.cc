// Lookups that do not follow the value's words one by one: other spellings, joined words, misspellings, arithmetic.
#include <algorithm>
#include <array>
#include <bit>

#include "explainer.h"
#include "interlock/base/decimal.h"

namespace interlock::provenance::internal {
namespace {

constexpr std::uint32_t kMaxLookedUp = 64;  // formats of one value
constexpr float kCanonicalQuality = 0.97F;
constexpr float kFormatQuality = 0.95F;
constexpr float kSuffixQuality = 0.8F;  // a telephone number without its prefix
constexpr std::size_t kMinPhone = 7;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsPlainNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return IsDigit(c) || c == '.'; });
}

std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (IsDigit(c)) digits += c;
  }
  return digits;
}

}  // namespace

void Explainer::FindFormatsInValue() {
  FindFormats(value_, list_, true, hits_);
  const auto n = static_cast<std::uint32_t>(list_.tokens.size());
  std::uint32_t looked_up = 0;
  // A number in the spelling of JSON alone: 1e3, -0.50.
  if (value_.find_first_of("eE") != std::string_view::npos && base::IsJsonNumber(value_)) {
    std::string number = base::NormalizeNumber(value_);
    if (number.starts_with('-')) number.erase(0, 1);
    if (IsPlainNumber(number)) LookUpFormat({.format = Format::kNumber, .first = 0, .last = n, .key = number});
  }
  for (std::size_t i = 0; i < hits_.size() && looked_up < kMaxLookedUp; ++i, ++looked_up) LookUpFormat(hits_[i]);
  // One word may be written in groups in a source.
  for (std::uint32_t i = 0; i < n && looked_up < kMaxLookedUp; ++i) {
    const Token& token = list_.tokens[i];
    if (!token.has_digit) continue;
    const std::string word(list_.word(i));
    if (token.size >= 12 && token.size <= 34) {
      LookUpFormat({.format = Format::kGrouped, .first = i, .last = i + 1, .key = word});
      ++looked_up;
    }
    if (token.all_digits && token.size >= kMinPhone && token.size <= 15) {
      LookUpFormat({.format = Format::kPhone, .first = i, .last = i + 1, .key = word});
      ++looked_up;
    }
  }
}

void Explainer::LookUpFormat(const FormatHit& hit) {
  static constexpr std::array<Space, 5> kSpaces{Space::kWord, Space::kNumber, Space::kDate, Space::kPhone,
                                                Space::kGrouped};
  const bool phone = hit.format == Format::kPhone;
  const std::string_view key = phone ? PhoneTail(hit.key) : std::string_view(hit.key);
  const std::uint32_t entry = store_.FindKey(kSpaces[static_cast<std::size_t>(hit.format)], key);
  if (entry != kNone) {
    store_.ForEachPlace(entry, [&](std::uint32_t at) {
      const std::uint32_t source = store_.format_place(at).source;
      if (!Spend(1) || !Counts(source) || Of(source).whole) return;
      const FormatPlace& place = store_.format_place(at);
      TakeFormat(hit, source, {place.begin, place.end});
    });
  }
  // Numbers, telephone numbers and grouped numbers written in one word.
  if (hit.format != Format::kDate && hit.key.find('.') == std::string::npos) LookUpWordAsFormat(hit, hit.key);
}

void Explainer::LookUpWordAsFormat(const FormatHit& hit, std::string_view word) {
  const std::uint32_t entry = store_.FindKey(Space::kWord, word);
  if (entry == kNone) return;
  if (hit.last - hit.first == 1 && ids_[hit.first] == entry) return;  // found as the word that it is
  store_.ForEachPlace(entry, [&](std::uint32_t place) {
    if (!Spend(1)) return;
    const Segment& segment = store_.SegmentOf(place);
    if (!Counts(segment) || Of(segment.source).whole) return;
    TakeFormat(hit, segment.source, SourceSpan(place, place));
  });
}

// Whether one piece of `source` has all these words of the value.
bool Explainer::Explains(std::uint32_t source, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = Of(source).newest; i != kNone; i = pieces_[i].before) {
    if (!Spend(1) || (pieces_[i].first <= first && last <= pieces_[i].last)) return true;
  }
  return false;
}

void Explainer::TakeFormat(const FormatHit& hit, std::uint32_t source, base::ByteSpan in_source) {
  const std::string_view quoted =
      std::string_view(store_.sources()[source].text).substr(in_source.begin, in_source.end - in_source.begin);
  const base::ByteSpan in_value = ValueSpan(hit.first, hit.last);
  const std::string_view wanted = value_.substr(in_value.begin, in_value.end - in_value.begin);
  if (Explains(source, hit.first, hit.last)) return;
  float quality = kFormatQuality;
  MatchKind kind = MatchKind::kFormat;
  if (hit.format == Format::kPhone) {
    const std::string theirs = DigitsOf(quoted);
    if (theirs != hit.key) {
      // One is the other with a country's prefix, or with the zero that stands for it.
      const auto bare = [](std::string_view digits) {
        const std::size_t from = digits.find_first_not_of('0');
        return from == std::string_view::npos ? std::string_view() : digits.substr(from);
      };
      const std::string_view a = bare(theirs);
      const std::string_view b = bare(hit.key);
      const std::string_view longer = a.size() >= b.size() ? a : b;
      const std::string_view shorter = a.size() >= b.size() ? b : a;
      if (shorter.size() < kMinPhone || longer.size() - shorter.size() > 3 || !longer.ends_with(shorter)) return;
      quality = kSuffixQuality;
    }
  } else if (hit.format == Format::kNumber && IsPlainNumber(quoted) &&
             (IsPlainNumber(wanted) || base::IsJsonNumber(wanted))) {
    kind = MatchKind::kCanonical;
    quality = kCanonicalQuality;
  }
  TakePiece(source, kind, quality, in_source, hit.first, hit.last);
  if (hit.first == 0 && hit.last == list_.tokens.size()) {
    Of(source).whole = true;
    any_direct_ = true;
  }
}

}  // namespace interlock::provenance::internal
