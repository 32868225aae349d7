// Where of a package a file takes effect, when more is known than its path. Engine room.
#pragma once

#include <vector>

#include "static/analysis.h"
#include "static/supply.h"

namespace interlock::scan {

// What an instruction file names, and what manifests start, runs in the agent whatever folder it lies in.
void RaiseReach(const SupplyFacts& supply, const std::vector<std::uint32_t>& hook_scripts,
                std::vector<FileContext>& files);

}  // namespace interlock::scan
