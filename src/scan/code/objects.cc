// What objects carry from where it is put into them to where it is taken out, and whose methods are called where only
// the name of the method is known.
#include <algorithm>
#include <utility>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/resolve_internal.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using sink_words::Contains;

namespace {

constexpr std::size_t kMostTargets = 3;     // methods of one name: more say nothing
constexpr std::string_view kCalled = "()";  // behind the name of a part of a table that is a function
constexpr std::size_t kMostMethods = 100'000;
constexpr std::size_t kMostFields = 4096;
constexpr std::size_t kMostElements = 16;
constexpr std::size_t kMostOfAddress = 300;  // bytes
// Of a module in which a name alone may mean a method: in bundles of many libraries all names meet.
constexpr std::size_t kMostWritten = std::size_t{1} << 17U;

// [["note", saveNote]], of new Map([["note", saveNote]]).
ExprId EntriesOfMap(const ModuleView& view, ExprId map, FuncId scope) {
  const Module& code = view.module();
  if (code.language == Language::kPython) return kNone;
  const ExprId made = view.Origin(map, scope);
  if (made >= code.exprs.size() || code.exprs[made].kind != ExprKind::kCall || code.exprs[made].arg_count != 1)
    return kNone;
  const ExprId maker = code.exprs[made].base;
  return maker < code.exprs.size() && code.exprs[maker].text == "Map" ? code.ArgsOf(code.exprs[made])[0].value : kNone;
}

// Methods that lists, files, texts, clients and promises have as well.
bool IsCommonMethod(std::string_view name) {
  static constexpr FixedWords kCommon(std::to_array<std::string_view>(
      {"append",   "add",    "get",    "pop",     "update",  "items",    "keys",     "values",  "read",    "write",
       "close",    "open",   "send",   "join",    "split",   "strip",    "format",   "encode",  "decode",  "replace",
       "copy",     "sort",   "index",  "count",   "find",    "extend",   "insert",   "remove",  "clear",   "start",
       "stop",     "set",    "log",    "info",    "debug",   "error",    "warn",     "warning", "map",     "filter",
       "then",     "catch",  "push",   "forEach", "slice",   "toString", "next",     "throw",   "emit",    "on",
       "once",     "json",   "text",   "connect", "request", "post",     "fetch",    "execute", "commit",  "query",
       "submit",   "result", "wait",   "acquire", "release", "flush",    "seek",     "exists",  "mkdir",   "invoke",
       "call",     "apply",  "bind",   "end",     "delete",  "has",      "create",   "list",    "search",  "init",
       "trim",     "match",  "test",   "parse",   "dump",    "load",     "dumps",    "loads",   "use",     "reset",
       "lower",    "upper",  "is",     "render",  "build",   "process",  "validate", "handle",  "resolve", "reject",
       "register", "setup",  "cancel", "save",    "put",     "patch",    "head",     "stream",  "iter",    "run"}));
  return name.size() < 3 || kCommon.Has(name);
}

// self.tiers = tiers or default_tiers(): the list that stands in the package, of several ways to one.
Value ListBehind(const World& world, const ModuleView& view, ExprId list, FuncId scope, int depth) {
  constexpr int kDeepest = 4;
  const Module& code = view.module();
  FuncId where = scope;
  const ExprId made = view.Origin(list, scope, &where);
  if (depth > kDeepest || made >= code.exprs.size()) return {};
  const Expr& shape = code.exprs[made];
  if (shape.kind == ExprKind::kList) return view.Evaluate(made, where);
  if (shape.kind == ExprKind::kChoice) {
    for (const Arg& way : code.ArgsOf(shape)) {
      Value found = ListBehind(world, view, way.value, where, depth + 1);
      if (found.kind == ValueKind::kList) return found;
    }
    return {};
  }
  if (shape.kind != ExprKind::kCall) return {};
  const Value callee = view.Callee(made, where);
  if (callee.kind != ValueKind::kFunction || callee.module >= world.size()) return {};
  const ModuleView& there = world.View(callee.module);
  if (callee.index >= there.module().functions.size()) return {};
  for (const Stmt& stmt : there.module().functions[callee.index].body) {
    if (stmt.kind == StmtKind::kReturn && stmt.value != kNone)
      return ListBehind(world, there, stmt.value, callee.index, depth + 1);
  }
  return {};
}

}  // namespace

// state.value = v, settings.note = v: a variable of another module, or of a class of another module.
void Engine::StoreElsewhere(std::uint32_t module, std::uint32_t slot, Taint what) {
  if (what.labels == 0) return;
  what.fresh = what.labels;
  what.params = 0;
  Taint& at = states_[module].slots[slot];
  if ((at.labels | what.labels) != at.labels) changed_ = true;
  at.Join(what);
  // Its own module sets it anew in each pass.
  if (states_[module].view->slots()[slot].owner == kNone) states_[module].outside[slot].Join(what);
}

