// What tools are said to be, where no literal beside the word `description` says it: texts kept in tables or other
// files, joined from lines, chosen by a condition, added to what another tool is said to be; and what tools answer and
// scripts print. The agent reads the whole, wherever its parts stand.
#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "code/catalogue.h"
#include "code/engine.h"
#include "code/engine_words.h"
#include "code/entry.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kMostTold = 2'000;      // texts of a package
constexpr std::size_t kLongestTold = 16'000;  // bytes of one
constexpr std::size_t kShortestTold = 24;     // less is a title
constexpr int kDeepest = 24;                  // names and calls followed
constexpr int kMostParts = 400;               // expressions of one text
constexpr std::size_t kMostTables = 40;       // texts of tables beside it
constexpr std::size_t kSentence = 40;         // bytes

bool Any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// "\u200b\u202e...": what a program looks for, and takes out, is not said.
bool IsSetOfCharacters(std::string_view text) {
  constexpr std::size_t kEach = 3;  // bytes of each that is asked about
  std::size_t unseen = 0;
  for (std::size_t at = text.find('\xe2'); at < text.size() && at + 2 < text.size(); at = text.find('\xe2', at + 1)) {
    const auto middle = static_cast<unsigned char>(text[at + 1]);
    const auto last = static_cast<unsigned char>(text[at + 2]);
    unseen += (middle == 0x80 && ((last >= 0x8b && last <= 0x8f) || (last >= 0xaa && last <= 0xae))) ||
                      (middle == 0x81 && last >= 0xa0 && last <= 0xaf)
                  ? 1
                  : 0;
  }
  return unseen * kEach * 2 > text.size();
}

// "ignore (all |previous )?instructions", "SYSTEM\\s*:": what a program looks for in others' texts, as an expression.
bool IsExpression(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  // What says where to, or which file, is an order whatever signs it has.
  if (text.size() > kLongest || text.find_first_of("/~@") != std::string_view::npos) return false;
  for (const std::string_view sign : {"\\s", "\\b", "\\w", "\\d"}) {
    const std::size_t at = text.find(sign);
    if (at != std::string_view::npos && at + 2 < text.size() &&
        std::string_view("*+?").find(text[at + 2]) != std::string_view::npos)
      return true;
  }
  const std::size_t end = text.find(")?");
  const std::size_t begin = end == std::string_view::npos ? end : text.rfind('(', end);
  return begin != std::string_view::npos && text.substr(begin, end - begin).find('|') != std::string_view::npos;
}

class Collector {
 public:
  using Place = ToldText::Place;

  Collector(const World& world, std::vector<ToldText>& out, std::vector<std::string>& files)
      : world_(world), out_(out), files_(files) {}

