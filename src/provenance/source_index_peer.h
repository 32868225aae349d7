// For tests: how much work an index has done, in steps rather than in time.
#pragma once

#include <cstdint>

#include "interlock/provenance/source_index.h"

namespace interlock::provenance::internal {

struct SourceIndexPeer {
  [[nodiscard]] static std::uint64_t AddSteps(const SourceIndex& index);      // of all Add so far
  [[nodiscard]] static std::uint64_t ExplainSteps(const SourceIndex& index);  // of the last Explain
};

}  // namespace interlock::provenance::internal