// The variable of a module that a name means, here or where it is imported from; kNone: none.
std::uint64_t Engine::SharedVariable(ExprId name) const {
  if (name >= code().exprs.size() || code().exprs[name].kind != ExprKind::kName) return kNone;
  const std::uint32_t slot = view().SlotOf(name, function_);
  if (slot == kNone) return kNone;
  const Slot& variable = view().slots()[slot];
  if (variable.import == kNone) return variable.scope == kModuleBody ? Key(module_, slot) : std::uint64_t{kNone};
  const Import& from = code().imports[variable.import];
  const std::uint32_t other = world_.Resolve(module_, from.module);
  const std::uint32_t there = other == kNone ? kNone : states_[other].view->ExportedVariable(from.symbol);
  return there == kNone ? std::uint64_t{kNone} : Key(other, there);
}

// self.items: the attribute's variable, where the class is one of this file.
std::uint32_t Engine::OwnAttribute(ExprId member) const {
  if (member >= code().exprs.size() || code().exprs[member].kind != ExprKind::kMember) return kNone;
  const Value& owner = view().Evaluate(code().exprs[member].base, function_);
  if ((owner.kind != ValueKind::kInstance && owner.kind != ValueKind::kClass) || owner.module != module_) return kNone;
  return view().AttributeSlot(owner.index, code().exprs[member].text);
}

// import { state } from "./state.js"; state.note = v: whoever reads state.note has it.
void Engine::StoreField(ExprId name, std::string_view field, Taint what) {
  if (what.labels == 0 || field.empty() || fields_.size() > kMostFields) return;
  const std::uint64_t variable = SharedVariable(name);
  if (variable == kNone) return;
  what.params = 0;
  what.fresh = what.labels;
  Taint& at = fields_[{variable, std::string(field)}];
  if ((at.labels | what.labels) != at.labels) changed_ = true;
  at.Join(what);
}

Taint Engine::FieldOfShared(ExprId name, std::string_view field) const {
  if (fields_.empty() || field.empty()) return {};
  const std::uint64_t variable = SharedVariable(name);
  if (variable == kNone) return {};
  const auto at = fields_.find({variable, std::string(field)});
  return at == fields_.end() ? Taint() : at->second;
}

// The variable that `owner.name` is, where the owner is a module, a class or an instance of the package.
bool Engine::FindElsewhere(const Value& owner, std::string_view name, std::uint32_t* module,
                           std::uint32_t* slot) const {
  if (owner.module >= states_.size()) return false;
  *module = owner.module;
  if (IsModuleObject(owner)) {
    *slot = states_[owner.module].view->SlotByName(name, kModuleBody);
  } else if (owner.kind == ValueKind::kInstance || owner.kind == ValueKind::kClass) {
    *slot = states_[owner.module].view->AttributeSlot(owner.index, name);
  } else {
    return false;
  }
  return *slot != kNone;
}

// D(a=x, b=y) of a class that says only which fields it has: a dataclass, a model, a row.
void Engine::FillRecord(const Value& klass, std::span<const Arg> args, std::span<const Taint> taints) {
  const ModuleView& view = *states_[klass.module].view;
  // The first, second, ... field of a class, as they stand in it.
  const auto field = [&](std::size_t place) {
    for (std::uint32_t i = 0; i < view.slots().size(); ++i) {
      if (view.slots()[i].owner == klass.index && view.slots()[i].function == kNone && place-- == 0) return i;
    }
    return kNone;
  };
  constexpr std::size_t kMostFieldsByPlace = 8;
  for (std::size_t i = 0; i < args.size() && i < taints.size(); ++i) {
    const std::string said = !args[i].name.empty() ? Known(args[i].value) : std::string();
    // Settings(endpoint="https://..."), Settings(archive=environ.get("X", "a@b.example")): an address, whose it is.
    const bool address = said.size() <= kMostOfAddress && (Contains(said, "://") || Contains(said, "@"));
    if (taints[i].labels == 0 && !address) continue;
    std::uint32_t slot = kNone;
    if (!args[i].name.empty()) {
      slot = view.AttributeSlot(klass.index, args[i].name);
    } else if (i < kMostFieldsByPlace) {
      slot = field(i);
    }
    if (slot != kNone) StoreElsewhere(klass.module, slot, taints[i]);
    if (slot == kNone || !address) continue;
    const auto [known, added] = field_texts_.try_emplace(Key(klass.module, slot), said);
    if (added) changed_ = true;
    if (!added && known->second != said) known->second.clear();  // of several nothing is known
  }
}

// settings.endpoint, of a record that was made with it.
std::string Engine::FieldText(std::uint32_t module, FuncId scope, ExprId member) const {
  const ModuleView& here = *states_[module].view;
  if (field_texts_.empty() || member >= here.module().exprs.size()) return {};
  const Expr& expr = here.module().exprs[member];
  if (expr.kind != ExprKind::kMember) return {};
  const Value& owner = here.Evaluate(expr.base, scope);
  if (owner.kind != ValueKind::kInstance || owner.module >= states_.size()) return {};
  const std::uint32_t slot = states_[owner.module].view->AttributeSlot(owner.index, expr.text);
  const auto known = slot == kNone ? field_texts_.end() : field_texts_.find(Key(owner.module, slot));
  return known == field_texts_.end() ? std::string() : known->second;
}

