// What a text reports rather than says: words between quotation marks that its own words treat as an object ("a
// description that says ...", "phrases like ..."). What it wants said or written ("append: ...") is its own.
#pragma once

#include "static/text_canvas.h"

namespace interlock::scan {

// Fills canvas.reported.
void FindReported(TextCanvas& canvas);

}  // namespace interlock::scan
