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

// `text`: lower case; `lang`: of the fence, may be empty.
void JudgeSnippet(std::string_view text, std::string_view lang, std::vector<SnippetHit>& out);

}  // namespace interlock::scan
