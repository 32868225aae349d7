#include <algorithm>
#include <memory>
#include <utility>

#include "code/javascript_lowering.h"
#include "interlock/base/digits.h"

namespace interlock::scan::code::javascript {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// `count` hexadecimal digits at `at`, or as many as there are up to a brace; false: none.
bool ReadHex(std::string_view text, std::size_t* at, std::size_t count, std::uint32_t* value) {
  std::size_t digits = 0;
  *value = 0;
  while (digits < count && *at < text.size() && base::HexValue(text[*at]) >= 0) {
    *value = *value * 16 + static_cast<std::uint32_t>(base::HexValue(text[*at]));
    ++*at;
    ++digits;
  }
  return digits > 0;
}

}  // namespace

void AppendUnescaped(std::string_view body, std::string* out) {
  for (std::size_t i = 0; i < body.size();) {
    if (body[i] != '\\' || i + 1 >= body.size()) {
      out->push_back(body[i++]);
      continue;
    }
    const char c = body[i + 1];
    i += 2;
    std::uint32_t code = 0;
    switch (c) {
      case 'n':
        out->push_back('\n');
        break;
      case 't':
        out->push_back('\t');
        break;
      case 'r':
        out->push_back('\r');
        break;
      case 'b':
        out->push_back('\b');
        break;
      case 'v':
        out->push_back('\v');
        break;
      case 'f':
        out->push_back('\f');
        break;
      case 'x':
        if (ReadHex(body, &i, 2, &code)) base::AppendUtf8(code, out);
        break;
      case 'u': {
        if (i < body.size() && body[i] == '{') {
          ++i;
          if (ReadHex(body, &i, 6, &code)) base::AppendUtf8(code, out);
          if (i < body.size() && body[i] == '}') ++i;
          break;
        }
        if (!ReadHex(body, &i, 4, &code)) break;
        if (code >= 0xD800 && code < 0xDC00 && i + 1 < body.size() && body[i] == '\\' && body[i + 1] == 'u') {
          std::size_t next = i + 2;
          std::uint32_t low = 0;
          if (ReadHex(body, &next, 4, &low) && low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            i = next;
          }
        }
        base::AppendUtf8(code, out);
        break;
      }
      case '\n':
        break;
      case '\r':
        if (i < body.size() && body[i] == '\n') ++i;
        break;
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7': {
        code = static_cast<std::uint32_t>(c - '0');
        for (int k = 0; k < 2 && i < body.size() && body[i] >= '0' && body[i] <= '7' && code < 32; ++k) {
          code = code * 8 + static_cast<std::uint32_t>(body[i++] - '0');
        }
        base::AppendUtf8(code, out);
        break;
      }
      default:
        out->push_back(c);
    }
  }
}

void Lowering::BuildExpressions() {
  ResetExpressions();
  for (NodeIndex node = static_cast<NodeIndex>(tree_.nodes.size()); node-- > 1;) Build(node);
}

std::string_view Lowering::StringText(NodeIndex node) {
  std::string_view text = TextOf(node);
  if (text.size() >= 2) {
    text = text.substr(1, text.size() - 2);
  } else {
    return {};
  }
  if (text.find('\\') == std::string_view::npos) return text;
  std::string out;
  out.reserve(text.size());
  AppendUnescaped(text, &out);
  return Own(std::move(out));
}

std::string_view Lowering::KeyOf(NodeIndex key) {
  if (key == kNone) return {};
  switch (KindOf(key)) {
    case kPropertyName:
    case kNumber:
    case kShorthandPattern:
    case kShorthand:
    case kIdentifier:
      return TextOf(key);
    case kString:
    case kTemplate:
      if (ExprOf(key) != kNone && module_.exprs[ExprOf(key)].kind == ExprKind::kString) {
        return module_.exprs[ExprOf(key)].text;
      }
      return {};
    case kComputedName: {
      const ExprId inner = ExprOf(FirstPart(key));
      if (inner == kNone) return {};
      // [Symbol.iterator](): the language calls it by that name.
      const std::string_view symbol = TextOf(FirstPart(key));
      if (module_.exprs[inner].kind == ExprKind::kMember && symbol.starts_with("Symbol.")) return symbol;
      return module_.exprs[inner].kind == ExprKind::kString ? module_.exprs[inner].text : std::string_view();
    }
    default:
      return {};
  }
}

