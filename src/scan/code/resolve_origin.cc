// Where a value was made. A value that is put into a dictionary, a list, a queue, an object or a closure and taken out
// again is the same value; what reads it must not depend on the box.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "code/engine_words.h"
#include "code/world.h"
#include "static/part_set.h"

namespace interlock::scan::code {

using engine_words::SaysOneOf;

namespace {

constexpr int kMostSteps = 12;
constexpr int kDeepest = 6;  // boxes within boxes
constexpr std::size_t kMostKept = 64;
constexpr std::size_t kMostGlobals = 1024;

// Functions that give back what they are given, or a container of the same things.
bool HandsOn(std::string_view callee) {
  static constexpr FixedWords kFunctions(std::to_array<std::string_view>({"builtins.iter",
                                                                          "builtins.list",
                                                                          "builtins.tuple",
                                                                          "builtins.sorted",
                                                                          "builtins.set",
                                                                          "builtins.reversed",
                                                                          "copy.copy",
                                                                          "copy.deepcopy",
                                                                          "itertools.chain",
                                                                          "collections.deque",
                                                                          "contextlib.nullcontext",
                                                                          "contextlib.closing",
                                                                          "asyncio.wait_for",
                                                                          "asyncio.shield",
                                                                          "Array.from",
                                                                          "Object.freeze",
                                                                          "globalThis.Array.from",
                                                                          "globalThis.Object.freeze",
                                                                          "structuredClone",
                                                                          "globalThis.structuredClone",
                                                                          "Promise.resolve",
                                                                          "globalThis.Promise.resolve"}));
  return kFunctions.Has(callee);
}

bool PutsIn(std::string_view method) {
  static constexpr FixedWords kMethods(std::to_array<std::string_view>(
      {"append", "appendleft", "put", "put_nowait", "push", "add", "set", "unshift", "enqueue"}));
  return kMethods.Has(method);
}

bool TakesOut(std::string_view method) {
  static constexpr FixedWords kMethods(
      std::to_array<std::string_view>({"get", "pop", "popleft", "get_nowait", "shift", "dequeue"}));
  return kMethods.Has(method);
}

// The object whose properties are everybody's variables.
bool HoldsGlobals(const Module& module, const Expr& expr) {
  if (expr.kind == ExprKind::kName) return expr.text == "globalThis" || expr.text == "global" || expr.text == "window";
  return expr.kind == ExprKind::kCall && expr.arg_count == 0 && expr.base < module.exprs.size() &&
         module.exprs[expr.base].text == "globals";
}

bool SaysNothingElse(ExprKind kind) {
  return kind == ExprKind::kString || kind == ExprKind::kConcat || kind == ExprKind::kFormat || kind == ExprKind::kName;
}

// Others are what they are.
bool HasOrigin(ExprKind kind) {
  return kind == ExprKind::kName || kind == ExprKind::kMember || kind == ExprKind::kIndex || kind == ExprKind::kCall ||
         kind == ExprKind::kAwait || kind == ExprKind::kChoice;
}

bool IsFrom(const Module& module, const Expr& member, std::string_view owner) {
  return member.kind == ExprKind::kMember && member.base < module.exprs.size() &&
         module.exprs[member.base].kind == ExprKind::kName && module.exprs[member.base].text == owner;
}

}  // namespace

// Containers that variables hold, and what statements put into them. Variables of nobody's (globals) are kept by their
// names, for slot kNone.
// HOOKS.setdefault(name, []).append(f), hooks[name].push(f): into a list of the table.
ExprId ModuleView::TableBehind(ExprId list) const {
  // (hooks[name] ??= []).push(f), (hooks[name] || []).push(f)
  if (list < module_.exprs.size() && module_.exprs[list].kind == ExprKind::kChoice && module_.exprs[list].arg_count > 0)
    list = module_.ArgsOf(module_.exprs[list])[0].value;
  if (list >= module_.exprs.size()) return list;
  const Expr& part = module_.exprs[list];
  if (part.kind == ExprKind::kIndex) return part.base;
  const bool called = part.kind == ExprKind::kCall && part.base < module_.exprs.size() &&
                      module_.exprs[part.base].kind == ExprKind::kMember;
  return called && SaysOneOf(module_.exprs[part.base].text, {"setdefault", "get"}) ? module_.exprs[part.base].base
                                                                                   : list;
}

void ModuleView::ReadKept() const {
  kept_read_ = true;
  const auto constant = [&](ExprId id) {
    return id < module_.exprs.size() &&
                   (module_.exprs[id].kind == ExprKind::kString || module_.exprs[id].kind == ExprKind::kNumber)
               ? module_.exprs[id].text
               : std::string_view();
  };
  const auto keep = [&](ExprId container, std::string_view key, ExprId value, FuncId scope) {
    if (container >= module_.exprs.size()) return;
    const bool global = HoldsGlobals(module_, module_.exprs[container]) && !key.empty();
    if (!global && module_.exprs[container].kind != ExprKind::kName) return;
    const std::uint32_t slot = global ? kNone : SlotOf(container, scope);
    if (slot == kNone && !global) return;
    std::vector<Kept>& kept = kept_[slot];
    if (kept.size() < (global ? kMostGlobals : kMostKept)) kept.push_back({key, value, scope});
  };
  for (FuncId f = 0; f < module_.functions.size(); ++f) {
    for (const Stmt& stmt : module_.functions[f].body) {
      if (stmt.kind == StmtKind::kAssign && stmt.target < module_.exprs.size()) {
        const Expr& target = module_.exprs[stmt.target];
        if (target.kind == ExprKind::kMember) keep(target.base, target.text, stmt.value, f);
        if (target.kind == ExprKind::kIndex && target.arg_count == 1)
          keep(target.base, constant(module_.args[target.first_arg].value), stmt.value, f);
      }
      if (stmt.kind != StmtKind::kExpr || stmt.value >= module_.exprs.size()) continue;
      const Expr* call = &module_.exprs[stmt.value];
      if (call->kind == ExprKind::kAwait && call->arg_count == 1 &&
          module_.args[call->first_arg].value < module_.exprs.size())
        call = &module_.exprs[module_.args[call->first_arg].value];
      if (call->kind != ExprKind::kCall || call->base >= module_.exprs.size()) continue;
      const Expr& callee = module_.exprs[call->base];
      const auto args = module_.ArgsOf(*call);
      const auto fields = [&](std::size_t i) {
        return args[i].value < module_.exprs.size() && module_.exprs[args[i].value].kind == ExprKind::kDict
                   ? module_.ArgsOf(module_.exprs[args[i].value])
                   : std::span<const Arg>();
      };
      if (args.size() == 3 && ((callee.kind == ExprKind::kName && callee.text == "setattr") ||
                               (callee.text == "set" && IsFrom(module_, callee, "Reflect")))) {
        keep(args[0].value, constant(args[1].value), args[2].value, f);
      } else if (args.size() == 3 && callee.text == "defineProperty" && IsFrom(module_, callee, "Object")) {
        for (const Arg& field : fields(2)) {
          if (field.name == "value") keep(args[0].value, constant(args[1].value), field.value, f);
        }
      } else if (args.size() == 2 && callee.text == "assign" && IsFrom(module_, callee, "Object")) {
        for (const Arg& field : fields(1)) keep(args[0].value, field.name, field.value, f);
      } else if (callee.kind == ExprKind::kMember && callee.text == "update") {
        for (const Arg& arg : args) {
          if (!arg.name.empty()) keep(callee.base, arg.name, arg.value, f);
        }
      } else if (callee.kind == ExprKind::kMember && PutsIn(callee.text)) {
        if (args.size() == 1) keep(TableBehind(callee.base), {}, args[0].value, f);
        if (args.size() == 2 && callee.text == "set") keep(callee.base, constant(args[0].value), args[1].value, f);
      }
    }
  }
}

std::vector<std::pair<ExprId, FuncId>> ModuleView::PutInto(std::uint32_t slot, std::size_t most,
                                                           std::string_view key) const {
  if (!kept_read_) ReadKept();
  std::vector<std::pair<ExprId, FuncId>> out;
  if (const auto kept = kept_.find(slot); kept != kept_.end() && kept->second.size() <= most) {
    for (const Kept& one : kept->second) {
      if (key.empty() || one.key.empty() || one.key == key) out.emplace_back(one.value, one.scope);
    }
  }
  return out;
}

// The one thing in a box that lies in a box: `this.items = [...this.items]` lies in itself.
ExprId ModuleView::HeldWithin(ExprId container, FuncId* scope) const {
  if (held_depth_ >= kDeepest || origin_depth_ > kDeepest) return kNone;
  ++held_depth_;
  const ExprId one = Held(container, {}, scope);
  --held_depth_;
  return one;
}

// The one thing that is in the container under the key; "": the one thing that is in it.
ExprId ModuleView::Held(ExprId container, std::string_view key, FuncId* scope) const {
  if (container >= module_.exprs.size()) return kNone;
  FuncId at = *scope;
  const ExprId origin = Origin(container, at, &at);
  ExprId found = kNone;
  FuncId where = at;
  std::size_t count = 0;
  const auto take = [&](ExprId value, FuncId from) {
    found = value;
    where = from;
    ++count;
  };
  const bool number = !key.empty() && key[0] >= '0' && key[0] <= '9';
  if (origin < module_.exprs.size()) {
    const Expr& made = module_.exprs[origin];
    const auto args = module_.ArgsOf(made);
    if (made.kind == ExprKind::kDict && !key.empty()) {
      for (const Arg& arg : args) {
        if (arg.name == key) take(arg.value, at);
      }
    } else if (made.kind == ExprKind::kList && args.size() == 1 && args[0].value < module_.exprs.size() &&
               module_.exprs[args[0].value].kind == ExprKind::kSpread && (key.empty() || key == "0")) {
      // [...box][0]
      const auto spread = module_.ArgsOf(module_.exprs[args[0].value]);
      if (spread.size() == 1) {
        if (const ExprId one = HeldWithin(spread[0].value, &at); one != kNone) take(one, at);
      }
    } else if (made.kind == ExprKind::kCall && made.is_new && args.size() == 1 && made.base < module_.exprs.size() &&
               SaysOneOf(module_.exprs[made.base].text, {"Map", "Set"})) {
      // new Map([["key", value]]), new Set([value])
      const bool map = module_.exprs[made.base].text == "Map";
      FuncId from = at;
      const ExprId row = Origin(args[0].value, at, &from);
      const auto rows = row < module_.exprs.size() && module_.exprs[row].kind == ExprKind::kList
                            ? module_.ArgsOf(module_.exprs[row])
                            : std::span<const Arg>();
      if (!map && key.empty() && rows.size() == 1) take(rows[0].value, from);
      for (const Arg& one : map && !key.empty() ? rows : std::span<const Arg>()) {
        if (one.value >= module_.exprs.size() || module_.exprs[one.value].kind != ExprKind::kList) continue;
        const auto both = module_.ArgsOf(module_.exprs[one.value]);
        if (both.size() == 2 && both[0].value < module_.exprs.size() && module_.exprs[both[0].value].text == key)
          take(both[1].value, from);
      }
    } else if (made.kind == ExprKind::kCall && !key.empty() && made.base < module_.exprs.size() &&
               module_.exprs[made.base].text == "assign" && IsFrom(module_, module_.exprs[made.base], "Object")) {
      for (const Arg& part : args) {
        if (part.value >= module_.exprs.size() || module_.exprs[part.value].kind != ExprKind::kDict) continue;
        for (const Arg& field : module_.ArgsOf(module_.exprs[part.value])) {
          if (field.name == key) take(field.value, at);
        }
      }
    } else if (made.kind == ExprKind::kCall && args.empty() && key.empty() && made.base < module_.exprs.size() &&
               module_.exprs[made.base].kind == ExprKind::kMember && module_.exprs[made.base].text == "values") {
      if (const ExprId one = HeldWithin(module_.exprs[made.base].base, &at); one != kNone) take(one, at);
    } else if (made.kind == ExprKind::kList) {
      if (key.empty() && args.size() == 1) take(args[0].value, at);
      if (number && key.size() == 1 && static_cast<std::size_t>(key[0] - '0') < args.size())
        take(args[static_cast<std::size_t>(key[0] - '0')].value, at);
    } else if (made.kind == ExprKind::kCall && !key.empty() && !number) {
      const auto named = std::ranges::find(args, key, &Arg::name);
      if (named != args.end()) {
        take(named->value, at);
      } else if (args.size() == 1 && args[0].name.empty()) {
        const ValueKind kind = Evaluate(made.base, at).kind;
        FuncId maker = at;
        const ExprId type = Origin(made.base, at, &maker);
        const bool tuple = type < module_.exprs.size() && module_.exprs[type].kind == ExprKind::kCall &&
                           Callee(type, maker).text.ends_with("amedtuple");
        if (kind == ValueKind::kClass || tuple) take(args[0].value, at);
      }
    }
  }
  if (module_.exprs[container].kind == ExprKind::kName) {
    if (!kept_read_) ReadKept();
    const auto kept = kept_.find(SlotOf(container, *scope));
    if (kept != kept_.end()) {
      for (const Kept& one : kept->second) {
        if (one.key == key || (number && one.key.empty())) take(one.value, one.scope);
      }
    }
  }
  if (count != 1 || found == container) return kNone;
  *scope = where;
  return found;
}

// What a function gives back, where it is one thing: what it makes without being given anything, or what it is given
// (or would take instead).
ExprId ModuleView::Given(ExprId function, std::span<const Arg> args, FuncId* scope) const {
  if (function >= module_.exprs.size()) return kNone;
  const Value& value = Evaluate(function, *scope);
  if (value.kind != ValueKind::kFunction || value.module != index_ || value.index >= module_.functions.size())
    return kNone;
  const Function& shape = module_.functions[value.index];
  ExprId found = kNone;
  for (const Stmt& stmt : shape.body) {
    if ((stmt.kind != StmtKind::kReturn && stmt.kind != StmtKind::kYield) || stmt.value == kNone) continue;
    if (found != kNone) return kNone;
    found = stmt.value;
  }
  if (found == kNone) return kNone;
  const FuncId inside = value.index;
  // def link(self): what a method makes
  const bool method = is_python() && shape.owner != kNone && !shape.is_static;
  if (args.empty() && (shape.params.empty() || (shape.params.size() == 1 && shape.params[0].fallback == kNone &&
                                                (shape.name.empty() || method)))) {
    *scope = inside;
    return found;
  }
  if (module_.exprs[found].kind != ExprKind::kName) return kNone;
  const std::uint32_t slot = SlotOf(found, inside);
  if (slot == kNone || slots_[slot].param >= shape.params.size() || slots_[slot].function != kNone ||
      slots_[slot].scope != inside || slots_[slot].count != 0)
    return kNone;
  const std::size_t place = slots_[slot].param;
  const Param& param = shape.params[place];
  if (param.variadic) return kNone;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool spread = args[i].value >= module_.exprs.size() || module_.exprs[args[i].value].kind == ExprKind::kSpread;
    if (spread) return kNone;
    if (args[i].name.empty() ? i == place : args[i].name == param.name) return args[i].value;
  }
  if (param.fallback != kNone) *scope = shape.parent == kNone ? kModuleBody : shape.parent;
  return param.fallback;
}

