// What reaches past the program: containers, the system's registry, other programs' input, workers, services that store
// what they are given.
#include <algorithm>
#include <cctype>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using core::Permission;
using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMaxTables = 200;  // lists of a module that may be commands

}  // namespace

// new Worker(`fetch("https://...", {body: workerData})`, {eval: true, workerData: data})
void Engine::JudgeWorkerData(Call& call) {
  if (!last_ || call.args.size() < 2 || call.args[1].value >= code().exprs.size()) return;
  const std::string& program = view().Text(call.args[0].value, function_);
  const std::size_t at = program.find("://");
  const bool sends = AnyOf(program, {"fetch(", "request(", ".post(", ".put(", "WebSocket(", "connect("});
  if (at == std::string::npos || !sends || !Contains(program, "workerData")) return;
  for (const Arg& field : code().ArgsOf(code().exprs[call.args[1].value])) {
    constexpr std::size_t kScheme = 5;
    if (field.name != "workerData") continue;
    const std::string host = KnownHost(program.substr(at - std::min(at, kScheme)));
    if (!host.empty()) JudgeSend(call, Eval(field.value), host, {});
  }
}

// What is stored with a service. `to`: where it says so.
Taint Engine::JudgeUpload(Call& call, ExprId to) {
  Use(call, Permission::kNetworkEgress, to == kNone ? std::string() : Known(to));
  for (const ArgRef& ref : call.entry->data) {
    Taint data;
    const ExprId from = Argument(call, {ref}, &data);
    if (from == kNone) continue;
    const std::string path = Known(from);
    PathKind kind = KindOfPath(path);
    const bool part = path.empty() || Contains(path, std::string_view(&kHole, 1));
    if (kind == PathKind::kPlain && part && data.Has(kSecretName)) kind = PathKind::kSecret;
    if (kind == PathKind::kPlain && part && data.Has(kWeakSecretName)) kind = PathKind::kWeakSecret;
    if (kind == PathKind::kSecret || kind == PathKind::kWeakSecret) {
      Raise("EXFIL-001", call.expr, data, kSecretName | kWeakSecretName,
            "stores " + (path.empty() ? std::string("files of credentials") : Shown(path)) + " with a service",
            kind == PathKind::kSecret ? 1.0 : 0.6);
    } else {
      std::string with = HostOfAccount(call);
      const Expr* method = with.empty() ? FunctionOf(call) : nullptr;
      if (method != nullptr && method->base != kNone) with = HostOfHandle(method->base);
      JudgeSend(call, data, with.empty() ? here().host : with, {});
    }
  }
  return {};
}

// What another program is given to read.
Taint Engine::JudgeFeed(const Call& call) {
  bool none = true;
  const Taint data = DataOf(call, &none);
  JudgeFed(call, data);
  if (data.Has(kSocketData)) {
    // A bridge to a program that speaks a protocol, or a shell for somebody else: one of them names a shell.
    const bool shell = AnyOf(code().text, {"/sh\"", "/sh'", "/bash", "cmd.exe", "powershell", "pwsh", "\"sh\"", "'sh'",
                                           "\"bash\"", "'bash'", "COMSPEC", "ComSpec", "pty."});
    Raise("RCE-003", call.expr, data, kSocketData, "gives a program what another machine sends", shell ? 1.0 : 0.5);
  } else if (data.Has(kNetFixed) && !data.Has(kToolArgument) && (here().deeds & kDidRunShell) != 0) {
    Raise("RCE-001", call.expr, data, kNetFixed, "gives a shell what it has fetched");
  }
  return Source(kCommandOutput, call.expr, "output of a program");
}

Taint Engine::JudgeWasm(const Call& call, const Taint& target) {
  Use(call, Permission::kDynamicCode, "WebAssembly");
  if (target.Has(kNetStranger) && !target.Has(kToolArgument)) {
    // A sandbox of its own, unless it is given a shell.
    Labels ran = 0;
    for (const Expr& part : code().exprs) {
      if (part.kind != ExprKind::kCall || part.loc.begin < code().exprs[call.expr].loc.begin ||
          part.loc.end > code().exprs[call.expr].loc.end) {
        continue;
      }
      const Value& callee = view().Evaluate(part.base, function_);
      if (callee.text.starts_with("child_process.")) ran = kNetFixed;
    }
    if (ran != 0) {
      Raise("RCE-001", call.expr, target, kNetStranger, "runs machine code from the network that may start programs");
    }
  }
  return {};
}

