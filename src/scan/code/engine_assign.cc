// Assignments: what a variable, a part of an object and the names of a pattern hold from there on.
#include "code/engine.h"
#include "code/engine_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words

// What is known of a variable from here on; `replace`: and nothing else.
void Engine::Store(std::uint32_t slot, Taint what, bool replace) {
  Taint& at = states_[module_].slots[slot];
  const Slot& variable = view().slots()[slot];
  if (variable.owner != kNone || variable.scope != function_) {
    what.fresh = what.labels;
    what.params = 0;
    replace = false;
  }
  if ((at.labels | what.labels) != at.labels) changed_ = true;
  // A table that the function itself changes is not what its callers wrote.
  if (variable.param != kNone && variable.owner == kNone && what.Has(kFieldLabels) &&
      variable.scope < facts_[module_].size())
    NoteGivenFields(module_, variable.scope, variable.param, kNone, what);
  if (replace) {
    at = what;
    if (const auto other = states_[module_].outside.find(slot); other != states_[module_].outside.end()) {
      at.Join(other->second);
    }
  } else {
    at.Join(what);
    if (variable.owner == kNone && variable.scope == kModuleBody && what.labels != 0) {
      (function_ == kModuleBody ? states_[module_].added : states_[module_].outside)[slot].Join(what);
    }
  }
}

// box.name, box["name"]: the name; "": not known.
std::string_view Engine::KeyOf(const Expr& part) const {
  if (part.kind == ExprKind::kMember) return part.text;
  if (part.kind != ExprKind::kIndex || part.arg_count != 1) return {};
  return view().Text(code().ArgsOf(part)[0].value, function_);
}

// box.ALL_OF_IT = readFileSync(".env"): no variable of that file.
void Engine::NotePutEntry(std::string_view key, const Taint& what, ExprId value) {
  constexpr std::size_t kMost = 1'000;
  const bool whole = what.Has(kEnvAll) && !key.empty() && whole_entries_.size() < kMost && IsWholeEnvironment(value, 0);
  if (whole && whole_entries_.emplace(key).second) changed_ = true;
  if (!what.Has(kWeakSecretFile) || !IsNameOfVariable(key)) return;
  if (put_entries_.emplace(key).second) changed_ = true;
}

// os.environ, dict(os.environ), process.env, {...process.env}, JSON.stringify(process.env): all of it, and not what a
// function of the package has picked.
bool Engine::IsWholeEnvironment(ExprId value, int depth) {
  constexpr int kDeepest = 4;
  const ExprId made = value < code().exprs.size() ? view().Origin(value, function_) : kNone;
  if (made >= code().exprs.size() || depth > kDeepest) return false;
  const Expr& expr = code().exprs[made];
  const auto any_of_args = [&] {
    return std::ranges::any_of(code().ArgsOf(expr),
                               [&](const Arg& arg) { return IsWholeEnvironment(arg.value, depth + 1); });
  };
  switch (expr.kind) {
    case ExprKind::kName:
    case ExprKind::kMember: {
      const Value& what = view().Evaluate(made, function_);
      const CatalogueEntry* const entry = what.kind == ValueKind::kQualified ? EntryOf(made, what) : nullptr;
      return entry != nullptr && entry->role == Role::kEnvAll;
    }
    case ExprKind::kSpread:
    case ExprKind::kDict:
      return any_of_args();
    case ExprKind::kCall: {
      if (expr.base >= code().exprs.size()) return false;
      const Expr& callee = code().exprs[expr.base];
      if (!Transforms(callee.text)) return false;
      return any_of_args() || (callee.kind == ExprKind::kMember && IsWholeEnvironment(callee.base, depth + 1));
    }
    default:
      return false;
  }
}

// box.all, where the program has put the whole environment under that name: no variable of it. (`env`, of a context
// that is handed about, is asked for its variables where nobody sees it.)
bool Engine::HoldsWhole(std::string_view key) const {
  return whole_entries_.contains(std::string(key)) && !SaysOneOf(key, {"env", "environ", "environment"});
}

// @data.setter def data(self, v), set data(v): assigning to it is calling it.
void Engine::CallSetter(const Value& owner, ExprId target, ExprId value, const Taint& taint) {
  if (owner.kind != ValueKind::kInstance || owner.module >= states_.size()) return;
  const Module& there = states_[owner.module].view->module();
  if (owner.index >= there.classes.size()) return;
  const std::string_view name = code().exprs[target].text;
  for (const FuncId method : there.classes[owner.index].methods) {
    const Function& shape = there.functions[method];
    if (shape.name != name) continue;
    const bool sets =
        std::string_view(there.text).substr(std::min<std::size_t>(shape.loc.begin, there.text.size()), 4) == "set " ||
        std::ranges::any_of(shape.decorators, [&](ExprId decorator) {
          return decorator < there.exprs.size() && there.exprs[decorator].text == "setter";
        });
    if (!sets || (owner.module == module_ && method == function_)) continue;
    Value setter = owner;
    setter.kind = ValueKind::kFunction;
    setter.index = method;
    const Arg given[] = {{value}};
    (void)CallFunction(setter, given, {&taint, 1}, {}, target);
  }
}

