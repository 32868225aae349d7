#include "interlock/bounds/intent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "bytes.h"
#include "lexicon.h"
#include "words.h"

namespace interlock::bounds {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kMagic = "IIN1";
constexpr float kPairScale = 4.0F;
constexpr std::size_t kMaxWords = 4096;

std::uint32_t Mix(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint64_t x = (static_cast<std::uint64_t>(a) << 32U) | b;
  x = (x ^ (x >> 31U)) * 0x7FB5D329728EA185ULL;
  x = (x ^ (x >> 27U)) * 0x81DADEF4BC2DD44DULL;
  return static_cast<std::uint32_t>(x ^ (x >> 33U)) & static_cast<std::uint32_t>(IntentModel::kBuckets - 1);
}

using Stems = std::span<const std::uint32_t>;

bool Has(Stems text, std::uint32_t stem) noexcept { return std::binary_search(text.begin(), text.end(), stem); }

float PairWeight(std::size_t stems) noexcept { return kPairScale / std::sqrt(static_cast<float>(stems) + 5.0F); }

struct Pair {
  std::uint32_t bucket;
};

// Buckets of every (word, word of the tool) pair.
template <class Visit>
void ForPairs(Stems text, const IntentTool& tool, Visit&& visit) {
  for (const std::uint32_t stem : text) {
    for (const std::uint32_t word : tool.stems) visit(Mix(stem, word));
    visit(Mix(stem, tool.whole));
  }
}

std::array<float, 5> ExtraOf(Stems text, const IntentTool& tool, bool named) noexcept {
  const IntentOverlap overlap = OverlapOf(text, tool);
  return {1.0F, 2.0F * overlap.verb, 2.0F * overlap.words, 2.0F * overlap.objects, named ? 2.0F : 0.0F};
}

}  // namespace

IntentText PrepareIntentText(std::string_view text) {
  IntentText out;
  for (const Reading& reading : ReadingsOf(text, kMaxWords)) AppendMeanings(reading, out.stems);
  std::sort(out.stems.begin(), out.stems.end());
  out.stems.erase(std::unique(out.stems.begin(), out.stems.end()), out.stems.end());
  return out;
}

IntentTool PrepareIntentTool(std::string_view name) {
  IntentTool out;
  out.name = std::string(name);
  for (const std::string& word : WordsOf(name, 16)) out.stems.push_back(HashOf(StemOf(word)));
  out.whole = HashOf(name);
  return out;
}

IntentOverlap OverlapOf(Stems text, const IntentTool& tool) noexcept {
  IntentOverlap overlap;
  overlap.objects = 0.5F;
  if (tool.stems.empty()) return overlap;
  std::size_t hits = 0;
  for (std::size_t i = 0; i < tool.stems.size(); ++i) {
    const bool hit = Has(text, tool.stems[i]);
    if (i == 0) overlap.verb = hit ? 1.0F : 0.0F;
    hits += hit ? 1 : 0;
  }
  const auto count = static_cast<float>(tool.stems.size());
  overlap.words = static_cast<float>(hits) / count;
  if (tool.stems.size() > 1) overlap.objects = (static_cast<float>(hits) - overlap.verb) / (count - 1.0F);
  return overlap;
}

float IntentModel::Score(Stems text, const IntentTool& tool, bool named) const noexcept {
  std::int64_t sum = 0;
  const std::int8_t* const weights = weights_.data();
  ForPairs(text, tool, [&](std::uint32_t bucket) { sum += weights[bucket]; });
  float score = PairWeight(text.size()) * scale_ * static_cast<float>(sum);
  const std::array<float, kExtra> extra = ExtraOf(text, tool, named);
  for (std::size_t i = 0; i < kExtra; ++i) score += extra_[i] * extra[i];
  return score;
}

void IntentModel::Serialize(std::string& out) const {
  out.append(kMagic);
  PutFloat(out, scale_);
  for (const float weight : extra_) PutFloat(out, weight);
  out.append(reinterpret_cast<const char*>(weights_.data()), weights_.size());
}

