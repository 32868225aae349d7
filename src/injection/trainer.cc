// Trains by logistic regression on windows of words: the log-odds of a window is the sum of the evidence of its words,
// so that the same numbers add up over any span. Deterministic: own generator, fixed order.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "interlock/base/seeded_random.h"
#include "model.h"

namespace interlock::injection {
namespace {

constexpr std::size_t kMinCommands = 3;  // distinct texts a word or pair must occur in to count
constexpr std::size_t kMinData = 12;
constexpr std::size_t kMaxWords = 3000;
constexpr std::size_t kMaxPairs = 14000;
constexpr int kHardRounds = 3;
constexpr float kHardWeight = 3.0F;
constexpr float kPieceWeight = 0.3F;  // of a whole sentence as a window of its own
constexpr float kNameShare = 0.6F;    // words mostly written with a capital inside sentences are names

struct Prepared {
  std::vector<Token> tokens;
  std::vector<Piece> pieces;
};

struct Text {
  std::shared_ptr<const Prepared> of;
  float weight = 1.0F;
  [[nodiscard]] const std::vector<Token>& tokens() const { return of->tokens; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return of->pieces; }
};

// From hashes that are never 0; training asks millions of times.
template <class Value>
class Table {
 public:
  [[nodiscard]] const Value* Find(std::uint64_t key) const {
    for (std::size_t at = Start(key);; at = (at + 1) & (keys_.size() - 1)) {
      if (keys_.data()[at] == key) return &values_.data()[at];
      if (keys_.data()[at] == 0) return nullptr;
    }
  }
  Value& operator[](std::uint64_t key) {
    if ((size_ + 1) * 2 > keys_.size()) Grow();
    for (std::size_t at = Start(key);; at = (at + 1) & (keys_.size() - 1)) {
      if (keys_.data()[at] == key) return values_.data()[at];
      if (keys_.data()[at] != 0) continue;
      keys_.data()[at] = key;
      ++size_;
      return values_.data()[at];
    }
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (std::size_t at = 0; at < keys_.size(); ++at) {
      if (keys_[at] != 0) visit(keys_[at], values_[at]);
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  [[nodiscard]] std::size_t Start(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32U) & (keys_.size() - 1);
  }
  void Grow() {
    Table bigger;
    bigger.keys_.assign(keys_.size() * 2, 0);
    bigger.values_.assign(bigger.keys_.size(), Value{});
    for (std::size_t at = 0; at < keys_.size(); ++at) {
      if (keys_[at] != 0) bigger[keys_[at]] = std::move(values_[at]);
    }
    *this = std::move(bigger);
  }
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1024, 0);
  std::vector<Value> values_ = std::vector<Value>(1024);
  std::size_t size_ = 0;
};

struct Window {
  std::vector<std::uint32_t> features;  // dense ids, with repetition
  float words = 0;                      // for the drift
  float unknown = 0;
  float weight = 1;
  bool command = false;
};

}  // namespace

struct SpanTexts::Impl {
  explicit Impl(std::size_t max) : max_bytes(max) {}
  std::shared_ptr<const Prepared> Of(std::uint64_t key, std::string_view text) {
    {
      const std::lock_guard lock(mutex);
      if (const auto at = texts.find(key); at != texts.end()) return at->second;
    }
    Folded folded;
    Fold(text, folded);
    Tokens tokens;
    Tokenize(folded, tokens);
    auto prepared = std::make_shared<const Prepared>(Prepared{std::move(tokens.tokens), std::move(tokens.pieces)});
    const std::lock_guard lock(mutex);
    bytes += prepared->tokens.size() * sizeof(Token) + prepared->pieces.size() * sizeof(Piece);
    if (bytes <= max_bytes) texts.emplace(key, prepared);
    return prepared;
  }
  const std::size_t max_bytes;
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::shared_ptr<const Prepared>> texts;
  std::size_t bytes = 0;
};

SpanTexts::SpanTexts(std::size_t max_bytes) : impl_(std::make_unique<Impl>(max_bytes)) {}
SpanTexts::~SpanTexts() = default;

struct SpanTrainer::Impl {
  std::shared_ptr<SpanTexts> texts;
  std::vector<Text> commands;
  std::vector<Text> data;
  std::unordered_set<std::uint64_t> seen;

