// What a function does as a whole, where no single call says it: acting only where nobody watches, padding answers,
// exchanging accounts for some amounts, rewriting what other tools answer, changing who has said a message.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"
#include "code/value_parts.h"
#include "static/part_set.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::uint32_t kMaxTogether = 16U << 10U;  // bytes of a function whose parts count as one deed

constexpr std::size_t kLongestFunction = 12'000;  // bytes; what is longer is no habit
constexpr std::size_t kLongestTest = 800;         // of a condition that is looked at
constexpr double kManyWords = 30'000;             // characters that nobody needs as an answer

// What a test asks about the machine, by kind.
enum Watch : std::uint32_t {
  kWatchBuild = 1U << 0U,
  kWatchDebugger = 1U << 1U,
  kWatchName = 1U << 2U,
  kWatchUptime = 1U << 3U,
  kWatchSize = 1U << 4U,
  kWatchTools = 1U << 5U,
  kWatchContainer = 1U << 6U,
};

struct Watched {
  std::string_view word;
  std::uint32_t what;
};
constexpr auto kWatched = std::to_array<Watched>({
    {"env.ci", kWatchBuild},
    {"'ci'", kWatchBuild},
    {"\"ci\"", kWatchBuild},
    {"github_actions", kWatchBuild},
    {"gitlab_ci", kWatchBuild},
    {"jenkins", kWatchBuild},
    {"buildkite", kWatchBuild},
    {"circleci", kWatchBuild},
    {"pytest", kWatchBuild},
    {"jest_worker", kWatchBuild},
    {"vitest", kWatchBuild},
    {"execargv", kWatchDebugger},
    {"--inspect", kWatchDebugger},
    {"inspector.url", kWatchDebugger},
    {"gettrace", kWatchDebugger},
    {"pydevd", kWatchDebugger},
    {"debugpy", kWatchDebugger},
    {"isdebuggerpresent", kWatchDebugger},
    {"tracerpid", kWatchDebugger},
    {"node_v8_coverage", kWatchDebugger},
    {"ptrace", kWatchDebugger},
    {"hostname", kWatchName},
    {"username", kWatchName},
    {"userinfo", kWatchName},
    {"getuser", kWatchName},
    {"getlogin", kWatchName},
    {"platform.node", kWatchName},
    {"uptime", kWatchUptime},
    {"boot_time", kWatchUptime},
    {"cpu_count", kWatchSize},
    {"cpus()", kWatchSize},
    {"totalmem", kWatchSize},
    {"virtual_memory", kWatchSize},
    {"phys_pages", kWatchSize},
    {"strace", kWatchTools},
    {"tcpdump", kWatchTools},
    {"wireshark", kWatchTools},
    {"ghidra", kWatchTools},
    {"frida", kWatchTools},
    {"sysdig", kWatchTools},
    {"falco", kWatchTools},
    {"procmon", kWatchTools},
    {"cuckoo", kWatchTools},
    {"malware", kWatchTools},
    {"virtualbox", kWatchTools},
    {"vmware", kWatchTools},
    {"vboxguest", kWatchTools},
    {"honeypot", kWatchTools},
    {"mitmproxy", kWatchTools},
    {"/gdb", kWatchTools},
    {"analyst", kWatchTools},
    {".dockerenv", kWatchContainer},
    {"containerenv", kWatchContainer},
    {"/proc/1/cgroup", kWatchContainer},
});

std::uint32_t WatchesOf(std::string_view text) {
  static constexpr PartSet kWords([] {
    std::array<std::string_view, kWatched.size()> words;
    std::ranges::transform(kWatched, words.begin(), &Watched::word);
    return words;
  }());
  const auto found = kWords.AllIn(LowerCase(text.substr(0, kLongestTest)));
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < kWatched.size(); ++i) out |= (found >> i & 1U) != 0 ? kWatched[i].what : 0U;
  return out;
}

int CountOf(std::uint32_t bits) { return __builtin_popcount(bits); }

// Names under which frameworks and clients keep what is called for an answer.
bool GivesAnswers(std::string_view what) {
  const std::string_view last = what.substr(what.rfind('.') + 1);
  return SaysOneOf(last,
                   {"run",       "_run",    "arun",    "_arun",   "invoke", "ainvoke", "call_tool", "callTool",
                    "fetch",     "send",    "request", "execute", "_call",  "_acall",  "readFile",  "readFileSync",
                    "read_text", "handler", "query",   "search",  "get",    "post"});
}

