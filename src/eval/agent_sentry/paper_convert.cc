#include "interlock/eval/agent_sentry/paper_convert.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace interlock::eval::agent_sentry {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using bounds::Flow;
using bounds::FunctionalityGraph;

namespace {

std::string PointerOf(std::string_view key) {
  std::string pointer = "/";
  for (const char c : key) {
    if (c == '~' || c == '/') {
      pointer.append(c == '~' ? "~0" : "~1");
    } else {
      pointer.push_back(c);
    }
  }
  return pointer;
}

std::string FirstKey(std::string_view pointer) {
  std::string key;
  for (std::size_t i = 1; i < pointer.size() && pointer[i] != '/'; ++i) {
    if (pointer[i] == '~' && i + 1 < pointer.size()) {
      key.push_back(pointer[++i] == '1' ? '/' : '~');
    } else {
      key.push_back(pointer[i]);
    }
  }
  return key;
}

Result<Flow> FlowOfPair(const PaperPair& pair) {
  Flow flow;
  switch (pair.map) {
    case FlowMap::kReadToAction: {
      std::optional<std::vector<std::string>> tools = ToolsOfReadSetKey(pair.key);
      if (!tools) return Error(ErrorCode::kImportShape, "the key is no list of tool names");
      flow.view = bounds::View::kRetrievalToAction;
      flow.after = std::move(*tools);
      flow.tool = pair.value;
      return flow;
    }
    case FlowMap::kActionToAction:
      flow.view = bounds::View::kActionToAction;
      flow.after = {pair.key};
      flow.tool = pair.value;
      return flow;
    case FlowMap::kArgumentSource:
      break;
  }
  const std::size_t dot = pair.key.rfind('.');  // tools may have dots, arguments hardly do
  if (dot == std::string::npos) return Error(ErrorCode::kImportShape, "the key is no `tool.argument`");
  flow.view = bounds::View::kArguments;
  flow.tool = pair.key.substr(0, dot);
  flow.argument = PointerOf(pair.key.substr(dot + 1));
  flow.from = pair.value == kPromptSource ? bounds::OriginKind::kRequest : bounds::OriginKind::kResult;
  if (flow.from == bounds::OriginKind::kResult) flow.source = pair.value;
  flow.match = bounds::OriginMatch::kSubstring;
  return flow;
}

std::optional<PaperPair> PairOfFlow(const Flow& flow) {
  switch (flow.view) {
    case bounds::View::kRetrievalToAction:
      return PaperPair{FlowMap::kReadToAction, ReadSetKey(flow.after), flow.tool};
    case bounds::View::kActionToAction:
      if (flow.after.size() != 1) return std::nullopt;
      return PaperPair{FlowMap::kActionToAction, flow.after.front(), flow.tool};
    case bounds::View::kArguments:
      if (flow.from == bounds::OriginKind::kModel) return std::nullopt;
      return PaperPair{FlowMap::kArgumentSource, flow.tool + "." + FirstKey(flow.argument),
                       flow.from == bounds::OriginKind::kRequest ? std::string(kPromptSource) : flow.source};
    case bounds::View::kCalls:
    case bounds::View::kTransitions:
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<FunctionalityGraph> GraphFromPaperPolicy(const PaperPolicy& policy) {
  FunctionalityGraph graph;
  bool used[2] = {false, false};
  for (PairId id = 0; id < policy.pairs.size(); ++id) {
    const FlowClass part = policy.graph.Of(id);
    if (part == FlowClass::kNovel) continue;
    const Result<Flow> flow = FlowOfPair(policy.pairs.at(id));
    if (!flow.ok()) return flow.error();
    if (flow.value().view == bounds::View::kRetrievalToAction) {
      for (const std::string& tool : flow.value().after) {
        if (Status status = graph.SetClass(tool, bounds::ToolClass::kRetrieval); !status.ok()) return status.error();
      }
    }
    for (const bounds::Side side : {bounds::Side::kBenign, bounds::Side::kAttack}) {
      const FlowClass only = side == bounds::Side::kBenign ? FlowClass::kUtility : FlowClass::kAttack;
      if (part != only && part != FlowClass::kAmbiguous) continue;
      used[side == bounds::Side::kBenign ? 0 : 1] = true;
      if (Status status = graph.Add({}, flow.value(), side, bounds::kUndated); !status.ok()) return status.error();
    }
  }
  for (const bounds::Side side : {bounds::Side::kBenign, bounds::Side::kAttack}) {
    if (!used[side == bounds::Side::kBenign ? 0 : 1]) continue;
    if (Status status = graph.AddSessions({}, side, bounds::kUndated); !status.ok()) return status.error();
  }
  return graph;
}

PaperPolicy PaperPolicyFromGraph(const FunctionalityGraph& graph) {
  PaperPolicy policy;
  const auto general = graph.scopes().find(bounds::Scope{});
  if (general == graph.scopes().end()) return policy;
  for (const auto& [flow, counts] : general->second.flows) {
    std::optional<PaperPair> pair = PairOfFlow(flow);
    if (!pair) continue;
    const PairId id = policy.pairs.Intern(std::move(*pair));
    // Flows that differ only in what is left out fall together.
    const FlowClass known = policy.graph.Of(id);
    const bool benign = !counts.benign.empty() || known == FlowClass::kUtility || known == FlowClass::kAmbiguous;
    const bool attack = !counts.attack.empty() || known == FlowClass::kAttack || known == FlowClass::kAmbiguous;
    policy.graph.Put(id, benign && attack ? FlowClass::kAmbiguous : benign ? FlowClass::kUtility : FlowClass::kAttack);
  }
  return policy;
}

}  // namespace interlock::eval::agent_sentry
