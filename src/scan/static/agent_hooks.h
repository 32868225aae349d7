// Hooks of agents that send on what they are told (SC-041), or answer in the user's place (PERSIST-003). What shells do
// is judged here; what programs do, the flow engine shows. Engine room.
#pragma once

#include <cstdint>
#include <vector>

#include "code/flow.h"
#include "static/analysis.h"
#include "static/supply.h"

namespace interlock::scan {

// A hook that is told what the user says, what a tool is given or answers, or what a file holds.
struct AgentHook {
  const HookCommand* command = nullptr;
  const FileContext* script = nullptr;  // of the package; null: none that is known
};
[[nodiscard]] std::vector<AgentHook> AgentHooksOf(const SupplyFacts& supply, const std::vector<FileContext>& files);

// Files that hooks of agents start, by index: what they print, the agent is told.
[[nodiscard]] std::vector<std::uint32_t> HookScripts(const SupplyFacts& supply, const std::vector<FileContext>& files);
// What a shell's script prints, where it stands in it.
void TellPrinted(const FileContext& script, std::vector<code::ToldText>& out);

// Adds what shells send on, and weighs that beside what the flow engine has put into `out`.
void JudgeAgentHooks(const std::vector<AgentHook>& hooks, const std::vector<FileContext>& files,
                     std::vector<RawFinding>& out);

}  // namespace interlock::scan
