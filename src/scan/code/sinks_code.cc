// Calls that start programs, run or load code, make objects of bytes, and reach into memory.
#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using core::Permission;
using namespace sink_words;  // NOLINT: the engine room's own words

Taint Engine::JudgeStarted(Call& call) {
  Taint target;
  JudgeSpawn(call);
  const ExprId command = Argument(call, call.entry->target, &target);
  JudgeTrigger(call, target, false, {});
  Taint result = Source(kCommandOutput, call.expr, "output of a program");
  std::string line = command == kNone ? std::string() : view().Text(command, function_);
  for (const ExprId list : {command, Argument(call, call.entry->data, nullptr)}) {
    if (list == kNone) continue;
    FuncId scope = function_;
    const ExprId origin = view().Origin(list, function_, &scope);
    if (origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kList) {
      if (list == command) line.clear();
      for (const Arg& word : code().ArgsOf(code().exprs[origin])) {
        if (line.size() > 2000) break;
        line += (line.empty() ? "" : " ") + view().Text(word.value, scope);
      }
    } else if (list != command) {
      line += " " + view().Text(list, function_);
    }
  }
  result.Join(OutputOf(call, line));
  return result;
}

Taint Engine::JudgeProcess(Call& call) {
  Taint target;
  switch (call.entry->role) {
    case Role::kShell: {
      const ExprId command = Argument(call, call.entry->target, &target);
      if (command != kNone) {
        JudgeShellText(call, command, target);
        JudgeTrigger(call, target, false, {});
      }
      Taint result = Source(kCommandOutput, call.expr, "output of a command");
      if (command != kNone) result.Join(OutputOf(call, view().Text(command, function_)));
      return result;
    }
    case Role::kSpawn:
      return JudgeStarted(call);
    case Role::kDuplicate:
      here().deeds |= kDidDuplicate;
      return {};
    case Role::kTerminal:
      here().deeds |= kDidTerminal;
      if (here().execute.end == 0) here().execute = code().exprs[call.expr].loc;
      Use(call, Permission::kSubprocess, "terminal");
      return {};
    default:
      return {};
  }
}

// def __reduce__(self): return os.system, ("curl ... | sh",): whoever loads the object makes that call.
void Engine::JudgeReduced(const Stmt& stmt) {
  if (!last_ || function_ == kModuleBody || !view().is_python()) return;
  const std::string_view name = code().functions[function_].name;
  if (name != "__reduce__" && name != "__reduce_ex__") return;
  const ExprId pair = view().Origin(stmt.value, function_);
  if (pair >= code().exprs.size() || code().exprs[pair].kind != ExprKind::kList || code().exprs[pair].arg_count < 2)
    return;
  const auto parts = code().ArgsOf(code().exprs[pair]);
  const Value& callee = view().Evaluate(parts[0].value, function_);
  const CatalogueEntry* entry = callee.kind == ValueKind::kQualified ? EntryOf(parts[0].value, callee) : nullptr;
  if (entry == nullptr || (entry->role != Role::kShell && entry->role != Role::kSpawn)) return;
  const ExprId words = view().Origin(parts[1].value, function_);
  if (words >= code().exprs.size()) return;
  Call call;
  call.expr = pair;
  std::string line;
  for (const Arg& word : code().ArgsOf(code().exprs[words])) line += Known(word.value) + " ";
  JudgeLine(call, line);
}

