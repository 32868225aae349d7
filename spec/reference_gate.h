// The decision, small, slow and obvious. The engine in src/gate must agree with this on every input
// (gate_model_test.cc). Words: a rule "speaks" when it matches; a rule that cannot be evaluated is "unknown".
#pragma once

#include <algorithm>
#include <vector>

namespace interlock::spec {

enum class V { allow, rewrite, escalate, block };
enum class M { no, yes, unknown };
enum class S { absent, allow, rewrite, escalate, block, error };  // a layer's signal: its floor, or that it failed

struct Rule {
  V effect;
  M match;
};

struct Input {
  bool malformed = false;
  bool tool_known = true;
  bool hidden = false;
  bool changed = false;  // definition differs from the pinned one
  bool instructions_changed = false;
  bool schema_fits = true;
  bool precondition_fails = false;
  bool budget_used_up = false;
  std::vector<Rule> rules;
  V default_verdict = V::block;  // for the tool's side-effect class
  S signal = S::absent;          // of one other layer
  bool signal_required = false;
  V unbound = V::allow;      // what a role binding says: allow, escalate (no source) or block (another value)
  V locked = V::allow;       // what progressive autonomy says
  V shell = V::allow;        // what the profile says of the free-form shell command that the call carries
  bool break_glass = false;  // in force, and it waives defaults and autonomy
  bool granted = false;      // a person's grant for exactly this call is in force
};

// What one source of a role binding says of a value: it is not there, it names another, it names it, or it names it and
// nothing untrusted can have made it do so.
enum class N { no_source, other, names, vouches };

struct Binding {
  std::vector<N> sources;
  bool all = false;  // every source has to name it, not one of them
  V otherwise = V::block;
  V unsourced = V::escalate;
};

inline V Unbound(const Binding& binding) {
  const auto is_named = [](N n) { return n == N::names || n == N::vouches; };
  const auto is_absent = [](N n) { return n == N::no_source; };
  const std::vector<N>& say = binding.sources;
  if (binding.all) {
    if (std::all_of(say.begin(), say.end(), is_named)) return V::allow;
    const auto silent = [&](N n) { return is_named(n) || is_absent(n); };
    return std::all_of(say.begin(), say.end(), silent) ? binding.unsourced : binding.otherwise;
  }
  if (std::any_of(say.begin(), say.end(), is_named)) return V::allow;
  return std::all_of(say.begin(), say.end(), is_absent) ? binding.unsourced : binding.otherwise;
}

// The argument is explained: bounds takes its value as the request's own.
inline bool Explained(const Binding& binding) {
  if (binding.all && Unbound(binding) != V::allow) return false;
  return std::find(binding.sources.begin(), binding.sources.end(), N::vouches) != binding.sources.end();
}

// What bounds says: nothing of a call that nothing untrusted can have had a hand in. `arguments`: for each value of the
// call whether it is explained; `combiner`: what the weights say otherwise.
inline S Bounds(bool gated, bool exposed, const std::vector<bool>& arguments, S combiner) {
  if (!gated || !exposed) return S::allow;
  const bool wholly = !arguments.empty() && std::all_of(arguments.begin(), arguments.end(), [](bool b) { return b; });
  return wholly ? S::allow : combiner;
}

inline V Decide(const Input& in) {
  if (in.malformed) return V::block;
  std::vector<V> say{V::allow};

  if (in.hidden || in.changed) say.push_back(V::block);
  if (in.instructions_changed) say.push_back(V::escalate);

  bool allowed = false, rewrites = false;
  for (const Rule& rule : in.rules) {
    if (rule.match == M::yes && rule.effect == V::allow) allowed = true;
    if (rule.match == M::yes && rule.effect == V::rewrite) rewrites = true;
    if (rule.match == M::yes) say.push_back(rule.effect);
    if (rule.match == M::unknown && rule.effect != V::allow) say.push_back(V::escalate);
  }
  // Break-glass waives what only waits; it lifts nothing that is refused, and no unknown tool.
  const bool waived = in.break_glass && in.tool_known && in.default_verdict == V::escalate;
  if (!allowed && !rewrites && !waived) say.push_back(in.default_verdict);
  if (!in.break_glass && in.tool_known) say.push_back(in.locked);
  if (in.tool_known) {
    say.push_back(in.unbound);
    say.push_back(in.shell);
  }
  if (in.precondition_fails) say.push_back(V::block);
  if (in.budget_used_up) say.push_back(V::escalate);

  if (!in.tool_known) say.push_back(V::block);  // the server's list does not name it, and the schema layer is required
  if (in.tool_known && !in.schema_fits) say.push_back(V::block);

  switch (in.signal) {
    case S::absent:
      if (in.signal_required) say.push_back(V::escalate);
      break;
    case S::error:
      say.push_back(V::escalate);
      break;
    case S::allow:
      break;
    case S::rewrite:
      say.push_back(rewrites ? V::rewrite : V::escalate);
      break;  // the tool here has no dry run
    case S::escalate:
      say.push_back(V::escalate);
      break;
    case S::block:
      say.push_back(V::block);
      break;
  }

  const V strictest = *std::max_element(say.begin(), say.end());
  if (strictest == V::escalate && in.granted)
    return rewrites ? V::rewrite : V::allow;  // a person lifts what waits, never a block
  return strictest;
}

}  // namespace interlock::spec
