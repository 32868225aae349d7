#include "views.h"

#include <algorithm>
#include <array>

#include "interlock/base/digits.h"
#include "utf8.h"

namespace interlock::injection {
namespace {

constexpr int kMaxDepth = 3;
constexpr std::size_t kMaxBlobs = 64;    // of one view
constexpr std::size_t kMinBase64 = 24;   // characters
constexpr std::size_t kMinHex = 24;      // digits
constexpr std::size_t kMinLetters = 10;  // letters that a decoded text must have
constexpr std::size_t kMinSpaced = 5;    // letters in a row that are set apart

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
using base::HexValue;

bool IsInvisible(char32_t c) {
  return c == 0xADU || c == 0x34FU || c == 0x61CU || c == 0x115FU || c == 0x1160U || c == 0x17B4U || c == 0x17B5U ||
         (c >= 0x180BU && c <= 0x180FU) || (c >= 0x200BU && c <= 0x200FU) || (c >= 0x202AU && c <= 0x202EU) ||
         (c >= 0x2060U && c <= 0x206FU) || c == 0x3164U || (c >= 0xFE00U && c <= 0xFE0FU) || c == 0xFEFFU ||
         c == 0xFFA0U || (c >= 0xE0000U && c <= 0xE0FFFU);
}

// The Latin letter that a letter of another script or style looks like; 0: none.
char LookAlike(char32_t c) {
  if (c >= 0xFF01U && c <= 0xFF5EU) return static_cast<char>(c - 0xFEE0U);  // full width
  if (c >= 0x1D400U && c <= 0x1D6A3U) {                                     // mathematical alphabets
    const auto at = static_cast<char>((c - 0x1D400U) % 52);
    return static_cast<char>(at < 26 ? 'A' + at : 'a' + at - 26);
  }
  if (c >= 0x1D7CEU && c <= 0x1D7FFU) return static_cast<char>('0' + static_cast<char>((c - 0x1D7CEU) % 10));
  if (c >= 0x24B6U && c <= 0x24CFU) return static_cast<char>('A' + static_cast<char>(c - 0x24B6U));  // circled
  if (c >= 0x24D0U && c <= 0x24E9U) return static_cast<char>('a' + static_cast<char>(c - 0x24D0U));
  struct Pair {
    char32_t code;
    char letter;
  };
  static constexpr std::array kPairs = {
      Pair{0x131, 'i'}, Pair{0x251, 'a'}, Pair{0x261, 'g'}, Pair{0x26A, 'i'}, Pair{0x28F, 'y'}, Pair{0x391, 'A'},
      Pair{0x392, 'B'}, Pair{0x395, 'E'}, Pair{0x396, 'Z'}, Pair{0x397, 'H'}, Pair{0x399, 'I'}, Pair{0x39A, 'K'},
      Pair{0x39C, 'M'}, Pair{0x39D, 'N'}, Pair{0x39F, 'O'}, Pair{0x3A1, 'P'}, Pair{0x3A4, 'T'}, Pair{0x3A5, 'Y'},
      Pair{0x3A7, 'X'}, Pair{0x3B1, 'a'}, Pair{0x3B3, 'y'}, Pair{0x3B5, 'e'}, Pair{0x3B9, 'i'}, Pair{0x3BA, 'k'},
      Pair{0x3BD, 'v'}, Pair{0x3BF, 'o'}, Pair{0x3C1, 'p'}, Pair{0x3C3, 'o'}, Pair{0x3C4, 't'}, Pair{0x3C5, 'u'},
      Pair{0x3C7, 'x'}, Pair{0x3F2, 'c'}, Pair{0x3F3, 'j'}, Pair{0x405, 'S'}, Pair{0x406, 'I'}, Pair{0x408, 'J'},
      Pair{0x410, 'A'}, Pair{0x412, 'B'}, Pair{0x415, 'E'}, Pair{0x41A, 'K'}, Pair{0x41C, 'M'}, Pair{0x41D, 'H'},
      Pair{0x41E, 'O'}, Pair{0x420, 'P'}, Pair{0x421, 'C'}, Pair{0x422, 'T'}, Pair{0x423, 'Y'}, Pair{0x425, 'X'},
      Pair{0x430, 'a'}, Pair{0x432, 'b'}, Pair{0x433, 'r'}, Pair{0x435, 'e'}, Pair{0x43A, 'k'}, Pair{0x43C, 'm'},
      Pair{0x43D, 'h'}, Pair{0x43E, 'o'}, Pair{0x440, 'p'}, Pair{0x441, 'c'}, Pair{0x442, 't'}, Pair{0x443, 'y'},
      Pair{0x445, 'x'}, Pair{0x455, 's'}, Pair{0x456, 'i'}, Pair{0x458, 'j'}, Pair{0x45B, 'h'}, Pair{0x475, 'v'},
      Pair{0x4AF, 'y'}, Pair{0x4BB, 'h'}, Pair{0x4CF, 'l'}, Pair{0x501, 'd'}, Pair{0x50D, 'g'}, Pair{0x51B, 'q'},
      Pair{0x51D, 'w'}, Pair{0x561, 'w'}, Pair{0x570, 'h'}, Pair{0x578, 'n'}, Pair{0x57D, 'u'}, Pair{0x585, 'o'}};
  const auto at = std::lower_bound(kPairs.begin(), kPairs.end(), c,
                                   [](const Pair& pair, char32_t code) { return pair.code < code; });
  return at != kPairs.end() && at->code == c ? at->letter : '\0';
}

View Identity(std::string_view text) {
  View view;
  view.text = std::string(text);
  view.begin.resize(text.size());
  view.end.resize(text.size());
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    view.begin[i] = i;
    view.end[i] = i + 1;
  }
  return view;
}

// Builds a view of a view.
class Builder {
 public:
  explicit Builder(const View& from) : from_(from) {
    out_.all = from.all;
    out_.text.reserve(from.text.size());
    out_.begin.reserve(from.text.size());
    out_.end.reserve(from.text.size());
  }
  void Put(std::string_view bytes, std::size_t begin, std::size_t end, SpanFlags flags = 0) {
    const auto first = static_cast<std::uint32_t>(out_.text.size());
    if (const SpanFlags old = InheritedUntil(end); (old | flags) != 0) out_.events.push_back({first, old | flags});
    for (const char c : bytes) {
      out_.text.push_back(c);
      out_.begin.push_back(from_.begin[begin]);
      out_.end.push_back(from_.end[end - 1]);
    }
    changed_ = changed_ || flags != 0;
  }
  void PutCode(char32_t code, std::size_t begin, std::size_t end, SpanFlags flags) {
    char bytes[4];
    Put(std::string_view(bytes, EncodeUtf8(code, bytes)), begin, end, flags);
  }
  void Drop(SpanFlags flags) {  // what stands here says nothing
    out_.events.push_back({static_cast<std::uint32_t>(out_.text.size()), flags});
    changed_ = true;
  }
  [[nodiscard]] bool changed() const noexcept { return changed_; }
  View Take() { return std::move(out_); }

