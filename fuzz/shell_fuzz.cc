// links: base core scan
// mutates: tokens
// Any bytes as a shell script: parsing and judging never crash, and every index points backwards or at what exists.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../src/scan/code/shell.h"

namespace {

using namespace interlock::scan::code;

void Check(bool holds) {
  if (!holds) std::abort();
}

void Read(std::string_view text, std::string_view path) {
  const ShellScript script = ParseShell(text, {}, path);
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const ShellCommand& command = script.commands[i];
    Check(command.loc.begin <= command.loc.end && command.loc.end <= text.size());
    Check(command.pipe_from == kNone || command.pipe_from < i);
    Check(command.pipe_first == kNone || command.pipe_first <= command.pipe_from);
    Check(command.parent == kNone || command.parent < i);
    for (const ShellWord& word : command.words) {
      Check(word.loc.end <= text.size());
      for (const std::uint32_t inner : word.commands) Check(inner < script.commands.size());
    }
  }
  for (const ShellFunction& function : script.functions)
    Check(function.first <= function.end && function.end <= script.commands.size());
  for (const ShellUse& use : AnalyzeShellScript(script, text)) {
    Check(use.command == kNone || use.command < script.commands.size());  // kNone: of the script as a whole
    Check(use.loc.end <= text.size());
    Check(use.gravity <= (use.act == ShellAct::kPermission ? 3 : 2) && use.obfuscation <= 3);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Read(text, {});
  Read(text, "x.ps1");
  return 0;
}
