// SourceIndex behind the policy's port OriginLookup, for a gate whose session lives in one process: one index then
// serves `provenance:` predicates, bounds and evidence. Between processes ValueIndex carries the labels instead; it
// keeps no text and can be stored.
//
// An answer has the labels of every source of the whole value, or of a part of it that identifies (see
// Explanation::identified); guesses (misspellings, arithmetic) do not count, nor do results of `before_turn` and later.
#pragma once

#include <cstdint>
#include <string_view>

#include "interlock/policy/snapshot.h"
#include "interlock/provenance/source_index.h"

namespace interlock::provenance {

// Does not own the index, which must outlive it; not thread safe, as the index is not.
class SourceOrigins final : public policy::OriginLookup {
 public:
  explicit SourceOrigins(const SourceIndex& index, std::uint32_t before_turn = kNoTurn)
      : index_(index), before_turn_(before_turn) {}
  explicit SourceOrigins(SourceIndex&& index, std::uint32_t before_turn = kNoTurn) = delete;

  [[nodiscard]] Answer OriginsOf(std::string_view text) const override;

 private:
  const SourceIndex& index_;
  std::uint32_t before_turn_;
};

}  // namespace interlock::provenance
