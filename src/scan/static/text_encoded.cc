// Text that is not to be seen: characters without a shape, and encodings.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "interlock/base/byte_classes.h"
#include "interlock/base/digits.h"
#include "static/bytes.h"
#include "static/text_canvas.h"
#include "static/text_letters.h"

namespace interlock::scan {
namespace {

using namespace letters;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kLeastRun = 20;  // characters of base64 or hex that are worth a try

bool IsQuote(std::uint32_t c) { return c == '"' || c == '\'' || c == '`'; }

using base::Base64Value;
using base::HexValue;

// Where a run of at least `kLeastRun` characters of base64 begins, from the border of a run at `at` on.
std::size_t NextLongRun(std::string_view text, std::size_t at) {
  // Such a run covers every kLeastRun-th byte of wherever it lies: going backwards from there says "no" soon.
  while (at + kLeastRun <= text.size()) {
    std::size_t back = at + kLeastRun;
    while (back > at && (BitsOf(text[back - 1]) & kBase64) != 0) --back;
    if (back == at) return at;
    at = back;
  }
  return text.size();
}

// Reads like something written: printable, with words.
bool Readable(std::string_view text) {
  if (text.size() < 10) return false;
  std::size_t letters = 0;
  std::size_t spaces = 0;
  std::size_t slashes = 0;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 && c != '\n' && c != '\t' && c != '\r') return false;
    if (u == 0x7F) return false;
    if (u >= 0x80) return false;
    letters += IsAsciiLetter(c) ? 1U : 0U;
    spaces += c == ' ' || c == '\n' ? 1U : 0U;
    slashes += c == '/' || c == '.' || c == ':' ? 1U : 0U;
  }
  return letters * 2 > text.size() && (spaces > 0 || slashes >= 2);
}

// Whether text[begin, end) stands in a class of characters, `[...]`, with nothing else in it that is written: ranges,
// escapes, other such characters. No text is there that they could turn round.
bool InClass(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kLongest = 160;
  constexpr std::size_t kLongEscape = 6;  // bytes of \uFFFF
  const auto part = [&](std::size_t at) {
    const char c = text[at];
    // Of wide characters those without a letter's form: what begins with another byte is of some script.
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x80 && byte < 0xC0) || byte == 0xC2 || byte == 0xE2 || byte == 0xEF) return true;
    if (byte < 0x20 || byte == 0x7F) return true;                       // "\x00-\x1f", written as they are
    if (byte == 0xD8 && text.substr(at, 2) == "\xD8\x9C") return true;  // U+061C, a mark of Arabic
    if (c == '\\' || c == '-' || c == '^' || (c >= '0' && c <= '9')) return true;
    return IsAsciiLetter(c) &&
           text.substr(at - std::min(at, kLongEscape), std::min(at, kLongEscape)).find('\\') != std::string_view::npos;
  };
  std::size_t left = begin;
  while (left > 0 && begin - left < kLongest && part(left - 1)) --left;
  std::size_t right = end;
  while (right < text.size() && right - end < kLongest && part(right)) ++right;
  return left > 0 && text[left - 1] == '[' && right < text.size() && text[right] == ']';
}

}  // namespace

void FindUnseen(std::string_view text, std::vector<UnseenText>& out) {
  constexpr std::uint32_t kLongMark = 6;
  std::uint32_t previous = 0;  // last visible character
  bool joiners = false;        // the text is of a script that needs them
  std::uint32_t singles = 0;
  base::ByteSpan single;
  for (std::size_t i = 0; i < text.size() && out.size() < kMostUnseen;) {
    if ((text[i] & 0x80) == 0) {
      i = NextWide(text, i);
      previous = static_cast<unsigned char>(text[i - 1]);
      continue;
    }
    Decoded one = CharAt(text, i);
    const auto odd = [](std::uint32_t code) {
      return IsZeroWidth(code) || IsTag(code) || IsSelector(code) || IsBidi(code);
    };
    if (!odd(one.code)) {
      if (NeedsJoiners(one.code)) joiners = true;
      previous = one.code;
      i += one.size;
      continue;
    }
    const std::size_t begin = i;
    std::uint32_t count = 0, tags = 0, selectors = 0, widths = 0, overrides = 0, kinds = 0;
    std::array<std::uint32_t, 32> known{};
    std::string spelled;
    while (i < text.size()) {
      one = CharAt(text, i);
      if (!odd(one.code)) break;
      ++count;
      if (IsTag(one.code)) {
        ++tags;
        if (one.code >= 0xE0020 && one.code < 0xE007F) spelled.push_back(static_cast<char>(one.code - 0xE0000));
      } else if (IsSelector(one.code)) {
        ++selectors;
        const std::uint32_t value = one.code >= 0xE0100 ? one.code - 0xE0100 + 16 : one.code - 0xFE00;
        if (tags == 0) spelled.push_back(static_cast<char>(value));
      } else if (IsBidi(one.code)) {
        // What turns the direction round: text that runs from left to right anyhow is not changed by the others.
        if (one.code == 0x202B || one.code == 0x202E || one.code == 0x2067) ++overrides;
      } else {
        ++widths;
      }
      if (kinds < known.size() && std::find(known.begin(), known.begin() + kinds, one.code) == known.begin() + kinds) {
        known[kinds++] = one.code;
      }
      i += one.size;
    }
    const std::uint32_t next = i < text.size() ? CharAt(text, i).code : 0;
    // "\u202a-\u202e" in a class of characters: the other end is one of them too.
    const auto ends_range = [&] {
      constexpr std::size_t kWide = 3;  // bytes of one of them
      const bool after = text.substr(i, 1) == "-" && i + 1 < text.size() && odd(CharAt(text, i + 1).code);
      const bool before = begin > kWide && text[begin - 1] == '-' && odd(CharAt(text, begin - 1 - kWide).code);
      return (after && (before || IsQuote(previous) || previous == '[')) || (before && (IsQuote(next) || next == ']'));
    };
    const auto add = [&](UnseenText::Kind kind) {
      out.push_back({{begin, i},
                     kind == UnseenText::Kind::kTags || kind == UnseenText::Kind::kSelectors ? spelled : "",
                     kind,
                     count,
                     kinds == 1});
    };
    if (tags >= 4 && previous != 0x1F3F4) {
      add(UnseenText::Kind::kTags);
    } else if (selectors >= 6 && kinds > 1) {  // one and the same says nothing, however often
      add(UnseenText::Kind::kSelectors);
    } else if (widths >= 3 && (widths > known.size() || kinds < widths) &&
               !(kinds == 1 && count < kLongMark && IsQuote(previous) && next == previous)) {
      // Each once: a list of them. A string that is one and the same a few times: a mark that a program knows its lines
      // by.
      add(UnseenText::Kind::kRun);
    } else if (overrides > 0 && !joiners && !NeedsJoiners(next) && !(IsQuote(previous) && next == previous) &&
               !ends_range() && !InClass(text, begin, i)) {
      // A string that is nothing but such characters turns no text round; neither does one end of a range of them.
      add(UnseenText::Kind::kBidi);
    } else if (widths > 0 && previous < 0x80 && IsAsciiLetter(static_cast<char>(previous)) && next < 0x80 &&
               IsAsciiLetter(static_cast<char>(next)) && CharAt(text, begin).code != 0xAD) {
      ++singles;
      if (singles == 1) single = {begin, i};
    }
  }
  if (singles > 0 && out.size() < kMostUnseen) out.push_back({single, "", UnseenText::Kind::kInWord, singles});
}

