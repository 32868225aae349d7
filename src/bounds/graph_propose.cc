#include "interlock/bounds/graph_propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"

namespace interlock::bounds {
namespace {

struct Sides {
  std::uint64_t benign = 0;
  std::uint64_t attack = 0;
  void Add(const Counts& counts) {
    benign += counts.benign.total();
    attack += counts.attack.total();
  }
};

struct ArgumentSides {
  Sides request;
  Sides result;
};

struct ToolFacts {
  Sides calls;
  Sides first;  // before any retrieval
  Sides later;
  std::map<std::string, ArgumentSides> arguments;
};

// A JSON string in ASCII is a YAML scalar too.
std::string Quoted(std::string_view text) {
  std::string json;
  base::AppendJsonString(json, text);
  return json;
}

// Names that are themselves in the policy language: plain ASCII without the signs of patterns and variables.
bool IsPlain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:@ ").find(c) != std::string_view::npos;
  });
}

class Proposal {
 public:
  Proposal(const FunctionalityGraph& graph, const GraphPolicy& policy) : graph_(graph), policy_(policy) {
    const auto general = graph.scopes().find({});
    if (general == graph.scopes().end()) return;
    sessions_.Add(general->second.sessions);
    for (const auto& [flow, counts] : general->second.flows) {
      ToolFacts& facts = tools_[flow.tool];
      if (flow.view == View::kCalls) facts.calls.Add(counts);
      if (flow.view == View::kRetrievalToAction) (flow.after.empty() ? facts.first : facts.later).Add(counts);
      if (flow.view != View::kArguments || flow.from == OriginKind::kModel) continue;
      ArgumentSides& argument = facts.arguments[flow.argument];
      (flow.from == OriginKind::kRequest ? argument.request : argument.result).Add(counts);
    }
  }

  std::string Write() {
    out_ = fmt::format(
        "# Proposed from a functionality graph ({} benign sessions, {} attacks). Read it, edit it, then use it:\n"
        "# counts are evidence of what was seen, not of what is right.\nversion: 1\n",
        sessions_.benign, sessions_.attack);
    WriteTools();
    for (const auto& [tool, tool_class] : graph_.tools()) {
      if (IsPlain(tool) && IsGated(tool_class)) RulesFor(tool, tool_class);
    }
    if (!rules_.empty()) out_ += "rules:\n" + rules_;
    return std::move(out_);
  }

 private:
  [[nodiscard]] FlowClass ClassOf(const Sides& sides) const {
    return ClassifyCounts(sides.benign, sides.attack, sessions_.benign, sessions_.attack, policy_);
  }

  void WriteTools() {
    std::string tools;
    for (const auto& [tool, tool_class] : graph_.tools()) {
      if (!IsPlain(tool)) {
        std::string shown = tool;
        std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
        out_ += "# left out, its name reads as a pattern: " + shown + "\n";
        continue;
      }
      tools += fmt::format("  {}: {{effect: {}}}{}\n", Quoted(tool), IsInformative(tool_class) ? "read" : "write",
                           tool_class == ToolClass::kSink ? "  # visits an address that its arguments name" : "");
    }
    if (!tools.empty()) out_ += "tools:\n" + tools;
  }

  // Ids are unique whatever the names are: they carry a number.
  void Rule(std::string_view kind, const std::string& comment, std::string_view effect, const std::string& when,
            const std::string& reason) {
    rules_ += fmt::format("  # {}\n  - id: {}-{}\n    effect: {}\n    when: {}\n    reason: {}\n", comment, kind,
                          ++rule_count_, effect, when, Quoted(reason));
  }

  void RulesFor(const std::string& tool, ToolClass tool_class) {
    const auto it = tools_.find(tool);
    if (it == tools_.end()) return;
    const ToolFacts& facts = it->second;
    const std::string named = Quoted(tool);
    if (ClassOf(facts.calls) == FlowClass::kAttack) {
      Rule("attacks-only", fmt::format("{} attacks, {} benign sessions", facts.calls.attack, facts.calls.benign),
           "block", fmt::format("{{tool: {}}}", named), "so far only attacks have used this tool");
      return;
    }
    if (ClassOf(facts.first) == FlowClass::kBenign && ClassOf(facts.later) == FlowClass::kAttack) {
      Rule("before-reading",
           fmt::format("before reading anything: {} benign sessions; after: {} attacks, {} benign", facts.first.benign,
                       facts.later.attack, facts.later.benign),
           "escalate", fmt::format("{{tool: {}, flow: {{seen: untrusted}}}}", named),
           "so far this was done before anything was read");
    }
    std::vector<std::string> pointers;
    std::string counted;
    for (const auto& [argument, sides] : facts.arguments) {
      std::string name = argument;
      std::erase_if(name, [](char c) { return c == '*' || c == '~'; });
      if (!IsPlain(name)) continue;
      if (ClassOf(sides.result) != FlowClass::kAttack || sides.request.benign == 0) continue;
      pointers.push_back(Quoted(argument));
      counted += fmt::format("{}{}: from the request in {} benign sessions, from a result in {} attacks",
                             counted.empty() ? "" : "; ", Quoted(argument), sides.request.benign, sides.result.attack);
    }
    if (!pointers.empty()) {
      Rule("from-the-request", counted, "escalate",
           fmt::format("{{tool: {}, provenance: {{argument: [{}], from: untrusted, not_from: request}}}}", named,
                       fmt::join(pointers, ", ")),
           "so far this came from the request, now it comes out of something that was read");
    }
    if (tool_class == ToolClass::kSink) {
      Rule("visits", fmt::format("{} benign sessions, {} attacks", facts.calls.benign, facts.calls.attack), "escalate",
           fmt::format("{{tool: {}, provenance: {{argument: \"*\", from: untrusted, not_from: request}}}}", named),
           "this address was named by something that was read, not by the request");
    }
  }

  const FunctionalityGraph& graph_;
  const GraphPolicy& policy_;
  Sides sessions_;
  std::map<std::string, ToolFacts> tools_;
  std::string out_;
  std::string rules_;
  int rule_count_ = 0;
};

}  // namespace

std::string ProposePolicy(const FunctionalityGraph& graph, const GraphPolicy& policy) {
  return Proposal(graph, policy).Write();
}

}  // namespace interlock::bounds
