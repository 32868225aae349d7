// All text of a file as one lower-case string without disguises, cut into passages, sentences and classified words,
// with the way back to the bytes. Built once a file; frames and patterns run over it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "static/surface.h"
#include "static/text_lexicon.h"

namespace interlock::scan {

struct TextToken {
  std::uint32_t begin = 0;  // in the canvas
  std::uint32_t size = 0;
  WordSet set = 0;
  std::uint64_t hash = 0;    // HashWord() of it
  std::uint32_t listed = 0;  // its number in ListedWords
  bool symbol = false;       // more than letters and apostrophes
  bool reported = false;     // inside a quotation that the text speaks of (text_quotes.h)
  [[nodiscard]] std::uint32_t end() const noexcept { return begin + size; }
};

struct TextSentence {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first = 0;  // tokens
  std::uint32_t last = 0;
  std::uint32_t passage = 0;
  WordSet all = 0;
};

struct TextPassage {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  SurfaceSet kind = 0;
  TextShape shape = TextShape::kProse;
  bool quoted = false;
  bool glossed = false;   // another passage once more: word by word in English, or ...
  bool joined = false;    // ... a lead-in with its list
  bool outcome = false;   // has one of OutcomeWords(), ...
  bool programs = false;  // ... of BareProgramWords()
  std::uint32_t surface = 0;
  std::uint32_t section = 0;
  std::uint32_t first = 0;  // sentences
  std::uint32_t last = 0;
  base::ByteSpan bytes;            // of the whole passage in the file
  std::vector<std::uint32_t> map;  // file offset of each byte of the canvas; empty: bytes.begin + i
};

struct TextSection {
  std::uint32_t begin = 0;  // title, in the canvas
  std::uint32_t end = 0;
  std::uint8_t level = 0;
  std::uint32_t parent = 0;
  WordSet title = 0;  // of this and the sections around it
};

// Characters that are not seen.
struct UnseenText {
  base::ByteSpan bytes;
  std::string decoded;  // what tag characters or variation selectors spell
  enum class Kind : std::uint8_t { kTags, kSelectors, kRun, kInWord, kBidi } kind = Kind::kRun;
  std::uint32_t count = 0;
  bool uniform = false;  // one and the same, again and again
};

struct TextCanvas {
  std::string text;
  std::string_view source;  // the file, as it was written; must outlive this
  std::vector<TextPassage> passages;
  std::vector<TextSentence> sentences;
  std::vector<TextToken> tokens;
  std::vector<TextSection> sections;  // [0]: before the first heading
  std::vector<UnseenText> unseen;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> quoted;    // quotations with which nothing is done; ascending
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reported;  // ... that are spoken of
  double security = 0.0;                                          // share of sentences that speak of attacks
  std::vector<std::uint32_t> talk_before;   // sentences that do, before each sentence and at the end, and
  std::vector<std::uint32_t> prose_before;  // ... of how many
  double throughout = 0.0;                  // ... of the half, or the third, that speaks of them least
  bool complete = true;

  // ... around a passage, and never more than in the whole: a glossary at the end excuses what stands beside it.
  [[nodiscard]] double SecurityAt(std::uint32_t passage) const noexcept;
  [[nodiscard]] std::string_view Of(const TextSentence& s) const noexcept {
    return std::string_view(text).substr(s.begin, s.end - s.begin);
  }
  [[nodiscard]] std::string_view Of(const TextPassage& p) const noexcept {
    return std::string_view(text).substr(p.begin, p.end - p.begin);
  }
  [[nodiscard]] std::string_view Of(const TextToken& t) const noexcept {
    return std::string_view(text).substr(t.begin, t.size);
  }
  // What stands between token k - 1, which there is, and token k.
  [[nodiscard]] std::string_view Gap(std::size_t k) const noexcept {
    return std::string_view(text).substr(tokens[k - 1].end(), tokens[k].begin - tokens[k - 1].end());
  }
  // Inside a quotation that the text speaks of (text_quotes.h).
  [[nodiscard]] bool Reported(std::uint32_t at) const noexcept { return Within(reported, at); }
  [[nodiscard]] bool Quoted(std::uint32_t at) const noexcept { return Within(quoted, at); }
  [[nodiscard]] static bool Within(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& spans,
                                   std::uint32_t at) noexcept;
  // Nothing is asked of it any more.
  void GiveBack() noexcept;
  // Bytes of the file behind canvas bytes [begin, end) of a passage.
  [[nodiscard]] base::ByteSpan Back(const TextPassage& passage, std::uint32_t begin, std::uint32_t end) const noexcept;
  // Where passages begin: each says its own.
  [[nodiscard]] std::vector<std::uint32_t> Borders() const;
  // The passage that holds canvas byte `at`.
  [[nodiscard]] std::uint32_t PassageAt(std::uint32_t at) const noexcept;
  [[nodiscard]] std::uint32_t SentenceAt(std::uint32_t at) const noexcept;
  // The text of the sentence that [begin, end) stands in, and of that span where it goes beyond. There is a sentence.
  [[nodiscard]] std::string_view SentenceAround(std::uint32_t begin, std::uint32_t end) const noexcept;
  // "(email: a@b.example, password: x)", "test account: email a@b.example": the word is the name of a value, no verb.
  [[nodiscard]] bool NamesValue(std::uint32_t token) const noexcept;
};

[[nodiscard]] TextCanvas BuildCanvas(const FileContext& file, const std::vector<TextSurface>& surfaces);

// Decoded texts inside `text` (base64, hex, percent, rotated), with the bytes they came from.
struct DecodedText {
  std::string text;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view how;  // "base64" ...
};
// The first kMostDecoded of them: whoever gets so many asks whether there were more.
inline constexpr std::size_t kMostDecoded = 1000;
void FindEncoded(std::string_view text, std::vector<DecodedText>& out);
// Runs of characters that are not seen. An emoji's joiner, a byte order mark, a Persian word's non-joiner are innocent.
// The first kMostUnseen of them.
inline constexpr std::size_t kMostUnseen = 2000;
void FindUnseen(std::string_view text, std::vector<UnseenText>& out);

}  // namespace interlock::scan
