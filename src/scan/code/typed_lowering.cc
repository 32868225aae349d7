#include "code/typed_lowering.h"

#include <algorithm>
#include <utility>

namespace interlock::scan::code::typed {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// "resty" of "github.com/go-resty/resty/v2", "yaml" of "gopkg.in/yaml.v3", "sqlite3" of "github.com/mattn/go-sqlite3".
std::string_view PackageOf(std::string_view path) {
  const auto is_version = [](std::string_view part) {
    return part.size() > 1 && part[0] == 'v' &&
           std::ranges::all_of(part.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  };
  std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos && is_version(path.substr(slash + 1))) {
    path = path.substr(0, slash);
    slash = path.rfind('/');
  }
  std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (const std::size_t dot = last.rfind('.'); dot != std::string_view::npos && is_version(last.substr(dot + 1)))
    last = last.substr(0, dot);
  if (last.starts_with("go-")) last.remove_prefix(3);
  if (last.ends_with("-go") || last.ends_with(".go")) last.remove_suffix(3);
  return last;
}

}  // namespace

Lowering::Lowering(Language language, const NodeKinds& kinds, std::string_view text, std::string_view parsed,
                   std::uint32_t file, const LowerLimits& limits)
    : TreeLowering(language, kinds, {kComment, kComment}, text, parsed, file, limits) {}

Module Lowering::Run() && {
  if (tree_.nodes.empty()) return std::move(module_);
  NumberDefinitions();
  BuildExpressions();
  EmitStatements();
  CallMain();
  return std::move(module_);
}

ClassId Lowering::ClassNamed(std::string_view name, NodeIndex node) {
  const auto [at, added] = classes_.emplace(name, static_cast<ClassId>(module_.classes.size()));
  if (added) {
    Class made;
    made.name = name;
    made.loc = LocOf(node);
    module_.classes.push_back(std::move(made));
  }
  return at->second;
}

void Lowering::NumberDefinitions() {
  numbers_.assign(tree_.nodes.size(), kNone);
  scopes_.assign(1, Scope{});
  for (NodeIndex node = 1; node < tree_.nodes.size(); ++node) {
    while (scopes_.size() > 1 && node >= tree_.End(scopes_.back().node)) scopes_.pop_back();
    if (IsTest(node)) {
      tests_.emplace_back(node, tree_.End(node));
      node = tree_.End(node) - 1;
      continue;
    }
    switch (KindOf(node)) {
      case kComment:
        module_.comments.push_back({LocOf(node)});
        break;
      case kFunctionDef:
      case kMethodDef:
      case kClosure:
        DefineFunction(node, Scope(scopes_.back()));
        scopes_.push_back({.node = node, .function = numbers_[node]});
        break;
      case kTypeDef:
        if (const NodeIndex name = PartWith(node, kName); name != kNone)
          module_.classes[ClassNamed(TextOf(name), node)].loc = LocOf(node);
        break;
      case kImpl: {
        NodeIndex type = PartWith(node, kType);
        while (type != kNone && KindOf(type) == kPassThrough) type = FirstPart(type);
        const ClassId owner = type == kNone ? kNone : ClassNamed(TextOf(type), node);
        scopes_.push_back({.node = node, .function = scopes_.back().function, .owner = owner});
        break;
      }
      default:
        break;
    }
  }
}

// #[cfg(test)] mod tests { ... }; #[test] fn works() { ... }
bool Lowering::IsTest(NodeIndex node) const {
  if (!IsRust() || (KindOf(node) != kModule && KindOf(node) != kFunctionDef && KindOf(node) != kImpl)) return false;
  const std::string_view text = module_.text;
  constexpr std::size_t kBefore = 200;
  const std::uint32_t end = tree_.nodes[node].begin;
  // Attributes stand right in front, each in its brackets.
  std::string_view before =
      Trimmed(text.substr(end > kBefore ? end - kBefore : 0, std::min<std::size_t>(end, kBefore)));
  while (before.ends_with(']')) {
    const std::size_t open = before.rfind("#[");
    if (open == std::string_view::npos) return false;
    const std::string_view attribute = before.substr(open);
    if (attribute.find("cfg(test)") != std::string_view::npos || attribute == "#[test]" ||
        attribute.find("::test]") != std::string_view::npos || attribute.find("::test(") != std::string_view::npos)
      return true;
    before = Trimmed(before.substr(0, open));
  }
  return false;
}

