// Functions and methods that others call with what passes through them: hooks of clients and of data bases, the storage
// of what agents remember, handlers of logs, what stands before a server's routes.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"
#include "static/part_set.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// Classes of frameworks that keep what agents have said and done.
bool KeepsForAgents(std::string_view base) {
  static constexpr FixedWords kClasses(std::to_array<std::string_view>({"BaseCheckpointSaver",
                                                                        "MemorySaver",
                                                                        "InMemorySaver",
                                                                        "SqliteSaver",
                                                                        "AsyncSqliteSaver",
                                                                        "PostgresSaver",
                                                                        "AsyncPostgresSaver",
                                                                        "RedisSaver",
                                                                        "BaseStore",
                                                                        "InMemoryStore",
                                                                        "PostgresStore",
                                                                        "SqliteStore",
                                                                        "BaseMemory",
                                                                        "BaseChatMemory",
                                                                        "SQLiteSession",
                                                                        "ConversationBufferMemory",
                                                                        "BaseChatMessageHistory",
                                                                        "ChatMessageHistory",
                                                                        "FileChatMessageHistory",
                                                                        "InMemoryChatMessageHistory",
                                                                        "SQLChatMessageHistory",
                                                                        "SessionABC",
                                                                        "BaseListChatMessageHistory"}));
  return kClasses.Has(base.substr(base.rfind('.') + 1));
}

bool KeepsSomething(std::string_view method) {
  return SaysOneOf(method, {"put", "aput", "put_writes", "aput_writes", "putWrites", "batch", "abatch", "add_message",
                            "add_messages", "aadd_messages", "addMessage", "addMessages", "save_context", "saveContext",
                            "asave_context", "add_items", "add_user_message", "add_ai_message"});
}

// Classes that frameworks call with each step, and by which methods.
struct Watcher {
  std::string_view base;
  std::string_view methods;  // begin like this
};
constexpr auto kWatchers = std::to_array<Watcher>({
    {"TracingProcessor", "on_"},
    {"BaseEventHandler", "handle"},
    {"Middleware", "on_"},
    {"SpanExporter", "export"},
    {"BaseSpanHandler", "prepare_to_"},
});

// What it is given is kept where such things are kept; one that only sends it on keeps it there.
bool AlsoKeepsIt(std::string_view body) {
  return AnyOf(body, {"super()", "super.", ".execute(", ".append(", ".push(", ".put(", ".aput(", ".write", ".dump",
                      "INSERT ", ".set("});
}

struct Registration {
  std::string_view ending;  // of what is called
  std::size_t function;     // which argument
  std::string_view what;
};
constexpr auto kRegistrations = std::to_array<Registration>({
    {".meta.events.register", 1, "a cloud's storage"},
    {".meta.events.register_first", 1, "a cloud's storage"},
    {".meta.events.register_last", 1, "a cloud's storage"},
    {"sqlalchemy.event.listen", 2, "a data base"},
    {"sys.addaudithook", 0, "the interpreter"},
    {"sys.settrace", 0, "the interpreter"},
    {"sys.setprofile", 0, "the interpreter"},
    {"threading.settrace", 0, "the interpreter"},
    {"threading.setprofile", 0, "the interpreter"},
    {".$use", 0, "a data base"},
    {".events.register", 1, "whoever works in a notebook"},
    {".register_hook", 1, kAgentAndModel},
    {".register_reply", 1, kAgentAndModel},
});

}  // namespace

// Whatever functions stand in a value: a list of them, an object of such lists.
void Engine::TapWithin(ExprId value, const std::string& what, int depth) {
  constexpr int kDeepest = 5;
  if (value >= code().exprs.size() || depth > kDeepest) return;
  const Expr& given = code().exprs[value];
  if (given.kind != ExprKind::kList && given.kind != ExprKind::kDict) {
    TapValue(value, what);
    return;
  }
  for (const Arg& part : code().ArgsOf(given)) TapWithin(part.value, what, depth + 1);
}

// A small package that drives one hands its pages on to its other files.
bool Engine::DrivesBrowser() const {
  constexpr std::size_t kFew = 24;  // files
  const auto drives = [](const Module& module) {
    return std::ranges::any_of(module.imports, [](const Import& import) {
      return AnyOf(import.module, {"playwright", "puppeteer", "selenium", "patchright", "camoufox"});
    });
  };
  if (drives(code())) return true;
  return states_.size() <= kFew &&
         std::ranges::any_of(states_, [&](const ModuleState& state) { return drives(state.view->module()); });
}

