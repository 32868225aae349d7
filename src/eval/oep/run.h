// One run: an incident, a setting, a seed, an agent. Private to the module.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "guard.h"
#include "interlock/eval/oep.h"
#include "interlock/policy/json_schema.h"
#include "library.h"

namespace interlock::eval::oep {

using ToolSchemas = std::map<std::string, policy::JsonSchema, std::less<>>;
// The schemas of tools.json, by tool: what the world takes.
[[nodiscard]] base::Result<ToolSchemas> CompileToolSchemas(const Library& library);

struct RunPlan {
  const Library* library = nullptr;
  const ToolSchemas* schemas = nullptr;
  const Suite* suite = nullptr;
  const Incident* incident = nullptr;
  const Setting* setting = nullptr;
  const Agent* agent = nullptr;
  const GatePolicy* gate = nullptr;
  std::uint64_t seed = 0;
  bool trace = false;
  bool answers = false;
  OepPlanner* planner = nullptr;  // null: the scripted one
};
[[nodiscard]] base::Result<OepRun> RunOne(const RunPlan& plan);

}  // namespace interlock::eval::oep