// event, of `extra = event.setdefault("extra", {})`, `event["extra"]`; body, of `meta = body.meta` and a table `body`
// that is written out here: the variable of the table. Objects of classes are no tables.
static ExprId TableOf(const ModuleView& view, FuncId function, ExprId part) {
  const Module& code = view.module();
  FuncId where = function;
  const ExprId taken = view.Origin(part, function, &where);
  if (taken == part || where != function || taken >= code.exprs.size()) return kNone;
  const Expr* from = &code.exprs[taken];
  const bool keyed = from->kind == ExprKind::kIndex && from->arg_count == 1 &&
                     !view.Text(code.ArgsOf(*from)[0].value, function).empty();
  const bool called = from->kind == ExprKind::kCall && from->base < code.exprs.size() && from->arg_count > 0 &&
                      SaysOneOf(code.exprs[from->base].text, {"setdefault", "get"}) &&
                      !view.Text(code.ArgsOf(*from)[0].value, function).empty();
  if (called) from = &code.exprs[from->base];
  if (from->base >= code.exprs.size() || code.exprs[from->base].kind != ExprKind::kName) return kNone;
  if (keyed || called) return from->base;
  const ExprId made = view.Origin(from->base, function);
  const bool table =
      from->kind == ExprKind::kMember && made < code.exprs.size() && code.exprs[made].kind == ExprKind::kDict;
  return table ? from->base : kNone;
}

// box.name = v, box["name"] = v
void Engine::AssignPart(ExprId target, ExprId value, const Taint& taint, int depth) {
  const Expr& expr = code().exprs[target];
  if (expr.base >= code().exprs.size()) return;
  if (expr.kind == ExprKind::kIndex) {
    for (const Arg& arg : code().ArgsOf(expr)) (void)Eval(arg.value);
  }
  if (depth == 0 && value != kNone) {
    NoteTap(target, value);
    JudgeDiverted(target, value, false);
    JudgeRedefined(target, value);
    JudgeLoosened(target, value);
    JudgeRecoded(target, value);
    JudgeKeys(target, taint);
    ListenByName(target, value);
    JudgeTied(target, value);
    JudgeStdin(expr, taint);
    // env = dict(os.environ); env["PIP_INDEX_URL"] = ...: of whatever is started with it.
    if (last_ && Eval(expr.base).Has(kEnvAll)) JudgeEnvironmentWrite(target, KeyOf(expr), value);
  }
  if (taint.Has(kWeakSecretFile | kEnvAll)) NotePutEntry(KeyOf(expr), taint, value);
  if (last_ && depth == 0 && value != kNone) {
    const std::string key(KeyOf(expr));
    // state["next"] = ..., of a node that gives its state back.
    if (code().exprs[expr.base].kind == ExprKind::kName && nodes_.contains(Key(module_, function_)) &&
        Eval(expr.base).Has(kState)) {
      WriteState(key, value, taint, target);
    } else {
      JudgeInstruction(key, value, taint);
    }
    JudgeCopied(key, value);
    JudgeBeacon(expr, value, taint);
    JudgePayee(expr, value);
    if (keeps_state_) {
      JudgeDecision(key, target, value);
      JudgeReworded(key, target, value);
    }
  }
  if (last_ && value != kNone && KeyOf(expr) == "env" && TextAt(expr.loc) == "process.env")
    JudgeEnvironmentTable(target, value);
  const Value& owner = view().Evaluate(expr.base, function_);
  if (expr.kind == ExprKind::kMember && taint.labels != 0 && value != kNone) CallSetter(owner, target, value, taint);
  if (expr.kind == ExprKind::kMember && (owner.kind == ValueKind::kInstance || owner.kind == ValueKind::kClass) &&
      owner.module == module_) {
    const std::uint32_t slot = view().AttributeSlot(owner.index, expr.text);
    if (slot != kNone) {
      Store(slot, taint, false);
      return;
    }
  }
  std::uint32_t module = kNone;
  std::uint32_t variable = kNone;
  if (expr.kind == ExprKind::kMember && FindElsewhere(owner, expr.text, &module, &variable)) {
    StoreElsewhere(module, variable, taint);
    return;
  }
  if (owner.kind == ValueKind::kQualified) {
    const CatalogueEntry* entry = EntryOf(expr.base, owner);
    if (entry != nullptr && entry->role == Role::kEnvAll) {
      Call call;
      call.expr = target;
      std::string name(expr.kind == ExprKind::kMember ? expr.text : std::string_view());
      if (expr.kind != ExprKind::kMember && expr.arg_count > 0)  // environ[] = ...
        name = view().Text(code().ArgsOf(expr)[0].value, function_);
      Use(call, core::Permission::kEnvironmentWrite, name);
      if (taint.labels != 0 && !name.empty() && written_variables_.size() < 256) written_variables_[name].Join(taint);
      JudgeEnvironmentWrite(target, name, value);
      if (name.empty() && expr.kind != ExprKind::kMember && expr.arg_count > 0)
        JudgeEnvironmentLoop(target, code().ArgsOf(expr)[0].value);
      return;
    }
  }
  ExprId base = expr.base;
  const Expr* last = &expr;
  for (int i = 0; i < 16 && base < code().exprs.size(); ++i) {
    const Expr& inner = code().exprs[base];
    if (inner.kind == ExprKind::kName) {
      const std::uint32_t slot = view().SlotOf(base, function_);
      if (slot != kNone && taint.labels != 0) Store(slot, taint, false);
      if (slot != kNone && view().slots()[slot].import != kNone && last->kind == ExprKind::kMember)
        StoreField(base, last->text, taint);
      if (!taint.Has(kSecretLabels | kWeakSecretFile | kEnvAll | kKept | kTapped)) return;
      // extra = event.setdefault("extra", {}): what is put into a part of a table is in the table.
      const ExprId whole = TableOf(view(), function_, base);
      if (whole == kNone) return;
      last = &inner;
      base = whole;
      continue;
    }
    // event.setdefault("extra", {})["seen"] = v
    if (inner.kind == ExprKind::kCall && inner.base < code().exprs.size() &&
        SaysOneOf(code().exprs[inner.base].text, {"setdefault", "get"})) {
      base = code().exprs[inner.base].base;
      continue;
    }
    if (inner.kind != ExprKind::kMember && inner.kind != ExprKind::kIndex) return;
    if (const std::uint32_t slot = OwnAttribute(base); slot != kNone) {
      if (taint.labels != 0) Store(slot, taint, false);
      return;
    }
    last = &inner;
    base = inner.base;
  }
}

