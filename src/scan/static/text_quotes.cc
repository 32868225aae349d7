#include "static/text_quotes.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr std::uint32_t kLongestQuote = 600;
constexpr std::size_t kLead = 14;     // words before the mark
constexpr std::size_t kOrdering = 4;  // ... of which these say what is done with the quotation
constexpr std::size_t kMaxQuotes = 2000;

// Verbs that report, in the forms that no order has, and names for what is quoted.
constexpr std::array kReports = std::to_array<std::string_view>(
    {"says",      "said",       "saying",    "stating",   "claims",    "claimed",    "claiming",  "asks",
     "asked",     "asking",     "telling",   "tells",     "orders",    "ordering",   "instructs", "instructing",
     "contains",  "containing", "contained", "like",      "e.g",       "eg",         "phrase",    "phrases",
     "phrasing",  "wording",    "wordings",  "strings",   "inputs",    "input",      "payload",   "payloads",
     "example",   "examples",   "sample",    "samples",   "injection", "injections", "attack",    "attacks",
     "attempts",  "attempt",    "snippet",   "snippets",  "quote",     "quoted",     "attacker",  "attackers",
     "jailbreak", "malicious",  "lures",     "lure",      "seeing",    "matches",    "flags",     "detects",
     "claimants", "variants",   "wrote",     "writes",    "written",   "began",      "begins",    "typed",
     "types",     "pasted",     "sentence",  "sentences", "pretends",  "pretended"});
// Base forms that report after "that", "which", "who", "may".
constexpr std::array<std::string_view, 9> kReportBases = {"say",   "read",  "ask",      "tell",   "write",
                                                          "claim", "order", "instruct", "contain"};
constexpr std::array<std::string_view, 9> kRelative = {"that", "which", "who",   "may",      "might",
                                                       "can",  "could", "often", "sometimes"};
// What is to be done with the quotation, and on whose word.
constexpr std::array<std::string_view, 47> kOrders = {
    "append",    "add",   "write",    "put",   "insert", "include", "say",    "reply", "respond", "answer",
    "save",      "store", "remember", "send",  "run",    "execute", "output", "print", "follow",  "do",
    "obey",      "set",   "end",      "begin", "start",  "prepend", "tell",   "use",   "call",    "paste",
    "enter",     "type",  "pass",     "post",  "record", "note",    "mark",   "treat", "replace", "change",
    "following", "must",  "always",   "you",   "your",   "please",  "then"};
constexpr std::array<std::string_view, 11> kAuthority = {"system",   "policy",   "administrator", "admin",
                                                         "operator", "platform", "developer",     "developers",
                                                         "company",  "rule",     "rules"};

// What stands at the head of a note to the reader: such a block quotation is spoken, not quoted.
constexpr std::array<std::string_view, 14> kCallouts = {"note",      "important", "warning",  "tip",  "caution",
                                                        "attention", "info",      "critical", "hint", "notice",
                                                        "required",  "security",  "system",   "admin"};

// In which of these lists a word before a quotation stands, as bits.
enum InList : std::uint8_t { kInReports = 1, kInReportBases = 2, kInRelative = 4, kInOrders = 8, kInAuthority = 16 };

std::uint8_t ListsOf(std::string_view word) {
  static const WordTable<std::uint8_t> table = [] {
    WordTable<std::uint8_t> made;
    const auto add = [&](std::span<const std::string_view> words, InList list) {
      for (const std::string_view one : words) made.Add(one, list);
    };
    add(kReports, kInReports);
    add(kReportBases, kInReportBases);
    add(kRelative, kInRelative);
    add(kOrders, kInOrders);
    add(kAuthority, kInAuthority);
    return made;
  }();
  return table.Find(word);
}

bool Letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0; }

// How the words before a quotation speak of it.
enum class Lead : std::uint8_t { kNothing, kReport, kOrder };

struct Quotation {
  std::uint32_t passage = 0;
  std::uint32_t begin = 0;  // in the canvas: the marks
  std::uint32_t end = 0;
  Lead lead = Lead::kNothing;
  bool alone = false;             // nothing but a number or a name stands before it
  std::string_view comment = {};  // the name under which the text goes on behind it
};

