#include "interlock/scan/rule_examples.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace interlock::scan {
namespace {

bool IsDatabase(std::string_view path) { return path.ends_with(".osv.json"); }

}  // namespace

core::PackageView ExampleView(const RuleExample& example) {
  core::PackageView view;
  view.target = "example";
  view.files.push_back({.path = example.path, .bytes = example.text});
  for (const auto& [path, bytes] : example.files) {
    if (!IsDatabase(path)) view.files.push_back({.path = path, .bytes = bytes});
  }
  std::sort(view.files.begin(), view.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  const auto same = [](const auto& a, const auto& b) { return a.path == b.path; };
  view.files.erase(std::unique(view.files.begin(), view.files.end(), same), view.files.end());
  for (const core::PackageFile& file : view.files) view.total_bytes += file.bytes.size();
  return view;
}

std::vector<ExampleFailure> TestExamples(const RuleSet& rules, const Rule& rule) {
  std::vector<ExampleFailure> failures;
  const auto test = [&](const std::vector<RuleExample>& examples, bool positive) {
    for (std::size_t i = 0; i < examples.size(); ++i) {
      VulnerabilityIndex known;
      for (const auto& [path, bytes] : examples[i].files) {
        if (IsDatabase(path)) known.Add(bytes);
      }
      ScanReport report = Scan(ExampleView(examples[i]), {.rules = &rules, .vulnerabilities = &known});
      const auto is_other = [&](const core::Finding& finding) { return finding.rule != rule.id; };
      const auto own_end = std::stable_partition(report.findings.begin(), report.findings.end(), std::not_fn(is_other));
      const bool found = own_end != report.findings.begin();
      if (found == positive) continue;
      report.findings.erase(positive ? report.findings.begin() : own_end, positive ? own_end : report.findings.end());
      failures.push_back({positive, i, std::move(report.findings)});
    }
  };
  test(rule.positive, true);
  test(rule.negative, false);
  return failures;
}

}  // namespace interlock::scan
