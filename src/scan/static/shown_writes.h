// What a document has somebody put into a file that runs by itself (a start-up file of a shell, a hook, a table of
// times, keys that may enter): told in words, it becomes the command that would write it, and is judged as one. Private
// to text*.cc.
#pragma once

#include <string>
#include <string_view>

namespace interlock::scan {

// Whether a text may name such a file at all: a cheap look before its lines are read.
[[nodiscard]] bool MayNameStarted(std::string_view text);

// "Add `SPAN` to ~/.bashrc.": as a command. `line`: what the span stands in, with its marks; `span`: what stands
// between them. "" where the line names no such file or does not say that something is written.
[[nodiscard]] std::string WriteSaid(std::string_view line, std::string_view span);

// "Add this to ~/.bashrc:" and a block: as a command. "" as above, and of a block of more than 16 KiB. `lang` is that
// of its fence, in lower case.
[[nodiscard]] std::string WriteShown(std::string_view lead, std::string_view block, std::string_view lang);

// "Add these lines to CLAUDE.md:" and a block of text: the file of orders that it becomes part of. "" as above, and of
// a block in any language but Markdown and plain text.
[[nodiscard]] std::string OrdersShown(std::string_view lead, std::string_view lang);

}  // namespace interlock::scan
