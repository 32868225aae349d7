#include "interlock/scan/order_features.h"

#include "static/classify.h"
#include "static/surface.h"
#include "static/text_canvas.h"
#include "static/text_meaning.h"
#include "static/word_model.h"

namespace interlock::scan {

std::vector<OrderSentence> ReadOrderSentences(const core::PackageView& view) {
  std::vector<OrderSentence> out;
  for (const FileContext& file : ClassifyFiles(view, KindOfPackage(view))) {
    if (!IsText(file.type) || file.text().empty()) continue;
    std::vector<TextSurface> surfaces;
    CollectSurfaces(file, surfaces);
    const TextCanvas canvas = BuildCanvas(file, surfaces);
    std::vector<SentenceFeatures> found;
    ReadFeatures(canvas, found);
    for (SentenceFeatures& one : found) {
      out.push_back({file.file->path, file.reach, std::string(canvas.Of(canvas.sentences[one.sentence]).substr(0, 400)),
                     std::uint64_t{file.index} << 32 | one.unit, std::move(one.features),
                     ModelWords(canvas, canvas.sentences[one.sentence])});
    }
  }
  return out;
}

std::string OrderFeatureName(std::uint32_t feature) { return FeatureName(feature); }

}  // namespace interlock::scan