 private:
  SpanFlags InheritedUntil(std::size_t end) {
    SpanFlags flags = 0;
    while (event_ < from_.events.size() && from_.events[event_].at < end) flags |= from_.events[event_++].flags;
    return flags;
  }
  const View& from_;
  View out_;
  std::size_t event_ = 0;
  bool changed_ = false;
};

// An entity at `at`: the code point and where it ends; 0: none.
std::pair<char32_t, std::size_t> Entity(std::string_view text, std::size_t at) {
  const std::size_t limit = std::min(text.size(), at + 12);
  if (at + 3 >= text.size()) return {0, 0};
  std::size_t i = at + 1;
  char32_t code = 0;
  if (text[i] == '#') {
    ++i;
    const bool hex = i < limit && (text[i] == 'x' || text[i] == 'X');
    if (hex) ++i;
    const std::size_t first = i;
    for (; i < limit; ++i) {
      const int digit = hex ? HexValue(text[i]) : IsDigit(text[i]) ? text[i] - '0' : -1;
      if (digit < 0) break;
      code = code * (hex ? 16 : 10) + static_cast<char32_t>(digit);
      if (code > 0x10FFFFU) return {0, 0};
    }
    if (i == first) return {0, 0};
    if (i < text.size() && text[i] == ';') ++i;
  } else {
    struct Name {
      std::string_view name;
      char32_t code;
    };
    static constexpr Name kNames[] = {{"amp;", '&'},   {"lt;", '<'},
                                      {"gt;", '>'},    {"quot;", '"'},
                                      {"apos;", '\''}, {"nbsp;", ' '},
                                      {"Tab;", '\t'},  {"NewLine;", '\n'},
                                      {"colon;", ':'}, {"period;", '.'},
                                      {"comma;", ','}, {"lpar;", '('},
                                      {"rpar;", ')'},  {"ZeroWidthSpace;", 0x200B},
                                      {"shy;", 0xAD}};
    for (const Name& name : kNames) {
      if (text.substr(i, name.name.size()) == name.name) return {name.code, i + name.name.size()};
    }
    return {0, 0};
  }
  if (code == 0 || (code >= 0xD800U && code <= 0xDFFFU)) return {0, 0};
  return {code, i};
}

// %41, \x41, \u{1f} and the invisible, wide and look-alike characters. One pass.
bool Reveal(const View& from, View& out) {
  Builder builder(from);
  const std::string_view text = from.text;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '&') {
      if (const auto [code, end] = Entity(text, at); end != 0) {
        builder.PutCode(code, at, end, kSpanEncoded);
        at = end;
        continue;
      }
    } else if (c == '%' || (c == '\\' && at + 1 < text.size() && text[at + 1] == 'x')) {
      const std::size_t first = at + (c == '%' ? 1 : 2);
      if (first + 1 < text.size() && HexValue(text[first]) >= 0 && HexValue(text[first + 1]) >= 0) {
        const char byte = static_cast<char>(HexValue(text[first]) * 16 + HexValue(text[first + 1]));
        builder.Put({&byte, 1}, at, first + 2, kSpanEncoded);
        at = first + 2;
        continue;
      }
    } else if (static_cast<unsigned char>(c) >= 0x80U) {
      std::size_t end = at;
      const char32_t code = DecodeUtf8(text, end);
      if (code >= 0xE0020U && code <= 0xE007EU) {
        builder.PutCode(code - 0xE0000U, at, end, kSpanHidden);
      } else if (code != kBadUtf8 && IsInvisible(code)) {
        builder.Drop(kSpanHidden);
      } else if (const char letter = code == kBadUtf8 ? '\0' : LookAlike(code); letter != '\0') {
        builder.Put({&letter, 1}, at, end, kSpanLookAlike);
      } else {
        builder.Put(text.substr(at, end - at), at, end);
      }
      at = end;
      continue;
    }
    builder.Put(text.substr(at, 1), at, at + 1);
    ++at;
  }
  if (!builder.changed()) return false;
  out = builder.Take();
  return true;
}

