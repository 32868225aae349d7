#include <algorithm>
#include <utility>

#include "code/python_lowering.h"

namespace interlock::scan::code {
namespace python {
namespace {

bool IsExpression(NodeKind kind) { return kind >= kFirstExpression && kind != kErrorNode; }

bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) && text.size() > word.size() &&
         (text[word.size()] == ' ' || text[word.size()] == '\t' || text[word.size()] == '\\' ||
          text[word.size()] == '\n');
}

std::string WithoutSpaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\\' && c != '\n' && c != '\r') out.push_back(c);
  }
  return out;
}

}  // namespace

Lowering::Lowering(std::string_view text, std::uint32_t file, const LowerLimits& limits)
    : TreeLowering(Language::kPython, Kinds(), {kComment, kLineContinuation}, text, file, limits) {}

Module Lowering::Run() && {
  if (tree_.nodes.empty()) return std::move(module_);
  NumberDefinitions();
  BuildExpressions();
  EmitStatements();
  return std::move(module_);
}

void Lowering::NumberDefinitions() {
  numbers_.assign(tree_.nodes.size(), kNone);
  scopes_.assign(1, Scope{.end = tree_.End(0)});
  for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
    while (scopes_.size() > 1 && node >= scopes_.back().end) scopes_.pop_back();
    switch (KindOf(node)) {
      case kComment:
        module_.comments.push_back({LocOf(node)});
        break;
      case kLambda:
      case kFunctionDef:
        DefineFunction(node, Scope(scopes_.back()));
        break;
      case kClassDef:
        DefineClass(node, Scope(scopes_.back()));
        break;
      case kBlock: {
        // The body of a definition is its own scope; its header belongs to the enclosing one.
        const NodeIndex parent = tree_.nodes[node].parent;
        const NodeKind kind = KindOf(parent);
        if (kind == kFunctionDef) {
          scopes_.push_back({.end = tree_.End(node), .function = numbers_[parent]});
        } else if (kind == kClassDef) {
          scopes_.push_back({.end = tree_.End(node), .function = scopes_.back().function, .owner = numbers_[parent]});
        }
        break;
      }
      default:
        if (FieldOf(node) == kFieldBody && KindOf(tree_.nodes[node].parent) == kLambda) {
          scopes_.push_back({.end = tree_.End(node), .function = numbers_[tree_.nodes[node].parent]});
        }
        break;
    }
  }
}

void Lowering::DefineFunction(NodeIndex node, const Scope& scope) {
  numbers_[node] = static_cast<FuncId>(module_.functions.size());
  Function function;
  function.loc = LocOf(node);
  function.parent = scope.function;
  if (KindOf(node) == kFunctionDef) {
    function.owner = scope.owner;
    function.is_async = StartsWithWord(TextOf(node), "async");
    if (const NodeIndex name = PartWith(node, kFieldName); name != kNone) {
      function.name = TextOf(name);
      function.name_loc = LocOf(name);
    }
    if (scope.owner != kNone) {
      module_.classes[scope.owner].methods.push_back(numbers_[node]);
      function.qualified = module_.classes[scope.owner].name;
    } else {
      function.qualified = module_.functions[scope.function].qualified;
      function.exported = scope.function == kModuleBody && !function.name.starts_with('_');
    }
    if (!function.qualified.empty()) function.qualified += '.';
    function.qualified += function.name;
  }
  module_.functions.push_back(std::move(function));
  // `lambda: lambda: x`: the inner one is the body.
  if (KindOf(node) == kLambda && FieldOf(node) == kFieldBody && KindOf(tree_.nodes[node].parent) == kLambda) {
    module_.functions.back().parent = numbers_[tree_.nodes[node].parent];
  }
}

void Lowering::DefineClass(NodeIndex node, const Scope& scope) {
  numbers_[node] = static_cast<ClassId>(module_.classes.size());
  Class made;
  made.loc = LocOf(node);
  made.parent = scope.function;
  if (const NodeIndex name = PartWith(node, kFieldName); name != kNone) made.name = TextOf(name);
  module_.classes.push_back(std::move(made));
}

