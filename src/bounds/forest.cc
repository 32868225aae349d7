#include "interlock/bounds/forest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "bytes.h"
#include "interlock/base/seeded_random.h"

namespace interlock::bounds {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kMagic = "IFO1";

}  // namespace

// Every threshold is held against its feature once, many trees share one; then a step through a tree is two loads. Four
// trees at a time: no step of one waits for a step of another. Leaves are added in the order of the trees.
float Forest::Score(std::span<const float> features) const noexcept {
  using Floats = float __attribute__((vector_size(kLane * sizeof(float))));
  using Masks = std::int32_t __attribute__((vector_size(kLane * sizeof(std::int32_t))));
  constexpr std::size_t kUsual = 1024;  // thresholds of a trained forest
  __attribute__((uninitialized)) std::uint32_t usual[kUsual];
  std::vector<std::uint32_t> many(cuts_.size() > kUsual ? cuts_.size() : 0);
  std::uint32_t* const above = many.empty() ? usual : many.data();  // 1: the feature's value is above the threshold
  const float* cuts = cuts_.data();
  std::uint32_t* out = above;
  for (const Cuts& of : cuts_of_) {
    const float value = features[of.feature];
    const Floats values{value, value, value, value};
    for (const float* const end = cuts + of.count; cuts != end; cuts += kLane, out += kLane) {
      Floats lane;
      std::memcpy(&lane, cuts, sizeof lane);
      const Masks masks = (values > lane) & 1;
      std::memcpy(out, &masks, sizeof masks);
    }
  }
  // The root is node 1, below node n stand 2n and 2n + 1, so leaves are the nodes from kForestLeaves on.
  const std::uint16_t* splits = splits_.data();
  const float* leaves = leaves_.data();
  const auto below = [&](std::size_t tree, std::size_t node) {
    return 2 * node + above[splits[tree * kForestLeaves + node]];
  };
  const auto leaf = [&](std::size_t tree, std::size_t node) {
    return leaves[tree * kForestLeaves + node - kForestLeaves];
  };
  static_assert(kForestDepth == 4);
  constexpr std::size_t kAtOnce = 4;
  float sum = bias_;
  std::size_t left = trees_.size();
  for (; left >= kAtOnce; left -= kAtOnce) {
    std::size_t a = below(0, 1);
    std::size_t b = below(1, 1);
    std::size_t c = below(2, 1);
    std::size_t d = below(3, 1);
    a = below(0, a);
    b = below(1, b);
    c = below(2, c);
    d = below(3, d);
    a = below(0, a);
    b = below(1, b);
    c = below(2, c);
    d = below(3, d);
    sum += leaf(0, below(0, a));
    sum += leaf(1, below(1, b));
    sum += leaf(2, below(2, c));
    sum += leaf(3, below(3, d));
    splits += kAtOnce * kForestLeaves;
    leaves += kAtOnce * kForestLeaves;
  }
  for (; left > 0; --left) {
    sum += leaf(0, below(0, below(0, below(0, below(0, 1)))));
    splits += kForestLeaves;
    leaves += kForestLeaves;
  }
  return sum;
}

void Forest::Prepare() {
  // By feature, then threshold; bits, because a file may hold any.
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint16_t> place_of;
  const auto key = [](const Tree& tree, std::size_t i) {
    return std::pair(tree.feature[i], std::bit_cast<std::uint32_t>(tree.threshold[i]));
  };
  for (const Tree& tree : trees_) {
    for (std::size_t i = 0; i < kForestSplits; ++i) place_of.emplace(key(tree, i), 0);
  }
  cuts_.clear();
  cuts_of_.clear();
  for (auto& [cut, place] : place_of) {
    if (cuts_of_.empty() || cuts_of_.back().feature != cut.first) {
      cuts_.resize((cuts_.size() + kLane - 1) / kLane * kLane);
      cuts_of_.push_back({.feature = cut.first, .count = 0});
    }
    static_assert(kMaxForestTrees * kForestSplits + kMaxForestFeatures * kLane <= 1U << 16U);
    place = static_cast<std::uint16_t>(cuts_.size());
    if (cuts_.size() % kLane == 0) cuts_of_.back().count += kLane;
    cuts_.push_back(std::bit_cast<float>(cut.second));
  }
  cuts_.resize((cuts_.size() + kLane - 1) / kLane * kLane);
  splits_.clear();
  leaves_.clear();
  splits_.reserve(trees_.size() * kForestLeaves);
  leaves_.reserve(trees_.size() * kForestLeaves);
  for (const Tree& tree : trees_) {
    splits_.push_back(0);  // there is no node 0
    for (std::size_t i = 0; i < kForestSplits; ++i) splits_.push_back(place_of.at(key(tree, i)));
    leaves_.insert(leaves_.end(), tree.value.begin() + kForestSplits, tree.value.end());
  }
}

