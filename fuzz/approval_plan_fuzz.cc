// links: base core policy platform runtime.approvals
// A plan file: whatever it holds, reading it ends, and what is accepted is bounded (steps, uses) and holds its own
// bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interlock/runtime/approvals/constraint.h"
#include "interlock/runtime/approvals/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace approvals = interlock::runtime::approvals;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto plan = approvals::ParsePlan(bytes);
  if (!plan.ok()) return 0;
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  require(!plan.value().steps.empty() && plan.value().steps.size() <= 64);
  for (const approvals::PlanStep& step : plan.value().steps) {
    require(!step.tool.empty() && step.max_uses >= 1 && step.max_uses <= 100'000);
    const auto bounds = approvals::CompileConstraint(step.arguments);
    require(bounds.ok());
    // Nothing but an object fits, and the schema's own text is no call's arguments unless it says so.
    const auto text = interlock::base::JsonDoc::Parse("[1]");
    require(text.ok());
    (void)bounds.value().Validate(text.value().root());
  }
  return 0;
}
