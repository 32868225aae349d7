// Values that are kept: files, start-up and agent settings, memories.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/open_settings.h"
#include "code/places.h"
#include "code/principals.h"
#include "code/rc_files.h"
#include "code/shell.h"
#include "code/shell_paths.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using core::Permission;
using namespace engine_words;  // NOLINT
using namespace sink_words;    // NOLINT: the engine room's own words

namespace {

// if (process.env.APP_DEBUG === "1"), if os.environ.get("APP_TRACE"): not what is so where nobody has set it.
bool AsksForTraces(std::string_view test) {
  constexpr std::size_t kLongest = 120;
  if (test.size() > kLongest || AnyOf(test, {"!", "not ", "||", " or ", "??"})) return false;
  return AnyOf(test, {"process.env", "os.environ", "os.getenv"}) && AnyOf(LowerCase(test), {"debug", "trace"});
}

// A folder holds nothing yet; what is put into it is judged where that happens.
bool MakesFolder(std::string_view callee) { return AnyOf(callee, {"mkdir", "makedirs", "ensureDir", "mkdirp"}); }

constexpr double kOneOfSeveral = 0.75;
// ... where the caller is asked for a place, or the place was put together elsewhere: what stands between is not seen.
constexpr double kChosenPlace = 0.45;

}  // namespace

// A file has been given such content: its path stands for it from here on.
void Engine::MarkPath(ExprId path, const Taint& taint) {
  if (path >= code().exprs.size()) return;
  const Labels written =
      (taint.Has(kNetStranger) ? kNetFile | (taint.labels & kNetBare) : 0) | (taint.labels & kUnpacked);
  if (written != 0) {
    // The same text is the same file, however often it is written out.
    constexpr std::size_t kShortest = 6;
    const std::string text = Known(path);
    if (text.size() >= kShortest && Contains(text, "/") && !Contains(text, std::string_view(&kHole, 1)) &&
        fetched_paths_.size() < 256) {
      Taint kept = taint;
      kept.labels = kept.fresh = written;
      kept.params = 0;
      fetched_paths_.try_emplace(text, std::move(kept));
    }
  }
  // What is read from there again, it is.
  if (taint.Has(kSecretFile | kStore | kEnvAll | kWeakSecretFile)) MarkCopied(Known(path), taint);
  if (code().exprs[path].kind != ExprKind::kName) return;
  const std::uint32_t slot = view().SlotOf(path, function_);
  if (slot == kNone) return;
  Taint kept = taint;
  const Labels secrets = taint.labels & (kSecretFile | kWeakSecretFile);
  kept.labels = secrets | written;
  kept.fresh = kept.labels;
  kept.params = 0;
  states_[module_].slots[slot].Join(kept);
  const Slot& variable = view().slots()[slot];
  // ... of this function, or of one around it.
  if (taint.Has(kNet) && variable.param != kNone && variable.scope < facts_[module_].size() && variable.param < 31) {
    FunctionFacts& whose = facts(module_, variable.scope);
    std::uint32_t& where = taint.Has(kNetStranger) ? whose.fetches_to : whose.keeps_at;
    const std::uint32_t bit = 1U << variable.param;
    if ((where & bit) == 0) changed_ = true;
    where |= bit;
  }
}

// Secrets that one script copies into a file are secrets where another reads it.
void Engine::MarkCopied(std::string path, const Taint& taint) {
  constexpr std::size_t kShortest = 6;
  constexpr std::size_t kMostCopies = 64;
  if (path.starts_with("./")) path.erase(0, 2);
  if (path.size() < kShortest || Contains(path, std::string_view(&kHole, 1)) || kept_paths_.size() >= kMostCopies)
    return;
  Taint kept = taint;
  kept.labels = kept.fresh = taint.labels & (kSecretFile | kStore | kEnvAll | kWeakSecretFile);
  kept.params = 0;
  if (kept_paths_.try_emplace(std::move(path), std::move(kept)).second) changed_ = true;
}

// A file that something fetched was written to, or one in such a folder, by the text of its path.
const Taint* Engine::FetchedPath(ExprId path, int depth) {
  if (path >= code().exprs.size() || fetched_paths_.empty()) return nullptr;
  const ExprId origin = view().Origin(path, function_);
  if (depth == 0 && origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kList) {
    // The program, or what an interpreter reads: `tar xf path` runs nothing of it.
    bool program = true;
    for (const Arg& item : code().ArgsOf(code().exprs[origin])) {
      if (const Taint* found = FetchedPath(item.value, 1)) return found;
      if (program && !RunsFiles(Known(item.value), item.value)) return nullptr;
      program = false;
    }
    return nullptr;
  }
  const std::string text = Known(path);
  for (const auto& [written, taint] : fetched_paths_) {
    if (text == written || (text.starts_with(written) && text[written.size()] == '/')) return &taint;
  }
  return nullptr;
}

