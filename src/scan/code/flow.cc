#include "code/flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "code/engine.h"
#include "code/entry.h"
#include "code/places.h"
#include "static/ascii.h"
#include "static/literals.h"
#include "static/part_set.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {
namespace {

using core::Permission;
using core::Reach;

constexpr std::uint64_t kMaxReachSteps = 20'000'000;
constexpr std::size_t kMaxEntriesOfUse = 64;

// Where of a package something stands, functions numbered through.
class Graph {
 public:
  explicit Graph(const std::vector<std::vector<FunctionFacts>>& facts) {
    first_.reserve(facts.size() + 1);
    std::uint32_t total = 0;
    for (const auto& module : facts) {
      first_.push_back(total);
      total += static_cast<std::uint32_t>(module.size());
    }
    first_.push_back(total);
    edges_.resize(total);
    for (std::uint32_t m = 0; m < facts.size(); ++m) {
      for (FuncId f = 0; f < facts[m].size(); ++f) {
        std::vector<std::uint32_t>& to = edges_[first_[m] + f];
        for (const std::uint64_t call : facts[m][f].calls) {
          const auto module = static_cast<std::uint32_t>(call >> 32U);
          const auto function = static_cast<std::uint32_t>(call);
          if (module < facts.size() && function < facts[module].size()) to.push_back(first_[module] + function);
        }
        std::sort(to.begin(), to.end());
        to.erase(std::unique(to.begin(), to.end()), to.end());
      }
    }
    stamp_.assign(total, 0);
  }
  [[nodiscard]] std::uint32_t At(std::uint32_t module, FuncId function) const { return first_[module] + function; }
  [[nodiscard]] std::size_t size() const { return edges_.size(); }

