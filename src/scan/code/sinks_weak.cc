// Weaknesses that a call, a field or a whole function shows: statements of databases whose libraries nobody has listed,
// peers that are not checked, doors without a lock, guards that words get past, patterns that never end.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kLongestBody = 6'000;  // of a function whose words are looked at

// Names under which libraries take a statement of some query language.
bool TakesStatement(std::string_view last) {
  return SaysOneOf(last, {"query",
                          "raw",
                          "run",
                          "execute",
                          "executemany",
                          "all",
                          "get",
                          "each",
                          "exec",
                          "prepare",
                          "unsafe",
                          "search",
                          "search_s",
                          "read_sql",
                          "read_sql_query",
                          "xpath",
                          "findall",
                          "evaluate",
                          "select",
                          "$queryRawUnsafe",
                          "$executeRawUnsafe",
                          "fetch_all",
                          "fetch_one",
                          "fetchall",
                          "execute_query",
                          "executeQuery",
                          "runQuery",
                          "run_query",
                          "writeTransaction",
                          "graph_query",
                          "literal",
                          "whereRaw",
                          "selectNodes",
                          "cypher",
                          "sql",
                          "any",
                          "many",
                          "none",
                          "one",
                          "oneOrNone",
                          "manyOrNone"});
}

enum class Statement : std::uint8_t { kNone, kSql, kGraph, kDirectory, kPath };

Statement StatementOf(std::string_view lower) {
  const std::size_t from = lower.find_first_not_of(" \t\r\n(");
  if (from == std::string_view::npos) return Statement::kNone;
  const std::string_view said = lower.substr(from);
  const auto starts = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return said.starts_with(word); });
  };
  if (starts({"select ", "insert into", "insert or", "update ", "delete from", "with ", "replace into", "drop ",
              "alter ", "merge into", "call ", "copy ", "truncate "}) &&
      AnyOf(said, {" from", " into", " set ", "table", " where ", "call ", "copy ", "truncate "})) {
    return Statement::kSql;
  }
  if (starts({"match ", "match(", "optional match", "merge (", "create (", "unwind "}) &&
      AnyOf(said, {"return", "set ", "merge", "create", "delete"})) {
    return Statement::kGraph;
  }
  if (lower.find_first_not_of(" ") != std::string_view::npos &&
      lower.substr(lower.find_first_not_of(" ")).starts_with("(") &&
      AnyOf(lower, {"(&(", "(|(", "(uid=", "(cn=", "(samaccountname=", "(mail=", "(objectclass="})) {
    return Statement::kDirectory;
  }
  if ((said.starts_with("//") || said.starts_with(".//") || said.starts_with("/")) && AnyOf(said, {"[@", "[text()"})) {
    return Statement::kPath;
  }
  return Statement::kNone;
}

// A pattern whose repeated part repeats: (a+)+, (\w+\s*)*. A text can be split in so many ways that none is found.
bool NeverEnds(std::string_view pattern) {
  if (pattern.size() < 6 || pattern.size() > 400) return false;
  const auto repeats = [&](std::size_t at) {
    return at < pattern.size() && (pattern[at] == '+' || pattern[at] == '*');
  };
  std::vector<std::size_t> open;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
      continue;
    }
    if (in_class) {
      in_class = c != ']';
      continue;
    }
    if (c == '[') in_class = true;
    if (c == '(') open.push_back(i);
    if (c != ')' || open.empty()) continue;
    const std::size_t from = open.back() + 1;
    open.pop_back();
    if (!repeats(i + 1)) continue;
    std::string_view inner = pattern.substr(from, i - from);
    if (inner.starts_with("?:")) inner.remove_prefix(2);
    // One repeated part, and after it at most parts that may be missing: nothing tells where one round ends.
    std::size_t at = 0;
    bool endless = false;
    bool plain = false;
    while (at < inner.size()) {
      std::size_t end = at + 1;
      if (inner[at] == '\\') end = at + 2;
      if (inner[at] == '[') {
        end = at + 1;
        while (end < inner.size() && inner[end] != ']') end += inner[end] == '\\' ? 2U : 1U;
        ++end;
      }
      if (inner[at] == '(' || inner[at] == ')' || inner[at] == '|' || inner[at] == '^' || inner[at] == '$') {
        plain = true;  // more than can be told here
        break;
      }
      const char next = end < inner.size() ? inner[end] : '\0';
      if (next == '+') {
        endless = true;
        ++end;
      } else if (next == '*' || next == '?') {
        ++end;
      } else {
        plain = true;
        break;
      }
      at = end;
    }
    if (endless && !plain) return true;
  }
  return false;
}

