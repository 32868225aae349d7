#include "code/ir.h"

#include <fmt/format.h>

#include <iterator>

namespace interlock::scan::code {
namespace {

constexpr int kMaxDumpDepth = 64;

class Dumper {
 public:
  explicit Dumper(const Module& module) : module_(module) {}

  std::string Run() {
    for (const Import& import : module_.imports) {
      Line("import {} = {} {} in {}", Name(import.local), import.module, import.symbol.empty() ? "-" : import.symbol,
           import.scope);
    }
    for (std::size_t i = 0; i < module_.classes.size(); ++i) DumpClass(i);
    for (std::size_t i = 0; i < module_.functions.size(); ++i) DumpFunction(i);
    if (!module_.comments.empty()) Line("comments {}", module_.comments.size());
    if (module_.error_bytes > 0) Line("errors {}", module_.error_bytes);
    if (!module_.complete) Line("stopped {}", module_.stop);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  static std::string_view Name(std::string_view name) { return name.empty() ? "-" : name; }

  void DumpClass(std::size_t id) {
    const Class& made = module_.classes[id];
    out_ += fmt::format("class {} {} in {}", id, Name(made.name), made.parent);
    for (const ExprId base : made.bases) Part(" base ", base);
    for (const ExprId decorator : made.decorators) Part(" @", decorator);
    if (!made.methods.empty()) out_ += fmt::format(" methods {}", fmt::join(made.methods, ","));
    if (made.docstring != kNone) Part(" doc ", made.docstring);
    out_ += '\n';
  }

  void DumpFunction(std::size_t id) {
    const Function& function = module_.functions[id];
    out_ += fmt::format("function {} {}", id, Name(function.qualified));
    if (function.parent != kNone) out_ += fmt::format(" in {}", function.parent);
    if (function.is_async) out_ += " async";
    if (function.is_static) out_ += " static";
    if (function.exported) out_ += " exported";
    for (const ExprId decorator : function.decorators) Part(" @", decorator);
    out_ += '\n';
    for (const Param& param : function.params) {
      out_ += fmt::format("  param {}{}", param.variadic ? "*" : "", param.name);
      if (param.annotation != kNone) Part(" : ", param.annotation);
      if (param.fallback != kNone) Part(" = ", param.fallback);
      out_ += '\n';
    }
    if (function.docstring != kNone) {
      Part("  doc ", function.docstring);
      out_ += '\n';
    }
    for (const Stmt& stmt : function.body) DumpStmt(stmt);
  }

  void DumpStmt(const Stmt& stmt) {
    constexpr std::string_view kNames[] = {"expr", "assign", "return", "yield", "raise", "if", "delete"};
    out_ += "  ";
    out_.append(stmt.condition_depth, '|');
    out_ += kNames[static_cast<std::size_t>(stmt.kind)];
    if (stmt.target != kNone) Part(" ", stmt.target);
    if (stmt.target != kNone && stmt.value != kNone) out_ += " =";
    if (stmt.value != kNone) Part(" ", stmt.value);
    out_ += '\n';
  }

  void Part(std::string_view before, ExprId expr) {
    out_ += before;
    DumpExpr(expr, 0);
  }

  void Quote(std::string_view text) {
    out_ += '\'';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\'' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (byte < 0x20 || byte >= 0x7F) {
        out_ += fmt::format("\\x{:02x}", byte);
      } else {
        out_ += c;
      }
    }
    out_ += '\'';
  }

  void DumpArgs(const Expr& expr, std::string_view open, std::string_view close, int depth) {
    out_ += open;
    bool first = true;
    for (const Arg& arg : module_.ArgsOf(expr)) {
      if (!first) out_ += ", ";
      first = false;
      if (!arg.name.empty()) {
        out_ += arg.name;
        out_ += '=';
      }
      DumpExpr(arg.value, depth + 1);
    }
    out_ += close;
  }

  void DumpExpr(ExprId id, int depth) {
    if (id == kNone) {
      out_ += '-';
      return;
    }
    if (depth > kMaxDumpDepth) {
      out_ += "...";
      return;
    }
    const Expr& expr = module_.exprs[id];
    switch (expr.kind) {
      case ExprKind::kString:
        return Quote(expr.text);
      case ExprKind::kNumber:
      case ExprKind::kConstant:
      case ExprKind::kName:
        out_ += expr.text;
        return;
      case ExprKind::kMember:
        DumpExpr(expr.base, depth + 1);
        out_ += '.';
        out_ += expr.text;
        return;
      case ExprKind::kIndex:
        DumpExpr(expr.base, depth + 1);
        return DumpArgs(expr, "[", "]", depth);
      case ExprKind::kSlice:
        DumpExpr(expr.base, depth + 1);
        return DumpArgs(expr, "[slice ", "]", depth);
      case ExprKind::kCall:
        if (expr.is_new) out_ += "new ";
        DumpExpr(expr.base, depth + 1);
        return DumpArgs(expr, "(", ")", depth);
      case ExprKind::kConcat:
        return DumpArgs(expr, "concat(", ")", depth);
      case ExprKind::kBinary:
        out_ += "op";
        Quote(expr.text);
        return DumpArgs(expr, "(", ")", depth);
      case ExprKind::kFormat:
        return DumpArgs(expr, "format(", ")", depth);
      case ExprKind::kList:
        return DumpArgs(expr, "[", "]", depth);
      case ExprKind::kDict:
        return DumpArgs(expr, "{", "}", depth);
      case ExprKind::kComprehension:
        return DumpArgs(expr, "comprehension(", ")", depth);
      case ExprKind::kFunction:
        out_ += fmt::format("function#{}", expr.function);
        return;
      case ExprKind::kClass:
        out_ += fmt::format("class#{}", expr.function);
        return;
      case ExprKind::kSpread:
        return DumpArgs(expr, "spread(", ")", depth);
      case ExprKind::kChoice:
        return DumpArgs(expr, "choice(", ")", depth);
      case ExprKind::kAwait:
        return DumpArgs(expr, "await(", ")", depth);
      case ExprKind::kUnknown:
        return DumpArgs(expr, "?(", ")", depth);
    }
  }

  const Module& module_;
  std::string out_;
};

}  // namespace

std::string ExportedName(std::string_view name) { return "export " + std::string(name); }

std::string Dump(const Module& module) { return Dumper(module).Run(); }

ExprPlaces PlacesOf(const Module& module) {
  ExprPlaces places;
  places.scope.assign(module.exprs.size(), kNone);
  std::vector<ExprId> open;
  const auto walk = [&](ExprId from, FuncId scope) {
    open.assign(1, from);
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (id >= module.exprs.size() || places.scope[id] != kNone) continue;
      places.scope[id] = scope;
      const Expr& expr = module.exprs[id];
      if (expr.kind == ExprKind::kCall) places.calls.push_back(id);
      if (expr.kind == ExprKind::kDict) places.dicts.push_back(id);
      const auto args = module.ArgsOf(expr);
      for (std::size_t i = args.size(); i-- > 0;) open.push_back(args[i].value);
      if (expr.base != kNone) open.push_back(expr.base);
    }
  };
  for (FuncId id = 0; id < module.functions.size(); ++id) {
    for (const Stmt& stmt : module.functions[id].body) {
      walk(stmt.value, id);
      walk(stmt.target, id);
    }
    for (const ExprId decorator : module.functions[id].decorators) {
      walk(decorator, module.functions[id].parent == kNone ? kModuleBody : module.functions[id].parent);
    }
  }
  return places;
}

}  // namespace interlock::scan::code
