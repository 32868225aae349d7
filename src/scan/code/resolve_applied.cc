// Texts that go through something on their way: tags of templates, small functions of the package, patterns without a
// secret, objects that only carry them.
#include <algorithm>
#include <array>

#include "code/resolve_internal.h"
#include "code/world.h"
#include "static/part_set.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kMostApplied = 256;   // elements of a list that a function is asked for
constexpr std::size_t kSmallFunction = 16;  // statements
constexpr std::size_t kDeepest = 3;         // variables that are given at once

// /_/g, /\|/: letters and nothing more. nullopt: a pattern that stands for several texts.
std::optional<std::string> OneText(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      // \n and \d stand for something else.
      if (++i >= pattern.size() || (pattern[i] >= '0' && pattern[i] <= 'z' && pattern[i] != '\\' && pattern[i] != '_'))
        return std::nullopt;
      out += pattern[i];
      continue;
    }
    if (std::string_view("^$.*+?()[]{}|").find(c) != std::string_view::npos) return std::nullopt;
    out += c;
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

// What $name and ${name} of string.Template stand for.
std::optional<std::string> Substituted(std::string_view text, std::span<const Value> values,
                                       std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    if (text.substr(i, 2) == "$$") {
      out += '$';
      i += 2;
      continue;
    }
    const bool braced = text.substr(i, 2) == "${";
    const std::size_t from = i + (braced ? 2 : 1);
    std::size_t end = from;
    while (end < text.size() && (text[end] == '_' || (text[end] >= '0' && text[end] <= '9') ||
                                 ((text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'z')))
      ++end;
    const auto at = std::ranges::find(names, text.substr(from, end - from));
    const auto index = static_cast<std::size_t>(at - names.begin());
    if (at == names.end() || index >= values.size() || values[index].kind != ValueKind::kText) return std::nullopt;
    out += values[index].text;
    i = end + (braced ? 1 : 0);
  }
  return out;
}

}  // namespace

// tag`text`: what a tag makes of its text is that text, laid out anew or escaped. `$` runs it, and gives its output.
bool ModuleView::IsTagged(const Expr& call) const {
  if (is_python() || is_typed() || call.arg_count != 1 || call.is_new || call.base >= module_.exprs.size())
    return false;
  const Expr& tag = module_.exprs[call.base];
  return tag.loc.end < module_.text.size() && module_.text[tag.loc.end] == '`' && !tag.text.starts_with('$');
}

// What a small function of this file gives back for these: the only thing that it gives back, with its parameters
// known.
std::optional<Value> ModuleView::Applied(const Value& function, std::span<const Value> args) const {
  if (function.kind != ValueKind::kFunction || function.module != index_ ||
      function.index >= module_.functions.size() || overrides_.size() + args.size() > kDeepest) {
    return std::nullopt;
  }
  const Function& applied = module_.functions[function.index];
  const Stmt* only = OnlyGiven(applied);
  if (only == nullptr || applied.body.size() > kSmallFunction) return std::nullopt;
  std::array<std::uint32_t, kDeepest> given{};
  std::size_t count = 0;
  bool fits = true;
  const std::size_t self = applied.owner != kNone && !applied.is_static && is_python() ? 1 : 0;
  for (std::size_t i = self; i < args.size() + self && i < applied.params.size(); ++i) {
    const std::uint32_t slot = SlotOfParam(function.index, i);
    // A parameter that is given already is a function that calls itself; what runs over a list has a value of its own.
    fits = fits && slot != kNone && !applied.params[i].variadic && slots_[slot].count <= 1 &&
           overrides_.try_emplace(slot, args[i - self]).second;
    if (!fits) break;
    given[count++] = slot;
  }
  std::optional<Value> out;
  if (fits && count > 0) {
    const std::size_t before = values_.size();
    Value value = Evaluate(only->value, function.index);
    while (values_.size() > before) values_.pop_back();
    if (value.kind == ValueKind::kText || value.kind == ValueKind::kList) out = std::move(value);
  }
  for (std::size_t i = 0; i < count; ++i) overrides_.erase(given[i]);
  return out;
}

