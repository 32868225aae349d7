// The published functionality graphs and what is decided by them, as the AGENT-SENTRY artifact does it.
//
//   PairTable pairs;
//   TraceFlow flow = FlowOf(trace, nodes, tools, pairs);      // nodes: paper_match.h
//   PaperGraph graph;
//   graph.Learn(flow, trace.attack);
//   TraceScore score = ScoreTrace(graph, flow);               // above the threshold: blocked
//
// A graph is three maps (what was read -> action, earlier action -> action, argument -> source) in three parts: pairs
// seen in benign traces only (utility), in attacks only (attack), in both (ambiguous). No counts.
//
// Values: not thread safe while they change, free to read from any thread after.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/agent_sentry/paper_match.h"

namespace interlock::eval::agent_sentry {

enum class FlowMap : std::uint8_t { kReadToAction, kActionToAction, kArgumentSource };
inline constexpr std::size_t kFlowMaps = 3;

// One entry. The key is `['a', 'b']` (sorted) for kReadToAction, a tool for kActionToAction, `tool.argument` for
// kArgumentSource; the value an action, an action, a source.
struct PaperPair {
  FlowMap map = FlowMap::kReadToAction;
  std::string key;
  std::string value;
  auto operator<=>(const PaperPair&) const = default;
};

using PairId = std::uint32_t;

// Numbers for pairs, given in order of first use and never taken back.
class PairTable {
 public:
  [[nodiscard]] PairId Intern(PaperPair pair);
  [[nodiscard]] const PaperPair& at(PairId id) const { return *by_id_.at(id); }
  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }

  PairTable() = default;
  PairTable(PairTable&&) noexcept = default;  // nodes of a map stay where they are
  PairTable& operator=(PairTable&&) noexcept = default;
  PairTable(const PairTable&) = delete;
  PairTable& operator=(const PairTable&) = delete;

 private:
  std::map<PaperPair, PairId> ids_;
  std::vector<const PaperPair*> by_id_;
};

// The key of a set of tools, as Python prints a sorted list of them.
[[nodiscard]] std::string ReadSetKey(std::vector<std::string> tools);
// The tools, sorted; nothing for a text that is no list of strings.
[[nodiscard]] std::optional<std::vector<std::string>> ToolsOfReadSetKey(std::string_view key);

// What is looked up for one action call.
struct ActionPairs {
  std::uint32_t call = 0;
  PairId read = 0;
  std::vector<PairId> chain;      // one for each earlier action, not just the last
  std::vector<PairId> arguments;  // one for each source of each argument
};
using TraceFlow = std::vector<ActionPairs>;

[[nodiscard]] TraceFlow FlowOf(const Trace& trace, std::span<const ArgumentNode> nodes, const PaperTools& tools,
                               PairTable& pairs);

enum class FlowClass : std::uint8_t { kUtility, kAmbiguous, kAttack, kNovel };
inline constexpr std::size_t kFlowClasses = 4;
[[nodiscard]] std::string_view NameOf(FlowClass flow_class) noexcept;  // "utility" "ambiguous" "attack" "novel"

class PaperGraph {
 public:
  void Learn(const TraceFlow& flow, bool attack);
  void Put(PairId pair, FlowClass part);  // kNovel takes it out
  [[nodiscard]] FlowClass Of(PairId pair) const noexcept;

 private:
  void Mark(PairId pair, std::uint8_t seen);
  std::vector<std::uint8_t> seen_;  // by pair: in benign traces, in attacks
};

struct ActionScore {
  std::uint32_t call = 0;
  FlowClass control = FlowClass::kNovel;
  FlowClass data = FlowClass::kAmbiguous;
  int score = 0;
  bool operator==(const ActionScore&) const = default;
};
struct TraceScore {
  std::vector<ActionScore> actions;
  int max_score = 0;  // 0 without any action
};
[[nodiscard]] TraceScore ScoreTrace(const PaperGraph& graph, const TraceFlow& flow);

// The artifact's thresholds; a trace is blocked when its score is above. `scores`: of the utility traces learned from.
// Bench: the first of 1.0, 1.1, ... that at least 90 % do not pass. AgentDojo: the integer of -20..20 that comes
// nearest to 90 %.
[[nodiscard]] double BenchThreshold(std::span<const int> scores);
[[nodiscard]] double AgentDojoThreshold(std::span<const int> scores);

enum class PaperDecision : std::uint8_t {
  kArtifactBench,      // score above the threshold; from 0 to 2 also when the judge says misaligned
  kArtifactAgentDojo,  // the same up to 2 without lower limit, and only where a verdict was recorded
  kPaperText,  // an action of attack class in either view: blocked; all utility in both: allowed; else the judge
  kGraphOnly,
  kJudgeAlone,
};
[[nodiscard]] std::string_view NameOf(PaperDecision decision) noexcept;

// `judge`: 0 aligned, 1 misaligned, -1 none recorded, for which the artifact takes the label's side.
[[nodiscard]] bool IsBlocked(PaperDecision decision, const TraceScore& score, double threshold, int judge, bool attack);

// The published file layout: {"utility": {"cfg_ret_to_action": {key: [value...]}, "cfg_action_to_action": ...,
// "dfg_arg_sources": ...}, "ambiguous": ..., "attack": ...}.
struct PaperPolicy {
  PairTable pairs;
  PaperGraph graph;
};
// Parts and maps may be missing; anything else unknown, and a pair in two parts, is kImportShape. Every JSON error.
[[nodiscard]] base::Result<PaperPolicy> ParsePaperPolicy(std::string_view json);
// Sorted, indented by two, ends with a line end: equal graphs are equal bytes.
[[nodiscard]] std::string PaperPolicyJson(const PairTable& pairs, const PaperGraph& graph);

}  // namespace interlock::eval::agent_sentry