ExprId ModuleView::BehindCall(const Expr& call, FuncId* scope) const {
  if (call.base >= module_.exprs.size()) return kNone;
  const Expr& callee = module_.exprs[call.base];
  const auto args = module_.ArgsOf(call);
  const auto constant = [&](std::size_t i) {
    return i < args.size() && args[i].value < module_.exprs.size() &&
                   module_.exprs[args[i].value].kind == ExprKind::kString
               ? module_.exprs[args[i].value].text
               : std::string_view();
  };
  if (IsFrom(module_, callee, "Reflect") && callee.text == "get" && args.size() == 2 && !constant(1).empty())
    return Held(args[0].value, constant(1), scope);
  if (callee.kind == ExprKind::kMember && TakesOut(callee.text) && args.size() <= 2) {
    if (!args.empty() && constant(0).empty()) return kNone;
    return Held(callee.base, constant(0), scope);
  }
  if (callee.kind == ExprKind::kMember && callee.text == "result" && args.empty()) {
    FuncId at = *scope;
    const ExprId task = Origin(callee.base, at, &at);
    if (task >= module_.exprs.size() || module_.exprs[task].kind != ExprKind::kCall) return kNone;
    const auto given = module_.ArgsOf(module_.exprs[task]);
    const Expr& started = module_.exprs[module_.exprs[task].base];
    if (started.text != "submit" || given.size() != 1) return kNone;
    const ExprId found = Given(given[0].value, {}, &at);
    if (found != kNone) *scope = at;
    return found;
  }
  if (callee.kind == ExprKind::kName && callee.text == "getattr" && args.size() >= 2 && !constant(1).empty())
    return Held(args[0].value, constant(1), scope);
  if (callee.kind == ExprKind::kName && callee.text == "next" && !args.empty()) {
    FuncId at = *scope;
    const ExprId row = Origin(args[0].value, at, &at);
    if (row >= module_.exprs.size() || row == args[0].value) return kNone;
    const Expr& made = module_.exprs[row];
    if (made.kind == ExprKind::kList && made.arg_count != 1) return kNone;
    if (made.kind == ExprKind::kComprehension) {
      // (one for one in [value])
      const auto parts = module_.ArgsOf(made);
      const bool plain = parts.size() == 2 && parts[0].value < module_.exprs.size() &&
                         module_.exprs[parts[0].value].kind == ExprKind::kName;
      const ExprId one = plain ? Held(parts[1].value, {}, &at) : kNone;
      if (one != kNone) *scope = at;
      return one;
    }
    if (made.kind == ExprKind::kCall) {
      if (const ExprId one = Given(made.base, module_.ArgsOf(made), &at); one != kNone) {
        *scope = at;
        return one;
      }
    }
    *scope = at;
    return made.kind == ExprKind::kList ? module_.args[made.first_arg].value : row;
  }
  // function.bind(null, value)(), partial(function, value)()
  FuncId at = *scope;
  const ExprId maker = Origin(call.base, at, &at);
  if (args.empty() && maker < module_.exprs.size() && module_.exprs[maker].kind == ExprKind::kCall &&
      module_.exprs[maker].base < module_.exprs.size()) {
    const Expr& bound = module_.exprs[module_.exprs[maker].base];
    const auto given = module_.ArgsOf(module_.exprs[maker]);
    ExprId one = kNone;
    if (bound.kind == ExprKind::kMember && bound.text == "bind" && !given.empty()) {
      one = Given(bound.base, given.subspan(1), &at);
    } else if (bound.text == "partial" && !given.empty()) {
      one = Given(given[0].value, given.subspan(1), &at);
    }
    if (one != kNone) {
      *scope = at;
      return one;
    }
  }
  if (!is_typed() && callee.kind == ExprKind::kMember && SaysOneOf(callee.text, {"bind", "call", "apply"})) {
    return callee.text == "call" && !args.empty() ? Given(callee.base, args.subspan(1), scope) : kNone;
  }
  if (const ExprId one = Given(call.base, args, scope); one != kNone) return one;
  if (!args.empty() && args.size() <= 2 && HandsOn(Evaluate(call.base, *scope).text)) return args[0].value;
  return kNone;
}

