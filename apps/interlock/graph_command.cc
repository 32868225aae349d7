#include "graph_command.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "interlock/base/text.h"
#include "interlock/bounds/graph_propose.h"
#include "interlock/platform/file.h"
#include "interlock/platform/stream.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonWriter;
using base::Result;
using base::Status;
using bounds::Counts;
using bounds::Flow;
using bounds::FlowClass;
using bounds::FunctionalityGraph;
using bounds::OriginKind;
using bounds::Scope;
using bounds::Side;
using bounds::View;

constexpr std::size_t kShownName = 120;

std::string Shown(std::string_view name) { return base::Printable(name, kShownName); }
unsigned long long Number(std::uint64_t n) { return n; }

FlowClass ClassOf(const Counts& counts, const Counts& sessions, const bounds::GraphPolicy& policy) {
  return bounds::ClassifyCounts(counts.benign.total(), counts.attack.total(), sessions.benign.total(),
                                sessions.attack.total(), policy);
}

int Fail(const Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

void ShowJson(const GraphArgs& args, const FunctionalityGraph& graph) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("schema").String("interlock.graph.show/v1").Key("graph").String(graph.Digest().ToHex());
  w.Key("tools").BeginObject();
  for (const auto& [tool, tool_class] : graph.tools()) w.Key(tool).String(bounds::NameOf(tool_class));
  w.EndObject().Key("flows").BeginArray();
  for (const auto& [scope, content] : graph.scopes()) {
    std::map<View, std::uint64_t> shown;
    for (const auto& [flow, counts] : content.flows) {
      const FlowClass flow_class = ClassOf(counts, content.sessions, args.policy);
      if (!args.view.empty() && bounds::NameOf(flow.view) != args.view) continue;
      if (!args.tool.empty() && flow.tool != args.tool) continue;
      if (!args.flow_class.empty() && bounds::NameOf(flow_class) != args.flow_class) continue;
      if (args.limit != 0 && ++shown[flow.view] > args.limit) continue;
      w.BeginObject().Key("tenant").String(scope.tenant).Key("role").String(scope.role);
      w.Key("view").String(bounds::NameOf(flow.view)).Key("flow").String(InWords(flow));
      w.Key("tool").String(flow.tool).Key("class").String(bounds::NameOf(flow_class));
      w.Key("benign").Uint(counts.benign.total()).Key("attack").Uint(counts.attack.total()).EndObject();
    }
  }
  w.EndArray().EndObject();
  std::printf("%s\n", out.c_str());
}

void ShowText(const GraphArgs& args, const FunctionalityGraph& graph) {
  std::printf("%zu tools, %zu flows, sha256:%s\n", graph.tools().size(), graph.flow_count(),
              graph.Digest().ToHex().c_str());
  for (const bounds::ToolClass tool_class :
       {bounds::ToolClass::kRetrieval, bounds::ToolClass::kSink, bounds::ToolClass::kAction}) {
    std::string names;
    for (const auto& [tool, its_class] : graph.tools()) {
      if (its_class == tool_class) names += (names.empty() ? "" : ", ") + Shown(tool);
    }
    if (!names.empty()) std::printf("  %-9s  %s\n", std::string(bounds::NameOf(tool_class)).c_str(), names.c_str());
  }
  for (const auto& [scope, content] : graph.scopes()) {
    std::printf("\n%s: %llu benign sessions, %llu attacks\n", InWords(scope).c_str(),
                Number(content.sessions.benign.total()), Number(content.sessions.attack.total()));
    std::optional<View> open;
    std::uint64_t shown = 0;
    std::uint64_t hidden = 0;
    const auto close = [&] {
      if (hidden != 0) std::printf("    ... and %llu more\n", Number(hidden));
      shown = hidden = 0;
    };
    for (const auto& [flow, counts] : content.flows) {
      const FlowClass flow_class = ClassOf(counts, content.sessions, args.policy);
      if (!args.view.empty() && bounds::NameOf(flow.view) != args.view) continue;
      if (!args.tool.empty() && flow.tool != args.tool) continue;
      if (!args.flow_class.empty() && bounds::NameOf(flow_class) != args.flow_class) continue;
      if (open != flow.view) {
        close();
        std::printf("  %s\n      benign    attack  class\n", std::string(bounds::NameOf(flow.view)).c_str());
        open = flow.view;
      }
      if (args.limit != 0 && shown >= args.limit) {
        ++hidden;
        continue;
      }
      ++shown;
      std::printf("    %8llu  %8llu  %-9s  %s\n", Number(counts.benign.total()), Number(counts.attack.total()),
                  std::string(bounds::NameOf(flow_class)).c_str(), InWords(flow).c_str());
    }
    close();
  }
}

}  // namespace

