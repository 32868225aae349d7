// Tables that a loop goes through: commands whose words stand in rows, functions that are called one after the other;
// and lists of words that send a package manager to a place of its own.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr int kDeepest = 6;
constexpr std::size_t kMostRows = 64;

}  // namespace

// [[a, b], ...], {a: b}.items(), Object.entries({...}), rows(): what a loop is given, row by row.
std::vector<std::vector<Cell>> Engine::RowsOf(ExprId table, FuncId scope, int depth) const {
  std::vector<std::vector<Cell>> rows;
  FuncId found = scope;
  const ExprId origin = view().Origin(table, scope, &found);
  if (origin >= code().exprs.size() || depth > kDeepest) return rows;
  const Expr& expr = code().exprs[origin];
  const auto args = code().ArgsOf(expr);
  if (expr.kind == ExprKind::kList) {
    for (const Arg& item : args) {
      if (item.value >= code().exprs.size() || rows.size() >= kMostRows) break;
      std::vector<Cell>& row = rows.emplace_back();
      if (code().exprs[item.value].kind != ExprKind::kList) {
        row.push_back({item.value, found, {}});
        continue;
      }
      for (const Arg& cell : code().ArgsOf(code().exprs[item.value])) row.push_back({cell.value, found, {}});
    }
  } else if (expr.kind == ExprKind::kDict) {
    for (const Arg& field : args) {
      if (field.name.empty() || rows.size() >= kMostRows) continue;
      rows.push_back({{kNone, found, field.name}, {field.value, found, {}}});
    }
  } else if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size()) {
    const Expr& callee = code().exprs[expr.base];
    const std::string_view owner = callee.base < code().exprs.size() ? code().exprs[callee.base].text : "";
    const bool wraps = SaysOneOf(callee.text, {"entries", "sorted", "list", "tuple", "reversed", "Map", "from"});
    if (callee.kind == ExprKind::kMember && SaysOneOf(callee.text, {"items", "entries"}) && owner != "Object") {
      return RowsOf(callee.base, found, depth + 1);
    }
    if (wraps && !args.empty()) return RowsOf(args[0].value, found, depth + 1);
    const Value made = view().Callee(origin, found);
    if (made.kind != ValueKind::kFunction || made.module != module_) return rows;
    for (const Stmt& stmt : code().functions[made.index].body) {
      if (stmt.kind == StmtKind::kReturn && rows.empty()) rows = RowsOf(stmt.value, made.index, depth + 1);
    }
  }
  return rows;
}

// The table and the column that `for name, value in TABLE` binds a name to; kNone where it is no such name.
ExprId Engine::ColumnOf(ExprId name, std::uint32_t* column, FuncId* scope) const {
  if (name >= code().exprs.size() || code().exprs[name].kind != ExprKind::kName) return kNone;
  const std::uint32_t slot = view().SlotOf(name, function_);
  if (slot == kNone) return kNone;
  const Slot& variable = view().slots()[slot];
  for (std::uint32_t i = variable.count; i-- > 0;) {
    const Binding& binding = view().bindings()[variable.first + i];
    if (!binding.destructured || binding.item == kNone || binding.value == kNone) continue;
    *column = binding.item;
    *scope = binding.scope;
    return binding.value;
  }
  return kNone;
}

// for key, value in TABLE: run(["git", "config", key, value]): one command a row.
// ["git", "diff", revision]: where git still reads options, `--output=FILE` is as good as a revision (CVE-2025-68144).
void Engine::JudgeOption(const Call& call, std::span<const ExprId> words) {
  if (words.size() < 3 || view().Text(words[0], function_) != "git") return;
  constexpr auto kWrites = std::to_array<std::string_view>(
      {"diff", "log", "show", "clone", "fetch", "pull", "archive", "grep", "ls-remote", "format-patch"});
  if (AnyOf(code().text, {"startswith(\"-", "startswith('-", "startsWith(\"-", "startsWith('-", "end-of-options"}))
    return;
  bool verb = false;
  bool valued = false;  // the word before takes this one
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = Known(words[i]);
    if (word == "--") return;
    const bool option = word.starts_with('-');
    const bool open = word.find_first_not_of(kHole) == std::string::npos;
    if (verb && open && !valued) {
      const Taint taint = Eval(words[i]);
      if (taint.Has(kToolArgument) && taint.Has(kUnchecked)) {
        Raise("VULN-001", call.expr, taint, kToolArgument, "puts an argument where git reads options", 0.6);
        return;
      }
    }
    verb = verb || (!option && std::ranges::find(kWrites, word) != kWrites.end());
    valued = option && word.find('=') == std::string::npos && word.size() == 2;
  }
}