void Forest::Contributions(std::span<const float> features, std::span<float> out) const noexcept {
  std::fill(out.begin(), out.end(), 0.0F);
  for (const Tree& tree : trees_) {
    std::size_t node = 0;
    for (int depth = 0; depth < kForestDepth; ++depth) {
      const std::size_t next = 2 * node + (features[tree.feature[node]] > tree.threshold[node] ? 2 : 1);
      out[tree.feature[node]] += tree.value[next] - tree.value[node];
      node = next;
    }
  }
}

std::vector<std::uint32_t> Forest::Uses() const {
  std::vector<std::uint32_t> uses(feature_count_, 0);
  for (const Tree& tree : trees_) {
    for (std::size_t i = 0; i < kForestSplits; ++i) {
      if (std::isfinite(tree.threshold[i])) ++uses[tree.feature[i]];
    }
  }
  return uses;
}

void Forest::Serialize(std::string& out) const {
  out.append(kMagic);
  PutU32(out, static_cast<std::uint32_t>(feature_count_));
  PutU32(out, static_cast<std::uint32_t>(trees_.size()));
  PutFloat(out, bias_);
  for (const Tree& tree : trees_) {
    for (const std::uint16_t feature : tree.feature) out.push_back(static_cast<char>(feature));
    for (const float threshold : tree.threshold) PutFloat(out, threshold);
    for (const float value : tree.value) PutFloat(out, value);
  }
}

Result<Forest> Forest::Parse(std::string_view& bytes) {
  ByteReader reader(bytes);
  Forest forest;
  if (!reader.Expect(kMagic)) return Error(ErrorCode::kInvalidArgument, "not a forest");
  forest.feature_count_ = reader.U32();
  const std::uint32_t trees = reader.U32();
  forest.bias_ = reader.Float();
  if (!reader.ok() || forest.feature_count_ == 0 || forest.feature_count_ > kMaxForestFeatures ||
      trees > kMaxForestTrees) {
    return Error(ErrorCode::kInvalidArgument, "not a forest");
  }
  forest.trees_.resize(trees);
  for (Tree& tree : forest.trees_) {
    for (std::uint16_t& feature : tree.feature) {
      const std::string_view byte = reader.Bytes(1);
      const std::uint32_t value = byte.empty() ? 0 : static_cast<unsigned char>(byte[0]);
      if (value >= forest.feature_count_)
        return Error(ErrorCode::kInvalidArgument, "a forest asks for a missing feature");
      feature = static_cast<std::uint16_t>(value);
    }
    for (float& threshold : tree.threshold) threshold = reader.Float();
    for (float& value : tree.value) {
      value = reader.Float();
      if (!std::isfinite(value)) return Error(ErrorCode::kInvalidArgument, "a forest says no number");
    }
  }
  if (!reader.ok()) return Error(ErrorCode::kInvalidArgument, "a forest ends early");
  forest.Prepare();
  bytes = reader.rest();
  return forest;
}

class ForestTrainer {
 public:
  ForestTrainer(std::span<const float> rows, std::size_t features, std::span<const std::uint8_t> labels,
                std::span<const float> weights, const ForestOptions& options)
      : options_(options), features_(features), count_(labels.size()), labels_(labels), weights_(weights) {
    Bin(rows);
  }

