// The words of arguments and results as the features compare them. Private to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace interlock::bounds {

inline constexpr std::size_t kLongValue = 60;  // bytes; longer arguments are texts

// Hashes of the words and identifiers of `text`, without stop words; sorted and unique when asked.
void Tokens(std::string_view text, std::size_t limit, bool sorted, std::vector<std::uint32_t>& out);
[[nodiscard]] bool Holds(std::span<const std::uint32_t> sorted, std::uint32_t token) noexcept;
// Of `tokens` that are in `sorted`; 1 for none.
[[nodiscard]] float Share(std::span<const std::uint32_t> tokens, std::span<const std::uint32_t> sorted) noexcept;

// Of one word: what names a place that money, words or rights can go to.
enum class Shape : std::uint8_t { kNone, kMail, kLink, kAccount };
[[nodiscard]] Shape ShapeOf(std::string_view word) noexcept;

}  // namespace interlock::bounds
