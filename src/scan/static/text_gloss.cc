#include "static/text_gloss.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "interlock/base/byte_classes.h"
#include "interlock/base/check.h"
#include "interlock/injection/glossary.h"
#include "static/text_lexicon.h"
#include "static/text_parted.h"
#include "static/text_tongues.h"
#include "static/tongue_letters.h"

namespace interlock::embedded {
std::string_view Find_scan_glossary(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

using injection::Gloss;
using injection::Glossary;

constexpr std::size_t kMaxText = std::size_t{64} << 10;
constexpr std::size_t kMaxWord = 48;
constexpr std::size_t kMaxMarked = 144;  // ... of letters that may be written in pieces
constexpr std::size_t kLookAhead = 6;    // words of a phrase
constexpr std::size_t kFewForeign = 3;
constexpr std::size_t kLeastWords = 3;
constexpr std::size_t kLeastKnown = 3;
constexpr double kLeastShare = 0.3;
constexpr std::size_t kLeastOfScript = 4;  // signs of a language that has a script of its own
constexpr unsigned kMostParts = 4;         // of words that are written together
constexpr std::uint32_t kMostMoved = 3;    // verbs of a clause
constexpr double kMostEnglish = 0.12;

// Words without which hardly a sentence of the language is written.
constexpr std::array<std::string_view, 28> kEnglish = {
    "the", "of", "to",   "and",  "is", "for",  "with", "this", "that", "it", "be",  "are", "if",   "not",
    "you", "or", "your", "from", "by", "when", "an",   "has",  "will", "at", "can", "but", "then", "how"};
constexpr std::array<std::string_view, 58> kForeign = {
    "der",  "die",  "das", "und",  "nicht", "ein",  "den",  "dem",    "les",  "des", "une",   "est",
    "que",  "dans", "los", "las",  "del",   "una",  "para", "com",    "uma",  "não", "het",   "een",
    "niet", "van",  "che", "per",  "sem",   "non",  "il",   "sans",   "pour", "con", "por",   "sin",
    "zu",   "auf",  "et",  "y",    "le",    "ed",   "di",   "della",  "nel",  "gli", "prima", "antes",
    "voor", "naar", "von", "eine", "einen", "wird", "bij",  "zonder", "dus",  "deze"};

// The same of the languages that have lists of their own (text_tongues.h), as they are written. Those behind the first
// letters of a line are asked for in every ASCII text, so none that English uses; `also` tell one language from
// another.
struct TongueShort {
  Tongue tongue;
  std::string_view words;
  std::string_view also;
};
constexpr std::array<TongueShort, 7> kTongueShort = {{
    {Tongue::kPolish, "nie jest oraz przez przed tylko nigdy zawsze aby jak lub dla tego jako",
     "w że się są tę już jeśli"},
    {Tongue::kCzech, "nebo pokud aby jsou podle pouze nikdy jako jejich", "že už jak při před který není lze"},
    {Tongue::kSwedish, "och att som inte eller till utan aldrig", "ett av på för är från när så"},
    {Tongue::kDanish, "ikke og til eller uden uten aldrig aldri dette", "af av på fra ved at å når før skal for som"},
    {Tongue::kTurkish, "bir olarak veya daha gibi sonra sadece icin asla", "ve bu ile için çok ama bunu tüm"},
    {Tongue::kIndonesian,
     "yang untuk dengan dari tidak jangan atau adalah akan kepada semua lalu setiap kirim hapus unduh berkas",
     "ke ini itu pada dalam jika harus anda kamu"},
    {Tongue::kVietnamese, "", "và của các không được cho là một để trong này khi có với từ đến nếu hãy hoặc trên"},
}};

const Glossary& Own() {
  static const std::shared_ptr<const Glossary> glossary = [] {
    auto parsed = Glossary::Parse(embedded::Find_scan_glossary("glossary.json"));
    INTERLOCK_CHECK(parsed.ok(), "the shipped glossary is valid");
    return parsed.value();
  }();
  return *glossary;
}

bool IsLatin(Tongue tongue) { return tongue <= Tongue::kVietnamese; }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
bool IsIdeographic(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead >= 0xE3 && lead <= 0xE9 && at + 2 < text.size();
}

// Bytes of a sign beyond ASCII that is no letter: quotation marks, commas and full stops of other scripts, pictures.
std::size_t SignAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned next = byte(1);
  switch (byte(0)) {
    case 0xC2:
      return next != 0xAA && next != 0xB5 && next != 0xBA ? 2 : 0;
    case 0xC3:
      return next == 0x97 || next == 0xB7 ? 2 : 0;
    case 0xD8:
      return next == 0x8C || next == 0x9B || next == 0x9F ? 2 : 0;
    case 0xD9:
      return next >= 0xAA && next <= 0xAD ? 2 : 0;
    case 0xDB:
      return next == 0x94 ? 2 : 0;
    case 0xE0:
      return next == 0xA5 && (byte(2) == 0xA4 || byte(2) == 0xA5) ? 3 : 0;
    case 0xE2:
      return next < 0xB0 && at + 2 < text.size() ? 3 : 0;
    case 0xF0:
      return next == 0x9F && at + 3 < text.size() ? 4 : 0;
    default:
      return 0;
  }
}

struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool wide = false;  // has letters that are not ASCII
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
    bool wide = false;
    if ((text[i] & 0x80) != 0) {
      if (const std::size_t sign = SignAt(text, i); sign != 0) {
        i = std::min(i + sign, text.size());
        continue;
      }
    }
    if (IsIdeographic(text, i)) {
      while (i < text.size() && IsIdeographic(text, i)) i += 3;
    } else {
      for (; i < text.size(); ++i) {
        if ((text[i] & 0x80) != 0) {
          if (IsIdeographic(text, i) || SignAt(text, i) != 0) break;
          wide = true;
        } else if (!IsLetter(text[i]) && (text[i] != '\'' || i + 1 >= text.size() || !IsLetter(text[i + 1]))) {
          break;
        }
      }
      if (i < text.size() &&
          (text[i] == '/' || text[i] == '_' || text[i] == '=' || (text[i] == ':' && text.substr(i, 3) == "://") ||
           (text[i] == '.' && i + 1 < text.size() && IsLetter(text[i + 1])))) {
        while (i < text.size() && static_cast<unsigned char>(text[i]) > ' ' && (text[i] & 0x80) == 0) ++i;
        continue;
      }
    }
    out.push_back({begin, i, wide});
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

// Who uses a short word.
using Users = std::uint16_t;
constexpr Users kUsedInEnglish = 1;
constexpr Users kUsedElsewhere = 2;  // in one of the languages of glossary.json
constexpr Users kTells = 4;          // ASCII, and not English
constexpr Users UsedIn(Tongue tongue) { return static_cast<Users>(8U << static_cast<unsigned>(tongue)); }

constexpr void EachShort(std::string_view words, const auto& use) {
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    if (blank > 0) use(words.substr(0, blank));
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
}

// All of them, open addressing.
struct ShortWords {
  static constexpr std::size_t kSlots = 1024;
  std::array<std::uint64_t, kSlots> words{};
  std::array<Users, kSlots> users{};
  static constexpr std::size_t Slot(std::uint64_t word) { return (word * 0x9E3779B97F4A7C15ULL) >> 54; }
  constexpr void Add(std::string_view word, Users who) {
    std::size_t at = Slot(Packed(word));
    while (words[at] != 0 && words[at] != Packed(word)) at = (at + 1) % kSlots;
    words[at] = Packed(word);
    users[at] |= who;
  }
  constexpr ShortWords() {
    for (const std::string_view word : kEnglish) Add(word, kUsedInEnglish);
    for (const std::string_view word : kForeign) Add(word, kUsedElsewhere | kTells);
    for (const TongueShort& tongue : kTongueShort) {
      EachShort(tongue.words, [&](std::string_view word) { Add(word, UsedIn(tongue.tongue) | kTells); });
      EachShort(tongue.also, [&](std::string_view word) { Add(word, UsedIn(tongue.tongue)); });
    }
  }
  [[nodiscard]] Users UsersOf(std::string_view word) const { return UsersOf(Packed(word)); }
  [[nodiscard]] Users UsersOf(std::uint64_t packed) const {
    if (packed == 0) return 0;
    for (std::size_t at = Slot(packed); words[at] != 0; at = (at + 1) % kSlots) {
      if (words[at] == packed) return users[at];
    }
    return 0;
  }
};
constexpr ShortWords kShortWords;

// kForeign, and what tells the languages with lists.
constexpr std::size_t kTelling = [] {
  std::size_t count = kForeign.size();
  for (const TongueShort& tongue : kTongueShort) EachShort(tongue.words, [&](std::string_view) { ++count; });
  return count;
}();
constexpr std::array<std::string_view, kTelling> kTellingWords = [] {
  std::array<std::string_view, kTelling> out{};
  std::size_t at = 0;
  for (const std::string_view word : kForeign) out[at++] = word;
  for (const TongueShort& tongue : kTongueShort) {
    EachShort(tongue.words, [&](std::string_view word) { out[at++] = word; });
  }
  return out;
}();

constexpr std::size_t kLongestTelling = std::ranges::max(kTellingWords, {}, &std::string_view::size).size();
static_assert(kLongestTelling <= sizeof(std::uint64_t));

class Writer {
 public:
  Writer(std::string_view text, GlossedText& out, bool verb_last = false)
      : text_(text), out_(out), verb_last_(verb_last) {}

