// Hosts that pass for a known service's. Private to src/scan/static.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// SC-044, one for each host, in programs, settings and texts for agents. Not in comments, which name them as examples
// of what is refused.
void RaiseDisguisedHosts(const FileContext& file, std::vector<RawFinding>& out);

}  // namespace interlock::scan
