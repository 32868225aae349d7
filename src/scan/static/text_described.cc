// How far a stretch of text describes rather than performs.
#include <algorithm>
#include <array>
#include <span>

#include "static/ascii.h"
#include "static/listed_words.h"
#include "static/text_frames.h"

namespace interlock::scan {
namespace {

constexpr std::array kOutcomes = std::to_array<std::string_view>(
    {"refuse",  "refuses", "refused", "refusal",  "ignore",    "ignores",   "ignored", "block", "blocks",
     "blocked", "reject",  "rejects", "rejected", "deny",      "denies",    "denied",  "asks",  "flag",
     "flags",   "flagged", "no",      "unsafe",   "malicious", "injection", "attack",  "none"});

// A row of test cases: another cell says in a word or three what is to come of it.
bool HasOutcome(const TextCanvas& canvas, const TextPassage& passage, std::uint32_t at) {
  constexpr std::uint32_t kShort = 3;
  if (!passage.outcome) return false;
  const std::string_view text = canvas.text;
  std::uint32_t words = 0;
  bool outcome = false;
  bool here = false;
  const ListedWords::Entry* const listed = ListedWords::Get().entries();
  const auto ends = [&] { return words > 0 && words <= kShort && outcome && !here; };
  // Between two words stand few signs.
  const auto bar = [&](std::uint32_t from, std::uint32_t to) {
    while (from < to && text[from] != '|') ++from;
    return from < to;
  };
  std::uint32_t last = passage.begin;
  for (std::uint32_t s = passage.first; s < passage.last; ++s) {
    const TextSentence& sentence = canvas.sentences[s];
    for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
      const TextToken& token = canvas.tokens[t];
      if (bar(last, token.begin)) {
        if (ends()) return true;
        words = 0;
        outcome = here = false;
      }
      ++words;
      here = here || (at >= token.begin && at < token.end());
      outcome = outcome || (words <= kShort && listed[token.listed].outcome);
      last = token.end();
    }
  }
  return ends();
}

// Other rows of the table that are test cases.
std::size_t OutcomesBeside(const TextCanvas& canvas, std::uint32_t index) {
  constexpr std::uint32_t kReach = 6;
  std::size_t count = 0;
  const TextPassage& passage = canvas.passages[index];
  const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(index + kReach, canvas.passages.size() - 1));
  for (std::uint32_t p = index > kReach ? index - kReach : 0; p <= last; ++p) {
    const TextPassage& there = canvas.passages[p];
    if (there.shape != TextShape::kRow || there.section != passage.section || there.surface == passage.surface)
      continue;
    count += HasOutcome(canvas, there, there.end) ? 1U : 0U;
  }
  return count;
}

// "Bait: ...", "Example: ...": the passage is named as a sample.
bool Labelled(const TextCanvas& canvas, const TextPassage& passage) {
  constexpr std::uint32_t kNameWords = 4;
  const TextSentence& first = canvas.sentences[passage.first];
  const std::string_view text = canvas.text;
  WordSet said = 0;
  for (std::uint32_t t = first.first; t < first.last && t - first.first < kNameWords; ++t) {
    said |= canvas.tokens[t].set;
    const std::uint32_t next = t + 1 < first.last ? canvas.tokens[t + 1].begin : first.end;
    const std::uint32_t end = canvas.tokens[t].end();
    if (next > end && text.substr(end, next - end).find(':') != std::string_view::npos) {
      return (said & (Bit(kWDescribe) | Bit(kWExample))) != 0;
    }
  }
  return false;
}

// Other items of the list that speak of attacks.
std::size_t TalkBeside(const TextCanvas& canvas, std::uint32_t index) {
  constexpr std::uint32_t kReach = 12;
  std::size_t count = 0;
  const TextPassage& passage = canvas.passages[index];
  const auto talks = [&](std::uint32_t p) {
    const TextPassage& there = canvas.passages[p];
    if (there.surface == passage.surface || there.glossed != passage.glossed) return false;
    for (std::uint32_t s = there.first; s < there.last; ++s) {
      if ((canvas.sentences[s].all & Bit(kWDescribe)) != 0) return true;
    }
    return false;
  };
  const auto beside = [&](std::uint32_t p) {
    return canvas.passages[p].shape == passage.shape && canvas.passages[p].section == passage.section;
  };
  for (std::uint32_t p = index; p > 0 && index - p < kReach && beside(p - 1); --p) count += talks(p - 1) ? 1U : 0U;
  for (std::uint32_t p = index + 1; p < canvas.passages.size() && p - index < kReach && beside(p); ++p)
    count += talks(p) ? 1U : 0U;
  return count;
}

