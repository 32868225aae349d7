// What the tools of one server are together: names taken from the agent's own tools, names that are hardly to be told
// apart, and the three powers that make a leak when one agent has them all. Hints for whoever decides; engine room.
#pragma once

#include <vector>

#include "interlock/scan/scanner.h"
#include "static/analysis.h"

namespace interlock::scan {

// After permissions are known (ToolSurface::exercised). Raises TOOL-001 to TOOL-003.
void AnalyzeToolSet(const std::vector<FileContext>& files, const ScanReport& report, std::vector<RawFinding>& out);

}  // namespace interlock::scan
