#include "static/text_tongues.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/base/check.h"
#include "static/text_letters.h"

namespace interlock::embedded {
std::string_view Find_scan_languages(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

constexpr std::size_t kLeastStem = 3;  // bytes
constexpr std::size_t kLongestEnding = 36;
constexpr std::array<std::string_view, kTongues> kFiles = {"pl.txt", "cs.txt", "sv.txt", "da.txt", "tr.txt", "id.txt",
                                                           "vi.txt", "uk.txt", "ko.txt", "ar.txt", "hi.txt"};

void PutCode(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code >> 6));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code >> 12));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | code >> 18));
    out.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

// U+00C0 to U+017F without marks; '*': none of the letters that we know.
constexpr std::string_view kPlainLatin =
    "aaaaaa*ceeeeiiii"  // 00C0
    "dnooooo*ouuuuyts"
    "aaaaaa*ceeeeiiii"
    "dnooooo*ouuuuyty"
    "aaaaaaccccccccdd"  // 0100
    "ddeeeeeeeeeegggg"
    "gggghhhhiiiiiiii"
    "ii**jjkkklllllll"
    "lllnnnnnnnnnoooo"
    "oo**rrrrrrssssss"
    "ssttttttuuuuuuuu"
    "uuuuwwyyyzzzzzzs";

// Of languages whose marks people leave out, and models read all the same.
void FoldLatin(std::string_view word, std::string& out) {
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    if (one.code < 0x80) {
      if (one.code == '\'') break;  // "API'ye": a name, and its ending
      out.push_back(letters::Lower(static_cast<char>(one.code)));
    } else if (one.code == 0xC6 || one.code == 0xE6) {
      out += "ae";
    } else if (one.code >= 0xC0 && one.code < 0x180) {
      const char plain = kPlainLatin[one.code - 0xC0];
      if (plain != '*') out.push_back(plain);
    } else if (one.code < 0x300 || one.code > 0x36F) {
      PutCode(one.code, out);
    }
  }
}

// Of languages in which another mark is another word ("för", "före"): lower case, and composed.
void FoldNordic(std::string_view word, std::string& out) {
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    std::uint32_t code = one.code;
    if (code == '\'') break;
    if (code < 0x80) code = static_cast<std::uint32_t>(letters::Lower(static_cast<char>(code)));
    if (code >= 0xC0 && code <= 0xDE && code != 0xD7) code += 32;
    const char last = out.empty() ? '\0' : out.back();
    if ((code == 0x30A && last == 'a') || (code == 0x308 && (last == 'a' || last == 'o'))) {
      out.pop_back();
      code = code == 0x30A ? 0xE5 : last == 'a' ? 0xE4 : 0xF6;
    }
    PutCode(code, out);
  }
}

// A Vietnamese letter as letters, its quality, and its tone, as they are typed ("ế" is "ee" and "s").
struct Typed {
  char letter = 0;
  char quality = 0;
  char tone = 0;
};

Typed VietnameseLetter(std::uint32_t code) {
  // U+1EA0 to U+1EF9: upper and lower case in turn.
  static constexpr std::string_view kMarked =
      "a.ja.ra^sa^fa^ra^xa^ja(sa(fa(ra(xa(je.je.re.xe^se^fe^re^xe^ji.ri.jo.jo.ro^so^fo^ro^xo^jo+so+fo+ro+xo+ju.ju.ru+"
      "su+"
      "fu+ru+xu+jy.fy.jy.ry.x";
  if (code >= 0x1EA0 && code <= 0x1EF9) {
    const std::string_view at = kMarked.substr((code - 0x1EA0) / 2 * 3, 3);
    return {at[0], at[1] == '.' ? '\0' : at[1], at[2]};
  }
  if (code >= 0xC0 && code <= 0xDD) code += 32;
  switch (code) {
    case 0x102:
    case 0x103:
      return {'a', '(', 0};
    case 0x110:
    case 0x111:
      return {'d', 'd', 0};
    case 0x128:
    case 0x129:
      return {'i', 0, 'x'};
    case 0x168:
    case 0x169:
      return {'u', 0, 'x'};
    case 0x1A0:
    case 0x1A1:
      return {'o', '+', 0};
    case 0x1AF:
    case 0x1B0:
      return {'u', '+', 0};
    case 0xE0:
      return {'a', 0, 'f'};
    case 0xE1:
      return {'a', 0, 's'};
    case 0xE2:
      return {'a', '^', 0};
    case 0xE3:
      return {'a', 0, 'x'};
    case 0xE8:
      return {'e', 0, 'f'};
    case 0xE9:
      return {'e', 0, 's'};
    case 0xEA:
      return {'e', '^', 0};
    case 0xEC:
      return {'i', 0, 'f'};
    case 0xED:
      return {'i', 0, 's'};
    case 0xF2:
      return {'o', 0, 'f'};
    case 0xF3:
      return {'o', 0, 's'};
    case 0xF4:
      return {'o', '^', 0};
    case 0xF5:
      return {'o', 0, 'x'};
    case 0xF9:
      return {'u', 0, 'f'};
    case 0xFA:
      return {'u', 0, 's'};
    case 0xFD:
      return {'y', 0, 's'};
    default:
      return {};
  }
}

