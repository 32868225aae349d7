// Operators over values: texts put together, sliced, indexed, computed.
#include <algorithm>

#include "code/resolve_internal.h"
#include "code/world.h"

namespace interlock::scan::code {
namespace {

void AppendCodePoint(std::string& out, long code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

Value ModuleView::OfJoined(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.empty()) return expr.kind == ExprKind::kFormat ? TextValue("", 0, 0) : Value();
  std::string text;
  std::uint8_t obfuscation = 0;
  std::uint8_t decodes = 0;
  bool list = false;
  Value joined;
  for (const Arg& arg : args) {
    const Value& part = Evaluate(arg.value, scope);
    obfuscation = std::max(obfuscation, part.obfuscation);
    decodes = std::max(decodes, part.decodes);
    if (part.kind == ValueKind::kList && expr.kind == ExprKind::kConcat) {
      list = true;
      if (joined.items.size() + part.items.size() > kMaxItems || !Spend(part.items.size() * 32)) return {};
      joined.items.append(part.items);
      continue;
    }
    if (part.kind != ValueKind::kText || list || text.size() + part.text.size() > kMaxLiteral) return {};
    text += part.text;
  }
  if (list) {
    joined.kind = ValueKind::kList;
    joined.obfuscation = obfuscation;
    return joined;
  }
  if (!Spend(text.size() / 4 + 8)) return {};
  if (args.size() > 1) obfuscation = std::max<std::uint8_t>(obfuscation, 1);
  return TextValue(std::move(text), obfuscation, decodes);
}

Value ModuleView::OfSlice(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  const Value& base = Evaluate(expr.base, scope);
  if (base.kind != ValueKind::kText && base.kind != ValueKind::kList) return {};
  const long size = static_cast<long>(base.kind == ValueKind::kText ? base.text.size() : base.items.size());
  long bounds[3] = {0, 0, 1};
  bool given[3] = {false, false, false};
  for (std::size_t i = 0; i < 3 && i < args.size(); ++i) {
    if (args[i].value == kNone) continue;
    const Expr& bound = module_.exprs[args[i].value];
    const Arg* inner = nullptr;
    if (bound.kind == ExprKind::kConstant) continue;
    // A minus sign may come as a part of the number or around it.
    long sign = 1;
    const Value* value = &Evaluate(args[i].value, scope);
    if (value->kind == ValueKind::kUnknown && bound.arg_count == 1 && bound.text == "-") {
      inner = &module_.args[bound.first_arg];
      value = &Evaluate(inner->value, scope);
      sign = -1;
    }
    if (!ToInt(*value, bounds[i])) return {};
    bounds[i] *= sign;
    given[i] = true;
  }
  const long step = bounds[2];
  if (step == 0) return {};
  const auto clamp = [&](long at, long low, long high) { return std::clamp(at < 0 ? at + size : at, low, high); };
  long from = given[0]   ? (step > 0 ? clamp(bounds[0], 0, size) : clamp(bounds[0], -1, size - 1))
              : step > 0 ? 0
                         : size - 1;
  const long to = given[1]   ? (step > 0 ? clamp(bounds[1], 0, size) : clamp(bounds[1], -1, size - 1))
                  : step > 0 ? size
                             : -1;
  if (!Spend(static_cast<std::size_t>(size) / 4 + 8)) return {};
  Value value;
  value.kind = base.kind;
  value.decodes = base.decodes;
  for (; step > 0 ? from < to : from > to; from += step) {
    if (from < 0 || from >= size) break;
    const auto at = static_cast<std::size_t>(from);
    if (base.kind == ValueKind::kText) {
      value.text += base.text[at];
    } else {
      value.items.push_back(base.items[at]);
    }
  }
  value.obfuscation = step < 0 || base.obfuscation >= 2 ? (base.obfuscation >= 2 && step < 0 ? 3 : 2) : 1;
  return value;
}

Value ModuleView::OfIndex(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.empty()) return {};
  const Value& base = Evaluate(expr.base, scope);
  if (base.kind == ValueKind::kUnknown) return {};
  const Value& key = Evaluate(args[0].value, scope);
  if (base.kind == ValueKind::kList || base.kind == ValueKind::kText) {
    long at = 0;
    const long size = static_cast<long>(base.kind == ValueKind::kText ? base.text.size() : base.items.size());
    if (!ToInt(key, at)) return {};
    if (at < 0) at += size;
    if (at < 0 || at >= size) return {};
    if (base.kind == ValueKind::kText)
      return TextValue(std::string(1, base.text[static_cast<std::size_t>(at)]), 2, base.decodes);
    return base.items[static_cast<std::size_t>(at)];
  }
  if (key.kind != ValueKind::kText) {
    return base.kind == ValueKind::kQualified && !IsModuleObject(base) ? Qualified(base.text + "[]") : Value();
  }
  if (base.kind == ValueKind::kDict) return MemberOf(base, key.text);
  Value value;
  if (is_python()) {
    // Tables of names: module dictionaries, globals(), sys.modules. Anything else indexed stays a container.
    if (base.kind == ValueKind::kQualified && base.text.ends_with(".__dict__")) {
      value = MemberOf(Qualified(base.text.substr(0, base.text.size() - 9)), key.text);
    } else if (base.kind == ValueKind::kQualified && (base.text == "globals()" || base.text == "builtins")) {
      value = MemberOf(base, key.text);
    } else if (base.kind == ValueKind::kQualified && base.text == "sys.modules") {
      value = OfTarget(key.text);
    } else if (base.kind == ValueKind::kQualified && !IsModuleObject(base)) {
      const Expr& origin = module_.exprs[expr.base];
      if (origin.kind != ExprKind::kCall) return Qualified(base.text + "[]");
      value = MemberOf(base, key.text);  // vars(os)["system"]
    } else {
      return {};
    }
  } else {
    value = MemberOf(base, key.text);
    if (key.obfuscation == 0 && module_.exprs[args[0].value].kind == ExprKind::kString) return value;  // obj["name"]
  }
  value.obfuscation = std::max({value.obfuscation, base.obfuscation, LookupObfuscation(key)});
  return value;
}

Value ModuleView::OfBinary(ExprId id, FuncId scope) const {
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.size() != 2) {
    if (args.size() == 1 && expr.text == "-") {
      const Value& value = Evaluate(args[0].value, scope);
      if (value.kind == ValueKind::kText && value.text.size() < 20) return TextValue("-" + value.text, 0, 0);
    }
    return {};
  }
  const Value& left = Evaluate(args[0].value, scope);
  if (expr.text == "/" && left.kind == ValueKind::kInstance && left.text.starts_with("pathlib.")) return left;
  const Value& right = Evaluate(args[1].value, scope);
  long a = 0;
  long b = 0;
  if (ToInt(left, a) && ToInt(right, b)) {
    long result = 0;
    if (expr.text == "^") {
      result = a ^ b;
    } else if (expr.text == "-") {
      result = a - b;
    } else if (expr.text == "+") {
      result = a + b;
    } else if (expr.text == "*" && std::abs(a) < 65536 && std::abs(b) < 65536) {
      result = a * b;
    } else if (expr.text == "%" && b > 0 && a >= 0) {
      result = a % b;
    } else {
      return {};
    }
    return TextValue(std::to_string(result), 2, 0);
  }
  if (!is_python()) return {};
  // {...} | {...}: the fields of both.
  if (expr.text == "|" && left.kind == ValueKind::kDict && right.kind == ValueKind::kDict) {
    constexpr std::size_t kMostFields = 64;
    if (left.keys.size() + right.keys.size() > kMostFields || !SpendOn(left) || !SpendOn(right)) return {};
    Value both = right;
    for (std::size_t i = 0; i < left.keys.size() && i < left.items.size(); ++i) {
      if (std::ranges::find(right.keys, left.keys[i]) != right.keys.end()) continue;
      both.keys.push_back(left.keys[i]);
      both.items.push_back(left.items[i]);
    }
    return both;
  }
  if (left.kind == ValueKind::kText && expr.text == "*" && ToInt(right, b)) {
    // "-" * 60: no more than a line or two; a larger one is nothing that is looked at.
    constexpr std::size_t kLongest = 1024;
    const auto times = static_cast<std::size_t>(std::max(b, 0L));
    if (left.text.empty() || times > kLongest / left.text.size() || !SpendOn(left)) return {};
    Value out = left;
    out.text.clear();
    for (std::size_t i = 0; i < times; ++i) out.text += left.text;
    return out;
  }
  if (left.kind != ValueKind::kText || expr.text != "%") return {};
  // '%s%s' % ('ex', 'ec')
  std::string text;
  std::size_t next = 0;
  std::uint8_t obfuscation = std::max<std::uint8_t>({left.obfuscation, right.obfuscation, 1});
  for (std::size_t i = 0; i < left.text.size(); ++i) {
    if (left.text[i] != '%') {
      text += left.text[i];
      continue;
    }
    if (++i >= left.text.size()) return {};
    if (left.text[i] == '%') {
      text += '%';
      continue;
    }
    if (left.text[i] == '(' && right.kind == ValueKind::kDict) {
      // "%(name)s" % {"name": ...}
      const std::size_t close = left.text.find(')', i);
      if (close == std::string::npos || close + 1 >= left.text.size()) return {};
      const auto key = std::ranges::find(right.keys, left.text.substr(i + 1, close - i - 1));
      const auto at = static_cast<std::size_t>(key - right.keys.begin());
      if (key == right.keys.end() || at >= right.items.size() || right.items[at].kind != ValueKind::kText) return {};
      text += right.items[at].text;
      i = close + 1;
      continue;
    }
    if (left.text[i] != 's' && left.text[i] != 'd' && left.text[i] != 'c') return {};
    const Value* piece = right.kind == ValueKind::kText && next == 0                   ? &right
                         : right.kind == ValueKind::kList && next < right.items.size() ? &right.items[next]
                                                                                       : nullptr;
    if (piece == nullptr || piece->kind != ValueKind::kText) return {};
    long code = 0;
    if (left.text[i] == 'c' && ToInt(*piece, code) && code >= 0 && code < 0x110000) {
      AppendCodePoint(text, code);
      obfuscation = std::max<std::uint8_t>(obfuscation, 2);
    } else {
      text += piece->text;
    }
    ++next;
    if (text.size() > kMaxLiteral) return {};
  }
  if (!Spend(text.size() / 4 + 8)) return {};
  return TextValue(std::move(text), obfuscation, std::max(left.decodes, right.decodes));
}