void Lowering::Build(NodeIndex node) {
  const SyntaxNode& flat = tree_.nodes[node];
  ExprId& out = exprs_[node];
  switch (flat.kind) {
    case kIdentifier:
    case kShorthand:
    case kShorthandPattern: {
      const NodeKind parent = KindOf(flat.parent);
      if (flat.missing || parent == kImportSpecifier || parent == kExportSpecifier || parent == kImportClause ||
          parent == kNamespaceImport) {
        return;
      }
      out = New(ExprKind::kName, node, TextOf(node));
      return;
    }
    case kString:
      out = New(ExprKind::kString, node, StringText(node));
      return;
    case kTemplate:
      out = BuildTemplate(node);
      return;
    case kNumber:
      out = New(ExprKind::kNumber, node, TextOf(node));
      return;
    case kConstant:
      out = New(ExprKind::kConstant, node, TextOf(node));
      return;
    case kRegex:
      out = New(ExprKind::kUnknown, node, TextOf(node));
      return;
    case kMember: {
      const NodeIndex property = PartWith(node, kFieldProperty);
      out = New(ExprKind::kMember, node, property == kNone ? std::string_view() : TextOf(property),
                ExprOf(PartWith(node, kFieldObject)));
      return;
    }
    case kSubscript: {
      scratch_.clear();
      if (const ExprId index = ExprOf(PartWith(node, kFieldIndex)); index != kNone) scratch_.push_back({index});
      out = NewWithArgs(ExprKind::kIndex, node, scratch_, {}, ExprOf(PartWith(node, kFieldObject)));
      return;
    }
    case kCall:
    case kNew:
      out = BuildCall(node);
      return;
    case kBinary:
      out = BuildBinary(node);
      return;
    case kUnary:
      out = BuildUnary(node);
      return;
    case kTernary:
      out = NewOfParts(ExprKind::kChoice, node);
      return;
    case kAssignment:
      out = ExprOf(PartWith(node, kFieldRight));
      return;
    case kAugmented: {
      const NodeIndex left = PartWith(node, kFieldLeft);
      const NodeIndex right = PartWith(node, kFieldRight);
      scratch_.clear();
      if (ExprOf(left) != kNone) scratch_.push_back({ExprOf(left)});
      if (ExprOf(right) != kNone) scratch_.push_back({ExprOf(right)});
      std::string_view op = left == kNone || right == kNone ? std::string_view() : OperatorBetween(left, right);
      if (op == "+=") {
        out = NewWithArgs(ExprKind::kConcat, node, scratch_);
      } else if (op == "||=" || (op.size() == 3 && op[0] == '?') || op == "&&=") {
        out = NewWithArgs(ExprKind::kChoice, node, scratch_);
      } else {
        if (op.ends_with('=')) op.remove_suffix(1);
        out = NewWithArgs(scratch_.size() == 2 ? ExprKind::kBinary : ExprKind::kUnknown, node, scratch_, op);
      }
      return;
    }
    case kSequence: {
      ExprId last = kNone;
      for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) last = ExprOf(part);
      out = last;
      return;
    }
    case kPassThrough:
    case kSubstitution:
    case kComputedName:
    case kExtends:
    case kJsxAttribute: {
      // The first that is an expression: types are not in the tree.
      for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
        if (ExprOf(part) == kNone) continue;
        out = ExprOf(part);
        return;
      }
      return;
    }
    case kArrow:
    case kFunctionExpression:
      out = New(ExprKind::kFunction, node);
      module_.exprs[out].function = numbers_[node];
      module_.exprs[out].is_async = module_.functions[numbers_[node]].is_async;
      return;
    case kMethod:
      if (KindOf(flat.parent) == kClassBody) return;
      out = New(ExprKind::kFunction, node);
      module_.exprs[out].function = numbers_[node];
      return;
    case kClassExpression:
      out = New(ExprKind::kClass, node);
      module_.exprs[out].function = numbers_[node];
      return;
    case kFunctionDeclaration:
    case kClassDeclaration:
      // `export default function () {}` has no other name.
      if (KindOf(flat.parent) == kExportStatement && PartWith(node, kFieldName) == kNone) {
        out = New(flat.kind == kClassDeclaration ? ExprKind::kClass : ExprKind::kFunction, node);
        module_.exprs[out].function = numbers_[node];
      }
      return;
    case kObject:
      out = BuildObject(node);
      return;
    case kObjectPattern:
      out = BuildObjectPattern(node);
      return;
    case kArray:
    case kArrayPattern:
      out = NewOfParts(ExprKind::kList, node);
      return;
    case kAssignPattern:
    case kObjectAssignPattern:
      out = ExprOf(PartWith(node, kFieldLeft));
      return;
    case kSpread:
    case kRestPattern:
      out = NewOfParts(ExprKind::kSpread, node);
      return;
    case kAwait:
    case kYield:
      out = NewOfParts(ExprKind::kAwait, node);
      return;
    case kMeta:
      out = New(ExprKind::kName, node, TextOf(node));
      return;
    case kJsx:
      out = BuildJsx(node);
      return;
    case kDecorator:
      out = ExprOf(FirstPart(node));
      return;
    case kUpdate:
    case kErrorNode:
      scratch_.clear();
      CollectArgs(node, &scratch_);
      if (!scratch_.empty()) out = NewWithArgs(ExprKind::kUnknown, node, scratch_);
      return;
    default:
      return;
  }
}

