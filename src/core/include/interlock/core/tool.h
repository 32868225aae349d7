// The one description of a tool: what its server says, what the policy says, what was derived.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/glob.h"
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
  std::optional<base::Glob> compiled = {};  // of `glob`, where whoever filled this in compiled it
};

// "A rollback needs a prior listing of the same service": an earlier successful call of `tool` in the session, with an
// equal value at `same_argument` when that is not empty.
struct Precondition {
  std::string tool;
  std::string same_argument;  // JSON pointer
  std::uint32_t max_age = 0;  // the newest such call is at most so many calls old; 0: however old
};

// One place that a bound argument's value may come from. What merely occurs in some text of that origin does not count:
// the value stands at `path`, whole.
struct BindingSource {
  enum class Kind : std::uint8_t {
    kRequest,   // the user's request names it, as a word of its own
    kFact,      // a fact that the adapter gave, such as the alert (`name` is its channel)
    kResult,    // a result of the tool `name`
    kConstant,  // one of `constants`
  };
  // A member of the element that the last `*` of `path` chose: equal to this call's argument, or to a constant.
  struct Where {
    std::string member;
    std::string argument;  // JSON pointer into this call's arguments; empty: `constant` speaks
    std::string constant;  // canonical JSON
  };
  Kind kind = Kind::kRequest;
  std::string name;
  std::string path;           // JSON pointer, `*` for every element or member
  std::string same_argument;  // kResult: that call had this call's value at this pointer
  std::vector<Where> where;
  std::vector<std::string> constants;  // canonical JSON
};

// The role of an argument and where its value may come from.
struct RoleBinding {
  std::string argument;  // JSON pointer without `*`; a call without this argument is not concerned
  std::string role;      // "service", "version", "recipient": for people
  std::vector<BindingSource> from;
  bool all = false;                        // every source has to name it, not one of them
  Verdict otherwise = Verdict::kBlock;     // its sources are there and say something else
  Verdict unsourced = Verdict::kEscalate;  // no source is there
};

// Progressive autonomy: until `min` of `evidence` is in the session, the tool's calls meet `otherwise`.
struct Unlock {
  std::string id;
  std::vector<Precondition> evidence;
  std::uint32_t min = 1;
  Verdict otherwise = Verdict::kEscalate;
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
  std::vector<RoleBinding> bindings;
  std::vector<Unlock> unlocks;
  std::string target;       // JSON pointer of what the call acts on (one name or a list); empty: the tool has none
  bool reversible = false;  // what it does can be undone by another call
  std::vector<std::string> secret_arguments;  // JSON pointers whose values are for no log and no model
  std::optional<bool> free_form_shell;        // nothing: drawn from its schema
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
