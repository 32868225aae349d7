// Commands and programs among the text of a document. Private to text.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "static/text_canvas.h"

namespace interlock::scan {

[[nodiscard]] bool IsShellName(std::string_view lang);
// A block in one of these is read as commands only where it begins with one: its other lines are inside strings.
[[nodiscard]] bool IsProgramLanguage(std::string_view lang);
// ... that is no comment.
[[nodiscard]] std::string_view FirstLine(std::string_view text);
// A block without a language whose first word is a program that fetches or runs.
[[nodiscard]] bool LooksLikeShell(std::string_view text);
// A whole word of a command line: `curl`, `python3`.
[[nodiscard]] bool IsProgramName(std::string_view word);
// "(e.g. `rm -rf /`)": one of its kind; `tick`: where the span opens.
[[nodiscard]] bool IsGivenAsExample(std::string_view shown, std::size_t tick);
// "Never run `rm -rf /`"; not "do not forget to run `make`".
[[nodiscard]] bool ForbiddenBefore(const TextCanvas& canvas, std::uint32_t sentence, std::uint32_t from);
// "`rm -rf /` remains blocked"; not "if it is blocked".
[[nodiscard]] bool RefusedBehind(const TextCanvas& canvas, std::uint32_t sentence, std::uint32_t from);

}  // namespace interlock::scan
