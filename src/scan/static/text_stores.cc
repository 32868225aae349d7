// Stores of credentials that the agent is to read: several in a list, where each line may be honest and all of them
// together are not; or one that the user is not to see being read.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "static/text_orders.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kStores = 3;  // of different programs
constexpr std::size_t kMostSections = 4'096;
constexpr double kListed = 0.75;

// "~/.aws/credentials" -> ".aws": the program whose store it is.
std::string_view StoreOf(std::string_view path) {
  if (path.starts_with("~/")) path.remove_prefix(2);
  if (path.starts_with("$home/")) path.remove_prefix(6);
  if (path.starts_with(".config/")) path.remove_prefix(8);
  return path.substr(0, path.find_first_of("/ "));
}

// Takes what stands there, by the words of the sentence.
bool Takes(WordSet said) { return (said & (Bit(kWRead) | Bit(kWCollect) | Bit(kWPaste))) != 0; }
// Speaks of what is not to be touched, of attacks, or of examples. "Do not show them to the user" spares nothing.
bool Spares(WordSet said) {
  if ((said & (Bit(kWDescribe) | Bit(kWExample))) != 0) return true;
  const bool denies = (said & (Bit(kWNot) | Bit(kWWeaken) | Bit(kWWithout))) != 0;
  return denies && (said & Bit(kWUser)) == 0;
}

// "Do not display them to the user".
bool KeptFromUser(const TextCanvas& canvas, const TextSentence& sentence) {
  if ((sentence.all & Bit(kWNot)) == 0 || (sentence.all & Bit(kWUser)) == 0) return false;
  bool denied = false;
  bool shows = false;
  for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
    const WordSet set = canvas.tokens[t].set;
    denied = denied || (set & Bit(kWNot)) != 0;
    shows = shows || (denied && (set & (Bit(kWTell) | Bit(kWShow))) != 0);
    if (shows && (set & Bit(kWUser)) != 0) return true;
  }
  return false;
}

// Where a sentence has a secret's file read: the word that says so; `quietly`: that nobody is to notice.
std::uint32_t ReadsSecret(const TextCanvas& canvas, const TextSentence& sentence, bool& quietly) {
  constexpr std::uint32_t kObject = 24;
  constexpr std::uint32_t kDenial = 4;
  if ((sentence.all & Bit(kWSecretPath)) == 0 || Spares(sentence.all & ~Bit(kWNot))) return sentence.last;
  for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
    if ((canvas.tokens[t].set & (Bit(kWRead) | Bit(kWCollect) | Bit(kWPaste))) == 0 || canvas.tokens[t].reported)
      continue;
    WordSet before = 0;
    for (std::uint32_t k = t > sentence.first + kDenial ? t - kDenial : sentence.first; k < t; ++k)
      before |= canvas.tokens[k].set;
    if ((before & (Bit(kWNot) | Bit(kWWithout))) != 0) continue;
    for (std::uint32_t k = t + 1; k < std::min(t + kObject, sentence.last); ++k) {
      if ((canvas.tokens[k].set & Bit(kWSecretPath)) == 0) continue;
      quietly = quietly || (before & Bit(kWSecretly)) != 0;
      return t;
    }
  }
  return sentence.last;
}

void FindHiddenReading(const TextCanvas& canvas, std::vector<FrameHit>& out) {
  constexpr double kHidden = 0.9;
  for (std::uint32_t p = 0; p < canvas.passages.size(); ++p) {
    const TextPassage& passage = canvas.passages[p];
    if ((passage.kind & (kSurfaceInstruction | kSurfaceDescription | kSurfaceSchema)) == 0 ||
        passage.shape == TextShape::kCode)
      continue;
    bool hidden = false;
    std::uint32_t reads = passage.last;
    std::uint32_t word = 0;
    for (std::uint32_t s = passage.first; s < passage.last; ++s) {
      const TextSentence& sentence = canvas.sentences[s];
      if (reads == passage.last) {
        word = ReadsSecret(canvas, sentence, hidden);
        if (word != sentence.last) reads = s;
      }
      hidden = hidden || KeptFromUser(canvas, sentence);
    }
    if (!hidden || reads == passage.last) continue;
    const TextSentence& said = canvas.sentences[reads];
    FrameHit hit;
    hit.rule = "PI-036";
    hit.passage = p;
    hit.sentence = reads;
    hit.begin = said.begin;
    hit.end = said.end;
    hit.score = kHidden;
    // Whatever the text is about: a guide to attacks quotes its orders.
    hit.described = DescribedHere(canvas, reads, canvas.tokens[word].begin, said.end, false);
    out.push_back(std::move(hit));
  }
}

}  // namespace

void FindStoresListed(const TextCanvas& canvas, std::vector<FrameHit>& out) {
  FindHiddenReading(canvas, out);
  constexpr SurfaceSet kGiven = kSurfaceDocument | kSurfaceInstruction | kSurfaceDescription;
  struct Section {
    std::vector<std::string_view> stores;
    std::uint32_t sentence = 0;  // of the first store
    std::uint32_t passage = 0;
    bool takes = false;
    bool spares = false;
  };
  const std::string_view text = canvas.text;
  std::vector<Section> sections(std::min(canvas.sections.size() + 1, kMostSections));
  for (std::uint32_t p = 0; p < canvas.passages.size(); ++p) {
    const TextPassage& passage = canvas.passages[p];
    if ((passage.kind & kGiven) == 0 || (passage.kind & kSurfaceDecoded) != 0 || passage.section >= sections.size())
      continue;
    Section& section = sections[passage.section];
    for (std::uint32_t s = passage.first; s < passage.last; ++s) {
      const TextSentence& sentence = canvas.sentences[s];
      const bool names = (sentence.all & Bit(kWSecretPath)) != 0;
      section.takes = section.takes || Takes(sentence.all);
      section.spares = section.spares || Spares(sentence.all);
      for (std::uint32_t t = sentence.first; names && t < sentence.last; ++t) {
        const TextToken& token = canvas.tokens[t];
        if ((token.set & Bit(kWSecretPath)) == 0) continue;
        if (section.stores.empty()) {
          section.sentence = s;
          section.passage = p;
        }
        const std::string_view store = StoreOf(text.substr(token.begin, token.size));
        if (std::ranges::find(section.stores, store) == section.stores.end()) section.stores.push_back(store);
      }
    }
  }
  for (const Section& section : sections) {
    if (section.stores.size() < kStores || !section.takes || section.spares) continue;
    const TextSentence& first = canvas.sentences[section.sentence];
    FrameHit hit;
    hit.rule = "PI-036";
    hit.passage = section.passage;
    hit.sentence = section.sentence;
    hit.begin = first.begin;
    hit.end = first.end;
    hit.score = kListed;
    hit.described = Described(canvas, section.sentence, first.begin, first.end, false);
    out.push_back(std::move(hit));
  }
}

}  // namespace interlock::scan
