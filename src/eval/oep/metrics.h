// Figures from runs: means with intervals as the paper takes them (Appendix C). Private to the module.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/eval/oep.h"

namespace interlock::eval::oep {

struct Figure {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
  std::uint64_t n = 0;  // runs that it is of
};

// A run's value, or nothing where the metric does not concern it (TTM of a run that was not mitigated).
using Metric = std::function<std::optional<double>(const OepRun&)>;

struct NamedMetric {
  std::string_view name;
  Metric of;
  bool ratio = false;  // pooled over a seed's runs: `of` over `by`
  Metric by = nullptr;
};
// All of them, in the order in which they are shown.
[[nodiscard]] const std::vector<NamedMetric>& Metrics();
[[nodiscard]] const NamedMetric& MetricOf(std::string_view name);

// Mean over the runs of each seed, then over seeds, with the t-interval over seeds. Nothing where no run counts.
[[nodiscard]] std::optional<Figure> MeanOf(std::span<const OepRun* const> runs, const NamedMetric& metric);
// The same for the difference of two agents, paired by seed.
[[nodiscard]] std::optional<Figure> DifferenceOf(std::span<const OepRun* const> a, std::span<const OepRun* const> b,
                                                 const NamedMetric& metric);
// Two-sided 95 % quantile of Student's t.
[[nodiscard]] double StudentT(std::size_t degrees);

}  // namespace interlock::eval::oep