// All that an object of the package holds: asdict(report), vars(report), report.model_dump(), JSON.stringify(report).
Taint Engine::WholeRecord(const Call& call) {
  ExprId object = kNone;
  if (SaysOneOf(call.callee.text, {"dataclasses.asdict", "dataclasses.astuple", "builtins.vars", "attrs.asdict",
                                   "attr.asdict", "JSON.stringify", "globalThis.JSON.stringify"}) &&
      !call.args.empty()) {
    object = call.args[0].value;
  } else if (call.IsMethod() && SaysOneOf(call.last, {"model_dump", "model_dump_json", "_asdict", "dict", "json"})) {
    object = call.base->base;
  }
  if (object >= code().exprs.size()) return {};
  const Value what = ObjectAt(object);
  if (call.IsMethod() && what.kind == ValueKind::kInstance && what.module < states_.size() &&
      states_[what.module].view->MethodOf(what.index, call.last) != kNone)
    return {};
  return WholeOf(object);
}

// All that an object of the package carries.
Taint Engine::WholeOf(ExprId object) {
  const Value what = ObjectAt(object);
  if (what.kind != ValueKind::kInstance || what.module >= states_.size()) return {};
  Taint all;
  JoinRecord(what.module, what.index, 0, &all);
  return all;
}

// An object of the package, also where only a parameter's type says so.
Value Engine::ObjectAt(ExprId object) const {
  const Value& known = view().Evaluate(object, function_);
  if (known.kind == ValueKind::kInstance || code().exprs[object].kind != ExprKind::kName) return known;
  const std::uint32_t slot = view().SlotOf(object, function_);
  if (slot == kNone || view().slots()[slot].param == kNone) return known;
  const FuncId scope = view().slots()[slot].scope;
  if (scope >= code().functions.size() || view().slots()[slot].param >= code().functions[scope].params.size())
    return known;
  const ExprId type = code().functions[scope].params[view().slots()[slot].param].annotation;
  if (type >= code().exprs.size() || code().exprs[type].kind != ExprKind::kName) return known;
  Value value = view().Evaluate(type, scope);
  if (value.kind != ValueKind::kClass) return known;
  value.kind = ValueKind::kInstance;
  return value;
}

// The fields of a class and of those that it is made of, and what their @computed_field or toJSON() adds.
void Engine::JoinRecord(std::uint32_t module, ClassId klass, int depth, Taint* all) {
  constexpr std::size_t kMostJoined = 256;
  constexpr int kMostBases = 4;
  const ModuleView& there = *states_[module].view;
  if (klass >= there.module().classes.size()) return;
  const auto [fields, added] = fields_of_.try_emplace(Key(module, klass));
  for (std::uint32_t i = 0; added && i < there.slots().size() && fields->second.size() < kMostJoined; ++i) {
    if (there.slots()[i].owner == klass && there.slots()[i].function == kNone) fields->second.push_back(i);
  }
  for (const std::uint32_t field : fields->second) all->Join(states_[module].slots[field].SeenFromOutside());
  const Module& code = there.module();
  for (const FuncId method : code.classes[klass].methods) {
    if (method >= code.functions.size()) continue;
    const Function& shape = code.functions[method];
    const bool written = shape.name == "toJSON" || std::ranges::any_of(shape.decorators, [&](ExprId decorator) {
                           if (decorator >= code.exprs.size()) return false;
                           const Loc at = code.exprs[decorator].loc;
                           return Contains(code.text.substr(at.begin, at.end - at.begin), "computed_field") ||
                                  Contains(code.text.substr(at.begin, at.end - at.begin), "_serializer");
                         });
    if (written) all->Join(facts(module, method).out.SeenFromOutside());
  }
  for (const ExprId base : code.classes[klass].bases) {
    const Value& above = there.Evaluate(base, code.classes[klass].parent);
    if (above.kind == ValueKind::kClass && above.module < states_.size() && depth < kMostBases)
      JoinRecord(above.module, above.index, depth + 1, all);
  }
}

