// Constants as they stand in a file of code, found by their quotes: for questions that a package's files answer
// together and that need no syntax tree. Engine room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "interlock/base/find_bytes.h"
#include "static/analysis.h"
#include "static/ascii.h"

namespace interlock::scan {

[[nodiscard]] inline bool SaysAny(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return base::HasBytes(text, word); });
}
[[nodiscard]] inline bool SaysAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return SaysAny(text, std::span<const std::string_view>(words.begin(), words.size()));
}

// Whether the word, or one that begins with it, stands in the text; both in lower case. What follows a dot (`.ssh`) is
// a name, not a word.
[[nodiscard]] inline bool SaysWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool inside = at > 0 && ((text[at - 1] >= 'a' && text[at - 1] <= 'z') || text[at - 1] == '.');
    if (!inside) return true;
  }
  return false;
}

// Calls `say(offset, text)` for each quoted string on a line of code that is no comment; of a shell script for each
// word. Strings over several lines are left out. Linear in the file's first MiB.
template <class Say>
void ForEachLiteral(const FileContext& file, Say&& say) {
  constexpr std::size_t kMaxScanned = std::size_t{1} << 20U;
  constexpr std::string_view kBetween = " \t\"'()=;|&<>$@";
  constexpr std::string_view kAfter = " \t\"'();|&<>";
  const bool ticks = file.type != FileType::kPython;
  const auto quotes = [ticks](char c) { return c == '"' || c == '\'' || (c == '`' && ticks); };
  const std::string_view text = file.text().substr(0, kMaxScanned);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t from = at;
    at = end + 1;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#' || line[first] == '*' || line.substr(first, 2) == "//" ||
        line.substr(first, 2) == "/*") {
      continue;
    }
    std::size_t i = 0;
    while (i < line.size()) {
      if (file.type == FileType::kShell) {
        const std::size_t begin = line.find_first_not_of(kBetween, i);
        if (begin == std::string_view::npos) break;
        i = std::min(line.find_first_of(kAfter, begin), line.size());
        say(from + begin, line.substr(begin, i - begin));
      } else {
        const auto open = static_cast<std::size_t>(std::find_if(line.begin() + i, line.end(), quotes) - line.begin());
        const std::size_t close = open == line.size() ? std::string_view::npos : line.find(line[open], open + 1);
        if (close == std::string_view::npos) break;
        say(from + open + 1, line.substr(open + 1, close - open - 1));
        i = close + 1;
      }
    }
  }
}

// The first literal of which it is true; empty: none.
template <typename Is>
base::ByteSpan FirstLiteral(const FileContext& file, Is is) {
  base::ByteSpan first;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    if (first.end == 0 && is(literal)) first = {at, at + literal.size()};
  });
  return first;
}

}  // namespace interlock::scan
