#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "graph_origins.h"
#include "graph_text.h"
#include "interlock/base/check.h"
#include "interlock/bounds/learn.h"
#include "pointer_step.h"

namespace interlock::bounds {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Status;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxLeafDepth = 32;

// A flow by numbers. `after`: a tool, a set, or none, as the view has it.
struct Key {
  View view = View::kCalls;
  OriginKind from = OriginKind::kRequest;
  OriginMatch match = OriginMatch::kExact;
  std::uint32_t after = kNone;
  std::uint32_t tool = kNone;
  std::uint32_t argument = kNone;
  std::uint32_t source = kNone;
  auto operator<=>(const Key&) const = default;
};

// What is counted: a flow (or, with tool == kNone, sessions) of a scope, on a side and a day.
struct CountKey {
  Key key;
  std::uint32_t scope = 0;
  Side side = Side::kBenign;
  Day day = kUndated;
  bool operator==(const CountKey&) const = default;
};

struct CountHash {
  std::size_t operator()(const CountKey& k) const noexcept {
    std::uint64_t h = static_cast<std::uint64_t>(k.key.view) | static_cast<std::uint64_t>(k.key.from) << 4U |
                      static_cast<std::uint64_t>(k.key.match) << 8U | static_cast<std::uint64_t>(k.side) << 12U |
                      static_cast<std::uint64_t>(k.scope) << 16U;
    const auto mix = [&h](std::uint64_t x) {
      h = (h ^ x) * 0x9E3779B97F4A7C15U;
      h ^= h >> 29U;
    };
    mix(static_cast<std::uint64_t>(k.key.after) << 32U | k.key.tool);
    mix(static_cast<std::uint64_t>(k.key.argument) << 32U | k.key.source);
    mix(static_cast<std::uint32_t>(k.day));
    return h;
  }
};

class Names {
 public:
  // kNone when there are `limit` already.
  std::uint32_t Of(std::string_view name, std::size_t limit) {
    const auto it = ids_.find(name);
    if (it != ids_.end()) return it->second;
    if (names_.size() >= limit) return kNone;
    const auto id = static_cast<std::uint32_t>(names_.size());
    names_.push_back(&ids_.emplace(name, id).first->first);
    return id;
  }
  [[nodiscard]] const std::string& Name(std::uint32_t id) const { return *names_[id]; }

 private:
  // A tree, not a hash table: names come from outside and may be made to collide.
  std::map<std::string, std::uint32_t, std::less<>> ids_;
  std::vector<const std::string*> names_;
};

// A call that a guard stopped did not run: in a benign session it is not what the agent does, it is what was prevented.
bool WasStopped(JsonValue decision) {
  if (!decision.is_object()) return false;
  const std::string_view enforcement = decision.Find("enforcement").string();
  if (!enforcement.empty()) return enforcement == "blocked" || enforcement == "denied" || enforcement == "failed";
  const std::string_view verdict = decision.Find("verdict").string();
  return verdict == "block" || verdict == "escalate";
}

}  // namespace

struct GraphLearner::Impl {
  Impl(ToolClasses tool_classes, const LearnLimits& learn_limits)
      : classes(std::move(tool_classes)), limits(learn_limits), origins(limits) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  struct LearnedCall {
    std::uint32_t tool;
    std::uint32_t turn;
    bool counts;
  };
  struct LearnedValue {
    std::uint32_t call;
    std::uint32_t argument;
    bool explained;
  };

  Status Calls(const core::TraceSession& session, const ObserveOptions& options);
  Status Leaves(std::uint32_t call, JsonValue arguments);
  Status Origins(const core::TraceSession& session);
  void Flows();
  Status Count(const ObserveOptions& options);
  std::uint32_t SetOf(const std::vector<std::uint32_t>& sorted);

  ToolClasses classes;
  LearnLimits limits;
  Names tools;
  std::vector<ToolClass> class_of;  // by tool
  Names arguments;
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_ids;
  std::vector<const std::vector<std::uint32_t>*> sets;
  std::map<Scope, std::uint32_t> scope_ids;
  std::vector<const Scope*> scopes;
  std::unordered_map<CountKey, std::uint64_t, CountHash> counts;
  std::uint64_t sessions = 0;

  // Of the session at hand.
  OriginFinder origins;
  std::vector<LearnedCall> calls;
  std::map<std::string_view, std::uint32_t> call_by_id;
  std::vector<LearnedValue> values;
  std::vector<OriginFinder::Hit> hits;
  std::vector<Key> keys;
  std::string pointer;
};

