#include <algorithm>
#include <utility>

#include "code/javascript_lowering.h"

namespace interlock::scan::code {
namespace javascript {
namespace {

std::string_view Unquoted(std::string_view text) {
  return text.size() >= 2 ? text.substr(1, text.size() - 2) : std::string_view();
}

bool HasWord(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  const char after = at + word.size() < text.size() ? text[at + word.size()] : ' ';
  return !(after >= 'a' && after <= 'z') && after != '_' && after != '$';
}

}  // namespace

Lowering::Lowering(std::string_view text, std::uint32_t file, bool typescript, bool tags, const LowerLimits& limits)
    : TreeLowering(typescript ? Language::kTypeScript : Language::kJavaScript, Kinds(typescript, tags),
                   {kComment, kComment}, text, file, limits) {}

Module Lowering::Run() && {
  if (tree_.nodes.empty()) return std::move(module_);
  NumberDefinitions();
  BuildExpressions();
  EmitStatements();
  MarkExports();
  return std::move(module_);
}

void Lowering::NumberDefinitions() {
  numbers_.assign(tree_.nodes.size(), kNone);
  scopes_.assign(1, Scope{.end = tree_.End(0)});
  for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
    while (scopes_.size() > 1 && node >= scopes_.back().end) scopes_.pop_back();
    const NodeKind kind = KindOf(node);
    if (kind == kComment) {
      module_.comments.push_back({LocOf(node)});
    } else if (IsFunction(kind)) {
      DefineFunction(node, Scope(scopes_.back()));
      scopes_.push_back({.end = tree_.End(node), .function = numbers_[node]});
    } else if (IsClass(kind)) {
      DefineClass(node, Scope(scopes_.back()));
    } else if (kind == kClassBody) {
      const NodeIndex parent = ParentOf(node);
      scopes_.push_back({.end = tree_.End(node),
                         .function = scopes_.back().function,
                         .owner = IsClass(KindOf(parent)) ? numbers_[parent] : kNone});
    }
  }
}

std::string_view Lowering::NameFor(NodeIndex node, std::string_view* shown, NodeIndex* at) const {
  const NodeIndex parent = ParentOf(node);
  const auto named = [&](NodeIndex name) {
    *at = name;
    return TextOf(name);
  };
  switch (KindOf(parent)) {
    case kDeclarator:
      if (const NodeIndex name = PartWith(parent, kFieldName);
          FieldOf(node) == kFieldValue && name != kNone && KindOf(name) == kIdentifier) {
        return named(name);
      }
      break;
    case kAssignment:
      if (const NodeIndex left = PartWith(parent, kFieldLeft); FieldOf(node) == kFieldRight && left != kNone) {
        if (KindOf(left) == kIdentifier) return named(left);
        if (const NodeIndex property = PartWith(left, kFieldProperty); KindOf(left) == kMember && property != kNone) {
          *shown = named(property);
        }
      }
      break;
    case kPair:
      if (const NodeIndex key = PartWith(parent, kFieldKey); key != kNone) {
        *shown = KindOf(key) == kPropertyName ? named(key) : KindOf(key) == kString ? Unquoted(named(key)) : "";
      }
      break;
    case kField:
      if (const NodeIndex name = FirstPart(parent); FieldOf(node) == kFieldValue && name != kNone) {
        const NodeIndex property = PartWith(parent, kFieldProperty);
        const NodeIndex own = property != kNone ? property : PartWith(parent, kFieldName);
        if (own != kNone && KindOf(own) == kPropertyName) return named(own);
      }
      break;
    default:
      break;
  }
  return {};
}

void Lowering::DefineFunction(NodeIndex node, const Scope& scope) {
  numbers_[node] = static_cast<FuncId>(module_.functions.size());
  Function function;
  function.loc = LocOf(node);
  function.parent = scope.function;
  std::string_view shown;
  const NodeKind kind = KindOf(node);
  NodeIndex name = PartWith(node, kFieldName);
  if (kind == kFunctionDeclaration) {
    if (name != kNone) function.name = TextOf(name);
  } else if (kind == kMethod) {
    if (name != kNone) {
      const std::string_view text = KindOf(name) == kString ? Unquoted(TextOf(name)) : TextOf(name);
      if (KindOf(name) == kPropertyName || KindOf(name) == kString) shown = text;
    }
    if (scope.owner != kNone && KindOf(ParentOf(node)) == kClassBody) {
      function.owner = scope.owner;
      function.name = std::exchange(shown, {});
    }
  } else {
    NodeIndex at = kNone;
    function.name = NameFor(node, &shown, &at);
    if (function.name.empty() && shown.empty() && name != kNone) shown = TextOf(name);
    if (at != kNone) name = at;
    if (KindOf(ParentOf(node)) == kField && scope.owner != kNone) function.owner = scope.owner;
  }
  if (name != kNone) function.name_loc = LocOf(name);
  // What stands before the name or the parameters: async, static.
  std::uint32_t head_end = tree_.nodes[node].begin + 64;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kDecorator) continue;
    head_end = tree_.nodes[part].begin;
    break;
  }
  head_end = std::min(head_end, tree_.nodes[node].end);
  const std::string_view head = module_.text.substr(tree_.nodes[node].begin, head_end - tree_.nodes[node].begin);
  function.is_async = HasWord(head, "async");
  function.is_static = kind == kMethod && HasWord(head, "static");
  if (function.owner != kNone) {
    module_.classes[function.owner].methods.push_back(numbers_[node]);
    function.qualified = module_.classes[function.owner].name;
  } else {
    function.qualified = module_.functions[scope.function].qualified;
  }
  const std::string_view last = function.name.empty() ? shown : function.name;
  // Chains of nested functions would make names of quadratic size.
  if (!last.empty() && function.qualified.size() < 512) {
    if (!function.qualified.empty()) function.qualified += '.';
    function.qualified += last;
  }
  function.exported = KindOf(ParentOf(node)) == kExportStatement;
  module_.functions.push_back(std::move(function));
}

