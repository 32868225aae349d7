#include "static/text_canvas.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "interlock/base/byte_classes.h"
#include "interlock/base/digits.h"
#include "static/bytes.h"
#include "static/listed_words.h"
#include "static/part_set.h"
#include "static/text_gloss.h"
#include "static/text_letters.h"
#include "static/text_lines.h"
#include "static/text_quotes.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxCanvas = std::size_t{48} << 20;
constexpr std::size_t kMaxSentenceTokens = 90;
constexpr std::uint32_t kTokensAtOnce = 64;  // that are made room for
constexpr std::uint32_t kMaxToken = 2048;
constexpr std::size_t kMaxDecodedShare = 2;  // decoded text: at most so many times the file
constexpr std::uint32_t kFewSentences = 12;
// What speaks of attacks excuses what stands as near as this in its own section.
constexpr std::uint32_t kAround = 6;     // sentences
constexpr std::size_t kMostAround = 64;  // passages
constexpr double kFewAround = 8.0;

using namespace letters;  // NOLINT(google-build-using-namespace)
using namespace lines;    // NOLINT(google-build-using-namespace)

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
    constexpr SurfaceSet kGiven = kSurfaceDescription | kSurfaceInstruction | kSurfaceSchema;
    const bool given = (surface.kind & kGiven) != 0 && surface.shape == TextShape::kProse;
    if (surface.wraps || given) Unwrap(&out_.text, passage.begin, passage.end, !surface.wraps);
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

  // The passage that was added last once more, word by word in English, if it is of another language.
  void AddGlossed(std::uint32_t index) {
    const TextPassage& from = out_.passages[index];
    if (!foreign_ || from.shape == TextShape::kCode || from.shape == TextShape::kHeading) return;
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
  // A passage as it stands in the canvas.
  [[nodiscard]] std::string_view Said(std::uint32_t passage) const {
    const TextPassage& one = out_.passages[passage];
    return std::string_view(out_.text).substr(one.begin, one.end - one.begin);
  }

  void AddJoined(std::uint32_t lead, std::uint32_t last) {
    std::string text;
    std::vector<std::uint32_t> map;
    const auto take = [&](const TextPassage& from, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        text += out_.text[i];
        map.push_back(from.map.empty() ? static_cast<std::uint32_t>(from.bytes.begin) + (i - from.begin)
                                       : from.map[i - from.begin]);
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
        while (end > item.begin &&
               (out_.text[end - 1] == '.' || out_.text[end - 1] == '\n' || out_.text[end - 1] == ' '))
          --end;
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

  // Nothing is added any more.
  void Close() { out_.tokens.resize(tokens_); }

  [[nodiscard]] std::size_t budget() const { return kMaxDecodedShare * file_.text().size() + 65536; }

 private:
  void Push(TextPassage passage) {
    Cut(passage);
    out_.passages.push_back(std::move(passage));
  }

  void Fold(const TextSurface& surface, std::string_view shown, TextPassage& passage) {
    std::string& text = out_.text;
    const std::size_t old = text.size();
    foreign_ = NextWide(shown, 0) != shown.size();
    if (!foreign_) {
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
          AppendSmall(one, shown.substr(i, one.size), text);
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
      sentence.first = tokens_;
      words_in_ = 0;
    };
    const auto close = [&](std::uint32_t at) {
      if (words_in_ > 0) {
        sentence.end = at;
        sentence.last = sentence.first + words_in_;
        out_.sentences.push_back(sentence);
      }
      open(at);
    };
    open(passage.begin);
    outcome_ = programs_ = false;
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
        // Letters and a blank behind them are a word, and most are: a passage ends with a line, so none goes beyond it.
        classes.LoadAt(i);
        const std::uint32_t in_block = i % base::ByteClasses::kBlock;
        const auto ahead = static_cast<std::uint32_t>(std::countr_one(classes.letter() >> in_block));
        if (ahead > 0 && in_block + ahead < base::ByteClasses::kBlock && (BitsOf(bytes[i + ahead]) & kGoesOn) == 0) {
          i += ahead;
          Word({bytes + begin, ahead}, begin, sentence);
          if (words_in_ >= kMaxSentenceTokens) close(i);
          continue;
        }
        const std::uint32_t most = std::min<std::uint32_t>(begin + kMaxToken + 1, stop);
        WordParts parts;
        while (i < most) {
          classes.LoadAt(i);
          const std::uint64_t letters = classes.letter() >> (i % base::ByteClasses::kBlock);
          if ((letters & 1) != 0) {
            parts.letters = true;
            i = std::min<std::uint32_t>(i + static_cast<std::uint32_t>(std::countr_one(letters)), most);
            continue;
          }
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
            const bool more = i + 1 < stop && (IsAsciiLetter(bytes[i + 1]) || IsDigit(bytes[i + 1]) ||
                                               bytes[i + 1] == '/' || bytes[i + 1] == '_' || bytes[i + 1] == '.');
            if (!more) break;
            parts.symbol = true;
            parts.several = parts.several || d == '-' || d == '/' || d == '=';
            ++i;
          } else if (d == ':' && i + 2 < stop && bytes[i + 1] == '/' && bytes[i + 2] == '/') {
            parts.symbol = parts.several = true;
            i += 3;
          } else {
            break;
          }
        }
        if (i > begin) {
          Token({bytes + begin, i - begin}, begin, parts, sentence);
          if (words_in_ >= kMaxSentenceTokens) close(i);
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
        if (!QuotedInside(text, i, passage.end)) close(i);
      }
      // A full stop is a separator only before a space; inside tokens it was read above.
      if (c == '.' && (i >= passage.end || text[i] == ' ' || text[i] == '\n' || text[i] == '"' || text[i] == ')')) {
        if (!Abbreviation(text, i - 1) && !QuotedInside(text, i, passage.end)) close(i);
      }
    }
    close(passage.end);
    passage.last = static_cast<std::uint32_t>(out_.sentences.size());
    passage.outcome = outcome_;
    passage.programs = programs_;
    if (passage.shape == TextShape::kHeading) {
      WordSet title = 0;
      // A name says what a thing is called ("# pypi-license-scanner"), and excuses nothing.
      for (std::uint32_t t = FirstToken(passage); t < tokens_; ++t) {
        const TextToken& token = out_.tokens[t];
        const std::string_view word = out_.Of(token);
        if (!token.symbol || word.find('-') == std::string_view::npos) title |= token.set;
        // What stands below is what not to do.
        if (word == "mistakes" || word == "pitfalls" || word == "gotchas" || word == "don'ts" ||
            word == "anti-patterns" || word == "anti-pattern" || word == "antipatterns") {
          title |= Bit(kWNot);
        }
      }
      title |= SignsOfTitle(out_.Of(passage));
      if (section_ < out_.sections.size()) out_.sections[section_].title |= title;
    }
  }

  [[nodiscard]] std::uint32_t FirstToken(const TextPassage& passage) const {
    return passage.first < passage.last ? out_.sentences[passage.first].first : tokens_;
  }

  struct WordParts {
    bool apostrophe = false;
    bool letters = false;
    bool symbol = false;   // digits or signs
    bool several = false;  // "read/write", "third-party"
  };

  // Of letters alone.
  void Word(std::string_view word, std::uint32_t begin, TextSentence& sentence) {
    const std::uint64_t hash = HashWord(word);
    const std::uint32_t listed = words_.Find(hash);
    const ListedWords::Entry& entry = words_.entries()[listed];
    foreign_ |= entry.foreign;
    Put(word, begin, {entry, entry.set, hash, listed}, sentence);
  }

  void Token(std::string_view word, std::uint32_t begin, WordParts parts, TextSentence& sentence) {
    while (parts.apostrophe && word.size() > 1 && word.back() == '\'') word.remove_suffix(1);
    const std::uint64_t hash = HashWord(word);
    const std::uint32_t listed = words_.Find(hash);
    const ListedWords::Entry& entry = words_.entries()[listed];
    WordSet set = entry.set;
    // What is more than a word is asked for the words it has.
    foreign_ = foreign_ || entry.foreign || (parts.letters && (parts.symbol || parts.apostrophe) && MayBeForeign(word));
    if (!parts.symbol) {
      if (parts.apostrophe && set == 0) {
        const std::size_t apostrophe = word.find('\'');
        if (apostrophe != std::string_view::npos) set = ClassesOf(word.substr(0, apostrophe));
      }
    } else {
      set |= ClassesOfSymbol(word);
      // "read/write", "third-party": the parts say what the whole is.
      if (parts.several && (set & (Bit(kWUrl) | Bit(kWMail))) == 0 && word.size() < 64) {
        std::size_t at = 0;
        while (at < word.size()) {
          std::size_t stop = at;
          while (stop < word.size() && word[stop] != '-' && word[stop] != '/' && word[stop] != '=') ++stop;
          if (stop - at != word.size() && stop > at) {
            set |= ClassesOf(word.substr(at, stop - at)) & ~(Bit(kWSend) | Bit(kWSendWeak));
          }
          at = stop + 1;
        }
      }
    }
    Put(word, begin, {entry, set, hash, listed}, sentence).symbol = parts.symbol;
  }

  struct Known {
    const ListedWords::Entry& entry;
    WordSet set = 0;
    std::uint64_t hash = 0;
    std::uint32_t listed = 0;
  };

  // Written where it stays: what was written by halves a moment ago is slow to be copied as a whole.
  [[gnu::always_inline]] TextToken& Put(std::string_view word, std::uint32_t begin, Known known,
                                        TextSentence& sentence) {
    if (begins_pair_ && known.entry.ends_pair && words_in_ > 0 && last_end_ + 1 == begin) known.set |= Pair(word);
    sentence.all |= known.set;
    outcome_ |= known.entry.outcome;
    programs_ |= known.entry.program;
    begins_pair_ = known.entry.begins_pair;
    last_end_ = begin + static_cast<std::uint32_t>(word.size());
    ++words_in_;
    if (tokens_ == room_) [[unlikely]]
      MakeRoom();
    TextToken& token = first_token_[tokens_++];
    token.begin = begin;
    token.size = static_cast<std::uint32_t>(word.size());
    token.set = known.set;
    token.hash = known.hash;
    token.listed = known.listed;
    return token;
  }

  [[gnu::noinline]] void MakeRoom() {
    room_ = tokens_ + kTokensAtOnce;
    out_.tokens.resize(room_);
    first_token_ = out_.tokens.data();
  }

  // What the word says together with the one before it.
  [[gnu::noinline]] WordSet Pair(std::string_view word) {
    TextToken& last = out_.tokens[tokens_ - 1];
    const WordSet both = ClassesOfPair(out_.Of(last), word);
    last.set |= both;
    return both;
  }

  const FileContext& file_;
  TextCanvas& out_;
  const ListedWords& words_ = ListedWords::Get();
  std::uint32_t section_ = 0;
  std::size_t decoded_ = 0;
  bool foreign_ = false;   // words of the passage may be of another language
  bool outcome_ = false;   // one of them says what is to come of a case, ...
  bool programs_ = false;  // ... one is a program's
  TextToken* first_token_ = nullptr;
  std::uint32_t room_ = 0;      // tokens that there is room for, and ...
  std::uint32_t tokens_ = 0;    // ... those that are written
  std::uint32_t words_in_ = 0;  // the sentence that is being cut
  std::uint32_t last_end_ = 0;  // of its last word, ...
  bool begins_pair_ = false;    // ... with which a pair may begin
};

}  // namespace

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
  // Where its last character begins; that may have more bytes.
  std::size_t behind = std::max(from, to) + 1;
  while (behind < source.size() && (static_cast<unsigned char>(source[behind]) & 0xC0U) == 0x80U) ++behind;
  return {std::min(from, to), behind};
}

