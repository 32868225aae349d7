// Messages that the proxy writes itself. Private to the module. Each appends one line with its '\n' to `out`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/core/decision.h"

namespace interlock::runtime::mcp {

// Error response. `id` is raw JSON; empty writes null. `data` is raw JSON; empty leaves it out.
void AppendError(std::string& out, std::string_view id, int code, std::string_view message, std::string_view data = {});

// The structured form of a decision, for `_meta["interlock/decision"]` and error data.
[[nodiscard]] std::string DecisionJson(const core::Decision& decision, const base::Digest& call,
                                       const base::Digest& policy);

// A tool result with isError. `modern` adds `resultType`.
void AppendToolError(std::string& out, std::string_view id, bool modern, std::string_view text,
                     std::string_view decision_json);

// A tool's name in backticks, safe to show.
[[nodiscard]] std::string QuotedTool(std::string_view tool);

// `object` with members left out, and one replaced or added. Raw JSON in, raw JSON out; order kept.
struct ObjectEdit {
  std::string_view drop_a;  // names; empty: none
  std::string_view drop_b;
  std::string_view replace;      // name; empty: none
  std::string_view replacement;  // raw JSON
  bool add_missing = true;       // `replace` is added where it is missing
};
[[nodiscard]] std::string EditObject(base::JsonValue object, const ObjectEdit& edit);

// `document` with the bytes of `value` (which lies in it) replaced by `replacement`; ends with '\n'.
[[nodiscard]] std::string ReplaceValue(std::string_view document, base::JsonValue value, std::string_view replacement);

}  // namespace interlock::runtime::mcp
