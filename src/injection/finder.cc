#include <algorithm>

#include "interlock/base/check.h"
#include "learned.h"

namespace interlock::injection {

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
  if (options.learned) {
    LearnedScan scan;
    Tokens echo;
    if (!options.echo.empty()) {
      Folded said;
      Fold(options.echo.substr(0, most), said);
      Tokenize(said, echo);
    }
    ToolWords tools;
    if (options.tool_names != nullptr) tools = ToolWords(*options.tool_names);
    ScanLearned(internal::Access::Of(*model_), {tokens, options.echo.empty() ? nullptr : &echo, &tools}, scan);
    result.max_score = std::max(result.max_score, scan.best);
    result.segments.reserve(tokens.pieces.size());
    for (std::size_t i = 0; i < tokens.pieces.size(); ++i) {
      result.segments.push_back({folded.Back(tokens.pieces[i].begin, tokens.pieces[i].end), scan.pieces[i]});
    }
    for (const LearnedSpan& found : scan.spans) {
      Span span;
      span.bytes = folded.Back(tokens.pieces[found.piece_begin].begin, tokens.pieces[found.piece_end - 1].end);
      span.score = found.score;
      span.flags = kSpanLearned;
      result.spans.push_back(std::move(span));
    }
  }
  std::sort(result.spans.begin(), result.spans.end(),
            [](const Span& a, const Span& b) { return a.score != b.score ? a.score > b.score : a.bytes < b.bytes; });
  if (result.spans.size() > options.max_spans) result.spans.resize(options.max_spans);
  return result;
}

}  // namespace interlock::injection
