// Functions put in another's place: what passes through them is other code's. And what a library is told to send on,
// payment addresses that are exchanged, definitions of tools that change while they are used.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/payees.h"
#include "code/places.h"
#include "code/sink_words.h"
#include "static/classify.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// Methods that frameworks call with what agents say and are told.
bool IsAgentCallback(std::string_view name) {
  constexpr auto kPython =
      std::to_array<std::string_view>({"llm", "chat_model", "tool", "chain", "agent", "retriever", "lm"});
  if (SaysOneOf(name, {"log_success_event", "async_log_success_event", "log_pre_api_call", "log_post_api_call",
                       "on_module_start", "on_module_end", "wrapGenerate", "wrapStream"})) {
    return true;
  }
  if (name.starts_with("on_")) {
    for (const std::string_view what : kPython) {
      const std::string_view rest = name.substr(3);
      if (rest.starts_with(what) && rest.size() > what.size() && rest[what.size()] == '_') return true;
    }
    return false;
  }
  // handleToolStart tells of a call; handleToolCall is one that the program makes itself.
  const bool what = name.starts_with("handleLLM") || name.starts_with("handleTool") ||
                    name.starts_with("handleChatModel") || name.starts_with("handleChain");
  return what && (name.ends_with("Start") || name.ends_with("End") || name.ends_with("Error") ||
                  name.ends_with("NewToken") || name.ends_with("Event"));
}

// The name under which somebody else's object keeps what it runs.
bool HoldsFunction(std::string_view name) {
  return SaysOneOf(
      name, {"fn", "func", "_func", "run", "_run", "_arun", "handler", "coroutine", "callback", "execute", "invoke",
             "call_tool", "_call_tool", "call", "_call", "cb", "entrypoint", "tool", "registerTool"});
}

constexpr std::string_view kTools = "the package's tools";
constexpr std::string_view kWrapped = "the functions that it wraps";

// Calls whose name says that what they are given goes somewhere.
bool SendsOn(std::string_view last) {
  const std::string name = LowerCase(last.substr(0, 60));
  for (const std::string_view verb :
       {"send",           "publish",       "insert",     "capture",        "track",         "upload",
        "post",           "put_",          "upsert",     "setcontext",     "set_context",   "setextra",
        "set_extra",      "identify",      "adddoc",     "setdoc",         "create_file",   "createfile",
        "createorupdate", "create_gist",   "creategist", "putobject",      "lpush",         "rpush",
        "broadcast",      "notify",        "logevent",   "log_event",      "recordevent",   "record_event",
        "enqueue",        "produce",       "submit",     "create_comment", "createcomment", "create_issue",
        "append_row",     "appendrow",     "report",     "ingest",         "push_to",       "createissue",
        "recordcustom",   "record_custom", "submitlog",  "variation",      "deliver",       "execute_query",
        "room_send",      "sendnow"}) {
    if (name.starts_with(verb)) return true;
  }
  return false;
}

// Libraries and objects that send nothing anywhere, whatever their words.
bool StaysHere(std::string_view callee) {
  const std::string_view root = callee.substr(0, callee.find_first_of(".("));
  // Those who are connected to this program, out of a set that it keeps of them.
  if (SaysOneOf(callee.substr(0, callee.find('(')), {"globalThis.Set", "globalThis.Map", "globalThis.Array"}))
    return true;
  // A host of plug-ins shows its user what they say: ctx.ui.notify(...)
  if (callee.ends_with(".ui.notify") || Contains(callee, ".window.show")) return true;
  return SaysOneOf(
      root, {"child_process", "worker_threads", "cluster", "process", "console", "electron", "logging",
             "multiprocessing", "queue", "asyncio", "threading", "events", "os", "sys", "json", "path", "util",
             "dotenv", "zod", "vm", "fs", "typing", "commander", "yargs", "collections", "sqlite3", "better-sqlite3",
             "builtins", "Object", "Array", "JSON", "Promise", "parentPort", "stream",
             // notify(): on the screen of who sits there
             "textual", "rich", "tkinter", "PyQt5", "PyQt6", "PySide6", "gi", "plyer", "vscode", "dataclasses"});
}

// setTimeout(() => void this.flush(), 3000), Thread(target=self._drain), create_task(self._drain()): somewhere in a
// function another one is started, and nobody waits for it. (What a program begins with is started so as well.)
bool IsRunAside(std::string_view text, std::string_view name) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kBundle = 256'000;  // in which every name is somebody's
  if (text.size() > kBundle) return false;
  if (name.size() < kShortest || SaysOneOf(name, {"main", "start", "init", "serve", "connect", "bootstrap"}))
    return false;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1: the first
    if (text[line] != ' ' && text[line] != '\t') continue;
    const std::string_view before =
        text.substr(std::max(line, at - std::min(at, kBefore)), at - std::max(line, at - std::min(at, kBefore)));
    // task = pool.submit(f), await create_task(f()): somebody waits for it.
    const bool kept = AnyOf(before, {" = ", "await ", "return "});
    if (AnyOf(before, {"setTimeout(", "setInterval(", "setImmediate(", "void this.", "Thread(target=", "Timer(",
                       "call_later("}) ||
        (!kept && AnyOf(before, {"create_task(", "ensure_future(", ".submit("}))) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Engine::Tap(std::uint32_t module, FuncId function, std::string what) {
  if (module >= facts_.size() || function >= facts_[module].size()) return;

  const bool added = taps_.emplace(Key(module, function), what).second;
  if (!added) return;
  changed_ = true;
  const Function& shape = states_[module].view->module().functions[function];
  for (std::uint32_t i = 0; i < shape.params.size(); ++i) {
    if (i == 0 && (shape.params[i].name == "self" || shape.params[i].name == "cls") && shape.owner != kNone) continue;
    Taint given;
    given.labels = kTapped;
    trail_.push_back({0, module, shape.params[i].loc.begin, "is given what was meant for " + what});
    given.trail[static_cast<std::size_t>(TrailOf(kTapped))] = static_cast<std::uint32_t>(trail_.size());
    facts_[module][function].TakeWhole(i, given);
  }
  // server.tool = (...given) => original(..., async (args) => ...): what stands in it is called in its place.
  constexpr std::size_t kSmall = 4'000;
  if (shape.loc.end - std::min(shape.loc.begin, shape.loc.end) > kSmall || shape.owner != kNone) return;
  const std::vector<Function>& all = states_[module].view->module().functions;
  for (FuncId inner = 1; inner < all.size(); ++inner) {
    if (all[inner].parent == function && inner != function) Tap(module, inner, what);
  }
}

