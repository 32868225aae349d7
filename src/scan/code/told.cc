// What tools are said to be, where no literal beside the word `description` says it: texts kept in tables or other
// files, joined from lines, chosen by a condition, added to what another tool is said to be. The agent reads the whole,
// wherever its parts stand.
#include <algorithm>

#include "code/engine.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kMostTold = 2'000;      // texts of a package
constexpr std::size_t kLongestTold = 16'000;  // bytes of one
constexpr std::size_t kShortestTold = 24;     // less is a title
constexpr int kDeepest = 10;                  // names and calls followed
constexpr int kMostParts = 400;               // expressions of one text

bool Any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

class Collector {
 public:
  Collector(const World& world, std::vector<ToldText>& out) : world_(world), out_(out) {}

  void Read(std::uint32_t index) {
    const ModuleView& view = world_.View(index);
    const Module& module = view.module();
    const ExprPlaces places = PlacesOf(module);
    for (const ExprId dict : places.dicts) Described(view, dict, places.scope[dict]);
    for (const ExprId call : places.calls) Registered(view, call, places.scope[call]);
    for (FuncId f = 0; f < module.functions.size(); ++f) {
      for (const Stmt& stmt : module.functions[f].body) {
        if (stmt.kind != StmtKind::kAssign || stmt.target >= module.exprs.size()) continue;
        const Expr& target = module.exprs[stmt.target];
        // tool.description = ...
        if (target.kind == ExprKind::kMember && Any(target.text, {"description", "__doc__"}))
          Take(view, stmt.value, f, true);
      }
    }
  }

 private:
  static bool IsSchemaKey(std::string_view key) {
    return Any(key, {"inputSchema", "input_schema", "parameters", "paramsSchema", "schema", "args_schema", "handler",
                     "execute", "annotations", "outputSchema"});
  }

  // {name, description, inputSchema}, {...tool, description}
  void Described(const ModuleView& view, ExprId dict, FuncId scope) {
    const Module& module = view.module();
    ExprId said = kNone;
    bool tool = false;
    for (const Arg& field : module.ArgsOf(module.exprs[dict])) {
      if (field.name == "description") said = field.value;
      const bool spread = field.value < module.exprs.size() && module.exprs[field.value].kind == ExprKind::kSpread;
      tool = tool || IsSchemaKey(field.name) || spread;
    }
    if (said != kNone && tool) Take(view, said, scope, false);
  }

  void Registered(const ModuleView& view, ExprId id, FuncId scope) {
    const Module& module = view.module();
    const Expr& call = module.exprs[id];
    if (call.base >= module.exprs.size()) return;
    const std::string_view last = module.exprs[call.base].text;
    const auto args = module.ArgsOf(call);
    const bool tool = Any(last, {"tool", "Tool", "StructuredTool", "FunctionTool", "from_function", "add_tool",
                                 "function_tool", "register_tool", "registerTool", "addTool", "prompt", "FastMCP",
                                 "McpServer", "Server", "DynamicStructuredTool", "ToolDefinition", "from_defaults"});
    const bool copy = Any(last, {"replace", "_replace", "model_copy", "copy", "evolve", "assign"});
    if (!tool && !copy) return;
    for (const Arg& arg : args) {
      if (arg.value >= module.exprs.size()) continue;
      if (arg.name == "description") Take(view, arg.value, scope, false);
      if (module.exprs[arg.value].kind != ExprKind::kDict) continue;
      for (const Arg& field : module.ArgsOf(module.exprs[arg.value])) {
        if (field.name == "description") Take(view, field.value, scope, false);
      }
    }
    // tool(name, description, ...)
    if (tool && args.size() >= 3 && args[1].name.empty() && args[1].value < module.exprs.size() &&
        module.exprs[args[1].value].kind != ExprKind::kDict) {
      Take(view, args[1].value, scope, false);
    }
  }

  void Take(const ModuleView& view, ExprId said, FuncId scope, bool literal_too) {
    const Module& module = view.module();
    if (said >= module.exprs.size() || out_.size() >= kMostTold) return;
    if (module.exprs[said].kind == ExprKind::kString && !literal_too) return;  // read as it stands
    std::string text;
    parts_ = 0;
    Gather(view, said, scope, 0, text);
    if (text.size() < kShortestTold) return;
    out_.push_back({view.index(), module.file, module.exprs[said].loc, std::move(text)});
  }

