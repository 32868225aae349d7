#include "static/listed_words.h"

#include "interlock/base/check.h"
#include "static/bare_commands.h"
#include "static/order_words.h"
#include "static/text_frames.h"
#include "static/text_gloss.h"

namespace interlock::scan {

const ListedWords& ListedWords::Get() {
  static const ListedWords words;
  return words;
}

ListedWords::Entry& ListedWords::At(std::uint64_t hash) {
  const std::uint32_t known = Find(hash);
  if (known != kNone) return entries_[known];
  const auto number = static_cast<std::uint32_t>(entries_.size());
  INTERLOCK_CHECK(number <= kNumberMask && entries_.size() * 2 < slots_.size(), "the lists are not longer than that");
  std::size_t at = hash & mask_;
  while (slots_[at] != 0) at = (at + 1) & mask_;
  slots_[at] = Tag(hash) << kNumberBits | number;
  entries_.push_back({.hash = hash});
  return entries_.back();
}

ListedWords::ListedWords() {
  const std::vector<MeaningLexicon::Entry>& meanings = MeaningLexicon::Get().entries();
  const std::size_t most = ClassWords().size() + PairFirsts().size() + PairSeconds().size() + OrderWords().size() +
                           meanings.size() + ForeignWords().size() + OutcomeWords().size() + BareProgramWords().size() +
                           1;
  std::size_t slots = 1024;
  while (slots < most * 2) slots *= 2;
  slots_.assign(slots, 0);
  mask_ = slots - 1;
  entries_.reserve(most);
  entries_.emplace_back();
  ClassWords().Each([&](std::string_view word, WordSet set) { At(HashWord(word)).set = set; });
  PairFirsts().Each([&](std::string_view word, WordSet) { At(HashWord(word)).begins_pair = true; });
  PairSeconds().Each([&](std::string_view word, WordSet) { At(HashWord(word)).ends_pair = true; });
  OrderWords().Each([&](std::string_view word, std::uint64_t orders) { At(HashWord(word)).orders = orders; });
  for (const std::string_view word : ForeignWords()) At(HashWord(word)).foreign = true;
  for (const std::string_view word : OutcomeWords()) At(HashWord(word)).outcome = true;
  for (const std::string_view word : BareProgramWords()) At(HashWord(word)).program = true;
  for (std::size_t i = 0; i < meanings.size(); ++i) At(MeaningLexicon::Get().words()[i]).meaning = &meanings[i];
}

}  // namespace interlock::scan
