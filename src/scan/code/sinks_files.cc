// Files: which one a call names, what is put there, what is taken from there.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using core::Permission;
using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// What tells of a package, and holds no program: LICENSE, METADATA.
bool IsOfPackageItself(std::string_view named) {
  return SaysOneOf(named.substr(named.find_last_of("/\\\"'") + 1),
                   {"license", "licence", "readme", "notice", "changelog", "copying", "authors", "metadata", "record"});
}

}  // namespace

struct Engine::FileAt {  // that a call names
  const Expr* function = nullptr;
  bool on_path = false;  // path.read_text(): the path stands before the call
  std::string path;
  Taint taint;  // of the path
};

// What is written, run or replaced is what stands there; what is read may be a place of secrets besides.
void Engine::TakeSecretPlace(const Call& call, FileAt* read) const {
  if (read->path == kOwnFile || TellingOf(read->path) < Telling::kService) return;
  ExprId named = kNone;
  if (!read->on_path) {
    for (const ArgRef& ref : call.entry->target) {
      if (ref.name.empty() && ref.field.empty() && ref.position >= 0 &&
          static_cast<std::size_t>(ref.position) < call.args.size())
        named = call.args[static_cast<std::size_t>(ref.position)].value;
    }
  } else if (read->function != nullptr) {
    named = read->function->base;
  }
  // file = "~/.ssh/id_rsa"; if there: file = "notes.txt"
  if (named < code().exprs.size()) {
    if (std::string other = view().TellingText(named, function_, false); !other.empty()) {
      read->path = std::move(other);
      return;
    }
  }
  // chdir("~/.ssh"); open("config")
  const auto folder = folders_.find(module_);
  if (folder == folders_.end() || read->path.empty() || read->path.front() == '/' || read->path.front() == '~') return;
  std::string below = read->path == "." ? folder->second : folder->second + "/" + read->path;
  if (TellingOf(below) < Telling::kStranger || IsKeyFolder(folder->second)) read->path = std::move(below);
}

Engine::FileAt Engine::FileOf(const Call& call) {
  FileAt file;
  file.function = FunctionOf(call);
  const bool method = file.function != nullptr && file.function->kind == ExprKind::kMember;
  file.on_path = method && (call.callee.kind == ValueKind::kUnknown || call.callee.text.starts_with("pathlib.") ||
                            call.callee.text.starts_with("."));
  if (file.on_path) {
    file.path = Known(file.function->base);
    file.taint = call.receiver;
  } else if (const ExprId target = Argument(call, call.entry->target, &file.taint); target != kNone) {
    file.path = Known(target);
    if (IsOwnPath(target)) file.path = kOwnFile;
  }
  if (call.entry != nullptr && (call.entry->role == Role::kFileRead || call.entry->role == Role::kFileOpen ||
                                call.entry->role == Role::kFileList))
    TakeSecretPlace(call, &file);
  return file;
}

// readFileSync(0): what the program is told by whoever started it.
bool Engine::ReadsStandardInput(const Call& call, std::string_view path) const {
  if (call.args.empty() || call.args[0].value >= code().exprs.size()) return false;
  const Expr& first = code().exprs[call.args[0].value];
  const bool handle = first.kind == ExprKind::kMember && first.text == "fd" && call.taints[0].Has(kInput);
  return (first.kind == ExprKind::kNumber && first.text == "0") || handle || path == "/dev/stdin";
}

bool Engine::OpensToWrite(const Call& call, bool on_path) const {
  bool writes = false;
  std::size_t position = 0;
  for (const Arg& arg : call.args) {
    const bool mode =
        arg.name == "mode" || arg.name == "flags" || (arg.name.empty() && position == (on_path ? 0U : 1U));
    if (arg.name.empty()) ++position;
    if (!mode) continue;
    const std::string& text = view().Text(arg.value, function_);
    if (text.size() <= 6 && text.find_first_of("wax+") != std::string::npos) writes = true;
    if (code().language == Language::kGo &&
        AnyOf(TextAt(code().exprs[arg.value].loc), {"O_WRONLY", "O_RDWR", "O_APPEND"}))
      writes = true;
  }
  return writes;
}