Taint Engine::JudgeRegistry(const Call& call) {
  std::string all;
  for (const Arg& arg : call.args) all += view().Text(arg.value, function_) + "\n";
  const std::string text = Squeezed(TextAt(code().exprs[call.expr].loc));
  const bool writes = AnyOf(call.callee.text, {"Create", "Set", "put", "add"}) ||
                      AnyOf(text, {"KEY_SET_VALUE", "KEY_WRITE", "KEY_ALL_ACCESS"});
  std::string path = LowerCase(all + std::string(TextAt(code().exprs[call.expr].loc).substr(0, 600)));
  std::replace(path.begin(), path.end(), '\\', '/');
  Use(call, Permission::kFilesystemWrite, "registry");
  if (writes && AnyOf(path, {"currentversion/run", "winlogon", "image file execution options"})) {
    Raise("PERSIST-001", call.expr, call.all, 0, "writes to the registry what Windows starts by itself");
    if (WritesRunner() || WritesHarm() || AnyOf(all, {"urlopen(", "powershell", "mshta", "http://"})) {
      Worsen("PERSIST-001", core::Severity::kCritical);
    }
  }
  return {};
}

// What others have sent: answers, mail, chains of blocks.
Taint Engine::JudgeFetched(const Call& call) {
  Use(call, Permission::kNetworkEgress, "");
  if (AnyOf(call.callee.text, {"Contract(", "web3", "ethers", "solana", "viem"})) {
    return Source(kNet | kNetFixed | kNetStranger, call.expr, "takes what somebody has written to a chain of blocks");
  }
  if (!call.args.empty() || call.callee.text.ends_with("getresponse")) {
    const std::string host = call.args.empty() ? HostHere() : KnownHost(Known(call.args[0].value));
    const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
    if (kind == HostKind::kOrdinary || IsBad(kind))
      return Source(kNet | kNetFixed | kNetStranger, call.expr, "answer of " + host);
  }
  if (AnyOf(LowerCase(call.callee.text), {"imap", "pop3", "messages", "connections", "events.list", "events()"}))
    return Source(kNet | kKept, call.expr, "takes the user's mail, contacts or dates");
  return Source(kNet, call.expr, "takes in what others have sent");
}

Taint Engine::JudgeMachine(Call& call) {
  const CatalogueEntry& entry = *call.entry;
  Taint target;
  const ExprId to = Argument(call, entry.target, &target);
  switch (entry.role) {
    case Role::kUpload:
      return JudgeUpload(call, to);
    case Role::kFeed:
      return JudgeFeed(call);
    case Role::kModulePath:
      JudgeNetFile(call, call.all);
      return {};
    case Role::kWorker: {
      const std::string options = Squeezed(TextAt(code().exprs[call.expr].loc));
      if (Contains(options, "eval:true") || Contains(options, "data:text/javascript")) {
        JudgeEval(call);
        if (const ExprId program = Argument(call, call.entry->target, nullptr); program != kNone)
          JudgeFarModule(call, view().Text(program, function_));
        JudgeWorkerData(call);
      } else {
        JudgeNetFile(call, target);
      }
      return {};
    }
    case Role::kWasm:
      return JudgeWasm(call, target);
    case Role::kContainer: {
      Use(call, Permission::kSubprocess, "container");
      const bool masters = MastersHost(Squeezed(TextAt(code().exprs[call.expr].loc)));
      if (masters) Raise("ESCAPE-001", call.expr, call.all, 0, "starts a container that is master of the host");
      return Source(kCommandOutput, call.expr, "output of a container");
    }
    case Role::kRegistry:
      return JudgeRegistry(call);
    case Role::kRequest:
      return Source(kCaller, call.expr, "takes what a request says");
    case Role::kFetched:
      return JudgeFetched(call);
    default:
      return {};
  }
}

