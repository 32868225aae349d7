// Which fields of a table that callers write out hold credentials, so that the others are none.
#include <algorithm>
#include <utility>

#include "code/engine.h"

namespace interlock::scan::code {

// load({filter, token}): of what `load` reads of its parameter, only `token` holds a credential. A table that nobody
// can see into, whole or with parts spread into it, says nothing of its fields; `arg` kNone: neither does this one.
void Engine::NoteSecrets(std::uint32_t module, FuncId function, std::size_t param, ExprId arg, const Taint& given) {
  constexpr std::size_t kMostFields = 64;
  FunctionFacts& about = facts(module, function);
  if (param >= about.in.size()) return;
  if (about.secrets.empty()) about.secrets.resize(about.in.size());
  GivenSecrets& known = about.secrets[param];
  if (known.unknown) return;
  FuncId where = function_;
  const ExprId origin = arg == kNone ? kNone : view().Origin(arg, function_, &where);
  const bool table = origin < code().exprs.size() && where == function_ && code().exprs[origin].kind == ExprKind::kDict;
  Labels seen = 0;
  bool whole = table;
  for (const Arg& field : table ? code().ArgsOf(code().exprs[origin]) : std::span<const Arg>()) {
    const Taint held = Eval(field.value);
    seen |= held.labels;
    whole = whole && !field.name.empty();
    if (!held.Has(kFieldLabels)) continue;
    if (std::ranges::find(known.fields, field.name) != known.fields.end()) continue;
    whole = whole && known.fields.size() < kMostFields;
    known.fields.emplace_back(field.name);
    changed_ = true;
  }
  if (whole && (given.labels & kFieldLabels & ~seen) == 0) return;
  known.unknown = true;
  changed_ = true;
}

void Engine::NarrowToField(ExprId table, std::string_view key, Taint* taint) {
  const std::uint32_t slot = key.empty() ? kNone : view().SlotOf(table, function_);
  if (slot == kNone) return;
  const Slot& variable = view().slots()[slot];
  if (variable.param == kNone || variable.owner != kNone || variable.scope != function_) return;
  std::vector<GivenSecrets>& secrets = here().secrets;
  if (variable.param >= secrets.size() || secrets[variable.param].unknown || secrets[variable.param].fields.empty())
    return;
  GivenSecrets& known = secrets[variable.param];
  if (!std::exchange(known.looked, true)) {
    // const o = options; Object.assign(options, ...); fill(options): by whatever way it is changed, it is named there.
    const Loc body = code().functions[function_].loc;
    const std::uint32_t declared = code().functions[function_].params[variable.param].loc.begin;
    const std::string_view name = code().exprs[table].text;
    std::size_t named = 0;
    std::size_t parts = 0;
    for (const Expr& expr : code().exprs) {
      if (expr.loc.begin <= declared || expr.loc.end > body.end) continue;
      if (expr.kind == ExprKind::kName && expr.text == name) ++named;
      const bool part = expr.kind == ExprKind::kMember || expr.kind == ExprKind::kIndex;
      if (!part || expr.base >= code().exprs.size()) continue;
      if (code().exprs[expr.base].kind == ExprKind::kName && code().exprs[expr.base].text == name) ++parts;
    }
    known.unknown = named > parts;
    changed_ = changed_ || known.unknown;
  }
  if (!known.unknown && std::ranges::find(known.fields, key) == known.fields.end())
    *taint = taint->Without(kFieldLabels);
}

}  // namespace interlock::scan::code