void Lowering::Emit(FuncId function, StmtKind kind, NodeIndex node, ExprId target, ExprId value) {
  module_.functions[function].body.push_back(
      {.kind = kind, .loc = LocOf(node), .target = target, .value = value, .condition_depth = scopes_.back().depth});
}

// In a class body a plain name is an attribute of the class.
ExprId Lowering::ClassTarget(ExprId target) {
  const ClassId owner = scopes_.back().owner;
  if (owner == kNone || target == kNone || module_.exprs[target].kind != ExprKind::kName) return target;
  Expr base = module_.exprs[target];
  Expr member = base;
  base.text = module_.classes[owner].name;
  module_.exprs.push_back(base);
  member.kind = ExprKind::kMember;
  member.base = static_cast<ExprId>(module_.exprs.size() - 1);
  module_.exprs.push_back(member);
  return static_cast<ExprId>(module_.exprs.size() - 1);
}

void Lowering::Assign(NodeIndex node, ExprId target, ExprId value, Binds binds) {
  if (target == kNone) {
    if (value != kNone) Emit(Current(), StmtKind::kExpr, node, kNone, value);
    return;
  }
  Emit(Current(), StmtKind::kAssign, node, ClassTarget(target), value);
  module_.functions[Current()].body.back().binds = binds;
  if (module_.exprs[target].kind != ExprKind::kName) return;
  // A name that is declared global or nonlocal is a variable of the scope it names: said there too.
  const Scope& scope = scopes_.back();
  const std::string_view name = module_.exprs[target].text;
  const auto has = [name](const std::vector<std::string_view>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(scope.global) && scope.function != kModuleBody) Emit(kModuleBody, StmtKind::kAssign, node, target, value);
  const FuncId outer = module_.functions[scope.function].parent;
  if (has(scope.outer) && outer != kNone) Emit(outer, StmtKind::kAssign, node, target, value);
}

// Assignments that stand inside expressions, bodies of lambdas, yields: for the nodes from..to, in the order written.
void Lowering::EmitEffects(NodeIndex from, NodeIndex to, FuncId function) {
  struct Inside {
    NodeIndex end;
    FuncId outer;
    NodeIndex lambda;
  };
  std::vector<Inside> inside;
  const auto leave = [&] {
    const NodeIndex body = PartWith(inside.back().lambda, kFieldBody);
    if (body != kNone) Emit(function, StmtKind::kReturn, body, kNone, ExprOf(body));
    function = inside.back().outer;
    inside.pop_back();
  };
  for (NodeIndex node = from; node < to; ++node) {
    while (!inside.empty() && node >= inside.back().end) leave();
    switch (KindOf(node)) {
      case kLambda:
        if (const NodeIndex parameters = PartWith(node, kFieldParameters); parameters != kNone) {
          FillParams(parameters, &module_.functions[numbers_[node]]);
        }
        inside.push_back({tree_.End(node), function, node});
        function = numbers_[node];
        break;
      case kComprehension:
        EmitComprehension(node, function);
        break;
      case kNamed:
        Emit(function, StmtKind::kAssign, node, ExprOf(PartWith(node, kFieldName)), ExprOf(node));
        break;
      case kAsPattern:
        if (const ExprId alias = ExprOf(PartWith(node, kFieldAlias)); alias != kNone) {
          Emit(function, StmtKind::kAssign, node, alias, ExprOf(node));
          const NodeKind where = KindOf(tree_.nodes[node].parent);
          module_.functions[function].body.back().binds = where == kExcept     ? Binds::kCaught
                                                          : where == kWithItem ? Binds::kEntered
                                                                               : Binds::kValue;
        }
        break;
      case kYield: {
        const Expr& value = module_.exprs[ExprOf(node)];
        Emit(function, StmtKind::kYield, node, kNone,
             value.arg_count > 0 ? module_.args[value.first_arg].value : kNone);
        break;
      }
      default:
        break;
    }
  }
  while (!inside.empty()) leave();
}

