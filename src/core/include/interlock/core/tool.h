// The one description of a tool: what its server says, what the policy says, what was derived.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/core/verdict.h"

namespace interlock::core {

// MCP tool annotations, as stated; nothing where the server states nothing. They are claims, not facts.
struct ToolAnnotations {
  std::optional<bool> read_only;
  std::optional<bool> destructive;
  std::optional<bool> idempotent;
  std::optional<bool> open_world;
};

// Target criticality c(s) >= 1 (GIRA, section 6.1): applies when the argument at `argument` matches `glob`.
struct Criticality {
  std::string argument;  // JSON pointer
  std::string glob;
  double factor = 1.0;
};

// "A rollback needs a prior listing of the same service": an earlier successful call of `tool` in the session, with an
// equal value at `same_argument` when that is not empty.
struct Precondition {
  std::string tool;
  std::string same_argument;  // JSON pointer
};

struct ToolSpec {
  std::string server;  // the policy's name of the server it comes from; empty when unknown
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // JSON text; empty when the server gives none
  std::string output_schema;  // JSON text; empty when none
  ToolAnnotations annotations;
  SideEffect side_effect = SideEffect::kUnknown;
  double impact_weight = 1.0;  // w in [0,1] (GIRA Table 3); 1 until somebody says less
  std::vector<Criticality> criticality;
  std::vector<Precondition> preconditions;
  std::string dry_run_patch;  // JSON merge patch (RFC 7396) of the arguments that makes the call harmless; empty: none
  Trust result_trust = Trust::kUntrusted;
  std::uint32_t result_labels = 0;  // label bits that a result of this tool adds to the session (see LabelSet)
  bool hidden = false;              // left out of tools/list and refused
  base::Digest definition;          // DigestOf the server's definition; zero when the server is not known yet
};

// The default side-effect class drawn from annotations alone: read when read_only is stated true, write when stated
// false or destructive is stated, else unknown. A policy's own word always goes first.
[[nodiscard]] SideEffect SideEffectFromAnnotations(const ToolAnnotations& annotations) noexcept;

// Reads one entry of a tools/list result. `server` is kept as given. kJsonType when name is missing or not a string.
[[nodiscard]] base::Result<ToolSpec> ToolSpecFromMcp(base::JsonValue tool, std::string_view server);

}  // namespace interlock::core