// getattr(self, "_load_" + key)(), this[`load${key}`](): every method of the class whose name begins so.
Taint Engine::CallByPrefix(const Call& call, ExprId owner, ExprId name, std::span<const Taint> taints) {
  const std::string prefix = Known(name);
  const std::size_t hole = prefix.find(kHole);
  constexpr std::size_t kShortest = 3;
  if (hole == std::string::npos || hole < kShortest || owner >= code().exprs.size()) return {};
  const Value& object = view().Evaluate(owner, function_);
  if (object.kind != ValueKind::kInstance || object.module >= states_.size()) return {};
  const Module& there = states_[object.module].view->module();
  if (object.index >= there.classes.size()) return {};
  Taint result;
  std::size_t found = 0;
  for (const FuncId method : there.classes[object.index].methods) {
    if (method >= there.functions.size() || (object.module == module_ && method == function_)) continue;
    if (!there.functions[method].name.starts_with(std::string_view(prefix).substr(0, hole))) continue;
    if (++found > kMostElements) break;
    Value value = object;
    value.kind = ValueKind::kFunction;
    value.index = method;
    result.Join(CallFunction(value, call.args, taints, call.receiver, call.expr));
  }
  return result;
}

// @report def load(): what the decorator is given.
void Engine::GiveDecorated() {
  // The first function that stands in each function, of modules that are asked about.
  std::vector<std::vector<FuncId>> inner(states_.size());
  const auto made_by = [&](const Value& maker) {
    const std::vector<Function>& all = states_[maker.module].view->module().functions;
    std::vector<FuncId>& first = inner[maker.module];
    if (first.empty()) {
      first.assign(all.size(), kNone);
      for (FuncId f = static_cast<FuncId>(all.size()); f-- > 1;) {
        if (all[f].parent < all.size()) first[all[f].parent] = f;
      }
    }
    return maker.index < first.size() ? first[maker.index] : kNone;
  };
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    const Module& module = states_[m].view->module();
    for (FuncId f = 1; f < module.functions.size(); ++f) {
      for (const ExprId decorator : module.functions[f].decorators) {
        if (decorator >= module.exprs.size()) continue;
        const FuncId around = module.functions[f].parent == kNone ? kModuleBody : module.functions[f].parent;
        const bool called = module.exprs[decorator].kind == ExprKind::kCall;
        Value value =
            called ? states_[m].view->Callee(decorator, around) : states_[m].view->Evaluate(decorator, around);
        if (value.kind != ValueKind::kFunction || value.module >= states_.size()) continue;
        // @on("note"): the function that on(...) gives back.
        if (called) value.index = made_by(value);
        if (value.index == kNone) continue;
        Targets& known = callables_[{Key(value.module, value.index), 0}];
        if (known.size() <= kMostTargets) known.emplace_back(m, f);
      }
    }
  }
}

// fn(...) of a parameter of this function or of one around it; options.fn(...), options["fn"](...),
// this.options.fn(...) and fn(...) of ({fn}), of a table that is given.
Taint Engine::CallGiven(const Call& call, std::span<const Taint> taints) {
  const ExprId name = code().exprs[call.expr].base;
  TargetSpan known;
  const Expr& callee = code().exprs[name];
  const std::uint32_t slot = callee.kind == ExprKind::kName ? view().SlotOf(name, function_) : kNone;
  if (slot != kNone && view().slots()[slot].param != kNone) {
    const auto found = callables_.find({Key(module_, view().slots()[slot].scope), view().slots()[slot].param});
    if (found != callables_.end()) known = found->second;
  } else if (slot != kNone && view().slots()[slot].count == 1) {
    const Binding& part = view().bindings()[view().slots()[slot].first];
    if (part.destructured) known = PartObjects(part.value, part.scope, part.part, kCalled);
  } else if (const std::uint32_t held = callee.kind == ExprKind::kMember ? OwnAttribute(name) : kNone;
             held != kNone && view().slots()[held].count == 1 && !view().is_python()) {
    // this.load = load; this.load()
    const Binding& from = view().bindings()[view().slots()[held].first];
    const std::uint32_t given = from.value < code().exprs.size() && code().exprs[from.value].kind == ExprKind::kName
                                    ? view().SlotOf(from.value, from.scope)
                                    : kNone;
    if (given != kNone && view().slots()[given].param != kNone) {
      const auto found = callables_.find({Key(module_, view().slots()[given].scope), view().slots()[given].param});
      if (found != callables_.end()) known = found->second;
    }
  } else if (callee.kind == ExprKind::kMember || (callee.kind == ExprKind::kIndex && callee.arg_count == 1)) {
    const std::string_view part = callee.kind == ExprKind::kMember
                                      ? callee.text
                                      : std::string_view(view().Text(code().ArgsOf(callee)[0].value, function_));
    ExprId table = callee.base;
    FuncId scope = function_;
    if (const std::uint32_t own = table < code().exprs.size() ? OwnAttribute(table) : kNone;
        own != kNone && view().slots()[own].count == 1) {
      table = view().bindings()[view().slots()[own].first].value;
      scope = view().bindings()[view().slots()[own].first].scope;
    }
    known = PartObjects(table, scope, part, kCalled);
  }
  // Of a function that everything goes through, who is meant is not known here.
  if (known.size() != 1) return {};
  const auto [module, function] = known.front();
  if (module == module_ && function == function_) return {};
  const Value value = FunctionAt(module, function);
  // Who leads to it is whoever handed it over.
  const std::size_t calls = here().calls.size();
  // Whoever wraps it hands on what was meant for it.
  std::vector<Taint> meant(taints.begin(), taints.end());
  for (Taint& taint : meant) taint = taint.Without(kTapped);
  Taint result = CallFunction(value, call.args, meant, {}, call.expr);
  here().calls.resize(std::min(calls, here().calls.size()));
  return result;
}

