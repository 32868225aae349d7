#include "static/text_quotes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "static/bytes.h"

namespace interlock::scan {
namespace {

constexpr std::uint32_t kLongestQuote = 600;
constexpr std::size_t kLead = 14;     // words before the mark
constexpr std::size_t kOrdering = 4;  // ... of which these say what is done with the quotation
constexpr std::size_t kMaxQuotes = 2000;

// Verbs that report, in the forms that no order has, and names for what is quoted.
constexpr std::array<std::string_view, 58> kReports = {
    "says",      "said",       "saying",    "stating",  "claims",    "claimed",    "claiming",  "asks",
    "asked",     "asking",     "telling",   "tells",    "orders",    "ordering",   "instructs", "instructing",
    "contains",  "containing", "contained", "like",     "e.g",       "eg",         "phrase",    "phrases",
    "phrasing",  "wording",    "wordings",  "strings",  "inputs",    "input",      "payload",   "payloads",
    "example",   "examples",   "sample",    "samples",  "injection", "injections", "attack",    "attacks",
    "attempts",  "attempt",    "snippet",   "snippets", "quote",     "quoted",     "attacker",  "attackers",
    "jailbreak", "malicious",  "lures",     "lure",     "seeing",    "matches",    "flags",     "detects",
    "claimants", "variants"};
// Base forms that report after "that", "which", "who", "may".
constexpr std::array<std::string_view, 8> kReportBases = {"say",   "read",  "ask",      "tell",
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

bool Among(std::string_view word, const auto& list) { return std::ranges::find(list, word) != list.end(); }

bool Letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0; }

// The words before a mark speak of what follows as of a thing.
bool Reports(const TextCanvas& canvas, const TextPassage& passage, std::uint32_t open) {
  const std::uint32_t index = canvas.SentenceAt(open);
  const TextSentence* sentence = &canvas.sentences[index];
  std::array<std::string_view, kLead> words{};
  std::size_t count = 0;
  const auto gather = [&](const TextSentence& one) {
    for (std::uint32_t i = one.last; i > one.first && count < kLead; --i) {
      if (canvas.tokens[i - 1].begin < open) words[count++] = canvas.Of(canvas.tokens[i - 1]);
    }
  };
  gather(*sentence);
  // A sentence that is a quotation is spoken of by the one before it.
  if (count == 0 && index > passage.first) gather(canvas.sentences[index - 1]);
  bool reports = false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool relative = i + 1 < count && Among(words[i + 1], kRelative);
    if ((relative && Among(words[i], kReportBases)) || Among(words[i], kReports)) {
      reports = true;
      continue;
    }
    if (Among(words[i], kAuthority)) return false;
    // "Write: ..." and "Append text like ..." order; in "attackers use phrases like ..." nobody is told to.
    const bool orders = Among(words[i], kOrders);
    if (orders && ((i < kOrdering && !reports) || (i + 1 == count && count < kLead))) return false;
  }
  return reports;
}

}  // namespace

void FindReported(TextCanvas& canvas) {
  for (const TextPassage& passage : canvas.passages) {
    if (passage.shape == TextShape::kCode || passage.last <= passage.first) continue;
    if ((passage.kind & (kSurfaceHidden | kSurfaceDecoded)) != 0) continue;  // nobody hides a report
    const std::string_view text = std::string_view(canvas.text).substr(passage.begin, passage.end - passage.begin);
    for (std::size_t at = FindEither(text, '"', '\'', 0); at != std::string_view::npos;) {
      const char mark = text[at];
      const bool opens = (at == 0 || !Letter(text[at - 1])) && at + 1 < text.size() && text[at + 1] != ' ';
      std::size_t close = std::string_view::npos;
      if (opens) {
        close = text.find(mark, at + 1);
        // An apostrophe inside a word closes nothing.
        while (close != std::string_view::npos && mark == '\'' && close + 1 < text.size() && Letter(text[close + 1])) {
          close = text.find(mark, close + 1);
        }
      }
      if (close == std::string_view::npos || close - at > kLongestQuote) {
        at = FindEither(text, '"', '\'', at + 1);
        continue;
      }
      const auto begin = static_cast<std::uint32_t>(passage.begin + at);
      const auto end = static_cast<std::uint32_t>(passage.begin + close);
      if (text.substr(at, close - at).find(' ') != std::string_view::npos && Reports(canvas, passage, begin) &&
          canvas.reported.size() < kMaxQuotes) {
        canvas.reported.emplace_back(begin, end);
        const auto first = std::ranges::lower_bound(canvas.tokens, begin, {}, &TextToken::begin);
        for (auto token = first; token != canvas.tokens.end() && token->begin < end; ++token) token->reported = true;
      }
      at = FindEither(text, '"', '\'', close + 1);
    }
  }
}

}  // namespace interlock::scan