void Engine::TapCallbacks() {
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    const Module& module = states_[m].view->module();
    for (FuncId f = 1; f < module.functions.size(); ++f) {
      const Function& shape = module.functions[f];
      if (IsAgentCallback(shape.name)) Tap(m, f, std::string(kAgentAndModel));
    }
  }
}

// @metered above @mcp.tool(), @retry(tries=3) above what a tool calls: what stands in place of a function is given all
// that the function is given.
void Engine::TapDecorators() {
  for (const EntryPoint& entry : entry_points_) {
    if (entry.kind == "script" || entry.function == kNone || entry.module >= states_.size()) continue;
    TapDecoratorsOf(entry.module, entry.function, kTools);
  }
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    for (FuncId f = 1; f < states_[m].view->module().functions.size(); ++f) TapDecoratorsOf(m, f, kWrapped);
  }
  TapSharedHandlers();
  TapHandlers();
}

// server.tool("get", schema, measured("get", get)), server.tool("put", schema, measured("put", put)): the function that
// `measured` gives back stands in place of several tools.
void Engine::TapSharedHandlers() {
  std::unordered_map<std::uint64_t, std::string_view> first;
  for (const EntryPoint& entry : entry_points_) {
    if (!SaysOneOf(entry.kind, {"mcp-tool", "tool"}) || entry.function == kModuleBody || entry.module >= states_.size())
      continue;
    const std::vector<Function>& all = states_[entry.module].view->module().functions;
    if (entry.function >= all.size()) continue;
    const FuncId maker = all[entry.function].parent;
    if (maker == kNone || maker == kModuleBody || maker >= all.size() || all[maker].params.empty()) continue;
    const auto [known, added] = first.try_emplace(Key(entry.module, entry.function), entry.name);
    if (!added && known->second != entry.name) Tap(entry.module, entry.function, std::string(kTools));
  }
}

void Engine::TapDecoratorsOf(std::uint32_t module, FuncId function, std::string_view what) {
  const ModuleView& there = *states_[module].view;
  if (function >= there.module().functions.size()) return;
  const Function& shape = there.module().functions[function];
  for (const ExprId decorator : shape.decorators) {
    if (decorator >= there.module().exprs.size()) continue;
    const Expr& expr = there.module().exprs[decorator];
    const Value made =
        expr.kind == ExprKind::kCall ? there.Callee(decorator, shape.parent) : there.Evaluate(decorator, shape.parent);
    if (made.kind != ValueKind::kFunction || made.module >= states_.size()) continue;
    const std::vector<Function>& all = states_[made.module].view->module().functions;
    for (FuncId f = 1; f < all.size(); ++f) {
      const bool inside = all[f].parent == made.index || (all[f].parent < all.size() && all[f].parent != kModuleBody &&
                                                          all[all[f].parent].parent == made.index);
      const bool all_of_it = std::ranges::any_of(all[f].params, [](const Param& param) { return param.variadic; });
      if (inside && all_of_it) Tap(made.module, f, std::string(what));
    }
  }
}

// settings: Annotated[Settings, Depends(read)], settings: SettingsPart where that name stands for it, here or in
// another file.
bool Engine::IsOwnPart(std::uint32_t module, ExprId annotation) const {
  const auto said = [&](std::uint32_t in, ExprId expr) {
    const Module& there = states_[in].view->module();
    const Loc loc = expr < there.exprs.size() ? there.exprs[expr].loc : Loc();
    return loc.begin < loc.end && loc.end <= there.text.size() &&
           Contains(there.text.substr(loc.begin, std::min<std::size_t>(loc.end - loc.begin, 300)), "Depends(");
  };
  if (said(module, annotation)) return true;
  const Module& here_code = states_[module].view->module();
  if (annotation >= here_code.exprs.size() || here_code.exprs[annotation].kind != ExprKind::kName) return false;
  std::string_view name = here_code.exprs[annotation].text;
  std::uint32_t in = module;
  for (int hops = 0; hops < 3; ++hops) {
    const ModuleView& there = *states_[in].view;
    const std::uint32_t slot = there.SlotByName(name, kModuleBody);
    if (slot == kNone) return false;
    const Slot& variable = there.slots()[slot];
    if (variable.import == kNone) return variable.count > 0 && said(in, there.bindings()[variable.first].value);
    const Import& import = there.module().imports[variable.import];
    in = world_.Resolve(in, import.module);
    if (in == kNone || import.symbol.empty()) return false;
    name = import.symbol;
  }
  return false;
}

