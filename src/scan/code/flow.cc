#include "code/flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "code/engine.h"
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

std::string_view TextOf(const World& world, const UseAt& at) {
  const std::string_view text = world.View(at.module).module().text;
  const std::size_t begin = std::min<std::size_t>(at.use.loc.begin, text.size());
  return text.substr(begin, at.use.loc.end - at.use.loc.begin);
}

// A line for a shell; `create_subprocess_exec(` and its like take words.
bool IsShellCall(std::string_view call) {
  constexpr std::size_t kMostRead = 4000;
  const std::string text = LowerCase(call.substr(0, kMostRead));
  if (SaysAny(text, {"shell=true", "shell: true", "os.system(", "os.popen(", "execsync(", "execasync(", "getoutput("}))
    return true;
  const std::size_t exec = text.find("exec(");
  return exec != std::string::npos && (exec == 0 || (text[exec - 1] != '_' && !IsLetter(text[exec - 1])));
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

bool SpeaksOfCommands(const EntryPoint& entry) {
  constexpr std::size_t kMostRead = 4000;
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

}  // namespace

CodeFacts AnalyzeCode(const PackageModules& package, const std::vector<Reach>& reach) {
  CodeFacts out;
  const World world(&package);
  if (world.size() == 0) return out;
  const auto place_of = [&](std::uint32_t module) { return module < reach.size() ? reach[module] : Reach::kRuntime; };
  FindEntries(world, reach, out.entries);
  Engine engine(world, out.entries, LoadedWith(world, package.hooks));
  engine.Run();
  CollectTold(world, reach, out.entries, out.told);

  Graph graph(engine.facts());
  std::uint64_t budget = kMaxReachSteps;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> walked;
  std::vector<std::uint32_t> tools;
  std::vector<std::uint32_t> roots;
  for (const EntryPoint& entry : out.entries) {
    if (entry.kind == "script" || entry.function == kNone) continue;
    tools.push_back(graph.At(entry.module, entry.function));
    roots.push_back(entry.module);
  }
  // What is loaded with a tool's module runs before any tool is called.
  const std::vector<bool> loaded = LoadedWith(world, roots);
  for (std::uint32_t m = 0; m < world.size(); ++m) {
    if (loaded[m]) tools.push_back(graph.At(m, kModuleBody));
  }
  for (const std::uint64_t served : engine.Served()) {
    tools.push_back(graph.At(static_cast<std::uint32_t>(served >> 32U), static_cast<FuncId>(served)));
  }
  std::vector<bool> by_tool(graph.size(), false);
  graph.Walk(tools, walked, budget);
  for (const auto& [node, depth] : walked) by_tool[node] = true;
  std::vector<std::uint32_t> bodies;
  bodies.reserve(world.size());
  for (std::uint32_t m = 0; m < world.size(); ++m) bodies.push_back(graph.At(m, kModuleBody));
  std::vector<bool> at_import(graph.size(), false);
  graph.Walk(bodies, walked, budget);
  for (const auto& [node, depth] : walked) at_import[node] = true;
  std::vector<std::vector<std::uint32_t>> entries_of(graph.size());
  std::vector<std::vector<std::uint32_t>> near(out.entries.size());  // functions at most one call away
  for (std::uint32_t e = 0; e < out.entries.size() && budget > 0; ++e) {
    if (out.entries[e].function == kNone) continue;
    graph.Walk({graph.At(out.entries[e].module, out.entries[e].function)}, walked, budget);
    for (const auto& [node, depth] : walked) {
      if (entries_of[node].size() < kMaxEntriesOfUse) entries_of[node].push_back(e);
      if (depth <= 1) near[e].push_back(node);
    }
    std::sort(near[e].begin(), near[e].end());
  }

  const auto set_reach = [&](RawFinding& finding, std::uint32_t module, FuncId function) {
    const Reach place = place_of(module);
    if (place <= Reach::kBuild && place != Reach::kTest && place != Reach::kExample && BuildsItself(world, module)) {
      finding.has_reach = true;
      finding.reach = Reach::kInstall;
      return;
    }
    if (!Condemns(place)) return;
    if (by_tool[graph.At(module, function)]) {
      finding.has_reach = true;
      finding.reach = Reach::kTool;
    } else if (world.PathOf(module).ends_with("setup.py")) {
      finding.has_reach = true;
      finding.reach = Reach::kInstall;
    }
  };

  for (UseAt& at : engine.uses()) {
    const std::uint32_t node = graph.At(at.module, at.function);
    at.use.entries = entries_of[node];
    at.use.import_time = at_import[node] && place_of(at.module) <= Reach::kRuntime;
  }

  // Whatever its caller writes is run by a shell, and neither name nor description of the tool speaks of commands.
  std::vector<const UseAt*> any_command;
  for (const UseAt& at : engine.uses()) {
    if (at.chosen && at.use.detail == "any command" && IsShellCall(TextOf(world, at))) any_command.push_back(&at);
  }
  for (std::uint32_t e = 0; e < out.entries.size() && !any_command.empty(); ++e) {
    const EntryPoint& entry = out.entries[e];
    if (entry.kind != "mcp-tool" && entry.kind != "langchain-tool") continue;
    if (entry.description.empty() || entry.name.find('/') != std::string::npos) continue;
    if (!Condemns(place_of(entry.module)) || SpeaksOfCommands(entry)) continue;
    const auto from_here = [&](const UseAt* at) {
      const std::vector<std::uint32_t>& reached = entries_of[graph.At(at->module, at->function)];
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
    set_reach(finding, at.module, at.function);
    out.findings.push_back(std::move(finding));
  }

  // A tool that says it only reads, and does more by its own hand.
  for (std::uint32_t e = 0; e < out.entries.size(); ++e) {
    const EntryPoint& entry = out.entries[e];
    const bool read_only =
        entry.read_only || Says(entry.description, {"read-only", "readonly", "does not modify", "never modif",
                                                    "no side effect", "without side effect"});
    const bool offline =
        Says(entry.description, {"never sends", "does not send", "no network", "works offline", "entirely offline",
                                 "fully offline", "nothing leaves", "purely local"});
    if (entry.kind == "script" || (!read_only && !offline) || !Condemns(place_of(entry.module))) continue;
    for (const UseAt& at : engine.uses()) {
      const std::uint32_t node = graph.At(at.module, at.function);
      // Whatever the caller says is run, however deep that is.
      const bool code = entry.read_only && at.chosen && at.role == Role::kEval &&
                        std::binary_search(near[e].begin(), near[e].end(), node);
      const bool runs = entry.read_only && at.chosen && at.use.detail == "any command" &&
                        NamesProgram(TextOf(world, at)) &&
                        std::find(entries_of[node].begin(), entries_of[node].end(), e) != entries_of[node].end();
      // So is what it has deleted: the host asks nobody before it calls a tool that says so.
      const bool deletes = entry.read_only && at.role == Role::kFileDelete &&
                           std::find(entries_of[node].begin(), entries_of[node].end(), e) != entries_of[node].end();
      if (!runs && !code && !deletes && !std::binary_search(near[e].begin(), near[e].end(), node)) continue;
      const PathKind kind = KindOfPath(at.use.detail);
      const std::string_view call = TextOf(world, at);
      // What a program has put aside for itself is its own.
      const bool aside = kind == PathKind::kTemporary || Says(at.use.detail, {"cache", "log", "tmp", "temp"}) ||
                         (at.role == Role::kFileDelete && Says(call.substr(0, 200), {"tmp", "temp", "cache", "lock"}));
      // Making a folder, or writing where the caller says, is not what the promise is about.
      const bool made = at.role != Role::kFileDelete &&
                        (Says(at.use.callee, {"mkdir", "makedirs", "touch", "ensuredir"}) || at.use.detail.empty());
      const bool writes = at.use.permission == Permission::kFilesystemWrite && !aside && !made &&
                          (at.role == Role::kFileDelete || at.role == Role::kFileWrite || at.role == Role::kFileOpen);
      const bool sends = at.use.permission == Permission::kNetworkEgress;
      if (!(read_only && writes) && !(offline && sends) && !runs && !code) continue;
      RawFinding finding;
      finding.rule = runs ? "VULN-001" : "DECL-001";
      finding.file = at.use.file;
      finding.bytes = {at.use.loc.begin, at.use.loc.end};
      finding.subject = entry.name;
      finding.message = "tool `" + entry.name + "` says that it " +
                        (offline && sends ? "stays offline" : "only reads") + ", and " +
                        (code    ? "runs what its caller writes as code"
                         : runs  ? "runs commands that its caller chooses"
                         : sends ? "sends to the network"
                                 : "writes") +
                        " (" + at.use.callee + ")";
      if (code) finding.severity = core::Severity::kCritical;
      if (entry.read_only && at.role == Role::kFileDelete) finding.severity = core::Severity::kHigh;
      finding.scale = runs || code || at.role == Role::kFileDelete || (offline && sends) ? 1.0 : 0.7;
      set_reach(finding, at.module, at.function);
      out.findings.push_back(std::move(finding));
      break;
    }
  }

  bool dark = false;
  std::set<std::uint32_t> aside;  // files of tests and examples: what begins there does not condemn
  for (std::uint32_t m = 0; m < world.size(); ++m) {
    if (!Condemns(place_of(m))) aside.insert(world.View(m).module().file);
  }
  for (Hit& hit : engine.hits()) {
    if (!hit.finding.flow.empty() && aside.contains(hit.finding.flow.front().file)) hit.finding.scale *= 0.15;
    set_reach(hit.finding, hit.module, hit.function);
    const bool by_command = hit.finding.rule == "SH-005";
    if (by_command || hit.finding.rule == "PERSIST-001" || hit.finding.rule == "PERSIST-002") {
      // Programs that set things up write such files because their user asked for it.
      const Function& function = world.View(hit.module).module().functions[hit.function];
      const std::uint32_t node = graph.At(hit.module, hit.function);
      const bool asked =
          Says(function.qualified, {"install",  "setup",   "init",      "config", "complet", "service", "daemon",
                                    "register", "hook",    "uninstall", "migrat", "doctor",  "connect", "sync",
                                    "rule",     "profile", "save",      "write",  "update",  "add"}) ||
          Says(world.PathOf(hit.module),
               {"install", "setup", "cli", "init", "config", "wizard", "migrat", "__main__", "bin/"});
      const bool by_itself = by_tool[node] || (at_import[node] && hit.function == kModuleBody);
      if (!by_itself && !by_command) hit.finding.scale *= 0.4;
      if (asked && !(by_command && by_itself) && hit.finding.severity != core::Severity::kCritical)
        hit.finding.scale *= 0.4;
      if (by_itself && !asked && hit.finding.rule == "PERSIST-002") hit.finding.severity = core::Severity::kHigh;
    }
    dark = dark || hit.finding.rule.starts_with("OBFUSC") || hit.finding.rule.starts_with("RCE") ||
           hit.finding.rule.starts_with("EXFIL");
    out.findings.push_back(std::move(hit.finding));
  }
  for (std::uint32_t m = 0; m < world.size(); ++m) {
    if (!Condemns(place_of(m))) continue;
    const std::size_t names = WatcherNames(world.View(m).module());
    if (names < 3) continue;
    RawFinding finding;
    finding.rule = "EVADE-001";
    finding.file = world.View(m).module().file;
    finding.message = "looks for the programs of people who analyse it (" + std::to_string(names) + " names)";
    finding.scale = dark || names >= 5 ? 1.0 : 0.6;
    set_reach(finding, m, kModuleBody);
    out.findings.push_back(std::move(finding));
  }

  // import ... from "https://...": a program that is fetched each time.
  for (std::uint32_t m = 0; m < world.size(); ++m) {
    const Module& module = world.View(m).module();
    if (!Condemns(place_of(m)) || module.language == Language::kPython) continue;
    for (const Import& import : module.imports) {
      if (!import.module.starts_with("https://") && !import.module.starts_with("http://")) continue;
      const std::string host = HostOf(import.module);
      const HostKind kind = KindOfHost(host);
      const bool known = Says(host, {"deno.land", "esm.sh", "jsr.io", "unpkg.com", "jsdelivr.net", "skypack.dev",
                                     "esm.run", "jspm.", "cdnjs.", "googleapis.com", "gstatic.com"});
      if (known || (kind != HostKind::kOrdinary && kind != HostKind::kRawAddress && kind != HostKind::kTunnel &&
                    kind != HostKind::kPaste)) {
        continue;
      }
      RawFinding finding;
      finding.rule = "RCE-001";
      finding.file = module.file;
      finding.bytes = {import.loc.begin, import.loc.end};
      finding.message = "imports its code from " + host;
      finding.host = host;
      finding.scale = 0.5;
      set_reach(finding, m, kModuleBody);
      out.findings.push_back(std::move(finding));
    }
  }

  // Honest powers, once a rule and file.
  std::set<std::pair<std::string_view, std::uint32_t>> told;
  for (const UseAt& at : engine.uses()) {
    const std::string_view rule = RuleOf(at);
    if (rule.empty() || !Condemns(place_of(at.module)) || !told.emplace(rule, at.use.file).second) continue;
    RawFinding finding;
    finding.rule = rule;
    finding.file = at.use.file;
    finding.bytes = {at.use.loc.begin, at.use.loc.end};
    finding.message = at.use.callee.empty() ? std::string() : "calls " + at.use.callee;
    set_reach(finding, at.module, at.function);
    out.findings.push_back(std::move(finding));
  }
  out.given = engine.given();
  for (UseAt& at : engine.uses()) out.uses.push_back(std::move(at.use));
  std::stable_sort(out.findings.begin(), out.findings.end(), [](const RawFinding& a, const RawFinding& b) {
    return a.file != b.file ? a.file < b.file : a.bytes.begin < b.bytes.begin;
  });
  return out;
}

}  // namespace interlock::scan::code