void Lowering::DefineClass(NodeIndex node, const Scope& scope) {
  numbers_[node] = static_cast<ClassId>(module_.classes.size());
  Class made;
  made.loc = LocOf(node);
  made.parent = scope.function;
  if (KindOf(node) == kClassExpression) {
    std::string_view shown;
    NodeIndex at = kNone;
    made.name = NameFor(node, &shown, &at);
  }
  if (made.name.empty()) {
    // TypeScript's grammar has no kind of its own for the name: the text before the body or the heritage.
    std::uint32_t to = tree_.nodes[node].end;
    for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
      if (FieldOf(part) == kFieldName) {
        made.name = TextOf(part);
        break;
      }
      if (KindOf(part) == kClassHeritage || KindOf(part) == kClassBody) {
        to = tree_.nodes[part].begin;
        break;
      }
    }
    if (made.name.empty()) {
      std::string_view head = module_.text.substr(tree_.nodes[node].begin, to - tree_.nodes[node].begin);
      const std::size_t word = head.rfind("class");
      if (word != std::string_view::npos) {
        head.remove_prefix(word + 5);
        const std::size_t first = head.find_first_not_of(" \t\r\n");
        if (first != std::string_view::npos) {
          head.remove_prefix(first);
          made.name = head.substr(0, head.find_first_of(" \t\r\n<{(/"));
        }
      }
    }
  }
  module_.classes.push_back(std::move(made));
}

void Lowering::Emit(FuncId function, StmtKind kind, NodeIndex node, ExprId target, ExprId value) {
  module_.functions[function].body.push_back(
      {.kind = kind, .loc = LocOf(node), .target = target, .value = value, .condition_depth = scopes_.back().depth});
}

void Lowering::AddImport(std::string_view local, std::string_view module, std::string_view symbol, NodeIndex node) {
  if (module.empty() || module.size() > 1024) return;
  if (module.starts_with("node:")) module.remove_prefix(5);
  module_.imports.push_back({.local = local,
                             .module = std::string(module),
                             .symbol = std::string(symbol),
                             .scope = Current(),
                             .loc = LocOf(node)});
}