  void Copy(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const char c = text_[i];
      if ((c & 0x80) != 0) {
        // Full stops and commas of other scripts.
        const Sign sign = SignOf(text_.substr(i, 3));
        if (!sign.ascii.empty()) {
          Put(sign.ascii, i);
          NewClause();
          i += sign.size - 1;
          continue;
        }
      }
      Byte(c, i);
      if (c == '\n' || c == '(') {
        asks_ = asks_ && c == '(';
        NewClause();
      } else if (c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?') {
        // An address goes on.
        const char next = i + 1 < text_.size() ? text_[i + 1] : ' ';
        if (static_cast<unsigned char>(next) <= ' ' || (next & 0x80) != 0 || next == '"' || next == ')') {
          asks_ = asks_ && (c == ',' || c == ':');
          NewClause();
        }
      }
    }
  }

  // What a word of a language with a list stands for.
  void Gloss(const TongueGloss& gloss, std::size_t at) {
    if (gloss.after_and) English("and", at);
    std::string_view word = gloss.english;
    if (gloss.form == WordForm::kMust) English("must", at);
    if (gloss.form == WordForm::kWithout || gloss.form == WordForm::kIng) {
      if (gloss.form == WordForm::kWithout) English("without", at);
      Spaced(word, at);
      Put("ing", at);
    } else if (word == "must not") {
      English("must", at);
      English("not", at);
    } else if (gloss.verb && verb_last_ && moved_ < kMostMoved) {
      // Behind the denial, before the rest of its clause.
      std::string moved(word);
      moved += ' ';
      verb_ = Insert(verb_, moved, at) + moved.size();
      ++moved_;
    } else {
      // "must to send", "please copy and to send"
      if (word.starts_with("to ") && (EndsInOneOf({"must", "please", "to", "can", "not", "without"}) ||
                                      (asks_ && EndsInOneOf({"and", "or", "then"})))) {
        word.remove_prefix(3);
      }
      English(word, at);
    }
    if (gloss.form == WordForm::kNot) English("not", at);
    if (gloss.form == WordForm::kAnd) English("and", at);
  }