void Lowering::DefineFunction(NodeIndex node, const Scope& scope) {
  numbers_[node] = static_cast<FuncId>(module_.functions.size());
  Function function;
  function.loc = LocOf(node);
  function.parent = scope.function;
  if (KindOf(node) != kClosure) {
    if (const NodeIndex name = PartWith(node, kName); name != kNone) {
      function.name = TextOf(name);
      function.name_loc = LocOf(name);
    }
    ClassId owner = scope.owner;
    if (const NodeIndex receiver = PartWith(node, kOwner); receiver != kNone) {
      NodeIndex type = PartWith(FirstPart(receiver), kType);
      while (type != kNone && KindOf(type) == kPassThrough) type = FirstPart(type);
      if (type != kNone) owner = ClassNamed(TextOf(type), node);
    }
    function.owner = owner;
    const std::string_view head = TextOf(node).substr(0, 48);
    const std::size_t word = head.find("fn ");
    function.is_async =
        IsRust() && word != std::string_view::npos && head.substr(0, word).find("async") != std::string_view::npos;
    const char first = function.name.empty() ? '\0' : function.name.front();
    function.exported = IsRust() ? head.starts_with("pub") : first >= 'A' && first <= 'Z';
    if (owner != kNone) {
      module_.classes[owner].methods.push_back(numbers_[node]);
      function.qualified = module_.classes[owner].name;
      function.is_static = IsRust() && (PartWith(node, kParams) == kNone ||
                                        KindOf(FirstPart(PartWith(node, kParams))) != kSelfParameter);
    } else {
      function.qualified = module_.functions[scope.function].qualified;
    }
    if (!function.qualified.empty()) function.qualified += '.';
    function.qualified += function.name;
  }
  module_.functions.push_back(std::move(function));
}

void Lowering::Emit(FuncId function, StmtKind kind, NodeIndex node, ExprId target, ExprId value) {
  module_.functions[function].body.push_back(
      {.kind = kind, .loc = LocOf(node), .target = target, .value = value, .condition_depth = scopes_.back().depth});
}

void Lowering::Emit(StmtKind kind, NodeIndex node, ExprId target, ExprId value) {
  Emit(Current(), kind, node, target, value);
}

void Lowering::EmitStatements() {
  scopes_.assign(1, Scope{});
  open_.clear();
  // What stands inside another statement is said before it: the block that a value is made of, the body of a closure.
  const auto leave = [&](NodeIndex at) {
    while (!open_.empty() && at >= tree_.End(open_.back())) {
      const NodeIndex done = open_.back();
      open_.pop_back();
      Leave(done);
      if (scopes_.size() > 1 && scopes_.back().node == done) scopes_.pop_back();
    }
  };
  std::size_t test = 0;
  for (NodeIndex node = 1; node < tree_.nodes.size(); ++node) {
    leave(node);
    if (test < tests_.size() && node == tests_[test].first) {
      node = tests_[test++].second - 1;
      continue;
    }
    Enter(node);
    open_.push_back(node);
  }
  leave(static_cast<NodeIndex>(tree_.nodes.size()));
}

void Lowering::Enter(NodeIndex node) {
  NoteAttribute(node);
  switch (KindOf(node)) {
    case kFunctionDef:
    case kMethodDef:
    case kClosure:
      EmitFunction(node);
      return;
    case kBlock:
    case kBranch: {
      const NodeKind parent = KindOf(ParentOf(node));
      if (KindOf(node) != kBranch && parent != kIf && parent != kElse && parent != kLoop) return;
      Scope scope = scopes_.back();
      scope.node = node;
      if (scope.depth < 0xFFFF) ++scope.depth;
      scopes_.push_back(scope);
      return;
    }
    case kImport:
    case kModule:
      EmitImport(node);
      return;
    case kFieldDeclaration:
      NoteField(node);
      return;
    default:
      return;
  }
}

