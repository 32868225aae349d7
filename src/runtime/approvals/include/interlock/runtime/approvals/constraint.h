// Bounds on a call's arguments, as plans and grants of scope pattern have them.
#pragma once

#include <string_view>

#include "interlock/base/result.h"
#include "interlock/policy/json_schema.h"

namespace interlock::runtime::approvals {

// A JSON Schema of an object with `properties`; what it does not name is refused, and formats are checked. Everything
// that reads a constraint compiles it here. kInvalidArgument, JSON and schema errors, kLimitExceeded.
[[nodiscard]] base::Result<policy::JsonSchema> CompileConstraint(std::string_view text);

}  // namespace interlock::runtime::approvals
