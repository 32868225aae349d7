// Shell scripts of a package that run or read one another, read as one text: a secret that one script prints and
// another sends, an address that stands in a file of settings. Engine room.
#pragma once

#include <span>
#include <vector>

#include "code/flow.h"
#include "static/analysis.h"

namespace interlock::scan {

// Raises what no script shows alone (SH-001, -002, -003, -004): only rules that `raw` has for none of the scripts read
// together. Each script is read with those that it names, and those that they name, at most 64 files and 1 MiB; a
// package's scripts together at most 8 MiB. False where that was not enough for all.
bool JudgeJoinedScripts(const std::vector<FileContext>& files, std::vector<RawFinding>& raw);

// Programs that give what they have read to a script of the package which sends to somebody (EXFIL-001, -002, -004).
// `uses`: of code and scripts.
void JudgeHandedOut(const std::vector<FileContext>& files, std::span<const code::HandedOut> handed,
                    std::span<const code::CapabilityUse> uses, std::vector<RawFinding>& raw);

}  // namespace interlock::scan