  // Everything reachable from `from`, into `out` (with the number of calls there); stops when `budget` is used up.
  void Walk(const std::vector<std::uint32_t>& from, std::vector<std::pair<std::uint32_t, std::uint32_t>>& out,
            std::uint64_t& budget) {
    ++round_;
    out.clear();
    for (const std::uint32_t node : from) {
      if (node < stamp_.size() && stamp_[node] != round_) {
        stamp_[node] = round_;
        out.emplace_back(node, 0);
      }
    }
    for (std::size_t i = 0; i < out.size() && budget > 0; ++i) {
      const auto [node, depth] = out[i];
      for (const std::uint32_t to : edges_[node]) {
        if (budget > 0) --budget;
        if (stamp_[to] == round_) continue;
        stamp_[to] = round_;
        out.emplace_back(to, depth + 1);
      }
    }
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0;
};

bool Condemns(Reach reach) { return reach <= Reach::kRuntime; }

bool Says(std::string_view text, std::initializer_list<std::string_view> words) {
  return SaysAny(LowerCase(text.substr(0, 4000)), words);
}

// PutBucketPolicyCommand, terminate_instances: a call of a cloud by what it does there.
bool ChangesCloud(std::string_view call) {
  constexpr auto kActs = std::to_array<std::string_view>({"Put", "Delete", "Attach", "Detach", "Modify", "Terminate",
                                                          "Update", "Remove", "CreateAccessKey", "CreateUser",
                                                          "CreateRole", "CreatePolicy", "CreateLoginProfile"});
  for (std::size_t at = call.find("Command("); at != std::string_view::npos; at = call.find("Command(", at + 1)) {
    const std::size_t before = call.find_last_of(" (.", at);
    if (before == std::string_view::npos) continue;
    const std::string_view name = call.substr(before + 1, at - before - 1);
    if (std::ranges::any_of(kActs, [&](std::string_view act) { return name.starts_with(act); })) return true;
  }
  return false;
}

// http.patch("/limits", ...), fetch(url, {method: "DELETE"}): a request by which something is changed.
bool ChangesThere(std::string_view callee, std::string_view call) {
  constexpr std::size_t kLongest = 1000;
  const std::string last = LowerCase(callee.substr(callee.find_last_of(".)") + 1).substr(0, 20));
  if (last == "patch" || last == "put" || last == "delete") return true;
  call = call.substr(0, kLongest);
  if (last == "send" && ChangesCloud(call)) return true;
  const std::size_t method = call.find("method:");
  if (method == std::string_view::npos) return false;
  std::string_view said = call.substr(method + 7, 20);
  said.remove_prefix(std::min(said.find_first_not_of(" \n\t\"'`"), said.size()));
  const std::string verb = LowerCase(said.substr(0, 6));
  return verb == "delete" || verb.starts_with("patch") || verb.starts_with("put");
}

std::string_view TextOf(const World& world, const UseAt& at) {
  const std::string_view text = world.View(at.module).module().text;
  const std::size_t begin = std::min<std::size_t>(at.use.loc.begin, text.size());
  return text.substr(begin, at.use.loc.end - at.use.loc.begin);
}

// run(  # an argv list, never shell=True: the call without its comments.
std::string WithoutNotes(std::string_view call) {
  std::string out;
  char quote = 0;
  for (std::size_t at = 0; at < call.size(); ++at) {
    const char c = call[at];
    const bool note = quote == 0 && (call.substr(at, 2) == "# " || call.substr(at, 3) == "// ");
    if (note) at = std::min(call.find('\n', at), call.size());
    if (at == call.size()) break;
    if (c == '"' || c == '\'' || c == '`') quote = quote == 0 ? c : quote == c ? '\0' : quote;
    out += call[at];
  }
  return out;
}

// A line for a shell; `create_subprocess_exec(` and its like take words.
bool IsShellCall(std::string_view call) {
  constexpr std::size_t kMostRead = 4000;
  const std::string text = LowerCase(WithoutNotes(call.substr(0, kMostRead)));
  if (SaysAny(text, {"shell=true", "shell: true", "os.system(", "os.popen(", "execsync(", "execasync(", "getoutput("}))
    return true;
  const std::size_t exec = text.find("exec(");
  return exec != std::string::npos && (exec == 0 || (text[exec - 1] != '_' && !IsLetter(text[exec - 1])));
}

// A function that by its name, or by its file's, clears away what the program has made itself.
bool TidiesUp(const World& world, const UseAt& at) {
  const Function& function = world.View(at.module).module().functions[at.function];
  const std::string names = LowerCase(function.qualified + " " + std::string(world.PathOf(at.module)));
  return Says(names, {"cache", "clean", "expir", "purge", "evict", "prune", "rotate", "temp", "tmp", "stale", "lock",
                      "session", "reset", "close", "dispose"});
}

// What is deleted is a temporary file that the same function has made.
bool DeletesOwnTemporary(const World& world, const UseAt& at) {
  const std::string_view call = TextOf(world, at);
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos) return false;
  std::string_view name = call.substr(open + 1, call.find_first_of(",)", open + 1) - open - 1);
  if (name.empty()) name = call.substr(0, call.find('.'));  // path.unlink()
  if (name.empty() || name.find_first_of(" '\"(.") != std::string_view::npos) return false;
  const Module& module = world.View(at.module).module();
  const Loc loc = module.functions[at.function].loc;
  constexpr std::size_t kMostRead = 20'000;
  const std::string_view body = module.text.substr(loc.begin, std::min<std::size_t>(loc.end - loc.begin, kMostRead));
  for (const std::string_view maker : {"mkstemp(", "mkdtemp(", "NamedTemporaryFile(", "mkdtempSync("}) {
    for (std::size_t hit = body.find(maker); hit != std::string_view::npos; hit = body.find(maker, hit + 1)) {
      const std::size_t line = hit == 0 ? std::string_view::npos : body.rfind('\n', hit - 1);
      const std::size_t from = line == std::string_view::npos ? 0 : line + 1;
      if (SaysWord(body.substr(from, hit - from), name)) return true;
    }
  }
  return false;
}

// Which program it is stands in the call: a word or a line, not a list that is made elsewhere
// (`subprocess.run(words)`).
bool NamesProgram(std::string_view call) {
  if (IsShellCall(call)) return true;
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos) return false;
  const std::size_t first = call.find_first_not_of(" \t\r\n", open + 1);
  if (first != std::string_view::npos && call[first] == '[') return true;
  const std::string_view callee = call.substr(0, open);
  return callee.ends_with("spawn") || callee.ends_with("spawnSync") || callee.ends_with("execFile") ||
         callee.ends_with("execFileSync") || callee.find("create_subprocess") != std::string_view::npos;
}

