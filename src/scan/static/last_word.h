// The name of a file in a sentence: "Add this to `~/.zshrc`:". Private to text*.cc and what they show.
#pragma once

#include <cstddef>
#include <string_view>

namespace interlock::scan {

// The last word of the text that `is_one` holds of, without marks, full stops and letters of scripts that write no
// blank beside a name; no address. `except` is a part of the text that is not searched. "" for none.
[[nodiscard]] std::string_view LastWordThat(std::string_view text, std::string_view except, const auto& is_one) {
  constexpr std::string_view kBetween = " \t\r\n`\"'()<>,;:*";
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLongest = 120;
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t last = text.find_last_not_of(kBetween, end - 1);
    if (last == std::string_view::npos) return {};
    const std::size_t before = text.find_last_of(kBetween, last);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view word = text.substr(begin, last + 1 - begin);
    end = begin;
    if (!except.empty() && word.data() >= except.data() && word.data() < except.data() + except.size()) continue;
    while (!word.empty() && word.back() == '.') word.remove_suffix(1);
    const auto foreign = [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; };
    while (!word.empty() && foreign(word.back())) word.remove_suffix(1);
    while (!word.empty() && foreign(word.front())) word.remove_prefix(1);
    if (word.size() < kShortest || word.size() > kLongest || word.find("://") != std::string_view::npos) continue;
    if (is_one(word)) return word;
  }
  return {};
}

}  // namespace interlock::scan
