#include "static/meaning_model.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

#include "interlock/base/check.h"
#include "interlock/base/json.h"

namespace interlock::embedded {
std::string_view Find_scan_meaning(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

constexpr std::array<std::string_view, kSigns> kSignNames = {
    "url",      "mail",     "secretpath", "k:tool", "k:name", "k:skill",    "k:document", "k:comment", "k:string",
    "k:config", "k:hidden", "k:decoded",  "d:half", "d:most", "d:security", "long",       "n:many",    "n:more"};
constexpr std::array<std::string_view, kSigns> kSignTitles = {"an address",
                                                              "a mail address",
                                                              "a file that holds secrets",
                                                              "in a tool's definition",
                                                              "in a name",
                                                              "in instructions",
                                                              "in a document",
                                                              "in a comment",
                                                              "in a string",
                                                              "in a configuration",
                                                              "hidden",
                                                              "encoded",
                                                              "described",
                                                              "described",
                                                              "in a text about attacks",
                                                              "a long sentence",
                                                              "a long text",
                                                              "a long text"};
// What earlier sentences of the passage spoke of.
constexpr std::array<std::string_view, 20> kRemembered = {
    "secret",  "token", "env", "talk",     "system",  "personal", "program", "place", "memory",   "other",
    "picture", "get",   "run", "secretly", "unasked", "voice",    "urgent",  "rank",  "override", "decode"};

std::uint32_t Number(std::string_view name) {
  static const std::unordered_map<std::string_view, std::uint32_t> numbers = [] {
    std::unordered_map<std::string_view, std::uint32_t> out;
    const std::vector<std::string>& names = Symbols::Get().names;
    for (std::uint32_t i = 0; i < names.size(); ++i) out.emplace(names[i], i);
    return out;
  }();
  const auto at = numbers.find(name);
  INTERLOCK_CHECK(at != numbers.end(), "a frame uses the lexicon's classes");
  return at->second;
}

// Symbols of a list of names; a group is a list too, and holds no group whose members hold it.
SymbolSet SetOf(std::string_view list, const base::JsonValue& groups, int depth = 0) {
  SymbolSet out;
  INTERLOCK_CHECK(depth < 8, "groups end");
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    const std::string_view name = list.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    if (name == "ACT!") {
      const std::vector<std::string>& names = Symbols::Get().names;
      for (std::uint32_t i = 0; i < names.size(); ++i) {
        if (names[i].ends_with('!')) out.Add(i);
      }
    } else if (const base::JsonValue group = groups.Find(name); group.exists()) {
      const SymbolSet inner = SetOf(group.string(), groups, depth + 1);
      for (std::size_t i = 0; i < kSymbolWords; ++i) out.bits[i] |= inner.bits[i];
    } else {
      out.Add(Number(name));
    }
  }
  return out;
}

}  // namespace

const Symbols& Symbols::Get() {
  static const Symbols symbols;
  return symbols;
}

void Symbols::Push(std::string name, std::string title) {
  names.push_back(std::move(name));
  titles.push_back(std::move(title));
}

Symbols::Symbols() {
  const MeaningLexicon& lexicon = MeaningLexicon::Get();
  for (const MeaningClass& one : lexicon.classes()) {
    of_class.push_back(static_cast<std::uint32_t>(names.size()));
    if (one.kind != MeaningKind::kAct) {
      Push(one.id, one.title);
      continue;
    }
    Push(one.id, one.title);
    Push(one.id + "!", one.title + " (ordered)");
    Push(one.id + "-", one.title + " (forbidden)");
  }
  signs = static_cast<std::uint32_t>(names.size());
  for (std::size_t i = 0; i < kSigns; ++i) {
    Push(std::string(kSignNames[i]), std::string(kSignTitles[i]));
  }
  for (const std::string_view id : kRemembered) {
    const std::uint32_t number = lexicon.Number(id);
    remembered.emplace_back(number, static_cast<std::uint32_t>(names.size()));
    remembered_set.Add(number);
    Push("ctx:" + std::string(id), "before: " + lexicon.classes()[number].title);
  }
  INTERLOCK_CHECK(names.size() < kSymbolWords * 64, "no more symbols than a set holds");
}

const MeaningModel& MeaningModel::Get() {
  static const MeaningModel model;
  return model;
}