// ["push", "--force", ...], "git branch -D", "DELETE FROM": what does away with things of others. {}: nothing does.
Loc UndoesIn(const Module& module, const Function& function) {
  constexpr std::size_t kMostRead = 20'000;
  const std::string names = LowerCase(function.qualified);
  if (SaysAny(names, {"cache", "expir", "evict", "lock", "session", "dispose", "tmp", "temp"})) return {};
  const std::string_view text =
      std::string_view(module.text)
          .substr(function.loc.begin, std::min<std::size_t>(function.loc.end - function.loc.begin, kMostRead));
  // Words of a command in a row, with what may stand between two of them.
  constexpr auto kWords = std::to_array<std::array<std::string_view, 2>>({{"branch", "-D"},
                                                                          {"branch", "--delete"},
                                                                          {"reset", "--hard"},
                                                                          {"clean", "-fd"},
                                                                          {"push", "--delete"},
                                                                          {"push", "--force"},
                                                                          {"push", "-f"},
                                                                          {"push", "origin"},
                                                                          {"stash", "drop"},
                                                                          {"helm", "uninstall"},
                                                                          {"terraform", "destroy"},
                                                                          {"npm", "publish"},
                                                                          {"kubectl", "delete"},
                                                                          {"reflog", "expire"}});
  for (const auto& [first, second] : kWords) {
    for (std::size_t at = text.find(first); at != std::string_view::npos; at = text.find(first, at + 1)) {
      const std::size_t end = at + first.size();
      const std::size_t next = text.find_first_not_of("\"', \t", end);
      const bool begins = at > 0 && (text[at - 1] == '"' || text[at - 1] == '\'' || text[at - 1] == ' ');
      if (begins && next != std::string_view::npos && next > end && text.substr(next).starts_with(second)) {
        const auto base = function.loc.begin + static_cast<std::uint32_t>(at);
        return {base, function.loc.begin + static_cast<std::uint32_t>(next + second.size())};
      }
    }
  }
  for (const std::string_view statement : {"\"DELETE FROM ", "'DELETE FROM ", "`DELETE FROM ", "\"DROP TABLE ",
                                           "'DROP TABLE ", "`DROP TABLE ", "\"TRUNCATE ", "'TRUNCATE "}) {
    const std::size_t at = text.find(statement);
    if (at == std::string_view::npos) continue;
    const std::string rest = LowerCase(text.substr(at, 80));
    if (SaysAny(rest, {"cache", "log", "history", "temp", "tmp", "session", "expired"})) continue;
    const auto base = function.loc.begin + static_cast<std::uint32_t>(at);
    return {base, base + static_cast<std::uint32_t>(statement.size())};
  }
  return {};
}

bool SpeaksOfCommands(const EntryPoint& entry) {
  constexpr std::size_t kMostRead = 64'000;
  constexpr auto kWords = std::to_array<std::string_view>({"command", "shell", "terminal", "bash", "console", "script",
                                                           "javascript", "applescript", "exec", "cmd", "cli", "program",
                                                           "process", "code", "ssh", "kubectl", "docker", "git"});
  const std::string said = LowerCase(entry.name + " " + entry.description.substr(0, kMostRead));
  return std::ranges::any_of(kWords, [&](std::string_view word) { return SaysWord(said, word); });
}

// Modules that are loaded when these are: their imports, and the imports of those.
std::vector<bool> LoadedWith(const World& world, const std::vector<std::uint32_t>& roots) {
  std::vector<bool> loaded(world.size(), false);
  std::vector<std::uint32_t> open = roots;
  for (const std::uint32_t root : roots) loaded[root] = true;
  while (!open.empty()) {
    const std::uint32_t module = open.back();
    open.pop_back();
    for (const Import& import : world.View(module).module().imports) {
      for (const std::string& name :
           {import.module, import.module + (import.module.ends_with('.') ? "" : ".") + import.symbol}) {
        const std::uint32_t other = world.Resolve(module, name);
        if (other == kNone || loaded[other]) continue;
        loaded[other] = true;
        open.push_back(other);
      }
    }
  }
  return loaded;
}

std::string_view RuleOf(const UseAt& at) {
  switch (at.role) {
    case Role::kEval:
      return at.use.callee.find("eval") != std::string::npos ? "PE-001" : "PE-002";
    case Role::kSpawn:
      return at.use.callee.starts_with("os.") ? "PE-004" : "PE-003";
    case Role::kShell:
      return at.use.callee.starts_with("subprocess") || at.use.callee.starts_with("child_process") ? "PE-003"
                                                                                                   : "PE-004";
    case Role::kImport:
      return "PE-005";
    case Role::kNative:
      return "PE-006";
    case Role::kFileOpen:
    case Role::kFileWrite:
      return at.use.permission == Permission::kFilesystemWrite ? "PE-007" : "";
    case Role::kEnvRead:
    case Role::kEnvAll:
    case Role::kUnlisted:
      return at.use.permission == Permission::kEnvironmentRead ? "PE-008" : "";
    case Role::kHttp:
      return "EX-001";
    case Role::kConnect:
    case Role::kSocketSend:
      return "EX-002";
    default:
      return "";
  }
}

// A build backend of the package's own (PEP 517): pip calls it whenever the package is installed from its sources.
bool BuildsItself(const World& world, std::uint32_t module) {
  const std::vector<Function>& functions = world.View(module).module().functions;
  return std::any_of(functions.begin(), functions.end(), [](const Function& function) {
    return function.parent == kModuleBody &&
           (function.name == "build_wheel" || function.name == "build_sdist" ||
            function.name == "get_requires_for_build_wheel" || function.name == "prepare_metadata_for_build_wheel");
  });
}

