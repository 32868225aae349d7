// The first place of some bytes in others, in linear time whatever they are, and fast for the short ones that words
// are.
#pragma once

#include <cstddef>
#include <string_view>

namespace interlock::base {

// std::string_view::npos where `part` does not stand; 0 for an empty `part`.
[[nodiscard]] std::size_t FindBytes(std::string_view text, std::string_view part) noexcept;
// ... from byte `from` on.
[[nodiscard]] inline std::size_t FindBytes(std::string_view text, std::string_view part, std::size_t from) noexcept {
  if (from > text.size()) return std::string_view::npos;
  const std::size_t found = FindBytes(text.substr(from), part);
  return found == std::string_view::npos ? found : from + found;
}
// Whether it stands there at all.
[[nodiscard]] inline bool HasBytes(std::string_view text, std::string_view part) noexcept {
  return FindBytes(text, part) != std::string_view::npos;
}
// No byte of it is beyond ASCII.
[[nodiscard]] bool IsAscii(std::string_view text) noexcept;

}  // namespace interlock::base
