// Makefiles and container files as the commands that they have a shell run.
#pragma once

#include "static/analysis.h"

namespace interlock::scan {

// Acts of a makefile's recipes and `$(shell ...)`, or of a container file's instructions. Budget: linear in the text,
// variables undone a few times over.
void JudgeBuildFile(const FileContext& file, FileResult& result);

}  // namespace interlock::scan