// list.map(fn), list.reduce((all, one) => all + one, first)
std::optional<Value> ModuleView::AppliedToEach(std::string_view method, const Value& list, const Value& function,
                                               const Value* first) const {
  if (list.kind != ValueKind::kList || list.items.empty() || list.items.size() > kMostApplied ||
      !Spend(list.items.size() * 128)) {
    return std::nullopt;
  }
  if (method == "map") {
    Value out;
    out.kind = ValueKind::kList;
    out.decodes = list.decodes;
    for (const Value& item : list.items) {
      std::optional<Value> one = Applied(function, std::span(&item, 1));
      if (!one) return std::nullopt;
      out.obfuscation = std::max(out.obfuscation, one->obfuscation);
      out.items.push_back(*std::move(one));
    }
    return out;
  }
  Value all = first != nullptr ? *first : list.items[0];
  for (std::size_t i = first != nullptr ? 0 : 1; i < list.items.size(); ++i) {
    const std::array<Value, 2> both{std::move(all), list.items[i]};
    std::optional<Value> joined = Applied(function, both);
    if (!joined) return std::nullopt;
    all = *std::move(joined);
  }
  return all;
}

// words = []; words.append("curl ..."); words.push("| sh"): the elements of a list, and what the same function puts
// behind them. Empty: it is no list that stands here, or too long.
std::vector<Arg> ModuleView::GrownList(ExprId list, FuncId scope) const {
  constexpr std::size_t kMostElements = 64;
  constexpr std::size_t kMostStatements = 400;
  const ExprId made = Origin(list, scope);
  if (made >= module_.exprs.size() || module_.exprs[made].kind != ExprKind::kList ||
      module_.exprs[made].arg_count > kMostElements) {
    return {};
  }
  const auto first = module_.ArgsOf(module_.exprs[made]);
  std::vector<Arg> out(first.begin(), first.end());
  if (module_.exprs[list].kind != ExprKind::kName || scope >= module_.functions.size()) return out;
  const std::uint32_t slot = SlotOf(list, scope);
  const std::vector<Stmt>& body = module_.functions[scope].body;
  if (slot == kNone || body.size() > kMostStatements) return out;
  for (const Stmt& stmt : body) {
    if (stmt.value >= module_.exprs.size() || stmt.loc.begin > module_.exprs[list].loc.begin) continue;
    const Expr& call = module_.exprs[stmt.value];
    if (call.kind != ExprKind::kCall || call.base >= module_.exprs.size()) continue;
    const Expr& method = module_.exprs[call.base];
    if (method.kind != ExprKind::kMember || (method.text != "append" && method.text != "push") ||
        method.base >= module_.exprs.size() || module_.exprs[method.base].kind != ExprKind::kName ||
        SlotOf(method.base, scope) != slot) {
      continue;
    }
    const auto put = module_.ArgsOf(call);
    if (out.size() + put.size() > kMostElements) return {};
    out.insert(out.end(), put.begin(), put.end());
  }
  return out;
}

// " ".join(words), words.join(" "), where more is in `words` than the list that it began as.
bool ModuleView::JoinsGrownList(const Expr& call, FuncId scope) const {
  if (call.kind != ExprKind::kCall || call.base >= module_.exprs.size()) return false;
  const Expr& method = module_.exprs[call.base];
  if (method.kind != ExprKind::kMember || method.text != "join" || (is_python() && call.arg_count != 1)) return false;
  const ExprId list = is_python() ? module_.ArgsOf(call)[0].value : method.base;
  if (list >= module_.exprs.size() || module_.exprs[list].kind != ExprKind::kName) return false;
  const ExprId made = Origin(list, scope);
  return made < module_.exprs.size() && GrownList(list, scope).size() > module_.exprs[made].arg_count;
}