// A variable of nobody's, where it is given one value.
ExprId ModuleView::Global(std::string_view name, FuncId* scope) const {
  if (!kept_read_) ReadKept();
  const auto kept = kept_.find(kNone);
  if (kept == kept_.end()) return kNone;
  const Kept* found = nullptr;
  for (const Kept& one : kept->second) {
    if (one.key != name) continue;
    if (found != nullptr) return kNone;
    found = &one;
  }
  if (found == nullptr) return kNone;
  *scope = found->scope;
  return found->value;
}

ExprId ModuleView::Behind(ExprId expr, FuncId* scope) const {
  const Expr& at = module_.exprs[expr];
  const auto args = module_.ArgsOf(at);
  switch (at.kind) {
    case ExprKind::kAwait:
      return args.size() == 1 ? args[0].value : kNone;
    case ExprKind::kIndex: {
      if (args.size() != 1 || args[0].value >= module_.exprs.size()) return kNone;
      const Expr& key = module_.exprs[args[0].value];
      return key.kind == ExprKind::kString || key.kind == ExprKind::kNumber ? Held(at.base, key.text, scope) : kNone;
    }
    case ExprKind::kMember:
      if (at.text == "value" && at.base < module_.exprs.size() && module_.exprs[at.base].kind == ExprKind::kCall) {
        // box.next().value
        const Expr& step = module_.exprs[at.base];
        if (step.arg_count != 0 || step.base >= module_.exprs.size() ||
            module_.exprs[step.base].kind != ExprKind::kMember || module_.exprs[step.base].text != "next")
          return kNone;
        FuncId from = *scope;
        const ExprId row = Origin(module_.exprs[step.base].base, from, &from);
        ExprId one = kNone;
        if (row < module_.exprs.size() && module_.exprs[row].kind == ExprKind::kCall)
          one = Given(module_.exprs[row].base, module_.ArgsOf(module_.exprs[row]), &from);
        // A generator that is given one thing and hands it on: its origin is that thing.
        if (one == kNone && row < module_.exprs.size() && row != module_.exprs[step.base].base &&
            SaysNothingElse(module_.exprs[row].kind))
          one = row;
        if (one == kNone) one = Held(module_.exprs[step.base].base, {}, &(from = *scope));
        if (one != kNone) *scope = from;
        return one;
      }
      if (at.base < module_.exprs.size() && HoldsGlobals(module_, module_.exprs[at.base]))
        return Global(at.text, scope);
      return at.base < module_.exprs.size() && module_.exprs[at.base].kind == ExprKind::kName
                 ? Held(at.base, at.text, scope)
                 : kNone;
    case ExprKind::kCall:
      return BehindCall(at, scope);
    case ExprKind::kChoice: {
      // x or None, x if ready else None
      ExprId only = kNone;
      for (const Arg& arg : args.size() == 3 ? args.subspan(1) : args) {
        if (arg.value >= module_.exprs.size()) return kNone;
        const Expr& one = module_.exprs[arg.value];
        if (one.kind == ExprKind::kConstant && SaysOneOf(one.text, {"None", "null", "undefined"})) continue;
        if (only != kNone) return kNone;
        only = arg.value;
      }
      return only;
    }
    default:
      return kNone;
  }
}

