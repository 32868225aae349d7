// Text edits shared by splicer, stress suite and adaptive attacker; private to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::eval {

// Random choices that depend on seed and salt alone, on every machine.
class Dice {
 public:
  Dice(std::uint64_t seed, std::string_view salt);
  [[nodiscard]] std::uint64_t Next();
  [[nodiscard]] std::size_t Below(std::size_t n);  // 0 for n = 0
  [[nodiscard]] bool OneIn(std::size_t n) { return Below(n) == 0; }
  template <class Container>
  [[nodiscard]] const auto& Pick(const Container& from) {
    return from[Below(from.size())];
  }

 private:
  std::uint64_t state_;
};

// A text whose spans move with every edit. Spans are kept inside the text, on character borders.
class SpanText {
 public:
  explicit SpanText(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::string TakeText() { return std::move(text_); }
  [[nodiscard]] const std::vector<base::ByteSpan>& spans() const noexcept { return spans_; }
  void AddSpan(base::ByteSpan span) { spans_.push_back(span); }

  // Puts `piece` at `at`. Spans that begin at or after `at` move; a span around it grows.
  void Insert(std::size_t at, std::string_view piece);
  // The same, and marks [mark.begin, mark.end) of the piece as a span.
  void InsertMarked(std::size_t at, std::string_view piece, base::ByteSpan mark);
  // Takes [begin, end) out; spans that end up empty vanish.
  void Erase(base::ByteSpan range);
  void Replace(base::ByteSpan range, std::string_view piece, base::ByteSpan mark);

 private:
  std::string text_;
  std::vector<base::ByteSpan> spans_;
};

// White-space separated words. `core` leaves out punctuation at the edges. A value is what a rewriter must not touch:
// quoted text, anything with a digit or @ / _ # : inside, names in the middle of a sentence.
struct Word {
  base::ByteSpan whole;
  base::ByteSpan core;
  bool value = false;
  bool begins_sentence = false;
  bool ends_sentence = false;
};
[[nodiscard]] std::vector<Word> WordsOf(std::string_view text);

// ASCII only.
[[nodiscard]] std::string LowerAscii(std::string_view text);
[[nodiscard]] std::string UpperAscii(std::string_view text);

// JSON string contents without the quotes.
[[nodiscard]] std::string JsonEscaped(std::string_view text);
[[nodiscard]] std::optional<std::string> JsonUnescaped(std::string_view content);
// True when `text` is one JSON document, also inside a ``` fence or followed by other text (`document` gets where).
[[nodiscard]] bool FindJson(std::string_view text, base::ByteSpan& document);

// A place where a record can take one more piece of text.
enum class SpotForm : std::uint8_t { kJsonMember, kJsonElement, kYamlLine, kLine };
struct Spot {
  std::size_t at = 0;
  SpotForm form = SpotForm::kLine;
  std::string indent;  // what to write in front
  std::shared_ptr<const std::vector<std::string>>
      keys;  // of the object: not to be used again; null where there is none
};
// Places in document order; at least one (the end of the text, or its middle line). Bounded: at most 4,096 places.
[[nodiscard]] std::vector<Spot> SpotsOf(std::string_view text);

// The piece that puts `value` at `spot` under `key`, and where in the piece the value's text lies. With `whole`, the
// span covers key and quotes too.
struct Piece {
  std::string text;
  base::ByteSpan value;
};
[[nodiscard]] Piece FieldAt(const Spot& spot, std::string_view key, std::string_view value, bool whole = false);

// A key of `wanted` that the spot's object does not have yet; the last with a number when it has them all.
[[nodiscard]] std::string FreeKey(const Spot& spot, const std::vector<std::string>& wanted, Dice& dice);

// Moves `at` back to a character border.
[[nodiscard]] std::size_t OnBorder(std::string_view text, std::size_t at);

}  // namespace interlock::eval