// A word that somebody chose to keep others out, not one that stands for it.
bool IsPassword(std::string_view text) {
  if (text.size() < 8 || text.size() > 64 || text.find_first_of(" <>{}$%\n/\x01") != std::string_view::npos)
    return false;
  const std::string lower = LowerCase(text);
  if (AnyOf(lower, {"password", "passwd", "example", "change", "secret", "test", "your", "xxxx", "dummy", "sample",
                    "placeholder", "default", "postgres", "1234", "admin", "****", "token", "foobar", "redacted"})) {
    return false;
  }
  int kinds = 0;
  const auto some = [&](auto is) { kinds += std::ranges::any_of(text, is) ? 1 : 0; };
  some([](char c) { return c >= 'a' && c <= 'z'; });
  some([](char c) { return c >= 'A' && c <= 'Z'; });
  some([](char c) { return c >= '0' && c <= '9'; });
  some([](char c) {
    return c == '!' || c == '#' || c == '@' || c == '*' || c == '&' || c == '?' || c == '^' || c == '+';
  });
  return kinds >= 3;
}

}  // namespace

// cursor.fetchall(), pool.query(text): rows of a data base, by what the method and its client are called.
bool Engine::AnswersRows(std::string_view method, ExprId client) const {
  if (view().is_python()) return SaysOneOf(method, {"fetchall", "fetchmany", "fetchone", "fetch_all", "fetch_one"});
  if (!SaysOneOf(method, {"query", "execute", "all", "any", "many", "manyOrNone", "$queryRaw", "$queryRawUnsafe",
                          "findMany", "unsafe"})) {
    return false;
  }
  if (client >= code().exprs.size()) return false;
  const std::string name = LowerCase(TextAt(code().exprs[client].loc).substr(0, 80));
  return AnyOf(name, {"pool", "db", "conn", "sql", "database", "knex", "prisma", "pg", "mysql", "sqlite", "prepare("});
}

// {"read": read, "write": (a) => ...}[word](words), getattr(self, "do_" + word)(words): any of them may be called.
void Engine::Dispatch(const Call& call) {
  const Expr& expr = code().exprs[call.expr];
  const Expr* base = expr.base < code().exprs.size() ? &code().exprs[expr.base] : nullptr;
  if (base == nullptr) return;
  const bool spread = std::ranges::any_of(call.args, [&](const Arg& arg) {
    return arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kSpread;
  });
  const auto enter = [&](const Value& function) {
    Taint ignored;
    if (function.kind != ValueKind::kFunction) return;
    if (spread) {
      CallBack(function, call.all, &ignored);
    } else {
      (void)CallFunction(function, call.args, call.taints, {}, call.expr);
    }
  };
  // table[word], table.get(word): every function of the table.
  const auto enter_all = [&](const Expr& picked, FuncId scope) {
    ExprId from = picked.base;
    if (picked.kind == ExprKind::kCall) {
      if (from >= code().exprs.size() || code().exprs[from].kind != ExprKind::kMember ||
          code().exprs[from].text != "get")
        return;
      from = code().exprs[from].base;
    } else if (picked.kind != ExprKind::kIndex) {
      return;
    }
    ExprId table = from >= code().exprs.size() ? kNone : view().Origin(from, scope, &scope);
    // new Map([["read", read], ...])
    if (table < code().exprs.size() && code().exprs[table].kind == ExprKind::kCall && code().exprs[table].is_new &&
        code().exprs[table].arg_count == 1) {
      table = code().ArgsOf(code().exprs[table])[0].value;
    }
    constexpr std::size_t kMost = 200;
    std::size_t seen = 0;
    const bool known = table < code().exprs.size() &&
                       (code().exprs[table].kind == ExprKind::kDict || code().exprs[table].kind == ExprKind::kList);
    for (const Arg& field : known ? code().ArgsOf(code().exprs[table]) : std::span<const Arg>()) {
      if (++seen > kMost) break;
      ExprId value = field.value;
      if (value < code().exprs.size() && code().exprs[value].kind == ExprKind::kList &&
          code().exprs[value].arg_count == 2) {
        value = code().ArgsOf(code().exprs[value])[1].value;
      }
      if (value >= code().exprs.size()) continue;
      const ExprKind kind = code().exprs[value].kind;
      if (kind == ExprKind::kName || kind == ExprKind::kFunction || kind == ExprKind::kMember) {
        enter(view().Evaluate(value, scope));
      }
    }
  };
  if (base->kind == ExprKind::kName) {
    // What only a caller of a tool brings, several functions of a table check in their own ways.
    if (!call.all.Has(kForeign | kSecretLabels)) return;
    // const read = plain ? asList : asText; for (const [name, check] of CHECKS) check(list)
    FuncId scope = function_;
    const ExprId origin = view().Origin(expr.base, function_, &scope);
    if (origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kChoice) {
      for (const Arg& choice : code().ArgsOf(code().exprs[origin])) enter(view().Evaluate(choice.value, scope));
    }
    if (origin < code().exprs.size()) enter_all(code().exprs[origin], scope);
    std::uint32_t column = kNone;
    const ExprId table = ColumnOf(expr.base, &column, &scope);
    if (table == kNone) return;
    for (const std::vector<Cell>& row : RowsOf(table, scope, 0)) {
      if (column < row.size() && row[column].expr != kNone) enter(view().Evaluate(row[column].expr, row[column].scope));
    }
    return;
  }
  if (base->arg_count > 0) enter_all(*base, function_);
  if (base->kind != ExprKind::kCall || base->arg_count < 2 || !view().is_python() ||
      view().Callee(expr.base, function_).text != "builtins.getattr") {
    return;
  }
  const auto args = code().ArgsOf(*base);
  const Value& owner = view().Evaluate(args[0].value, function_);
  const std::string name = Known(args[1].value);
  const std::string_view head = std::string_view(name).substr(0, name.find(kHole));
  if (head.size() < 3 || (owner.kind != ValueKind::kInstance && owner.kind != ValueKind::kClass) ||
      owner.module != module_ || owner.index >= code().classes.size()) {
    return;
  }
  for (const FuncId method : code().classes[owner.index].methods) {
    if (method >= code().functions.size() || !code().functions[method].name.starts_with(head)) continue;
    Taint ignored;
    Value function = owner;
    function.kind = ValueKind::kFunction;
    function.index = method;
    CallBack(function, call.all, &ignored);
  }
}

