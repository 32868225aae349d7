// meaning/frames.json and weights.json to sets of bits.
#include <algorithm>
#include <bit>
#include <utility>

#include "bake/bake.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "static/meaning_model.h"

namespace interlock::scan {
namespace {

// Symbols of a list of names; a group is a list too, and holds no group whose members hold it.
SymbolSet SetOf(const Symbols& symbols, std::string_view list, const base::JsonValue& groups, int depth = 0) {
  SymbolSet out;
  INTERLOCK_CHECK(depth < 8, "groups end");
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    const std::string_view name = list.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    if (name == "ACT!") {
      const std::vector<std::string>& names = symbols.names;
      for (std::uint32_t i = 0; i < names.size(); ++i) {
        if (names[i].ends_with('!')) out.Add(i);
      }
    } else if (const base::JsonValue group = groups.Find(name); group.exists()) {
      const SymbolSet inner = SetOf(symbols, group.string(), groups, depth + 1);
      for (std::size_t i = 0; i < kSymbolWords; ++i) out.bits[i] |= inner.bits[i];
    } else {
      out.Add(symbols.Number(name));
    }
  }
  return out;
}

}  // namespace

class ModelBuilder {
 public:
  static MeaningModel Build(const Symbols& symbols, std::string_view frames_json, std::string_view weights_json);
};

MeaningModel ModelBuilder::Build(const Symbols& symbols, std::string_view frames_json, std::string_view weights_json) {
  MeaningModel out;
  const auto frames_doc = base::JsonDoc::Parse(frames_json);
  const auto weights_doc = base::JsonDoc::Parse(weights_json);
  INTERLOCK_CHECK(frames_doc.ok() && weights_doc.ok(), "the shipped model is valid");
  const base::JsonValue root = frames_doc.value().root();
  const base::JsonValue weights = weights_doc.value().root().Find("weights");
  out.bias = weights_doc.value().root().Find("bias").AsDouble().value_or(0.0);
  const base::JsonValue groups = root.Find("groups");
  // Of sentences, and of what several sentences say together.
  for (const char* const kind : {"frames", "units"}) {
    const base::JsonValue list = root.Find(kind);
    for (auto it = list.begin(); it != list.end(); ++it) {
      MeaningFrame frame;
      frame.id = (*it).Find("id").string();
      const std::string_view threat = (*it).Find("threat").string();
      INTERLOCK_CHECK(threat.size() == 2, "a frame names its class of threats");
      frame.threat = static_cast<std::uint8_t>(threat[1] - '0');
      frame.weight = weights.Find(frame.id).AsDouble().value_or(0.0);
      if (frame.weight <= 0.0) continue;
      const base::JsonValue near = (*it).Find("near");
      for (auto pair = near.begin(); pair != near.end(); ++pair) {
        auto half = (*pair).begin();
        const SymbolSet first = SetOf(symbols, (*half).string(), groups);
        ++half;
        frame.near.emplace_back(first, SetOf(symbols, (*half).string(), groups));
      }
      for (const auto& [key, sets] : {std::pair{"has", &frame.has}, std::pair{"lacks", &frame.lacks}}) {
        const base::JsonValue parts = (*it).Find(key);
        for (auto part = parts.begin(); part != parts.end(); ++part)
          sets->push_back(SetOf(symbols, (*part).string(), groups));
      }
      out.frames.push_back(std::move(frame));
    }
  }
  const auto size = [](const SymbolSet& set) {
    int bits = 0;
    for (const std::uint64_t word : set.bits) bits += std::popcount(word);
    return bits;
  };
  for (const MeaningFrame& frame : out.frames) {
    const auto first = static_cast<std::ptrdiff_t>(out.needs_.size());
    out.needs_.insert(out.needs_.end(), frame.has.begin(), frame.has.end());
    for (const auto& [act, thing] : frame.near) {
      out.needs_.push_back(act);
      out.needs_.push_back(thing);
    }
    std::ranges::stable_sort(out.needs_.begin() + first, out.needs_.end(), {}, size);
    out.need_ends_.push_back(static_cast<std::uint32_t>(out.needs_.size()));
  }
  const std::size_t blocks = (out.frames.size() + 63) / 64;
  out.by_symbol_.assign(blocks, std::vector<MeaningModel::NeedBits>(kSymbolWords * 64));
  out.needless_.assign(blocks, {});
  for (std::size_t f = 0; f < out.frames.size(); ++f) {
    const std::uint64_t bit = std::uint64_t{1} << (f % 64);
    const std::uint32_t first = f == 0 ? 0 : out.need_ends_[f - 1];
    for (std::size_t k = 0; k < MeaningModel::kIndexed; ++k) {
      if (first + k >= out.need_ends_[f]) {
        out.needless_[f / 64][k] |= bit;
        continue;
      }
      for (std::uint32_t symbol = 0; symbol < kSymbolWords * 64; ++symbol) {
        if (out.needs_[first + k].Has(symbol)) out.by_symbol_[f / 64][symbol][k] |= bit;
      }
    }
  }
  for (const std::string_view id : {"agent", "voice", "ctx:voice"}) out.speech.Add(symbols.Number(id));
  for (const std::string_view id : {"voice", "ctx:voice"}) out.voice.Add(symbols.Number(id));
  for (const std::string_view key : {"for", "against"}) {
    const base::JsonValue names = root.Find(key);
    for (auto it = names.begin(); it != names.end(); ++it) {
      const double weight = weights.Find("+ " + std::string((*it).string())).AsDouble().value_or(0.0);
      if (weight != 0.0) out.modifiers.emplace_back(symbols.Number((*it).string()), weight);
      if (weight > 0.0) out.raising_.push_back(out.modifiers.back());
    }
  }
  for (const auto& [symbol, weight] : out.raising_) out.raisers_.Add(symbol);
  return out;
}

MeaningModel ModelFromJson(const MeaningLexicon& lexicon, std::string_view frames, std::string_view weights) {
  return ModelBuilder::Build(Symbols(lexicon), frames, weights);
}

}  // namespace interlock::scan
