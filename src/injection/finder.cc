#include <algorithm>
#include <mutex>

#include "interlock/base/check.h"
#include "learned.h"
#include "patterns.h"
#include "views.h"

namespace interlock::injection {
namespace {

// Bytes that patterns may look at: a fixed part and so many times the text.
constexpr std::size_t kPatternBytes = std::size_t{64} << 10;
constexpr std::size_t kPatternShare = 24;
// Bytes of decoded views, likewise.
constexpr std::size_t kViewBytes = std::size_t{64} << 10;
constexpr std::size_t kViewShare = 4;
constexpr std::uint32_t kOnceWithin = 32;  // words
constexpr std::size_t kMaxDecoded = 1024;
constexpr std::size_t kMaxDecodedTexts = 8;
constexpr std::size_t kMaxLabel = 80;
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
    const char last = text[stop - 1];
    if (words == 0 || words > 3 || stop - at > kMaxTag || last == '.' || last == '!' || last == '?') break;
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
  end = SignOff(text, end);
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

// The lists of tools seen last: agents ask with the same ones again and again, and folding them costs as much as
// scanning a short text.
struct SpanFinder::Prepared {
  struct Entry {
    std::vector<std::string> names;
    std::shared_ptr<const ToolWords> words;
  };
  static constexpr std::size_t kLists = 8;

  std::shared_ptr<const ToolWords> Of(const std::vector<std::string>& names) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      for (const Entry& entry : entries) {
        if (entry.names == names) return entry.words;
      }
    }
    auto words = std::make_shared<const ToolWords>(names);
    const std::lock_guard<std::mutex> lock(mutex);
    if (entries.size() < kLists) {
      entries.push_back({names, words});
    } else {
      entries[next++ % kLists] = {names, words};
    }
    return words;
  }

  std::mutex mutex;
  std::vector<Entry> entries;
  std::size_t next = 0;
};

SpanFinder::SpanFinder(std::shared_ptr<const SpanModel> model)
    : model_(std::move(model)), prepared_(std::make_shared<Prepared>()) {
  INTERLOCK_CHECK(model_ != nullptr, "a finder needs weights");
}
SpanFinder::~SpanFinder() = default;

namespace {

struct Job {
  const Weights& model;
  const ScanOptions& options;
  const Tokens* echo = nullptr;
  const ToolWords* tools = nullptr;
};

// One text as it stands. Spans in order.
void ScanOne(const Job& job, std::string_view text, ScanResult& result) {
  Folded folded;
  Fold(text, folded);
  Tokens tokens;
  Tokenize(folded, tokens);
  if (tokens.tokens.empty()) return;
  std::vector<PatternHit> hits;
  LearnedInput input{tokens};
  input.learned = job.options.learned;
  input.echo = job.echo;
  input.tools = job.tools;
  if (job.options.patterns) {
    const std::size_t budget = kPatternBytes + kPatternShare * text.size();
    if (!PatternSet::Default().Match(folded, tokens, budget, hits)) result.complete = false;
    const PatternRule* rule = nullptr;  // hits of a rule stand together, in order
    std::uint32_t counted = 0;
    for (const PatternHit& hit : hits) {
      const std::uint32_t token = TokenAt(tokens, hit);
      if (hit.rule->once && hit.rule == rule && token < counted + kOnceWithin) continue;
      rule = hit.rule;
      counted = token;
      input.boosts.push_back({token, hit.rule->evidence});
    }
  }
  LearnedScan scan;
  ScanLearned(job.model, input, scan);
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
}

// Characters that are cut in two would be masked by halves.
std::string CutAt(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    text = text.substr(0, most);
  }
  return std::string(text);
}