  void Add(std::string_view text, float weight, bool command) {
    if (text.empty() || weight <= 0) return;
    const std::uint64_t hash = std::hash<std::string_view>{}(text);
    if (!seen.insert(hash * 2 + (command ? 1 : 0)).second) return;
    std::shared_ptr<const Prepared> prepared = texts->impl_->Of(hash, text);
    if (prepared->tokens.empty()) return;
    (command ? commands : data).push_back({std::move(prepared), weight});
  }
};

namespace {

class Training {
 public:
  Training(const std::vector<Text>& commands, const std::vector<Text>& data, const SpanTrainer::Options& options)
      : commands_(commands), data_(data), options_(options), random_(options.seed * 0x2545F4914F6CDD1DULL + 1) {}

  void Learn(Weights& model) {
    ChooseWords();
    ChoosePairs();
    weights_.assign(ids_.size() + 2, 0.0F);
    squares_.assign(weights_.size(), 1e-6F);
    for (const Text& text : commands_) AddCommandWindows(text);
    const std::size_t positives = windows_.size();
    AddDataWindows(positives * 3);
    Fit(options_.epochs);
    // The runs that still look like commands in data are what the model must learn next.
    for (int round = 0; round < kHardRounds; ++round) {
      Quantise(model);
      if (AddHardWindows(model) == 0) break;
      Fit(std::max(1, options_.epochs / 2));
    }
    Quantise(model);
    Calibrate(model);
  }

 private:
  static constexpr std::uint32_t kDrift = 0;
  static constexpr std::uint32_t kUnknown = 1;

  void ChooseWords() {
    struct Count {
      std::uint32_t commands = 0, data = 0, inside = 0, capital = 0;
      std::uint32_t last = 0;
    };
    Table<Count> counts;
    std::uint32_t stamp = 0;
    for (const Text& text : commands_) {
      ++stamp;
      for (const Token& token : text.tokens()) {
        if (token.kind != TokenKind::kWord || token.sense == 0) continue;
        Count& count = counts[token.sense];
        if (count.last != stamp) ++count.commands;
        count.last = stamp;
        if (!token.starts) {
          ++count.inside;
          if (token.capital) ++count.capital;
        }
      }
    }
    for (const Text& text : data_) {
      ++stamp;
      for (const Token& token : text.tokens()) {
        if (token.kind != TokenKind::kWord || token.sense == 0) continue;
        Count& count = counts[token.sense];
        if (count.last != stamp) ++count.data;
        count.last = stamp;
        if (!token.starts) {
          ++count.inside;
          if (token.capital) ++count.capital;
        }
      }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen;  // (importance, hash)
    counts.ForEach([&](std::uint64_t hash, const Count& count) {
      if (count.commands < kMinCommands && count.data < kMinData) return;
      const float capital =
          count.inside == 0 ? 0.0F : static_cast<float>(count.capital) / static_cast<float>(count.inside);
      if (count.inside >= 3 && capital > kNameShare && hash != HashWord("i")) return;
      chosen.emplace_back(count.commands * 8 + count.data, static_cast<std::uint32_t>(hash));
    });
    std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (chosen.size() > kMaxWords) chosen.resize(kMaxWords);
    for (const auto& [importance, hash] : chosen) {
      words_[hash] = 1;
      Id(hash, true);
    }
  }

  std::uint32_t Id(std::uint32_t hash, bool word) {
    const std::uint64_t key = (std::uint64_t{word} << 32U) | hash;
    std::uint32_t& id = ids_[key];
    if (id == 0) {
      id = static_cast<std::uint32_t>(ids_.size()) + 1;
      keys_.push_back(key);
    }
    return id;
  }

  template <class Visit>
  void Pairs(const Token* begin, const Token* end, Visit&& visit) const {
    const auto known = [&](std::uint32_t hash) { return words_.Find(hash) != nullptr; };
    VisitPairs(begin, end, known, [&](std::size_t, std::uint32_t hash) { visit(hash); });
  }

  void ChoosePairs() {
    Table<std::pair<std::uint32_t, std::uint32_t>> counts;  // hash -> (texts, last)
    std::uint32_t stamp = 0;
    for (const Text& text : commands_) {
      ++stamp;
      Pairs(text.tokens().data(), text.tokens().data() + text.tokens().size(), [&](std::uint32_t hash) {
        auto& [count, last] = counts[hash];
        if (last != stamp) ++count;
        last = stamp;
      });
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen;
    counts.ForEach([&](std::uint64_t hash, const auto& count) {
      if (count.first >= kMinCommands) chosen.emplace_back(count.first, static_cast<std::uint32_t>(hash));
    });
    std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (chosen.size() > kMaxPairs * 3) chosen.resize(kMaxPairs * 3);
    for (const auto& [count, hash] : chosen) Id(hash, false);
  }

  void AddWindow(const std::vector<Token>& tokens, std::size_t begin, std::size_t end, bool command, float weight) {
    end = std::min(end, tokens.size());
    if (begin >= end) return;
    Window window;
    window.command = command;
    window.weight = weight;
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens[i].kind != TokenKind::kWord || tokens[i].sense == 0) continue;
      window.words += 1;
      if (const std::uint32_t* id = ids_.Find((std::uint64_t{1} << 32U) | tokens[i].sense); id != nullptr) {
        window.features.push_back(*id);
      } else {
        window.unknown += 1;
      }
    }
    Pairs(tokens.data() + begin, tokens.data() + end, [&](std::uint32_t hash) {
      if (const std::uint32_t* id = ids_.Find(hash); id != nullptr) window.features.push_back(*id);
    });
    windows_.push_back(std::move(window));
  }