// What one thing is out of: table[word], table.get(word), tools.find(...), or what a name goes through in a loop.
ExprId Engine::ContainerOf(ExprId one, FuncId* scope) const {
  bool named = false;
  if (one < code().exprs.size() && code().exprs[one].kind == ExprKind::kName) {
    const std::uint32_t slot = view().SlotOf(one, function_);
    if (slot == kNone || view().slots()[slot].count != 1) return kNone;
    const Binding& each = view().bindings()[view().slots()[slot].first];
    one = each.value;
    *scope = each.scope;
    named = true;
    // .map(([name, run]) => run()): the parameter has no name of its own.
    if (one < code().exprs.size() && code().exprs[one].kind == ExprKind::kName &&
        code().exprs[one].text.starts_with('#')) {
      const std::uint32_t whole = view().SlotOf(one, each.scope);
      if (whole == kNone || view().slots()[whole].count == 0) return kNone;
      const Binding& given = view().bindings()[view().slots()[whole].first];
      one = given.value;
      *scope = given.scope;
    }
  }
  // for (const hook of hooks[name] ?? [])
  if (one < code().exprs.size() && code().exprs[one].kind == ExprKind::kChoice && code().exprs[one].arg_count > 0)
    one = code().ArgsOf(code().exprs[one])[0].value;
  if (one >= code().exprs.size()) return kNone;
  const Expr& taken = code().exprs[one];
  if (taken.kind == ExprKind::kIndex) return taken.base;
  if (taken.kind == ExprKind::kCall && taken.base < code().exprs.size() &&
      code().exprs[taken.base].kind == ExprKind::kMember) {
    const Expr& how = code().exprs[taken.base];
    if (SaysOneOf(how.text, {"find", "get", "setdefault"})) return how.base;
    // Object.values(table), table.values(), table.items()
    if (named && SaysOneOf(how.text, {"values", "items", "entries"}))
      return taken.arg_count == 1 ? code().ArgsOf(taken)[0].value : how.base;
  }
  return named ? one : kNone;
}

// What functions of its module put into a shared list or table, under `key` where one is said: values, and functions
// that are handed to whoever puts them there. Whether there is any.
bool Engine::ForEachPut(std::uint64_t shared, std::string_view key,
                        const std::function<void(const Value&)>& take) const {
  const auto module = static_cast<std::uint32_t>(shared >> 32U);
  const ModuleView& there = *states_[module].view;
  bool any = false;
  for (const auto& [put, where] : there.PutInto(static_cast<std::uint32_t>(shared), kMostElements, key)) {
    any = true;
    take(there.Evaluate(put, where));
    // def hook(f): HOOKS.append(f); return f
    if (put >= there.module().exprs.size() || there.module().exprs[put].kind != ExprKind::kName) continue;
    const std::uint32_t given = there.SlotOf(put, where);
    if (given == kNone || there.slots()[given].param == kNone) continue;
    const auto known = callables_.find({Key(module, there.slots()[given].scope), there.slots()[given].param});
    for (const auto& [m, f] : known == callables_.end() ? Targets() : known->second) take(FunctionAt(m, f));
  }
  return any;
}

// handlers.note(v), where functions of the module have put what is called so into `handlers`.
Taint Engine::CallPut(const Call& call, std::span<const Taint> taints) {
  const Expr& callee = code().exprs[code().exprs[call.expr].base];
  const std::uint64_t shared = callee.kind == ExprKind::kMember ? SharedVariable(callee.base) : std::uint64_t{kNone};
  if (shared == kNone || view().Evaluate(callee.base, function_).kind != ValueKind::kDict) return {};
  std::vector<Value> targets;
  (void)ForEachPut(shared, callee.text, [&](const Value& one) {
    const bool itself = one.module == module_ && one.index == function_;
    if (one.kind == ValueKind::kFunction && !itself && targets.size() < kMostElements) targets.push_back(one);
  });
  Taint result;
  for (const Value& target : targets) result.Join(CallFunction(target, call.args, taints, {}, call.expr));
  return result;
}

