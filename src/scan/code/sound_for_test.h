// What every lowered module keeps to, whatever the text; and files of test data. For the tests of the front ends.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "code/ir.h"

namespace interlock::scan::code {

inline std::string ReadTestFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Every id points at something that exists.
inline void ExpectSound(const Module& module) {
  const auto expr_ok = [&](ExprId id) { return id == kNone || id < module.exprs.size(); };
  // Bounds of a slice may be missing, which JavaScript does not have.
  const bool script = module.language == Language::kJavaScript || module.language == Language::kTypeScript;
  ASSERT_FALSE(module.functions.empty());
  for (const Expr& expr : module.exprs) {
    ASSERT_TRUE(expr_ok(expr.base));
    ASSERT_LE(expr.loc.end, module.text.size());
    ASSERT_LE(std::size_t{expr.first_arg} + expr.arg_count, module.args.size());
    if (expr.kind == ExprKind::kFunction) {
      ASSERT_LT(expr.function, module.functions.size());
    }
    if (expr.kind == ExprKind::kClass) {
      ASSERT_LT(expr.function, module.classes.size());
    }
    if (expr.kind == ExprKind::kBinary && module.language != Language::kPython) {
      ASSERT_EQ(expr.arg_count, 2U);
    }
  }
  for (const Arg& arg : module.args) ASSERT_TRUE(script ? arg.value < module.exprs.size() : expr_ok(arg.value));
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    ASSERT_TRUE(i == 0 ? function.parent == kNone : function.parent < i);
    ASSERT_TRUE(function.owner == kNone || function.owner < module.classes.size());
    for (const Stmt& stmt : function.body) ASSERT_TRUE(expr_ok(stmt.target) && expr_ok(stmt.value));
    for (const Param& param : function.params) ASSERT_TRUE(expr_ok(param.fallback) && expr_ok(param.annotation));
    for (const ExprId decorator : function.decorators) ASSERT_TRUE(expr_ok(decorator));
  }
  for (const Class& made : module.classes) {
    for (const FuncId method : made.methods) ASSERT_LT(method, module.functions.size());
  }
}

}  // namespace interlock::scan::code
