// What programs read from the package's own files of data.
#include <array>

#include "code/places.h"
#include "code/resolve_internal.h"
#include "code/world.h"
#include "static/part_set.h"

namespace interlock::scan::code {
namespace {

constexpr int kMostSteps = 12;  // from a parser back to the file that it reads

// They make a value of the text, or of the open file, that they are given.
constexpr FixedWords kPythonParsers(std::to_array<std::string_view>(
    {"json.load", "json.loads", "orjson.loads", "ujson.load", "ujson.loads", "simplejson.load", "simplejson.loads",
     "yaml.safe_load", "yaml.load", "tomllib.load", "tomllib.loads", "tomli.load", "tomli.loads", "toml.loads"}));
constexpr FixedWords kScriptParsers(std::to_array<std::string_view>({"globalThis.JSON.parse", "js-yaml.load",
                                                                     "yaml.parse", "YAML.parse", "toml.parse",
                                                                     "smol-toml.parse", "json5.parse"}));
// ... of a file's path.
constexpr FixedWords kPathParsers(std::to_array<std::string_view>(
    {"toml.load", "fs-extra.readJsonSync", "fs-extra.readJson", "fs-extra.readJSON", "fs-extra.readJSONSync",
     "load-json-file.loadJsonFile", "load-json-file.loadJsonFileSync"}));
// They open or read the file whose path they are given first.
constexpr FixedWords kReaders(std::to_array<std::string_view>(
    {"builtins.open", "io.open", "codecs.open", "aiofiles.open", "pathlib.Path", "fs.readFileSync", "fs.readFile",
     "fs.promises.readFile", "fs/promises.readFile", "fs-extra.readFileSync", "fs-extra.readFile",
     "globalThis.Deno.readTextFile", "globalThis.Deno.readTextFileSync", "globalThis.Bun.file"}));
// ... second, after the package's name.
constexpr FixedWords kResources(std::to_array<std::string_view>({"pkgutil.get_data", "importlib.resources.read_text",
                                                                 "importlib.resources.open_text",
                                                                 "importlib.resources.read_binary",
                                                                 "importlib.resources.open_binary"}));
// Methods of a file, of its path or of its bytes, that leave what it says as it is.
constexpr FixedWords kSteps(std::to_array<std::string_view>({"read", "read_text", "read_bytes", "open", "decode",
                                                             "toString", "text", "json", "strip", "trim"}));

}  // namespace

// The path of the file whose content, handle or path an expression is; "" for anything else.
std::string ModuleView::FileBehind(ExprId id, FuncId scope, int depth) const {
  if (id >= module_.exprs.size() || depth > kMostSteps) return {};
  FuncId at = scope;
  const ExprId origin = Origin(id, scope, &at);
  const Expr& expr = module_.exprs[origin < module_.exprs.size() ? origin : id];
  if (expr.kind == ExprKind::kAwait && expr.arg_count > 0)
    return FileBehind(module_.ArgsOf(expr)[0].value, at, depth + 1);
  if (expr.kind != ExprKind::kCall || expr.base >= module_.exprs.size())
    return depth == 0 ? std::string() : Text(id, scope);
  const auto args = module_.ArgsOf(expr);
  const Expr& method = module_.exprs[expr.base];
  const Value callee = Callee(origin, at);
  if (callee.kind == ValueKind::kQualified && kResources.Has(callee.text)) {
    const std::string& name = args.size() < 2 ? Text(kNone, at) : Text(args[1].value, at);
    return name.empty() ? std::string() : std::string(1, kHole) + "/" + name;
  }
  if (callee.kind == ValueKind::kQualified && kReaders.Has(callee.text) && !args.empty())
    return FileBehind(args[0].value, at, depth + 1);
  // new URL("./conf.json", import.meta.url)
  if (expr.is_new && method.text == "URL" && args.size() == 2) return Text(args[0].value, at);
  if (method.kind == ExprKind::kMember && (method.text == "with_name" || method.text == "joinpath") &&
      args.size() == 1) {
    const std::string& name = Text(args[0].value, at);
    return name.empty() ? std::string() : std::string(1, kHole) + "/" + name;
  }
  if (method.kind == ExprKind::kMember && kSteps.Has(method.text)) return FileBehind(method.base, at, depth + 1);
  return depth == 0 ? std::string() : Text(id, scope);
}

Value ModuleView::OfData(const Value& callee, const Expr& call, FuncId scope) const {
  const auto args = module_.ArgsOf(call);
  if (args.empty() || world_.depth_ >= kMaxDepth) return {};
  const bool by_path = kPathParsers.Has(callee.text);
  const bool parses = is_python() ? kPythonParsers.Has(callee.text) : kScriptParsers.Has(callee.text);
  if (!by_path && !parses) return {};
  ++world_.depth_;
  const std::string path = by_path ? Text(args[0].value, scope) : FileBehind(args[0].value, scope);
  --world_.depth_;
  const Value* data = path.empty() ? nullptr : world_.DataAt(index_, path);
  return data == nullptr ? Value() : *data;
}

// {...defaults, ...(own ? {url: own} : {})}: the fields of another table; what may be there or not takes the place of
// none. Returns false where the budget is at its end.
bool ModuleView::Spread(ExprId spread, FuncId scope, Value* into) const {
  if (spread >= module_.exprs.size() || module_.exprs[spread].kind != ExprKind::kSpread) return true;
  const auto inner = module_.ArgsOf(module_.exprs[spread]);
  if (inner.empty() || inner[0].value >= module_.exprs.size()) return true;
  const bool perhaps = module_.exprs[inner[0].value].kind == ExprKind::kChoice;
  const Value& table = Evaluate(inner[0].value, scope);
  constexpr std::size_t kMostFields = 64;
  if (table.kind != ValueKind::kDict || table.keys.size() > kMostFields || into->keys.size() > kMostFields) return true;
  for (std::size_t i = 0; i < table.keys.size() && i < table.items.size(); ++i) {
    const auto known = std::find(into->keys.begin(), into->keys.end(), table.keys[i]);
    if (known == into->keys.end()) {
      into->keys.emplace_back(table.keys[i]);
      into->items.push_back(table.items[i]);
    } else if (!perhaps) {
      std::vector<Value> items = into->items.ToVector();
      items[static_cast<std::size_t>(known - into->keys.begin())] = table.items[i];
      into->items = std::move(items);
    }
    if (!SpendOn(table.items[i])) return false;
  }
  return true;
}

// A table in which an address stands: settings, and not what is worked on.
bool ModuleView::HoldsAddress(const Value& value) {
  return value.kind == ValueKind::kDict && std::any_of(value.items.begin(), value.items.end(), [](const Value& item) {
           return item.kind == ValueKind::kText && item.text.find("://") != std::string::npos;
         });
}

// def read_env(path=".env"): a file of credentials, where nobody gives another.
bool ModuleView::NamesStore(const Value& value) {
  if (value.kind != ValueKind::kText) return false;
  const PathKind kind = KindOfPath(value.text);
  return kind == PathKind::kSecret || kind == PathKind::kWeakSecret;
}

}  // namespace interlock::scan::code