Status GraphLearner::Impl::Calls(const core::TraceSession& session, const ObserveOptions& options) {
  calls.clear();
  call_by_id.clear();
  values.clear();
  origins.Clear();
  std::uint32_t turn = 0;
  for (const core::TraceMessage& message : session.messages) {
    if (message.role != core::Role::kAssistant) continue;
    for (const core::TraceCall& call : message.calls) {
      if (!IsGraphName(call.tool))
        return Error(ErrorCode::kGraphSession, "the name of a tool is longer than 256 bytes");
      const std::uint32_t tool = tools.Of(call.tool, limits.graph.max_tools);
      if (tool == kNone)
        return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tools", limits.graph.max_tools));
      if (tool == class_of.size()) class_of.push_back(classes.Of(call.tool));
      const auto ordinal = static_cast<std::uint32_t>(calls.size());
      const bool stopped = options.side == Side::kBenign && WasStopped(call.decision);
      calls.push_back({.tool = tool, .turn = turn, .counts = ordinal >= options.first_call && !stopped});
      call_by_id.emplace(call.id, ordinal);
      if (calls.back().counts) {
        if (Status status = Leaves(ordinal, call.arguments); !status.ok()) return status;
      }
    }
    ++turn;
  }
  return {};
}

// Every string and number of a call's arguments, with the pointer of its argument.
Status GraphLearner::Impl::Leaves(std::uint32_t call, JsonValue root) {
  struct Open {
    JsonValue::Iterator at;
    JsonValue::Iterator end;
    bool is_object;
    std::size_t pointer_size;
  };
  if (!root.is_object()) return {};
  std::vector<Open> open;
  pointer.clear();
  open.push_back({.at = root.begin(), .end = root.end(), .is_object = true, .pointer_size = 0});
  while (!open.empty()) {
    Open& top = open.back();
    pointer.resize(top.pointer_size);
    if (top.at == top.end) {
      open.pop_back();
      continue;
    }
    const JsonValue value = *top.at;
    if (top.is_object) {
      AppendPointerStep(pointer, top.at.key());
    } else {
      pointer += "/*";
    }
    ++top.at;
    if (value.is_object() || value.is_array()) {
      if (open.size() < kMaxLeafDepth) {
        open.push_back(
            {.at = value.begin(), .end = value.end(), .is_object = value.is_object(), .pointer_size = pointer.size()});
      }
      continue;
    }
    const std::string_view text = value.is_string() ? value.string() : value.number_text();
    if (text.empty() || !IsGraphName(pointer)) continue;
    if (values.size() >= limits.max_values) return {};
    const std::uint32_t argument = arguments.Of(pointer, limits.graph.max_flows);
    if (argument == kNone) return Error(ErrorCode::kGraphLimit, "more names of arguments than can be kept");
    (void)origins.AddValue(text, calls[call].turn);
    values.push_back({.call = call, .argument = argument, .explained = false});
  }
  return {};
}

Status GraphLearner::Impl::Origins(const core::TraceSession& session) {
  std::uint32_t turn = 0;
  for (const core::TraceMessage& message : session.messages) {
    if (message.role == core::Role::kAssistant) ++turn;
    if (message.role != core::Role::kUser && message.role != core::Role::kTool) continue;
    OriginKind from = OriginKind::kRequest;
    std::uint32_t source = kNone;
    if (message.role == core::Role::kTool) {
      const auto call = call_by_id.find(message.call_id);
      if (call == call_by_id.end()) continue;
      from = OriginKind::kResult;
      source = calls[call->second].tool;
    }
    hits.clear();
    if (!origins.Scan(message.content, turn, hits)) {
      return Error(ErrorCode::kGraphSession, "more steps than a session may take");
    }
    for (const OriginFinder::Hit& hit : hits) {
      LearnedValue& value = values[hit.value];
      value.explained = true;
      keys.push_back({.view = View::kArguments,
                      .from = from,
                      .match = hit.match,
                      .after = kNone,
                      .tool = calls[value.call].tool,
                      .argument = value.argument,
                      .source = source});
    }
  }
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i].explained || !origins.IsTraceable(i)) continue;
    keys.push_back({.view = View::kArguments,
                    .from = OriginKind::kModel,
                    .match = OriginMatch::kNone,
                    .after = kNone,
                    .tool = calls[values[i].call].tool,
                    .argument = values[i].argument,
                    .source = kNone});
  }
  return {};
}

std::uint32_t GraphLearner::Impl::SetOf(const std::vector<std::uint32_t>& sorted) {
  const auto it = set_ids.find(sorted);
  if (it != set_ids.end()) return it->second;
  const auto id = static_cast<std::uint32_t>(sets.size());
  sets.push_back(&set_ids.emplace(sorted, id).first->first);
  return id;
}

void GraphLearner::Impl::Flows() {
  std::vector<std::uint32_t> retrieved;  // sorted; of earlier turns
  std::vector<std::uint32_t> acted;      // sorted; of earlier turns
  const auto insert = [](std::vector<std::uint32_t>& into, std::uint32_t id) {
    const auto at = std::ranges::lower_bound(into, id);
    if (at == into.end() || *at != id) into.insert(at, id);
  };
  std::uint32_t previous = kNone;
  for (std::size_t first = 0; first < calls.size();) {
    std::size_t last = first;
    while (last < calls.size() && calls[last].turn == calls[first].turn) ++last;
    std::uint32_t set = kNone;
    for (std::size_t i = first; i < last; ++i) {
      if (!calls[i].counts) continue;
      const std::uint32_t tool = calls[i].tool;
      keys.push_back({.view = View::kCalls, .tool = tool});
      keys.push_back({.view = View::kTransitions, .after = previous, .tool = tool});
      if (!IsGated(class_of[tool])) continue;
      for (const std::uint32_t earlier : acted) {
        keys.push_back({.view = View::kActionToAction, .after = earlier, .tool = tool});
      }
      if (retrieved.size() > GraphLimits::kMaxSet) continue;
      if (set == kNone) set = SetOf(retrieved);
      keys.push_back({.view = View::kRetrievalToAction, .after = set, .tool = tool});
    }
    // Only now: calls of one turn have not seen each other.
    for (; first < last; ++first) {
      const std::uint32_t tool = calls[first].tool;
      if (IsInformative(class_of[tool])) insert(retrieved, tool);
      if (IsGated(class_of[tool])) insert(acted, tool);
      previous = tool;
    }
  }
}