// What a framework reads into numbers and dates lets no path and no command through.
static bool IsNumber(const Module& module, const Param& param) {
  if (param.annotation >= module.exprs.size()) return false;
  const Loc loc = module.exprs[param.annotation].loc;
  const std::string_view type = module.text.substr(loc.begin, std::min<std::size_t>(loc.end - loc.begin, 40));
  return SaysOneOf(type, {"int", "float", "bool", "UUID", "uuid.UUID", "date", "datetime", "int | None", "float | None",
                          "bool | None", "Optional[int]", "Optional[float]", "Optional[bool]"});
}

void Engine::Serve(std::uint32_t module, FuncId function) {
  served_.insert(Key(module, function));
  const Module& there = states_[module].view->module();
  const Function& shape = there.functions[function];
  for (std::uint32_t i = 0; i < shape.params.size(); ++i) {
    if (i == 0 && (shape.params[i].name == "self" || shape.params[i].name == "cls")) continue;
    // FastAPI gives the program's own parts under a default, or by what a parameter is said to be.
    if (shape.params[i].fallback < there.exprs.size() &&
        Contains(there.text.substr(there.exprs[shape.params[i].fallback].loc.begin, 8), "Depends")) {
      continue;
    }
    if (IsOwnPart(module, shape.params[i].annotation)) continue;
    // project_id: int, as the framework reads it out of the address.
    const std::uint32_t before = std::exchange(module_, module);
    const bool closed = there.language == Language::kPython &&
                        (IsClosedType(shape.params[i].annotation, shape.parent) || IsNumber(there, shape.params[i]));
    module_ = before;
    if (closed) continue;
    Taint given;
    given.labels = kCaller;
    trail_.push_back({0, module, shape.params[i].loc.begin, "takes what a request says"});
    given.trail[static_cast<std::size_t>(TrailOf(kCaller))] = static_cast<std::uint32_t>(trail_.size());
    facts_[module][function].TakeWhole(i, given);
  }
}

// @app.post("/run"), `def view(request)` of a framework, `export async function POST(request)`: what the function is
// given, whoever connects has said.
void Engine::TakeRequests() {
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    TakeRoutes(m);
    const Module& module = states_[m].view->module();
    const bool python = module.language == Language::kPython;
    bool framework = false;
    for (const Import& import : module.imports) {
      const std::string_view root = std::string_view(import.module).substr(0, import.module.find_first_of("./"));
      framework = framework || SaysOneOf(root, {"starlette", "aiohttp", "sanic", "django", "bottle", "falcon", "next",
                                                "rest_framework", "litestar", "tornado"});
    }
    for (FuncId f = 1; f < module.functions.size(); ++f) {
      const Function& shape = module.functions[f];
      bool route = std::ranges::any_of(shape.decorators, [&](ExprId decorator) {
        if (!python || decorator >= module.exprs.size() || module.exprs[decorator].kind != ExprKind::kCall)
          return false;
        const Value callee = states_[m].view->Callee(decorator, shape.parent);
        const std::string_view root = std::string_view(callee.text).substr(0, callee.text.find('.'));
        const std::string_view last = std::string_view(callee.text).substr(callee.text.rfind('.') + 1);
        return SaysOneOf(root, {"fastapi", "flask", "quart", "sanic", "bottle", "litestar", "starlette"}) &&
               SaysOneOf(last, {"get", "post", "put", "patch", "delete", "api_route", "websocket", "route",
                                "middleware", "before_request", "after_request"});
      });
      // @client.on("run") of a client of socket.io: what the server says.
      const bool told = python && std::ranges::any_of(shape.decorators, [&](ExprId decorator) {
                          if (decorator >= module.exprs.size()) return false;
                          const bool call = module.exprs[decorator].kind == ExprKind::kCall;
                          const std::string named = call ? states_[m].view->Callee(decorator, shape.parent).text
                                                         : states_[m].view->Evaluate(decorator, shape.parent).text;
                          return SaysOneOf(named, {"socketio.Client().on", "socketio.Client().event",
                                                   "socketio.AsyncClient().on", "socketio.AsyncClient().event"});
                        });
      if (told) {
        Taint said;
        said.labels = kSocketData;
        trail_.push_back({0, m, shape.name_loc.begin, "receives data from a socket"});
        said.trail[static_cast<std::size_t>(TrailOf(kSocketData))] = static_cast<std::uint32_t>(trail_.size());
        for (Taint& in : facts_[m][f].in) in.Join(said);
      }
      const bool method = !python && SaysOneOf(shape.name, {"GET", "POST", "PUT", "PATCH", "DELETE"}) &&
                          shape.parent == kModuleBody && !shape.params.empty();
      const bool view = framework && !shape.params.empty() && shape.params.size() <= 3 && shape.parent == kModuleBody &&
                        SaysOneOf(shape.params[0].name, {"request", "req"});
      // do_POST of a handler reads what was sent from itself.
      // pages/api of Next, functions of a cloud: handler(req, res)
      const bool api = !python && SaysOneOf(shape.name, {"handler"}) && shape.parent == kModuleBody &&
                       !shape.params.empty() && SaysOneOf(shape.params[0].name, {"req", "request"});
      const bool handler = python && shape.owner != kNone && shape.name.starts_with("do_") && shape.params.size() == 1;
      // dispatch(self, request, call_next) of a class of middleware
      const bool before =
          (framework && shape.params.size() >= 2 && shape.params.back().name == "call_next") || IsMiddleware(m, f);
      // func (s *server) run(w http.ResponseWriter, r *http.Request), func run(c *gin.Context)
      const bool handles =
          module.language == Language::kGo && std::ranges::any_of(shape.params, [&](const Param& param) {
            if (param.annotation >= module.exprs.size()) return false;
            const Expr& type = module.exprs[param.annotation];
            if (type.kind != ExprKind::kMember || type.base >= module.exprs.size()) return false;
            const std::string_view package = module.exprs[type.base].text;
            return (package == "http" && type.text == "Request") ||
                   (SaysOneOf(package, {"gin", "echo"}) && type.text == "Context") ||
                   (package == "fiber" && type.text == "Ctx");
          });
      route = route || method || view || api || before || handles;
      if (route) Serve(m, f);
      if (handler) served_.insert(Key(m, f));
    }
  }
}