// `.replace("Acme", "Evil")`, `.sub(pattern, words)`; folding the lines of headers by `.replace(/\r?\n[\t ]+/g, " ")`
// exchanges white space, and no words.
bool ExchangesWords(std::string_view text) {
  if (AnyOf(text, {".sub(", ".subn("})) return true;
  for (const std::string_view verb : {".replace(", ".replaceAll("}) {
    for (std::size_t at = text.find(verb); at != std::string_view::npos; at = text.find(verb, at + 1)) {
      const std::string_view args = text.substr(at + verb.size());
      if (!args.starts_with('/')) return true;
      const std::size_t end = args.find('/', 1);
      if (end == std::string_view::npos) return true;
      std::string_view pattern = args.substr(1, end - 1);
      bool white = !pattern.empty();
      while (white && !pattern.empty()) {
        const bool escaped = pattern.front() == '\\' && pattern.size() > 1 &&
                             (pattern[1] == 'r' || pattern[1] == 'n' || pattern[1] == 't' || pattern[1] == 's');
        white = escaped || std::string_view(" []?+*^$|()").find(pattern.front()) != std::string_view::npos;
        pattern.remove_prefix(escaped ? 2 : 1);
      }
      if (!white) return true;
    }
  }
  return false;
}

}  // namespace

// Everything that a value may say, through names, choices and functions of the package: the first text with a host.
std::string Engine::HostWithin(ExprId value) const {
  constexpr std::size_t kMost = 64;
  ValueParts parts(world_, module_, function_, value, kMost);
  while (parts.Next()) {
    const std::string host = KnownHost(parts.view().Text(parts.id(), parts.scope()));
    if (!host.empty()) return host;
    const ExprKind kind = parts.expr().kind;
    if (kind == ExprKind::kCall) {
      if (parts.AddReturns(parts.view().Callee(parts.id(), parts.scope()))) continue;
    } else if (kind == ExprKind::kName || kind == ExprKind::kMember) {
      const Value& named = parts.view().Evaluate(parts.id(), parts.scope());
      if (named.kind == ValueKind::kText && !KnownHost(named.text).empty()) return KnownHost(named.text);
      for (const Value& item : named.items) {
        if (item.kind == ValueKind::kText && !KnownHost(item.text).empty()) return KnownHost(item.text);
      }
    }
    parts.AddOwn();
  }
  return {};
}

// `if amount > 5000: account = OWN`: some payments go elsewhere.
// REF.map((d, i) => String.fromCharCode(d + 48)).join(""): letters that are put together from numbers.
bool Engine::MadeOfNumbers(ExprId text) {
  constexpr std::size_t kMostOfText = 300;
  if (text >= code().exprs.size()) return false;
  if (Eval(text).Has(kComputed | kDecoded)) return true;
  const ExprId origin = view().Origin(text, function_);
  return origin < code().exprs.size() &&
         AnyOf(TextAt(code().exprs[origin].loc).substr(0, kMostOfText), {"fromCharCode", "fromCodePoint", "chr("});
}

void Engine::JudgeAccount(const Stmt& stmt) {
  if (!last_ || stmt.value >= code().exprs.size()) return;
  bool some = false;
  for (const Condition& condition : conditions_) {
    some = some || (condition.amount && condition.depth < stmt.condition_depth);
  }
  ExprId value = stmt.value;
  const ExprId origin = view().Origin(value, function_);
  if (!some && origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kChoice &&
      code().exprs[origin].arg_count == 3) {
    const auto args = code().ArgsOf(code().exprs[origin]);
    some = ComparesAmount(args[0].value);
    for (std::size_t i = 1; i < 3 && some; ++i) {
      if (IsAccount(view().Text(args[i].value, function_))) value = args[i].value;
      // Letters that are put together from numbers, in the place of what somebody has given.
      const ExprId other = args[3 - i].value;
      if (function_ != kModuleBody && MadeOfNumbers(args[i].value) && other < code().exprs.size() &&
          AnyOf(LowerCase(TextAt(code().exprs[other].loc).substr(0, 80)),
                {"iban", "account", "wallet", "address", "payee"})) {
        Raise("DIVERT-002", stmt.loc, {}, 0,
              "puts letters that are made of numbers in the place of an account for some amounts");
        return;
      }
    }
  }
  if (!some || function_ == kModuleBody || code().functions[function_].params.empty()) return;
  const std::string& text = view().Text(value, function_);
  if (!IsAccount(text)) {
    // self.iban = CLEARING.get(self.zone, self.iban): a table of accounts.
    ExprId table = value;
    if (code().exprs[table].kind == ExprKind::kCall) table = code().exprs[table].base;
    if (table >= code().exprs.size() || code().exprs[table].base >= code().exprs.size()) return;
    const std::vector<std::string> texts = TextsWithin(code().exprs[table].base);
    if (texts.empty() || !std::ranges::all_of(texts, [](const std::string& one) { return IsAccount(one); })) return;
    Raise("DIVERT-002", stmt.loc, {}, 0, "puts an account of a table in another's place for some amounts");
    return;
  }
  Raise("DIVERT-002", stmt.loc, {}, 0, "puts a fixed account in another's place for some amounts: " + Shown(text, 40));
}