// Assignments, yields and the parts of sequences that stand inside the expressions from..to; what is inside functions
// and classes has its own turn.
void Lowering::EmitEffects(NodeIndex from, NodeIndex to) {
  for (NodeIndex node = from; node < to;) {
    const NodeKind kind = KindOf(node);
    const NodeIndex parent = ParentOf(node);
    if (KindOf(parent) == kSequence && kind > kNumber && kind != kAssignment && kind != kAugmented &&
        kind != kSequence && kind != kConstant && ExprOf(node) != kNone) {
      const bool last = tree_.nodes[node].next >= tree_.End(parent);
      const NodeKind above = KindOf(ParentOf(parent));
      if (!last || above == kExpressionStatement || above == kFor || above == kSequence) {
        Emit(Current(), StmtKind::kExpr, node, kNone, ExprOf(node));
      }
    }
    if (IsFunction(kind) || IsClass(kind)) {
      node = tree_.End(node);
      continue;
    }
    switch (kind) {
      case kAssignment: {
        const NodeIndex left = PartWith(node, kFieldLeft);
        const NodeIndex right = PartWith(node, kFieldRight);
        if (left == kNone || right == kNone) break;
        ImportOf(left, right);
        Emit(Current(), StmtKind::kAssign, node, ExprOf(left), ExprOf(right));
        const std::string_view target = TextOf(left);
        if (target.starts_with("module.exports") || target.starts_with("exports.")) ExportValue(ExprOf(right));
        break;
      }
      case kAugmented:
        Emit(Current(), StmtKind::kAssign, node, ExprOf(PartWith(node, kFieldLeft)), ExprOf(node));
        break;
      case kAssignPattern:
      case kObjectAssignPattern:
        Emit(Current(), StmtKind::kAssign, node, ExprOf(PartWith(node, kFieldLeft)),
             ExprOf(PartWith(node, kFieldRight)));
        break;
      case kYield: {
        const ExprId whole = ExprOf(node);
        if (whole == kNone) break;
        const Expr& value = module_.exprs[whole];
        Emit(Current(), StmtKind::kYield, node, kNone,
             value.arg_count > 0 ? module_.args[value.first_arg].value : kNone);
        break;
      }
      default:
        break;
    }
    ++node;
  }
}

void Lowering::EmitValue(StmtKind kind, NodeIndex node, NodeIndex value) {
  if (value == kNone) return;
  EmitEffects(value, tree_.End(value));
  const NodeIndex plain = Plain(value);
  const bool done = plain != kNone && (KindOf(plain) == kAssignment || KindOf(plain) == kAugmented ||
                                       (KindOf(plain) == kSequence && plain == value));
  if (kind == StmtKind::kExpr && done) return;
  if (ExprOf(value) != kNone) Emit(Current(), kind, node, kNone, ExprOf(value));
}

// `target = require("m")`, `await import("m")`, a member of it.
bool Lowering::ImportOf(NodeIndex target, NodeIndex value) {
  NodeIndex at = Plain(value);
  std::string_view symbol;
  if (at != kNone && KindOf(at) == kMember) {
    if (const NodeIndex property = PartWith(at, kFieldProperty); property != kNone) symbol = TextOf(property);
    at = Plain(PartWith(at, kFieldObject));
  }
  if (at != kNone && KindOf(at) == kAwait) at = Plain(FirstPart(at));
  for (int guard = 0; guard < 3; ++guard) {
    if (at == kNone || KindOf(at) != kCall) return false;
    const NodeIndex callee = Plain(PartWith(at, kFieldFunction));
    const NodeIndex arguments = PartWith(at, kFieldArguments);
    if (callee == kNone || arguments == kNone || KindOf(arguments) != kArguments) return false;
    const NodeIndex argument = Plain(FirstPart(arguments));
    if (argument == kNone) return false;
    const std::string_view name = TextOf(callee);
    if (KindOf(callee) == kIdentifier && (name == "require" || name == "import")) {
      const ExprId id = ExprOf(argument);
      if (id == kNone || module_.exprs[id].kind != ExprKind::kString) return false;
      const std::string_view module = module_.exprs[id].text;
      if (KindOf(target) == kIdentifier) {
        AddImport(TextOf(target), module, symbol, value);
        return true;
      }
      if (KindOf(target) != kObjectPattern || !symbol.empty()) return false;
      for (NodeIndex part = FirstPart(target); part != kNone; part = NextPart(part)) {
        NodeIndex local = part;
        std::string_view key;
        if (KindOf(part) == kPairPattern) {
          key = KeyOf(PartWith(part, kFieldKey));
          local = PartWith(part, kFieldValue);
        } else if (KindOf(part) == kObjectAssignPattern) {
          local = PartWith(part, kFieldLeft);
        }
        if (local != kNone && KindOf(local) == kAssignPattern) local = PartWith(local, kFieldLeft);
        if (local == kNone || (KindOf(local) != kIdentifier && KindOf(local) != kShorthandPattern)) continue;
        AddImport(TextOf(local), module, key.empty() ? TextOf(local) : key, part);
      }
      return true;
    }
    // __importStar(require("m")) and what bundlers and compilers call it.
    if (name.find("mport") == std::string_view::npos && name.find("nterop") == std::string_view::npos &&
        name.find("toESM") == std::string_view::npos) {
      return false;
    }
    at = argument;
  }
  return false;
}

