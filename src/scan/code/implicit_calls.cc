// What the language calls without anybody writing a call: properties and descriptors, `with`, loops, items, what an
// object says of itself as a text or as JSON.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/resolve_internal.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words

namespace {

constexpr auto kEnters = std::to_array<std::string_view>({"__enter__", "__aenter__"});
constexpr auto kGoesThrough = std::to_array<std::string_view>({"__iter__", "__aiter__"});
constexpr auto kSaysItself = std::to_array<std::string_view>({"__str__", "__repr__", "__bytes__", "__format__"});
constexpr auto kDescribes = std::to_array<std::string_view>({"__get__"});
// JavaScript's
constexpr auto kIterates = std::to_array<std::string_view>({"Symbol.iterator", "Symbol.asyncIterator"});
constexpr auto kIsText = std::to_array<std::string_view>({"Symbol.toPrimitive", "toString", "valueOf"});
constexpr auto kIsJson = std::to_array<std::string_view>({"toJSON"});

}  // namespace

// The first of these methods that the object has: one of a class of the package, or a table that is written out.
Taint Engine::CallImplicit(const Value& object, MethodNames names, const Taint& receiver, ExprId at) {
  if (object.kind == ValueKind::kDict) {
    for (std::size_t i = 0; i < object.items.size() && i < object.keys.size(); ++i) {
      if (object.items[i].kind == ValueKind::kFunction && std::ranges::find(names, object.keys[i]) != names.end())
        return CallFunction(object.items[i], {}, {}, receiver, at);
    }
  }
  if (object.kind != ValueKind::kInstance || object.module >= states_.size()) return {};
  Value method = object;
  method.kind = ValueKind::kFunction;
  for (const std::string_view name : names) {
    method.index = states_[object.module].view->MethodOf(object.index, name);
    if (method.index != kNone) return CallFunction(method, {}, {}, receiver, at);
  }
  return {};
}

// @property def v(self), get v(); v = Field(), whose class has a __get__: reading it is calling it.
Taint Engine::OfProperty(const Value& owner, std::uint32_t slot, const Taint& receiver, ExprId at) {
  const ModuleView& there = *states_[owner.module].view;
  const FuncId function = there.slots()[slot].function;
  if (function == kNone) {
    if (there.module().language != Language::kPython || there.slots()[slot].count != 1) return {};
    const Binding& field = there.bindings()[there.slots()[slot].first];
    if (field.value >= there.module().exprs.size() || there.module().exprs[field.value].kind != ExprKind::kCall)
      return {};
    return CallImplicit(there.Evaluate(field.value, field.scope), kDescribes, receiver, at);
  }
  if (!there.IsProperty(function)) return {};
  Value value = owner;
  value.kind = ValueKind::kFunction;
  value.index = function;
  return CallFunction(value, {}, {}, receiver, at);
}

// with Vault() as key, for line in Journal()
Taint Engine::GivenByObject(const Stmt& stmt) {
  if (stmt.value >= code().exprs.size()) return {};
  const Value object = ObjectAt(stmt.value);
  if (stmt.binds == Binds::kEntered) return CallImplicit(object, kEnters, {}, stmt.value);
  return CallImplicit(object, view().is_python() ? MethodNames(kGoesThrough) : MethodNames(kIterates), {}, stmt.value);
}

// f"{report}", `${report}`, "" + report; [...report]
Taint Engine::SaidInPlace(ExprId part, ExprKind place) {
  if (part >= code().exprs.size()) return {};
  const ExprKind kind = code().exprs[part].kind;
  if (kind != ExprKind::kName && kind != ExprKind::kCall && kind != ExprKind::kMember && kind != ExprKind::kDict)
    return {};
  const Value object = ObjectAt(part);
  if (place == ExprKind::kSpread)
    return CallImplicit(object, view().is_python() ? MethodNames(kGoesThrough) : MethodNames(kIterates), {}, part);
  return CallImplicit(object, view().is_python() ? MethodNames(kSaysItself) : MethodNames(kIsText), {}, part);
}

// str(report), list(report), JSON.stringify(report): what the object says of itself.
Taint Engine::SaidByObject(const Call& call) {
  if (call.args.empty() || call.callee.kind != ValueKind::kQualified) return {};
  const std::string_view callee = call.callee.text;
  MethodNames names = {};
  if (SaysOneOf(callee, {"builtins.list", "builtins.tuple", "builtins.set", "builtins.sorted", "builtins.dict",
                         "builtins.iter"})) {
    names = kGoesThrough;
  } else if (SaysOneOf(callee, {"builtins.str", "builtins.repr", "builtins.bytes", "builtins.format"})) {
    names = kSaysItself;
  } else if (SaysOneOf(callee, {"globalThis.String", "String"})) {
    names = kIsText;
  } else if (SaysOneOf(callee, {"globalThis.Array.from", "Array.from"})) {
    names = kIterates;
  } else if (SaysOneOf(callee, {"globalThis.JSON.stringify", "JSON.stringify"})) {
    names = kIsJson;
  } else {
    return {};
  }
  return CallImplicit(ObjectAt(call.args[0].value), names, call.taints[0], call.expr);
}

// throw {token}, raise Failed(dict(os.environ)): what somebody may catch. A complaint about a value of the environment
// that somebody has passed on is not all of it.
void Engine::Throw(ExprId thrown) {
  Taint all = Eval(thrown);
  if (thrown < code().exprs.size() && code().exprs[thrown].kind == ExprKind::kCall) {
    for (const Arg& arg : code().ArgsOf(code().exprs[thrown])) all.Join(Eval(arg.value));
  }
  if ((all.fresh & kEnvAll) == 0) all = all.Without(kEnvAll);
  thrown_.Join(all.Only(kThrown));
}

}  // namespace interlock::scan::code