// "s e n d  t h i s", "s.e.n.d": single letters set apart by one mark each; a wider gap ends the word.
bool JoinLetters(const View& from, View& out) {
  Builder builder(from);
  const std::string_view text = from.text;
  const auto single = [&](std::size_t at) {
    return at < text.size() && IsLetter(text[at]) && (at == 0 || !IsLetter(text[at - 1])) &&
           (at + 1 >= text.size() || !IsLetter(text[at + 1]));
  };
  const auto mark = [](char c) { return c == ' ' || c == '.' || c == '-' || c == '_' || c == '*' || c == '\t'; };
  for (std::size_t at = 0; at < text.size();) {
    if (single(at)) {
      std::size_t letters = 1;
      std::size_t last = at;
      std::string word(1, text[at]);
      while (last + 2 < text.size() && mark(text[last + 1])) {
        std::size_t next = last + 2;
        const bool wide = mark(text[next]);
        while (next < text.size() && next < last + 6 && mark(text[next])) ++next;
        if (!single(next)) break;
        if (wide) word.push_back(' ');
        word.push_back(text[next]);
        last = next;
        ++letters;
      }
      if (letters >= kMinSpaced) {
        builder.Put(word, at, last + 1, kSpanSplit);
        at = last + 1;
        continue;
      }
      builder.Put(text.substr(at, last + 1 - at).substr(0, 1), at, at + 1);
      ++at;
      continue;
    }
    builder.Put(text.substr(at, 1), at, at + 1);
    ++at;
  }
  if (!builder.changed()) return false;
  out = builder.Take();
  return true;
}

bool LooksLikeText(std::string_view bytes) {
  std::size_t letters = 0;
  std::size_t blanks = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte < 0x20U && byte != '\n' && byte != '\t' && byte != '\r') return false;
    if (byte == 0x7FU) return false;
    if (byte == ' ' || byte == '\n') ++blanks;
    if (IsLetter(bytes[at])) ++letters;
    const char32_t code = DecodeUtf8(bytes, at);
    if (code == kBadUtf8) return false;
    if (code >= 0x80U) ++letters;
  }
  return letters >= kMinLetters && letters * 2 >= bytes.size() - blanks;
}

