// What code says of its tools (code/told.cc), read as the agent reads it. Private to src/scan/static.
#pragma once

#include <cstdint>
#include <vector>

#include "code/flow.h"
#include "interlock/scan/rules.h"
#include "static/analysis.h"

namespace interlock::scan {

// Which of them are read, in order: so much of what tools say, and so much of what is put among instructions.
[[nodiscard]] std::vector<std::uint32_t> ToldTextsToRead(const std::vector<code::ToldText>& told);

// Findings stand where the text is given to the agent.
void JudgeToldText(const code::ToldText& said, const std::vector<FileContext>& files, const RuleSet& rules,
                   std::vector<RawFinding>& out);

}  // namespace interlock::scan
