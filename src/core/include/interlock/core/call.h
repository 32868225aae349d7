// A proposed call and its session, as values. Views only: nothing on the decision path copies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/json.h"
#include "interlock/core/verdict.h"

namespace interlock::core {

// Labels that results leave in a session, as bits. The low bits are fixed, the rest are named by the policy.
using LabelSet = std::uint32_t;
inline constexpr LabelSet kLabelRequest = 1u << 0;    // text of the user's request
inline constexpr LabelSet kLabelTrusted = 1u << 1;    // results of tools the policy trusts
inline constexpr LabelSet kLabelUntrusted = 1u << 2;  // every other result
inline constexpr int kFirstPolicyLabel = 8;           // bits 8..31 carry the policy's own labels
inline constexpr int kMaxPolicyLabels = 24;

// One proposed tool call. `arguments` is an object (or missing, for tools without arguments).
struct Call {
  std::string_view id;
  std::string_view server;
  std::string_view tool;
  base::JsonValue arguments;
};

struct Principal {
  std::string name;                // "" when nobody said
  std::vector<std::string> roles;  // resolved by the policy
};

enum class RequestState : std::uint8_t { kUnknown, kKnown };

// A tool's answer on its way back.
struct ToolResult {
  std::string_view tool;
  base::JsonValue payload;               // MCP: the `result` object
  std::optional<std::string_view> text;  // instead of a payload: a recorded result's text
  bool is_error = false;
  // Words that are meant to guide the agent (a server's instructions, a prompt template that the user chose): pinned or
  // asked for, so that addressing the agent is no mark against them. They leave labels and values like any result.
  bool guidance = false;
};

}  // namespace interlock::core