using base::Base64Value;

struct Blob {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

void FindBase64(std::string_view text, std::vector<Blob>& out) {
  for (std::size_t at = 0; at < text.size() && out.size() < kMaxBlobs;) {
    if (Base64Value(text[at]) < 0) {
      ++at;
      continue;
    }
    Blob blob;
    blob.begin = at;
    std::uint32_t bits = 0;
    unsigned filled = 0;
    std::size_t digits = 0;
    std::size_t line = 0;
    while (at < text.size()) {
      const int digit = Base64Value(text[at]);
      if (digit < 0) {
        // wrapped lines
        if ((text[at] == '\n' || text[at] == '\r') && line >= 40 && at + 1 < text.size() &&
            (text[at + 1] == '\n' || Base64Value(text[at + 1]) >= 0)) {
          if (text[at] == '\n') line = 0;
          ++at;
          continue;
        }
        break;
      }
      ++line;
      ++digits;
      bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
      filled += 6;
      if (filled >= 8) {
        filled -= 8;
        blob.text.push_back(static_cast<char>(bits >> filled));
      }
      ++at;
    }
    while (at < text.size() && text[at] == '=') ++at;
    blob.end = at;
    if (digits >= kMinBase64 && LooksLikeText(blob.text)) out.push_back(std::move(blob));
  }
}

void FindHex(std::string_view text, std::vector<Blob>& out) {
  for (std::size_t at = 0; at + 1 < text.size() && out.size() < kMaxBlobs;) {
    const bool fresh = at == 0 || HexValue(text[at - 1]) < 0;
    if (!fresh || HexValue(text[at]) < 0 || HexValue(text[at + 1]) < 0) {
      ++at;
      continue;
    }
    Blob blob;
    blob.begin = at;
    while (at + 1 < text.size() && HexValue(text[at]) >= 0 && HexValue(text[at + 1]) >= 0) {
      blob.text.push_back(static_cast<char>(HexValue(text[at]) * 16 + HexValue(text[at + 1])));
      at += 2;
      if (at + 2 < text.size() && (text[at] == ' ' || text[at] == ':' || text[at] == '-') &&
          HexValue(text[at + 1]) >= 0 && HexValue(text[at + 2]) >= 0) {
        ++at;
      }
    }
    blob.end = at;
    if (blob.text.size() * 2 >= kMinHex && LooksLikeText(blob.text)) out.push_back(std::move(blob));
  }
}

View OfBlob(const View& from, const Blob& blob) {
  View view;
  view.text = blob.text;
  view.begin.assign(blob.text.size(), from.begin[blob.begin]);
  view.end.assign(blob.text.size(), from.end[blob.end - 1]);
  view.all = from.all | kSpanEncoded;
  return view;
}

// The most frequent letters of many languages become rare when rotated by thirteen, and the other way round.
bool LooksRotated(std::string_view text) {
  static constexpr auto kCounts = [] {  // 1: common, 2: common once turned
    constexpr std::string_view kCommon = "etaoins";
    std::array<std::uint8_t, 26> counts{};
    for (const char c : kCommon) {
      const auto at = static_cast<std::size_t>(c - 'a');
      counts[at] = static_cast<std::uint8_t>(counts[at] | 1U);
      counts[(at + 13) % 26] = static_cast<std::uint8_t>(counts[(at + 13) % 26] | 2U);
    }
    return counts;
  }();
  std::size_t letters = 0;
  std::size_t common = 0;
  std::size_t rotated = 0;
  for (const char c : text) {
    if (!IsLetter(c)) continue;
    const std::uint8_t count = kCounts[static_cast<std::size_t>((c | 0x20) - 'a')];
    ++letters;
    common += count & 1U;
    rotated += count >> 1U;
  }
  return letters >= 20 && rotated * 10 > letters * 4 && rotated > common;
}

template <class Visit>
void VisitLines(std::string_view text, Visit&& visit) {
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] != '\n' && text[end] != '"') ++end;
    visit(at, end);
    at = end + 1;
  }
}

