// Rule files as JSON: reading, with every diagnostic. Engine room; not public.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/base/json.h"
#include "interlock/scan/rules.h"

namespace interlock::scan {

inline constexpr std::string_view kRulesSchema = "interlock.scan-rules/v1";

[[nodiscard]] std::optional<Maturity> MaturityFromName(std::string_view name) noexcept;
[[nodiscard]] std::optional<Engine> EngineFromName(std::string_view name) noexcept;
[[nodiscard]] std::optional<SurfaceSet> SurfaceFromName(std::string_view name) noexcept;

// What is wrong with a file, with places; turned into one error.
class RuleDiagnostics {
 public:
  void SetFile(const RuleFile* file) { file_ = file; }
  void Add(base::ErrorCode code, std::size_t offset, std::string message);
  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  [[nodiscard]] base::Error ToError() const;

 private:
  struct Line {
    base::ErrorCode code;
    base::SourcePlace place;
    std::string message;
  };
  const RuleFile* file_ = nullptr;
  std::vector<Line> lines_;
  std::size_t left_out_ = 0;
};

struct ReadRule {
  Rule rule;
  bool replaces = false;
  const RuleFile* file = nullptr;
  std::size_t offset = 0;
};

struct RuleReading {
  bool check = true;     // try every expression
  bool examples = true;  // else they are passed over
};

// Appends the rules of one file; what is wrong goes to `diagnostics`.
void ReadRuleFile(const RuleFile& file, RuleReading how, RuleDiagnostics& diagnostics, std::vector<ReadRule>& out);

// The shipped rule files, in the order of their names.
[[nodiscard]] std::vector<RuleFile> ShippedRuleFiles();

// A rule that lists no taxonomy has that of its class of threats.
void FillTaxonomy(Rule& rule);

}  // namespace interlock::scan
