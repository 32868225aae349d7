#include "interlock/base/text.h"

#include <simdjson.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <optional>

#include "interlock/base/check.h"

namespace interlock::base {
namespace {

// A segment is normalised by itself, so it must stay small: ICU orders combining marks by insertion, which is quadratic
// in a run of them. UAX #15 "Stream-Safe Text" caps such runs at 30; no living orthography comes near 64.
constexpr std::size_t kMaxSegmentChars = 64;
// Offsets are kept in 32 bits and one character grows to at most 33 bytes (U+FDFA) by NFKC.
constexpr std::size_t kHardMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxHiddenText = 4096;
constexpr std::size_t kCacheSlots = 128;

constexpr bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool IsBidiControl(UChar32 c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}
constexpr bool IsTag(UChar32 c) { return c >= 0xE0000 && c <= 0xE007F; }

// Default-ignorable and format characters, except the few format characters that are drawn (Arabic number signs).
bool IsInvisible(UChar32 c) {
  if (u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) return true;
  return u_charType(c) == U_FORMAT_CHAR && !u_hasBinaryProperty(c, UCHAR_PREPENDED_CONCATENATION_MARK);
}

// Opened once, never changed: ICU allows any number of threads to read them.
struct IcuTools {
  const UNormalizer2* nfkc = nullptr;
  const UNormalizer2* nfd = nullptr;
  const USpoofChecker* spoof = nullptr;
  bool ok = false;
};

const IcuTools& Icu() {
  static const IcuTools tools = [] {
    IcuTools t;
    UErrorCode status = U_ZERO_ERROR;
    t.nfkc = unorm2_getNFKCInstance(&status);
    t.nfd = unorm2_getNFDInstance(&status);
    t.spoof = uspoof_open(&status);
    t.ok = U_SUCCESS(status) && t.nfkc != nullptr && t.nfd != nullptr && t.spoof != nullptr;
    return t;
  }();
  return tools;
}

void AppendUtf16(std::u16string& out, UChar32 c) {
  if (c <= 0xFFFF) {
    out.push_back(static_cast<char16_t>(c));
  } else {
    out.push_back(static_cast<char16_t>(0xD7C0 + (c >> 10)));
    out.push_back(static_cast<char16_t>(0xDC00 + (c & 0x3FF)));
  }
}

// False for unpaired surrogates, which no step here makes of valid text.
bool AppendUtf8(std::string& out, const std::u16string& text) {
  const std::size_t from = out.size();
  out.resize(from + text.size() * 3);
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t size = 0;
  u_strToUTF8(out.data() + from, static_cast<std::int32_t>(text.size() * 3), &size, text.data(),
              static_cast<std::int32_t>(text.size()), &status);
  out.resize(from + static_cast<std::size_t>(std::max(size, 0)));
  return U_SUCCESS(status) != 0;
}

// `transform(buffer, capacity, status)` is one ICU call; runs it again when the buffer was too small.
template <class Transform>
bool RunIcu(std::u16string& out, std::size_t guess, Transform&& transform) {
  out.resize(guess);
  for (int attempt = 0; attempt < 2; ++attempt) {
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t size = transform(out.data(), static_cast<std::int32_t>(out.size()), &status);
    if (U_FAILURE(status) && status != U_BUFFER_OVERFLOW_ERROR) return false;
    const auto wanted = static_cast<std::size_t>(std::max(size, 0));
    const bool fits = wanted <= out.size();
    out.resize(wanted);
    if (fits) return true;
  }
  return false;
}

bool Normalized(const UNormalizer2* how, const std::u16string& in, std::u16string& out) {
  return RunIcu(out, in.size() * 3 + 16, [&](char16_t* buffer, std::int32_t capacity, UErrorCode* status) {
    return unorm2_normalize(how, in.data(), static_cast<std::int32_t>(in.size()), buffer, capacity, status);
  });
}

bool Folded(const std::u16string& in, std::u16string& out) {
  return RunIcu(out, in.size() * 3 + 16, [&](char16_t* buffer, std::int32_t capacity, UErrorCode* status) {
    return u_strFoldCase(buffer, capacity, in.data(), static_cast<std::int32_t>(in.size()), U_FOLD_CASE_DEFAULT,
                         status);
  });
}

bool Skeleton(const std::u16string& in, std::u16string& out) {
  return RunIcu(out, in.size() * 4 + 32, [&](char16_t* buffer, std::int32_t capacity, UErrorCode* status) {
    return uspoof_getSkeleton(Icu().spoof, 0, in.data(), static_cast<std::int32_t>(in.size()), buffer, capacity,
                              status);
  });
}

bool AllAscii(const std::u16string& text) {
  return std::ranges::all_of(text, [](char16_t c) { return c < 0x80; });
}

// Skeleton and case folding together are for comparing without regard to case. Shape and case do not commute: capital I
// has the skeleton "l", and Cyrillic capital В looks like B while its small form в does not look like b. So: fold, take
// the skeleton; where that leaves Latin, try the capital's shape; fold what came out (digit 0 has the skeleton "O").
bool CaselessSkeleton(const std::u16string& in, std::u16string& out) {
  std::u16string folded;
  std::u16string shape;
  if (!Folded(in, folded) || !Skeleton(folded, shape)) return false;
  if (!AllAscii(shape)) {
    std::u16string capital;
    std::u16string second;
    if (!Skeleton(in, capital) || !Folded(capital, second) || !Skeleton(second, capital)) return false;
    if (AllAscii(capital)) shape = capital;
  }
  return Folded(shape, out);
}

// Skeletons of the ASCII characters, worked out once for each way of comparing; empty when ICU failed.
using AsciiSkeletons = std::vector<std::string>;

AsciiSkeletons MakeAsciiSkeletons(bool caseless) {
  AsciiSkeletons out(128);
  std::u16string one;
  std::u16string shape;
  for (std::size_t c = 0; c < out.size(); ++c) {
    one.assign(1, static_cast<char16_t>(c));
    if (!(caseless ? CaselessSkeleton(one, shape) : Skeleton(one, shape)) || !AppendUtf8(out[c], shape)) return {};
  }
  return out;
}

const AsciiSkeletons& SkeletonsOfAscii(bool caseless) {
  static const AsciiSkeletons plain = MakeAsciiSkeletons(false);
  static const AsciiSkeletons folded = MakeAsciiSkeletons(true);
  return caseless ? folded : plain;
}

struct Char {
  UChar32 value;
  std::uint32_t begin;  // original bytes
  std::uint32_t end;
};

// What one segment becomes; kept for characters that stand alone so that ordinary text in any script is cheap.
struct Outcome {
  std::string text;
  std::uint32_t confusable = 0;
  bool changed = false;  // by any step
  bool changed_by_nfkc = false;
};

struct CachedOutcome {
  UChar32 value = -1;
  Outcome outcome;
};

}  // namespace

class TextNormalizer {
 public:
  TextNormalizer(std::string_view in, const NormalizeOptions& options) : in_(in), options_(options) {}

