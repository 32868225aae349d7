// Approvals for people and for programs. Text is safe for a terminal whatever a call holds; JSON lines have the shape
// of schemas/interlock.approval.v1.json. `now` turns times into "expires in 12m".
#pragma once

#include <string>

#include "interlock/base/clock.h"
#include "interlock/runtime/approvals/request.h"

namespace interlock::runtime::approvals {

// One line each.
[[nodiscard]] std::string Line(const Request& request, base::WallTime now);
[[nodiscard]] std::string Line(const Plan& plan, base::WallTime now);
[[nodiscard]] std::string Line(const BreakGlass& window, base::WallTime now);

// Everything a person needs to decide: the arguments whole, the evidence, and what would void a yes. Several lines.
[[nodiscard]] std::string Describe(const Request& request, base::WallTime now);
[[nodiscard]] std::string Describe(const Plan& plan, base::WallTime now);

// One JSON object without line end.
[[nodiscard]] std::string ToJson(const Request& request);
[[nodiscard]] std::string ToJson(const Plan& plan);
[[nodiscard]] std::string ToJson(const BreakGlass& window);

}  // namespace interlock::runtime::approvals