// "a_b".replace(/_/g, " "), re.sub("_", " ", "a_b"): with a pattern that stands for one text.
std::optional<Value> ModuleView::OfPattern(const Value& callee, const Expr& call, FuncId scope) const {
  const auto args = module_.ArgsOf(call);
  std::string pattern;
  bool all = true;
  const Value* text = nullptr;
  const Value* with = nullptr;
  if (is_python()) {
    if (callee.text != "re.sub" || args.size() != 3) return std::nullopt;
    pattern = Evaluate(args[0].value, scope).text;
    with = &Evaluate(args[1].value, scope);
    text = &Evaluate(args[2].value, scope);
  } else {
    if (call.base >= module_.exprs.size()) return std::nullopt;  // deeper than trees are kept
    const Expr& method = module_.exprs[call.base];
    if (method.kind != ExprKind::kMember || (method.text != "replace" && method.text != "replaceAll") ||
        args.size() != 2 || args[0].value >= module_.exprs.size()) {
      return std::nullopt;
    }
    const std::string_view written = module_.exprs[args[0].value].text;
    const std::size_t last = written.rfind('/');
    if (module_.exprs[args[0].value].kind != ExprKind::kUnknown || !written.starts_with('/') || last == 0)
      return std::nullopt;
    pattern = written.substr(1, last - 1);
    all = written.find('g', last) != std::string_view::npos;
    with = &Evaluate(args[1].value, scope);
    text = &Evaluate(method.base, scope);
  }
  const std::optional<std::string> from = OneText(pattern);
  if (!from || text->kind != ValueKind::kText || with->kind != ValueKind::kText || with->text.size() > 64 ||
      with->text.find_first_of("$\\") != std::string::npos || !Spend(text->text.size() + 8)) {
    return std::nullopt;
  }
  std::string out;
  std::size_t at = 0;
  for (std::size_t hit = text->text.find(*from); hit != std::string::npos && out.size() < kMaxLiteral;
       hit = all ? text->text.find(*from, at) : std::string::npos) {
    out.append(text->text, at, hit - at);
    out += with->text;
    at = hit + from->size();
  }
  out.append(text->text, at);
  return TextValue(std::move(out), std::max<std::uint8_t>(text->obfuscation, 1), text->decodes);
}

// Template("... $name").substitute(name="..."), StringIO("...").read(): what the object was made with.
std::optional<Value> ModuleView::OfCarrier(const Value& callee, const Expr& call, FuncId scope) const {
  if (!is_python() || call.base >= module_.exprs.size() || module_.exprs[call.base].kind != ExprKind::kMember)
    return std::nullopt;
  static constexpr FixedWords kReads(std::to_array<std::string_view>(
      {"io.StringIO().read", "io.StringIO().getvalue", "io.BytesIO().read", "io.BytesIO().getvalue"}));
  const bool fills =
      callee.text == "string.Template().substitute" || callee.text == "string.Template().safe_substitute";
  if (!fills && !kReads.Has(callee.text)) return std::nullopt;
  FuncId at = scope;
  const ExprId made = Origin(module_.exprs[call.base].base, scope, &at);
  if (made >= module_.exprs.size() || module_.exprs[made].kind != ExprKind::kCall || module_.exprs[made].arg_count == 0)
    return std::nullopt;
  const Value& text = Evaluate(module_.ArgsOf(module_.exprs[made])[0].value, at);
  if (text.kind != ValueKind::kText || !Spend(text.text.size() + 8)) return std::nullopt;
  if (!fills) return text;
  std::vector<Value> values;
  std::vector<std::string_view> names;
  for (const Arg& arg : module_.ArgsOf(call)) {
    const Value& value = Evaluate(arg.value, scope);
    if (arg.name.empty() && value.kind == ValueKind::kDict) {
      for (std::size_t i = 0; i < value.keys.size() && i < value.items.size(); ++i) values.push_back(value.items[i]);
      names.insert(names.end(), value.keys.begin(), value.keys.end());
    } else if (!arg.name.empty()) {
      values.push_back(value);
      names.push_back(arg.name);
    }
  }
  std::optional<std::string> filled = Substituted(text.text, values, names);
  if (!filled) return std::nullopt;
  Value out = TextValue(*std::move(filled), std::max<std::uint8_t>(text.obfuscation, 1), text.decodes);
  for (const Value& value : values) {
    out.obfuscation = std::max(out.obfuscation, value.obfuscation);
    out.decodes = std::max(out.decodes, value.decodes);
  }
  return out;
}

}  // namespace interlock::scan::code
