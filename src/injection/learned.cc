#include "learned.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

namespace interlock::injection {
namespace {

// The rest of the paragraph or field belongs to a span: the rest of an order is often told as facts. Lines before it
// and neighbouring paragraphs join when their words lean towards a command this much each, on average.
constexpr float kJoinMean = -0.2F;
// Pieces that may lie between two spans that become one.
constexpr std::uint32_t kBridge = 2;

constexpr float kSilent = -0.3F;  // of a word when the learned part is off
constexpr float kMaxBoost = 32.0F;
constexpr std::size_t kEchoWords = 5;

template <class Visit>
void VisitEchoes(const std::vector<Token>& tokens, Visit&& visit) {
  std::array<std::uint32_t, kEchoWords> index{};
  std::size_t words = 0;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kWord) continue;
    index[words++ % kEchoWords] = i;
    if (words < kEchoWords) continue;
    std::uint64_t hash = 0;
    for (std::size_t n = 0; n < kEchoWords; ++n) {
      hash = (hash ^ tokens[index[(words + n) % kEchoWords]].hash) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29U;
    }
    visit(hash, index[words % kEchoWords], i + 1);
  }
}

// Words that repeat what the agent or its user said are no evidence.
void Forget(const std::vector<Token>& tokens, const std::vector<Token>& echo, std::vector<float>& evidence) {
  std::unordered_set<std::uint64_t> said;
  VisitEchoes(echo, [&](std::uint64_t hash, std::uint32_t, std::uint32_t) { said.insert(hash); });
  if (said.empty()) return;
  std::uint32_t done = 0;
  VisitEchoes(tokens, [&](std::uint64_t hash, std::uint32_t begin, std::uint32_t end) {
    if (!said.contains(hash)) return;
    for (std::uint32_t i = std::max(begin, done); i < end; ++i) evidence[i] = std::min(evidence[i], 0.0F);
    done = std::max(done, end);
  });
}

constexpr std::size_t kMaxTools = 512;
constexpr std::size_t kMaxNameWords = 8;
constexpr std::size_t kObjectWithin = 8;  // words after the verb
constexpr float kVerb = 1.0F;
constexpr float kObject = 2.0F;
constexpr float kSpelled = 2.0F;

}  // namespace

ToolWords::ToolWords(const std::vector<std::string>& names) {
  Folded folded;
  Tokens tokens;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxTools); ++i) {
    // readFile reads as read_file
    std::string apart;
    for (const char c : names[i]) {
      if (c >= 'A' && c <= 'Z' && !apart.empty()) apart.push_back('_');
      apart.push_back(c);
    }
    Fold(apart, folded);
    Tokenize(folded, tokens);
    std::vector<std::uint32_t> words;
    for (const Token& token : tokens.tokens) {
      if (token.kind != TokenKind::kWord || token.sense == 0) continue;
      if (words.size() < kMaxNameWords) words.push_back(token.sense);
    }
    if (words.size() >= 2) {
      std::vector<std::vector<std::uint32_t>>& same = tools_[words.front()];
      maybe_.set(words.front() % maybe_.size());
      if (std::find(same.begin(), same.end(), words) == same.end()) same.push_back(std::move(words));
    }
  }
}

void ToolWords::Raise(const std::vector<Token>& tokens, std::vector<float>& evidence) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kWord || !maybe_.test(tokens[i].sense % maybe_.size())) continue;
    const auto at = tools_.find(tokens[i].sense);
    if (at == tools_.end()) continue;
    bool spelled = false;
    bool object = false;
    const std::size_t last = std::min(tokens.size(), i + 1 + kObjectWithin);
    for (const std::vector<std::uint32_t>& name : at->second) {
      std::size_t run = 1;
      while (run < name.size() && i + run < tokens.size() && tokens[i + run].sense == name[run]) ++run;
      if (run == name.size() && run >= 2) spelled = true;
      for (std::size_t next = i + 1; next < last && !object; ++next) {
        object = std::find(name.begin() + 1, name.end(), tokens[next].sense) != name.end();
      }
    }
    float add = 0;
    if (tokens[i].starts) add += kVerb;
    if (tokens[i].starts && object) add += kObject;
    if (spelled) add += kSpelled;
    evidence[i] += add;
  }
}

void ScanLearned(const Weights& model, const LearnedInput& input, LearnedScan& out, std::uint64_t* steps) {
  const Tokens& tokens = input.tokens;
  out.pieces.clear();
  out.spans.clear();
  out.best = -20.0F;
  if (input.learned) {
    model.Evidence(tokens.tokens, out.evidence);
  } else {
    out.evidence.assign(tokens.tokens.size(), kSilent);
  }
  if (input.tools != nullptr && !input.tools->empty()) input.tools->Raise(tokens.tokens, out.evidence);
  if (input.echo != nullptr) Forget(tokens.tokens, input.echo->tokens, out.evidence);
  std::vector<float> plain;  // sums before boosts
  if (!input.boosts.empty()) {
    plain.reserve(out.evidence.size() + 1);
    double sum = 0;
    plain.push_back(0.0F);
    for (const float value : out.evidence) plain.push_back(static_cast<float>(sum += static_cast<double>(value)));
    for (const Boost& boost : input.boosts) {
      float& value = out.evidence[boost.token];
      value = std::min(std::max(value, 0.0F) + boost.evidence, kMaxBoost);
    }
  }
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
    const float own = plain.empty() ? run.sum : plain[run.end] - plain[run.begin];
    LearnedSpan span{piece, last + 1, score, input.learned && model.LogOdds(own) > 0};
    const std::uint32_t limit = spans.empty() ? 0 : spans.back().piece_end;
    const auto before = [&](const Piece& next, const Piece& inside, float mean) {
      if (inside.opens || (next.closes && next.block != inside.block)) return false;
      return (next.line == inside.line && next.block == inside.block) || mean > kJoinMean;
    };
    const auto after = [&](const Piece& next, const Piece& inside, float mean) {
      if (inside.closes || next.opens) return false;
      return next.block == inside.block || mean > kJoinMean;
    };
    const std::vector<Piece>& pieces = tokens.pieces;
    while (span.piece_begin > limit &&
           before(pieces[span.piece_begin - 1], pieces[span.piece_begin], means[span.piece_begin - 1])) {
      --span.piece_begin;
    }
    while (span.piece_end < pieces.size() &&
           after(pieces[span.piece_end], pieces[span.piece_end - 1], means[span.piece_end])) {
      ++span.piece_end;
    }
    if (steps != nullptr) *steps += span.piece_end - span.piece_begin;
    const bool ended = !spans.empty() && pieces[spans.back().piece_end - 1].closes;
    if (!spans.empty() && span.piece_begin <= spans.back().piece_end + (ended ? 0 : kBridge)) {
      spans.back().piece_end = std::max(spans.back().piece_end, span.piece_end);
      spans.back().score = std::max(spans.back().score, span.score);
      spans.back().learned = spans.back().learned || span.learned;
    } else {
      spans.push_back(span);
    }
    piece = std::min<std::uint32_t>(last, static_cast<std::uint32_t>(tokens.pieces.size()) - 1);
  }
}

}  // namespace interlock::injection