Taint Engine::JudgeDeserialize(Call& call) {
  Taint target;
  (void)Argument(call, call.entry->target, &target);
  const bool marshal = call.callee.text.starts_with("marshal.");
  if (marshal) {  // what is made of it counts
    Taint objects = call.all;
    objects.Join(Source(kMarshalled, call.expr, "makes code objects of bytes"));
    return objects;
  }
  // urlretrieve(url, "a.pkl"); pickle.load(open("a.pkl", "rb")), Path("a.pkl").read_bytes()
  const auto fetched = [&]() -> const Taint* {
    for (const Arg& arg : call.args) {
      const ExprId opened = view().Origin(arg.value, function_);
      if (opened >= code().exprs.size() || code().exprs[opened].kind != ExprKind::kCall) continue;
      const Expr& open = code().exprs[opened];
      const bool method = open.base < code().exprs.size() && code().exprs[open.base].kind == ExprKind::kMember;
      if (method) {
        if (const Taint* found = FetchedPath(code().exprs[open.base].base, 0)) return found;
      }
      for (const Arg& path : code().ArgsOf(open)) {
        if (const Taint* found = FetchedPath(path.value, 0)) return found;
      }
    }
    return nullptr;
  };
  const Taint* const written = last_ ? fetched() : nullptr;
  // Of an address that is nobody's, without encryption: whoever is there chooses what runs.
  const Taint& from = written != nullptr ? *written : target;
  if (last_ && from.Has(kNetBare)) {
    Raise("RCE-001", call.expr, from, kNetFixed | kNetStranger | kNetFile,
          "unpacks objects that a bare address sends; unpacking runs code", 0.8);
  } else if (written != nullptr) {
    Raise("VULN-006", call.expr, *written, kNetFile,
          "unpacks objects of a file that it has fetched; unpacking runs code");
  } else if (target.Has(kForeign)) {
    // cache.set(key, pickle.dumps(data)): what the program has packed itself is what it unpacks.
    std::string packs = call.callee.text;
    if (packs.ends_with(".loads")) packs.replace(packs.size() - 5, 5, "dumps(");
    const bool own = packs.ends_with(".dumps(") && Contains(code().text, packs);
    Raise("VULN-006", call.expr, target, kForeign, "unpacks objects from the network; unpacking runs code",
          own                     ? 0.4
          : target.Has(kNetFixed) ? 1.0
                                  : 0.8);
  } else if (target.Has(kToolArgument)) {
    Raise("VULN-006", call.expr, target, kToolArgument, "unpacks objects given as an argument; unpacking runs code",
          0.8);
  } else if (target.Has(kArguments) && Contains(call.callee.text, "pickle")) {
    Raise("VULN-006", call.expr, target, 0, "unpacks objects of a file that the command line names", 0.7);
  } else if (target.Has(kDecoded)) {
    Raise("OBFUSC-001", call.expr, target, kDecoded, "unpacks objects hidden by encoding; unpacking runs code",
          Direct(target, 0.7));
  }
  Taint result = call.all;
  result.Join(Source(kDeserialized, call.expr, "unpacked objects"));
  return result;
}

Taint Engine::JudgeCode(Call& call) {
  Taint target;
  switch (call.entry->role) {
    case Role::kEval:
      JudgeEval(call);
      (void)Argument(call, call.entry->target, &target);
      JudgeTrigger(call, target, false, {});
      return call.all;
    case Role::kImport: {
      JudgeImport(call);
      // require(os.homedir() + "/.docker/config.json")
      const ExprId name = Argument(call, call.entry->target, &target);
      const std::string path = name == kNone ? std::string() : view().Text(name, function_);
      const PathKind kind = KindOfPath(path);
      if (!path.ends_with(".json") || (kind != PathKind::kSecret && kind != PathKind::kWeakSecret)) return {};
      return Source(kind == PathKind::kSecret ? kSecretFile : kWeakSecretFile, call.expr, "reads " + Shown(path, 100));
    }
    case Role::kYaml: {
      for (const Arg& arg : call.args) {
        if (arg.value < code().exprs.size() &&
            (Contains(code().exprs[arg.value].text, "Safe") || Contains(code().exprs[arg.value].text, "Base") ||
             IsSafeLoader(arg.value))) {
          return call.all;
        }
      }
      if (call.callee.text.ends_with("full_load")) return call.all;
      [[fallthrough]];
    }
    case Role::kDeserialize:
      return JudgeDeserialize(call);
    case Role::kNative:
      JudgeNative(call);
      return {};
    default:
      return {};
  }
}