Status GraphLearner::Impl::Count(const ObserveOptions& options) {
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  std::vector<std::uint32_t> into;
  const auto scope_id = [&](const Scope& scope) {
    const auto it = scope_ids.find(scope);
    if (it != scope_ids.end()) return it->second;
    const auto id = static_cast<std::uint32_t>(scopes.size());
    scopes.push_back(&scope_ids.emplace(scope, id).first->first);
    return id;
  };
  into.push_back(scope_id({}));
  for (const Scope& scope : options.scopes) {
    for (const std::string* name : {&scope.tenant, &scope.role}) {
      if (!name->empty() && !IsGraphName(*name)) {
        return Error(ErrorCode::kGraphSession, "a tenant or role is longer than 256 bytes");
      }
    }
    if (scopes.size() >= limits.graph.max_scopes && !scope_ids.contains(scope)) {
      return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tenants and roles", limits.graph.max_scopes));
    }
    into.push_back(scope_id(scope));
  }
  std::ranges::sort(into);
  into.erase(std::ranges::unique(into).begin(), into.end());
  if (counts.size() + (keys.size() + 1) * into.size() > limits.graph.max_flows * 2) {
    return Error(ErrorCode::kGraphLimit, fmt::format("more than {} flows", limits.graph.max_flows));
  }
  for (const std::uint32_t scope : into) {
    ++counts[{.key = {}, .scope = scope, .side = options.side, .day = options.day}];
    for (const Key& key : keys) ++counts[{.key = key, .scope = scope, .side = options.side, .day = options.day}];
  }
  return {};
}

GraphLearner::GraphLearner(ToolClasses classes, const LearnLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(classes), limits)) {}
GraphLearner::GraphLearner(GraphLearner&&) noexcept = default;
GraphLearner& GraphLearner::operator=(GraphLearner&&) noexcept = default;
GraphLearner::~GraphLearner() = default;

Status GraphLearner::Observe(const core::TraceSession& session, const ObserveOptions& options) {
  impl_->keys.clear();
  if (Status status = impl_->Calls(session, options); !status.ok()) return status;
  if (Status status = impl_->Origins(session); !status.ok()) return status;
  impl_->Flows();
  if (Status status = impl_->Count(options); !status.ok()) return status;
  ++impl_->sessions;
  return {};
}

std::uint64_t GraphLearner::sessions() const noexcept { return impl_->sessions; }

base::Result<FunctionalityGraph> GraphLearner::Take() {
  const std::unique_ptr<Impl> learned = std::exchange(impl_, std::make_unique<Impl>(impl_->classes, impl_->limits));
  FunctionalityGraph graph(learned->limits.graph);
  for (const auto& [key, count] : learned->counts) {
    const Scope& scope = *learned->scopes[key.scope];
    if (key.key.tool == kNone) {
      if (Status status = graph.AddSessions(scope, key.side, key.day, count); !status.ok()) return status.error();
      continue;
    }
    Flow flow{.view = key.key.view,
              .after = {},
              .tool = learned->tools.Name(key.key.tool),
              .argument = {},
              .from = key.key.from,
              .source = {},
              .match = key.key.match};
    const auto name_class = [&](std::uint32_t tool) {
      return graph.SetClass(learned->tools.Name(tool), learned->class_of[tool]);
    };
    if (Status status = name_class(key.key.tool); !status.ok()) return status.error();
    if (flow.view == View::kRetrievalToAction) {
      for (const std::uint32_t tool : *learned->sets[key.key.after]) {
        if (Status status = name_class(tool); !status.ok()) return status.error();
        flow.after.push_back(learned->tools.Name(tool));
      }
      std::ranges::sort(flow.after);
    } else if (key.key.after != kNone) {
      if (Status status = name_class(key.key.after); !status.ok()) return status.error();
      flow.after.push_back(learned->tools.Name(key.key.after));
    }
    if (flow.view == View::kArguments) {
      flow.argument = learned->arguments.Name(key.key.argument);
      if (key.key.source != kNone) {
        if (Status status = name_class(key.key.source); !status.ok()) return status.error();
        flow.source = learned->tools.Name(key.key.source);
      }
    }
    if (Status status = graph.Add(scope, flow, key.side, key.day, count); !status.ok()) return status.error();
  }
  return graph;
}

}  // namespace interlock::bounds