// git clone, tar: programs that are given a file or an address, and do not run it. `open` may.
bool Engine::OnlyHandlesFiles(const Call& call) const {
  if (call.entry == nullptr || call.entry->role != Role::kSpawn || call.args.empty()) return false;
  ExprId program = view().Origin(call.args[0].value, function_);
  if (program < code().exprs.size() && code().exprs[program].kind == ExprKind::kList &&
      code().exprs[program].arg_count > 0)
    program = code().ArgsOf(code().exprs[program])[0].value;
  const std::string name = program < code().exprs.size() ? view().Text(program, function_) : std::string();
  return SaysOneOf(name, {"git",       "tar",      "unzip",    "cat",       "less",     "file",      "sha256sum",
                          "shasum",    "gpg",      "minisign", "cosign",    "ls",       "stat",      "ffmpeg",
                          "ffprobe",   "ffplay",   "sox",      "soxi",      "exiftool", "mediainfo", "identify",
                          "pdftotext", "pdftoppm", "pdfinfo",  "tesseract", "jq",       "xmllint"});
}

// Path.home().glob(".aixterm_log.*"), of a program that is called so: its own files.
bool Engine::ListsItsOwn(const Call& call) const {
  constexpr std::size_t kShortest = 4;
  const std::string here = LowerCase(world_.PathOf(module_));
  return std::ranges::any_of(call.args, [&](const Arg& arg) {
    std::string head = LowerCase(view().Text(arg.value, function_));
    head.erase(0, std::min(head.find_first_not_of("."), head.size()));
    head.resize(std::min(head.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), head.size()));
    return head.size() >= kShortest && Contains(here, head);
  });
}

void Engine::JudgeNetFile(const Call& call, const Taint& taint) {
  if (OnlyHandlesFiles(call)) return;
  if (!taint.Has(kNetFile | kUnpacked) && last_ && call.entry != nullptr &&
      (call.entry->role == Role::kImport || call.entry->role == Role::kEval || call.entry->role == Role::kSpawn ||
       call.entry->role == Role::kNative)) {
    for (const Arg& arg : call.args) {
      const Taint* written = FetchedPath(arg.value, 0);
      if (written == nullptr) continue;
      JudgeNetFile(call, *written);
      return;
    }
  }
  if (taint.Has(kNetFile)) {
    const bool source = call.entry != nullptr && (call.entry->role == Role::kImport || call.entry->role == Role::kEval);
    if (source) {
      Raise("RCE-001", call.expr, taint, kNetFile, "runs code that it has fetched into a file", 0.9);
      return;
    }
    Raise("RCE-004", call.expr, taint, kNetFile, "runs a file that it has downloaded");
  } else if (taint.Has(kUnpacked) && last_ && call.entry != nullptr && RunsItsFiles(call)) {
    Raise("OBFUSC-001", call.expr, taint, kUnpacked, "runs a program that it has unpacked from a text",
          call.entry->role == Role::kNative || call.entry->role == Role::kImport ? 0.8 : 0.5);
  }
}

// ["-Command", text], ["-c", text]: a program that stands there itself. Whether it runs a file, or only works on it:
// `& $file`, `sh $file`, `exec(open(file))`.
static bool WorksOnFiles(std::string_view text) {
  constexpr std::size_t kNear = 24;
  const std::string_view file(&kHole, 1);
  const bool known = !Contains(text, file);  // its path, and so the whole text
  for (const std::string_view runs : {"& ", "-File ", "Start-Process ", "iex ", "Invoke-", "exec(", "source ", "sh ",
                                      "python", "node ", "chmod ", "./"}) {
    for (std::size_t at = text.find(runs); at != std::string_view::npos; at = text.find(runs, at + 1)) {
      if (known || Contains(text.substr(at, runs.size() + kNear), file)) return false;
    }
  }
  return !text.empty() && text.front() != kHole && text.front() != '/';
}

