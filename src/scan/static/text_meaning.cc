#include "static/text_meaning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "static/listed_words.h"
#include "static/meaning_model.h"
#include "static/text_denials.h"
#include "static/text_frames.h"
#include "static/text_gloss.h"
#include "static/word_model.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxHits = 200'000;
constexpr std::uint32_t kMaxWords = 120;  // of a sentence; a longer one is a list
constexpr std::uint32_t kMinWords = 3;
constexpr int kReach = 12;  // words after an act in which its object is looked for
constexpr int kBack = 5;    // ... and before it
constexpr std::size_t kMaxItems = 64;
constexpr std::size_t kLongestWord = 40;
constexpr std::uint32_t kUnitSentences = 12;  // of a passage that are read together
constexpr int kLongSentence = 40;
constexpr double kMuchOfAttacks = 0.08;  // share of sentences
constexpr double kHalfDescribed = 0.3;
constexpr double kMostlyDescribed = 0.5;
constexpr double kWhollyDescribed = 0.8;

constexpr std::size_t kMany = 4;  // sentences of a unit that say something
constexpr std::size_t kVeryMany = 9;

enum FeatureKind : std::uint32_t { kOne, kNear };
constexpr std::uint32_t kSymbolBits = 10;
constexpr std::uint32_t Number(FeatureKind kind, std::uint32_t a, std::uint32_t b = 0) {
  return (static_cast<std::uint32_t>(kind) << (2 * kSymbolBits)) | (a << kSymbolBits) | b;
}

struct Item {
  std::uint32_t symbol = 0;
  std::int16_t at = 0;  // word; below 0: of the whole sentence
  bool act = false;
};

// A sentence of the unit, and where its parts lie in the reader's lists.
struct Part {
  std::uint32_t sentence = 0;
  std::uint32_t sets = 0;  // of its first word
  MeaningSet all;
  MeaningSet before;     // of the two sentences before it
  MeaningSet may_order;  // of words in the form in which one is told to do something, or behind "be" or "by"
  std::uint32_t items = 0;
  std::uint32_t last_item = 0;
  std::uint32_t pairs = 0;
  std::uint32_t last_pair = 0;
  SymbolSet symbols;
  std::uint32_t first_word = 0;  // in the canvas
  std::uint32_t last_word = 0;
  double described = 0.0;
  WordEvidence wording;
  bool kept = true;
};

// Reads units: the sentences of a description, a paragraph, a string that stand together.
class Reader {
 public:
  explicit Reader(const TextCanvas& canvas)
      : canvas_(canvas),
        not_(lexicon_.Number("not")),
        without_(lexicon_.Number("without")),
        must_(lexicon_.Number("must")),
        you_(lexicon_.Number("you")),
        agent_(lexicon_.Number("agent")),
        secretly_(lexicon_.Number("secretly")),
        rival_(lexicon_.Number("rival")),
        tool_(lexicon_.Number("tool")),
        other_(lexicon_.Number("other")),
        program_(lexicon_.Number("program")) {
    for (const auto& [c, symbol] : symbols_.remembered) after_[c] = symbol;
  }

  // Calls use() for every unit that says something.
  void Run(const auto& use) {
    std::uint32_t section = 0;
    const TextPassage* before = nullptr;
    for (const TextPassage& passage : canvas_.passages) {
      if (passage.shape == TextShape::kCode || passage.last <= passage.first) continue;
      const bool other = before == nullptr || passage.section != section || before->kind != passage.kind ||
                         (passage.kind & (kSurfaceInstruction | kSurfaceDocument)) == 0;
      if (other) recent_ = {};
      before = &passage;
      section = passage.section;
      for (std::uint32_t first = passage.first; first < passage.last; first += kUnitSentences) {
        Read(first, std::min(first + kUnitSentences, passage.last));
        if (parts_.empty()) continue;
        place_ = SignsOf(passage);
        use();
      }
    }
  }