void Lowering::Leave(NodeIndex node) {
  if (FieldOf(node) == kCondition) Emit(StmtKind::kCondition, node, kNone, ExprOf(node));
  switch (KindOf(node)) {
    case kFunctionDef:
    case kMethodDef:
    case kClosure: {
      // What a body ends with is what it gives back.
      const NodeIndex body = PartWith(node, kBody);
      const ExprId value = IsRust() && body != kNone ? ExprOf(body) : kNone;
      if (value != kNone) Emit(numbers_[node], StmtKind::kReturn, body, kNone, value);
      return;
    }
    case kExpressionStatement: {
      const NodeIndex part = FirstPart(node);
      const NodeKind kind = KindOf(part);
      if (part == kNone || kind == kAssign || kind == kAugmented || kind == kReturn || ExprOf(part) == kNone) return;
      // line.push_str(more): the text goes on.
      const Expr& call = module_.exprs[ExprOf(part)];
      if (IsRust() && call.kind == ExprKind::kCall && call.arg_count == 1 && call.base < module_.exprs.size() &&
          module_.exprs[call.base].text == "push_str" && module_.exprs[call.base].base < module_.exprs.size() &&
          module_.exprs[module_.exprs[call.base].base].kind == ExprKind::kName) {
        const ExprId target = module_.exprs[call.base].base;
        const Arg both[2] = {{target}, module_.ArgsOf(call)[0]};
        Emit(StmtKind::kAssign, node, target, NewWithArgs(ExprKind::kConcat, node, both));
        return;
      }
      if (const ExprId whole = IsRust() && !commands_.empty() ? StartedWith(node, ExprOf(part)) : kNone;
          whole != kNone) {
        Emit(StmtKind::kExpr, node, kNone, whole);
        return;
      }
      Emit(StmtKind::kExpr, node, kNone, ExprOf(part));
      return;
    }
    case kReturn:
      EmitReturn(node);
      return;
    case kUnary:
    case kPassThrough:
      EmitOutParam(node);
      return;
    case kSend:
      Emit(StmtKind::kAssign, node, ExprOf(PartWith(node, kTarget)), ExprOf(PartWith(node, kValue)));
      return;
    case kAssign:
      if (const std::string_view op = OperatorOf(node); op.size() < 2) {  // x += y of Go
        EmitAssign(node, PartWith(node, kLeft), PartWith(node, kRight));
        return;
      }
      [[fallthrough]];
    case kAugmented: {
      const ExprId target = ExprOf(PartWith(node, kLeft));
      const ExprId more = ExprOf(PartWith(node, kRight));
      if (target == kNone || more == kNone) return;
      const Arg both[2] = {{target}, {more}};
      Emit(StmtKind::kAssign, node, target, NewWithArgs(ExprKind::kConcat, node, both));
      return;
    }
    case kDeclare: {
      NodeIndex targets = PartWith(node, kLeft);
      if (targets == kNone) targets = PartWith(node, IsRust() && PartWith(node, kTarget) != kNone ? kTarget : kName);
      NodeIndex values = PartWith(node, kRight);
      if (values == kNone) values = PartWith(node, kValue);
      if (IsRust() && targets != kNone && values != kNone && ExprOf(targets) != kNone && ExprOf(values) != kNone) {
        const Expr& made = module_.exprs[ExprOf(values)];
        const Expr& name = module_.exprs[ExprOf(targets)];
        if (name.kind == ExprKind::kName) commands_.erase(name.text);
        if (name.kind == ExprKind::kName && made.kind == ExprKind::kCall && made.arg_count >= 1 &&
            made.base < module_.exprs.size() && module_.exprs[made.base].kind == ExprKind::kMember &&
            IsCommand(made.base))
          commands_[name.text] = ExprOf(values);
      }
      // var body bytes.Buffer: one is made.
      if (const NodeIndex type = PartWith(node, kType);
          values == kNone && !IsRust() && targets != kNone && type != kNone && KindOf(type) == kMember) {
        const ExprId made = NewWithArgs(ExprKind::kCall, node, {}, {}, ExprOf(type));
        module_.exprs[made].is_new = true;
        if (ExprOf(targets) != kNone) Emit(StmtKind::kAssign, node, ExprOf(targets), made);
        return;
      }
      EmitAssign(node, targets, values);
      return;
    }
    default:
      // for x in xs { ... }: said before the body, when what is gone through is over.
      if (FieldOf(node) == kValue && KindOf(ParentOf(node)) == kFor)
        EmitAssign(ParentOf(node), PartWith(ParentOf(node), kTarget), node);
      return;
  }
}