// Whether what a call is given, or what its command line names, is a program, and not a file that a program works on.
bool Engine::RunsItsFiles(const Call& call) {
  if (call.entry->role != Role::kSpawn && call.entry->role != Role::kShell) return true;
  if (call.args.empty()) return false;
  ExprId program = view().Origin(call.args[0].value, function_);
  if (program >= code().exprs.size()) return false;
  std::vector<Word> words;
  for (const Arg& arg : call.args.first(std::min<std::size_t>(call.args.size(), 2)))
    WordsOf(arg.value, function_, 0, &words);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (SaysOneOf(WordAt(words[i]), {"-Command", "-command", "-c", "-e"}) && WorksOnFiles(WordAt(words[i + 1])))
      return false;
  }
  if (code().exprs[program].kind == ExprKind::kList && code().exprs[program].arg_count > 0)
    program = code().ArgsOf(code().exprs[program])[0].value;
  if (program < code().exprs.size() && Eval(program).Has(kUnpacked) && call.entry->role == Role::kSpawn) return true;
  const std::string line = Known(call.args[0].value);
  const std::string_view first = std::string_view(line).substr(0, line.find_first_of(" \t\n"));
  // f"{player} {file}": whichever player it is, the file is not the program.
  if (first.empty() || first.front() == kHole) return Eval(HeadOf(call.args[0].value)).Has(kUnpacked);
  return RunsFiles(first, program);
}

// An interpreter: `python3 file`, [sys.executable, file].
bool Engine::RunsFiles(std::string_view program, ExprId at) const {
  return IsShellName(program) || AnyOf(program, {"python", "node", "perl", "ruby", "wscript", "cscript", "rundll32"}) ||
         (at < code().exprs.size() &&
          AnyOf(TextAt(code().exprs[at].loc).substr(0, 40), {"sys.executable", "execPath"}));
}

// Somewhere in this function stands a line that does more than to import: of a .pth file, Python runs those that begin
// with `import`.
bool Engine::WritesStartLine() const {
  const Loc body = code().functions[function_].loc;
  return std::any_of(code().exprs.begin(), code().exprs.end(), [&](const Expr& part) {
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    return part.kind == ExprKind::kString && inside && part.text.starts_with("import ") &&
           AnyOf(part.text, {"exec(", "eval(", "__import__", "urlopen", "b64decode", "system(", "Popen"});
  });
}

// `import module`, put together or not, and no loader of an installer that is made anew with each start.
bool Engine::WritesImportLine() const {
  const Loc body = code().functions[function_].loc;
  return std::any_of(code().exprs.begin(), code().exprs.end(), [&](const Expr& part) {
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    return part.kind == ExprKind::kString && inside && part.text.starts_with("import ");
  });
}

// How much a path of a caller's making says: a folder that a tool asks for is the caller's to choose, as long as what
// opens it does not put it together itself.
double Engine::OneOfSeveral(const Call& call, const Taint& path) const {
  std::uint32_t at = path.trail[static_cast<std::size_t>(Trail::kGiven)];
  for (int i = 0; at != 0 && at <= trail_.size() && i < 32; ++i) {
    const Step& step = trail_[at - 1];
    if (step.before == 0 && step.text.starts_with("argument `")) {
      std::string name = LowerCase(step.text.substr(10));
      name.resize(std::min(name.find('`'), name.size()));
      if (AnyOf(name, {"dir", "folder", "path", "destination"})) return kChosenPlace;
    }
    at = step.before;
  }
  for (std::size_t i = 0; i < call.args.size() && i < 1; ++i) {
    const ExprId given = call.args[i].value;
    if (given >= code().exprs.size() || code().exprs[given].kind != ExprKind::kName) continue;
    const std::uint32_t slot = view().SlotOf(given, function_);
    if (slot == kNone) continue;
    const Slot& variable = view().slots()[slot];
    if (variable.param != kNone && variable.scope == function_ && !IsEntry()) return kChosenPlace;
  }
  return kOneOfSeveral;
}

