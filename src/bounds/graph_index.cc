#include "interlock/bounds/graph_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "interlock/base/check.h"

namespace interlock::bounds {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();         // no tool; first call of a session
constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max() - 1;  // not in the graph
constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max() - 2;      // totals of a context

std::uint64_t Mix(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

struct IndexKey {
  std::uint32_t scope = 0;
  View view = View::kCalls;
  std::uint8_t origin = 0;  // kind and match
  std::uint32_t after = kNone;
  std::uint32_t tool = kNone;
  std::uint32_t source = kNone;
  bool operator==(const IndexKey&) const = default;
};

std::uint64_t HashOf(const IndexKey& key) noexcept {
  const std::uint64_t a =
      static_cast<std::uint64_t>(key.scope) << 32U | static_cast<std::uint64_t>(key.view) << 8U | key.origin;
  const std::uint64_t b = static_cast<std::uint64_t>(key.after) << 32U | key.tool;
  return Mix(Mix(a ^ static_cast<std::uint64_t>(key.source) << 16U) ^ b);
}

struct Sum {
  std::uint64_t benign = 0;
  std::uint64_t attack = 0;
  void Add(const Counts& counts) {
    benign += counts.benign.total();
    attack += counts.attack.total();
  }
};

// `origin` of a key: a kind with one match, or with any.
constexpr std::uint8_t kAnyMatch = 7;
std::uint8_t OriginCode(OriginKind kind, std::optional<OriginMatch> match) noexcept {
  const auto code = static_cast<unsigned>(kind) << 3U | (match ? static_cast<unsigned>(*match) : kAnyMatch);
  return static_cast<std::uint8_t>(code);
}

}  // namespace

struct GraphIndex::Impl {
  struct Entry {
    IndexKey key;
    Sum sum;
    bool used = false;
  };
  struct ScopeTotals {
    Sum sessions;
    Sum calls;  // of every tool
    Sum gated;  // of gated tools
  };

  GraphPolicy policy;
  std::vector<std::string> names;  // sorted; a tool's number is its place
  std::vector<ToolClass> classes;
  std::vector<std::string> arguments;  // sorted
  std::vector<Scope> scopes;           // sorted
  std::vector<ScopeTotals> totals;
  std::vector<Entry> entries;  // open addressing
  // Sets of retrievals: a number by the hash of the members, whatever their order.
  struct Set {
    std::uint64_t hash = 0;
    std::vector<std::uint32_t> members;
  };
  std::vector<Set> sets;  // by hash

  [[nodiscard]] std::uint32_t Tool(std::string_view name) const noexcept {
    const auto it = std::lower_bound(names.begin(), names.end(), name);
    return it != names.end() && *it == name ? static_cast<std::uint32_t>(it - names.begin()) : kUnknown;
  }
  [[nodiscard]] std::uint32_t ArgumentId(std::string_view name) const noexcept {
    const auto it = std::lower_bound(arguments.begin(), arguments.end(), name);
    return it != arguments.end() && *it == name ? static_cast<std::uint32_t>(it - arguments.begin()) : kUnknown;
  }
  [[nodiscard]] std::uint32_t SetId(std::uint64_t hash, std::span<const std::uint32_t> members) const noexcept {
    auto it =
        std::lower_bound(sets.begin(), sets.end(), hash, [](const Set& set, std::uint64_t h) { return set.hash < h; });
    for (; it != sets.end() && it->hash == hash; ++it) {
      if (std::ranges::equal(it->members, members)) return static_cast<std::uint32_t>(it - sets.begin());
    }
    return kUnknown;
  }
  [[nodiscard]] const Sum* Find(const IndexKey& key) const noexcept {
    const std::size_t mask = entries.size() - 1;
    for (std::size_t at = HashOf(key) & mask; entries[at].used; at = (at + 1) & mask) {
      if (entries[at].key == key) return &entries[at].sum;
    }
    return nullptr;
  }
  [[nodiscard]] Sum SumOf(const IndexKey& key) const noexcept {
    const Sum* sum = Find(key);
    return sum != nullptr ? *sum : Sum();
  }
  void Insert(const IndexKey& key, const Sum& sum) {
    const std::size_t mask = entries.size() - 1;
    std::size_t at = HashOf(key) & mask;
    while (entries[at].used) at = (at + 1) & mask;
    entries[at] = {.key = key, .sum = sum, .used = true};
  }

