// Does a tool look something up, or does it act? What flows are learned about, and which calls are held against them,
// hangs on it.
//
//   ToolClasses classes;                        // what a person stated goes first ...
//   classes.Describe(spec);                     // ... then what is known of the tool ...
//   ToolClass c = classes.Of("send_report");    // ... then its name alone
//
// Cautious: two sources that disagree give the more cautious class, and what nothing is known of is an action.
// Pure; a ToolClasses is not thread safe while it changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/base/result.h"
#include "interlock/core/tool.h"

namespace interlock::bounds {

// In rising order of caution.
enum class ToolClass : std::uint8_t {
  kRetrieval,  // brings data in, changes nothing
  kSink,       // brings data in from an address that its arguments name: the visit itself can carry data out
  kAction,     // changes something, or might
};
[[nodiscard]] std::string_view NameOf(ToolClass tool_class) noexcept;  // "retrieval" "sink" "action"
[[nodiscard]] std::optional<ToolClass> ToolClassFromName(std::string_view name) noexcept;

// Calls that are held against the learned flows.
[[nodiscard]] constexpr bool IsGated(ToolClass tool_class) noexcept { return tool_class != ToolClass::kRetrieval; }
// Calls whose results tell the agent something.
[[nodiscard]] constexpr bool IsInformative(ToolClass tool_class) noexcept { return tool_class != ToolClass::kAction; }

// From everything known of a tool. A side effect that the policy states (spec.side_effect) decides between looking up
// and acting; where it states none, the server's annotations and the verbs of the name do, the more cautious of the
// two: a claim to be read-only does not make `send_report` a retrieval. A retrieval whose arguments (of the input
// schema) or whose name say that it visits an address is a sink.
[[nodiscard]] ToolClass Classify(const core::ToolSpec& tool);
// From the name alone: its first verb, unless a stricter one is joined to it ("search_and_replace"). No verb: action.
[[nodiscard]] ToolClass ClassifyName(std::string_view name);

class ToolClasses {
 public:
  // Reads classes that a person states: {"get_page":"sink","crm_touch":"action"}, or a tools/list result (or its
  // `tools` array), whose tools are described. Errors: every JSON error, kGraphTools.
  [[nodiscard]] static base::Result<ToolClasses> Parse(std::string_view json);

  void State(std::string_view name, ToolClass tool_class);
  void Describe(const core::ToolSpec& tool);  // of two descriptions of one name the more cautious class counts
  [[nodiscard]] ToolClass Of(std::string_view name) const;
  // Adds what `other` states and describes; its statements win.
  void Overlay(const ToolClasses& other);

 private:
  std::map<std::string, ToolClass, std::less<>> stated_;
  std::map<std::string, ToolClass, std::less<>> described_;
};

}  // namespace interlock::bounds