void FindEncoded(std::string_view text, std::vector<DecodedText>& out) {
  std::size_t escape = std::min(FindEither(text, '%', '\\', 0), text.size());
  std::size_t run_at = NextLongRun(text, 0);
  for (std::size_t i = 0; i < text.size() && out.size() < kMostDecoded;) {
    // What was found ahead holds until it is passed.
    if (escape < i) escape = std::min(FindEither(text, '%', '\\', i), text.size());
    if (run_at < i) run_at = NextLongRun(text, i);
    i = std::min(escape, run_at);
    if (i >= text.size()) return;
    const char c = text[i];
    if (c == '%' || c == '\\') {
      // %41%42 or \x41\x42: only where nearly everything is written so.
      const std::size_t step = c == '%' ? 3 : 4;
      std::size_t end = i;
      std::string plain;
      while (end + step <= text.size() && text[end] == c && (c == '%' || Lower(text[end + 1]) == 'x')) {
        const int high = HexValue(text[end + step - 2]);
        const int low = HexValue(text[end + step - 1]);
        if (high < 0 || low < 0) break;
        plain.push_back(static_cast<char>(high * 16 + low));
        end += step;
        // A plain letter between escapes.
        if (end < text.size() && IsAsciiLetter(text[end]) && c == '%' && end + 1 < text.size() &&
            text[end + 1] == '%') {
          plain.push_back(text[end++]);
        }
      }
      if (plain.size() >= 10 && Readable(plain)) {
        out.push_back({std::move(plain), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end), "escapes"});
      }
      i = std::max(end, i + 1);
      continue;
    }
    std::size_t end = i;
    std::uint16_t seen = 0;
    for (; end < text.size(); ++end) {
      const std::uint16_t bits = BitsOf(text[end]);
      if ((bits & kBase64) == 0) break;
      seen |= bits;
    }
    const std::size_t size = end - i;
    if (size < kLeastRun) {
      i = end;
      continue;
    }
    const bool upper = (seen & kUpper) != 0;
    const bool lower = (seen & kLower) != 0;
    const bool digit = (seen & kDigit) != 0;
    const bool hex = (seen & kNotHex) == 0;
    const std::string_view run = text.substr(i, size);
    if (hex && size >= 24 && size % 2 == 0) {
      std::string plain;
      for (std::size_t k = 0; k + 1 < size && plain.size() < 65536; k += 2) {
        plain.push_back(static_cast<char>(HexValue(run[k]) * 16 + HexValue(run[k + 1])));
      }
      if (Readable(plain)) {
        out.push_back({std::move(plain), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end), "hex"});
        i = end;
        continue;
      }
    }
    if (upper && lower && (digit || size >= 32)) {
      std::string plain;
      std::uint32_t bits = 0;
      int have = 0;
      for (const char d : run) {
        bits = (bits << 6) | static_cast<std::uint32_t>(Base64Value(d));
        have += 6;
        if (have >= 8) {
          have -= 8;
          plain.push_back(static_cast<char>((bits >> have) & 0xFF));
        }
        if (plain.size() >= 65536) break;
      }
      if (Readable(plain)) {
        std::size_t stop = end;
        while (stop < text.size() && text[stop] == '=') ++stop;
        out.push_back({std::move(plain), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(stop), "base64"});
      }
    }
    i = end;
  }
}

}  // namespace interlock::scan
