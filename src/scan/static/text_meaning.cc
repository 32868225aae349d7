#include "static/text_meaning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "static/meaning_lexicon.h"
#include "static/text_frames.h"

namespace interlock::embedded {
std::string_view Find_scan_meaning(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxHits = 2000;
constexpr std::uint32_t kMaxWords = 120;  // of a sentence; a longer one is a list
constexpr std::uint32_t kMinWords = 3;
constexpr int kReach = 12;  // words after an act in which its object is looked for
constexpr int kBack = 5;    // ... and before it
constexpr std::size_t kMaxItems = 64;
constexpr int kLongSentence = 40;
constexpr double kMuchOfAttacks = 0.08;  // share of sentences
constexpr double kHalfDescribed = 0.3;
constexpr double kMostlyDescribed = 0.6;

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
  kSigns,
};
constexpr std::array<std::string_view, kSigns> kSignNames = {
    "url",      "mail",     "secretpath", "k:tool",    "k:name", "k:skill", "k:document", "k:comment",
    "k:string", "k:config", "k:hidden",   "k:decoded", "d:half", "d:most",  "d:security", "long"};
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
                                                              "a long sentence"};
// What earlier sentences of the passage spoke of.
constexpr std::array<std::string_view, 20> kRemembered = {
    "secret",  "token", "env", "talk",     "system",  "personal", "program", "place", "memory",   "other",
    "picture", "get",   "run", "secretly", "unasked", "voice",    "urgent",  "rank",  "override", "decode"};

enum FeatureKind : std::uint32_t { kOne, kNear };
constexpr std::uint32_t kSymbolBits = 10;
constexpr std::size_t kSymbolWords = 6;  // of 64 bits
constexpr std::uint32_t Number(FeatureKind kind, std::uint32_t a, std::uint32_t b = 0) {
  return (static_cast<std::uint32_t>(kind) << (2 * kSymbolBits)) | (a << kSymbolBits) | b;
}

// Classes, modes and signs as one numbering.
struct Symbols {
  std::vector<std::string> names;
  std::vector<std::string> titles;
  std::vector<std::uint32_t> of_class;  // first symbol of each class
  std::uint32_t signs = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> remembered;  // class, symbol
  MeaningSet remembered_set;

  Symbols() {
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
  void Push(std::string name, std::string title) {
    names.push_back(std::move(name));
    titles.push_back(std::move(title));
  }
  static const Symbols& Get() {
    static const Symbols symbols;
    return symbols;
  }
};

struct SymbolSet {
  std::array<std::uint64_t, kSymbolWords> bits{};
  void Add(std::uint32_t c) noexcept { bits[c / 64] |= std::uint64_t{1} << (c % 64); }
  [[nodiscard]] bool Has(std::uint32_t c) const noexcept { return (bits[c / 64] >> (c % 64) & 1) != 0; }
  [[nodiscard]] bool Meets(const SymbolSet& other) const noexcept {
    std::uint64_t both = 0;
    for (std::size_t i = 0; i < kSymbolWords; ++i) both |= bits[i] & other.bits[i];
    return both != 0;
  }
};

struct Frame {
  std::string id;
  std::uint8_t threat = 0;
  double weight = 0.0;
  std::vector<std::pair<SymbolSet, SymbolSet>> near;
  std::vector<SymbolSet> has;
  std::vector<SymbolSet> lacks;
};

// meaning/frames.json with what each frame is worth (meaning/weights.json).
struct Model {
  std::vector<Frame> frames;
  std::vector<std::pair<std::uint32_t, double>> modifiers;  // symbol, weight
  double bias = 0.0;
  SymbolSet speech;  // classes that say who is spoken to

  static const Model& Get() {
    static const Model model;
    return model;
  }