MeaningModel::MeaningModel() {
  const auto frames_doc = base::JsonDoc::Parse(embedded::Find_scan_meaning("frames.json"));
  const auto weights_doc = base::JsonDoc::Parse(embedded::Find_scan_meaning("weights.json"));
  INTERLOCK_CHECK(frames_doc.ok() && weights_doc.ok(), "the shipped model is valid");
  const base::JsonValue root = frames_doc.value().root();
  const base::JsonValue weights = weights_doc.value().root().Find("weights");
  bias = weights_doc.value().root().Find("bias").AsDouble().value_or(0.0);
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
        const SymbolSet first = SetOf((*half).string(), groups);
        ++half;
        frame.near.emplace_back(first, SetOf((*half).string(), groups));
      }
      for (const auto& [key, out] : {std::pair{"has", &frame.has}, std::pair{"lacks", &frame.lacks}}) {
        const base::JsonValue parts = (*it).Find(key);
        for (auto part = parts.begin(); part != parts.end(); ++part) out->push_back(SetOf((*part).string(), groups));
      }
      frames.push_back(std::move(frame));
    }
  }
  const auto size = [](const SymbolSet& set) {
    int bits = 0;
    for (const std::uint64_t word : set.bits) bits += std::popcount(word);
    return bits;
  };
  for (const MeaningFrame& frame : frames) {
    const auto first = static_cast<std::ptrdiff_t>(needs_.size());
    needs_.insert(needs_.end(), frame.has.begin(), frame.has.end());
    for (const auto& [act, thing] : frame.near) {
      needs_.push_back(act);
      needs_.push_back(thing);
    }
    std::ranges::stable_sort(needs_.begin() + first, needs_.end(), {}, size);
    need_ends_.push_back(static_cast<std::uint32_t>(needs_.size()));
  }
  const std::size_t blocks = (frames.size() + 63) / 64;
  by_symbol_.assign(blocks, std::vector<NeedBits>(kSymbolWords * 64));
  needless_.assign(blocks, {});
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const std::uint64_t bit = std::uint64_t{1} << (f % 64);
    const std::uint32_t first = f == 0 ? 0 : need_ends_[f - 1];
    for (std::size_t k = 0; k < kIndexed; ++k) {
      if (first + k >= need_ends_[f]) {
        needless_[f / 64][k] |= bit;
        continue;
      }
      for (std::uint32_t symbol = 0; symbol < kSymbolWords * 64; ++symbol) {
        if (needs_[first + k].Has(symbol)) by_symbol_[f / 64][symbol][k] |= bit;
      }
    }
  }
  for (const std::string_view id : {"agent", "voice", "ctx:voice"}) speech.Add(Number(id));
  for (const std::string_view id : {"voice", "ctx:voice"}) voice.Add(Number(id));
  for (const std::string_view key : {"for", "against"}) {
    const base::JsonValue names = root.Find(key);
    for (auto it = names.begin(); it != names.end(); ++it) {
      const double weight = weights.Find("+ " + std::string((*it).string())).AsDouble().value_or(0.0);
      if (weight != 0.0) modifiers.emplace_back(Number((*it).string()), weight);
      if (weight > 0.0) raising_.push_back(modifiers.back());
    }
  }
  for (const auto& [symbol, weight] : raising_) raisers_.Add(symbol);
}

// Frames whose needs may all be met, by the symbols that meet each frame's three rarest ones; of these few, every need
// is looked at. In the order of the frames: sums of doubles depend on it.
double MeaningModel::Most(const SymbolSet& symbols) const noexcept {
  double most = bias;
  std::array<std::uint64_t, kIndexed> met{};
  for (std::size_t from = 0; from < frames.size(); from += 64) {
    met = {};
    const std::vector<NeedBits>& by_symbol = by_symbol_[from / 64];
    for (std::size_t half = 0; half < kSymbolWords; ++half) {
      for (std::uint64_t bits = symbols.bits[half]; bits != 0; bits &= bits - 1) {
        const NeedBits& of = by_symbol[half * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
        for (std::size_t k = 0; k < kIndexed; ++k) met[k] |= of[k];
      }
    }
    std::uint64_t possible = ~std::uint64_t{0};
    for (std::size_t k = 0; k < kIndexed; ++k) possible &= met[k] | needless_[from / 64][k];
    for (; possible != 0; possible &= possible - 1) {
      const std::size_t f = from + static_cast<std::size_t>(std::countr_zero(possible));
      std::uint32_t at = f == 0 ? 0 : need_ends_[f - 1];
      while (at < need_ends_[f] && symbols.Meets(needs_[at])) ++at;
      if (at == need_ends_[f]) most += frames[f].weight;
    }
  }
  if (!symbols.Meets(raisers_)) return most;
  for (const auto& [symbol, weight] : raising_) most += symbols.Has(symbol) ? weight : 0.0;
  return most;
}

}  // namespace interlock::scan