bool Engine::ComparesAmount(ExprId test) const {
  constexpr std::size_t kMostParts = 32;
  std::array<ExprId, kMostParts> open{test};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[open[i]];
    if (expr.kind == ExprKind::kBinary && SaysOneOf(expr.text, {">", "<", ">=", "<="}) && expr.arg_count == 2) {
      for (const Arg& side : code().ArgsOf(expr)) {
        // Two digits and more: a length of a list is compared with less.
        if (side.value < code().exprs.size() && TextAt(code().exprs[side.value].loc).size() <= 24) {
          const std::string_view said = TextAt(code().exprs[side.value].loc);
          const auto digits = std::count_if(said.begin(), said.end(), [](char c) { return c >= '0' && c <= '9'; });
          if (digits >= 3) return true;
          // self.amount >= ROUTE_FROM
          const bool named = code().exprs[side.value].kind == ExprKind::kName && said.size() > 3 &&
                             std::ranges::none_of(said, [](char c) { return c >= 'a' && c <= 'z'; });
          if (named && AnyOf(LowerCase(TextAt(expr.loc).substr(0, 120)), {"amount", "total", "gross"})) return true;
        }
      }
    }
    for (const Arg& arg : code().ArgsOf(expr)) {
      if (count < kMostParts) open[count++] = arg.value;
    }
  }
  return false;
}

void Engine::JudgeHabits() {
  if (!last_) return;
  const Function& shape = code().functions[function_];
  // `{platform: os.platform(), ...}`, or that as text.
  const auto is_account = [&](ExprId value) {
    const auto is_dict = [&](ExprId expr) {
      return expr < code().exprs.size() && code().exprs[expr].kind == ExprKind::kDict;
    };
    if (is_dict(value)) return true;
    if (value >= code().exprs.size() || code().exprs[value].kind != ExprKind::kCall) return false;
    const auto args = code().ArgsOf(code().exprs[value]);
    return !args.empty() && is_dict(args.front().value);
  };
  // Asking several things that only somebody asks who does not want to be watched.
  std::uint32_t watches = 0;
  Loc at;
  const auto ask = [&](ExprId expr) {
    if (expr >= code().exprs.size()) return;
    std::uint32_t found = WatchesOf(TextAt(code().exprs[expr].loc));
    if (found != 0 && at.end == 0) at = code().exprs[expr].loc;
    // Lists and expressions kept under a name.
    constexpr std::size_t kMostParts = 24;
    std::array<ExprId, kMostParts> open{expr};
    std::size_t count = 1;
    const auto look_into = [&](ExprId part) {
      if (count < kMostParts) open[count++] = part;
    };
    for (std::size_t i = 0; i < count; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& part = code().exprs[open[i]];
      if (part.kind == ExprKind::kName) {
        FuncId scope = function_;
        const ExprId from = view().Origin(open[i], function_, &scope);
        if (from < code().exprs.size() && from != open[i]) found |= WatchesOf(TextAt(code().exprs[from].loc));
      }
      if (part.base != kNone) look_into(part.base);
      for (const Arg& arg : code().ArgsOf(part)) look_into(arg.value);
    }
    watches |= found;
  };
  for (const Stmt& stmt : shape.body) {
    const bool answers = stmt.kind == StmtKind::kReturn;
    // Values by name that a caller gets are an account of the machine, and nothing hangs on them here.
    if (answers && is_account(stmt.value)) continue;
    if (answers || stmt.kind == StmtKind::kCondition) ask(stmt.value);
  }
  if (CountOf(watches) >= 3 && (watches & (kWatchUptime | kWatchTools | kWatchDebugger)) != 0 &&
      CountOf(watches & ~(kWatchBuild | kWatchContainer)) >= 2) {
    Raise("EVADE-003", at, {}, 0,
          "asks " + std::to_string(CountOf(watches)) + " different things that tell whether somebody watches it",
          CountOf(watches) >= 4 ? 1.0 : 0.7);
  }
  JudgeAssignedByText();
  if (function_ == kModuleBody || shape.loc.end - shape.loc.begin > kLongestFunction) return;
  const std::string_view body = TextAt(shape.loc);
  JudgeRewriter(body);
  JudgePieces(body);
  JudgePrefix(body);
  JudgeWalk();
  JudgeReturned();
  JudgePayee();
}

