#include <algorithm>
#include <memory>
#include <utility>

#include "code/python_lowering.h"

namespace interlock::scan::code::python {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

}  // namespace

void Lowering::BuildExpressions() {
  ResetExpressions();
  for (NodeIndex node = static_cast<NodeIndex>(tree_.nodes.size()); node-- > 1;) Build(node);
}

void Lowering::Build(NodeIndex node) {
  const SyntaxNode& flat = tree_.nodes[node];
  ExprId& out = exprs_[node];
  switch (flat.kind) {
    case kIdentifier: {
      const NodeKind parent = KindOf(flat.parent);
      // Names that are parts of something else: of an attribute, a keyword, a definition, an import.
      if (flat.field == kFieldAttribute || (flat.field == kFieldName && parent != kNamed) || parent == kDottedName ||
          parent == kAliasedImport || flat.missing) {
        return;
      }
      out = New(ExprKind::kName, node, TextOf(node));
      return;
    }
    case kNumber:
      out = New(ExprKind::kNumber, node, TextOf(node));
      return;
    case kConstant:
      out = New(ExprKind::kConstant, node, TextOf(node));
      return;
    case kString:
      if (KindOf(flat.parent) != kConcatenated) {
        bool plain = true;
        out = BuildString(node, &plain);
      }
      return;
    case kConcatenated:
      out = BuildConcatenatedString(node);
      return;
    case kAttribute: {
      const NodeIndex object = PartWith(node, kFieldObject);
      const NodeIndex name = PartWith(node, kFieldAttribute);
      out = New(ExprKind::kMember, node, name == kNone ? std::string_view() : TextOf(name), ExprOf(object));
      return;
    }
    case kSubscript:
      out = BuildSubscript(node);
      return;
    case kCall:
      out = BuildCall(node);
      return;
    case kBinary:
      out = BuildBinary(node);
      return;
    case kUnary:
      out = BuildUnary(node);
      return;
    case kBoolean:
      out = NewOfParts(ExprKind::kChoice, node);
      return;
    case kConditional:
      // a if c else b: the condition first.
      scratch_.clear();
      CollectArgs(node, &scratch_);
      if (scratch_.size() > 1) std::swap(scratch_[0], scratch_[1]);
      out = NewWithArgs(ExprKind::kChoice, node, scratch_);
      return;
    case kComparison: {
      scratch_.clear();
      CollectArgs(node, &scratch_);
      const NodeIndex left = FirstPart(node);
      const NodeIndex right = left == kNone ? kNone : NextPart(left);
      const bool two = scratch_.size() == 2 && right != kNone;
      out = two ? NewWithArgs(ExprKind::kBinary, node, scratch_, OperatorBetween(left, right))
                : NewWithArgs(ExprKind::kUnknown, node, scratch_);
      return;
    }
    case kLambda:
      out = New(ExprKind::kFunction, node);
      module_.exprs[out].function = numbers_[node];
      return;
    case kNamed:
    case kAsPattern:
      for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
        if (flat.kind == kNamed ? FieldOf(part) == kFieldValue : FieldOf(part) != kFieldAlias) {
          out = ExprOf(part);
          break;
        }
      }
      return;
    case kAwait:
    case kYield:
      out = NewOfParts(ExprKind::kAwait, node);
      return;
    case kSequence:
      out = NewOfParts(ExprKind::kList, node);
      return;
    case kSplat:
      out = NewOfParts(ExprKind::kSpread, node);
      return;
    case kDictionary:
      out = BuildDictionary(node);
      return;
    case kComprehension:
      out = BuildComprehension(node);
      return;
    case kPassThrough: {
      const NodeIndex part = FirstPart(node);
      out = ExprOf(part);
      return;
    }
    case kInterpolation:
      out = ExprOf(PartWith(node, kFieldExpression));
      return;
    case kGenericType: {
      const NodeIndex base = FirstPart(node);
      const NodeIndex parameters = base == kNone ? kNone : NextPart(base);
      scratch_.clear();
      if (parameters != kNone) CollectArgs(parameters, &scratch_);
      out = NewWithArgs(ExprKind::kIndex, node, scratch_, {}, ExprOf(base));
      return;
    }
    case kDottedName:
      if (KindOf(flat.parent) == kCasePattern || KindOf(flat.parent) == kClassPattern) out = BuildDotted(node);
      return;
    case kCasePattern:
      out = ExprOf(FirstPart(node));
      return;
    case kNot:
    case kCompositeType:
    case kChevron:
    case kClassPattern:
    case kKeywordPattern:
    case kErrorNode:
      scratch_.clear();
      CollectArgs(node, &scratch_);
      if (flat.kind != kErrorNode || !scratch_.empty())
        out = NewWithArgs(ExprKind::kUnknown, node, scratch_, flat.kind == kNot ? "not" : "");
      return;
    default:
      return;
  }
}

