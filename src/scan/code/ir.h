// Intermediate representation of a source file: what Python, JavaScript, TypeScript, Go and Rust lower to, and what
// name resolution, constant folding and flow analysis work on. Small on purpose: control flow is flattened into program
// order (both branches, loop bodies once), because flows are judged by reachability, not by path. Engine room.
//
// Front ends: python.cc, javascript.cc, typed_lowering.cc (tree-sitter trees; explicit stacks, step budgets).
// Consumers: resolve.cc, fold.cc, flow.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::scan::code {

using ExprId = std::uint32_t;
using FuncId = std::uint32_t;
using ClassId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
inline constexpr FuncId kModuleBody = 0;  // functions[0]: the statements of the module itself

enum class Language : std::uint8_t { kPython, kJavaScript, kTypeScript, kGo, kRust };

// Languages of declarations and static types (typed_lowering.h).
[[nodiscard]] constexpr bool IsTyped(Language language) {
  return language == Language::kGo || language == Language::kRust;
}

// Byte range in the file.
struct Loc {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

enum class ExprKind : std::uint8_t {
  kUnknown,   // anything else; values of `args` may reach its own, unless text says that it only asks about them:
              // "not", "!", "typeof"
  kString,    // text: the literal's value, escapes undone (bytes literals too)
  kNumber,    // text: as written
  kConstant,  // text: "None" "True" "False" "null" "undefined"
  kName,      // text: identifier; Python `self`, JS `this` are names
  kMember,    // base.text
  kIndex,     // base[args[0]]; JS computed members too
  kSlice,     // base[args[0]:args[1]:args[2]]; a missing bound is kNone
  kCall,      // base(args...); keyword arguments carry their name; `is_new` for JS `new`
  kConcat,    // args joined by +
  kBinary,    // text: operator; args two
  kFormat,    // f-string, template literal: args in order, literal pieces are kString; tagged templates are kCall
  kList,      // list, tuple, set, array: args
  kDict,      // args with name = constant key where it is one; computed keys come as args with an empty name; text:
              // of Go and Rust, the type of the package whose fields they are
  kComprehension,  // args: element(s), then the iterables; targets are assigned by statements before it
  kFunction,       // lambda, arrow, function expression, JS class expression method: `function`
  kClass,          // class expression: `function` holds the ClassId
  kSpread,         // *x, **x, ...x: args[0]
  kChoice,         // a if c else b, a or b, a ?? b: any of args (condition included first for the ternary)
  kAwait,          // args[0]; yield too
};

struct Arg {
  ExprId value = kNone;
  std::string_view name = {};  // keyword or key; view into the file or into Module::strings
};

struct Expr {
  ExprKind kind = ExprKind::kUnknown;
  bool is_new = false;
  bool is_async = false;
  Loc loc;
  std::string_view text = {};  // view into the file or into Module::strings
  ExprId base = kNone;
  std::uint32_t first_arg = 0;  // into Module::args
  std::uint32_t arg_count = 0;
  std::uint32_t function = kNone;  // FuncId (kFunction) or ClassId (kClass)
};

enum class StmtKind : std::uint8_t {
  kExpr,       // value evaluated for its effect
  kAssign,     // target = value; `x += y` comes as target = kConcat(target, y); destructuring as kList/kDict target;
               // `for t in v`, `with v as t`, `except v as t`, walrus as assignments too
  kReturn,     // value or kNone
  kYield,      // value
  kRaise,      // value
  kCondition,  // value of an if/while test (its body follows in program order)
  kDelete,
};

// Name of those arguments of a comprehension that it goes through; what it makes of each has none.
inline constexpr std::string_view kEachOf = "in";

// Where the value of an assignment comes from beyond its expression: the language has a part in it.
enum class Binds : std::uint8_t {
  kValue,    // target = value
  kCaught,   // what an except or a catch clause calls the exception
  kEntered,  // `with value as target`: what __enter__ gives back
  kEach,     // a loop: one after another of what the value says that it has
};

struct Stmt {
  StmtKind kind = StmtKind::kExpr;
  Loc loc;
  ExprId target = kNone;
  ExprId value = kNone;
  Binds binds = Binds::kValue;        // kAssign
  std::uint16_t condition_depth = 0;  // enclosing if/while/except/case bodies, so that conditional payloads can be told
};

struct Param {
  std::string_view name;
  ExprId fallback = kNone;  // default value
  ExprId annotation = kNone;
  bool variadic = false;  // *args, **kwargs, ...rest
  Loc loc;
};

struct Function {
  std::string_view name;  // "" for lambdas; JS: the name it is assigned to where that is plain
  std::string qualified;  // "Class.method", "outer.inner"
  Loc loc;                // whole definition
  Loc name_loc;
  FuncId parent = kNone;  // lexical
  ClassId owner = kNone;  // class it is a method of
  bool is_async = false;
  bool is_static = false;
  bool exported = false;  // JS export, module.exports; Python: module level without leading underscore
  std::vector<Param> params;
  std::vector<ExprId> decorators;  // Python and TS
  ExprId docstring = kNone;        // kString expression; JS: none (see Module::comments)
  std::vector<Stmt> body;
};

// A field that is declared with its type, and given nothing there: `http: reqwest::Client`, `http *http.Client`.
struct TypedField {
  std::string_view name;
  ExprId type = kNone;
};

struct Class {
  std::string_view name;
  Loc loc;
  FuncId parent = kModuleBody;  // function in whose body it is defined; class-level assignments are statements there,
                                // with targets kMember(kName(Class), attribute)
  std::vector<ExprId> bases;
  std::vector<ExprId> decorators;
  std::vector<FuncId> methods;
  ExprId docstring = kNone;
  std::vector<TypedField> fields;
};

// Go `import x "a/b"` -> {"x", "a/b", ""}; Rust `use a::b::{c, d as e};` -> {"c", "a.b", "c"}, {"e", "a.b", "d"}; of
// the own crate with slashes, `use crate::a::B;` -> {"B", "crate/a", "B"}; `mod x;` -> {"x", "self/x", ""}. Python
// `import a.b as c` -> {local "c", module "a.b", symbol ""}; `import a.b` -> {local "a", module "a", ""} (with a
// second, unnamed entry {"" , "a.b", ""}); `from a import b as c` -> {"c", "a", "b"}; `from a import *` ->
// {"*", "a", "*"}. JS `import x from "m"` -> {"x", "m", "default"}; `import * as x` -> {"x", "m", ""}; `import {a as
// b}` -> {"b", "m", "a"}; `const x = require("m")`, `await import("m")` with a constant -> {"x", "m", ""}; destructured
// require -> {"b", "m", "a"}. "node:" prefixes are removed. Relative Python imports keep their dots in `module`
// ("..x"). `export {a as b} from "m"` -> {ExportedName("b"), "m", "a"}; `export * from "m"` -> {"*", "m", "*"};
// `export * as x from "m"` -> {ExportedName("x"), "m", ""}.
struct Import {
  std::string_view local;
  std::string module;
  std::string symbol;
  FuncId scope = kModuleBody;
  Loc loc;
};

// The name of what a module only hands on: no variable of its own is called so.
[[nodiscard]] std::string ExportedName(std::string_view name);

struct Comment {
  Loc loc;  // with its markers
};

struct Module {
  Language language = Language::kPython;
  std::uint32_t file = 0;  // FileContext::index
  std::string_view text;   // of the file
  std::vector<Expr> exprs;
  std::vector<Arg> args;
  std::vector<Function> functions;  // [kModuleBody] first
  std::vector<Class> classes;
  std::vector<Import> imports;
  std::vector<Comment> comments;
  // Owned texts (unescaped literals). A deque-like list of stable addresses.
  std::vector<std::unique_ptr<std::string>> strings;
  std::uint32_t error_bytes = 0;  // under ERROR nodes of the tree
  bool complete = true;           // false: budget used up; what was lowered is valid
  std::string stop = {};          // which budget