  // Words of data between the words of a command, as an attacker would pad it.
  std::vector<Token> Padded(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    std::vector<Token> out;
    const std::size_t every = random_.Between(2, 6);
    const std::size_t most = random_.Between(1, 3);
    for (std::size_t i = begin; i < end; ++i) {
      out.push_back(tokens[i]);
      if ((i - begin + 1) % every != 0 || data_.empty()) continue;
      const Text& from = data_[random_.Below(data_.size())];
      const std::size_t at = random_.Below(from.tokens().size());
      for (std::size_t n = 0; n < most && at + n < from.tokens().size(); ++n) out.push_back(from.tokens()[at + n]);
    }
    return out;
  }

  void AddCommandWindows(const Text& text) {
    const std::size_t size = text.tokens().size();
    const std::size_t samples = std::clamp<std::size_t>(size / 6, 3, 24);
    for (std::size_t n = 0; n < samples; ++n) {
      const std::size_t length = random_.Between(5, 24);
      const std::size_t begin = size <= length ? 0 : random_.Below(size - length + 1);
      const std::size_t end = std::min(size, begin + length);
      if (options_.augment && random_.OneIn(3)) {
        const std::vector<Token> padded = Padded(text.tokens(), begin, end);
        AddWindow(padded, 0, padded.size(), true, text.weight);
      } else {
        AddWindow(text.tokens(), begin, end, true, text.weight);
      }
    }
    const float share = kPieceWeight;
    for (const Piece& piece : text.pieces()) {
      if (piece.token_end - piece.token_begin >= 3) {
        AddWindow(text.tokens(), piece.token_begin, piece.token_end, true, text.weight * share);
      }
    }
  }