// table, of `const table = typeof args.table === "string" ? args.table : undefined`; args.table.replace(...): what a
// function is given, and no answer of whoever it calls.
bool Engine::IsOfParameter(ExprId value, int depth) const {
  constexpr int kDeepest = 12;
  if (value >= code().exprs.size() || depth > kDeepest) return false;
  const Expr& expr = code().exprs[value];
  switch (expr.kind) {
    case ExprKind::kString:
    case ExprKind::kNumber:
    case ExprKind::kConstant:
    case ExprKind::kBinary:  // what is asked, of a choice
      return depth > 0;
    case ExprKind::kDict:
      return depth > 0 && expr.arg_count == 0;
    case ExprKind::kName: {
      if (expr.text == "undefined") return true;
      const std::uint32_t slot = view().SlotOf(value, function_);
      // args.push(await original(...args)): no longer what was given.
      if (IsParameter(value))
        return slot != kNone && view().slots()[slot].count == 0 && view().PutInto(slot, ~std::size_t{0}).empty();
      if (slot == kNone || view().slots()[slot].count != 1 || view().slots()[slot].scope != function_) return false;
      return IsOfParameter(view().bindings()[view().slots()[slot].first].value, depth + 1);
    }
    case ExprKind::kChoice:
      return std::ranges::all_of(code().ArgsOf(expr),
                                 [&](const Arg& part) { return IsOfParameter(part.value, depth + 1); });
    case ExprKind::kCall:  // a method of it, and no function that it is handed to
      return expr.base < code().exprs.size() && code().exprs[expr.base].kind == ExprKind::kMember &&
             IsOfParameter(code().exprs[expr.base].base, depth + 1);
    case ExprKind::kMember:
    case ExprKind::kIndex:
      return IsOfParameter(expr.base, depth + 1);
    default:
      return false;
  }
}

// Stands in the place of something that gives answers, and exchanges words in them.
void Engine::JudgeRewriter(std::string_view body) {
  const auto tap = taps_.find(Key(module_, function_));
  if (tap == taps_.end() || !GivesAnswers(tap->second)) return;
  if (!ExchangesWords(body)) return;
  const std::string all = LowerCase(body) + LowerCase(code().text.substr(0, 1500));
  if (AnyOf(all, {"redact", "mask", "secret", "sanitiz", "scrub", "anonym", "ansi", "censor", "normali", "escape",
                  "encod", "deprecat", "polyfill", "user-agent", "x1b"})) {
    return;
  }
  const Function& shape = code().functions[function_];
  // In the place of what is called and gives an answer: what it is given is no answer.
  const std::string_view whose = std::string_view(tap->second).substr(tap->second.rfind('.') + 1);
  const bool asks = SaysOneOf(whose, {"run", "_run", "_arun", "call", "_call", "execute", "invoke", "call_tool",
                                      "callTool", "request", "fetch"});
  for (const Stmt& stmt : shape.body) {
    if (stmt.kind != StmtKind::kAssign && stmt.kind != StmtKind::kReturn) continue;
    if (stmt.value >= code().exprs.size()) continue;
    const std::string_view text = TextAt(code().exprs[stmt.value].loc).substr(0, 400);
    if (!ExchangesWords(text)) continue;
    // const base = process.env.BASE_URL.replace("https://", ""): of the program's own settings.
    if (text.starts_with("process.env.") || text.starts_with("os.environ") || text.starts_with("os.getenv(")) continue;
    if (asks && IsOfParameter(stmt.value)) continue;
    Raise("TAMPER-001", stmt.loc, {}, 0, "exchanges words in what " + Shown(tap->second, 80) + " answers to others");
    return;
  }
}