// router.post("/run", (req, res) => ...), where the router is somebody else's: a parameter of the function around it.
void Engine::TakeRoutes(std::uint32_t m) {
  const Module& module = states_[m].view->module();
  if (module.language == Language::kPython) return;
  for (const Expr& expr : module.exprs) {
    if (expr.kind != ExprKind::kCall || expr.base >= module.exprs.size() || expr.arg_count < 2) continue;
    const Expr& callee = module.exprs[expr.base];
    if (callee.kind != ExprKind::kMember ||
        !SaysOneOf(callee.text, {"get", "post", "put", "patch", "delete", "all", "use"})) {
      continue;
    }
    const auto args = module.ArgsOf(expr);
    if (args[0].value >= module.exprs.size() || module.exprs[args[0].value].kind != ExprKind::kString ||
        !module.exprs[args[0].value].text.starts_with("/")) {
      continue;
    }
    if (args.back().value >= module.exprs.size()) continue;
    const Expr& given = module.exprs[args.back().value];
    FuncId handler = given.kind == ExprKind::kFunction ? given.function : kNone;
    if (given.kind == ExprKind::kName) {
      // By its name: a value that is looked up from here would stay what it looks like from here.
      const std::uint32_t slot = states_[m].view->SlotByName(given.text, kModuleBody);
      if (slot != kNone) handler = states_[m].view->slots()[slot].function;
    }
    if (handler >= module.functions.size()) continue;
    const Function& shape = module.functions[handler];
    if (shape.params.size() < 2 || !SaysOneOf(shape.params[0].name, {"req", "request"}) ||
        !SaysOneOf(shape.params[1].name, {"res", "response", "reply"})) {
      continue;
    }
    Serve(m, handler);
  }
  // (request, response, next) => ...: whatever server it is put into, it stands between the caller and the rest.
  for (FuncId f = 1; f < module.functions.size(); ++f) {
    const std::vector<Param>& params = module.functions[f].params;
    if (params.size() == 3 && SaysOneOf(params[0].name, {"req", "request", "_req"}) &&
        SaysOneOf(params[1].name, {"res", "response", "_res", "reply"}) &&
        SaysOneOf(params[2].name, {"next", "done"})) {
      Serve(m, f);
    }
  }
}

std::vector<std::uint64_t> Engine::Served() const {
  std::vector<std::uint64_t> out(served_.begin(), served_.end());
  for (std::uint32_t m = 0; m < facts_.size(); ++m) {
    for (FuncId f = 1; f < facts_[m].size(); ++f) {
      const std::vector<Taint>& in = facts_[m][f].in;
      if (std::ranges::any_of(in, [](const Taint& taint) { return taint.Has(kRequest); })) out.push_back(Key(m, f));
    }
  }
  return out;
}

// A class or function that this package writes itself, which `X` of `X.prototype` names.
bool Engine::OwnClass(ExprId name) const {
  const Value& named = view().Evaluate(name, function_);
  return (named.kind == ValueKind::kFunction || named.kind == ValueKind::kClass) && named.module != kNone;
}

// X.method = f, where X is not this file's: f stands between the callers of X and X.
void Engine::NoteTap(ExprId target, ExprId value) {
  const Expr& at = code().exprs[target];
  if (at.kind != ExprKind::kMember && at.kind != ExprKind::kIndex) return;
  if (at.base >= code().exprs.size() || value >= code().exprs.size()) return;
  const Expr& base = code().exprs[at.base];
  if (base.kind == ExprKind::kName && base.text == "exports") return;  // `export default f` too
  const std::string_view whole = TextAt(at.loc).substr(0, 120);
  if (whole.starts_with("module.") || whole.starts_with("exports") || whole.starts_with("self.") ||
      whole.starts_with("this.")) {
    return;
  }
  const Value& owner = view().Evaluate(at.base, function_);
  const bool foreign = (owner.kind == ValueKind::kQualified || owner.kind == ValueKind::kInstance) &&
                       owner.module == kNone && !owner.text.empty();
  const bool world = whole.starts_with("globalThis.") || whole.starts_with("global.") || whole.starts_with("window.") ||
                     Contains(whole, ".prototype.");
  // Methods of a class of its own, as older JavaScript writes them, stand in nobody's place.
  if (at.base < code().exprs.size() && code().exprs[at.base].kind == ExprKind::kMember &&
      code().exprs[at.base].text == "prototype" && OwnClass(code().exprs[at.base].base)) {
    return;
  }
  const bool holds = owner.kind == ValueKind::kUnknown && at.kind == ExprKind::kMember && HoldsFunction(at.text);
  if (!foreign && !world && !holds) return;
  TapWithin(value, std::string(whole), 0);
}

