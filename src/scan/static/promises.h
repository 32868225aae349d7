// What a package promises in words and its code does not keep: "no network access" beside a request to a fixed host.
// Private to src/scan/static.
#pragma once

#include <vector>

#include "code/flow.h"
#include "static/analysis.h"

namespace interlock::scan {

// Raises DECL-001 where the instructions of a skill promise it and a script that they name does not keep it; promises
// of single tools are compared where the tools are read (code/flow.cc). Linear in the instructions, which are not read
// unless something leaves the machine.
void JudgePromises(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::vector<RawFinding>& out);

}  // namespace interlock::scan