  [[nodiscard]] std::span<const Arg> ArgsOf(const Expr& expr) const {
    return std::span<const Arg>(args).subspan(expr.first_arg, expr.arg_count);
  }
};

// Function in which each expression stands (kNone: in no statement, as defaults of arguments and types do), and all
// calls and dicts in program order.
struct ExprPlaces {
  std::vector<FuncId> scope;
  std::vector<ExprId> calls;
  std::vector<ExprId> dicts;
};
[[nodiscard]] ExprPlaces PlacesOf(const Module& module);

struct LowerLimits {
  std::uint32_t max_bytes = 8u << 20;
  std::uint32_t max_nodes = 8'000'000;  // tree nodes visited
  std::uint32_t max_depth = 2'000;      // nesting; deeper parts become kUnknown
  std::uint32_t max_parse_ops = 0;      // tree-sitter progress budget; 0: from the size of the text
};

// Total on any bytes. Text must outlive the module.
[[nodiscard]] Module LowerPython(std::string_view text, std::uint32_t file, const LowerLimits& limits = {});
// `typescript`: parse as TypeScript; `tsx`/`jsx` by `has_tags`.
[[nodiscard]] Module LowerJavaScript(std::string_view text, std::uint32_t file, bool typescript, bool has_tags,
                                     const LowerLimits& limits = {});

[[nodiscard]] Module LowerGo(std::string_view text, std::uint32_t file, const LowerLimits& limits = {});
[[nodiscard]] Module LowerRust(std::string_view text, std::uint32_t file, const LowerLimits& limits = {});

// For tests and `--debug`: one statement a line, stable.
[[nodiscard]] std::string Dump(const Module& module);

}  // namespace interlock::scan::code