// A path that is an entry of a table, or whose last part the callers give: the place of it where something runs again
// by itself, if there is one.
std::string Engine::PathOfTable(const Call& call) {
  constexpr std::size_t kMost = 64;
  const ExprId target = call.entry == nullptr ? kNone : Argument(call, call.entry->target, nullptr);
  const Expr* function = FunctionOf(call);
  // path.write_text(data): the path stands before the call.
  const bool on_path = function != nullptr && function->kind == ExprKind::kMember && view().is_python() &&
                       (call.callee.text.starts_with('.') || call.callee.text.starts_with("pathlib."));
  const ExprId path = target != kNone && !on_path ? target : function == nullptr ? kNone : function->base;
  if (path >= code().exprs.size()) return {};
  std::size_t looked = 0;
  const bool below_home = Known(path).starts_with("~/");
  for (const std::string& text : TextsWithin(path)) {
    if (++looked > kMost) break;
    if (text.starts_with("~/") && KindOfPath(text) == PathKind::kStartup) return text;
    // for name in (".claude/CLAUDE.md", ...): home / name
    if (below_home && text.starts_with(".") && text.size() < 80) {
      const PathKind kind = KindOfPath("~/" + text);
      if (kind == PathKind::kStartup || kind == PathKind::kAgent || text.ends_with("_history")) return "~/" + text;
    }
  }
  const ExprId made = view().Origin(path, function_);
  const std::string& known = view().Text(path, function_);
  // save(path, data), which some caller gives the path of an agent's settings.
  if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kName && known.empty()) {
    const std::uint32_t slot = view().SlotOf(made, function_);
    if (slot != kNone && view().slots()[slot].scope == function_ && view().slots()[slot].param < here().texts.size())
      return here().texts[view().slots()[slot].param].place;
  }
  if (made >= code().exprs.size() || !known.starts_with("~/") || !known.ends_with(kHole)) return {};
  const auto parts = code().ArgsOf(code().exprs[made]);
  const std::string last = parts.empty() ? std::string() : Known(parts.back().value);
  return last.empty() || last.front() == kHole ? std::string() : known.substr(0, known.size() - 1) + last;
}