ExprId Lowering::BuildDotted(NodeIndex node) {
  ExprId whole = kNone;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    whole =
        whole == kNone ? New(ExprKind::kName, part, TextOf(part)) : New(ExprKind::kMember, node, TextOf(part), whole);
  }
  return whole;
}

// Literal pieces and interpolated values of one string node, in order. Neighbouring literal text becomes one piece.
void Lowering::AppendPieces(NodeIndex string, std::vector<Arg>* pieces) {
  std::uint32_t at = tree_.nodes[string].begin;
  std::uint32_t end = tree_.nodes[string].end;
  Literal literal;
  const auto add_text = [&](std::uint32_t from, std::uint32_t to, NodeIndex node) {
    if (from >= to) return;
    const std::string_view body = module_.text.substr(from, to - from);
    std::string_view value = body;
    if (NeedsUnescape(body, literal)) {
      std::string owned;
      owned.reserve(body.size());
      AppendUnescaped(body, literal, &owned);
      value = Own(std::move(owned));
    }
    const ExprId piece = New(ExprKind::kString, node, value);
    module_.exprs[piece].loc = {from, to};
    pieces->push_back({piece});
  };
  for (NodeIndex part = FirstPart(string); part != kNone; part = NextPart(part)) {
    switch (KindOf(part)) {
      case kStringStart:
        literal = LiteralOf(TextOf(part));
        at = tree_.nodes[part].end;
        break;
      case kStringEnd:
        end = tree_.nodes[part].begin;
        break;
      case kInterpolation: {
        add_text(at, tree_.nodes[part].begin, string);
        at = tree_.nodes[part].end;
        if (const ExprId value = ExprOf(part); value != kNone) pieces->push_back({value});
        // A format specifier may hold values of its own.
        const NodeIndex stop = tree_.End(part);
        for (NodeIndex below = part + 1; below < stop; ++below) {
          if (KindOf(below) != kInterpolation || KindOf(tree_.nodes[below].parent) != kFormatSpecifier) continue;
          if (const ExprId value = ExprOf(below); value != kNone) pieces->push_back({value});
        }
        break;
      }
      default:
        break;
    }
  }
  add_text(at, end, string);
}

// `plain`: no value is put into it.
ExprId Lowering::BuildString(NodeIndex node, bool* plain) {
  std::vector<Arg>& pieces = scratch_;
  pieces.clear();
  AppendPieces(node, &pieces);
  *plain = true;
  for (NodeIndex part = FirstPart(node); part != kNone && *plain; part = NextPart(part)) {
    *plain = KindOf(part) != kInterpolation;
  }
  if (!*plain) return NewWithArgs(ExprKind::kFormat, node, pieces);
  if (pieces.empty()) return New(ExprKind::kString, node);
  module_.exprs[pieces[0].value].loc = LocOf(node);
  return pieces[0].value;
}

ExprId Lowering::BuildConcatenatedString(NodeIndex node) {
  std::vector<Arg>& pieces = scratch_;
  pieces.clear();
  bool plain = true;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) != kString) continue;
    AppendPieces(part, &pieces);
    for (NodeIndex piece = FirstPart(part); piece != kNone; piece = NextPart(piece)) {
      plain &= KindOf(piece) != kInterpolation;
    }
  }
  if (!plain) return NewWithArgs(ExprKind::kFormat, node, pieces);
  std::string whole;
  for (const Arg& piece : pieces) whole += module_.exprs[piece.value].text;
  return New(ExprKind::kString, node, Own(std::move(whole)));
}

ExprId Lowering::BuildSubscript(NodeIndex node) {
  const NodeIndex value = PartWith(node, kFieldValue);
  scratch_.clear();
  NodeIndex slice = kNone;
  std::size_t count = 0;
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (FieldOf(part) != kFieldSubscript) continue;
    ++count;
    if (KindOf(part) == kSlice) {
      slice = part;
      CollectArgs(part, &scratch_);
    } else if (const ExprId index = ExprOf(part); index != kNone) {
      scratch_.push_back({index});
    }
  }
  if (slice == kNone || count != 1) {
    if (count > 1) {
      const ExprId all = NewWithArgs(ExprKind::kList, node, scratch_);
      scratch_.assign(1, {all});
    }
    return NewWithArgs(ExprKind::kIndex, node, scratch_, {}, ExprOf(value));
  }
  Arg bounds[3];
  std::size_t bound = 0;
  std::uint32_t at = tree_.nodes[slice].begin;
  for (NodeIndex part = FirstPart(slice); part != kNone; part = NextPart(part)) {
    const std::string_view between = module_.text.substr(at, tree_.nodes[part].begin - at);
    bound += static_cast<std::size_t>(std::count(between.begin(), between.end(), ':'));
    if (bound < 3) bounds[bound].value = ExprOf(part);
    at = tree_.nodes[part].end;
  }
  return NewWithArgs(ExprKind::kSlice, node, bounds, {}, ExprOf(value));
}

