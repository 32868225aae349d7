// Which parts of a document speak to agents. A read-me and a change log are read by people; what stands in one under
// "For AI assistants", or begins with "Agents: ...", is there for whoever reads it to act.
#pragma once

#include <vector>

#include "static/text_canvas.h"

namespace interlock::scan {

// One entry a passage of the canvas.
[[nodiscard]] std::vector<bool> AddressedToAgents(const TextCanvas& canvas);

}  // namespace interlock::scan