std::vector<std::uint32_t> TextCanvas::Borders() const {
  std::vector<std::uint32_t> out;
  out.reserve(passages.size());
  for (const TextPassage& passage : passages) out.push_back(passage.begin);
  return out;
}

std::uint32_t TextCanvas::PassageAt(std::uint32_t at) const noexcept {
  const auto next = std::ranges::upper_bound(passages, at, {}, &TextPassage::begin);
  return next == passages.begin() ? 0 : static_cast<std::uint32_t>(next - passages.begin() - 1);
}

bool TextCanvas::NamesValue(std::uint32_t token) const noexcept {
  const TextToken& here = tokens[token];
  const std::string_view word = Of(here);
  // What is a noun as well as a verb.
  if (word != "email" && word != "mail" && word != "post" && word != "report" && word != "log" && word != "share")
    return false;
  if (token > 0 && (Of(tokens[token - 1]) == "by" || Of(tokens[token - 1]) == "via")) return true;  // "search by email"
  const std::string_view all = text;
  std::size_t after = here.end();
  while (after < all.size() && (all[after] == '`' || all[after] == '*' || all[after] == '"')) ++after;
  if (after < all.size() && (all[after] == ':' || all[after] == '=')) {
    const std::string_view next = token + 1 < tokens.size() ? Of(tokens[token + 1]) : std::string_view();
    return next != "the" && next != "all" && next != "every" && next != "any" && next != "each" && next != "your";
  }
  if (token == 0 || token + 1 >= tokens.size() || (tokens[token + 1].set & Bit(kWMail)) == 0) return false;
  const std::uint32_t end = tokens[token - 1].end();
  return end < here.begin && all.substr(end, here.begin - end).find_first_of(":(-") != std::string_view::npos;
}

