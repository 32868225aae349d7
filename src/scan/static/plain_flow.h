// What programs in languages without a front end do with secrets and with what they fetch, told by words: each
// statement is read for what it takes, what it gives out, and which names carry the one to the other. No types, no
// branches; a function's parameters and answer go by its name. Engine room.
#pragma once

#include "static/analysis.h"

namespace interlock::scan {

// Nothing for files that are no such program. Adds to the findings, and to what was skipped where a file is too long.
void JudgePlainProgram(const FileContext& file, FileResult& result);

}  // namespace interlock::scan