void Engine::TapValue(ExprId value, const std::string& what) {
  const Value& given = view().Evaluate(value, function_);
  if (given.kind == ValueKind::kFunction) {
    Tap(given.module, given.index, what);
    return;
  }
  // sys.stdout = Tee(sys.stdout)
  if (given.kind == ValueKind::kInstance && given.module < states_.size()) {
    const Module& there = states_[given.module].view->module();
    if (given.index >= there.classes.size()) return;
    for (const FuncId method : there.classes[given.index].methods) {
      if (method < there.functions.size() &&
          (!there.functions[method].name.starts_with('_') || there.functions[method].name == "__call__"))
        Tap(given.module, method, what);
    }
    return;
  }
  const ExprId origin = view().Origin(value, function_);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall) return;
  // X.method = wrap(X.method): what `wrap` gives back stands there.
  const Value callee = view().Callee(origin, function_);
  if (callee.kind != ValueKind::kFunction || callee.module >= states_.size()) return;
  const Module& there = states_[callee.module].view->module();
  for (FuncId f = 1; f < there.functions.size(); ++f) {
    if (there.functions[f].parent == callee.index) Tap(callee.module, f, what);
  }
}

// setattr(X, "method", f), Object.defineProperty(X, "method", {value: f}).
void Engine::NoteTapCall(const Call& call) {
  if (call.args.size() < 3) return;
  const bool python = call.callee.text == "builtins.setattr";
  if (!python && call.callee.text != "Object.defineProperty" &&
      call.callee.text != "globalThis.Object.defineProperty" && call.callee.text != "Reflect.set") {
    return;
  }
  const Value& owner = view().Evaluate(call.args[0].value, function_);
  const std::string_view whole =
      call.args[0].value < code().exprs.size() ? TextAt(code().exprs[call.args[0].value].loc) : std::string_view();
  const bool foreign = (owner.kind == ValueKind::kQualified && owner.module == kNone && !owner.text.empty()) ||
                       whole == "globalThis" || whole == "global" || whole == "window";
  if (!foreign || call.args[2].value >= code().exprs.size()) return;
  const std::string what = std::string(whole.substr(0, 60)) + "." + view().Text(call.args[1].value, function_);
  const Expr& given = code().exprs[call.args[2].value];
  if (given.kind == ExprKind::kDict) {
    for (const Arg& field : code().ArgsOf(given)) {
      if (field.name == "value" || field.name == "get") TapValue(field.value, what);
    }
    return;
  }
  TapValue(call.args[2].value, what);
}

// The function being read, or one around it, stands in another's place: whose; "" where none does.
const std::string& Engine::TappedHere() const {
  static const std::string kNobody;
  FuncId function = function_;
  for (int i = 0; i < 8 && function < code().functions.size(); ++i) {
    const auto found = taps_.find(Key(module_, function));
    if (found != taps_.end()) return found->second;
    if (function == kModuleBody) break;
    function = code().functions[function].parent;
  }
  return kNobody;
}

// Programs that show what agents do are there to send it on. A package of another purpose may call one of its files so.
bool Engine::WatchingIsPurpose() const {
  std::string names = LowerCase(std::string(FolderOf(world_.PathOf(module_))).substr(0, 300));
  names += " " + LowerCase(code().functions[function_].qualified);
  return AnyOf(names, {"trac", "telemetr", "observ", "monitor", "langfuse", "langsmith", "analytic", "instrument",
                       "opentelemetry", "otel", "metrics", "logger", "audit", "callback"});
}

bool Engine::JudgeTapped(const Call& call, const Taint& data, const std::string& host, HostKind kind) {
  // "graphql-transport-ws" beside an address that nobody knows is a protocol.
  // A model that a function asks with what it was given: its work.
  if (!data.Has(kTapped) || !Contains(host, ".") || IsStatistics(host) || HostOfModels(host)) return false;
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return false;
  const std::string what = TappedHere();
  const bool agent = what.empty() || what == kAgentAndModel || what == kTools || what == kWrapped ||
                     what == kMemoryOfAgents || what == kLogs;
  // A report of a crash is about this program, unless it takes along what all others hold.
  const bool crash = Contains(what, "excepthook") && !Contains(TextAt(code().functions[function_].loc), "f_locals");
  std::uint32_t at = data.trail[static_cast<std::size_t>(TrailOf(kTapped))];
  while (at != 0 && trail_[at - 1].before != 0) at = trail_[at - 1].before;
  // What a program calls the part that copies what its own tools are given and give is no excuse.
  const std::string_view begun = at != 0 ? std::string_view(trail_[at - 1].text) : std::string_view();
  const bool tools = begun.ends_with(kTools) || begun.starts_with("argument `");
  Raise("EXFIL-007", call.expr, data, kTapped,
        "copies what was meant for " + (what.empty() ? std::string(tools ? kTools : "others") : what) + " to " + host,
        crash || WatchingIsPurpose() ? (tools ? 0.65 : 0.4) : 1.0, host);
  if (!crash && !Contains(what, "excepthook") && !agent && !WatchingIsPurpose())
    Worsen("EXFIL-007", core::Severity::kCritical);
  return true;
}