namespace {

// What stands behind each `word` in a text, from the first sign on that is no blank.
template <typename Fits>
bool AllBehind(std::string_view text, std::string_view word, Fits fits) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    std::string_view rest = text.substr(at + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
    if (!fits(rest)) return false;
  }
  return true;
}

// headless=True, headless: true, {"headless": True}; and the word in a sentence.
bool IsWindowless(std::string_view behind) {
  behind.remove_prefix(std::min(behind.find_first_not_of("\"' "), behind.size()));
  if (!behind.starts_with('=') && !behind.starts_with(':')) return true;
  behind.remove_prefix(1);
  behind.remove_prefix(std::min(behind.find_first_not_of(' '), behind.size()));
  return behind.starts_with("True") || behind.starts_with("true");
}

// "https://...", HOME
bool IsFixedPage(std::string_view behind) {
  const std::string_view word = behind.substr(0, behind.find_first_of(" ,)\n"));
  if (word.empty()) return false;
  if (word.front() == '"' || word.front() == '\'') return word.find_first_of("{+") == std::string_view::npos;
  return std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

}  // namespace

// chromium.launch() that goes to pages which stand in the file, and nowhere a window, a folder of the user's, or a
// browser that runs already: nobody is signed in there.
bool Engine::OnlyOwnBrowsers() const {
  if (!Contains(code().text, ".launch(") || !AllBehind(code().text, ".goto(", IsFixedPage)) return false;
  return std::ranges::all_of(states_, [&](const ModuleState& state) {
    const std::string_view text = state.view->module().text;
    return AllBehind(text, "headless", IsWindowless) &&
           !AnyOf(text, {"launch_persistent", "launchPersistent", "onnect_over_cdp", "onnectOverCDP", "user_data_dir",
                         "userDataDir", "user-data-dir", "storage_state", "storageState", "remote-debugging",
                         "executable_path", "executablePath", "webdriver", "chromium.connect", "firefox.connect",
                         "webkit.connect", "puppeteer.connect", "WSEndpoint"});
  });
}

// context.cookies(), driver.get_cookies(), context.storageState(): who is signed in where. What a connection brings.
Taint Engine::BroughtBy(const Call& call) {
  // client.send("Network.getAllCookies"), driver.execute_cdp_cmd("Storage.getCookies", {})
  if (SaysOneOf(call.last, {"send", "execute_cdp_cmd", "execute", "sendCommand"}) && !call.args.empty() &&
      SaysOneOf(view().Text(call.args[0].value, function_),
                {"Network.getAllCookies", "Network.getCookies", "Storage.getCookies"})) {
    return Source(kKept, call.expr, "takes the sessions that a browser has open");
  }
  // bufio.NewScanner(conn): what the other side says.
  if (code().language == Language::kGo && !call.args.empty() &&
      SaysOneOf(call.callee.text, {"bufio.NewScanner", "bufio.NewReader", "io.ReadAll", "encoding/json.NewDecoder",
                                   "net/textproto.NewReader"}) &&
      IsConnection(call.args[0].value)) {
    return Source(kSocketData, call.expr, "receives data from a connection");
  }
  if (!call.IsMethod() || !SaysOneOf(call.last, {"cookies", "get_cookies", "getCookies", "storageState",
                                                 "storage_state", "getAllCookies"})) {
    return {};
  }
  if (!DrivesBrowser() || OnlyOwnBrowsers()) return {};
  return Source(kKept, call.expr, "takes the sessions that a browser has open");
}

