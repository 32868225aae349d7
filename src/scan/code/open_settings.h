// The words by which a coding agent, or a host of servers, is told to ask nothing any more: one list for all that look
// for them, in programs, shell scripts, settings that a package brings, and settings that it writes. Private to
// src/scan.
#pragma once

#include <string>
#include <string_view>

namespace interlock::scan::code {

// A word of a command line that starts an agent with its questions switched off: `--yolo`.
[[nodiscard]] bool IsFreeFlag(std::string_view word);
// A mode or a permission without any limit, as settings spell it and nothing beside it: `bypassPermissions`, `Bash(*)`.
[[nodiscard]] bool IsOpenMode(std::string_view literal);
// Lower case. Such a mode anywhere in a text; empty: none.
[[nodiscard]] std::string_view OpenModeIn(std::string_view lower);
// Settings without blanks and quotes (`Bare`), by which every command or call goes through: `alwaysallow:[*]`; empty:
// none.
[[nodiscard]] std::string_view OpenSettingIn(std::string_view bare);

// Lower case to what OpenSettingIn reads.
[[nodiscard]] std::string Bare(std::string_view lower);

// {permissionMode: "bypassPermissions"}, ["--permission-mode", "bypassPermissions"], flags["dangerously-..."]: how an
// agent is run once, which whoever starts it says; settings keep it as `defaultMode`. And {"bypassPermissions": [...]}:
// what a mode means elsewhere. `text[literal]` is the first letter behind its quote.
[[nodiscard]] bool IsOfOneRun(std::string_view text, std::size_t literal, std::size_t size);

}  // namespace interlock::scan::code
