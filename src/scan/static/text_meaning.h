// What a text asks of its reader, told from classes of words and not from phrases: who does what (ordered, told,
// forbidden), with which object, to whose disadvantage, kept from whom. The sentences of a description, a paragraph or
// a string are read together. A logistic regression adds up what each conjunction of classes is worth
// (docs/models/order-classifier.md); the classes are data (meaning/lexicon.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "static/text_canvas.h"

namespace interlock::scan {

// Numbers of features, ascending; what each is called is in FeatureName.
using Features = std::vector<std::uint32_t>;

struct Meaning {
  std::uint32_t sentence = 0;
  std::uint32_t passage = 0;
  std::uint32_t begin = 0;  // in the canvas: from the first to the last word that counted
  std::uint32_t end = 0;
  double score = 0.0;        // log-odds that somebody means harm; lower where many units were read
  std::uint8_t threat = 0;   // 1 to 8: what most of the evidence speaks for
  bool spoken = false;       // it names the assistant, or speaks as the system
  bool addressed = false;    // ... and turns to it
  std::string why = {};      // the heaviest conjunction in words
  bool words_alone = false;  // no two of its words make an order
};

// What words alone have to say more than `least`, where no two of them make an order.
inline constexpr double kWordsAlone = 2.5;
inline constexpr double kForeignWords = 1.3;

// Units whose score reaches `least`, each by the sentence in which most of it stands.
void FindMeanings(const TextCanvas& canvas, double least, std::vector<Meaning>& out);

// For training: features of every sentence of a unit that could give an order.
struct SentenceFeatures {
  std::uint32_t sentence = 0;
  std::uint32_t unit = 0;
  Features features = {};
};
void ReadFeatures(const TextCanvas& canvas, std::vector<SentenceFeatures>& out);
[[nodiscard]] std::string FeatureName(std::uint32_t feature);

}  // namespace interlock::scan