// json.Unmarshal(data, &note), reader.read_to_end(&mut data): what the call brings is in the variable afterwards.
void Lowering::EmitOutParam(NodeIndex node) {
  const NodeIndex given = ParentOf(node);
  const NodeIndex call = KindOf(given) == kArguments ? ParentOf(given) : kNone;
  if (call == kNone || KindOf(call) != kCall || ExprOf(call) == kNone || ExprOf(node) == kNone) return;
  if (module_.exprs[ExprOf(node)].kind != ExprKind::kName) return;
  if (IsRust()) {
    if (!TextOf(node).starts_with("&mut ")) return;
  } else {
    if (!TextOf(node).starts_with('&')) return;
    const NodeIndex function = PartWith(call, kFunction);
    std::string_view name = function == kNone ? std::string_view() : TextOf(function);
    name = name.substr(name.rfind('.') + 1);
    const bool brings = name.starts_with("Unmarshal") || name.starts_with("Decode") || name.starts_with("Scan") ||
                        name.starts_with("Sscan") || name.starts_with("Read") ||
                        name.find("Bind") != std::string_view::npos || name == "Get" || name == "Select" ||
                        name == "Find" || name == "First" || name == "BodyParser";
    if (!brings) return;
  }
  Emit(StmtKind::kAssign, node, ExprOf(node), ExprOf(call));
}

void Lowering::AssignTo(NodeIndex node, NodeIndex target, ExprId value) {
  if (target == kNone) return;
  if (KindOf(target) == kPattern) {
    for (NodeIndex part = FirstPart(target); part != kNone; part = NextPart(part)) {
      // Some(x): the type is no name that anything is given to.
      if (FieldOf(part) != kType) AssignTo(node, part, value);
    }
    return;
  }
  const ExprId to = ExprOf(target);
  if (to == kNone || TextOf(target) == "_") return;
  Emit(StmtKind::kAssign, node, to, value);
}

// a, b = c, d; a, err := f(): each is given what stands across, or the one answer.
void Lowering::EmitAssign(NodeIndex node, NodeIndex targets, NodeIndex values) {
  if (values == kNone) return;
  const bool several = targets != kNone && KindOf(targets) == kExpressionList;
  NodeIndex value = KindOf(values) == kExpressionList ? FirstPart(values) : values;
  NodeIndex target = several ? FirstPart(targets) : targets;
  if (target == kNone) {
    if (ExprOf(values) != kNone) Emit(StmtKind::kExpr, node, kNone, ExprOf(values));
    return;
  }
  const bool pairs = value != kNone && value != values && NextPart(value) != kNone;
  bool first = true;
  bool given = false;
  while (target != kNone && value != kNone) {
    const std::string_view name = TextOf(target);
    // What is no answer: whether there was one.
    const bool aside =
        name == "_" || (!first && (name == "err" || name == "ok" || name == "found" || name == "exists"));
    if (!aside || pairs) {
      AssignTo(node, target, ExprOf(value));
      given = given || name != "_";
    }
    first = false;
    target = several ? NextPart(target) : kNone;
    // var a, b = f(): names without a list around them.
    if (!several && target == kNone && FieldOf(targets) == kName) {
      target = NextPart(targets);
      while (target != kNone && FieldOf(target) != kName) target = NextPart(target);
      targets = target == kNone ? targets : target;
    }
    if (pairs) value = NextPart(value);
  }
  if (!given && ExprOf(values) != kNone) Emit(StmtKind::kExpr, node, kNone, ExprOf(values));
}

