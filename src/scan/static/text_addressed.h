// Which parts of a document speak to agents. A read-me and a change log are read by people; what stands in one under
// "For AI assistants", or begins with "Agents: ...", is there for whoever reads it to act.
#pragma once

#include <vector>

#include "static/analysis.h"
#include "static/text_canvas.h"

namespace interlock::scan {

// What is found in such parts counts as what an agent is given. What the classifier of orders says (PI-03.) stays where
// it was: it was taught by what packages give to agents, and read-me files have a tone of their own.
void RaiseAddressed(const TextCanvas& canvas, std::vector<RawFinding>& findings);

}  // namespace interlock::scan