std::size_t KnownOrigins::PlaceOf(ExprId expr, FuncId scope) const {
  // What stands side by side in the text stands so here: it is asked for one after the other.
  constexpr std::uint32_t kNeighbours = 8;
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t group = (std::uint64_t{expr / kNeighbours} << 32U | scope) * kFactor >> 32U;
  std::size_t at = static_cast<std::size_t>(group * kNeighbours + expr % kNeighbours) & mask;
  while (slots_[at].expr != kNone && (slots_[at].expr != expr || slots_[at].scope != scope)) at = (at + 1) & mask;
  return at;
}

const KnownOrigins::Known* KnownOrigins::Find(ExprId expr, FuncId scope) const {
  if (slots_.empty()) return nullptr;
  const Known& known = slots_[PlaceOf(expr, scope)];
  return known.expr == kNone ? nullptr : &known;
}

void KnownOrigins::Add(const Known& known) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;  // of memory, not of what is found
  if (count_ >= kMost) return;
  if ((count_ + 1) * 2 > slots_.size()) {
    const std::vector<Known> old =
        std::exchange(slots_, std::vector<Known>(std::max<std::size_t>(64, slots_.size() * 2)));
    for (const Known& one : old) {
      if (one.expr != kNone) slots_[PlaceOf(one.expr, one.scope)] = one;
    }
  }
  Known& slot = slots_[PlaceOf(known.expr, known.scope)];
  if (slot.expr == kNone) ++count_;
  slot = known;
}