  // Every symbol that the unit may have, without a look at the order of its words.
  [[nodiscard]] SymbolSet Possible() const {
    SymbolSet out = place_;
    for (const Part& part : parts_) {
      const WordSet words = canvas_.sentences[part.sentence].all;
      if ((words & Bit(kWUrl)) != 0) out.Add(symbols_.signs + kUrl);
      if ((words & Bit(kWMail)) != 0) out.Add(symbols_.signs + kMail);
      if ((words & Bit(kWSecretPath)) != 0) out.Add(symbols_.signs + kSecretPath);
      const bool denied = part.all.Has(not_) || part.all.Has(without_);
      EachClass(part.all, [&](std::uint32_t c) {
        const std::uint32_t symbol = symbols_.of_class[c];
        out.Add(symbol);
        if (!lexicon_.acts().Has(c)) return;
        if (part.may_order.Has(c)) out.Add(symbol + kOrdered);
        if (denied) out.Add(symbol + kForbidden);
      });
      Remembered(part, out);
    }
    return out;
  }

  // ... once they are gathered: whichever sentences count, whatever their mood.
  [[nodiscard]] SymbolSet AtMost() const {
    SymbolSet out = place_;
    for (const Part& part : parts_) out |= part.symbols;
    for (const Sign sign : {kTalkedAbout, kDescribed, kManySentences, kVeryManySentences})
      out.Add(symbols_.signs + sign);
    return out;
  }

  // Symbols of each sentence, and what stands near what.
  void Gather() {
    items_.clear();
    pairs_.clear();
    for (Part& part : parts_) {
      Items(part);
      Pair(part);
    }
  }

  // What the words of the sentences that count are worth.
  [[nodiscard]] double Wording() const {
    WordEvidence sum;
    for (const Part& part : parts_) {
      if (part.kept) sum += part.wording;
    }
    return sum.odds();
  }
  // ... and at most, whichever of them count: of a sum over the root of a count, the best choice takes those with most
  // a word, or one alone.
  [[nodiscard]] double MostOfWording() const {
    constexpr double kRounding = 1e-4;  // sums of another order
    double most = WordEvidence{}.odds();
    if (parts_.size() == 1) return std::max(most, parts_.front().wording.odds()) + kRounding;
    std::array<const WordEvidence*, kUnitSentences> by_share{};
    std::size_t count = 0;
    for (const Part& part : parts_) {
      most = std::max(most, part.wording.odds());
      by_share[count++] = &part.wording;
    }
    const auto share = [](const WordEvidence* one) {
      return one->sum / static_cast<float>(std::max<std::uint32_t>(one->known, 1));
    };
    std::sort(by_share.begin(), by_share.begin() + static_cast<std::ptrdiff_t>(count),
              [&](const WordEvidence* one, const WordEvidence* other) { return share(one) > share(other); });
    WordEvidence sum;
    for (std::size_t i = 0; i < count; ++i) {
      sum += *by_share[i];
      most = std::max(most, sum.odds());
    }
    return most + kRounding;
  }

  // Sentences that describe do not order; what half describes is a sign of the unit if all of it does.
  void Moods() {
    std::size_t kept = 0;
    for (Part& part : parts_) {
      part.described =
          part.last_item == part.items ? 0.0 : Described(canvas_, part.sentence, part.first_word, part.last_word, true);
      part.kept = part.described <= kMostlyDescribed;
      kept += part.kept ? 1U : 0U;
    }
    if (kept == 0) {
      // Nothing else is said: it counts as far as it may be meant after all.
      for (Part& part : parts_) part.kept = part.described < kWhollyDescribed;
    }
  }

  [[nodiscard]] SymbolSet Meant(bool moods) const {
    SymbolSet out = place_;
    std::size_t kept = 0;
    bool half = moods;
    bool most = moods;
    for (const Part& part : parts_) {
      if (!part.kept) continue;
      ++kept;
      out |= part.symbols;
      half = half && part.described > kHalfDescribed && part.described <= kMostlyDescribed;
      most = most && part.described > kMostlyDescribed;
    }
    if (half) out.Add(symbols_.signs + kTalkedAbout);
    if (most) out.Add(symbols_.signs + kDescribed);
    if (kept > kMany) out.Add(symbols_.signs + kManySentences);
    if (kept > kVeryMany) out.Add(symbols_.signs + kVeryManySentences);
    return out;
  }

