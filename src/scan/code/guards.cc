// Checks that leave a caller's text nothing to say: digits and the signs of arithmetic name nothing, whatever they are
// run as. Calculators are checked so, and nearly nothing else is.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"
#include "static/ascii.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// Of brackets and exclamation marks alone whole programs are written, of quotes texts, of `$` and `_` names.
bool IsSignOfSums(char c) {
  return IsDigit(c) || std::string_view("+-*/%().,^= \t\r\neE").find(c) != std::string_view::npos;
}

// "0123456789+-*/(). "
bool NamesNothing(std::string_view letters) { return !letters.empty() && std::ranges::all_of(letters, IsSignOfSums); }

// 0-9+\-*/().\s, as a pattern has it between its brackets.
bool SetNamesNothing(std::string_view set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == '\\') {
      if (++i == set.size()) return false;
      if (set[i] == 'd' || set[i] == 's') continue;
      if (IsLetter(set[i]) || !IsSignOfSums(set[i])) return false;
      continue;
    }
    if (!IsSignOfSums(set[i])) return false;
    if (i + 2 >= set.size() || set[i + 1] != '-' || set[i + 2] == '\\') continue;
    for (char c = set[i]; c < set[i + 2]; ++c) {
      if (!IsSignOfSums(c)) return false;
    }
    if (!IsSignOfSums(set[i + 2])) return false;
    i += 2;
  }
  return !set.empty();
}

// ^[0-9+*/().-]+$
bool IsOfSums(std::string_view written, bool begins, bool whole) {
  const std::string_view pattern = OfWholeText(written, begins, whole);
  if (!pattern.starts_with('[') || pattern.starts_with("[^")) return false;
  const std::size_t end = EndOfSet(pattern, 1);
  if (end == std::string_view::npos || !SetNamesNothing(pattern.substr(1, end - 1))) return false;
  const std::string_view often = pattern.substr(end + 1);
  return often == "+" || often == "*" || (often.starts_with('{') && often.find('}') + 1 == often.size());
}

// "c in ALLOWED for c in text": what is looked through, and for what; "": it is something else.
struct EachLetter {
  std::string_view allowed;
  std::string_view text;
};
EachLetter ReadEach(std::string_view said, bool refused) {
  constexpr std::size_t kLongest = 300;
  if (said.size() > kLongest) return {};
  const auto word = [&] {
    said.remove_prefix(std::min(said.find_first_not_of(" \t\r\n(["), said.size()));
    const std::size_t end = std::min(said.find_first_of(" \t\r\n()[]"), said.size());
    const std::string_view out = said.substr(0, end);
    said.remove_prefix(end);
    return out;
  };
  const std::string_view letter = word();
  if (refused && word() != "not") return {};
  if (word() != "in") return {};
  EachLetter out;
  const std::size_t loop = said.find(" for ");
  if (loop == std::string_view::npos) return {};
  out.allowed = said.substr(0, loop);
  out.allowed.remove_prefix(std::min(out.allowed.find_first_not_of(" \t\r\n"), out.allowed.size()));
  said.remove_prefix(loop);
  if (word() != "for" || word() != letter || word() != "in") return {};
  out.text = word();
  // ... if c in "...": of some of them only.
  said.remove_prefix(std::min(said.find_first_not_of(" \t\r\n)]"), said.size()));
  return said.empty() ? out : EachLetter();
}

std::string_view Unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : std::string_view();
}

}  // namespace

// The letters of "0123456789", set("0123456789") or a name for one of them; "": not known.
std::string Engine::LettersOf(ExprId set) const {
  FuncId scope = function_;
  ExprId origin = set < code().exprs.size() ? view().Origin(set, function_, &scope) : kNone;
  if (origin >= code().exprs.size()) return {};
  const Expr& made = code().exprs[origin];
  const std::string_view said = TextAt(made.loc);
  const bool set_of = said.starts_with("set(") || said.starts_with("frozenset(") || said.starts_with("list(");
  if (made.kind == ExprKind::kCall && made.arg_count == 1 && set_of) origin = code().ArgsOf(made)[0].value;
  return view().Text(origin, scope);
}

// What a check that has just been read lets past, and what a call leaves of what it was given.
void Engine::TakeGuards(const Call& call, std::string_view last, Taint* result) {
  if (statement_.kind == StmtKind::kCondition) {
    if (const ExprId sums = CheckedForSums(call, last); sums != kNone) Settled(sums);
    if (const std::uint32_t slot = CheckedEachLetter(call); slot != kNone) {
      states_[module_].slots[slot] = states_[module_].slots[slot].Without(kCaller);
    }
  }
  if (result->Has(kCaller) && LeavesSumsOnly(call, last)) *result = result->Without(kCaller);
}

