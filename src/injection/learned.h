// Private. Spans of the learned part: maximal runs of evidence, grown to whole sentences.
#pragma once

#include <bitset>
#include <string>
#include <unordered_map>
#include <vector>

#include "model.h"
#include "tokens.h"

namespace interlock::injection {

struct LearnedSpan {
  std::uint32_t piece_begin = 0;
  std::uint32_t piece_end = 0;
  float score = 0.0F;
  bool learned = false;  // without any boost it would be a span too
};

struct LearnedScan {
  std::vector<float> evidence;     // of each token
  std::vector<float> pieces;       // log-odds of each piece
  std::vector<LearnedSpan> spans;  // in order, disjoint, score > 0
  float best = -20.0F;             // of the best run, whatever its sign
};

// The words of tool names: what an order to use a tool is made of.
class ToolWords {
 public:
  ToolWords() = default;
  explicit ToolWords(const std::vector<std::string>& names);
  [[nodiscard]] bool empty() const noexcept { return tools_.empty(); }
  // Raises the evidence where a sentence begins with the verb of a tool, names its object, or spells it out.
  void Raise(const std::vector<Token>& tokens, std::vector<float>& evidence) const;

 private:
  std::unordered_map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> tools_;  // first word -> names
  std::bitset<1024> maybe_;  // low bits of the first words: most words of a text start none
};

// Evidence from elsewhere, of the token that it begins at.
struct Boost {
  std::uint32_t token = 0;
  float evidence = 0.0F;
};

struct LearnedInput {
  const Tokens& tokens;
  bool learned = true;  // false: only boosts speak
  std::vector<Boost> boosts = {};
  const Tokens* echo = nullptr;
  const ToolWords* tools = nullptr;
};

// `steps` as in MaximalRuns.
void ScanLearned(const Weights& model, const LearnedInput& input, LearnedScan& out, std::uint64_t* steps = nullptr);

}  // namespace interlock::injection