// The tone stands at the end of the syllable: "hoà" and "hòa" are one word, composed or not.
void FoldVietnamese(std::string_view word, std::string& out) {
  char tone = 0;
  const std::size_t begin = out.size();
  std::size_t letter = begin;  // the last one
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    const auto put = [&](char c) {
      letter = out.size();
      out.push_back(c);
    };
    if (one.code < 0x80) {
      put(letters::Lower(static_cast<char>(one.code)));
      continue;
    }
    if (const Typed typed = VietnameseLetter(one.code); typed.letter != 0) {
      put(typed.letter);
      if (typed.quality != 0) out.push_back(typed.quality);
      if (typed.tone != 0) tone = typed.tone;
      continue;
    }
    switch (one.code) {  // marks on their own
      case 0x300:
        tone = 'f';
        break;
      case 0x301:
        tone = 's';
        break;
      case 0x303:
        tone = 'x';
        break;
      case 0x309:
        tone = 'r';
        break;
      case 0x323:
        tone = 'j';
        break;
      case 0x302:
      case 0x306:
      case 0x31B:
        if (out.size() > begin) out.insert(letter + 1, 1, one.code == 0x302 ? '^' : one.code == 0x306 ? '(' : '+');
        break;
      default:
        PutCode(one.code, out);
    }
  }
  if (tone != 0) out.push_back(tone);
}

void FoldCyrillic(std::string_view word, std::string& out) {
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    std::uint32_t code = one.code;
    if (code >= 0x410 && code <= 0x42F) code += 32;
    if (code >= 0x400 && code <= 0x40F) code += 80;
    // Latin letters that were put for those that look like them.
    static constexpr std::string_view kLatin = "aceiopxy";
    static constexpr std::array<std::uint32_t, 8> kMeant = {0x430, 0x441, 0x435, 0x456, 0x43E, 0x440, 0x445, 0x443};
    if (const std::size_t at = code < 0x80 ? kLatin.find(letters::Lower(static_cast<char>(code))) : kLatin.npos;
        at != kLatin.npos && word.size() > one.size && (word[0] & 0x80) != 0) {
      code = kMeant[at];
    }
    if (code == 0x490 || code == 0x491) code = 0x433;  // ґ, for which many write г
    if (code == '\'' || code == 0x2BC || code == 0x301) continue;
    if (code == 0x306 && out.size() >= 2 && out.ends_with("\xD0\xB8")) {
      out.back() = '\xB9';  // й
      continue;
    }
    if (code == 0x308 && out.size() >= 2 && out.ends_with("\xD1\x96")) {
      out.back() = '\x97';  // ї
      continue;
    }
    if (code < 0x80) code = static_cast<std::uint32_t>(letters::Lower(static_cast<char>(code)));
    PutCode(code, out);
  }
}

