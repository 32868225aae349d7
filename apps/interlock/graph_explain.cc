// `interlock graph explain`: which class a call has, why, and what was seen instead.
#include <algorithm>
#include <cstdio>

#include "graph_command.h"
#include "interlock/base/text.h"
#include "policy_files.h"
#include "trace_files.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using bounds::Flow;
using bounds::FlowClass;
using bounds::FlowReading;
using bounds::View;

std::string Shown(std::string_view name) { return base::Printable(name, 120); }
unsigned long long Number(std::uint64_t n) { return n; }
std::string Name(FlowClass flow_class) { return std::string(bounds::NameOf(flow_class)); }

struct Seen {
  std::string words;
  std::uint64_t benign;
  std::uint64_t attack;
};

class Explainer {
 public:
  Explainer(const GraphArgs& args, const bounds::FunctionalityGraph& graph)
      : args_(args),
        graph_(graph),
        index_(bounds::GraphIndex::Build(graph, args.policy)),
        chain_(index_->ScopesFor(args.tenant, args.roles, bounds::BackOff::kGeneral)) {}

  [[nodiscard]] bounds::FlowContext Context() const { return bounds::FlowContext(index_, chain_); }
  // The class the graph knows, else the one of the name.
  [[nodiscard]] bounds::ToolClass ClassOf(std::string_view tool) const {
    return index_->ClassOf(tool).value_or(bounds::ClassifyName(tool));
  }

  void Explain(const bounds::FlowContext& context, std::string_view session, std::size_t index,
               const std::string& tool) const {
    const bounds::ToolClass tool_class = ClassOf(tool);
    const bool is_gated = bounds::IsGated(tool_class);
    const FlowReading control = is_gated ? context.ControlFlow(tool) : context.Transition(tool);
    const bounds::PathOdds odds = context.Odds(tool);
    if (args_.format == Format::kJson) {
      std::string out;
      base::JsonWriter w(out);
      w.BeginObject();
      if (!session.empty()) w.Key("session").String(session).Key("index").Uint(index);
      w.Key("tool").String(tool).Key("tool_class").String(bounds::NameOf(tool_class));
      w.Key("class").String(bounds::NameOf(control.flow));
      Reading(w, "calls", context.Call(tool));
      if (is_gated) {
        Reading(w, "retrieval_to_action", context.Retrievals(tool));
        if (context.has_actions()) Reading(w, "action_to_action", context.EarlierActions(tool));
      }
      Reading(w, "transition", context.Transition(tool));
      w.Key("log_odds").Double(odds.log_odds).Key("support").Uint(odds.support).Key("instead").BeginArray();
      for (const Seen& seen : Instead(tool, is_gated)) {
        w.BeginObject().Key("flow").String(seen.words).Key("benign").Uint(seen.benign);
        w.Key("attack").Uint(seen.attack).EndObject();
      }
      w.EndArray().EndObject();
      std::printf("%s\n", out.c_str());
      return;
    }
    if (!session.empty()) std::printf("%s #%zu ", Shown(session).c_str(), index);
    std::printf("%s (%s): %s\n", Shown(tool).c_str(), std::string(bounds::NameOf(tool_class)).c_str(),
                Name(control.flow).c_str());
    Line("called at all", context.Call(tool));
    if (is_gated) {
      Line("after exactly these retrievals", context.Retrievals(tool));
      if (context.has_unknown_retrieval()) std::printf("  a retrieval came before that was never learned\n");
      if (context.has_actions()) Line("after these actions", context.EarlierActions(tool));
    }
    Line("right after the call before", context.Transition(tool));
    std::printf("  path odds %+.2f (%s), from %llu sessions\n", odds.log_odds,
                odds.log_odds > 0.5    ? "more like the attacks"
                : odds.log_odds < -0.5 ? "more like the benign sessions"
                                       : "undecided",
                Number(odds.support));
    if (control.flow == FlowClass::kBenign) return;
    const std::vector<Seen> instead = Instead(tool, is_gated);
    if (instead.empty()) {
      std::printf("  no benign session has called it\n");
      return;
    }
    std::printf("  benign sessions called it so:\n");
    for (const Seen& seen : instead) {
      std::printf("    %8llu benign, %llu attack  %s\n", Number(seen.benign), Number(seen.attack), seen.words.c_str());
    }
  }