// The function that all calls of all tools go through sends on what they are given, and takes no answer.
bool Engine::JudgeMirrored(ExprId at, const Taint& data, const std::string& host) {
  if (!last_ || host.empty() || !data.Has(kToolArgument) || statement_.kind != StmtKind::kExpr) return false;
  const HostKind kind = KindOfHost(host);
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return false;
  const bool every = std::ranges::any_of(entry_points_, [&](const EntryPoint& entry) {
    return entry.module == module_ && entry.function == function_ && entry.kind == "mcp-tool" &&
           (entry.name == "tools/call" || AnyOf(entry.name, {"call_tool"}));
  });
  if (!every || !Contains(TextAt(statement_.loc), "arguments")) return false;
  Raise("EXFIL-007", at, data, kToolArgument, "copies what every tool is given to " + host,
        WatchingIsPurpose() ? 0.4 : 0.8, host);
  return true;
}

// Neither the function, nor its file, nor a tool of the file speaks of bringing something to where others have it.
bool Engine::SendingIsPurpose() {
  const auto speaks = [](std::string_view text) {
    return AnyOf(LowerCase(text),
                 {"upload", "send",   "post",   "push",    "publish", "sync",   "notif",  "share",   "submit",
                  "report", "save",   "store",  "export",  "hook",    "ingest", "index",  "create",  "write",
                  "put",    "update", "insert", "deliver", "log",     "track",  "emit",   "relay",   "forward",
                  "import", "api",    "client", "remote",  "cloud",   "server", "record", "register"});
  };
  const auto [known, added] = sending_.try_emplace(module_, false);  // of a file: asked once
  if (added) {
    known->second = speaks(world_.PathOf(module_)) || std::ranges::any_of(entry_points_, [&](const EntryPoint& entry) {
                      return entry.module == module_ && entry.kind != "script" &&
                             speaks(entry.name + " " + entry.description.substr(0, 400));
                    });
  }
  return known->second || speaks(code().functions[function_].qualified);
}

// The statement being read sends something and takes no answer: a failure is hushed up, or nothing there is about
// sending.
bool Engine::SendsAside() {
  constexpr std::uint32_t kShort = 1'500;  // bytes of what empties a queue; a job of many steps is waited for by others
  if (function_ != kModuleBody &&
      code().functions[function_].loc.end - code().functions[function_].loc.begin < kShort &&
      IsRunAside(code().text, code().functions[function_].name)) {
    return true;
  }
  if (statement_.kind != StmtKind::kExpr) return false;
  if (!SendingIsPurpose()) return true;
  return IsHushed();
}

