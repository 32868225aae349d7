// Letters, words and blanks of ASCII, as every reader of texts needs them. Engine room.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace interlock::scan {

[[nodiscard]] constexpr bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool IsLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

[[nodiscard]] inline std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
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

}  // namespace interlock::scan