 private:
  void Line(const char* what, const FlowReading& reading) const {
    if (reading.benign + reading.attack == 0) {
      std::printf("  %s: never seen\n", what);
      return;
    }
    std::printf("  %s: %llu benign sessions, %llu attacks: %s\n", what, Number(reading.benign), Number(reading.attack),
                Name(reading.flow).c_str());
  }
  static void Reading(base::JsonWriter& w, std::string_view key, const FlowReading& reading) {
    w.Key(key).BeginObject().Key("class").String(bounds::NameOf(reading.flow));
    w.Key("benign").Uint(reading.benign).Key("attack").Uint(reading.attack).EndObject();
  }

  // The commonest benign ways to this call, of the general scope.
  [[nodiscard]] std::vector<Seen> Instead(const std::string& tool, bool is_gated) const {
    constexpr std::size_t kMost = 5;
    std::vector<Seen> seen;
    const auto general = graph_.scopes().find({});
    if (general == graph_.scopes().end()) return seen;
    const View view = is_gated ? View::kRetrievalToAction : View::kTransitions;
    for (const auto& [flow, counts] : general->second.flows) {
      if (flow.view != view || flow.tool != tool || counts.benign.empty()) continue;
      seen.push_back({.words = InWords(flow), .benign = counts.benign.total(), .attack = counts.attack.total()});
    }
    std::ranges::stable_sort(seen, [](const Seen& a, const Seen& b) { return a.benign > b.benign; });
    if (seen.size() > kMost) seen.resize(kMost);
    return seen;
  }

  const GraphArgs& args_;
  const bounds::FunctionalityGraph& graph_;
  std::shared_ptr<const bounds::GraphIndex> index_;
  bounds::GraphIndex::Chain chain_;
};

}  // namespace

int RunGraphExplain(const GraphArgs& args) {
  const auto graph = ReadGraphFile(args.files.front());
  if (!graph.ok()) {
    PrintError(graph.error());
    return kExitCannotRun;
  }
  if (args.tool.empty() == args.session.empty()) {
    PrintError(Error(ErrorCode::kUsage, "explain takes --tool (and --after), or --session"));
    return kExitCannotRun;
  }
  const Explainer explainer(args, graph.value());
  if (!args.tool.empty()) {
    bounds::FlowContext context = explainer.Context();
    for (const std::string& tool : args.after) {
      context.Add(tool, explainer.ClassOf(tool));
      context.NextTurn();
    }
    explainer.Explain(context, "", 0, args.tool);
    return kExitFine;
  }
  TraceFileStats stats;
  std::size_t found = 0;
  const auto status = ForEachSession(
      args.session, {}, stats,
      [&](core::TraceSession& session) {
        if (!args.session_name.empty() && session.session != args.session_name) return true;
        ++found;
        bounds::FlowContext context = explainer.Context();
        std::size_t index = 0;
        for (const core::TraceMessage& message : session.messages) {
          for (const core::TraceCall& call : message.calls) {
            explainer.Explain(context, session.session, index++, std::string(call.tool));
            context.Add(call.tool, explainer.ClassOf(call.tool));
          }
          if (message.role == core::Role::kAssistant) context.NextTurn();
        }
        return true;
      },
      [](const Error& error) { PrintError(error); });
  if (!status.ok()) {
    PrintError(status.error());
    return kExitCannotRun;
  }
  if (found == 0) {
    PrintError(Error(ErrorCode::kNotFound, "no such session in the file"));
    return kExitCannotRun;
  }
  return kExitFine;
}

}  // namespace interlock::app