// Syllables that are written letter by letter are put together.
void FoldHangul(std::string_view word, std::string& out) {
  constexpr std::uint32_t kFirst = 0xAC00;
  std::uint32_t open = 0;  // a syllable that may go on
  const auto close = [&] {
    if (open != 0) PutCode(open, out);
    open = 0;
  };
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    const std::uint32_t code = one.code;
    if (code >= 0x1100 && code <= 0x1112) {
      close();
      open = code;
    } else if (code >= 0x1161 && code <= 0x1175 && open >= 0x1100 && open <= 0x1112) {
      open = kFirst + ((open - 0x1100) * 21 + (code - 0x1161)) * 28;
    } else if (code >= 0x11A8 && code <= 0x11C2 && open >= kFirst && (open - kFirst) % 28 == 0) {
      open += code - 0x11A7;
    } else {
      close();
      PutCode(code < 0x80 ? static_cast<std::uint32_t>(letters::Lower(static_cast<char>(code))) : code, out);
    }
  }
  close();
}

void FoldArabic(std::string_view word, std::string& out) {
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    std::uint32_t code = one.code;
    // Marks that are seldom written, and the stroke that only lengthens.
    if ((code >= 0x64B && code <= 0x65F) || code == 0x670 || code == 0x640) continue;
    if (code == 0x622 || code == 0x623 || code == 0x625 || code == 0x671) code = 0x627;
    if (code == 0x649 || code == 0x6CC || code == 0x626) code = 0x64A;
    if (code == 0x629) code = 0x647;
    if (code == 0x6A9) code = 0x643;
    if (code == 0x624) code = 0x648;
    if (code < 0x80) code = static_cast<std::uint32_t>(letters::Lower(static_cast<char>(code)));
    PutCode(code, out);
  }
}

