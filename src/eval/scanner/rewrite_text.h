// The same document in other Markdown, and the same scripts in another folder: what an agent is told stays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/eval/scanner/sample.h"

namespace interlock::eval::scanner {

// `id`: of a rewriting whose language is kMarkdown. The head between `---` stays as it is. `places` 0: unchanged.
[[nodiscard]] std::string RewriteMarkdown(std::string_view source, std::string_view id, std::uint32_t& places);

// The files below the package's own `scripts/` moved to `folder`/, and named so wherever text names them.
[[nodiscard]] ScanSample MoveScripts(const ScanSample& sample, std::string_view folder, std::uint32_t& places);

}  // namespace interlock::eval::scanner