  void English(std::string_view word, std::size_t at) {
    if (word == "and" || word == "but") {
      Spaced(word, at);
      // Where verbs stand last, what has had none goes on: "names and numbers collect".
      if (!verb_last_ || moved_ > 0 || word == "but") NewClause();
      return;
    }
    // Where the denial stands differs by language; before what it denies is where English has it.
    if (word == "not" || word == "never" || word == "don't") {
      if (denied_) return;
      denied_ = true;
      const std::string_view denial = word == "never" ? "never " : "do not ";
      verb_ = Insert(clause_, denial, at) + denial.size();
      return;
    }
    asks_ = asks_ || word == "must" || word == "please";
    Spaced(word, at);
  }

  // Japanese, and Chinese behind \xE6\x8A\x8A: what is done to something stands behind it.
  void Behind() { behind_ = true; }
  void Verb(std::string_view word, std::size_t at) {
    if (!behind_ || moved_ >= kMostMoved) return English(word, at);
    std::string moved(word);
    moved += ' ';
    verb_ = Insert(verb_, moved, at) + moved.size();
    ++moved_;
  }

  void EndClause(std::size_t at) {
    Put(",", at);
    NewClause();
  }

  void Spaced(std::string_view word, std::size_t at) {
    if (!out_.text.empty() && IsLetter(out_.text.back())) Byte(' ', at);
    Put(word, at);
  }

