// Files of settings that a document shows: whoever follows it writes them, so each is read as the file that it becomes.
// Private to text*.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// What a block of a fence's language (lower case) is a file of: the last file name in `lead`, the text before the
// block, or its first line's comment; else a name by what stands in it. "": no file of settings.
[[nodiscard]] std::string PathOfShown(std::string_view lang, std::string_view block, std::string_view lead);

// What a package that holds this file and nothing else is found to do, malice and weaknesses; bytes are in `block`. A
// document shows: scale is lower than a file's. At most 64 KiB are read; longer ones not at all. `orders`: what its
// words say counts as well, for no document reads a block's words.
void JudgeShownFile(std::string path, std::string_view block, std::uint32_t file, const RuleSet& rules,
                    std::vector<RawFinding>& out, bool orders = false);

}  // namespace interlock::scan