// Names of virtual machines and analysers' tools; a program that looks for several wants not to be watched.
std::size_t WatcherNames(const Module& module) {
  static constexpr PartSet kNames(std::to_array<std::string_view>(
      {"vboxservice", "vboxguest", "virtualbox", "vmtoolsd",      "vmware",  "qemu",        "xenservice",
       "sandboxie",   "sbiedll",   "cuckoo",     "wireshark",     "procmon", "ollydbg",     "x64dbg",
       "x32dbg",      "idaq",      "fiddler",    "processhacker", "dumpcap", "joeboxserver"}));
  std::uint32_t found = 0;
  for (const Expr& expr : module.exprs) {
    if (expr.kind != ExprKind::kString || expr.text.size() < 3 || expr.text.size() > 40) continue;
    found |= kNames.AllIn(LowerCase(expr.text));
  }
  return static_cast<std::size_t>(std::popcount(found));
}

// What the engine has seen, with who reaches it.
class Findings {
 public:
  Findings(const PackageModules& package, const World& world, const std::vector<Reach>& reach)
      : world_(world),
        reach_(reach),
        speakers_(package.speakers),
        out_(WithEntries(world, reach)),
        engine_(world, out_.entries, LoadedWith(world, package.hooks)) {}

  CodeFacts Take() &&;

 private:
  static CodeFacts WithEntries(const World& world, const std::vector<Reach>& reach) {
    CodeFacts out;
    FindEntries(world, reach, out.entries);
    return out;
  }
  [[nodiscard]] Reach PlaceOf(std::uint32_t module) const {
    return module < reach_.size() ? reach_[module] : Reach::kRuntime;
  }
  void WalkCalls();
  void SetReach(RawFinding& finding, std::uint32_t module, FuncId function) const;
  void RaiseUnsaidCommands();
  [[nodiscard]] std::string ListedTools() const;
  void RaiseBrokenPromises();
  void RaiseUndone();
  [[nodiscard]] bool IsSubcommand(std::string_view function);
  void TakeHits();
  void RaiseWatchers();
  void RaiseFetchedImports();
  void RaisePowers();

  const World& world_;
  const std::vector<Reach>& reach_;
  const std::vector<std::uint32_t>& speakers_;
  CodeFacts out_;
  Engine engine_;
  std::optional<Graph> graph_;  // once the engine has run
  // By number of a function in the graph.
  std::vector<bool> by_tool_;
  std::vector<bool> by_call_;  // ... of those, what a call of a tool reaches, and not its module's own start
  std::optional<std::unordered_set<std::string_view>> subcommands_;  // words that are compared with, once asked for
  std::vector<bool> at_import_;
  std::vector<bool> unasked_;  // run by nobody's call: what init() of Go reaches
  std::vector<std::vector<std::uint32_t>> entries_of_;
  std::vector<std::vector<std::uint32_t>> near_;   // by entry: functions at most one call away
  std::vector<std::vector<std::uint32_t>> close_;  // ... at most two
  bool dark_ = false;                              // some code hides, fetches or gives away
};

void Findings::WalkCalls() {
  std::uint64_t budget = kMaxReachSteps;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> walked;
  std::vector<std::uint32_t> tools;
  std::vector<std::uint32_t> roots;
  for (const EntryPoint& entry : out_.entries) {
    if (entry.kind == "script" || entry.function == kNone) continue;
    tools.push_back(graph_->At(entry.module, entry.function));
    roots.push_back(entry.module);
  }
  const std::vector<std::uint32_t> called = tools;
  // What is loaded with a tool's module runs before any tool is called.
  const std::vector<bool> loaded = LoadedWith(world_, roots);
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    if (loaded[m]) tools.push_back(graph_->At(m, kModuleBody));
  }
  for (const std::uint64_t served : engine_.Served()) {
    tools.push_back(graph_->At(static_cast<std::uint32_t>(served >> 32U), static_cast<FuncId>(served)));
  }
  by_call_.assign(graph_->size(), false);
  graph_->Walk(called, walked, budget);
  for (const auto& [node, depth] : walked) by_call_[node] = true;
  by_tool_.assign(graph_->size(), false);
  graph_->Walk(tools, walked, budget);
  for (const auto& [node, depth] : walked) by_tool_[node] = true;
  std::vector<std::uint32_t> bodies;
  bodies.reserve(world_.size());
  for (std::uint32_t m = 0; m < world_.size(); ++m) bodies.push_back(graph_->At(m, kModuleBody));
  at_import_.assign(graph_->size(), false);
  graph_->Walk(bodies, walked, budget);
  for (const auto& [node, depth] : walked) at_import_[node] = true;
  // func init() of Go: a package that is imported runs it, and nobody asks for it by its name.
  bodies.clear();
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    const Module& module = world_.View(m).module();
    for (FuncId f = 1; module.language == Language::kGo && f < module.functions.size(); ++f) {
      const Function& function = module.functions[f];
      if (function.name == "init" && function.owner == kNone && function.params.empty())
        bodies.push_back(graph_->At(m, f));
    }
  }
  unasked_.assign(graph_->size(), false);
  graph_->Walk(bodies, walked, budget);
  for (const auto& [node, depth] : walked) at_import_[node] = unasked_[node] = true;
  entries_of_.resize(graph_->size());
  near_.resize(out_.entries.size());
  close_.resize(out_.entries.size());
  for (std::uint32_t e = 0; e < out_.entries.size() && budget > 0; ++e) {
    if (out_.entries[e].function == kNone) continue;
    graph_->Walk({graph_->At(out_.entries[e].module, out_.entries[e].function)}, walked, budget);
    for (const auto& [node, depth] : walked) {
      if (entries_of_[node].size() < kMaxEntriesOfUse) entries_of_[node].push_back(e);
      if (depth <= 1) near_[e].push_back(node);
      if (depth <= 2) close_[e].push_back(node);
    }
    std::sort(near_[e].begin(), near_[e].end());
    std::sort(close_[e].begin(), close_[e].end());
  }

  for (UseAt& at : engine_.uses()) {
    const std::uint32_t node = graph_->At(at.module, at.function);
    at.use.entries = entries_of_[node];
    at.use.import_time = at_import_[node] && PlaceOf(at.module) <= Reach::kRuntime;
  }
}

