// The data of the classifier of orders (meaning/*.json) as sets of bits: symbols (a class of words and how it is meant,
// a sign of the place) and frames (conjunctions of symbols) with what each is worth. Private to text_meaning.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "static/meaning_lexicon.h"

namespace interlock::scan {

// How an act is meant.
enum Mode : std::uint8_t { kTold, kOrdered, kForbidden, kModes };

// What is no class of the lexicon: signs of the text and of its place.
enum Sign : std::uint8_t {
  kUrl,
  kMail,
  kSecretPath,
  kTool,  // text of a tool's definition
  kName,
  kSkill,  // instructions
  kDocument,
  kComment,
  kString,
  kConfig,
  kHidden,
  kDecoded,
  kTalkedAbout,  // half describes
  kDescribed,    // mostly describes
  kAboutAttacks,
  kLong,
  kManySentences,
  kVeryManySentences,
  kSigns,
};

inline constexpr std::size_t kSymbolWords = 4;  // of 64 bits

struct SymbolSet {
  std::array<std::uint64_t, kSymbolWords> bits{};
  void Add(std::uint32_t c) noexcept { bits[c / 64] |= std::uint64_t{1} << (c % 64); }
  [[nodiscard]] bool Has(std::uint32_t c) const noexcept { return (bits[c / 64] >> (c % 64) & 1) != 0; }
  SymbolSet& operator|=(const SymbolSet& other) noexcept {
    for (std::size_t i = 0; i < kSymbolWords; ++i) bits[i] |= other.bits[i];
    return *this;
  }
  [[nodiscard]] bool Meets(const SymbolSet& other) const noexcept {
    std::uint64_t both = 0;
    for (std::size_t i = 0; i < kSymbolWords; ++i) both |= bits[i] & other.bits[i];
    return both != 0;
  }
};

// Classes, modes and signs as one numbering.
struct Symbols {
  std::vector<std::string> names;
  std::vector<std::string> titles;
  std::vector<std::uint32_t> of_class;  // first symbol of each class
  std::uint32_t signs = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> remembered;  // class, symbol
  MeaningSet remembered_set;

  static const Symbols& Get();
  explicit Symbols(const MeaningLexicon& lexicon);
  [[nodiscard]] std::uint32_t Number(std::string_view name) const;  // of a symbol that must exist

 private:
  void Push(std::string name, std::string title);
};

struct MeaningFrame {
  std::string id;
  std::uint8_t threat = 0;
  double weight = 0.0;
  std::vector<std::pair<SymbolSet, SymbolSet>> near;
  std::vector<SymbolSet> has;
  std::vector<SymbolSet> lacks;
};

struct MeaningModel {
  std::vector<MeaningFrame> frames;                         // those that are worth something
  std::vector<std::pair<std::uint32_t, double>> modifiers;  // symbol, weight
  double bias = 0.0;
  SymbolSet speech;  // classes that say who is spoken to
  SymbolSet voice;   // ... that it is the assistant

  static const MeaningModel& Get();
  MeaningModel() = default;  // empty
  explicit MeaningModel(BakedReader& in);
  void Write(BakedWriter& out) const;
  // The most that a text with these symbols can reach, whatever the order of its words.
  [[nodiscard]] double Most(const SymbolSet& symbols) const noexcept;

 private:
  friend class ModelBuilder;  // bake/model.cc
  // Every set that a frame needs, frame by frame, the rarest first.
  std::vector<SymbolSet> needs_;
  std::vector<std::uint32_t> need_ends_;  // of each frame
  // Of 64 frames at a time, a bit a frame: those whose k-th need the symbol meets, and those without a k-th need.
  static constexpr std::size_t kIndexed = 3;
  using NeedBits = std::array<std::uint64_t, kIndexed>;
  std::vector<std::vector<NeedBits>> by_symbol_;
  std::vector<NeedBits> needless_;
  std::vector<std::pair<std::uint32_t, double>> raising_;  // modifiers above 0, ...
  SymbolSet raisers_;                                      // ... and their symbols
};

}  // namespace interlock::scan