  void Read(std::uint32_t index) {
    const ModuleView& view = world_.View(index);
    const Module& module = view.module();
    const ExprPlaces& places = view.places();
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

  // What a tool, a resource or a prompt answers: its returns, and what it raises.
  void ReadAnswers(const EntryPoint& entry) {
    const ModuleView& view = world_.View(entry.module);
    const Module& module = view.module();
    if (entry.function >= module.functions.size()) return;
    const bool guide = Any(entry.kind, {"resource", "prompt"});
    for (const Stmt& stmt : module.functions[entry.function].body) {
      if (stmt.kind == StmtKind::kReturn || stmt.kind == StmtKind::kYield || stmt.kind == StmtKind::kRaise)
        Take(view, stmt.value, entry.function, true, guide ? Place::kGuide : Place::kAnswer);
    }
  }

  // What a script that an agent starts prints, or its hook.
  void ReadPrinted(std::uint32_t index, Place place) {
    const ModuleView& view = world_.View(index);
    const Module& module = view.module();
    const ExprPlaces& places = view.places();
    for (const ExprId id : places.calls) {
      const Expr& call = module.exprs[id];
      if (call.base >= module.exprs.size()) continue;
      const Expr& callee = module.exprs[call.base];
      const std::string_view owner = callee.base < module.exprs.size() ? module.exprs[callee.base].text : "";
      const bool prints =
          (callee.kind == ExprKind::kName && callee.text == "print") ||
          (callee.kind == ExprKind::kMember && owner == "console" &&
           Any(callee.text, {"log", "error", "warn", "info"})) ||
          (callee.kind == ExprKind::kMember && Any(owner, {"stdout", "stderr"}) && callee.text == "write") ||
          (callee.kind == ExprKind::kMember && Any(callee.text, {"echo", "secho"}));
      if (!prints) continue;
      for (const Arg& arg : module.ArgsOf(call)) Take(view, arg.value, places.scope[id], true, place);
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
    // Sampling and elicitation: the server has the client's model, or its user, asked.
    const ExprId owner = module.exprs[call.base].base;
    const bool context = owner < module.exprs.size() && Any(module.exprs[owner].text, {"ctx", "context", "session"});
    if (Any(last, {"create_message", "createMessage", "RequestSampling", "CreateMessage", "elicit", "elicitInput",
                   "elicit_input", "Elicit", "RequestElicitation"}) ||
        (last == "sample" && context)) {
      asks_ = true;
      for (const Arg& arg : args) Take(view, arg.value, scope, true, Place::kAnswer);
      asks_ = false;
      return;
    }
    const bool tool = Any(last, {"tool", "Tool", "StructuredTool", "FunctionTool", "from_function", "add_tool",
                                 "function_tool", "register_tool", "registerTool", "addTool", "prompt", "FastMCP",
                                 "McpServer", "Server", "DynamicStructuredTool", "ToolDefinition", "from_defaults"});
    // z.string().describe(...), Field(description=...): what a parameter is said to be.
    const bool parameter = last == "describe" || last == "Field";
    if (last == "describe" && args.size() == 1) Take(view, args[0].value, scope, false, Place::kParameter);
    const bool copy = parameter || Any(last, {"replace", "_replace", "model_copy", "copy", "evolve", "assign"});
    if (!tool && !copy) return;
    const auto says = [&](const Arg& arg) { return arg.name == "description" || (tool && arg.name == "instructions"); };
    for (const Arg& arg : args) {
      if (arg.value >= module.exprs.size()) continue;
      if (says(arg)) Take(view, arg.value, scope, false, parameter ? Place::kParameter : Place::kTool);
      if (module.exprs[arg.value].kind != ExprKind::kDict) continue;
      for (const Arg& field : module.ArgsOf(module.exprs[arg.value])) {
        if (says(field)) Take(view, field.value, scope, false);
      }
    }
    // tool(name, description, ...)
    if (tool && args.size() >= 3 && args[1].name.empty() && args[1].value < module.exprs.size() &&
        module.exprs[args[1].value].kind != ExprKind::kDict) {
      // By its place alone, which the reading of strings does not see.
      Take(view, args[1].value, scope, true);
    }
  }

  void Take(const ModuleView& view, ExprId said, FuncId scope, bool literal_too, Place place = Place::kTool) {
    const Module& module = view.module();
    if (said >= module.exprs.size() || out_.size() >= kMostTold) return;
    if (module.exprs[said].kind == ExprKind::kString && !literal_too) return;  // read as it stands
    std::string text;
    parts_ = 0;
    seen_.clear();
    tables_.clear();
    Gather(view, said, scope, 0, text);
    const Loc loc = module.exprs[said].loc;
    const auto tell = [&](std::string whole) {
      if (whole.size() < kShortestTold || out_.size() >= kMostTold || !told_.insert(whole).second) return;
      out_.push_back({view.index(), module.file, loc, std::move(whole), place});
    };
    tell(std::move(text));
    for (std::string& table : std::exchange(tables_, {})) tell(std::move(table));
  }

  // Which of a table's texts are said, and beside which, is decided while the program runs: each with the one after it,
  // and all of them as they stand.
  void TakeTable(std::span<const std::size_t> starts, std::string_view text) {
    if (starts.size() < 2 || tables_.size() >= kMostTables) return;
    const auto from = [&](std::size_t i) { return i < starts.size() ? std::min(starts[i], text.size()) : text.size(); };
    tables_.emplace_back(text.substr(from(0)));
    for (std::size_t i = 0; i + 1 <= starts.size() && tables_.size() < kMostTables; ++i) {
      if (from(i + 1) < from(i) + kSentence) continue;
      tables_.emplace_back(text.substr(from(i), from(i + 2) - from(i)));
    }
  }

  static void Append(std::string_view part, std::string& text) {
    if (part.empty() || text.size() + part.size() > kLongestTold) return;
    // "\n" between lines that are joined is no part of what they say.
    if (part.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    if (IsSetOfCharacters(part) || IsExpression(part)) return;
    if (!text.empty() && text.back() != '\n' && text.back() != ' ') {
      // What begins with a capital begins a sentence of its own.
      const bool closed = std::string_view(".!?:;,-(<[\"'`").find(text.back()) != std::string_view::npos;
      if (!closed && part[0] >= 'A' && part[0] <= 'Z' && part.find(' ') != std::string_view::npos) text += '.';
      text += ' ';
    }
    text += part;
  }

  // So many of a call's first arguments say what is asked for, and are no part of the answer: the name of a variable,
  // how and where somebody is asked.
  static std::size_t AskedWith(Language language, std::string_view callee, std::size_t args) {
    const CatalogueEntry* const entry = callee.empty() ? nullptr : Catalogue::For(language).Find(callee);
    if (entry == nullptr) return 0;
    if (entry->role == Role::kEnvRead) return std::min<std::size_t>(args, 1);
    return entry->role == Role::kHttp ? args : 0;
  }

  // All constants that the value may say, in the order of the program.
  void Gather(const ModuleView& view, ExprId id, FuncId scope, int depth, std::string& text) {
    const Module& module = view.module();
    if (id >= module.exprs.size() || depth > kDeepest || ++parts_ > kMostParts) return;
    if (!seen_.insert(engine_words::Key(view.index(), id)).second) return;
    const Value& value = view.Evaluate(id, scope);
    const Expr& expr = module.exprs[id];
    if (PicksFound(view, id, scope)) return;
    // What a function gives back is put together in it, step by step.
    const bool made = expr.kind == ExprKind::kCall && view.Callee(id, scope).kind == ValueKind::kFunction;
    if (value.kind == ValueKind::kText && !made) {
      Append(value.text, text);
      // lines.join(...): what the list begins with is folded, not what is added to it.
      if (expr.kind == ExprKind::kCall && expr.base < module.exprs.size()) {
        const ExprId object = module.exprs[expr.base].base;
        if (object < module.exprs.size() && module.exprs[object].kind == ExprKind::kName)
          Added(view, object, scope, depth, text);
      }
      return;
    }
    switch (expr.kind) {
      case ExprKind::kString:
        Append(expr.text, text);
        return;
      case ExprKind::kName:
      case ExprKind::kMember:
      case ExprKind::kIndex: {
        if (value.kind == ValueKind::kList || value.kind == ValueKind::kDict) {
          Items(value, 0, text);
          if (expr.kind == ExprKind::kName) Added(view, id, scope, depth, text);
          return;
        }
        if (expr.kind == ExprKind::kName) {
          FuncId found = scope;
          const ExprId origin = view.Origin(id, scope, &found);
          if (origin != id) Gather(view, origin, found, depth + 1, text);
          Added(view, id, scope, depth, text);
          if (asks_ && origin == id) GivenTo(view, id, scope, depth, text);
          return;
        }
        if (expr.kind == ExprKind::kMember && Table(view, expr, scope, depth, text)) return;
        // TABLE[key]: any of its texts.
        if (expr.kind == ExprKind::kIndex) Gather(view, expr.base, scope, depth + 1, text);
        return;
      }
      case ExprKind::kCall: {
        TakeFile(view, id, scope);
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
        const std::span<const Arg> args = module.ArgsOf(expr);
        for (const Arg& arg : args.subspan(AskedWith(module.language, callee.text, args.size()))) {
          if (arg.value >= module.exprs.size()) continue;
          const Expr& given = module.exprs[arg.value];
          if (given.kind != ExprKind::kFunction) {
            Gather(view, arg.value, scope, depth + 1, text);
          } else if (given.function < module.functions.size()) {
            // keys.map((key) => TEXTS[key])
            for (const Stmt& stmt : module.functions[given.function].body) {
              if (stmt.kind == StmtKind::kReturn) Gather(view, stmt.value, given.function, depth + 1, text);
            }
          }
        }
        return;
      }
      case ExprKind::kDict: {
        Close(text);
        std::vector<std::size_t> starts;
        for (const Arg& arg : module.ArgsOf(expr)) {
          starts.push_back(text.size());
          Gather(view, arg.value, scope, depth + 1, text);
        }
        Close(text);
        TakeTable(starts, text);
        return;
      }
      case ExprKind::kChoice:
      case ExprKind::kConcat:
      case ExprKind::kFormat:
      case ExprKind::kList:
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

  // hits = sorted({shape for shape in SHAPES if shape in text}): which of them stand in somebody else's text.
  static bool PicksFound(const ModuleView& view, ExprId id, FuncId scope) {
    const Module& module = view.module();
    if (module.exprs[id].kind == ExprKind::kName) id = view.Origin(id, scope, &scope);
    if (id < module.exprs.size() && module.exprs[id].kind == ExprKind::kCall && module.exprs[id].arg_count == 1 &&
        module.exprs[id].base < module.exprs.size() &&
        Any(module.exprs[module.exprs[id].base].text, {"sorted", "list", "set", "tuple"}))
      id = module.ArgsOf(module.exprs[id])[0].value;
    if (id >= module.exprs.size() || module.exprs[id].kind != ExprKind::kComprehension) return false;
    const Expr& made = module.exprs[id];
    const std::span<const Arg> args = module.ArgsOf(made);
    if (args.empty() || args[0].value >= module.exprs.size() || made.loc.end > module.text.size()) return false;
    const Expr& element = module.exprs[args[0].value];
    if (element.kind != ExprKind::kName) return false;
    const std::string_view written = module.text.substr(made.loc.begin, made.loc.end - made.loc.begin);
    const std::string test = " if " + std::string(element.text) + " in ";
    const std::size_t at = written.find(test);
    if (at == std::string_view::npos) return false;
    // What it is looked for in is a name, of which nothing is known.
    const std::size_t name = static_cast<std::size_t>(made.loc.begin) + at + test.size();
    const auto searched = std::ranges::find_if(
        module.exprs, [&](const Expr& one) { return one.kind == ExprKind::kName && one.loc.begin == name; });
    if (searched == module.exprs.end() || searched->text == element.text) return false;
    const ValueKind kind = view.Evaluate(static_cast<ExprId>(searched - module.exprs.begin()), scope).kind;
    return kind != ValueKind::kText && kind != ValueKind::kList && kind != ValueKind::kDict;
  }

  // lines.push(...), lines.append(...), text += ...: what a name was given bit by bit.
  void Added(const ModuleView& view, ExprId name, FuncId scope, int depth, std::string& text) {
    const std::uint32_t slot = view.SlotOf(name, scope);
    if (slot == kNone) return;
    const Slot& variable = view.slots()[slot];
    for (std::uint32_t i = 0; i < variable.count; ++i) {
      const Binding& binding = view.bindings()[variable.first + i];
      if (binding.destructured || binding.value >= view.module().exprs.size()) continue;
      const ExprKind kind = view.module().exprs[binding.value].kind;
      // Of a list that is made of constants, the items were read.
      if (kind != ExprKind::kDict) Gather(view, binding.value, binding.scope, depth + 1, text);
    }
    const Filled& filled = FilledOf(view);
    const auto found = filled.find(slot);
    if (found == filled.end()) return;
    for (const auto& [value, at] : found->second) Gather(view, value, at, depth + 1, text);
  }

  // ask(server, "Write out ..."): what the callers in this file give a parameter. An answer's text may hold whatever
  // the package works on; what a model is asked stands where it is asked.
  void GivenTo(const ModuleView& view, ExprId name, FuncId scope, int depth, std::string& text) {
    constexpr int kMostCallers = 16;
    const std::uint32_t slot = view.SlotOf(name, scope);
    if (slot == kNone || view.slots()[slot].param == kNone || view.slots()[slot].scope == kModuleBody) return;
    const std::uint32_t param = view.slots()[slot].param;
    const FuncId function = view.slots()[slot].scope;
    const Module& module = view.module();
    if (module.functions[function].name.empty()) return;
    int callers = 0;
    for (const ExprId id : view.places().calls) {
      const Expr& call = module.exprs[id];
      if (call.base >= module.exprs.size() || module.exprs[call.base].text != module.functions[function].name) continue;
      if (++callers > kMostCallers) return;
      const auto args = module.ArgsOf(call);
      if (param >= args.size() || !args[param].name.empty()) continue;
      Close(text);
      Gather(view, args[param].value, view.places().scope[id], depth + 1, text);
    }
  }

  using Filled = std::unordered_map<std::uint32_t, std::vector<std::pair<ExprId, FuncId>>>;
  const Filled& FilledOf(const ModuleView& view) {
    const auto [it, added] = filled_.try_emplace(view.index());
    if (!added) return it->second;
    const Module& module = view.module();
    const ExprPlaces& places = view.places();
    for (const ExprId id : places.calls) {
      const Expr& call = module.exprs[id];
      if (call.base >= module.exprs.size()) continue;
      const Expr& callee = module.exprs[call.base];
      if (callee.kind != ExprKind::kMember || callee.base >= module.exprs.size() ||
          module.exprs[callee.base].kind != ExprKind::kName ||
          !Any(callee.text, {"push", "append", "extend", "unshift", "insert", "write", "add"})) {
        continue;
      }
      const std::uint32_t slot = view.SlotOf(callee.base, places.scope[id]);
      if (slot == kNone) continue;
      for (const Arg& arg : module.ArgsOf(call)) it->second[slot].emplace_back(arg.value, places.scope[id]);
    }
    return it->second;
  }

  // NAMES.key, where NAMES is an object of this or another file whose values are no plain constants.
  bool Table(const ModuleView& view, const Expr& member, FuncId scope, int depth, std::string& text) {
    const Module& module = view.module();
    FuncId found = scope;
    const ExprId origin = view.Origin(member.base, scope, &found);
    if (origin >= module.exprs.size()) return false;
    if (module.exprs[origin].kind == ExprKind::kDict) return Field(view, origin, found, member.text, depth, text);
    if (module.exprs[origin].kind == ExprKind::kList) {
      // for (const part of PARTS) part.text
      bool any = false;
      for (const Arg& item : module.ArgsOf(module.exprs[origin])) {
        if (item.value >= module.exprs.size() || module.exprs[item.value].kind != ExprKind::kDict) continue;
        const std::size_t start = text.size();
        any = Field(view, item.value, found, member.text, depth, text) || any;
        if (tables_.size() < kMostTables && text.size() >= start + kSentence) tables_.emplace_back(text.substr(start));
      }
      return any;
    }
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

  // What a table says is said for itself.
  static void Close(std::string& text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (!text.empty() && std::string_view(".!?:;\n").find(text.back()) == std::string_view::npos) text += '.';
  }

  void Items(const Value& value, int depth, std::string& text) {
    constexpr int kNested = 4;
    const bool table = value.kind == ValueKind::kDict;
    if (table) Close(text);
    std::vector<std::size_t> starts;
    for (const Value& item : value.items) {
      starts.push_back(text.size());
      if (item.kind == ValueKind::kText) Append(item.text, text);
      if (depth < kNested && (item.kind == ValueKind::kList || item.kind == ValueKind::kDict))
        Items(item, depth + 1, text);
    }
    if (!table) return;
    Close(text);
    TakeTable(starts, text);
  }

  // return (HERE / "guides" / "operators.md").read_text(): what lies in the file is said.
  void TakeFile(const ModuleView& view, ExprId call, FuncId scope) {
    constexpr std::size_t kMostFiles = 64;
    constexpr std::size_t kShortest = 4;
    if (files_.size() >= kMostFiles) return;
    std::string path = view.FileBehind(call, scope);
    if (const std::size_t hole = path.rfind(kHole); hole != std::string::npos) path.erase(0, hole + 1);
    path.erase(0, std::min(path.find_first_not_of("./"), path.size()));
    const bool text = std::ranges::any_of(std::to_array<std::string_view>({".md", ".mdx", ".txt", ".rst", ".prompt",
                                                                           ".j2", ".jinja", ".jinja2", ".tmpl"}),
                                          [&](std::string_view ending) { return path.ends_with(ending); });
    if (text && path.size() >= kShortest && std::ranges::find(files_, path) == files_.end())
      files_.push_back(std::move(path));
  }

  const World& world_;
  std::vector<ToldText>& out_;
  std::vector<std::string>& files_;
  int parts_ = 0;
  bool asks_ = false;                       // what is read now is given to a model or asked of its user
  std::unordered_set<std::uint64_t> seen_;  // expressions of the text being put together
  std::vector<std::string> tables_;         // what tables say whose texts are in it
  std::unordered_set<std::string> told_;
  std::unordered_map<std::uint32_t, Filled> filled_;  // by module
};

}  // namespace

void CollectTold(const World& world, const std::vector<core::Reach>& reach, const std::vector<EntryPoint>& entries,
                 const std::vector<std::uint32_t>& speakers, std::vector<ToldText>& out,
                 std::vector<std::string>& files) {
  Collector collector(world, out, files);
  const auto place_of = [&](std::uint32_t module) {
    return module < reach.size() ? reach[module] : core::Reach::kRuntime;
  };
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    if (place_of(i) <= core::Reach::kRuntime) collector.Read(i);
  }
  for (const EntryPoint& entry : entries) {
    if (entry.module >= world.size() || place_of(entry.module) > core::Reach::kRuntime) continue;
    if (Any(entry.kind, {"mcp-tool", "langchain-tool", "resource", "prompt"})) collector.ReadAnswers(entry);
  }
  for (const std::uint32_t speaker : speakers) collector.ReadPrinted(speaker, ToldText::Place::kGuide);
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    if (place_of(i) <= core::Reach::kAgent) collector.ReadPrinted(i, ToldText::Place::kAnswer);
  }
}

}  // namespace interlock::scan::code