// Marks of quotations, as they stand in the canvas, and what closes each.
struct Marks {
  std::string_view open;
  std::string_view close;
};
constexpr std::array<Marks, 5> kMarks = {{{"\"", "\""},
                                          {"'", "'"},
                                          {"\xC2\xAB", "\xC2\xBB"},
                                          {"\xE3\x80\x8C", "\xE3\x80\x8D"},
                                          {"\xE3\x80\x8E", "\xE3\x80\x8F"}}};

class Finder {
 public:
  explicit Finder(TextCanvas& canvas) : canvas_(canvas) {}

  void Run() {
    for (const Marks& marks : kMarks) {
      if (canvas_.text.find(marks.open) != std::string::npos) used_[used_count_++] = &marks;
    }
    for (std::uint32_t p = 0; p < canvas_.passages.size() && found_.size() < kMaxQuotes; ++p) {
      const TextPassage& passage = canvas_.passages[p];
      if (passage.shape == TextShape::kCode || passage.shape == TextShape::kHeading || passage.last <= passage.first)
        continue;
      if ((passage.kind & (kSurfaceHidden | kSurfaceDecoded)) != 0) continue;  // nobody hides a report
      if (passage.quoted) Block(p);
      Marked(p);
    }
    if (found_.empty()) return;
    for (const Quotation& one : found_) {
      if (!one.alone || one.lead == Lead::kOrder) continue;
      const TextPassage& passage = canvas_.passages[one.passage];
      if (!one.comment.empty()) ++comments_[one.comment];
      if (!passage.quoted) ++sections_[{passage.section, passage.glossed}];
    }
    for (const Quotation& one : found_) {
      if (one.lead == Lead::kOrder) continue;
      canvas_.quoted.emplace_back(one.begin, one.end);
      if (one.lead == Lead::kReport || Sample(one)) canvas_.reported.emplace_back(one.begin, one.end);
    }
    for (auto* list : {&canvas_.quoted, &canvas_.reported}) Tidy(*list);
    for (const auto& [begin, end] : canvas_.reported) {
      const auto first = std::ranges::lower_bound(canvas_.tokens, begin, {}, &TextToken::begin);
      for (auto token = first; token != canvas_.tokens.end() && token->begin < end; ++token) token->reported = true;
    }
  }

 private:
  // The passage that is a block quotation.
  void Block(std::uint32_t p) {
    const TextPassage& passage = canvas_.passages[p];
    const TextSentence& first = canvas_.sentences[passage.first];
    if (first.last > first.first && Among(canvas_.Of(canvas_.tokens[first.first]), kCallouts)) return;
    if (passage.end - passage.begin > kLongestQuote || canvas_.text[passage.begin] == '[') return;
    const TextPassage* const before = Before(p);
    if (before != nullptr && before->quoted) return;  // the same, going on
    Quotation one{p, passage.begin, passage.end, Lead::kNothing, true, {}};
    one.lead = LeadOf(p, passage.begin);
    one.comment = CommentOf(p, passage.end);
    found_.push_back(one);
  }

