// What a tool is called with, in programs of languages without a front end, and what becomes of it before a shell has
// it. Engine room of plain_flow.cc.
#pragma once

#include <string_view>

#include "static/plain_statements.h"

namespace interlock::scan {

// $m['params']['arguments'], request.dig("params", "arguments"), message.params.arguments: of a server without a
// library.
[[nodiscard]] bool PlainTakesCall(const PlainStatement& one);
// [McpServerTool], @Tool, #[McpTool]: the next function's parameters are a caller's.
[[nodiscard]] bool PlainOpensTool(PlainLanguage language, std::string_view code);
// A shell reads words that the program puts together: shell_exec("convert " . $file), `convert #{file}`,
// Process.Start("sh", $"-c \"convert {file}\""). Not system("convert", file).
[[nodiscard]] bool PlainFillsShell(PlainLanguage language, const PlainStatement& one);
// Nothing of a shell's signs is left in what comes out: escapeshellarg($file), Shellwords.escape(file), (int) $size.
[[nodiscard]] bool PlainEscapes(const PlainStatement& one);
// if (!preg_match(..., $file)) throw: what does not look as it should goes no farther.
[[nodiscard]] bool PlainChecks(std::string_view code);
// What a statement gives on is what it was given: joined, cut into parts, read as JSON; the answer of no other
// function.
[[nodiscard]] bool PlainOnlyJoins(std::string_view code);

}  // namespace interlock::scan