void FoldDevanagari(std::string_view word, std::string& out) {
  static constexpr std::array<std::uint32_t, 8> kDotted = {0x915, 0x916, 0x917, 0x91C, 0x921, 0x922, 0x92B, 0x92F};
  for (std::size_t i = 0; i < word.size();) {
    const letters::Decoded one = letters::CharAt(word, i);
    i += one.size;
    std::uint32_t code = one.code;
    if (code == 0x93C) continue;  // a dot that many leave out
    if (code >= 0x958 && code <= 0x95F) code = kDotted[code - 0x958];
    if (code == 0x901) code = 0x902;
    if (code < 0x80) code = static_cast<std::uint32_t>(letters::Lower(static_cast<char>(code)));
    PutCode(code, out);
  }
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
template <class Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

WordForm FormOf(std::string_view name) {
  if (name == "not") return WordForm::kNot;
  if (name == "without") return WordForm::kWithout;
  if (name == "and") return WordForm::kAnd;
  if (name == "must") return WordForm::kMust;
  INTERLOCK_CHECK(name == "ing", "a list of words says what a form means");
  return WordForm::kIng;
}

// Words of a line.
void EachWord(std::string_view line, const auto& use) {
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (blank > 0) use(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
}

}  // namespace

struct TongueWords::Lists {
  struct Entry {
    std::uint32_t english = 0;
    WordForm form = WordForm::kPlain;
    bool verb = false;
  };
  struct Listed {
    bool exact = false;
    std::array<bool, 2> stem{};  // "-", "~"
    Entry entry;
    std::array<Entry, 2> of_stem{};
  };
  std::vector<std::string> english;
  ByText<Listed> phrases;
  ByText<std::uint32_t> firsts;  // words of the longest phrase that starts with it
  std::array<ByText<WordForm>, 2> endings;
  std::vector<std::pair<std::string, WordForm>> prefixes;  // the longest first
  std::vector<std::string> clause_ends;
  bool parts = false;
  bool verb_last = false;
  bool together = false;  // words may be written without a blank between them
  std::size_t longest = 1;

  [[nodiscard]] bool Ends(std::size_t kind, std::string_view ending, WordForm& form) const {
    if (ending.empty()) return true;
    if (ending.size() > kLongestEnding) return false;
    if (const auto at = endings[kind].find(ending); at != endings[kind].end()) {
      form = at->second;
      return true;
    }
    if (!parts || kind != 0) return false;
    // Endings one after the other: which ends are reached.
    std::array<bool, kLongestEnding + 1> reached{};
    reached[0] = true;
    for (std::size_t from = 0; from < ending.size(); ++from) {
      for (std::size_t size = 1; reached[from] && size <= 4 && from + size <= ending.size(); ++size) {
        if (endings[0].contains(ending.substr(from, size))) reached[from + size] = true;
      }
    }
    return reached[ending.size()];
  }

  // `before`: the words before the last with a blank behind each; `last`: the last. The longest stem counts.
  bool Match(std::string& key, std::size_t before, std::string_view last, TongueGloss& out) const {
    key.resize(before);
    key += last;
    const auto take = [&](const Entry& entry, WordForm form) {
      out.english = english[entry.english];
      out.form = form == WordForm::kPlain ? entry.form : form;
      out.verb = entry.verb;
    };
    if (const auto at = phrases.find(key); at != phrases.end() && at->second.exact) {
      take(at->second.entry, WordForm::kPlain);
      return true;
    }
    for (std::size_t size = last.size(); size >= 2; --size) {
      if (size < last.size() && (last[size] & 0xC0) == 0x80) continue;
      if (size < kLeastStem && before == 0 && size < last.size()) break;
      const auto at = phrases.find(std::string_view(key).substr(0, before + size));
      if (at == phrases.end()) continue;
      for (const std::size_t kind : {1U, 0U}) {
        WordForm form = WordForm::kPlain;
        if (!at->second.stem[kind] || !Ends(kind, last.substr(size), form)) continue;
        take(at->second.of_stem[kind], form);
        return true;
      }
    }
    return false;
  }

  // A word that begins `word` and is written together with the next.
  bool MatchStart(std::string_view word, TongueGloss& out) const {
    for (std::size_t size = word.size() - 1; size >= 6; --size) {
      if ((word[size] & 0xC0) == 0x80) continue;
      const auto at = phrases.find(word.substr(0, size));
      if (at == phrases.end() || !at->second.stem[0]) continue;
      out.english = english[at->second.of_stem[0].english];
      out.words = 1;
      out.rest = word.size() - size;
      return true;
    }
    return false;
  }
};

TongueWords::TongueWords(Tongue tongue, std::string_view file) : tongue_(tongue) {
  auto made = std::make_unique<Lists>();
  Lists& lists = *made;
  lists.together = tongue == Tongue::kKorean;
  std::string folded;
  const auto fold = [&](std::string_view word) -> const std::string& {
    folded.clear();
    Fold(word, folded);
    return folded;
  };
  const auto form_of = [](std::string_view& word) {
    const std::size_t says = word.find('=');
    if (says == std::string_view::npos) return WordForm::kPlain;
    const WordForm form = FormOf(word.substr(says + 1));
    word = word.substr(0, says);
    return form;
  };
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    INTERLOCK_CHECK(colon != std::string_view::npos && colon > 0, "a line of a list of words has a colon");
    std::string_view name = line.substr(0, colon);
    line.remove_prefix(colon + 1);
    if (name == "order") {
      lists.verb_last = true;
    } else if (name == "clause ends") {
      EachWord(line, [&](std::string_view word) { lists.clause_ends.push_back(fold(word)); });
    } else if (name == "prefixes") {
      EachWord(line, [&](std::string_view word) {
        const WordForm form = form_of(word);
        lists.prefixes.emplace_back(fold(word), form);
      });
    } else if (name.starts_with("endings ") || name.starts_with("parts ")) {
      lists.parts |= name.starts_with("parts ");
      ByText<WordForm>& endings = lists.endings[name.back() == '~' ? 1 : 0];
      EachWord(line, [&](std::string_view word) {
        const WordForm form = form_of(word);
        endings.emplace(fold(word), form);
      });
    } else {
      Lists::Entry entry;
      entry.english = static_cast<std::uint32_t>(lists.english.size());
      entry.verb = name.back() == '*';
      if (entry.verb) name.remove_suffix(1);
      lists.english.emplace_back(name);
      EachWord(line, [&](std::string_view word) {
        entry.form = form_of(word);
        const char last = word.back();
        if (last == '-' || last == '~') word.remove_suffix(1);
        std::string key;
        std::string first;
        std::uint32_t words = 0;
        while (!word.empty()) {
          const std::size_t stop = std::min(word.find_first_of("_-"), word.size());
          if (words++ > 0) key += ' ';
          key += fold(word.substr(0, stop));
          if (words == 1) first = key;
          word.remove_prefix(std::min(stop + 1, word.size()));
        }
        Lists::Listed& listed = lists.phrases[key];
        // The first to list a word has it.
        const auto set = [&](bool& is, Lists::Entry& where) {
          if (!std::exchange(is, true)) where = entry;
        };
        if (last == '-') {
          set(listed.stem[0], listed.of_stem[0]);
        } else if (last == '~') {
          set(listed.stem[1], listed.of_stem[1]);
        } else {
          set(listed.exact, listed.entry);
        }
        if (words > 1) {
          std::uint32_t& most = lists.firsts[first];
          most = std::max(most, words);
        }
        lists.longest = std::max<std::size_t>(lists.longest, words);
      });
    }
  }
  INTERLOCK_CHECK(!lists.english.empty(), "a list of words has words");
  std::ranges::stable_sort(lists.prefixes, std::ranges::greater{}, [](const auto& one) { return one.first.size(); });
  lists_ = made.release();
}