// The passes of the engine ask for the same origins again and again, and a chain of calls asks for that of each of its
// links. What is found depends on the depth of boxes at which it is asked for; inside an evaluation it depends on what
// is being evaluated as well, and nothing is remembered.
ExprId ModuleView::Origin(ExprId expr, FuncId scope, FuncId* found_scope) const {
  if (expr < module_.exprs.size()) scope = ScopeOf(expr, scope);
  if (expr >= module_.exprs.size() || !HasOrigin(module_.exprs[expr].kind)) {
    if (found_scope != nullptr) *found_scope = scope;
    return expr;
  }
  FuncId where = scope;
  if (world_.depth_ != 0 || !overrides_.empty()) {
    const ExprId origin = FindOrigin(expr, scope, &where);
    if (found_scope != nullptr) *found_scope = where;
    return origin;
  }
  if (origin_depth_ == 0 && places_.scope[expr] != kNone) {
    if (first_origins_.empty()) first_origins_.resize(module_.exprs.size());
    if (const FirstOrigin& known = first_origins_[expr]; known.origin != 0) {
      if (found_scope != nullptr) *found_scope = known.scope;
      return known.origin - 1;
    }
    const ExprId origin = FindOrigin(expr, scope, &where);
    first_origins_[expr] = {.origin = origin + 1, .scope = where};
    if (found_scope != nullptr) *found_scope = where;
    return origin;
  }
  const auto depth = static_cast<std::size_t>(origin_depth_);
  if (origins_.size() <= depth) origins_.resize(depth + 1);
  if (const KnownOrigins::Known* known = origins_[depth].Find(expr, scope); known != nullptr) {
    if (found_scope != nullptr) *found_scope = known->origin_scope;
    return known->origin;
  }
  constexpr std::uint64_t kFew = 4;  // steps that are as soon done as remembered
  const std::uint64_t before = origin_steps_;
  const ExprId origin = FindOrigin(expr, scope, &where);
  if (origin_steps_ - before > kFew)
    origins_[depth].Add({.expr = expr, .scope = scope, .origin = origin, .origin_scope = where});
  if (found_scope != nullptr) *found_scope = where;
  return origin;
}