namespace {

// `entry.startsWith('acme-')`: a name of some length, not the dot by which hidden files are left out.
bool AsksForOwnName(std::string_view body) {
  constexpr std::size_t kOfSomeLength = 4;
  for (const std::string_view ask : {".startsWith(", ".startswith("}) {
    for (std::size_t at = body.find(ask); at != std::string_view::npos; at = body.find(ask, at + 1)) {
      const std::size_t open = at + ask.size();
      if (open >= body.size() || (body[open] != '\'' && body[open] != '"')) continue;
      const std::size_t close = body.find(body[open], open + 1);
      if (close != std::string_view::npos && close - open > kOfSomeLength) return true;
    }
  }
  // glob("acme-*.jar"), glob(f"{NAME}-*.jar")
  constexpr std::string_view kGlob = "glob(";
  for (std::size_t at = body.find(kGlob); at != std::string_view::npos; at = body.find(kGlob, at + 1)) {
    std::string_view pattern = body.substr(at + kGlob.size(), 80);
    if (pattern.starts_with('f')) pattern.remove_prefix(1);
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos || star <= kOfSomeLength + 1 || pattern.find_first_of("\"'") != 0) continue;
    const std::string_view head = pattern.substr(1, star - 1);
    if (head.find_first_of("/\"'\n") == std::string_view::npos && (head.back() == '-' || head.back() == '_'))
      return true;
  }
  return false;
}

// `shutil.copy2(backup, config); backup.unlink()`: what lies somewhere else first was moved, not lost. A copy that is
// thrown away is none.
bool CopiedBefore(std::string_view body, std::string_view deleted) {
  if (deleted.empty() || deleted.size() > 80) return false;
  for (const std::string_view copy : {"copy2(", "copy(", "copyfile(", "copyFileSync(", "copyFile(", "cpSync("}) {
    for (std::size_t at = body.find(copy); at != std::string_view::npos; at = body.find(copy, at + 1)) {
      const std::string_view args = body.substr(at + copy.size());
      if (!args.starts_with(deleted) || args.size() <= deleted.size() || args[deleted.size()] != ',') continue;
      const std::string_view where = args.substr(0, args.find(')'));
      if (!AnyOf(where, {"/dev/", "devnull", "os.dev"})) return true;
    }
  }
  return false;
}

// for name in ("Documents", "Pictures"): what is deleted below the user's folder, one after the other.
bool NamesFoldersOfUser(std::string_view text) {
  constexpr int kSeveral = 2;
  int found = 0;
  for (const std::string_view name : {"Documents", "Pictures", "Desktop", "Downloads", "Music", "Movies", "Videos"}) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      const char before = at > 0 ? text[at - 1] : ' ';
      const char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
      if ((before != '"' && before != '\'') || after != before) continue;
      ++found;
      break;
    }
  }
  return found >= kSeveral && AnyOf(text, {"Path.home()", "expanduser(", "homedir()", "UserHomeDir()", "home_dir()"});
}

// date(2027, 3, 1), new Date("2027-03-01"): a day stands in the program.
bool NamesADay(std::string_view text) {
  return AnyOf(
      text, {"date(20", "datetime(20", "Date(20", "Date('20", "Date(\"20", "fromisoformat('20", "fromisoformat(\"20"});
}

// **OPTIONS, of a table that stands in the file; dict(OPTIONS) is one.
ExprId SpreadTable(const ModuleView& view, ExprId spread, FuncId function) {
  const Module& code = view.module();
  if (spread >= code.exprs.size() || code.exprs[spread].kind != ExprKind::kSpread || code.exprs[spread].arg_count != 1)
    return kNone;
  ExprId table = view.Origin(code.ArgsOf(code.exprs[spread])[0].value, function);
  if (table < code.exprs.size() && code.exprs[table].kind == ExprKind::kCall && code.exprs[table].arg_count == 1 &&
      view.Callee(table, function).text == "builtins.dict") {
    table = view.Origin(code.ArgsOf(code.exprs[table])[0].value, function);
  }
  return table < code.exprs.size() && code.exprs[table].kind == ExprKind::kDict ? table : kNone;
}

}  // namespace