// for hook in HOOKS: hook(v); for (const p of plugins) p.run(v): all that are in a list or a table of the package, and
// what functions of its module put into it. `exact`: no other function can be meant.
Taint Engine::CallElements(const Call& call, std::span<const Taint> taints, bool* exact) {
  const ExprId base = code().exprs[call.expr].base;
  const Expr& callee = code().exprs[base];
  if (callee.kind == ExprKind::kCall && callee.arg_count >= 2 && view().is_python() &&
      view().Callee(base, function_).text == "builtins.getattr") {
    return CallByPrefix(call, code().ArgsOf(callee)[0].value, code().ArgsOf(callee)[1].value, taints);
  }
  if (callee.kind == ExprKind::kIndex && callee.arg_count == 1 && !view().is_python()) {
    const Taint begun = CallByPrefix(call, callee.base, code().ArgsOf(callee)[0].value, taints);
    if (begun.labels != 0) return begun;
  }
  const bool method = callee.kind == ExprKind::kMember;
  FuncId scope = function_;
  const ExprId one = method ? callee.base : code().exprs[call.expr].base;
  const ExprId list = ContainerOf(one, &scope);
  if (list >= code().exprs.size()) return {};
  // for name, run in STEPS: run(v); for (const {run} of steps): which part of each item it is.
  const std::uint32_t variable = code().exprs[one].kind == ExprKind::kName ? view().SlotOf(one, function_) : kNone;
  const Binding* each = variable == kNone ? nullptr : &view().bindings()[view().slots()[variable].first];
  std::vector<Value> targets;
  const auto take = [&](const Value& item) {
    if (targets.size() > kMostElements) return;
    if (!method && item.kind == ValueKind::kFunction) targets.push_back(item);
    if (!method || item.module >= states_.size()) return;
    Value function = item;
    function.kind = ValueKind::kFunction;
    if (item.kind == ValueKind::kInstance)
      function.index = states_[item.module].view->MethodOf(item.index, callee.text);
    if (item.kind == ValueKind::kInstance && function.index != kNone) targets.push_back(function);
  };
  Value all = view().Evaluate(list, scope);
  // const steps = require("./steps"), which is a list
  if (all.kind == ValueKind::kQualified && all.module < states_.size() && !view().is_python())
    all = states_[all.module].view->Symbol({});
  if (all.kind == ValueKind::kUnknown) all = ListBehind(world_, view(), list, scope, 0);
  // new Map([["note", saveNote]])
  const ExprId pairs = EntriesOfMap(view(), list, scope);
  if (pairs != kNone) all = view().Evaluate(pairs, scope);
  const bool written = all.kind == ValueKind::kList || all.kind == ValueKind::kDict;
  const std::uint64_t shared = SharedVariable(list);
  if (!written && (shared == kNone || all.kind != ValueKind::kInstance)) return {};
  for (std::size_t each_item = 0; written && each_item < all.items.size(); ++each_item) {
    const Value& item = all.items[each_item];
    if (targets.size() > kMostElements) return {};
    if (each != nullptr && each->item < item.items.size() && item.kind == ValueKind::kList)
      take(item.items[each->item]);
    if (pairs != kNone && item.kind == ValueKind::kList && item.items.size() == 2) take(item.items[1]);
    for (std::size_t i = 0; each != nullptr && !each->part.empty() && i < item.keys.size(); ++i) {
      if (item.kind == ValueKind::kDict && item.keys[i] == each->part) take(item.items[i]);
    }
    take(item);
    for (std::size_t i = 0; method && item.kind == ValueKind::kDict && i < item.keys.size(); ++i) {
      if (item.keys[i] == callee.text && item.items[i].kind == ValueKind::kFunction) targets.push_back(item.items[i]);
    }
  }
  bool known_all = !all.items.empty() && targets.size() == all.items.size();
  if (shared != kNone) {
    known_all = !ForEachPut(shared, {}, take) && known_all;
  }
  if (targets.size() > kMostElements) return {};
  Taint result;
  for (const Value& target : targets) {
    if (target.module == module_ && target.index == function_) {
      known_all = false;
      continue;
    }
    result.Join(CallFunction(target, call.args, taints, {}, call.expr));
  }
  *exact = known_all;
  return result;
}

// go(Client()), Service(client=Client()), retry(load): what class a parameter's objects are of, which functions it is.
void Engine::GiveObject(std::uint32_t module, FuncId function, std::size_t param, ExprId given) {
  if (given >= code().exprs.size()) return;
  // new Service({client: new Client()}): of each part of what is given.
  const auto take_part = [&](std::string_view name, const Value& one) {
    const bool called = one.kind == ValueKind::kFunction;
    if (name.empty() || (one.kind != ValueKind::kInstance && !called) || one.module >= states_.size()) return;
    Targets& parts = part_objects_[{Key(module, function), param, std::string(name).append(called ? kCalled : "")}];
    const std::pair<std::uint32_t, ClassId> target{one.module, one.index};
    if (parts.size() > kMostTargets || std::ranges::find(parts, target) != parts.end()) return;
    parts.push_back(target);
    changed_ = true;
  };
  constexpr std::size_t kMostParts = 16;
  FuncId where = function_;
  const ExprId table = view().Origin(given, function_, &where);
  if (table < code().exprs.size() && code().exprs[table].kind == ExprKind::kDict) {
    for (const Arg& part :
         code().ArgsOf(code().exprs[table]).first(std::min<std::size_t>(kMostParts, code().exprs[table].arg_count)))
      take_part(part.name, view().Evaluate(part.value, where));
    return;
  }
  const Value& value = view().Evaluate(given, function_);
  if (value.kind == ValueKind::kDict) {  // of another file
    for (std::size_t i = 0; i < std::min({kMostParts, value.items.size(), value.keys.size()}); ++i)
      take_part(value.keys[i], value.items[i]);
    return;
  }
  const bool callable = value.kind == ValueKind::kFunction;
  if ((value.kind != ValueKind::kInstance && !callable) || value.module >= states_.size()) return;
  Targets& known = (callable ? callables_ : objects_)[{Key(module, function), param}];
  const std::pair<std::uint32_t, ClassId> one{value.module, value.index};
  if (known.size() > kMostTargets || std::ranges::find(known, one) != known.end()) return;
  known.push_back(one);
  changed_ = true;
}

