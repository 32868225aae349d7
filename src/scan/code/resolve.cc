#include "code/resolve.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "code/catalogue.h"
#include "code/world.h"

namespace interlock::scan::code {
namespace {

constexpr std::uint32_t kMaxDepth = 200;   // nested evaluations
constexpr std::size_t kMaxName = 256;      // of a qualified name
constexpr std::size_t kMaxItems = 8192;    // of a folded list
constexpr std::size_t kMaxPartial = 4096;  // of a text with unknown parts
constexpr std::size_t kMaxLiteral = 1U << 19U;

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

Value Qualified(std::string text, std::uint8_t obfuscation = 0) {
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

// A name put together: worse than a plain lookup by a plain name.
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

void AppendCodePoint(std::string& out, long code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

bool ModuleView::Spend(std::size_t bytes) const {
  if (bytes > text_left_) return false;
  text_left_ -= bytes;
  return true;
}

const Value& ModuleView::Evaluate(ExprId expr, FuncId scope) const {
  static const Value kNothing;
  if (expr >= module_.exprs.size()) return kNothing;
  if (!overrides_.empty()) {
    // Inside a comprehension values depend on its variable: nothing is remembered.
    if (world_.depth_ >= kMaxDepth || override_steps_ == 0) return kNothing;
    --override_steps_;
    ++world_.depth_;
    Value value = Compute(expr, scope);
    --world_.depth_;
    values_.push_back(std::move(value));
    return values_.back();
  }
  std::uint32_t& memo = memo_[expr];
  if (memo == 1 || (memo == 0 && world_.depth_ >= kMaxDepth)) return kNothing;
  if (memo == 0) {
    memo = 1;
    ++world_.depth_;
    Value value = Compute(expr, scope);
    --world_.depth_;
    values_.push_back(std::move(value));
    memo_[expr] = static_cast<std::uint32_t>(values_.size() + 1);
  }
  return values_[memo_[expr] - 2];
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
        if (!value.items.back().items.empty() && !Spend(value.items.back().items.size() * 64)) return {};
      }
      return value;
    }
    case ExprKind::kDict: {
      if (args.size() > 256 || !Spend(args.size() * 64)) return {};
      Value value;
      value.kind = ValueKind::kDict;
      for (const Arg& arg : args) {
        if (arg.name.empty()) continue;
        value.keys.emplace_back(arg.name);
        value.items.push_back(Evaluate(arg.value, scope));
        if (!value.items.back().items.empty() && !Spend(value.items.back().items.size() * 64)) return {};
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
      for (std::size_t i = args.size() >= 3 ? 1 : 0; i < args.size(); ++i) {
        const Value& value = Evaluate(args[i].value, scope);
        if (value.kind != ValueKind::kUnknown && value.kind != ValueKind::kInstance) return value;
      }
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
    return Unbound(expr.text);
  }
  return OfSlot(slot, expr.loc.begin, scope);
}

Value ModuleView::OfSlot(std::uint32_t id, std::uint32_t at, FuncId scope) const {
  if (!overrides_.empty()) {
    const auto known = overrides_.find(id);
    if (known != overrides_.end()) return known->second;
  }
  const Slot& slot = slots_[id];
  const bool here = slot.owner == kNone && slot.scope == scope;
  const Binding* chosen = nullptr;
  for (std::uint32_t i = slot.count; i-- > 0;) {
    const Binding& binding = bindings_[slot.first + i];
    if (here && binding.end > at) continue;
    if (binding.weak && chosen == nullptr && i > 0) continue;
    chosen = &binding;
    break;
  }
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
  if (slot.param != kNone && slot.scope < module_.functions.size()) {
    const Function& function = module_.functions[slot.scope];
    if (slot.param == 0 || function.params[slot.param].name == "this") {
      const ClassId self = SelfClass(slot.name, slot.scope);
      if (self != kNone) {
        value.kind = ValueKind::kInstance;
        value.index = self;
        value.module = index_;
        return value;
      }
    }
    if (function.params[slot.param].annotation != kNone) {
      const Value& type = Evaluate(function.params[slot.param].annotation, function.parent);
      if (type.kind == ValueKind::kClass) {
        value = type;
        value.kind = ValueKind::kInstance;
      } else if (type.kind == ValueKind::kQualified && !IsModuleObject(type) && !type.text.starts_with("builtins.") &&
                 !type.text.starts_with("typing.") && !type.text.starts_with("globalThis.")) {
        value.kind = ValueKind::kInstance;
        value.text = type.text + "()";
      }
    }
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
  return {};
}

Value ModuleView::Unbound(std::string_view name) const {
  if (is_python()) {
    if (name == "__builtins__" || name == "builtins") return Qualified("builtins");
    if (IsPythonBuiltin(name)) return Qualified("builtins." + std::string(name));
    for (const std::uint32_t star : stars_) {
      const Import& import = module_.imports[star];
      const std::uint32_t other = world_.Resolve(index_, import.module);
      if (other != kNone) {
        Value value = world_.View(other).Symbol(name);
        if (value.kind != ValueKind::kUnknown) return value;
      } else if (const std::string whole = import.module + "." + std::string(name);
                 Catalogue::For(module_.language).Find(whole) != nullptr) {
        return Qualified(whole);
      }
    }
    return {};
  }
  if (name == "globalThis" || name == "window" || name == "global" || name == "self" || name == "root") {
    return Qualified("globalThis");
  }
  return Qualified("globalThis." + std::string(name));
}

Value ModuleView::OfTarget(std::string_view target) const {
  const std::uint32_t other = world_.Resolve(index_, target);
  if (other == kNone) return Qualified(std::string(target.starts_with("node:") ? target.substr(5) : target));
  Value value;
  value.kind = ValueKind::kQualified;
  value.text = std::string(target.substr(0, kMaxName));
  value.module = other;
  return value;
}

Value ModuleView::OfImport(const Import& import) const {
  const std::uint32_t other = world_.Resolve(index_, import.module);
  const bool whole = import.symbol.empty();
  if (other == kNone) {
    if (is_python() && !whole) {
      // `from . import x`, `from pkg import x` where x is a module.
      const std::string inner = import.module + (import.module.ends_with('.') ? "" : ".") + import.symbol;
      const std::uint32_t module = world_.Resolve(index_, inner);
      if (module != kNone) return OfTarget(inner);
    }
    if (import.module.starts_with('.')) return {};
    if (whole || (!is_python() && import.symbol == "default")) return Qualified(import.module);
    return Qualified(import.module + "." + import.symbol);
  }
  if (whole) return OfTarget(import.module);
  if (world_.depth_ >= kMaxDepth) return {};
  Value value = world_.View(other).Symbol(import.symbol);
  if (value.kind == ValueKind::kUnknown && is_python()) {
    const std::string inner = import.module + (import.module.ends_with('.') ? "" : ".") + import.symbol;
    if (world_.Resolve(index_, inner) != kNone) return OfTarget(inner);
  }
  return value;
}

Value ModuleView::Symbol(std::string_view name) const {
  // SAFETY: modules may import each other in rings; what is being looked for is found as nothing.
  if (world_.depth_ >= kMaxDepth || name.size() > kMaxName) return {};
  const auto [at, added] = symbols_.emplace(name, Value());
  if (!added) return at->second;
  ++world_.depth_;
  Value value = FindSymbol(name);
  --world_.depth_;
  return symbols_[std::string(name)] = std::move(value);
}

Value ModuleView::FindSymbol(std::string_view name) const {
  if (!is_python()) {
    const bool whole = name.empty() || name == "default";
    const auto named = names_.find(whole ? "default" : name);
    if (named != names_.end()) {
      const auto at = exports_.find(named->second);
      if (at != exports_.end()) {
        Value value = Evaluate(at->second, kModuleBody);
        if (value.kind != ValueKind::kUnknown) return value;
      }
    }
    if (default_export_ != kNone) {
      const Value& value = Evaluate(default_export_, default_scope_);
      if (whole) return value;
      if (value.kind == ValueKind::kDict) {
        for (std::size_t i = 0; i < value.keys.size(); ++i) {
          if (value.keys[i] == name) return value.items[i];
        }
      }
    }
  }
  const std::uint32_t slot = SlotByName(name, kModuleBody);
  if (slot != kNone) return OfSlot(slot, kNone, kNone - 1);
  for (const std::uint32_t star : stars_) {
    const std::uint32_t other = world_.Resolve(index_, module_.imports[star].module);
    if (other == kNone || other == index_) continue;
    Value value = world_.View(other).Symbol(name);
    if (value.kind != ValueKind::kUnknown) return value;
  }
  return {};
}

Value ModuleView::MemberOf(const Value& base, std::string_view name, int depth) const {
  if (depth > 16) return {};
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
      if (base.module == kNone) return Qualified(base.text + "." + std::string(name), base.obfuscation);
      const ModuleView& owner = base.module == index_ ? *this : world_.View(base.module);
      if (base.index >= owner.module_.classes.size()) return {};
      const std::uint32_t slot = owner.AttributeSlot(base.index, name);
      if (slot != kNone) {
        Value value = owner.OfSlot(slot, kNone, kNone - 1);
        if (value.kind != ValueKind::kUnknown) return value;
      }
      for (const ExprId id : owner.module_.classes[base.index].bases) {
        const Value& parent = owner.Evaluate(id, owner.module_.classes[base.index].parent);
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
      return {};
    default:
      return {};
  }
}

Value ModuleView::Callee(ExprId call, FuncId scope) const {
  if (call >= module_.exprs.size() || module_.exprs[call].base >= module_.exprs.size()) return {};
  const Expr& base = module_.exprs[module_.exprs[call].base];
  Value value = Evaluate(module_.exprs[call].base, scope);
  if (value.kind == ValueKind::kUnknown && base.kind == ExprKind::kMember) value.text = "." + std::string(base.text);
  if (value.kind == ValueKind::kInstance && value.module == kNone) {
    // A call of what a call gave back: partial(f)(x) was undone before, this one is somebody's callable object.
    value.kind = ValueKind::kQualified;
  }
  if (value.kind == ValueKind::kQualified && !is_python()) {
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
    if ((name == "globalThis.require" || name == "globalThis.import" || name == "module.createRequire()") &&
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
    const Expr& base = module_.exprs[call.base];
    if (base.kind == ExprKind::kMember && base.text == "bind") return Evaluate(base.base, scope);
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

Value ModuleView::OfCall(ExprId id, FuncId scope) const {
  const Expr& call = module_.exprs[id];
  const Value callee = Callee(id, scope);
  const auto args = module_.ArgsOf(call);
  if (callee.kind == ValueKind::kClass) {
    Value value = callee;
    value.kind = ValueKind::kInstance;
    return value;
  }
  if (callee.kind == ValueKind::kFunction) {
    // What a function of the package says when all it does is to give back one constant.
    if (callee.module >= world_.size()) return {};
    const ModuleView& owner = callee.module == index_ ? *this : world_.View(callee.module);
    if (callee.index >= owner.module_.functions.size()) return {};
    const std::vector<Stmt>& body = owner.module_.functions[callee.index].body;
    const Stmt* only = nullptr;
    for (const Stmt& stmt : body) {
      if (stmt.kind != StmtKind::kReturn || stmt.value == kNone) continue;
      if (only != nullptr) return {};
      only = &stmt;
    }
    if (only == nullptr || body.size() > 16 || !overrides_.empty()) return {};
    Value value = owner.Evaluate(only->value, callee.index);
    if (value.kind == ValueKind::kList || value.kind == ValueKind::kDict) return {};
    return value;
  }
  if (callee.kind == ValueKind::kQualified) {
    if (std::optional<Value> value = Special(callee, call, scope)) return *std::move(value);
  }
  // Folding. The receiver of a method of a known value is that value.
  const Expr& base = call.base < module_.exprs.size() ? module_.exprs[call.base] : call;
  const Value* receiver = nullptr;
  std::string name = callee.kind == ValueKind::kQualified ? callee.text : std::string();
  if (callee.kind == ValueKind::kUnknown && base.kind == ExprKind::kMember) {
    receiver = &Evaluate(base.base, scope);
    name = "." + std::string(base.text);
    if (receiver->kind == ValueKind::kUnknown) return {};
  }
  if (!name.empty() && (receiver != nullptr || Catalogue::For(module_.language).Folds(name)) && args.size() <= 64) {
    std::vector<Value> values;
    std::vector<std::string_view> names;
    std::size_t bytes = receiver != nullptr ? receiver->text.size() : 0;
    bool known = true;
    for (const Arg& arg : args) {
      values.push_back(Evaluate(arg.value, scope));
      names.push_back(arg.name);
      bytes += values.back().text.size();
      known = known && values.back().kind != ValueKind::kUnknown;
    }
    if (known && Spend(bytes / 4 + 8)) {
      std::optional<Value> folded =
          is_python() ? FoldPythonCall(name, receiver, values, names) : FoldJavaScriptCall(name, receiver, values);
      if (folded && (folded->text.size() <= 64 || Spend(folded->text.size()))) return *std::move(folded);
    }
  }
  if (callee.kind == ValueKind::kQualified && callee.module == kNone && callee.text.size() + 2 <= kMaxName) {
    Value value;
    value.kind = ValueKind::kInstance;
    value.text = callee.text + "()";
    value.obfuscation = callee.obfuscation;
    return value;
  }
  return {};
}

Value ModuleView::OfJoined(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.empty()) return expr.kind == ExprKind::kFormat ? TextValue("", 0, 0) : Value();
  std::string text;
  std::uint8_t obfuscation = 0;
  std::uint8_t decodes = 0;
  bool list = false;
  Value joined;
  for (const Arg& arg : args) {
    const Value& part = Evaluate(arg.value, scope);
    obfuscation = std::max(obfuscation, part.obfuscation);
    decodes = std::max(decodes, part.decodes);
    if (part.kind == ValueKind::kList && expr.kind == ExprKind::kConcat) {
      list = true;
      if (joined.items.size() + part.items.size() > kMaxItems || !Spend(part.items.size() * 32)) return {};
      joined.items.insert(joined.items.end(), part.items.begin(), part.items.end());
      continue;
    }
    if (part.kind != ValueKind::kText || list || text.size() + part.text.size() > kMaxLiteral) return {};
    text += part.text;
  }
  if (list) {
    joined.kind = ValueKind::kList;
    joined.obfuscation = obfuscation;
    return joined;
  }
  if (!Spend(text.size() / 4 + 8)) return {};
  if (args.size() > 1) obfuscation = std::max<std::uint8_t>(obfuscation, 1);
  return TextValue(std::move(text), obfuscation, decodes);
}

Value ModuleView::OfSlice(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  const Value& base = Evaluate(expr.base, scope);
  if (base.kind != ValueKind::kText && base.kind != ValueKind::kList) return {};
  const long size = static_cast<long>(base.kind == ValueKind::kText ? base.text.size() : base.items.size());
  long bounds[3] = {0, 0, 1};
  bool given[3] = {false, false, false};
  for (std::size_t i = 0; i < 3 && i < args.size(); ++i) {
    if (args[i].value == kNone) continue;
    const Expr& bound = module_.exprs[args[i].value];
    const Arg* inner = nullptr;
    if (bound.kind == ExprKind::kConstant) continue;
    // A minus sign may come as a part of the number or around it.
    long sign = 1;
    const Value* value = &Evaluate(args[i].value, scope);
    if (value->kind == ValueKind::kUnknown && bound.arg_count == 1 && bound.text == "-") {
      inner = &module_.args[bound.first_arg];
      value = &Evaluate(inner->value, scope);
      sign = -1;
    }
    if (!ToInt(*value, bounds[i])) return {};
    bounds[i] *= sign;
    given[i] = true;
  }
  const long step = bounds[2];
  if (step == 0) return {};
  const auto clamp = [&](long at, long low, long high) { return std::clamp(at < 0 ? at + size : at, low, high); };
  long from = given[0]   ? (step > 0 ? clamp(bounds[0], 0, size) : clamp(bounds[0], -1, size - 1))
              : step > 0 ? 0
                         : size - 1;
  const long to = given[1]   ? (step > 0 ? clamp(bounds[1], 0, size) : clamp(bounds[1], -1, size - 1))
                  : step > 0 ? size
                             : -1;
  if (!Spend(static_cast<std::size_t>(size) / 4 + 8)) return {};
  Value value;
  value.kind = base.kind;
  value.decodes = base.decodes;
  for (; step > 0 ? from < to : from > to; from += step) {
    if (from < 0 || from >= size) break;
    const auto at = static_cast<std::size_t>(from);
    if (base.kind == ValueKind::kText) {
      value.text += base.text[at];
    } else {
      value.items.push_back(base.items[at]);
    }
  }
  value.obfuscation = step < 0 || base.obfuscation >= 2 ? (base.obfuscation >= 2 && step < 0 ? 3 : 2) : 1;
  return value;
}

Value ModuleView::OfIndex(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.empty()) return {};
  const Value& base = Evaluate(expr.base, scope);
  if (base.kind == ValueKind::kUnknown) return {};
  const Value& key = Evaluate(args[0].value, scope);
  if (base.kind == ValueKind::kList || base.kind == ValueKind::kText) {
    long at = 0;
    const long size = static_cast<long>(base.kind == ValueKind::kText ? base.text.size() : base.items.size());
    if (!ToInt(key, at)) return {};
    if (at < 0) at += size;
    if (at < 0 || at >= size) return {};
    if (base.kind == ValueKind::kText)
      return TextValue(std::string(1, base.text[static_cast<std::size_t>(at)]), 2, base.decodes);
    return base.items[static_cast<std::size_t>(at)];
  }
  if (key.kind != ValueKind::kText) {
    return base.kind == ValueKind::kQualified && !IsModuleObject(base) ? Qualified(base.text + "[]") : Value();
  }
  if (base.kind == ValueKind::kDict) return MemberOf(base, key.text);
  Value value;
  if (is_python()) {
    // Tables of names: module dictionaries, globals(), sys.modules. Anything else indexed stays a container.
    if (base.kind == ValueKind::kQualified && base.text.ends_with(".__dict__")) {
      value = MemberOf(Qualified(base.text.substr(0, base.text.size() - 9)), key.text);
    } else if (base.kind == ValueKind::kQualified && (base.text == "globals()" || base.text == "builtins")) {
      value = MemberOf(base, key.text);
    } else if (base.kind == ValueKind::kQualified && base.text == "sys.modules") {
      value = OfTarget(key.text);
    } else if (base.kind == ValueKind::kQualified && !IsModuleObject(base)) {
      const Expr& origin = module_.exprs[expr.base];
      if (origin.kind != ExprKind::kCall) return Qualified(base.text + "[]");
      value = MemberOf(base, key.text);  // vars(os)["system"]
    } else {
      return {};
    }
  } else {
    value = MemberOf(base, key.text);
    if (key.obfuscation == 0 && module_.exprs[args[0].value].kind == ExprKind::kString) return value;  // obj["name"]
  }
  value.obfuscation = std::max({value.obfuscation, base.obfuscation, LookupObfuscation(key)});
  return value;
}

Value ModuleView::OfBinary(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.size() != 2) {
    if (args.size() == 1 && expr.text == "-") {
      const Value& value = Evaluate(args[0].value, scope);
      if (value.kind == ValueKind::kText && value.text.size() < 20) return TextValue("-" + value.text, 0, 0);
    }
    return {};
  }
  const Value& left = Evaluate(args[0].value, scope);
  if (expr.text == "/" && left.kind == ValueKind::kInstance && left.text.starts_with("pathlib.")) return left;
  const Value& right = Evaluate(args[1].value, scope);
  long a = 0;
  long b = 0;
  if (ToInt(left, a) && ToInt(right, b)) {
    long result = 0;
    if (expr.text == "^") {
      result = a ^ b;
    } else if (expr.text == "-") {
      result = a - b;
    } else if (expr.text == "+") {
      result = a + b;
    } else if (expr.text == "*" && std::abs(a) < 65536 && std::abs(b) < 65536) {
      result = a * b;
    } else if (expr.text == "%" && b > 0 && a >= 0) {
      result = a % b;
    } else {
      return {};
    }
    return TextValue(std::to_string(result), 2, 0);
  }
  if (left.kind != ValueKind::kText || expr.text != "%" || !is_python()) return {};
  // '%s%s' % ('ex', 'ec')
  std::string text;
  std::size_t next = 0;
  std::uint8_t obfuscation = std::max<std::uint8_t>({left.obfuscation, right.obfuscation, 1});
  for (std::size_t i = 0; i < left.text.size(); ++i) {
    if (left.text[i] != '%') {
      text += left.text[i];
      continue;
    }
    if (++i >= left.text.size()) return {};
    if (left.text[i] == '%') {
      text += '%';
      continue;
    }
    if (left.text[i] != 's' && left.text[i] != 'd' && left.text[i] != 'c') return {};
    const Value* piece = right.kind == ValueKind::kText && next == 0                   ? &right
                         : right.kind == ValueKind::kList && next < right.items.size() ? &right.items[next]
                                                                                       : nullptr;
    if (piece == nullptr || piece->kind != ValueKind::kText) return {};
    long code = 0;
    if (left.text[i] == 'c' && ToInt(*piece, code) && code >= 0 && code < 0x110000) {
      AppendCodePoint(text, code);
      obfuscation = std::max<std::uint8_t>(obfuscation, 2);
    } else {
      text += piece->text;
    }
    ++next;
    if (text.size() > kMaxLiteral) return {};
  }
  if (!Spend(text.size() / 4 + 8)) return {};
  return TextValue(std::move(text), obfuscation, std::max(left.decodes, right.decodes));
}

Value ModuleView::OfComprehension(ExprId id, FuncId scope) const {
  // [chr(c ^ 7) for c in (104, 98)]: one element, one constant list, its variable assigned just before.
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.size() != 2 || overrides_.size() > 1) return {};
  const Value source = Evaluate(args[1].value, scope);
  Value items;
  items.kind = ValueKind::kList;
  std::vector<Value> inputs;
  if (source.kind == ValueKind::kList) {
    inputs = source.items;
  } else if (source.kind == ValueKind::kText && source.text.size() <= kMaxItems) {
    for (const char c : source.text) inputs.push_back(TextValue(std::string(1, c), source.obfuscation, source.decodes));
  }
  if (inputs.empty() || inputs.size() > kMaxItems || !Spend(inputs.size() * 128)) return {};
  std::uint32_t variable = kNone;
  if (slot_of_value_.empty()) {
    for (const Binding& binding : bindings_) {
      if (!binding.destructured) slot_of_value_[binding.value] = binding.slot;
    }
  }
  if (const auto at = slot_of_value_.find(args[1].value); at != slot_of_value_.end()) variable = at->second;
  if (variable == kNone) return {};
  for (const Value& input : inputs) {
    overrides_[variable] = input;
    const std::size_t before = values_.size();
    Value value = Evaluate(args[0].value, scope);
    while (values_.size() > before) values_.pop_back();
    overrides_.erase(variable);
    if (value.kind == ValueKind::kUnknown) return {};
    value.obfuscation = std::max<std::uint8_t>(value.obfuscation, 2);
    items.items.push_back(std::move(value));
  }
  items.obfuscation = 2;
  return items;
}

ExprId ModuleView::Origin(ExprId expr, FuncId scope, FuncId* found_scope) const {
  for (int i = 0; i < 8; ++i) {
    if (expr >= module_.exprs.size()) break;
    const Expr& at = module_.exprs[expr];
    std::uint32_t slot = kNone;
    if (at.kind == ExprKind::kName) {
      slot = SlotOf(expr, scope);
    } else if (at.kind == ExprKind::kMember && at.base < module_.exprs.size() &&
               module_.exprs[at.base].kind == ExprKind::kName) {
      const ClassId self = SelfClass(module_.exprs[at.base].text, scope);
      if (self != kNone) slot = AttributeSlot(self, at.text);
    } else if (at.kind == ExprKind::kAwait && at.arg_count == 1) {
      expr = module_.args[at.first_arg].value;
      continue;
    }
    if (slot == kNone) break;
    const Slot& variable = slots_[slot];
    const bool here = variable.owner == kNone && variable.scope == scope;
    const Binding* chosen = nullptr;
    for (std::uint32_t j = variable.count; j-- > 0;) {
      const Binding& binding = bindings_[variable.first + j];
      if (binding.weak || (here && binding.end > at.loc.begin)) continue;
      chosen = &binding;
      break;
    }
    if (chosen == nullptr || chosen->destructured || chosen->value == kNone || chosen->value == expr) break;
    expr = chosen->value;
    scope = chosen->scope;
  }
  if (found_scope != nullptr) *found_scope = scope;
  return expr;
}

const std::string& ModuleView::Text(ExprId id, FuncId scope) const {
  static const std::string kEmpty;
  if (id >= module_.exprs.size()) return kEmpty;
  const auto known = texts_.find(id);
  if (known != texts_.end()) return known->second;
  if (world_.depth_ >= kMaxDepth) return kEmpty;
  texts_.emplace(id, std::string());  // cycles find nothing
  ++world_.depth_;
  std::string text = ComputeText(id, scope);
  --world_.depth_;
  if (text.size() > kMaxPartial) text.resize(kMaxPartial);
  return texts_[id] = std::move(text);
}

std::string ModuleView::ComputeText(ExprId id, FuncId scope) const {
  const Value& value = Evaluate(id, scope);
  if (value.kind == ValueKind::kText) return value.text.substr(0, kMaxPartial);
  FuncId at_scope = scope;
  const ExprId at = Origin(id, scope, &at_scope);
  if (at != id) return Text(at, at_scope);
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  const auto join = [&](std::span<const Arg> parts, std::string_view between) {
    std::string text;
    bool any = false;
    for (const Arg& arg : parts) {
      if (!arg.name.empty()) continue;
      const std::string& piece = Text(arg.value, scope);
      any = any || !piece.empty();
      if (&arg != parts.data() && !text.ends_with(between)) text += between;
      if (piece.empty()) {
        if (!text.ends_with(kHole)) text += kHole;
      } else {
        text += piece;
      }
      if (text.size() > kMaxPartial) break;
    }
    return any ? text : std::string();
  };
  switch (expr.kind) {
    case ExprKind::kConcat:
    case ExprKind::kFormat:
      return join(args, "");
    case ExprKind::kBinary:
      if (expr.text == "/" && is_python()) return join(args, "/");
      if (expr.text == "%" && is_python() && !args.empty()) {
        std::string text = Text(args[0].value, scope);
        for (std::size_t i = 0; i + 1 < text.size(); ++i) {
          if (text[i] == '%' && text[i + 1] != '%') text.replace(i, 2, 1, kHole);
        }
        return text;
      }
      return {};
    case ExprKind::kAwait:
      return args.empty() ? std::string() : Text(args[0].value, scope);
    case ExprKind::kChoice:
      for (std::size_t i = args.size() >= 3 ? 1 : 0; i < args.size(); ++i) {
        const std::string& text = Text(args[i].value, scope);
        if (!text.empty()) return text;
      }
      return {};
    case ExprKind::kList: {
      if (args.size() > 64) return {};
      std::string text = join(args, " ");
      return text;
    }
    case ExprKind::kMember: {
      if (expr.text == "parent" && is_python()) {
        const std::string& inner = Text(expr.base, scope);
        const std::size_t slash = inner.rfind('/');
        return slash == std::string::npos ? std::string() : inner.substr(0, slash);
      }
      return {};
    }
    case ExprKind::kCall:
      break;
    default:
      return {};
  }
  const Value callee = Callee(id, scope);
  std::string_view name = callee.text;
  if (name.starts_with("globalThis.")) name.remove_prefix(11);
  const Expr* base = expr.base < module_.exprs.size() ? &module_.exprs[expr.base] : nullptr;
  if (is_python()) {
    if (name == "os.path.join" || name == "pathlib.Path" || name == "pathlib.PurePath" || name == "pathlib.PosixPath") {
      return join(args, "/");
    }
    if (name == "pathlib.Path.home" || name == "pathlib.Path().home") return "~";
    if (name == "os.path.expanduser" || name == "os.path.expandvars" || name == "os.path.abspath" ||
        name == "os.path.realpath" || name == "os.path.normpath" || name == "os.fspath" || name == "builtins.str" ||
        name == "urllib.request.Request" || name == "httpx.URL" || name == "yarl.URL" ||
        name == "urllib.parse.urljoin") {
      return join(args.first(std::min<std::size_t>(args.size(), name.ends_with("urljoin") ? 2 : 1)), "");
    }
    if (base != nullptr && base->kind == ExprKind::kMember) {
      const std::string_view method = base->text;
      if (method == "joinpath") {
        std::string text = Text(base->base, scope);
        if (text.empty()) return {};
        return text + "/" + join(args, "/");
      }
      if (method == "expanduser" || method == "resolve" || method == "absolute" || method == "strip" ||
          method == "rstrip" || method == "encode" || method == "as_posix" || method == "lower") {
        return Text(base->base, scope);
      }
      if (method == "format") {
        std::string text = Text(base->base, scope);
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
          if (text[i] == '{') {
            const std::size_t close = text.find('}', i);
            if (close == std::string::npos) break;
            out += kHole;
            i = close;
          } else {
            out += text[i];
          }
        }
        return out;
      }
      if (method == "join" && !args.empty()) {
        const Value& separator = Evaluate(base->base, scope);
        const ExprId list = Origin(args[0].value, scope);
        if (separator.kind == ValueKind::kText && list < module_.exprs.size() &&
            module_.exprs[list].kind == ExprKind::kList && module_.exprs[list].arg_count <= 64) {
          return join(module_.ArgsOf(module_.exprs[list]), separator.text);
        }
      }
      // os.environ.get("X", "fallback"), os.getenv: the fallback is what is known.
      if ((method == "get" || method == "getenv") && args.size() >= 2) return Text(args[1].value, scope);
    }
    return {};
  }
  if (name == "path.join" || name == "path.resolve" || name == "path.posix.join") return join(args, "/");
  if (name == "os.homedir") return "~";
  if (name == "URL" || name == "String" || name == "path.normalize" || name == "url.fileURLToPath") {
    return join(args.first(std::min<std::size_t>(args.size(), 1)), "");
  }
  if (base != nullptr && base->kind == ExprKind::kMember) {
    if (base->text == "toString" || base->text == "trim" || base->text == "replace" || base->text == "toLowerCase") {
      return Text(base->base, scope);
    }
    if (base->text == "concat") {
      std::string text = Text(base->base, scope);
      return text.empty() ? text : text + join(args, "");
    }
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
