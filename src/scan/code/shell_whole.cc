// What a PowerShell script says as a whole, where no single command does.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "code/shell.h"
#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {
namespace {

constexpr std::size_t kMostRead = std::size_t{256} << 10U;

// 'x/elpmaxe.host//:sptth' mri( xei': a text between quotes that is a command when it is read backwards. Where it
// stands; end 0: nowhere.
Loc BackwardCommand(std::string_view text) {
  constexpr std::size_t kShortest = 12;
  constexpr std::size_t kLongest = 4'000;
  for (std::size_t open = text.find_first_of("\"'"); open != std::string_view::npos;) {
    const std::size_t shut = text.find(text[open], open + 1);
    if (shut == std::string_view::npos) {  // an apostrophe: the last of its kind
      open = text.find_first_of("\"'", open + 1);
      continue;
    }
    const std::size_t size = shut - open - 1;
    if (size >= kShortest && size <= kLongest) {
      std::string turned = LowerCase(text.substr(open + 1, size));
      const std::string plain = turned;
      std::ranges::reverse(turned);
      constexpr auto kSigns = std::to_array<std::string_view>(
          {"http://", "https://", "iex ", "iex(", "invoke-", "downloadstring", "frombase64", "start-process"});
      const auto says = [&](const std::string& said) {
        return std::ranges::any_of(kSigns, [&](std::string_view sign) { return Has(said, sign); });
      };
      if (says(turned) && !says(plain)) return {static_cast<std::uint32_t>(open + 1), static_cast<std::uint32_t>(shut)};
    }
    // A quote within the other kind of quotes opens nothing; one on its own does not hide the rest.
    open = text.find_first_of("\"'", size <= kLongest ? shut + 1 : open + 1);
  }
  return {};
}

}  // namespace

void JudgeWholePowerShell(const ShellScript& script, std::string_view text, std::vector<ShellUse>& uses) {
  // Functions of the system's library by their names: memory that is made, filled and run.
  const auto says = [&](std::string_view word) { return Has(text, word); };
  const bool makes = says("VirtualAlloc") || says("VirtualProtect") || says("NtAllocateVirtualMemory");
  const bool fills = says("Marshal]::Copy") || says("WriteProcessMemory") || says("RtlMoveMemory");
  const bool starts = says("CreateThread") || says("CreateRemoteThread") || says("QueueUserAPC") ||
                      says("GetDelegateForFunctionPointer");
  const std::string lower = LowerCase(text.substr(0, kMostRead));
  const auto tells = [&](std::string_view word) { return Has(lower, word); };
  const bool runs = tells("iex ") || tells("iex(") || tells("invoke-expression") || tells("[scriptblock]::create");
  const auto raise = [&](ShellAct act, std::string_view detail, Loc at) {
    ShellUse use;
    use.act = act;
    use.loc = at;
    use.detail = detail;
    use.gravity = 2;
    uses.push_back(std::move(use));
  };
  const Loc first = script.commands.front().loc;
  // A client's stream is read, what it brings is run, and what that says is written back.
  if (tells("sockets.tcpclient") && tells(".getstream(") && tells(".read") && tells(".write") &&
      (runs || tells("process]::start") || tells("start-process"))) {
    raise(ShellAct::kReverseShell, "a socket", first);
  }
  if (makes && fills && starts) raise(ShellAct::kInject, "machine code is written to memory and run", first);
  if (runs && (tells("..0]") || tells("[-1..-") || tells("]::reverse("))) {
    if (const Loc at = BackwardCommand(text.substr(0, kMostRead)); at.end != 0) {
      raise(ShellAct::kDecodeAndRun, "a text that stands backwards", at);
      uses.back().obfuscation = 2;
    }
  }
}

}  // namespace interlock::scan::code::shell
