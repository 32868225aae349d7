// Text as people (and models) see it, with a map back to the bytes it came from.
//
// Attackers hide words by compatibility forms (full-width letters, ligatures), look-alikes (Cyrillic а for Latin a),
// invisible characters (zero-width, tag characters, variation selectors) and bidirectional controls. `Normalize` undoes
// these in steps that can be chosen one by one; `MapBack` answers which original bytes a normalised span came from.
// Pure and bounded: work is linear in the input; inputs over `max_bytes` are an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::base {

struct NormalizeOptions {
  bool nfkc = true;             // Unicode NFKC
  bool strip_invisible = true;  // default-ignorable and format characters, tag characters, soft hyphen
  bool strip_bidi = true;       // bidirectional controls U+061C, U+200E/F, U+202A-E, U+2066-9
  bool skeleton = false;        // UTS #39 confusable skeleton (ICU uspoof); for comparing, not for showing
  bool fold_case = false;       // Unicode default case folding; with `skeleton`, shapes compare without regard to case
  std::size_t max_bytes = std::size_t{4} << 20;
};

// What was found while normalising: counts, and where the first of each kind lies in the original (byte offset).
struct TextAnomalies {
  std::uint32_t invisible = 0;
  std::uint32_t bidi = 0;
  std::uint32_t tags = 0;             // U+E0000..E007F: can spell whole hidden sentences
  std::uint32_t changed_by_nfkc = 0;  // segments (a character with its marks) that NFKC changes
  std::uint32_t confusable = 0;       // non-ASCII code points that look like another (only with `skeleton`)
  std::size_t first_invisible = 0;
  std::size_t first_bidi = 0;
  std::size_t first_tag = 0;
  std::string hidden_text;  // what tag characters spell, at most 4 KiB
};

// Half-open byte range in the original text.
struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  auto operator<=>(const ByteSpan&) const = default;
};

class NormalizedText {
 public:
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const TextAnomalies& anomalies() const noexcept { return anomalies_; }
  // The smallest original byte range that produced normalised bytes [begin, end). Offsets past the end are clamped; an
  // empty span maps to an empty span. Original bytes that were stripped inside the span are part of the answer, and the
  // whole text answers with the whole original.
  [[nodiscard]] ByteSpan MapBack(std::size_t begin, std::size_t end) const;

 private:
  friend class TextNormalizer;
  // Runs: normalised bytes [norm_begin, next.norm_begin) came from original bytes [orig_begin, orig_end).
  struct Run {
    std::uint32_t norm_begin;
    std::uint32_t orig_begin;
    std::uint32_t orig_end;
    bool one_to_one;  // bytes map one by one (an unchanged stretch)
  };
  std::string text_;
  std::vector<Run> runs_;
  std::size_t original_size_ = 0;
  TextAnomalies anomalies_;
};

// kTextUtf8 for invalid UTF-8, kLimitExceeded for too long an input. Thread safe.
[[nodiscard]] Result<NormalizedText> Normalize(std::string_view utf8, const NormalizeOptions& options = {});

// True for valid UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool IsValidUtf8(std::string_view bytes) noexcept;

// `text` made safe for a terminal: control and bidirectional characters become \u{..}; cut at `max_bytes` on a
// character border with "…". For evidence shown to people.
[[nodiscard]] std::string Printable(std::string_view text, std::size_t max_bytes = 200);

}  // namespace interlock::base