// rename(from, to), copyfile(from, to): what lay at the one place lies at the other, which is the file from here on.
void Engine::CopyOnto(const Call& call, FileAt* onto, Taint* data) {
  FileAt& file = *onto;
  PathKind from = KindOfPath(file.path);
  if (from == PathKind::kPlain && file.taint.Has(kSecretName))
    from = LiesBesideSecrets(file.path) ? PathKind::kWeakSecret : PathKind::kSecret;
  if (from == PathKind::kPlain && file.taint.Has(kWeakSecretName)) from = PathKind::kWeakSecret;
  if (from == PathKind::kSecret || from == PathKind::kWeakSecret) {
    data->Join(
        Source(from == PathKind::kSecret ? kSecretFile : kWeakSecretFile, call.expr, "copies " + Shown(file.path)));
    MarkPath(call.args[1].value, Source(from == PathKind::kSecret ? kSecretFile : kWeakSecretFile, call.expr,
                                        "copies " + Shown(file.path)));
  }
  data->Join(file.taint.Has(kTapped) ? file.taint : Taint());
  file.path = view().Text(call.args[1].value, function_);
  file.taint = call.taints[1];
}

// What is written is what stands there.
void Engine::KeepWritten(const Call& call, const FileAt& file, Taint* written) {
  Taint& data = *written;
  const std::size_t what = file.on_path ? 0 : 1;
  if (call.args.size() > what && (data.Has(kDecoded) || Unpacks(call.args[what].value)))
    data.Join(Source(kUnpacked, call.expr, "writes a file that it unpacks from a text"));
  if (data.Has(kNetStranger) && (file.path == kOwnFile || (file.on_path && IsOwnPath(file.function->base)))) {
    Raise("RCE-001", call.expr, data, kNetStranger, "replaces its own program by what it has fetched");
  }
  if (data.Has(kNet | kNetStranger | kUnpacked))
    MarkPath(file.on_path ? file.function->base : call.args.empty() ? kNone : call.args[0].value, data);
}

// What an archive is made of: the paths under which it may lie stand for that. Nothing: of no secrets.
Taint Engine::KeepArchive(const Call& call) {
  const std::string made = Known(call.args[0].value);
  const std::string& folder = view().Text(call.args[2].value, function_);
  Taint kept = KeptAt(folder, call.expr);
  if (IsKeyFolder(folder) || KindOfPath(folder) == PathKind::kSecret)
    kept.Join(Source(kSecretFile, call.expr, "takes " + Shown(folder)));
  for (const std::string_view end : {".zip", ".tar.gz", ".tar"}) {
    if (kept.labels != 0 && made.size() > 3 && kept_paths_.size() < 64)
      kept_paths_.try_emplace(made + std::string(end), kept);
  }
  return kept;
}

Taint Engine::JudgeFileWrite(Call& call, FileAt* written) {
  FileAt& file = *written;
  Taint data;
  for (std::size_t i = file.on_path ? 0 : 1; i < call.taints.size(); ++i) data.Join(call.taints[i]);
  const std::string_view name = std::string_view(call.callee.text).substr(call.callee.text.rfind('.') + 1);
  const std::size_t onto = file.on_path ? 0 : 1;
  if (last_ &&
      SaysOneOf(name,
                {"rename", "renameSync", "replace", "move", "moveSync", "copyFile", "copyFileSync", "copyfile"}) &&
      onto < call.args.size() && IsOwnPath(call.args[onto].value) && (here().deeds & kDidSend) != 0) {
    Raise("RCE-001", call.expr, data, 0, "puts what it has fetched in its own program's place", 0.8);
  }
  if (!file.on_path && call.args.size() >= 2 &&
      (name.starts_with("copy") || name.starts_with("move") || name.starts_with("rename") ||
       name.starts_with("symlink") || SaysOneOf(name, {"cp", "cpSync", "link", "linkSync"}) ||
       call.callee.text == "os.replace")) {
    CopyOnto(call, &file, &data);
  } else if (file.function != nullptr) {
    KeepWritten(call, file, &data);
  }
  if (call.callee.text.starts_with("tarfile.") && call.callee.text.ends_with("extractall") && last_ &&
      call.receiver.Has(kForeign | kToolArgument) &&
      std::none_of(call.args.begin(), call.args.end(),
                   [](const Arg& arg) { return arg.name == "filter" || arg.name == "members"; })) {
    Raise("VULN-003", call.expr, call.receiver, kForeign | kToolArgument,
          "unpacks an archive from outside without a filter: its members may lie anywhere", 1.0);
    Worsen("VULN-003", core::Severity::kHigh);
  }
  if (name == "make_archive" && call.args.size() >= 3) {
    if (Taint kept = KeepArchive(call); kept.labels != 0) return kept;
  }
  if (data.Has(kSecretFile | kStore | kEnvAll | kWeakSecretFile)) MarkCopied(file.path, data);
  JudgeShared(call, name);
  JudgeOverwritten(call, file.taint);
  JudgeWrite(call, file.path, file.taint, data);
  Taint handle;
  return call.entry->role == Role::kFileOpen ? handle : data;
}

