// Where programs are entered, and what tools are said to be. Private to src/scan/code.
#pragma once

#include <cstdint>
#include <vector>

#include "code/flow.h"
#include "code/world.h"

namespace interlock::scan::code {

// loaded.cc
// A program that the package's own programs load, start or name by its place runs with them, whatever its folder is
// called (tests, examples, docs, vendor) and however its name begins (app.config.js): its reach is raised to kRuntime.
// Returns their files (FileContext::index), ascending.
[[nodiscard]] std::vector<std::uint32_t> LiftLoaded(const World& world, std::vector<core::Reach>& reach);
// entry.cc
void FindEntries(const World& world, const std::vector<core::Reach>& reach, std::vector<EntryPoint>& out);
// told.cc: what tools are said to be, where that is put together or stands elsewhere, and what they answer; the ends of
// paths of texts that they answer with (`files`).
void CollectTold(const World& world, const std::vector<core::Reach>& reach, const std::vector<EntryPoint>& entries,
                 const std::vector<std::uint32_t>& speakers, std::vector<ToldText>& out,
                 std::vector<std::string>& files);

}  // namespace interlock::scan::code
