// Programs that are started: which they are, what words and what input they are given.
#include <algorithm>

#include "code/engine.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using core::Permission;
using namespace sink_words;  // NOLINT: the engine room's own words

struct Engine::Spawned {  // being started
  ExprId target = kNone;
  Taint taint;  // of all of its words
  std::vector<ExprId> words;
  FuncId scope = kModuleBody;  // in which the words stand
  std::string program;
  std::string first;  // the program, up to its first blank
  std::string line;
  Taint chosen;  // of the program, where it is not known
};

// Its environment, and where its input and output lead. Whether its words are for a shell.
bool Engine::JudgeSpawnOptions(const Call& call) {
  // shell=True, {shell: true}: a string for a shell.
  bool shell = false;
  for (const Arg& arg : call.args) {
    if (arg.name == "shell" && arg.value < code().exprs.size()) shell = code().exprs[arg.value].text == "True";
    if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
        if (field.name == "shell" && field.value < code().exprs.size())
          shell = code().exprs[field.value].text == "true";
      }
    }
    if (arg.value < code().exprs.size()) {
      // The environment that the program is given: env={...}, {env: {...}}.
      ExprId environment = arg.name == "env" ? arg.value : kNone;
      if (code().exprs[arg.value].kind == ExprKind::kDict) {
        for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
          if (field.name == "env") environment = field.value;
        }
      }
      const ExprId from = environment == kNone ? kNone : view().Origin(environment, function_);
      if (from < code().exprs.size() && code().exprs[from].kind == ExprKind::kDict) {
        for (const Arg& field : code().ArgsOf(code().exprs[from])) {
          if (!field.name.empty()) JudgeEnvironmentWrite(call.expr, field.name, field.value);
        }
      }
    }
    if ((arg.name == "stdin" || arg.name == "stdout") && last_) {
      const Value& value = view().Evaluate(arg.value, function_);
      if (value.kind == ValueKind::kInstance && value.text.starts_with("socket.")) {
        Raise("RCE-002", call.expr, {}, 0, "gives a program's input or output to a socket");
      }
    }
  }
  return shell;
}

void Engine::FindWords(const Call& call, bool shell, Spawned* found) {
  Spawned& spawned = *found;
  spawned.scope = function_;
  const ExprId origin = view().Origin(spawned.target, function_, &spawned.scope);
  const Expr& shape = code().exprs[origin];
  if (shape.kind == ExprKind::kList) {
    for (const Arg& arg : code().ArgsOf(shape)) spawned.words.push_back(arg.value);
  } else {
    spawned.words.push_back(spawned.target);
    Taint more;
    const ExprId list = Argument(call, call.entry->data, &more);
    if (list != kNone) {
      spawned.taint.Join(more);
      const ExprId from = view().Origin(list, function_, &spawned.scope);
      if (code().exprs[from].kind == ExprKind::kList) {
        for (const Arg& arg : code().ArgsOf(code().exprs[from])) spawned.words.push_back(arg.value);
      } else if (code().exprs[from].kind != ExprKind::kDict) {
        spawned.words.push_back(list);
      }
    } else if (!shell && (shape.kind == ExprKind::kConcat || shape.kind == ExprKind::kCall ||
                          shape.kind == ExprKind::kBinary || shape.kind == ExprKind::kName)) {
      JudgeWords(call, origin, spawned.scope);
    }
  }
}

// A working copy of a stranger's repository is a download.
void Engine::NoteCloned(const Call& call, const Spawned& spawned) {
  if (spawned.scope == function_ && spawned.words.size() >= 4 &&
      view().Text(spawned.words[0], spawned.scope) == "git" &&
      view().Text(spawned.words[1], spawned.scope) == "clone") {
    for (std::size_t i = 2; i + 1 < spawned.words.size(); ++i) {
      const std::string host = KnownHost(Known(spawned.words[i]));
      const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
      if (kind == HostKind::kOrdinary || IsBad(kind)) {
        MarkPath(spawned.words.back(), Source(kNetStranger, call.expr, "clones a repository of " + host));
      }
    }
  }
}

// sh -c "...": whether that is what is started.
bool Engine::JudgeShellWords(Call& call, const Spawned& spawned) {
  if (!IsShellName(spawned.first)) return false;
  here().deeds |= kDidRunShell;
  if (here().execute.end == 0) here().execute = code().exprs[call.expr].loc;
  for (std::size_t i = 1; i + 1 < spawned.words.size(); ++i) {
    const std::string option = LowerCase(view().Text(spawned.words[i], spawned.scope));
    if (option == "-c" || option == "/c" || option == "-lc" || option == "-command" || option == "-ic") {
      JudgeShellText(call, spawned.words[i + 1], spawned.taint);
      return true;
    }
  }
  return false;
}

