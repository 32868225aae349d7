#include "interlock/bounds/graph_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "graph_text.h"
#include "interlock/base/json.h"

namespace interlock::bounds {
namespace {

using base::Digest;
using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using base::Status;

constexpr std::string_view kSchema = "interlock.graph-diff/v1";
constexpr std::string_view kSessions = "sessions";
constexpr std::string_view kDigestPrefix = "sha256:";

Error Bad(JsonValue at, std::string message) { return GraphError(ErrorCode::kGraphDiff, at, std::move(message)); }

std::vector<GraphDiff::Part> Difference(const Tally& from, const Tally& to) {
  std::vector<GraphDiff::Part> parts;
  auto a = from.parts().begin();
  auto b = to.parts().begin();
  const auto place = [](const Tally::Part& part) { return std::tuple(part.day, part.halvings); };
  const auto change = [&](const Tally::Part& at, std::int64_t sessions) {
    if (sessions != 0) parts.push_back({.day = at.day, .halvings = at.halvings, .sessions = sessions});
  };
  while (a != from.parts().end() || b != to.parts().end()) {
    if (b == to.parts().end() || (a != from.parts().end() && place(*a) < place(*b))) {
      change(*a, -static_cast<std::int64_t>(a->sessions));
      ++a;
    } else if (a == from.parts().end() || place(*b) < place(*a)) {
      change(*b, static_cast<std::int64_t>(b->sessions));
      ++b;
    } else {
      change(*a, static_cast<std::int64_t>(b->sessions) - static_cast<std::int64_t>(a->sessions));
      ++a;
      ++b;
    }
  }
  return parts;
}

bool Shift(Tally& tally, const std::vector<GraphDiff::Part>& parts, bool forward) {
  for (const GraphDiff::Part& part : parts) {
    const std::int64_t sessions = forward ? part.sessions : -part.sessions;
    const auto amount = static_cast<std::uint64_t>(sessions < 0 ? -sessions : sessions);
    if (sessions < 0 ? !tally.Remove(part.day, amount, part.halvings) : !tally.Add(part.day, amount, part.halvings)) {
      return false;
    }
  }
  return true;
}

void WriteParts(JsonWriter& writer, std::string_view key, const std::vector<GraphDiff::Part>& parts) {
  if (parts.empty()) return;
  writer.Key(key).BeginObject();
  for (const GraphDiff::Part& part : parts) writer.Key(PartName(part.day, part.halvings)).Int(part.sessions);
  writer.EndObject();
}

bool ReadParts(JsonValue object, std::vector<GraphDiff::Part>& parts) {
  if (!object.is_object() || object.size() == 0) return false;
  for (auto it = object.begin(); it != object.end(); ++it) {
    GraphDiff::Part part;
    const std::optional<std::int64_t> sessions = (*it).AsInt64();
    constexpr auto kMost = static_cast<std::int64_t>(Tally::kMax);
    if (!sessions || *sessions == 0 || *sessions > kMost || *sessions < -kMost) return false;
    if (!ReadPartName(it.key(), part.day, part.halvings)) return false;
    part.sessions = *sessions;
    parts.push_back(part);
  }
  const auto place = [](const GraphDiff::Part& part) { return std::tuple(part.day, part.halvings); };
  std::ranges::sort(parts, {}, place);
  return std::ranges::adjacent_find(parts, {}, place) == parts.end();
}

bool ReadDigest(JsonValue value, Digest& digest) {
  const std::string_view text = value.string();
  if (!text.starts_with(kDigestPrefix)) return false;
  const std::optional<Digest> read = Digest::FromHex(text.substr(kDigestPrefix.size()));
  if (!read) return false;
  digest = *read;
  return true;
}

bool ReadClass(JsonValue value, std::optional<ToolClass>& out) {
  if (value.is_null()) return true;
  out = ToolClassFromName(value.string());
  return out.has_value();
}

Result<GraphDiff::ToolChange> ReadToolChange(JsonValue object) {
  GraphDiff::ToolChange change;
  change.tool = object.Find("tool").string();
  if (object.size() != 3 || !IsGraphName(change.tool) || !ReadClass(object.Find("from"), change.from) ||
      !ReadClass(object.Find("to"), change.to) || change.from == change.to) {
    return Bad(object, "a change of a tool has `tool`, and `from` and `to`, two different classes or null");
  }
  return change;
}

Result<GraphDiff::Change> ReadChange(JsonValue object) {
  if (!object.is_object()) return Bad(object, "a change is an object");
  GraphDiff::Change change;
  const JsonValue view_name = object.Find("view");
  const std::optional<View> view = ViewFromName(view_name.string());
  if (view) {
    change.flow.emplace();
    change.flow->view = *view;
  } else if (view_name.string() != kSessions) {
    return Bad(object, "`view` is no view");
  }
  for (auto it = object.begin(); it != object.end(); ++it) {
    const std::string_view key = it.key();
    bool fine = true;
    if (key == "tenant" || key == "role") {
      fine = (*it).is_string() && ((*it).string().empty() || IsGraphName((*it).string()));
      (key == "tenant" ? change.scope.tenant : change.scope.role) = (*it).string();
    } else if (key == "benign") {
      fine = ReadParts(*it, change.benign);
    } else if (key == "attack") {
      fine = ReadParts(*it, change.attack);
    } else if (key != "view") {
      fine = change.flow && ReadFlowMember(key, *it, *change.flow);
    }
    if (!fine) return Bad(*it, fmt::format("`{}` is unknown here, or not what it should be", key.substr(0, 40)));
  }
  if (!object.Find("tenant").exists() || !object.Find("role").exists()) {
    return Bad(object, "a change has the strings `tenant` and `role`");
  }
  if (change.flow) {
    if (const std::string_view fault = FlowFault(*change.flow); !fault.empty()) return Bad(object, std::string(fault));
  }
  if (change.benign.empty() && change.attack.empty()) return Bad(object, "nothing changes");
  return change;
}

}  // namespace

GraphDiff GraphDiff::Between(const FunctionalityGraph& from, const FunctionalityGraph& to) {
  GraphDiff diff;
  diff.from_ = from.Digest();
  diff.to_ = to.Digest();
  std::set<std::string, std::less<>> tools;
  for (const auto& [tool, unused] : from.tools_) tools.insert(tool);
  for (const auto& [tool, unused] : to.tools_) tools.insert(tool);
  const auto class_in = [](const FunctionalityGraph& graph, const std::string& tool) {
    const auto it = graph.tools_.find(tool);
    return it == graph.tools_.end() ? std::nullopt : std::optional(it->second);
  };
  for (const std::string& tool : tools) {
    const auto before = class_in(from, tool);
    const auto after = class_in(to, tool);
    if (before != after) diff.tools_.push_back({.tool = tool, .from = before, .to = after});
  }
  const auto compare = [&](const Scope& scope, const std::optional<Flow>& flow, const Counts& a, const Counts& b) {
    Change change{.scope = scope,
                  .flow = flow,
                  .benign = Difference(a.benign, b.benign),
                  .attack = Difference(a.attack, b.attack)};
    if (!change.benign.empty() || !change.attack.empty()) diff.changes_.push_back(std::move(change));
  };
  std::set<Scope> scopes;
  for (const auto& [scope, unused] : from.scopes_) scopes.insert(scope);
  for (const auto& [scope, unused] : to.scopes_) scopes.insert(scope);
  static const FunctionalityGraph::ScopeGraph kEmpty;
  static const Counts kNothing;
  for (const Scope& scope : scopes) {
    const auto a_it = from.scopes_.find(scope);
    const auto b_it = to.scopes_.find(scope);
    const auto& a = a_it == from.scopes_.end() ? kEmpty : a_it->second;
    const auto& b = b_it == to.scopes_.end() ? kEmpty : b_it->second;
    compare(scope, std::nullopt, a.sessions, b.sessions);
    auto x = a.flows.begin();
    auto y = b.flows.begin();
    while (x != a.flows.end() || y != b.flows.end()) {
      if (y == b.flows.end() || (x != a.flows.end() && x->first < y->first)) {
        compare(scope, x->first, x->second, kNothing);
        ++x;
      } else if (x == a.flows.end() || y->first < x->first) {
        compare(scope, y->first, kNothing, y->second);
        ++y;
      } else {
        compare(scope, x->first, x->second, y->second);
        ++x;
        ++y;
      }
    }
  }
  return diff;
}

Status GraphDiff::Step(FunctionalityGraph& graph, bool forward) const {
  if (graph.Digest() != (forward ? from_ : to_)) {
    return Error(ErrorCode::kGraphDiff, "the graph is not the one that this diff was made for");
  }
  FunctionalityGraph changed = graph;
  const Error mismatch(ErrorCode::kGraphDiff, "the diff does not lead where it says");
  for (const ToolChange& tool : tools_) {
    const std::optional<ToolClass>& target = forward ? tool.to : tool.from;
    if (target) {
      changed.tools_.insert_or_assign(tool.tool, *target);
    } else {
      changed.tools_.erase(tool.tool);
    }
  }
  for (const Change& change : changes_) {
    auto& scope = changed.scopes_[change.scope];
    Counts* counts = &scope.sessions;
    if (change.flow) {
      const auto [at, is_new] = scope.flows.try_emplace(*change.flow);
      if (is_new) ++changed.flow_count_;
      counts = &at->second;
    }
    if (!Shift(counts->benign, change.benign, forward) || !Shift(counts->attack, change.attack, forward)) {
      return mismatch;
    }
    if (change.flow && counts->empty()) {
      scope.flows.erase(*change.flow);
      --changed.flow_count_;
    }
  }
  std::erase_if(changed.scopes_,
                [](const auto& item) { return item.second.sessions.empty() && item.second.flows.empty(); });
  if (changed.flow_count_ > changed.limits_.max_flows || changed.tools_.size() > changed.limits_.max_tools ||
      changed.scopes_.size() > changed.limits_.max_scopes) {
    return Error(ErrorCode::kGraphLimit, "the diff makes the graph too large");
  }
  if (changed.Digest() != (forward ? to_ : from_)) return mismatch;
  graph = std::move(changed);
  return {};
}

Status GraphDiff::Apply(FunctionalityGraph& graph) const { return Step(graph, true); }
Status GraphDiff::Revert(FunctionalityGraph& graph) const { return Step(graph, false); }

Result<GraphDiff> GraphDiff::Parse(std::string_view json, const GraphLimits& limits) {
  const Result<base::JsonDoc> doc =
      base::JsonDoc::Parse(json, {.max_bytes = limits.max_bytes, .max_depth = 8, .max_values = 32'000'000});
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return Bad(root, "a graph diff is an object");
  if (root.Find("schema").string() != kSchema) return Bad(root, "`schema` is not interlock.graph-diff/v1");
  GraphDiff diff;
  if (!ReadDigest(root.Find("from"), diff.from_) || !ReadDigest(root.Find("to"), diff.to_)) {
    return Bad(root, "`from` and `to` are digests, `sha256:` and 64 digits");
  }
  const JsonValue tools = root.Find("tools");
  const JsonValue changes = root.Find("changes");
  if (root.size() != 5 || !tools.is_array() || !changes.is_array()) {
    return Bad(root, "a graph diff has `schema`, `from`, `to`, `tools` and `changes`, nothing else");
  }
  if (changes.size() > limits.max_flows + limits.max_scopes || tools.size() > limits.max_tools) {
    return GraphError(ErrorCode::kGraphLimit, root, "too many changes");
  }
  for (const JsonValue object : tools) {
    Result<ToolChange> change = ReadToolChange(object);
    if (!change.ok()) return change.error();
    if (!diff.tools_.empty() && diff.tools_.back().tool >= change.value().tool) {
      return Bad(object, "tools are sorted, each once");
    }
    diff.tools_.push_back(std::move(change.value()));
  }
  for (const JsonValue object : changes) {
    Result<Change> change = ReadChange(object);
    if (!change.ok()) return change.error();
    const auto place = [](const Change& c) { return std::tie(c.scope, c.flow); };
    if (!diff.changes_.empty() && place(diff.changes_.back()) >= place(change.value())) {
      return Bad(object, "changes are sorted, each flow once");
    }
    diff.changes_.push_back(std::move(change.value()));
  }
  return diff;
}

std::string GraphDiff::ToJson() const {
  std::string out = fmt::format("{{\n\"schema\": \"{}\",\n\"from\": \"{}{}\",\n\"to\": \"{}{}\",\n\"tools\": [",
                                kSchema, kDigestPrefix, from_.ToHex(), kDigestPrefix, to_.ToHex());
  const auto write_class = [](JsonWriter& writer, const std::optional<ToolClass>& tool_class) {
    if (tool_class) {
      writer.String(NameOf(*tool_class));
    } else {
      writer.Null();
    }
  };
  std::string_view separator = "\n  ";
  for (const ToolChange& change : tools_) {
    out += separator;
    separator = ",\n  ";
    JsonWriter writer(out);
    writer.BeginObject().Key("tool").String(change.tool).Key("from");
    write_class(writer, change.from);
    writer.Key("to");
    write_class(writer, change.to);
    writer.EndObject();
  }
  out += tools_.empty() ? "],\n\"changes\": [" : "\n],\n\"changes\": [";
  separator = "\n  ";
  for (const Change& change : changes_) {
    out += separator;
    separator = ",\n  ";
    JsonWriter writer(out);
    writer.BeginObject().Key("tenant").String(change.scope.tenant).Key("role").String(change.scope.role);
    writer.Key("view").String(change.flow ? NameOf(change.flow->view) : kSessions);
    if (change.flow) WriteFlow(writer, *change.flow);
    WriteParts(writer, NameOf(Side::kBenign), change.benign);
    WriteParts(writer, NameOf(Side::kAttack), change.attack);
    writer.EndObject();
  }
  out += changes_.empty() ? "]\n}\n" : "\n]\n}\n";
  return out;
}

}  // namespace interlock::bounds