 private:
  struct Sign {
    std::string_view ascii;  // empty: none that parts clauses
    std::size_t size = 0;
  };
  static Sign SignOf(std::string_view text) {
    if (text == "\xE3\x80\x82") return {". ", 3};
    if (text == "\xEF\xBC\x8C" || text == "\xE3\x80\x81" || text == "\xEF\xBC\x9B") return {", ", 3};
    if (text == "\xE0\xA5\xA4" || text == "\xE0\xA5\xA5") return {". ", 3};  // danda
    const std::string_view two = text.substr(0, 2);
    if (two == "\xD8\x8C") return {", ", 2};
    if (two == "\xD8\x9B") return {"; ", 2};
    if (two == "\xD8\x9F") return {"? ", 2};
    return {};
  }

  void NewClause() {
    verb_ = clause_ = out_.text.size();
    denied_ = false;
    behind_ = false;
    moved_ = 0;
  }

  // Puts `what` at `where`, or at the next word; says where.
  std::size_t Insert(std::size_t where, std::string_view what, std::size_t at) {
    while (where < out_.text.size() && out_.text[where] == ' ') ++where;
    std::size_t size = what.size();
    if (where > 0 && IsLetter(out_.text[where - 1])) {
      Byte(' ', at);  // at the end: "and" is the last word
      ++where;
    }
    out_.text.insert(where, what);
    out_.map.insert(out_.map.begin() + static_cast<std::ptrdiff_t>(where), size,
                    where < out_.map.size() ? out_.map[where] : static_cast<std::uint32_t>(at));
    return where;
  }

  [[nodiscard]] bool EndsInOneOf(std::initializer_list<std::string_view> words) const {
    std::string_view text = out_.text;
    while (text.ends_with(' ')) text.remove_suffix(1);
    return std::ranges::any_of(words, [&](std::string_view word) {
      return text.ends_with(word) && (text.size() == word.size() || !IsLetter(text[text.size() - word.size() - 1]));
    });
  }

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
  std::size_t verb_ = 0;  // where a verb of this clause belongs
  std::uint32_t moved_ = 0;
  bool verb_last_;
  bool denied_ = false;
  bool behind_ = false;
  bool asks_ = false;  // the sentence has said that something is to be done
};

// Words by their language, as far as short words and letters tell it.
struct Languages {
  std::size_t english = 0;
  std::size_t foreign = 0;
  std::size_t wide = 0;  // of other letters
  // Of each language with a list: two a short word, one a word with a letter of its own, and the short words among
  // these that English, or another language, has as well.
  std::array<std::uint32_t, kTongues> signs{};
  std::array<std::uint32_t, kTongues> in_english{};
  std::array<std::uint32_t, kTongues> elsewhere{};
};

Languages CountOf(std::string_view text, const std::vector<Word>& words) {
  Languages out;
  std::size_t wide = 0;
  std::uint32_t told = 0;  // by short words at most
  std::uint32_t shared = 0;
  for (const Word& word : words) {
    const std::string_view one = text.substr(word.begin, word.end - word.begin);
    out.wide += (one[0] & 0x80) != 0 ? 1U : 0U;
    wide += word.wide ? 1U : 0U;
    const Users users = kShortWords.UsersOf(one);
    out.english += users & kUsedInEnglish;
    out.foreign += (users & kUsedElsewhere) != 0 ? 1U : 0U;
    if (users < UsedIn(Tongue{})) continue;
    for (unsigned left = users / UsedIn(Tongue{}); left != 0; left &= left - 1) {
      const auto tongue = static_cast<std::size_t>(std::countr_zero(left));
      told = std::max(told, out.signs[tongue] += 2);
      shared = std::max(shared, out.in_english[tongue] += users & kUsedInEnglish);
      out.elsewhere[tongue] += (users & kUsedElsewhere) != 0 ? 1U : 0U;
    }
  }
  // Letters are looked at where they could tell another language than English.
  if (wide > 0 && 2 * wide + told > 2 * (out.english - shared)) {
    for (const Word& word : words) {
      if (word.wide) CountLetters(text.substr(word.begin, word.end - word.begin), out.signs);
    }
  }
  return out;
}

