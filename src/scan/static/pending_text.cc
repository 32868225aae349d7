// Not there yet: delete this file when AnalyzeText and CollectSurfaces are defined.
#include "static/surface.h"
namespace interlock::scan {
void CollectSurfaces(const FileContext&, std::vector<TextSurface>&) {}
void AnalyzeText(const FileContext&, const RuleSet&, FileResult&) {}
}  // namespace interlock::scan