// Lines and fields whose letters look rotated, turned back.
bool Rotate(const View& from, View& out) {
  Builder builder(from);
  const std::string_view text = from.text;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] != '\n' && text[end] != '"') ++end;
    const bool rotated = LooksRotated(text.substr(at, end - at));
    for (; at < end; ++at) {
      char c = text[at];
      if (rotated && IsLetter(c)) {
        const char base = c >= 'a' ? 'a' : 'A';
        c = static_cast<char>(base + (c - base + 13) % 26);
        builder.Put({&c, 1}, at, at + 1, kSpanEncoded);
      } else {
        builder.Put({&c, 1}, at, at + 1);
      }
    }
    if (at < text.size()) {
      builder.Put(text.substr(at, 1), at, at + 1);
      ++at;
    }
  }
  if (!builder.changed()) return false;
  out = builder.Take();
  return true;
}

// One look over the bytes: is there anything a view could undo?
bool MayHide(std::string_view text) {
  std::size_t run = 0;      // of base64 or hexadecimal digits
  std::size_t singles = 0;  // letters set apart
  char before = ' ';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80U) {
      // Accents, dashes and quotation marks of ordinary text hide nothing.
      if (byte >= 0xCDU && byte != 0xE2U) return true;
      if (byte == 0xE2U && i + 1 < text.size()) {
        const auto next = static_cast<unsigned char>(text[i + 1]);
        if (next == 0x81U || next == 0x92U || next == 0x93U) return true;
        if (next == 0x80U && i + 2 < text.size()) {
          const auto last = static_cast<unsigned char>(text[i + 2]);
          if ((last >= 0x8BU && last <= 0x8FU) || (last >= 0xAAU && last <= 0xAEU)) return true;
        }
      }
      if (byte == 0xC2U && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xADU) return true;
      run = 0;
    } else if (c == '&' || c == '%' || (c == '\\' && i + 1 < text.size() && text[i + 1] == 'x')) {
      return true;
    } else if (Base64Value(c) >= 0) {
      if (++run >= kMinBase64) return true;
    } else {
      run = 0;
    }
    if (IsLetter(c)) {
      const bool alone = !IsLetter(before) && (i + 1 >= text.size() || !IsLetter(text[i + 1]));
      singles = alone ? singles + 1 : 0;
      if (singles >= kMinSpaced) return true;
    }
    before = c;
  }
  return false;
}

}  // namespace

base::ByteSpan View::Back(std::size_t from, std::size_t to) const {
  if (from >= to) return {begin.empty() ? 0 : begin[std::min(from, begin.size() - 1)], 0};
  std::uint32_t first = begin[from];
  std::uint32_t last = end[to - 1];
  return {first, last};
}

SpanFlags View::FlagsIn(std::size_t from, std::size_t to) const {
  SpanFlags flags = all;
  auto at = std::lower_bound(events.begin(), events.end(), from,
                             [](const Event& event, std::size_t value) { return event.at < value; });
  for (; at != events.end() && at->at < to; ++at) flags |= at->flags;
  return flags;
}

std::vector<View> DecodedViews(std::string_view text, std::size_t max_bytes, bool& complete) {
  std::vector<View> out;
  bool rotated = false;
  VisitLines(text, [&](std::size_t begin, std::size_t end) {
    rotated = rotated || LooksRotated(text.substr(begin, end - begin));
  });
  if (!rotated && !MayHide(text)) return out;
  std::size_t spent = 0;
  struct Item {
    View view;
    int depth;
    bool decoded;  // it is a view of its own, and not the text as it stands
  };
  std::vector<Item> queue;
  queue.push_back({Identity(text), 0, false});
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int depth = queue[next].depth;
    const auto add = [&](View view) {
      spent += view.text.size();
      if (spent > max_bytes) {
        complete = false;
        return;
      }
      queue.push_back({std::move(view), depth + 1, true});
    };
    if (depth < kMaxDepth) {
      View view;
      if (Reveal(queue[next].view, view)) add(std::move(view));
      if (JoinLetters(queue[next].view, view)) add(std::move(view));
      if (Rotate(queue[next].view, view) && depth == 0) add(std::move(view));
      std::vector<Blob> blobs;
      FindBase64(queue[next].view.text, blobs);
      FindHex(queue[next].view.text, blobs);
      for (const Blob& blob : blobs) add(OfBlob(queue[next].view, blob));
    }
  }
  for (Item& item : queue) {
    if (item.decoded) out.push_back(std::move(item.view));
  }
  return out;
}

}  // namespace interlock::injection