// The text of what a value was made by, where it is short.
std::string_view Engine::SaidBy(ExprId value) const {
  const ExprId origin = value < code().exprs.size() ? view().Origin(value, function_) : kNone;
  constexpr std::size_t kShort = 80;
  const std::string_view text = origin < code().exprs.size() ? TextAt(code().exprs[origin].loc) : std::string_view();
  return text.size() <= kShort ? text : std::string_view();
}

// class Loader(yaml.SafeLoader): one of the package that adds to the safe one.
bool Engine::IsSafeLoader(ExprId loader) const {
  const Value& value = view().Evaluate(loader, function_);
  if (value.kind != ValueKind::kClass || value.module >= states_.size()) return false;
  const Module& there = states_[value.module].view->module();
  return std::ranges::any_of(there.classes[value.index].bases, [&](ExprId base) {
    const Loc loc = base < there.exprs.size() ? there.exprs[base].loc : Loc();
    return loc.begin < loc.end && loc.end <= there.text.size() &&
           AnyOf(there.text.substr(loc.begin, loc.end - loc.begin), {"SafeLoader", "BaseLoader"});
  });
}

// page.evaluate((script) => eval(script), given): what a browser's page does with its own code, it does anyhow.
bool Engine::RunsInPage() const {
  constexpr std::size_t kCall = 40;
  for (FuncId at = function_; at != kModuleBody && at < code().functions.size(); at = code().functions[at].parent) {
    const std::size_t begin = code().functions[at].loc.begin;
    std::string_view before = code().text.substr(begin > kCall ? begin - kCall : 0, std::min(begin, kCall));
    before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
    if (before.ends_with("async")) before.remove_suffix(5);
    before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
    for (const std::string_view call : {".evaluate(", ".evaluateHandle(", ".$eval(", ".$$eval(", ".addInitScript(",
                                        ".evaluateOnNewDocument(", ".executeScript("}) {
      if (before.ends_with(call)) return true;
    }
    if (code().functions[at].parent == at) break;
  }
  return false;
}

