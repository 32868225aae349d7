// links: base core scan
// The reader of orders over a skill, a listing or a program. First byte: which. What it finds lies inside the text; the
// bound by which it passes over units never loses one; glosses have a place for every byte.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../src/scan/static/classify.h"
#include "../src/scan/static/surface.h"
#include "../src/scan/static/text_canvas.h"
#include "../src/scan/static/text_gloss.h"
#include "../src/scan/static/text_meaning.h"

using namespace interlock::scan;  // NOLINT: a program of one page

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::string_view kNames[] = {"SKILL.md", "mcp-listing.json", "a.py", "README.md"};
constexpr double kLeast = 0.5;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 32768) return 0;
  interlock::core::PackageFile file;
  file.path = std::string(kNames[data[0] % std::size(kNames)]);
  file.bytes.assign(reinterpret_cast<const char*>(data + 1), size - 1);

  GlossedText glossed;
  if (GlossText(file.bytes, glossed)) {
    Require(glossed.map.size() == glossed.text.size());
    for (const std::uint32_t at : glossed.map) Require(at < file.bytes.size());
  }

  FileContext context;
  context.file = &file;
  context.claimed = TypeOfName(file.path);
  context.type = context.claimed;
  context.reach = IsInstructionFile(file.path) ? interlock::core::Reach::kAgent : interlock::core::Reach::kRuntime;
  std::vector<TextSurface> surfaces;
  CollectSurfaces(context, surfaces);
  const TextCanvas canvas = BuildCanvas(context, surfaces);

  std::vector<Meaning> all;
  FindMeanings(canvas, -1e9, all);
  std::vector<Meaning> some;
  FindMeanings(canvas, kLeast, some);
  std::size_t at = 0;
  for (const Meaning& one : all) {
    Require(one.sentence < canvas.sentences.size() && one.passage < canvas.passages.size());
    Require(one.begin <= one.end && one.end <= canvas.text.size());
    Require(std::isfinite(one.score) && one.threat <= 8);
    if (one.score < kLeast + (one.why == "its wording" ? kWordsAlone : 0.0)) continue;
    Require(at < some.size() && some[at].sentence == one.sentence && some[at].score == one.score);
    ++at;
  }
  Require(at == some.size());

  std::vector<SentenceFeatures> features;
  ReadFeatures(canvas, features);
  for (const SentenceFeatures& one : features) {
    for (const std::uint32_t feature : one.features) Require(!FeatureName(feature).empty());
  }
  return 0;
}