  Forest Train() {
    Forest forest;
    forest.feature_count_ = features_;
    double positive = 1e-9;
    double negative = 1e-9;
    for (std::size_t i = 0; i < count_; ++i) (labels_[i] != 0 ? positive : negative) += weights_[i];
    forest.bias_ = static_cast<float>(std::log(positive / negative));
    score_.assign(count_, forest.bias_);
    gradient_.resize(count_);
    hessian_.resize(count_);
    base::SeededRandom random(options_.seed * 0x9E3779B97F4A7C15ULL + 0x1234567ULL);
    if (count_ == 0) return forest;
    for (int t = 0; t < options_.trees; ++t) {
      for (std::size_t i = 0; i < count_; ++i) {
        const double p = 1.0 / (1.0 + std::exp(-score_[i]));
        gradient_[i] = weights_[i] * ((labels_[i] != 0 ? 1.0 : 0.0) - p);
        hessian_[i] = weights_[i] * std::max(p * (1.0 - p), 1e-6);
      }
      columns_.clear();
      for (std::size_t f = 0; f < features_; ++f) {
        if (random.Unit() < options_.column_share) columns_.push_back(f);
      }
      if (columns_.empty()) columns_.push_back(static_cast<std::size_t>(random.Next() % features_));
      rows_.clear();
      for (std::size_t i = 0; i < count_; ++i) {
        if (random.Unit() < options_.row_share) rows_.push_back(static_cast<std::uint32_t>(i));
      }
      forest.trees_.push_back(Grow());
      const Forest::Tree& tree = forest.trees_.back();
      for (std::size_t i = 0; i < count_; ++i) {
        std::size_t node = 0;
        for (int depth = 0; depth < kForestDepth; ++depth) {
          node = 2 * node + (bins_[tree.feature[node] * count_ + i] > split_bin_[node] ? 2 : 1);
        }
        score_[i] += tree.value[node];
      }
    }
    forest.Prepare();
    return forest;
  }

 private:
  static constexpr int kNoSplit = 255;

