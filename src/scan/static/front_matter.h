// The head of an instruction file between `---` and `---` (or `...`): found the same way by all who read it, as the
// hosts that load such files do: after a byte order mark or blank lines, with any line ends. Engine room.
#pragma once

#include <cstddef>
#include <string_view>

namespace interlock::scan {

struct FrontMatter {
  std::size_t begin = 0;  // of its first line, the one after `---`
  std::size_t end = 0;    // of its last line, with that line's end
  std::size_t body = 0;   // of the text after the closing line; 0: there is no such head
  [[nodiscard]] bool found() const noexcept { return body != 0; }
  // Its lines and the line end before them, so that every key stands after one. `text`: the one it was found in.
  [[nodiscard]] std::string_view lines(std::string_view text) const {
    return found() ? text.substr(begin - 1, end - begin + 1) : std::string_view();
  }
};

// Heads longer than 256 KiB are none.
[[nodiscard]] FrontMatter FindFrontMatter(std::string_view text) noexcept;

}  // namespace interlock::scan