void Lowering::EmitImport(NodeIndex node) {
  std::string_view module;
  if (const NodeIndex source = PartWith(node, kFieldSource); source != kNone && ExprOf(source) != kNone) {
    module = module_.exprs[ExprOf(source)].text;
  }
  bool any = false;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kImportRequire) {
      NodeIndex local = kNone;
      for (NodeIndex inner = FirstPart(part); inner != kNone; inner = NextPart(inner)) {
        if (KindOf(inner) == kIdentifier) local = inner;
        if (KindOf(inner) == kString && ExprOf(inner) != kNone) module = module_.exprs[ExprOf(inner)].text;
      }
      if (local != kNone) AddImport(TextOf(local), module, {}, part);
      any = true;
    }
    if (KindOf(part) != kImportClause) continue;
    for (NodeIndex clause = FirstPart(part); clause != kNone; clause = NextPart(clause)) {
      any = true;
      if (KindOf(clause) == kIdentifier) {
        AddImport(TextOf(clause), module, "default", clause);
      } else if (KindOf(clause) == kNamespaceImport) {
        if (const NodeIndex local = FirstPart(clause); local != kNone) AddImport(TextOf(local), module, {}, clause);
      } else if (KindOf(clause) == kNamedImports) {
        for (NodeIndex each = FirstPart(clause); each != kNone; each = NextPart(each)) {
          if (KindOf(each) != kImportSpecifier) continue;
          const NodeIndex name = PartWith(each, kFieldName);
          const NodeIndex alias = PartWith(each, kFieldAlias);
          if (name == kNone) continue;
          const std::string_view symbol = KindOf(name) == kString ? Unquoted(TextOf(name)) : TextOf(name);
          AddImport(alias == kNone ? symbol : TextOf(alias), module, symbol, each);
        }
      }
    }
  }
  if (!any) AddImport({}, module, {}, node);
}

// catch (e) { ... }: a variable of the function, unless a parameter of it is called so. Minified code calls everything
// `e`: there it is left out.
void Lowering::EmitCatch(NodeIndex node) {
  constexpr std::size_t kMinifiedLine = 400;  // bytes, on average
  if (!minified_) {
    const auto lines = static_cast<std::size_t>(std::count(module_.text.begin(), module_.text.end(), '\n')) + 1;
    minified_ = module_.text.size() / lines > kMinifiedLine;
  }
  if (*minified_) return;
  const NodeIndex caught = PartWith(node, kFieldParameter);
  if (caught == kNone || ExprOf(caught) == kNone) return;
  const Expr& name = module_.exprs[ExprOf(caught)];
  Function& function = module_.functions[Current()];
  if (name.kind == ExprKind::kName &&
      std::ranges::find(function.params, name.text, &Param::name) != function.params.end())
    return;
  Emit(Current(), StmtKind::kAssign, node, ExprOf(caught), kNone);
  function.body.back().binds = Binds::kCaught;
}

// `exports.name = value`, which is what an export under another name than its own comes to.
void Lowering::EmitExported(NodeIndex node, std::string_view name, ExprId value) {
  if (value == kNone) return;
  const ExprId exports = New(ExprKind::kName, node, "exports");
  const ExprId target = New(ExprKind::kMember, node, name, exports);
  Emit(Current(), StmtKind::kAssign, node, target, value);
}