  void Marked(std::uint32_t p) {
    const TextPassage& passage = canvas_.passages[p];
    const std::string_view text = std::string_view(canvas_.text).substr(passage.begin, passage.end - passage.begin);
    for (std::size_t m = 0; m < used_count_; ++m) {
      const Marks& marks = *used_[m];
      const bool apostrophe = marks.open == "'";
      for (std::size_t at = text.find(marks.open); at != std::string_view::npos;) {
        const std::size_t inside = at + marks.open.size();
        const bool opens = marks.open.size() > 1 ||
                           ((at == 0 || !Letter(text[at - 1])) && inside < text.size() && text[inside] != ' ');
        // `three,"one, two"`: a value in a table of values.
        const bool cell = at > 0 && text[at - 1] == ',' && marks.open == "\"";
        // As far as a quotation reaches: a mark that nothing closes must not cost the rest of a text.
        const std::string_view near = text.substr(0, at + kLongestQuote + marks.close.size());
        std::size_t close = opens && !cell ? near.find(marks.close, inside) : std::string_view::npos;
        // An apostrophe inside a word closes nothing.
        while (close != std::string_view::npos && apostrophe && close + 1 < text.size() && Letter(text[close + 1])) {
          close = near.find('\'', close + 1);
        }
        if (close == std::string_view::npos || close - at > kLongestQuote) {
          at = text.find(marks.open, inside);
          continue;
        }
        const bool words = marks.open.size() > 2 || text.substr(at, close - at).find(' ') != std::string_view::npos;
        if (words && found_.size() < kMaxQuotes) {
          const auto begin = static_cast<std::uint32_t>(passage.begin + at);
          const auto end = static_cast<std::uint32_t>(passage.begin + close);
          Quotation one{p, begin, end, Lead::kNothing, false, {}};
          // One of a row of quotations is spoken of as the first is.
          const Quotation* const before = found_.empty() || found_.back().passage != p ? nullptr : &found_.back();
          const bool row = before != nullptr && before->end < begin && Lists(before->end, begin);
          one.lead = row ? before->lead : LeadOf(p, begin);
          // Whatever the language: two and more in a row between brackets are samples of something.
          if (row && one.lead == Lead::kNothing && Bracketed(passage, before->begin)) {
            found_.back().lead = one.lead = Lead::kReport;
          }
          one.alone = Alone(passage, begin, end);
          if (one.alone) one.comment = CommentOf(p, end + static_cast<std::uint32_t>(marks.close.size()));
          found_.push_back(one);
        }
        at = text.find(marks.open, close + marks.close.size());
      }
    }
  }

  // Nothing but what joins the parts of a list stands between two quotations.
  [[nodiscard]] bool Lists(std::uint32_t from, std::uint32_t to) const {
    constexpr std::size_t kLongestJoint = 8;
    std::string_view gap = std::string_view(canvas_.text).substr(from, to - from);
    if (gap.size() < 2 || gap.size() > kLongestJoint) return false;
    gap.remove_prefix(1);  // the closing mark
    return gap.find_first_not_of(" ,\n\t/|or") == std::string_view::npos &&
           gap.find_first_of(",/|o") != std::string_view::npos;
  }

  // A bracket opens few words before.
  [[nodiscard]] bool Bracketed(const TextPassage& passage, std::uint32_t at) const {
    constexpr std::uint32_t kNear = 24;
    const std::uint32_t from = std::max(passage.begin, at > kNear ? at - kNear : 0U);
    const std::string_view before = std::string_view(canvas_.text).substr(from, at - from);
    const std::size_t open = before.rfind('(');
    return open != std::string_view::npos && before.find(')', open) == std::string_view::npos;
  }

  // A sample is shown and spoken about: several stand side by side, or what is said of each goes by the same name.
  [[nodiscard]] bool Sample(const Quotation& one) const {
    if (!one.alone) return false;
    const TextPassage& passage = canvas_.passages[one.passage];
    if (passage.shape == TextShape::kRow) return true;
    if (!one.comment.empty() && comments_.at(one.comment) > 1) return true;
    return !passage.quoted && sections_.at({passage.section, passage.glossed}) > 1;
  }

  // A number, a name or nothing before it; in a table the cell is it.
  [[nodiscard]] bool Alone(const TextPassage& passage, std::uint32_t begin, std::uint32_t end) const {
    const std::string_view text = canvas_.text;
    if (passage.shape == TextShape::kRow) {
      constexpr std::string_view kBlank = " \t\"'.";
      std::uint32_t left = begin;
      while (left > passage.begin && kBlank.find(text[left - 1]) != std::string_view::npos) --left;
      std::uint32_t right = end;
      while (right < passage.end && kBlank.find(text[right]) != std::string_view::npos) ++right;
      return (left == passage.begin || text[left - 1] == '|') && (right >= passage.end || text[right] == '|');
    }
    constexpr std::uint32_t kNameWords = 5;
    std::uint32_t words = 0;
    for (std::uint32_t s = passage.first; s < passage.last && canvas_.sentences[s].begin < begin; ++s) {
      const TextSentence& sentence = canvas_.sentences[s];
      for (std::uint32_t t = sentence.first; t < sentence.last && canvas_.tokens[t].begin < begin; ++t) {
        if (++words > kNameWords) return false;
      }
    }
    return true;
  }