  Result<NormalizedText> Run() {
    out_.original_size_ = in_.size();
    out_.text_.reserve(in_.size());
    if (options_.skeleton) {
      ascii_skeletons_ = &SkeletonsOfAscii(options_.fold_case);
      if (ascii_skeletons_->empty()) return Error(ErrorCode::kTextUnicode, "confusable data is missing");
    }
    for (std::size_t at = 0; at < in_.size();) {
      const std::size_t ascii = AsciiRun(at);
      if (ascii > at) {
        if (!EndSegment()) return Failed();
        AppendAscii(at, ascii);
        at = ascii;
        continue;
      }
      if (!Step(at)) return Failed();
    }
    if (!EndSegment()) return Failed();
    return std::move(out_);
  }

 private:
  static Error Failed() { return Error(ErrorCode::kTextUnicode, "ICU refused a segment"); }

  // End of the run of ASCII at `at` that no later character can combine with.
  std::size_t AsciiRun(std::size_t at) const {
    std::size_t end = at;
    while (end < in_.size() && IsAscii(in_[end])) ++end;
    // The last one may take a combining mark; it goes the long way.
    return (end < in_.size() && end > at) ? end - 1 : end;
  }

  void AppendAscii(std::size_t begin, std::size_t end) {
    const std::string_view run = in_.substr(begin, end - begin);
    if (!options_.skeleton) {
      StartRun(begin, end, true);
      const std::size_t from = out_.text_.size();
      out_.text_.append(run);
      if (options_.fold_case) {
        for (std::size_t i = from; i < out_.text_.size(); ++i) {
          char& c = out_.text_[i];
          if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
        }
      }
      return;
    }
    for (std::size_t i = 0; i < run.size(); ++i) {
      const std::string& shape = (*ascii_skeletons_)[static_cast<unsigned char>(run[i])];
      StartRun(begin + i, begin + i + 1, shape.size() == 1);
      out_.text_.append(shape);
    }
  }