void Findings::SetReach(RawFinding& finding, std::uint32_t module, FuncId function) const {
  const Reach place = PlaceOf(module);
  if (place <= Reach::kBuild && place != Reach::kTest && place != Reach::kExample && BuildsItself(world_, module)) {
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
    return;
  }
  if (!Condemns(place)) return;
  if (by_tool_[graph_->At(module, function)]) {
    finding.has_reach = true;
    finding.reach = Reach::kTool;
  } else if (world_.PathOf(module).ends_with("setup.py")) {
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
  }
}

// Names and descriptions of tools that are written out: Tool(name="x", description="..."), {name: "x", description:
// ...}.
std::string Findings::ListedTools() const {
  constexpr std::size_t kMost = 64'000;
  std::string out;
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    if (!Condemns(PlaceOf(m))) continue;
    const Module& module = world_.View(m).module();
    for (const Expr& made : module.exprs) {
      if (made.kind != ExprKind::kCall && made.kind != ExprKind::kDict) continue;
      std::string_view name;
      std::string_view description;
      for (const Arg& field : module.ArgsOf(made)) {
        if (field.value >= module.exprs.size() || module.exprs[field.value].kind != ExprKind::kString) continue;
        if (field.name == "name") name = module.exprs[field.value].text;
        if (field.name == "description") description = module.exprs[field.value].text;
      }
      if (name.empty() || description.empty() || out.size() > kMost) continue;
      out.append(name).append(" ").append(description).append("\n");
    }
  }
  return out;
}

// Whatever its caller writes is run by a shell, and neither name nor description of the tool speaks of commands.
void Findings::RaiseUnsaidCommands() {
  std::vector<const UseAt*> any_command;
  std::optional<std::string> listed;
  for (const UseAt& at : engine_.uses()) {
    if (at.chosen && at.use.detail == "any command" && (at.shell || IsShellCall(TextOf(world_, at))))
      any_command.push_back(&at);
  }
  for (std::uint32_t e = 0; e < out_.entries.size() && !any_command.empty(); ++e) {
    EntryPoint entry = out_.entries[e];
    if (entry.kind != "mcp-tool" && entry.kind != "langchain-tool") continue;
    // The one function behind all tools of a server: what any of them is said to be.
    const bool all = entry.name == "tools/call" || entry.name == "call_tool";
    if (all && !listed) listed = ListedTools();
    if (all) entry.description = *listed;
    if (entry.description.empty() || (!all && entry.name.find('/') != std::string::npos)) continue;
    if (!Condemns(PlaceOf(entry.module)) || SpeaksOfCommands(entry)) continue;
    const auto from_here = [&](const UseAt* at) {
      const std::vector<std::uint32_t>& reached = entries_of_[graph_->At(at->module, at->function)];
      return std::find(reached.begin(), reached.end(), e) != reached.end();
    };
    const auto use = std::find_if(any_command.begin(), any_command.end(), from_here);
    if (use == any_command.end()) continue;
    const UseAt& at = **use;
    RawFinding finding;
    finding.rule = "VULN-001";
    finding.file = at.use.file;
    finding.bytes = {at.use.loc.begin, at.use.loc.end};
    finding.subject = entry.name;
    finding.message = "tool `" + entry.name + "` runs any command, and says nothing of commands";
    SetReach(finding, at.module, at.function);
    out_.findings.push_back(std::move(finding));
  }
}

