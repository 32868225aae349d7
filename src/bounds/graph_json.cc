// The graph's file. Sorted, a line an entry, so that two versions compare line by line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "graph_access.h"
#include "graph_text.h"
#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/bounds/graph.h"

namespace interlock::bounds {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using base::Status;

constexpr std::string_view kSchema = "interlock.graph/v1";
constexpr std::string_view kUndatedName = "undated";
constexpr std::string_view kHalved = ">>";

Error Bad(JsonValue at, std::string message) { return GraphError(ErrorCode::kGraphFormat, at, std::move(message)); }

std::optional<std::uint64_t> ReadCount(JsonValue value) {
  const std::optional<std::int64_t> count = value.AsInt64();
  if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > Tally::kMax) return std::nullopt;
  return static_cast<std::uint64_t>(*count);
}

bool ReadName(JsonValue value, std::string& out) {
  if (!value.is_string()) return false;
  out = value.string();
  return true;
}

template <class Enum, std::size_t N>
bool ReadEnum(JsonValue value, Enum& out) {
  for (std::size_t i = 0; i < N; ++i) {
    if (value.is_string() && value.string() == NameOf(static_cast<Enum>(i))) {
      out = static_cast<Enum>(i);
      return true;
    }
  }
  return false;
}

class FileReader {
 public:
  explicit FileReader(const GraphLimits& limits) : limits_(limits), graph_(limits) {}

  Result<FunctionalityGraph> Read(JsonValue root) {
    if (!root.is_object()) return Bad(root, "a graph is an object");
    if (root.Find("schema").string() != kSchema) {
      return Bad(root.Find("schema").exists() ? root.Find("schema") : root, "`schema` is not interlock.graph/v1");
    }
    for (auto it = root.begin(); it != root.end(); ++it) {
      if (it.key() != "schema" && it.key() != "tools" && it.key() != "scopes") return Bad(*it, "unknown field");
    }
    if (Status status = Tools(root.Find("tools"), root); !status.ok()) return status.error();
    const JsonValue scopes = root.Find("scopes");
    if (!scopes.is_array()) return Bad(scopes.exists() ? scopes : root, "`scopes` is not an array");
    for (const JsonValue scope : scopes) {
      if (Status status = ReadScope(scope); !status.ok()) return status.error();
    }
    return std::move(graph_);
  }

 private:
  Status Tools(JsonValue tools, JsonValue root) {
    if (!tools.is_object()) return Bad(tools.exists() ? tools : root, "`tools` is not an object");
    for (auto it = tools.begin(); it != tools.end(); ++it) {
      const std::optional<ToolClass> tool_class = ToolClassFromName((*it).string());
      if (!tool_class) return Bad(*it, "a tool's class is none of retrieval, sink, action");
      if (!IsGraphName(it.key())) return Bad(*it, "a tool's name is empty or longer than 256 bytes");
      if (Status status = graph_.SetClass(it.key(), *tool_class); !status.ok()) return status;
    }
    return {};
  }

  Status ReadScope(JsonValue object) {
    if (!object.is_object()) return Bad(object, "a scope is an object");
    Scope scope;
    if (!ReadName(object.Find("tenant"), scope.tenant) || !ReadName(object.Find("role"), scope.role)) {
      return Bad(object, "a scope has the strings `tenant` and `role`");
    }
    for (const std::string* name : {&scope.tenant, &scope.role}) {
      if (!name->empty() && !IsGraphName(*name)) return Bad(object, "a tenant or role is longer than 256 bytes");
    }
    if (graph_.scopes().contains(scope)) return Bad(object, "a scope stands twice");
    // Made here even when nothing else is in it, so that the second of two empty ones is found.
    if (Status status = OpenScope(scope); !status.ok()) return status;
    for (auto it = object.begin(); it != object.end(); ++it) {
      if (it.key() == "tenant" || it.key() == "role") continue;
      Status status;
      if (it.key() == "sessions") {
        status = Sessions(scope, *it);
      } else if (const std::optional<View> view = ViewFromName(it.key())) {
        status = Flows(scope, *view, *it);
      } else {
        status = Bad(*it, "unknown field of a scope");
      }
      if (!status.ok()) return status;
    }
    if (graph_.scopes().at(scope).sessions.empty() && graph_.scopes().at(scope).flows.empty()) {
      return Bad(object, "a scope without sessions");
    }
    return {};
  }

  Status OpenScope(const Scope& scope);

  Status Sessions(const Scope& scope, JsonValue object);
  Status Flows(const Scope& scope, View view, JsonValue array);