  // Reads the character at `at`: strips it, adds it to the open segment, or ends the segment first.
  bool Step(std::size_t& at) {
    const std::size_t begin = at;
    UChar32 c = 0;
    U8_NEXT_UNSAFE(reinterpret_cast<const std::uint8_t*>(in_.data()), at, c);  // validated before
    if (Strip(c, begin)) return true;
    if (!segment_.empty() && (segment_.size() >= kMaxSegmentChars || BoundaryBefore(c)) && !EndSegment()) return false;
    segment_.push_back({c, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)});
    return true;
  }

  // Counts hidden characters, also those that stay; true when this one goes.
  bool Strip(UChar32 c, std::size_t at) {
    if (c < 0xAD) return false;
    TextAnomalies& found = out_.anomalies_;
    if (IsBidiControl(c)) {
      if (found.bidi++ == 0) found.first_bidi = at;
      return options_.strip_bidi;
    }
    if (IsTag(c)) {
      if (found.tags++ == 0) found.first_tag = at;
      if (c >= 0xE0020 && c <= 0xE007E && found.hidden_text.size() < kMaxHiddenText) {
        found.hidden_text.push_back(static_cast<char>(c - 0xE0000));
      }
      return options_.strip_invisible;
    }
    if (IsInvisible(c)) {
      if (found.invisible++ == 0) found.first_invisible = at;
      return options_.strip_invisible;
    }
    return false;
  }

  bool BoundaryBefore(UChar32 c) const {
    if (options_.nfkc && !unorm2_hasBoundaryBefore(Icu().nfkc, c)) return false;
    if (options_.skeleton && !unorm2_hasBoundaryBefore(Icu().nfd, c)) return false;
    return true;
  }

  bool EndSegment() {
    if (segment_.empty()) return true;
    const Outcome* outcome = nullptr;
    Outcome fresh;
    if (segment_.size() == 1) {
      if (cache_.empty()) cache_.resize(kCacheSlots);
      CachedOutcome& slot = cache_[static_cast<std::size_t>(segment_[0].value) % cache_.size()];
      if (slot.value != segment_[0].value) {
        slot.value = -1;
        slot.outcome = {};
        if (!Transform(slot.outcome)) return false;
        slot.value = segment_[0].value;
      }
      outcome = &slot.outcome;
    } else {
      if (!Transform(fresh)) return false;
      outcome = &fresh;
    }
    out_.anomalies_.confusable += outcome->confusable;
    if (outcome->changed_by_nfkc) ++out_.anomalies_.changed_by_nfkc;
    if (outcome->changed) {
      // A segment that vanishes (nothing known does) leaves no run: its bytes count as stripped.
      if (!outcome->text.empty()) StartRun(segment_.front().begin, segment_.back().end, false);
      out_.text_.append(outcome->text);
    } else {
      for (const Char& c : segment_) {
        StartRun(c.begin, c.end, true);
        out_.text_.append(in_.substr(c.begin, c.end - c.begin));
      }
    }
    segment_.clear();
    return true;
  }

  bool Transform(Outcome& outcome) const {
    std::u16string original;
    for (const Char& c : segment_) AppendUtf16(original, c.value);
    std::u16string now = original;
    std::u16string next;
    if (options_.nfkc) {
      if (!Normalized(Icu().nfkc, now, next)) return false;
      outcome.changed_by_nfkc = next != now;
      now.swap(next);
    }
    if (options_.skeleton) {
      std::u16string decomposed;
      std::u16string shape;
      for (const Char& c : segment_) {
        if (c.value < 0x80) continue;
        std::u16string one;
        AppendUtf16(one, c.value);
        if (!Normalized(Icu().nfd, one, decomposed) || !Skeleton(one, shape)) return false;
        if (shape != decomposed) ++outcome.confusable;
      }
    }
    if (options_.skeleton && options_.fold_case) {
      if (!CaselessSkeleton(now, next)) return false;
      now.swap(next);
    } else if (options_.skeleton) {
      if (!Skeleton(now, next)) return false;
      now.swap(next);
    } else if (options_.fold_case) {
      if (!Folded(now, next)) return false;
      now.swap(next);
      if (options_.nfkc) {  // folding may leave normal form, as in U+0345
        if (!Normalized(Icu().nfkc, now, next)) return false;
        now.swap(next);
      }
    }
    outcome.changed = now != original;
    return !outcome.changed || AppendUtf8(outcome.text, now);
  }

