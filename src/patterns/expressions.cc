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

// Bytes of the sign at `at`: an escape, a part of a class, one character. 0: it is not certain what stands there.
std::size_t SignAt(std::string_view regex, std::size_t at, bool& in_class) {
  const char c = regex[at];
  if (c == '\\' && at + 1 < regex.size()) {
    const char kind = regex[at + 1];
    if (kind == 'Q') return 0;
    if ((kind != 'x' && kind != 'p' && kind != 'P') || regex.substr(at + 2, 1) != "{") return 2;
    const std::size_t end = regex.find('}', at);
    return end == std::string_view::npos ? 0 : end + 1 - at;
  }
  if (!in_class) {
    if (c != '[') return 1;
    in_class = true;
    // A bracket that closes right away is one of the characters.
    std::size_t size = 1;
    if (regex.substr(at + 1, 1) == "^") ++size;
    if (regex.substr(at + size, 1) == "]") ++size;
    return size;
  }
  if (c == '[' && regex.substr(at, 2) == "[:") {
    const std::size_t end = regex.find(":]", at);
    return end == std::string_view::npos ? 0 : end + 2 - at;
  }
  in_class = c != ']';
  return 1;
}

}  // namespace

std::string Loosened(std::string_view regex) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < regex.size();) {
    const std::size_t count = !in_class && regex[i] == '{' ? RepetitionAt(regex, i) : 0;
    const std::size_t size = count != 0 ? count : SignAt(regex, i, in_class);
    if (size == 0) return std::string(regex);
    out += count != 0 ? "*" : regex.substr(i, size);
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
    for (std::size_t i = 0; i < regex.size();) {
      const char c = in_class ? '\0' : regex[i];
      const std::size_t size = SignAt(regex, i, in_class);
      if (size == 0) return whole;
      if (c == '(') {
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
      i += size;
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
