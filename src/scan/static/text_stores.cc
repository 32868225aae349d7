// A list of credential stores that the agent is to read: each line may be honest, all of them together are not.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "static/text_orders.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kStores = 3;      // of different programs
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
bool Takes(WordSet said) {
  return (said & (Bit(kWRead) | Bit(kWCollect) | Bit(kWPaste))) != 0;
}
// Speaks of what is not to be touched, of attacks, or of examples.
bool Spares(WordSet said) {
  return (said & (Bit(kWNot) | Bit(kWDescribe) | Bit(kWExample) | Bit(kWWeaken) | Bit(kWWithout))) != 0;
}

}  // namespace

void FindStoresListed(const TextCanvas& canvas, std::vector<FrameHit>& out) {
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
    if ((passage.kind & kGiven) == 0 || (passage.kind & kSurfaceDecoded) != 0 || passage.section >= sections.size()) continue;
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