  void AddDataWindows(std::size_t count) {
    if (data_.empty()) return;
    // By text and by length in turn, so that a few long lists do not outweigh everything else.
    for (std::size_t n = 0; n < count; ++n) {
      const Text& text = data_[random_.Below(data_.size())];
      if (n % 3 == 2) {
        const Piece& piece = text.pieces()[random_.Below(text.pieces().size())];
        AddWindow(text.tokens(), piece.token_begin, piece.token_end, false, text.weight);
        continue;
      }
      const std::size_t length = random_.Between(5, 24);
      const std::size_t begin = text.tokens().size() <= length ? 0 : random_.Below(text.tokens().size() - length + 1);
      AddWindow(text.tokens(), begin, begin + length, false, text.weight);
    }
  }

  std::size_t AddHardWindows(const Weights& model) {
    std::vector<std::pair<float, std::pair<std::uint32_t, Run>>> found;
    std::vector<float> evidence;
    std::vector<Run> runs;
    for (std::uint32_t t = 0; t < data_.size(); ++t) {
      model.Evidence(data_[t].tokens(), evidence);
      MaximalRuns(evidence, runs);
      for (const Run& run : runs) {
        if (run.sum > 1.5F) found.push_back({run.sum, {t, run}});
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first > b.first;
      return std::tie(a.second.first, a.second.second.begin) < std::tie(b.second.first, b.second.second.begin);
    });
    const std::size_t cap = 6000;
    if (found.size() > cap) found.resize(cap);
    for (const auto& [sum, where] : found) {
      const Text& text = data_[where.first];
      AddWindow(text.tokens(), where.second.begin, std::min<std::size_t>(where.second.end, where.second.begin + 60),
                false, kHardWeight * text.weight);
    }
    return found.size();
  }

  void Fit(int epochs) {
    double positive = 0;
    double negative = 0;
    for (const Window& window : windows_) (window.command ? positive : negative) += static_cast<double>(window.weight);
    if (positive == 0 || negative == 0) return;
    const auto balance = static_cast<float>(negative / positive);
    std::vector<std::uint32_t> order(windows_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    constexpr float kRate = 0.08F;
    constexpr float kDecay = 2e-6F;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      random_.Shuffle(order);
      for (const std::uint32_t index : order) {
        const Window& window = windows_[index];
        float sum = weights_[kDrift] * window.words + weights_[kUnknown] * window.unknown;
        for (const std::uint32_t id : window.features) sum += weights_[id];
        const float p = 1.0F / (1.0F + std::exp(-sum));
        const float gradient = (p - (window.command ? 1.0F : 0.0F)) * window.weight * (window.command ? balance : 1.0F);
        const auto step = [&](std::uint32_t id, float value) {
          const float g = gradient * value + kDecay * weights_[id];
          squares_[id] += g * g;
          weights_[id] -= kRate * g / std::sqrt(squares_[id]);
        };
        step(kDrift, window.words);
        if (window.unknown > 0) step(kUnknown, window.unknown);
        for (const std::uint32_t id : window.features) step(id, 1.0F);
      }
    }
  }

  void Quantise(Weights& model) const {
    std::vector<std::pair<float, std::size_t>> pairs;
    float largest = 1e-6F;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const float weight = std::clamp(weights_[i + 2], -4.0F, 4.0F);
      largest = std::max(largest, std::fabs(weight));
      if ((keys_[i] >> 32U) == 0) pairs.emplace_back(-std::fabs(weight), i);
    }
    std::sort(pairs.begin(), pairs.end());
    if (pairs.size() > kMaxPairs) pairs.resize(kMaxPairs);
    ModelParameters& p = model.parameters;
    p.scale = largest / 127.0F;
    p.drift = weights_[kDrift];
    p.unknown = weights_[kUnknown];
    const auto quantise = [&](std::size_t i) {
      const float weight = std::clamp(weights_[i + 2], -4.0F, 4.0F);
      return static_cast<std::int8_t>(std::lround(weight / p.scale));
    };
    std::vector<WeightTable::Entry> words;
    std::vector<WeightTable::Entry> chosen;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto hash = static_cast<std::uint32_t>(keys_[i]);
      if ((keys_[i] >> 32U) == 1 && hash != 0) words.push_back({hash, quantise(i)});
    }
    for (const auto& [negated, i] : pairs) {
      const std::int8_t weight = quantise(i);
      if (weight != 0) chosen.push_back({static_cast<std::uint32_t>(keys_[i]), weight});
    }
    model.words.Build(std::move(words));
    model.pairs.Build(std::move(chosen));
  }

