// The tools a guard stands in front of: what the server lists, overlaid by the policy, with compiled schemas and the
// rules that can concern each. Immutable; rebuilt when the list or the policy changes, so that a decision only looks
// up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/core/tool.h"
#include "interlock/policy/definition_names.h"
#include "interlock/policy/json_schema.h"
#include "interlock/policy/snapshot.h"

namespace interlock::policy {

// Pinned on first use; a change is held until `interlock policy accept`.
enum class PinState : std::uint8_t { kUnpinned, kMatches, kChanged };

struct ToolEntry {
  core::ToolSpec spec;                     // overlaid
  std::optional<JsonSchema> input_schema;  // nothing: the tool states none, or it does not compile
  std::optional<JsonSchema> output_schema;
  std::optional<base::Error> schema_error;         // the stated schema does not compile
  std::optional<base::Error> output_schema_error;  // results cannot be checked; calls are not concerned
  PinState pin = PinState::kUnpinned;
  std::vector<std::string> shell_arguments;  // JSON pointers that take a free-form shell command
  std::vector<std::uint32_t> candidates;     // rules that can concern it, ascending
};

class ToolCatalogue {
 public:
  struct Listed {
    core::ToolSpec spec;  // as the server says it
    PinState pin = PinState::kUnpinned;
  };
  // Later entries with a name already seen are dropped and that tool is marked kChanged (two definitions of one name).
  [[nodiscard]] static std::shared_ptr<const ToolCatalogue> Build(std::shared_ptr<const PolicySnapshot> policy,
                                                                  std::vector<Listed> tools);
  ~ToolCatalogue();
  // Null when the tool is not listed.
  [[nodiscard]] const ToolEntry* Find(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const ToolEntry> tools() const noexcept;
  // Addresses and identifiers that one tool's definition gives for another's arguments.
  [[nodiscard]] const DefinitionNames& definition_names() const noexcept;
  [[nodiscard]] const PolicySnapshot& policy() const noexcept;

 private:
  struct Impl;
  explicit ToolCatalogue(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::policy
