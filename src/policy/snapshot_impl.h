// What a snapshot owns. Written once by the compiler, then only read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interlock/policy/snapshot.h"
#include "patterns.h"
#include "rule.h"

namespace interlock::policy {

// Lets a string_view look up a std::string key without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

// What the policy says of the tools that `pattern` names; nothing where it says nothing.
struct ToolPolicy {
  NamePattern pattern;
  std::optional<core::SideEffect> effect;
  std::optional<core::Trust> result_trust;
  std::optional<std::uint32_t> labels;
  std::optional<double> impact;
  std::optional<bool> hidden;
  std::optional<bool> trust_annotations;
  std::optional<std::vector<core::Criticality>> critical;
  std::optional<std::vector<core::Precondition>> preconditions;
  std::optional<std::string> dry_run;
  std::optional<std::vector<core::RoleBinding>> bindings;
  std::optional<std::string> target;
  std::optional<bool> reversible;
  std::optional<bool> shell;
  std::optional<std::vector<std::string>> secrets;
};

// An entry of `autonomy`: which tools it locks, and how.
struct AutonomyRule {
  std::uint32_t effects = 0;       // bit i: SideEffect(i); 0: every one but read
  std::vector<NamePattern> tools;  // none: every tool
  core::Unlock unlock;
};

struct PolicySnapshot::Impl {
  base::Digest digest;
  Profile profile;
  FirstUse first_use = FirstUse::kUnsaid;
  std::string environment;  // of the document; used when the context names none
  std::string graph;        // as written; relative to the policy file
  std::map<std::string, core::Principal, std::less<>> principals;
  std::vector<std::string> labels;  // bit kFirstPolicyLabel + i
  PathBase paths;
  bool trust_annotations = false;
  std::vector<ToolPolicy> tools;        // as written
  TextMap<std::size_t> exact_tools;     // name -> index into `tools`
  std::vector<std::size_t> glob_tools;  // least specific first
  std::vector<Rule> rules;
  TextMap<std::vector<std::uint32_t>> rules_by_tool;  // rules that can only concern the tools they name exactly
  std::vector<std::uint32_t> general_rules;           // every other
  std::vector<Budget> budgets;
  std::vector<AutonomyRule> autonomy;
  std::optional<BreakGlass> break_glass;
  bool uses_provenance = false;

  // Calls `say(const ToolPolicy&)` for every entry that concerns `tool`, least specific first.
  template <class Say>
  void ForEachEntry(std::string_view tool, Say&& say) const {
    for (std::size_t i : glob_tools) {
      if (tools[i].pattern.Matches(tool)) say(tools[i]);
    }
    if (const auto it = exact_tools.find(tool); it != exact_tools.end()) say(tools[it->second]);
  }

  // Derived tables; call once everything above is filled.
  void Index();
};

}  // namespace interlock::policy