Result<IntentModel> IntentModel::Parse(std::string_view& bytes) {
  ByteReader reader(bytes);
  IntentModel model;
  if (!reader.Expect(kMagic)) return Error(ErrorCode::kInvalidArgument, "not an intent model");
  model.scale_ = reader.Float();
  for (float& weight : model.extra_) weight = reader.Float();
  const std::string_view weights = reader.Bytes(kBuckets);
  if (!reader.ok() || !std::isfinite(model.scale_)) return Error(ErrorCode::kInvalidArgument, "not an intent model");
  for (const float weight : model.extra_) {
    if (!std::isfinite(weight)) return Error(ErrorCode::kInvalidArgument, "not an intent model");
  }
  std::copy(weights.begin(), weights.end(), reinterpret_cast<char*>(model.weights_.data()));
  bytes = reader.rest();
  return model;
}

IntentModel IntentModel::Train(const std::vector<Sample>& samples, const TrainOptions& options) {
  struct Row {
    std::uint32_t text;
    std::uint32_t tool;
    bool used;
    bool named;
    std::uint32_t index = 0;
  };
  std::vector<IntentText> texts;
  std::vector<IntentTool> tools;
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (const Sample& sample : samples) {
    texts.push_back(PrepareIntentText(sample.text));
    for (const std::string& tool : sample.available) {
      auto known = std::find(names.begin(), names.end(), tool);
      if (known == names.end()) {
        names.push_back(tool);
        tools.push_back(PrepareIntentTool(tool));
        known = names.end() - 1;
      }
      const bool used = std::find(sample.used.begin(), sample.used.end(), tool) != sample.used.end();
      rows.push_back({static_cast<std::uint32_t>(texts.size() - 1), static_cast<std::uint32_t>(known - names.begin()),
                      used, sample.text.find(tool) != std::string::npos});
    }
  }
  // The buckets of every row, made once: each epoch goes through them twice.
  static_assert(kBuckets <= std::size_t{1} << 16U);
  std::vector<std::uint16_t> buckets;
  std::vector<std::size_t> ends;
  for (Row& row : rows) {
    row.index = static_cast<std::uint32_t>(ends.size());
    ForPairs(texts[row.text].stems, tools[row.tool],
             [&](std::uint32_t bucket) { buckets.push_back(static_cast<std::uint16_t>(bucket)); });
    ends.push_back(buckets.size());
  }
  const auto buckets_of = [&](const Row& row) {
    const std::size_t begin = row.index == 0 ? 0 : ends[row.index - 1];
    return std::span<const std::uint16_t>(buckets.data() + begin, buckets.data() + ends[row.index]);
  };
  std::vector<double> weight(kBuckets + kExtra, 0.0);
  std::vector<double> squares(kBuckets + kExtra, 1e-2);
  std::uint64_t state = options.seed;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    for (std::size_t i = rows.size(); i > 1; --i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      std::swap(rows[i - 1], rows[(state >> 33U) % i]);
    }
    for (const Row& row : rows) {
      const IntentText& text = texts[row.text];
      const IntentTool& tool = tools[row.tool];
      const double scale = PairWeight(text.stems.size());
      const std::array<float, kExtra> extra = ExtraOf(text.stems, tool, row.named);
      double score = 0;
      const std::span<const std::uint16_t> pairs = buckets_of(row);
      for (const std::uint16_t bucket : pairs) score += scale * weight.data()[bucket];
      for (std::size_t i = 0; i < kExtra; ++i) score += weight[kBuckets + i] * static_cast<double>(extra[i]);
      const double error = 1.0 / (1.0 + std::exp(-score)) - (row.used ? 1.0 : 0.0);
      const auto step = [&](std::size_t at, double value) {
        double& w = weight.data()[at];
        double& sum = squares.data()[at];
        const double gradient = error * value + options.l2 * w;
        sum += gradient * gradient;
        w -= options.rate * gradient / std::sqrt(sum) * 0.3;
      };
      for (const std::uint16_t bucket : pairs) step(bucket, scale);
      for (std::size_t i = 0; i < kExtra; ++i) step(kBuckets + i, static_cast<double>(extra[i]));
    }
  }
  IntentModel model;
  double largest = 1e-6;
  for (std::size_t i = 0; i < kBuckets; ++i) largest = std::max(largest, std::abs(weight[i]));
  model.scale_ = static_cast<float>(largest / 127.0);
  for (std::size_t i = 0; i < kBuckets; ++i) {
    model.weights_[i] = static_cast<std::int8_t>(std::lround(weight[i] / largest * 127.0));
  }
  for (std::size_t i = 0; i < kExtra; ++i) model.extra_[i] = static_cast<float>(weight[kBuckets + i]);
  return model;
}

}  // namespace interlock::bounds