// A text in digits is found once as it stands and once more in each view that left it alone.
void NoteDecoded(const View& view, std::vector<DecodedText>& out) {
  if ((view.all & kSpanEncoded) == 0 || out.size() >= kMaxDecodedTexts) return;
  DecodedText found{view.Back(0, view.text.size()), CutAt(view.text, kMaxDecoded)};
  const bool known = std::ranges::any_of(
      out, [&](const DecodedText& other) { return other.bytes == found.bytes && other.text == found.text; });
  if (!known) out.push_back(std::move(found));
}

// A decoded text is announced by a few words on its line ("decode this: "): they go with it.
std::size_t LabelBefore(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (at > 0 && begin - at < kMaxLabel && text[at - 1] != '\n' && text[at - 1] != '"' && text[at - 1] != '{' &&
         text[at - 1] != '[' && text[at - 1] != '>') {
    --at;
  }
  return begin - at < kMaxLabel ? at : begin;
}

// Overlapping spans become one: what both say holds for it.
void Merge(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.bytes != b.bytes ? a.bytes < b.bytes : a.score > b.score; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (kept > 0 && spans[i].bytes.begin < spans[kept - 1].bytes.end) {
      Span& into = spans[kept - 1];
      into.bytes.end = std::max(into.bytes.end, spans[i].bytes.end);
      into.flags |= spans[i].flags;
      if (spans[i].score > into.score) {
        into.score = spans[i].score;
        if (!spans[i].rule.empty()) into.rule = std::move(spans[i].rule);
        if (!spans[i].decoded.empty()) into.decoded = std::move(spans[i].decoded);
      }
      if (into.rule.empty()) into.rule = std::move(spans[i].rule);
      if (into.decoded.empty()) into.decoded = std::move(spans[i].decoded);
    } else {
      if (kept != i) spans[kept] = std::move(spans[i]);
      ++kept;
    }
  }
  spans.resize(kept);
}

}  // namespace

ScanResult SpanFinder::Scan(std::string_view text, const ScanOptions& options) const {
  ScanResult result;
  const std::size_t most = std::min<std::size_t>(options.max_bytes, std::size_t{1} << 30);
  if (text.size() > most) {
    text = text.substr(0, most);
    result.complete = false;
  }
  if (!options.learned && !options.patterns) return result;
  Tokens echo;
  std::shared_ptr<const ToolWords> tools;
  Job job{internal::Access::Of(*model_), options};
  if (!options.echo.empty()) {
    Folded said;
    Fold(options.echo.substr(0, most), said);
    Tokenize(said, echo);
    job.echo = &echo;
  }
  if (options.tool_names != nullptr) {
    tools = prepared_->Of(*options.tool_names);
    job.tools = tools.get();
  }
  ScanOne(job, text, result);
  if (options.decode) {
    bool all = true;
    for (const View& view : DecodedViews(text, kViewBytes + kViewShare * text.size(), all)) {
      ScanResult found;
      ScanOne(job, view.text, found);
      NoteDecoded(view, result.decoded);
      result.complete = result.complete && found.complete;
      for (Span& span : found.spans) {
        const SpanFlags undone = view.FlagsIn(span.bytes.begin, span.bytes.end);
        if (undone == 0) continue;  // the text as it stands says the same
        result.max_score = std::max(result.max_score, span.score);
        span.flags |= undone;
        span.decoded =
            CutAt(std::string_view(view.text).substr(span.bytes.begin, span.bytes.end - span.bytes.begin), kMaxDecoded);
        span.bytes = view.Back(span.bytes.begin, span.bytes.end);
        if ((view.all & kSpanEncoded) != 0) span.bytes.begin = LabelBefore(text, span.bytes.begin);
        result.spans.push_back(std::move(span));
      }
    }
    result.complete = result.complete && all;
  }
  Merge(result.spans);
  std::sort(result.spans.begin(), result.spans.end(),
            [](const Span& a, const Span& b) { return a.score != b.score ? a.score > b.score : a.bytes < b.bytes; });
  if (result.spans.size() > options.max_spans) result.spans.resize(options.max_spans);
  return result;
}

}  // namespace interlock::injection