  static void Append(std::string_view part, std::string& text) {
    if (part.empty() || text.size() + part.size() > kLongestTold) return;
    // "\n" between lines that are joined is no part of what they say.
    if (part.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    if (!text.empty() && text.back() != '\n' && text.back() != ' ') text += ' ';
    text += part;
  }

  // All constants that the value may say, in the order of the program.
  void Gather(const ModuleView& view, ExprId id, FuncId scope, int depth, std::string& text) {
    const Module& module = view.module();
    if (id >= module.exprs.size() || depth > kDeepest || ++parts_ > kMostParts) return;
    const Value& value = view.Evaluate(id, scope);
    if (value.kind == ValueKind::kText) {
      Append(value.text, text);
      return;
    }
    const Expr& expr = module.exprs[id];
    switch (expr.kind) {
      case ExprKind::kString:
        Append(expr.text, text);
        return;
      case ExprKind::kName:
      case ExprKind::kMember:
      case ExprKind::kIndex: {
        if (value.kind == ValueKind::kList || value.kind == ValueKind::kDict) {
          Items(value, 0, text);
          return;
        }
        if (expr.kind == ExprKind::kName) {
          FuncId found = scope;
          const ExprId origin = view.Origin(id, scope, &found);
          if (origin != id) Gather(view, origin, found, depth + 1, text);
          return;
        }
        if (expr.kind == ExprKind::kMember && Table(view, expr, scope, depth, text)) return;
        // TABLE[key]: any of its texts.
        if (expr.kind == ExprKind::kIndex) Gather(view, expr.base, scope, depth + 1, text);
        return;
      }
      case ExprKind::kCall: {
        const Value callee = view.Callee(id, scope);
        if (callee.kind == ValueKind::kFunction && callee.module < world_.size()) {
          const ModuleView& there = world_.View(callee.module);
          for (const Stmt& stmt : there.module().functions[callee.index].body) {
            if (stmt.kind == StmtKind::kReturn)
              Gather(there, stmt.value, static_cast<FuncId>(callee.index), depth + 1, text);
          }
        }
        // [a, b].join("\n"), TABLE.get(key), text.strip()
        if (expr.base < module.exprs.size() && module.exprs[expr.base].kind == ExprKind::kMember)
          Gather(view, module.exprs[expr.base].base, scope, depth + 1, text);
        for (const Arg& arg : module.ArgsOf(expr)) {
          if (arg.value < module.exprs.size() && module.exprs[arg.value].kind != ExprKind::kFunction)
            Gather(view, arg.value, scope, depth + 1, text);
        }
        return;
      }
      case ExprKind::kChoice:
      case ExprKind::kConcat:
      case ExprKind::kFormat:
      case ExprKind::kList:
      case ExprKind::kDict:
      case ExprKind::kComprehension:
      case ExprKind::kSpread:
      case ExprKind::kAwait:
      case ExprKind::kUnknown:
        for (const Arg& arg : module.ArgsOf(expr)) Gather(view, arg.value, scope, depth + 1, text);
        return;
      default:
        return;
    }
  }

  // NAMES.key, where NAMES is an object of this or another file whose values are no plain constants.
  bool Table(const ModuleView& view, const Expr& member, FuncId scope, int depth, std::string& text) {
    const Module& module = view.module();
    FuncId found = scope;
    const ExprId origin = view.Origin(member.base, scope, &found);
    if (origin >= module.exprs.size()) return false;
    if (module.exprs[origin].kind == ExprKind::kDict) return Field(view, origin, found, member.text, depth, text);
    if (module.exprs[origin].kind != ExprKind::kName) return false;
    const std::uint32_t slot = view.SlotOf(origin, found);
    if (slot == kNone || view.slots()[slot].import == kNone) return false;
    const Import& import = module.imports[view.slots()[slot].import];
    const std::uint32_t other = world_.Resolve(view.index(), import.module);
    if (other == kNone) return false;
    const ModuleView& there = world_.View(other);
    const bool whole = import.symbol.empty() || import.symbol == "default";
    const std::uint32_t kept = there.SlotByName(whole ? member.text : std::string_view(import.symbol), kModuleBody);
    if (kept == kNone) return false;
    const Slot& variable = there.slots()[kept];
    for (std::uint32_t i = 0; i < variable.count; ++i) {
      const Binding& binding = there.bindings()[variable.first + i];
      if (binding.value >= there.module().exprs.size()) continue;
      if (whole) {
        Gather(there, binding.value, binding.scope, depth + 1, text);
        return true;
      }
      if (there.module().exprs[binding.value].kind == ExprKind::kDict &&
          Field(there, binding.value, binding.scope, member.text, depth, text)) {
        return true;
      }
    }
    return false;
  }

  bool Field(const ModuleView& view, ExprId dict, FuncId scope, std::string_view key, int depth, std::string& text) {
    const Module& module = view.module();
    for (const Arg& field : module.ArgsOf(module.exprs[dict])) {
      if (field.name != key) continue;
      Gather(view, field.value, scope, depth + 1, text);
      return true;
    }
    return false;
  }

  static void Items(const Value& value, int depth, std::string& text) {
    constexpr int kNested = 4;
    for (const Value& item : value.items) {
      if (item.kind == ValueKind::kText) Append(item.text, text);
      if (depth < kNested && (item.kind == ValueKind::kList || item.kind == ValueKind::kDict))
        Items(item, depth + 1, text);
    }
  }

  const World& world_;
  std::vector<ToldText>& out_;
  int parts_ = 0;
};

}  // namespace

void CollectTold(const World& world, const std::vector<core::Reach>& reach, std::vector<ToldText>& out) {
  Collector collector(world, out);
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    const core::Reach place = i < reach.size() ? reach[i] : core::Reach::kRuntime;
    if (place <= core::Reach::kRuntime) collector.Read(i);
  }
}

}  // namespace interlock::scan::code
