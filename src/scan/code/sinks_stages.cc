// What is written, fetched or unpacked at one place of a program, and run at another: the path stands for it.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT: the engine room's own words

namespace {

constexpr std::size_t kMostOfProgram = 4096;
constexpr auto kShells = std::to_array<std::string_view>({".sh", ".bash", ".zsh", ".command", ".ps1", ".bat", ".cmd"});

bool EndsInOne(std::string_view path, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return path.ends_with(end); });
}

}  // namespace

// writeFile(hook, "#!/bin/sh\ncurl ... | sh"), open("/tmp/x.sh", "w").write(...): whoever runs the file runs what is
// fetched. `path`: of the file, as far as it is known.
void Engine::JudgeWrittenProgram(const Call& call, std::string_view path) {
  if (!last_) return;
  const bool script = EndsInOne(path, kShells);
  const bool python = path.ends_with(".py");
  const bool javascript = path.ends_with(".js") || path.ends_with(".mjs") || path.ends_with(".cjs");
  for (const Arg& arg : call.args) {
    const std::string& text = view().Text(arg.value, function_);
    if (text.size() < 8 || text.size() > kMostOfProgram) continue;
    if (python || javascript) {
      const std::string line = (python ? "python3 -c " : "node -e ") + ShellQuoted(text);
      // What a program does with what it is given (decodes and runs it, say) is its user's business.
      if (FetchesAndRuns(line, false)) return JudgeLine(call, line);
      continue;
    }
    if (!script && !text.starts_with("#!")) continue;
    const ShellScript parsed = ParseShell(text, {}, path);
    std::vector<ShellUse> acts = AnalyzeShellScript(parsed, text);
    std::erase_if(acts, [](const ShellUse& act) { return !IsGrave(act); });
    if (!acts.empty()) return JudgeCommand(acts, arg.value, text);
  }
}

// f.write(...): of the file that `f` was opened for.
void Engine::JudgeWrittenByHandle(const Call& call) {
  if (!last_ || !call.IsMethod() || call.args.empty()) return;
  const ExprId handle = view().Origin(call.base->base, function_);
  if (handle >= code().exprs.size() || code().exprs[handle].kind != ExprKind::kCall) return;
  const auto args = code().ArgsOf(code().exprs[handle]);
  for (const Arg& arg : args) {
    // NamedTemporaryFile(suffix=".sh")
    if (arg.name == "suffix") return JudgeWrittenProgram(call, view().Text(arg.value, function_));
  }
  if (!args.empty() && args[0].name.empty()) JudgeWrittenProgram(call, view().Text(args[0].value, function_));
}

// ZipFile(BytesIO(answer)).extractall(folder), new AdmZip(file).extractAllTo(folder), tar.x({file, cwd}): what lies in
// the folder was fetched, where the archive was.
void Engine::KeepUnpacked(const Call& call) {
  constexpr auto kMethods = std::to_array<std::string_view>({"extractall", "extractAllTo", "extractAllToAsync"});
  const bool method = call.IsMethod() && std::ranges::find(kMethods, call.last) != kMethods.end();
  const bool function = SaysOneOf(call.callee.text, {"shutil.unpack_archive", "decompress", "extract-zip", "tar.x",
                                                     "tar.extract", "decompress.default", "extract-zip.default"});
  if (!method && !function) return;
  ExprId archive = kNone;
  Taint held;
  if (method) {
    held = call.receiver;
    const ExprId made = view().Origin(call.base->base, function_);
    if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kCall && code().exprs[made].arg_count > 0)
      archive = code().ArgsOf(code().exprs[made])[0].value;
  } else {
    held = call.all;
    archive = Argument(call, {{.position = 0, .field = "file"}, {.position = 0}}, nullptr);
  }
  if (const Taint* const fetched = FetchedPath(archive, 1)) held.Join(*fetched);
  if (!held.Has(kNetStranger | kNetFile)) return;
  const int at = method ? 0 : 1;
  const ExprId folder = Argument(call,
                                 {{.position = 0, .field = "cwd"},
                                  {.position = 1, .field = "dir"},
                                  {.position = at},
                                  {.name = "path"},
                                  {.name = "extract_dir"}},
                                 nullptr);
  Taint put = held.Only(kNetStranger | kNetBare);
  put.labels = put.fresh = put.labels | kNetStranger;
  MarkPath(folder, put);
}

// sh /tmp/setup.sh, sh /tmp/kit/run.sh: a file that was written before, or one in a folder that was fetched, by the
// text of its path.
const Taint* Engine::WrittenIn(std::string_view command) const {
  for (const auto& [path, taint] : fetched_paths_) {
    const std::size_t at = command.find(path);
    if (at == std::string_view::npos ||
        (at > 0 && std::string_view(" \"'").find(command[at - 1]) == std::string_view::npos))
      continue;
    const std::size_t end = at + path.size();
    if (end == command.size() || std::string_view(" \"';&|").find(command[end]) != std::string_view::npos)
      return &taint;
    if (command[end] != '/') continue;
    std::string_view before = command.substr(0, at);
    while (!before.empty() && std::string_view(" \"'").find(before.back()) != std::string_view::npos)
      before.remove_suffix(1);
    const std::string_view program = before.substr(before.find_last_of(" ;&|(/\n") + 1);
    if (program.empty() || RunsFiles(program, kNone)) return &taint;
  }
  return nullptr;
}

}  // namespace interlock::scan::code
