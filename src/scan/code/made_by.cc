// What a function of the package makes, where only the call stands: commands whose program is fixed, requests that have
// no body.
#include <algorithm>
#include <string_view>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

// The function of the package whose answer the expression is; kUnknown: none.
Value Engine::MakerFunction(ExprId made) const {
  FuncId scope = function_;
  const ExprId origin = made < code().exprs.size() ? view().Origin(made, function_, &scope) : kNone;
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall) return {};
  Value callee = view().Callee(origin, scope);
  const bool own = callee.kind == ValueKind::kFunction && callee.module < states_.size() &&
                   callee.index < states_[callee.module].view->module().functions.size();
  return own ? callee : Value();
}

// `python3 -m pip install *`, `npm i *`, `npx *`: which package it is, is not written.
bool Engine::InstallsByName(std::string_view line) {
  std::string plain = LowerCase(line.substr(0, 200));
  std::erase_if(plain, [](char c) { return c == '\'' || c == '"'; });
  const std::size_t hole = plain.find(kHole, 1);
  if (hole == std::string::npos || plain[hole - 1] != ' ') return false;  // name==1.2
  return AnyOf(std::string_view(plain).substr(0, hole),
               {"pip install ", "pip3 install ", "npm i ", "npm install ", "npx ", "uvx ", "uv pip install ",
                "pnpm add ", "yarn add ", "gem install ", "cargo install "});
}

// def rollback(version): return ["uv", "tool", "install", f"x=={version}"]: an answer may be among the words, and
// chooses no program.
bool Engine::MakesFixedProgram(ExprId command) const {
  const Value maker = MakerFunction(command);
  if (maker.kind != ValueKind::kFunction) return false;
  const ModuleView& there = *states_[maker.module].view;
  const Module& module = there.module();
  std::size_t lists = 0;
  for (const Stmt& stmt : module.functions[maker.index].body) {
    if (stmt.kind != StmtKind::kReturn || stmt.value >= module.exprs.size()) continue;
    // cmd = ["claude", ...]; cmd.extend(...); return cmd
    const ExprId from = there.Origin(stmt.value, maker.index);
    const Expr& made = module.exprs[from < module.exprs.size() ? from : stmt.value];
    if (made.kind != ExprKind::kList) {
      const bool nothing = made.kind == ExprKind::kConstant || SaysOneOf(made.text, {"None", "null", "undefined"});
      if (!nothing) return false;
      continue;
    }
    if (made.arg_count == 0) return false;
    const ExprId head = module.ArgsOf(made)[0].value;
    if (head >= module.exprs.size()) return false;
    const std::string& text = there.Text(head, maker.index);
    // sys.executable, process.execPath, or the place of a program that was looked up
    const bool known = !text.empty()
                           ? text.front() != kHole && !IsShellName(text)
                           : SaysOneOf(module.exprs[head].text, {"executable", "execPath"}) ||
                                 Contains(there.Evaluate(there.Origin(head, maker.index), maker.index).text, "which");
    const bool looked_up = module.exprs[head].kind == ExprKind::kName && made.arg_count >= 3;
    if (!known && !looked_up) return false;
    ++lists;
  }
  return lists > 0;
}

// What stands first among the words of a command is no choice of whoever brings the others: a table of the program's
// own, the place of a program that was looked up, the head of a list that a function makes. `reads_text`: also a table
// of interpreters that take their program from the next word.
bool Engine::ProgramIsFixed(ExprId head, bool reads_text) const {
  constexpr int kMostSteps = 5;
  FuncId scope = function_;
  for (int i = 0; i < kMostSteps && head < code().exprs.size(); ++i) {
    if (code().exprs[head].kind == ExprKind::kSpread && code().exprs[head].arg_count > 0)
      head = code().ArgsOf(code().exprs[head])[0].value;
    if (scope == function_ && MakesFixedProgram(head)) return true;
    const ExprId origin = view().Origin(head, scope, &scope);
    if (origin >= code().exprs.size()) return false;
    const Expr& from = code().exprs[origin];
    const bool call = from.kind == ExprKind::kCall && from.base < code().exprs.size();
    const Expr& callee = call ? code().exprs[from.base] : from;
    ExprId table = kNone;
    if (call && callee.kind == ExprKind::kMember && callee.text == "get") table = callee.base;
    if (from.kind == ExprKind::kIndex) table = from.base;
    if (table != kNone) {
      FuncId where = scope;
      const ExprId literal = view().Origin(table, scope, &where);
      if (literal < code().exprs.size() && code().exprs[literal].kind == ExprKind::kDict) {
        return reads_text || !AnyOf(TextAt(code().exprs[literal].loc),
                                    {"\"-c\"", "'-c'", "\"-e\"", "'-e'", "\"/c\"", "'/c'", "\"--eval\"", "'--eval'"});
      }
      if (from.kind != ExprKind::kIndex) return false;
      head = table;
      continue;
    }
    if (!call || from.arg_count == 0 || !SaysOneOf(callee.text, {"which", "whichSync", "sync"})) return false;
    head = code().ArgsOf(from)[0].value;
  }
  return false;
}

// req.body.check ?? "id", data.get("cmd", "id"): what is known is what it is where nobody says anything.
bool Engine::IsOnlyDefault(ExprId text) const {
  constexpr int kMostCalls = 4;  // String(x ?? "id").trim()
  ExprId origin = view().Origin(text, function_);
  for (int i = 0; i < kMostCalls && origin < code().exprs.size(); ++i) {
    const Expr& expr = code().exprs[origin];
    if (expr.kind == ExprKind::kChoice) return true;
    if (expr.kind != ExprKind::kCall || expr.base >= code().exprs.size()) return false;
    const Expr& method = code().exprs[expr.base];
    if (method.kind == ExprKind::kMember && method.text == "get" && expr.arg_count == 2) return true;
    const bool wraps = SaysOneOf(method.text, {"String", "str", "toString", "trim", "strip"});
    if (!wraps) return false;
    const ExprId inner = method.kind == ExprKind::kMember ? method.base
                         : expr.arg_count > 0             ? code().ArgsOf(expr)[0].value
                                                          : kNone;
    origin = inner < code().exprs.size() ? view().Origin(inner, function_) : kNone;
  }
  return false;
}

// def api(url, token): req = Request(url); req.add_header("Authorization", token); return req
bool Engine::MakesBodilessRequest(ExprId request) const {
  const Value maker = MakerFunction(request);
  if (maker.kind != ValueKind::kFunction) return false;
  const Module& module = states_[maker.module].view->module();
  constexpr std::size_t kMostOfBody = 2'000;
  const Loc loc = module.functions[maker.index].loc;
  const std::string_view body =
      module.text.substr(loc.begin, std::min<std::size_t>(loc.end - std::min(loc.begin, loc.end), kMostOfBody));
  return Contains(body, "Request(") && AnyOf(body, {"Authorization", "authorization", "X-Api-Key", "x-api-key"}) &&
         !AnyOf(body, {"data=", "data =", ".data", "method=\"POST\"", "method='POST'"});
}

}  // namespace interlock::scan::code
