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

float Forest::Score(std::span<const float> features) const noexcept {
  float sum = bias_;
  for (const Tree& tree : trees_) {
    std::size_t node = 0;
    for (int depth = 0; depth < kForestDepth; ++depth) {
      node = 2 * node + (features[tree.feature[node]] > tree.threshold[node] ? 2 : 1);
    }
    sum += tree.value[node];
  }
  return sum;
}

ForestSet::ForestSet(std::vector<Forest> forests) : forests_(std::move(forests)) {
  // By feature, then threshold; bits, because a file may hold any.
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t> place_of;
  const auto key = [](const Forest::Tree& tree, std::size_t i) {
    return std::pair(tree.feature[i], std::bit_cast<std::uint32_t>(tree.threshold[i]));
  };
  for (const Forest& forest : forests_) {
    for (const Forest::Tree& tree : forest.trees_) {
      for (std::size_t i = 0; i < kForestSplits; ++i) place_of.emplace(key(tree, i), 0);
    }
  }
  const auto fill_lane = [this] { cuts_.resize((cuts_.size() + kLane - 1) / kLane * kLane); };
  for (auto& [cut, place] : place_of) {
    if (cuts_of_.empty() || cuts_of_.back().feature != cut.first) {
      fill_lane();
      cuts_of_.push_back({.feature = cut.first, .count = 0});
    }
    place = cuts_.size();
    if (cuts_.size() % kLane == 0) cuts_of_.back().count += kLane;
    cuts_.push_back(std::bit_cast<float>(cut.second));
  }
  fill_lane();
  if (cuts_.size() > std::size_t{1} << 16U) {
    cuts_.clear();
    return;
  }
  for (std::size_t first = 0; first < forests_.size(); first += kBeside) {
    Group& group = groups_.emplace_back();
    group.forests = std::min(kBeside, forests_.size() - first);
    for (std::size_t k = 0; k < group.forests; ++k) {
      group.trees = std::max(group.trees, forests_[first + k].trees_.size());
    }
    // Where a forest has fewer trees than others: leaves that change no sum.
    group.splits.resize(group.trees * group.forests * kForestLeaves, 0);
    group.leaves.resize(group.trees * group.forests * kForestLeaves, -0.0F);
    for (std::size_t k = 0; k < group.forests; ++k) {
      const std::vector<Forest::Tree>& trees = forests_[first + k].trees_;
      for (std::size_t t = 0; t < trees.size(); ++t) {
        const std::size_t at = (t * group.forests + k) * kForestLeaves;
        for (std::size_t i = 0; i < kForestSplits; ++i) {
          group.splits[at + i + 1] = static_cast<std::uint16_t>(place_of.at(key(trees[t], i)));
        }
        std::copy_n(trees[t].value.begin() + kForestSplits, kForestLeaves,
                    group.leaves.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
}

// A tree of each forest at a time: no step waits for a step in another, and no sum for another.
template <std::size_t kForests>
void ForestSet::AddScores(const Group& group, std::size_t first, const std::uint32_t* above,
                          float& sum) const noexcept {
  // The root is node 1, below node n stand 2n and 2n + 1, so leaves are the nodes from kForestLeaves on.
  const std::uint16_t* splits = group.splits.data();
  const float* leaves = group.leaves.data();
  const auto below = [&](std::size_t k, std::size_t node) {
    return 2 * node + above[splits[k * kForestLeaves + node]];
  };
  const auto leaf = [&](std::size_t k, std::size_t node) { return (leaves + k * kForestLeaves)[node - kForestLeaves]; };
  const auto bias = [&](std::size_t k) { return k < kForests ? forests_[first + k].bias_ : 0.0F; };
  // Each in a register of its own, which arrays would not be.
  static_assert(kForestDepth == 4 && kForests <= 4);
  constexpr bool kB = kForests > 1;
  constexpr bool kC = kForests > 2;
  constexpr bool kD = kForests > 3;
  float sum_a = bias(0);
  float sum_b = bias(1);
  float sum_c = bias(2);
  float sum_d = bias(3);
  for (std::size_t left = group.trees; left > 0; --left) {
    std::size_t a = below(0, 1);
    std::size_t b = kB ? below(1, 1) : 0;
    std::size_t c = kC ? below(2, 1) : 0;
    std::size_t d = kD ? below(3, 1) : 0;
    a = below(0, a);
    if (kB) b = below(1, b);
    if (kC) c = below(2, c);
    if (kD) d = below(3, d);
    a = below(0, a);
    if (kB) b = below(1, b);
    if (kC) c = below(2, c);
    if (kD) d = below(3, d);
    sum_a += leaf(0, below(0, a));
    if (kB) sum_b += leaf(1, below(1, b));
    if (kC) sum_c += leaf(2, below(2, c));
    if (kD) sum_d += leaf(3, below(3, d));
    splits += kForests * kForestLeaves;
    leaves += kForests * kForestLeaves;
  }
  sum += sum_a;
  if (kB) sum += sum_b;
  if (kC) sum += sum_c;
  if (kD) sum += sum_d;
}

// Every threshold is held against its feature once, many trees of all forests share one; then a step through a tree is
// two loads. Leaves are added in the order of the trees, and forests in theirs.
float ForestSet::Score(std::span<const float> features) const noexcept {
  if (forests_.empty()) return 0.0F;
  const auto count = static_cast<float>(forests_.size());
  float sum = 0.0F;
  if (cuts_.empty()) {
    for (const Forest& forest : forests_) sum += forest.Score(features);
    return sum / count;
  }
  using Floats = float __attribute__((vector_size(4 * sizeof(float))));
  using Masks = std::int32_t __attribute__((vector_size(4 * sizeof(std::int32_t))));
  constexpr std::size_t kUsual = 2048;  // thresholds of trained forests
  alignas(16) __attribute__((uninitialized)) std::uint32_t usual[kUsual];
  std::vector<std::uint32_t> many(cuts_.size() > kUsual ? cuts_.size() : 0);
  std::uint32_t* const above = many.empty() ? usual : many.data();  // 1: the value is above the threshold
  const float* const cuts = cuts_.data();
  const auto compare = [&](const Floats& values, std::size_t at) {
    Floats four;
    std::memcpy(&four, cuts + at, sizeof four);
    const Masks masks = (values > four) & 1;
    std::memcpy(above + at, &masks, sizeof masks);
  };
  std::size_t at = 0;
  static_assert(kLane == 8);
  for (const Cuts& of : cuts_of_) {
    const float value = features[of.feature];
    const Floats values{value, value, value, value};
    for (const std::size_t end = at + of.count; at != end; at += kLane) {
      compare(values, at);
      compare(values, at + 4);
    }
  }
  std::size_t first = 0;
  for (const Group& group : groups_) {
    switch (group.forests) {
      case 1:
        AddScores<1>(group, first, above, sum);
        break;
      case 2:
        AddScores<2>(group, first, above, sum);
        break;
      case 3:
        AddScores<3>(group, first, above, sum);
        break;
      default:
        AddScores<kBeside>(group, first, above, sum);
        break;
    }
    first += group.forests;
  }
  return sum / count;
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