// return path, fetch(path): an error of Go says why there is no answer and carries none.
void Lowering::EmitReturn(NodeIndex node) {
  // Blocks and branches are scopes too; the function is the last one that has a body.
  NodeIndex function = kNone;
  for (std::size_t i = scopes_.size(); i > 1 && function == kNone; --i) {
    const NodeKind kind = KindOf(scopes_[i - 1].node);
    if (kind == kFunctionDef || kind == kMethodDef || kind == kClosure) function = scopes_[i - 1].node;
  }
  const NodeIndex body = function == kNone ? kNone : PartWith(function, kBody);
  const ExprId whole = FirstExpr(node);
  if (module_.language != Language::kGo || body == kNone || whole == kNone) {
    Emit(StmtKind::kReturn, node, kNone, whole);
    return;
  }
  std::string_view signature = TextOf(function);
  signature = signature.substr(0, signature.size() - std::min(signature.size(), TextOf(body).size()));
  while (!signature.empty() && (signature.back() == ' ' || signature.back() == ')')) signature.remove_suffix(1);
  NodeIndex value = FirstPart(node);
  const bool listed = value != kNone && KindOf(value) == kExpressionList;
  if (listed) value = FirstPart(value);
  if (value == kNone || !signature.ends_with("error")) {
    Emit(StmtKind::kReturn, node, kNone, whole);
    return;
  }
  const bool several = NextPart(value) != kNone;
  if (!several) {
    // One value: the error alone, or all that another function gives back.
    Emit(signature.ends_with(") error") ? StmtKind::kExpr : StmtKind::kReturn, node, kNone, whole);
    return;
  }
  for (; NextPart(value) != kNone; value = NextPart(value)) {
    if (ExprOf(value) != kNone) Emit(StmtKind::kReturn, node, kNone, ExprOf(value));
  }
  if (ExprOf(value) != kNone) Emit(StmtKind::kExpr, node, kNone, ExprOf(value));
}

// struct App { http: reqwest::Client }, type App struct { http *http.Client }
void Lowering::NoteField(NodeIndex node) {
  constexpr std::size_t kMostFields = 256;
  const ExprId type = ExprOf(PartWith(node, kType));
  NodeIndex owner = ParentOf(node);
  while (owner != kNone && KindOf(owner) != kTypeDef) owner = ParentOf(owner);
  if (type == kNone || owner == kNone || KindOf(owner) != kTypeDef) return;
  const NodeIndex named = PartWith(owner, kName);
  if (named == kNone) return;
  std::vector<TypedField>& fields = module_.classes[ClassNamed(TextOf(named), owner)].fields;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (FieldOf(part) == kName && fields.size() < kMostFields) fields.push_back({TextOf(part), type});
  }
}

void Lowering::EmitFunction(NodeIndex node) {
  const FuncId id = numbers_[node];
  if (KindOf(node) != kClosure) FillDecorators(node, &module_.functions[id]);
  if (const NodeIndex parameters = PartWith(node, kParams); parameters != kNone)
    FillParams(parameters, &module_.functions[id]);
  scopes_.push_back({.node = node, .function = id});
  const NodeIndex receiver = PartWith(node, kOwner);
  if (receiver == kNone) return;
  const NodeIndex name = PartWith(FirstPart(receiver), kName);
  if (name == kNone) return;
  const ExprId target = New(ExprKind::kName, name, TextOf(name));
  Emit(StmtKind::kAssign, name, target, New(ExprKind::kName, name, "this"));
}

