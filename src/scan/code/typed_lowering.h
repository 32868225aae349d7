// Go and Rust: languages of declarations, blocks and static types. Their grammars give the same things different names;
// a table for each (go.cc, rust.cc) brings them to one set of kinds, and one lowering in three passes over the flat
// tree does the rest: functions and types are numbered (forward), expressions are built (backward, children first),
// statements are emitted (forward). None recurses.
//
// What becomes of things that Python and JavaScript do not have: a method's receiver is `this`; `a, err := f()` gives
// each name the answer; a pointer, a reference, `?` and a conversion are what they are of; a literal of a type of
// another package is a call of that type with the fields as options, one of an own type is the fields; the last
// expression of a Rust function is what it returns; main and init are called by the module's body. What Rust compiles
// for tests alone is left out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/ir.h"
#include "code/tree_lowering.h"

namespace interlock::scan::code::typed {

enum Kind : NodeKind {
  kOther = kOtherNode,
  kComment,
  // Definitions
  kFunctionDef,
  kMethodDef,  // with a receiver
  kClosure,
  kTypeDef,
  kFieldDeclaration,
  kImpl,
  kModule,  // mod x; mod x { ... }
  kReceiver,
  kParameters,
  kParameter,
  kVariadicParameter,
  kSelfParameter,
  kAttribute,
  kImport,
  // Statements
  kExpressionStatement,  // go, defer too
  kReturn,
  kAssign,
  kAugmented,
  kDeclare,
  kSend,
  kFor,
  kBranch,  // a case
  // Parts
  kArguments,
  kFields,  // {a: b}, {a, b}
  kField,
  kElement,
  kTokens,
  kMatchBlock,
  kPattern,
  kFieldName,  // no expression by itself
  // Expressions
  kFirstExpression,
  kIdentifier = kFirstExpression,
  kSelf,
  kString,
  kRawString,
  kNumber,
  kConstant,
  kMember,
  kIndex,
  kSlice,
  kCall,
  kMacro,
  kBinary,
  kUnary,
  kPassThrough,
  kConversion,  // the type first
  kComposite,
  kContainerType,  // of a literal: a map, a list
  kSequence,
  kExpressionList,
  kAwait,
  kBlock,
  kIf,
  kElse,
  kMatch,
  kLoop,
};

enum Field : NodeField {
  kNoField = kOtherField,
  kName,
  kValue,
  kLeft,
  kRight,
  kCondition,
  kBody,
  kParams,
  kOwner,
  kType,
  kFunction,
  kGiven,
  kOperand,
  kKey,
  kPath,
  kTarget,
  kStart,
  kStop,
  kOperator,
};

class Lowering : private TreeLowering {
 public:
  // `parsed`: what the grammar is given in place of `text`, of the same size.
  Lowering(Language language, const NodeKinds& kinds, std::string_view text, std::string_view parsed,
           std::uint32_t file, const LowerLimits& limits);
  Module Run() &&;

 private:
  struct Scope {
    NodeIndex node = 0;
    FuncId function = kModuleBody;
    ClassId owner = kNone;
    std::uint16_t depth = 0;
  };

  [[nodiscard]] bool IsRust() const { return module_.language == Language::kRust; }
  [[nodiscard]] FuncId Current() const { return scopes_.back().function; }

  // typed_lowering.cc
  void NumberDefinitions();
  void DefineFunction(NodeIndex node, const Scope& scope);
  ClassId ClassNamed(std::string_view name, NodeIndex node);
  void EmitStatements();
  void Enter(NodeIndex node);
  void Leave(NodeIndex node);
  void EmitReturn(NodeIndex node);
  void NoteField(NodeIndex node);
  void EmitFunction(NodeIndex node);
  void FillParams(NodeIndex parameters, Function* function);
  void FillDecorators(NodeIndex node, Function* function);
  void NoteAttribute(NodeIndex node);
  void EmitAssign(NodeIndex node, NodeIndex targets, NodeIndex values);
  void AssignTo(NodeIndex node, NodeIndex target, ExprId value);
  void EmitOutParam(NodeIndex node);
  void EmitImport(NodeIndex node);
  void CallMain();
  void Emit(StmtKind kind, NodeIndex node, ExprId target, ExprId value);
  void Emit(FuncId function, StmtKind kind, NodeIndex node, ExprId target, ExprId value);
  void AddImport(std::string_view local, std::string module, std::string symbol, NodeIndex node);
  void AddUses(std::string_view text, std::string prefix, NodeIndex node);

  // typed_expressions.cc
  void BuildExpressions();
  void Build(NodeIndex node);
  ExprId BuildName(NodeIndex node);
  ExprId BuildString(NodeIndex node);
  ExprId BuildMember(NodeIndex node);
  ExprId BuildCall(NodeIndex node);
  ExprId BuildMethod(NodeIndex node, ExprId callee);
  [[nodiscard]] bool IsCommand(ExprId callee) const;
  ExprId StartedWith(NodeIndex node, ExprId chain);
  ExprId BuildBinary(NodeIndex node);
  ExprId BuildUnary(NodeIndex node);
  ExprId BuildComposite(NodeIndex node);
  ExprId BuildFields(NodeIndex node);
  ExprId BuildFormat(NodeIndex node, std::span<const Arg> args, char sign);
  ExprId ObjectOf(ExprId pairs, NodeIndex node, int depth);
  ExprId UnknownOf(NodeIndex node, std::string_view text = {});
  [[nodiscard]] ExprId FirstExpr(NodeIndex node) const;
  [[nodiscard]] ExprId TailOf(NodeIndex block) const;
  [[nodiscard]] std::string_view KeyOf(NodeIndex field) const;
  [[nodiscard]] std::string_view OperatorOf(NodeIndex node) const;

  [[nodiscard]] bool IsTest(NodeIndex node) const;

  std::vector<Scope> scopes_;
  std::vector<NodeIndex> attributes_;                   // that stand in front of what comes next
  std::vector<std::pair<NodeIndex, NodeIndex>> tests_;  // nodes of tests among the code, which no build contains
  std::vector<NodeIndex> open_;                         // nodes that are being walked through
  std::unordered_map<std::string_view, ClassId> classes_;
  std::unordered_map<std::string_view, ExprId> commands_;  // of Rust: what a variable starts, as far as it is told
};

// What a literal's inside says, escapes undone.
[[nodiscard]] std::string Unescaped(std::string_view body);

}  // namespace interlock::scan::code::typed