// Classes of what a name or an attribute holds, where that was given to a parameter.
TargetSpan Engine::ObjectsOf(ExprId owner) const {
  std::uint32_t slot = kNone;
  if (code().exprs[owner].kind == ExprKind::kName) {
    slot = view().SlotOf(owner, function_);
  } else if (const std::uint32_t attribute = OwnAttribute(owner); attribute != kNone) {
    // self.client = client
    if (view().slots()[attribute].count != 1) return {};
    const Binding& binding = view().bindings()[view().slots()[attribute].first];
    if (binding.value >= code().exprs.size()) return {};
    const Expr& given = code().exprs[binding.value];
    if (given.kind == ExprKind::kMember) return PartObjects(given.base, binding.scope, given.text);
    if (given.kind != ExprKind::kName) return {};
    slot = view().SlotOf(binding.value, binding.scope);
  }
  // ({client}) => ...: a part of what a parameter is given.
  if (slot != kNone && view().slots()[slot].param == kNone && view().slots()[slot].count != 0) {
    const Binding& part = view().bindings()[view().slots()[slot].first];
    return part.destructured ? PartObjects(part.value, part.scope, part.part) : TargetSpan();
  }
  if (slot == kNone || view().slots()[slot].param == kNone) return {};
  const auto known = objects_.find({Key(module_, view().slots()[slot].scope), view().slots()[slot].param});
  if (known == objects_.end() || known->second.size() > kMostTargets) return {};
  return known->second;
}

// ... by a part of it.
TargetSpan Engine::PartObjects(ExprId table, FuncId scope, std::string_view part, std::string_view called) const {
  if (table >= code().exprs.size() || code().exprs[table].kind != ExprKind::kName || part.empty()) return {};
  const std::uint32_t slot = view().SlotOf(table, scope);
  if (slot == kNone || view().slots()[slot].param == kNone) return {};
  const auto known = part_objects_.find(
      {Key(module_, view().slots()[slot].scope), view().slots()[slot].param, std::string(part).append(called)});
  if (known == part_objects_.end() || known->second.size() > kMostTargets) return {};
  return known->second;
}

void Engine::ListMethods() {
  methods_listed_ = true;
  std::size_t count = 0;
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    const Module& module = states_[m].view->module();
    for (ClassId c = 0; c < module.classes.size(); ++c) {
      for (const ExprId base : module.classes[c].bases) {
        const ModuleView& view = *states_[m].view;
        const Value value = view.OrWholeModule(view.Evaluate(base, module.classes[c].parent));
        if (value.kind == ValueKind::kClass && value.module < states_.size())
          derived_[Key(value.module, value.index)].emplace_back(m, c);
      }
    }
    for (FuncId f = 1; f < module.functions.size() && count < kMostMethods; ++f) {
      const Function& function = module.functions[f];
      if (function.owner == kNone || IsCommonMethod(function.name) || function.name.starts_with("__")) continue;
      ++count;
      std::vector<std::pair<std::uint32_t, FuncId>>& same = methods_[function.name];
      if (same.size() <= kMostTargets) same.emplace_back(m, f);
    }
  }
}

// const send = post.bind(null, url): the call of bind that a name stands for.
ExprId Engine::BoundAt(ExprId name) const {
  const std::uint32_t slot = view().SlotOf(name, function_);
  if (slot == kNone || view().slots()[slot].count != 1) return kNone;
  const Binding& binding = view().bindings()[view().slots()[slot].first];
  if (binding.value >= code().exprs.size() || binding.destructured) return kNone;
  const Expr& made = code().exprs[binding.value];
  const bool bind = made.kind == ExprKind::kCall && made.arg_count > 1 && made.base < code().exprs.size() &&
                    code().exprs[made.base].kind == ExprKind::kMember && code().exprs[made.base].text == "bind";
  return bind ? binding.value : kNone;
}