  // Both sides of `object`'s members; other members go to `other`, which says whether it took them.
  template <class Other>
  Result<Counts> ReadCounts(JsonValue object, Other&& other) {
    Counts counts;
    for (auto it = object.begin(); it != object.end(); ++it) {
      if (const std::optional<Side> side = SideFromName(it.key())) {
        if (!ReadTally(*it, counts.of(*side))) return Bad(*it, "not a count of sessions by day");
        parts_ += counts.of(*side).parts().size();
        if (parts_ > limits_.max_parts) {
          return GraphError(ErrorCode::kGraphLimit, *it, fmt::format("more than {} counts", limits_.max_parts));
        }
      } else if (!other(it.key(), *it)) {
        return Bad(*it, "unknown field, or one of the wrong type");
      }
    }
    if (counts.empty()) return Bad(object, "nothing is counted");
    return counts;
  }

  const GraphLimits& limits_;
  FunctionalityGraph graph_;
  std::size_t parts_ = 0;
};

Status FileReader::OpenScope(const Scope& scope) {
  if (graph_.scopes().size() >= limits_.max_scopes) {
    return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tenants and roles", limits_.max_scopes));
  }
  GraphAccess::Scopes(graph_)[scope];
  return {};
}

Status FileReader::Sessions(const Scope& scope, JsonValue object) {
  if (!object.is_object()) return Bad(object, "`sessions` is not an object");
  Result<Counts> counts = ReadCounts(object, [](std::string_view, JsonValue) { return false; });
  if (!counts.ok()) return counts.error();
  GraphAccess::Scopes(graph_)[scope].sessions = std::move(counts.value());
  return {};
}

Status FileReader::Flows(const Scope& scope, View view, JsonValue array) {
  if (!array.is_array()) return Bad(array, "a view is not an array");
  for (const JsonValue object : array) {
    if (!object.is_object()) return Bad(object, "an entry is an object");
    Flow flow;
    flow.view = view;
    Result<Counts> counts =
        ReadCounts(object, [&](std::string_view key, JsonValue value) { return ReadFlowMember(key, value, flow); });
    if (!counts.ok()) return counts.error();
    if (const std::string_view fault = FlowFault(flow); !fault.empty()) return Bad(object, std::string(fault));
    const auto is_known = [&](const std::string& tool) { return tool.empty() || graph_.tools().contains(tool); };
    if (!is_known(flow.tool) || !is_known(flow.source) || !std::ranges::all_of(flow.after, is_known)) {
      return Bad(object, "an entry names a tool that `tools` does not");
    }
    Counts* entry = nullptr;
    if (Status status = GraphAccess::Entry(graph_, scope, flow, entry); !status.ok()) return status;
    if (!entry->empty()) return Bad(object, "an entry stands twice");
    *entry = std::move(counts.value());
  }
  return {};
}

}  // namespace

Error GraphError(ErrorCode code, JsonValue at, std::string message) {
  base::SourcePlace place;
  if (at.exists()) place.offset = at.offset();
  return Error(code, std::move(message), std::move(place));
}

void WriteFlow(JsonWriter& writer, const Flow& flow) {
  if (flow.view == View::kRetrievalToAction) {
    writer.Key("after").BeginArray();
    for (const std::string& tool : flow.after) writer.String(tool);
    writer.EndArray();
  } else if (flow.view == View::kActionToAction || (flow.view == View::kTransitions && !flow.after.empty())) {
    writer.Key("after").String(flow.after.front());
  } else if (flow.view == View::kTransitions) {
    writer.Key("after").Null();
  }
  writer.Key("tool").String(flow.tool);
  if (flow.view != View::kArguments) return;
  writer.Key("argument").String(flow.argument).Key("from").String(NameOf(flow.from));
  if (flow.from == OriginKind::kResult) writer.Key("source").String(flow.source);
  if (flow.from != OriginKind::kModel) writer.Key("match").String(NameOf(flow.match));
}

bool ReadFlowMember(std::string_view key, JsonValue value, Flow& flow) {
  if (key == "tool") return ReadName(value, flow.tool);
  if (key == "after") {
    if (flow.view == View::kTransitions && value.is_null()) return true;
    if (flow.view == View::kActionToAction || flow.view == View::kTransitions) {
      flow.after.resize(1);
      return ReadName(value, flow.after.front());
    }
    if (flow.view != View::kRetrievalToAction || !value.is_array()) return false;
    flow.after.reserve(std::min(value.size(), GraphLimits::kMaxSet + 1));
    for (const JsonValue tool : value) {
      if (!tool.is_string() || flow.after.size() > GraphLimits::kMaxSet) return false;
      flow.after.emplace_back(tool.string());
    }
    return true;
  }
  if (flow.view != View::kArguments) return false;
  if (key == "argument") return ReadName(value, flow.argument);
  if (key == "from") {
    if (!ReadEnum<OriginKind, 3>(value, flow.from)) return false;
    if (flow.from == OriginKind::kModel) flow.match = OriginMatch::kNone;
    return true;
  }
  if (key == "source") return ReadName(value, flow.source);
  if (key == "match") return ReadEnum<OriginMatch, 4>(value, flow.match);
  return false;
}