 private:
  Model() {
    const auto frames_doc = base::JsonDoc::Parse(embedded::Find_scan_meaning("frames.json"));
    const auto weights_doc = base::JsonDoc::Parse(embedded::Find_scan_meaning("weights.json"));
    INTERLOCK_CHECK(frames_doc.ok() && weights_doc.ok(), "the shipped model is valid");
    const base::JsonValue root = frames_doc.value().root();
    const base::JsonValue weights = weights_doc.value().root().Find("weights");
    bias = weights_doc.value().root().Find("bias").AsDouble().value_or(0.0);
    const base::JsonValue groups = root.Find("groups");
    const base::JsonValue list = root.Find("frames");
    for (auto it = list.begin(); it != list.end(); ++it) {
      Frame frame;
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
    for (const std::string_view id : {"agent", "voice", "ctx:voice"}) speech.Add(Number(id));
    for (const std::string_view key : {"for", "against"}) {
      const base::JsonValue names = root.Find(key);
      for (auto it = names.begin(); it != names.end(); ++it) {
        const double weight = weights.Find("+ " + std::string((*it).string())).AsDouble().value_or(0.0);
        if (weight != 0.0) modifiers.emplace_back(Number((*it).string()), weight);
      }
    }
  }

  static std::uint32_t Number(std::string_view name) {
    const std::vector<std::string>& names = Symbols::Get().names;
    const auto at = std::ranges::find(names, name);
    INTERLOCK_CHECK(at != names.end(), "a frame uses the lexicon's classes");
    return static_cast<std::uint32_t>(at - names.begin());
  }

  // Symbols of a list of names; a group is a list too, and holds no group whose members hold it.
  static SymbolSet SetOf(std::string_view list, const base::JsonValue& groups, int depth = 0) {
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
};

struct Item {
  std::uint32_t symbol = 0;
  std::int16_t at = 0;  // word; below 0: of the whole sentence
  bool act = false;
  bool meant = false;  // ordered or forbidden
};

class Reader {
 public:
  explicit Reader(const TextCanvas& canvas)
      : canvas_(canvas),
        not_(lexicon_.Number("not")),
        without_(lexicon_.Number("without")),
        must_(lexicon_.Number("must")),
        you_(lexicon_.Number("you")),
        agent_(lexicon_.Number("agent")) {
    for (const std::string_view id : {"secretly", "unasked", "voice", "rank", "unbound", "regard"}) {
      telling_.Add(lexicon_.Number(id));
    }
  }

  // Calls use(sentence) for every sentence that could be an order; its features are in features().
  void Run(const auto& use) {
    std::uint32_t section = 0;
    std::uint32_t passage_before = ~std::uint32_t{0};
    for (std::uint32_t s = 0; s < canvas_.sentences.size(); ++s) {
      const TextSentence& sentence = canvas_.sentences[s];
      const std::uint32_t count = sentence.last - sentence.first;
      if (sentence.passage >= canvas_.passages.size()) continue;
      const TextPassage& passage = canvas_.passages[sentence.passage];
      if (passage.shape == TextShape::kCode) continue;
      if (sentence.passage != passage_before) {
        const bool other = passage_before >= canvas_.passages.size() || passage.section != section ||
                           canvas_.passages[passage_before].kind != passage.kind ||
                           (passage.kind & (kSurfaceInstruction | kSurfaceDocument)) == 0;
        if (other) recent_ = {};
        passage_before = sentence.passage;
        section = passage.section;
      }
      if (count < kMinWords || count > kMaxWords) continue;
      Read(sentence);
      if (Candidate(sentence)) {
        use(s);
      }
      Remember();
    }
  }
  // Classes and signs of the sentence, in the order of its words. `moods`: how it is meant as well.
  void Gather(std::uint32_t index, bool moods) {
    const TextSentence& sentence = canvas_.sentences[index];
    const TextPassage& passage = canvas_.passages[sentence.passage];
    const Symbols& symbols = Symbols::Get();
    items_.clear();
    const int count = static_cast<int>(sets_.size());
    first_ = ~std::uint32_t{0};
    last_ = 0;
    const auto add = [&](std::uint32_t symbol, int where, bool act, bool meant) {
      if (items_.size() < kMaxItems) items_.push_back({symbol, static_cast<std::int16_t>(where), act, meant});
    };
    for (int i = 0; i < count; ++i) {
      const MeaningSet& set = sets_[static_cast<std::size_t>(i)];
      const WordSet words = at(sentence, i).set;
      if ((words & Bit(kWUrl)) != 0) add(symbols.signs + kUrl, i, false, true);
      if ((words & Bit(kWMail)) != 0) add(symbols.signs + kMail, i, false, true);
      if ((words & Bit(kWSecretPath)) != 0) add(symbols.signs + kSecretPath, i, false, true);
      if (set.empty()) continue;
      const Mode mode = set.Meets(lexicon_.acts()) ? ModeOf(sentence, i) : kTold;
      for (std::size_t half = 0; half < 2; ++half) {
        for (std::uint64_t bits = set.bits[half]; bits != 0; bits &= bits - 1) {
          const auto c = static_cast<std::uint32_t>(half * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
          if (c == secretly_ && ModeOf(sentence, i) == kForbidden && NotSaid(sentence, i))
            continue;  // "do not silently"
          if (lexicon_.acts().Has(c)) {
            add(symbols.of_class[c] + mode, i, true, mode != kTold);
          } else {
            add(symbols.of_class[c], i, false, true);
          }
        }
      }
      if (first_ == ~std::uint32_t{0}) first_ = at(sentence, i).begin;
      last_ = at(sentence, i).end();
    }
    worded_ = items_.size();
    if (first_ > last_) first_ = last_ = sentence.begin;
    const auto sign = [&](Sign which) { items_.push_back({symbols.signs + which, -100, false, true}); };
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
    if (canvas_.security > kMuchOfAttacks) sign(kAboutAttacks);
    if (count > kLongSentence) sign(kLong);
    for (const auto& [c, symbol] : symbols.remembered) {
      if (recent_[0].Has(c) || recent_[1].Has(c)) items_.push_back({symbol, -100, false, true});
    }
    if (!moods) return;
    SymbolSet all;
    Moods(index, all);
    for (const Sign which : {kTalkedAbout, kDescribed}) {
      if (all.Has(symbols.signs + which)) sign(which);
    }
  }

  // The word itself is no denial ("do not tell" is one act).
  [[nodiscard]] bool NotSaid(const TextSentence& sentence, int i) const {
    return canvas_.Of(at(sentence, i)).ends_with("ly");
  }

  // Whether the sentence describes rather than orders.
  void Moods(std::uint32_t index, SymbolSet& all) const {
    const Symbols& symbols = Symbols::Get();
    const double described = worded_ == 0 ? 0.0 : Described(canvas_, index, first_, last_, true);
    if (described > kMostlyDescribed) {
      all.Add(symbols.signs + kDescribed);
    } else if (described > kHalfDescribed) {
      all.Add(symbols.signs + kTalkedAbout);
    }
  }

  // Acts with what stands near them.
  void Pair() {
    pairs_.clear();
    for (std::size_t a = 0; a < worded_; ++a) {
      const Item& one = items_[a];
      if (!one.act) continue;
      for (std::size_t b = 0; b < worded_; ++b) {
        const Item& two = items_[b];
        const int distance = two.at - one.at;
        if (distance == 0 || distance > kReach || distance < (two.act ? 1 : -kBack) || one.symbol == two.symbol)
          continue;
        pairs_.emplace_back(one.symbol, two.symbol);
      }
    }
  }
  [[nodiscard]] bool Near(const SymbolSet& acts, const SymbolSet& others) const {
    return std::ranges::any_of(pairs_,
                               [&](const auto& pair) { return acts.Has(pair.first) && others.Has(pair.second); });
  }

  // What training reads: every class and sign, every pair.
  [[nodiscard]] Features Numbers() {
    Features out;
    Pair();
    for (const Item& item : items_) out.push_back(Number(kOne, item.symbol));
    for (const auto& [a, b] : pairs_) out.push_back(Number(kNear, a, b));
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] std::uint32_t first_word() const { return first_; }
  [[nodiscard]] std::uint32_t last_word() const { return last_; }

 private:
  [[nodiscard]] const TextToken& at(const TextSentence& s, int i) const {
    return canvas_.tokens[s.first + static_cast<std::uint32_t>(i)];
  }

  void Read(const TextSentence& sentence) {
    const int count = static_cast<int>(sentence.last - sentence.first);
    sets_.assign(static_cast<std::size_t>(count), {});
    bases_.assign(static_cast<std::size_t>(count), {});
    all_ = {};
    for (int i = 0; i < count; ++i) {
      const TextToken& token = at(sentence, i);
      std::string_view word = canvas_.Of(token);
      if (word.size() > 40) continue;
      const MeaningLexicon::Entry* entry = lexicon_.Find(word, MeaningLexicon::Hash(word));
      if (entry == nullptr) {
        if (word.ends_with("'s")) {
          word.remove_suffix(2);
          entry = lexicon_.Find(word, MeaningLexicon::Hash(word));
        }
        if (entry == nullptr) continue;
      }
      MeaningSet& set = sets_[static_cast<std::size_t>(i)];
      set |= entry->set;
      bases_[static_cast<std::size_t>(i)] = entry->base;
      for (std::uint32_t p = entry->phrases; p < entry->phrases + entry->count; ++p) {
        const MeaningLexicon::Phrase& phrase = lexicon_.phrase(p);
        if (Matches(sentence, i, count, phrase)) {
          set |= phrase.set;
          all_ |= phrase.set;
        }
      }
      all_ |= entry->set;
    }
  }

  [[nodiscard]] bool Matches(const TextSentence& sentence, int i, int count,
                             const MeaningLexicon::Phrase& phrase) const {
    const int size = static_cast<int>(phrase.rest.size());
    if (i + size >= count) return false;
    for (int k = 0; k < size; ++k) {
      if (canvas_.Of(at(sentence, i + 1 + k)) != phrase.rest[static_cast<std::size_t>(k)]) return false;
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

  [[nodiscard]] bool Candidate(const TextSentence& sentence) {
    if (all_.empty()) return false;
    if (all_.Meets(telling_)) return true;
    if (!all_.Meets(lexicon_.acts())) return false;
    const int count = static_cast<int>(sets_.size());
    for (int i = 0; i < count; ++i) {
      if (!sets_[static_cast<std::size_t>(i)].Meets(lexicon_.acts())) continue;
      if (ModeOf(sentence, i) != kTold) return true;
    }
    return false;
  }

  [[nodiscard]] std::string_view Gap(const TextSentence& s, int i) const {  // between i - 1 and i
    if (i <= 0) return {};
    return std::string_view(canvas_.text).substr(at(s, i - 1).end(), at(s, i).begin - at(s, i - 1).end());
  }

  [[nodiscard]] bool Has(int i, std::uint32_t c) const { return sets_[static_cast<std::size_t>(i)].Has(c); }

  [[nodiscard]] Mode ModeOf(const TextSentence& s, int i) const {
    int denials = 0;
    for (int k = i - 1; k >= std::max(0, i - 5); --k) {
      const std::string_view gap = Gap(s, k + 1);
      if (gap.find_first_of(",;:(") != std::string_view::npos) break;
      if (!Has(k, not_) && !(Has(k, without_) && canvas_.Of(at(s, k)) == "without")) continue;
      const std::string_view next = canvas_.Of(at(s, k + 1));
      if (next == "only" || next == "just") continue;
      ++denials;
    }
    if (denials % 2 == 1) return kForbidden;
    return Ordered(s, i) ? kOrdered : kTold;
  }

  [[nodiscard]] bool Ordered(const TextSentence& s, int i) const {
    const bool base = !bases_[static_cast<std::size_t>(i)].empty();
    const std::string_view before = i > 0 ? canvas_.Of(at(s, i - 1)) : std::string_view();
    if (!base) {
      // "must be sent", "is to be forwarded", "by sending"
      if (before == "be" && i > 1) {
        const std::string_view mood = canvas_.Of(at(s, i - 2));
        return mood == "must" || mood == "should" || mood == "to" || mood == "shall" || mood == "always";
      }
      return before == "by" && all_.Has(must_);
    }
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
      if (Has(m, must_)) return true;
      if (Has(m, you_) || Has(m, agent_)) {
        const std::string_view who = canvas_.Of(at(s, m));
        const std::string_view next = canvas_.Of(at(s, m + 1));
        if (who != "your" && next != "can" && next != "may" && next != "could" && next != "want") return true;
      }
    }
    return false;
  }

  // Orders and marks of this sentence, for those that follow.
  void Remember() {
    recent_[1] = recent_[0];
    recent_[0] = all_;
  }

  const TextCanvas& canvas_;
  const MeaningLexicon& lexicon_ = MeaningLexicon::Get();
  std::uint32_t not_;
  std::uint32_t without_;
  std::uint32_t must_;
  std::uint32_t you_;
  std::uint32_t agent_;
  std::uint32_t secretly_ = lexicon_.Number("secretly");
  MeaningSet telling_;  // marks that make a candidate by themselves
  std::vector<MeaningSet> sets_;
  std::vector<MeaningSet> bases_;
  std::vector<Item> items_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::size_t worded_ = 0;
  MeaningSet all_;
  std::array<MeaningSet, 2> recent_{};
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
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
  reader.Run([&](std::uint32_t sentence) {
    reader.Gather(sentence, true);
    out.push_back({sentence, reader.Numbers()});
  });
}

void FindMeanings(const TextCanvas& canvas, double least, std::vector<Meaning>& out) {
  const Model& model = Model::Get();
  const Symbols& symbols = Symbols::Get();
  Reader reader(canvas);
  std::vector<std::pair<double, const Frame*>> fired;
  reader.Run([&](std::uint32_t sentence) {
    if (out.size() >= kMaxHits) return;
    reader.Gather(sentence, false);
    SymbolSet all;
    for (const Item& item : reader.items()) all.Add(item.symbol);
    const auto meets = [&](const SymbolSet& set) { return all.Meets(set); };
    fired.clear();
    double score = model.bias;
    bool paired = false;
    for (const Frame& frame : model.frames) {
      if (!std::ranges::all_of(frame.has, meets) || std::ranges::any_of(frame.lacks, meets)) continue;
      if (!std::ranges::all_of(frame.near, [&](const auto& pair) { return meets(pair.first) && meets(pair.second); })) {
        continue;
      }
      if (!frame.near.empty() && !paired) {
        reader.Pair();
        paired = true;
      }
      if (!std::ranges::all_of(frame.near, [&](const auto& pair) { return reader.Near(pair.first, pair.second); }))
        continue;
      score += frame.weight;
      fired.emplace_back(frame.weight, &frame);
    }
    if (fired.empty()) return;
    // How it is meant costs more to tell than what it says.
    double mood = 0.0;
    for (const auto& [symbol, weight] : model.modifiers) mood += all.Has(symbol) ? weight : 0.0;
    if (score + mood < least - 2.0) return;
    reader.Moods(sentence, all);
    for (const auto& [symbol, weight] : model.modifiers) score += all.Has(symbol) ? weight : 0.0;
    if (score < least) return;
    Meaning hit;
    hit.sentence = sentence;
    hit.passage = canvas.sentences[sentence].passage;
    hit.begin = reader.first_word();
    hit.end = reader.last_word();
    hit.score = score;
    hit.spoken = all.Meets(model.speech);
    std::array<double, 9> threats{};
    for (const auto& [weight, frame] : fired) threats[std::min<std::size_t>(frame->threat, 8)] += weight;
    hit.threat = static_cast<std::uint8_t>(std::max_element(threats.begin(), threats.end()) - threats.begin());
    // The heaviest frame in words, with the classes that made it.
    std::ranges::sort(fired, [](const auto& a, const auto& b) { return a.first > b.first; });
    const Frame& best = *fired.front().second;
    std::vector<std::uint32_t> told;
    const auto tell = [&](const SymbolSet& set) {
      for (const Item& item : reader.items()) {
        if (!set.Has(item.symbol)) continue;
        if (std::ranges::find(told, item.symbol) == told.end()) told.push_back(item.symbol);
        return;
      }
    };
    for (const auto& [a, b] : best.near) {
      tell(a);
      tell(b);
    }
    for (const SymbolSet& part : best.has) tell(part);
    for (const std::uint32_t symbol : told) hit.why += (hit.why.empty() ? "" : " + ") + symbols.titles[symbol];
    out.push_back(std::move(hit));
  });
}

}  // namespace interlock::scan