// Functions that a client of the network, of a data base or of a cloud calls with each request and each answer.
void Engine::NoteRegistered(const Call& call) {
  const std::string& callee = call.callee.text;
  const auto whose = [&] { return "requests of " + callee.substr(0, callee.find('.')); };
  const bool intercepts = call.last == "use" && call.base != nullptr && call.base->base < code().exprs.size() &&
                          SaysOneOf(code().exprs[call.base->base].text, {"request", "response"}) &&
                          Contains(TextAt(call.base->loc).substr(0, 200), ".interceptors.");
  for (const Arg& arg : intercepts ? call.args : std::span<const Arg>()) {
    TapValue(arg.value, Contains(callee, ".interceptors.") ? whose() : std::string("requests of its callers"));
  }
  // Of an object that is handed in, what is called is known by its words alone.
  const std::string_view written = call.IsMethod() ? TextAt(call.base->loc).substr(0, 200) : std::string_view();
  const auto ends = [](std::string_view text, std::string_view ending) {  // most do not, by their last letter
    return !text.empty() && text.back() == ending.back() && text.ends_with(ending);
  };
  for (const Registration& one : kRegistrations) {
    if (call.args.size() > one.function && (ends(callee, one.ending) || ends(written, one.ending)))
      TapValue(call.args[one.function].value, std::string(one.what));
  }
  // prisma.$extends({query: {...}}), wrapLanguageModel({model, middleware: {...}})
  if (call.last == "$extends" && !call.args.empty()) TapWithin(call.args[0].value, "a data base", 0);
  if (call.last == "wrapLanguageModel" && !call.args.empty())
    TapWithin(call.args[0].value, std::string(kAgentAndModel), 0);
  // page.on("request", seen)
  if (call.last == "on" && call.args.size() == 2 &&
      SaysOneOf(view().Text(call.args[0].value, function_), {"request", "response", "requestfinished", "websocket"}) &&
      DrivesBrowser()) {
    TapValue(call.args[1].value, "what a browser is asked and told");
  }
  // session.hooks["response"].append(seen)
  if (call.last == "append" && call.args.size() == 1 && call.base != nullptr &&
      Contains(TextAt(call.base->loc).substr(0, 80), ".hooks[")) {
    TapValue(call.args[0].value, "requests of its callers");
  }
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    if (SaysOneOf(arg.name,
                  {"step_callback", "task_callback", "step_callbacks", "before_model_callback", "after_model_callback",
                   "before_tool_callback", "after_tool_callback", "before_agent_callback", "after_agent_callback",
                   "history_processors", "pre_model_hook", "post_model_hook"})) {
      TapWithin(arg.value, std::string(kAgentAndModel), 0);
    } else if (arg.name == "event_hooks" || arg.name == "hooks") {
      TapWithin(arg.value, whose(), 0);
    } else if (SaysOneOf(call.last, {"extend", "create"}) && code().exprs[arg.value].kind == ExprKind::kDict) {
      // ky.create({hooks: {beforeRequest: [seen]}})
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
        if (field.name == "hooks") TapWithin(field.value, whose(), 0);
      }
    }
  }
  // new Proxy(table, {get(table, name) {...}})
  const ExprId traps =
      callee == "globalThis.Proxy" && call.args.size() == 2 ? view().Origin(call.args[1].value, function_) : kNone;
  if (traps < code().exprs.size() && code().exprs[traps].kind == ExprKind::kDict) {
    for (const Arg& trap : code().ArgsOf(code().exprs[traps])) {
      const Value& function = view().Evaluate(trap.value, function_);
      if (function.kind != ValueKind::kFunction || function.module >= facts_.size()) continue;
      FunctionFacts& trapped = facts(function.module, function.index);
      if (trapped.in.empty() || (trapped.in[0].labels | call.taints[0].labels) == trapped.in[0].labels) continue;
      trapped.TakeWhole(0, call.taints[0]);
      changed_ = true;
    }
  }
  NoteLogHandler(call);
  NoteWatcher(call);
}

// fs.watch(os.homedir(), (event, name) => ...), chokidar.watch(folder).on("change", (path) => ...): is told each file
// of the user's that changes.
void Engine::NoteWatcher(const Call& call) {
  const bool native = SaysOneOf(call.callee.text, {"fs.watch", "fs/promises.watch", "fs.watchFile"});
  const bool chained = call.callee.text == "chokidar.watch().on" && call.base != nullptr;
  if ((!native && !chained) || call.args.size() < 2) return;
  ExprId watched = native ? call.args[0].value : kNone;
  if (chained) {
    const ExprId made = view().Origin(call.base->base, function_);
    if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kCall && code().exprs[made].arg_count > 0)
      watched = code().ArgsOf(code().exprs[made])[0].value;
  }
  if (watched >= code().exprs.size()) return;
  const Value& told = view().Evaluate(call.args.back().value, function_);
  if (told.kind != ValueKind::kFunction || told.module >= facts_.size() || told.index >= facts_[told.module].size())
    return;
  const std::string folder = Known(watched);
  const Taint given =
      IsHome(folder) ? Source(kKept, call.expr, "watches the user's folder") : KeptAt(folder, call.expr);
  for (Taint& in : facts_[told.module][told.index].in) in.Join(given);
}

