// Boosted regression trees of a fixed depth: the small trained combiner. Deterministic training, microseconds to score.
//
//   Forest forest = TrainForest(rows, feature_count, labels, weights, options);
//   float log_odds = forest.Score(features);
//   ForestSet set({forest, other});
//   float mean = set.Score(features);  // the fast way: for decisions
//
// Trees are complete binary trees of depth kForestDepth, so that a score is a fixed number of compares. Values that are
// not finite go left. Immutable after training or reading; thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::bounds {

inline constexpr int kForestDepth = 4;
inline constexpr std::size_t kForestSplits = (std::size_t{1} << kForestDepth) - 1;
inline constexpr std::size_t kForestNodes = 2 * kForestSplits + 1;
inline constexpr std::size_t kForestLeaves = kForestSplits + 1;
inline constexpr std::size_t kMaxForestTrees = 1024;
inline constexpr std::size_t kMaxForestFeatures = 256;

class Forest {
 public:
  // Log-odds; 0 for a forest without trees. `features` has feature_count() values.
  [[nodiscard]] float Score(std::span<const float> features) const noexcept;
  // How much each feature moved the score (the path's changes of the expected value, summed over the trees): for
  // explanations. `out` has feature_count() values.
  void Contributions(std::span<const float> features, std::span<float> out) const noexcept;

  [[nodiscard]] std::size_t feature_count() const noexcept { return feature_count_; }
  [[nodiscard]] std::size_t tree_count() const noexcept { return trees_.size(); }
  // How often each feature is split on.
  [[nodiscard]] std::vector<std::uint32_t> Uses() const;

  void Serialize(std::string& out) const;
  // Reads from the front of `bytes` and takes it off. kInvalidArgument when it is no forest.
  [[nodiscard]] static base::Result<Forest> Parse(std::string_view& bytes);

 private:
  friend class ForestTrainer;
  struct Tree {
    std::array<std::uint16_t, kForestSplits> feature{};
    std::array<float, kForestSplits> threshold{};  // value <= threshold goes left
    std::array<float, kForestNodes> value{};       // what the tree says at each node; the last level are the leaves
  };

  friend class ForestSet;
  std::size_t feature_count_ = 0;
  float bias_ = 0.0F;
  std::vector<Tree> trees_;
};

// Forests whose mean is asked for, prepared for that.
class ForestSet {
 public:
  ForestSet() = default;
  explicit ForestSet(std::vector<Forest> forests);

  // Mean of the forests' scores, to the bit what Forest::Score says one by one; 0 without forests. `features` has the
  // greatest feature_count() of them.
  [[nodiscard]] float Score(std::span<const float> features) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return forests_.empty(); }
  [[nodiscard]] const std::vector<Forest>& forests() const noexcept { return forests_; }

 private:
  static constexpr std::size_t kLane = 8;    // thresholds compared at once
  static constexpr std::size_t kBeside = 4;  // forests gone through at once
  struct Cuts {
    std::uint32_t feature;
    std::uint32_t count;  // of its thresholds in cuts_, in full lanes
  };
  // Up to kBeside forests: a tree of the first, of the second, ..., the next tree of the first, ...
  struct Group {
    std::size_t forests = 0;
    std::size_t trees = 0;              // of each
    std::vector<std::uint16_t> splits;  // by tree and node from 1 on: its threshold's place in cuts_
    std::vector<float> leaves;
  };
  template <std::size_t kForests>
  void AddScores(const Group& group, std::size_t first, const std::uint32_t* above, float& sum) const noexcept;

  std::vector<Forest> forests_;
  std::vector<Cuts> cuts_of_;
  std::vector<float> cuts_;  // each threshold of each feature once; nothing when there are too many
  std::vector<Group> groups_;
};

struct ForestOptions {
  int trees = 150;
  double learning_rate = 0.06;
  double l2 = 2.0;
  double min_rows = 12.0;     // a leaf, counted
  double column_share = 0.5;  // of the features, a tree
  double row_share = 0.8;     // of the rows, a tree
  int bins = 64;              // thresholds a feature
  std::uint64_t seed = 1;
  // By feature: > 0, the score never falls as it rises; < 0, never rises; 0 or past the end, free.
  std::vector<std::int8_t> monotone = {};
};

// `rows` holds feature_count values a row; labels are 0 or 1. Logistic loss, Newton steps.
[[nodiscard]] Forest TrainForest(std::span<const float> rows, std::size_t feature_count,
                                 std::span<const std::uint8_t> labels, std::span<const float> weights,
                                 const ForestOptions& options);

}  // namespace interlock::bounds
