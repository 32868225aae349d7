// links: base core scan
// Any bytes as JavaScript and as TypeScript: lowering never crashes, is the same twice, and every id in the module
// points at something that exists.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../src/scan/code/ir.h"

namespace {

using namespace interlock::scan::code;

void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckModule(const Module& module) {
  const auto expr_ok = [&](ExprId id) { return id == kNone || id < module.exprs.size(); };
  Check(!module.functions.empty());
  for (const Expr& expr : module.exprs) {
    Check(expr_ok(expr.base) && expr.loc.begin <= expr.loc.end && expr.loc.end <= module.text.size());
    Check(std::size_t{expr.first_arg} + expr.arg_count <= module.args.size());
    if (expr.kind == ExprKind::kFunction) Check(expr.function < module.functions.size());
    if (expr.kind == ExprKind::kClass) Check(expr.function < module.classes.size());
    if (expr.kind == ExprKind::kBinary) Check(expr.arg_count == 2);
  }
  for (const Arg& arg : module.args) Check(arg.value < module.exprs.size());
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    Check(i == 0 ? function.parent == kNone : function.parent < i);
    for (const Stmt& stmt : function.body) Check(expr_ok(stmt.target) && expr_ok(stmt.value));
    for (const Param& param : function.params) Check(expr_ok(param.fallback));
    for (const ExprId decorator : function.decorators) Check(decorator < module.exprs.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  LowerLimits limits;
  limits.max_nodes = 200000;
  for (const bool typescript : {false, true}) {
    const Module module = LowerJavaScript(text, 0, typescript, !typescript, limits);
    CheckModule(module);
    const Module again = LowerJavaScript(text, 0, typescript, !typescript, limits);
    Check(again.exprs.size() == module.exprs.size() && again.functions.size() == module.functions.size());
  }
  return 0;
}