// Objects made of bytes by libraries that have a name of their own for it.
void Engine::JudgeUnpacked(const Call& call, std::string_view last) {
  if (last == "recv_pyobj" && view().is_python()) {
    Raise("VULN-006", call.expr, {}, 0, "unpacks objects from a socket; unpacking runs code", 1.1);
  } else if (SaysOneOf(last, {"load", "load_all"}) && call.all.Has(kToolArgument) && view().is_python() &&
             AnyOf(Squeezed(TextAt(code().exprs[call.expr].loc).substr(0, 200)), {"typ=\"unsafe\""})) {
    Raise("VULN-006", call.expr, call.all, kToolArgument, "unpacks objects given as an argument; unpacking runs code",
          0.8);
  } else if (SaysOneOf(last, {"query", "eval"}) && !call.args.empty() && call.taints[0].Has(kUnchecked) &&
             view().is_python() && AnyOf(code().text, {"import pandas", "from pandas"}) && call.entry == nullptr &&
             (last == "eval" ||
              Contains(Squeezed(TextAt(code().exprs[call.expr].loc).substr(0, 300)), "engine=\"python\""))) {
    Raise("VULN-002", call.expr, call.taints[0], kToolArgument, "has a table evaluate an argument as an expression",
          0.8);
  } else if (last == "mktemp" && call.callee.text == "tempfile.mktemp") {
    Raise("VULN-008", call.expr, {}, 0, "takes a name in a shared folder before it makes the file", 0.3);
  } else if (last == "redirect" && !call.args.empty() && call.taints.back().Has(kRequest) &&
             call.taints.back().Has(kUnchecked) &&
             AnyOf(SaidBy(call.args.back().value),
                   {"req.query", "request.args", "request.query", "ctx.query", "c.req.query", "searchParams.get",
                    "request.GET", "query_params"})) {
    Raise("VULN-005", call.expr, call.taints.back(), kRequest,
          "sends whoever asks on to an address that the request names", 1.1);
    Worsen("VULN-005", core::Severity::kHigh);
  }
}

// m["params"], m.params, m.get("params") or {}: of a call, as JSON-RPC has it.
bool Engine::IsParams(ExprId value, int depth) const {
  constexpr int kDeepest = 4;
  FuncId where = function_;
  if (value < code().exprs.size() && code().exprs[value].kind == ExprKind::kName) {
    if (code().exprs[value].text == "params") return true;
    value = view().Origin(value, function_, &where);
  }
  if (value >= code().exprs.size() || where != function_ || depth > kDeepest) return false;
  const Expr& expr = code().exprs[value];
  switch (expr.kind) {
    case ExprKind::kMember:
      return expr.text == "params" || expr.text == "Params";
    case ExprKind::kIndex:
      return expr.arg_count == 1 && view().Text(code().ArgsOf(expr)[0].value, function_) == "params";
    case ExprKind::kCall:
      return expr.base < code().exprs.size() && code().exprs[expr.base].text == "get" && expr.arg_count > 0 &&
             view().Text(code().ArgsOf(expr)[0].value, function_) == "params";
    case ExprKind::kChoice:
      return std::ranges::any_of(code().ArgsOf(expr), [&](const Arg& arg) { return IsParams(arg.value, depth + 1); });
    default:
      return false;
  }
}

// What a server without a library is told to call a tool with: msg["params"]["arguments"]. `at`: of the whole.
Taint Engine::ToldByCall(ExprId at, ExprId params, std::string_view key) {
  if ((key != "arguments" && key != "Arguments") || !IsParams(params, 0)) return {};
  return Source(kToolArgument | kUnchecked, at, std::string(kGivenByModel));
}

// call.function.arguments: what a model has written for a tool.
Taint Engine::ToldFrom(ExprId member, std::string_view key) {
  if (key == "path" || key == "rfile") {
    // self.path, self.rfile in do_GET of a handler.
    const ExprId owner = code().exprs[member].base;
    const bool own = view().is_python() && owner < code().exprs.size() && code().exprs[owner].text == "self";
    // ... in `handle` of socketserver's.
    if (own && key == "rfile" && code().functions[function_].name == "handle" &&
        Contains(code().text, "StreamRequestHandler")) {
      return Source(kSocketData, member, "receives data from a connection");
    }
    const bool handler =
        own && code().functions[function_].name.starts_with("do_") && served_.contains(Key(module_, function_));
    return handler ? Source(kCaller, member, "takes what a request says") : Taint();
  }
  const Expr& expr = code().exprs[member];
  if (const Taint told = ToldByCall(member, expr.base, key); told.labels != 0) return told;
  if (key != "arguments" || expr.base >= code().exprs.size()) return {};
  const Expr& base = code().exprs[expr.base];
  if (base.kind != ExprKind::kMember || base.text != "function") return {};
  return Source(kToolArgument | kUnchecked, member, std::string(kGivenByModel));
}