void Engine::JudgeRows(const Call& call, std::span<const ExprId> words, FuncId scope) {
  if (!last_ || scope != function_) return;
  JudgeOption(call, words);
  struct Place {
    std::uint32_t column = kNone;  // kNone: the same in every row
    bool whole = false;            // the row's words, all of them
    std::string text;
  };
  std::vector<Place> places;
  ExprId table = kNone;
  FuncId where = scope;
  for (const ExprId word : words) {
    Place place;
    if (word >= code().exprs.size()) return;
    ExprId name = word;
    if (code().exprs[word].kind == ExprKind::kSpread && code().exprs[word].arg_count > 0) {
      name = code().ArgsOf(code().exprs[word])[0].value;
      place.whole = true;
    }
    FuncId found = scope;
    ExprId from = kNone;
    if (place.whole) {
      from = view().Origin(name, scope, &found);
    } else {
      place.text = Known(word);
      if (place.text.empty() || place.text == std::string_view(&kHole, 1)) from = ColumnOf(name, &place.column, &found);
    }
    if (from != kNone && table == kNone) {
      table = from;
      where = found;
    }
    if (from != table) place.column = kNone;
    places.push_back(std::move(place));
  }
  if (table == kNone) return;
  for (const std::vector<Cell>& row : RowsOf(table, where, 0)) {
    std::string line;
    const auto add = [&](const std::string& text) {
      line += line.empty() ? "'" : " '";
      for (const char c : text.empty() ? std::string(1, kHole) : text) line += c == '\'' ? ' ' : c;
      line += "'";
    };
    const auto said = [&](const Cell& cell) {
      return cell.expr == kNone ? std::string(cell.text) : view().Text(cell.expr, cell.scope);
    };
    if (row.size() < 2) return;
    for (const Place& place : places) {
      if (place.whole) {
        for (const Cell& cell : row) add(said(cell));
      } else if (place.column != kNone && place.column < row.size()) {
        add(said(row[place.column]));
      } else {
        add(place.text);
      }
    }
    if (line.size() <= 4096) JudgeLine(call, line);
  }
}

// ["--index-url", "https://..."]: words for a package manager, wherever they are given to one.
void Engine::JudgeIndexWords(ExprId list) {
  if (!last_) return;
  const auto items = code().ArgsOf(code().exprs[list]);
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    const std::string& option = view().Text(items[i].value, function_);
    if (!SaysOneOf(option, {"--index-url", "--extra-index-url", "--registry", "--package", "--find-links", "--from",
                            "--default-index", "--with"})) {
      continue;
    }
    const std::string& place = view().Text(items[i + 1].value, function_);
    const std::string host = KnownHost(place);
    if (host.empty() || (!place.starts_with("https://") && !place.starts_with("git+https://"))) continue;
    const HostKind kind = KindOfHost(host);
    if (kind != HostKind::kOrdinary && !IsBad(kind)) continue;
    // Not weighed by whose host it is: what an index answers to a name, it may answer otherwise tomorrow.
    Raise("RCE-004", list, {}, 0, "has a package manager take its packages from " + host + " while it runs", 0.7);
    return;
  }
  // [["permissions", "defaultMode"], "bypassPermissions"]: a step of a migration.
  if (items.size() == 2 && items[0].value < code().exprs.size() &&
      view().Text(items[1].value, function_) == "bypassPermissions") {
    const Expr& keys = code().exprs[items[0].value];
    const bool mode = keys.kind == ExprKind::kList && keys.arg_count > 0 &&
                      view().Text(code().ArgsOf(keys).back().value, function_) == "defaultMode";
    if (mode || view().Text(items[0].value, function_).ends_with("defaultMode")) {
      Raise("PERSIST-003", list, {}, 0, "sets the mode in which agents run every command, by a table of keys", 1.0);
    }
  }
}

// {"()": "subprocess.Popen", "args": [...]}: whoever sets up logging by a table calls what it names. And a mode that
// lets every command through, put together so that nobody reads it.
void Engine::JudgeSettings(ExprId dict) {
  if (!last_) return;
  JudgeMadeMemory(dict);
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    if (field.value >= code().exprs.size() || (field.name != "()" && field.name != "defaultMode")) continue;
    const std::string& text = view().Text(field.value, function_);
    if (field.name == "defaultMode") {
      const bool hidden = code().exprs[field.value].kind != ExprKind::kString &&
                          TextAt(code().exprs[field.value].loc).find("bypassPermissions") == std::string_view::npos &&
                          code().exprs[field.value].kind != ExprKind::kName;
      if (text == "bypassPermissions" && hidden) {
        Raise("PERSIST-003", field.value, {}, 0, "puts the mode together in which agents run every command", 1.2);
      }
      continue;
    }
    const CatalogueEntry* entry = Catalogue::For(code().language).Find(text);
    if (entry == nullptr || (entry->role != Role::kShell && entry->role != Role::kSpawn && entry->role != Role::kEval &&
                             entry->role != Role::kNative && entry->role != Role::kFileDelete)) {
      continue;
    }
    Raise("OBFUSC-002", dict, {}, 0, "has a table of settings call " + text);
  }
}

}  // namespace interlock::scan::code
