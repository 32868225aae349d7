// A functionality graph: what an agent's calls have looked like, in benign sessions and in attacks.
//
// For each scope (a tenant, a role, or all of them) it counts, apart for the two sides, in how many sessions
//   calls                a tool was called;
//   retrieval_to_action  an action (or a sink, tool_class.h) came after exactly this set of retrievals;
//   action_to_action     an action came some time after another action;
//   arguments            an argument of a tool had a value from the request, from a result of some tool, or from
//                        nowhere but the model, and how it matched;
//   transitions          a call followed directly on another.
// Calls of one assistant turn have not seen each other: only earlier turns count as before. A session counts once in an
// entry, however often the flow occurs in it. Counts are kept by day where the day is known.
//
//   FunctionalityGraph graph;
//   Result<FunctionalityGraph> read = FunctionalityGraph::Parse(bytes);
//   if (Status status = graph.Merge(read.value()); !status.ok()) ...
//   std::string file = graph.ToJson();              // sorted: equal graphs are equal bytes
//
// Merging adds: it is associative and commutative, and Parse(g.ToJson()) == g. This is the value; learn.h makes it,
// graph_index.h looks things up in it, graph_diff.h says what changed.
//
// Source: Agent-Sentry, sections 4.3-4.4 and 4.7; counts, days, turns and scopes are ours. File format:
// schemas/interlock.graph.v1.json. Not thread safe while it changes.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/result.h"
#include "interlock/bounds/tool_class.h"

namespace interlock::bounds {

enum class Side : std::uint8_t { kBenign, kAttack };
[[nodiscard]] std::string_view NameOf(Side side) noexcept;  // "benign" "attack"
[[nodiscard]] std::optional<Side> SideFromName(std::string_view name) noexcept;

// Days since 1970-01-01; kUndated stands before all of them.
using Day = std::int32_t;
inline constexpr Day kUndated = std::numeric_limits<Day>::min();
[[nodiscard]] std::string DateOf(Day day);  // "2026-01-31", "undated"
// "2026-01-31", or an RFC 3339 time, whose date counts as it is written. Nothing for anything else.
[[nodiscard]] std::optional<Day> DayFromText(std::string_view text) noexcept;

// How many sessions, on which days. A part that decay has halved says how often, so that it is never halved twice.
class Tally {
 public:
  struct Part {
    Day day = kUndated;
    std::uint16_t halvings = 0;
    std::uint64_t sessions = 0;  // never 0
    bool operator==(const Part&) const = default;
  };
  // False, and nothing is changed, where the sum would pass kMax.
  [[nodiscard]] bool Add(Day day, std::uint64_t sessions, std::uint16_t halvings = 0);
  // False, and nothing is changed, where there are fewer.
  [[nodiscard]] bool Remove(Day day, std::uint64_t sessions, std::uint16_t halvings = 0);
  [[nodiscard]] std::uint64_t total() const noexcept;
  // Sessions of the days first..last, both included; undated ones lie in no range.
  [[nodiscard]] std::uint64_t Between(Day first, Day last) const noexcept;
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }  // by day, then halvings
  [[nodiscard]] bool empty() const noexcept { return parts_.empty(); }
  bool operator==(const Tally&) const = default;

  static constexpr std::uint64_t kMax = std::uint64_t{1} << 53;

 private:
  std::vector<Part> parts_;
};

struct Counts {
  Tally benign;
  Tally attack;
  [[nodiscard]] Tally& of(Side side) noexcept { return side == Side::kBenign ? benign : attack; }
  [[nodiscard]] const Tally& of(Side side) const noexcept { return side == Side::kBenign ? benign : attack; }
  [[nodiscard]] bool empty() const noexcept { return benign.empty() && attack.empty(); }
  bool operator==(const Counts&) const = default;
};

// "": all. {"", ""} is the general scope.
struct Scope {
  std::string tenant;
  std::string role;
  auto operator<=>(const Scope&) const = default;
};

enum class View : std::uint8_t { kCalls, kRetrievalToAction, kActionToAction, kArguments, kTransitions };
inline constexpr std::size_t kViewCount = 5;
[[nodiscard]] std::string_view NameOf(View view) noexcept;  // "calls" "retrieval_to_action" ...
[[nodiscard]] std::optional<View> ViewFromName(std::string_view name) noexcept;

