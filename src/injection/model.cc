#include "model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interlock/base/error.h"

namespace interlock::injection {
namespace {

constexpr std::string_view kMagic = "ILSPAN02";
constexpr std::size_t kMaxEntries = std::size_t{1} << 18;

template <class T>
void Append(std::string& out, T value) {
  std::uint32_t bits = 0;
  static_assert(sizeof(T) == sizeof(bits));
  std::memcpy(&bits, &value, sizeof(bits));
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<char>(bits >> (8 * i)));
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool Read(T& value) {
    static_assert(sizeof(T) == 4);
    if (bytes_.size() < 4) return false;
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) bits |= std::uint32_t{static_cast<unsigned char>(bytes_[i])} << (8 * i);
    std::memcpy(&value, &bits, 4);
    bytes_.remove_prefix(4);
    return true;
  }
  bool ReadTable(WeightTable& table) {
    std::uint32_t count = 0;
    if (!Read(count) || count > kMaxEntries || bytes_.size() / 5 < count) return false;
    std::vector<WeightTable::Entry> entries(count);
    std::uint32_t last = 0;
    for (WeightTable::Entry& entry : entries) {
      if (!Read(entry.hash) || entry.hash <= last) return false;  // sorted, no repetition, never 0
      last = entry.hash;
    }
    for (WeightTable::Entry& entry : entries) {
      entry.weight = static_cast<std::int8_t>(bytes_.front());
      bytes_.remove_prefix(1);
    }
    table.Build(std::move(entries));
    return true;
  }
  [[nodiscard]] bool done() const noexcept { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

void AppendTable(std::string& out, const WeightTable& table) {
  Append(out, static_cast<std::uint32_t>(table.entries().size()));
  for (const WeightTable::Entry& entry : table.entries()) Append(out, entry.hash);
  for (const WeightTable::Entry& entry : table.entries()) out.push_back(static_cast<char>(entry.weight));
}

}  // namespace

void WeightTable::Build(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
  entries_ = std::move(entries);
  std::size_t size = 16;
  while (size < entries_.size() * 2) size *= 2;
  keys_.assign(size, 0);
  weights_.assign(size, 0);
  mask_ = size - 1;
  filter_.fill(0);
  for (const Entry& entry : entries_) {
    filter_[(entry.hash >> 6U) % filter_.size()] |= std::uint64_t{1} << (entry.hash & 63U);
    std::size_t at = (entry.hash >> 3U) & mask_;
    while (keys_[at] != 0) at = (at + 1) & mask_;
    keys_[at] = entry.hash;
    weights_[at] = entry.weight;
  }
}

void Weights::Evidence(const std::vector<Token>& tokens, std::vector<float>& out) const {
  out.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::int8_t* word = tokens[i].kind == TokenKind::kWord ? words.Find(tokens[i].sense) : nullptr;
    if (tokens[i].kind != TokenKind::kWord || tokens[i].sense == 0) {
      out[i] = 0.0F;
    } else if (word == nullptr) {
      out[i] = parameters.drift + parameters.unknown;
    } else {
      out[i] = parameters.drift + parameters.scale * static_cast<float>(*word);
    }
  }
  const auto known = [&](std::uint32_t hash) { return words.Find(hash) != nullptr; };
  VisitPairs(tokens.data(), tokens.data() + tokens.size(), known, [&](std::size_t index, std::uint32_t hash) {
    if (const std::int8_t* pair = pairs.Find(hash)) out[index] += parameters.scale * static_cast<float>(*pair);
  });
  for (float& value : out) value = std::clamp(value, parameters.floor, parameters.ceiling);
}

float Weights::LogOdds(float sum) const {
  const float root = std::sqrt(std::fabs(sum));
  return parameters.slope * (sum < 0 ? -root : root) + parameters.offset;
}

void MaximalRuns(const std::vector<float>& evidence, std::vector<Run>& out, std::uint64_t* steps) {
  struct Candidate {
    std::uint32_t begin;
    std::uint32_t end;
    double left;         // sum of everything before it
    double right;        // and with it
    std::int32_t lower;  // nearest earlier candidate whose left sum is smaller, -1: none
  };
  std::vector<Candidate> list;
  double total = 0;
  std::uint64_t work = 0;
  for (std::uint32_t i = 0; i < evidence.size(); ++i) {
    ++work;
    const double before = total;
    total += static_cast<double>(evidence[i]);
    if (!(evidence[i] > 0)) continue;
    Candidate next{i, i + 1, before, total, -1};
    while (true) {
      auto at = static_cast<std::int32_t>(list.size()) - 1;
      while (at >= 0 && !(list[static_cast<std::size_t>(at)].left < next.left)) {
        at = list[static_cast<std::size_t>(at)].lower;
        ++work;
      }
      if (at < 0 || list[static_cast<std::size_t>(at)].right >= next.right) {
        next.lower = at;
        list.push_back(next);
        break;
      }
      next.begin = list[static_cast<std::size_t>(at)].begin;
      next.left = list[static_cast<std::size_t>(at)].left;
      list.resize(static_cast<std::size_t>(at));
      ++work;
    }
  }
  out.clear();
  for (const Candidate& run : list) out.push_back({run.begin, run.end, static_cast<float>(run.right - run.left)});
  if (steps != nullptr) *steps += work;
}

SpanModel::SpanModel() : impl_(std::make_unique<Impl>()) {}
SpanModel::~SpanModel() = default;

float SpanModel::Score(std::string_view text) const {
  Folded folded;
  Fold(text.substr(0, std::size_t{1} << 20), folded);
  Tokens tokens;
  Tokenize(folded, tokens);
  std::vector<float> evidence;
  impl_->Evidence(tokens.tokens, evidence);
  float sum = 0;
  for (const float value : evidence) sum += value;
  return impl_->LogOdds(sum);
}

float SpanModel::quarantine_threshold() const noexcept { return impl_->parameters.quarantine; }

std::string SpanModel::Serialize() const {
  std::string out(kMagic);
  const ModelParameters& p = impl_->parameters;
  for (const float value : {p.scale, p.drift, p.unknown, p.floor, p.ceiling, p.slope, p.offset, p.quarantine}) {
    Append(out, value);
  }
  AppendTable(out, impl_->words);
  AppendTable(out, impl_->pairs);
  return out;
}

base::Result<std::shared_ptr<const SpanModel>> SpanModel::Parse(std::string_view bytes) {
  const base::Error bad(base::ErrorCode::kInvalidArgument, "not a span model of a known version");
  if (bytes.substr(0, kMagic.size()) != kMagic) return bad;
  Reader reader(bytes.substr(kMagic.size()));
  std::shared_ptr<SpanModel> model(new SpanModel());
  ModelParameters& p = model->impl_->parameters;
  for (float* value : {&p.scale, &p.drift, &p.unknown, &p.floor, &p.ceiling, &p.slope, &p.offset, &p.quarantine}) {
    // Weights of any finite size are fine; what is not finite would poison every sum.
    if (!reader.Read(*value) || !std::isfinite(*value) || std::fabs(*value) > 1e6F) return bad;
  }
  if (!(p.floor <= p.ceiling)) return bad;
  if (!reader.ReadTable(model->impl_->words) || !reader.ReadTable(model->impl_->pairs) || !reader.done()) return bad;
  return std::shared_ptr<const SpanModel>(std::move(model));
}

}  // namespace interlock::injection