std::uint32_t TextCanvas::SentenceAt(std::uint32_t at) const noexcept {
  const auto next = std::ranges::upper_bound(sentences, at, {}, &TextSentence::begin);
  return next == sentences.begin() ? 0 : static_cast<std::uint32_t>(next - sentences.begin() - 1);
}

std::string_view TextCanvas::SentenceAround(std::uint32_t begin, std::uint32_t end) const noexcept {
  const TextSentence& sentence = sentences[SentenceAt(begin)];
  std::uint32_t from = sentence.begin;
  std::uint32_t to = std::max(sentence.end, end);
  // Of scripts whose words are not read no sentence is kept: it ends at the next full stop.
  if (sentence.end <= begin) {
    const TextPassage& passage = passages[PassageAt(begin)];
    from = std::max(passage.begin, sentence.end);
    to = static_cast<std::uint32_t>(std::min<std::size_t>(text.find_first_of(".!?\n", end), passage.end));
  }
  return std::string_view(text).substr(from, to > from ? to - from : 0);
}

double TextCanvas::SecurityAt(std::uint32_t p) const noexcept {
  if (talk_before.empty() || p >= passages.size() || security == 0.0) return security;
  const TextPassage& passage = passages[p];
  std::uint32_t first = passage.first;
  std::uint32_t last = passage.last;
  // Neighbours in the same section, so far as they are no more than a few sentences away.
  for (std::size_t k = p; k > 0 && p - k < kMostAround && passages[k - 1].section == passage.section &&
                          passage.first - passages[k - 1].first <= kAround;
       --k)
    first = passages[k - 1].first;
  for (std::size_t k = p + 1; k < passages.size() && k - p < kMostAround && passages[k].section == passage.section &&
                              passages[k].last - passage.last <= kAround;
       ++k)
    last = passages[k].last;
  const double talk = talk_before[last] - talk_before[first];
  const double prose = prose_before[last] - prose_before[first];
  return std::min(security, std::max(talk / (prose + kFewAround), throughout));
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
    } else if (open_ && passage.shape == TextShape::kItem && index == lead_ + items_ + 1 && items_ < kMostItems &&
               text.size() <= kLongestItem) {
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
    if (done.items_ == 0) return;
    // ... or a consent that is put into a file which agents obey.
    const auto consents = [&] {
      for (std::uint32_t i = 1; i <= done.items_; ++i) {
        if (GivesConsent(builder.Said(done.lead_ + i))) return true;
      }
      return false;
    };
    const bool kept = NamesAgentFile(builder.Said(done.lead_)) && consents();
    if ((done.said_ & kObjects) != 0 || kept) builder.AddJoined(done.lead_, done.lead_ + done.items_ + 1);
  }

 private:
  static bool NamesAgentFile(std::string_view lead) {
    static constexpr PartSet kFiles(
        std::to_array<std::string_view>({"claude.md", "agents.md", "gemini.md", "memory.md", "copilot-instructions",
                                         ".cursor/rules", ".cursorrules", ".windsurfrules", ".mdc"}));
    return kFiles.AnyIn(lead);
  }
  static bool GivesConsent(std::string_view item) {
    static constexpr PartSet kConsents(
        std::to_array<std::string_view>({"approved", "need no ", "needs no ", "without asking", "without confirm",
                                         "without review", "as given", "not ask", "no confirmation", "no approval"}));
    return kConsents.AnyIn(item);
  }
  static bool Announces(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \n*_`");
    return last != std::string_view::npos && text[last] == ':';
  }

  std::uint32_t lead_ = 0;
  std::uint32_t items_ = 0;
  WordSet said_ = 0;
  bool open_ = false;
};

// Who writes about attacks does so from beginning to end; who puts a glossary behind his orders does not.
// A glossary has to be longer than all before it.
double Throughout(const TextCanvas& canvas) noexcept {
  const std::size_t count = canvas.talk_before.size() - 1;
  const auto least = [&](std::size_t parts, double few) {
    double share = 1.0;
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t from = count * i / parts;
      const std::size_t to = count * (i + 1) / parts;
      share = std::min(share, static_cast<double>(canvas.talk_before[to] - canvas.talk_before[from]) /
                                  (static_cast<double>(canvas.prose_before[to] - canvas.prose_before[from]) + few));
    }
    return share;
  };
  return std::max(least(2, kFewAround), least(3, kFewAround / 3));
}

}  // namespace

// Sentences that speak of attacks.
void CountTalk(TextCanvas& canvas) {
  std::uint32_t talk = 0;
  std::uint32_t prose = 0;
  std::uint32_t talk_below = 0;  // the title
  std::uint32_t prose_below = 0;
  canvas.talk_before.reserve(canvas.sentences.size() + 1);
  canvas.prose_before.reserve(canvas.sentences.size() + 1);
  for (const TextSentence& sentence : canvas.sentences) {
    canvas.talk_before.push_back(talk_below);
    canvas.prose_before.push_back(prose_below);
    if (canvas.passages.empty()) break;
    const TextPassage& passage = canvas.passages[sentence.passage];
    // A heading speaks for its section; only the title speaks for the whole.
    const bool heading = passage.shape == TextShape::kHeading;
    const bool below = heading && canvas.sections[passage.section].level > 1;
    if (passage.shape == TextShape::kCode || below || passage.joined || sentence.last - sentence.first < 3) continue;
    const std::uint32_t talks = (sentence.all & Bit(kWDescribe)) != 0 ? 1 : 0;
    ++prose;
    talk += talks;
    if (heading) continue;
    ++prose_below;
    talk_below += talks;
  }
  canvas.talk_before.resize(canvas.sentences.size() + 1, talk_below);
  canvas.prose_before.resize(canvas.sentences.size() + 1, prose_below);
  canvas.throughout = Throughout(canvas);
  // A short text says little about its topic.
  canvas.security = prose == 0 ? 0.0 : static_cast<double>(talk) / static_cast<double>(prose + kFewSentences);
}

namespace {

// Room that tokens have taken once in this thread: what is given back for every file comes back as pages to be cleared.
std::vector<TextToken>& SpareTokens() {
  static thread_local std::vector<TextToken> spare;
  return spare;
}

}  // namespace

void TextCanvas::GiveBack() noexcept {
  constexpr std::size_t kMostKept = std::size_t{1} << 17;  // tokens, of a text of half a megabyte
  if (tokens.capacity() <= kMostKept) SpareTokens() = std::move(tokens);
}

TextCanvas BuildCanvas(const FileContext& file, const std::vector<TextSurface>& surfaces) {
  TextCanvas out;
  out.source = file.text();
  std::size_t bytes = 0;
  for (const TextSurface& surface : surfaces) bytes += surface.shown().size() + 1;
  out.text.reserve(std::min(bytes, kMaxCanvas));
  out.tokens = std::exchange(SpareTokens(), {});
  out.tokens.clear();
  out.tokens.reserve(bytes / 5);
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
    if (encoded.size() >= kMostDecoded) out.complete = false;
    for (std::size_t k = 0, depth = 0; k < encoded.size() && k < 2 * kMostDecoded; ++k) {
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
  if (out.unseen.size() >= kMostUnseen) out.complete = false;
  for (const UnseenText& unseen : out.unseen) {
    if (unseen.decoded.size() >= 8) builder.AddHidden(unseen);
  }
  builder.Close();
  CountTalk(out);
  FindReported(out);
  return out;
}

}  // namespace interlock::scan
