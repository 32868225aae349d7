// Programs shown in a document: blocks of Python and JavaScript read as files of code are, since an agent that follows
// the document runs them. What only the words of a block tell is text_snippets.h's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// Whether a block in this language (of its fence, lower case) may do what JudgeShownCode() finds; cheap.
[[nodiscard]] bool MayHarm(std::string_view text, std::string_view lang);

// Malice of the block by itself; bytes are in `text`. Scale is lower than a file's: a document shows, it does not run.
void JudgeShownCode(std::string_view text, std::string_view lang, std::uint32_t file, const RuleSet& rules,
                    std::vector<RawFinding>& out);

}  // namespace interlock::scan
