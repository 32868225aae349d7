// rules/scan to rules, with what their patterns need.
#include <algorithm>
#include <utility>
#include <vector>

#include "bake/bake.h"
#include "interlock/base/digest.h"
#include "interlock/patterns/pattern_set.h"
#include "rules_read.h"

namespace interlock::scan {

base::Result<BakedRules> RulesFromJson() {
  const std::vector<RuleFile> files = ShippedRuleFiles();
  RuleDiagnostics diagnostics;
  std::vector<ReadRule> read;
  for (const RuleFile& file : files) ReadRuleFile(file, {.check = true, .examples = false}, diagnostics, read);
  std::ranges::stable_sort(read, {}, [](const ReadRule& one) -> const std::string& { return one.rule.id; });
  BakedRules out;
  for (const RuleFile& file : files)
    out.files.push_back({file.name, file.bytes.size(), base::Sha256(file.bytes).ToHex()});
  out.version = VersionOf(out.files);
  for (ReadRule& one : read) {
    if (!out.rules.empty() && out.rules.back().rule.id == one.rule.id) {
      diagnostics.SetFile(one.file);
      diagnostics.Add(base::ErrorCode::kRuleFormat, one.offset, "rule `" + one.rule.id + "` stands there twice");
      continue;
    }
    FillTaxonomy(one.rule);
    BakedRules::OfFile& rule = out.rules.emplace_back();
    rule.file = static_cast<std::uint32_t>(one.file - files.data());
    for (const Rule::Pattern& pattern : one.rule.patterns)
      rule.derived.push_back(patterns::PatternSet::Derive({.regex = pattern.regex, .words = pattern.words}));
    rule.rule = std::move(one.rule);
  }
  if (!diagnostics.empty()) return diagnostics.ToError();
  return out;
}

}  // namespace interlock::scan
