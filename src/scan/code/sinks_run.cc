// Values that become programs: shell texts, processes, evaluated code, native libraries.
#include <algorithm>
#include <array>
#include <set>

#include "code/engine.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"
#include "interlock/base/digits.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using core::Permission;
using namespace sink_words;  // NOLINT: the engine room's own words

// `literal` stands beside what `taint` is about, in one text.
void Engine::MarkPieced(std::string_view literal, Taint* taint) const {
  if (!taint->Has(kToolArgument | kArguments)) return;
  const std::string text = LowerCase(literal.substr(0, 512));
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (letters < 2) return;
  taint->labels |= kPieced;
  taint->fresh |= kPieced;
  if (!AnyOf(text, {"select ", "insert ", "update ", "delete ", "drop ", "alter ", "where "})) return;
  taint->Add(kQueried);
  if (AnyOf(text, {"= '", "='", "like '", "'%", "'{", "=\"", "= \""})) taint->Add(kQuoted);
}

// words[i], where `words` is a list of constants: the table that an obfuscator keeps its names in.
bool Engine::PicksFromWords(ExprId expr) const {
  constexpr std::size_t kFewest = 3;
  if (expr >= code().exprs.size() || code().exprs[expr].kind != ExprKind::kIndex) return false;
  FuncId scope = function_;
  const ExprId list = view().Origin(code().exprs[expr].base, function_, &scope);
  if (list >= code().exprs.size() || code().exprs[list].kind != ExprKind::kList) return false;
  const auto words = code().ArgsOf(code().exprs[list]);
  return words.size() >= kFewest && std::ranges::all_of(words, [this](const Arg& word) {
           return word.value < code().exprs.size() && code().exprs[word.value].kind == ExprKind::kString;
         });
}

namespace {

// A program that does its own work with the words it is given, and runs none of them.
bool IsOrdinaryProgram(std::string_view program) {
  if (program.size() < 2 || program.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-./") != program.npos)
    return false;
  const std::string_view name = program.substr(program.rfind('/') + 1);
  if (IsShellName(name)) return false;
  return std::ranges::none_of(
             std::to_array<std::string_view>(
                 {"eval", "exec", "source", "sudo",  "env",  "xargs", "nohup", "node", "npx",  "npm",   "pnpm", "yarn",
                  "bun",  "bunx", "deno",   "pip",   "pip3", "pipx",  "uv",    "uvx",  "curl", "wget",  "perl", "ruby",
                  "php",  "ssh",  "docker", "start", "open", "time",  "watch", "make", "go",   "cargo", "awk",  "."}),
             [&](std::string_view one) { return name == one; }) &&
         !name.starts_with("python");
}

// mac ? `open "${url}"` : `xdg-open "${url}"`, `${opener} "${url}"`: shows a page, whatever its address is; what is put
// in stands between quotes.
bool OpensPage(const ModuleView& view, ExprId command, FuncId scope, int depth = 0) {
  constexpr int kDeepest = 6;
  const Module& code = view.module();
  const ExprId at = view.Origin(command, scope, &scope);
  if (depth > kDeepest || at >= code.exprs.size()) return false;
  const Expr& shape = code.exprs[at];
  const std::span<const Arg> parts = code.ArgsOf(shape);
  if (shape.kind == ExprKind::kChoice) {
    return parts.size() > 1 && std::ranges::all_of(parts.size() > 2 ? parts.subspan(1) : parts, [&](const Arg& part) {
             return OpensPage(view, part.value, scope, depth + 1);
           });
  }
  const std::string& text = view.Text(at, scope);
  for (std::size_t hole = text.find(kHole, 1); hole != std::string::npos; hole = text.find(kHole, hole + 1))
    if (text[hole - 1] != '"' && text[hole - 1] != '\'') return false;
  if (text.empty() || text.front() == kHole) {
    const bool made = shape.kind == ExprKind::kFormat || shape.kind == ExprKind::kConcat;
    return made && !parts.empty() && OpensPage(view, parts.front().value, scope, depth + 1);
  }
  const std::string_view program = std::string_view(text).substr(0, text.find(' '));
  return std::ranges::any_of(
      std::to_array<std::string_view>({"open", "xdg-open", "start", "wslview", "sensible-browser", "explorer"}),
      [&](std::string_view one) { return program == one; });
}

// $`git log ${branch}` of zx and Bun: each part that is put in becomes one word, unless it is a shell's program.
bool QuotesItsParts(std::string_view callee, std::string_view call) {
  if (callee != "zx.$" && callee != "bun.$" && callee != "globalThis.Bun.$") return false;
  const std::string_view line = call.substr(0, 300);
  return Contains(line.substr(0, 12), "$`") && !AnyOf(line, {"sh -c", "eval ", "cmd /c", "-Command"});
}

}  // namespace

// run(["gcloud", "projects", "describe", number]): the program and what it does are written out; an answer from the
// network that stands behind them is a word of its command line, and chooses nothing.
bool Engine::IsCommandLine(ExprId list) const {
  if (list >= code().exprs.size() || code().exprs[list].kind != ExprKind::kList) return false;
  const auto words = code().ArgsOf(code().exprs[list]);
  const auto said = [&](std::size_t i) {
    const ExprId word = words[i].value;
    return word < code().exprs.size() && code().exprs[word].kind == ExprKind::kString
               ? std::string_view(code().exprs[word].text)
               : std::string_view();
  };
  if (words.size() < 4 || !IsOrdinaryProgram(said(0))) return false;
  const auto verb = [](std::string_view word) {
    return word.size() >= 3 && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == word.npos;
  };
  return verb(said(1)) && verb(said(2)) && said(1).front() != '-';
}

// `git fetch origin ${branch}`: the program, and a word more, are written, also where what follows has a default.
bool Engine::FixesProgram(ExprId command) const {
  const ExprId made = view().Origin(command, function_);
  if (made >= code().exprs.size()) return false;
  const Expr& shape = code().exprs[made];
  if ((shape.kind != ExprKind::kFormat && shape.kind != ExprKind::kConcat) || shape.arg_count < 2) return false;
  const ExprId first = code().ArgsOf(shape)[0].value;
  if (first >= code().exprs.size() || code().exprs[first].kind != ExprKind::kString) return false;
  const std::string_view text = code().exprs[first].text;
  const std::size_t space = text.find(' ');
  return space != std::string_view::npos && text.find_first_not_of(' ', space) != std::string_view::npos;
}

// f"open({url!r})": whatever it holds becomes one literal of the program.
bool Engine::WritesLiterals(ExprId program) const {
  if (!view().is_python()) return false;
  const ExprId made = view().Origin(program, function_);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kFormat) return false;
  const std::string_view text = TextAt(code().exprs[made].loc);
  std::size_t holes = 0;
  std::size_t literals = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    holes += text[i] == '{' ? 1U : 0U;
    literals += text.substr(i, 3) == "!r}" ? 1U : 0U;
  }
  return holes == literals;
}