std::string PartName(Day day, std::uint16_t halvings) {
  return halvings == 0 ? DateOf(day) : fmt::format("{}{}{}", DateOf(day), kHalved, halvings);
}

bool ReadPartName(std::string_view text, Day& day, std::uint16_t& halvings) {
  halvings = 0;
  if (text == kUndatedName) {
    day = kUndated;
    return true;
  }
  const std::string_view date = text.substr(0, 10);
  const std::optional<Day> read = DayFromText(date);
  if (!read) return false;
  day = *read;
  if (text.size() == date.size()) return true;
  const std::string_view rest = text.substr(date.size());
  if (!rest.starts_with(kHalved)) return false;
  const std::string_view digits = rest.substr(kHalved.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), halvings);
  // One spelling for one number: no leading zero, no sign.
  return error == std::errc() && end == digits.data() + digits.size() && halvings > 0 && halvings <= 64 &&
         digits.front() != '0';
}

void WriteTally(JsonWriter& writer, const Tally& tally) {
  if (tally.parts().size() == 1 && tally.parts().front().day == kUndated) {
    writer.Uint(tally.parts().front().sessions);
    return;
  }
  writer.BeginObject();
  for (const Tally::Part& part : tally.parts()) writer.Key(PartName(part.day, part.halvings)).Uint(part.sessions);
  writer.EndObject();
}

bool ReadTally(JsonValue value, Tally& tally) {
  if (!value.is_object()) {
    const std::optional<std::uint64_t> count = ReadCount(value);
    return count && tally.Add(kUndated, *count);
  }
  if (value.size() == 0) return false;
  for (auto it = value.begin(); it != value.end(); ++it) {
    Day day = kUndated;
    std::uint16_t halvings = 0;
    const std::optional<std::uint64_t> count = ReadCount(*it);
    if (!count || !ReadPartName(it.key(), day, halvings) || !tally.Add(day, *count, halvings)) return false;
  }
  return true;
}

Result<FunctionalityGraph> FunctionalityGraph::Parse(std::string_view json, const GraphLimits& limits) {
  const Result<base::JsonDoc> doc =
      base::JsonDoc::Parse(json, {.max_bytes = limits.max_bytes, .max_depth = 8, .max_values = 32'000'000});
  if (!doc.ok()) return doc.error();
  return FileReader(limits).Read(doc.value().root());
}

std::string FunctionalityGraph::ToJson() const {
  std::string out = "{\n\"schema\": \"interlock.graph/v1\",\n\"tools\": {";
  std::string_view separator = "\n  ";
  for (const auto& [tool, tool_class] : tools_) {
    out += separator;
    separator = ",\n  ";
    base::AppendJsonString(out, tool);
    out += ": ";
    base::AppendJsonString(out, NameOf(tool_class));
  }
  out += tools_.empty() ? "},\n\"scopes\": [" : "\n},\n\"scopes\": [";
  std::string_view scope_separator = "\n";
  const auto write_counts = [](JsonWriter& writer, const Counts& counts) {
    for (const Side side : {Side::kBenign, Side::kAttack}) {
      if (counts.of(side).empty()) continue;
      writer.Key(NameOf(side));
      WriteTally(writer, counts.of(side));
    }
  };
  for (const auto& [scope, content] : scopes_) {
    if (content.sessions.empty() && content.flows.empty()) continue;
    out += scope_separator;
    scope_separator = ",\n";
    out += "  {\"tenant\": ";
    base::AppendJsonString(out, scope.tenant);
    out += ", \"role\": ";
    base::AppendJsonString(out, scope.role);
    if (!content.sessions.empty()) {
      out += ", \"sessions\": ";
      JsonWriter writer(out);
      writer.BeginObject();
      write_counts(writer, content.sessions);
      writer.EndObject();
    }
    std::optional<View> open;
    for (const auto& [flow, counts] : content.flows) {
      if (open != flow.view) {
        out += open ? "\n   ],\n   \"" : ",\n   \"";
        out += NameOf(flow.view);
        out += "\": [\n    ";
        open = flow.view;
      } else {
        out += ",\n    ";
      }
      JsonWriter writer(out);
      writer.BeginObject();
      WriteFlow(writer, flow);
      write_counts(writer, counts);
      writer.EndObject();
    }
    out += open ? "\n   ]}" : "}";
  }
  out += scope_separator == "\n" ? "]\n}\n" : "\n]\n}\n";
  return out;
}

}  // namespace interlock::bounds