// require("./package.json").config.seed
bool Engine::OfSettings(ExprId value) const {
  for (int i = 0; i < 8 && value < code().exprs.size(); ++i) {
    const Expr& part = code().exprs[value];
    if (part.kind == ExprKind::kMember || part.kind == ExprKind::kIndex) {
      value = part.base;
      continue;
    }
    if (part.kind == ExprKind::kCall && part.arg_count > 0 &&
        view().Callee(value, function_).text == "globalThis.require")
      return view().Text(code().ArgsOf(part)[0].value, function_).ends_with(".json");
    if (part.kind != ExprKind::kName) return false;
    const std::uint32_t slot = view().SlotOf(value, function_);
    if (slot == kNone || view().slots()[slot].import == kNone) return false;
    return code().imports[view().slots()[slot].import].module.ends_with(".json");
  }
  return false;
}

// run = functools.partial(subprocess.run, shell=True)
const CatalogueEntry* Engine::PartialOf(ExprId callee, ExprId* bound) const {
  FuncId scope = function_;
  const ExprId origin = view().Origin(callee, function_, &scope);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall ||
      code().exprs[origin].arg_count == 0 || view().Callee(origin, scope).text != "functools.partial") {
    return nullptr;
  }
  *bound = origin;
  const Value& inner = view().Evaluate(code().ArgsOf(code().exprs[origin])[0].value, scope);
  const Catalogue& catalogue = Catalogue::For(code().language);
  const bool shell = Contains(Squeezed(TextAt(code().exprs[origin].loc).substr(0, 300)), "shell=True");
  return shell ? catalogue.Find("os.system") : catalogue.Find(inner.text);
}

// From a day on that stands in the code, all rows go.
void Engine::JudgeWiped(const Call& call, std::string_view last) {
  const bool dated = std::ranges::any_of(conditions_, [](const Condition& condition) { return condition.dated; });
  if (!dated || call.args.empty() || last.empty()) return;
  const std::string text = LowerCase(view().Text(call.args[0].value, function_).substr(0, 300));
  const bool all = text.starts_with("drop table") || text.starts_with("truncate") ||
                   text.starts_with("drop database") || (text.starts_with("delete from") && !Contains(text, "where"));
  if (!all) return;
  Raise("TRIGGER-001", call.expr, {}, 0, "deletes all rows from a day on that stands in the code");
  Worsen("TRIGGER-001", core::Severity::kCritical);
}

