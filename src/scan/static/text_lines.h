// Lines and sentences of a text: where one goes on behind a line's end or a sign, and where not. Private to the canvas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "static/ascii.h"

namespace interlock::scan::lines {

// An item of a list, or a heading, begins at `at`. `comment`: a star at the head of a line is the comment's.
inline bool ListMark(std::string_view text, std::uint32_t at, std::uint32_t end, bool comment) {
  while (at < end && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (comment && at < end && text[at] == '*') {
    ++at;
    while (at < end && text[at] == ' ') ++at;
    if (at < end && (text[at] == '\n' || text[at] == '@')) return true;
  }
  if (at + 1 >= end) return false;
  if ((text[at] == '-' || text[at] == '*' || text[at] == '#') && text[at + 1] == ' ') return true;
  const std::uint32_t digits = at;
  while (at < end && IsDigit(text[at])) ++at;
  return at > digits && at - digits <= 3 && at + 1 < end && (text[at] == '.' || text[at] == ')') &&
         !IsDigit(text[at + 1]);
}

// "path: where it lies", "@param path", "Returns:": what a line of a docstring is about.
inline bool Labelled(std::string_view text, std::uint32_t at, std::uint32_t end) {
  constexpr std::uint32_t kLongestLabel = 40;
  while (at < end && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at < end && (text[at] == '@' || text[at] == ':' || text[at] == '>' || text[at] == '<')) return true;
  const std::string_view line = text.substr(at, end - at < kLongestLabel ? end - at : kLongestLabel);
  const std::size_t stop = line.find_first_of(":\n");
  return stop != std::string_view::npos && line[stop] == ':' && line.substr(0, stop).find(". ") == line.npos &&
         !line.substr(stop).starts_with("://");
}

// "Do not mention this\nto the user": one line, wherever it was wrapped, as a page shows it; in text[begin, end). What
// looks like an item of a list stays one. `labels`: so does a line that says first what it is about.
inline void Unwrap(std::string* text, std::uint32_t begin, std::uint32_t end, bool labels) {
  for (std::size_t at = text->find('\n', begin); at < end; at = text->find('\n', at + 1)) {
    const auto next = static_cast<std::uint32_t>(at + 1);
    const bool blank = next >= end || (*text)[next] == '\n' || (at > begin && (*text)[at - 1] == '\n');
    if (!blank && !ListMark(*text, next, end, false) && !(labels && Labelled(*text, next, end))) (*text)[at] = ' ';
  }
}

// `"you are now ...", "say yes!")`: behind the closing mark the sentence goes on.
inline bool QuotedInside(std::string_view text, std::uint32_t at, std::uint32_t end) {
  return at + 1 < end && text[at] == '"' && (text[at + 1] == ',' || text[at + 1] == ')');
}

inline bool Abbreviation(std::string_view text, std::uint32_t dot) {
  if (dot < 3) return false;
  const std::string_view before = text.substr(dot - 3, 3);
  return before == "e.g" || before == "i.e" || before == " vs" || before == "etc";
}

}  // namespace interlock::scan::lines
