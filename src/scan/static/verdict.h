// From raw findings to a verdict: the one place where evidence is weighed. Engine room.
//
// Natures are kept apart. Malice adds up to a score that can block; weaknesses can at most warn; powers and hygiene are
// listed. Where a hit stands (reach) and whether the text describes rather than performs lowers its confidence; nothing
// ever lowers the score because something else looks clean, so the score is monotone in the evidence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/scan/scanner.h"
#include "static/analysis.h"

namespace interlock::scan {

// Words by which a package and its makers are known (name, repository owner, home page's domain): a host that carries
// one of them is its own.
struct Identity {
  std::vector<std::string> words;  // lower case, at least four letters, common words left out
};

struct VerdictInput {
  const std::vector<FileContext>* files = nullptr;
  const RuleSet* rules = nullptr;
  const ScanOptions* options = nullptr;
  Identity identity;
};

// Weighs, places, deduplicates and ranks; fills findings, verdict, reason, score and summary of `report`, whose other
// parts are complete. `raw` is consumed.
void Judge(std::vector<RawFinding> raw, const VerdictInput& input, ScanReport& report);

// Confidence of one finding after context: rule's confidence x scale x (1 - described) x reach x host.
[[nodiscard]] double ContextConfidence(const Rule& rule, const RawFinding& raw, core::Reach reach,
                                       const Identity& identity, bool strict);

[[nodiscard]] bool IsOwnHost(std::string_view url, const Identity& identity);

// Suppressions: those of the options, and inline ones where the options honour them.
void ApplySuppressions(const VerdictInput& input, std::vector<core::Finding>& findings);

}  // namespace interlock::scan
