// What every lowered module keeps to, whatever the text: each id points inside the module. For the fuzz targets of the
// front ends.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "../src/scan/code/ir.h"

namespace interlock::scan::code {

inline void Require(bool holds) {
  if (!holds) std::abort();
}

inline void RequireSound(const Module& module) {
  const auto known = [&](ExprId id) { return id == kNone || id < module.exprs.size(); };
  Require(!module.functions.empty());
  Require(module.error_bytes <= module.text.size());
  for (const Expr& expr : module.exprs) {
    Require(known(expr.base));
    Require(expr.loc.begin <= expr.loc.end && expr.loc.end <= module.text.size());
    Require(std::size_t{expr.first_arg} + expr.arg_count <= module.args.size());
    if (expr.kind == ExprKind::kFunction) Require(expr.function < module.functions.size());
    if (expr.kind == ExprKind::kClass) Require(expr.function < module.classes.size());
    if (expr.kind == ExprKind::kBinary && module.language != Language::kPython) Require(expr.arg_count == 2);
  }
  // Bounds of a slice may be missing, which JavaScript does not have.
  const bool script = module.language == Language::kJavaScript || module.language == Language::kTypeScript;
  for (const Arg& arg : module.args) Require(script ? arg.value < module.exprs.size() : known(arg.value));
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    Require(i == 0 ? function.parent == kNone : function.parent < i);
    Require(function.owner == kNone || function.owner < module.classes.size());
    for (const Stmt& stmt : function.body) Require(known(stmt.target) && known(stmt.value));
    for (const Param& param : function.params) Require(known(param.fallback) && known(param.annotation));
    for (const ExprId decorator : function.decorators) Require(known(decorator));
  }
  for (const Class& made : module.classes) {
    for (const FuncId method : made.methods) Require(method < module.functions.size());
  }
}

}  // namespace interlock::scan::code
