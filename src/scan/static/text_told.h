// What code says of its tools (code/told.cc), read as the agent reads it. Private to src/scan/static.
#pragma once

#include <vector>

#include "code/flow.h"
#include "interlock/scan/rules.h"
#include "static/analysis.h"

namespace interlock::scan {

// Findings stand where the text is given to the agent.
void JudgeToldTexts(const std::vector<code::ToldText>& told, const std::vector<FileContext>& files,
                    const RuleSet& rules, std::vector<RawFinding>& out);

}  // namespace interlock::scan