// logging.getLogger("openai").addHandler(Ship()), and `emit` of that class sends away what it is given.
void Engine::NoteLogHandler(const Call& call) {
  if (call.last != "addHandler" || call.args.size() != 1 || call.base == nullptr) return;
  const ExprId owner = view().Origin(call.base->base, function_);
  if (owner >= code().exprs.size() || code().exprs[owner].kind != ExprKind::kCall) return;
  const auto names = code().ArgsOf(code().exprs[owner]);
  if (!Contains(TextAt(code().exprs[owner].loc).substr(0, 60), "getLogger")) return;
  // Of this very program: getLogger(__name__)
  if (!names.empty()) {
    const std::string name = view().Text(names[0].value, function_);
    const std::string own = name.substr(0, name.find('.'));
    if (name.empty() || world_.Resolve(module_, own) != kNone) return;
    for (std::uint32_t m = 0; m < states_.size(); ++m) {
      const std::string_view path = world_.PathOf(m);  // a folder without an __init__.py
      if (path.starts_with(own + "/") || Contains(path, "/" + own + "/")) return;
    }
  }
  const Value& handler = view().Evaluate(call.args[0].value, function_);
  if (handler.kind != ValueKind::kInstance || handler.module >= states_.size()) return;
  const Module& there = states_[handler.module].view->module();
  if (handler.index >= there.classes.size()) return;
  for (const FuncId method : there.classes[handler.index].methods) {
    if (method < there.functions.size() && there.functions[method].name == "emit")
      Tap(handler.module, method, std::string(kLogs));
  }
}

namespace {

// class Metered { start() { this.inner.onmessage = (message) => {...}; } send(message) { return
// this.inner.send(message); } }: a transport around another one. What it is given on its way in, and out.
std::vector<FuncId> PassesOn(const Module& there, const Class& one) {
  constexpr std::size_t kLargest = 6'000;
  std::vector<FuncId> out;
  const std::string_view body = there.text.substr(one.loc.begin, one.loc.end - std::min(one.loc.begin, one.loc.end));
  const bool script = there.language == Language::kJavaScript || there.language == Language::kTypeScript;
  if (!script || body.size() > kLargest || !Contains(body, ".onmessage = ")) return out;
  for (const FuncId method : one.methods) {
    if (method >= there.functions.size() || there.functions[method].name != "send") continue;
    const Loc loc = there.functions[method].loc;
    const std::string_view sends = there.text.substr(loc.begin, loc.end - loc.begin);
    if (Contains(sends, ".send(") && Contains(sends, "this.")) out.push_back(method);
  }
  if (out.empty()) return out;
  constexpr std::string_view kSet = ".onmessage = ";
  for (FuncId f = 1; f < there.functions.size(); ++f) {
    const Loc loc = there.functions[f].loc;
    if (loc.begin < one.loc.begin + kSet.size() || loc.end > one.loc.end) continue;
    if (there.text.substr(loc.begin - kSet.size(), kSet.size()) == kSet) out.push_back(f);
  }
  return out;
}

}  // namespace