void Engine::JudgeDelete(Call& call, const std::string& path, const Taint& target) {
  if (!last_) return;
  JudgeRecord(call, path, false);
  if (path.empty() && !call.args.empty()) {
    for (const std::string& text : TextsWithin(call.args[0].value)) JudgeRecord(call, text, false);
  }
  const bool tree = AnyOf(LowerCase(call.callee.text), {"rmtree", "rimraf", ".rm", "remove", "rmsync", "emptydir"});
  if (tree && IsHome(path) && !target.Has(kToolArgument)) {
    Raise("DESTROY-001", call.expr, target, 0, "deletes " + Shown(path));
  } else if (const std::string_view head = code().text.substr(0, 30'000);
             tree && (path.empty() || path.ends_with(kHole)) && NamesFoldersOfUser(head) &&
             (!target.Has(kToolArgument) || NamesADay(head))) {
    Raise("DESTROY-001", call.expr, target, 0, "deletes the folders in which the user keeps documents", 0.8);
  } else if (target.Has(kHomeEntry) && !target.Has(kToolArgument)) {
    // Files that bear its own name are its own to tidy: a wiper asks for none, or for how a name ends.
    const std::string_view body =
        function_ == kModuleBody ? std::string_view() : TextAt(code().functions[function_].loc).substr(0, 16'384);
    const std::size_t here = code().exprs[call.expr].loc.begin;
    const std::size_t from = code().functions[function_].loc.begin;
    const Expr& callee = code().exprs[call.expr];
    const ExprId what = !call.args.empty()                  ? call.args[0].value
                        : callee.base < code().exprs.size() ? code().exprs[callee.base].base
                                                            : kNone;
    const bool moved = what < code().exprs.size() && here > from &&
                       CopiedBefore(body.substr(0, here - from), TextAt(code().exprs[what].loc));
    const bool own = AsksForOwnName(body);
    Raise("DESTROY-001", call.expr, target, kHomeEntry, "deletes what it finds in the user's folder",
          moved  ? 0.25
          : own  ? 0.4
          : tree ? 1.0
                 : 0.8);
  }
}

// A client of a known service that is sent to somebody else's host, with the service's own key.
void Engine::JudgeBase(const Call& call) {
  if (!last_) return;
  // new EventSource("https://host/s?d=" + data): the address is all that is sent.
  if (!call.args.empty() &&
      SaysOneOf(call.callee.text, {"EventSource", "globalThis.EventSource", "WebSocket", "globalThis.WebSocket", "ws",
                                   "ws.WebSocket", "ws.default", "eventsource.EventSource", "eventsource"})) {
    const std::string to = KnownHost(Known(call.args[0].value));
    Call sent = call;
    if (!to.empty()) JudgeSend(sent, call.taints[0].Only(kSecretFile | kStore | kEnvAll), to, {});
  }
  std::string host;
  Taint keys;
  bool keyed = false;
  bool spread = false;
  const auto take = [&](std::string_view name, ExprId value) {
    if (SaysOneOf(name, {"base_url", "endpoint_url", "baseURL", "baseUrl", "api_base", "basePath"})) {
      host = KnownHost(Known(value));
    } else {
      keys.Join(Eval(value));
      keyed = keyed || SaysOneOf(name, {"api_key", "apiKey", "auth_token"});
    }
  };
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    if (!arg.name.empty()) {
      take(arg.name, arg.value);
    } else if (code().exprs[arg.value].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) take(field.name, field.value);
    } else if (const ExprId table = SpreadTable(view(), arg.value, function_); table != kNone) {
      for (const Arg& field : code().ArgsOf(code().exprs[table])) take(field.name, field.value);
      spread = true;
    }
  }
  // OpenAI(**OPTIONS), whose options name a host and no key: the library takes the user's own out of the environment.
  if (spread && !keyed && !host.empty() && KindOfHost(host) == HostKind::kOrdinary && !HostOfModels(host) &&
      !IsKnownService(host) &&
      SaysOneOf(call.callee.text,
                {"openai.OpenAI", "openai.AsyncOpenAI", "anthropic.Anthropic", "anthropic.AsyncAnthropic"})) {
    Raise("EXFIL-003", call.expr, {}, 0, "gives a service's key, and all that is said to it, to " + host, 0.6, host);
    return;
  }
  if (host.empty() || !keys.Has(kEnvSecret) || keys.vendors.none() || HostOfVendors(host, keys.vendors)) return;
  const HostKind kind = KindOfHost(host);
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return;
  Raise("EXFIL-003", call.expr, keys, kEnvSecret, "gives a service's key, and all that is said to it, to " + host, 0.8,
        host);
}