void Lowering::EmitComprehension(NodeIndex node, FuncId function) {
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kIfClause) {
      Emit(function, StmtKind::kCondition, part, kNone, ExprOf(FirstPart(part)));
    } else if (KindOf(part) == kForIn) {
      Emit(function, StmtKind::kAssign, part, ExprOf(PartWith(part, kFieldLeft)), ExprOf(PartWith(part, kFieldRight)));
      // What is made of the name stands before it: [read(path) for path in paths].
      Loc& place = module_.functions[function].body.back().loc;
      place.begin = place.end = LocOf(node).begin;
    }
  }
}

void Lowering::FillParams(NodeIndex parameters, Function* function) {
  for (NodeIndex part = FirstPart(parameters); part != kNone; part = NextPart(part)) {
    Param param;
    param.loc = LocOf(part);
    NodeIndex name = part;
    switch (KindOf(part)) {
      case kDefaultParameter:
      case kTypedDefaultParameter:
        name = PartWith(part, kFieldName);
        param.fallback = ExprOf(PartWith(part, kFieldValue));
        param.annotation = ExprOf(PartWith(part, kFieldType));
        break;
      case kTypedParameter:
        name = FirstPart(part);
        param.annotation = ExprOf(PartWith(part, kFieldType));
        break;
      case kIdentifier:
      case kSplat:
      case kSequence:
        break;
      default:
        continue;
    }
    if (name != kNone && KindOf(name) == kSplat) {
      param.variadic = true;
      name = FirstPart(name);
    }
    if (name == kNone || KindOf(name) != kIdentifier) continue;
    param.name = TextOf(name);
    function->params.push_back(param);
  }
}

ExprId Lowering::Docstring(NodeIndex block) {
  if (block == kNone) return kNone;
  const NodeIndex first = FirstPart(block);
  if (first == kNone || KindOf(first) != kExpressionStatement) return kNone;
  const ExprId value = ExprOf(FirstPart(first));
  return value != kNone && module_.exprs[value].kind == ExprKind::kString ? value : kNone;
}

void Lowering::EmitStatements() {
  scopes_.assign(1, Scope{.end = tree_.End(0)});
  module_.functions[kModuleBody].docstring = Docstring(0);
  for (NodeIndex node = 1; node < tree_.nodes.size();) {
    while (scopes_.size() > 1 && node >= scopes_.back().end) scopes_.pop_back();
    node = EmitNode(node);
  }
}

void Lowering::EmitSimple(NodeIndex node, StmtKind kind) {
  EmitEffects(node + 1, tree_.End(node), Current());
  bool first = true;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (const ExprId value = ExprOf(part); value != kNone) {
      const bool deleted = kind == StmtKind::kDelete;
      Emit(Current(), first ? kind : StmtKind::kExpr, node, deleted ? value : kNone, deleted ? kNone : value);
      first = false;
    }
  }
  if (first && (kind == StmtKind::kReturn || kind == StmtKind::kRaise)) Emit(Current(), kind, node, kNone, kNone);
}