Taint Engine::JudgeExecutableMemory(Call& call) {
  bool executable = call.callee.text.find("mmap.mmap") == std::string::npos || !view().is_python();
  for (const Arg& arg : call.args) {
    std::vector<ExprId> open{arg.value};
    for (std::size_t i = 0; i < open.size() && i < 16; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& part = code().exprs[open[i]];
      if (part.text == "PROT_EXEC" || part.text == "0x40") executable = true;
      // mmap.mmap(-1, n, prot=7): read, write and execute.
      if (arg.name == "prot" && i == 0 && part.text.size() == 1 && part.text[0] >= '4' && part.text[0] <= '7')
        executable = true;
      for (const Arg& inner : code().ArgsOf(part)) open.push_back(inner.value);
    }
  }
  if (!executable) return {};
  if (call.callee.text.ends_with(".func")) {
    // A prototype: koffi.load("libc").func("void *mmap(...)").
    std::string prototype;
    for (const Arg& arg : call.args) prototype += view().Text(arg.value, function_) + " ";
    if (!AnyOf(prototype, {"mmap", "mprotect", "VirtualAlloc", "VirtualProtect", "ptrace", "process_vm_"})) return {};
  }
  here().deeds |= kDidExecutable;
  if (AnyOf(call.callee.text, {"WriteProcessMemory", "CreateRemoteThread", "RtlMoveMemory", "process_vm_writev"})) {
    here().deeds |= kDidRawMemory;
  }
  if (here().execute.end == 0) here().execute = code().exprs[call.expr].loc;
  if (call.callee.text.ends_with("ReadProcessMemory")) {
    // Tools that drive windows look up a process's name and command line so.
    Raise("MEM-003", call.expr, call.all, call.all.labels & (kForeign | kToolArgument),
          "reads the memory of another process", 0.5);
    return {};
  }
  Use(call, Permission::kDynamicCode, "executable memory");
  Raise("MEM-003", call.expr, call.all, call.all.labels & (kForeign | kToolArgument),
        "asks for memory that is writable and executable, or changes another process");
  return {};
}

Taint Engine::JudgeRawMemory(Call& call) {
  if (Contains(call.callee.text, "allocUnsafe")) {
    const std::string_view body = TextAt(code().functions[function_].loc);
    if (call.all.Has(kUnchecked) && !AnyOf(body, {".fill(", ".copy(", ".set(", "FillSync", "randomFill"})) {
      Raise("MEM-004", call.expr, call.all, kToolArgument,
            "an argument chooses how much memory is taken that is not cleared", 0.7);
    }
    return call.all;
  }
  if (!call.callee.text.ends_with("cast")) here().deeds |= kDidRawMemory;
  if (call.callee.text.ends_with("memmove") || call.callee.text.ends_with("memset") ||
      call.callee.text.ends_with("cast")) {
    std::vector<ExprId> open;
    if (!call.args.empty()) open.push_back(call.args[0].value);
    for (std::size_t i = 0; i < open.size() && i < 16; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& part = code().exprs[open[i]];
      if (part.kind == ExprKind::kCall && view().Callee(open[i], function_).text == "builtins.id") {
        Raise("MEM-005", call.expr, {}, 0, "changes an object of the interpreter in place");
      }
      for (const Arg& inner : code().ArgsOf(part)) open.push_back(inner.value);
    }
  }
  if (call.all.Has(kToolArgument) && !call.callee.text.ends_with("cast")) {
    Raise("MEM-004", call.expr, call.all, kToolArgument,
          "reads or writes memory at a place or of a size that an argument chooses");
  }
  return call.all;
}

// class PackLoader(importlib.abc.SourceLoader): def get_data(self, path): return fetched: what a loader gives is
// imported.
void Engine::JudgeLoaded(const Stmt& stmt, const Taint& given) {
  constexpr Labels kFar = kNet | kNetFixed | kNetStranger;
  if (!last_ || !view().is_python() || function_ == kModuleBody || !given.Has(kFar)) return;
  const Function& shape = code().functions[function_];
  if (shape.owner >= code().classes.size() ||
      !engine_words::SaysOneOf(shape.name, {"get_data", "get_source", "get_code"}))
    return;
  const bool loader = std::ranges::any_of(code().classes[shape.owner].bases, [&](ExprId base) {
    return base < code().exprs.size() &&
           AnyOf(TextAt(code().exprs[base].loc), {"SourceLoader", "InspectLoader", "FileLoader", "abc.Loader"});
  });
  if (loader)
    Raise("RCE-001", stmt.value, given, given.labels & kFar, "imports modules out of what it has fetched", 1.0);
}

}  // namespace interlock::scan::code