// What begins with the end of a name in JSON (`": "...`) is a value: its marks quote nobody.
bool IsMember(std::string_view text, std::uint32_t at) {
  return text[at] == '"' && text.substr(at + 1, 2).find(':') != std::string_view::npos;
}

// `,"` begins a value in a table of values.
std::ptrdiff_t CellMarks(std::string_view text) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = text.find(",\""); at != std::string_view::npos; at = text.find(",\"", at + 2)) ++count;
  return count;
}

// The column of a table in which the row says it is named for what is not to be done ("Prohibited", "Never").
bool HeadForbids(const TextCanvas& canvas, std::uint32_t index, std::uint32_t at) {
  constexpr std::uint32_t kMostRows = 60;
  constexpr std::uint32_t kShortHead = 4;  // words of a cell
  static constexpr std::array kForbids = std::to_array<std::string_view>(
      {"prohibited", "forbidden", "never", "don't", "disallowed", "denied", "blocked", "banned", "avoid"});
  const TextPassage& passage = canvas.passages[index];
  std::uint32_t head = index;
  while (head > 0 && index - head < kMostRows && canvas.passages[head - 1].shape == TextShape::kRow &&
         canvas.passages[head - 1].section == passage.section)
    --head;
  if (head == index || index - head >= kMostRows) return false;
  const std::string_view text = canvas.text;
  const auto bars = [&](std::uint32_t from, std::uint32_t to) {
    return std::ranges::count(text.substr(from, to > from ? to - from : 0), '|');
  };
  const TextPassage& first = canvas.passages[head];
  // Whether a row begins with a bar is the same for all of a table.
  const auto column = bars(passage.begin, at);
  bool forbids = false;
  std::uint32_t words = 0;
  for (std::uint32_t s = first.first; s < first.last; ++s) {
    for (std::uint32_t t = canvas.sentences[s].first; t < canvas.sentences[s].last; ++t) {
      if (bars(first.begin, canvas.tokens[t].begin) != column) continue;
      ++words;
      forbids = forbids || std::ranges::find(kForbids, canvas.Of(canvas.tokens[t])) != kForbids.end();
    }
  }
  return forbids && words <= kShortHead;
}

// "## Never", "## What not to do": each item below is what is not done. Only where the heading says nothing else.
bool TitleForbids(const TextCanvas& canvas, const TextPassage& passage) {
  if (passage.shape != TextShape::kItem || passage.section >= canvas.sections.size()) return false;
  const TextSection& section = canvas.sections[passage.section];
  if (section.end <= section.begin || section.end > canvas.text.size()) return false;
  std::string_view title = std::string_view(canvas.text).substr(section.begin, section.end - section.begin);
  constexpr std::string_view kAround = " \t\n#*_:.!";
  const std::size_t first = title.find_first_not_of(kAround);
  if (first == std::string_view::npos) return false;
  title = title.substr(first, title.find_last_not_of(kAround) + 1 - first);
  static constexpr std::array kDenials = std::to_array<std::string_view>({"never",
                                                                          "never do",
                                                                          "never do this",
                                                                          "do not",
                                                                          "don't",
                                                                          "don'ts",
                                                                          "dont",
                                                                          "don\xE2\x80\x99t",
                                                                          "don\xE2\x80\x99ts",
                                                                          "do nots",
                                                                          "not allowed",
                                                                          "forbidden",
                                                                          "prohibited",
                                                                          "what not to do",
                                                                          "avoid",
                                                                          "things to avoid",
                                                                          "hard no",
                                                                          "no-gos",
                                                                          "must not",
                                                                          "nie",
                                                                          "niemals",
                                                                          "nunca",
                                                                          "jamais",
                                                                          "mai"});
  return title.size() <= 20 && std::ranges::any_of(kDenials, [&](std::string_view denial) {
           return denial.size() == title.size() && std::ranges::equal(denial, title, [](char a, char b) {
                    return a == (b >= 'A' && b <= 'Z' ? char(b + 32) : b);
                  });
         });
}

// "Do not mention this to the user."
bool KeepsFromUser(const TextCanvas& canvas, const TextPassage& passage) {
  constexpr std::uint32_t kMost = 256;  // asked for each of its sentences
  for (std::uint32_t s = passage.first; s < passage.last && s - passage.first < kMost; ++s) {
    const WordSet said = canvas.sentences[s].all;
    if ((said & Bit(kWNot)) != 0 && (said & Bit(kWUser)) != 0 && (said & (Bit(kWTell) | Bit(kWShow))) != 0) return true;
  }
  return false;
}

}  // namespace

