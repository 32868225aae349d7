// JavaScript's and TypeScript's lowering in three passes over the flat tree: functions and classes are numbered
// (forward), expressions are built (backward, children first), statements are emitted (forward). None recurses. Part of
// javascript.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "code/ir.h"
#include "code/javascript_nodes.h"
#include "code/tree_lowering.h"

namespace interlock::scan::code::javascript {

class Lowering : private TreeLowering {
 public:
  Lowering(std::string_view text, std::uint32_t file, bool typescript, bool tags, const LowerLimits& limits);
  Module Run() &&;

 private:
  struct Scope {
    NodeIndex end = 0;
    FuncId function = kModuleBody;
    ClassId owner = kNone;
    std::uint16_t depth = 0;
  };

  // javascript.cc
  void NumberDefinitions();
  void DefineFunction(NodeIndex node, const Scope& scope);
  void DefineClass(NodeIndex node, const Scope& scope);
  void EmitStatements();
  void EmitNode(NodeIndex node);
  void EnterFunction(NodeIndex node);
  void EmitElement(NodeIndex node, const Function& function);
  void EnterClass(NodeIndex node);
  void AddParam(Function* function, NodeIndex part);
  void EmitImport(NodeIndex node);
  void EmitExport(NodeIndex node);
  void EmitExported(NodeIndex node, std::string_view name, ExprId value);
  void EmitDeclarator(NodeIndex node);
  void EmitDefaults(FuncId function, NodeIndex pattern, NodeIndex at);
  void EmitCatch(NodeIndex node);
  bool ImportOf(NodeIndex target, NodeIndex value);
  void EmitEffects(NodeIndex from, NodeIndex to);
  void EmitValue(StmtKind kind, NodeIndex node, NodeIndex value);
  void Emit(FuncId function, StmtKind kind, NodeIndex node, ExprId target, ExprId value);
  void AddImport(std::string_view local, std::string_view module, std::string_view symbol, NodeIndex node);
  void MarkExports();
  void ExportValue(ExprId value);
  // The name that a function or class expression is assigned to, where that is plain; `shown` where it is not.
  std::string_view NameFor(NodeIndex node, std::string_view* shown, NodeIndex* at) const;
  [[nodiscard]] FuncId Current() const { return scopes_.back().function; }

  // javascript_expressions.cc
  void BuildExpressions();
  void Build(NodeIndex node);
  ExprId BuildCall(NodeIndex node);
  ExprId BuildBinary(NodeIndex node);
  ExprId BuildUnary(NodeIndex node);
  [[nodiscard]] bool IsRawTemplate(NodeIndex node) const;
  ExprId BuildTemplate(NodeIndex node);
  ExprId BuildObject(NodeIndex node);
  ExprId BuildObjectPattern(NodeIndex node);
  ExprId BuildJsx(NodeIndex node);
  std::string_view StringText(NodeIndex node);
  std::string_view KeyOf(NodeIndex key);
  [[nodiscard]] std::string_view OperatorBetween(NodeIndex left, NodeIndex right) const;

  // Parentheses, `as T` and `!` undone.
  [[nodiscard]] NodeIndex Plain(NodeIndex node) const {
    for (int i = 0; i < 32 && node != kNone && KindOf(node) == kPassThrough; ++i) node = FirstPart(node);
    return node;
  }
  [[nodiscard]] static bool IsFunction(NodeKind kind) {
    return kind == kFunctionDeclaration || kind == kFunctionExpression || kind == kArrow || kind == kMethod;
  }
  [[nodiscard]] static bool IsClass(NodeKind kind) { return kind == kClassDeclaration || kind == kClassExpression; }

  std::optional<bool> minified_;  // once asked
  std::vector<Scope> scopes_;
  std::unordered_set<std::string_view> exported_;
  std::vector<NodeIndex> decorators_;  // seen in a class body, for the method that follows
};

// The literal's value: escapes undone. `body` without its quotes.
void AppendUnescaped(std::string_view body, std::string* out);

}  // namespace interlock::scan::code::javascript