// The program and its words in one line, and what it reads.
std::string Engine::LineOfWords(const Call& call, const Spawned& spawned, bool pip) {
  std::string line = pip ? "pip " : "";
  for (std::size_t i = 0; i < spawned.words.size() && i < 32 && line.size() < 4096; ++i) {
    if (spawned.words[i] < code().exprs.size() && code().exprs[spawned.words[i]].kind == ExprKind::kSpread && i > 0) {
      // ["git", *words]: what its callers give stands here.
      here().runner = line;
    }
    // execFile("git", words), where words are all that the function is given.
    if (i == 1 && spawned.words.size() == 2 && spawned.words[i] < code().exprs.size() &&
        code().exprs[spawned.words[i]].kind == ExprKind::kName && IsRest(spawned.words[i])) {
      here().runner = line;
    }
    const std::string word = KnownIn(spawned.words[i], spawned.scope);
    if (i > 0) line += ' ';
    if (word.empty()) {
      line += kHole;
    } else if (i == 0 && spawned.words.size() == 1) {
      line += word;
    } else {
      line += ShellQuoted(word);
    }
  }
  // What the program reads: `crontab -`, `sh`.
  for (const Arg& arg : call.args) {
    ExprId input = arg.name == "input" ? arg.value : kNone;
    if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
        if (field.name == "input") input = field.value;
      }
    }
    const std::string given = input == kNone ? std::string() : view().Text(input, function_);
    if (given.empty() || given.size() > 2048) continue;
    line += " <<< " + ShellQuoted(given);
  }
  return line;
}

// Somebody else says which program it is, or all of its words.
void Engine::JudgeChosenProgram(const Call& call, const Spawned& spawned) {
  // npm's `open`, and os.startfile, show an address in the user's browser, or a file in its own program: no words of a
  // command. (A file that was fetched is judged as such.)
  const bool shows = view().is_python() ? call.callee.text == "os.startfile"
                                        : call.callee.text == "open" || call.callee.text == "open.default";
  Use(call, Permission::kSubprocess,
      shows                     ? std::string("open")
      : spawned.program.empty() ? std::string("any command")
                                : spawned.line,
      !shows && spawned.chosen.Has(kToolArgument));
  const auto fixed = [&](bool reads_text) {
    return spawned.scope == function_ && ProgramIsFixed(spawned.words[0], reads_text);
  };
  if (spawned.program.empty() && !shows && spawned.chosen.Has(kRequest) && !fixed(true)) {
    Raise("VULN-010", call.expr, spawned.taint, kRequest, "starts whatever program a request names",
          Locked() ? 0.4 : 1.2);
  }
  // Which program it is, or all of the words: what one of the others is, that program has to make something of.
  const auto chosen_by = [&](Labels whose) {
    return spawned.words.size() == 1 ? spawned.taint.Has(whose) : spawned.chosen.Has(whose);
  };
  // Programs that run what they are given.
  const bool launches =
      IsShellName(spawned.first) ||
      AnyOf(LowerCase(spawned.program),
            {"cmd", "powershell", "pwsh", "sudo", "env", "ssh", "xargs", "nohup", "start"}) ||
      // docker compose up -d NAME starts what a file says.
      (Contains(LowerCase(spawned.program), "docker") && AnyOf(spawned.line, {"run", "exec", "build"}));
  if (chosen_by(kSocketData) || (launches && spawned.taint.Has(kSocketData))) {
    Raise("RCE-003", call.expr, spawned.taint, kSocketData, "runs commands that another machine sends");
  } else if (spawned.program.empty() && !shows && chosen_by(kNetFixed) && !spawned.taint.Has(kToolArgument) &&
             !MakesFixedProgram(spawned.target) && !fixed(false)) {
    Raise("RCE-001", call.expr, spawned.taint, kNetFixed, "runs a command fetched from the network",
          AsksHere() ? 0.5 : 0.8);
  }
  // Packages by whatever names another machine says.
  if (spawned.taint.Has(kNetStranger) && !spawned.taint.Has(kToolArgument) && spawned.words.size() > 1 &&
      Contains(spawned.line, std::string_view(&kHole, 1)) && InstallsByName(spawned.line)) {
    Raise("RCE-004", call.expr, spawned.taint, kNetStranger, "installs the packages that an answer names");
  }
}

// What an interpreter reads as its program.
void Engine::JudgeReadProgram(const Call& call, const Spawned& spawned) {
  const std::string reader =
      LowerCase(spawned.program) + " " + std::string(TextAt(code().exprs[spawned.words[0]].loc).substr(0, 60));
  if (spawned.words.size() <= 2 &&
      (IsShellName(spawned.first) ||
       AnyOf(reader, {"python", "sys.executable", "node", "execPath", "perl", "ruby", "deno"}))) {
    for (const Arg& arg : call.args) {
      Taint input;
      if (arg.name == "input") input = TaintOfArg(call, arg.value);
      if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kDict) {
        for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
          if (field.name == "input") input = Eval(field.value);
        }
      }
      if (input.Has(kNetFixed) && !input.Has(kToolArgument)) {
        Raise("RCE-001", call.expr, input, kNetFixed, "has an interpreter read a program fetched from the network");
      }
    }
  }
}