// Path("~/.claude/CLAUDE.md").write_text(ORDERS): what stands there from now on is read as such a file is.
void Engine::NoteInstructions(const Call& call, std::string_view path) {
  constexpr std::ptrdiff_t kMost = 64;  // texts of a file
  constexpr std::size_t kShortest = 24;
  if (!last_ || IsSettingsPath(LowerCase(path))) return;
  // A hook of the agent's is a program, and says nothing to anybody.
  const std::string_view ending = path.substr(std::min(path.rfind('.'), path.size()));
  if (SaysOneOf(ending, {".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".bash", ".zsh", ".ps1", ".rb"})) return;
  if (std::ranges::count(instructions_, module_, &ToldText::module) >= kMost) {
    states_[module_].unfinished = true;
    return;
  }
  for (const Arg& arg : call.args) {
    std::string text = Known(arg.value);
    if (text.size() < kShortest || text == path || text.find(' ') == std::string::npos) continue;
    std::ranges::replace(text, kHole, ' ');
    instructions_.push_back(
        {module_, code().file, code().exprs[arg.value].loc, std::move(text), ToldText::Place::kInstruction});
  }
}

// What lets every command through, among the texts of this function.
bool Engine::HoldsOpenMode() const {
  const Loc body = code().functions[function_].loc;
  return std::ranges::any_of(code().exprs, [&](const Expr& part) {
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    if (part.kind != ExprKind::kString || !inside) return false;
    if (!IsOpenMode(part.text) && OpenModeIn(LowerCase(part.text)).empty()) return false;
    return !IsCompared(code().text, part.loc.begin, part.loc.end) &&
           !IsOfOneRun(code().text, part.loc.begin + 1, part.text.size());
  });
}

// A text of this function has something fetched and run.
bool Engine::HoldsFetched() const {
  const Loc body = code().functions[function_].loc;
  return std::ranges::any_of(code().exprs, [&](const Expr& part) {
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    return part.kind == ExprKind::kString && inside && part.text.size() >= 12 && RunsFetched(part.text);
  });
}

// {"url": "https://host/mcp"} in this function, beside the key under which hosts list their servers: the host. "" for
// none, for one of this machine and for services that everybody knows.
std::string Engine::ServerAdded() const {
  const Function& function = code().functions[function_];
  if (!AnyOf(TextAt(function.loc).substr(0, 20'000), {"mcpServers", "mcp_servers", "\"servers\""})) return {};
  for (const Expr& part : code().exprs) {
    if (part.kind != ExprKind::kDict || part.loc.begin < function.loc.begin || part.loc.end > function.loc.end)
      continue;
    for (const Arg& field : code().ArgsOf(part)) {
      if (!SaysOneOf(field.name, {"url", "serverUrl", "httpUrl", "server_url"})) continue;
      const std::string& url = view().Text(field.value, function_);
      std::string host = url.starts_with("http") ? HostOf(url) : std::string();
      if (host.empty() || Contains(host, std::string_view(&kHole, 1)) || KindOfHost(host) == HostKind::kLocal ||
          IsKnownService(host))
        continue;
      return host;
    }
  }
  return {};
}

// A place where what is written runs again by itself, or where agents read it as their own settings.
void Engine::JudgeWrittenPlace(const Call& call, const std::string& path, PathKind kind, const Taint& data) {
  const bool task = Contains(LowerCase(path), ".vscode/tasks.json") && Contains(code().text, "folderOpen");
  if (kind == PathKind::kStartup || task) {
    Raise("PERSIST-001", call.expr, data, data.labels, "writes " + Shown(path) + ", which runs again by itself");
    // No program's user asks for a file that every start of Python reads.
    const bool hook = AnyOf(path, {"sitecustomize.py", "usercustomize.py"});
    // A key that stands in the code lets its owner in.
    const bool key = Contains(path, "authorized_keys") && HoldsPublicKey(code().text);
    if (WritesRunner() || WritesHarm() || key || GivenHarm(call) ||
        (hook && AnyOf(code().text, {"urlopen", "requests.", "exec(", "socket.", "httpx.", "builtins.open"}))) {
      Worsen("PERSIST-001", core::Severity::kCritical);
    }
  } else if (last_ && !path.empty() && IsRcFile(LowerCase(shell::HomePath(path))) && WritesFetched()) {
    Raise("PERSIST-001", call.expr, data, data.labels, "has " + Shown(path) + " fetch and run something at each start");
    Worsen("PERSIST-001", core::Severity::kCritical);
  } else if (Contains(LowerCase(path), ".ssh/config") &&
             (WritesHarm() || AnyOf(code().text, {"ProxyCommand", "LocalCommand", "KnownHostsCommand"}))) {
    Raise("PERSIST-001", call.expr, data, data.labels, "writes a command into " + Shown(path) + ", which ssh runs");
    if (WritesHarm()) Worsen("PERSIST-001", core::Severity::kCritical);
  } else if (AnyOf(LowerCase(path), {"/.gitconfig", ".config/git/config"}) &&
             AnyOf(LowerCase(TextAt(code().functions[function_].loc).substr(0, 20'000)),
                   {"hookspath", "sshcommand", "fsmonitor", "templatedir", "gitproxy", "helper = !", "\"!", "= !"})) {
    Raise("PERSIST-001", call.expr, data, data.labels, "writes a command into " + Shown(path) + ", which git runs");
  } else if (kind == PathKind::kAgent ||
             (kind == PathKind::kWeakSecret && AnyOf(LowerCase(path), {".claude", ".cursor/", "claude_"}))) {
    // ~/.claude/memory/cache.jsonl: rows that a program keeps for itself; no agent reads any such file.
    constexpr auto kOfRows = std::to_array<std::string_view>({".jsonl", ".db", ".sqlite", ".sqlite3", ".log", ".lock"});
    if (std::ranges::any_of(kOfRows, [&](std::string_view end) { return path.ends_with(end); })) return;
    if (const std::string host = last_ ? ServerAdded() : std::string(); !host.empty()) {
      Raise("PERSIST-002", call.expr, data, data.labels, "puts a server of " + host + " into " + Shown(path), 1.2,
            host);
      return;
    }
    Raise("PERSIST-002", call.expr, data, data.labels,
          "writes " + (path.empty() ? std::string("files") : Shown(path)) + ", which agents read as their own settings",
          MakesFolder(call.callee.text) ? 0.25
          : data.Has(kForeign)          ? 1.0
                                        : 0.7);
  }
}

// A file of paths that Python reads at each start.
void Engine::JudgeStartLine(const Call& call, const std::string& path, const Taint& data) {
  if (!path.ends_with(".pth") || !last_) return;
  const bool code_line = WritesStartLine();
  const bool imports = !code_line && WritesImportLine();
  if (code_line || imports) {
    Raise("PERSIST-001", call.expr, data, data.labels,
          code_line ? "writes a line of code into " + Shown(path) + ", which every start of Python runs"
                    : "has every start of Python load a module of its own, by " + Shown(path));
    Worsen("PERSIST-001", core::Severity::kCritical);
  }
}

// Settings of agents that have nothing asked and no hook watch.
void Engine::JudgeUnguarded(const Call& call, const std::string& path, const Taint& data) {
  if (last_ && !MakesFolder(call.callee.text) && AnyOf(LowerCase(path), {".claude", ".cursor", ".gemini", ".codex"})) {
    if (const double empties = EmptiesGuards(); empties > 0.0) {
      Raise("PERSIST-003", call.expr, data, data.labels,
            "writes " + Shown(path) + " so that nothing is asked and no hook watches", empties);
    }
  }
  if (last_ && AnyOf(LowerCase(path), {".claude", ".cursor", ".vscode/settings", ".gemini", ".codex", ".codeium"})) {
    if (WritesOpenMode()) {
      // A switch that takes it away again as well is somebody's to turn.
      const std::string_view all = TextAt(code().functions[function_].loc).substr(0, 20'000);
      const bool both = function_ != kModuleBody && AnyOf(all, {"else:", "else {"}) &&
                        AnyOf(all, {".pop(", "del ", "delete ", ".remove(", ".filter("});
      Raise("PERSIST-003", call.expr, data, data.labels,
            "writes " + Shown(path) + " so that agents run every command without asking", both ? 0.6 : 1.0);
    }
  }
}

// A path that an argument, or the name of an archive's member, is a part of.
void Engine::JudgeWrittenPath(const Call& call, const std::string& path, const Taint& path_taint) {
  const bool below = path_taint.Has(kBelow);
  // Python's own reader of zip archives takes the way out of a member's name.
  const bool cleaned = call.callee.text.starts_with("zipfile.");
  if (path_taint.Has(kEntryName) && !cleaned && (here().deeds & kDidPathCheck) == 0) {
    // Listed and written in one function, nothing stands between.
    exact_ = (path_taint.fresh & kEntryName) != 0 &&
             AnyOf(TextAt(code().functions[function_].loc).substr(0, 8'000),
                   {"zipfile", "tarfile", "ZipFile", "infolist", "namelist", "getmembers", "getEntries", "entryName",
                    "unzip", "AdmZip", "JSZip", "tar.", "zip.NewReader", "zip.OpenReader"});
    Raise("VULN-003", call.expr, path_taint, kEntryName, "writes members of an archive to where their names say",
          exact_ ? 1.6 : 1.0);
    exact_ = false;
    Worsen("VULN-003", core::Severity::kHigh);
  } else if (path_taint.Has(kUnchecked) && (here().deeds & kDidPathCheck) == 0 &&
             (path.find_first_not_of(std::string("/. ") + kHole) != std::string::npos || below ||
              (path.empty() && path_taint.Has(kPieced)))) {
    // In a function of its own, one such place may be meant for names that are made here; several are not.
    const bool here_below = (IsEntry() && IsBelow(path)) || (path_taint.Has(kRequest) && AsksBelow(path));
    Raise("VULN-003", call.expr, path_taint, kToolArgument, "writes to a path put together from an argument",
          below && !here_below ? OneOfSeveral(call, path_taint) : 1.0);
    if (below || here_below) Worsen("VULN-003", core::Severity::kHigh);
  }
}

void Engine::JudgeWrite(Call& call, const std::string& path, const Taint& path_taint, const Taint& data) {
  if (last_ && (path.empty() || path.ends_with(kHole))) {
    if (const std::string other = PathOfTable(call); !other.empty() && other != path) {
      JudgeWrite(call, other, path_taint, data);
      return;
    }
  }
  Use(call, Permission::kFilesystemWrite, path);
  if (last_ && data.Has(kSecretFile | kStore | kEnvAll) && IsOpenPlace(path) &&
      !AnyOf(TextAt(code().exprs[call.expr].loc), {"0o600", "0600", "mode:384", "mode: 384"})) {
    Raise("EXFIL-004", call.expr, data, kSecretFile | kStore | kEnvAll,
          "leaves credentials where others read: " + Shown(path), 0.8);
  }
  if (last_ && (data.fresh & kKeys) != 0) {
    Raise("EXFIL-004", call.expr, data, kKeys, "keeps the keys that are pressed in a file", 0.6);
  }
  PathKind kind = KindOfPath(path);
  // for (const name of ["AGENTS.md", ...]) write(join(root, name), fetched)
  const bool named = path.empty() || Contains(path, std::string_view(&kHole, 1));
  if (kind == PathKind::kPlain && named && path_taint.Has(kAgentName) && data.Has(kForeign)) kind = PathKind::kAgent;
  if (kind == PathKind::kAgent || (kind == PathKind::kPlain && named && path_taint.Has(kAgentName)))
    NoteInstructions(call, path);
  JudgeWrittenPlace(call, path, kind, data);
  if (kind == PathKind::kPlain || kind == PathKind::kTemporary) JudgeWrittenProgram(call, path);
  if (last_ && ReroutesPackages(path)) {
    Raise("EXFIL-003", call.expr, data, 0,
          "has other programs fetch packages from, or send through, a host of its own, by " + Shown(path), 0.8);
  }
  JudgeStartLine(call, path, data);
  if (last_ && data.Has(kTapped) && IsOpenPlace(path) &&
      std::ranges::none_of(conditions_, [&](const Condition& one) { return AsksForTraces(TextAt(one.test)); })) {
    Raise("EXFIL-007", call.expr, data, kTapped, "keeps copies of what was meant for others in " + Shown(path), 0.9);
  }
  JudgeUnguarded(call, path, data);
  if (last_ && (path == "/etc/hosts" || LowerCase(path).ends_with("drivers\\etc\\hosts")) &&
      !AnyOf(TextAt(code().exprs[call.expr].loc), {"127.", "0.0.0.0", "::1"})) {
    Raise("SH-008", call.expr, data, 0, "writes " + Shown(path) + ": names of hosts mean other machines from now on",
          0.9);
  }
  if (AnyOf(call.callee.text, {"write_text", "writeFile", "truncate"}) && data.labels == 0) {
    JudgeRecord(call, path, true);
  }
  JudgeWrittenPath(call, path, path_taint);
}

// pip.conf, .npmrc, .gitconfig, with a host that stands here.
bool Engine::ReroutesPackages(std::string_view path) const {
  const std::string lower = LowerCase(path.substr(path.rfind('/') + 1));
  const bool settings = AnyOf(lower, {"pip.conf", "pip.ini", ".npmrc", ".yarnrc", ".pypirc", "uv.toml", ".condarc",
                                      ".gitconfig", ".curlrc", ".wgetrc", "bunfig.toml"});
  if (!settings) return false;
  const Loc body = code().functions[function_].loc;
  for (ExprId id = 0; id < code().exprs.size(); ++id) {
    const Expr& part = code().exprs[id];
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    const bool made = part.kind == ExprKind::kFormat || part.kind == ExprKind::kConcat;
    if (!inside || (part.kind != ExprKind::kString && !made) || part.text.size() > 2'000) continue;
    // f"registry={MIRROR}": the address stands elsewhere.
    const std::string_view text = made ? std::string_view(view().Text(id, function_)) : part.text;
    const std::size_t at = text.find("://");
    if (at == std::string_view::npos ||
        !AnyOf(text, {"index-url", "registry", "proxy", "channel_alias", "insteadOf", "[url "}))
      continue;
    const std::string host = HostOf(text.substr(at - std::min<std::size_t>(at, 5)));
    const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
    if ((kind == HostKind::kOrdinary || IsBad(kind)) && !IsKnownService(host)) return true;
  }
  return false;
}

// The path of this very program: `__file__`, fileURLToPath(import.meta.url), process.argv[1], resolved or kept before.
bool Engine::IsOwnPath(ExprId id) const {
  constexpr int kMostSteps = 8;
  FuncId scope = function_;
  for (int i = 0; i < kMostSteps && id < code().exprs.size(); ++i) {
    id = view().Origin(id, scope, &scope);
    if (id >= code().exprs.size()) return false;
    const Expr& expr = code().exprs[id];
    if (expr.kind != ExprKind::kCall || expr.base >= code().exprs.size()) {
      return SaysOneOf(TextAt(expr.loc), {"__file__", "__filename", "import.meta.url", "import.meta.filename",
                                          "process.argv[1]", "sys.argv[0]"});
    }
    const Expr& callee = code().exprs[expr.base];
    if (!SaysOneOf(callee.text, {"resolve", "absolute", "realpath", "abspath", "realpathSync", "fileURLToPath", "Path",
                                 "URL", "str", "fspath", "expanduser", "normalize"})) {
      return false;
    }
    const auto args = code().ArgsOf(expr);
    if (args.size() > 1) return false;  // path.resolve(__dirname, ...): another file
    id = args.empty() ? callee.base : args[0].value;
  }
  return false;
}

// The function being read calls what the function around it was given: it is a wrapper.
bool Engine::CallsWrapped() const {
  const Function& shape = code().functions[function_];
  if (shape.parent == kNone || shape.parent == kModuleBody) return false;
  const Function& outer = code().functions[shape.parent];
  return std::any_of(code().exprs.begin(), code().exprs.end(), [&](const Expr& expr) {
    if (expr.kind != ExprKind::kCall || expr.loc.begin < shape.loc.begin || expr.loc.end > shape.loc.end) return false;
    if (expr.base >= code().exprs.size() || code().exprs[expr.base].kind != ExprKind::kName) return false;
    return std::any_of(outer.params.begin(), outer.params.end(),
                       [&](const Param& param) { return param.name == code().exprs[expr.base].text; });
  });
}

// A wrapper around tools that sends on what they are given.
bool Engine::JudgeRelay(const Call& call, const Taint& data, const std::string& host, bool bad) {
  if (host.empty() || data.params == 0) return false;
  const HostKind kind = KindOfHost(host);
  if (!bad && kind != HostKind::kOrdinary) return false;
  const Function& shape = code().functions[function_];
  bool whole = false;
  for (std::size_t i = 0; i < shape.params.size() && i < 31; ++i) {
    whole = whole || (shape.params[i].variadic && (data.params >> i & 1U) != 0);
  }
  const bool inner = shape.parent != kNone && shape.parent != kModuleBody;
  if (!whole || !inner) return false;
  const bool wraps = CallsWrapped();
  if (IsEntry() && !wraps) return false;  // a tool of its own, whose arguments are its work
  const bool tools = std::any_of(entry_points_.begin(), entry_points_.end(), [&](const EntryPoint& entry) {
    return entry.kind != "script" && entry.function != kNone && (wraps || entry.module == module_);
  });
  if (!tools || IsStatistics(host)) return false;
  Raise("EXFIL-007", call.expr, data, 0, "sends what every wrapped tool is given to " + host, 1.0, host);
  return true;
}

// Programs that fill a memory or an index do so because their user asked for it.
bool Engine::KeepingIsPurpose() const {
  std::string names = LowerCase(code().functions[function_].qualified) + " ";
  bool tool = false;
  for (const EntryPoint& entry : entry_points_) {
    if (entry.module != module_ || entry.function != function_ || entry.kind == "script") continue;
    names += LowerCase(entry.name + " " + entry.description.substr(0, 300)) + " ";
    tool = true;
  }
  return !tool ||
         AnyOf(names, {"store", "save",   "remember", "memor",  "add",    "index",  "ingest", "insert", "learn",
                       "load",  "import", "crawl",    "upsert", "sync",   "embed",  "build",  "update", "refresh",
                       "put",   "write",  "keep",     "upload", "create", "record", "scrape"});
}

void Engine::JudgeMemory(Call& call) {
  bool none = true;
  const Taint data = DataOf(call, &none);
  if (last_ && data.Has(kFileContent) && given_.size() < 100) {
    // A document that every later question may find.
    std::uint32_t at = data.trail[static_cast<std::size_t>(Trail::kPrivate)];
    for (int i = 0; at != 0 && i < 16; ++i) {
      const Step& step = trail_[at - 1];
      if (step.before == 0 && step.text.starts_with("reads ") && step.text.find("…") == std::string::npos) {
        given_.push_back(step.text.substr(6));
      }
      at = step.before;
    }
  }
  const auto args = call.args;
  if (!args.empty() && call.callee.text.find("tore") != std::string::npos && args[0].name.empty()) {
    const std::string space = LowerCase(view().Text(args[0].value, function_));
    const bool steers = AnyOf(space, {"instruction", "system", "persona", "polic", "rules", "prompt"});
    if (data.Has(kForeign) && steers) {
      Raise("STATE-001", call.expr, data, kForeign,
            "keeps an answer from the network in memory as `" + Shown(space, 60) + "`");
      return;
    }
    // A name space that was found by searching belongs to whoever is found.
    if (call.taints[0].Has(kMemory) && data.Has(kState | kToolArgument | kForeign | kInput)) {
      Raise("STATE-003", call.expr, call.taints[0], kMemory, "writes into name spaces of memory that it came across");
      return;
    }
  }
  if (data.Has(kForeign)) {
    Raise("STATE-002", call.expr, data, kForeign, "keeps an answer from the network in the agent's memory",
          KeepingIsPurpose() ? 0.6 : 1.0);
    if (!args.empty() && args[0].value < code().exprs.size() && !hits_.empty()) {
      kept_spaces_[hits_.size() - 1] = TextAt(code().exprs[args[0].value].loc).substr(0, 120);
    }
    if (!KeepingIsPurpose()) Worsen("STATE-002", core::Severity::kHigh);
  }
}

}  // namespace interlock::scan::code
