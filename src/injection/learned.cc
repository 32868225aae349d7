#include "learned.h"

#include <algorithm>

namespace interlock::injection {
namespace {

// A neighbour joins a span when its words lean towards a command this much each, on average; inside the same paragraph
// or field less is asked of it. The rest of an order is often told as facts.
constexpr float kJoinMean = 0.05F;
constexpr float kJoinMeanInBlock = -0.22F;
// Pieces that may lie between two spans that become one.
constexpr std::uint32_t kBridge = 2;

}  // namespace

void ScanLearned(const Weights& model, const Tokens& tokens, LearnedScan& out, std::uint64_t* steps) {
  out.pieces.clear();
  out.spans.clear();
  out.best = -20.0F;
  model.Evidence(tokens.tokens, out.evidence);
  std::vector<float> means;
  means.reserve(tokens.pieces.size());
  out.pieces.reserve(tokens.pieces.size());
  for (const Piece& piece : tokens.pieces) {
    float sum = 0;
    for (std::uint32_t i = piece.token_begin; i < piece.token_end; ++i) sum += out.evidence[i];
    out.pieces.push_back(model.LogOdds(sum));
    means.push_back(sum / static_cast<float>(piece.token_end - piece.token_begin));
  }
  std::vector<Run> runs;
  MaximalRuns(out.evidence, runs, steps);
  std::uint32_t piece = 0;
  std::vector<LearnedSpan>& spans = out.spans;
  for (const Run& run : runs) {
    const float score = model.LogOdds(run.sum);
    out.best = std::max(out.best, score);
    if (score <= 0) continue;
    while (tokens.pieces[piece].token_end <= run.begin) ++piece;
    std::uint32_t last = piece;
    while (tokens.pieces[last].token_end < run.end) ++last;
    LearnedSpan span{piece, last + 1, score};
    const std::uint32_t limit = spans.empty() ? 0 : spans.back().piece_end;
    const auto joins = [&](std::uint32_t next, std::uint32_t inside) {
      const bool same = tokens.pieces[next].block == tokens.pieces[inside].block;
      return means[next] > (same ? kJoinMeanInBlock : kJoinMean);
    };
    while (span.piece_begin > limit && joins(span.piece_begin - 1, span.piece_begin)) --span.piece_begin;
    while (span.piece_end < tokens.pieces.size() && joins(span.piece_end, span.piece_end - 1)) ++span.piece_end;
    if (steps != nullptr) *steps += span.piece_end - span.piece_begin;
    if (!spans.empty() && span.piece_begin <= spans.back().piece_end + kBridge) {
      spans.back().piece_end = std::max(spans.back().piece_end, span.piece_end);
      spans.back().score = std::max(spans.back().score, span.score);
    } else {
      spans.push_back(span);
    }
    piece = std::min<std::uint32_t>(last, static_cast<std::uint32_t>(tokens.pieces.size()) - 1);
  }
}

}  // namespace interlock::injection
