// Programs shown in a document: what a whole block of Python or JavaScript does, by what stands in it together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::scan {

struct SnippetHit {
  std::string_view rule;
  base::ByteSpan bytes;  // in the block
  double score = 0.0;
  std::string host = {};
};

// `npm install <package>@<version>`: names to be filled in, which a shell would read as files to be opened. Each sign
// of theirs becomes `_`, so that no byte moves.
void BlankPlaceholders(std::string* command);

// `text`: lower case; `lang`: of the fence, may be empty.
void JudgeSnippet(std::string_view text, std::string_view lang, std::vector<SnippetHit>& out);

}  // namespace interlock::scan