ExprId Lowering::BuildCall(NodeIndex node) {
  const NodeIndex function = PartWith(node, kFieldFunction);
  const NodeIndex arguments = PartWith(node, kFieldArguments);
  scratch_.clear();
  if (arguments != kNone && KindOf(arguments) == kComprehension) {
    scratch_.push_back({ExprOf(arguments)});
  } else if (arguments != kNone) {
    for (NodeIndex part = FirstPart(arguments); part != kNone; part = NextPart(part)) {
      if (KindOf(part) == kKeywordArgument) {
        const NodeIndex name = PartWith(part, kFieldName);
        const ExprId value = ExprOf(PartWith(part, kFieldValue));
        if (value != kNone) scratch_.push_back({value, name == kNone ? std::string_view() : TextOf(name)});
      } else if (const ExprId value = ExprOf(part); value != kNone) {
        scratch_.push_back({value});
      }
    }
  }
  return NewWithArgs(ExprKind::kCall, node, scratch_, {}, ExprOf(function));
}

std::string_view Lowering::OperatorBetween(NodeIndex left, NodeIndex right) const {
  const std::uint32_t from = tree_.nodes[left].end;
  const std::uint32_t to = tree_.nodes[right].begin;
  if (from >= to) return {};
  std::string_view between = module_.text.substr(from, to - from);
  std::size_t first = 0;
  while (first < between.size()) {
    if (between[first] == '#') {
      first = std::min(between.find('\n', first), between.size());
    } else if (IsSpace(between[first]) || between[first] == '\\') {
      ++first;
    } else {
      break;
    }
  }
  std::size_t last = first;
  const bool word = first < between.size() && between[first] >= 'a' && between[first] <= 'z';
  while (last < between.size() && !IsSpace(between[last]) && between[last] != '\\' && between[last] != '#') ++last;
  const std::string_view op = between.substr(first, last - first);
  if (!word) return op;
  if (op == "not") return "not in";
  const std::string_view rest = between.substr(last);
  return op == "is" && rest.find("not") != std::string_view::npos ? "is not" : op;
}

ExprId Lowering::BuildBinary(NodeIndex node) {
  const NodeIndex left = FirstPart(node);
  const NodeIndex right = left == kNone ? kNone : NextPart(left);
  const std::string_view op = right == kNone ? std::string_view() : OperatorBetween(left, right);
  if (op != "+") {
    return NewOfParts(ExprKind::kBinary, node, op);
  }
  // Left operand of another `+`: its parent's turn comes later and takes these operands too.
  const NodeIndex parent = tree_.nodes[node].parent;
  if (parent != kNone && KindOf(parent) == kBinary && FirstPart(parent) == node) {
    const NodeIndex other = NextPart(node);
    if (other != kNone && OperatorBetween(node, other) == "+") return kNone;
  }
  return NewOfChain(ExprKind::kConcat, node);
}

ExprId Lowering::BuildUnary(NodeIndex node) {
  const NodeIndex argument = FirstPart(node);
  if (argument != kNone && KindOf(argument) == kNumber && TextOf(node).front() == '-') {
    const std::string_view whole = TextOf(node);
    const std::string_view digits = TextOf(argument);
    if (whole.size() == digits.size() + 1) return New(ExprKind::kNumber, node, whole);
    return New(ExprKind::kNumber, node, Own("-" + std::string(digits)));
  }
  return NewOfParts(ExprKind::kUnknown, node);
}

std::string_view Lowering::KeyText(ExprId key) const {
  if (key == kNone) return {};
  const Expr& expr = module_.exprs[key];
  const bool constant =
      expr.kind == ExprKind::kString || expr.kind == ExprKind::kNumber || expr.kind == ExprKind::kConstant;
  return constant ? expr.text : std::string_view();
}

ExprId Lowering::BuildDictionary(NodeIndex node) {
  scratch_.clear();
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) != kPair) {
      if (const ExprId spread = ExprOf(part); spread != kNone) scratch_.push_back({spread});
      continue;
    }
    const ExprId key = ExprOf(PartWith(part, kFieldKey));
    const ExprId value = ExprOf(PartWith(part, kFieldValue));
    if (value != kNone) scratch_.push_back({value, KeyText(key)});
  }
  return NewWithArgs(ExprKind::kDict, node, scratch_);
}

ExprId Lowering::BuildComprehension(NodeIndex node) {
  scratch_.clear();
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kPair) {
      CollectArgs(part, &scratch_);
    } else if (KindOf(part) == kForIn) {
      for (NodeIndex piece = FirstPart(part); piece != kNone; piece = NextPart(piece)) {
        if (FieldOf(piece) == kFieldRight && ExprOf(piece) != kNone) scratch_.push_back({ExprOf(piece), kEachOf});
      }
    } else if (const ExprId body = ExprOf(part); body != kNone) {
      scratch_.push_back({body});
    }
  }
  return NewWithArgs(ExprKind::kComprehension, node, scratch_);
}

}  // namespace interlock::scan::code::python