NodeIndex Lowering::EmitNode(NodeIndex node) {
  const NodeIndex past = tree_.End(node);
  // Header expressions of compound statements are said once, by the statement.
  const auto header = [&](NodeField field) {
    const NodeIndex part = PartWith(node, field);
    if (part == kNone) return kNone;
    EmitEffects(part, tree_.End(part), Current());
    return ExprOf(part);
  };
  switch (KindOf(node)) {
    case kImport:
      EmitImport(node);
      return past;
    case kImportFrom:
    case kFutureImport:
      EmitImportFrom(node);
      return past;
    case kExpressionStatement: {
      const NodeIndex part = FirstPart(node);
      if (part != kNone && (KindOf(part) == kAssignment || KindOf(part) == kAugmented)) return node + 1;
      EmitSimple(node, StmtKind::kExpr);
      return past;
    }
    case kAssignment:
      EmitAssignment(node);
      return past;
    case kAugmented:
      EmitAugmented(node);
      return past;
    case kTypeAlias:
      EmitAssignment(node);
      return past;
    case kReturn:
      EmitSimple(node, StmtKind::kReturn);
      return past;
    case kRaise:
      EmitSimple(node, StmtKind::kRaise);
      return past;
    case kDelete:
      EmitSimple(node, StmtKind::kDelete);
      return past;
    case kAssert:
      EmitSimple(node, StmtKind::kCondition);
      return past;
    case kPrint:
    case kExec: {
      EmitEffects(node + 1, past, Current());
      scratch_.clear();
      CollectArgs(node, &scratch_);
      const ExprId callee = New(ExprKind::kName, node, KindOf(node) == kPrint ? "print" : "exec");
      module_.exprs[callee].loc.end = module_.exprs[callee].loc.begin + (KindOf(node) == kPrint ? 5 : 4);
      Emit(Current(), StmtKind::kExpr, node, kNone, NewWithArgs(ExprKind::kCall, node, scratch_, {}, callee));
      return past;
    }
    case kGlobal:
    case kNonlocal:
      for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
        // Declared for the whole function, wherever the statement stands in it.
        for (std::size_t i = scopes_.size(); i-- > 1 && scopes_[i].function == Current();) {
          (KindOf(node) == kGlobal ? scopes_[i].global : scopes_[i].outer).push_back(TextOf(part));
        }
      }
      return past;
    case kIf:
    case kElif:
    case kWhile:
      Emit(Current(), StmtKind::kCondition, node, kNone, header(kFieldCondition));
      return node + 1;
    case kMatch:
      scopes_.push_back(scopes_.back());
      scopes_.back().end = past;
      scopes_.back().subject = header(kFieldSubject);
      Emit(Current(), StmtKind::kCondition, node, kNone, scopes_.back().subject);
      return node + 1;
    case kCase:
      EmitCase(node);
      return node + 1;
    case kFor: {
      const ExprId right = header(kFieldRight);
      Assign(node, header(kFieldLeft), right, Binds::kEach);
      return node + 1;
    }
    case kExcept:
      EmitExcept(node);
      return node + 1;
    case kWithItem: {
      EmitEffects(node + 1, past, Current());
      const NodeIndex value = PartWith(node, kFieldValue);
      if (value != kNone && KindOf(value) != kAsPattern && ExprOf(value) != kNone) {
        Emit(Current(), StmtKind::kExpr, node, kNone, ExprOf(value));
      }
      return past;
    }
    case kFunctionDef:
      EmitFunction(node);
      return node + 1;
    case kClassDef:
      EmitClass(node);
      return node + 1;
    case kDecorated:
      EmitDecorated(node);
      return node + 1;
    case kBlock: {
      const NodeIndex parent = tree_.nodes[node].parent;
      const NodeKind kind = KindOf(parent);
      if (kind == kFunctionDef) {
        scopes_.push_back({.end = past, .function = numbers_[parent]});
      } else if (kind == kClassDef) {
        Scope scope = scopes_.back();
        scope.end = past;
        scope.owner = numbers_[parent];
        scopes_.push_back(std::move(scope));
      } else {
        const NodeKind above = kind == kElse ? KindOf(tree_.nodes[parent].parent) : kind;
        if (above == kIf || above == kElif || above == kWhile || above == kExcept || above == kCase) {
          Scope scope = scopes_.back();
          scope.end = past;
          if (scope.depth < 0xFFFF) ++scope.depth;
          scopes_.push_back(std::move(scope));
        }
      }
      return node + 1;
    }
    case kWith:
    case kWithClause:
    case kTry:
    case kElse:
    case kFinally:
    case kErrorNode:
    case kModule:
      return node + 1;
    default:
      break;
  }
  if (!IsExpression(KindOf(node))) {
    // A piece that recovery left without its statement: what is below may still say something.
    return KindOf(tree_.nodes[node].parent) == kErrorNode ? node + 1 : past;
  }
  const NodeKind parent = KindOf(tree_.nodes[node].parent);
  if ((parent == kErrorNode || parent == kModule || parent == kBlock) && KindOf(node) != kIdentifier) {
    EmitEffects(node, past, Current());
    if (ExprOf(node) != kNone) Emit(Current(), StmtKind::kExpr, node, kNone, ExprOf(node));
  }
  return past;
}