// A name out of a list of such names, below the user's folder, is one of them.
PathKind Engine::KindOfFile(const FileAt& file) const {
  PathKind kind = KindOfPath(file.path);
  if (file.path.ends_with("/environ") && Contains(file.path, std::string_view(&kHole, 1)) &&
      Contains(code().text, "/proc/")) {
    kind = PathKind::kSecret;  // of whatever process
  }
  if (kind == PathKind::kPlain && (file.path.empty() || Contains(file.path, std::string_view(&kHole, 1)))) {
    if (file.taint.Has(kSecretName)) kind = LiesBesideSecrets(file.path) ? PathKind::kWeakSecret : PathKind::kSecret;
    if (kind == PathKind::kPlain && file.taint.Has(kWeakSecretName)) kind = PathKind::kWeakSecret;
  }
  return kind;
}

void Engine::JudgeReadPath(const Call& call, const FileAt& file) {
  if (file.taint.Has(kUnchecked) && (here().deeds & kDidPathCheck) == 0 && call.entry->role != Role::kFileList &&
      (file.path.find_first_not_of(std::string("/. ") + kHole) != std::string::npos || file.taint.Has(kBelow) ||
       (file.path.empty() && file.taint.Has(kPieced)))) {
    const bool here_below = (IsEntry() && IsBelow(file.path)) || (file.taint.Has(kRequest) && AsksBelow(file.path));
    const bool below = file.taint.Has(kBelow);
    Raise("VULN-003", call.expr, file.taint, kToolArgument, "reads a path put together from an argument",
          here_below ? 0.9
          : below    ? OneOfSeveral(call, file.taint)
                     : 0.7);
    if (below || here_below) Worsen("VULN-003", core::Severity::kHigh);
  }
}

// What a folder is found to hold. `kept`: what is known to lie there.
Taint Engine::ListFiles(const Call& call, const FileAt& file, PathKind kind, const Taint& kept) {
  Taint found = file.taint.Has(kSecretFile) ? file.taint : Taint();
  found.Join(kept);
  const bool lists = !AnyOf(call.callee.text, {"exists", "isfile", "isdir", "getsize", ".stat", "lstat", "access"});
  if (!lists) return found;
  if (kind == PathKind::kSecret || IsKeyFolder(file.path)) {
    found.Join(Source(kSecretName, call.expr, "lists " + Shown(file.path)));
  } else if (kind == PathKind::kWeakSecret) {
    found.Join(Source(kWeakSecretName, call.expr, "lists " + Shown(file.path)));
  } else if (IsHome(file.path) && !ListsItsOwn(call)) {
    found.Join(Source(kHomeEntry, call.expr, "lists the user's folder"));
  }
  // rglob("*.env"), glob("**/*.pem"): the pattern says what is looked for.
  for (const Arg& arg : call.args) {
    std::string_view pattern = view().Text(arg.value, function_);
    while (pattern.ends_with('*')) pattern.remove_suffix(1);  // "**/.env*"
    pattern.remove_prefix(std::min(pattern.find_last_of("*/") + 1, pattern.size()));
    const PathKind sought = pattern.size() >= 4 ? KindOfPath("/" + std::string(pattern)) : PathKind::kPlain;
    if (sought == PathKind::kSecret || sought == PathKind::kWeakSecret) {
      found.Join(Source(sought == PathKind::kSecret ? kSecretName : kWeakSecretName, call.expr,
                        "looks for " + Shown(pattern)));
    }
  }
  found.labels |= file.taint.labels & kHomeEntry;
  found.Add(kListed);
  return found;
}