  // Bytes appended to the text from here on come from original [begin, end).
  void StartRun(std::size_t begin, std::size_t end, bool one_to_one) {
    auto& runs = out_.runs_;
    if (one_to_one && !runs.empty() && runs.back().one_to_one && runs.back().orig_end == begin) {
      runs.back().orig_end = static_cast<std::uint32_t>(end);
      return;
    }
    runs.push_back({.norm_begin = static_cast<std::uint32_t>(out_.text_.size()),
                    .orig_begin = static_cast<std::uint32_t>(begin),
                    .orig_end = static_cast<std::uint32_t>(end),
                    .one_to_one = one_to_one});
  }

  std::string_view in_;
  const NormalizeOptions& options_;
  NormalizedText out_;
  std::vector<Char> segment_;
  std::vector<CachedOutcome> cache_;  // by code point modulo its size; made when first needed
  const AsciiSkeletons* ascii_skeletons_ = nullptr;
};

Result<NormalizedText> Normalize(std::string_view utf8, const NormalizeOptions& options) {
  if (utf8.size() > std::min(options.max_bytes, kHardMaxBytes)) {
    return Error(ErrorCode::kLimitExceeded, "text is longer than the limit of bytes");
  }
  if (!IsValidUtf8(utf8)) return Error(ErrorCode::kTextUtf8);
  if (!Icu().ok) return Error(ErrorCode::kTextUnicode, "Unicode data is missing");
  TextNormalizer normalizer(utf8, options);
  return normalizer.Run();
}

ByteSpan NormalizedText::MapBack(std::size_t begin, std::size_t end) const {
  end = std::min(end, text_.size());
  begin = std::min(begin, text_.size());
  if (begin == 0 && end == text_.size() && end > 0) return {0, original_size_};
  if (runs_.empty()) return {0, 0};
  const auto run_of = [this](std::size_t at) {
    const auto next = std::ranges::upper_bound(runs_, at, {}, [](const Run& r) { return std::size_t{r.norm_begin}; });
    return std::prev(next);
  };
  const auto first = run_of(begin);
  std::size_t from = first->orig_begin;
  if (begin == text_.size()) {
    from = first->orig_end;
  } else if (first->one_to_one) {
    from += begin - first->norm_begin;
  }
  if (begin >= end) return {from, from};
  const auto last = run_of(end - 1);
  const std::size_t to = last->one_to_one ? last->orig_begin + (end - last->norm_begin) : last->orig_end;
  return {from, to};
}

bool IsValidUtf8(std::string_view bytes) noexcept { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::string Printable(std::string_view text, std::size_t max_bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  std::string piece;
  const auto escape = [&](char letter, std::uint32_t value) {
    piece = {'\\', letter, '{'};
    int shift = 28;
    while (shift > 4 && ((value >> shift) & 0xF) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) piece.push_back(kHex[(value >> shift) & 0xF]);
    piece.push_back('}');
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    UChar32 c = 0;
    U8_NEXT(reinterpret_cast<const std::uint8_t*>(text.data()), at, text.size(), c);
    if (c < 0) {
      at = begin + 1;
      escape('x', static_cast<unsigned char>(text[begin]));
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
               (c >= 0xAD && (IsBidiControl(c) || IsInvisible(c)))) {
      escape('u', static_cast<std::uint32_t>(c));
    } else {
      piece.assign(text.substr(begin, at - begin));
    }
    if (out.size() + piece.size() > max_bytes) {
      out += "…";
      break;
    }
    out += piece;
  }
  return out;
}

}  // namespace interlock::base