// class Keeper(SqliteSaver): def put(self, config, checkpoint, ...): keeps it and hands it on.
void Engine::TapKeepers() {
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    const Module& there = states_[m].view->module();
    for (const Class& one : there.classes) {
      for (const ExprId base : one.bases) {
        if (base >= there.exprs.size()) continue;
        const std::string& named = states_[m].view->Evaluate(base, one.parent).text;
        const std::string_view last = std::string_view(named).substr(named.rfind('.') + 1);
        for (const Watcher& watcher : kWatchers) {
          if (watcher.base != last || !Contains(named, ".")) continue;
          for (const FuncId method : one.methods) {
            if (method < there.functions.size() && there.functions[method].name.starts_with(watcher.methods))
              Tap(m, method, std::string(kAgentAndModel));
          }
        }
      }
      for (const FuncId passed : PassesOn(there, one)) Tap(m, passed, "an agent and its server");
      const bool keeper = std::ranges::any_of(one.bases, [&](ExprId base) {
        return base < there.exprs.size() && KeepsForAgents(states_[m].view->Evaluate(base, one.parent).text);
      });
      if (!keeper) continue;
      for (const FuncId method : one.methods) {
        if (method >= there.functions.size() || !KeepsSomething(there.functions[method].name)) continue;
        const Loc body = there.functions[method].loc;
        constexpr std::size_t kMostOfBody = 4'000;
        if (AlsoKeepsIt(there.text.substr(body.begin, std::min<std::size_t>(body.end - body.begin, kMostOfBody))))
          Tap(m, method, std::string(kMemoryOfAgents));
      }
    }
    // @event.listens_for(engine, "before_cursor_execute")
    for (FuncId f = 1; f < there.functions.size(); ++f) {
      for (const ExprId decorator : there.functions[f].decorators) {
        // @task_prerun.connect of a framework's signals
        if (decorator < there.exprs.size() && there.exprs[decorator].kind != ExprKind::kCall) {
          const std::string& signal = states_[m].view->Evaluate(decorator, there.functions[f].parent).text;
          if (signal.ends_with(".connect") && Contains(signal, "signals.")) Tap(m, f, "the program's tasks");
        }
        if (decorator < there.exprs.size() && there.exprs[decorator].kind == ExprKind::kCall &&
            states_[m].view->Callee(decorator, there.functions[f].parent).text == "sqlalchemy.event.listens_for") {
          Tap(m, f, "a data base");
        }
      }
    }
  }
}

// func (r *Recorder) Middleware(next server.ToolHandlerFunc) server.ToolHandlerFunc { return func(...) {...} }: of Go,
// what is given back stands in place of every tool that a server has.
void Engine::TapHandlers() {
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    const Module& there = states_[m].view->module();
    if (!states_[m].view->is_typed()) continue;
    for (FuncId f = 1; f < there.functions.size(); ++f) {
      const FuncId maker = there.functions[f].parent;
      if (maker == kNone || maker == kModuleBody || maker >= there.functions.size()) continue;
      const bool handed = std::ranges::any_of(there.functions[maker].params, [&](const Param& param) {
        return param.annotation < there.exprs.size() &&
               SaysOneOf(there.exprs[param.annotation].text, {"ToolHandlerFunc", "MethodHandler", "ToolHandler"});
      });
      if (handed) Tap(m, f, "the package's tools");
    }
  }
}

// class Seen: def __init__(self, get_response), def __call__(self, request)
bool Engine::IsMiddleware(std::uint32_t module, FuncId function) const {
  const Module& there = states_[module].view->module();
  const Function& shape = there.functions[function];
  if (shape.name != "__call__" || shape.params.size() != 2 || shape.owner >= there.classes.size()) return false;
  constexpr std::size_t kMostOfClass = 400;
  return Contains(there.text.substr(there.classes[shape.owner].loc.begin, kMostOfClass), "get_response");
}

// (req, res, next) => ..., @app.middleware("http"), dispatch(self, request, call_next): stands before routes that are
// not its own.
bool Engine::StandsBeforeRoutes() const {
  FuncId function = function_;
  for (int i = 0; i < 4 && function != kModuleBody && function < code().functions.size(); ++i) {
    const std::vector<Param>& params = code().functions[function].params;
    if (params.size() >= 2 && SaysOneOf(params.back().name, {"next", "call_next"})) return true;
    for (const ExprId decorator : code().functions[function].decorators) {
      if (decorator < code().exprs.size() && AnyOf(TextAt(code().exprs[decorator].loc).substr(0, 80),
                                                   {"before_request", "after_request", ".middleware("})) {
        return true;
      }
    }
    if (IsMiddleware(module_, function)) return true;
    function = code().functions[function].parent;
  }
  return false;
}

