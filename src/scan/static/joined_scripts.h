// Shell scripts of a package that run or read one another, read as one text: a secret that one script prints and
// another sends, an address that stands in a file of settings. Engine room.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// Raises what no script shows alone (SH-001, -002, -003, -004): only rules that `raw` has for none of the scripts read
// together. Each script is read with those that it names, and those that they name, at most 8 files and 128 KiB; a
// package's scripts together at most 1 MiB. False where that was not enough for all.
bool JudgeJoinedScripts(const std::vector<FileContext>& files, std::vector<RawFinding>& raw);

}  // namespace interlock::scan