Result<FunctionalityGraph> ReadGraphFile(const std::string& path) {
  const auto bytes = platform::ReadStream(path, bounds::GraphLimits().max_bytes - 1);
  if (!bytes.ok()) return bytes.error();
  auto graph = FunctionalityGraph::Parse(bytes.value());
  if (!graph.ok()) return graph.error().Under(path);
  return graph;
}

Result<bounds::GraphDiff> ReadGraphDiffFile(const std::string& path) {
  const auto bytes = platform::ReadStream(path, bounds::GraphLimits().max_bytes - 1);
  if (!bytes.ok()) return bytes.error();
  auto diff = bounds::GraphDiff::Parse(bytes.value());
  if (!diff.ok()) return diff.error().Under(path);
  return diff;
}

Status WriteOutput(const std::string& path, std::string_view bytes) {
  if (!path.empty()) return platform::AtomicWrite(path, bytes, 0644);
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
    return Error(ErrorCode::kIo, "standard output could not be written");
  }
  return {};
}

std::string InWords(const Flow& flow) {
  const std::string tool = Shown(flow.tool);
  switch (flow.view) {
    case View::kCalls:
      return tool;
    case View::kRetrievalToAction: {
      std::string set;
      for (const std::string& name : flow.after) set += (set.empty() ? "" : ", ") + Shown(name);
      return "{" + set + "} -> " + tool;
    }
    case View::kActionToAction:
      return Shown(flow.after.front()) + " ... " + tool;
    case View::kTransitions:
      return (flow.after.empty() ? std::string("(start)") : Shown(flow.after.front())) + " -> " + tool;
    case View::kArguments:
      break;
  }
  std::string out = tool + " " + Shown(flow.argument) + " <- ";
  if (flow.from == OriginKind::kRequest) out += "the request";
  if (flow.from == OriginKind::kResult) out += "result of " + Shown(flow.source);
  if (flow.from == OriginKind::kModel) return out + "the model alone";
  return out + " (" + std::string(bounds::NameOf(flow.match)) + ")";
}

std::string InWords(const Scope& scope) {
  std::string out;
  if (!scope.tenant.empty()) out = "tenant " + Shown(scope.tenant);
  if (!scope.role.empty()) out += (out.empty() ? "role " : ", role ") + Shown(scope.role);
  return out.empty() ? "everybody" : out;
}

std::string DiffInWords(const bounds::GraphDiff& diff, const FunctionalityGraph& before,
                        const FunctionalityGraph& after, const bounds::GraphPolicy& policy) {
  static const FunctionalityGraph::ScopeGraph kEmpty;
  const auto in = [](const FunctionalityGraph& graph, const Scope& scope) -> const FunctionalityGraph::ScopeGraph& {
    const auto it = graph.scopes().find(scope);
    return it == graph.scopes().end() ? kEmpty : it->second;
  };
  const auto class_in = [&](const FunctionalityGraph& graph, const bounds::GraphDiff::Change& change) {
    const auto& content = in(graph, change.scope);
    const auto it = content.flows.find(*change.flow);
    return it == content.flows.end() ? FlowClass::kNovel : ClassOf(it->second, content.sessions, policy);
  };
  const auto sum = [](const std::vector<bounds::GraphDiff::Part>& parts) {
    std::int64_t total = 0;
    for (const auto& part : parts) total += part.sessions;
    return total;
  };
  std::string out;
  for (const auto& change : diff.tools()) {
    out += change.from ? "~ tool " : "+ tool ";
    out += Shown(change.tool) + ": ";
    out += change.from ? std::string(bounds::NameOf(*change.from)) + " -> " : "";
    out += change.to ? std::string(bounds::NameOf(*change.to)) : "gone";
    out += '\n';
  }
  for (const auto& change : diff.changes()) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%+lld benign, %+lld attack", static_cast<long long>(sum(change.benign)),
                  static_cast<long long>(sum(change.attack)));
    out += "~ " + (change.flow ? InWords(*change.flow) : std::string("sessions")) + " (" + InWords(change.scope) +
           "): " + numbers;
    if (change.flow) {
      const FlowClass was = class_in(before, change);
      const FlowClass is = class_in(after, change);
      if (was != is) out += "; " + std::string(bounds::NameOf(was)) + " -> " + std::string(bounds::NameOf(is));
    }
    out += '\n';
  }
  return out;
}

