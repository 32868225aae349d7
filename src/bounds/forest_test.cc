#include "interlock/bounds/forest.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bytes.h"
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

// A forest's file, read and walked one split after the other.
float WalkedScore(std::string_view bytes, std::span<const float> row) {
  ByteReader reader(bytes);
  EXPECT_TRUE(reader.Expect("IFO1"));
  (void)reader.U32();
  const std::uint32_t trees = reader.U32();
  float sum = reader.Float();
  for (std::uint32_t t = 0; t < trees; ++t) {
    std::array<std::size_t, kForestSplits> feature{};
    std::array<float, kForestSplits> threshold{};
    std::array<float, kForestNodes> value{};
    for (std::size_t& f : feature) f = static_cast<unsigned char>(reader.Bytes(1)[0]);
    for (float& x : threshold) x = reader.Float();
    for (float& x : value) x = reader.Float();
    std::size_t node = 0;
    while (node < kForestSplits) node = 2 * node + (row[feature[node]] > threshold[node] ? 2 : 1);
    sum += value[node];
  }
  return sum;
}

TEST(ForestTest, ScoresAsAWalkThroughItsFile) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::size_t kFeatures = 7;
  std::uint64_t state = 11;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33U) % n;
  };
  // Few thresholds that many splits share, more than fit the usual table, more than a table may have, and none; one
  // forest and several, of different sizes.
  struct Shape {
    std::vector<unsigned> trees;
    unsigned values;
  };
  const std::vector<Shape> shapes = {{{9}, 20},
                                     {{9, 8}, 20},
                                     {{9, 10, 0}, 20},
                                     {{200}, 1000000},
                                     {{3, 3, 3, 3, 2}, 50},
                                     {std::vector<unsigned>(5, 1000), 1000000},
                                     {{0}, 1},
                                     {{0, 0}, 1}};
  for (const Shape& shape : shapes) {
    const auto number = [&] {
      const std::uint64_t kind = below(40);
      if (kind < 3) return std::array{kInfinity, -kInfinity, kNan}[kind];
      return static_cast<float>(below(shape.values)) / 7.0F - 1.0F;
    };
    std::vector<std::string> files;
    std::vector<Forest> forests;
    for (const unsigned trees : shape.trees) {
      std::string bytes = "IFO1";
      PutU32(bytes, kFeatures);
      PutU32(bytes, trees);
      PutFloat(bytes, 0.25F);
      for (unsigned t = 0; t < trees; ++t) {
        for (std::size_t i = 0; i < kForestSplits; ++i) bytes += static_cast<char>(below(kFeatures));
        for (std::size_t i = 0; i < kForestSplits; ++i) PutFloat(bytes, number());
        for (std::size_t i = 0; i < kForestNodes; ++i) PutFloat(bytes, static_cast<float>(below(1000)) / 999.0F);
      }
      std::string_view view = bytes;
      base::Result<Forest> forest = Forest::Parse(view);
      ASSERT_TRUE(forest.ok());
      forests.push_back(std::move(forest.value()));
      files.push_back(std::move(bytes));
    }
    const ForestSet set(std::move(forests));
    for (int i = 0; i < 100; ++i) {
      std::vector<float> row(kFeatures);
      for (float& x : row) x = number();
      float sum = 0.0F;
      for (std::size_t k = 0; k < files.size(); ++k) {
        const float walked = WalkedScore(files[k], row);
        ASSERT_EQ(set.forests()[k].Score(row), walked);
        sum += walked;
      }
      ASSERT_EQ(set.Score(row), sum / static_cast<float>(files.size())) << files.size() << " forests, row " << i;
    }
  }
  EXPECT_EQ(ForestSet().Score({}), 0.0F);
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