// Where an argument's value comes from. The model's own: neither the request nor an earlier result holds it.
enum class OriginKind : std::uint8_t { kRequest, kResult, kModel };
[[nodiscard]] std::string_view NameOf(OriginKind kind) noexcept;  // "request" "result" "model"
// How a learned value matched its source: the same bytes; the same words (case, white space, punctuation and number
// spelling aside); a part of it that identifies something (an address, a number, a path); half of its words or more.
enum class OriginMatch : std::uint8_t { kExact, kCanonical, kFormat, kSubstring, kNone };
[[nodiscard]] std::string_view NameOf(OriginMatch match) noexcept;  // "exact" "canonical" "format" "substring" "none"

// One entry of a view. What a view does not use is empty.
struct Flow {
  View view = View::kCalls;
  // Sorted set of retrievals (may be empty), or the earlier action, or the call before (empty: the session's first).
  std::vector<std::string> after;
  std::string tool;
  std::string argument;                     // kArguments: JSON pointer; `*` for the elements of an array
  OriginKind from = OriginKind::kRequest;   // kArguments
  std::string source;                       // kArguments, from a result: of which tool
  OriginMatch match = OriginMatch::kExact;  // kArguments; kNone for the model, and only there
  auto operator<=>(const Flow&) const = default;
};

struct GraphLimits {
  std::size_t max_bytes = std::size_t{256} << 20;  // of a file, minus one
  std::size_t max_tools = 65'536;
  std::size_t max_scopes = 4'096;
  std::size_t max_flows = 1'000'000;                 // all scopes together
  std::size_t max_parts = 4'000'000;                 // of tallies, in a file
  static constexpr std::size_t kMaxNameBytes = 256;  // tool, argument, tenant, role
  static constexpr std::size_t kMaxSet = 64;         // retrievals in one set
};

class FunctionalityGraph {
 public:
  struct ScopeGraph {
    Counts sessions;
    std::map<Flow, Counts> flows;  // no empty counts
    bool operator==(const ScopeGraph&) const = default;
  };

  explicit FunctionalityGraph(const GraphLimits& limits = {}) : limits_(limits) {}

  // The class a tool was learned under; of two statements the more cautious counts. kGraphLimit.
  [[nodiscard]] base::Status SetClass(std::string_view tool, ToolClass tool_class);
  // Adds sessions to one entry. Tools of the flow that have no class yet become actions. kGraphLimit; kInvalidArgument
  // for a flow that is none (a name that is empty or too long, a set that is not sorted, fields of another view).
  [[nodiscard]] base::Status Add(const Scope& scope, const Flow& flow, Side side, Day day, std::uint64_t sessions = 1);
  [[nodiscard]] base::Status AddSessions(const Scope& scope, Side side, Day day, std::uint64_t sessions = 1);
  // Adds everything of `other`; after an error this graph is as it was.
  [[nodiscard]] base::Status Merge(const FunctionalityGraph& other);

  [[nodiscard]] const std::map<std::string, ToolClass, std::less<>>& tools() const noexcept { return tools_; }
  [[nodiscard]] const std::map<Scope, ScopeGraph>& scopes() const noexcept { return scopes_; }
  [[nodiscard]] std::size_t flow_count() const noexcept { return flow_count_; }
  [[nodiscard]] bool empty() const noexcept { return tools_.empty() && scopes_.empty(); }
  bool operator==(const FunctionalityGraph& other) const { return tools_ == other.tools_ && scopes_ == other.scopes_; }

  // Reads a file. Errors: every JSON error, kGraphFormat (with the offset of what is wrong), kGraphLimit.
  [[nodiscard]] static base::Result<FunctionalityGraph> Parse(std::string_view json, const GraphLimits& limits = {});
  // The file: sorted, a line an entry, ends with a line end.
  [[nodiscard]] std::string ToJson() const;
  // SHA-256 of ToJson().
  [[nodiscard]] base::Digest Digest() const;

 private:
  friend class GraphDiff;
  friend class GraphAccess;
  // The tally of an entry, made where missing. Null: a limit was reached.
  // The counts of an entry, made where missing.
  [[nodiscard]] base::Status Entry(const Scope& scope, const Flow& flow, Counts*& counts);
  GraphLimits limits_;
  std::map<std::string, ToolClass, std::less<>> tools_;
  std::map<Scope, ScopeGraph> scopes_;
  std::size_t flow_count_ = 0;
};

}  // namespace interlock::bounds
