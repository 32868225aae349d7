// Not there yet: delete this file when AnalyzeCode is defined.
#include "code/flow.h"
namespace interlock::scan::code {
CodeFacts AnalyzeCode(const PackageModules&, const std::vector<core::Reach>&) { return {}; }
}  // namespace interlock::scan::code