// f'afplay "{sound.name}"': a file's name is none of what is in the file.
bool Engine::NamesFilesOnly(ExprId command, std::string_view program) {
  const ExprId made = view().Origin(command, function_);
  if (made >= code().exprs.size() || !view().is_python()) return false;
  const Expr& text = code().exprs[made];
  if ((text.kind != ExprKind::kFormat && text.kind != ExprKind::kConcat) || text.arg_count == 0) return false;
  if (!IsOrdinaryProgram(program)) {
    // for player in ("paplay", "aplay"): one of several.
    const auto names = TextsWithin(code().ArgsOf(text)[0].value);
    if (names.empty() || !std::ranges::all_of(names, IsOrdinaryProgram)) return false;
  }
  return std::ranges::all_of(code().ArgsOf(text), [&](const Arg& arg) {
    if (arg.value >= code().exprs.size()) return false;
    const Expr& part = code().exprs[arg.value];
    return part.kind == ExprKind::kString || (part.kind == ExprKind::kMember && part.text == "name") ||
           (part.kind == ExprKind::kName && view().SlotOf(arg.value, function_) != kNone &&
            !states_[module_].slots[view().SlotOf(arg.value, function_)].Has(kDecoded));
  });
}

void Engine::JudgeShellText(Call& call, ExprId command, const Taint& taint) {
  const std::string text = Known(command);
  MarkArchivedBy(call, text);
  if (!last_) return;
  HandOut(call, text, taint);
  const Taint* written = taint.Has(kNetFile | kUnpacked) ? nullptr : WrittenIn(text);
  JudgeNetFile(call, written != nullptr ? *written : taint);
  const std::string first = text.substr(0, text.find_first_of(" \t\n|;&"));
  Use(call, Permission::kSubprocess, text.empty() ? std::string("any command") : text, taint.Has(kToolArgument), true);
  if (IsShellName(first)) here().deeds |= kDidRunShell;
  if (here().execute.end == 0) here().execute = code().exprs[call.expr].loc;
  const Value& value = view().Evaluate(command, function_);
  if (value.kind == ValueKind::kText && (value.decodes > 0 || value.obfuscation >= 2)) {
    Raise("OBFUSC-001", call.expr, {}, 0, "runs a command that is hidden by encoding", value.decodes > 0 ? 1.0 : 0.7,
          {}, value.text);
  } else if (taint.Has(kDecoded) && !NamesFilesOnly(command, first)) {
    Raise("OBFUSC-001", call.expr, taint, kDecoded, "runs a command that is hidden by encoding", Direct(taint, 0.8));
  } else if ((taint.fresh & kDataFile) != 0) {
    Raise("OBFUSC-001", call.expr, taint, kFileContent, "runs a command that is kept in a file of data", 0.8);
  } else if ((taint.fresh & kComputed) != 0) {
    Raise("OBFUSC-001", call.expr, taint, kComputed, "runs a command whose letters are computed from numbers", 0.8);
  }
  const bool template_text = (text.find_first_not_of(std::string(" '\"") + kHole) != std::string::npos &&
                              Contains(text, std::string_view(&kHole, 1))) ||
                             (text.empty() && FormsCommand(command));
  // run(f"probe {path}"), of a function that several call.
  const bool pieced = !Contains(text, std::string_view(&kHole, 1)) && taint.Has(kPieced);
  if (taint.Has(kSocketData)) {
    Raise("RCE-003", call.expr, taint, kSocketData, "runs commands that another machine sends");
  } else if ((taint.fresh & kCodedFile) != 0 && !taint.Has(kToolArgument | kNetFixed) && DecodesHere(command)) {
    Raise("OBFUSC-001", call.expr, taint, kCodedFile, "runs a command that lies encoded in other data", 0.8);
  } else if (taint.Has(kNetFixed) && !taint.Has(kToolArgument)) {
    if (((template_text || pieced || FixesProgram(command)) && IsOrdinaryProgram(first)) ||
        OpensPage(view(), command, function_)) {
      // `git clone ${url}`: an answer may add words, but not choose the program.
      Raise("VULN-001", call.expr, taint, kNetFixed, "puts an answer from the network into a shell command", 0.5);
    } else {
      Raise("RCE-001", call.expr, taint, kNetFixed, "runs a command fetched from the network",
            template_text || pieced ? 0.5
            : AsksHere()            ? 0.6
                                    : 1.0);
    }
  } else if (taint.Has(kNetFixed) && text.find_first_not_of(kHole) == std::string::npos && !template_text && !pieced) {
    // A list that tools add to, and the answer of a fixed host as well: the whole command is either's.
    Raise("RCE-001", call.expr, taint, kNetFixed, "runs a command that may be fetched from the network", 0.7);
  } else if (taint.Has(kRequest) &&
             (template_text || text.find_first_not_of(kHole) == std::string::npos || IsOnlyDefault(command))) {
    const bool listed = text.find_first_not_of(kHole) == std::string::npos && TakesFromTable(command);
    if (template_text || listed) {
      // Whoever connects is as good as a caller of a tool, though no tool leads here.
      Raise("VULN-001", call.expr, taint, kRequest, "puts what a request says into a shell command",
            listed ? 0.5 : 1.6);
    } else if (!call.callee.text.starts_with("ssh2.") && !call.callee.text.starts_with("paramiko.")) {
      // Here, and not on the machine that somebody has signed in to.
      Raise("RCE-003", call.expr, taint, kRequest, "runs whatever command a request brings", 0.45);
    }
  } else if (taint.Has(kToolArgument) && (template_text || pieced)) {
    // What a service answers to an argument is not the argument.
    const bool answer = taint.Has(kNet) && !taint.Has(kUnchecked);
    if (!QuotesItsParts(call.callee.text, TextAt(code().exprs[call.expr].loc))) {
      Raise("VULN-001", call.expr, taint, kToolArgument, "puts an argument into a shell command", answer ? 0.4 : 1.0);
    }
  } else if (taint.Has(kToolArgument) && text.find_first_not_of(kHole) == std::string::npos && GuardsByWords(command)) {
    Raise("VULN-001", call.expr, taint, kToolArgument,
          "lets a command line pass by some of its words, and gives it to a shell", 0.7);
  } else if (taint.Has(kArguments) && !taint.Has(kToolArgument) && (template_text || pieced)) {
    // Of a script that an agent is told to run, its words are the agent's; a server is started by who owns the machine.
    const bool server =
        std::ranges::any_of(entry_points_, [](const EntryPoint& entry) { return entry.kind == "tool"; });
    Raise("VULN-001", call.expr, taint, kArguments, "puts a word of the command line into a shell command",
          server ? 0.4 : 0.8);
  } else if ((taint.fresh & kModelAnswer) != 0 && (IsEntry() || !Asks())) {
    Raise("VULN-001", call.expr, taint, kModelAnswer, "runs a command that a model has written", IsEntry() ? 0.6 : 1.1);
  }
  if (text.empty() || text.size() > 16'384) return;
  JudgeSentByLine(call, text, taint);
  Remember(call.expr, text);
  const ShellScript script = ParseShell(text);
  JudgeCommand(AnalyzeShellScript(script, text), command, text);
}

// `curl -H "Bearer $GH_TOKEN" ${quoted(`https://api.github.com/${path}`)}`: whether the addresses that stand in what a
// command is put together from are all of the service whose token it is, and there is one.
static bool AsksItsOwner(const ModuleView& view, FuncId function, std::span<const Arg> args, const Vendors& whose) {
  constexpr std::size_t kMostParts = 64;
  const Module& code = view.module();
  std::vector<std::pair<ExprId, FuncId>> open;
  for (const Arg& arg : args) open.emplace_back(arg.value, function);
  bool found = false;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i == kMostParts) return false;  // not all of it is seen
    auto [id, scope] = open[i];
    if (id < code.exprs.size()) id = view.Origin(id, scope, &scope);
    if (id >= code.exprs.size()) continue;
    const Expr& part = code.exprs[id];
    for (const Arg& arg : code.ArgsOf(part)) open.emplace_back(arg.value, scope);
    if (part.base != kNone) open.emplace_back(part.base, scope);
    // A variable that is one thing here and another there, may be anything.
    const std::uint32_t slot = part.kind == ExprKind::kName ? view.SlotOf(id, scope) : kNone;
    if (slot != kNone && view.slots()[slot].param == kNone && view.slots()[slot].import == kNone) return false;
    const std::string& text = view.Text(id, scope);
    const std::size_t scheme = text.find("://");
    if (scheme == std::string::npos) continue;
    const std::string host =
        KnownHost(text.substr(text.rfind("http", scheme) != std::string::npos ? text.rfind("http", scheme) : scheme));
    if (!HostOfVendors(host, whose)) return false;
    found = true;
  }
  return found;
}

