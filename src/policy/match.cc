#include <algorithm>
#include <string>
#include <utility>

#include "interlock/base/text.h"
#include "rule.h"

namespace interlock::policy {
namespace {

using base::JsonValue;
using Why = PolicySnapshot::Why;

// Work bounds of one provenance condition on one call. Past them the answer is "cannot tell" unless it was yes already.
constexpr std::size_t kMaxLeaves = 4096;
constexpr std::size_t kMaxLeafBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxPaths = 16'384;    // addressed values of one path condition
constexpr std::size_t kMinNumberDigits = 6;  // for "*": shorter numbers occur everywhere and identify nothing
constexpr int kMaxWalkDepth = 1024;          // the JSON reader's own limit is 1000

// Where a walk stands, as a chain on the stack: a pointer's text is only built when somebody asks why.
struct Step {
  const Step* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;
  bool is_index = false;
};

std::string PointerText(const Step* step) {
  std::vector<const Step*> chain;
  for (; step != nullptr; step = step->parent) chain.push_back(step);
  std::string out;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    out += '/';
    if ((*it)->is_index) {
      out += std::to_string((*it)->index);
      continue;
    }
    for (char c : (*it)->key) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

bool AsIndex(std::string_view part, std::size_t size, std::size_t& index) {
  if (part.empty() || part.size() > 9 || (part.size() > 1 && part[0] == '0')) return false;
  index = 0;
  for (char c : part) {
    if (c < '0' || c > '9') return false;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < size;
}

// Calls `visit(value, step)` for each value that `path` addresses below `value`; stops when it returns false.
template <class Visit>
bool VisitAddressed(const ArgumentPath& path, std::size_t at, JsonValue value, const Step* step, Visit& visit) {
  if (at == path.parts.size()) return visit(value, step);
  if (path.each[at]) {
    if (!value.is_object() && !value.is_array()) return visit(value, step);
    std::size_t index = 0;
    for (auto it = value.begin(); it != value.end(); ++it, ++index) {
      const Step next{step, value.is_object() ? it.key() : std::string_view(), index, value.is_array()};
      if (!VisitAddressed(path, at + 1, *it, &next, visit)) return false;
    }
    return true;
  }
  const std::string& part = path.parts[at];
  if (value.is_object()) {
    const JsonValue child = value.Find(part);
    if (!child.exists()) return true;
    const Step next{step, part, 0, false};
    return VisitAddressed(path, at + 1, child, &next, visit);
  }
  std::size_t wanted = 0;
  if (value.is_array() && AsIndex(part, value.size(), wanted)) {
    std::size_t index = 0;
    for (auto it = value.begin(); it != value.end(); ++it, ++index) {
      if (index != wanted) continue;
      const Step next{step, {}, index, true};
      return VisitAddressed(path, at + 1, *it, &next, visit);
    }
  }
  return true;
}

// Calls `visit(value, step)` for every string and number at or below `value`. INVARIANT: `value` came from the bounded
// JSON reader, so the recursion is at most its depth limit; `depth` is a second lock.
template <class Visit>
bool VisitLeaves(JsonValue value, const Step* step, int depth, Visit& visit) {
  if (value.is_string() || value.is_number()) return visit(value, step);
  if (depth >= kMaxWalkDepth) return true;
  std::size_t index = 0;
  for (auto it = value.begin(); it != value.end(); ++it, ++index) {
    const Step next{step, value.is_object() ? it.key() : std::string_view(), index, value.is_array()};
    if (!VisitLeaves(*it, &next, depth + 1, visit)) return false;
  }
  return true;
}

Match Negate(Match m) {
  if (m == Match::kUnknown) return m;
  return m == Match::kYes ? Match::kNo : Match::kYes;
}

void Say(Why* why, std::string text) {
  if (why == nullptr) return;
  why->pointer.clear();
  why->text = std::move(text);
}

void SayAt(Why* why, const Step* step, std::string text) {
  if (why == nullptr) return;
  why->pointer = PointerText(step);
  why->text = std::move(text);
}

std::string Shown(std::string_view text) { return "`" + base::Printable(text, 120) + "`"; }

std::string Shown(JsonValue value) { return value.is_string() ? Shown(value.string()) : Shown(value.raw()); }

std::string LabelText(const PolicySnapshot* policy, core::LabelSet labels) {
  std::string out;
  for (std::string_view name : policy->LabelNames(labels)) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

bool HasName(const ToolTest& test, std::string_view tool) {
  if (std::ranges::binary_search(test.exact, tool, std::less<>())) return true;
  return std::ranges::any_of(test.globs, [&](const NamePattern& p) { return p.Matches(tool); });
}

Match MatchServer(const ServerTest& test, std::string_view server) {
  if (server.empty()) return Match::kUnknown;
  return std::ranges::any_of(test.names, [&](const NamePattern& p) { return p.Matches(server); }) ? Match::kYes
                                                                                                  : Match::kNo;
}

// A tool whose class nobody stated may be of any class: it is of class `unknown` for certain, of another perhaps.
Match MatchEffect(const EffectTest& test, core::SideEffect effect) {
  if ((test.mask >> static_cast<unsigned>(effect) & 1u) != 0) return Match::kYes;
  return effect == core::SideEffect::kUnknown ? Match::kUnknown : Match::kNo;
}

Match MatchOne(const std::vector<std::string>& names, std::string_view name) {
  if (name.empty()) return Match::kUnknown;
  return std::ranges::find(names, name) != names.end() ? Match::kYes : Match::kNo;
}

// A call without arguments is a call with none.
JsonValue NoArguments() {
  static const base::JsonDoc kEmpty = [] {
    base::Result<base::JsonDoc> doc = base::JsonDoc::Parse("{}");
    INTERLOCK_CHECK(doc.ok(), "{} is JSON");
    return std::move(doc.value());
  }();
  return kEmpty.root();
}

struct Evaluator {
  const MatchInput& in;

  Match operator()(const AllTest& test, Why* why) const {
    Match result = Match::kYes;
    if (why == nullptr) {  // the decision's own path: no words, no strings
      for (const Condition& child : test.children) {
        const Match m = Run(child, nullptr);
        if (m == Match::kNo) return m;
        if (m == Match::kUnknown) result = m;
      }
      return result;
    }
    for (const Condition& child : test.children) {
      Why local;
      const Match m = Run(child, &local);
      if (m == Match::kNo) return Match::kNo;
      // The last word is the most telling one: conditions run from general to particular.
      const bool worth_saying = m == Match::kUnknown || result == Match::kYes;
      if (m == Match::kUnknown) result = Match::kUnknown;
      if (worth_saying && !local.text.empty()) *why = std::move(local);
    }
    return result;
  }

  Match operator()(const AnyTest& test, Why* why) const {
    Match result = Match::kNo;
    for (const Condition& child : test.children) {
      Why local;
      const Match m = Run(child, why == nullptr ? nullptr : &local);
      if (m == Match::kNo) continue;
      if (why != nullptr && (m == Match::kYes || result == Match::kNo)) *why = std::move(local);
      result = m;
      if (m == Match::kYes) return m;
      result = Match::kUnknown;
    }
    return result;
  }

  Match operator()(const NotTest& test, Why* why) const {
    Why local;
    const Match m = Negate(Run(test.child.front(), why == nullptr ? nullptr : &local));
    if (m == Match::kUnknown && why != nullptr) *why = std::move(local);
    return m;
  }

  Match operator()(const ToolTest& test, Why* /*why*/) const {
    return HasName(test, in.call->tool) ? Match::kYes : Match::kNo;
  }

  Match operator()(const ServerTest& test, Why* why) const {
    const Match m = MatchServer(test, in.call->server);
    if (m == Match::kUnknown) Say(why, "the server's name is not known");
    return m;
  }

  Match operator()(const EffectTest& test, Why* why) const {
    const Match m = MatchEffect(test, in.effect);
    if (m == Match::kUnknown) Say(why, "the tool's side effect is not known");
    return m;
  }

  Match operator()(const PrincipalTest& test, Why* why) const {
    const core::Principal* who = in.context->principal;
    const Match m = who == nullptr ? Match::kUnknown : MatchOne(test.names, who->name);
    if (m == Match::kUnknown) Say(why, "the principal is not known");
    if (m == Match::kYes && why != nullptr) Say(why, "the principal is " + Shown(who->name));
    return m;
  }

  Match operator()(const RoleTest& test, Why* why) const {
    const core::Principal* who = in.context->principal;
    if (who == nullptr || who->name.empty()) {
      Say(why, "the principal is not known");
      return Match::kUnknown;
    }
    for (const std::string& role : who->roles) {
      if (std::ranges::find(test.roles, role) == test.roles.end()) continue;
      if (why != nullptr) Say(why, "the principal has the role " + Shown(role));
      return Match::kYes;
    }
    return Match::kNo;
  }

  Match operator()(const EnvironmentTest& test, Why* why) const {
    const Match m = MatchOne(test.names, in.environment);
    if (m == Match::kUnknown) Say(why, "the environment is not known");
    if (m == Match::kYes && why != nullptr) Say(why, "the environment is " + Shown(in.environment));
    return m;
  }

  Match operator()(const FlowTest& test, Why* why) const {
    const core::LabelSet seen = in.context->session_labels;
    if ((seen & test.seen_all) != test.seen_all || (seen & test.not_seen) != 0) return Match::kNo;
    if (test.seen_any != 0 && (seen & test.seen_any) == 0) return Match::kNo;
    const core::LabelSet told = test.seen_all | (seen & test.seen_any);
    if (why != nullptr) {
      Say(why, told != 0 ? "the session has seen data labelled " + LabelText(in.policy, told)
                         : "the session has seen no data labelled " + LabelText(in.policy, test.not_seen));
    }
    return Match::kYes;
  }

  Match operator()(const PathTest& test, Why* why) const {
    std::size_t addressed = 0;
    bool unknown = false;
    bool decided = false;
    // One value in this place settles the question, whatever the others are.
    const PathPlace decisive = test.mode == PathTest::Mode::kTouches ? PathPlace::kInside : PathPlace::kOutside;
    auto visit = [&](JsonValue value, const Step* step) {
      const PathPlace place = ++addressed > kMaxPaths ? PathPlace::kUnknown : PlaceOf(test, value);
      decided = place == decisive;
      if (why != nullptr && (decided || !unknown)) {
        if (place == PathPlace::kUnknown) {
          SayAt(why, step, "it cannot be told which file " + Shown(value) + " is");
        } else if (decided || test.mode == PathTest::Mode::kInside) {
          SayAt(why, step,
                Shown(value) + (place == PathPlace::kInside ? " is inside " : " is outside ") + GlobText(test));
        }
      }
      unknown = unknown || place == PathPlace::kUnknown;
      return !decided && addressed <= kMaxPaths;
    };
    for (const ArgumentPath& argument : test.arguments) {
      if (!VisitAddressed(argument, 0, in.call->arguments, nullptr, visit)) break;
    }
    if (test.mode == PathTest::Mode::kInside) {
      if (decided || addressed == 0) return Match::kNo;
      return unknown ? Match::kUnknown : Match::kYes;
    }
    if (decided) return Match::kYes;
    return unknown ? Match::kUnknown : Match::kNo;
  }

  Match operator()(const ArgumentsTest& test, Why* why) const {
    const SchemaOutcome::Kind kind =
        test.schema.KindOf(in.call->arguments.exists() ? in.call->arguments : NoArguments());
    if (kind == SchemaOutcome::Kind::kValid) return Match::kYes;  // nothing to say: the rule's words explain its schema
    if (kind == SchemaOutcome::Kind::kInvalid) return Match::kNo;
    Say(why, "the arguments are too large for the rule's schema");
    return Match::kUnknown;
  }

  // Some addressed value came from a `from` label and from no `not_from` label.
  Match operator()(const ProvenanceTest& test, Why* why) const {
    Match result = Match::kNo;
    std::size_t leaves = 0;
    std::size_t bytes = 0;
    bool any_leaf = false;
    auto judge = [&](JsonValue value, const Step* step) {
      const std::string_view text = value.is_string() ? value.string() : value.number_text();
      if (any_leaf && value.is_number() && text.size() < kMinNumberDigits) return true;
      if (in.context->origins == nullptr) {
        SayAt(why, step, "where the value came from is not known");
        result = Match::kUnknown;
        return false;  // no other value will tell more
      }
      bytes += text.size();
      if (++leaves > kMaxLeaves || bytes > kMaxLeafBytes) {
        SayAt(why, step, "the arguments are too large to trace every value");
        result = Match::kUnknown;
        return false;
      }
      const OriginLookup::Answer origin = in.context->origins->OriginsOf(text);
      const Match m = Judge(test, origin);
      if (m == Match::kYes && why != nullptr) {
        SayAt(why, step, Shown(text) + " was seen in data labelled " + LabelText(in.policy, origin.labels & test.from));
        if (test.from == 0)
          SayAt(why, step, Shown(text) + " was not seen in data labelled " + LabelText(in.policy, test.not_from));
      }
      if (m == Match::kUnknown && result == Match::kNo) {
        SayAt(why, step, "the index of values is incomplete");
        result = m;
      }
      if (m == Match::kYes) result = m;
      return m != Match::kYes;
    };
    auto visit = [&](JsonValue value, const Step* step) { return VisitLeaves(value, step, 0, judge); };
    for (const ArgumentPath& argument : test.arguments) {
      any_leaf = argument.any_leaf;
      const bool go_on = argument.any_leaf ? visit(in.call->arguments, nullptr)
                                           : VisitAddressed(argument, 0, in.call->arguments, nullptr, visit);
      if (!go_on) break;
    }
    return result;
  }

  Match Run(const Condition& condition, Why* why) const {
    return std::visit([&](const auto& test) { return (*this)(test, why); }, condition.test);
  }

 private:
  enum class PathPlace : unsigned char { kInside, kOutside, kUnknown };

  // What is no path (a number, a URL, NUL) is inside nothing. But a tool may still find a file by it, so whether it
  // touches one cannot be told.
  PathPlace PlaceOf(const PathTest& test, JsonValue value) const {
    const PathPlace no_path = test.mode == PathTest::Mode::kTouches ? PathPlace::kUnknown : PathPlace::kOutside;
    if (!value.is_string()) return no_path;
    std::string storage;
    const ResolvedPath resolved = Resolve(value.string(), storage);
    if (resolved.state == ResolvedPath::State::kUnknown) return PathPlace::kUnknown;
    if (resolved.state == ResolvedPath::State::kNotAPath) return no_path;
    const bool inside = std::ranges::any_of(test.globs, [&](const PathPattern& g) { return g.Matches(resolved.path); });
    return inside ? PathPlace::kInside : PathPlace::kOutside;
  }

  ResolvedPath Resolve(std::string_view text, std::string& storage) const {
    MatchMemo* memo = in.context->memo;
    if (memo == nullptr) return ResolvePath(text, *in.paths, storage);
    for (const MatchMemo::Path& known : memo->paths) {
      if (known.data != text.data() || known.size != text.size() || known.data == nullptr) continue;
      return {static_cast<ResolvedPath::State>(known.state), known.stored ? std::string_view(known.storage) : text};
    }
    MatchMemo::Path& entry = memo->paths[memo->next++ % memo->paths.size()];
    const ResolvedPath resolved = ResolvePath(text, *in.paths, entry.storage);
    entry.data = text.data();
    entry.size = text.size();
    entry.state = static_cast<std::uint8_t>(resolved.state);
    entry.stored = resolved.state == ResolvedPath::State::kResolved && resolved.path.data() != text.data();
    return resolved;
  }

  static std::string GlobText(const PathTest& test) {
    std::string out = Shown(test.globs.front().shown());
    if (test.globs.size() > 1) out += " and " + std::to_string(test.globs.size() - 1) + " more";
    return out;
  }

  static Match Judge(const ProvenanceTest& test, const OriginLookup::Answer& origin) {
    Match from = Match::kYes;
    if (test.from != 0 && (origin.labels & test.from) == 0) from = origin.complete ? Match::kNo : Match::kUnknown;
    Match not_from = Match::kYes;
    if (test.not_from != 0) {
      if ((origin.labels & test.not_from) != 0) {
        not_from = Match::kNo;
      } else if (!origin.complete) {
        not_from = Match::kUnknown;
      }
    }
    if (from == Match::kNo || not_from == Match::kNo) return Match::kNo;
    return from == Match::kYes && not_from == Match::kYes ? Match::kYes : Match::kUnknown;
  }
};

// Only the tool is known: everything else may hold or not.
struct StaticEvaluator {
  std::string_view server;
  std::string_view tool;
  core::SideEffect effect;

  Match operator()(const AllTest& test) const {
    Match result = Match::kYes;
    for (const Condition& child : test.children) {
      const Match m = Run(child);
      if (m == Match::kNo) return m;
      if (m == Match::kUnknown) result = m;
    }
    return result;
  }
  Match operator()(const AnyTest& test) const {
    Match result = Match::kNo;
    for (const Condition& child : test.children) {
      const Match m = Run(child);
      if (m == Match::kYes) return m;
      if (m == Match::kUnknown) result = m;
    }
    return result;
  }
  Match operator()(const NotTest& test) const { return Negate(Run(test.child.front())); }
  Match operator()(const ToolTest& test) const { return HasName(test, tool) ? Match::kYes : Match::kNo; }
  Match operator()(const ServerTest& test) const { return MatchServer(test, server); }
  Match operator()(const EffectTest& test) const { return MatchEffect(test, effect); }
  template <class Test>
  Match operator()(const Test& /*test*/) const {
    return Match::kUnknown;
  }
  Match Run(const Condition& condition) const { return std::visit(*this, condition.test); }
};

}  // namespace

Match EvaluateCondition(const Condition& condition, const MatchInput& input, PolicySnapshot::Why* why) {
  return Evaluator{input}.Run(condition, why);
}

Match EvaluateStatic(const Condition& condition, std::string_view server, std::string_view tool,
                     core::SideEffect effect) {
  return StaticEvaluator{server, tool, effect}.Run(condition);
}

}  // namespace interlock::policy
