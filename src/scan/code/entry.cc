// Where an agent enters the package's code: tools, prompts, resources, nodes of graphs, scripts.
#include "code/entry.h"

#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/places.h"
#include "static/classify.h"

namespace interlock::scan::code {
namespace {

bool Any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view LastPart(std::string_view name) {
  while (name.ends_with("()")) name.remove_suffix(2);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

class Finder {
 public:
  Finder(const World& world, std::uint32_t module, core::Reach reach, std::vector<EntryPoint>& out)
      : view_(world.View(module)),
        module_(view_.module()),
        index_(module),
        path_(world.PathOf(module)),
        reach_(reach),
        out_(out),
        places_(view_.places()) {
    for (const Import& import : module_.imports) {
      if (import.module.find("mcp") != std::string::npos ||
          import.module.find("modelcontextprotocol") != std::string::npos) {
        speaks_mcp_ = true;
      }
      if (import.module.find("langgraph") != std::string::npos ||
          import.module.find("langchain_core") != std::string::npos)
        graphs_ = true;
    }
  }

  void Run() {
    Decorated();
    Classes();
    for (const ExprId call : places_.calls) Registered(call);
    for (const ExprId dict : places_.dicts) Described(dict);
    Tabled();
    Answered();
    // Nodes that are put into the graph elsewhere, or by a loop.
    for (FuncId id = 1; graphs_ && id < module_.functions.size(); ++id) {
      const Function& function = module_.functions[id];
      // class Summary: def __call__(self, state): a node that others put into their graphs.
      const std::size_t first = function.name == "__call__" && function.owner != kNone ? 1 : 0;
      if (function.params.size() <= first || function.params[first].name != "state" || function.name.empty()) continue;
      const bool known = std::any_of(out_.begin(), out_.end(), [&](const EntryPoint& entry) {
        return entry.module == index_ && entry.function == id;
      });
      if (!known) Add(std::string(function.name), "graph-node", index_, id, function.name_loc, DocOf(id), kNone);
    }
    Script();
  }

 private:
  [[nodiscard]] std::string_view ToolKind() const { return speaks_mcp_ ? "mcp-tool" : "langchain-tool"; }

  // if (message.method === "tools/call"): a server that speaks the protocol by itself. The function is given every
  // call.
  void Answered() {
    int left = 32;  // a server compares a few times
    for (const Expr& expr : module_.exprs) {
      if (expr.kind != ExprKind::kString || (expr.text != "tools/call" && expr.text != "resources/read")) continue;
      if (--left < 0) break;
      if (!IsCompared(module_.text, expr.loc.begin, expr.loc.end)) continue;
      FuncId within = kNone;
      for (FuncId id = 1; id < module_.functions.size(); ++id) {
        const Function& function = module_.functions[id];
        if (function.loc.begin > expr.loc.begin || function.loc.end < expr.loc.end) continue;
        if (within == kNone || function.loc.begin >= module_.functions[within].loc.begin) within = id;
      }
      if (within == kNone || module_.functions[within].params.empty()) continue;
      Add(std::string(expr.text), expr.text == "tools/call" ? "mcp-tool" : "resource", index_, within, expr.loc, "",
          kNone);
    }
  }

  [[nodiscard]] std::string DocOf(FuncId function) const {
    const ExprId doc = module_.functions[function].docstring;
    return doc < module_.exprs.size() ? std::string(module_.exprs[doc].text.substr(0, 4000)) : std::string();
  }

  void Add(std::string name, std::string_view kind, const Value& function, Loc loc, std::string description,
           ExprId hints) {
    if (function.kind != ValueKind::kFunction || out_.size() >= 4096) return;
    Add(std::move(name), kind, function.module, function.index, loc, std::move(description), hints);
  }

  void Add(std::string name, std::string_view kind, std::uint32_t module, FuncId function, Loc loc,
           std::string description, ExprId hints) {
    for (const EntryPoint& known : out_) {
      if (known.module == module && known.function == function && known.name == name) return;
      if (out_.size() > 512) break;
    }
    EntryPoint entry;
    entry.name = name.substr(0, 200);
    entry.kind = kind;
    entry.module = module;
    entry.file = module_.file;
    entry.function = function;
    entry.loc = loc;
    entry.description = description.substr(0, 4000);
    ReadHints(hints, entry);
    out_.push_back(std::move(entry));
  }

  // readOnlyHint and its kin anywhere among the arguments.
  void ReadHints(ExprId from, EntryPoint& entry) const {
    std::vector<ExprId> open{from};
    for (std::size_t i = 0; i < open.size() && i < 128; ++i) {
      // annotations=READ_ONLY: hints that stand at the top of the module.
      if (open[i] < module_.exprs.size() && module_.exprs[open[i]].kind == ExprKind::kName && i > 0)
        open[i] = view_.Origin(open[i], kModuleBody);
      if (open[i] >= module_.exprs.size()) continue;
      const Expr& expr = module_.exprs[open[i]];
      if (expr.kind != ExprKind::kCall && expr.kind != ExprKind::kDict && expr.kind != ExprKind::kList) continue;
      for (const Arg& arg : module_.ArgsOf(expr)) {
        if (Any(arg.name, {"readOnlyHint", "read_only_hint", "ReadOnlyHint"})) {
          entry.declares = true;
          if (arg.value < module_.exprs.size()) {
            const std::string_view text = module_.exprs[arg.value].text;
            entry.read_only = text == "True" || text == "true";
          }
        } else if (Any(arg.name, {"destructiveHint", "openWorldHint", "DestructiveHint", "OpenWorldHint"})) {
          entry.declares = true;
        }
        open.push_back(arg.value);
      }
    }
  }

  [[nodiscard]] std::string TextOf(ExprId expr, FuncId scope) const {
    const Value& value = view_.Evaluate(expr, scope);
    return value.kind == ValueKind::kText ? value.text : std::string();
  }

  [[nodiscard]] ExprId Named(const Expr& call, std::initializer_list<std::string_view> names) const {
    for (const Arg& arg : module_.ArgsOf(call)) {
      if (!arg.name.empty() && Any(arg.name, names)) return arg.value;
    }
    return kNone;
  }

  void Decorated() {
    for (FuncId id = 1; id < module_.functions.size(); ++id) {
      const Function& function = module_.functions[id];
      for (const ExprId decorator : function.decorators) {
        if (decorator >= module_.exprs.size()) continue;
        const Expr& expr = module_.exprs[decorator];
        const bool call = expr.kind == ExprKind::kCall;
        const Value value =
            call ? view_.Callee(decorator, function.parent) : view_.Evaluate(decorator, function.parent);
        std::string_view last = LastPart(value.text);
        const Expr& named = call && expr.base < module_.exprs.size() ? module_.exprs[expr.base] : expr;
        if (last.empty()) last = named.text;
        std::string_view kind;
        if (Any(last, {"tool", "Tool"}) && value.text.find("click") == std::string::npos) {
          const bool mcp = value.text.find("mcp") != std::string::npos || value.text.find("MCP") != std::string::npos;
          kind = mcp || (named.kind == ExprKind::kMember && speaks_mcp_) ? "mcp-tool" : ToolKind();
        } else if (last == "call_tool") {
          kind = "mcp-tool";
        } else if (Any(last, {"function_tool", "kernel_function", "ai_callable", "tool_plain", "action",
                              "register_for_llm", "register_for_execution"}) &&
                   (last != "action" || value.text.find("browser_use") != std::string::npos)) {
          kind = "langchain-tool";
        } else if (value.text.starts_with("langgraph.") && Any(last, {"task", "entrypoint"})) {
          kind = "graph-node";
        } else if (speaks_mcp_ && Any(last, {"prompt", "get_prompt"})) {
          kind = "prompt";
        } else if (speaks_mcp_ && Any(last, {"resource", "read_resource"})) {
          kind = "resource";
        } else {
          continue;
        }
        std::string name(function.name);
        std::string description = DocOf(id);
        if (call) {
          const ExprId given = Named(expr, {"name"});
          if (given != kNone) {
            if (std::string text = TextOf(given, function.parent); !text.empty()) name = text;
          } else if (expr.arg_count > 0 && module_.ArgsOf(expr)[0].name.empty() && kind != "resource") {
            std::string text = TextOf(module_.ArgsOf(expr)[0].value, function.parent);
            if (!text.empty() && text.size() < 100 && text.find(' ') == std::string::npos) name = text;
          }
          const ExprId said = Named(expr, {"description"});
          if (said != kNone) {
            if (std::string text = TextOf(said, function.parent); !text.empty()) description = text;
          }
        }
        Add(name, kind, index_, id, function.name_loc, description, call ? decorator : kNone);
        break;
      }
    }
  }

  void Classes() {
    for (ClassId id = 0; id < module_.classes.size(); ++id) {
      const Class& klass = module_.classes[id];
      bool tool = false;
      for (const ExprId base : klass.bases) {
        const Value& value = view_.Evaluate(base, klass.parent);
        std::string_view last = LastPart(value.text);
        if (last.empty() && base < module_.exprs.size()) last = module_.exprs[base].text;
        tool = tool || Any(last, {"BaseTool", "Tool", "StructuredTool", "DynamicTool", "FunctionTool", "MCPTool"});
      }
      if (!tool) continue;
      std::string name(klass.name);
      std::string description = klass.docstring < module_.exprs.size()
                                    ? std::string(module_.exprs[klass.docstring].text.substr(0, 4000))
                                    : std::string();
      for (const auto& [attribute, to] :
           {std::pair<std::string_view, std::string*>{"name", &name}, {"description", &description}}) {
        const std::uint32_t slot = view_.AttributeSlot(id, attribute);
        if (slot == kNone || view_.slots()[slot].count == 0) continue;
        const Binding& binding = view_.bindings()[view_.slots()[slot].first];
        if (std::string text = TextOf(binding.value, binding.scope); !text.empty()) *to = text;
      }
      for (const FuncId method : klass.methods) {
        if (method < module_.functions.size() &&
            Any(module_.functions[method].name,
                {"_run", "_arun", "run", "forward", "execute", "__call__", "_call", "call"})) {
          Add(name, ToolKind(), index_, method, module_.functions[method].name_loc, description, kNone);
        }
      }
    }
  }

  void Registered(ExprId id) {
    const Expr& expr = module_.exprs[id];
    const FuncId scope = places_.scope[id];
    if (expr.base >= module_.exprs.size()) return;
    const Expr& named = module_.exprs[expr.base];
    if (named.kind != ExprKind::kMember && named.kind != ExprKind::kName) return;
    const std::string_view last = named.text;
    const auto args = module_.ArgsOf(expr);
    const auto function_of = [&](ExprId arg) -> Value {
      const Value& value = view_.Evaluate(arg, scope);
      return value.kind == ValueKind::kFunction ? value : Value();
    };
    if (module_.language == Language::kPython) {
      if (last == "add_node" && named.kind == ExprKind::kMember && !args.empty()) {
        const Value function = function_of(args.size() > 1 ? args[1].value : args[0].value);
        std::string name = TextOf(args[0].value, scope);
        if (name.empty() && function.kind == ValueKind::kFunction && function.module == index_) {
          name = module_.functions[function.index].name;
        }
        Add(name, "graph-node", function, expr.loc, "", kNone);
        Behind(name, args.size() > 1 ? args[1].value : args[0].value, scope, expr.loc);
        return;
      }
      const bool tool = Any(last, {"Tool", "StructuredTool", "FunctionTool", "from_function", "from_defaults",
                                   "register_function", "add_tool", "function_tool", "FunctionDef"});
      if (!tool || args.empty()) return;
      ExprId given = Named(expr, {"func", "fn", "function", "coroutine", "handler", "callable"});
      if (given == kNone) {
        for (const Arg& arg : args) {
          if (arg.name.empty() && function_of(arg.value).kind == ValueKind::kFunction) {
            given = arg.value;
            break;
          }
        }
      }
      if (given == kNone) return;
      const Value function = function_of(given);
      if (function.kind != ValueKind::kFunction) return;
      const ExprId name_arg = Named(expr, {"name"});
      std::string name = name_arg != kNone ? TextOf(name_arg, scope) : std::string();
      if (name.empty() && last == "Tool" && args[0].name.empty()) name = TextOf(args[0].value, scope);
      if (name.empty() && function.module == index_) name = module_.functions[function.index].name;
      const ExprId said = Named(expr, {"description"});
      std::string description = said != kNone ? TextOf(said, scope) : std::string();
      if (description.empty() && function.module == index_) description = DocOf(function.index);
      Add(name, ToolKind(), function, expr.loc, description, id);
      return;
    }
    if (last == "setRequestHandler" && args.size() >= 2) {
      const Value& schema = view_.Evaluate(args[0].value, scope);
      const std::string_view what = schema.kind == ValueKind::kQualified   ? LastPart(schema.text)
                                    : args[0].value < module_.exprs.size() ? module_.exprs[args[0].value].text
                                                                           : std::string_view();
      const Value function = function_of(args[1].value);
      if (what == "CallToolRequestSchema" || what == "tools/call")
        Add("tools/call", "mcp-tool", function, expr.loc, "", kNone);
      if (what == "GetPromptRequestSchema" || what == "prompts/get")
        Add("prompts/get", "prompt", function, expr.loc, "", kNone);
      if (what == "ReadResourceRequestSchema" || what == "resources/read")
        Add("resources/read", "resource", function, expr.loc, "", kNone);
      return;
    }
    if (module_.language == Language::kGo) {
      const bool offers = Any(last, {"AddTool", "AddPrompt", "AddResource", "AddResourceTemplate"});
      for (std::size_t i = 0; offers && i + 1 < args.size() && i < 2; ++i) {
        const Value function = function_of(args.back().value);
        auto [name, said] = DefinedBy(args[i].value, scope);
        if (name.empty() && said.empty()) continue;
        if (name.empty()) name = "any tool";
        Add(std::move(name),
            last == "AddTool"     ? "mcp-tool"
            : last == "AddPrompt" ? "prompt"
                                  : "resource",
            function, expr.loc, std::move(said), args[i].value);
        break;
      }
      return;
    }
    const bool graph = Any(last, {"addNode"});
    const bool tool = Any(last, {"tool", "registerTool", "addTool", "registerAppTool"});
    const bool prompt = Any(last, {"prompt", "registerPrompt"});
    const bool resource = Any(last, {"resource", "registerResource"});
    if (!graph && !tool && !prompt && !resource) return;
    if (args.size() >= 2) {
      Value function;
      for (std::size_t i = args.size(); i-- > 0 && function.kind != ValueKind::kFunction;)
        function = function_of(args[i].value);
      std::string name = TextOf(args[0].value, scope);
      std::string description = args.size() > 2 ? TextOf(args[1].value, scope) : std::string();
      for (const Arg& arg : args) {
        if (arg.value >= module_.exprs.size() || module_.exprs[arg.value].kind != ExprKind::kDict) continue;
        for (const Arg& field : module_.ArgsOf(module_.exprs[arg.value])) {
          if (field.name == "description" && description.empty()) description = TextOf(field.value, scope);
          if (field.name == "name" && name.empty()) name = TextOf(field.value, scope);
        }
      }
      // for (const tool of tools) server.tool(tool.name, ...)
      if (name.empty() && tool && speaks_mcp_ && function.kind == ValueKind::kFunction) name = "any tool";
      if (name.empty()) return;
      Add(name,
          graph    ? "graph-node"
          : tool   ? ToolKind()
          : prompt ? "prompt"
                   : "resource",
          function, expr.loc, description, id);
    }
  }

  // Of Go, what a tool is called and said to be: mcp.NewTool("x", mcp.WithDescription("...")), &mcp.Tool{Name: "x"}.
  [[nodiscard]] std::pair<std::string, std::string> DefinedBy(ExprId tool, FuncId scope) const {
    FuncId found = scope;
    const ExprId origin = view_.Origin(tool, scope, &found);
    if (origin >= module_.exprs.size() || module_.exprs[origin].kind != ExprKind::kCall) return {};
    std::string name;
    std::string said;
    for (const Arg& arg : module_.ArgsOf(module_.exprs[origin])) {
      if (arg.value >= module_.exprs.size()) continue;
      const Expr& part = module_.exprs[arg.value];
      if (part.kind == ExprKind::kDict) {
        for (const Arg& field : module_.ArgsOf(part)) {
          if (Any(field.name, {"Name", "URI", "URITemplate"})) name = TextOf(field.value, found);
          if (field.name == "Description") said = TextOf(field.value, found);
        }
      } else if (part.kind == ExprKind::kCall && part.base < module_.exprs.size() && part.arg_count > 0) {
        if (Any(module_.exprs[part.base].text, {"WithDescription", "WithPromptDescription", "WithResourceDescription"}))
          said = TextOf(module_.ArgsOf(part)[0].value, found);
      } else if (name.empty()) {
        name = TextOf(arg.value, found);
      }
    }
    return {std::move(name), std::move(said)};
  }

  // add_node("x", lambda s: work(s, model)), partial(work, model=model), Work(model): what does the node's work.
  void Behind(const std::string& name, ExprId node, FuncId scope, Loc loc) {
    if (node >= module_.exprs.size()) return;
    const Expr& expr = module_.exprs[node];
    if (expr.kind == ExprKind::kFunction && expr.function < module_.functions.size()) {
      for (const Stmt& stmt : module_.functions[expr.function].body) {
        if (stmt.value >= module_.exprs.size() || module_.exprs[stmt.value].kind != ExprKind::kCall) continue;
        Add(name, "graph-node", view_.Callee(stmt.value, expr.function), loc, "", kNone);
      }
      return;
    }
    FuncId found = scope;
    const ExprId origin = view_.Origin(node, scope, &found);
    if (origin >= module_.exprs.size() || module_.exprs[origin].kind != ExprKind::kCall) return;
    const Value callee = view_.Callee(origin, found);
    const auto args = module_.ArgsOf(module_.exprs[origin]);
    if (callee.text.ends_with("partial") && !args.empty()) {
      Add(name, "graph-node", view_.Evaluate(args[0].value, found), loc, "", kNone);
    } else if (callee.kind == ValueKind::kClass && callee.module == index_) {
      for (const std::string_view method : {"__call__", "invoke", "run"}) {
        const FuncId work = view_.MethodOf(callee.index, method);
        if (work != kNone) Add(name, "graph-node", index_, work, loc, "", kNone);
      }
    }
  }

  // {name, description, inputSchema, handler}: tools listed as objects.
  void Described(ExprId id) {
    const Expr& expr = module_.exprs[id];
    const FuncId scope = places_.scope[id];
    const bool python = module_.language == Language::kPython;
    ExprId name = kNone;
    ExprId said = kNone;
    ExprId handler = kNone;
    bool schema = false;
    for (const Arg& field : module_.ArgsOf(expr)) {
      if (field.name == "name") name = field.value;
      if (field.name == "description") said = field.value;
      if (Any(field.name, {"handler", "execute", "func", "run", "callback", "handle", "invoke", "cb"}) ||
          (python && Any(field.name, {"function", "fn", "callable", "call"}))) {
        handler = field.value;
      }
      schema = schema || Any(field.name, {"inputSchema", "parameters", "schema", "input_schema", "args", "paramsSchema",
                                          "input", "params", "inputs"});
    }
    if (said == kNone || handler == kNone || (!schema && (!python || name == kNone))) return;
    const Value& function = view_.Evaluate(handler, scope);
    if (function.kind != ValueKind::kFunction) return;
    std::string title = name != kNone ? TextOf(name, scope) : std::string();
    if (title.empty() && function.module == index_) title = module_.functions[function.index].name;
    Add(title, ToolKind(), function, expr.loc, TextOf(said, scope), id);
  }

  // tools = {read: (args) => ..., write}: a table of functions by the names of tools.
  void Tabled() {
    for (const Stmt& stmt : module_.functions[kModuleBody].body) {
      if (stmt.kind != StmtKind::kAssign || stmt.target >= module_.exprs.size()) continue;
      if (stmt.value >= module_.exprs.size() || module_.exprs[stmt.value].kind != ExprKind::kDict) continue;
      if (!Any(module_.exprs[stmt.target].text, {"tools", "TOOLS", "toolset", "toolHandlers", "tool_handlers",
                                                 "TOOL_FUNCTIONS", "tool_functions", "toolFunctions"})) {
        continue;
      }
      for (const Arg& field : module_.ArgsOf(module_.exprs[stmt.value])) {
        if (!field.name.empty())
          Add(std::string(field.name), ToolKind(), view_.Evaluate(field.value, kModuleBody), stmt.loc, "", kNone);
      }
    }
  }

  void Script() {
    if (reach_ > core::Reach::kRuntime) return;
    bool script = module_.text.starts_with("#!");
    for (const Stmt& stmt : module_.functions[kModuleBody].body) {
      if (stmt.kind != StmtKind::kCondition || stmt.value >= module_.exprs.size()) continue;
      const Expr& test = module_.exprs[stmt.value];
      for (const Arg& arg : module_.ArgsOf(test)) {
        if (arg.value < module_.exprs.size() && module_.exprs[arg.value].text == "__name__") script = true;
      }
    }
    if (reach_ == core::Reach::kAgent) script = true;
    if (!script) return;
    Add(std::string(BaseName(path_)), "script", index_, kModuleBody, {0, 0}, DocOf(kModuleBody), kNone);
  }

  const ModuleView& view_;
  const Module& module_;
  std::uint32_t index_;
  std::string_view path_;
  core::Reach reach_;
  std::vector<EntryPoint>& out_;
  const ExprPlaces& places_;
  bool speaks_mcp_ = false;
  bool graphs_ = false;
};

}  // namespace

void FindEntries(const World& world, const std::vector<core::Reach>& reach, std::vector<EntryPoint>& out) {
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    if (out.size() >= 4096) return;
    const core::Reach place = i < reach.size() ? reach[i] : core::Reach::kRuntime;
    if (place == core::Reach::kTest || place == core::Reach::kBuild || place == core::Reach::kVendored) continue;
    Finder(world, i, place, out).Run();
  }
}

}  // namespace interlock::scan::code
