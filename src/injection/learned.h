// Private. Spans of the learned part: maximal runs of evidence, grown to whole sentences.
#pragma once

#include <vector>

#include "model.h"
#include "tokens.h"

namespace interlock::injection {

struct LearnedSpan {
  std::uint32_t piece_begin = 0;
  std::uint32_t piece_end = 0;
  float score = 0.0F;
};

struct LearnedScan {
  std::vector<float> evidence;     // of each token
  std::vector<float> pieces;       // log-odds of each piece
  std::vector<LearnedSpan> spans;  // in order, disjoint, score > 0
  float best = -20.0F;             // of the best run, whatever its sign
};

// `steps` as in MaximalRuns.
void ScanLearned(const Weights& model, const Tokens& tokens, LearnedScan& out, std::uint64_t* steps = nullptr);

}  // namespace interlock::injection
