// Hooks that a host runs with what is said and read: whether their scripts send it on. Engine room.
#pragma once

#include <vector>

#include "static/analysis.h"
#include "static/supply.h"

namespace interlock::scan {

// SC-041. Follows what a script is given on its standard input by name, within the script and one file that it
// imports; linear in their sizes. After what the code's flow shows: the same is not told twice.
void JudgeAgentHooks(const SupplyFacts& supply, const std::vector<FileContext>& files, std::vector<RawFinding>& out);

}  // namespace interlock::scan