void Lowering::AddImport(std::string_view local, std::string module, std::string symbol, NodeIndex node) {
  module_.imports.push_back({.local = local,
                             .module = std::move(module),
                             .symbol = std::move(symbol),
                             .scope = Current(),
                             .loc = LocOf(node)});
}

void Lowering::EmitImport(NodeIndex node) {
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kAliasedImport) {
      const NodeIndex name = PartWith(part, kFieldName);
      const NodeIndex alias = PartWith(part, kFieldAlias);
      if (name != kNone && alias != kNone) AddImport(TextOf(alias), WithoutSpaces(TextOf(name)), "", part);
    } else if (KindOf(part) == kDottedName) {
      const NodeIndex first = FirstPart(part);
      if (first == kNone) continue;
      std::string whole = WithoutSpaces(TextOf(part));
      const std::string_view top = TextOf(first);
      AddImport(top, std::string(top), "", part);
      if (whole != top) AddImport("", std::move(whole), "", part);
    }
  }
}

void Lowering::EmitImportFrom(NodeIndex node) {
  const NodeIndex from = PartWith(node, kFieldModule);
  const std::string module = from == kNone ? "__future__" : WithoutSpaces(TextOf(from));
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (part == from) continue;
    if (KindOf(part) == kWildcard) {
      AddImport("*", module, "*", part);
    } else if (KindOf(part) == kAliasedImport) {
      const NodeIndex name = PartWith(part, kFieldName);
      const NodeIndex alias = PartWith(part, kFieldAlias);
      if (name != kNone && alias != kNone) AddImport(TextOf(alias), module, WithoutSpaces(TextOf(name)), part);
    } else if (KindOf(part) == kDottedName) {
      AddImport(TextOf(part), module, WithoutSpaces(TextOf(part)), part);
    }
  }
}

void Lowering::EmitAssignment(NodeIndex node) {
  EmitEffects(node + 1, tree_.End(node), Current());
  // a = b = value comes as an assignment on the right.
  NodeIndex last = node;
  for (NodeIndex right = PartWith(last, kFieldRight); right != kNone && KindOf(right) == kAssignment;
       right = PartWith(last, kFieldRight)) {
    last = right;
  }
  const NodeIndex right = PartWith(last, kFieldRight);
  const ExprId value = ExprOf(right);
  if (value == kNone) {
    // An annotation alone binds nothing.
    if (const ExprId type = ExprOf(PartWith(last, kFieldType)); type != kNone) {
      Emit(Current(), StmtKind::kExpr, last, kNone, type);
      // class Report: state: dict, of which an object is made: a field that nothing is known of.
      const ExprId field = ExprOf(PartWith(last, kFieldLeft));
      if (field != kNone && module_.exprs[field].kind == ExprKind::kName) {
        if (const ExprId target = ClassTarget(field); target != field) {
          module_.classes[scopes_.back().owner].fields.push_back({module_.exprs[field].text, type});
          Emit(Current(), StmtKind::kAssign, last, target, kNone);
        }
      }
    }
    return;
  }
  for (NodeIndex at = node;; at = PartWith(at, kFieldRight)) {
    Assign(at, ExprOf(PartWith(at, kFieldLeft)), value);
    if (at == last) break;
  }
}