// The variable that a check, behind which the function is left, lets be of such letters only; kNone: none.
ExprId Engine::CheckedForSums(const Call& call, std::string_view last) const {
  if (!LeavesBehind(code().exprs[call.expr].loc.end)) return kNone;
  const std::size_t begin = code().exprs[call.expr].loc.begin;
  const std::string_view before = code().text.substr(0, begin).substr(begin - std::min<std::size_t>(begin, 8));
  const bool denied = before.ends_with('!') || before.ends_with("not ");
  const auto pattern = [&](ExprId from) {
    const ExprId made = from < code().exprs.size() ? view().Origin(from, function_) : kNone;
    return made < code().exprs.size() ? TextAt(code().exprs[made].loc) : std::string_view();
  };
  if (!denied) return kNone;
  if (!view().is_python()) {
    return last == "test" && call.args.size() == 1 && IsOfSums(PatternOf(call), false, false) ? call.args[0].value
                                                                                              : kNone;
  }
  if (!SaysOneOf(last, {"match", "fullmatch"})) return kNone;
  const bool whole = last == "fullmatch";
  if (call.callee.text.starts_with("re.") && call.args.size() == 2)
    return IsOfSums(pattern(call.args[0].value), true, whole) ? call.args[1].value : kNone;
  const bool kept = call.args.size() == 1 && PatternOf(call).starts_with("re.compile(");
  return kept && IsOfSums(PatternOf(call), true, whole) ? call.args[0].value : kNone;
}

// if not all(c in ALLOWED for c in text): raise; if any(c not in ALLOWED for c in text): raise
std::uint32_t Engine::CheckedEachLetter(const Call& call) const {
  const bool any = call.callee.text == "builtins.any";
  if ((!any && call.callee.text != "builtins.all") || call.args.size() != 1) return kNone;
  if (call.args[0].value >= code().exprs.size() || !LeavesBehind(code().exprs[call.expr].loc.end)) return kNone;
  const std::size_t begin = code().exprs[call.expr].loc.begin;
  const std::string_view before = code().text.substr(begin - std::min<std::size_t>(begin, 4), 4);
  if (before.ends_with("not ") == any) return kNone;
  const EachLetter each = ReadEach(TextAt(code().exprs[call.args[0].value].loc), any);
  if (each.text.empty()) return kNone;
  std::string letters(Unquoted(each.allowed));
  if (const std::uint32_t named = view().SlotByName(each.allowed, function_);
      letters.empty() && named != kNone && view().slots()[named].count == 1) {
    letters = LettersOf(view().bindings()[view().slots()[named].first].value);
  }
  return NamesNothing(letters) ? view().SlotByName(each.text, function_) : kNone;
}

// for c in text: if c not in ALLOWED: raise
void Engine::SettleLetters(ExprId letter, ExprId allowed) {
  if (!NamesNothing(LettersOf(allowed))) return;
  FuncId scope = function_;
  const ExprId text = ContainerOf(letter, &scope);
  if (text < code().exprs.size() && scope == function_ && code().exprs[text].kind == ExprKind::kName) Settled(text);
}

// if not set(text) <= set(ALLOWED): raise
void Engine::SettleSubset(ExprId asked) {
  const Expr& expr = code().exprs[asked];
  const std::string_view before = code().text.substr(expr.loc.begin - std::min<std::size_t>(expr.loc.begin, 4), 4);
  if (expr.arg_count != 2 || !before.ends_with("not ") || !LeavesBehind(expr.loc.end)) return;
  const ExprId left = code().ArgsOf(expr)[0].value;
  if (left >= code().exprs.size() || code().exprs[left].arg_count != 1) return;
  if (!TextAt(code().exprs[left].loc).starts_with("set(")) return;
  const ExprId text = code().ArgsOf(code().exprs[left])[0].value;
  if (text >= code().exprs.size() || code().exprs[text].kind != ExprKind::kName) return;
  if (NamesNothing(LettersOf(code().ArgsOf(expr)[1].value))) Settled(text);
}

// text.replace(/[^0-9+*/().-]/g, ""), re.sub(r"[^0-9+*/().-]", "", text)
bool Engine::LeavesSumsOnly(const Call& call, std::string_view last) const {
  if (!SaysOneOf(last, {"replace", "replaceAll", "sub"}) || call.args.size() < 2) return false;
  const ExprId put = call.args[1].value;
  if (put >= code().exprs.size() || code().exprs[put].kind != ExprKind::kString) return false;
  const std::string_view text = code().exprs[put].text;
  if (!text.empty() && !NamesNothing(text)) return false;
  const ExprId made = call.args[0].value < code().exprs.size() ? view().Origin(call.args[0].value, function_) : kNone;
  const std::string_view pattern = made < code().exprs.size() ? TextAt(code().exprs[made].loc) : std::string_view();
  const std::size_t set = pattern.find("[^");
  if (set == std::string_view::npos || pattern.substr(0, set).find_first_not_of("r/\"'") != std::string_view::npos)
    return false;
  const std::size_t end = EndOfSet(pattern, set + 2);
  if (end == std::string_view::npos || !SetNamesNothing(pattern.substr(set + 2, end - set - 2))) return false;
  const std::string_view rest = pattern.substr(end + 1);
  return view().is_python() ? rest == "\"" || rest == "'" || rest == "+\"" || rest == "+'"
                            : rest.starts_with("/g") || rest.starts_with("+/g");
}

}  // namespace interlock::scan::code
