// The JSON of flows and tallies, shared by the graph's file and the diff's. Private to the module.
#pragma once

#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/bounds/graph.h"

namespace interlock::bounds {

[[nodiscard]] base::Error GraphError(base::ErrorCode code, base::JsonValue at, std::string message);

[[nodiscard]] bool IsGraphName(std::string_view name) noexcept;  // not empty, not too long, valid UTF-8
// Empty when `flow` is one; else what is wrong with it.
[[nodiscard]] std::string_view FlowFault(const Flow& flow) noexcept;

// Members of a flow, without its view: "after", "tool", "argument", "from", "source", "match".
void WriteFlow(base::JsonWriter& writer, const Flow& flow);
// True and written to `flow`, when `key` is one of those members and `value` has the right type.
[[nodiscard]] bool ReadFlowMember(std::string_view key, base::JsonValue value, Flow& flow);

// "2026-01-31", "2026-01-31>>2" (halved twice), "undated".
[[nodiscard]] std::string PartName(Day day, std::uint16_t halvings);
[[nodiscard]] bool ReadPartName(std::string_view text, Day& day, std::uint16_t& halvings);

// A number where nothing is dated, else an object by part name.
void WriteTally(base::JsonWriter& writer, const Tally& tally);
[[nodiscard]] bool ReadTally(base::JsonValue value, Tally& tally);

}  // namespace interlock::bounds
