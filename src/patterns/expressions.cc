#include "expressions.h"

#include <cstddef>

namespace interlock::patterns {
namespace {

constexpr std::size_t kMaxAlternatives = 64;

// Bytes of the repetition `{n}`, `{n,}` or `{n,m}` at `at`; 0: it is none.
std::size_t RepetitionAt(std::string_view regex, std::size_t at) {
  std::size_t i = at + 1;
  const std::size_t digits = i;
  const auto digit = [&] { return i < regex.size() && regex[i] >= '0' && regex[i] <= '9'; };
  while (digit()) ++i;
  if (i == digits) return 0;
  if (i < regex.size() && regex[i] == ',') ++i;
  while (digit()) ++i;
  return i < regex.size() && regex[i] == '}' ? i + 1 - at : 0;
}

}  // namespace

std::string Loosened(std::string_view regex) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < regex.size();) {
    const char c = regex[i];
    std::size_t size = 1;
    if (c == '\\' && i + 1 < regex.size()) {
      const char kind = regex[i + 1];
      if (kind == 'Q') return std::string(regex);
      size = 2;
      if ((kind == 'x' || kind == 'p' || kind == 'P') && i + 2 < regex.size() && regex[i + 2] == '{') {
        const std::size_t end = regex.find('}', i);
        if (end == std::string_view::npos) return std::string(regex);
        size = end + 1 - i;
      }
    } else if (in_class) {
      if (c == '[' && regex.substr(i, 2) == "[:") {
        const std::size_t end = regex.find(":]", i);
        if (end == std::string_view::npos) return std::string(regex);
        size = end + 2 - i;
      } else if (c == ']') {
        in_class = false;
      }
    } else if (c == '[') {
      in_class = true;
      // A bracket that closes right away is one of the characters.
      if (regex.substr(i + 1, 1) == "^") ++size;
      if (regex.substr(i + size, 1) == "]") ++size;
    } else if (c == '{') {
      if (const std::size_t count = RepetitionAt(regex, i); count != 0) {
        out += '*';
        i += count;
        continue;
      }
    }
    out += regex.substr(i, size);
    i += size;
  }
  return out;
}

bool MayIgnoreCase(std::string_view regex) {
  for (std::size_t at = regex.find("(?"); at != std::string_view::npos; at = regex.find("(?", at + 2)) {
    const std::string_view flags = regex.substr(at + 2);
    if (flags.substr(0, flags.find_first_of(":)")).find('i') != std::string_view::npos) return true;
  }
  return false;
}

std::vector<std::string> Alternatives(std::string_view regex) {
  std::string flags;
  if (regex.starts_with("(?")) {
    const std::size_t end = regex.find_first_not_of("imsU-", 2);
    if (end != std::string_view::npos && end > 2 && regex[end] == ')') {
      flags = regex.substr(0, end + 1);
      regex.remove_prefix(end + 1);
    }
  }
  const std::vector<std::string> whole = {flags + std::string(regex)};
  std::vector<std::string> out;
  for (int unwrapped = 0; unwrapped < 4; ++unwrapped) {
    out.clear();
    std::size_t depth = 0;
    std::size_t begin = 0;
    std::size_t first_close = std::string_view::npos;  // of the group that it begins with
    bool in_class = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
      const char c = regex[i];
      if (c == '\\') {
        if (i + 1 >= regex.size() || regex[i + 1] == 'Q') return whole;
        ++i;
      } else if (in_class) {
        if (c == '[' && regex.substr(i, 2) == "[:") {
          i = regex.find(":]", i);
          if (i == std::string_view::npos) return whole;
          ++i;
        } else if (c == ']') {
          in_class = false;
        }
      } else if (c == '[') {
        in_class = true;
        if (regex.substr(i + 1, 1) == "^") ++i;
        if (regex.substr(i + 1, 1) == "]") ++i;
      } else if (c == '(') {
        // Flags from here on, or for a group: they would be lost.
        if (regex.substr(i + 1, 1) == "?" && regex.substr(i + 2, 1) != ":") return whole;
        ++depth;
      } else if (c == ')') {
        if (depth == 0) return whole;
        if (--depth == 0 && first_close == std::string_view::npos) first_close = i;
      } else if (c == '|' && depth == 0) {
        out.push_back(flags + std::string(regex.substr(begin, i - begin)));
        begin = i + 1;
      }
    }
    if (depth != 0 || in_class) return whole;
    out.push_back(flags + std::string(regex.substr(begin)));
    if (out.size() > 1) return out.size() <= kMaxAlternatives ? out : whole;
    // \b(?: ... )\b
    std::string_view inner = regex;
    if (inner.starts_with("\\b")) inner.remove_prefix(2);
    if (inner.ends_with("\\b") && !inner.ends_with("\\\\b")) inner.remove_suffix(2);
    const std::size_t offset = static_cast<std::size_t>(inner.data() - regex.data());
    if (!inner.starts_with('(') || first_close != offset + inner.size() - 1) return whole;
    inner.remove_suffix(1);
    inner.remove_prefix(inner.starts_with("(?:") ? 3 : 1);
    regex = inner;
  }
  return whole;
}

}  // namespace interlock::patterns