ExprId Lowering::BuildCall(NodeIndex node) {
  const bool is_new = KindOf(node) == kNew;
  const NodeIndex callee = PartWith(node, is_new ? kFieldConstructor : kFieldFunction);
  const NodeIndex arguments = PartWith(node, kFieldArguments);
  if (arguments != kNone && IsRawTemplate(arguments)) return ExprOf(arguments);
  scratch_.clear();
  if (arguments != kNone) {
    if (KindOf(arguments) == kArguments) {
      CollectArgs(arguments, &scratch_);
    } else if (ExprOf(arguments) != kNone) {
      scratch_.push_back({ExprOf(arguments)});  // tag`...`
    }
  }
  const ExprId id = NewWithArgs(ExprKind::kCall, node, scratch_, {}, ExprOf(callee));
  module_.exprs[id].is_new = is_new;
  return id;
}

std::string_view Lowering::OperatorBetween(NodeIndex left, NodeIndex right) const {
  const std::uint32_t from = tree_.nodes[left].end;
  const std::uint32_t to = tree_.nodes[right].begin;
  if (from >= to) return {};
  std::string_view between = module_.text.substr(from, to - from);
  std::size_t at = 0;
  while (at < between.size()) {
    if (IsSpace(between[at]) || between[at] == ')') {
      ++at;
    } else if (between.substr(at, 2) == "//") {
      at = std::min(between.find('\n', at), between.size());
    } else if (between.substr(at, 2) == "/*") {
      const std::size_t close = between.find("*/", at + 2);
      at = close == std::string_view::npos ? between.size() : close + 2;
    } else {
      break;
    }
  }
  std::size_t last = at;
  const bool word = last < between.size() && between[last] >= 'a' && between[last] <= 'z';
  while (last < between.size() && !IsSpace(between[last]) && between[last] != '(' && between.substr(last, 2) != "/*" &&
         between.substr(last, 2) != "//" && (word == (between[last] >= 'a' && between[last] <= 'z'))) {
    ++last;
  }
  return between.substr(at, last - at);
}

ExprId Lowering::BuildBinary(NodeIndex node) {
  const NodeIndex left = PartWith(node, kFieldLeft);
  const NodeIndex right = PartWith(node, kFieldRight);
  if (left == kNone || right == kNone) {
    return NewOfParts(ExprKind::kUnknown, node);
  }
  const std::string_view op = OperatorBetween(left, right);
  const bool concat = op == "+";
  const bool choice = op == "||" || op == "&&" || op == "??";
  if (!concat && !choice) {
    scratch_.clear();
    if (ExprOf(left) != kNone) scratch_.push_back({ExprOf(left)});
    if (ExprOf(right) != kNone) scratch_.push_back({ExprOf(right)});
    return NewWithArgs(scratch_.size() == 2 ? ExprKind::kBinary : ExprKind::kUnknown, node, scratch_, op);
  }
  // Left operand of another of the same operator: the topmost takes all operands of the chain.
  const NodeIndex parent = ParentOf(node);
  if (KindOf(parent) == kBinary && FieldOf(node) == kFieldLeft) {
    const NodeIndex other = PartWith(parent, kFieldRight);
    if (other != kNone && OperatorBetween(node, other) == op) return kNone;
  }
  return NewOfChain(concat ? ExprKind::kConcat : ExprKind::kChoice, node);
}

ExprId Lowering::BuildUnary(NodeIndex node) {
  const NodeIndex argument = PartWith(node, kFieldArgument);
  const std::string_view whole = TextOf(node);
  if (argument != kNone && KindOf(argument) == kNumber && !whole.empty()) {
    const std::string_view digits = TextOf(argument);
    if (whole[0] == '-') return New(ExprKind::kNumber, node, Own("-" + std::string(digits)));
    if (whole[0] == '+') return New(ExprKind::kNumber, node, digits);
    // As minifiers write them: !0, !1, void 0.
    if (whole[0] == '!') return New(ExprKind::kConstant, node, digits == "0" ? "true" : "false");
    if (whole.starts_with("void")) return New(ExprKind::kConstant, node, "undefined");
  }
  scratch_.clear();
  CollectArgs(node, &scratch_);
  const std::string_view op = whole.starts_with('!') ? "!" : whole.starts_with("typeof") ? "typeof" : "";
  return NewWithArgs(ExprKind::kUnknown, node, scratch_, op);
}

