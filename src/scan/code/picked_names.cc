// Files that are picked by their names out of what a folder holds.
#include <algorithm>
#include <string>
#include <vector>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words

namespace {

// ".env", of `^\.env(\.\w+)*$`: the letters that a name has to begin with.
std::string BeginOf(std::string_view expression) {
  std::string out;
  if (expression.starts_with('/')) expression.remove_prefix(1);
  if (expression.starts_with('^')) expression.remove_prefix(1);
  for (std::size_t i = 0; i < expression.size(); ++i) {
    char c = expression[i];
    if (c == '\\' && i + 1 < expression.size()) {
      c = expression[++i];
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (letter) break;  // \w
    } else if (std::string_view("()[]{}*+?|$/.").find(c) != std::string_view::npos) {
      break;
    }
    out += c;
  }
  return out;
}

}  // namespace

// n.startsWith(".env"), /^\.env/.test(n), re.match(r"\.env", n), n == "id_rsa": what kind of file a name that passes
// is; 0: any. `what`: the name.
Labels Engine::SoughtBy(ExprId test, FuncId scope, ExprId* what) const {
  if (test >= code().exprs.size()) return 0;
  const Expr& expr = code().exprs[test];
  const auto args = code().ArgsOf(expr);
  std::string begins;
  if (expr.kind == ExprKind::kBinary && SaysOneOf(expr.text, {"==", "==="}) && args.size() == 2) {
    begins = view().Text(args[1].value, scope);
    *what = args[0].value;
  } else if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size() && !args.empty() &&
             code().exprs[expr.base].kind == ExprKind::kMember) {
    const Expr& method = code().exprs[expr.base];
    const ExprId first = args[0].value;
    if (method.base >= code().exprs.size() || first >= code().exprs.size()) return 0;
    FuncId at = scope;
    if (SaysOneOf(method.text, {"startsWith", "startswith"})) {
      begins = view().Text(first, scope);
      *what = method.base;
    } else if (method.text == "test") {
      const ExprId made = view().Origin(method.base, scope, &at);
      if (made < code().exprs.size()) begins = BeginOf(TextAt(code().exprs[made].loc));
      *what = first;
    } else if (SaysOneOf(method.text, {"match", "fullmatch"}) && args.size() == 2) {
      begins = BeginOf(view().Text(first, scope));
      *what = args[1].value;
    } else if (SaysOneOf(method.text, {"match", "fullmatch"}) && view().is_python()) {
      const ExprId made = view().Origin(method.base, scope, &at);
      if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall) return 0;
      const auto given = code().ArgsOf(code().exprs[made]);
      if (!given.empty()) begins = BeginOf(view().Text(given[0].value, at));
      *what = first;
    } else if (method.text == "match") {
      begins = BeginOf(TextAt(code().exprs[first].loc));
      *what = method.base;
    }
  }
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLongest = 64;
  if (begins.size() < kShortest || begins.size() > kLongest) return 0;
  const PathKind kind = KindOfPath("/" + begins);
  return kind == PathKind::kSecret ? kSecretName : kind == PathKind::kWeakSecret ? kWeakSecretName : Labels{0};
}

// names.filter((name) => /^\.env/.test(name)): what is left.
void Engine::TakeFiltered(const Call& call, Taint* result) {
  if (!result->Has(kListed) || call.base == nullptr || call.base->text != "filter") return;
  for (const auto& [index, function] : call.functions) {
    if (function.module != module_ || function.index >= code().functions.size()) continue;
    const std::vector<Stmt>& body = code().functions[function.index].body;
    if (body.empty() || body.back().kind != StmtKind::kReturn) continue;
    ExprId what = kNone;
    const Labels sought = SoughtBy(body.back().value, function.index, &what);
    if (sought != 0) result->Join(Source(sought, call.expr, "picks files by their names"));
  }
}

// `if name in {"id_rsa", "wallet.dat"}`: what is picked by such a name is such a thing.
void Engine::PickByName(ExprId test) {
  if (test >= code().exprs.size()) return;
  std::vector<ExprId> open{test};
  for (std::size_t i = 0; i < open.size() && i < 24; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[open[i]];
    const auto args = code().ArgsOf(expr);
    const bool among = expr.kind == ExprKind::kBinary && expr.text == "in" && args.size() == 2;
    const bool like = expr.kind == ExprKind::kCall && args.size() == 2 &&
                      SaysOneOf(view().Callee(open[i], function_).text, {"fnmatch.fnmatch", "fnmatch.fnmatchcase"});
    ExprId what = among || like ? args[0].value : kNone;
    const Labels sought = among || like ? Labels{0} : SoughtBy(open[i], function_, &what);
    if (!among && !like && sought == 0) {
      for (const Arg& arg : args) open.push_back(arg.value);
      continue;
    }
    // `path.name in NAMES` speaks of `path`.
    if (what < code().exprs.size() && code().exprs[what].kind == ExprKind::kMember && code().exprs[what].text == "name")
      what = code().exprs[what].base;
    if (what >= code().exprs.size() || code().exprs[what].kind != ExprKind::kName) continue;
    const std::uint32_t slot = view().SlotOf(what, function_);
    if (slot == kNone || view().slots()[slot].scope != function_) continue;
    if (sought != 0 && !states_[module_].slots[slot].Has(kListed)) continue;  // of whatever else is called so
    const Taint names = sought != 0 ? Source(sought, open[i], "picks a file by its name") : Eval(args[1].value);
    if (!names.Has(kSecretName | kWeakSecretName)) continue;
    states_[module_].slots[slot].Join(names);
    // path = join(folder, name), made before the name was looked at.
    for (std::uint32_t other = 0; other < view().slots().size(); ++other) {
      const Slot& variable = view().slots()[other];
      if (variable.scope != function_ || variable.owner != kNone) continue;
      for (std::uint32_t b = 0; b < variable.count && b < 16; ++b) {
        const ExprId value = view().bindings()[variable.first + b].value;
        if (value >= code().exprs.size()) continue;
        for (const Arg& arg : code().ArgsOf(code().exprs[value])) {
          if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kName &&
              view().SlotOf(arg.value, function_) == slot) {
            states_[module_].slots[other].Join(names);
          }
        }
      }
    }
  }
}

}  // namespace interlock::scan::code