// run(["bin/post.sh", keys]), run([sys.executable, "post.py"], input=keys): whether the script sends it is not seen
// here. A script's environment is everybody's.
void Engine::HandOut(const Call& call, const std::string& line, const Taint& words) {
  constexpr std::size_t kMostHanded = 64;
  constexpr std::size_t kLongestLine = 1'000;
  if (!last_ || handed_out_.size() >= kMostHanded || line.empty() || line.size() > kLongestLine) return;
  Taint all = words;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (call.args[i].name == "input" && i < call.taints.size()) all.Join(call.taints[i]);
    if (call.args[i].value >= code().exprs.size() || code().exprs[call.args[i].value].kind != ExprKind::kDict) continue;
    for (const Arg& field : code().ArgsOf(code().exprs[call.args[i].value])) {
      if (field.name == "input") all.Join(Eval(field.value));
    }
  }
  HandedOut out;
  if (all.Has(kSecretFile | kStore)) {
    out.what = HandedOut::What::kCredentials;
  } else if (all.Has(kEnvAll)) {
    out.what = HandedOut::What::kEnvironment;
  } else if (all.Has(kKept | kClipboard | kKeys)) {
    out.what = HandedOut::What::kKept;
  } else {
    return;
  }
  out.file = code().file;
  out.loc = code().exprs[call.expr].loc;
  out.line = line;
  handed_out_.push_back(std::move(out));
}

// What callers of other routes say, credentials and all, copied to a host that stands in the package.
bool Engine::JudgeMirroredRequest(const Call& call, const Taint& data, const std::string& host) {
  if (!last_ || !data.Has(kRequest) || !Contains(host, ".") || IsStatistics(host) || !StandsBeforeRoutes())
    return false;
  const HostKind kind = KindOfHost(host);
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return false;
  constexpr std::size_t kMostOfBody = 4'000;
  const std::string said = LowerCase(TextAt(code().functions[function_].loc).substr(0, kMostOfBody));
  if (!AnyOf(said, {"headers", "body", "cookie", "authorization"})) return false;
  Raise("EXFIL-007", call.expr, data, kRequest, "copies what callers of a server send to " + host,
        WatchingIsPurpose() ? 0.4 : 0.8, host);
  return true;
}

// span.setAttribute("db.url", process.env.DATABASE_URL): whoever collects the traces reads it.
void Engine::JudgeSpan(const Call& call) {
  if (!last_ || call.base == nullptr || call.taints.empty()) return;
  if (!SaysOneOf(call.last,
                 {"setAttribute", "set_attribute", "setAttributes", "set_attributes", "addEvent", "add_event"}))
    return;
  constexpr Labels kCredentials = kSecretFile | kStore | kEnvAll | kEnvSecret | kWeakSecretFile;
  const Taint& value = call.taints.back();
  // .then((doc) => span.setAttribute(...)): what a function without a name is given has just been read.
  const bool handed = function_ != kModuleBody && code().functions[function_].name.empty();
  const Labels read = handed ? value.fresh | (value.labels & (kSecretFile | kWeakSecretFile | kEnvAll)) : value.fresh;
  if ((read & kCredentials) == 0) return;
  // Who made a verdict once read a key; that is no key.
  constexpr std::size_t kMostOfCall = 400;
  // setAttribute(key, value): what an attribute is called stands there, or it is not known. An `environment` is where a
  // program runs.
  std::string said;
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    const ExprKind kind = code().exprs[arg.value].kind;
    if (&arg == &call.args.front() && call.args.size() > 1) {
      // What is put into a name says nothing of it: `action.${key}`.
      if (kind == ExprKind::kFormat) said += LowerCase(view().Text(arg.value, function_).substr(0, kMostOfCall)) + " ";
      if (kind != ExprKind::kString) continue;
    }
    said += LowerCase(TextAt(code().exprs[arg.value].loc).substr(0, kMostOfCall)) + " ";
  }
  for (std::size_t at = said.find("environment"); at != std::string::npos; at = said.find("environment", at))
    said.erase(at, std::string_view("environment").size());
  if (!AnyOf(said, {"env", "token", "secret", "key", "passw", "connection", "credential", "dsn", "auth"})) return;
  const bool traced = std::ranges::any_of(code().imports, [](const Import& import) {
    return Contains(import.module, "opentelemetry") || Contains(import.symbol, "tracer") ||
           Contains(LowerCase(import.symbol), "telemetry");
  });
  const ExprId owned = call.base->base;
  const std::string_view owner = owned < code().exprs.size() ? code().exprs[owned].text : "";
  if (!traced && !AnyOf(LowerCase(owner), {"span", "trace"})) return;
  Raise("EXFIL-003", call.expr, value, kCredentials,
        "puts credentials into what is recorded of a call, which others collect",
        (read & (kSecretFile | kStore | kEnvAll)) != 0 ? 1.0 : 0.8);
}

}  // namespace interlock::scan::code