// {"role": "system", "content": ...}: who says it.
void Engine::JudgeRole(ExprId dict) {
  std::string role;
  ExprId content = kNone;
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    if (field.value >= code().exprs.size()) continue;
    if (field.name == "role" && code().exprs[field.value].kind == ExprKind::kString)
      role = code().exprs[field.value].text;
    if (field.name == "content") content = field.value;
  }
  if (content == kNone || role.empty()) return;
  if (role == "system" || role == "developer") {
    NoteSystemKeys(content);
    const Taint said = Eval(content);
    if (said.Has(kMemory)) memory_leads_ = true;
    if (said.Has(kForeign) && !said.Has(kToolArgument)) {
      Raise("STATE-001", content, said, kForeign, "gives an answer from the network the rank of a system message",
            view().Text(content, function_).find_first_not_of(kHole) == std::string::npos ? 0.9 : 0.5);
    }
  }
}

namespace {

// api.acme.io in a module or class that is called Acme.
bool NamesHost(std::string_view where, std::string_view host) {
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::size_t before = host.rfind('.', dot - 1);
  const std::string_view label = host.substr(before == std::string_view::npos ? 0 : before + 1,
                                             dot - (before == std::string_view::npos ? 0 : before + 1));
  return label.size() >= 4 && where.find(label) != std::string_view::npos;
}

}  // namespace

Taint Engine::EnvRead(std::string_view name, ExprId at) {
  Call call;
  call.expr = at;
  Use(call, core::Permission::kEnvironmentRead, std::string(name));
  const std::string shown = name.empty() ? std::string("reads the environment")
                                         : "reads the environment variable " + std::string(name.substr(0, 80));
  const auto written = written_variables_.find(std::string(name));  // by this program itself
  if (name.empty() || !IsSecretName(name)) {
    Taint plain = Source(kEnvPlain, at, shown);
    if (written != written_variables_.end()) plain.Join(written->second);
    return plain;
  }
  keyed_.insert(module_);
  Taint taint = Source(kEnvSecret, at, shown);
  taint.vendors = VendorOf(name);
  return taint;
}

// A variable whose name comes out of a list of such names.
void Engine::TakeNamed(const Taint& name, ExprId at, Taint* value) {
  if (!name.Has(kEnvName)) return;
  value->Join(Source(kEnvSecret, at, "reads environment variables with credentials"));
  value->vendors |= name.vendors;
}

// {statusLine: ..., env: {ANTHROPIC_BASE_URL: "https://..."}}: settings of an agent, kept to be merged into the user's.
void Engine::JudgeRouted(ExprId dict) {
  if (!last_) return;
  bool settings = false;
  ExprId variables = kNone;
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    settings = settings || SaysOneOf(field.name, {"statusLine", "permissions", "enableAllProjectMcpServers", "hooks",
                                                  "mcpServers", "enabledPlugins"});
    if (field.name == "env") variables = field.value;
  }
  if (!settings && variables == kNone) {
    // settings.env = {...settings.env, ANTHROPIC_BASE_URL: "https://..."}, beside the path of an agent's settings.
    for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
      constexpr std::size_t kShortest = 12;
      if (field.name.size() < kShortest || RouteOf(field.name) != Route::kModel) continue;
      const bool agents = Contains(code().text, "settings.json") &&
                          (Contains(code().text, ".claude") || Contains(code().text, ".gemini"));
      // A table of providers has it many times.
      if (agents && std::ranges::count(code().args, field.name, &Arg::name) == 1)
        JudgeEnvironmentWrite(field.value, field.name, field.value);
    }
  }
  if (!settings || variables >= code().exprs.size()) return;
  const ExprId made = view().Origin(variables, function_);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kDict) return;
  for (const Arg& one : code().ArgsOf(code().exprs[made])) JudgeEnvironmentWrite(one.value, one.name, one.value);
}

void Engine::JudgeEnvironmentWrite(ExprId at, std::string_view name, ExprId value) {
  if (last_ && RouteOf(name) != Route::kNowhere && value != kNone) {
    std::string host = KnownHost(Known(value));
    if (host.empty()) host = HostWithin(value);
    JudgeRoute(at, host);
  }
  if (name == "LD_PRELOAD" || name == "DYLD_INSERT_LIBRARIES" || name == "LD_AUDIT") {
    Raise("MEM-002", at, {}, 0, "has every program that it starts load a library, by " + std::string(name), 0.8);
  } else if (last_) {
    JudgePeerVariable(at, name, value);
  }
}

