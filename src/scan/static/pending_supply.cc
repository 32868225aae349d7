// Not there yet: delete this file when AnalyzeSupply, AnalyzeArtifacts and AnalyzeBytecode are defined.
#include "static/supply.h"
namespace interlock::scan {
SupplyFacts AnalyzeSupply(const core::PackageView&, const std::vector<FileContext>&) { return {}; }
void AnalyzeArtifacts(const FileContext&, FileResult&) {}
void AnalyzeBytecode(const core::PackageView&, const std::vector<FileContext>&, std::vector<RawFinding>&) {}
}  // namespace interlock::scan