// python -c, node -e: code for another interpreter. `uv tool install -e folder` names a folder.
void Engine::JudgeInnerProgram(const Call& call, const Spawned& spawned) {
  const bool installs = std::ranges::any_of(spawned.words, [&](ExprId word) {
    const std::string text = view().Text(word, spawned.scope);
    return text == "install" || text == "add";
  });
  for (std::size_t i = 1; i + 1 < spawned.words.size(); ++i) {
    const std::string option = view().Text(spawned.words[i], spawned.scope);
    if (option != "-c" && (option != "-e" || installs)) continue;
    const Taint inner = spawned.words[i + 1] < code().exprs.size() ? Eval(spawned.words[i + 1]) : Taint();
    const Value& value = view().Evaluate(spawned.words[i + 1], function_);
    if (inner.Has(kDecoded) || (value.kind == ValueKind::kText && value.decodes > 0)) {
      Raise("OBFUSC-001", call.expr, inner, kDecoded, "runs a program that is hidden by encoding", 0.9, {}, value.text);
    } else if (inner.Has(kNetFixed) && !inner.Has(kToolArgument)) {
      Raise("RCE-001", call.expr, inner, kNetFixed, "runs a program fetched from the network");
    } else if (inner.Has(kSocketData)) {
      Raise("RCE-003", call.expr, inner, kSocketData, "runs a program that another machine sends");
    } else if (inner.Has(kUnchecked) && Pieced(spawned.words[i + 1]) && !WritesLiterals(spawned.words[i + 1])) {
      Raise("VULN-001", call.expr, inner, kToolArgument,
            "puts an argument into a program for " + Shown(spawned.first, 40), 0.8);
    }
  }
}

void Engine::JudgeSpawn(Call& call) {
  Spawned spawned;
  spawned.target = Argument(call, call.entry->target, &spawned.taint);
  if (spawned.target == kNone) return;
  const bool shell = JudgeSpawnOptions(call);
  FindWords(call, shell, &spawned);
  if (spawned.words.empty()) return;
  if (spawned.words.size() == 1 && spawned.words[0] == spawned.target && !shell) NoteSpawned(spawned.target);
  for (std::size_t i = 0; i < spawned.words.size() && i < 4; ++i) {
    if (last_ && spawned.words[i] < code().exprs.size())
      JudgeNetFile(call, spawned.scope == function_ ? Eval(spawned.words[i]) : spawned.taint);
  }
  if (shell && spawned.words.size() > 1 && spawned.taint.Has(kToolArgument)) {
    Raise("VULN-001", call.expr, spawned.taint, kToolArgument, "gives a shell words that an argument brings");
  }
  if (shell) {
    // spawn(program, words, {shell: true}): what an answer says is among the words, and chooses nothing.
    const bool beside =
        spawned.words.size() > 1 && !Eval(spawned.target).Has(kNetFixed) && !IsShellName(Known(spawned.target));
    JudgeShellText(call, spawned.words.size() == 1 ? spawned.words[0] : spawned.target,
                   beside ? spawned.taint.Without(kNetFixed) : spawned.taint);
    return;
  }
  NoteCloned(call, spawned);
  const bool pip = call.callee.text.starts_with("pip.");
  spawned.program = pip ? std::string("pip") : KnownIn(spawned.words[0], spawned.scope);
  if (spawned.program.starts_with("/proc/self/fd/") || spawned.program.starts_with("/dev/fd/")) {
    Raise("MEM-001", call.expr, spawned.taint, kDecoded | kForeign, "runs a program that is in memory only");
  }
  spawned.first = spawned.program.substr(0, spawned.program.find(' '));
  if (KindOfPath(spawned.first) == PathKind::kTemporary && !Contains(spawned.first, std::string_view(&kHole, 1))) {
    Raise("VULN-008", call.expr, {}, 0,
          "runs " + Shown(spawned.first) + ", which anybody on the machine may put there");
  }
  if (JudgeShellWords(call, spawned)) return;
  if (!last_) return;
  spawned.line = LineOfWords(call, spawned, pip);
  HandOut(call, spawned.line, spawned.taint);
  spawned.chosen = spawned.program.empty() ? Eval(spawned.words[0]) : Taint();
  JudgeChosenProgram(call, spawned);
  JudgeReadProgram(call, spawned);
  JudgeInnerProgram(call, spawned);
  if (!spawned.program.empty()) JudgeRows(call, spawned.words, spawned.scope);
  JudgeSentBy(call, spawned.first, spawned.words, spawned.scope);
  MarkArchivedBy(call, spawned.line);
  if (spawned.program.empty() || spawned.line.size() > 4096) return;
  Remember(call.expr, spawned.line);
  JudgeLine(call, spawned.line);
}

}  // namespace interlock::scan::code
