// Private. Text made comparable in one pass, with a map back: case, white space and the escapes of JSON and YAML
// strings go; line ends and punctuation stay, for they are structure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::injection {

struct Folded {
  std::string text;                   // lower case; runs of blanks are one blank, of line ends at most two
  std::vector<std::uint32_t> origin;  // origin[i] = first original byte of text[i]; one more at the end
  std::vector<std::uint8_t> upper;    // the original byte was an upper-case letter
  [[nodiscard]] base::ByteSpan Back(std::size_t begin, std::size_t end) const {
    return {origin[begin], end > begin ? origin[end] : origin[begin]};
  }
};

// At most 4 GiB - 2 bytes. Linear. Bytes that are not UTF-8 pass through.
void Fold(std::string_view text, Folded& out);

}  // namespace interlock::injection