void Engine::Assign(ExprId target, ExprId value, const Taint& taint, bool strong, int depth) {
  if (target >= code().exprs.size() || depth > 32) return;
  const Expr& expr = code().exprs[target];
  switch (expr.kind) {
    case ExprKind::kName: {
      const std::uint32_t slot = view().SlotOf(target, function_);
      if (slot != kNone) Store(slot, taint, strong);
      return;
    }
    case ExprKind::kMember:
    case ExprKind::kIndex:
      return AssignPart(target, value, taint, depth);
    case ExprKind::kList:
    case ExprKind::kDict: {
      const Expr* source = value < code().exprs.size() ? &code().exprs[value] : nullptr;
      std::uint32_t at = 0;
      for (const Arg& arg : code().ArgsOf(expr)) {
        Taint part = taint;
        ExprId part_value = kNone;
        if (expr.kind == ExprKind::kDict && !arg.name.empty()) {
          part = FieldOf(arg.name, target, taint, depth);
          if (source != nullptr && source->kind == ExprKind::kName && part.Has(kFieldLabels))
            NarrowToField(value, arg.name, &part);
          part.Join(ToldByCall(target, value, arg.name));
          // const { env } = process
          if (arg.name == "env" && source != nullptr && view().Evaluate(value, function_).text == "globalThis.process")
            part.Join(Source(kEnvAll, target, "reads the whole environment"));
          if (part.Has(kUnchecked) && ShapedBySchema(arg.name)) part = {};
        } else if (source != nullptr && expr.kind == ExprKind::kList && source->kind == ExprKind::kList &&
                   source->arg_count == expr.arg_count) {
          part_value = code().ArgsOf(*source)[at].value;
          part = Eval(part_value);
        } else if (at == 1 && source != nullptr && source->kind == ExprKind::kCall &&
                   view().Callee(value, function_).text == "os.path.splitext") {
          part = part.Without(kUnchecked | kBelow | kEntryName);  // no separator is in an ending
        } else if (at == 0 && expr.arg_count == 2 && source != nullptr && source->kind == ExprKind::kName) {
          // for name, value in invoice: of an object of the package, what its fields are called
          const Value& record = view().Evaluate(value, function_);
          if (record.kind == ValueKind::kInstance && record.module < states_.size() && view().is_python()) part = {};
        }
        Assign(arg.value, part_value, part, strong, depth + 1);
        ++at;
      }
      return;
    }
    case ExprKind::kSpread:
    case ExprKind::kChoice:
      for (const Arg& arg : code().ArgsOf(expr)) {
        Assign(arg.value, kNone, taint, strong, depth + 1);
        break;
      }
      return;
    default:
      return;
  }
}

}  // namespace interlock::scan::code