void Lowering::FillParams(NodeIndex parameters, Function* function) {
  const auto add = [&](NodeIndex name, NodeIndex type, bool variadic) {
    if (name == kNone) return;
    Param param;
    param.name = KindOf(name) == kIdentifier ? TextOf(name) : std::string_view();
    param.annotation = ExprOf(type);
    param.variadic = variadic;
    param.loc = LocOf(name);
    function->params.push_back(param);
  };
  for (NodeIndex part = FirstPart(parameters); part != kNone; part = NextPart(part)) {
    switch (KindOf(part)) {
      case kParameter:
      case kVariadicParameter: {
        const NodeIndex type = PartWith(part, kType);
        if (IsRust()) {
          NodeIndex pattern = PartWith(part, kTarget);
          while (pattern != kNone && KindOf(pattern) == kPattern) {
            pattern = FirstPart(pattern);
            if (pattern != kNone && FieldOf(pattern) == kType) pattern = NextPart(pattern);  // Kind(x)
          }
          add(pattern, type, false);
          break;
        }
        for (NodeIndex name = FirstPart(part); name != kNone; name = NextPart(name)) {
          if (FieldOf(name) == kName) add(name, type, KindOf(part) == kVariadicParameter);
        }
        break;
      }
      case kIdentifier:  // |x|
        add(part, kNone, false);
        break;
      case kPattern: {  // |(a, b)|, |&x|
        for (NodeIndex name = FirstPart(part); name != kNone; name = NextPart(name)) {
          if (KindOf(name) == kIdentifier) add(name, kNone, false);
        }
        break;
      }
      default:
        break;
    }
  }
}

// #[tool(description = "...")] in front of a function.
void Lowering::FillDecorators(NodeIndex node, Function* function) {
  constexpr std::size_t kMost = 8;
  std::vector<NodeIndex> attributes = std::exchange(attributes_, {});
  if (attributes.empty() || ParentOf(attributes.back()) != ParentOf(node)) return;
  if (attributes.size() > kMost) attributes.resize(kMost);
  for (const NodeIndex attribute : attributes) {
    const NodeIndex inner = FirstPart(attribute);
    const NodeIndex name = inner == kNone ? kNone : FirstPart(inner);
    if (name == kNone || ExprOf(name) == kNone) continue;
    const NodeIndex given = PartWith(inner, kGiven);
    if (given == kNone) {
      function->decorators.push_back(ExprOf(name));
      continue;
    }
    std::vector<Arg> args;
    std::string_view key;
    for (NodeIndex part = FirstPart(given); part != kNone; part = NextPart(part)) {
      if (KindOf(part) == kIdentifier) {
        key = TextOf(part);
      } else if (ExprOf(part) != kNone) {
        args.push_back({ExprOf(part), std::exchange(key, {})});
      }
    }
    function->decorators.push_back(NewWithArgs(ExprKind::kCall, attribute, args, {}, ExprOf(name)));
  }
}

// Attributes belong to what stands right behind them.
void Lowering::NoteAttribute(NodeIndex node) {
  if (KindOf(node) == kAttribute) {
    if (!attributes_.empty() && ParentOf(attributes_.back()) != ParentOf(node)) attributes_.clear();
    attributes_.push_back(node);
  } else if (!attributes_.empty() && ParentOf(node) == ParentOf(attributes_.back()) && KindOf(node) != kComment &&
             KindOf(node) != kFunctionDef) {
    attributes_.clear();
  }
}

void Lowering::AddImport(std::string_view local, std::string module, std::string symbol, NodeIndex node) {
  module_.imports.push_back({local, std::move(module), std::move(symbol), kModuleBody, LocOf(node)});
}

