#include "tokens.h"

#include <algorithm>
#include <array>
#include <bit>

#include "interlock/base/byte_classes.h"
#include "interlock/base/digits.h"
#include "interlock/base/text.h"

namespace interlock::provenance::internal {
namespace {

enum class Class : std::uint8_t { kBreak, kWord, kAlone };

std::uint64_t LowBits(std::size_t count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<char, 256> MakeFold() {
  std::array<char, 256> fold{};
  for (int c = '0'; c <= '9'; ++c) fold[static_cast<std::size_t>(c)] = static_cast<char>(c);
  for (int c = 'a'; c <= 'z'; ++c) fold[static_cast<std::size_t>(c)] = static_cast<char>(c);
  for (int c = 'A'; c <= 'Z'; ++c) fold[static_cast<std::size_t>(c)] = static_cast<char>(c + 32);
  return fold;
}
// The folded letter or digit; 0 for other ASCII.
constexpr std::array<char, 256> kFold = MakeFold();
char Fold(char c) { return kFold[static_cast<unsigned char>(c)]; }

struct Range {
  std::uint32_t first;
  std::uint32_t last;
  Class what;
};
// Beyond ASCII everything is part of a word but for these, in order.
constexpr Range kRanges[] = {
    {0x80, 0xA9, Class::kBreak},       {0xAB, 0xB4, Class::kBreak},       {0xB6, 0xB9, Class::kBreak},
    {0xBB, 0xBF, Class::kBreak},       {0xD7, 0xD7, Class::kBreak},       {0xF7, 0xF7, Class::kBreak},
    {0x37E, 0x37E, Class::kBreak},     {0x55A, 0x55F, Class::kBreak},     {0x589, 0x58A, Class::kBreak},
    {0x5BE, 0x5BE, Class::kBreak},     {0x5C0, 0x5C0, Class::kBreak},     {0x5F3, 0x5F4, Class::kBreak},
    {0x60C, 0x60D, Class::kBreak},     {0x61B, 0x61F, Class::kBreak},     {0x66A, 0x66D, Class::kBreak},
    {0x6D4, 0x6D4, Class::kBreak},     {0x964, 0x965, Class::kBreak},     {0xE00, 0xEFF, Class::kAlone},
    {0x1000, 0x109F, Class::kAlone},   {0x1780, 0x17FF, Class::kAlone},   {0x1680, 0x1680, Class::kBreak},
    {0x2000, 0x206F, Class::kBreak},   {0x20A0, 0x20CF, Class::kBreak},   {0x2190, 0x25FF, Class::kBreak},
    {0x2600, 0x27BF, Class::kAlone},   {0x27C0, 0x2BFF, Class::kBreak},   {0x2E00, 0x2E7F, Class::kBreak},
    {0x2E80, 0x2FDF, Class::kAlone},   {0x3000, 0x303F, Class::kBreak},   {0x3040, 0x9FFF, Class::kAlone},
    {0xA000, 0xA4CF, Class::kAlone},   {0xAC00, 0xD7AF, Class::kAlone},   {0xE000, 0xF8FF, Class::kAlone},
    {0xF900, 0xFAFF, Class::kAlone},   {0xFE10, 0xFE6F, Class::kBreak},   {0xFFF9, 0xFFFF, Class::kBreak},
    {0x1F000, 0x1FAFF, Class::kAlone}, {0x20000, 0x3FFFF, Class::kAlone},
};

// Sorted by first except for one pair kept for reading; so a search from the start would be slow only for far scripts.
Class ClassOf(std::uint32_t c) {
  for (const Range& r : kRanges) {
    if (c >= r.first && c <= r.last) return r.what;
  }
  return Class::kWord;
}

void AppendUtf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Code point at text[at], which is valid UTF-8; sets its size.
std::uint32_t CodePoint(std::string_view text, std::size_t at, std::size_t& size) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return size = 1, first;
  if (first < 0xE0) return size = 2, ((first & 0x1F) << 6) | (byte(1) & 0x3F);
  if (first < 0xF0) return size = 3, ((first & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
  return size = 4, ((first & 0x07) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) | (byte(3) & 0x3F);
}

using base::HexValue;

// Four hexadecimal digits at text[at], or -1.
std::int32_t Hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = HexValue(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// Bytes that belong to no valid character become spaces, so that the rest can be normalised.
void Sanitize(std::string& text) {
  if (base::IsValidUtf8(text)) return;
  for (std::size_t at = 0; at < text.size();) {
    if (IsAscii(text[at])) {
      ++at;
      continue;
    }
    std::size_t good = 0;
    for (std::size_t size = 2; size <= 4 && at + size <= text.size() && good == 0; ++size) {
      if (base::IsValidUtf8(std::string_view(text).substr(at, size)) && !IsAscii(text[at + size - 1])) good = size;
    }
    if (good == 0) {
      text[at] = ' ';
      ++at;
    } else {
      at += good;
    }
  }
}

base::NormalizeOptions HowToNormalize(std::size_t size) {
  base::NormalizeOptions options;
  options.fold_case = true;
  options.max_bytes = size;
  return options;
}

constexpr auto MakeStopWords() {
  std::array words{
      std::string_view("a"),    std::string_view("about"), std::string_view("after"),  std::string_view("all"),
      std::string_view("also"), std::string_view("am"),    std::string_view("an"),     std::string_view("and"),
      std::string_view("any"),  std::string_view("are"),   std::string_view("as"),     std::string_view("at"),
      std::string_view("be"),   std::string_view("been"),  std::string_view("but"),    std::string_view("by"),
      std::string_view("can"),  std::string_view("com"),   std::string_view("could"),  std::string_view("did"),
      std::string_view("do"),   std::string_view("does"),  std::string_view("false"),  std::string_view("for"),
      std::string_view("from"), std::string_view("had"),   std::string_view("has"),    std::string_view("have"),
      std::string_view("he"),   std::string_view("her"),   std::string_view("here"),   std::string_view("his"),
      std::string_view("how"),  std::string_view("http"),  std::string_view("https"),  std::string_view("if"),
      std::string_view("in"),   std::string_view("into"),  std::string_view("is"),     std::string_view("it"),
      std::string_view("its"),  std::string_view("just"),  std::string_view("me"),     std::string_view("my"),
      std::string_view("net"),  std::string_view("no"),    std::string_view("none"),   std::string_view("not"),
      std::string_view("null"), std::string_view("of"),    std::string_view("on"),     std::string_view("or"),
      std::string_view("org"),  std::string_view("our"),   std::string_view("please"), std::string_view("she"),
      std::string_view("so"),   std::string_view("that"),  std::string_view("the"),    std::string_view("their"),
      std::string_view("them"), std::string_view("then"),  std::string_view("there"),  std::string_view("these"),
      std::string_view("they"), std::string_view("this"),  std::string_view("to"),     std::string_view("true"),
      std::string_view("up"),   std::string_view("us"),    std::string_view("was"),    std::string_view("we"),
      std::string_view("were"), std::string_view("what"),  std::string_view("when"),   std::string_view("which"),
      std::string_view("who"),  std::string_view("will"),  std::string_view("with"),   std::string_view("would"),
      std::string_view("www"),  std::string_view("yes"),   std::string_view("you"),    std::string_view("your"),
  };
  return words;
}
constexpr auto kStopWords = MakeStopWords();

constexpr std::size_t kMaxStopWord = 6;
// A word of up to kMaxStopWord bytes as one number; never 0.
constexpr std::uint64_t Packed(std::string_view word) {
  std::uint64_t packed = 0;
  for (const char c : word) packed = packed << 8 | static_cast<unsigned char>(c);
  return packed;
}
// Open addressing: every word of a text is asked about.
class StopWords {
 public:
  constexpr StopWords() {
    for (const std::string_view word : kStopWords) {
      std::size_t at = Slot(Packed(word));
      while (slots_[at] != 0) at = (at + 1) % slots_.size();
      slots_[at] = Packed(word);
    }
  }
  [[nodiscard]] constexpr bool Has(std::string_view word) const {
    const std::uint64_t packed = Packed(word);
    std::size_t at = Slot(packed);
    while (slots_[at] != 0 && slots_[at] != packed) at = (at + 1) % slots_.size();
    return slots_[at] == packed;
  }

 private:
  static constexpr std::size_t Slot(std::uint64_t packed) { return packed * 0x9E3779B97F4A7C15U >> 55; }
  std::array<std::uint64_t, 512> slots_{};
};
constexpr StopWords kStopWordTable;
static_assert(std::ranges::all_of(kStopWords, [](std::string_view word) {
  return word.size() <= kMaxStopWord && kStopWordTable.Has(word);
}));

}  // namespace

bool IsStopWord(std::string_view word) noexcept {
  if (word.size() <= 1) return !word.empty() && IsAscii(word[0]) && !IsDigit(word[0]);
  return word.size() <= kMaxStopWord && kStopWordTable.Has(word);
}

Escape ReadEscape(std::string_view raw, std::size_t at, Reading reading) noexcept {
  if (reading == Reading::kPlain) return {};
  std::size_t next = at + 1;
  if (reading == Reading::kDeep) {
    while (next < raw.size() && raw[next] == '\\') ++next;
  }
  const auto separator = [&](std::size_t end) { return Escape{.size = end - at, .code_point = 0}; };
  if (next >= raw.size()) return separator(raw.size());
  const char c = raw[next];
  if (c != 'u') {
    const bool known = std::string_view("nrtbf\"/\\").find(c) != std::string_view::npos;
    return separator(known ? next + 1 : next);
  }
  const std::int32_t unit = Hex4(raw, next + 1);
  if (unit < 0) return separator(next);
  const std::size_t end = next + 5;
  if (unit < 0xD800 || unit > 0xDFFF) return {.size = end - at, .code_point = static_cast<std::uint32_t>(unit)};
  if (unit > 0xDBFF) return separator(end);
  std::size_t low_at = end;
  while (low_at < raw.size() && raw[low_at] == '\\' && (low_at == end || reading == Reading::kDeep)) ++low_at;
  if (low_at == end || low_at >= raw.size() || raw[low_at] != 'u') return separator(end);
  const std::int32_t low = Hex4(raw, low_at + 1);
  if (low < 0xDC00 || low > 0xDFFF) return separator(end);
  const auto value =
      0x10000u + ((static_cast<std::uint32_t>(unit) - 0xD800u) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00u);
  return {.size = low_at + 5 - at, .code_point = value};
}

bool DiffersWhenDeep(std::string_view raw, Reading reading) noexcept {
  for (std::size_t at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\', at)) {
    const std::size_t run = std::min(raw.find_first_not_of('\\', at), raw.size());
    if (run >= raw.size()) return false;
    const bool escapes = std::string_view("nrtbfu").find(raw[run]) != std::string_view::npos;
    const bool undone = reading == Reading::kJson && (run - at) % 2 == 1;
    if (escapes && !undone && reading != Reading::kDeep) return true;
    at = run;
  }
  return false;
}

// The word is already at the end of the words' text.
inline void Tokenizer::Emit(TokenList& out, std::size_t size, Digits digits, std::size_t begin, std::size_t end) {
  const std::string_view word(out.buffer.data() + out.used, size);
  out.tokens.push_back({.hash = hash_(word),
                        .begin = static_cast<std::uint32_t>(begin),
                        .end = static_cast<std::uint32_t>(end),
                        .text = static_cast<std::uint32_t>(out.used),
                        .size = static_cast<std::uint16_t>(size),
                        .all_digits = digits == Digits::kAll,
                        .has_digit = digits != Digits::kNone});
  out.used += size;
}

void Tokenizer::Append(TokenList& out, std::string_view word, std::size_t begin, std::size_t end) {
  // Normal forms can be longer than what they stand for: keep room for these and for what is left of the raw text.
  const std::size_t room = raw_size_ - std::min(raw_size_, end) + 2 * kMaxWordBytes;
  const std::size_t need = out.used + word.size() + room;
  if (out.buffer.size() < need) out.buffer.resize(need * 3 / 2);
  std::ranges::copy(word, out.buffer.begin() + static_cast<std::ptrdiff_t>(out.used));
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(word, IsDigit));
  Emit(out, word.size(),
       digits == 0             ? Digits::kNone
       : digits == word.size() ? Digits::kAll
                               : Digits::kSome,
       begin, end);
}

std::size_t Tokenizer::Read(std::string_view raw, Reading reading, std::size_t max_tokens, TokenList& out) {
  out.clear();
  raw_size_ = raw.size();
  if (out.buffer.size() < raw.size() + 2 * kMaxWordBytes) out.buffer.resize(raw.size() + 2 * kMaxWordBytes);
  const char* const bytes = raw.data();
  const std::size_t all = raw.size();
  base::ByteClasses classes(raw);
  std::size_t at = 0;
  while (at < all && out.tokens.size() < max_tokens) {
    classes.LoadAt(at);
    const std::size_t skip = at % base::ByteClasses::kBlock;
    const std::uint64_t ahead = (classes.word() | classes.backslash() | classes.beyond()) >> skip;
    if (ahead == 0) {
      at += base::ByteClasses::kBlock - skip;
      continue;
    }
    at += static_cast<std::size_t>(std::countr_zero(ahead));
    const std::size_t begin = at;
    const std::size_t offset = begin % base::ByteClasses::kBlock;
    // A run is cut where the longest word ends, which is one block on.
    static_assert(kMaxWordBytes == base::ByteClasses::kBlock);
    auto size = static_cast<std::size_t>(std::countr_one(classes.word() >> offset));
    std::uint64_t digits = classes.digit() >> offset & LowBits(size);
    bool all_digits = digits == LowBits(size);
    if (offset + size == base::ByteClasses::kBlock && offset > 0 && begin + size < all) {
      classes.LoadAt(begin + size);
      const std::size_t more = std::min(static_cast<std::size_t>(std::countr_one(classes.word())), offset);
      const std::uint64_t more_digits = classes.digit() & LowBits(more);
      digits |= more_digits;
      all_digits = all_digits && more_digits == LowBits(more);
      size += more;
    }
    at = begin + size;
    if (at < all && (!IsAscii(bytes[at]) || (bytes[at] == '\\' && ReadEscape(raw, at, reading).code_point != 0))) {
      at = ReadSlow(raw, begin, reading, out);
    } else if (size > 0) {
      base::CopyLowered(raw.substr(begin), size, out.buffer.data() + out.used);
      Emit(out, size, all_digits ? Digits::kAll : digits != 0 ? Digits::kSome : Digits::kNone, begin, at);
    } else {
      at += ReadEscape(raw, at, reading).size;
    }
  }
  return std::min(at, all);
}

// A stretch with characters beyond ASCII or spelled as escapes, up to the next ASCII separator.
std::size_t Tokenizer::ReadSlow(std::string_view raw, std::size_t from, Reading reading, TokenList& out) {
  decoded_.clear();
  from_.clear();
  to_.clear();
  std::size_t at = from;
  while (at < raw.size()) {
    std::size_t size = 1;
    if (raw[at] == '\\') {
      const Escape escape = ReadEscape(raw, at, reading);
      if (escape.code_point == 0) break;
      size = escape.size;
      AppendUtf8(decoded_, escape.code_point);
    } else if (!IsAscii(raw[at]) || Fold(raw[at]) != 0) {
      decoded_ += raw[at];
    } else {
      break;
    }
    at += size;
    from_.resize(decoded_.size(), static_cast<std::uint32_t>(at - size));
    to_.resize(decoded_.size(), static_cast<std::uint32_t>(at));
  }
  Sanitize(decoded_);
  const base::Result<base::NormalizedText> normal = base::Normalize(decoded_, HowToNormalize(decoded_.size()));
  if (!normal.ok()) return at;  // longer than any source may be, or ICU without its data
  const std::string_view text = normal.value().text();
  const auto emit = [&](std::size_t begin, std::size_t end) {
    const base::ByteSpan span = normal.value().MapBack(begin, end);
    if (span.begin < span.end) Append(out, text.substr(begin, end - begin), from_[span.begin], to_[span.end - 1]);
  };
  std::size_t begin = 0;
  std::size_t size = 1;
  for (std::size_t i = 0; i < text.size(); i += size) {
    const std::uint32_t c = CodePoint(text, i, size);
    Class what = Class::kWord;
    if (c < 0x80) {
      what = Fold(text[i]) != 0 ? Class::kWord : Class::kBreak;
    } else {
      what = ClassOf(c);
    }
    if (what == Class::kWord && i + size - begin <= kMaxWordBytes) continue;
    if (i > begin) emit(begin, i);
    begin = what == Class::kWord ? i : i + size;
    if (what == Class::kAlone) emit(i, i + size);
  }
  if (text.size() > begin) emit(begin, text.size());
  return at;
}

std::string CanonicalText(std::string_view raw, Reading reading) {
  std::string decoded;
  decoded.reserve(raw.size());
  bool ascii = true;
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] == '\\' && reading != Reading::kPlain) {
      const Escape escape = ReadEscape(raw, at, reading);
      const char last = raw[std::min(at + escape.size, raw.size()) - 1];
      if (escape.code_point != 0) {
        AppendUtf8(decoded, escape.code_point);
        ascii = ascii && escape.code_point < 0x80;
      } else {
        decoded += (last == '"' || last == '/' || last == '\\') ? last : ' ';
      }
      at += escape.size;
      continue;
    }
    ascii = ascii && IsAscii(raw[at]);
    decoded += raw[at++];
  }
  if (ascii) {
    for (char& c : decoded) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
  } else {
    Sanitize(decoded);
    base::Result<base::NormalizedText> normal = base::Normalize(decoded, HowToNormalize(decoded.size()));
    if (normal.ok()) decoded = normal.value().text();
  }
  std::string out;
  out.reserve(decoded.size());
  for (const char c : decoded) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace interlock::provenance::internal
