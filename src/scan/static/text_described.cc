// How far a stretch of text describes rather than performs.
#include <algorithm>

#include "static/text_frames.h"

namespace interlock::scan {

double Described(const TextCanvas& canvas, std::uint32_t index, std::uint32_t begin, std::uint32_t end, bool ticks) {
  const TextSentence& sentence = canvas.sentences[index];
  if (begin < sentence.begin || sentence.passage >= canvas.passages.size()) return 0.0;
  const TextPassage& passage = canvas.passages[sentence.passage];
  const std::string_view text = canvas.text;
  double out = 0.0;
  const auto add = [&](double part) { out = 1.0 - (1.0 - out) * (1.0 - part); };

  if (canvas.Reported(begin)) add(0.8);
  // Between quotation marks or in a code span, in a sentence that goes on around it.
  const std::string_view before = text.substr(sentence.begin, begin - sentence.begin);
  const std::string_view after = text.substr(end, sentence.end > end ? sentence.end - end : 0);
  for (const char quote : {'"', '`'}) {
    const auto opened = std::count(before.begin(), before.end(), quote);
    // The closing mark may stand behind the full stop.
    const bool closed =
        after.find(quote) != std::string_view::npos || (sentence.end < text.size() && text[sentence.end] == quote);
    if (opened % 2 == 1 && closed) {
      add(quote == '`' && !ticks ? 0.15 : 0.55);
      break;
    }
  }
  if (passage.quoted) add(0.2);
  if (passage.shape == TextShape::kRow) add(0.3);
  if (passage.shape == TextShape::kCode) add(0.35);

  const WordSet title = canvas.sections[passage.section].title;
  if ((title & Bit(kWDescribe)) != 0) add(0.45);
  if ((title & (Bit(kWExample) | Bit(kWNot))) != 0) add(0.3);
  if ((title & Bit(kWSafety)) != 0) add(0.15);

  if ((sentence.all & Bit(kWDescribe)) != 0) add(0.5);
  if ((sentence.all & Bit(kWExample)) != 0) add(0.3);

  // What introduces a list speaks for its items.
  if (passage.shape == TextShape::kItem && sentence.passage > 0) {
    std::uint32_t lead = sentence.passage;
    for (int i = 0; i < 24 && lead > 0; ++i) {
      --lead;
      if (canvas.passages[lead].shape != TextShape::kItem) break;
    }
    const TextPassage& intro = canvas.passages[lead];
    if (intro.section == passage.section && intro.shape == TextShape::kProse && intro.last > intro.first) {
      const WordSet said = canvas.sentences[intro.last - 1].all;
      if ((said & Bit(kWDescribe)) != 0) add(0.4);
      if ((said & (Bit(kWNot) | Bit(kWExample))) != 0) add(0.4);
    }
  }
  // A question asks.
  const std::string_view whole = canvas.Of(sentence);
  if (whole.find('?') != std::string_view::npos) add(0.4);
  if (canvas.security > 0.08) add(0.3);
  if (canvas.security > 0.16) add(0.4);
  // Nobody hides a description.
  if ((passage.kind & (kSurfaceHidden | kSurfaceDecoded)) != 0) out *= 0.5;
  return std::min(out, 0.95);
}

}  // namespace interlock::scan
