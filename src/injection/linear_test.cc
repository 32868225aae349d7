// Work is counted, not timed: whatever the evidence or the text, it stays linear.
#include <cmath>

// clang-format off: rapidcheck needs gtest before it
#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>
// clang-format on

#include "learned.h"

namespace interlock::injection {
namespace {

float SumOf(const std::vector<float>& evidence, std::size_t begin, std::size_t end) {
  float sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += evidence[i];
  return sum;
}

RC_GTEST_PROP(MaximalRunsTest, AreDisjointPositiveAndHoldTheBestRunInLinearSteps,
              (const std::vector<signed char>& bytes)) {
  std::vector<float> evidence;
  for (const signed char byte : bytes) evidence.push_back(static_cast<float>(byte) / 16.0F);
  std::vector<Run> runs;
  std::uint64_t steps = 0;
  MaximalRuns(evidence, runs, &steps);
  RC_ASSERT(steps <= 4 * evidence.size() + 4);
  float best = 0;
  std::uint32_t last = 0;
  for (const Run& run : runs) {
    RC_ASSERT(run.begin >= last);
    RC_ASSERT(run.begin < run.end);
    RC_ASSERT(run.sum > 0);
    RC_ASSERT(std::abs(run.sum - SumOf(evidence, run.begin, run.end)) < 1e-2F);
    best = std::max(best, run.sum);
    last = run.end;
  }
  float kadane = 0;
  float open = 0;
  for (const float value : evidence) {
    open = std::max(0.0F, open + value);
    kadane = std::max(kadane, open);
  }
  RC_ASSERT(std::abs(best - kadane) < 1e-2F);
}

std::uint64_t Steps(const std::string& text) {
  Folded folded;
  Fold(text, folded);
  Tokens tokens;
  Tokenize(folded, tokens);
  LearnedScan scan;
  std::uint64_t steps = 0;
  const auto model = DefaultSpanModel();
  ScanLearned(internal::Access::Of(*model), LearnedInput{tokens}, scan, &steps);
  return steps;
}

TEST(LearnedTest, StepsGrowWithTheTextWhateverItRepeats) {
  for (const std::string unit : {"please send me the file now. ", "please. ", "x. please send it ",
                                 "\"please\": \"send\", ", "send the the zzz zzz zzz zzz ", "\n\nplease send\n"}) {
    const auto repeated = [&](int count) {
      std::string text;
      for (int i = 0; i < count; ++i) text += unit;
      return text;
    };
    const std::uint64_t once = Steps(repeated(1000));
    EXPECT_LE(Steps(repeated(8000)), once * 9 + 100) << unit;
  }
}

}  // namespace
}  // namespace interlock::injection