Value ModuleView::OfComprehension(ExprId id, FuncId scope) const {
  // [chr(c ^ 7) for c in (104, 98)]: one element, one constant list, its variable assigned just before.
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  if (args.size() != 2 || overrides_.size() > 1) return {};
  const Value source = Evaluate(args[1].value, scope);
  Value items;
  items.kind = ValueKind::kList;
  std::vector<Value> inputs;
  if (source.kind == ValueKind::kList) {
    inputs = source.items.ToVector();
  } else if (source.kind == ValueKind::kText && source.text.size() <= kMaxItems) {
    for (const char c : source.text) inputs.push_back(TextValue(std::string(1, c), source.obfuscation, source.decodes));
  }
  if (inputs.empty() || inputs.size() > kMaxItems || !Spend(inputs.size() * 128)) return {};
  std::uint32_t variable = kNone;
  if (slot_of_value_.empty()) {
    for (const Binding& binding : bindings_) {
      if (!binding.destructured) slot_of_value_[binding.value] = binding.slot;
    }
  }
  if (const auto at = slot_of_value_.find(args[1].value); at != slot_of_value_.end()) variable = at->second;
  if (variable == kNone) return {};
  for (const Value& input : inputs) {
    overrides_[variable] = input;
    const std::size_t before = values_.size();
    Value value = Evaluate(args[0].value, scope);
    while (values_.size() > before) values_.pop_back();
    overrides_.erase(variable);
    if (value.kind == ValueKind::kUnknown) return {};
    // f"'{name}'" for name in ("chrome", "msedge"): what stands in the list stands in the text.
    constexpr std::size_t kWord = 3;
    const bool wraps = input.kind == ValueKind::kText && value.kind == ValueKind::kText && input.text.size() >= kWord &&
                       value.text.find(input.text) != std::string::npos;
    if (!wraps) value.obfuscation = std::max<std::uint8_t>(value.obfuscation, 2);
    items.obfuscation = std::max(items.obfuscation, value.obfuscation);
    items.items.push_back(std::move(value));
  }
  return items;
}

}  // namespace interlock::scan::code
