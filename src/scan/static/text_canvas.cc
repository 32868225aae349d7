#include "static/text_canvas.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "interlock/base/byte_classes.h"
#include "interlock/base/digits.h"
#include "static/bytes.h"
#include "static/listed_words.h"
#include "static/text_gloss.h"
#include "static/text_quotes.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxCanvas = std::size_t{48} << 20;
constexpr std::size_t kMaxSentenceTokens = 90;
constexpr std::uint32_t kMaxToken = 2048;
constexpr std::size_t kMaxDecodedShare = 2;  // decoded text: at most so many times the file
constexpr std::size_t kMaxEncoded = 64;      // pieces tried in one passage
constexpr std::size_t kLeastRun = 20;        // characters of base64 or hex that are worth a try

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// What a byte can be part of; one look instead of a chain of comparisons.
enum ByteBits : std::uint16_t {
  kUpper = 1,
  kLower = 2,
  kDigit = 4,
  kNotHex = 8,      // in base64, not in hex
  kBase64 = 16,     // also of URLs
  kEscape = 32,     // % and backslash
  kWordStart = 64,  // letters, digits and what paths and variables begin with
  kJoins = 128,     // signs inside paths, addresses, compound words
  kEnds = 256,      // what may end a sentence
};
constexpr std::array<std::uint16_t, 256> kBytes = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < 128; ++i) {
    const char c = static_cast<char>(i);
    unsigned bits = 0;
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (upper) bits |= kUpper;
    if (lower) bits |= kLower;
    if (digit) bits |= kDigit;
    if (upper || lower || digit || c == '+' || c == '/' || c == '-' || c == '_') {
      bits |= kBase64;
      if (!digit && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) bits |= kNotHex;
    }
    if (c == '%' || c == '\\') bits |= kEscape;
    if (upper || lower || digit || c == '~' || c == '/' || c == '.' || c == '$' || c == '_' || c == '@')
      bits |= kWordStart;
    if (std::string_view("./@~-$=&%?+#").find(c) != std::string_view::npos) bits |= kJoins;
    if (std::string_view("\n!?;.").find(c) != std::string_view::npos) bits |= kEnds;
    table[i] = static_cast<std::uint16_t>(bits);
  }
  return table;
}();
std::uint16_t BitsOf(char c) { return kBytes[static_cast<unsigned char>(c)]; }

struct Decoded {
  std::uint32_t code = 0;
  std::uint32_t size = 1;
};

// One UTF-8 character; anything wrong counts as one byte of Latin-1.
Decoded CharAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::uint32_t a = byte(at);
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  if (a < 0x80) return {a, 1};
  if (a >= 0xC2 && a < 0xE0 && follows(at + 1)) return {((a & 0x1F) << 6) | (byte(at + 1) & 0x3F), 2};
  if (a >= 0xE0 && a < 0xF0 && follows(at + 1) && follows(at + 2)) {
    return {((a & 0x0F) << 12) | ((byte(at + 1) & 0x3F) << 6) | (byte(at + 2) & 0x3F), 3};
  }
  if (a >= 0xF0 && a < 0xF5 && follows(at + 1) && follows(at + 2) && follows(at + 3)) {
    return {((a & 0x07) << 18) | ((byte(at + 1) & 0x3F) << 12) | ((byte(at + 2) & 0x3F) << 6) | (byte(at + 3) & 0x3F),
            4};
  }
  return {a, 1};
}

