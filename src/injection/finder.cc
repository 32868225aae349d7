#include <algorithm>

#include "interlock/base/check.h"
#include "learned.h"
#include "patterns.h"

namespace interlock::injection {
namespace {

// Bytes that patterns may look at: a fixed part and so many times the text.
constexpr std::size_t kPatternBytes = std::size_t{64} << 10;
constexpr std::size_t kPatternShare = 24;
constexpr std::size_t kMaxTag = 40;
constexpr std::size_t kMaxElement = 2048;

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80U;
}
bool IsTagByte(char c) { return IsWordByte(c) || c == '/' || c == '_' || c == '-' || c == '|' || c == '!'; }

// Past the lines of a signature: up to two, of three words at most, with nothing but blanks between.
std::size_t SignOff(std::string_view text, std::size_t end) {
  for (int line = 0; line < 2; ++line) {
    std::size_t at = end;
    while (at < text.size() && (text[at] == '\n' || text[at] == ' ' || text[at] == ',')) ++at;
    if (at == end || text.substr(end, at - end).find('\n') == std::string_view::npos) break;
    std::size_t words = 0;
    std::size_t stop = at;
    while (stop < text.size() && stop - at <= kMaxTag && text[stop] != '\n' && text[stop] != '"') {
      if (text[stop] == ':' || text[stop] == '{' || text[stop] == '[' || text[stop] == '<') return end;
      if (IsWordByte(text[stop]) && (stop == at || text[stop - 1] == ' ')) ++words;
      ++stop;
    }
    if (words == 0 || words > 3 || stop - at > kMaxTag) break;
    end = stop;
  }
  return end;
}

// Folded offsets of a span, grown by what belongs to its words: marks on the same line, and tags right around it.
std::pair<std::size_t, std::size_t> Grow(std::string_view text, std::size_t begin, std::size_t end) {
  const auto loose = [](char c) {
    return !IsWordByte(c) && c != '\n' && c != '"' && c != '{' && c != '}' && c != '[' && c != ']';
  };
  while (begin > 0 && loose(text[begin - 1]) && text[begin - 1] != '>') --begin;
  while (begin < end && text[begin] == ' ') ++begin;
  while (end < text.size() && loose(text[end]) && text[end] != '<' && text[end] != ',') ++end;
  while (end > begin && text[end - 1] == ' ') --end;
  std::size_t at = begin;
  while (at > 0 && (text[at - 1] == '\n' || text[at - 1] == ' ')) --at;
  if (at > 0 && text[at - 1] == '>') {
    std::size_t open = at - 1;
    while (open > 0 && at - open <= kMaxTag && IsTagByte(text[open - 1])) --open;
    if (open > 0 && text[open - 1] == '<') {
      begin = open - 1;
      // The whole element, when it ends soon.
      const std::string closing = "</" + std::string(text.substr(open, at - 1 - open)) + ">";
      const std::size_t close = text.substr(0, std::min(text.size(), end + kMaxElement)).find(closing, begin);
      if (close != std::string_view::npos) end = std::max(end, close + closing.size());
    }
  }
  end = SignOff(text, end);
  at = end;
  while (at < text.size() && (text[at] == '\n' || text[at] == ' ')) ++at;
  if (at < text.size() && text[at] == '<') {
    std::size_t close = at + 1;
    while (close < text.size() && close - at <= kMaxTag && IsTagByte(text[close])) ++close;
    if (close < text.size() && text[close] == '>') end = close + 1;
  }
  return {begin, end};
}

// The token that a hit begins at; when it has no word of its own, the next or the last one.
std::uint32_t TokenAt(const Tokens& tokens, const PatternHit& hit) {
  const auto at = std::lower_bound(tokens.tokens.begin(), tokens.tokens.end(), hit.begin,
                                   [](const Token& token, std::uint32_t begin) { return token.end <= begin; });
  const auto index = static_cast<std::size_t>(at - tokens.tokens.begin());
  return static_cast<std::uint32_t>(std::min(index, tokens.tokens.size() - 1));
}

}  // namespace

SpanFinder::SpanFinder(std::shared_ptr<const SpanModel> model) : model_(std::move(model)) {
  INTERLOCK_CHECK(model_ != nullptr, "a finder needs weights");
}
SpanFinder::~SpanFinder() = default;

ScanResult SpanFinder::Scan(std::string_view text, const ScanOptions& options) const {
  ScanResult result;
  const std::size_t most = std::min<std::size_t>(options.max_bytes, std::size_t{1} << 30);
  if (text.size() > most) {
    text = text.substr(0, most);
    result.complete = false;
  }
  Folded folded;
  Fold(text, folded);
  Tokens tokens;
  Tokenize(folded, tokens);
  if (!options.learned && !options.patterns) return result;
  std::vector<PatternHit> hits;
  LearnedInput input{tokens};
  input.learned = options.learned;
  if (options.patterns && !tokens.tokens.empty()) {
    const std::size_t budget = kPatternBytes + kPatternShare * text.size();
    if (!PatternSet::Default().Match(folded, tokens, budget, hits)) result.complete = false;
    for (const PatternHit& hit : hits) input.boosts.push_back({TokenAt(tokens, hit), hit.rule->evidence});
  }
  Tokens echo;
  if (!options.echo.empty()) {
    Folded said;
    Fold(options.echo.substr(0, most), said);
    Tokenize(said, echo);
    input.echo = &echo;
  }
  ToolWords tools;
  if (options.tool_names != nullptr) {
    tools = ToolWords(*options.tool_names);
    input.tools = &tools;
  }
  LearnedScan scan;
  ScanLearned(internal::Access::Of(*model_), input, scan);
  result.max_score = std::max(result.max_score, scan.best);
  result.segments.reserve(tokens.pieces.size());
  for (std::size_t i = 0; i < tokens.pieces.size(); ++i) {
    result.segments.push_back({folded.Back(tokens.pieces[i].begin, tokens.pieces[i].end), scan.pieces[i]});
  }
  std::size_t last = 0;
  for (const LearnedSpan& found : scan.spans) {
    const auto [grown, end] =
        Grow(folded.text, tokens.pieces[found.piece_begin].begin, tokens.pieces[found.piece_end - 1].end);
    const std::size_t begin = std::max(grown, last);
    if (begin >= end) continue;
    last = end;
    Span span;
    span.bytes = folded.Back(begin, end);
    span.score = found.score;
    span.flags = found.learned ? kSpanLearned : 0;
    float strongest = 0;
    for (const PatternHit& hit : hits) {
      if (hit.begin >= end || hit.end <= begin) continue;
      span.flags |= kSpanPattern | (hit.rule->call ? kSpanCallLike : 0);
      if (hit.rule->evidence > strongest) {
        strongest = hit.rule->evidence;
        span.rule = hit.rule->id;
      }
    }
    result.spans.push_back(std::move(span));
  }
  std::sort(result.spans.begin(), result.spans.end(),
            [](const Span& a, const Span& b) { return a.score != b.score ? a.score > b.score : a.bytes < b.bytes; });
  if (result.spans.size() > options.max_spans) result.spans.resize(options.max_spans);
  return result;
}

}  // namespace interlock::injection