// A module and its function looked up by names that are put together from pieces which stand in data.
void Engine::JudgePieces(std::string_view body) {
  constexpr std::size_t kLongest = 1'500;  // what is longer does several things
  if (body.size() > kLongest) return;
  const bool python = view().is_python() && AnyOf(body, {"__import__(", "import_module("}) &&
                      Contains(body, "getattr") && AnyOf(body, {"\"\".join(", "''.join("});
  const bool script = !view().is_python() && AnyOf(body, {"require(", "import("}) &&
                      AnyOf(body, {".join('')", ".join(\"\")", ".join(``)"}) && AnyOf(body, {")[", "reduce("});
  if (!python && !script) return;
  Raise("OBFUSC-003", code().functions[function_].name_loc, {}, 0,
        "looks a function up by names that it puts together from pieces", 1.0);
}

// `full.startsWith(root)`, where nothing has taken the dots out of `full`.
void Engine::JudgePrefix(std::string_view body) {
  if (!AnyOf(body, {".startsWith(", ".startswith("})) return;
  if (AnyOf(body, {"resolve", "normalize", "realpath", "abspath", "relative(", "\"..\"", "'..'", "basename",
                   "is_relative_to", "relative_to", "commonpath", "canonical"})) {
    return;
  }
  const Function& shape = code().functions[function_];
  for (const Stmt& stmt : shape.body) {
    if (stmt.kind != StmtKind::kCondition || stmt.value >= code().exprs.size()) continue;
    std::vector<ExprId> open{stmt.value};
    for (std::size_t i = 0; i < open.size() && i < 16; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& call = code().exprs[open[i]];
      if (call.base != kNone) open.push_back(call.base);
      for (const Arg& arg : code().ArgsOf(call)) open.push_back(arg.value);
      if (call.kind != ExprKind::kCall || call.arg_count != 1 || call.base >= code().exprs.size()) continue;
      const Expr& method = code().exprs[call.base];
      if (method.kind != ExprKind::kMember || !SaysOneOf(method.text, {"startsWith", "startswith"})) continue;
      const ExprId given = code().ArgsOf(call)[0].value;
      if (given >= code().exprs.size() || code().exprs[given].kind == ExprKind::kString) continue;
      if (code().exprs[given].kind == ExprKind::kList) continue;  // ("repo:", "dir:"): words that stand here
      const std::string name = LowerCase(TextAt(code().exprs[given].loc).substr(0, 60));
      if (!AnyOf(name, {"root", "base", "dir", "folder", "workspace", "home"}) || Contains(name, "url")) continue;
      // What is tested was put together below that folder: the dots are still in it.
      const Taint tested = Eval(method.base);
      if (tested.params == 0 && !tested.Has(kToolArgument)) continue;
      const ExprId made = view().Origin(method.base, function_);
      const std::string_view text = made < code().exprs.size() ? TextAt(code().exprs[made].loc) : std::string_view();
      // names[i + 1].file is one of several, put together by nobody.
      if (!AnyOf(text, {"/", "join(", "+"}) || code().exprs[made].kind == ExprKind::kMember ||
          code().exprs[made].kind == ExprKind::kIndex) {
        continue;
      }
      // Node's `join` takes the dots out; Python's leaves them.
      if (!view().is_python() && code().exprs[made].kind == ExprKind::kCall &&
          view().Callee(made, function_).text.ends_with("path.join")) {
        continue;
      }
      Raise("VULN-003", call.loc, tested, kToolArgument,
            "takes a path for one below a folder by its beginning, with the dots still in it", 1.0);
      Worsen("VULN-003", core::Severity::kHigh);
      return;
    }
  }
}

static bool NamesShell(std::string_view text) {
  return AnyOf(text, {"/bin/sh", "/bin/bash", "\"bash\"", "'bash'", "\"sh\"", "'sh'", "cmd.exe", "COMSPEC",
                      "powershell", "env.SHELL", "/bin/zsh"});
}

// A module of a few functions that opens or takes connections and names a shell: what is tied to a connection by pipes
// is that shell, whichever way its name gets there.
bool Engine::PipesShell() const {
  constexpr std::size_t kLongest = 30'000;  // a bundle holds everything, and nothing together
  const std::string_view text = code().text;
  if (text.size() > kLongest) return false;
  const bool connected =
      AnyOf(text, {"net.connect", "net.createConnection", "net.createServer", "tls.connect", "tls.createServer",
                   "net.Socket"}) ||
      (AnyOf(text, {"createServer", "createConnection", "connect", "Socket"}) &&
       AnyOf(text, {"node:net\"", "node:net'", "\"net\"", "'net'", "node:tls\"", "node:tls'", "\"tls\"", "'tls'"}));
  return connected && NamesShell(text);
}

