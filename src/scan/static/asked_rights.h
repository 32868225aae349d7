// What a package asks for or opens by its declarations alone: a page's head, a manifest, the settings of an agent or a
// host that it brings, the commands of the tools that it lists. Engine room.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// Raises DECL-001, DECL-005, PERSIST-003 and SH-*. Linear in the text of the package's own declarations.
void JudgeAskedRights(const std::vector<FileContext>& files, std::vector<RawFinding>& out);

}  // namespace interlock::scan