  // "Why it is suspicious: ..." behind the quotation, without what follows.
  [[nodiscard]] std::string_view CommentOf(std::uint32_t p, std::uint32_t end) const {
    constexpr std::size_t kLongestName = 64;
    const TextPassage* passage = &canvas_.passages[p];
    std::string_view rest = std::string_view(canvas_.text).substr(end, passage->end > end ? passage->end - end : 0);
    constexpr std::string_view kBetween = " \t\n\"'.,;!*_-)\\";
    std::size_t from = rest.find_first_not_of(kBetween);
    if (from == std::string_view::npos) {
      passage = After(p);
      if (passage == nullptr) return {};
      rest = canvas_.Of(*passage);
      from = rest.find_first_not_of(kBetween);
      if (from == std::string_view::npos) return {};
    }
    rest = rest.substr(from, kLongestName);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos || colon == 0 ||
        rest.substr(0, colon).find_first_of(".\n\"|") != std::string_view::npos)
      return {};
    std::string_view name = rest.substr(0, colon);
    while (!name.empty() && (name.back() == ' ' || name.back() == '*')) name.remove_suffix(1);
    return name;
  }

  // The passages around, of another surface, as long as they speak of the same.
  [[nodiscard]] const TextPassage* Before(std::uint32_t p) const {
    const TextPassage& here = canvas_.passages[p];
    for (std::uint32_t i = p; i > 0 && p - i < 8; --i) {
      const TextPassage& there = canvas_.passages[i - 1];
      if (there.surface == here.surface || (there.kind & kSurfaceDecoded) != 0) continue;
      return there.section == here.section && there.last > there.first ? &there : nullptr;
    }
    return nullptr;
  }
  // What introduces the passage: for an item what stands before the list.
  [[nodiscard]] const TextPassage* Intro(std::uint32_t p) const {
    constexpr std::uint32_t kMostItems = 40;
    const TextPassage& here = canvas_.passages[p];
    if (here.shape == TextShape::kRow) return nullptr;
    if (here.shape != TextShape::kItem || here.quoted) return Before(p);
    for (std::uint32_t i = p; i > 0 && p - i < kMostItems; --i) {
      const TextPassage& there = canvas_.passages[i - 1];
      if (there.section != here.section || there.last <= there.first) return nullptr;
      if (there.shape != TextShape::kItem && (there.kind & kSurfaceDecoded) == 0) return &there;
    }
    return nullptr;
  }
  [[nodiscard]] const TextPassage* After(std::uint32_t p) const {
    const TextPassage& here = canvas_.passages[p];
    for (std::uint32_t i = p + 1; i < canvas_.passages.size() && i - p < 8; ++i) {
      const TextPassage& there = canvas_.passages[i];
      if (there.surface == here.surface || (there.kind & kSurfaceDecoded) != 0) continue;
      return there.section == here.section && there.shape != TextShape::kCode ? &there : nullptr;
    }
    return nullptr;
  }

  // The words before a mark speak of what follows as of a thing, or have something done with it.
  [[nodiscard]] Lead LeadOf(std::uint32_t p, std::uint32_t open) const {
    const TextPassage& passage = canvas_.passages[p];
    const std::uint32_t index = canvas_.SentenceAt(open);
    const TextSentence* sentence = &canvas_.sentences[index];
    std::array<std::uint8_t, kLead + 1> lists{};  // of the words before it, the nearest first
    std::array<std::uint32_t, kLead> tokens{};
    std::size_t count = 0;
    const auto gather = [&](const TextSentence& one, std::uint32_t from = 0) {
      const auto tokens_of = std::span(canvas_.tokens).subspan(one.first, one.last - one.first);
      const auto before = std::ranges::lower_bound(tokens_of, open, {}, &TextToken::begin);
      for (auto i = one.first + static_cast<std::uint32_t>(before - tokens_of.begin()); i > one.first && count < kLead;
           --i) {
        if (canvas_.tokens[i - 1].begin < from) break;
        tokens[count] = i - 1;
        lists[count++] = ListsOf(canvas_.Of(canvas_.tokens[i - 1]));
      }
    };
    if (sentence->begin <= open && index >= passage.first) gather(*sentence);
    bool heading = false;
    // A sentence that is a quotation is spoken of by the one before it.
    if (count == 0) {
      if (index > passage.first && index <= passage.last) {
        gather(canvas_.sentences[index - 1]);
      } else if (const TextPassage* const before = Intro(p); before != nullptr && before->shape != TextShape::kCode) {
        heading = before->shape == TextShape::kHeading;
        // What that one quotes introduces nothing.
        const auto there = static_cast<std::uint32_t>(before - canvas_.passages.data());
        const auto quoted = std::ranges::find(found_.rbegin(), found_.rend(), there, &Quotation::passage);
        gather(canvas_.sentences[before->last - 1], quoted == found_.rend() ? 0 : quoted->end);
      }
    }
    bool reports = false;
    for (std::size_t i = 0; i < count; ++i) {
      const bool relative = (lists[i + 1] & kInRelative) != 0;
      const bool speech = (lists[i] & kInReportBases) != 0 && (relative || (passage.glossed && Told(tokens[i])));
      if (speech || (lists[i] & kInReports) != 0) {
        reports = true;
        continue;
      }
      if ((lists[i] & kInAuthority) != 0) return Lead::kOrder;
      // "Write: ..." and "Append text like ..." order; in "attackers use phrases like ..." nobody is told to.
      const bool orders = (lists[i] & kInOrders) != 0 && !(passage.glossed && Told(tokens[i]));
      if (orders && ((i < kOrdering && !reports) || (i + 1 == count && count < kLead))) return Lead::kOrder;
    }
    return reports && !heading ? Lead::kReport : Lead::kNothing;
  }

  // Word by word in English every verb has one form; behind its subject it tells.
  [[nodiscard]] bool Told(std::uint32_t token) const {
    if (token == 0) return false;
    const TextToken& before = canvas_.tokens[token - 1];
    const TextToken& here = canvas_.tokens[token];
    if (here.begin <= before.end()) return false;
    const std::string_view gap = std::string_view(canvas_.text).substr(before.end(), here.begin - before.end());
    if (gap.find_first_not_of(' ') != std::string_view::npos) return false;
    return (before.set & (Bit(kWMust) | Bit(kWShould) | Bit(kWAgent) | Bit(kWWhen) | Bit(kWNot))) == 0 &&
           !Among(canvas_.Of(before), kGoesOn);
  }
  static constexpr std::array<std::string_view, 8> kGoesOn = {"and",  "then", "please", "always",
                                                              "also", "to",   "now",    "or"};

  static void Tidy(std::vector<std::pair<std::uint32_t, std::uint32_t>>& spans) {
    std::ranges::sort(spans);
    std::size_t kept = 0;
    for (const auto& span : spans) {
      if (kept > 0 && span.first < spans[kept - 1].second) {
        spans[kept - 1].second = std::max(spans[kept - 1].second, span.second);
      } else {
        spans[kept++] = span;
      }
    }
    spans.resize(kept);
  }

  TextCanvas& canvas_;
  std::vector<Quotation> found_;
  // Of quotations that stand alone: how many have a comment of this name, and how many a section has.
  std::map<std::string_view, std::uint32_t> comments_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> sections_;
  std::array<const Marks*, kMarks.size()> used_{};
  std::size_t used_count_ = 0;
};

}  // namespace

void FindReported(TextCanvas& canvas) { Finder(canvas).Run(); }

}  // namespace interlock::scan