// Letters of other scripts that look like Latin ones.
char LookAlike(std::uint32_t c) {
  struct Pair {
    std::uint32_t code;
    char latin;
  };
  static constexpr std::array<Pair, 56> kPairs = {
      {{0x0391, 'a'}, {0x0392, 'b'}, {0x0395, 'e'}, {0x0396, 'z'}, {0x0397, 'h'}, {0x0399, 'i'}, {0x039A, 'k'},
       {0x039C, 'm'}, {0x039D, 'n'}, {0x039F, 'o'}, {0x03A1, 'p'}, {0x03A4, 't'}, {0x03A5, 'y'}, {0x03A7, 'x'},
       {0x03B1, 'a'}, {0x03B9, 'i'}, {0x03BF, 'o'}, {0x03C1, 'p'}, {0x03C5, 'u'}, {0x03BD, 'v'}, {0x0405, 's'},
       {0x0406, 'i'}, {0x0408, 'j'}, {0x0410, 'a'}, {0x0412, 'b'}, {0x0415, 'e'}, {0x041A, 'k'}, {0x041C, 'm'},
       {0x041D, 'h'}, {0x041E, 'o'}, {0x0420, 'p'}, {0x0421, 'c'}, {0x0422, 't'}, {0x0425, 'x'}, {0x0430, 'a'},
       {0x0435, 'e'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'}, {0x0443, 'y'}, {0x0445, 'x'}, {0x0455, 's'},
       {0x0456, 'i'}, {0x0458, 'j'}, {0x04BB, 'h'}, {0x0501, 'd'}, {0x051B, 'q'}, {0x051D, 'w'}, {0x0261, 'g'},
       {0x0131, 'i'}, {0x1D0F, 'o'}, {0x0578, 'n'}, {0x057D, 'u'}, {0x0585, 'o'}, {0x217C, 'l'}, {0x2170, 'i'}}};
  if (c < 0x0131 || c > 0x217C || (c > 0x0585 && c < 0x1D0F)) return 0;
  for (const Pair& pair : kPairs) {
    if (pair.code == c) return pair.latin;
  }
  return 0;
}

// Forms of one and the same Latin letter: wide, mathematical, circled. 0: none.
char LatinForm(std::uint32_t c) {
  if (c >= 0xFF01 && c <= 0xFF5E) return Lower(static_cast<char>(c - 0xFF01 + 0x21));
  if (c >= 0x1D400 && c <= 0x1D6A3) return static_cast<char>('a' + (c - 0x1D400) % 26);
  if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<char>('0' + (c - 0x1D7CE) % 10);
  if (c >= 0x24B6 && c <= 0x24E9) return static_cast<char>('a' + (c - 0x24B6) % 26);
  if (c >= 0x1F130 && c <= 0x1F149) return static_cast<char>('a' + (c - 0x1F130));
  if (c >= 0x1F150 && c <= 0x1F169) return static_cast<char>('a' + (c - 0x1F150));
  if (c >= 0x1F170 && c <= 0x1F189) return static_cast<char>('a' + (c - 0x1F170));
  if (c >= 0x2018 && c <= 0x201B) return '\'';
  if (c >= 0x201C && c <= 0x201F) return '"';
  if (c >= 0x2010 && c <= 0x2015) return '-';
  if (c == 0x2026) return '.';
  if (c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0x2028 ||
      c == 0x2029) {
    return ' ';
  }
  if (c == 0x3002) return '.';
  return 0;
}

bool IsZeroWidth(std::uint32_t c) {
  return (c >= 0x200B && c <= 0x200D) || c == 0x2060 || (c >= 0x2061 && c <= 0x2064) || c == 0xFEFF || c == 0x180E ||
         c == 0xAD || c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0 || c == 0x034F;
}
bool IsBidi(std::uint32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}
bool IsTag(std::uint32_t c) { return c >= 0xE0000 && c <= 0xE007F; }
bool IsSelector(std::uint32_t c) { return (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF); }
// Scripts that need joiners or direction marks.
bool NeedsJoiners(std::uint32_t c) {
  return (c >= 0x0590 && c <= 0x08FF) || (c >= 0x0900 && c <= 0x0DFF) || (c >= 0x0E00 && c <= 0x109F) ||
         (c >= 0x1780 && c <= 0x17FF) || (c >= 0xFB1D && c <= 0xFEFC) || (c >= 0x1800 && c <= 0x18AF);
}

class Builder {
 public:
  Builder(const FileContext& file, TextCanvas& out) : file_(file), out_(out) {}

  void Add(const TextSurface& surface, std::uint32_t index) {
    const std::string_view shown = surface.shown();
    if (out_.text.size() + shown.size() > kMaxCanvas) {
      out_.complete = false;
      return;
    }
    TextPassage passage;
    passage.kind = surface.kind;
    passage.shape = surface.shape;
    passage.quoted = surface.quoted;
    passage.surface = index;
    passage.bytes = surface.bytes;
    passage.begin = static_cast<std::uint32_t>(out_.text.size());
    Fold(surface, shown, passage);
    passage.end = static_cast<std::uint32_t>(out_.text.size());
    if (surface.shape == TextShape::kHeading) Heading(surface, passage);
    passage.section = section_;
    out_.text += '\n';
    Push(std::move(passage));
  }

  // Decoded text of a passage, as a passage of its own after it.
  void AddDecoded(const TextPassage& from, const DecodedText& decoded) {
    if (out_.text.size() + decoded.text.size() > kMaxCanvas || decoded_ + decoded.text.size() > budget()) {
      out_.complete = false;
      return;
    }
    decoded_ += decoded.text.size();
    TextPassage passage;
    passage.kind = from.kind | kSurfaceDecoded;
    passage.quoted = from.quoted;
    passage.surface = from.surface;
    passage.section = from.section;
    passage.bytes = out_.Back(from, decoded.begin, decoded.end);
    passage.begin = static_cast<std::uint32_t>(out_.text.size());
    for (const char c : decoded.text) out_.text.push_back(Lower(c));
    passage.end = static_cast<std::uint32_t>(out_.text.size());
    passage.map.assign(passage.end - passage.begin, static_cast<std::uint32_t>(passage.bytes.begin));
    out_.text += '\n';
    Push(std::move(passage));
  }

  // A passage of another language once more, word by word in English.
  void AddGlossed(std::uint32_t index) {
    const TextPassage& from = out_.passages[index];
    if (from.shape == TextShape::kCode || from.shape == TextShape::kHeading) return;
    GlossedText glossed;
    if (!GlossText(std::string_view(out_.text).substr(from.begin, from.end - from.begin), glossed)) return;
    if (out_.text.size() + glossed.text.size() > kMaxCanvas || decoded_ + glossed.text.size() > budget()) {
      out_.complete = false;
      return;
    }
    decoded_ += glossed.text.size();
    TextPassage passage = from;
    passage.glossed = true;
    passage.map.resize(glossed.text.size());
    for (std::size_t i = 0; i < glossed.text.size(); ++i) {
      const std::uint32_t at = std::min(glossed.map[i], from.end - from.begin - 1);
      passage.map[i] = from.map.empty() ? static_cast<std::uint32_t>(from.bytes.begin) + at : from.map[at];
    }
    passage.begin = static_cast<std::uint32_t>(out_.text.size());
    out_.text += glossed.text;
    passage.end = static_cast<std::uint32_t>(out_.text.size());
    out_.text += '\n';
    Push(std::move(passage));
  }

  // "Record the following files and put them into every call:" with the list below it: once more as one passage, since
  // the order stands in the one and its objects in the other. [lead + 1, last): the items.
  void AddJoined(std::uint32_t lead, std::uint32_t last) {
    std::string text;
    std::vector<std::uint32_t> map;
    const auto take = [&](const TextPassage& from, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        text += out_.text[i];
        map.push_back(from.map.empty() ? static_cast<std::uint32_t>(from.bytes.begin) + (i - from.begin) : from.map[i - from.begin]);
      }
    };
    const auto put = [&](std::string_view words) {
      for (const char c : words) {
        text += c;
        map.push_back(map.empty() ? 0 : map.back());
      }
    };
    const TextPassage& from = out_.passages[lead];
    const std::string_view said = std::string_view(out_.text).substr(from.begin, from.end - from.begin);
    const std::size_t colon = said.find_last_of(':');
    // Where the list is announced, its items stand for the word; else they follow.
    constexpr std::string_view kAnnounced = "the following ";
    const std::size_t announced = said.find(kAnnounced);
    const auto at = [&](std::size_t i) { return from.begin + static_cast<std::uint32_t>(i); };
    const auto items = [&] {
      for (std::uint32_t i = lead + 1; i < last; ++i) {
        if (i > lead + 1) put(", ");
        const TextPassage& item = out_.passages[i];
        std::uint32_t end = item.end;
        while (end > item.begin && (out_.text[end - 1] == '.' || out_.text[end - 1] == '\n' || out_.text[end - 1] == ' ')) --end;
        take(item, item.begin, end);
      }
    };
    if (announced != std::string_view::npos) {
      take(from, from.begin, at(announced));
      items();
      put(" ");
      take(from, at(announced + kAnnounced.size()), at(colon));
    } else {
      take(from, from.begin, at(colon));
      put(" ");
      items();
    }
    put(".");
    if (out_.text.size() + text.size() > kMaxCanvas || decoded_ + text.size() > budget()) {
      out_.complete = false;
      return;
    }
    decoded_ += text.size();
    TextPassage passage = from;
    passage.glossed = passage.joined = true;
    passage.bytes.end = out_.passages[last - 1].bytes.end;
    passage.map = std::move(map);
    passage.begin = static_cast<std::uint32_t>(out_.text.size());
    out_.text += text;
    passage.end = static_cast<std::uint32_t>(out_.text.size());
    out_.text += '\n';
    Push(std::move(passage));
  }

  void AddHidden(const UnseenText& unseen) {
    TextPassage passage;
    passage.kind = kSurfaceHidden | kSurfaceDecoded | kSurfaceDocument;
    passage.bytes = unseen.bytes;
    passage.begin = static_cast<std::uint32_t>(out_.text.size());
    for (const char c : unseen.decoded) out_.text.push_back(Lower(c));
    passage.end = static_cast<std::uint32_t>(out_.text.size());
    passage.map.assign(passage.end - passage.begin, static_cast<std::uint32_t>(unseen.bytes.begin));
    out_.text += '\n';
    Push(std::move(passage));
  }

  [[nodiscard]] std::size_t budget() const { return kMaxDecodedShare * file_.text().size() + 65536; }

 private:
  void Push(TextPassage passage) {
    Cut(passage);
    out_.passages.push_back(std::move(passage));
  }

  void Fold(const TextSurface& surface, std::string_view shown, TextPassage& passage) {
    std::string& text = out_.text;
    const std::size_t old = text.size();
    if (NextWide(shown, 0) == shown.size()) {
      text.resize(old + shown.size());
      LowerInto(shown, text.data() + old);
      if (!surface.map.empty()) {
        passage.map = surface.map;
      } else if (!surface.owned.empty()) {
        passage.map.assign(shown.size(), static_cast<std::uint32_t>(surface.bytes.begin));
      }
      return;
    }
    const auto place = [&](std::size_t i) -> std::uint32_t {
      if (!surface.map.empty()) return surface.map[i];
      return static_cast<std::uint32_t>(surface.owned.empty() ? surface.bytes.begin + i : surface.bytes.begin);
    };
    passage.map.reserve(shown.size());
    for (std::size_t i = 0; i < shown.size();) {
      const char c = shown[i];
      if ((c & 0x80) == 0) {
        const std::size_t end = NextWide(shown, i);
        const std::size_t old_text = text.size();
        const std::size_t old_map = passage.map.size();
        text.resize(old_text + (end - i));
        passage.map.resize(old_map + (end - i));
        LowerInto(shown.substr(i, end - i), text.data() + old_text);
        for (std::size_t k = 0; k < end - i; ++k) passage.map[old_map + k] = place(i + k);
        i = end;
        continue;
      }
      const Decoded one = CharAt(shown, i);
      const std::uint32_t at = place(i);
      char latin = LatinForm(one.code);
      if (latin == 0 && !IsZeroWidth(one.code) && !IsBidi(one.code) && !IsTag(one.code) && !IsSelector(one.code)) {
        latin = LookAlike(one.code);
        // Only inside a word that is Latin otherwise: Russian and Greek stay what they are.
        if (latin != 0) {
          const bool before = !text.empty() && IsAsciiLetter(text.back()) && i > 0;
          const bool after = i + one.size < shown.size() && IsAsciiLetter(shown[i + one.size]);
          if (!before && !after) latin = 0;
        }
        if (latin == 0) {
          text.append(shown.substr(i, one.size));
          passage.map.insert(passage.map.end(), one.size, at);
          i += one.size;
          continue;
        }
      }
      if (latin != 0) {
        text.push_back(latin);
        passage.map.push_back(at);
      }
      i += one.size;
    }
  }

  void Heading(const TextSurface& surface, const TextPassage& passage) {
    std::uint32_t parent = section_;
    while (parent != 0 && out_.sections[parent].level >= surface.level) parent = out_.sections[parent].parent;
    TextSection section;
    section.begin = passage.begin;
    section.end = passage.end;
    section.level = surface.level;
    section.parent = parent;
    section.title = out_.sections[parent].title;
    section_ = static_cast<std::uint32_t>(out_.sections.size());
    out_.sections.push_back(section);
  }

  // Sentences and words.
  void Cut(TextPassage& passage) {
    const std::string_view text = out_.text;
    passage.first = static_cast<std::uint32_t>(out_.sentences.size());
    const bool code = passage.shape == TextShape::kCode;
    const bool comment = (passage.kind & kSurfaceComment) != 0;
    TextSentence sentence;
    const auto index = static_cast<std::uint32_t>(out_.passages.size());
    const auto open = [&](std::uint32_t at) {
      sentence = {};
      sentence.begin = at;
      sentence.passage = index;
      sentence.first = static_cast<std::uint32_t>(out_.tokens.size());
    };
    const auto close = [&](std::uint32_t at) {
      sentence.end = at;
      sentence.last = static_cast<std::uint32_t>(out_.tokens.size());
      if (sentence.last > sentence.first) out_.sentences.push_back(sentence);
      open(at);
    };
    open(passage.begin);
    base::ByteClasses classes(text);
    const char* const bytes = text.data();
    const std::uint32_t stop = passage.end;
    std::uint32_t i = passage.begin;
    while (i < stop) {
      const char c = bytes[i];
      const std::uint16_t kind = BitsOf(c);
      if ((kind & (kWordStart | kEnds)) == 0) {
        ++i;
        continue;
      }
      if ((kind & kWordStart) != 0) {
        const std::uint32_t begin = i;
        const std::uint32_t most = std::min<std::uint32_t>(begin + kMaxToken + 1, stop);
        WordParts parts;
        while (i < stop) {
          classes.LoadAt(i);
          const std::uint64_t letters = (classes.word() & ~classes.digit()) >> (i % base::ByteClasses::kBlock);
          if ((letters & 1) != 0) {
            i = std::min<std::uint32_t>(i + static_cast<std::uint32_t>(std::countr_one(letters)), most);
          } else {
            const char d = bytes[i];
            if (d == ' ') break;
            if (d == '\'') {
              parts.apostrophe = true;
              ++i;
            } else if (IsDigit(d) || d == '_') {
              parts.symbol = true;
              ++i;
            } else if ((BitsOf(d) & kJoins) != 0) {
              // Part of a token only when something follows that is no end of a sentence.
              const bool more = i + 1 < passage.end && (IsAsciiLetter(text[i + 1]) || IsDigit(text[i + 1]) ||
                                                        text[i + 1] == '/' || text[i + 1] == '_' || text[i + 1] == '.');
              if (!more) break;
              parts.symbol = true;
              parts.several = parts.several || d == '-' || d == '/' || d == '=';
              ++i;
            } else if (d == ':' && i + 2 < passage.end && text[i + 1] == '/' && text[i + 2] == '/') {
              parts.symbol = parts.several = true;
              i += 3;
            } else {
              break;
            }
          }
          if (i - begin > kMaxToken) break;
        }
        if (i > begin) {
          Token({bytes + begin, i - begin}, begin, parts, sentence);
          if (out_.tokens.size() - sentence.first >= kMaxSentenceTokens) close(i);
          continue;
        }
      }
      ++i;
      if (c == '\n') {
        if (code) {
          close(i);
        } else if (i < passage.end && (text[i] == '\n' || ListMark(text, i, passage.end, comment))) {
          close(i);
        }
      } else if ((c == '!' || c == '?' || c == ';') &&
                 (i >= passage.end || text[i] == ' ' || text[i] == '\n' || text[i] == '"' || text[i] == '*')) {
        close(i);
      }
      // A full stop is a separator only before a space; inside tokens it was read above.
      if (c == '.' && (i >= passage.end || text[i] == ' ' || text[i] == '\n' || text[i] == '"' || text[i] == ')')) {
        if (!Abbreviation(text, i - 1)) close(i);
      }
    }
    close(passage.end);
    passage.last = static_cast<std::uint32_t>(out_.sentences.size());
    if (passage.shape == TextShape::kHeading) {
      WordSet title = 0;
      for (std::uint32_t s = passage.first; s < passage.last; ++s) title |= out_.sentences[s].all;
      if (section_ < out_.sections.size()) out_.sections[section_].title |= title;
    }
  }

  // `comment`: a star at the head of a line is the comment's.
  static bool ListMark(std::string_view text, std::uint32_t at, std::uint32_t end, bool comment) {
    while (at < end && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (comment && at < end && text[at] == '*') {
      ++at;
      while (at < end && text[at] == ' ') ++at;
      if (at < end && (text[at] == '\n' || text[at] == '@')) return true;
    }
    if (at + 1 >= end) return false;
    if ((text[at] == '-' || text[at] == '*' || text[at] == '#') && text[at + 1] == ' ') return true;
    const std::uint32_t digits = at;
    while (at < end && IsDigit(text[at])) ++at;
    return at > digits && at - digits <= 3 && at + 1 < end && (text[at] == '.' || text[at] == ')') &&
           !IsDigit(text[at + 1]);
  }

  static bool Abbreviation(std::string_view text, std::uint32_t dot) {
    if (dot < 3) return false;
    const std::string_view before = text.substr(dot - 3, 3);
    return before == "e.g" || before == "i.e" || before == " vs" || before == "etc";
  }

  struct WordParts {
    bool apostrophe = false;
    bool symbol = false;   // digits or signs
    bool several = false;  // "read/write", "third-party"
  };

  void Token(std::string_view word, std::uint32_t begin, WordParts parts, TextSentence& sentence) {
    while (parts.apostrophe && word.size() > 1 && word.back() == '\'') word.remove_suffix(1);
    const std::uint64_t hash = HashWord(word);
    TextToken token{.begin = begin,
                    .size = static_cast<std::uint32_t>(word.size()),
                    .hash = hash,
                    .listed = words_.Find(word, hash),
                    .symbol = parts.symbol};
    token.set = words_[token.listed].set;
    if (!parts.symbol) {
      if (parts.apostrophe && token.set == 0) {
        const std::size_t apostrophe = word.find('\'');
        if (apostrophe != std::string_view::npos) token.set = ClassesOf(word.substr(0, apostrophe));
      }
    } else {
      token.set |= ClassesOfSymbol(word);
      // "read/write", "third-party": the parts say what the whole is.
      if (parts.several && (token.set & (Bit(kWUrl) | Bit(kWMail))) == 0 && word.size() < 64) {
        std::size_t at = 0;
        while (at < word.size()) {
          std::size_t stop = word.find_first_of("-/=", at);
          if (stop == std::string_view::npos) stop = word.size();
          if (stop - at != word.size() && stop > at) {
            token.set |= ClassesOf(word.substr(at, stop - at)) & ~(Bit(kWSend) | Bit(kWSendWeak));
          }
          at = stop + 1;
        }
      }
    }
    if (out_.tokens.size() > sentence.first) {
      TextToken& last = out_.tokens.back();
      if (last.end() + 1 == begin && words_[last.listed].begins_pair) {
        const WordSet both = ClassesOfPair(out_.Of(last), word);
        if (both != 0) {
          last.set |= both;
          token.set |= both;
          sentence.all |= both;
        }
      }
    }
    sentence.all |= token.set;
    out_.tokens.push_back(token);
  }

  const FileContext& file_;
  TextCanvas& out_;
  const ListedWords& words_ = ListedWords::Get();
  std::uint32_t section_ = 0;
  std::size_t decoded_ = 0;
};

bool IsQuote(std::uint32_t c) { return c == '"' || c == '\'' || c == '`'; }

// Runs of characters that are not seen. An emoji's joiner, a byte order mark, a Persian word's non-joiner are innocent.
void FindUnseen(std::string_view text, std::vector<UnseenText>& out) {
  constexpr std::size_t kMaxFound = 32;
  std::uint32_t previous = 0;  // last visible character
  bool joiners = false;        // the text is of a script that needs them
  std::uint32_t singles = 0;
  base::ByteSpan single;
  for (std::size_t i = 0; i < text.size() && out.size() < kMaxFound;) {
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
    std::array<std::uint32_t, 8> known{};
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
    const auto add = [&](UnseenText::Kind kind) {
      out.push_back({{begin, i},
                     kind == UnseenText::Kind::kTags || kind == UnseenText::Kind::kSelectors ? spelled : "",
                     kind,
                     count});
    };
    if (tags >= 4 && previous != 0x1F3F4) {
      add(UnseenText::Kind::kTags);
    } else if (selectors >= 6 && kinds > 1) {  // one and the same says nothing, however often
      add(UnseenText::Kind::kSelectors);
    } else if (widths >= 3 && (widths >= 8 || kinds < widths)) {  // each once: a list of them
      add(UnseenText::Kind::kRun);
    } else if (overrides > 0 && !joiners && !NeedsJoiners(next) && !(IsQuote(previous) && next == previous)) {
      // A string that is nothing but such characters turns no text round.
      add(UnseenText::Kind::kBidi);
    } else if (widths > 0 && previous < 0x80 && IsAsciiLetter(static_cast<char>(previous)) && next < 0x80 &&
               IsAsciiLetter(static_cast<char>(next)) && CharAt(text, begin).code != 0xAD) {
      ++singles;
      if (singles == 1) single = {begin, i};
    }
  }
  if (singles > 0 && out.size() < kMaxFound) out.push_back({single, "", UnseenText::Kind::kInWord, singles});
}

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

}  // namespace