// A tool that says it only reads, and by whose hand branches, rows or objects of a cluster go: the words are another
// program's, so they are looked for where they stand.
void Findings::RaiseUndone() {
  const auto promises = [&](const EntryPoint& entry) {
    return entry.read_only && entry.kind != "script" && Condemns(PlaceOf(entry.module));
  };
  if (std::ranges::none_of(out_.entries, promises)) return;
  struct Undone {
    std::uint32_t module = 0;
    FuncId function = 0;
    Loc loc;
  };
  std::vector<Undone> all;
  constexpr std::size_t kMost = 1000;
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    const Module& module = world_.View(m).module();
    for (FuncId f = 1; f < module.functions.size() && all.size() < kMost; ++f) {
      if (const Loc loc = UndoesIn(module, module.functions[f]); loc.end != 0) all.push_back({m, f, loc});
    }
  }
  for (std::uint32_t e = 0; e < out_.entries.size() && !all.empty(); ++e) {
    const EntryPoint& entry = out_.entries[e];
    if (!promises(entry)) continue;
    const auto one = std::ranges::find_if(all, [&](const Undone& undone) {
      return std::binary_search(close_[e].begin(), close_[e].end(), graph_->At(undone.module, undone.function));
    });
    if (one == all.end()) continue;
    RawFinding finding;
    finding.rule = "DECL-001";
    finding.file = world_.View(one->module).module().file;
    finding.bytes = {one->loc.begin, one->loc.end};
    finding.subject = entry.name;
    finding.message = "tool `" + entry.name + "` says that it only reads, and has things deleted or replaced";
    finding.severity = core::Severity::kHigh;
    SetReach(finding, one->module, one->function);
    out_.findings.push_back(std::move(finding));
  }
}

// A tool that says it only reads, and does more by its own hand.
void Findings::RaiseBrokenPromises() {
  for (std::uint32_t e = 0; e < out_.entries.size(); ++e) {
    const EntryPoint& entry = out_.entries[e];
    const bool read_only =
        entry.read_only ||
        Says(entry.description, {"read-only", "readonly", "does not modify", "never modif", "no side effect",
                                 "without side effect", "read only.", "(read only)"});
    const bool offline =
        Says(entry.description, {"never sends", "does not send", "no network", "works offline", "entirely offline",
                                 "fully offline", "nothing leaves", "purely local"});
    if (entry.kind == "script" || (!read_only && !offline) || !Condemns(PlaceOf(entry.module))) continue;
    for (const UseAt& at : engine_.uses()) {
      const std::uint32_t node = graph_->At(at.module, at.function);
      // Whatever the caller says is run, however deep that is.
      const bool code = entry.read_only && at.chosen && at.role == Role::kEval &&
                        std::binary_search(near_[e].begin(), near_[e].end(), node);
      const bool runs = entry.read_only && at.chosen && at.use.detail == "any command" &&
                        NamesProgram(TextOf(world_, at)) &&
                        std::find(entries_of_[node].begin(), entries_of_[node].end(), e) != entries_of_[node].end();
      // What a helper of its helper deletes, too: the host asks nobody before it calls a tool that says so.
      const bool deletes = entry.read_only && at.role == Role::kFileDelete && !TidiesUp(world_, at) &&
                           std::binary_search(close_[e].begin(), close_[e].end(), node);
      if (!runs && !code && !deletes && !std::binary_search(near_[e].begin(), near_[e].end(), node)) continue;
      const PathKind kind = KindOfPath(at.use.detail);
      const std::string_view call = TextOf(world_, at);
      // What a program has put aside for itself is its own.
      const bool aside = kind == PathKind::kTemporary ||
                         (at.role == Role::kFileDelete && DeletesOwnTemporary(world_, at)) ||
                         Says(at.use.detail, {"cache", "log", "tmp", "temp"}) ||
                         (at.role == Role::kFileDelete && Says(call.substr(0, 200), {"tmp", "temp", "cache", "lock"}));
      // Making a folder, or writing where the caller says, is not what the promise is about.
      const bool made = at.role != Role::kFileDelete &&
                        (Says(at.use.callee, {"mkdir", "makedirs", "touch", "ensuredir"}) || at.use.detail.empty());
      const bool writes = at.use.permission == Permission::kFilesystemWrite && !aside && !made &&
                          (at.role == Role::kFileDelete || at.role == Role::kFileWrite || at.role == Role::kFileOpen);
      const bool sends = at.use.permission == Permission::kNetworkEgress;
      const bool changes = read_only && sends && ChangesThere(at.use.callee, call);
      if (!(read_only && writes) && !(offline && sends) && !runs && !code && !changes) continue;
      RawFinding finding;
      finding.rule = runs ? "VULN-001" : "DECL-001";
      finding.file = at.use.file;
      finding.bytes = {at.use.loc.begin, at.use.loc.end};
      finding.subject = entry.name;
      finding.message = "tool `" + entry.name + "` says that it " +
                        (offline && sends ? "stays offline" : "only reads") + ", and " +
                        (code      ? "runs what its caller writes as code"
                         : runs    ? "runs commands that its caller chooses"
                         : changes ? "changes what another machine keeps"
                         : sends   ? "sends to the network"
                                   : "writes") +
                        " (" + at.use.callee + ")";
      if (code) finding.severity = core::Severity::kCritical;
      if (changes || (entry.read_only && at.role == Role::kFileDelete)) finding.severity = core::Severity::kHigh;
      finding.scale = runs || code || at.role == Role::kFileDelete || (offline && sends) ? 1.0 : 0.7;
      SetReach(finding, at.module, at.function);
      out_.findings.push_back(std::move(finding));
      break;
    }
  }
}