// a::b::{self, c as d, e::*}
void Lowering::AddUses(std::string_view text, std::string prefix, NodeIndex node) {
  // Paths in braces one by one; what nests is put in front and taken up again.
  constexpr std::size_t kMost = 400;
  std::vector<std::pair<std::string_view, std::string>> open{{text, std::move(prefix)}};
  for (std::size_t i = 0; i < open.size() && open.size() < kMost; ++i) {
    std::string_view path = Trimmed(open[i].first);
    std::string before = open[i].second;
    const std::size_t brace = path.find('{');
    if (brace != std::string_view::npos) {
      std::string_view head = Trimmed(path.substr(0, brace));
      if (head.ends_with("::")) head.remove_suffix(2);
      if (!head.empty()) before += (before.empty() ? "" : "::") + std::string(head);
      int depth = 0;
      std::size_t from = brace + 1;
      for (std::size_t at = brace; at < path.size(); ++at) {
        depth += path[at] == '{' ? 1 : path[at] == '}' ? -1 : 0;
        if ((path[at] != ',' || depth != 1) && depth != 0) continue;
        if (!Trimmed(path.substr(from, at - from)).empty()) open.emplace_back(path.substr(from, at - from), before);
        from = at + 1;
        if (depth == 0) break;
      }
      continue;
    }
    std::string_view local;
    if (const std::size_t as = path.find(" as "); as != std::string_view::npos) {
      local = Trimmed(path.substr(as + 4));
      path = Trimmed(path.substr(0, as));
    }
    std::string whole = before;
    if (path != "self") whole += (whole.empty() ? "" : "::") + std::string(path);
    const std::size_t cut = whole.rfind("::");
    const std::string_view of = path == "self" ? std::string_view(before) : path;
    const std::string_view last = of.substr(of.rfind(':') == std::string_view::npos ? 0 : of.rfind(':') + 1);
    if (local.empty()) local = path == "self" ? Own(std::string(last)) : last;
    std::string module = cut == std::string::npos ? whole : whole.substr(0, cut);
    const bool own = module.starts_with("crate") || module.starts_with("super") || module.starts_with("self");
    for (std::size_t at = module.find("::"); at != std::string::npos; at = module.find("::", at))
      module.replace(at, 2, own ? "/" : ".");
    std::string symbol = cut == std::string::npos ? std::string() : whole.substr(cut + 2);
    AddImport(symbol == "*" ? std::string_view("*") : local, std::move(module), std::move(symbol), node);
  }
}

void Lowering::EmitImport(NodeIndex node) {
  if (KindOf(node) == kModule) {
    const NodeIndex name = PartWith(node, kName);
    // With a body it is here; one for tests alone is nobody's.
    if (name != kNone && PartWith(node, kBody) == kNone)
      AddImport(TextOf(name), "self/" + std::string(TextOf(name)), "", node);
    return;
  }
  if (IsRust()) {
    std::string_view text = TextOf(node);
    const std::size_t use = text.find("use ");
    if (use == std::string_view::npos) return;
    text = text.substr(use + 4);
    if (text.ends_with(';')) text.remove_suffix(1);
    AddUses(text, {}, node);
    return;
  }
  const NodeIndex path = PartWith(node, kPath);
  if (path == kNone || TextOf(path).size() < 2) return;
  const std::string_view text = TextOf(path).substr(1, TextOf(path).size() - 2);
  const NodeIndex name = PartWith(node, kName);
  std::string_view local = name == kNone ? PackageOf(text) : TextOf(name);
  if (local == "_") local = {};
  const bool dot = local == "." || (name != kNone && KindOf(name) == kOther && TextOf(name) == ".");
  AddImport(dot ? std::string_view("*") : local, std::string(text), dot ? "*" : "", node);
}

// The program begins there.
void Lowering::CallMain() {
  for (FuncId id = 1; id < module_.functions.size(); ++id) {
    const Function& function = module_.functions[id];
    if (function.owner != kNone || function.parent != kModuleBody) continue;
    if (function.name != "main" && (IsRust() || function.name != "init")) continue;
    Expr name;
    name.kind = ExprKind::kName;
    name.loc = function.name_loc;
    name.text = function.name;
    module_.exprs.push_back(name);
    Expr call;
    call.kind = ExprKind::kCall;
    call.loc = function.name_loc;
    call.base = static_cast<ExprId>(module_.exprs.size() - 1);
    call.first_arg = static_cast<std::uint32_t>(module_.args.size());
    module_.exprs.push_back(call);
    module_.functions[kModuleBody].body.push_back(
        {.kind = StmtKind::kExpr, .loc = function.name_loc, .value = static_cast<ExprId>(module_.exprs.size() - 1)});
  }
}

}  // namespace interlock::scan::code::typed
