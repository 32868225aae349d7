#include "static/cvss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace interlock::scan {
namespace {

struct Metric {
  std::string_view name;
  std::string_view letters;  // values it may have
};
constexpr std::array<Metric, 8> kMetrics = {
    {{"AV", "NALP"}, {"AC", "LH"}, {"PR", "NLH"}, {"UI", "NR"}, {"S", "UC"}, {"C", "HLN"}, {"I", "HLN"}, {"A", "HLN"}}};
enum : std::size_t { kAv, kAc, kPr, kUi, kS, kC, kI, kA };

double Impact(char value) { return value == 'H' ? 0.56 : value == 'L' ? 0.22 : 0.0; }

// Smallest number with one decimal that is not less; in integers, as v3.1 asks, so that no machine differs.
double RoundUp(double value) {
  const auto scaled = static_cast<long>(std::lround(value * 100000.0));
  if (scaled % 10000 == 0) return static_cast<double>(scaled) / 100000.0;
  return (std::floor(static_cast<double>(scaled) / 10000.0) + 1.0) / 10.0;
}

}  // namespace

std::optional<double> CvssBaseScore(std::string_view vector) {
  if (!vector.starts_with("CVSS:3.0/") && !vector.starts_with("CVSS:3.1/")) return std::nullopt;
  if (vector.size() > 400) return std::nullopt;
  vector.remove_prefix(9);
  std::array<char, kMetrics.size()> value{};
  while (!vector.empty()) {
    const std::size_t end = std::min(vector.find('/'), vector.size());
    const std::string_view part = vector.substr(0, end);
    vector.remove_prefix(std::min(end + 1, vector.size()));
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
      if (part.substr(0, colon) != kMetrics[i].name) continue;
      if (part.size() != colon + 2 || kMetrics[i].letters.find(part.back()) == std::string_view::npos ||
          value[i] != 0) {
        return std::nullopt;
      }
      value[i] = part.back();
    }
  }
  if (std::find(value.begin(), value.end(), '\0') != value.end()) return std::nullopt;

  const bool changed = value[kS] == 'C';
  const double base = 1.0 - (1.0 - Impact(value[kC])) * (1.0 - Impact(value[kI])) * (1.0 - Impact(value[kA]));
  const double impact = changed ? 7.52 * (base - 0.029) - 3.25 * std::pow(base - 0.02, 15.0) : 6.42 * base;
  if (impact <= 0.0) return 0.0;
  const double av = value[kAv] == 'N' ? 0.85 : value[kAv] == 'A' ? 0.62 : value[kAv] == 'L' ? 0.55 : 0.2;
  const double ac = value[kAc] == 'L' ? 0.77 : 0.44;
  const double pr = value[kPr] == 'N' ? 0.85 : value[kPr] == 'L' ? (changed ? 0.68 : 0.62) : (changed ? 0.5 : 0.27);
  const double ui = value[kUi] == 'N' ? 0.85 : 0.62;
  const double exploitability = 8.22 * av * ac * pr * ui;
  return RoundUp(std::min(10.0, (changed ? 1.08 : 1.0) * (impact + exploitability)));
}

core::Severity SeverityOfScore(double score) noexcept {
  if (score >= 9.0) return core::Severity::kCritical;
  if (score >= 7.0) return core::Severity::kHigh;
  if (score >= 4.0) return core::Severity::kMedium;
  return score > 0.0 ? core::Severity::kLow : core::Severity::kInfo;
}

}  // namespace interlock::scan