void FindEncoded(std::string_view text, std::vector<DecodedText>& out) {
  std::size_t tried = 0;
  std::size_t escape = std::min(FindEither(text, '%', '\\', 0), text.size());
  std::size_t run_at = NextLongRun(text, 0);
  for (std::size_t i = 0; i < text.size() && tried < kMaxEncoded;) {
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
      if (plain.size() >= 10) {
        ++tried;
        if (Readable(plain)) {
          out.push_back({std::move(plain), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end), "escapes"});
        }
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
    ++tried;
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

base::ByteSpan TextCanvas::Back(const TextPassage& passage, std::uint32_t begin, std::uint32_t end) const noexcept {
  begin = std::clamp(begin, passage.begin, passage.end);
  end = std::clamp(end, begin, passage.end);
  if (begin == end) return passage.bytes;
  if (passage.map.empty()) {
    return {passage.bytes.begin + (begin - passage.begin), passage.bytes.begin + (end - passage.begin)};
  }
  if ((passage.kind & kSurfaceDecoded) != 0) return passage.bytes;
  const std::size_t from = passage.map[begin - passage.begin];
  const std::size_t to = passage.map[end - 1 - passage.begin];
  return {std::min(from, to), std::max(from, to) + 1};
}

std::uint32_t TextCanvas::PassageAt(std::uint32_t at) const noexcept {
  const auto next = std::ranges::upper_bound(passages, at, {}, &TextPassage::begin);
  return next == passages.begin() ? 0 : static_cast<std::uint32_t>(next - passages.begin() - 1);
}

std::uint32_t TextCanvas::SentenceAt(std::uint32_t at) const noexcept {
  const auto next = std::ranges::upper_bound(sentences, at, {}, &TextSentence::begin);
  return next == sentences.begin() ? 0 : static_cast<std::uint32_t>(next - sentences.begin() - 1);
}

bool TextCanvas::Within(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& spans, std::uint32_t at) noexcept {
  if (spans.empty()) return false;
  const auto after = std::ranges::upper_bound(spans, at, {}, [](const auto& span) { return span.first; });
  return after != spans.begin() && at < std::prev(after)->second;
}

namespace {

// A paragraph or an item that ends in a colon, and the short items right behind it.
class LeadIn {
 public:
  // The list is over: something else follows, or the lead-in of the next.
  [[nodiscard]] bool Ends(const TextSurface& next) const {
    return items_ > 0 && (next.shape != TextShape::kItem || Announces(next.shown()));
  }

  void Add(const TextCanvas& canvas, std::uint32_t index) {
    constexpr std::uint32_t kMostItems = 12;
    constexpr std::uint32_t kLongestItem = 120;
    const TextPassage& passage = canvas.passages[index];
    const std::string_view text = canvas.Of(passage);
    if (Announces(text)) {
      *this = {};
      lead_ = index;
      // "Do not:" is said of each item.
      const bool denied = passage.last > passage.first && (canvas.sentences[passage.last - 1].all & Bit(kWNot)) != 0;
      open_ = !denied && (passage.shape == TextShape::kProse || passage.shape == TextShape::kItem);
    } else if (open_ && passage.shape == TextShape::kItem && index == lead_ + items_ + 1 && items_ < kMostItems && text.size() <= kLongestItem) {
      ++items_;
      for (std::uint32_t s = passage.first; s < passage.last; ++s) said_ |= canvas.sentences[s].all;
    } else if (items_ == 0 || passage.shape != TextShape::kItem) {
      *this = {};
    } else {
      open_ = false;
    }
  }

  void Join(Builder& builder) {
    // What an order may be about; a list of anything else says nothing more beside its lead-in.
    constexpr WordSet kObjects = Bit(kWSecretPath) | Bit(kWSecret) | Bit(kWPassword) | Bit(kWMail);
    const LeadIn done = std::exchange(*this, {});
    if (done.items_ > 0 && (done.said_ & kObjects) != 0) builder.AddJoined(done.lead_, done.lead_ + done.items_ + 1);
  }

 private:
  static bool Announces(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \n*_`");
    return last != std::string_view::npos && text[last] == ':';
  }

  std::uint32_t lead_ = 0;
  std::uint32_t items_ = 0;
  WordSet said_ = 0;
  bool open_ = false;
};

}  // namespace

TextCanvas BuildCanvas(const FileContext& file, const std::vector<TextSurface>& surfaces) {
  TextCanvas out;
  std::size_t bytes = 0;
  for (const TextSurface& surface : surfaces) bytes += surface.shown().size() + 1;
  out.text.reserve(std::min(bytes, kMaxCanvas));
  out.tokens.reserve(bytes / 6);
  out.sections.push_back({});
  Builder builder(file, out);
  std::vector<DecodedText> encoded;
  LeadIn lead;
  for (std::uint32_t i = 0; i < surfaces.size(); ++i) {
    const TextSurface& surface = surfaces[i];
    if (lead.Ends(surface)) lead.Join(builder);
    const std::size_t count = out.passages.size();
    builder.Add(surface, i);
    if (out.passages.size() == count) continue;
    lead.Add(out, static_cast<std::uint32_t>(count));
    builder.AddGlossed(static_cast<std::uint32_t>(count));
    encoded.clear();
    FindEncoded(surface.shown(), encoded);
    for (std::size_t k = 0, depth = 0; k < encoded.size() && k < kMaxEncoded; ++k) {
      // Places are those of the shown text; the canvas may be shorter where characters were taken out.
      TextPassage from = out.passages[count];
      const base::ByteSpan place = surface.Back(encoded[k].begin, encoded[k].end);
      from.bytes = place;
      from.map.clear();
      const std::uint32_t width = static_cast<std::uint32_t>(place.end - place.begin);
      from.begin = 0;
      from.end = width;
      DecodedText piece = encoded[k];
      piece.begin = 0;
      piece.end = width;
      builder.AddDecoded(from, piece);
      if (depth < 3) {
        std::vector<DecodedText> inner;
        FindEncoded(piece.text, inner);
        if (!inner.empty()) ++depth;
        for (DecodedText& one : inner) {
          one.begin = encoded[k].begin;
          one.end = encoded[k].end;
          encoded.push_back(std::move(one));
        }
      }
    }
  }
  lead.Join(builder);
  if (out.sentences.empty()) out.sentences.push_back({});  // places are looked up in it
  FindUnseen(file.text(), out.unseen);
  for (const UnseenText& unseen : out.unseen) {
    if (unseen.decoded.size() >= 8) builder.AddHidden(unseen);
  }
  std::size_t talk = 0;
  std::size_t prose = 0;
  for (const TextSentence& sentence : out.sentences) {
    if (out.passages.empty()) break;
    const TextPassage& passage = out.passages[sentence.passage];
    if (passage.shape == TextShape::kCode || passage.joined || sentence.last - sentence.first < 3) continue;
    ++prose;
    if ((sentence.all & Bit(kWDescribe)) != 0) ++talk;
  }
  // A short text says little about its topic.
  out.security = prose == 0 ? 0.0 : static_cast<double>(talk) / static_cast<double>(prose + 12);
  FindReported(out);
  return out;
}

}  // namespace interlock::scan