// def run(sender: Sender): sender.send(v), where Sender says only which methods there are: those of the classes that
// are made of it, or have them all the same.
Taint Engine::CallImplementations(const Call& call) {
  const ModuleView& there = *states_[call.callee.module].view;
  if (call.callee.index >= there.module().functions.size()) return {};
  const Function& shape = there.module().functions[call.callee.index];
  if (shape.owner >= there.module().classes.size()) return {};
  const bool does = std::ranges::any_of(shape.body, [&](const Stmt& stmt) {
    if (stmt.value >= there.module().exprs.size()) return false;
    const ExprKind kind = there.module().exprs[stmt.value].kind;
    return stmt.kind == StmtKind::kAssign || stmt.kind == StmtKind::kReturn ||
           (stmt.kind == StmtKind::kExpr && (kind == ExprKind::kCall || kind == ExprKind::kAwait));
  });
  if (does) return {};
  if (!methods_listed_) ListMethods();
  std::vector<std::pair<std::uint32_t, FuncId>> targets;
  const auto derived = derived_.find(Key(call.callee.module, shape.owner));
  for (std::size_t i = 0; derived != derived_.end() && i < derived->second.size(); ++i) {
    const auto& [module, klass] = derived->second[i];
    const FuncId method = states_[module].view->MethodOf(klass, shape.name);
    if (method != kNone && targets.size() <= kMostTargets) targets.emplace_back(module, method);
  }
  const std::vector<ExprId>& bases = there.module().classes[shape.owner].bases;
  const bool protocol = std::ranges::any_of(bases, [&](ExprId base) {
    return base < there.module().exprs.size() && there.module().exprs[base].text == "Protocol";
  });
  for (std::uint32_t m = 0; targets.empty() && protocol && m < states_.size(); ++m) {
    for (ClassId c = 0; c < states_[m].view->module().classes.size() && targets.size() <= kMostTargets; ++c) {
      const FuncId method = states_[m].view->MethodOf(c, shape.name);
      if (method != kNone && (m != call.callee.module || c != shape.owner)) targets.emplace_back(m, method);
    }
  }
  if (targets.size() > kMostTargets) return {};
  Taint result;
  for (const auto& [module, function] : targets) {
    if ((module == call.callee.module && function == call.callee.index) || (module == module_ && function == function_))
      continue;
    Value value = call.callee;
    value.module = module;
    value.index = function;
    result.Join(CallFunction(value, call.args, call.taints, call.receiver, call.expr));
  }
  return result;
}

// self.load() that a class derived from this one brings, super().put(v), client.deliver(v) of an object that was given:
// every method of the package that it may be, where these are few.
Taint Engine::CallByName(const Call& call, std::span<const Taint> taints, bool* exact) {
  const Expr& expr = code().exprs[call.expr];
  if (expr.base >= code().exprs.size()) return {};
  const ExprKind kind = code().exprs[expr.base].kind;
  Taint elements = CallElements(call, taints, exact);
  if (kind == ExprKind::kName) {
    elements.Join(CallGiven(call, taints));
    return elements;
  }
  if (elements.labels == 0) elements = CallPut(call, taints);
  if (elements.labels == 0) elements = CallGiven(call, taints);
  if (kind != ExprKind::kMember || elements.labels != 0) return elements;
  const Expr& method = code().exprs[expr.base];
  if (method.base >= code().exprs.size()) return {};
  if (!methods_listed_) ListMethods();
  std::vector<std::pair<std::uint32_t, FuncId>> targets;
  const auto take = [&](std::uint32_t module, ClassId klass) {
    const FuncId found = states_[module].view->MethodOf(klass, method.text);
    if (found != kNone && targets.size() <= kMostTargets) targets.emplace_back(module, found);
  };
  const Expr& owner = code().exprs[method.base];
  const bool above = CallsAbove(code(), expr);
  const ClassId own = code().functions[function_].owner;
  if (above) {
    if (own >= code().classes.size()) return {};
    for (const ExprId base : code().classes[own].bases) {
      const Value value = view().OrWholeModule(view().Evaluate(base, code().classes[own].parent));
      if (value.kind == ValueKind::kClass && value.module < states_.size()) take(value.module, value.index);
    }
  } else if (const ClassId self = owner.kind == ExprKind::kName ? view().SelfClass(owner.text, function_) : kNone;
             self != kNone) {
    const auto derived = derived_.find(Key(module_, self));
    if (derived == derived_.end()) return {};
    for (const auto& [module, klass] : derived->second) take(module, klass);
  } else if (const auto objects = ObjectsOf(method.base); !objects.empty()) {
    for (const auto& [module, klass] : objects) take(module, klass);
  } else if (code().text.size() <= kMostWritten) {
    const auto same = methods_.find(method.text);
    if (same != methods_.end()) targets = same->second;
  }
  if (targets.empty() || targets.size() > kMostTargets) return {};
  Taint result;
  for (const auto& [module, function] : targets) {
    if (module == module_ && function == function_) continue;
    result.Join(CallFunction(FunctionAt(module, function), call.args, taints, call.receiver, call.expr));
  }
  return result;
}

}  // namespace interlock::scan::code
