#include "interlock/bounds/forest.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace interlock::bounds {
namespace {

struct Data {
  std::vector<float> rows;
  std::vector<std::uint8_t> labels;
  std::vector<float> weights;
};

// Attack when exactly one of the first two values is large: no single threshold can tell.
Data ExclusiveOr(std::size_t count) {
  Data data;
  std::uint64_t state = 7;
  const auto unit = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state >> 40U) / 16777216.0F;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const float a = unit();
    const float b = unit();
    data.rows.insert(data.rows.end(), {a, b, unit()});
    data.labels.push_back((a > 0.5F) != (b > 0.5F) ? 1 : 0);
    data.weights.push_back(1.0F);
  }
  return data;
}

TEST(ForestTest, LearnsWhatNoSingleThresholdCanTell) {
  const Data train = ExclusiveOr(1500);
  const Forest forest = TrainForest(train.rows, 3, train.labels, train.weights, {});
  EXPECT_GT(forest.Score(std::vector<float>{0.9F, 0.1F, 0.5F}), 1.0F);
  EXPECT_GT(forest.Score(std::vector<float>{0.1F, 0.9F, 0.5F}), 1.0F);
  EXPECT_LT(forest.Score(std::vector<float>{0.9F, 0.9F, 0.5F}), -1.0F);
  EXPECT_LT(forest.Score(std::vector<float>{0.1F, 0.1F, 0.5F}), -1.0F);
}

TEST(ForestTest, SameDataSameBytes) {
  const Data train = ExclusiveOr(300);
  std::string a;
  std::string b;
  TrainForest(train.rows, 3, train.labels, train.weights, {}).Serialize(a);
  TrainForest(train.rows, 3, train.labels, train.weights, {}).Serialize(b);
  EXPECT_EQ(a, b);
  ForestOptions other;
  other.seed = 2;
  std::string c;
  TrainForest(train.rows, 3, train.labels, train.weights, other).Serialize(c);
  EXPECT_NE(a, c);
}

TEST(ForestTest, ContributionsAddUpToTheScore) {
  const Data train = ExclusiveOr(400);
  const Forest forest = TrainForest(train.rows, 3, train.labels, train.weights, {});
  const std::vector<float> low{0.2F, 0.3F, 0.1F};
  const std::vector<float> high{0.9F, 0.3F, 0.1F};
  std::vector<float> of_low(3);
  std::vector<float> of_high(3);
  forest.Contributions(low, of_low);
  forest.Contributions(high, of_high);
  const auto sum = [](const std::vector<float>& v) { return v[0] + v[1] + v[2]; };
  // The root's own value is the same for both.
  EXPECT_NEAR(forest.Score(high) - forest.Score(low), sum(of_high) - sum(of_low), 1e-3F);
}

TEST(ForestTest, ReadsBackWhatItWrote) {
  const Data train = ExclusiveOr(300);
  const Forest forest = TrainForest(train.rows, 3, train.labels, train.weights, {});
  std::string bytes;
  forest.Serialize(bytes);
  bytes += "rest";
  std::string_view view = bytes;
  const base::Result<Forest> read = Forest::Parse(view);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(view, "rest");
  const std::vector<float> row{0.4F, std::numeric_limits<float>::quiet_NaN(), 0.5F};
  EXPECT_EQ(read.value().Score(row), forest.Score(row));
}

TEST(ForestTest, RefusesBytesThatAreNoForest) {
  std::string bytes;
  const Data train = ExclusiveOr(100);
  ForestOptions small;
  small.trees = 2;
  TrainForest(train.rows, 3, train.labels, train.weights, small).Serialize(bytes);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    std::string_view view = std::string_view(bytes).substr(0, cut);
    EXPECT_FALSE(Forest::Parse(view).ok()) << cut;
  }
  std::string wrong = bytes;
  wrong[16] = static_cast<char>(0x7F);  // the first split asks for feature 127 of 3
  std::string_view view = wrong;
  EXPECT_FALSE(Forest::Parse(view).ok());
}

TEST(ForestTest, MonotoneFeaturesNeverTurnBack) {
  // Less of the second feature means an attack in one half of the data, more in the other.
  const Data train = ExclusiveOr(1500);
  ForestOptions options;
  options.monotone = {0, 1, -1};
  const Forest forest = TrainForest(train.rows, 3, train.labels, train.weights, options);
  const Forest free = TrainForest(train.rows, 3, train.labels, train.weights, {});
  constexpr int kSteps = 40;
  int turns = 0;
  for (int a = 0; a <= kSteps; ++a) {
    for (int i = 0; i < kSteps; ++i) {
      const float at = static_cast<float>(a) / kSteps;
      const float low = static_cast<float>(i) / kSteps;
      const float high = static_cast<float>(i + 1) / kSteps;
      EXPECT_LE(forest.Score(std::vector<float>{at, low, 0.3F}),
                forest.Score(std::vector<float>{at, high, 0.3F}) + 1e-5F);
      EXPECT_GE(forest.Score(std::vector<float>{at, 0.3F, low}),
                forest.Score(std::vector<float>{at, 0.3F, high}) - 1e-5F);
      turns += free.Score(std::vector<float>{at, low, 0.3F}) > free.Score(std::vector<float>{at, high, 0.3F}) + 1e-5F;
    }
  }
  EXPECT_GT(turns, 0);  // without the constraint it does
}

TEST(ForestTest, NoRowsNoTrees) {
  const Forest forest = TrainForest({}, 3, {}, {}, {});
  EXPECT_EQ(forest.tree_count(), 0U);
  EXPECT_TRUE(std::isfinite(forest.Score(std::vector<float>{1, 2, 3})));
}

}  // namespace
}  // namespace interlock::bounds