  [[nodiscard]] bool Near(const Part& part, const SymbolSet& acts, const SymbolSet& others) const {
    for (std::uint32_t i = part.pairs; i < part.last_pair; ++i) {
      if (acts.Has(pairs_[i].first) && others.Has(pairs_[i].second)) return true;
    }
    return false;
  }
  [[nodiscard]] bool Near(const SymbolSet& acts, const SymbolSet& others) const {
    return std::ranges::any_of(parts_, [&](const Part& part) { return part.kept && Near(part, acts, others); });
  }

  // What training reads of a sentence: every symbol, every pair.
  [[nodiscard]] Features Numbers(const Part& part) const {
    Features out;
    SymbolSet all = part.symbols;
    all |= place_;
    if (part.described > kMostlyDescribed) {
      all.Add(symbols_.signs + kDescribed);
    } else if (part.described > kHalfDescribed) {
      all.Add(symbols_.signs + kTalkedAbout);
    }
    for (std::uint32_t symbol = 0; symbol < symbols_.names.size(); ++symbol) {
      if (all.Has(symbol)) out.push_back(Number(kOne, symbol));
    }
    for (std::uint32_t i = part.pairs; i < part.last_pair; ++i) {
      out.push_back(Number(kNear, pairs_[i].first, pairs_[i].second));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // Titles of the symbols of `set` that the sentence has, in the order of its words.
  [[nodiscard]] std::uint32_t FirstOf(const Part& part, const SymbolSet& set) const {
    for (std::uint32_t i = part.items; i < part.last_item; ++i) {
      if (set.Has(items_[i].symbol)) return items_[i].symbol;
    }
    for (std::uint32_t symbol = 0; symbol < symbols_.names.size(); ++symbol) {
      if (part.symbols.Has(symbol) && set.Has(symbol)) return symbol;
    }
    return kNoSymbol;
  }

  // What the words speak of says which class of threats it is, where no conjunction does.
  void VoteOnThreat(std::array<double, 9>& threats) const {
    constexpr double kVote = 0.1;
    for (const Part& part : parts_) {
      if (!part.kept) continue;
      EachClass(part.all, [&](std::uint32_t c) {
        if (const std::uint8_t threat = lexicon_.classes()[c].threat; threat != 0) threats[threat] += kVote;
      });
    }
    threats[0] = 0.0;
    threats[2] += kVote / 2;  // an order of which nothing is known
  }

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  static constexpr std::uint32_t kNoSymbol = ~std::uint32_t{0};

 private:
  [[nodiscard]] const TextToken& at(const TextSentence& s, int i) const {
    return tokens_[s.first + static_cast<std::uint32_t>(i)];
  }

  static void EachClass(const MeaningSet& set, const auto& use) {
    for (std::size_t half = 0; half < set.bits.size(); ++half) {
      for (std::uint64_t bits = set.bits[half]; bits != 0; bits &= bits - 1) {
        use(static_cast<std::uint32_t>(half * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
      }
    }
  }

  void Remembered(const Part& part, SymbolSet& out) const {
    MeaningSet both = part.before;
    both.bits[0] &= symbols_.remembered_set.bits[0];
    both.bits[1] &= symbols_.remembered_set.bits[1];
    EachClass(both, [&](std::uint32_t c) { out.Add(after_[c]); });
  }

  [[nodiscard]] SymbolSet SignsOf(const TextPassage& passage) const {
    SymbolSet out;
    const auto sign = [&](Sign which) { out.Add(symbols_.signs + which); };
    const SurfaceSet kind = passage.kind;
    if ((kind & (kSurfaceDescription | kSurfaceSchema)) != 0) sign(kTool);
    if ((kind & kSurfaceToolName) != 0) sign(kName);
    if ((kind & kSurfaceInstruction) != 0) sign(kSkill);
    if ((kind & kSurfaceDocument) != 0) sign(kDocument);
    if ((kind & kSurfaceComment) != 0) sign(kComment);
    if ((kind & kSurfaceString) != 0) sign(kString);
    if ((kind & kSurfaceConfig) != 0) sign(kConfig);
    if ((kind & kSurfaceHidden) != 0) sign(kHidden);
    if ((kind & kSurfaceDecoded) != 0) sign(kDecoded);
    if (canvas_.SecurityAt(static_cast<std::uint32_t>(&passage - canvas_.passages.data())) > kMuchOfAttacks)
      sign(kAboutAttacks);
    return out;
  }

  // Classes of the words of sentences [first, last).
  void Read(std::uint32_t first, std::uint32_t last) {
    parts_.clear();
    sets_.clear();
    bases_.clear();
    for (std::uint32_t s = first; s < last; ++s) {
      const TextSentence& sentence = canvas_.sentences[s];
      const std::uint32_t count = sentence.last - sentence.first;
      if (count < kMinWords || count > kMaxWords) continue;
      Part part;
      part.sentence = s;
      part.sets = static_cast<std::uint32_t>(sets_.size());
      Words(sentence, part);
      part.before = recent_[0];
      part.before |= recent_[1];
      recent_[1] = recent_[0];
      recent_[0] = part.all;
      const bool signs = (sentence.all & (Bit(kWUrl) | Bit(kWMail) | Bit(kWSecretPath))) != 0;
      if (part.all.empty() && !signs) continue;
      part.wording = wording_.Read(canvas_, sentence);
      parts_.push_back(part);
    }
  }

  void Words(const TextSentence& sentence, Part& part) {
    const int count = static_cast<int>(sentence.last - sentence.first);
    sets_.resize(part.sets + static_cast<std::size_t>(count));
    bases_.resize(sets_.size());
    MeaningSet* const sets = sets_.data() + part.sets;
    std::uint8_t* const bases = bases_.data() + part.sets;
    const TextToken* const tokens = canvas_.tokens.data() + sentence.first;
    const ListedWords::Entry* const listed = words_.entries();
    MeaningSet all;
    MeaningSet may_order;
    for (int i = 0; i < count; ++i) {
      const TextToken& token = tokens[i];
      if (token.reported) continue;
      if ((token.set & Bit(kWUrl)) != 0 && ((token.set & Bit(kWProgram)) != 0 || NamesScript(canvas_.Of(token)))) {
        sets[i].Add(program_);  // https://host/setup.sh
        all.Add(program_);
        continue;
      }
      if (token.size > kLongestWord) continue;
      const MeaningLexicon::Entry* entry = listed[token.listed].meaning;
      if (entry == nullptr) {
        // Two words of three end in neither letter.
        const char end = token.size == 0 ? '\0' : canvas_.text.data()[token.end() - 1];
        if (end != 's' && end != 'd') continue;
        std::string_view word = canvas_.Of(token);
        if (end == 's' && word.ends_with("'s")) {
          word.remove_suffix(2);
        } else if (end == 'd' && word.ends_with(".md")) {
          word.remove_prefix(word.find_last_of("/-_") + 1);  // "notes/house-rules.md" is a file of rules
        } else {
          continue;
        }
        entry = words_[words_.Find(word)].meaning;
        if (entry == nullptr) continue;
      }
      MeaningSet set = entry->set;
      const bool base = !entry->base.empty();
      const std::uint64_t next = i + 1 < count ? MeaningLexicon::NextBit(tokens[i + 1].hash) : ~std::uint64_t{0};
      for (std::uint32_t p = 0; (entry->next & next) != 0 && p < entry->count; ++p) {
        const MeaningLexicon::Phrase& phrase = lexicon_.phrase(entry->phrases + p);
        if (Matches(sentence, i, count, phrase)) set |= phrase.set;
      }
      sets[i] = set;
      bases[i] = base ? 1 : 0;
      all |= set;
      const bool told = i > 0 && tokens[i - 1].size == 2 && canvas_.text.data()[tokens[i - 1].begin] == 'b';
      if (base || told) may_order |= set;
    }
    part.all = all;
    part.may_order = may_order;
    if (!part.all.Has(rival_) || !part.all.Has(tool_)) return;
    // "Any other search tool", "the competing calendar server".
    for (int i = 0; i < count; ++i) {
      if (!sets[i].Has(rival_)) continue;
      for (int k = i + 1; k <= std::min(i + 3, count - 1); ++k) {
        if (!sets[k].Has(tool_)) continue;
        sets[i].Add(other_);
        part.all.Add(other_);
        break;
      }
    }
  }

  [[nodiscard]] bool Matches(const TextSentence& sentence, int i, int count,
                             const MeaningLexicon::Phrase& phrase) const {
    const int size = phrase.size;
    if (i + size >= count) return false;
    const std::uint64_t* const rest = lexicon_.hashes(phrase);
    const TextToken* const next = &at(sentence, i) + 1;
    for (int k = 0; k < size; ++k) {
      if (next[k].hash != rest[k]) return false;
    }
    if (phrase.before != 0) {
      std::uint32_t begin = at(sentence, i).begin;
      if (begin > 0 && canvas_.text[begin - 1] == '/') --begin;
      if (begin == 0 || canvas_.text[begin - 1] != phrase.before) return false;
    }
    if (phrase.after != 0) {
      const std::uint32_t end = at(sentence, i + size).end();
      if (end >= canvas_.text.size() || canvas_.text[end] != phrase.after) return false;
      // "SYSTEM: ..." speaks; "the warning system: ..." is spoken of.
      const std::uint32_t begin = at(sentence, i).begin;
      if (phrase.after == ':' && begin >= 2 && canvas_.text[begin - 1] == ' ' && canvas_.text[begin - 2] >= 'a' &&
          canvas_.text[begin - 2] <= 'z') {
        return false;
      }
    }
    return true;
  }

  // Classes and signs of the sentence, in the order of its words.
  void Items(Part& part) {
    const TextSentence& sentence = canvas_.sentences[part.sentence];
    const int count = static_cast<int>(sentence.last - sentence.first);
    part.items = static_cast<std::uint32_t>(items_.size());
    part.symbols = {};
    bool any = false;
    const auto add = [&](std::uint32_t symbol, int where, bool act) {
      part.symbols.Add(symbol);
      if (items_.size() < part.items + kMaxItems) items_.push_back({symbol, static_cast<std::int16_t>(where), act});
    };
    for (int i = 0; i < count; ++i) {
      const MeaningSet& set = Set(part, i);
      const WordSet words = at(sentence, i).reported ? 0 : at(sentence, i).set;
      if ((words & Bit(kWUrl)) != 0) add(symbols_.signs + kUrl, i, false);
      if ((words & Bit(kWMail)) != 0) add(symbols_.signs + kMail, i, false);
      if ((words & Bit(kWSecretPath)) != 0) add(symbols_.signs + kSecretPath, i, false);
      if (set.empty()) continue;
      const Mode mode = set.Meets(lexicon_.acts()) ? ModeOf(part, i) : kTold;
      EachClass(set, [&](std::uint32_t c) {
        // "do not silently"; in "do not tell" the word itself is the denial.
        if (c == secretly_ && canvas_.Of(at(sentence, i)).ends_with("ly") && ModeOf(part, i) == kForbidden) return;
        add(symbols_.of_class[c] + (lexicon_.acts().Has(c) ? mode : kTold), i, lexicon_.acts().Has(c));
      });
      if (!any) part.first_word = at(sentence, i).begin;
      any = true;
      part.last_word = at(sentence, i).end();
    }
    part.last_item = static_cast<std::uint32_t>(items_.size());
    if (!any) part.first_word = part.last_word = sentence.begin;
    if (count > kLongSentence) part.symbols.Add(symbols_.signs + kLong);
    Remembered(part, part.symbols);
  }

  // Acts with what stands near them.
  void Pair(Part& part) {
    part.pairs = static_cast<std::uint32_t>(pairs_.size());
    for (std::uint32_t a = part.items; a < part.last_item; ++a) {
      const Item& one = items_[a];
      if (!one.act) continue;
      for (std::uint32_t b = part.items; b < part.last_item; ++b) {
        const Item& two = items_[b];
        const int distance = two.at - one.at;
        if (distance == 0 || distance > kReach || distance < (two.act ? 1 : -kBack) || one.symbol == two.symbol)
          continue;
        pairs_.emplace_back(one.symbol, two.symbol);
      }
    }
    part.last_pair = static_cast<std::uint32_t>(pairs_.size());
  }

  [[nodiscard]] std::string_view Gap(const TextSentence& s, int i) const {  // between i - 1 and i
    if (i <= 0) return {};
    return canvas_.Gap(s.first + static_cast<std::size_t>(i));
  }

  [[nodiscard]] const MeaningSet& Set(const Part& part, int i) const {
    return sets_[part.sets + static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool Has(const Part& part, int i, std::uint32_t c) const { return Set(part, i).Has(c); }

  [[nodiscard]] Mode ModeOf(const Part& part, int i) const {
    const TextSentence& s = canvas_.sentences[part.sentence];
    const bool base = bases_[part.sets + static_cast<std::size_t>(i)] != 0;
    const auto denies = [&](std::uint32_t k) {
      const int at_k = static_cast<int>(k - s.first);
      if (Has(part, at_k, not_)) return Denial::kNot;
      // "without telling" denies; in "find pictures without a title and show them" the order is another.
      const bool lacks = !base && Has(part, at_k, without_) && canvas_.Of(canvas_.tokens[k]) == "without";
      return lacks ? Denial::kWithout : Denial::kNone;
    };
    constexpr std::uint32_t kWords = 5;
    if (Denied(canvas_, s.first, s.first + static_cast<std::uint32_t>(i), kWords, DenialEnds::kSign, denies))
      return kForbidden;
    return Ordered(part, i) ? kOrdered : kTold;
  }

  static bool Ideographic(std::string_view text) {
    std::size_t wide = 0;
    for (const char c : text) {
      const auto lead = static_cast<unsigned char>(c);
      wide += lead >= 0xE3 && lead <= 0xE9 ? 1U : 0U;
    }
    return wide * 12 > text.size();
  }

  [[nodiscard]] bool Ordered(const Part& part, int i) const {
    const TextSentence& s = canvas_.sentences[part.sentence];
    const bool base = bases_[part.sets + static_cast<std::size_t>(i)] != 0;
    const std::string_view before = i > 0 ? canvas_.Of(at(s, i - 1)) : std::string_view();
    if (!base) {
      // "must be sent", "is to be forwarded", "by sending"
      if (before == "be" && i > 1) {
        const std::string_view mood = canvas_.Of(at(s, i - 2));
        return mood == "must" || mood == "should" || mood == "to" || mood == "shall" || mood == "always";
      }
      return before == "by" && part.all.Has(must_);
    }
    // Where verbs have one form and no subject, a verb orders; in English word by word it stands anywhere.
    if (canvas_.passages[s.passage].glossed && Ideographic(canvas_.Of(s))) return true;
    int k = i - 1;
    while (k >= 0 && canvas_.Of(at(s, k))[0] >= '0' && canvas_.Of(at(s, k))[0] <= '9') --k;
    if (k < 0) return true;
    const std::string_view gap = Gap(s, i);
    if (gap.find_first_of(",:;*\n(>") != std::string_view::npos || gap.find(" - ") != std::string_view::npos)
      return true;
    static constexpr std::array<std::string_view, 26> kLead = {
        "please",        "then",         "also",     "now",   "always",     "and",      "or",
        "first",         "finally",      "next",     "step",  "instead",    "silently", "quietly",
        "secretly",      "must",         "should",   "shall", "discreetly", "simply",   "immediately",
        "automatically", "additionally", "covertly", "just",  "afterwards"};
    const std::string_view lead = canvas_.Of(at(s, k));
    if (std::ranges::find(kLead, lead) != kLead.end()) return true;
    if (lead == "to" && k == 0) return false;
    for (int m = std::max(0, i - 4); m < i; ++m) {
      if (Has(part, m, must_)) return true;
      if (Has(part, m, you_) || Has(part, m, agent_)) {
        const std::string_view who = canvas_.Of(at(s, m));
        const std::string_view next = canvas_.Of(at(s, m + 1));
        if (who != "your" && next != "can" && next != "may" && next != "could" && next != "want") return true;
      }
    }
    return false;
  }

  const TextCanvas& canvas_;
  std::span<const TextToken> tokens_ = canvas_.tokens;
  const MeaningLexicon& lexicon_ = MeaningLexicon::Get();
  const ListedWords& words_ = ListedWords::Get();
  const Symbols& symbols_ = Symbols::Get();
  const WordModel& wording_ = WordModel::Get();
  std::uint32_t not_;
  std::uint32_t without_;
  std::uint32_t must_;
  std::uint32_t you_;
  std::uint32_t agent_;
  std::uint32_t secretly_;
  std::uint32_t rival_;
  std::uint32_t tool_;
  std::uint32_t other_;
  std::uint32_t program_;
  std::array<std::uint32_t, kMaxMeanings> after_{};  // symbol of what was said before, by class
  SymbolSet place_;                                  // signs of where the unit stands
  std::vector<Part> parts_;
  std::vector<MeaningSet> sets_;     // of each word of the unit
  std::vector<std::uint8_t> bases_;  // the word is in the form in which one is told to do something
  std::vector<Item> items_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::array<MeaningSet, 2> recent_{};
};

// Frames that hold in the unit, and their sum with all signs.
double Score(const Reader& reader, const MeaningModel& model, const SymbolSet& all,
             std::vector<const MeaningFrame*>& fired) {
  const auto meets = [&](const SymbolSet& set) { return all.Meets(set); };
  fired.clear();
  double score = model.bias;
  for (const MeaningFrame& frame : model.frames) {
    if (!std::ranges::all_of(frame.has, meets) || std::ranges::any_of(frame.lacks, meets)) continue;
    if (!std::ranges::all_of(frame.near, [&](const auto& pair) { return meets(pair.first) && meets(pair.second); })) {
      continue;
    }
    if (!std::ranges::all_of(frame.near, [&](const auto& pair) { return reader.Near(pair.first, pair.second); }))
      continue;
    score += frame.weight;
    fired.push_back(&frame);
  }
  for (const auto& [symbol, weight] : model.modifiers) score += all.Has(symbol) ? weight : 0.0;
  return score;
}

// The sentence in which most of it stands.
const Part& Heaviest(const Reader& reader, const std::vector<const MeaningFrame*>& fired) {
  const Part* best = &reader.parts().front();
  double most = -1.0;
  for (const Part& part : reader.parts()) {
    if (!part.kept) continue;
    double sum = std::max(0.0, part.wording.odds() - WordEvidence{}.odds());
    for (const MeaningFrame* frame : fired) {
      std::size_t met = 0;
      for (const SymbolSet& set : frame->has) met += part.symbols.Meets(set) ? 1U : 0U;
      for (const auto& [a, b] : frame->near) met += 2 * (reader.Near(part, a, b) ? std::size_t{1} : 0);
      sum += frame->weight * static_cast<double>(met) /
             static_cast<double>(std::max<std::size_t>(1, frame->has.size() + 2 * frame->near.size()));
    }
    if (sum > most) {
      most = sum;
      best = &part;
    }
  }
  return *best;
}

// The heaviest frame in words, with the classes that made it.
std::string Why(const Reader& reader, const MeaningFrame& frame) {
  const std::vector<std::string>& titles = Symbols::Get().titles;
  std::vector<std::uint32_t> told;
  const auto tell = [&](const SymbolSet& set) {
    for (const Part& part : reader.parts()) {
      if (!part.kept) continue;
      const std::uint32_t symbol = reader.FirstOf(part, set);
      if (symbol == Reader::kNoSymbol) continue;
      if (std::ranges::find(told, symbol) == told.end()) told.push_back(symbol);
      return;
    }
  };
  for (const auto& [a, b] : frame.near) {
    tell(a);
    tell(b);
  }
  for (const SymbolSet& set : frame.has) tell(set);
  std::string why;
  for (const std::uint32_t symbol : told) why += (why.empty() ? "" : " + ") + titles[symbol];
  return why;
}

constexpr double kFallOfOdds = 0.4;    // 1: as chance alone would have it
constexpr double kUsualUnits = 40.0;   // of a skill's document
constexpr double kMostOfNumber = 0.8;  // log-odds
constexpr double kMostOfFew = 0.4;

// Among many units one sounds like an order sooner than among few: the odds that a given one is meant so fall with
// their number. Not in full: who hides an order among honest steps is to gain little by adding more of them.
class Chances {
 public:
  explicit Chances(const TextCanvas& canvas) {
    std::size_t loud = 0;
    std::size_t quiet = 0;
    for (const TextPassage& passage : canvas.passages) {
      if (passage.shape != TextShape::kCode) ++(Quiet(passage) ? quiet : loud);
    }
    loud_ = Of(loud);
    quiet_ = Of(quiet);
  }
  [[nodiscard]] double Of(const TextPassage& passage) const { return Quiet(passage) ? quiet_ : loud_; }

 private:
  static bool Quiet(const TextPassage& passage) {
    constexpr SurfaceSet kGiven = kSurfaceDescription | kSurfaceInstruction | kSurfaceToolName | kSurfaceSchema;
    return (passage.kind & (kSurfaceComment | kSurfaceString)) != 0 && (passage.kind & kGiven) == 0;
  }
  static double Of(std::size_t units) {
    const double more = kFallOfOdds * std::log((1.0 + static_cast<double>(units)) / (1.0 + kUsualUnits));
    return std::clamp(more, -kMostOfFew, kMostOfNumber);
  }
  double loud_ = 0.0;
  double quiet_ = 0.0;
};

}  // namespace

std::string FeatureName(std::uint32_t feature) {
  const std::vector<std::string>& names = Symbols::Get().names;
  constexpr std::uint32_t mask = (1U << kSymbolBits) - 1;
  const std::string& a = names[(feature >> kSymbolBits) & mask];
  return feature >> (2 * kSymbolBits) == kOne ? a : a + " > " + names[feature & mask];
}

void ReadFeatures(const TextCanvas& canvas, std::vector<SentenceFeatures>& out) {
  Reader reader(canvas);
  std::uint32_t unit = 0;
  reader.Run([&] {
    reader.Gather();
    reader.Moods();
    for (const Part& part : reader.parts()) out.push_back({part.sentence, unit, reader.Numbers(part)});
    ++unit;
  });
}

void FindMeanings(const TextCanvas& canvas, double least, std::vector<Meaning>& out) {
  const MeaningModel& model = MeaningModel::Get();
  Reader reader(canvas);
  std::vector<const MeaningFrame*> fired;
  const Chances chances(canvas);
  reader.Run([&] {
    if (out.size() >= kMaxHits) return;
    const TextPassage& passage = canvas.passages[canvas.sentences[reader.parts().front().sentence].passage];
    const double more = chances.Of(passage);
    const double most_wording = reader.MostOfWording();
    if (model.Most(reader.Possible()) + most_wording < least + more) return;
    reader.Gather();
    // How it is meant costs more to tell than what it says; mostly what is told to be done is not enough.
    if (model.Most(reader.AtMost()) + most_wording < least + more) return;
    reader.Moods();
    const SymbolSet all = reader.Meant(true);
    double wording = reader.Wording();
    double score = Score(reader, model, all, fired) - more;
    // Words of another language were hardly seen but in samples of attacks: they have to say more.
    const bool foreign = wording > 0.0 && score + wording >= least && (!passage.glossed || passage.joined) &&
                         IsForeign(canvas.Of(passage));
    if (foreign) wording = std::max(wording - kForeignWords, 0.0);
    score += wording;
    // Words alone, of which no two make an order, have to say more.
    if (score < least + (fired.empty() ? kWordsAlone + (foreign ? kForeignWords : 0.0) : 0.0)) return;
    const Part& part = Heaviest(reader, fired);
    Meaning hit;
    hit.sentence = part.sentence;
    hit.passage = canvas.sentences[part.sentence].passage;
    hit.begin = part.first_word;
    hit.end = part.last_word;
    hit.score = score;
    hit.spoken = all.Meets(model.speech);
    hit.addressed = all.Meets(model.voice);
    std::array<double, 9> threats{};
    for (const MeaningFrame* frame : fired) threats[std::min<std::size_t>(frame->threat, 8)] += frame->weight;
    reader.VoteOnThreat(threats);
    hit.threat = static_cast<std::uint8_t>(std::max_element(threats.begin(), threats.end()) - threats.begin());
    hit.words_alone = fired.empty();
    hit.why = fired.empty() ? std::string("its wording")
                            : Why(reader, **std::ranges::max_element(fired, {}, &MeaningFrame::weight));
    out.push_back(std::move(hit));
  });
}

}  // namespace interlock::scan