// The language with a list that the text is of.
std::optional<Tongue> TongueOf(const Languages& counts) {
  const auto most = static_cast<std::size_t>(std::ranges::max_element(counts.signs) - counts.signs.begin());
  const std::size_t signs = counts.signs[most];
  const auto tongue = static_cast<Tongue>(most);
  const bool script = tongue == Tongue::kKorean || tongue == Tongue::kArabic || tongue == Tongue::kHindi;
  // A letter may do, for what is of another language has too few of the words; a word of another script may be a name.
  if (signs < (script ? kLeastOfScript : 1)) return std::nullopt;
  if (signs <= 2 * (counts.english - counts.in_english[most])) return std::nullopt;
  if (signs <= 2 * (counts.foreign - counts.elsewhere[most])) return std::nullopt;
  return tongue;
}

// What it does to something.
bool IsAct(std::string_view english) {
  constexpr WordSet kActs = Bit(kWSend) | Bit(kWSendWeak) | Bit(kWExec) | Bit(kWFetch) | Bit(kWDelete) | Bit(kWRead) |
                            Bit(kWCollect) | Bit(kWShow) | Bit(kWChange);
  return (ClassesOf(english) & kActs) != 0;
}

// Behind a Japanese verb: it is told of, or may be done.
bool IsSaidOf(std::string_view behind) {
  return behind.starts_with("しま") || behind.starts_with("した") || behind.starts_with("され") ||
         behind.starts_with("でき") || behind.starts_with("する") || behind.starts_with("してい");
}

// Of three words and an address, two are enough.
std::size_t LeastKnown(std::size_t words) { return words <= 4 ? kLeastKnown - 1 : kLeastKnown; }

// "execute-o", "envie-lhes": what a verb is done to hangs on it.
bool HangsOn(std::string_view text, const Word& word) {
  static constexpr std::array<std::string_view, 12> kHanging = {"o",   "a",   "os", "as", "lo",  "la",
                                                                "los", "las", "no", "na", "lhe", "lhes"};
  if (word.begin < 2 || text[word.begin - 1] != '-' || !IsLetter(text[word.begin - 2])) return false;
  return std::ranges::find(kHanging, text.substr(word.begin, word.end - word.begin)) != kHanging.end();
}

// "no" denies in Spanish, and is "in the" in Portuguese: told by the small words around it.
bool IsPortuguese(std::string_view text, const std::vector<Word>& words) {
  static constexpr std::array<std::string_view, 17> kOwn = {"uma",  "com", "em",  "do",  "dos",  "da",
                                                            "das",  "ao",  "aos", "os",  "você", "pelo",
                                                            "pela", "são", "seu", "sua", "um"};
  static constexpr std::array<std::string_view, 11> kSpanish = {"el",  "los", "las", "una", "con", "y",
                                                                "del", "al",  "un",  "su",  "en"};
  std::ptrdiff_t more = 0;
  for (const Word& word : words) {
    const std::string_view one = text.substr(word.begin, word.end - word.begin);
    more += std::ranges::find(kOwn, one) != kOwn.end() ? 1 : 0;
    more -= std::ranges::find(kSpanish, one) != kSpanish.end() ? 1 : 0;
  }
  return more > 0;
}

// Adds the words from `i` on, to the end of the clause.
void ClauseFrom(std::string_view text, const std::vector<Word>& words, std::size_t i,
                std::vector<std::string_view>& clause) {
  constexpr std::size_t kMost = 16;
  for (std::size_t k = i; k < words.size() && clause.size() < kMost; ++k) {
    if (k > i) {
      const std::string_view gap = text.substr(words[k - 1].end, words[k].begin - words[k - 1].end);
      // The stop of an address is none of a sentence.
      const std::size_t stop = gap.find_first_of(",;:!?.");
      if (stop != std::string_view::npos && (stop + 1 >= gap.size() || gap[stop + 1] == ' ' || gap[stop + 1] == '\n'))
        break;
    }
    clause.push_back(text.substr(words[k].begin, words[k].end - words[k].begin));
  }
}

