#include "code/resolve.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "code/catalogue.h"
#include "code/resolve_internal.h"
#include "code/world.h"

namespace interlock::scan::code {
namespace {

constexpr std::array kPythonBuiltins = std::to_array<std::string_view>({"__build_class__",
                                                                        "__builtins__",
                                                                        "__import__",
                                                                        "abs",
                                                                        "aiter",
                                                                        "all",
                                                                        "anext",
                                                                        "any",
                                                                        "ascii",
                                                                        "bin",
                                                                        "bool",
                                                                        "breakpoint",
                                                                        "bytearray",
                                                                        "bytes",
                                                                        "callable",
                                                                        "chr",
                                                                        "classmethod",
                                                                        "compile",
                                                                        "complex",
                                                                        "delattr",
                                                                        "dict",
                                                                        "dir",
                                                                        "divmod",
                                                                        "enumerate",
                                                                        "eval",
                                                                        "exec",
                                                                        "exit",
                                                                        "filter",
                                                                        "float",
                                                                        "format",
                                                                        "frozenset",
                                                                        "getattr",
                                                                        "globals",
                                                                        "hasattr",
                                                                        "hash",
                                                                        "help",
                                                                        "hex",
                                                                        "id",
                                                                        "input",
                                                                        "int",
                                                                        "isinstance",
                                                                        "issubclass",
                                                                        "iter",
                                                                        "len",
                                                                        "list",
                                                                        "locals",
                                                                        "map",
                                                                        "max",
                                                                        "memoryview",
                                                                        "min",
                                                                        "next",
                                                                        "object",
                                                                        "oct",
                                                                        "open",
                                                                        "ord",
                                                                        "pow",
                                                                        "print",
                                                                        "property",
                                                                        "quit",
                                                                        "range",
                                                                        "repr",
                                                                        "reversed",
                                                                        "round",
                                                                        "set",
                                                                        "setattr",
                                                                        "slice",
                                                                        "sorted",
                                                                        "staticmethod",
                                                                        "str",
                                                                        "sum",
                                                                        "super",
                                                                        "tuple",
                                                                        "type",
                                                                        "vars",
                                                                        "zip"});

bool IsPythonBuiltin(std::string_view name) {
  return std::binary_search(kPythonBuiltins.begin(), kPythonBuiltins.end(), name);
}

}  // namespace

Value Qualified(std::string text, std::uint8_t obfuscation) {
  Value value;
  if (text.size() > kMaxName) return value;
  value.kind = ValueKind::kQualified;
  value.text = std::move(text);
  value.obfuscation = obfuscation;
  return value;
}

Value TextValue(std::string text, std::uint8_t obfuscation, std::uint8_t decodes) {
  Value value;
  value.kind = ValueKind::kText;
  value.text = std::move(text);
  value.obfuscation = obfuscation;
  value.decodes = decodes;
  return value;
}

bool IsModuleObject(const Value& value) {
  return value.kind == ValueKind::kQualified && value.module != kNone && value.index == kNone;
}

std::uint8_t LookupObfuscation(const Value& name) { return name.obfuscation >= 2 ? 3 : name.obfuscation == 1 ? 2 : 1; }

bool ToInt(const Value& value, long& out) {
  if (value.kind != ValueKind::kText || value.text.empty() || value.text.size() > 12) return false;
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  int base = 10;
  if (value.text.starts_with("0x") || value.text.starts_with("0X")) {
    begin += 2;
    base = 16;
  }
  const auto [at, error] = std::from_chars(begin, end, out, base);
  return error == std::errc() && at == end;
}

namespace {

// What is remembered of an expression's value, else the number of that; 0: not asked.
constexpr std::uint32_t kBeingRead = 1;
constexpr std::uint32_t kNothingKnown = 2;
constexpr std::uint32_t kFirstValue = 3;

bool SaysNothing(const Value& value) {
  return value.kind == ValueKind::kUnknown && value.text.empty() && value.index == kNone && value.module == kNone &&
         value.items.empty() && value.keys.empty() && value.obfuscation == 0 && value.decodes == 0;
}

}  // namespace

const Value& ModuleView::Evaluate(ExprId expr, FuncId scope) const {
  static const Value kNothing;
  if (expr >= module_.exprs.size()) return kNothing;
  scope = ScopeOf(expr, scope);
  if (!overrides_.empty()) {
    // Inside a comprehension values depend on its variable: nothing is remembered.
    if (world_.depth_ >= kMaxDepth || override_steps_ == 0) return kNothing;
    --override_steps_;
    ++world_.depth_;
    Value value = Compute(expr, scope);
    --world_.depth_;
    if (SaysNothing(value)) return kNothing;
    values_.push_back(std::move(value));
    return values_.back();
  }
  const std::uint32_t memo = memo_[expr];
  if (memo == kBeingRead || memo == kNothingKnown || (memo == 0 && world_.depth_ >= kMaxDepth)) return kNothing;
  if (memo == 0) {
    memo_[expr] = kBeingRead;
    ++world_.depth_;
    const std::uint32_t same = SameAs(expr, scope);
    Value value = same == 0 && MayLook(module_.exprs[expr].kind) ? Compute(expr, scope) : Value();
    --world_.depth_;
    if (same != 0) {
      memo_[expr] = same;
      return values_[same - kFirstValue];
    }
    if (!MayKeep(value)) value = {};
    // Most expressions of a program: one nothing stands for all of them.
    if (SaysNothing(value)) {
      memo_[expr] = kNothingKnown;
      return kNothing;
    }
    values_.push_back(std::move(value));
    memo_[expr] = static_cast<std::uint32_t>(values_.size() - 1) + kFirstValue;
  }
  return values_[memo_[expr] - kFirstValue];
}

// What a name stands for is kept once, however often it is named: the number of that; 0: it has to be computed.
std::uint32_t ModuleView::SameAs(ExprId id, FuncId scope) const {
  if (module_.exprs[id].kind != ExprKind::kName) return 0;
  const std::uint32_t slot = SlotOf(id, scope);
  const Binding* binding = slot == kNone ? nullptr : Chosen(slots_[slot], module_.exprs[id].loc.begin, scope);
  if (binding == nullptr || binding->weak || binding->destructured || binding->value >= module_.exprs.size()) return 0;
  if (Evaluate(binding->value, binding->scope).kind == ValueKind::kUnknown) return 0;
  const std::uint32_t memo = memo_[binding->value];
  return memo >= kFirstValue ? memo : 0;
}

Value ModuleView::Compute(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  switch (expr.kind) {
    case ExprKind::kString:
      return expr.text.size() <= kMaxLiteral ? TextValue(std::string(expr.text), 0, 0) : Value();
    case ExprKind::kNumber:
      return expr.text.size() <= 64 ? TextValue(std::string(expr.text), 0, 0) : Value();
    case ExprKind::kName:
      return OfName(id, scope);
    case ExprKind::kMember: {
      const Value& base = Evaluate(expr.base, scope);
      if (base.kind == ValueKind::kUnknown) return {};
      return MemberOf(base, expr.text);
    }
    case ExprKind::kIndex:
      return OfIndex(id, scope);
    case ExprKind::kSlice:
      return OfSlice(id, scope);
    case ExprKind::kCall:
      return OfCall(id, scope);
    case ExprKind::kConcat:
    case ExprKind::kFormat:
      return OfJoined(id, scope);
    case ExprKind::kBinary:
      return OfBinary(id, scope);
    case ExprKind::kList: {
      if (args.size() > kMaxItems || !Spend(args.size() * 32)) return {};
      Value value;
      value.kind = ValueKind::kList;
      value.items.reserve(args.size());
      for (const Arg& arg : args) {
        value.items.push_back(Evaluate(arg.value, scope));
        value.obfuscation = std::max(value.obfuscation, value.items.back().obfuscation);
        value.decodes = std::max(value.decodes, value.items.back().decodes);
        if (!SpendOn(value.items.back())) return {};
      }
      return value;
    }
    case ExprKind::kDict: {
      if (args.size() > 256 || !Spend(args.size() * 64)) return {};
      Value value;
      value.kind = ValueKind::kDict;
      for (const Arg& arg : args) {
        if (arg.name.empty()) {
          if (!Spread(arg.value, scope, &value)) return {};
          continue;
        }
        value.keys.emplace_back(arg.name);
        value.items.push_back(Evaluate(arg.value, scope));
        if (!SpendOn(value.items.back())) return {};
      }
      return value;
    }
    case ExprKind::kComprehension:
      return OfComprehension(id, scope);
    case ExprKind::kFunction:
    case ExprKind::kClass: {
      Value value;
      value.kind = expr.kind == ExprKind::kFunction ? ValueKind::kFunction : ValueKind::kClass;
      value.index = expr.function;
      value.module = index_;
      return value;
    }
    case ExprKind::kChoice: {
      // Which branch runs is not known; the first that says something speaks for all (a default, mostly).
      // process.env.HOME_OF_IT || "https://...": of a variable nothing is known, and its default is.
      const Value* variable = nullptr;
      for (std::size_t i = args.size() >= 3 ? 1 : 0; i < args.size(); ++i) {
        const Value& value = Evaluate(args[i].value, scope);
        if (value.kind == ValueKind::kQualified && value.text.starts_with("globalThis.process.env.")) {
          if (variable == nullptr) variable = &value;
          continue;
        }
        if (variable != nullptr && value.kind != ValueKind::kText) break;
        if (value.kind != ValueKind::kUnknown && value.kind != ValueKind::kInstance) return value;
      }
      if (variable != nullptr) return *variable;
      for (std::size_t i = args.size() >= 3 ? 1 : 0; i < args.size(); ++i) {
        const Value& value = Evaluate(args[i].value, scope);
        if (value.kind != ValueKind::kUnknown) return value;
      }
      return {};
    }
    case ExprKind::kAwait:
    case ExprKind::kSpread:
      return args.empty() ? Value() : Evaluate(args[0].value, scope);
    default:
      return {};
  }
}

Value ModuleView::OfName(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const std::uint32_t slot = SlotOf(id, scope);
  if (slot == kNone) {
    const ClassId self = SelfClass(expr.text, scope);
    if (self != kNone) {
      Value value;
      value.kind = ValueKind::kInstance;
      value.index = self;
      value.module = index_;
      return value;
    }
    if (expr.text == "this" && !literal_of_.empty()) {
      // A method of an object that is written out, or a function within one.
      constexpr int kMostNested = 4;
      FuncId function = scope;
      for (int i = 0; i < kMostNested && function < module_.functions.size() && function != kModuleBody; ++i) {
        const FuncId parent = module_.functions[function].parent;
        if (const auto literal = literal_of_.find(function); literal != literal_of_.end())
          return Evaluate(literal->second, parent == kNone ? kModuleBody : parent);
        function = parent;
      }
    }
    return Unbound(expr.text);
  }
  return OfSlot(slot, expr.loc.begin, scope);
}

// Of the assignments to a variable the one that holds at byte `at`; nullptr: there is none.
const Binding* ModuleView::Chosen(const Slot& slot, std::uint32_t at, FuncId scope) const {
  const auto first = bindings_.begin() + slot.first;
  auto last = first + slot.count;
  // They stand in the order of the program: what begins later than `at` is behind it.
  if (slot.owner == kNone && slot.scope == scope) {
    last = std::upper_bound(first, last, at,
                            [](std::uint32_t place, const Binding& binding) { return place < binding.end; });
  }
  if (last == first) return nullptr;
  const std::uint32_t strong = std::prev(last)->strong;
  return strong != kNone ? &bindings_[strong] : &*first;
}

Value ModuleView::OfSlot(std::uint32_t id, std::uint32_t at, FuncId scope) const {
  if (!overrides_.empty()) {
    const auto known = overrides_.find(id);
    if (known != overrides_.end()) return known->second;
  }
  const Slot& slot = slots_[id];
  const Binding* chosen = Chosen(slot, at, scope);
  if (chosen != nullptr && !chosen->weak) {
    Value value = OfBinding(*chosen);
    if (value.kind != ValueKind::kUnknown) return value;
  }
  Value value;
  if (slot.function != kNone || slot.klass != kNone) {
    value.kind = slot.function != kNone ? ValueKind::kFunction : ValueKind::kClass;
    value.index = slot.function != kNone ? slot.function : slot.klass;
    value.module = index_;
    return value;
  }
  if (slot.import != kNone) return OfImport(module_.imports[slot.import]);
  if (slot.type != kNone) return OfType(slot.type, kModuleBody);
  if (slot.param != kNone && slot.scope < module_.functions.size()) {
    const Function& function = module_.functions[slot.scope];
    // import("m").then((m) => ...): what was waited for.
    if (const auto waited = waited_.find(slot.scope); slot.param == 0 && waited != waited_.end()) {
      return Evaluate(waited->second, function.parent == kNone ? kModuleBody : function.parent);
    }
    if (slot.param == 0 || function.params[slot.param].name == "this") {
      const ClassId self = SelfClass(slot.name, slot.scope);
      if (self != kNone) {
        const bool of_class =
            is_python() && std::ranges::any_of(function.decorators, [&](ExprId decorator) {
              return decorator < module_.exprs.size() && module_.exprs[decorator].text == "classmethod";
            });
        value.kind = of_class ? ValueKind::kClass : ValueKind::kInstance;
        value.index = self;
        value.module = index_;
        return value;
      }
    }
    if (function.params[slot.param].annotation != kNone)
      value = OfType(function.params[slot.param].annotation, function.parent);
    // async def handle(reader, writer), given to asyncio.start_server(handle, ...)
    if (value.kind == ValueKind::kUnknown && slot.param < 3 && !function.name.empty() &&
        std::ranges::find(stream_handlers_, function.name) != stream_handlers_.end()) {
      value.kind = ValueKind::kInstance;
      value.text = "asyncio.open_connection()[]";
    }
    // constructor(private readonly client = new Client(), fetcher = fetch): what it is where nobody gives another.
    if (const ExprId fallback = function.params[slot.param].fallback;
        value.kind == ValueKind::kUnknown && fallback != kNone) {
      const Value& usual = Evaluate(fallback, function.parent == kNone ? kModuleBody : function.parent);
      if (usual.kind == ValueKind::kInstance || usual.kind == ValueKind::kFunction ||
          (usual.kind == ValueKind::kQualified && !IsModuleObject(usual)) || HoldsAddress(usual) || NamesStore(usual)) {
        value = usual;
      }
    }
  }
  return value;
}

// What is declared to be of this type.
Value ModuleView::OfType(ExprId annotation, FuncId scope) const {
  const Value& type = Evaluate(PlainType(annotation), scope);
  Value value;
  if (type.kind == ValueKind::kClass) {
    value = type;
    value.kind = ValueKind::kInstance;
  } else if (type.kind == ValueKind::kQualified && !IsModuleObject(type) && !type.text.starts_with("builtins.") &&
             !type.text.starts_with("typing.") && !type.text.starts_with("globalThis.")) {
    value.kind = ValueKind::kInstance;
    value.text = type.text + "()";
  }
  return value;
}

Value ModuleView::OfBinding(const Binding& binding) const {
  if (binding.value == kNone) return {};
  const Value& value = Evaluate(binding.value, binding.scope);
  if (!binding.destructured) return value;
  if (!binding.part.empty()) return value.kind == ValueKind::kUnknown ? Value() : MemberOf(value, binding.part);
  if (binding.item != kNone && value.kind == ValueKind::kList && binding.item < value.items.size()) {
    return value.items[binding.item];
  }
  if (binding.item != kNone && value.kind == ValueKind::kUnknown) {
    Value part = GivenItem(binding);
    if (part.kind != ValueKind::kUnknown) return part;
  }
  // reader, writer = open_connection(): each is one of what the call gives back.
  if (binding.item != kNone && is_python() && value.kind == ValueKind::kInstance && value.module == kNone &&
      value.text.ends_with("()")) {
    Value part = value;
    part.text += "[]";
    return part;
  }
  return {};
}

// Annotated[Store, ...], Optional[Store]: Store.
ExprId ModuleView::PlainType(ExprId annotation) const {
  if (annotation >= module_.exprs.size() || module_.exprs[annotation].kind != ExprKind::kIndex) return annotation;
  const Expr& type = module_.exprs[annotation];
  const std::string_view name = type.base < module_.exprs.size() ? module_.exprs[type.base].text : std::string_view();
  if ((name != "Annotated" && name != "Optional") || type.arg_count == 0) return annotation;
  const ExprId inner = module_.ArgsOf(type)[0].value;
  if (inner >= module_.exprs.size() || module_.exprs[inner].kind != ExprKind::kList) return inner;
  return module_.exprs[inner].arg_count == 0 ? annotation : module_.ArgsOf(module_.exprs[inner])[0].value;
}

// The one thing that a function of the package gives back, or that its `with` gives: the return, or the only yield of a
// generator that is made a context.
const Stmt* ModuleView::OnlyGiven(const Function& function) {
  const Stmt* only = nullptr;
  bool context = false;
  for (const Stmt& stmt : function.body) {
    if (stmt.value == kNone || (stmt.kind != StmtKind::kReturn && stmt.kind != StmtKind::kYield)) continue;
    if (only != nullptr) return nullptr;
    only = &stmt;
    context = stmt.kind == StmtKind::kYield;
  }
  return context && function.decorators.empty() ? nullptr : only;
}

// sftp, base = session(url): one of the things that a function of the package gives back together.
Value ModuleView::GivenItem(const Binding& binding) const {
  ExprId made = binding.value;
  if (made < module_.exprs.size() && module_.exprs[made].kind == ExprKind::kAwait && module_.exprs[made].arg_count == 1)
    made = module_.ArgsOf(module_.exprs[made])[0].value;
  if (made >= module_.exprs.size() || module_.exprs[made].kind != ExprKind::kCall) return {};
  const Value callee = Callee(made, binding.scope);
  if (callee.kind != ValueKind::kFunction || callee.module >= world_.size()) return {};
  const ModuleView& owner = callee.module == index_ ? *this : world_.View(callee.module);
  if (callee.index >= owner.module_.functions.size()) return {};
  const Stmt* only = OnlyGiven(owner.module_.functions[callee.index]);
  if (only == nullptr || only->value >= owner.module_.exprs.size()) return {};
  const Expr& list = owner.module_.exprs[only->value];
  if (list.kind != ExprKind::kList || binding.item >= list.arg_count) return {};
  return owner.Evaluate(owner.module_.ArgsOf(list)[binding.item].value, callee.index);
}

Value ModuleView::Unbound(std::string_view name) const {
  if (is_python()) {
    if (name == "__doc__" && module_.functions[kModuleBody].docstring != kNone)
      return Evaluate(module_.functions[kModuleBody].docstring, kModuleBody);
    if (name == "__builtins__" || name == "builtins") return Qualified("builtins");
    if (IsPythonBuiltin(name)) return Qualified("builtins." + std::string(name));
    return OfStars(name);
  }
  if (is_typed()) {
    if ((name == "crate" || name == "super") && world_.Resolve(index_, name) != kNone) return OfTarget(name);
    Value value = OfStars(name);
    if (value.kind == ValueKind::kUnknown) value = Symbol(name);
    return value.kind == ValueKind::kUnknown ? Qualified(std::string(name)) : value;
  }
  if (name == "globalThis" || name == "window" || name == "global" || name == "self" || name == "root") {
    return Qualified("globalThis");
  }
  return Qualified("globalThis." + std::string(name));
}

Value ModuleView::MemberOf(const Value& base, std::string_view name, int depth) const {
  if (depth > 16) return {};
  // A member of an enumeration is kept as its value; texts have no attribute of this name.
  if (base.kind == ValueKind::kText && name == "value" && is_python()) return base;
  switch (base.kind) {
    case ValueKind::kQualified: {
      if (IsModuleObject(base)) {
        Value value = world_.View(base.module).Symbol(name);
        if (value.kind != ValueKind::kUnknown) return value;
        if (is_python()) {
          const std::string inner = base.text + "." + std::string(name);
          if (world_.Resolve(index_, inner) != kNone) return OfTarget(inner);
        } else if (name == "default") {
          return base;
        } else if (const Value whole = WholeModule(base); whole.kind != ValueKind::kUnknown) {
          return MemberOf(whole, name, depth + 1);
        }
        return {};
      }
      if (base.text == "globalThis") return Unbound(name);
      if (base.text == "globals()") {
        const std::uint32_t slot = SlotByName(name, kModuleBody);
        Value value = slot == kNone ? Unbound(name) : OfSlot(slot, kNone, kNone - 1);
        value.obfuscation = std::max(value.obfuscation, base.obfuscation);
        return value;
      }
      if (name == "default" && !is_python()) return base;
      if (name == "__builtins__") return Qualified("builtins", base.obfuscation);
      if (base.text.starts_with("builtins.") && (name == "call" || name == "__call__")) return base;
      return Qualified(base.text + "." + std::string(name), base.obfuscation);
    }
    case ValueKind::kInstance:
    case ValueKind::kClass: {
      if (name == "__doc__" && base.module != kNone) {
        const ModuleView& owner = base.module == index_ ? *this : world_.View(base.module);
        const ExprId doc =
            base.index < owner.module_.classes.size() ? owner.module_.classes[base.index].docstring : kNone;
        if (doc != kNone) return owner.Evaluate(doc, kModuleBody);
      }
      if (base.module == kNone) return Qualified(base.text + "." + std::string(name), base.obfuscation);
      const ModuleView& owner = base.module == index_ ? *this : world_.View(base.module);
      if (base.index >= owner.module_.classes.size()) return {};
      const std::uint32_t slot = owner.AttributeSlot(base.index, name);
      if (slot != kNone) {
        Value value = owner.OfSlot(slot, kNone, kNone - 1);
        if (value.kind != ValueKind::kUnknown) return value;
      }
      for (const ExprId id : owner.module_.classes[base.index].bases) {
        const Value parent = owner.OrWholeModule(owner.Evaluate(id, owner.module_.classes[base.index].parent));
        if (parent.kind == ValueKind::kClass && (parent.module != base.module || parent.index != base.index)) {
          Value instance = parent;
          instance.kind = base.kind;
          Value value = owner.MemberOf(instance, name, depth + 1);
          if (value.kind != ValueKind::kUnknown) return value;
        } else if (parent.kind == ValueKind::kQualified && !IsModuleObject(parent) && slot == kNone) {
          return Qualified(parent.text + (base.kind == ValueKind::kInstance ? "()." : ".") + std::string(name));
        }
      }
      return {};
    }
    case ValueKind::kDict:
      for (std::size_t i = 0; i < base.keys.size(); ++i) {
        if (base.keys[i] == name) return base.items[i];
      }
      return {};
    case ValueKind::kFunction:
      if (name == "call" || name == "apply" || name == "bind" || name == "__call__") return base;
      if (name == "__doc__" && base.module != kNone) {
        const ModuleView& owner = base.module == index_ ? *this : world_.View(base.module);
        const std::vector<Function>& functions = owner.module_.functions;
        if (base.index < functions.size() && functions[base.index].docstring != kNone)
          return owner.Evaluate(functions[base.index].docstring, base.index);
      }
      return {};
    default:
      return {};
  }
}

Value ModuleView::Callee(ExprId call, FuncId scope) const {
  if (call >= module_.exprs.size() || module_.exprs[call].base >= module_.exprs.size()) return {};
  const Expr& base = module_.exprs[module_.exprs[call].base];
  Value value = OrWholeModule(Evaluate(module_.exprs[call].base, scope));
  if (value.kind == ValueKind::kUnknown && base.kind == ExprKind::kMember) value.text = "." + std::string(base.text);
  if (value.kind == ValueKind::kInstance && value.module == kNone) {
    // A call of what a call gave back: partial(f)(x) was undone before, this one is somebody's callable object.
    value.kind = ValueKind::kQualified;
  }
  // TcpListener::bind(address) of Rust is a function by itself.
  if (value.kind == ValueKind::kQualified && !is_python() && !is_typed()) {
    for (const std::string_view last : {".call", ".apply", ".bind"}) {
      if (value.text.ends_with(last) && value.text.size() > last.size()) {
        value.text.resize(value.text.size() - last.size());
        break;
      }
    }
  }
  return value;
}

std::optional<Value> ModuleView::Special(const Value& callee, const Expr& call, FuncId scope) const {
  const auto args = module_.ArgsOf(call);
  const auto argument = [&](std::size_t i) -> const Value& {
    static const Value kNothing;
    return i < args.size() ? Evaluate(args[i].value, scope) : kNothing;
  };
  const std::string& name = callee.text;
  if (!is_python()) {
    if ((name == "globalThis.require" || name == "globalThis.import" || name == "module.createRequire()" ||
         name == "electron.remote.require") &&
        !args.empty()) {
      const Value& target = argument(0);
      if (target.kind != ValueKind::kText || target.text.empty()) return std::nullopt;
      Value value = OfTarget(target.text);
      value.obfuscation = target.obfuscation;
      return value;
    }
    if (name == "globalThis.Reflect.get" && args.size() >= 2 && argument(1).kind == ValueKind::kText) {
      Value value = MemberOf(argument(0), argument(1).text);
      value.obfuscation = std::max(value.obfuscation, LookupObfuscation(argument(1)));
      return value;
    }
    if ((name == "util.promisify" || name.ends_with(".promisify")) && !args.empty()) return argument(0);
    // Object.assign({}, defaults, own), Object.freeze(settings), structuredClone(settings)
    if ((name == "globalThis.Object.assign" && args.size() == 2) ||
        ((name == "globalThis.Object.freeze" || name == "globalThis.structuredClone") && args.size() == 1)) {
      const Value& table = argument(args.size() - 1);
      if (HoldsAddress(table) && (args.size() == 1 || argument(0).keys.empty())) return table;
    }
    const Expr& base = module_.exprs[call.base];
    if (!is_typed() && base.kind == ExprKind::kMember && base.text == "bind") return Evaluate(base.base, scope);
    return std::nullopt;
  }
  if (name == "builtins.getattr" && args.size() >= 2 && argument(1).kind == ValueKind::kText) {
    if (argument(0).kind == ValueKind::kUnknown) return std::nullopt;
    Value value = MemberOf(argument(0), argument(1).text);
    value.obfuscation = std::max({value.obfuscation, argument(0).obfuscation, LookupObfuscation(argument(1))});
    return value;
  }
  if ((name == "builtins.__import__" || name == "importlib.import_module" || name == "importlib.__import__") &&
      !args.empty() && argument(0).kind == ValueKind::kText) {
    std::string_view target = argument(0).text;
    if (name == "builtins.__import__" && args.size() == 1) target = target.substr(0, target.find('.'));
    Value value = OfTarget(target);
    value.obfuscation = LookupObfuscation(argument(0));
    return value;
  }
  if (args.empty() && (name == "builtins.globals" || name == "builtins.locals" || name == "builtins.vars")) {
    return Qualified("globals()", 1);
  }
  if (name == "builtins.vars" && args.size() == 1 && argument(0).kind == ValueKind::kQualified) {
    return argument(0);
  }
  if ((name == "functools.partial" || name == "asyncio.coroutine") && !args.empty()) return argument(0);
  if (name == "builtins.str" && args.size() == 1 && argument(0).kind == ValueKind::kText) return argument(0);
  return std::nullopt;
}

// function(p, a, c, k, e, d) { ... new RegExp(...) ... }("0.1(2)", 36, 3, "console|log|text".split("|")): a program
// whose words lie in a table.
std::optional<Value> ModuleView::OfPacker(const Value& callee, const Expr& call, FuncId scope) const {
  const auto args = module_.ArgsOf(call);
  if (is_python() || is_typed() || callee.module != index_ || args.size() < 4) return std::nullopt;
  constexpr std::size_t kLongest = 4096;  // of a packer; asked at every call of a function
  const Function& packer = module_.functions[callee.index];
  if (packer.params.size() < 4 || packer.loc.end - packer.loc.begin > kLongest) return std::nullopt;
  const std::string_view source = module_.text.substr(packer.loc.begin, packer.loc.end - packer.loc.begin);
  if (source.find("RegExp") == std::string_view::npos || source.find("replace") == std::string_view::npos)
    return std::nullopt;
  std::vector<Value> values;
  for (const Arg& arg : args.first(4)) values.push_back(Evaluate(arg.value, scope));
  return Spend(values[0].text.size() + 8) ? UnpackJavaScript(values) : std::nullopt;
}

Value ModuleView::OfCall(ExprId id, FuncId scope) const {
  const Expr& call = module_.exprs[id];
  const auto args = module_.ArgsOf(call);
  if (IsTagged(call)) return Evaluate(args[0].value, scope);
  const Value callee = Callee(id, scope);
  if (callee.kind == ValueKind::kClass) {
    Value value = callee;
    value.kind = ValueKind::kInstance;
    return value;
  }
  if (callee.kind == ValueKind::kFunction) {
    if (std::optional<Value> program = OfPacker(callee, call, scope)) return *std::move(program);
    const Expr& how = module_.exprs[call.base];
    if (!is_python() && how.kind == ExprKind::kMember && how.text == "bind") return callee;
    // What a function of the package says when all it does is to give back one constant.
    if (callee.module >= world_.size()) return {};
    const ModuleView& owner = callee.module == index_ ? *this : world_.View(callee.module);
    if (callee.index >= owner.module_.functions.size()) return {};
    const std::vector<Stmt>& body = owner.module_.functions[callee.index].body;
    const Stmt* only = OnlyGiven(owner.module_.functions[callee.index]);
    if (only == nullptr || body.size() > 16) return {};
    // ... or to change a constant that it is given.
    std::vector<Value> given;
    for (const Arg& arg : args) {
      if (arg.name.empty()) given.push_back(Evaluate(arg.value, scope));
    }
    const auto text = [](const Value& one) { return one.kind == ValueKind::kText; };
    if (!given.empty() && given.size() <= 2 && std::ranges::all_of(given, text)) {
      if (std::optional<Value> value = Applied(callee, given); value && value->kind == ValueKind::kText)
        return *std::move(value);
    }
    if (!overrides_.empty()) return {};
    Value value = owner.Evaluate(only->value, callee.index);
    // Of containers, those that are an object's methods.
    const bool methods = value.kind == ValueKind::kDict && std::ranges::any_of(value.items, [](const Value& item) {
                           return item.kind == ValueKind::kFunction;
                         });
    if (value.kind == ValueKind::kList || (value.kind == ValueKind::kDict && !methods && !HoldsAddress(value)))
      return {};
    return value;
  }
  if (callee.kind == ValueKind::kQualified) {
    // await asyncio.wait_for(asyncio.open_connection(...), 3)
    if ((callee.text == "asyncio.wait_for" || callee.text == "asyncio.shield") && !args.empty())
      return Evaluate(args[0].value, scope);
    if (std::optional<Value> value = Special(callee, call, scope)) return *std::move(value);
    if (Value data = OfData(callee, call, scope); data.kind != ValueKind::kUnknown) return data;
  }
  // Folding. The receiver of a method of a known value is that value.
  const Expr& base = call.base < module_.exprs.size() ? module_.exprs[call.base] : call;
  const Value* receiver = nullptr;
  std::string name = callee.kind == ValueKind::kQualified ? callee.text : std::string();
  if (callee.kind == ValueKind::kUnknown && base.kind == ExprKind::kMember) {
    receiver = &Evaluate(base.base, scope);
    name = "." + std::string(base.text);
    if (receiver->kind == ValueKind::kUnknown) return {};
    if (receiver->kind == ValueKind::kList && (base.text == "map" || base.text == "reduce") && !args.empty()) {
      const Value* first = args.size() > 1 ? &Evaluate(args[1].value, scope) : nullptr;
      std::optional<Value> each = AppliedToEach(base.text, *receiver, Evaluate(args[0].value, scope), first);
      if (each) return *std::move(each);
    }
  }
  if (std::optional<Value> changed = OfPattern(callee, call, scope)) return *std::move(changed);
  if (std::optional<Value> carried = OfCarrier(callee, call, scope)) return *std::move(carried);
  if (!name.empty() && (receiver != nullptr || Catalogue::For(module_.language).Folds(name)) && args.size() <= 64) {
    std::vector<Value> values;
    std::vector<std::string_view> names;
    std::size_t bytes = receiver != nullptr ? receiver->text.size() : 0;
    bool known = true;
    for (const Arg& arg : args) {
      const Value& value = Evaluate(arg.value, scope);
      known = known && value.kind != ValueKind::kUnknown;
      // "{scheme}://{host}".format(**HOST)
      const bool spread = value.kind == ValueKind::kDict && value.items.size() <= 64 &&
                          module_.exprs[arg.value].kind == ExprKind::kSpread;
      if (spread) {
        values.insert(values.end(), value.items.begin(), value.items.end());
        names.insert(names.end(), value.keys.begin(), value.keys.end());
        for (const Value& item : value.items) bytes += item.text.size();
        continue;
      }
      values.push_back(value);
      names.push_back(arg.name);
      bytes += value.text.size();
    }
    if (known && Spend(bytes / 4 + 8)) {
      std::optional<Value> folded = is_python()  ? FoldPythonCall(name, receiver, values, names)
                                    : is_typed() ? FoldTypedCall(name, receiver, values)
                                                 : FoldJavaScriptCall(name, receiver, values);
      if (folded && (folded->text.size() <= 64 || Spend(folded->text.size()))) return *std::move(folded);
    }
  }
  if (callee.kind == ValueKind::kQualified && callee.module == kNone && callee.text.size() + 2 <= kMaxName) {
    Value value;
    value.kind = ValueKind::kInstance;
    value.text = callee.text + "()";
    // Emitters give themselves back: https.request(...).on("error", ...).end(body).
    for (const std::string_view method : {".on", ".once"}) {
      if (!is_python() && callee.text.ends_with("()" + std::string(method))) {
        value.text = callee.text.substr(0, callee.text.size() - method.size());
      }
    }
    value.obfuscation = callee.obfuscation;
    return value;
  }
  return {};
}

struct Resolver::Impl {
  Impl(const Module& module, const PackageModules* package)
      : world(module, package), view(&world.View(world.IndexOf(module))) {}
  World world;
  const ModuleView* view;
};

Resolver::Resolver(const Module& module, const PackageModules* package)
    : impl_(std::make_unique<Impl>(module, package)) {}
Resolver::~Resolver() = default;

Value Resolver::Evaluate(ExprId expr, FuncId scope) const { return impl_->view->Evaluate(expr, scope); }
Value Resolver::Callee(ExprId call, FuncId scope) const { return impl_->view->Callee(call, scope); }

}  // namespace interlock::scan::code
