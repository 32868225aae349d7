#include "interlock/provenance/source_origins.h"

namespace interlock::provenance {

policy::OriginLookup::Answer SourceOrigins::OriginsOf(std::string_view text) const {
  const Explanation e = index_.Explain(text, {.before_turn = before_turn_, .fuzzy = false, .derived = false});
  return {.labels = e.identified, .complete = e.complete};
}

}  // namespace interlock::provenance