void Lowering::EmitAugmented(NodeIndex node) {
  EmitEffects(node + 1, tree_.End(node), Current());
  const NodeIndex left = PartWith(node, kFieldLeft);
  const NodeIndex right = PartWith(node, kFieldRight);
  if (left == kNone || right == kNone || ExprOf(right) == kNone) return;
  std::string_view op = OperatorBetween(left, right);
  if (op.ends_with('=')) op.remove_suffix(1);
  const Arg args[] = {{ExprOf(left)}, {ExprOf(right)}};
  const ExprId value =
      op == "+" ? NewWithArgs(ExprKind::kConcat, node, args) : NewWithArgs(ExprKind::kBinary, node, args, op);
  Assign(node, ExprOf(left), value);
}

void Lowering::EmitFunction(NodeIndex node) {
  Function& function = module_.functions[numbers_[node]];
  if (const NodeIndex parameters = PartWith(node, kFieldParameters); parameters != kNone) {
    FillParams(parameters, &function);
    EmitEffects(parameters, tree_.End(parameters), Current());
  }
  module_.functions[numbers_[node]].docstring = Docstring(PartWith(node, kFieldBody));
}

void Lowering::EmitClass(NodeIndex node) {
  Class& made = module_.classes[numbers_[node]];
  if (const NodeIndex bases = PartWith(node, kFieldSuperclasses); bases != kNone) {
    for (NodeIndex part = FirstPart(bases); part != kNone; part = NextPart(part)) {
      const ExprId base = KindOf(part) == kKeywordArgument ? ExprOf(PartWith(part, kFieldValue)) : ExprOf(part);
      if (base != kNone) made.bases.push_back(base);
    }
    EmitEffects(bases, tree_.End(bases), Current());
  }
  made.docstring = Docstring(PartWith(node, kFieldBody));
}

void Lowering::EmitDecorated(NodeIndex node) {
  std::vector<ExprId> decorators;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kDecorator) {
      EmitEffects(part, tree_.End(part), Current());
      const ExprId decorator = ExprOf(FirstPart(part));
      if (decorator != kNone) decorators.push_back(decorator);
    } else if (KindOf(part) == kFunctionDef) {
      Function& function = module_.functions[numbers_[part]];
      for (const ExprId decorator : decorators) function.is_static |= module_.exprs[decorator].text == "staticmethod";
      function.decorators = std::move(decorators);
      return;
    } else if (KindOf(part) == kClassDef) {
      module_.classes[numbers_[part]].decorators = std::move(decorators);
      return;
    }
  }
}

// `case P(x):` binds x to (a part of) the subject.
void Lowering::EmitCase(NodeIndex node) {
  const ExprId subject = scopes_.back().subject;
  const auto bind = [&](NodeIndex at, ExprId name) {
    if (name != kNone && subject != kNone && module_.exprs[name].kind == ExprKind::kName &&
        module_.exprs[name].text != "_") {
      Emit(Current(), StmtKind::kAssign, at, name, subject);
    }
  };
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kIfClause) {
      EmitEffects(part, tree_.End(part), Current());
      Emit(Current(), StmtKind::kCondition, part, kNone, ExprOf(FirstPart(part)));
      continue;
    }
    if (KindOf(part) != kCasePattern) continue;
    const NodeIndex end = tree_.End(part);
    for (NodeIndex below = part; below < end; ++below) {
      const NodeKind parent = KindOf(tree_.nodes[below].parent);
      if (KindOf(below) == kDottedName && parent == kCasePattern) bind(below, ExprOf(below));
      if (KindOf(below) == kIdentifier && (parent == kAsPattern || parent == kSplat)) bind(below, ExprOf(below));
    }
  }
}

void Lowering::EmitExcept(NodeIndex node) {
  ExprId value = kNone;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kBlock) break;
    EmitEffects(part, tree_.End(part), Current());
    if (FieldOf(part) == kFieldValue) value = ExprOf(part);
    if (FieldOf(part) != kFieldAlias) continue;
    Assign(part, ExprOf(part), value, Binds::kCaught);
  }
}

}  // namespace python

Module LowerPython(std::string_view text, std::uint32_t file, const LowerLimits& limits) {
  return python::Lowering(text, file, limits).Run();
}

}  // namespace interlock::scan::code
