// What runs while a package is installed, on every machine that installs it, before anybody has called anything of it.
// Private to src/scan/static.
#pragma once

#include <span>
#include <vector>

#include "code/flow.h"
#include "static/analysis.h"

namespace interlock::scan {

// Raises SC-029, and the severity of what no installation has a reason for: who installs is reported, a setup.py runs a
// program that it has fetched. `uses` of code, shell scripts and hooks alike; linear in them.
void JudgeInstalls(const std::vector<FileContext>& files, std::span<const code::CapabilityUse> uses,
                   std::vector<RawFinding>& raw);

}  // namespace interlock::scan
