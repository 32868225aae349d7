// Where programs are entered, and what tools are said to be. Private to src/scan/code.
#pragma once

#include <cstdint>
#include <vector>

#include "code/flow.h"
#include "code/world.h"

namespace interlock::scan::code {

// entry.cc
// Programs in folders for other people's code that the package's own programs load by their place run with them: their
// reach is raised to kRuntime. Returns their files (FileContext::index), ascending.
[[nodiscard]] std::vector<std::uint32_t> LiftLoaded(const World& world, std::vector<core::Reach>& reach);
void FindEntries(const World& world, const std::vector<core::Reach>& reach, std::vector<EntryPoint>& out);
// told.cc: what tools are said to be, where that is put together or stands elsewhere, and what they answer.
void CollectTold(const World& world, const std::vector<core::Reach>& reach, const std::vector<EntryPoint>& entries,
                 std::vector<ToldText>& out);

}  // namespace interlock::scan::code