  // Log-odds of the best run of a text: slope and offset by logistic regression on the root of its sum.
  void Calibrate(Weights& model) const {
    std::vector<std::pair<float, bool>> samples;
    std::vector<float> evidence;
    std::vector<Run> runs;
    const auto best = [&](const Text& text) {
      model.Evidence(text.tokens(), evidence);
      MaximalRuns(evidence, runs);
      float sum = 0;
      for (const Run& run : runs) sum = std::max(sum, run.sum);
      return std::sqrt(sum);
    };
    double commands = 0;
    double data = 0;
    // Texts of less than full weight (made up, shorter and plainer than what is met) say nothing about scores.
    for (const Text& text : commands_) {
      if (text.weight < 1.0F) continue;
      samples.emplace_back(best(text), true);
      ++commands;
    }
    for (const Text& text : data_) {
      if (text.weight < 1.0F) continue;
      samples.emplace_back(best(text), false);
      ++data;
    }
    if (commands == 0 || data == 0) return;
    const double positive = 0.5 / commands;
    const double negative = 0.5 / data;
    double slope = 1;
    double offset = -2;
    for (int step = 0; step < 50; ++step) {  // Newton, damped
      double ga = 1e-3 * (slope - 1), gb = 0, haa = 1e-3, hab = 0, hbb = 1e-6;
      for (const auto& [root, command] : samples) {
        const double x = static_cast<double>(root);
        const double p = 1.0 / (1.0 + std::exp(-(slope * x + offset)));
        const double w = command ? positive : negative;
        const double g = w * (p - (command ? 1.0 : 0.0));
        const double h = w * p * (1 - p);
        ga += g * x;
        gb += g;
        haa += h * x * x;
        hab += h * x;
        hbb += h;
      }
      const double det = haa * hbb - hab * hab;
      if (std::fabs(det) < 1e-18) break;
      const double da = (hbb * ga - hab * gb) / det;
      const double db = (haa * gb - hab * ga) / det;
      slope -= std::clamp(da, -1.0, 1.0);
      offset -= std::clamp(db, -1.0, 1.0);
      if (std::fabs(da) + std::fabs(db) < 1e-6) break;
    }
    model.parameters.slope = static_cast<float>(std::clamp(slope, 0.1, 20.0));
    model.parameters.offset = static_cast<float>(std::clamp(offset, -50.0, 0.0));
  }

  const std::vector<Text>& commands_;
  const std::vector<Text>& data_;
  const SpanTrainer::Options& options_;
  base::SeededRandom random_;
  Table<char> words_;
  Table<std::uint32_t> ids_;
  std::vector<std::uint64_t> keys_;
  std::vector<float> weights_;
  std::vector<float> squares_;
  std::vector<Window> windows_;
};

}  // namespace

SpanTrainer::SpanTrainer(std::shared_ptr<SpanTexts> texts) : impl_(std::make_unique<Impl>()) {
  impl_->texts = texts != nullptr ? std::move(texts) : std::make_shared<SpanTexts>(0);
}
SpanTrainer::~SpanTrainer() = default;

void SpanTrainer::AddCommand(std::string_view text, float weight) { impl_->Add(text, weight, true); }
void SpanTrainer::AddData(std::string_view text, float weight) { impl_->Add(text, weight, false); }

std::shared_ptr<const SpanModel> SpanTrainer::Train(const Options& options) const {
  std::shared_ptr<SpanModel> model(new SpanModel());
  Training(impl_->commands, impl_->data, options).Learn(*model->impl_);
  model->impl_->parameters.quarantine = options.quarantine;
  return model;
}

}  // namespace interlock::injection
