#include "static/meaning_model.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>

#include "interlock/base/check.h"

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

}  // namespace

void Symbols::Push(std::string name, std::string title) {
  names.push_back(std::move(name));
  titles.push_back(std::move(title));
}

Symbols::Symbols(const MeaningLexicon& lexicon) {
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

std::uint32_t Symbols::Number(std::string_view name) const {
  const auto at = std::ranges::find(names, name);
  INTERLOCK_CHECK(at != names.end(), "a frame uses the lexicon's classes");
  return static_cast<std::uint32_t>(at - names.begin());
}

namespace {

using Weights = std::vector<std::pair<std::uint32_t, double>>;

void PutWeights(BakedWriter& out, const Weights& weights) {
  out.Put(std::uint64_t{weights.size()});
  for (const auto& [symbol, weight] : weights) {
    out.Put(symbol);
    out.Put(weight);
  }
}

Weights GetWeights(BakedReader& in) {
  Weights weights(in.Get<std::uint64_t>());
  for (auto& [symbol, weight] : weights) {
    symbol = in.Get<std::uint32_t>();
    weight = in.Get<double>();
  }
  return weights;
}

}  // namespace

void MeaningModel::Write(BakedWriter& out) const {
  out.Put(bias);
  out.Put(speech);
  out.Put(voice);
  PutWeights(out, modifiers);
  PutWeights(out, raising_);
  out.Put(raisers_);
  out.Put(std::uint64_t{frames.size()});
  for (const MeaningFrame& frame : frames) {
    out.PutText(frame.id);
    out.Put(frame.threat);
    out.Put(frame.weight);
    std::vector<SymbolSet> near;
    for (const auto& [first, second] : frame.near) {
      near.push_back(first);
      near.push_back(second);
    }
    out.PutAll(near);
    out.PutAll(frame.has);
    out.PutAll(frame.lacks);
  }
  out.PutAll(needs_);
  out.PutAll(need_ends_);
  out.Put(std::uint64_t{by_symbol_.size()});
  for (const std::vector<NeedBits>& block : by_symbol_) out.PutAll(block);
  out.PutAll(needless_);
}

MeaningModel::MeaningModel(BakedReader& in) {
  bias = in.Get<double>();
  speech = in.Get<SymbolSet>();
  voice = in.Get<SymbolSet>();
  modifiers = GetWeights(in);
  raising_ = GetWeights(in);
  raisers_ = in.Get<SymbolSet>();
  frames.resize(in.Get<std::uint64_t>());
  for (MeaningFrame& frame : frames) {
    frame.id = in.GetText();
    frame.threat = in.Get<std::uint8_t>();
    frame.weight = in.Get<double>();
    const std::span<const SymbolSet> near = in.GetAll<SymbolSet>();
    for (std::size_t i = 0; i + 1 < near.size(); i += 2) frame.near.emplace_back(near[i], near[i + 1]);
    frame.has = in.GetVector<SymbolSet>();
    frame.lacks = in.GetVector<SymbolSet>();
  }
  needs_ = in.GetVector<SymbolSet>();
  need_ends_ = in.GetVector<std::uint32_t>();
  by_symbol_.resize(in.Get<std::uint64_t>());
  for (std::vector<NeedBits>& block : by_symbol_) block = in.GetVector<NeedBits>();
  needless_ = in.GetVector<NeedBits>();
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