void Lowering::EmitExport(NodeIndex node) {
  std::string_view module;
  if (const NodeIndex source = PartWith(node, kFieldSource); source != kNone && ExprOf(source) != kNone) {
    module = module_.exprs[ExprOf(source)].text;
    AddImport({}, module, {}, node);
  }
  std::string_view words = TextOf(node);
  words.remove_prefix(std::min(words.size(), std::string_view("export").size()));
  words.remove_prefix(std::min(words.find_first_not_of(" \t\r\n"), words.size()));
  const bool by_default = words.starts_with("default");
  bool all = words.starts_with('*');
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    const NodeIndex own = PartWith(part, kFieldName);
    if (KindOf(part) == kExportClause) {
      for (NodeIndex each = FirstPart(part); each != kNone; each = NextPart(each)) {
        const NodeIndex name = PartWith(each, kFieldName);
        if (name == kNone) continue;
        const NodeIndex alias = PartWith(each, kFieldAlias);
        const std::string_view seen = alias == kNone ? TextOf(name) : TextOf(alias);
        if (!module.empty()) {
          AddImport(Own(ExportedName(seen)), module, TextOf(name), each);
          continue;
        }
        exported_.insert(TextOf(name));
        if (seen != TextOf(name)) EmitExported(each, seen, New(ExprKind::kName, name, TextOf(name)));
      }
    } else if (KindOf(part) == kNamespaceExport) {
      all = false;
      if (const NodeIndex name = FirstPart(part); name != kNone) {
        AddImport(Own(ExportedName(TextOf(name))), module, {}, part);
      }
    } else if (KindOf(part) == kDeclaration) {
      for (NodeIndex each = FirstPart(part); each != kNone; each = NextPart(each)) {
        if (const NodeIndex name = PartWith(each, kFieldName); name != kNone) exported_.insert(TextOf(name));
      }
    } else if (FieldOf(part) == kFieldValue) {
      ExportValue(ExprOf(part));
      EmitExported(part, "default", ExprOf(part));
    } else if (by_default && (IsFunction(KindOf(part)) || IsClass(KindOf(part)))) {
      EmitExported(part, "default", own == kNone ? ExprOf(part) : New(ExprKind::kName, own, TextOf(own)));
    }
  }
  if (all && !module.empty()) AddImport("*", module, "*", node);
}

void Lowering::ExportValue(ExprId value) {
  if (value == kNone) return;
  const auto mark = [&](ExprId id) {
    if (id == kNone) return;
    const Expr& expr = module_.exprs[id];
    if (expr.kind == ExprKind::kFunction && expr.function < module_.functions.size()) {
      module_.functions[expr.function].exported = true;
    } else if (expr.kind == ExprKind::kName) {
      exported_.insert(expr.text);
    }
  };
  mark(value);
  if (module_.exprs[value].kind != ExprKind::kDict) return;
  for (const Arg& arg : module_.ArgsOf(module_.exprs[value])) mark(arg.value);
}

void Lowering::MarkExports() {
  for (Function& function : module_.functions) {
    if (function.parent == kModuleBody && function.owner == kNone && !function.name.empty() &&
        exported_.contains(function.name)) {
      function.exported = true;
    }
  }
}

void Lowering::EmitDeclarator(NodeIndex node) {
  const NodeIndex name = PartWith(node, kFieldName);
  const NodeIndex value = PartWith(node, kFieldValue);
  if (name == kNone) return;
  if (value == kNone) {
    // let link; function connect() { link = ...; }: whose variable that is.
    if (KindOf(name) == kIdentifier)
      Emit(Current(), StmtKind::kAssign, node, ExprOf(name), New(ExprKind::kConstant, name, "undefined"));
    return;
  }
  EmitEffects(value, tree_.End(value));
  if (KindOf(name) != kIdentifier) EmitEffects(name, tree_.End(name));
  ImportOf(name, value);
  Emit(Current(), StmtKind::kAssign, node, ExprOf(name), ExprOf(value));
  EmitDefaults(Current(), name, node);
}

// const {base = "https://..."} = options: what a part is where nobody gives it, if that is a text.
void Lowering::EmitDefaults(FuncId function, NodeIndex pattern, NodeIndex at) {
  if (KindOf(pattern) != kObjectPattern) return;
  for (NodeIndex part = FirstPart(pattern); part != kNone; part = NextPart(part)) {
    NodeIndex given = part;
    if (KindOf(part) == kPairPattern) given = PartWith(part, kFieldValue);
    if (given == kNone || (KindOf(given) != kObjectAssignPattern && KindOf(given) != kAssignPattern)) continue;
    const NodeIndex left = PartWith(given, kFieldLeft);
    const NodeIndex right = PartWith(given, kFieldRight);
    if (left == kNone || right == kNone || ExprOf(right) == kNone) continue;
    const ExprKind kind = module_.exprs[ExprOf(right)].kind;
    if (kind != ExprKind::kString && kind != ExprKind::kFormat && kind != ExprKind::kConcat &&
        kind != ExprKind::kChoice)
      continue;
    const Arg either[] = {{New(ExprKind::kName, left, TextOf(left))}, {ExprOf(right)}};
    const ExprId choice = NewWithArgs(ExprKind::kChoice, given, either);
    Emit(function, StmtKind::kAssign, at, New(ExprKind::kName, left, TextOf(left)), choice);
  }
}