// if args.command == "install": install(). Whoever starts the program has asked for it.
bool Findings::IsSubcommand(std::string_view function) {
  constexpr std::size_t kShort = 4;
  constexpr std::size_t kLongest = 60;
  if (function.size() <= kShort || function.size() > kLongest) return false;
  if (!subcommands_) {
    subcommands_.emplace();
    for (std::uint32_t m = 0; m < world_.size(); ++m) {
      const std::string_view text = world_.View(m).module().text;
      for (std::size_t open = text.find_first_of("\"'"); open != std::string_view::npos;) {
        const std::size_t end =
            text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", open + 1);
        const bool word = end != std::string_view::npos && end - open - 1 > kShort && end - open - 1 <= kLongest &&
                          text[end] == text[open];
        if (word && IsCompared(text, open, end + 1)) subcommands_->insert(text.substr(open + 1, end - open - 1));
        open =
            end == std::string_view::npos ? end : text.find_first_of("\"'", word ? end + 1 : std::max(end, open + 1));
      }
    }
  }
  return subcommands_->contains(function);
}

void Findings::TakeHits() {
  std::set<std::uint32_t> aside;  // files of tests and examples: what begins there does not condemn
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    if (!Condemns(PlaceOf(m))) aside.insert(world_.View(m).module().file);
  }
  const bool serves = std::ranges::find(by_tool_, true) != by_tool_.end();
  for (Hit& hit : engine_.hits()) {
    const bool begins_aside = !hit.finding.flow.empty() && aside.contains(hit.finding.flow.front().file);
    // What ends there as well is weighed by where it stands.
    if (begins_aside && Condemns(PlaceOf(hit.module))) hit.finding.scale *= 0.15;
    SetReach(hit.finding, hit.module, hit.function);
    // Of a server without a library no function is known to be a tool's; that a call brings it is.
    if (!hit.finding.has_reach && Condemns(PlaceOf(hit.module)) && !hit.finding.flow.empty() &&
        hit.finding.flow.front().text == kGivenByModel) {
      hit.finding.has_reach = true;
      hit.finding.reach = Reach::kTool;
    }
    const bool by_command = hit.finding.rule == "SH-005";
    if (by_command || hit.finding.rule == "PERSIST-001" || hit.finding.rule == "PERSIST-002") {
      // Programs that set things up write such files because their user asked for it.
      const Function& function = world_.View(hit.module).module().functions[hit.function];
      const std::uint32_t node = graph_->At(hit.module, hit.function);
      const bool asked =
          Says(function.qualified, {"install",  "setup",   "init",      "config", "complet", "service", "daemon",
                                    "register", "hook",    "uninstall", "migrat", "doctor",  "connect", "sync",
                                    "rule",     "profile", "save",      "write",  "update",  "add"}) ||
          Says(world_.PathOf(hit.module), {"install", "setup", "cli", "init", "config", "wizard", "migrat", "__main__",
                                           "bin/", "daemon", "service", "autostart", "launchd", "systemd"});
      const bool by_itself = (by_tool_[node] && (by_call_[node] || !IsSubcommand(function.name))) ||
                             (at_import_[node] && hit.function == kModuleBody) || unasked_[node];
      // Nobody asks a start for somebody else's server among his own.
      const bool foreign =
          (by_itself || (serves && at_import_[node])) && hit.finding.rule == "PERSIST-002" && !hit.finding.host.empty();
      if (!by_itself && !by_command && !foreign) hit.finding.scale *= 0.4;
      if (asked && !(by_command && by_itself) && !foreign && hit.finding.severity != core::Severity::kCritical)
        hit.finding.scale *= 0.4;
      if (foreign || (by_itself && !asked && hit.finding.rule == "PERSIST-002"))
        hit.finding.severity = core::Severity::kHigh;
    }
    dark_ = dark_ || hit.finding.rule.starts_with("OBFUSC") || hit.finding.rule.starts_with("RCE") ||
            hit.finding.rule.starts_with("EXFIL");
    out_.findings.push_back(std::move(hit.finding));
  }
}

