// meaning/lexicon.json to classes, words and phrases.
#include <algorithm>
#include <map>
#include <utility>

#include "bake/bake.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "static/meaning_lexicon.h"
#include "static/text_lexicon.h"

namespace interlock::scan {
namespace {

void EachWord(std::string_view list, const auto& use) {
  std::size_t at = 0;
  while (at < list.size()) {
    std::size_t end = list.find(' ', at);
    if (end == std::string_view::npos) end = list.size();
    if (end > at) use(list.substr(at, end - at));
    at = end + 1;
  }
}

bool IsVowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

// -s, -ed, -ing of a verb; of a short one also with its last letter doubled.
std::vector<std::string> FormsOf(const std::string& verb) {
  const std::size_t dash = verb.rfind('-');
  const std::string head = dash == std::string::npos ? "" : verb.substr(0, dash + 1);
  const std::string base = dash == std::string::npos ? verb : verb.substr(dash + 1);
  if (base.size() < 2) return {};
  const char last = base.back();
  const char next = base[base.size() - 2];
  const bool y = last == 'y' && !IsVowel(next);
  const std::string stem = last == 'e' || y ? base.substr(0, base.size() - 1) : base;
  const bool hiss = base.ends_with("s") || base.ends_with("sh") || base.ends_with("ch") || base.ends_with("x");
  std::vector<std::string> out = {y      ? stem + "ies"
                                  : hiss ? base + "es"
                                         : base + "s",
                                  (y ? stem + "i" : stem) + "ed", (y ? base : stem) + "ing"};
  if (base.size() >= 3 && !IsVowel(last) && last != 'w' && last != 'x' && last != 'y' && IsVowel(next) &&
      !IsVowel(base[base.size() - 3])) {
    out.push_back(base + last + "ed");
    out.push_back(base + last + "ing");
  }
  for (std::string& form : out) form = head + form;
  return out;
}

}  // namespace

class LexiconBuilder {
 public:
  static MeaningLexicon Build(std::string_view json);
};

MeaningLexicon LexiconBuilder::Build(std::string_view json) {
  using Phrase = MeaningLexicon::Phrase;
  MeaningLexicon out;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(json);
  INTERLOCK_CHECK(doc.ok(), "the shipped lexicon is valid");
  struct Draft {
    MeaningSet set;
    MeaningSet base;
    std::vector<std::pair<Phrase, std::vector<std::string>>> phrases;  // with the words after the first
  };
  std::map<std::string, Draft> drafts;
  const base::JsonValue list = doc.value().root().Find("classes");
  for (auto it = list.begin(); it != list.end(); ++it) {
    const base::JsonValue item = *it;
    const auto number = static_cast<std::uint32_t>(out.classes_.size());
    INTERLOCK_CHECK(number < kMaxMeanings, "no more classes than bits");
    MeaningClass one;
    one.id = item.Find("id").string();
    one.title = item.Find("title").string();
    const std::string_view kind = item.Find("kind").string();
    one.kind = kind == "act" ? MeaningKind::kAct : kind == "thing" ? MeaningKind::kThing : MeaningKind::kMark;
    const std::string_view threat = item.Find("threat").string();
    if (threat.size() == 2) one.threat = static_cast<std::uint8_t>(threat[1] - '0');
    if (one.kind == MeaningKind::kAct) out.acts_.Add(number);
    out.classes_.push_back(std::move(one));
    EachWord(item.Find("verbs").string(), [&](std::string_view verb) {
      Draft& draft = drafts[std::string(verb)];
      draft.set.Add(number);
      draft.base.Add(number);
      for (const std::string& form : FormsOf(std::string(verb))) drafts[form].set.Add(number);
    });
    EachWord(item.Find("words").string(), [&](std::string_view word) {
      Phrase phrase;
      std::vector<std::string> rest;
      phrase.set.Add(number);
      if (word.front() == '<' || word.front() == '[') {
        phrase.before = word.front();
        word.remove_prefix(1);
        if (word.starts_with('/')) word.remove_prefix(1);
      }
      if (word.back() == '>' || word.back() == ']' || word.back() == ':') {
        phrase.after = word.back();
        word.remove_suffix(1);
      }
      std::string first;
      for (std::size_t at = 0; at <= word.size();) {
        const std::size_t end = std::min(word.find(':', at), word.size());
        std::string part(word.substr(at, end - at));
        // A word with an underscore is one name in code, and two words elsewhere.
        if (first.empty()) {
          first = std::move(part);
        } else {
          rest.push_back(std::move(part));
        }
        at = end + 1;
      }
      Draft& draft = drafts[first];
      if (rest.empty() && phrase.before == 0 && phrase.after == 0) {
        draft.set.Add(number);
        // Forms that are listed by themselves order nothing.
        return;
      }
      draft.phrases.emplace_back(phrase, std::move(rest));
    });
  }
  out.entries_.reserve(drafts.size());
  for (auto& [word, draft] : drafts) {
    MeaningLexicon::Entry entry;
    entry.set = draft.set;
    entry.base = draft.base;
    // The longest phrase first.
    std::ranges::stable_sort(draft.phrases,
                             [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    entry.phrases = static_cast<std::uint32_t>(out.phrases_.size());
    entry.count = static_cast<std::uint32_t>(draft.phrases.size());
    for (auto& [phrase, rest] : draft.phrases) {
      phrase.rest = static_cast<std::uint32_t>(out.hashes_.size());
      phrase.size = static_cast<std::uint8_t>(rest.size());
      for (const std::string& next : rest) out.hashes_.push_back(HashWord(next));
      entry.next |= rest.empty() ? ~std::uint64_t{0} : MeaningLexicon::NextBit(out.hashes_[phrase.rest]);
      out.phrases_.push_back(phrase);
    }
    out.entries_.push_back(entry);
    out.words_.push_back(HashWord(word));
  }
  return out;
}

MeaningLexicon LexiconFromJson(std::string_view json) { return LexiconBuilder::Build(json); }

}  // namespace interlock::scan