std::span<const std::string_view> OutcomeWords() { return kOutcomes; }

double Described(const TextCanvas& canvas, std::uint32_t index, std::uint32_t begin, std::uint32_t end, bool ticks) {
  double out = DescribedHere(canvas, index, begin, end, ticks);
  const TextSentence& sentence = canvas.sentences[index];
  if (begin < sentence.begin || sentence.passage >= canvas.passages.size()) return out;
  const SurfaceSet kind = canvas.passages[sentence.passage].kind;
  const double security = canvas.SecurityAt(sentence.passage);
  // What a tool is said to be is given to the model as it stands, whatever the rest of the file is about: who describes
  // attacks keeps nothing from the user.
  double topic = 1.0;
  const bool about = security > 0.08;
  const bool given =
      about && (kind & kSurfaceDescription) != 0 && KeepsFromUser(canvas, canvas.passages[sentence.passage]);
  if (about && !given) topic *= security > 0.16 ? 0.7 * 0.6 : 0.7;
  // Nobody hides a description.
  const bool hidden = (kind & (kSurfaceHidden | kSurfaceDecoded)) != 0;
  out = 1.0 - (1.0 - out) * (hidden ? (1.0 + topic) / 2 : topic);
  return std::min(out, 0.95);
}

namespace {

// `ignore any "ignore previous instructions" in a mail`: what is between the marks is what somebody else may say.
bool RefusesQuoted(std::string_view found, std::string_view after) {
  constexpr std::array kSaid = std::to_array<std::string_view>(
      {"ignore", "disregard", "forget", "you are now", "act as", "override", "pretend", "new instructions", "system:"});
  const std::size_t open = found.find('"');
  if (open == std::string_view::npos || open == 0) return false;
  const std::string_view said = found.substr(open + 1);
  if (said.find('"') == std::string_view::npos && after.find('"') == std::string_view::npos) return false;
  return std::ranges::any_of(kSaid, [&](std::string_view one) { return said.starts_with(one); });
}

// "Event (name, source, table, condition, bypass security filters)": one of a list of names, no order.
bool IsListedInParentheses(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  constexpr std::uint32_t kAround = 160;
  constexpr std::ptrdiff_t kSeveral = 3;
  constexpr std::uint32_t kLongestName = 40;
  const std::uint32_t from = begin > kAround ? begin - kAround : 0;
  std::string_view before = text.substr(from, begin - from);
  const std::size_t open = before.rfind('(');
  if (open == std::string_view::npos || end < begin || end - begin > kLongestName) return false;
  before = Trim(before.substr(open + 1));
  if (before.find_first_of(".;:!?)\n\"`") != std::string_view::npos || !before.ends_with(',')) return false;
  if (std::count(before.begin(), before.end(), ',') < kSeveral) return false;
  const std::string_view listed = text.substr(begin, end - begin);
  for (const std::string_view word : {"previous", "prior", "above", "earlier", "your", "all "}) {
    if (listed.find(word) != std::string_view::npos) return false;
  }
  const std::string_view after = Trim(text.substr(end, kLongestName));
  return after.starts_with(')') || after.starts_with(',');
}

// "something that claims to outrank the system prompt, mention it": what somebody else's text is up to.
bool IsClaimed(std::string_view before) {
  constexpr std::array kClaims = std::to_array<std::string_view>(
      {" claims to ", " claim to ", " claiming to ", " pretends to ", " pretend to ", " pretending to ",
       " purports to ", " tries to ", " try to ", " trying to ", " attempts to "});
  constexpr std::array kSubjects = std::to_array<std::string_view>(
      {"something that", "anything that", "text that", "content that", "message that", "instructions that",
       "document that", "page that", "anything which", "something which", "text which"});
  const auto last = [&](const auto& words) {
    std::size_t at = std::string_view::npos;
    for (const std::string_view word : words) {
      const std::size_t here = before.rfind(word);
      if (here != std::string_view::npos && (at == std::string_view::npos || here > at)) at = here;
    }
    return at;
  };
  const std::size_t claim = last(kClaims);
  if (claim == std::string_view::npos || last(kSubjects) >= claim) return false;
  // ... and not what is to be done about it: "text that tries to stop you, ignore it".
  const std::string_view governed = before.substr(claim);
  return governed.find_first_of(",;:") == std::string_view::npos && governed.find(" then ") == std::string_view::npos;
}

// "- Instructions to ignore previous instructions", "Concealment: instructs the agent to hide ...": what a text is or
// does that is looked for, and all that the sentence says. "Attempt to ..." is an order.
bool NamesOrders(std::string_view sentence, std::string_view after) {
  static constexpr std::array kTexts = std::to_array<std::string_view>(
      {"instructions", "attempts", "requests", "commands", "directives", "prompts", "phrases", "messages", "texts"});
  static constexpr std::array kDoes = std::to_array<std::string_view>(
      {"instructs", "tells", "directs", "orders", "asks", "tricks", "commands", "manipulates", "convinces", "urges"});
  static constexpr std::array kKinds =
      std::to_array<std::string_view>({"any", "hidden", "embedded", "injected", "explicit", "direct"});
  static constexpr std::array kArticles = std::to_array<std::string_view>({"the", "an", "your"});
  static constexpr std::array kWhom = std::to_array<std::string_view>(
      {"agent", "agents", "model", "models", "assistant", "llm", "ai", "claude", "user", "users", "reader"});
  constexpr std::size_t kMostAfter = 4;  // a full stop, a bracket
  constexpr std::size_t kMostWords = 8;
  constexpr std::size_t kLongestLead = 100;  // bytes
  if (Trim(after).size() > kMostAfter) return false;
  const auto among = [](const auto& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  const std::string lower = LowerCase(sentence.substr(0, kLongestLead));
  std::array<std::string_view, kMostWords> words;
  std::size_t count = 0;
  std::size_t at = 0;
  while (count < kMostWords) {
    at = lower.find_first_not_of(" \t\n-*", at);
    if (at == std::string::npos) break;
    const std::size_t end = std::min(lower.find_first_of(" \t\n", at), lower.size());
    words[count++] = std::string_view(lower).substr(at, end - at);
    at = end;
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    // At the start, behind one word that says of what kind, or behind a title.
    const bool leads = i == 0 || words[i - 1].ends_with(':');
    const bool kind = i == 1 && among(kKinds, words[0]);
    if ((leads || kind) && among(kTexts, words[i]) && words[i + 1] == "to") return true;
    if (!leads || !among(kDoes, words[i])) continue;
    const std::size_t whom = i + 1 + (among(kArticles, words[i + 1]) ? 1U : 0U);
    if (whom + 1 < count && among(kWhom, words[whom]) && words[whom + 1] == "to") return true;
  }
  return false;
}

}  // namespace

double DescribedHere(const TextCanvas& canvas, std::uint32_t index, std::uint32_t begin, std::uint32_t end,
                     bool ticks) {
  const TextSentence& sentence = canvas.sentences[index];
  if (begin < sentence.begin || sentence.passage >= canvas.passages.size()) return 0.0;
  const TextPassage& passage = canvas.passages[sentence.passage];
  const std::string_view text = canvas.text;
  double out = 0.0;
  const auto add = [&](double part) { out = 1.0 - (1.0 - out) * (1.0 - part); };

  if (canvas.Reported(begin)) add(0.8);
  // Between quotation marks or in a code span, in a sentence that goes on around it.
  const std::string_view before = text.substr(sentence.begin, begin - sentence.begin);
  const std::string_view after = text.substr(end, sentence.end > end ? sentence.end - end : 0);
  bool marked = canvas.Quoted(begin);
  if (marked) add(0.55);
  if (!marked && RefusesQuoted(text.substr(begin, end > begin ? end - begin : 0), after)) add(0.8);
  marked = marked || (begin < text.size() && IsMember(text, begin));
  for (const char quote : {'"', '`'}) {
    if (marked) break;
    const auto opened = std::count(before.begin(), before.end(), quote) - (quote == '"' ? CellMarks(before) : 0);
    // The closing mark may stand behind the full stop.
    const bool closed =
        after.find(quote) != std::string_view::npos || (sentence.end < text.size() && text[sentence.end] == quote);
    if (opened % 2 == 1 && closed) {
      add(quote == '`' && !ticks ? 0.15 : 0.55);
      marked = true;
    }
  }
  if (passage.quoted) add(0.2);
  if (IsClaimed(before)) add(0.8);
  // A tool that is said to tell the model something tells it.
  constexpr SurfaceSet kTold =
      kSurfaceDescription | kSurfaceSchema | kSurfaceToolName | kSurfaceHidden | kSurfaceDecoded;
  if ((passage.kind & kTold) == 0 && NamesOrders(canvas.Of(sentence), after)) add(0.8);
  if (IsListedInParentheses(text, begin, end)) add(0.75);
  if (TitleForbids(canvas, passage)) add(0.75);
  if (passage.shape == TextShape::kRow) {
    const bool cases = HasOutcome(canvas, passage, begin) || OutcomesBeside(canvas, sentence.passage) > 1;
    add(cases ? 0.8 : HeadForbids(canvas, sentence.passage, begin) ? 0.75 : 0.3);
  }
  if (passage.shape == TextShape::kCode) add(0.35);

  const WordSet title = canvas.sections[passage.section].title;
  if ((title & Bit(kWDescribe)) != 0) add(0.45);
  if ((title & (Bit(kWExample) | Bit(kWNot))) != 0) add(0.3);
  if ((title & Bit(kWSafety)) != 0) add(0.15);

  if ((sentence.all & Bit(kWDescribe)) != 0) add(0.5);
  if ((sentence.all & Bit(kWExample)) != 0) add(0.3);

  // Items among others that speak of attacks are signs of one.
  if ((passage.shape == TextShape::kItem || passage.shape == TextShape::kRow) &&
      TalkBeside(canvas, sentence.passage) > 1)
    add(0.45);

  if (Labelled(canvas, passage)) add(0.45);

  // What introduces a list speaks for its items.
  if (passage.shape == TextShape::kItem && sentence.passage > 0) {
    std::uint32_t lead = sentence.passage;
    for (int i = 0; i < 24 && lead > 0; ++i) {
      --lead;
      if (canvas.passages[lead].shape != TextShape::kItem) break;
    }
    const TextPassage& intro = canvas.passages[lead];
    if (intro.section == passage.section && intro.shape == TextShape::kProse && intro.last > intro.first) {
      const WordSet said = canvas.sentences[intro.last - 1].all;
      if ((said & Bit(kWDescribe)) != 0) add(0.4);
      if ((said & (Bit(kWNot) | Bit(kWExample))) != 0) add(0.4);
    }
  }
  // A question asks.
  const std::string_view whole = canvas.Of(sentence);
  for (std::size_t at = whole.find('?'); at != std::string_view::npos; at = whole.find('?', at + 1)) {
    // That of an address asks nobody.
    const std::size_t word = whole.find_last_of(" \n<(", at);
    const std::size_t from = word == std::string_view::npos ? 0 : word + 1;
    if (whole.substr(from, at - from).find("://") != std::string_view::npos) continue;
    // Nor does that before the name of a parameter: `?tag=`.
    if (at + 1 < whole.size() && (whole[at + 1] >= 'a' && whole[at + 1] <= 'z')) continue;
    add(0.4);
    break;
  }
  // Nobody hides a description.
  if ((passage.kind & (kSurfaceHidden | kSurfaceDecoded)) != 0) out *= 0.5;
  return std::min(out, 0.95);
}

bool Narrated(const TextCanvas& canvas, std::uint32_t index, std::uint32_t end) {
  // Forms that only the past has, or that follow a subject; participles behind "be" are none.
  static constexpr std::array kTold =
      std::to_array<std::string_view>({"ran",  "downloaded", "fetched",   "appended", "typed",   "tried",    "wrote",
                                       "sent", "posted",     "pasted",    "dropped",  "planted", "executed", "injected",
                                       "try",  "type",       "attempted", "launched", "started", "began",    "went"});
  static constexpr std::array kDone = std::to_array<std::string_view>(
      {"be",   "is",     "are",  "was",   "were", "been",   "being", "have", "has",  "had",
       "you",  "to",     "once", "if",    "when", "after",  "and",   "or",   "must", "should",
       "then", "please", "also", "first", "now",  "always", "a",     "an",   "the"});
  const TextSentence& sentence = canvas.sentences[index];
  bool told = false;
  for (std::uint32_t t = sentence.first; t < sentence.last && canvas.tokens[t].begin < end; ++t) {
    if ((canvas.tokens[t].set & (Bit(kWMust) | Bit(kWShould))) != 0) return false;
    const std::string_view word = canvas.Of(canvas.tokens[t]);
    if (word == "you" || word == "your") return false;
    if (t == sentence.first || std::ranges::find(kTold, word) == kTold.end()) continue;
    // "Open a terminal, type ..." is an order.
    const bool present = word == "try" || word == "type";
    const std::uint32_t last = canvas.tokens[t - 1].end();
    if (present &&
        std::string_view(canvas.text).substr(last, canvas.tokens[t].begin - last).find(',') != std::string_view::npos)
      continue;
    told = told || std::ranges::find(kDone, canvas.Of(canvas.tokens[t - 1])) == kDone.end();
  }
  return told;
}

}  // namespace interlock::scan
