// Classes of words for the classifier of sentences (meaning/lexicon.json, read by bake/). Private to text_meaning.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "static/baked.h"

namespace interlock::scan {

enum class MeaningKind : std::uint8_t { kAct, kThing, kMark };

struct MeaningClass {
  std::string id;
  std::string title;
  MeaningKind kind = MeaningKind::kThing;
  std::uint8_t threat = 0;  // 1 to 8; 0: of none in particular
};

inline constexpr std::size_t kMaxMeanings = 128;

// A set of classes, by number.
struct MeaningSet {
  std::array<std::uint64_t, 2> bits{};
  void Add(std::uint32_t c) noexcept { bits[c / 64] |= std::uint64_t{1} << (c % 64); }
  [[nodiscard]] bool Has(std::uint32_t c) const noexcept { return (bits[c / 64] >> (c % 64) & 1) != 0; }
  [[nodiscard]] bool empty() const noexcept { return (bits[0] | bits[1]) == 0; }
  MeaningSet& operator|=(const MeaningSet& other) noexcept {
    bits[0] |= other.bits[0];
    bits[1] |= other.bits[1];
    return *this;
  }
  [[nodiscard]] bool Meets(const MeaningSet& other) const noexcept {
    return ((bits[0] & other.bits[0]) | (bits[1] & other.bits[1])) != 0;
  }
};

class MeaningLexicon {
 public:
  [[nodiscard]] static const MeaningLexicon& Get();

  MeaningLexicon() = default;  // empty
  explicit MeaningLexicon(BakedReader& in);
  void Write(BakedWriter& out) const;

  // What a listed word is; phrases that it may begin are after `phrases`, `count` of them.
  struct Entry {
    MeaningSet set;   // of the word alone
    MeaningSet base;  // of these: the form in which one is told to do something
    std::uint32_t phrases = 0;
    std::uint32_t count = 0;
    // NextBit() of each phrase's second word: the word after it says which entries begin no phrase here.
    std::uint64_t next = 0;
  };
  static constexpr std::uint64_t NextBit(std::uint64_t hash) noexcept { return std::uint64_t{1} << (hash % 64); }
  struct Phrase {
    MeaningSet set;
    std::uint32_t rest = 0;  // hashes of the words after the first begin there, ...
    std::uint8_t size = 0;   // ... so many of them
    char before = 0;         // the sign that must stand right before; 0: any
    char after = 0;
    std::uint8_t unused = 0;
  };
  // By word; looked up in ListedWords.
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  // HashWord() of the entries' words.
  [[nodiscard]] const std::vector<std::uint64_t>& words() const noexcept { return words_; }
  [[nodiscard]] const std::uint64_t* hashes(const Phrase& phrase) const noexcept {
    return hashes_.data() + phrase.rest;
  }
  [[nodiscard]] const Phrase& phrase(std::uint32_t i) const noexcept { return phrases_[i]; }
  [[nodiscard]] const std::vector<MeaningClass>& classes() const noexcept { return classes_; }
  [[nodiscard]] std::uint32_t Number(std::string_view id) const;  // of a class that must exist
  [[nodiscard]] const MeaningSet& acts() const noexcept { return acts_; }

 private:
  friend class LexiconBuilder;  // bake/lexicon.cc
  std::vector<MeaningClass> classes_;
  std::vector<Phrase> phrases_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> words_;
  MeaningSet acts_;
};

}  // namespace interlock::scan
