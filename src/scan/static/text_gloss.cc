#include "static/text_gloss.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "interlock/base/byte_classes.h"
#include "interlock/base/check.h"
#include "interlock/injection/glossary.h"

namespace interlock::embedded {
std::string_view Find_scan_meaning(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

using injection::Gloss;
using injection::Glossary;

constexpr std::size_t kMaxText = std::size_t{64} << 10;
constexpr std::size_t kMaxWord = 48;
constexpr std::size_t kLookAhead = 6;  // words of a phrase
constexpr std::size_t kFewForeign = 3;
constexpr std::size_t kLeastWords = 3;
constexpr std::size_t kLeastKnown = 3;
constexpr double kLeastShare = 0.3;
constexpr double kMostEnglish = 0.12;

// Words without which hardly a sentence of the language is written.
constexpr std::array<std::string_view, 28> kEnglish = {
    "the", "of", "to",   "and",  "is", "for",  "with", "this", "that", "it", "be",  "are", "if",   "not",
    "you", "or", "your", "from", "by", "when", "an",   "has",  "will", "at", "can", "but", "then", "how"};
constexpr std::array<std::string_view, 40> kForeign = {
    "der", "die", "das",  "und",  "nicht", "ein", "den", "dem", "les", "des", "une",  "est", "que", "dans",
    "los", "las", "del",  "una",  "para",  "com", "uma", "não", "het", "een", "niet", "van", "che", "per",
    "non", "il",  "sans", "pour", "con",   "por", "sin", "zu",  "auf", "et",  "y",    "le"};

const Glossary& Own() {
  static const std::shared_ptr<const Glossary> glossary = [] {
    auto parsed = Glossary::Parse(embedded::Find_scan_meaning("glossary.json"));
    INTERLOCK_CHECK(parsed.ok(), "the shipped glossary is valid");
    return parsed.value();
  }();
  return *glossary;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
bool IsIdeographic(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead >= 0xE3 && lead <= 0xE9 && at + 2 < text.size();
}

struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Words of letters; what else stands there (addresses, paths, numbers, signs) is between them.
void CutWords(std::string_view text, std::vector<Word>& out) {
  for (std::size_t i = 0; i < text.size();) {
    if (!IsLetter(text[i])) {
      // A path or address is one thing.
      if (text[i] == '/' || text[i] == '~' || text[i] == '.' || text[i] == '$') {
        while (i < text.size() && static_cast<unsigned char>(text[i]) > ' ' && (text[i] & 0x80) == 0) ++i;
      } else {
        ++i;
      }
      continue;
    }
    const std::size_t begin = i;
    if (IsIdeographic(text, i)) {
      while (i < text.size() && IsIdeographic(text, i)) i += 3;
    } else {
      while (i < text.size() &&
             (IsLetter(text[i]) || (text[i] == '\'' && i + 1 < text.size() && IsLetter(text[i + 1]))) &&
             !IsIdeographic(text, i)) {
        ++i;
      }
      if (i < text.size() &&
          (text[i] == '/' || text[i] == '_' || text[i] == '=' || (text[i] == ':' && text.substr(i, 3) == "://") ||
           (text[i] == '.' && i + 1 < text.size() && IsLetter(text[i + 1])))) {
        while (i < text.size() && static_cast<unsigned char>(text[i]) > ' ' && (text[i] & 0x80) == 0) ++i;
        continue;
      }
    }
    out.push_back({begin, i});
  }
}

// Words of up to eight bytes as a number; 0 for longer ones.
constexpr std::uint64_t Packed(std::string_view word) {
  std::uint64_t out = 0;
  if (word.size() > sizeof(out)) return 0;
  for (std::size_t i = word.size(); i > 0; --i) out = out << 8 | static_cast<unsigned char>(word[i - 1]);
  return out;
}

// The same of text[begin, begin + size); size is 1 to 8.
std::uint64_t PackedAt(std::string_view text, std::size_t begin, std::size_t size) {
  std::uint64_t out = 0;
  if (std::endian::native != std::endian::little || begin + sizeof out > text.size()) {
    return Packed(text.substr(begin, size));
  }
  std::memcpy(&out, text.data() + begin, sizeof out);
  return out & ~std::uint64_t{0} >> (64 - 8 * size);
}

// kEnglish and kForeign, open addressing.
struct ShortWords {
  static constexpr std::size_t kSlots = 256;
  std::array<std::uint64_t, kSlots> words{};
  std::array<std::uint8_t, kSlots> kind{};  // 1 English, 2 another language
  static constexpr std::size_t Slot(std::uint64_t word) { return (word * 0x9E3779B97F4A7C15ULL) >> 56; }
  constexpr void Add(std::string_view word, std::uint8_t what) {
    std::size_t at = Slot(Packed(word));
    while (words[at] != 0) at = (at + 1) % kSlots;
    words[at] = Packed(word);
    kind[at] = what;
  }
  constexpr ShortWords() {
    for (const std::string_view word : kEnglish) Add(word, 1);
    for (const std::string_view word : kForeign) Add(word, 2);
  }
  [[nodiscard]] std::uint8_t KindOf(std::string_view word) const { return KindOf(Packed(word)); }
  [[nodiscard]] std::uint8_t KindOf(std::uint64_t packed) const {
    if (packed == 0) return 0;
    for (std::size_t at = Slot(packed); words[at] != 0; at = (at + 1) % kSlots) {
      if (words[at] == packed) return kind[at];
    }
    return 0;
  }
};
constexpr ShortWords kShortWords;

constexpr std::size_t kLongestForeign = std::ranges::max(kForeign, {}, &std::string_view::size).size();

class Writer {
 public:
  Writer(std::string_view text, GlossedText& out) : text_(text), out_(out) {}

  void Copy(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const char c = text_[i];
      // Full stops and commas of scripts without blanks.
      if (c == '\xE3' || c == '\xEF') {
        const std::string_view sign = text_.substr(i, 3);
        if (sign == "\xE3\x80\x82" || sign == "\xEF\xBC\x8C" || sign == "\xE3\x80\x81" || sign == "\xEF\xBC\x9B") {
          Put(sign == "\xE3\x80\x82" ? ". " : ", ", i);
          clause_ = out_.text.size();
          denied_ = false;
          i += 2;
          continue;
        }
      }
      Byte(c, i);
      if (c == '.' || c == ',' || c == ';' || c == ':' || c == '\n' || c == '!' || c == '?' || c == '(') {
        clause_ = out_.text.size();
        denied_ = false;
      }
    }
  }

  void English(std::string_view word, std::size_t at) {
    if (word == "and" || word == "but") {
      Spaced(word, at);
      clause_ = out_.text.size();
      denied_ = false;
      return;
    }
    // Where the denial stands differs by language; before what it denies is where English has it.
    if (word == "not" || word == "never" || word == "don't") {
      if (denied_) return;
      denied_ = true;
      const std::string_view denial = word == "never" ? "never " : "do not ";
      std::size_t where = clause_;
      while (where < out_.text.size() && out_.text[where] == ' ') ++where;
      out_.text.insert(where, denial);
      out_.map.insert(out_.map.begin() + static_cast<std::ptrdiff_t>(where), denial.size(),
                      where < out_.map.size() ? out_.map[where] : static_cast<std::uint32_t>(at));
      return;
    }
    Spaced(word, at);
  }

  void Spaced(std::string_view word, std::size_t at) {
    if (!out_.text.empty() && IsLetter(out_.text.back())) Byte(' ', at);
    Put(word, at);
  }

 private:
  void Put(std::string_view text, std::size_t at) {
    for (const char c : text) Byte(c == '_' ? ' ' : c, at);
  }
  void Byte(char c, std::size_t at) {
    out_.text.push_back(c);
    out_.map.push_back(static_cast<std::uint32_t>(at));
  }

  std::string_view text_;
  GlossedText& out_;
  std::size_t clause_ = 0;
  bool denied_ = false;
};

// Words by their language, as far as short words tell it.
struct Languages {
  std::size_t english = 0;
  std::size_t foreign = 0;
  std::size_t wide = 0;  // of other letters
};

Languages CountOf(std::string_view text, const std::vector<Word>& words) {
  Languages out;
  for (const Word& word : words) {
    const std::string_view one = text.substr(word.begin, word.end - word.begin);
    out.wide += (one[0] & 0x80) != 0 ? 1U : 0U;
    const std::uint8_t kind = kShortWords.KindOf(one);
    out.english += kind == 1 ? 1U : 0U;
    out.foreign += kind == 2 ? 1U : 0U;
  }
  return out;
}

}  // namespace

std::span<const std::string_view> ForeignWords() { return kForeign; }

bool MayBeForeign(std::string_view text) {
  base::ByteClasses classes(text);
  std::uint64_t carry = 0;  // the block before ends with a letter
  for (std::size_t block = 0; block < text.size(); block += base::ByteClasses::kBlock) {
    classes.LoadAt(block);
    if (classes.beyond() != 0) return true;
    const std::uint64_t letters = classes.word() & ~classes.digit();
    for (std::uint64_t starts = letters & ~(letters << 1 | carry); starts != 0; starts &= starts - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(starts));
      auto size = static_cast<std::size_t>(std::countr_one(letters >> bit));
      const std::size_t begin = block + bit;
      if (bit + size == base::ByteClasses::kBlock) {
        while (begin + size < text.size() && size <= kLongestForeign && IsLetter(text[begin + size])) ++size;
      }
      if (size <= kLongestForeign && kShortWords.KindOf(PackedAt(text, begin, size)) == 2) return true;
    }
    carry = letters >> (base::ByteClasses::kBlock - 1);
  }
  return false;
}