// Again and again, by itself.
// Runs again and again: a loop without an end, or a clock that calls it.
bool Engine::Repeats() const {
  constexpr std::size_t kClockBefore = 24;
  const std::string_view body =
      function_ == kModuleBody ? code().text.substr(0, 20'000) : TextAt(code().functions[function_].loc);
  if (AnyOf(body, {"while True", "while 1:", "while (true)", "for (;;)", "setInterval(", "Timer("})) return true;
  // setInterval(async () => ...): the clock stands before what it runs; setInterval(tick), beside it.
  for (FuncId f = function_; f != kModuleBody && f != kNone; f = code().functions[f].parent) {
    const Function& shape = code().functions[f];
    const std::size_t from = shape.loc.begin - std::min<std::size_t>(shape.loc.begin, kClockBefore);
    if (AnyOf(code().text.substr(from, shape.loc.begin - from), {"setInterval(", ".schedule(", "CronJob("}))
      return true;
    if (shape.name.size() > 1 && code().text.find("setInterval(" + std::string(shape.name)) != std::string_view::npos)
      return true;
  }
  return false;
}

void Engine::JudgeWeak(const Call& call, std::string_view last, bool method) {
  if (method && call.all.Has(kToolArgument) && !call.args.empty()) {
    const bool listed = call.entry != nullptr && (call.entry->role == Role::kSql || call.entry->role == Role::kShell ||
                                                  call.entry->role == Role::kEval || call.entry->role == Role::kSpawn);
    if (!listed && TakesStatement(last)) JudgeStatement(call);
    JudgeBusyPattern(call, last);
    JudgeSentFile(call, last);
  }
  if (method && !conditions_.empty() && TakesStatement(last)) JudgeWiped(call, last);
  JudgePeerCall(call, last);
  JudgeUnpacked(call, last);
  JudgeDoor(call, last);
}

void Engine::JudgeStatement(const Call& call) {
  const std::size_t most = std::min<std::size_t>(call.args.size(), 3);
  for (std::size_t i = 0; i < most; ++i) {
    if (!call.args[i].name.empty() && !SaysOneOf(call.args[i].name, {"query", "sql", "filter", "search_filter"}))
      continue;
    if (!call.taints[i].Has(kToolArgument)) continue;
    const std::string text = LowerCase(Known(call.args[i].value)).substr(0, 2000);
    if (!Contains(text, std::string_view(&kHole, 1))) continue;
    const Statement kind = StatementOf(text);
    if (kind == Statement::kNone) continue;
    const bool quoted =
        function_ != kModuleBody && AnyOf(TextAt(code().functions[function_].loc).substr(0, kLongestBody),
                                          {"format_query_value", "quote", "escape", "sanitiz", "identifier("});
    const bool value = kind == Statement::kDirectory ||
                       AnyOf(text, {"'\x01", "\"\x01", "=\x01", "= \x01", "where \x01", "like \x01", "'%\x01"});
    Raise("VULN-004", call.expr, call.taints[i], kToolArgument,
          kind == Statement::kSql         ? "puts an argument into an SQL statement"
          : kind == Statement::kGraph     ? "puts an argument into a statement of a graph database"
          : kind == Statement::kDirectory ? "puts an argument into a filter of a directory"
                                          : "puts an argument into a path through a document",
          kind == Statement::kPath                             ? 0.4
          : value && !quoted && call.taints[i].Has(kUnchecked) ? 1.4
                                                               : 0.85);
    return;
  }
}

// res.sendFile(folder + "/" + name)
void Engine::JudgeSentFile(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"sendFile", "download", "sendfile"}) || !call.taints[0].Has(kRequest) ||
      !call.taints[0].Has(kUnchecked) || (here().deeds & kDidPathCheck) != 0) {
    return;
  }
  const std::string_view text = TextAt(code().exprs[call.expr].loc).substr(0, 400);
  if (Contains(text, "root:") || (!call.taints[0].Has(kBelow) && !Contains(Known(call.args[0].value), "/"))) return;
  Raise("VULN-003", call.expr, call.taints[0], kRequest, "sends whoever asks the file that he names");
  Worsen("VULN-003", core::Severity::kHigh);
}

// (\w+\s*)* on what a caller says.
void Engine::JudgeBusyPattern(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"match", "fullmatch", "search", "test", "exec", "findall", "finditer", "sub", "replace",
                        "matchAll", "split", "replaceAll"})) {
    return;
  }
  const Expr* function = FunctionOf(call);
  if (function == nullptr) return;
  // The pattern is the receiver, a compiled one, or the first argument.
  std::array<ExprId, 2> places = {function->base, call.args[0].value};
  for (const ExprId place : places) {
    FuncId scope = function_;
    ExprId origin = place < code().exprs.size() ? view().Origin(place, function_, &scope) : kNone;
    if (origin >= code().exprs.size()) continue;
    if (code().exprs[origin].kind == ExprKind::kCall && code().exprs[origin].arg_count > 0 &&
        AnyOf(view().Callee(origin, scope).text, {"re.compile", "RegExp"})) {
      origin = code().ArgsOf(code().exprs[origin])[0].value;
    }
    if (origin >= code().exprs.size()) continue;
    const bool python = view().is_python();
    std::string_view pattern = code().exprs[origin].kind == ExprKind::kString ? code().exprs[origin].text
                               : python                                       ? std::string_view()
                                                                              : TextAt(code().exprs[origin].loc);
    if (!python && code().exprs[origin].kind != ExprKind::kString && !pattern.starts_with('/')) continue;
    if (python && place == call.args[0].value && !call.callee.text.starts_with("re.")) continue;
    if (!NeverEnds(pattern)) continue;
    Raise("VULN-014", call.expr, call.all, kToolArgument, "a text from outside can keep this pattern busy for ever");
    return;
  }
}