// A variable by its text alone.
void Engine::JudgeEnvironmentText(ExprId at, std::string_view name, const std::string& text) {
  if (RouteOf(name) != Route::kNowhere) JudgeRoute(at, KnownHost(text));
  if (LeavesPeersUnasked(name, text)) JudgePeerOfAll(at);
}

// Where other programs send to, or through, from now on.
void Engine::JudgeRoute(ExprId at, const std::string& host) {
  const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
  // RFC 2606: no such name ever means a machine; whoever sets one tries what happens without a network.
  const bool nowhere = host.ends_with(".invalid");
  if ((kind != HostKind::kOrdinary && !IsBad(kind)) || IsKnownService(host) || nowhere) return;
  // A client of that very service says so in its name.
  const bool told =
      NamesHost(LowerCase(std::string(world_.PathOf(module_)) + " " + code().functions[function_].qualified), host);
  Raise("EXFIL-003", at, {}, 0, "has what other programs send go through " + host, told ? 0.25 : 0.7, host);
}

// Commands kept in tables ([["ufw", "disable"], ...]) and run by whoever goes through them.
// ("sysctl", ["-w", "x=0"]) is the command `sysctl -w x=0`.
bool Engine::AppendWords(const Expr& list, int depth, std::string* line) const {
  constexpr std::size_t kLongestWord = 200;
  constexpr std::size_t kLongestLine = 2'000;
  for (const Arg& arg : code().ArgsOf(list)) {
    if (arg.value >= code().exprs.size() || line->size() > kLongestLine) return false;
    const Expr& word = code().exprs[arg.value];
    if (word.kind == ExprKind::kList && depth == 0) {
      if (!AppendWords(word, depth + 1, line)) return false;
      continue;
    }
    if (word.kind != ExprKind::kString || word.text.size() >= kLongestWord) return false;
    if (!line->empty()) *line += ' ';
    // ["sh", "-c", "curl ... | sh"], ["grep", "a|b"]: one word each.
    const bool several = word.text.find_first_of(" |&;<>(){}`$") != std::string_view::npos;
    if (several) *line += '\'';
    for (const char c : word.text) *line += c == '\'' || c == '\n' ? ' ' : c;
    if (several) *line += '\'';
  }
  return true;
}

void Engine::JudgeCommandTables() {
  bool runs = false;
  for (const UseAt& use : uses_) {
    runs =
        runs || (use.module == module_ && use.role == Role::kSpawn && use.use.detail == "any command" && !use.chosen);
  }
  if (!runs) return;
  std::size_t tables = 0;
  for (ExprId id = 0; id < code().exprs.size() && tables < kMaxTables; ++id) {
    const Expr& expr = code().exprs[id];
    if (expr.kind != ExprKind::kList || expr.arg_count < 2 || expr.arg_count > 16) continue;
    if (IsExample(code().text, expr.loc.begin)) continue;
    std::string line;
    const bool plain = AppendWords(expr, 0, &line);
    if (!plain) continue;
    ++tables;
    ShellContext context;
    context.file = code().file;
    context.whole = {expr.loc.begin, expr.loc.end};
    context.place = ShellPlace::kCodeString;
    std::vector<RawFinding> findings;
    JudgeShell(AnalyzeShellScript(ParseShell(line), line), context, findings, nullptr);
    TakeOver(findings, line);
  }
}

// Programs that print what is secret.
// bash bin/collect.sh, of the package's own: what that prints.
Taint Engine::OutputOfOwn(const Call& call, std::string_view command) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  };
  if (world_.package() == nullptr) return {};
  for (const auto& [path, text] : world_.package()->scripts) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    const std::size_t at = command.find(name);
    if (name.size() < 2 || at == std::string_view::npos) continue;
    const std::size_t end = at + name.size();
    if ((at > 0 && in_name(command[at - 1])) || (end < command.size() && in_name(command[end]))) continue;
    const auto [known, added] = printed_.try_emplace(path, Printed::kNothing);
    if (added) known->second = PrintedBy(text);
    const std::string said = "runs " + Shown(name, 60);
    switch (known->second) {
      case Printed::kSecret:
        return Source(kSecretFile, call.expr, said + ", which prints secrets");
      case Printed::kEnvironment:
        return Source(kEnvAll, call.expr, said + ", which prints the whole environment");
      case Printed::kTaken:
        return Source(kKept, call.expr, said + ", which prints what the user keeps");
      case Printed::kNothing:
        break;
    }
  }
  return {};
}

