// links: base core scan
// A Python file of an unknown author: it lowers to something whose every id points inside the module, the same twice,
// and all of a prefix of it does so too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../src/scan/code/ir.h"

using interlock::scan::code::Arg;
using interlock::scan::code::Class;
using interlock::scan::code::Dump;
using interlock::scan::code::Expr;
using interlock::scan::code::ExprId;
using interlock::scan::code::ExprKind;
using interlock::scan::code::FuncId;
using interlock::scan::code::Function;
using interlock::scan::code::kNone;
using interlock::scan::code::LowerLimits;
using interlock::scan::code::LowerPython;
using interlock::scan::code::Module;
using interlock::scan::code::Param;
using interlock::scan::code::Stmt;

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireSound(const Module& module) {
  const auto known = [&](ExprId id) { return id == kNone || id < module.exprs.size(); };
  Require(!module.functions.empty());
  Require(module.error_bytes <= module.text.size());
  for (const Expr& expr : module.exprs) {
    Require(known(expr.base));
    Require(expr.loc.begin <= expr.loc.end && expr.loc.end <= module.text.size());
    Require(std::size_t{expr.first_arg} + expr.arg_count <= module.args.size());
    if (expr.kind == ExprKind::kFunction) Require(expr.function < module.functions.size());
  }
  for (const Arg& arg : module.args) Require(known(arg.value));
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16'384) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Module module = LowerPython(text, 0);
  RequireSound(module);
  Require(Dump(module) == Dump(LowerPython(text, 0)));
  // Tight budgets stop it, they do not break it.
  RequireSound(
      LowerPython(text, 0, LowerLimits{.max_bytes = 512, .max_nodes = 300, .max_depth = 12, .max_parse_ops = 2}));
  return 0;
}
