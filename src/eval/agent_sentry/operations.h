// Orders about the running of systems (restart, roll back, scale, silence an alert ...) and honest texts that tell of
// the same acts: what the span finder is taught beside the traces, which know nothing of such work. Private to the
// module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::eval::agent_sentry {

struct OperationsTexts {
  std::vector<std::string> orders;
  std::vector<std::string> facts;
};

// As many distinct English texts as asked for, or fewer where the lists do not yield them, and every sentence of the
// other languages with every thing of theirs. Every form is used about equally often. Deterministic. kImportShape and
// every JSON error.
[[nodiscard]] base::Result<OperationsTexts> MakeOperationsTexts(std::string_view json, std::size_t orders,
                                                                std::size_t facts, std::uint64_t seed);
// From the embedded lists (data/operations.json); the same texts for every training. A test loads them.
[[nodiscard]] const OperationsTexts& EmbeddedOperationsTexts();

}  // namespace interlock::eval::agent_sentry