// `text`, which is of a language with a list.
bool GlossTongue(std::string_view text, const std::vector<Word>& words, Tongue tongue, GlossedText& out) {
  const TongueWords& listed = TongueWords::Of(tongue);
  std::vector<std::string> folded(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].end - words[i].begin <= kMaxMarked) {
      listed.Fold(text.substr(words[i].begin, words[i].end - words[i].begin), folded[i]);
    }
  }
  Writer writer(text, out, listed.verb_last());
  const auto count_from = [&](std::size_t i) {  // words that may be one phrase
    std::size_t count = 1;
    while (count < listed.longest() && i + count < words.size() &&
           words[i + count].begin == words[i + count - 1].end + 1 &&
           (text[words[i + count].begin - 1] == ' ' || text[words[i + count].begin - 1] == '-' ||
            text[words[i + count].begin - 1] == '\n')) {
      ++count;
    }
    return count;
  };
  std::size_t known = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < words.size();) {
    const Word& word = words[i];
    writer.Copy(at, word.begin);
    TongueGloss gloss = listed.Find(std::span(folded).subspan(i, count_from(i)));
    if (gloss.words == 0) {
      // Letters that English lacks would be cut into words of it.
      const std::string_view one = text.substr(word.begin, word.end - word.begin);
      if (std::ranges::none_of(one, [](char c) { return (c & 0x80) != 0; })) writer.Copy(word.begin, word.end);
      at = word.end;
      if (listed.EndsClause(folded[i])) writer.EndClause(word.begin);
      ++i;
      continue;
    }
    known += gloss.words;
    if (gloss.form == WordForm::kWithout && listed.verb_last() && i + gloss.words < words.size() &&
        listed.Find(std::span(folded).subspan(i + gloss.words, 1)).english == "before") {
      gloss.form = WordForm::kIng;  // "before sending"
    }
    writer.Gloss(gloss, word.begin);
    for (unsigned parts = 0; gloss.rest > 0 && parts < kMostParts; ++parts) {
      std::array<std::string, 1> rest = {folded[i].substr(folded[i].size() - gloss.rest)};
      gloss = listed.Find(rest);
      if (gloss.words != 0) writer.Gloss(gloss, word.begin);
      gloss.words = 1;
    }
    at = words[i + gloss.words - 1].end;
    if (listed.EndsClause(folded[i + gloss.words - 1])) writer.EndClause(word.begin);
    i += gloss.words;
  }
  writer.Copy(at, text.size());
  if (known >= LeastKnown(words.size()) &&
      static_cast<double>(known) >= kLeastShare * static_cast<double>(words.size()))
    return true;
  out = {};
  return false;
}

}  // namespace

std::span<const std::string_view> ForeignWords() { return kTellingWords; }

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
        while (begin + size < text.size() && size <= kLongestTelling && IsLetter(text[begin + size])) ++size;
      }
      if (size <= kLongestTelling && (kShortWords.UsersOf(PackedAt(text, begin, size)) & kTells) != 0) return true;
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
  if (const std::optional<Tongue> tongue = TongueOf(counts); tongue.has_value() && IsLatin(*tongue)) {
    return counts.signs[static_cast<std::size_t>(*tongue)] >= 2 * kFewForeign;
  }
  return counts.foreign >= kFewForeign && counts.foreign > 2 * counts.english;
}

