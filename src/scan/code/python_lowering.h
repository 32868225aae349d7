// Python's lowering in three passes over the flat tree: functions and classes are numbered (forward), expressions are
// built (backward, children first), statements are emitted (forward). None recurses. Part of python.cc.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/ir.h"
#include "code/python_nodes.h"
#include "code/tree_lowering.h"

namespace interlock::scan::code::python {

class Lowering : private TreeLowering {
 public:
  Lowering(std::string_view text, std::uint32_t file, const LowerLimits& limits);
  Module Run() &&;

 private:
  struct Scope {
    NodeIndex end = 0;
    FuncId function = kModuleBody;
    ClassId owner = kNone;  // class whose body this is, directly
    std::uint16_t depth = 0;
    ExprId subject = kNone;  // of the match statement
    std::vector<std::string_view> global = {};
    std::vector<std::string_view> outer = {};  // nonlocal
  };

  // python.cc
  void NumberDefinitions();
  void DefineFunction(NodeIndex node, const Scope& scope);
  void DefineClass(NodeIndex node, const Scope& scope);
  void EmitStatements();
  NodeIndex EmitNode(NodeIndex node);  // the node to go on with
  void EmitImport(NodeIndex node);
  void EmitImportFrom(NodeIndex node);
  void EmitAssignment(NodeIndex node);
  void EmitAugmented(NodeIndex node);
  void EmitFunction(NodeIndex node);
  void EmitClass(NodeIndex node);
  void EmitDecorated(NodeIndex node);
  void EmitCase(NodeIndex node);
  void EmitExcept(NodeIndex node);
  void EmitSimple(NodeIndex node, StmtKind kind);
  void EmitEffects(NodeIndex from, NodeIndex to, FuncId function);
  void EmitComprehension(NodeIndex node, FuncId function);
  void FillParams(NodeIndex parameters, Function* function);
  void Emit(FuncId function, StmtKind kind, NodeIndex node, ExprId target, ExprId value);
  void Assign(NodeIndex node, ExprId target, ExprId value, Binds binds = Binds::kValue);
  ExprId ClassTarget(ExprId target);
  ExprId Docstring(NodeIndex block);
  void AddImport(std::string_view local, std::string module, std::string symbol, NodeIndex node);
  [[nodiscard]] FuncId Current() const { return scopes_.back().function; }

  // python_expressions.cc
  void BuildExpressions();
  void Build(NodeIndex node);
  ExprId BuildString(NodeIndex node, bool* plain);
  ExprId BuildConcatenatedString(NodeIndex node);
  ExprId BuildSubscript(NodeIndex node);
  ExprId BuildCall(NodeIndex node);
  ExprId BuildBinary(NodeIndex node);
  ExprId BuildUnary(NodeIndex node);
  ExprId BuildDictionary(NodeIndex node);
  ExprId BuildComprehension(NodeIndex node);
  ExprId BuildDotted(NodeIndex node);
  void AppendPieces(NodeIndex string, std::vector<Arg>* pieces);
  [[nodiscard]] std::string_view OperatorBetween(NodeIndex left, NodeIndex right) const;
  [[nodiscard]] std::string_view KeyText(ExprId key) const;

  std::vector<Scope> scopes_;
};

}  // namespace interlock::scan::code::python
