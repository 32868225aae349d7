// The first place of some bytes in others, in linear time whatever they are, and fast for the short ones that words
// are.
#pragma once

#include <cstddef>
#include <string_view>

namespace interlock::base {

// std::string_view::npos where `part` does not stand; 0 for an empty `part`.
[[nodiscard]] std::size_t FindBytes(std::string_view text, std::string_view part) noexcept;

}  // namespace interlock::base
