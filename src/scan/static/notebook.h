// Commands in the code cells of notebooks: `!command`, `%%bash`. Engine room.
#pragma once

#include <string>
#include <string_view>

#include "static/analysis.h"

namespace interlock::scan {

void AnalyzeNotebook(const FileContext& file, FileResult& result);

// The Python of its code cells in a text as long as the file, each character at (or next to) its own place and blanks
// elsewhere; "" where there is none. Total on any bytes.
[[nodiscard]] std::string NotebookCode(std::string_view text);

}  // namespace interlock::scan