bool IsForeign(std::string_view text) {
  if (text.size() > kMaxText || !MayBeForeign(text)) return false;
  std::vector<Word> words;
  CutWords(text, words);
  const Languages counts = CountOf(text, words);
  return counts.foreign >= kFewForeign && counts.foreign > 2 * counts.english;
}

bool GlossText(std::string_view text, GlossedText& out) {
  if (text.size() > kMaxText || !MayBeForeign(text)) return false;
  static thread_local std::vector<Word> words;  // as long as the longest text with words of another language
  words.clear();
  CutWords(text, words);
  const auto [english, foreign, wide] = CountOf(text, words);
  if (words.size() < kLeastWords && wide == 0) return false;
  if (foreign == 0 && wide == 0) return false;
  if (static_cast<double>(english) > kMostEnglish * static_cast<double>(words.size())) return false;

  const std::array<const Glossary*, 2> glossaries = {&Own(), &Glossary::Default()};
  Writer writer(text, out);
  std::size_t known = 0;
  std::size_t all = 0;
  std::size_t at = 0;
  std::vector<std::string> phrase;
  for (std::size_t i = 0; i < words.size();) {
    const Word& word = words[i];
    writer.Copy(at, word.begin);
    if (IsIdeographic(text, word.begin)) {
      for (std::size_t k = word.begin; k < word.end;) {
        ++all;
        Gloss best;
        for (const Glossary* glossary : glossaries) {
          const Gloss gloss = glossary->AtStartOf(text.substr(k, word.end - k));
          if (gloss.words > best.words) best = gloss;
        }
        if (best.english.empty() || best.words == 0) {
          writer.Spaced(text.substr(k, 3), k);
          k += 3;
          continue;
        }
        known += best.words / 3;
        all += best.words / 3 - 1;
        writer.English(best.english, k);
        k += best.words;
      }
      at = word.end;
      ++i;
      continue;
    }
    ++all;
    phrase.clear();
    for (std::size_t k = i; k < words.size() && k < i + kLookAhead; ++k) {
      if (k > i && text.substr(words[k - 1].end, words[k].begin - words[k - 1].end) != " ") break;
      if (words[k].end - words[k].begin > kMaxWord) break;
      phrase.emplace_back(text.substr(words[k].begin, words[k].end - words[k].begin));
    }
    Gloss best;
    if (!phrase.empty()) {
      for (const Glossary* glossary : glossaries) {
        const Gloss gloss = glossary->Of(phrase);
        if (gloss.words > best.words) best = gloss;
      }
    }
    if (best.words == 0) {
      writer.Copy(word.begin, word.end);
      at = word.end;
      ++i;
      continue;
    }
    writer.English(best.english, word.begin);
    known += best.words;
    all += best.words - 1;
    at = words[i + best.words - 1].end;
    i += best.words;
  }
  writer.Copy(at, text.size());
  if (known >= kLeastKnown && static_cast<double>(known) >= kLeastShare * static_cast<double>(all)) return true;
  out = {};
  return false;
}

}  // namespace interlock::scan