// String.raw`...`: the letters as they stand there.
bool Lowering::IsRawTemplate(NodeIndex node) const {
  if (KindOf(node) != kTemplate || KindOf(tree_.nodes[node].parent) != kCall) return false;
  const NodeIndex tag = PartWith(tree_.nodes[node].parent, kFieldFunction);
  return tag != kNone && TextOf(tag) == "String.raw";
}

ExprId Lowering::BuildTemplate(NodeIndex node) {
  const bool raw = IsRawTemplate(node);
  std::uint32_t at = tree_.nodes[node].begin + 1;
  const std::uint32_t end = std::max(at, tree_.nodes[node].end - 1);
  scratch_.clear();
  bool plain = true;
  const auto add_text = [&](std::uint32_t from, std::uint32_t to) {
    if (from >= to) return;
    std::string_view body = module_.text.substr(from, to - from);
    if (!raw && body.find('\\') != std::string_view::npos) {
      std::string owned;
      AppendUnescaped(body, &owned);
      body = Own(std::move(owned));
    }
    const ExprId piece = New(ExprKind::kString, node, body);
    module_.exprs[piece].loc = {from, to};
    scratch_.push_back({piece});
  };
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) != kSubstitution) continue;
    plain = false;
    add_text(at, tree_.nodes[part].begin);
    at = tree_.nodes[part].end;
    if (ExprOf(part) != kNone) scratch_.push_back({ExprOf(part)});
  }
  add_text(at, end);
  if (!plain) return NewWithArgs(ExprKind::kFormat, node, scratch_);
  if (scratch_.empty()) return New(ExprKind::kString, node);
  module_.exprs[scratch_[0].value].loc = LocOf(node);
  return scratch_[0].value;
}

ExprId Lowering::BuildObject(NodeIndex node) {
  scratch_.clear();
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    switch (KindOf(part)) {
      case kPair: {
        const ExprId value = ExprOf(PartWith(part, kFieldValue));
        if (value != kNone) scratch_.push_back({value, KeyOf(PartWith(part, kFieldKey))});
        break;
      }
      case kMethod:
        if (ExprOf(part) != kNone) scratch_.push_back({ExprOf(part), KeyOf(PartWith(part, kFieldName))});
        break;
      case kShorthand:
        scratch_.push_back({ExprOf(part), TextOf(part)});
        break;
      default:
        if (ExprOf(part) != kNone) scratch_.push_back({ExprOf(part)});
    }
  }
  return NewWithArgs(ExprKind::kDict, node, scratch_);
}

ExprId Lowering::BuildObjectPattern(NodeIndex node) {
  scratch_.clear();
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    switch (KindOf(part)) {
      case kPairPattern: {
        const ExprId value = ExprOf(PartWith(part, kFieldValue));
        if (value != kNone) scratch_.push_back({value, KeyOf(PartWith(part, kFieldKey))});
        break;
      }
      case kShorthandPattern:
        if (ExprOf(part) != kNone) scratch_.push_back({ExprOf(part), TextOf(part)});
        break;
      case kObjectAssignPattern: {
        const NodeIndex left = PartWith(part, kFieldLeft);
        if (ExprOf(part) != kNone && left != kNone) scratch_.push_back({ExprOf(part), KeyOf(left)});
        break;
      }
      default:
        if (ExprOf(part) != kNone) scratch_.push_back({ExprOf(part)});
    }
  }
  return NewWithArgs(ExprKind::kDict, node, scratch_);
}

// Attributes' and children's values.
ExprId Lowering::BuildJsx(NodeIndex node) {
  scratch_.clear();
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (KindOf(part) == kJsxOpening) {
      for (NodeIndex inner = FirstPart(part); inner != kNone; inner = NextPart(inner)) {
        if (FieldOf(inner) != kFieldName && ExprOf(inner) != kNone) scratch_.push_back({ExprOf(inner)});
      }
    } else if (FieldOf(part) != kFieldName && ExprOf(part) != kNone) {
      scratch_.push_back({ExprOf(part)});
    }
  }
  return NewWithArgs(ExprKind::kUnknown, node, scratch_);
}

}  // namespace interlock::scan::code::javascript
