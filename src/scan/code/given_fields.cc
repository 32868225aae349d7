// Which fields of a table that callers write out carry credentials, what was meant for others, what a tool is given or
// reads, so that the rest do not.
#include <algorithm>
#include <utility>

#include "code/engine.h"

namespace interlock::scan::code {

// load({filter, token}): of what `load` reads of its parameter, only `token` holds a credential. What nobody can see
// into, whole or a part that is spread, says nothing of its fields; `arg` kNone: neither does this one.
void Engine::NoteGivenFields(std::uint32_t module, FuncId function, std::size_t param, ExprId arg, const Taint& given) {
  constexpr std::size_t kMostFields = 64;
  FunctionFacts& about = facts(module, function);
  if (param >= about.in.size()) return;
  if (about.fields.empty()) about.fields.resize(about.in.size());
  FuncId where = function_;
  const ExprId origin = arg == kNone ? kNone : view().Origin(arg, function_, &where);
  const bool table = origin < code().exprs.size() && where == function_ && code().exprs[origin].kind == ExprKind::kDict;
  Labels seen = 0;
  Labels anywhere = 0;
  for (const Arg& field : table ? code().ArgsOf(code().exprs[origin]) : std::span<const Arg>()) {
    const Labels held = Eval(field.value).labels & kFieldLabels;
    GivenFields& known = about.fields[param];
    const auto at = std::ranges::find(known.fields, field.name, &std::pair<std::string, Labels>::first);
    if (held == 0) continue;
    if (field.name.empty() || (at == known.fields.end() && known.fields.size() >= kMostFields)) {
      anywhere |= held;
      continue;
    }
    seen |= held;
    if (at == known.fields.end()) {
      known.fields.emplace_back(field.name, held);
    } else if ((at->second | held) == at->second) {
      continue;
    } else {
      at->second |= held;
    }
    changed_ = true;
  }
  GivenFields& known = about.fields[param];
  anywhere |= given.labels & kFieldLabels & ~seen;
  changed_ = changed_ || (known.unknown | anywhere) != known.unknown;
  known.unknown |= anywhere;
}

void Engine::NarrowToField(ExprId table, std::string_view key, Taint* taint) {
  const std::uint32_t slot = key.empty() ? kNone : view().SlotOf(table, function_);
  if (slot == kNone) return;
  const Slot& variable = view().slots()[slot];
  if (variable.param == kNone || variable.owner != kNone || variable.scope != function_) return;
  std::vector<GivenFields>& fields = here().fields;
  if (variable.param >= fields.size() || fields[variable.param].fields.empty()) return;
  GivenFields& known = fields[variable.param];
  if (!std::exchange(known.looked, true) && IsUsedWhole(table, variable.param)) {
    changed_ = changed_ || known.unknown != kFieldLabels;
    known.unknown = kFieldLabels;
  }
  const auto at = std::ranges::find(known.fields, key, &std::pair<std::string, Labels>::first);
  const Labels carried = known.unknown | (at == known.fields.end() ? Labels{0} : at->second);
  *taint = taint->Without(kFieldLabels & ~carried);
}

// const o = options; Object.assign(options, ...); fill(options): by whatever way it is changed, it is named there.
bool Engine::IsUsedWhole(ExprId table, std::size_t param) const {
  const Function& shape = code().functions[function_];
  const std::uint32_t declared = shape.params[param].loc.begin;
  const std::string_view name = code().exprs[table].text;
  std::size_t named = 0;
  std::size_t parts = 0;
  for (const Expr& expr : code().exprs) {
    if (expr.loc.begin <= declared || expr.loc.end > shape.loc.end) continue;
    if (expr.kind == ExprKind::kName && expr.text == name) ++named;
    const bool part = expr.kind == ExprKind::kMember || expr.kind == ExprKind::kIndex;
    if (!part || expr.base >= code().exprs.size()) continue;
    if (code().exprs[expr.base].kind == ExprKind::kName && code().exprs[expr.base].text == name) ++parts;
  }
  // const { tool, ms } = event, without a rest
  for (const Stmt& stmt : shape.body) {
    if (stmt.kind != StmtKind::kAssign || stmt.value >= code().exprs.size() || stmt.target >= code().exprs.size() ||
        code().exprs[stmt.target].kind != ExprKind::kDict || code().exprs[stmt.value].kind != ExprKind::kName ||
        code().exprs[stmt.value].text != name || code().exprs[stmt.value].loc.begin <= declared)
      continue;
    const auto fields = code().ArgsOf(code().exprs[stmt.target]);
    if (std::ranges::all_of(fields, [](const Arg& field) { return !field.name.empty(); })) ++parts;
  }
  return named > parts;
}

}  // namespace interlock::scan::code
