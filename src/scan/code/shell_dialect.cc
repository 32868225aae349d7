// Which shell a text without a name is written for.
#include <algorithm>

#include "code/shell_internal.h"
#include "interlock/base/find_bytes.h"
#include "static/bigrams.h"

namespace interlock::scan::code::shell {
namespace {

constexpr Phrase kCmdlets[] = {"invoke-webrequest",
                               "invoke-expression",
                               "invoke-restmethod",
                               "write-host",
                               "new-object ",
                               "$env:",
                               "get-childitem",
                               "set-content",
                               "get-content",
                               "foreach-object",
                               "start-process",
                               "remove-item",
                               "set-executionpolicy",
                               "[system.",
                               "[convert]::",
                               "[text.encoding]",
                               "iwr ",
                               "irm ",
                               "| iex",
                               "|iex",
                               "iex ",
                               "iex(",
                               "$psscriptroot",
                               "-erroraction",
                               "register-scheduledtask",
                               "new-item ",
                               "test-path "};

}  // namespace

ShellDialect DialectOf(std::string_view text, std::string_view path) {
  // What runs a file is chosen by its name there; its text may say as little as one cmdlet that nobody lists.
  const std::string name = LowerCase(path.substr(path.size() - std::min<std::size_t>(path.size(), 5)));
  if (name.ends_with(".ps1") || name.ends_with(".psm1")) return ShellDialect::kPowerShell;
  if (name.ends_with(".bat") || name.ends_with(".cmd")) return ShellDialect::kBatch;
  std::string head = LowerCase(text.substr(0, 16 << 10));
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  if (head.starts_with("#!")) {
    return head.substr(0, head.find('\n')).find("pwsh") != std::string::npos ? ShellDialect::kPowerShell
                                                                             : ShellDialect::kPosix;
  }
  std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) return ShellDialect::kPosix;
  std::string_view rest = std::string_view(head).substr(start);
  if (rest.starts_with("@echo") || rest.starts_with("setlocal") || rest.starts_with("rem "))
    return ShellDialect::kBatch;
  bool power = false;
  bool batch = false;
  // What no line has is not looked for in each.
  Bigrams pairs;
  pairs.Read(head);
  const bool cmdlets = std::ranges::any_of(kCmdlets, [&](const Phrase& word) { return pairs.MayHave(word); });
  const bool named = base::HasBytes(head, "powershell") || base::HasBytes(head, "pwsh");
  const bool percents = head.find('%') != std::string::npos;
  std::size_t line = 0;
  while (line < head.size()) {
    std::size_t end = std::min(head.find('\n', line), head.size());
    std::string_view view = std::string_view(head).substr(line, end - line);
    line = end + 1;
    std::size_t first = view.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    view.remove_prefix(first);
    if (view.ends_with('\r')) view.remove_suffix(1);
    if (view == "fi" || view == "done" || view == "esac" || view.ends_with("; then") || view.ends_with("; do") ||
        view.starts_with("export ")) {
      return ShellDialect::kPosix;
    }
    if (named && (base::HasBytes(view, "powershell") || base::HasBytes(view, "pwsh"))) continue;
    if (view.starts_with("@echo off") || (percents && (base::HasBytes(view, "%\\") || base::HasBytes(view, "%~dp0")))) {
      batch = true;
    }
    if (!cmdlets) continue;
    for (const Phrase& word : kCmdlets) {
      const std::size_t at = base::FindBytes(view, word.text());
      if (at == std::string_view::npos) continue;
      if (at > 0 && IsNameStart(view[at - 1])) continue;
      power = true;
      break;
    }
  }
  return power ? ShellDialect::kPowerShell : batch ? ShellDialect::kBatch : ShellDialect::kPosix;
}

}  // namespace interlock::scan::code::shell