// What is read from a file that holds no secrets.
Taint Engine::ReadFile(const Call& call, const FileAt& file, const Taint& kept) {
  // Code does not lie in pictures.
  std::string named = LowerCase(file.path);
  if (named.empty() && file.function != nullptr) {
    const ExprId from = view().Origin(file.on_path        ? file.function->base
                                      : call.args.empty() ? kNone
                                                          : call.args[0].value,
                                      function_);
    if (from < code().exprs.size()) named = LowerCase(TextAt(code().exprs[from].loc).substr(0, 300));
    while (!named.empty() && (named.back() == ')' || named.back() == '"' || named.back() == '\'')) named.pop_back();
  }
  bool picture = false;
  for (const std::string_view end :
       {".png", ".jpg", ".jpeg", ".gif", ".ico", ".bmp", ".webp", ".wav", ".mp3", ".ttf", ".woff", ".woff2", ".pdf"}) {
    picture = picture || named.ends_with(end);
  }
  const bool sheet = std::ranges::any_of(std::to_array<std::string_view>({".svg", ".css", ".csv", ".pem", ".lock"}),
                                         [&](std::string_view end) { return named.ends_with(end); });
  const bool data_file =
      std::ranges::any_of(
          std::to_array<std::string_view>({".dat", ".bin", ".idx", ".pak", ".blob", ".raw", ".map", ".bak", ".tmp"}),
          [&](std::string_view end) { return named.ends_with(end); }) ||
      IsOfPackageItself(named);
  Taint result = Source(picture ? kFileContent | kDecoded
                        : sheet ? kFileContent | kCodedFile
                                : kFileContent,
                        call.expr, file.path.empty() ? std::string("reads a file") : "reads " + Shown(file.path));
  const bool text_file = std::ranges::any_of(std::to_array<std::string_view>({".txt", ".md", ".rst", ".log"}),
                                             [&](std::string_view end) { return named.ends_with(end); });
  if (data_file) result.Add(kDataFile);
  if (text_file) result.Add(kTextFile);
  if (file.taint.Has(kToolArgument)) {
    result.labels |= kToolArgument;
    result.trail[static_cast<std::size_t>(Trail::kGiven)] = file.taint.trail[static_cast<std::size_t>(Trail::kGiven)];
  }
  result.labels |= file.taint.labels & (kArguments | kClipboard);
  result.Join(kept);
  if (call.entry->role == Role::kFileOpen && file.path.empty()) {
    Taint inner = file.taint;
    inner.labels &= kForeign;
    inner.fresh &= kForeign;
    result.Join(inner);
  }
  return result;
}

Taint Engine::JudgeFileRead(Call& call, FileAt* read) {
  FileAt& file = *read;
  const Role role = call.entry->role;
  if (file.path.starts_with("/proc/") && file.path.ends_with("/mem") && !file.path.starts_with("/proc/self")) {
    Raise("MEM-005", call.expr, file.taint, 0, "reads or writes the memory of another process");
    return Source(kStore, call.expr, "reads " + Shown(file.path));
  }
  const PathKind kind = KindOfFile(file);
  if (role == Role::kFileOpen) {
    // An archive or stream over bytes that came from somewhere.
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      if (call.args[i].name == "fileobj" || (i == 0 && file.path.empty())) file.taint.Join(call.taints[i]);
    }
  }
  Use(call, kind == PathKind::kSecret ? Permission::kSecretsRead : Permission::kFilesystemRead, file.path);
  JudgeReadPath(call, file);
  Taint kept = KeptAt(file.path, call.expr);
  if (const auto known = kept_paths_.find(file.path.starts_with("./") ? file.path.substr(2) : file.path);
      known != kept_paths_.end())
    kept.Join(known->second);
  kept.Join(file.taint.Only(kKept));
  if (file.taint.Has(kToolArgument)) kept = {};
  if (role == Role::kFileList) return ListFiles(call, file, kind, kept);
  switch (kind) {
    case PathKind::kSecret:
      return Source(kSecretFile | kFileContent, call.expr, "reads " + Shown(file.path));
    case PathKind::kWeakSecret:
      return Source(kWeakSecretFile | kFileContent, call.expr, "reads " + Shown(file.path));
    default:
      return ReadFile(call, file, kept);
  }
}

Taint Engine::JudgeFile(Call& call) {
  const Role role = call.entry->role;
  FileAt file = FileOf(call);
  if (role == Role::kFileRead && ReadsStandardInput(call, file.path)) {
    Taint input = StandardInput(call.expr);
    input.Add(kFileContent);
    return input;
  }
  const bool writes = role == Role::kFileWrite || (role == Role::kFileOpen && OpensToWrite(call, file.on_path));
  return writes ? JudgeFileWrite(call, &file) : JudgeFileRead(call, &file);
}

Taint Engine::JudgeFileDelete(Call& call) {
  Taint target;
  const Expr* function = FunctionOf(call);
  const ExprId path = Argument(call, call.entry->target, &target);
  std::string text = path != kNone ? Known(path) : std::string();
  if (path == kNone && function != nullptr) text = view().Text(function->base, function_);
  Use(call, Permission::kFilesystemWrite, text);
  JudgeTrigger(call, target, false, {});
  if (path == kNone) target.Join(call.receiver);
  JudgeDelete(call, text, target);
  return {};
}

}  // namespace interlock::scan::code