// Nobody waits for what the statement being read brings, and nobody is told where it fails.
bool Engine::IsHushed() {
  const std::string_view said = TextAt(statement_.loc).substr(0, 2'000);
  if (AnyOf(said, {"create_task(", "ensure_future(", "run_in_executor(", "Thread("})) return true;
  const std::string_view body = TextAt(code().functions[function_].loc);
  const std::size_t at = statement_.loc.end - std::min(statement_.loc.end, code().functions[function_].loc.begin);
  const std::string rest = Squeezed(body.substr(std::min(at, body.size()), 120));
  if (view().is_python()) {
    // try: post(...) except Exception: pass
    const std::size_t colon = rest.find(':');
    if (!rest.starts_with("except") || colon == std::string::npos) return false;
    const std::string_view then = std::string_view(rest).substr(colon + 1);
    return then.starts_with("pass") || then.starts_with("return") || then.starts_with("...") ||
           then.starts_with("continue");
  }
  // In Go what a request brings, and that it failed, is a value: a statement that is the request drops both.
  if (code().language == Language::kGo) return statement_.kind == StmtKind::kExpr;
  if (said.starts_with("void ")) return true;
  const std::string text = Squeezed(said);
  if (AnyOf(text, {".catch(()=>{", ".catch(()=>null)", ".catch(()=>undefined)", ".catch(_=>{})", ".catch(()=>false)",
                   ".catch(function(){})", ".catch(()=>void0)", ".on(\"error\",()=>{})"})) {
    return true;
  }
  // try { await fetch(...); } catch {}
  return rest.starts_with("}catch{}") || rest.starts_with(";}catch{}") || rest.starts_with("}catch(e){}") ||
         rest.starts_with(";}catch(e){}") || rest.starts_with(";}catch(_){}");
}

// What a tool is given, or reads, sent to a host of the program's own beside the tool's work.
bool Engine::JudgeAside(ExprId at, const Taint& data, const std::string& host) {
  constexpr Labels kRead = kFileContent | kRows | kCommandOutput;
  if (host.empty() || data.Has(kRequest) || IsStatistics(host)) return false;
  const HostKind kind = KindOfHost(host);
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return false;
  const bool given = data.Has(kToolArgument) && IsEntry();
  // A program that sends what its commands print is told by others what to run; a tool is not.
  const Labels read = function_ == kModuleBody || data.Has(kSocketData) ? kRead & ~kCommandOutput : kRead;
  if (!given && !data.Has(read)) return false;
  // What a tool was given, on a page that it opens for its user.
  if (!data.Has(read) && OpensPage(TextAt(statement_.loc))) return false;
  Raise("EXFIL-007", at, data,
        given                    ? kToolArgument
        : data.Has(kRows)        ? kRows
        : data.Has(kFileContent) ? kFileContent
                                 : kCommandOutput,
        std::string("sends what the tool ") + (given ? "is given" : "reads") + " to " + host + ", beside its work",
        WatchingIsPurpose() ? 0.3 : 0.7, host);
  return true;
}

// Which file it is may hang on who calls.
double Engine::HowSure(const Taint& data) const {
  std::uint32_t at = data.trail[static_cast<std::size_t>(TrailOf(kWeakSecretFile))];
  while (at != 0 && trail_[at - 1].before != 0) at = trail_[at - 1].before;
  return at != 0 && trail_[at - 1].text != "reads " ? 0.6 : 0.4;
}

// A key that opens this user's machines, mail or purse, and that no service on the web is asked with.
bool Engine::IsNoServicesKey(const Taint& data) const {
  std::uint32_t at = data.trail[static_cast<std::size_t>(TrailOf(kSecretFile))];
  while (at != 0 && trail_[at - 1].before != 0) at = trail_[at - 1].before;
  return at != 0 && AnyOf(trail_[at - 1].text, {"/.ssh/", ".gnupg/", "/Login Data", "wallet.dat", "/etc/shadow"});
}

// A service's library that is handed what nobody hands over.
void Engine::JudgeHandedOver(const Call& call, std::string_view last) {
  if (!last_ || !call.all.Has(kSecretFile | kStore | kEnvAll | kWeakSecretFile) || !SendsOn(last)) return;
  const std::string& callee = call.callee.text;
  const bool known = (call.callee.kind == ValueKind::kQualified || call.callee.kind == ValueKind::kInstance) &&
                     call.callee.module == kNone && Contains(callee, ".");
  // A pool's `submit(work, ...)` calls a function here; what a child reads stays on the machine.
  // rules.insert(at - 1, rules.pop(at)): a list.
  if (last == "insert" && view().is_python() && call.args.size() == 2 && call.args[0].name.empty() &&
      call.args[0].value < code().exprs.size() && code().exprs[call.args[0].value].kind != ExprKind::kString) {
    return;
  }
  const bool pool =
      AnyOf(callee, {".stdin", "process.send", "concurrent.", "Executor", "multiprocessing", "threading"});
  if (!known || pool || StaysHere(callee)) return;
  if (!call.all.Has(kSecretFile | kStore | kEnvAll)) {
    if ((call.all.fresh & kWeakSecretFile) != 0) {
      Raise("EXFIL-001", call.expr, call.all, kWeakSecretFile,
            "hands a file of credentials to a service, by " + Shown(callee), 0.5);
    }
    return;
  }
  const bool files = call.all.Has(kSecretFile | kStore);
  // What another function read may be meant for another call.
  const bool fresh = (call.all.fresh & (kSecretFile | kStore | kEnvAll)) != 0;
  Raise(files ? "EXFIL-001" : "EXFIL-002", call.expr, call.all, files ? kSecretFile | kStore : kEnvAll,
        std::string("hands ") + (files ? "credentials read from their store" : "the whole environment") +
            " to a service, by " + Shown(callee),
        fresh ? 0.8 : 0.4);
}

// text.replace(/0x[0-9a-f]{40}/g, "0x..."), re.sub(WALLETS, nearest, text): one's own address in the place of whatever
// stands there. `nearest` may choose among several.
void Engine::JudgeSwapped(const Call& call) {
  if (!SaysOneOf(call.last, {"replace", "replaceAll", "sub", "subn"}) || call.args.size() < 2) return;
  // re.sub(pattern, put, text), pattern.sub(put, text), text.replace(pattern, put)
  const bool compiled = view().is_python() && call.callee.text != "re.sub" && call.callee.text != "re.subn";
  const ExprId pattern =
      compiled && call.last != "replace" && call.base != nullptr ? call.base->base : call.args[0].value;
  const ExprId put = compiled && call.last != "replace" ? call.args[0].value : call.args[1].value;
  const ExprId from = view().Origin(pattern, function_);
  if (put >= code().exprs.size() || from >= code().exprs.size()) return;
  if (!MatchesWallets(TextAt(code().exprs[from].loc).substr(0, 400))) return;
  const Value& value = view().Evaluate(put, function_);
  if (value.kind == ValueKind::kText) {
    if (IsWallet(value.text) || IsAccount(value.text))
      Raise("DIVERT-001", call.expr, {}, 0,
            "puts its own payment address in another's place: " + Shown(value.text, 80));
    return;
  }
  if (value.kind != ValueKind::kFunction) return;
  std::optional<bool>& wallets = states_[module_].wallets;
  if (!wallets) {
    wallets = std::ranges::any_of(
        code().exprs, [](const Expr& expr) { return expr.kind == ExprKind::kString && IsWallet(expr.text); });
  }
  if (*wallets) Raise("DIVERT-001", call.expr, {}, 0, "puts one of its own payment addresses in another's place", 0.8);
}

// The address that a payment goes to, exchanged where somebody else has put it.
void Engine::JudgeDiverted(ExprId at, ExprId value, bool clipboard) {
  if (!last_ || value >= code().exprs.size()) return;
  if (!clipboard && (taps_.empty() || TappedHere().empty())) return;
  const std::string& text = view().Text(value, function_);
  if (!IsWallet(text)) return;
  Raise("DIVERT-001", at, {}, 0, "puts its own payment address in another's place: " + Shown(text, 80));
}

// f.__code__ = f.__code__.replace(co_code=...): the interpreter runs other instructions under a known name.
void Engine::JudgeRecoded(ExprId target, ExprId value) {
  if (!last_ || value >= code().exprs.size() || code().exprs[target].kind != ExprKind::kMember) return;
  if (code().exprs[target].text != "__code__") return;
  const std::string_view text = TextAt(code().exprs[value].loc).substr(0, 2000);
  if (!Contains(text, "co_code=")) return;
  Raise("MEM-005", target, {}, 0, "exchanges the instructions of a function in place");
}

// while True: model.create(...): somebody else pays.
void Engine::JudgeEndless(const Call& call) {
  if (!last_ || statement_.kind != StmtKind::kExpr || function_ == kModuleBody) return;
  const std::string_view body = TextAt(code().functions[function_].loc);
  if (body.size() > 1500) return;
  const bool endless = AnyOf(body, {"while True:", "while 1:", "while (true)", "for (;;)", "while(true)"});
  if (!endless ||
      AnyOf(body, {"break", "return", "sleep", "wait(", "input(", "setTimeout", "delay", ".get(", "yield"})) {
    return;
  }
  Raise("DENIAL-001", call.expr, {}, 0, "asks a model that somebody else pays for without end, and takes no answer");
}

// {description: calls < 5 ? "..." : "..."}: what a tool is said to be hangs on how often it was used.
void Engine::JudgeSwapped(ExprId listed) {
  for (const Arg& field : code().ArgsOf(code().exprs[listed])) {
    if (field.name == "description") JudgeSwappedText(field.value);
  }
}

// A count that the program keeps, in a variable or in a file of its own, beside a number.
bool Engine::HangsOnBefore(ExprId test, FuncId scope, int depth) {
  constexpr int kDeepest = 4;
  if (test >= code().exprs.size() || depth > kDeepest) return false;
  const Expr& expr = code().exprs[test];
  if (expr.kind == ExprKind::kBinary && expr.arg_count == 2 &&
      SaysOneOf(expr.text, {"<", ">", "<=", ">=", "==", "===", "!=", "!=="})) {
    const auto sides = code().ArgsOf(expr);
    for (std::size_t i = 0; i < 2; ++i) {
      const ExprId side = sides[i].value;
      const ExprId other = sides[1 - i].value;
      if (side >= code().exprs.size() || other >= code().exprs.size()) continue;
      if (code().exprs[side].kind == ExprKind::kName) {
        const std::uint32_t slot = view().SlotOf(side, scope);
        if (slot != kNone && view().slots()[slot].scope == kModuleBody && view().slots()[slot].count >= 2) return true;
      }
      // json.loads(STATE.read_text())["runs"] > 3
      if (code().exprs[other].kind != ExprKind::kNumber) continue;
      const FuncId here = std::exchange(function_, scope);
      const bool kept = Eval(side).Has(kFileContent);
      function_ = here;
      if (kept) return true;
    }
  }
  if (expr.kind != ExprKind::kBinary && expr.kind != ExprKind::kChoice && expr.kind != ExprKind::kUnknown) return false;
  return std::ranges::any_of(code().ArgsOf(expr),
                             [&](const Arg& arg) { return HangsOnBefore(arg.value, scope, depth + 1); });
}

// One of two texts, by what has happened before: written where it is said, or in a function that gives it out.
void Engine::JudgeSwappedText(ExprId said) {
  if (said >= code().exprs.size()) return;
  const Expr* expr = &code().exprs[said];
  FuncId scope = function_;
  if (expr->kind == ExprKind::kCall) {
    const Value callee = view().Callee(said, function_);
    if (callee.kind != ValueKind::kFunction || callee.module != module_ || callee.index >= code().functions.size())
      return;
    ExprId given = kNone;
    for (const Stmt& stmt : code().functions[callee.index].body) {
      if (stmt.kind == StmtKind::kReturn) given = stmt.value;
    }
    if (given >= code().exprs.size()) return;
    expr = &code().exprs[given];
    scope = callee.index;
  }
  if (expr->kind != ExprKind::kChoice || expr->arg_count != 3) return;
  const auto parts = code().ArgsOf(*expr);
  if (view().Text(parts[1].value, scope).empty() || view().Text(parts[2].value, scope).empty()) return;
  if (!HangsOnBefore(parts[0].value, scope, 0)) return;
  Raise("DECL-003", said, {}, 0, "what a tool is said to be hangs on what has happened before");
}

// What a tool is said to be changes while it is in use.
void Engine::JudgeRedefined(ExprId target, ExprId value) {
  JudgePassed(target, value);
  if (!last_ || value >= code().exprs.size()) return;
  const Expr& at = code().exprs[target];
  if (at.kind != ExprKind::kMember || !SaysOneOf(at.text, {"description", "__doc__", "instructions", "inputSchema"}))
    return;
  if (at.base >= code().exprs.size()) return;
  const std::string whole = LowerCase(TextAt(at.loc).substr(0, 200));
  if (whole.starts_with("self.") || whole.starts_with("this.") ||
      !AnyOf(whole, {"tool", "server", "mcp", "_registered"}))
    return;
  const bool later = IsEntry() || std::any_of(entry_points_.begin(), entry_points_.end(), [&](const EntryPoint& entry) {
                       return entry.kind == "tool" && entry.module == module_ &&
                              code().functions[function_].parent == entry.function && entry.function != kModuleBody;
                     });
  if (!later) return;
  Raise("DECL-003", target, {}, 0, "a tool changes what it is said to be while it is in use", 1.0);
}

}  // namespace interlock::scan::code
