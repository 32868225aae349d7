// Commands in the code cells of notebooks: `!command`, `%%bash`. Engine room.
#pragma once

#include "static/analysis.h"

namespace interlock::scan {

void AnalyzeNotebook(const FileContext& file, FileResult& result);

}  // namespace interlock::scan