// What lets in whoever comes.
void Engine::JudgeDoor(const Call& call, std::string_view last) {
  const auto flag = [&](std::string_view name, std::string_view value) {
    return std::ranges::any_of(call.args, [&](const Arg& arg) {
      return arg.name == name && arg.value < code().exprs.size() && code().exprs[arg.value].text == value;
    });
  };
  if (view().is_python() && last == "run" && flag("host", "0.0.0.0") && flag("debug", "True")) {
    Raise("VULN-010", call.expr, {}, 0,
          "lets everybody who reaches this machine run code in the debugger of its server", 1.6);
    return;
  }
  const std::string_view body =
      function_ == kModuleBody ? std::string_view() : TextAt(code().functions[function_].loc).substr(0, kLongestBody);
  if (last == "decode" && AnyOf(call.callee.text, {"jwt", "jsonwebtoken"}) && !body.empty()) {
    const std::string text = Squeezed(TextAt(code().exprs[call.expr].loc).substr(0, 400));
    const bool open = view().is_python() ? AnyOf(text, {"verify_signature\":False", "verify=False", "\"none\""})
                                         : call.callee.text.starts_with("jsonwebtoken");
    const bool decides = AnyOf(LowerCase(body), {"role", "admin", "scope", "permission", "is_staff"}) &&
                         AnyOf(body, {"403", "401", "abort", "Forbidden", "Unauthorized", "throw", "raise"});
    // An identity token comes from the issuer itself, over a connection that was checked.
    if (open && decides && !Contains(text, "id_token")) {
      Raise("VULN-012", call.expr, {}, 0,
            "decides by a token that anybody may have written: its signature is not checked");
    }
    return;
  }
  // given.startswith(TOKEN): an empty one fits all.
  if ((last == "startswith" || last == "startsWith") && call.args.size() == 1 && !body.empty()) {
    const std::string named = LowerCase(TextAt(code().exprs[call.args[0].value].loc).substr(0, 60));
    const bool request = call.receiver.Has(kRequest);
    if (request && AnyOf(named, {"token", "secret", "password", "api_key", "apikey"}) &&
        code().exprs[call.args[0].value].kind != ExprKind::kString) {
      Raise("VULN-012", call.expr, call.receiver, kRequest, "takes a token for the right one by its beginning");
    }
  }
  for (const Arg& arg : call.args) {
    if (!arg.name.empty()) {
      JudgeNamedKey(call.expr, arg.name, arg.value);
    } else if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) JudgeNamedKey(call.expr, field.name, field.value);
    }
  }
}

// connect(password="...")
void Engine::JudgeNamedKey(ExprId at, std::string_view name, ExprId value) {
  if (!SaysOneOf(name, {"password", "passwd", "pwd", "passphrase"}) || value >= code().exprs.size()) return;
  const Value& known = view().Evaluate(value, function_);
  if (known.kind != ValueKind::kText || !IsPassword(known.text)) return;
  Raise("VULN-013", at, {}, 0, "logs in with a password that stands in the code");
}

// A whole command line that is judged by its first words, or by words that must not stand in it.
bool Engine::GuardsByWords(ExprId value) const {
  if (function_ == kModuleBody || value >= code().exprs.size()) return false;
  const std::string_view body = TextAt(code().functions[function_].loc);
  if (body.size() > kLongestBody) return false;
  const std::string name(TextAt(code().exprs[value].loc).substr(0, 40));
  if (name.empty() || name.find_first_of(" \n(") != std::string::npos) return false;
  const bool guards =
      AnyOf(body, {name + ".startswith(", name + ".startsWith(", name + ".split()[0]", name + ".split(' ')[0]",
                   name + ".split(\" \")[0]", " in " + name, name + ".includes(", name + ".strip().split()[0]",
                   name + ".trim().split", name + ".strip().startswith(", name + ".lower().startswith("});
  if (!guards) return false;
  return !AnyOf(body, {"';'", "\";\"", "'|'", "\"|\"", "'&'", "\"&\"", "'&&'", "\"&&\"", "'`'", "\"`\"", "shlex",
                       "[;&|", "[;|&", "quote(", "[&;", "[|;"});
}

std::string_view Engine::PatternOf(const Call& call) const {
  constexpr std::size_t kLongest = 200;
  const Expr* method = FunctionOf(call);
  const ExprId made =
      method == nullptr || method->base >= code().exprs.size() ? kNone : view().Origin(method->base, function_);
  return made < code().exprs.size() ? TextAt(code().exprs[made].loc).substr(0, kLongest) : std::string_view();
}

// /^[a-z0-9-]+$/.test(name): nothing but what the pattern says gets past.
bool Engine::TestsWhole(const Call& call, std::string_view last) const {
  if (last != "test" || view().is_python() || call.args.size() != 1) return false;
  const std::string_view pattern = PatternOf(call);
  const std::size_t end = pattern.rfind('/');
  return pattern.starts_with("/^") && end != std::string_view::npos && end > 2 && pattern[end - 1] == '$' &&
         pattern.find(".*") == std::string_view::npos;
}