int RunGraphShow(const GraphArgs& args) {
  const auto graph = ReadGraphFile(args.files.front());
  if (!graph.ok()) return Fail(graph.error());
  if (args.format == Format::kJson) {
    ShowJson(args, graph.value());
  } else {
    ShowText(args, graph.value());
  }
  return kExitFine;
}

int RunGraphDiff(const GraphArgs& args) {
  const auto before = ReadGraphFile(args.files[0]);
  if (!before.ok()) return Fail(before.error());
  const auto after = ReadGraphFile(args.files[1]);
  if (!after.ok()) return Fail(after.error());
  const auto diff = bounds::GraphDiff::Between(before.value(), after.value());
  if (!args.output.empty()) {
    if (Status status = WriteOutput(args.output, diff.ToJson()); !status.ok()) return Fail(status.error());
  }
  const std::string shown =
      args.format == Format::kJson ? diff.ToJson() : DiffInWords(diff, before.value(), after.value(), args.policy);
  if (Status status = WriteOutput("", shown); !status.ok()) return Fail(status.error());
  return diff.empty() ? kExitFine : kExitRefused;
}

int RunGraphMerge(const GraphArgs& args) {
  if ((!args.apply.empty() || !args.revert.empty()) && args.files.size() != 1) {
    return Fail(Error(ErrorCode::kUsage, "a diff is applied to, or taken back from, one graph"));
  }
  FunctionalityGraph merged;
  for (const std::string& file : args.files) {
    const auto graph = ReadGraphFile(file);
    if (!graph.ok()) return Fail(graph.error());
    for (const auto& [tool, tool_class] : graph.value().tools()) {
      const auto known = merged.tools().find(tool);
      if (known == merged.tools().end() || known->second == tool_class) continue;
      const bounds::ToolClass cautious = std::max(known->second, tool_class);
      std::fprintf(stderr, "note: %s is %s in one graph and %s in %s; taken as %s\n", Shown(tool).c_str(),
                   std::string(bounds::NameOf(known->second)).c_str(), std::string(bounds::NameOf(tool_class)).c_str(),
                   file.c_str(), std::string(bounds::NameOf(cautious)).c_str());
    }
    if (Status status = merged.Merge(graph.value()); !status.ok()) return Fail(status.error());
  }
  const std::string& path = args.apply.empty() ? args.revert : args.apply;
  if (!path.empty()) {
    const auto diff = ReadGraphDiffFile(path);
    if (!diff.ok()) return Fail(diff.error());
    const Status status = args.apply.empty() ? diff.value().Revert(merged) : diff.value().Apply(merged);
    if (!status.ok()) return Fail(status.error().Under(path));
  }
  const Status status = WriteOutput(args.output, merged.ToJson());
  return status.ok() ? kExitFine : Fail(status.error());
}

int RunGraphPropose(const GraphArgs& args) {
  const auto graph = ReadGraphFile(args.files.front());
  if (!graph.ok()) return Fail(graph.error());
  const Status status = WriteOutput(args.output, bounds::ProposePolicy(graph.value(), args.policy));
  return status.ok() ? kExitFine : Fail(status.error());
}

}  // namespace interlock::app
