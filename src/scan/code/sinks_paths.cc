// Names that callers and archives choose: paths under a folder, keys of an object; and files that others on the machine
// may change.
#include <algorithm>

#include "code/engine.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace sink_words;  // NOLINT: the engine room's own words

// A name that a caller chooses, under a folder that he does not choose.
bool Engine::ChosenBelow(const Taint& folder, const Taint& name) {
  return name.Has(kUnchecked) && !folder.Has(kToolArgument);
}

// join(folder, name), and the names that an archive gives its members.
void Engine::MarkJoined(const Call& call, Taint* result) const {
  const std::string& callee = call.callee.text;
  if (callee.ends_with(".join") && Contains(callee, "path") && call.args.size() >= 2) {
    Taint rest;
    for (std::size_t i = 1; i < call.taints.size(); ++i) rest.Join(call.taints[i]);
    if (ChosenBelow(call.taints[0], rest)) result->Add(kBelow);
  } else if (callee.ends_with(".joinpath")) {
    if (ChosenBelow(call.receiver, call.all)) result->Add(kBelow);
  }
  const Expr* function = FunctionOf(call);
  if (function == nullptr || function->kind != ExprKind::kMember) return;
  if (AnyOf(function->text, {"infolist", "namelist", "getmembers", "getnames"}) || function->text == "getEntries") {
    result->Add(kEntryName);
  }
}

// chmod(token_file, 0o666)
void Engine::JudgeShared(const Call& call, std::string_view last) {
  if (!last_ || (last != "chmod" && last != "chmodSync") || call.args.empty()) return;
  const auto number = [&](ExprId expr) {
    const std::string_view text = expr < code().exprs.size() ? code().exprs[expr].text : std::string_view();
    const bool octal =
        code().exprs[expr].kind == ExprKind::kNumber && (text.starts_with("0o") || text.starts_with("0O"));
    const bool quoted = code().exprs[expr].kind == ExprKind::kString && text.find_first_not_of("01234567") == text.npos;
    return (octal || quoted) && !text.empty() && (text.back() == '6' || text.back() == '7' || text.back() == '2');
  };
  const bool set_id = std::ranges::any_of(call.args, [&](const Arg& arg) {
    if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kNumber) return false;
    std::string_view text = code().exprs[arg.value].text;
    if (!text.starts_with("0o") && !text.starts_with("0O")) return false;
    text.remove_prefix(2);
    return text.size() == 4 && text[0] >= '2' && text[0] <= '7' && text[0] != '3' && text[0] != '1';
  });
  if (set_id) {
    Raise("SH-008", call.expr, {}, 0, "has whoever starts a program get the rights of its owner", 0.9);
    return;
  }
  const bool open = std::ranges::any_of(
      call.args, [&](const Arg& arg) { return arg.value < code().exprs.size() && number(arg.value); });
  if (!open) return;
  const Expr* function = FunctionOf(call);
  const ExprId named = call.args.size() > 1 ? call.args[0].value : function != nullptr ? function->base : kNone;
  if (named >= code().exprs.size()) return;
  const ExprId origin = view().Origin(named, function_);
  std::string path = LowerCase(Known(named));
  if (origin < code().exprs.size()) path += " " + LowerCase(TextAt(code().exprs[origin].loc).substr(0, 300));
  const bool secret =
      AnyOf(path, {"token", "secret", "credential", "password", "private", ".pem", "api_key", "apikey"});
  const bool shared = KindOfPath(Known(named)) == PathKind::kTemporary;
  if (!secret && !shared) return;
  Raise("VULN-008", call.expr, {}, 0,
        secret ? "lets everybody on the machine read and change credentials"
               : "lets everybody on the machine change a file that it uses");
}

// into[key] = value, where a caller chooses the key: `__proto__` is one.
void Engine::JudgeKeys(ExprId target, const Taint& value) {
  if (!last_ || view().is_python() || !value.Has(kUnchecked)) return;
  const Expr& at = code().exprs[target];
  if (at.kind != ExprKind::kIndex || at.arg_count != 1 || function_ == kModuleBody) return;
  const ExprId key = code().ArgsOf(at)[0].value;
  if (!view().Text(key, function_).empty() || !Eval(key).Has(kUnchecked)) return;
  const Function& shape = code().functions[function_];
  const std::string_view body = TextAt(shape.loc);
  constexpr std::size_t kLongest = 2'000;
  if (body.size() > kLongest || AnyOf(body, {"__proto__", "hasOwn", "constructor", "Object.create(null)", "prototype"}))
    return;
  const std::string_view base = at.base < code().exprs.size() ? TextAt(code().exprs[at.base].loc) : std::string_view();
  if (base.empty() || base.size() > 60) return;
  // Only a merge that goes deeper, or a walk along a path of keys, gets to what all objects share.
  const std::string into(base);
  const bool walks = Contains(body, into + " = " + into + "[");
  const bool deeper = shape.name.size() > 1 && Contains(body, std::string(shape.name) + "(" + into + "[");
  if (!walks && !deeper) return;
  Raise("VULN-009", target, value, kToolArgument, "writes to keys of an object that an argument chooses, at any depth");
}

}  // namespace interlock::scan::code