  [[nodiscard]] FlowClass ClassOf(const Sum& sum, std::uint32_t scope) const noexcept {
    const Sum& all = totals[scope].sessions;
    return ClassifyCounts(sum.benign, sum.attack, all.benign, all.attack, policy);
  }

  // The first scope of the chain that knows the entry well enough; else novel, with the counts of the finest.
  [[nodiscard]] FlowReading Read(const Chain& chain, IndexKey key) const noexcept {
    FlowReading reading;
    for (std::uint8_t level = 0; level < chain.size; ++level) {
      key.scope = chain.scope[level];
      const Sum sum = SumOf(key);
      const FlowClass flow = ClassOf(sum, key.scope);
      if (level == 0 || flow != FlowClass::kNovel) {
        reading = {.flow = flow, .benign = sum.benign, .attack = sum.attack, .level = level};
      }
      if (flow != FlowClass::kNovel) break;
    }
    return reading;
  }
};

base::Status CheckGraphPolicy(const GraphPolicy& policy) {
  if (policy.min_support == 0) return Error(ErrorCode::kInvalidArgument, "`min_support` is at least 1");
  if (!(policy.purity > 0.5 && policy.purity <= 1.0)) {
    return Error(ErrorCode::kInvalidArgument, "`purity` is over 0.5, and 1 at most");
  }
  if (!(policy.smoothing > 0 && policy.smoothing <= 1e6)) {
    return Error(ErrorCode::kInvalidArgument, "`smoothing` is over 0, and a million at most");
  }
  return {};
}

FlowClass ClassifyCounts(std::uint64_t benign, std::uint64_t attack, std::uint64_t benign_sessions,
                         std::uint64_t attack_sessions, const GraphPolicy& policy) noexcept {
  if (benign + attack < policy.min_support || benign + attack == 0) return FlowClass::kNovel;
  auto for_benign = static_cast<double>(benign);
  auto for_attack = static_cast<double>(attack);
  if (policy.by_rate && benign_sessions > 0 && attack_sessions > 0) {
    for_benign /= static_cast<double>(benign_sessions);
    for_attack /= static_cast<double>(attack_sessions);
  }
  if (for_benign >= policy.purity * (for_benign + for_attack)) return FlowClass::kBenign;
  if (for_attack >= policy.purity * (for_benign + for_attack)) return FlowClass::kAttack;
  return FlowClass::kAmbiguous;
}

std::string_view NameOf(FlowClass flow_class) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"benign", "novel", "ambiguous", "attack"};
  const auto index = static_cast<std::size_t>(flow_class);
  INTERLOCK_CHECK(index < kNames.size(), "an enumerator has a name");
  return kNames[index];
}

GraphIndex::GraphIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GraphIndex::~GraphIndex() = default;