// What net.Dial or Accept gives, or a parameter of the type net.Conn.
bool Engine::IsConnection(ExprId value) const {
  return AnyOf(view().Evaluate(value, function_).text,
               {"net.Dial", "tls.Dial", ".Accept()", "net.Conn", "net.TCPConn"});
}

// cmd.Stdin = conn
void Engine::JudgeTied(ExprId target, ExprId value) {
  if (code().language != Language::kGo || code().exprs[target].text != "Stdin" || !NamesShell(code().text)) return;
  if (IsConnection(value)) Raise("RCE-002", target, {}, 0, "ties a shell's input and output to whoever is connected");
}

// Several deeds of one function that make an attack together.
void Engine::JudgeDeeds() {
  const FunctionFacts& about = here();
  const Deeds deeds = about.deeds;
  const Loc at = about.execute.end != 0 ? about.execute : about.connect;
  const bool shell = (deeds & (kDidRunShell | kDidTerminal)) != 0;
  if ((deeds & kDidConnect) != 0 && ((deeds & kDidDuplicate) != 0 || (deeds & kDidPipeTwice) != 0) && shell) {
    Raise("RCE-002", at, {}, 0, "connects to another machine and hands it a shell");
  } else if ((deeds & kDidConnect) != 0 && (deeds & kDidTerminal) != 0) {
    Raise("RCE-002", at, {}, 0, "connects to another machine and starts a terminal", 0.8);
  }
  // The connection is made elsewhere in the module and handed over.
  const bool handed = (deeds & kDidConnect) == 0 && (deeds & kDidDuplicate) != 0 && (deeds & kDidRunShell) != 0 &&
                      Contains(TextAt(code().functions[function_].loc), ".fileno()") &&
                      !Contains(code().text, "openpty");
  if (handed && (Contains(code().text, ".accept(") ||
                 std::ranges::any_of(facts_[module_],
                                     [](const FunctionFacts& facts) { return (facts.deeds & kDidConnect) != 0; }))) {
    Raise("RCE-002", at, {}, 0, "hands a shell to whoever is connected");
  }
  if ((deeds & kDidFeed) != 0 && (deeds & kDidDrain) != 0 && PipesShell()) {
    Raise("RCE-002", at.end != 0 ? at : code().functions[function_].name_loc, {}, 0,
          "ties a shell's input and output to whoever is connected", 0.9);
  }
  if ((deeds & kDidExecutable) != 0 && (deeds & kDidRawMemory) != 0) {
    Raise("MEM-001", at.end != 0 ? at : code().functions[function_].name_loc, {}, 0,
          "makes memory executable and writes machine code to it");
  }
}

// "text" * 4000
void Engine::JudgeProduct(ExprId product) {
  const auto sides = code().ArgsOf(code().exprs[product]);
  if (sides.size() != 2 || sides[1].value >= code().exprs.size()) return;
  JudgePadding(product, view().Text(sides[0].value, function_), code().exprs[sides[1].value].text);
}

// "text".repeat(4000), "text" * 4000, in a module with tools.
void Engine::JudgePadding(ExprId at, std::string_view words, std::string_view times) {
  if (!last_ || words.size() < 12 || !Contains(words, " ") || times.empty() || times.size() > 9) return;
  double count = 0;
  for (const char c : times) {
    if (c == '_') continue;
    if (c < '0' || c > '9') return;
    count = count * 10 + (c - '0');
  }
  const auto letters = std::count_if(words.begin(), words.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (count * static_cast<double>(words.size()) < kManyWords || letters < 8) return;
  const bool tools = std::any_of(entry_points_.begin(), entry_points_.end(), [&](const EntryPoint& entry) {
    return entry.module == module_ && entry.kind != "script";
  });
  if (!tools) return;
  Raise("DENIAL-002", at, {}, 0, "fills answers with thousands of repetitions of the same words");
}

// Small enough that what stands in it belongs together: a bundle's outermost function has done everything, and nothing
// together.
bool Engine::IsSmall(std::uint32_t module, FuncId function) const {
  const Loc loc = states_[module].view->module().functions[function].loc;
  return loc.end - std::min(loc.begin, loc.end) <= kMaxTogether;
}

}  // namespace interlock::scan::code