// Some names of this machine are refused; it has more.
bool Engine::RefusesSomeNames(ExprId url) const {
  const std::string_view body = TextAt(code().functions[function_].loc).substr(0, kLongestBody);
  const bool names =
      AnyOf(body, {"localhost", "127.0.0.1"}) ||
      (GuardsByWords(url) && AnyOf(code().text, {"\"localhost", "'localhost", "\"127.0.0.1", "'127.0.0.1"}));
  return names && function_ != kModuleBody &&
         !AnyOf(code().text,
                {"ip_address", "is_private", "isPrivate", "getaddrinfo", "gethostby", "lookup(", "ipaddr"});
}

// What a tool answers, the model reads, and whoever has told it to ask.
void Engine::JudgeAnswer(const Stmt& stmt, const Taint& taint) {
  if (!last_ || !IsEntry()) return;
  if ((taint.fresh & (kSecretFile | kStore)) != 0) {
    Raise("EXFIL-008", stmt.loc, taint, kSecretFile | kStore, "hands credentials to the model as a tool's answer");
  } else if ((taint.fresh & kEnvAll) != 0) {
    Raise("VULN-016", stmt.loc, taint, kEnvAll, "answers with the whole environment, credentials and all");
  }
}

// os.environ.get(name), where `name` is whatever a caller says.
void Engine::JudgeNamedVariable(const Call& call, ExprId name, const Taint& given) {
  if (!last_ || name >= code().exprs.size() || !IsEntry() || !given.Has(kToolArgument) || !given.Has(kUnchecked))
    return;
  if (Known(name).find_first_not_of(kHole) != std::string::npos) return;  // of some names only
  // (process.env.NAMES || "").split(",").includes(name): looked for in one variable.
  if (SaysOneOf(call.callee.text.substr(call.callee.text.rfind('.') + 1), {"includes", "has", "indexOf", "split"}))
    return;
  Raise("VULN-016", call.expr, given, kToolArgument, "reads whatever variable of the environment a caller names", 0.9);
}

// Who the user is, and on which machine: what a package that nobody has asked for it reports home.
void Engine::JudgeReport(const Call& call, const Taint& data, const std::string& host) {
  if (!data.Has(kHostFacts) || data.Has(kToolArgument)) return;
  constexpr std::size_t kMost = 60'000;
  const std::string_view body = code().text.substr(0, kMost);
  if (!AnyOf(body, {"getuser", "getlogin", "userInfo", "USERNAME", "whoami"}) ||
      !AnyOf(body, {"hostname", "gethostname", "node()", "getfqdn"}) || Contains(code().text, "telemetry")) {
    return;
  }
  Raise("EXFIL-004", call.expr, data, kHostFacts, "reports who the user is, and on which machine, to " + host, 0.75,
        host);
}

// Along a path of names that a caller gives, down to what all objects share.
void Engine::JudgeWalk() {
  if (!last_ || function_ == kModuleBody) return;
  const Function& shape = code().functions[function_];
  const std::size_t size = shape.loc.end - shape.loc.begin;
  if (size > 1'500) return;
  const std::string_view body = TextAt(shape.loc);
  bool walks = false;
  if (view().is_python()) {
    walks = Contains(body, "setattr(") && Contains(body, "getattr(") && Contains(body, "for ") &&
            AnyOf(body, {"split(\".\")", "split('.')"}) &&
            !AnyOf(body, {"\"_", "'_", "hasattr", "__", "allowed", "ALLOWED"});
  } else {
    walks = Contains(body, ".reduce(") && AnyOf(body, {"|| {}", "?\?= {}", "?? {}", "||= {}"}) &&
            AnyOf(body, {"split(\".\")", "split('.')", "split('/')"}) && Contains(body, "] = ") &&
            !AnyOf(body, {"__proto__", "hasOwn", "constructor", "Object.create(null)", "prototype", "new Map"});
  }
  if (!walks) return;
  const bool given = std::ranges::any_of(here().in, [](const Taint& in) { return in.Has(kUnchecked); });
  if (!given) return;
  Raise("VULN-009", shape.name_loc.end != 0 ? shape.name_loc : shape.loc, {}, 0,
        "writes along a path of names that an argument chooses, at any depth");
}

}  // namespace interlock::scan::code