std::shared_ptr<const GraphIndex> GraphIndex::Build(const FunctionalityGraph& graph, const GraphPolicy& policy) {
  INTERLOCK_CHECK(CheckGraphPolicy(policy).ok(), "the policy was checked before an index is built with it");
  auto impl = std::make_unique<Impl>();
  impl->policy = policy;
  for (const auto& [tool, tool_class] : graph.tools()) {
    impl->names.push_back(tool);
    impl->classes.push_back(tool_class);
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_ids;
  const auto members_of = [&](const Flow& flow) {
    std::vector<std::uint32_t> members;
    members.reserve(flow.after.size());
    for (const std::string& tool : flow.after) members.push_back(impl->Tool(tool));
    return members;
  };
  for (const auto& [scope, content] : graph.scopes()) {
    for (const auto& [flow, counts] : content.flows) {
      if (flow.view == View::kArguments) impl->arguments.push_back(flow.argument);
      if (flow.view == View::kRetrievalToAction) set_ids.emplace(members_of(flow), 0);
    }
  }
  std::ranges::sort(impl->arguments);
  impl->arguments.erase(std::ranges::unique(impl->arguments).begin(), impl->arguments.end());
  for (const auto& [members, unused] : set_ids) {
    std::uint64_t hash = 0;
    for (const std::uint32_t member : members) hash += Mix(member);
    impl->sets.push_back({.hash = hash, .members = members});
  }
  std::ranges::sort(impl->sets, [](const Impl::Set& a, const Impl::Set& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.members < b.members;
  });
  for (std::uint32_t i = 0; i < impl->sets.size(); ++i) set_ids[impl->sets[i].members] = i;

  std::map<std::uint64_t, std::vector<std::pair<IndexKey, Sum>>> collected;  // by hash: sums of equal keys join
  const auto add = [&](const IndexKey& key, const Counts& counts) {
    auto& bucket = collected[HashOf(key)];
    const auto it = std::ranges::find_if(bucket, [&](const auto& item) { return item.first == key; });
    if (it == bucket.end()) {
      Sum sum;
      sum.Add(counts);
      bucket.emplace_back(key, sum);
    } else {
      it->second.Add(counts);
    }
  };
  for (const auto& [scope, content] : graph.scopes()) {
    const auto number = static_cast<std::uint32_t>(impl->scopes.size());
    impl->scopes.push_back(scope);
    Impl::ScopeTotals totals;
    totals.sessions.Add(content.sessions);
    for (const auto& [flow, counts] : content.flows) {
      const std::uint32_t tool = impl->Tool(flow.tool);
      IndexKey key{.scope = number, .view = flow.view, .tool = tool};
      switch (flow.view) {
        case View::kCalls:
          totals.calls.Add(counts);
          if (IsGated(impl->classes[tool])) totals.gated.Add(counts);
          break;
        case View::kRetrievalToAction:
          key.after = set_ids[members_of(flow)];
          break;
        case View::kActionToAction:
        case View::kTransitions:
          if (!flow.after.empty()) key.after = impl->Tool(flow.after.front());
          break;
        case View::kArguments: {
          key.after = impl->ArgumentId(flow.argument);
          const std::uint32_t source = flow.source.empty() ? kNone : impl->Tool(flow.source);
          // One entry for each question that can be asked: this match or any, this source or any.
          for (const std::uint32_t from : {source, kAny}) {
            if (from == kAny && flow.from != OriginKind::kResult) continue;
            for (const std::uint8_t origin : {OriginCode(flow.from, flow.match), OriginCode(flow.from, std::nullopt)}) {
              key.source = from;
              key.origin = origin;
              add(key, counts);
            }
          }
          continue;
        }
      }
      add(key, counts);
      if (flow.view == View::kCalls) continue;
      key.tool = kAny;
      add(key, counts);
    }
    impl->totals.push_back(totals);
  }
  std::size_t count = 0;
  for (const auto& [hash, bucket] : collected) count += bucket.size();
  impl->entries.resize(std::bit_ceil(std::max<std::size_t>(16, count * 2)));
  for (const auto& [hash, bucket] : collected) {
    for (const auto& [key, sum] : bucket) impl->Insert(key, sum);
  }
  return std::shared_ptr<const GraphIndex>(new GraphIndex(std::move(impl)));
}

std::optional<ToolClass> GraphIndex::ClassOf(std::string_view tool) const noexcept {
  const std::uint32_t number = impl_->Tool(tool);
  return number == kUnknown ? std::nullopt : std::optional(impl_->classes[number]);
}

const GraphPolicy& GraphIndex::policy() const noexcept { return impl_->policy; }
std::size_t GraphIndex::tool_count() const noexcept { return impl_->names.size(); }

GraphIndex::Chain GraphIndex::ScopesFor(std::string_view tenant, std::span<const std::string> roles,
                                        BackOff back_off) const {
  Chain chain;
  const auto add = [&](std::string_view t, std::string_view r) {
    const auto it =
        std::lower_bound(impl_->scopes.begin(), impl_->scopes.end(), std::pair(t, r),
                         [](const Scope& scope, const std::pair<std::string_view, std::string_view>& wanted) {
                           return std::pair<std::string_view, std::string_view>(scope.tenant, scope.role) < wanted;
                         });
    if (it == impl_->scopes.end() || it->tenant != t || it->role != r) return;
    const auto number = static_cast<std::uint32_t>(it - impl_->scopes.begin());
    if (chain.size == kMaxChain ||
        std::find(chain.scope.begin(), chain.scope.begin() + chain.size, number) != chain.scope.begin() + chain.size) {
      return;
    }
    chain.scope[chain.size++] = number;
  };
  // Room is left for the coarser scopes, however many roles there are.
  std::size_t asked = 0;
  for (const std::string& role : roles) {
    if (++asked > kMaxChain - 3) break;
    add(tenant, role);
  }
  if (roles.empty() || back_off != BackOff::kNone) add(tenant, "");
  if (back_off == BackOff::kGeneral) add("", "");
  return chain;
}

FlowReading GraphIndex::Sessions(const Chain& chain) const noexcept {
  if (chain.size == 0) return {};
  const Sum& sum = impl_->totals[chain.scope[0]].sessions;
  return {.flow = impl_->ClassOf(sum, chain.scope[0]), .benign = sum.benign, .attack = sum.attack, .level = 0};
}

FlowContext::FlowContext(std::shared_ptr<const GraphIndex> index, const GraphIndex::Chain& chain)
    : index_(std::move(index)), chain_(chain), last_call_(kNone) {}

void FlowContext::Add(std::string_view tool, ToolClass tool_class) {
  pending_.push_back({.tool = index_->impl_->Tool(tool), .tool_class = tool_class});
}

void FlowContext::NextTurn() {
  const auto insert = [](std::vector<std::uint32_t>& into, std::uint32_t id) {
    const auto at = std::ranges::lower_bound(into, id);
    if (at != into.end() && *at == id) return false;
    into.insert(at, id);
    return true;
  };
  for (const Pending& call : pending_) {
    if (IsInformative(call.tool_class)) {
      if (call.tool == kUnknown) {
        unknown_retrievals_ = true;
      } else if (insert(retrievals_, call.tool)) {
        set_hash_ += Mix(call.tool);
      }
    }
    if (IsGated(call.tool_class)) {
      if (call.tool == kUnknown) {
        unknown_actions_ = true;
      } else {
        (void)insert(actions_, call.tool);
      }
    }
    last_call_ = call.tool;
  }
  pending_.clear();
}

FlowReading FlowContext::Retrievals(std::string_view tool) const noexcept {
  const GraphIndex::Impl& index = *index_->impl_;
  const std::uint32_t set = unknown_retrievals_ ? kUnknown : index.SetId(set_hash_, retrievals_);
  return index.Read(chain_, {.view = View::kRetrievalToAction, .after = set, .tool = index.Tool(tool)});
}

FlowReading FlowContext::EarlierActions(std::string_view tool) const noexcept {
  const GraphIndex::Impl& index = *index_->impl_;
  const std::uint32_t number = index.Tool(tool);
  FlowReading worst;
  for (const std::uint32_t action : actions_) {
    const FlowReading reading = index.Read(chain_, {.view = View::kActionToAction, .after = action, .tool = number});
    if (reading.flow == FlowClass::kNovel) continue;
    if (worst.flow == FlowClass::kNovel || reading.flow > worst.flow) worst = reading;
    if (worst.flow == FlowClass::kAttack) break;
  }
  return worst;
}

FlowReading FlowContext::Transition(std::string_view tool) const noexcept {
  const GraphIndex::Impl& index = *index_->impl_;
  return index.Read(chain_, {.view = View::kTransitions, .after = last_call_, .tool = index.Tool(tool)});
}

FlowReading FlowContext::Call(std::string_view tool) const noexcept {
  const GraphIndex::Impl& index = *index_->impl_;
  return index.Read(chain_, {.view = View::kCalls, .tool = index.Tool(tool)});
}

FlowReading FlowContext::Argument(std::string_view tool, std::string_view argument,
                                  const OriginQuery& origin) const noexcept {
  const GraphIndex::Impl& index = *index_->impl_;
  std::uint32_t source = kNone;
  if (origin.kind == OriginKind::kResult) source = origin.source.empty() ? kAny : index.Tool(origin.source);
  return index.Read(chain_, {.view = View::kArguments,
                             .origin = OriginCode(origin.kind, origin.match),
                             .after = index.ArgumentId(argument),
                             .tool = index.Tool(tool),
                             .source = source});
}

FlowReading FlowContext::ControlFlow(std::string_view tool) const noexcept {
  const FlowReading retrievals = Retrievals(tool);
  if (actions_.empty() && !unknown_actions_) return retrievals;
  const FlowReading actions = EarlierActions(tool);
  for (const FlowClass decisive : {FlowClass::kAttack, FlowClass::kAmbiguous, FlowClass::kNovel}) {
    if (retrievals.flow == decisive) return retrievals;
    if (actions.flow == decisive) return actions;
  }
  return retrievals;
}

bool FlowContext::SpeaksOf(std::string_view tool) const noexcept {
  if (chain_.size == 0 || index_->impl_->Tool(tool) == kUnknown) return false;
  return std::all_of(chain_.scope.begin(), chain_.scope.begin() + chain_.size, [&](std::uint32_t scope) {
    const Sum& sessions = index_->impl_->totals[scope].sessions;
    return sessions.benign > 0 && sessions.attack > 0;
  });
}

PathOdds FlowContext::Odds(std::string_view tool) const noexcept {
  PathOdds odds;
  if (chain_.size == 0) return odds;
  const GraphIndex::Impl& index = *index_->impl_;
  const std::uint32_t number = index.Tool(tool);
  const std::uint32_t set = unknown_retrievals_ ? kUnknown : index.SetId(set_hash_, retrievals_);
  // A tool that the graph does not know may be anything: gated.
  const bool gated = number == kUnknown || IsGated(index.classes[number]);
  IndexKey set_key{.view = View::kRetrievalToAction, .after = set, .tool = kAny};
  IndexKey move_key{.view = View::kTransitions, .after = last_call_, .tool = kAny};
  // The finest scope that knows the context answers; the coarsest when none does.
  std::uint32_t scope = chain_.scope[static_cast<std::size_t>(chain_.size) - 1];
  for (std::uint8_t level = 0; level < chain_.size; ++level) {
    set_key.scope = move_key.scope = chain_.scope[level];
    const Sum seen = gated ? index.SumOf(set_key) : index.SumOf(move_key);
    if (seen.benign + seen.attack >= index.policy.min_support) {
      scope = chain_.scope[level];
      break;
    }
  }
  const GraphIndex::Impl::ScopeTotals& totals = index.totals[scope];
  const Sum& all = gated ? totals.gated : totals.calls;
  const auto vocabulary = static_cast<double>(index.names.size() + 1);
  const double weight = index.policy.smoothing;
  struct Shares {
    double benign;
    double attack;
    [[nodiscard]] double LogOdds() const noexcept { return std::log(attack / benign); }
  };
  // Counts of the tool in a context, mixed with what the coarser context expects.
  const auto refine = [weight](const Sum& with_tool, const Sum& context, const Shares& coarser) {
    const auto one = [&](std::uint64_t n, std::uint64_t of, double expected) {
      return (static_cast<double>(n) + weight * expected) / (static_cast<double>(of) + weight);
    };
    return Shares{.benign = one(with_tool.benign, context.benign, coarser.benign),
                  .attack = one(with_tool.attack, context.attack, coarser.attack)};
  };
  set_key.scope = move_key.scope = scope;
  const IndexKey call_key{.scope = scope, .view = View::kCalls, .tool = number};
  const Shares even{.benign = 1.0 / vocabulary, .attack = 1.0 / vocabulary};
  const Shares by_tool = refine(index.SumOf(call_key), all, even);
  const Sum moves = index.SumOf(move_key);
  move_key.tool = number;
  const Sum move = index.SumOf(move_key);
  const Shares by_move = refine(move, moves, by_tool);
  odds.tool = by_tool.LogOdds();
  odds.transition = by_move.LogOdds();
  odds.retrievals = odds.transition;
  odds.support = move.benign + move.attack;
  odds.context = moves.benign + moves.attack;
  Shares finest = by_move;
  if (gated) {
    const Sum context = index.SumOf(set_key);
    set_key.tool = number;
    const Sum seen = index.SumOf(set_key);
    odds.retrievals = refine(seen, context, by_tool).LogOdds();
    if (context.benign + context.attack > 0) {
      finest = refine(seen, context, by_move);
      odds.support = seen.benign + seen.attack;
      odds.context = context.benign + context.attack;
    }
    bool first = true;
    for (const std::uint32_t action : actions_) {
      IndexKey pair{.scope = scope, .view = View::kActionToAction, .after = action, .tool = kAny};
      const Sum any = index.SumOf(pair);
      pair.tool = number;
      const double one = refine(index.SumOf(pair), any, by_tool).LogOdds();
      if (first || one > odds.actions) odds.actions = one;
      first = false;
    }
  }
  odds.log_odds = finest.LogOdds();
  return odds;
}

}  // namespace interlock::bounds