void Engine::JudgeCommand(std::span<const ShellUse> acts, ExprId command, const std::string& text) {
  ShellContext context;
  context.file = code().file;
  context.whole = {code().exprs[command].loc.begin, code().exprs[command].loc.end};
  context.place = ShellPlace::kCodeString;
  std::vector<RawFinding> findings;
  std::vector<CapabilityUse> more;
  JudgeShell(acts, context, findings, &more);
  std::erase_if(findings, [&](const RawFinding& finding) {
    // Where it goes is put in: "\x7f" in the line.
    constexpr std::string_view kReads = "reads $";
    if (finding.rule != "SH-004" || !finding.message.ends_with('\x7f') || finding.flow.empty() ||
        !finding.flow[0].text.starts_with(kReads))
      return false;
    const Vendors whose = SecretVendorOf(std::string_view(finding.flow[0].text).substr(kReads.size()));
    const Arg words{command, {}};
    return AsksItsOwner(view(), function_, {&words, 1}, whose);
  });
  TakeOver(findings, text);
  for (CapabilityUse& use : more) {
    if (uses_.size() >= 50'000) break;
    UseAt at;
    at.module = module_;
    at.function = function_;
    at.role = Role::kShell;
    at.use = std::move(use);
    at.use.loc = code().exprs[command].loc;
    at.use.file = code().file;
    uses_.push_back(std::move(at));
  }
}

// ctx.run("curl ... | sh"), $`...` and others whose library nobody here knows: a text that is a command with hardly an
// innocent reading, given to what is called as that which runs commands.
void Engine::JudgeRunByName(const Call& call) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"run", "exec", "execute", "execsync", "shell", "sh", "bash", "local", "sudo", "cmd", "command", "system", "$"});
  const std::string_view name = call.IsNamed() ? call.base->text : call.last;
  if (!last_ || std::ranges::find(kNames, LowerCase(name)) == kNames.end()) return;
  constexpr std::size_t kMostOfText = 4096;
  for (const Arg& arg : call.args.first(std::min<std::size_t>(call.args.size(), 3))) {
    const std::string text = Known(arg.value);
    if (text.size() < 8 || text.size() > kMostOfText || !NamesProgramOfCommands(text)) continue;
    const ShellScript script = ParseShell(text);
    std::vector<ShellUse> acts = AnalyzeShellScript(script, text);
    std::erase_if(acts, [](const ShellUse& act) { return !IsGrave(act); });
    if (!acts.empty()) JudgeCommand(acts, arg.value, text);
  }
}

