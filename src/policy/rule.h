// Compiled rules. Built by the compiler (compile_*.cc), read by match.cc; immutable once a snapshot owns them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interlock/core/call.h"
#include "interlock/core/verdict.h"
#include "interlock/policy/json_schema.h"
#include "interlock/policy/snapshot.h"
#include "patterns.h"

namespace interlock::policy {

// A JSON pointer with `*` for "every element or member". One that meets something other than a container at `*`
// addresses that value itself: a tool may take a bare string where a list is documented.
struct ArgumentPath {
  std::string text;                // as written
  std::vector<std::string> parts;  // unescaped; kEach for `*`
  std::vector<bool> each;          // beside `parts`: a wildcard
  bool any_leaf = false;           // the whole pattern is "*": every string and long number, however deep
};

struct ToolTest {
  std::vector<std::string> exact;  // sorted
  std::vector<NamePattern> globs;
};
struct ServerTest {
  std::vector<NamePattern> names;
};
struct EffectTest {
  std::uint32_t mask = 0;  // bit i: SideEffect(i)
};
struct PrincipalTest {
  std::vector<std::string> names;
};
struct RoleTest {
  std::vector<std::string> roles;
};
struct EnvironmentTest {
  std::vector<std::string> names;
};
struct FlowTest {
  core::LabelSet seen_all = 0;
  core::LabelSet seen_any = 0;
  core::LabelSet not_seen = 0;
};
struct PathTest {
  enum class Mode : std::uint8_t {
    kInside,   // at least one value is addressed, and all are inside
    kOutside,  // some addressed value is not inside
    kTouches,  // some addressed value is inside
  };
  std::vector<ArgumentPath> arguments;
  std::vector<PathPattern> globs;
  Mode mode = Mode::kInside;
};
struct ArgumentsTest {
  JsonSchema schema;
};
struct ProvenanceTest {
  std::vector<ArgumentPath> arguments;
  core::LabelSet from = 0;      // 0: not asked
  core::LabelSet not_from = 0;  // 0: not asked
};
struct Condition;
struct AllTest {
  std::vector<Condition> children;
};
struct AnyTest {
  std::vector<Condition> children;
};
struct NotTest {
  std::vector<Condition> child;  // exactly one
};

struct Condition {
  std::variant<AllTest, AnyTest, NotTest, ToolTest, ServerTest, EffectTest, PrincipalTest, RoleTest, EnvironmentTest,
               FlowTest, PathTest, ArgumentsTest, ProvenanceTest>
      test;
  // Cheap first: 0 for a few comparisons, up to 3 for provenance. Combinators take their dearest child's.
  int cost = 0;
};

struct Rule {
  std::string id;
  core::Verdict effect = core::Verdict::kBlock;
  Condition when;  // always an AllTest, children by cost
  std::string reason;
  std::string rewrite_patch;
  std::uint32_t line = 0;
};

// What conditions are evaluated against.
struct MatchInput {
  const core::Call* call = nullptr;
  core::SideEffect effect = core::SideEffect::kUnknown;
  const MatchContext* context = nullptr;
  std::string_view environment;  // the context's, or the policy's own
  const PathBase* paths = nullptr;
  const PolicySnapshot* policy = nullptr;  // label names for `why`
};

// Three-valued logic: `all` is the least, `any` the greatest, `not` swaps yes and no.
[[nodiscard]] Match EvaluateCondition(const Condition& condition, const MatchInput& input, PolicySnapshot::Why* why);

// The same with nothing known but the tool: kNo means that the rule can never hold for it.
[[nodiscard]] Match EvaluateStatic(const Condition& condition, std::string_view server, std::string_view tool,
                                   core::SideEffect effect);

}  // namespace interlock::policy
