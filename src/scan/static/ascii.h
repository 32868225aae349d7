// Letters, words and blanks of ASCII, as every reader of texts needs them. Engine room.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace interlock::scan {

[[nodiscard]] constexpr bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool IsLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

[[nodiscard]] inline std::string LowerCase(std::string_view text) {
  std::string out(text);
  // Eight letters at a time: bit 7 of a byte's sum tells whether it reached 'A', or went past 'Z'.
  constexpr std::uint64_t kEach = 0x0101010101010101U;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= out.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, out.data() + i, sizeof(word));
    const std::uint64_t low = word & (kEach * 0x7FU);
    const std::uint64_t from_a = low + kEach * (0x80U - 'A');
    const std::uint64_t past_z = low + kEach * (0x7FU - 'Z');
    word |= ((from_a ^ past_z) & ~word & (kEach * 0x80U)) >> 2U;
    std::memcpy(out.data() + i, &word, sizeof(word));
  }
  for (; i < out.size(); ++i) {
    if (out[i] >= 'A' && out[i] <= 'Z') out[i] = static_cast<char>(out[i] - 'A' + 'a');
  }
  return out;
}

// Without blanks and ends of lines around it.
[[nodiscard]] inline std::string_view Trim(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

[[nodiscard]] inline bool Among(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
  return std::ranges::find(words, word) != words.end();
}
template <std::size_t N>
[[nodiscard]] bool Among(std::string_view word, const std::array<std::string_view, N>& words) noexcept {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace interlock::scan
