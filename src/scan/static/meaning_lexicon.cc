#include "static/meaning_lexicon.h"

#include <algorithm>

#include "interlock/base/check.h"

namespace interlock::scan {

MeaningLexicon::MeaningLexicon(BakedReader& in) : classes_(in.Get<std::uint64_t>()) {
  for (MeaningClass& one : classes_) {
    one.id = in.GetText();
    one.title = in.GetText();
    one.kind = in.Get<MeaningKind>();
    one.threat = in.Get<std::uint8_t>();
  }
  phrases_ = in.GetVector<Phrase>();
  hashes_ = in.GetVector<std::uint64_t>();
  entries_ = in.GetVector<Entry>();
  words_ = in.GetVector<std::uint64_t>();
  acts_ = in.Get<MeaningSet>();
}

void MeaningLexicon::Write(BakedWriter& out) const {
  out.Put(std::uint64_t{classes_.size()});
  for (const MeaningClass& one : classes_) {
    out.PutText(one.id);
    out.PutText(one.title);
    out.Put(one.kind);
    out.Put(one.threat);
  }
  out.PutAll(phrases_);
  out.PutAll(hashes_);
  out.PutAll(entries_);
  out.PutAll(words_);
  out.Put(acts_);
}

std::uint32_t MeaningLexicon::Number(std::string_view id) const {
  const auto at = std::ranges::find(classes_, id, &MeaningClass::id);
  INTERLOCK_CHECK(at != classes_.end(), "the lexicon has the classes that the reader asks for");
  return static_cast<std::uint32_t>(at - classes_.begin());
}

}  // namespace interlock::scan