// A list of words that is put together: TOOL + ["install", ...], of a function, appended to.
void Engine::WordsOf(ExprId list, FuncId scope, int depth, std::vector<Word>* words) const {
  constexpr int kDeepest = 6;
  constexpr std::size_t kMost = 64;
  if (list >= code().exprs.size() || depth > kDeepest || words->size() > kMost) return;
  FuncId found = scope;
  const ExprId origin = view().Origin(list, scope, &found);
  if (origin >= code().exprs.size()) return;
  const Expr& expr = code().exprs[origin];
  if (expr.kind == ExprKind::kList) {
    for (const Arg& item : code().ArgsOf(expr)) {
      const bool spread = item.value < code().exprs.size() && code().exprs[item.value].kind == ExprKind::kSpread;
      if (spread && code().exprs[item.value].arg_count > 0) {
        WordsOf(code().ArgsOf(code().exprs[item.value])[0].value, found, depth + 1, words);
      } else {
        words->push_back({item.value, found});
      }
    }
  } else if (expr.kind == ExprKind::kConcat || expr.kind == ExprKind::kBinary) {
    for (const Arg& part : code().ArgsOf(expr)) WordsOf(part.value, found, depth + 1, words);
  } else if (expr.kind == ExprKind::kCall) {
    const Value callee = view().Callee(origin, found);
    if (callee.kind != ValueKind::kFunction || callee.module != module_) return;
    for (const Stmt& stmt : code().functions[callee.index].body) {
      if (stmt.kind == StmtKind::kReturn) WordsOf(stmt.value, callee.index, depth + 1, words);
    }
  }
}