Taint Engine::OutputOf(const Call& call, const std::string& command) {
  if (command.empty() || command.size() > 4096) return {};
  if (const Taint own = OutputOfOwn(call, command); own.labels != 0) return own;
  const std::string line = LowerCase(command);
  if (line == "env" || line == "printenv" || line == "env -0" || line == "printenv -0" || line == "export -p" ||
      line == "cmd /c set") {
    return Source(kEnvAll, call.expr, "takes the whole environment from `" + line + "`");
  }
  if (AnyOf(line, {"kwallet-query", "cmdkey /list", "get-storedcredential"}) || PrintsSecret(command)) {
    return Source(kStore, call.expr, "asks `" + Shown(command, 60) + "` for credentials");
  }
  if ((Contains(line, "osascript") && Contains(line, "hidden answer")) ||
      (Contains(line, "zenity") && Contains(line, "--password")) || Contains(line, "systemd-ask-password")) {
    return Source(kStore, call.expr, "asks for a password in a dialog of its own");
  }
  if ((Contains(line, "netsh") && Contains(line, "wlan") && Contains(line, "key=clear")) ||
      (Contains(line, "nmcli") && Contains(line, "802-11-wireless-security.psk"))) {
    return Source(kStore, call.expr, "asks for the passwords of wireless networks");
  }
  if (AnyOf(line, {"ps aux", "ps -ef", "ps -aux", "tasklist"}) && line.size() < 24) {
    return Source(kHostFacts | kKept, call.expr, "lists all processes");
  }
  if (line.starts_with("pbpaste") || line.starts_with("xclip -o") || line.starts_with("wl-paste") ||
      Contains(line, "get-clipboard") || (line.starts_with("xclip") && Contains(line, " -o"))) {
    return Source(kClipboard, call.expr, "takes the clipboard");
  }
  if (line.starts_with("screencapture") || line.starts_with("scrot ") || line.starts_with("import -window root") ||
      line.starts_with("gnome-screenshot") || line.starts_with("grim ")) {
    const std::string file = command.substr(command.rfind(' ') + 1);
    if (file.size() > 4 && Contains(file, ".") && kept_paths_.size() < 64)
      kept_paths_.try_emplace(file, Source(kClipboard, call.expr, "takes a picture of the screen"));
  }
  if (AnyOf(line, {"trufflehog ", "gitleaks ", "noseyparker "}) && !AnyOf(line, {"version", "--help"})) {
    return Source(kWeakSecretFile, call.expr, "has `" + Shown(command, 40) + "` look for credentials");
  }
  // What a shell would be known to print: find ~ -name '*.pem' -exec cat {} +, doppler secrets download.
  constexpr std::size_t kMostCommand = 2'000;
  if (command.size() >= 6 && command.size() <= kMostCommand && line.find(kHole) == std::string::npos) {
    const auto [known, added] = printed_.try_emplace("$ " + command, Printed::kNothing);
    if (added) known->second = PrintedBy(command);
    const std::string said = "takes what `" + Shown(command, 60) + "` prints";
    if (known->second == Printed::kSecret) return Source(kSecretFile, call.expr, said);
    if (known->second == Printed::kEnvironment) return Source(kEnvAll, call.expr, said);
    if (known->second == Printed::kTaken && line.starts_with("osascript")) return Source(kKept, call.expr, said);
  }
  // cat ~/.aws/credentials
  const std::size_t blank = line.find(' ');
  const std::string program = line.substr(0, blank);
  if (blank != std::string::npos && (program == "cat" || program == "base64" || program == "tar" || program == "head" ||
                                     program == "zip" || program == "xxd" || program == "type")) {
    std::size_t from = blank + 1;
    while (from < line.size()) {
      const std::size_t to = std::min(line.find(' ', from), line.size());
      const PathKind kind = KindOfPath(line.substr(from, to - from));
      if (kind == PathKind::kSecret) return Source(kSecretFile, call.expr, "runs `" + Shown(command, 80) + "`");
      if (kind == PathKind::kWeakSecret) return Source(kWeakSecretFile, call.expr, "runs `" + Shown(command, 80) + "`");
      from = to + 1;
    }
  }
  return {};
}

}  // namespace interlock::scan::code
