// Every rule's examples are tests: a positive example must be found by its rule, a negative one must not.
//
//   for (const ExampleFailure& failure : TestExamples(rules, rule)) ...     // empty: the rule is what it says
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "interlock/core/package.h"
#include "interlock/scan/rules.h"
#include "interlock/scan/scanner.h"

namespace interlock::scan {

// The package that an example stands for: its file and the further ones. A further file whose name ends in `.osv.json`
// is no part of it: it is the database of known vulnerabilities that the scan is given.
[[nodiscard]] core::PackageView ExampleView(const RuleExample& example);

struct ExampleFailure {
  bool positive = false;                // it should have been found; else it should not
  std::size_t index = 0;                // in Rule::positive or Rule::negative
  std::vector<core::Finding> findings;  // of this rule on a negative example; of others on a positive one
};

// Scans each example of `rule` (one of `rules`) with the whole set. Suppressions and weighing play no part: a finding
// of the rule anywhere in the example counts.
[[nodiscard]] std::vector<ExampleFailure> TestExamples(const RuleSet& rules, const Rule& rule);

}  // namespace interlock::scan