bool GlossText(std::string_view text, GlossedText& out) {
  if (text.size() > kMaxText || !MayBeForeign(text)) return false;
  static thread_local std::vector<Word> words;  // as long as the longest text with words of another language
  words.clear();
  CutWords(text, words);
  const Languages counts = CountOf(text, words);
  const auto english = counts.english;
  const auto foreign = counts.foreign;
  const auto wide = counts.wide;
  if (words.size() < kLeastWords && wide == 0) return false;
  if (const std::optional<Tongue> tongue = TongueOf(counts);
      tongue.has_value() && GlossTongue(text, words, *tongue, out)) {
    return true;
  }
  // "começar" tells where no short word does.
  if (foreign == 0 && wide == 0 && std::ranges::none_of(words, &Word::wide)) return false;
  // "results per page", "a non-zero exit": such words English has too, and the lists are not read for one of them.
  const auto tells = [&](const Word& word) {
    const std::string_view one = text.substr(word.begin, word.end - word.begin);
    if (one == "per" || (one == "non" && text.substr(word.end, 1) == "-")) return false;
    return (kShortWords.UsersOf(one) & kUsedElsewhere) != 0;
  };
  if (foreign == 1 && wide == 0 && std::ranges::none_of(words, tells)) return false;
  // "an", of German, "is" and "of", of Dutch: English only where nothing else is.
  const auto shared = static_cast<std::size_t>(std::ranges::count_if(words, [&](const Word& word) {
    const std::string_view one = text.substr(word.begin, word.end - word.begin);
    return one == "an" || one == "is" || one == "of";
  }));
  const std::size_t plainly = foreign > 0 ? english - std::min(english, shared) : english;
  if (static_cast<double>(plainly) > kMostEnglish * static_cast<double>(words.size())) return false;
  // Too short to have as many known words as are asked for, whichever these are: "✓ done".
  std::size_t most = words.size();
  for (const Word& word : words) most += IsIdeographic(text, word.begin) ? (word.end - word.begin) / 3 : 0;
  if (most < kLeastKnown) return false;

  const std::array<const Glossary*, 2> glossaries = {&Own(), &Glossary::Default()};
  Writer writer(text, out);
  std::size_t known = 0;
  std::size_t all = 0;
  std::size_t at = 0;
  std::vector<std::string> phrase;
  std::vector<std::string_view> clause;
  std::optional<bool> portuguese;       // asked for where it matters
  std::size_t particle = words.size();  // the second part of a verb that was read
  for (std::size_t i = 0; i < words.size();) {
    const Word& word = words[i];
    if (HangsOn(text, word)) {
      writer.Copy(at, word.begin - 1);
      writer.English("it", word.begin);
      at = word.end;
      ++all;
      ++known;
      ++i;
      continue;
    }
    writer.Copy(at, word.begin);
    if (i == particle) {
      at = word.end;
      ++all;
      ++known;
      ++i;
      continue;
    }
    if (IsIdeographic(text, word.begin)) {
      for (std::size_t k = word.begin; k < word.end;) {
        ++all;
        Gloss best;
        for (const Glossary* glossary : glossaries) {
          const Gloss gloss = glossary->AtStartOf(text.substr(k, word.end - k));
          if (gloss.words > best.words) best = gloss;
        }
        if (best.english.empty() || best.words == 0) {
          // The marks of an object: \xE3\x82\x92, \xE6\x8A\x8A.
          const std::string_view sign = text.substr(k, 3);
          if (sign == "\xE3\x80\x82" || sign == "\xE3\x80\x81") {
            writer.Copy(k, k + 3);  // ends a sentence, a clause
            k += 3;
            continue;
          }
          if (sign == "\xE3\x82\x92" || sign == "\xE6\x8A\x8A") writer.Behind();
          writer.Spaced(sign, k);
          k += 3;
          continue;
        }
        known += best.words / 3;
        all += best.words / 3 - 1;
        if (IsAct(best.english) && !IsSaidOf(text.substr(k + best.words, 9))) {
          writer.Verb(best.english, k);
        } else {
          writer.English(best.english, k);
        }
        k += best.words;
      }
      at = word.end;
      ++i;
      continue;
    }
    ++all;
    if (text.substr(word.begin, word.end - word.begin) == "no") {
      if (!portuguese.has_value()) portuguese = IsPortuguese(text, words);
      if (*portuguese) {
        writer.English("in", word.begin);
        ++known;
        at = word.end;
        ++i;
        continue;
      }
    }
    clause.clear();
    if (MayPart(text.substr(word.begin, word.end - word.begin))) ClauseFrom(text, words, i, clause);
    if (const PartedVerb verb = PartedVerbOf(clause); !verb.english.empty()) {
      particle = i + verb.particle;
      writer.English(verb.english, word.begin);
      ++known;
      at = word.end;
      ++i;
      continue;
    }
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
      // "die", "an", "les": no word of any list, and known all the same.
      if ((kShortWords.UsersOf(text.substr(word.begin, word.end - word.begin)) & kUsedElsewhere) != 0) ++known;
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
  if (known >= LeastKnown(all) && static_cast<double>(known) >= kLeastShare * static_cast<double>(all)) return true;
  out = {};
  return false;
}

}  // namespace interlock::scan
