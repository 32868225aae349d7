#include "interlock/provenance/source_index.h"

#include <algorithm>
#include <array>
#include <utility>

#include "explainer.h"
#include "source_index_peer.h"
#include "source_store.h"

namespace interlock::provenance {

std::string_view NameOf(MatchKind kind) noexcept {
  static constexpr std::array<std::string_view, 6> kNames{"exact",     "canonical", "format",
                                                          "substring", "derived",   "fuzzy"};
  const auto i = static_cast<std::size_t>(kind);
  return i < kNames.size() ? kNames[i] : std::string_view();
}

struct SourceIndex::Impl {
  explicit Impl(const SourceIndexOptions& options) : store(options), explainer(store) {}
  internal::SourceStore store;
  internal::Explainer explainer;
};

SourceIndex::SourceIndex(SourceIndexOptions options) : impl_(std::make_unique<Impl>(options)) {}
SourceIndex::SourceIndex(SourceIndex&&) noexcept = default;
SourceIndex& SourceIndex::operator=(SourceIndex&&) noexcept = default;
SourceIndex::~SourceIndex() = default;

std::uint32_t SourceIndex::Add(const SourceInfo& info, std::string_view text) { return impl_->store.Add(info, text); }

Explanation SourceIndex::Explain(std::string_view value, const ExplainOptions& options) const {
  return impl_->explainer.Explain(value, options);
}

namespace {

// Leaves of one value joined: coverage by the bytes that count, matches first come first served.
class Joined {
 public:
  void Take(Explanation leaf, std::uint64_t bytes) {
    const auto weight = static_cast<double>(bytes);
    total_ += weight;
    by_request_ += static_cast<double>(leaf.by_request) * weight;
    by_results_ += static_cast<double>(leaf.by_results) * weight;
    covered_ += static_cast<double>(leaf.covered) * weight;
    out_.labels |= leaf.labels;
    out_.identified |= leaf.identified;
    out_.complete = out_.complete && leaf.complete;
    out_.matches.insert(out_.matches.end(), leaf.matches.begin(), leaf.matches.end());
    if (out_.matches.size() > 4 * SourceIndex::kMaxMatches) Cut();
  }

  Explanation Finish() {
    Cut();
    if (total_ > 0) {
      out_.by_request = static_cast<float>(by_request_ / total_);
      out_.by_results = static_cast<float>(by_results_ / total_);
      out_.covered = static_cast<float>(covered_ / total_);
    }
    return std::move(out_);
  }

 private:
  void Cut() {
    auto& matches = out_.matches;
    if (matches.size() > SourceIndex::kMaxMatches) {
      std::ranges::stable_sort(matches, std::ranges::greater(), &SourceMatch::strength);
      matches.resize(SourceIndex::kMaxMatches);
    }
    std::ranges::stable_sort(matches, {}, &SourceMatch::source);
  }

  Explanation out_;
  double total_ = 0;
  double by_request_ = 0;
  double by_results_ = 0;
  double covered_ = 0;
};

}  // namespace

Explanation SourceIndex::Explain(base::JsonValue leaf, const ExplainOptions& options) const {
  if (leaf.is_string()) return Explain(leaf.string(), options);
  if (leaf.is_number()) return Explain(leaf.number_text(), options);
  if (leaf.is_bool()) return Explain(leaf.AsBool().value_or(false) ? "true" : "false", options);
  if (!leaf.is_array() && !leaf.is_object()) return Explain(std::string_view(), options);
  Joined joined;
  std::vector<std::pair<base::JsonValue::Iterator, base::JsonValue::Iterator>> open;  // no recursion: depth is theirs
  open.emplace_back(leaf.begin(), leaf.end());
  while (!open.empty()) {
    auto& [at, end] = open.back();
    if (at == end) {
      open.pop_back();
      continue;
    }
    const base::JsonValue child = *at;
    ++at;
    if (child.is_array() || child.is_object()) {
      open.emplace_back(child.begin(), child.end());
    } else {
      Explanation one = Explain(child, options);
      joined.Take(std::move(one), impl_->explainer.content_bytes());
    }
  }
  return joined.Finish();
}

std::string_view SourceIndex::text(std::uint32_t source) const noexcept {
  return source < size() ? std::string_view(impl_->store.sources()[source].text) : std::string_view();
}

const SourceInfo& SourceIndex::info(std::uint32_t source) const noexcept {
  static const SourceInfo kUnknown;
  return source < size() ? impl_->store.sources()[source].info : kUnknown;
}

std::size_t SourceIndex::size() const noexcept { return impl_->store.sources().size(); }
std::size_t SourceIndex::memory_bytes() const noexcept { return impl_->store.memory_bytes(); }
bool SourceIndex::complete() const noexcept { return impl_->store.complete(); }

std::uint64_t internal::SourceIndexPeer::AddSteps(const SourceIndex& index) { return index.impl_->store.steps(); }
std::uint64_t internal::SourceIndexPeer::ExplainSteps(const SourceIndex& index) {
  return index.impl_->explainer.steps();
}

}  // namespace interlock::provenance