std::string Engine::WordAt(const Word& word) {
  std::string text = KnownIn(word.expr, word.scope);
  if (text.empty() && AnyOf(TextAt(code().exprs[word.expr].loc).substr(0, 40), {"sys.executable", "process.execPath"}))
    text = view().is_python() ? "python" : "node";
  return text;
}

void Engine::JudgeWords(const Call& call, ExprId list, FuncId scope) {
  if (!last_) return;
  std::vector<Word> words;
  WordsOf(list, scope, 0, &words);
  if (words.size() < 2) return;
  std::string line;
  for (const Word& word : words) {
    if (word.expr >= code().exprs.size() || line.size() > 4000) continue;
    const std::string text = WordAt(word);
    line += line.empty() ? "'" : " '";
    for (const char c : text.empty() ? std::string(1, kHole) : text) line += c == '\'' ? ' ' : c;
    line += "'";
  }
  Remember(call.expr, line);
  JudgeLine(call, line);
}

// git("push", url), where git(repo, *words) runs ["git", "-C", repo, *words].
void Engine::RunnerLine(const std::string& runner, std::span<const Arg> args, const Function& shape, bool method,
                        ExprId at) {
  std::size_t named = method ? 1 : 0;  // words stand behind the parameters with names
  while (named < shape.params.size() && !shape.params[named].variadic) ++named;
  const std::size_t skip = named < shape.params.size() ? named - (method ? 1 : 0) : 0;
  std::string line = runner;
  const auto add = [&](std::string word) {
    line += " '";
    for (const char c : word.empty() ? std::string(1, kHole) : word) line += c == '\'' ? ' ' : c;
    line += "'";
  };
  for (std::size_t i = skip; i < args.size(); ++i) {
    if (args[i].value >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[args[i].value];
    if (expr.kind == ExprKind::kSpread && expr.arg_count > 0) {
      std::vector<Word> words;
      WordsOf(code().ArgsOf(expr)[0].value, function_, 0, &words);
      for (const Word& word : words) add(WordAt(word));
      continue;
    }
    std::string word = Known(args[i].value);
    // CACHE.format(...), base() + name: whose host it is stands somewhere.
    if (word.empty() || word.front() == kHole) {
      const std::string host = HostWithin(args[i].value);
      if (!host.empty()) word = "https://" + host + "/" + kHole;
    }
    add(std::move(word));
  }
  Remember(at, line);
  Call call;
  call.expr = at;
  JudgeLine(call, line);
}

// pip install --extra-index-url http://...: a running program has itself changed by a host that nobody has chosen.
void Engine::JudgeInstalled(const Call& call, const std::string& line) {
  if (!last_ || !AnyOf(line, {"'install'", " install ", "'add'"})) return;
  const std::size_t at = line.find("://");
  if (at == std::string::npos) return;
  if (!AnyOf(line, {"--extra-index-url", "--index-url", "--registry", "--find-links", "'-i'", "--index", "--source"})) {
    return;
  }
  const std::string host =
      HostOf(line.substr(at - std::min<std::size_t>(at, 5), line.find_first_of("' ", at) - at + 5));
  if (host.empty() || KindOfHost(host) == HostKind::kLocal || Contains(host, std::string_view(&kHole, 1))) return;
  const bool open = AnyOf(line, {"http://", "--trusted-host"});
  if (!open && !IsBad(KindOfHost(host))) return;
  // Not weighed by whose host it is: without encryption it is anybody's.
  Raise("RCE-004", call.expr, {}, 0, "installs a package from " + host + " while it runs, and nobody vouches for it");
}

// What a shell would make of a command line that this program runs.
void Engine::TakeOver(std::vector<RawFinding>& findings, std::string_view line) {
  if (EncodesHere(line) && !PacksFetcher())
    std::erase_if(findings, [](const RawFinding& finding) { return finding.rule == "SH-002"; });
  const bool hidden = std::ranges::any_of(findings, [](const RawFinding& finding) { return finding.rule == "SH-002"; });
  if (const std::string plain = hidden ? EncodedHere(line) : std::string(); !plain.empty() && !findings.empty()) {
    ShellContext context;
    context.file = code().file;
    context.whole = findings.front().bytes;
    context.place = ShellPlace::kCodeString;
    findings.clear();
    JudgeShell(AnalyzeShellScript(ParseShell(plain, {}, "encoded.ps1"), plain), context, findings, nullptr);
  }
  const bool asked =
      std::ranges::any_of(findings, [](const RawFinding& finding) { return finding.rule == "SH-001"; }) &&
      Confirms(function_, statement_.loc.begin);
  for (RawFinding& finding : findings) {
    if (asked && finding.rule == "SH-001") finding.scale *= kConfirmed;
    Hit hit;
    hit.finding = std::move(finding);
    hit.module = module_;
    hit.function = function_;
    hits_.push_back(std::move(hit));
  }
}

// powershell -EncodedCommand with base64 of a text that stands in the program: a way to pass quotes, and hides nothing.
// What it says is judged; "": the program does not say it.
std::string Engine::EncodedHere(std::string_view line) const {
  constexpr std::size_t kLeast = 32;  // letters
  constexpr std::size_t kEnough = 16;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && base::Base64Value(line[end]) >= 0) ++end;
    std::string plain;
    std::uint32_t bits = 0;
    for (std::size_t k = i; end - i >= kLeast && k < end; ++k) {
      bits = bits << 6U | static_cast<std::uint32_t>(base::Base64Value(line[k]));
      const std::size_t at = (k - i) % 4;
      const char c = at == 0 ? '\0' : static_cast<char>(bits >> (6U - 2U * at) & 0xFFU);
      if (c == '\n' || (c >= ' ' && c <= '~')) plain += c;  // of UTF-16, or of the letters themselves
    }
    if (plain.size() >= kEnough && Contains(code().text, plain.substr(0, kEnough))) return plain;
    i = end + 1;
  }
  return {};
}