  void Bin(std::span<const float> rows) {
    cuts_.resize(features_);
    bins_.resize(features_ * count_);
    std::vector<float> values(count_);
    const std::size_t wanted = static_cast<std::size_t>(std::clamp(options_.bins, 2, 250));
    for (std::size_t f = 0; f < features_; ++f) {
      for (std::size_t i = 0; i < count_; ++i) values[i] = rows[i * features_ + f];
      std::vector<float> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      std::vector<float>& cuts = cuts_[f];
      if (sorted.size() <= wanted) {
        for (std::size_t i = 0; i + 1 < sorted.size(); ++i) cuts.push_back((sorted[i] + sorted[i + 1]) / 2);
      } else {
        for (std::size_t k = 1; k < wanted; ++k) {
          const std::size_t at = k * sorted.size() / wanted;
          const float cut = (sorted[at - 1] + sorted[at]) / 2;
          if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
        }
      }
      for (std::size_t i = 0; i < count_; ++i) {
        bins_[f * count_ + i] =
            static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), values[i]) - cuts.begin());
      }
    }
  }

  Forest::Tree Grow() {
    Forest::Tree tree;
    std::vector<std::vector<std::uint32_t>> at(kForestNodes);
    at[0] = rows_;
    // What a monotone split above lets a node say at least and at most.
    std::array<double, kForestNodes> least;
    std::array<double, kForestNodes> most;
    least.fill(-std::numeric_limits<double>::infinity());
    most.fill(std::numeric_limits<double>::infinity());
    for (std::size_t node = 0; node < kForestNodes; ++node) {
      double g = 0;
      double h = 0;
      for (const std::uint32_t row : at[node]) {
        g += gradient_[row];
        h += hessian_[row];
      }
      // An empty node says what its parent says.
      const std::size_t parent = node == 0 ? 0 : (node - 1) / 2;
      tree.value[node] =
          at[node].empty()
              ? tree.value[parent]
              : static_cast<float>(options_.learning_rate * std::clamp(g / (h + options_.l2), least[node], most[node]));
      if (node >= kForestSplits) continue;
      std::size_t feature = 0;
      int bin = kNoSplit;
      const double between = Split(at[node], {g, h, least[node], most[node]}, feature, bin);
      const std::size_t left = 2 * node + 1;
      least[left] = least[left + 1] = least[node];
      most[left] = most[left + 1] = most[node];
      if (bin != kNoSplit && Direction(feature) != 0) {
        const bool rises = Direction(feature) > 0;
        most[rises ? left : left + 1] = between;
        least[rises ? left + 1 : left] = between;
      }
      tree.feature[node] = static_cast<std::uint16_t>(feature);
      split_bin_[node] = bin;
      tree.threshold[node] =
          bin == kNoSplit ? std::numeric_limits<float>::infinity() : cuts_[feature][static_cast<std::size_t>(bin)];
      const std::uint8_t* column = &bins_[feature * count_];
      for (const std::uint32_t row : at[node]) {
        at[2 * node + (column[row] > bin ? 2 : 1)].push_back(row);
      }
      std::vector<std::uint32_t>().swap(at[node]);
    }
    return tree;
  }

  struct Node {
    double g;
    double h;
    double least;
    double most;
  };

  [[nodiscard]] int Direction(std::size_t feature) const {
    return feature < options_.monotone.size() ? options_.monotone[feature] : 0;
  }

  // The value halfway between the two sides.
  double Split(const std::vector<std::uint32_t>& rows, const Node& node, std::size_t& feature, int& bin) {
    if (static_cast<double>(rows.size()) < 2 * options_.min_rows) return 0.0;
    double best = 1e-6;
    double between = 0.0;
    const double g = node.g;
    const double h = node.h;
    // What a side gains by saying its best value, or the nearest one that it may say.
    const auto gain_of = [&](double side_g, double side_h, double& value) {
      const double free = side_g / (side_h + options_.l2);
      value = std::clamp(free, node.least, node.most);
      return 2 * side_g * value - (side_h + options_.l2) * value * value;
    };
    double ignored = 0;
    const double whole = gain_of(g, h, ignored);
    for (const std::size_t f : columns_) {
      const std::size_t cuts = cuts_[f].size();
      if (cuts == 0) continue;
      std::array<double, 256> gs{};
      std::array<double, 256> hs{};
      std::array<double, 256> ns{};
      const std::uint8_t* column = &bins_[f * count_];
      for (const std::uint32_t row : rows) {
        gs[column[row]] += gradient_[row];
        hs[column[row]] += hessian_[row];
        ns[column[row]] += 1;
      }
      double gl = 0;
      double hl = 0;
      double nl = 0;
      for (std::size_t cut = 0; cut < cuts; ++cut) {
        gl += gs[cut];
        hl += hs[cut];
        nl += ns[cut];
        if (nl < options_.min_rows) continue;
        if (static_cast<double>(rows.size()) - nl < options_.min_rows) break;
        double below = 0;
        double above = 0;
        const double gain = gain_of(gl, hl, below) + gain_of(g - gl, h - hl, above) - whole;
        if (gain <= best || Direction(f) * (above - below) < 0) continue;
        best = gain;
        between = (below + above) / 2;
        feature = f;
        bin = static_cast<int>(cut);
      }
    }
    return between;
  }

  ForestOptions options_;
  std::size_t features_;
  std::size_t count_;
  std::span<const std::uint8_t> labels_;
  std::span<const float> weights_;
  std::vector<std::vector<float>> cuts_;
  std::vector<std::uint8_t> bins_;  // by feature, then row
  std::vector<double> score_;
  std::vector<double> gradient_;
  std::vector<double> hessian_;
  std::vector<std::size_t> columns_;
  std::vector<std::uint32_t> rows_;
  std::array<int, kForestSplits> split_bin_{};
};

Forest TrainForest(std::span<const float> rows, std::size_t feature_count, std::span<const std::uint8_t> labels,
                   std::span<const float> weights, const ForestOptions& options) {
  return ForestTrainer(rows, feature_count, labels, weights, options).Train();
}

}  // namespace interlock::bounds
