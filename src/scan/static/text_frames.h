// Orders by their make: an action on an object towards a destination, in secret, without consent. No phrases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "static/bigrams.h"
#include "static/text_canvas.h"

namespace interlock::scan {

struct FrameHit {
  std::string_view rule;
  std::uint32_t passage = 0;
  std::uint32_t sentence = 0;
  std::uint32_t begin = 0;  // in the canvas
  std::uint32_t end = 0;
  double score = 0.0;  // [0,1]: how complete the frame is
  double described = 0.0;
  std::string host = {};
};

// The most hits of a text; what comes after them is not looked for.
inline constexpr std::size_t kMaxFrameHits = 200'000;

// `also`: called for every sentence behind this, while `bigrams` are of it.
using ForSentence = std::function<void(std::uint32_t)>;
void FindFrames(const TextCanvas& canvas, SentenceBigrams& bigrams, std::vector<FrameHit>& out,
                const ForSentence& also);

// How far a stretch of text describes rather than performs, in [0, 0.95].
// `ticks`: backticks are quotation marks; around commands and values they are their notation.
[[nodiscard]] double Described(const TextCanvas& canvas, std::uint32_t sentence, std::uint32_t begin, std::uint32_t end,
                               bool ticks = true);

// ... by the words around it alone, whatever the whole text is about.
[[nodiscard]] double DescribedHere(const TextCanvas& canvas, std::uint32_t sentence, std::uint32_t begin,
                                   std::uint32_t end, bool ticks = true);

// What a cell of a table says is to come of a case: "refused", "blocked".
[[nodiscard]] std::span<const std::string_view> OutcomeWords();

// Before `end` the sentence tells what somebody did ("the bot ran ..."), and orders nobody to.
[[nodiscard]] bool Narrated(const TextCanvas& canvas, std::uint32_t sentence, std::uint32_t end);

}  // namespace interlock::scan
