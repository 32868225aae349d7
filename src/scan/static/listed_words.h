// What every list of words says of a word, in one look: classes (text_lexicon.h), classes of orders (order_words.h),
// meanings (meaning_lexicon.h), whether a pair of words begins with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "static/meaning_lexicon.h"
#include "static/text_lexicon.h"

namespace interlock::scan {

class ListedWords {
 public:
  struct Entry {
    std::uint64_t hash = 0;  // HashWord(): two words with one hash are one word (who makes such a pair gains nothing)
    WordSet set = 0;
    std::uint64_t orders = 0;                        // OrderWords()
    const MeaningLexicon::Entry* meaning = nullptr;  // nullptr: none
    bool begins_pair = false;
    bool ends_pair = false;
    bool foreign = false;  // ForeignWords()
    bool outcome = false;  // OutcomeWords()
    bool program = false;  // BareProgramWords()
  };
  // 0: in no list.
  static constexpr std::uint32_t kNone = 0;

  [[nodiscard]] static const ListedWords& Get();

  // The number of a lower-case word.
  [[nodiscard]] std::uint32_t Find(std::string_view word) const noexcept { return Find(HashWord(word)); }
  [[nodiscard]] std::uint32_t Find(std::uint64_t hash) const noexcept {
    const std::uint32_t* const slots = slots_.data();
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const std::uint32_t slot = slots[at];
      if (slot == 0) return kNone;
      if (slot >> kNumberBits == Tag(hash) && entries()[slot & kNumberMask].hash == hash) return slot & kNumberMask;
    }
  }
  [[nodiscard]] const Entry& operator[](std::uint32_t number) const noexcept { return entries_[number]; }
  // By numbers that Find() gave: for what is asked of every word.
  [[nodiscard]] const Entry* entries() const noexcept { return entries_.data(); }

 private:
  static constexpr unsigned kNumberBits = 16;
  static constexpr std::uint32_t kNumberMask = (1U << kNumberBits) - 1;
  static std::uint32_t Tag(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 48U); }

  ListedWords();
  Entry& At(std::uint64_t hash);  // made if need be
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // tag and number
  std::uint64_t mask_ = 0;
};

}  // namespace interlock::scan
