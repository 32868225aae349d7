#include "static/front_matter.h"

#include <algorithm>

namespace interlock::scan {

FrontMatter FindFrontMatter(std::string_view text) noexcept {
  constexpr std::size_t kLongest = std::size_t{256} << 10;
  constexpr std::size_t kLongestRule = 5;  // `---`, a space, a carriage return
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
  if (text.substr(at, 3) != "---") return {};
  const std::size_t line = text.find('\n', at);
  if (line == std::string_view::npos || line - at > kLongestRule) return {};
  const std::size_t begin = line + 1;
  for (std::size_t i = begin; i < text.size() && i - begin < kLongest;) {
    const std::size_t stop = std::min(text.find('\n', i), text.size());
    std::string_view row = text.substr(i, stop - i);
    while (!row.empty() && (row.back() == '\r' || row.back() == ' ')) row.remove_suffix(1);
    if (row == "---" || row == "...") return {begin, i, std::min(stop + 1, text.size())};
    i = stop + 1;
  }
  return {};
}

}  // namespace interlock::scan
