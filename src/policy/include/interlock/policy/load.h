// interlock.yaml -> PolicySnapshot, as a compiler loads: all semantic diagnostics at once, each with code, place and
// snippet; nothing is installed unless everything compiled. Sans-IO: bytes in, values out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/policy/snapshot.h"

namespace interlock::policy {

struct LoadOptions {
  std::string file = "interlock.yaml";           // for places
  std::map<std::string, std::string> variables;  // ${name}; "cwd" and "home" are given by the adapter
  std::string profile;                           // overrides the document's `profile` when not empty
  bool force_shadow = false;
  std::size_t max_bytes = std::size_t{4} << 20;
};

enum class Severity : std::uint8_t { kError, kWarning };

struct Diagnostic {
  Severity severity = Severity::kError;
  base::Error error;    // code, message, place
  std::string snippet;  // the line with a caret below
  [[nodiscard]] std::string ToString() const;
};

// A policy's own test, as data under `tests:`.
// Something the session of a test has seen before the call: a text with a label, or what a tool answered.
struct PolicyTestResult {
  std::string label;  // "" = what the tool's entry says
  std::string text;
  std::string tool = {};  // "" = no tool's
  std::string arguments_json = "{}";
};

struct PolicyTestCase {
  std::string name;
  std::uint32_t line = 0;
  std::string tool;
  std::string arguments_json;
  std::string principal;
  std::string environment;
  std::string request;                                          // "" = unknown
  std::vector<std::string> seen;                                // labels in the session
  std::vector<PolicyTestResult> results;                        // in order, before the call
  std::vector<std::pair<std::string, std::string>> facts = {};  // channel, JSON
  core::Verdict want = core::Verdict::kBlock;
  std::string want_rule;                       // "" = any
  std::optional<core::Layer> want_layer = {};  // with evidence of this layer for the verdict
};

struct LoadedPolicy {
  std::shared_ptr<const PolicySnapshot> policy;  // null when there is any error
  std::vector<Diagnostic> diagnostics;           // errors and warnings, by place
  std::vector<PolicyTestCase> tests;
};

[[nodiscard]] LoadedPolicy LoadPolicy(std::string_view yaml, const LoadOptions& options = {});

// Shipped profiles, by name ("default", "strict", "monitor"): the text of profiles/NAME.yaml, or empty.
[[nodiscard]] std::string_view ShippedProfile(std::string_view name);
[[nodiscard]] std::vector<std::string_view> ShippedProfileNames();
[[nodiscard]] base::Result<Profile> LoadProfile(std::string_view yaml, std::string_view file);

}  // namespace interlock::policy