TongueWords::~TongueWords() { delete lists_; }

const TongueWords& TongueWords::Of(Tongue tongue) {
  static std::array<std::once_flag, kTongues> once;
  static std::array<std::unique_ptr<const TongueWords>, kTongues> all;
  const auto number = static_cast<std::size_t>(tongue);
  std::call_once(once[number], [&] {
    all[number] = std::make_unique<const TongueWords>(tongue, embedded::Find_scan_languages(kFiles[number]));
  });
  return *all[number];
}

void TongueWords::Fold(std::string_view word, std::string& out) const {
  switch (tongue_) {
    case Tongue::kSwedish:
    case Tongue::kDanish:
      return FoldNordic(word, out);
    case Tongue::kVietnamese:
      return FoldVietnamese(word, out);
    case Tongue::kUkrainian:
      return FoldCyrillic(word, out);
    case Tongue::kKorean:
      return FoldHangul(word, out);
    case Tongue::kArabic:
      return FoldArabic(word, out);
    case Tongue::kHindi:
      return FoldDevanagari(word, out);
    default:
      return FoldLatin(word, out);
  }
}

bool TongueWords::EndsClause(std::string_view folded) const {
  return std::ranges::any_of(lists_->clause_ends, [&](const std::string& end) {
    return folded.size() >= end.size() + kLeastStem && folded.ends_with(end);
  });
}

bool TongueWords::verb_last() const noexcept { return lists_->verb_last; }
std::size_t TongueWords::longest() const noexcept { return lists_->longest; }

TongueGloss TongueWords::Find(std::span<const std::string> folded) const {
  TongueGloss best;
  if (folded.empty() || folded.front().empty()) return best;
  std::string key;
  const auto look = [&](std::string_view first) {
    TongueGloss found;
    std::size_t most = 1;
    if (const auto at = lists_->firsts.find(first); at != lists_->firsts.end()) most = at->second;
    most = std::min(most, folded.size());
    std::size_t before = 0;
    key.clear();
    for (std::size_t n = 0; n < most; ++n) {
      const std::string_view last = n == 0 ? first : std::string_view(folded[n]);
      if (lists_->Match(key, before, last, found)) found.words = n + 1;
      key.resize(before);
      key += last;
      key += ' ';
      before = key.size();
    }
    return found;
  };
  best = look(folded.front());
  // "and the file", written as one word.
  const std::string_view word = folded.front();
  for (const auto& [prefix, form] : lists_->prefixes) {
    if (!word.starts_with(prefix) || word.size() < prefix.size() + kLeastStem) continue;
    TongueGloss found = look(word.substr(prefix.size()));
    if (found.words <= best.words) continue;
    if (form == WordForm::kNot) found.form = WordForm::kNot;
    found.after_and = form == WordForm::kAnd;
    best = found;
  }
  if (best.words == 0 && lists_->together) static_cast<void>(lists_->MatchStart(word, best));
  return best;
}

}  // namespace interlock::scan