ExprId ModuleView::FindOrigin(ExprId expr, FuncId scope, FuncId* found_scope) const {
  ++origin_depth_;
  for (int i = 0; i < kMostSteps; ++i) {
    ++origin_steps_;
    if (expr >= module_.exprs.size()) break;
    const Expr& at = module_.exprs[expr];
    std::uint32_t slot = kNone;
    if (at.kind == ExprKind::kName) {
      slot = SlotOf(expr, scope);
    } else if (at.kind == ExprKind::kMember && at.base < module_.exprs.size() &&
               module_.exprs[at.base].kind == ExprKind::kName) {
      const ClassId self = SelfClass(module_.exprs[at.base].text, scope);
      if (self != kNone) slot = AttributeSlot(self, at.text);
    } else if (i > 0 && at.kind == ExprKind::kCall && at.base < module_.exprs.size() &&
               (module_.exprs[at.base].text == "field" || module_.exprs[at.base].text == "Field")) {
      // name: list = field(default=("a", "b")): what an attribute is before anybody sets it.
      const auto args = module_.ArgsOf(at);
      const auto given = std::ranges::find(args, std::string_view("default"), &Arg::name);
      if (given == args.end()) break;
      expr = given->value;
      continue;
    }
    if (slot == kNone) {
      if (origin_depth_ > kDeepest) break;
      const ExprId behind = at.kind == ExprKind::kName ? Global(at.text, &scope) : Behind(expr, &scope);
      if (behind == kNone || behind == expr) break;
      expr = behind;
      continue;
    }
    const Slot& variable = slots_[slot];
    const Binding* const chosen = Chosen(variable, at.loc.begin, scope);
    if (chosen == nullptr || chosen->weak || chosen->value == kNone || chosen->value == expr) break;
    if (chosen->destructured) {
      // a, b = (x, y)
      if (origin_depth_ > kDeepest) break;
      if (!chosen->part.empty()) {
        // const { a } = { a: x }
        FuncId from = chosen->scope;
        const ExprId one = Held(chosen->value, chosen->part, &from);
        if (one == kNone) break;
        expr = one;
        scope = from;
        continue;
      }
      if (chosen->item == kNone) break;
      FuncId from = chosen->scope;
      const ExprId row = Origin(chosen->value, from, &from);
      if (row >= module_.exprs.size() || module_.exprs[row].kind != ExprKind::kList) break;
      const auto items = module_.ArgsOf(module_.exprs[row]);
      if (chosen->item >= items.size()) break;
      expr = items[chosen->item].value;
      scope = from;
      continue;
    }
    expr = chosen->value;
    scope = chosen->scope;
  }
  --origin_depth_;
  *found_scope = scope;
  return expr;
}

}  // namespace interlock::scan::code
