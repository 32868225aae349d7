// What modules are to each other: what an import stands for, what a module exports by which name and as a whole.
#include "code/resolve_internal.h"
#include "code/world.h"

namespace interlock::scan::code {

Value ModuleView::OfTarget(std::string_view target) const {
  const std::uint32_t other = world_.Resolve(index_, target);
  if (other == kNone && target.starts_with('.') && target.ends_with(".json")) {
    if (const Value* data = world_.DataAt(index_, target)) return *data;
  }
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
    if (import.module.starts_with('.')) {
      // import conf from "./conf.json"; Python's modules have other names.
      Value data = is_python() ? Value() : OfTarget(import.module);
      if (data.kind == ValueKind::kQualified) return {};
      return whole || import.symbol == "default" ? data : MemberOf(data, import.symbol);
    }
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

// What of that name a module, or an object that is written out, has.
Value ModuleView::SymbolOf(ExprId from, FuncId scope, std::string_view name) const {
  const Value& value = Evaluate(from, scope);
  if (IsModuleObject(value)) return value.module == index_ ? Value() : world_.View(value.module).Symbol(name);
  return value.kind == ValueKind::kDict ? MemberOf(value, name) : Value();
}

// The variable that a module exports by a name, or as a whole ("", "default"); kNone: none.
std::uint32_t ModuleView::ExportedVariable(std::string_view symbol) const {
  if (!symbol.empty() && symbol != "default") return SlotByName(symbol, kModuleBody);
  if (is_python()) return kNone;
  ExprId whole = default_export_;
  if (const auto named = names_.find("default"); named != names_.end() && whole == kNone) {
    const auto at = exports_.find(named->second);
    if (at != exports_.end()) whole = at->second;
  }
  return whole < module_.exprs.size() && module_.exprs[whole].kind == ExprKind::kName ? SlotOf(whole, kModuleBody)
                                                                                      : kNone;
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
      // module.exports = {...require("./more")}
      if (default_export_ < module_.exprs.size() && module_.exprs[default_export_].kind == ExprKind::kDict) {
        for (const Arg& part : module_.ArgsOf(module_.exprs[default_export_])) {
          const Expr& spread = module_.exprs[part.value];
          if (spread.kind != ExprKind::kSpread || spread.arg_count != 1) continue;
          Value more = SymbolOf(module_.ArgsOf(spread)[0].value, default_scope_, name);
          if (more.kind != ValueKind::kUnknown) return more;
        }
      }
    }
    for (const ExprId added : added_exports_) {
      if (Value more = SymbolOf(added, kModuleBody, name); more.kind != ValueKind::kUnknown) return more;
    }
  }
  std::uint32_t slot = SlotByName(name, kModuleBody);
  if (!is_python() && hands_on_) {
    if (const std::uint32_t on = SlotByName(ExportedName(name), kModuleBody); on != kNone) slot = on;
  }
  if (slot != kNone) return OfSlot(slot, kNone, kNone - 1);
  for (const std::uint32_t star : stars_) {
    const std::uint32_t other = world_.Resolve(index_, module_.imports[star].module);
    if (other == kNone || other == index_) continue;
    Value value = world_.View(other).Symbol(name);
    if (value.kind != ValueKind::kUnknown) return value;
  }
  return module_.language == Language::kGo ? OfPackage(name) : Value();
}

// const Client = require("./client"), where the module is a function, a class or an object of one: that; else unknown.
Value ModuleView::WholeModule(const Value& value) const {
  if (is_python() || !IsModuleObject(value)) return {};
  Value whole = world_.View(value.module).Symbol({});
  const bool one = whole.kind == ValueKind::kFunction || whole.kind == ValueKind::kClass ||
                   (whole.kind == ValueKind::kInstance && whole.module != kNone);
  return one ? whole : Value();
}

Value ModuleView::OrWholeModule(Value value) const {
  Value whole = WholeModule(value);
  return whole.kind != ValueKind::kUnknown ? whole : value;
}

}  // namespace interlock::scan::code
