// One agent's session as bounds sees it: the request, the results so far with what in them addresses the agent, and for
// a proposed call the features, the score and the evidence. The same code runs live and offline.
//
//   BoundsSession session(model, finder, options);
//   session.SetRequest("Pay the rent as the lease says");
//   ... a result comes in:   const injection::ScanResult& scan = session.OnResult({...});   // spans to quarantine
//   ... a call is proposed:  Judgement j = session.Judge({.tool = "send_money", .tool_class = ..., .arguments = args});
//   ... it goes ahead:       session.OnCall(same);
//
// What counts as seen is what was added: decide the calls of one assistant turn before adding their results.
//
// How a call is judged, cheapest first:
//
// * a retrieval is not gated; one whose address is an argument (a sink) is;
// * definitions: an address or identifier that the agent has from another tool's definition alone waits for a person;
// * causal cut: where nothing untrusted was seen, no injection can be behind the call;
// * explained: where every argument stands in a trusted place that the policy names for it, nothing untrusted chose
// one;
// * features: provenance of every argument, taint of its cleanest occurrence, intent, orders that name the tool, path;
// * the combiner, trees over the features, is the signal;
// * whatever it says, these wait for a person: an order that names another account than the document's facts do; an
//   argument that stands only in an order that has to be decoded; an account that the record of the same thing
//   contradicts; a link to a place that one result names with data of another one; a key or token that a result showed,
//   in what goes to others;
// * with the request unknown only causality and taint speak;
// * delegation: where the request says to do what a document says, a refusal becomes a question to a person within that
//   document, and nothing is masked.
//
// Source: Agent-Sentry, section 4, and docs/bounds.md for what is ours.
//
// Bounded by its options; over them `complete` is false and the judgement says so. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/bounds/features.h"
#include "interlock/bounds/graph_index.h"
#include "interlock/bounds/model.h"
#include "interlock/bounds/tool_class.h"
#include "interlock/core/verdict.h"
#include "interlock/injection/span_finder.h"
#include "interlock/policy/definition_names.h"
#include "interlock/provenance/source_index.h"

namespace interlock::bounds {

struct BoundsOptions {
  std::array<std::uint64_t, 2> key{};
  std::size_t max_results = 4096;
  std::size_t max_calls = 4096;
  std::vector<std::string> tool_names;      // of the agent's tools, where known: orders that name one weigh more
  std::shared_ptr<const GraphIndex> graph;  // null: the path says nothing
  std::string tenant;
  std::vector<std::string> roles;
};

struct ProposedCall {
  std::string_view tool;
  ToolClass tool_class = ToolClass::kAction;
  base::JsonValue arguments;
  bool high_risk = false;  // security, deploy: a delegated document cannot order it unasked
  // JSON pointers of arguments whose values stand where the policy says that they have to come from, in something
  // trusted: they count as the request's own.
  std::span<const std::string_view> explained = {};
  const policy::DefinitionNames* definitions = nullptr;  // of the agent's tools; null: not known
};

struct SeenResult {
  std::string_view tool;
  ToolClass tool_class = ToolClass::kRetrieval;
  std::string_view text;
  base::JsonValue arguments;  // of the call, where known: the agent's own words are no evidence
  bool trusted = false;
  const injection::ScanResult* scan = nullptr;  // of this text by the session's finder (Scan), where it is known
};

// Log-odds above which a call waits for a person, or is refused.
struct Thresholds {
  float escalate = 0.0F;
  float block = 0.0F;
};

// Why a call was judged so.
enum class Ground : std::uint8_t {
  kNotGated,      // a retrieval
  kUnexposed,     // the causal cut
  kWithin,        // the combiner sees nothing
  kTaint,         // arguments that come from text addressed to the agent
  kUnasked,       // the request asks for no such action
  kPath,          // the path is an attack's
  kCombined,      // together
  kDelegated,     // would be refused, but the request delegates to the document
  kExplained,     // every argument is
  kDefinition,    // an argument that only another tool's definition holds
  kCarriesAway,   // a link to a place that one result names, with what another one holds
  kContradicted,  // an account that is not the one in the record of what the call names
  kTellsSecret,   // a key or token that a result showed, in what goes to others
};
[[nodiscard]] std::string_view NameOf(Ground ground) noexcept;

struct Judgement {
  core::Verdict verdict = core::Verdict::kAllow;
  Ground ground = Ground::kNotGated;
  float score = 0.0F;    // log-odds
  bool complete = true;  // false: something of the session was not seen whole
  std::string pointer;   // the argument it hangs on, where one stands out
  std::string text;      // for people; empty for allow
};

class BoundsSession {
 public:
  BoundsSession(std::shared_ptr<const BoundsModel> model, std::shared_ptr<const injection::SpanFinder> finder,
                BoundsOptions options);
  BoundsSession(BoundsSession&&) noexcept;
  BoundsSession& operator=(BoundsSession&&) noexcept;
  ~BoundsSession();

  void SetRequest(std::string_view text);
  // Scans and remembers. The answer is valid until the next call.
  const injection::ScanResult& OnResult(const SeenResult& result);
  void OnCall(const ProposedCall& call);
  // What OnResult would find; remembers nothing. For masking before the text counts as seen.
  [[nodiscard]] injection::ScanResult Scan(const SeenResult& result) const;

  [[nodiscard]] bool exposed() const noexcept;    // something untrusted was seen
  [[nodiscard]] bool delegates() const noexcept;  // the request hands its content to a document
  [[nodiscard]] FeatureVector Extract(const ProposedCall& call) const;
  [[nodiscard]] Judgement Judge(const ProposedCall& call) const;  // with the model's own thresholds
  [[nodiscard]] Judgement Judge(const ProposedCall& call, const Thresholds& thresholds) const;
  // A judgement from features that were extracted before.
  [[nodiscard]] const provenance::SourceIndex& sources() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::bounds