void Findings::RaiseWatchers() {
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    if (!Condemns(PlaceOf(m))) continue;
    const std::size_t names = WatcherNames(world_.View(m).module());
    if (names < 3) continue;
    RawFinding finding;
    finding.rule = "EVADE-001";
    finding.file = world_.View(m).module().file;
    finding.message = "looks for the programs of people who analyse it (" + std::to_string(names) + " names)";
    finding.scale = dark_ || names >= 5 ? 1.0 : 0.6;
    SetReach(finding, m, kModuleBody);
    out_.findings.push_back(std::move(finding));
  }
}

// import ... from "https://...": a program that is fetched each time.
void Findings::RaiseFetchedImports() {
  for (std::uint32_t m = 0; m < world_.size(); ++m) {
    const Module& module = world_.View(m).module();
    if (!Condemns(PlaceOf(m)) || module.language == Language::kPython) continue;
    for (const Import& import : module.imports) {
      const std::string host = HostOfFarModule(import.module);
      if (host.empty()) continue;
      RawFinding finding;
      finding.rule = "RCE-001";
      finding.file = module.file;
      finding.bytes = {import.loc.begin, import.loc.end};
      finding.message = "imports its code from " + host;
      finding.host = host;
      finding.scale = 0.5;
      SetReach(finding, m, kModuleBody);
      out_.findings.push_back(std::move(finding));
    }
  }
}

// Honest powers, once a rule and file.
void Findings::RaisePowers() {
  std::set<std::pair<std::string_view, std::uint32_t>> told;
  for (const UseAt& at : engine_.uses()) {
    const std::string_view rule = RuleOf(at);
    if (rule.empty() || !Condemns(PlaceOf(at.module)) || !told.emplace(rule, at.use.file).second) continue;
    RawFinding finding;
    finding.rule = rule;
    finding.file = at.use.file;
    finding.bytes = {at.use.loc.begin, at.use.loc.end};
    finding.message = at.use.callee.empty() ? std::string() : "calls " + at.use.callee;
    SetReach(finding, at.module, at.function);
    out_.findings.push_back(std::move(finding));
  }
}

CodeFacts Findings::Take() && {
  engine_.Run();
  CollectTold(world_, reach_, out_.entries, speakers_, out_.told, out_.given);
  graph_.emplace(engine_.facts());
  WalkCalls();
  RaiseUnsaidCommands();
  RaiseBrokenPromises();
  RaiseUndone();
  TakeHits();
  RaiseWatchers();
  RaiseFetchedImports();
  RaisePowers();
  out_.given.insert(out_.given.end(), engine_.given().begin(), engine_.given().end());
  out_.handed = std::move(engine_.handed());
  out_.told.insert(out_.told.end(), std::make_move_iterator(engine_.instructions().begin()),
                   std::make_move_iterator(engine_.instructions().end()));
  out_.unfinished = engine_.Unfinished();
  out_.starved = engine_.Starved();
  for (UseAt& at : engine_.uses()) out_.uses.push_back(std::move(at.use));
  std::stable_sort(out_.findings.begin(), out_.findings.end(), [](const RawFinding& a, const RawFinding& b) {
    return a.file != b.file ? a.file < b.file : a.bytes.begin < b.bytes.begin;
  });
  return std::move(out_);
}

}  // namespace

struct CodeAnalysis::Impl {
  explicit Impl(const PackageModules& of) : package(of), world(&of) {}
  const PackageModules& package;
  World world;
};

CodeAnalysis::CodeAnalysis(const PackageModules& package) : impl_(std::make_unique<Impl>(package)) {}
CodeAnalysis::~CodeAnalysis() = default;

void CodeAnalysis::Prepare(std::uint32_t module) { (void)impl_->world.View(module); }

CodeFacts CodeAnalysis::Run(const std::vector<Reach>& reach) {
  if (impl_->world.size() == 0) return {};
  std::vector<Reach> loaded = reach;
  std::vector<std::uint32_t> lifted = LiftLoaded(impl_->world, loaded);
  CodeFacts facts = Findings(impl_->package, impl_->world, loaded).Take();
  facts.lifted = std::move(lifted);
  return facts;
}

void CodeAnalysis::Drop(std::uint32_t module) { impl_->world.Drop(module); }

CodeFacts AnalyzeCode(const PackageModules& package, const std::vector<Reach>& reach) {
  return CodeAnalysis(package).Run(reach);
}

}  // namespace interlock::scan::code