// A command line that is known in parts.
void Engine::JudgeLine(const Call& call, const std::string& line) {
  JudgeInstalled(call, line);
  const ShellScript script = ParseShell(line);
  ShellContext context;
  context.file = code().file;
  context.whole = {code().exprs[call.expr].loc.begin, code().exprs[call.expr].loc.end};
  context.place = ShellPlace::kCodeString;
  std::vector<RawFinding> findings;
  JudgeShell(AnalyzeShellScript(script, line), context, findings, nullptr);
  TakeOver(findings, line);
}

// ...words, *words of this function.
bool Engine::IsRest(ExprId name) const {
  const std::uint32_t slot = view().SlotOf(name, function_);
  const std::vector<Param>& params = code().functions[function_].params;
  return slot != kNone && view().slots()[slot].scope == function_ && view().slots()[slot].param < params.size() &&
         params[view().slots()[slot].param].variadic;
}

// Words that stand around what is not known: a template, not the whole.
bool Engine::Pieced(ExprId text) {
  const std::string known = Known(text);
  const auto letters = std::count_if(known.begin(), known.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return letters >= 4 && Contains(known, std::string_view(&kHole, 1));
}

// Numbers of letters without a shape (variation selectors, tags) beside what reads letters as numbers.
bool Engine::ReadsInvisible() const {
  constexpr std::size_t kLongest = 30'000;  // a bundle holds everything, and nothing together
  if (code().text.size() > kLongest) return false;
  const std::string text = LowerCase(code().text);
  return AnyOf(text, {"codepointat", "charcodeat", "ord("}) &&
         AnyOf(text,
               {"0xfe00", "0xe0100", "0xe0000", "917760", "917504", "65024", "\\ufe00", "0x200b", "0x200c", "8203"});
}

// Somebody is asked before.
bool Engine::Asks() const {
  const std::string text = LowerCase(code().text.substr(0, 60'000));
  return AnyOf(text, {"confirm", "approv", "(y/n", "[y/n", "y/n]", "sandbox", "docker", "allow"});
}

// This function waits for a person's yes.
bool Engine::AsksHere() const {
  if (function_ == kModuleBody) return false;
  constexpr std::size_t kLongest = 20'000;
  const std::string text = LowerCase(TextAt(code().functions[function_].loc).substr(0, kLongest));
  return AnyOf(text, {"[y/n]", "(y/n)", "[yes/no]", "(yes/no)"}) &&
         AnyOf(text, {"input(", "confirm(", "question(", "prompt("});
}

// The file says who may come in.
bool Engine::Locked() const {
  const std::string text = LowerCase(code().text.substr(0, 100'000));
  return AnyOf(text, {"auth", "token", "bearer", "api_key", "apikey", "api-key", "password", "secret", "login"});
}

// Commands of one function are one script: what the first one leaves, the next one takes.
void Engine::Remember(ExprId at, const std::string& line) {
  if (script_.size() < 64 && line.size() < 4096 && !Contains(line, "\n") && at < code().exprs.size()) {
    script_.emplace_back(code().exprs[at].loc, line);
  }
}

void Engine::JudgeScript() {
  if (!last_ || script_.size() < 2) return;
  std::string text;
  std::set<std::string, std::less<>> known;
  const auto judge = [&](const std::string& part, Loc loc, std::vector<RawFinding>& findings) {
    ShellContext context;
    context.file = code().file;
    context.whole = {loc.begin, loc.end};
    context.place = ShellPlace::kCodeString;
    JudgeShell(AnalyzeShellScript(ParseShell(part), part), context, findings, nullptr);
  };
  for (const auto& [loc, line] : script_) {
    text += line + "\n";
    std::vector<RawFinding> alone;
    judge(line, loc, alone);
    for (const RawFinding& finding : alone) known.emplace(finding.rule);
  }
  // A file that was fetched and is run is one deed, by whichever way it is seen.
  const bool ran = std::ranges::any_of(hits_, [&](const Hit& hit) {
    return hit.module == module_ && hit.function == function_ &&
           (hit.finding.rule == "RCE-001" || hit.finding.rule == "RCE-004");
  });
  if (ran) known.emplace("SH-001");
  std::vector<RawFinding> findings;
  judge(text, script_.back().first, findings);
  for (RawFinding& finding : findings) {
    if (known.contains(finding.rule)) continue;
    known.emplace(finding.rule);
    Hit hit;
    hit.finding = std::move(finding);
    hit.module = module_;
    hit.function = function_;
    hits_.push_back(std::move(hit));
  }
}

void Engine::JudgeEval(Call& call) {
  Taint taint;
  ExprId target = Argument(call, call.entry->target, &taint);
  if (call.callee.text.ends_with("Function") && !call.args.empty()) {
    target = call.args.back().value;  // the parameters come first
    taint = call.taints.back();
    if (call.all.Has(kDecoded)) taint.Join(call.all);  // nobody hides the names of parameters who hides nothing else
  }
  if (target >= code().exprs.size() || !last_) return;
  // FunctionType(compile(text)): the text is what runs.
  if (const ExprId made = view().Origin(target, function_);
      made < code().exprs.size() && code().exprs[made].kind == ExprKind::kCall && code().exprs[made].arg_count > 0 &&
      view().Callee(made, function_).text == "builtins.compile") {
    target = code().ArgsOf(code().exprs[made])[0].value;
  }
  const Value& value = view().Evaluate(target, function_);
  const bool constant = value.kind == ValueKind::kText;
  if (call.entry->permission) {
    Use(call, Permission::kDynamicCode, constant ? value.text : std::string(), taint.Has(kToolArgument));
  }
  JudgeNetFile(call, call.all);
  if (!call.entry->permission) return;  // compile(): what is made of it counts
  // new Function(text); whether it can be read is all that is asked.
  if (statement_.kind == StmtKind::kExpr && statement_.value == call.expr && call.callee.text.ends_with(".Function"))
    return;
  static thread_local int depth = 0;  // of programs in programs
  constexpr std::size_t kShortestProgram = 24;
  constexpr std::size_t kLongestProgram = std::size_t{32} << 10U;
  constexpr std::uint32_t kMostPrograms = 200;  // of a file: bundles for development are made of such texts
  if (constant && depth < 2 && value.text.size() >= kShortestProgram && value.text.size() <= kLongestProgram &&
      AnyOf(value.text, {"require(", "import", "process."}) && states_[module_].programs++ < kMostPrograms) {
    ++depth;
    const std::optional<RawFinding> harm = HarmOfProgram(value.text, view().is_python(), true);
    --depth;
    // The rest of what a file keeps and brings away is said where it stands (JudgePrograms).
    constexpr std::size_t kShortestKept = 60;
    const bool said = value.text.size() >= kShortestKept && AnyOf(value.text, {"\n", ";"}) && view().words().leaves;
    if (harm && (!said || harm->rule.starts_with("SH-")))
      Raise(harm->rule, call.expr, {}, 0, "runs a text that " + harm->message, harm->scale, harm->host);
  }
  if (constant && !value.text.empty() && (value.decodes > 0 || value.obfuscation >= 2)) {
    Raise("OBFUSC-001", call.expr, {}, 0, "runs code that is hidden by encoding", value.decodes > 0 ? 1.0 : 0.7, {},
          value.text);
  } else if (taint.Has(kDecoded)) {
    Raise("OBFUSC-001", call.expr, taint, kDecoded, "runs code that is hidden by encoding", Direct(taint, 0.9));
  } else if (ReadsInvisible()) {
    Raise("OBFUSC-001", call.expr, {}, 0, "runs code that is made of letters which nobody sees", 0.9);
  } else if (taint.Has(kCodedFile)) {
    // Who hides code does not take the builtins from it.
    const bool bare = std::ranges::any_of(call.args, [&](const Arg& arg) {
      if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict) return false;
      return std::ranges::any_of(code().ArgsOf(code().exprs[arg.value]), [&](const Arg& field) {
        return field.name == "__builtins__" && field.value < code().exprs.size() &&
               (code().exprs[field.value].kind == ExprKind::kConstant ||
                (code().exprs[field.value].kind == ExprKind::kDict && code().exprs[field.value].arg_count == 0));
      });
    });
    Raise("OBFUSC-001", call.expr, taint, kCodedFile, "runs code that lies in a file of data", bare ? 0.4 : 0.9);
  } else if (taint.Has(kMarshalled) && taint.Has(kFileContent) && !AnyOf(code().text, {"pyc", "MAGIC_NUMBER"})) {
    Raise("OBFUSC-001", call.expr, taint, kFileContent, "runs code objects that lie in a file", 0.8);
  } else if ((taint.fresh & kDataFile) != 0) {
    Raise("OBFUSC-001", call.expr, taint, kFileContent, "runs code that is kept in a file of data", 0.8);
  } else if ((taint.fresh & kTextFile) != 0 && !taint.Has(kToolArgument | kArguments)) {
    Raise("OBFUSC-001", call.expr, taint, kFileContent, "runs code that is kept in a file of text", 0.5);
  } else if ((taint.fresh & kComputed) != 0 && !taint.Has(kToolArgument)) {
    Raise("OBFUSC-001", call.expr, taint, kComputed, "runs code whose letters are computed from numbers", 0.8);
  } else if (taint.Has(kSocketData)) {
    Raise("RCE-003", call.expr, taint, kSocketData, "runs code that another machine sends");
  } else if (taint.Has(kNetFixed) && !taint.Has(kToolArgument)) {
    // What a model made of what was fetched.
    Raise("RCE-001", call.expr, taint, kNetFixed, "runs code fetched from the network",
          taint.Has(kModelAnswer) ? 0.45 : 1.0);
  } else if ((taint.fresh & kNetStranger) != 0 && taint.Has(kNetFixed)) {
    // An argument says which of a host's answers it is.
    Raise("RCE-001", call.expr, taint, kNetFixed, "runs code fetched from the network", 0.5);
  } else if (taint.Has(kRequest | kToolArgument) && RunsInPage()) {
    return;
  } else if (taint.Has(kRequest)) {
    Raise("VULN-002", call.expr, taint, kRequest, "runs what a request says as code", 1.0);
  } else if (taint.Has(kToolArgument)) {
    // A tool whose purpose is to run code is an honest power.
    std::string names = LowerCase(code().functions[function_].qualified);
    names += LowerCase(code().functions[function_].name);
    for (const EntryPoint& entry : entry_points_) {
      if (entry.module == module_ && names.size() < 4096) names += " " + LowerCase(entry.name);
    }
    const bool purpose = AnyOf(names, {"exec", "eval", "code", "python", "script", "repl", "run", "javascript"});
    // A wall that is none: whoever says that the code is kept in has not looked.
    const bool wall = (call.callee.text.starts_with("vm.") &&
                       AnyOf(LowerCase(code().text.substr(0, 20'000)), {"sandbox", "safe", "isolat", "restrict"})) ||
                      Contains(Squeezed(TextAt(code().exprs[call.expr].loc).substr(0, 300)), "\"__builtins__\":");
    Raise("VULN-002", call.expr, taint, kToolArgument,
          wall ? "keeps an argument that it runs as code behind a wall that is none" : "runs an argument as code",
          purpose && !wall ? 0.3 : 1.0);
  } else if (taint.Has(kArguments) && call.callee.text.starts_with("builtins.")) {
    Raise("VULN-002", call.expr, taint, kArguments, "runs a word of the command line as code", 0.7);
  } else if (taint.Has(kNet)) {
    Raise("VULN-002", call.expr, taint, kNet, "runs an answer from the network as code", 0.5);
  } else if ((taint.fresh & kModelAnswer) != 0 && IsEntry()) {
    Raise("VULN-002", call.expr, taint, kModelAnswer, "runs what a model has written as code", 0.8);
  } else if (taint.Has(kModelAnswer) && call.callee.text == "builtins.eval") {
    // An expression is asked for, and whatever the model was talked into is evaluated; who runs programs says so.
    Raise("VULN-002", call.expr, taint, kModelAnswer, "evaluates what a model has written", 1.2);
  }
}

void Engine::JudgeNative(Call& call) {
  Taint taint;
  const ExprId target = Argument(call, call.entry->target, &taint);
  if (target == kNone || !call.entry->permission) return;
  const std::string path = view().Text(target, function_);
  Use(call, Permission::kDynamicCode, path.substr(0, 200));
  if (call.callee.text.ends_with(".verify") || call.callee.text.ends_with(".set_source")) {
    for (const Arg& arg : call.args) {
      const std::string source = view().Text(arg.value, function_);
      if (AnyOf(source, {"system(", "popen(", "execl", "execv", "VirtualAlloc", "mprotect("})) {
        Raise("MEM-006", call.expr, {}, 0, "builds native code that starts programs or changes what memory may be run");
      }
    }
    return;
  }
  JudgeNetFile(call, taint);
  if (taint.Has(kUnpacked)) return;
  if (taint.Has(kForeign)) {
    Raise("MEM-002", call.expr, taint, kForeign, "loads a native library that came over the network");
  } else if (KindOfPath(path) == PathKind::kTemporary) {
    Raise("MEM-002", call.expr, {}, 0, "loads a native library from a folder that anybody may write", 0.8);
  } else if (taint.Has(kToolArgument)) {
    Raise("MEM-002", call.expr, taint, kToolArgument, "loads a native library named by an argument", 0.7);
  }
}

}  // namespace interlock::scan::code