namespace {

bool IsWordLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// "?: Store = ..." behind the name of a parameter: the class that it is said to be of; "" where it is of no one class.
std::string_view TypeBehind(std::string_view text) {
  const std::size_t colon = text.find_first_not_of("? \t\r\n");
  if (colon == std::string_view::npos || text[colon] != ':') return {};
  const std::size_t begin = text.find_first_not_of(" \t\r\n", colon + 1);
  if (begin == std::string_view::npos || text[begin] < 'A' || text[begin] > 'Z') return {};
  std::size_t end = begin;
  while (end < text.size() && IsWordLetter(text[end])) ++end;
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  return next == std::string_view::npos || text[next] == '=' ? text.substr(begin, end - begin) : std::string_view();
}

// "private readonly " before the name of a constructor's parameter.
bool IsProperty(std::string_view text) {
  for (const std::string_view word : {"private ", "public ", "protected ", "readonly "}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void Lowering::AddParam(Function* function, NodeIndex part) {
  Param param;
  param.loc = LocOf(part);
  NodeIndex pattern = part;
  if (KindOf(part) == kParameter) {
    pattern = PartWith(part, kFieldPattern);
    param.fallback = ExprOf(PartWith(part, kFieldValue));
    if (pattern == kNone) pattern = FirstPart(part);
    if (pattern == kNone) return;
  }
  if (KindOf(pattern) == kAssignPattern) {
    param.fallback = ExprOf(PartWith(pattern, kFieldRight));
    pattern = PartWith(pattern, kFieldLeft);
  } else if (KindOf(pattern) == kRestPattern) {
    param.variadic = true;
    pattern = FirstPart(pattern);
  }
  if (pattern == kNone) return;
  const auto index = static_cast<std::size_t>(function - module_.functions.data());
  if (KindOf(pattern) == kObjectPattern || KindOf(pattern) == kArrayPattern) {
    // A name that no source can say; the parts are assigned from it first thing.
    param.name = Own("#" + std::to_string(function->params.size()));
    function->params.push_back(param);
    EmitEffects(pattern, tree_.End(pattern));
    const ExprId whole = New(ExprKind::kName, pattern, param.name);
    Emit(static_cast<FuncId>(index), StmtKind::kAssign, pattern, ExprOf(pattern), whole);
    EmitDefaults(static_cast<FuncId>(index), pattern, pattern);
    return;
  }
  if (KindOf(pattern) != kIdentifier) return;
  param.name = TextOf(pattern);
  if (pattern != part && KindOf(part) == kParameter) {
    const std::string_view whole = TextOf(part);
    const std::size_t at = LocOf(pattern).begin - LocOf(part).begin;
    if (const std::string_view type = TypeBehind(whole.substr(std::min(at + param.name.size(), whole.size())));
        !type.empty()) {
      param.annotation = New(ExprKind::kName, pattern, type);
    }
    // constructor(private readonly store: Store): an attribute as well.
    if (IsProperty(whole.substr(0, at))) {
      const ExprId self = New(ExprKind::kName, pattern, "this");
      Emit(static_cast<FuncId>(index), StmtKind::kAssign, pattern, New(ExprKind::kMember, pattern, param.name, self),
           New(ExprKind::kName, pattern, param.name));
    }
  }
  function->params.push_back(param);
}

// files.forEach((file) => ...): as in a loop over `files`, the parameter is what stands in the list.
void Lowering::EmitElement(NodeIndex node, const Function& function) {
  const NodeIndex arguments = ParentOf(node);
  if (KindOf(arguments) != kArguments || FirstPart(arguments) != node || function.params.empty()) return;
  const NodeIndex call = ParentOf(arguments);
  const NodeIndex callee = KindOf(call) == kCall ? Plain(PartWith(call, kFieldFunction)) : kNone;
  if (callee == kNone || KindOf(callee) != kMember) return;
  const NodeIndex list = Plain(PartWith(callee, kFieldObject));
  const NodeIndex method = PartWith(callee, kFieldProperty);
  if (list == kNone || method == kNone) return;
  // Object.entries(table).map(([name, run]) => ...)
  const bool entries = KindOf(list) == kCall && TextOf(list).starts_with("Object.");
  if (KindOf(list) != kIdentifier && KindOf(list) != kArray && !entries) return;
  constexpr auto kEach =
      std::to_array<std::string_view>({"forEach", "map", "flatMap", "filter", "find", "some", "every"});
  const bool reduces = TextOf(method) == "reduce" || TextOf(method) == "reduceRight";  // (sum, one) => ...
  if ((!reduces && std::ranges::find(kEach, TextOf(method)) == kEach.end()) || ExprOf(list) == kNone) return;
  if (reduces && function.params.size() < 2) return;
  const std::string_view name = function.params[reduces ? 1 : 0].name;
  if (name.empty() || (name.starts_with('#') && !entries) || name == TextOf(list)) return;
  // Placed at the parameters: the body comes after.
  const NodeIndex single = PartWith(node, kFieldParameter);
  const NodeIndex head = single != kNone ? single : PartWith(node, kFieldParameters);
  if (head != kNone) Emit(numbers_[node], StmtKind::kAssign, head, New(ExprKind::kName, head, name), ExprOf(list));
}

void Lowering::EnterFunction(NodeIndex node) {
  scopes_.push_back({.end = tree_.End(node), .function = numbers_[node]});
  Function* function = &module_.functions[numbers_[node]];
  if (const NodeIndex single = PartWith(node, kFieldParameter); single != kNone) AddParam(function, single);
  if (const NodeIndex parameters = PartWith(node, kFieldParameters); parameters != kNone) {
    for (NodeIndex part = FirstPart(parameters); part != kNone; part = NextPart(part)) AddParam(function, part);
  }
  EmitElement(node, *function);
  // Decorators of a method stand before it in the class's body, or in it.
  const NodeIndex parent = ParentOf(node);
  if (KindOf(node) == kMethod && KindOf(parent) == kClassBody) {
    for (NodeIndex part = FirstPart(node); part != kNone && KindOf(part) == kDecorator; part = NextPart(part)) {
      if (ExprOf(part) != kNone) function->decorators.push_back(ExprOf(part));
    }
    for (NodeIndex before : decorators_) {
      if (ExprOf(before) != kNone) function->decorators.push_back(ExprOf(before));
    }
    decorators_.clear();
  }
  if (KindOf(node) != kArrow) return;
  const NodeIndex body = PartWith(node, kFieldBody);
  if (body == kNone || KindOf(body) == kBlock) return;
  EmitEffects(body, tree_.End(body));
  Emit(numbers_[node], StmtKind::kReturn, body, kNone, ExprOf(body));
}

void Lowering::EnterClass(NodeIndex node) {
  Class& made = module_.classes[numbers_[node]];
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kDecorator && ExprOf(part) != kNone) made.decorators.push_back(ExprOf(part));
    if (KindOf(part) != kClassHeritage) continue;
    for (NodeIndex base = FirstPart(part); base != kNone; base = NextPart(base)) {
      if (ExprOf(base) != kNone) made.bases.push_back(ExprOf(base));
    }
    EmitEffects(part, tree_.End(part));
  }
  const NodeIndex parent = ParentOf(node);
  if (KindOf(parent) != kExportStatement) return;
  for (NodeIndex part = FirstPart(parent); part != kNone && part < node; part = NextPart(part)) {
    if (KindOf(part) == kDecorator && ExprOf(part) != kNone) made.decorators.push_back(ExprOf(part));
  }
}

void Lowering::EmitStatements() {
  scopes_.assign(1, Scope{.end = tree_.End(0)});
  for (NodeIndex node = 1; node < tree_.nodes.size(); ++node) {
    while (scopes_.size() > 1 && node >= scopes_.back().end) scopes_.pop_back();
    EmitNode(node);
  }
}

void Lowering::EmitNode(NodeIndex node) {
  const NodeKind kind = KindOf(node);
  const NodeKind parent = KindOf(ParentOf(node));
  const NodeField field = FieldOf(node);
  if ((parent == kIf && (field == kFieldConsequence || field == kFieldAlternative)) ||
      ((parent == kWhile || parent == kDo) && field == kFieldBody) || kind == kCatch || kind == kCase) {
    Scope scope = scopes_.back();
    scope.end = tree_.End(node);
    if (scope.depth < 0xFFFF) ++scope.depth;
    scopes_.push_back(scope);
  }
  if (IsFunction(kind)) {
    EnterFunction(node);
    return;
  }
  if (IsClass(kind)) {
    EnterClass(node);
    return;
  }
  switch (kind) {
    case kImportStatement:
      EmitImport(node);
      return;
    case kExportStatement:
      EmitExport(node);
      return;
    case kExpressionStatement:
      EmitValue(parent == kFor && field == kFieldCondition ? StmtKind::kCondition : StmtKind::kExpr, node,
                FirstPart(node));
      return;
    case kDeclarator:
      EmitDeclarator(node);
      return;
    case kReturn:
    case kThrow: {
      const StmtKind made = kind == kReturn ? StmtKind::kReturn : StmtKind::kRaise;
      const NodeIndex value = FirstPart(node);
      if (value == kNone || ExprOf(value) == kNone) Emit(Current(), made, node, kNone, kNone);
      EmitValue(made, node, value);
      return;
    }
    case kIf:
    case kWhile:
    case kDo:
      EmitValue(StmtKind::kCondition, node, PartWith(node, kFieldCondition));
      return;
    case kSwitch:
      EmitValue(StmtKind::kCondition, node, PartWith(node, kFieldValue));
      return;
    case kWith:
      EmitValue(StmtKind::kExpr, node, PartWith(node, kFieldObject));
      return;
    case kFor:
      for (const NodeField each : {kFieldInitializer, kFieldCondition, kFieldIncrement}) {
        const NodeIndex part = PartWith(node, each);
        if (part == kNone || ExprOf(part) == kNone) continue;
        EmitValue(each == kFieldCondition ? StmtKind::kCondition : StmtKind::kExpr, part, part);
      }
      return;
    case kForIn: {
      const NodeIndex left = PartWith(node, kFieldLeft);
      const NodeIndex right = PartWith(node, kFieldRight);
      if (right == kNone || left == kNone) return;
      EmitEffects(right, tree_.End(right));
      // Placed at its head: the body comes after.
      Emit(Current(), StmtKind::kAssign, right, ExprOf(left), ExprOf(right));
      module_.functions[Current()].body.back().binds = Binds::kEach;
      return;
    }
    case kCatch:
      EmitCatch(node);
      return;
    case kCase:
      if (const NodeIndex value = PartWith(node, kFieldValue); value != kNone) EmitEffects(value, tree_.End(value));
      return;
    case kField: {
      decorators_.clear();
      const NodeIndex value = PartWith(node, kFieldValue);
      const NodeIndex body = ParentOf(node);
      const NodeIndex owner = ParentOf(body);
      if (value == kNone || KindOf(body) != kClassBody || !IsClass(KindOf(owner))) return;
      const NodeIndex property = PartWith(node, kFieldProperty);
      const NodeIndex name = property != kNone ? property : PartWith(node, kFieldName);
      EmitEffects(value, tree_.End(value));
      const ExprId base = New(ExprKind::kName, node, module_.classes[numbers_[owner]].name);
      const ExprId target = New(ExprKind::kMember, node, KeyOf(name), base);
      Emit(Current(), StmtKind::kAssign, node, target, ExprOf(value));
      return;
    }
    case kEnumAssignment: {
      const NodeIndex owner = ParentOf(ParentOf(node));
      const NodeIndex name = PartWith(owner, kFieldName);
      const NodeIndex value = PartWith(node, kFieldValue);
      if (KindOf(owner) != kEnum || name == kNone || value == kNone) return;
      const ExprId base = New(ExprKind::kName, node, TextOf(name));
      const ExprId target = New(ExprKind::kMember, node, KeyOf(PartWith(node, kFieldName)), base);
      Emit(Current(), StmtKind::kAssign, node, target, ExprOf(value));
      return;
    }
    case kDecorator:
      EmitEffects(node + 1, tree_.End(node));
      if (parent == kClassBody) decorators_.push_back(node);
      return;
    default:
      break;
  }
  // What recovery left without its statement.
  if (kind > kIdentifier && kind != kErrorNode && (parent == kErrorNode || parent == kProgram || parent == kBlock) &&
      ExprOf(node) != kNone) {
    EmitValue(StmtKind::kExpr, node, node);
  }
}

}  // namespace javascript

Module LowerJavaScript(std::string_view text, std::uint32_t file, bool typescript, bool has_tags,
                       const LowerLimits& limits) {
  return javascript::Lowering(text, file, typescript, has_tags, limits).Run();
}

}  // namespace interlock::scan::code
