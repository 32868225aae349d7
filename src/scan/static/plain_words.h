// Words by which languages without a front end start programs, run texts and take the environment. Engine room.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "static/ascii.h"
#include "static/plain_statements.h"

namespace interlock::scan {
namespace plain_words {

inline bool AnyOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

inline bool InWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

// A word of the code, with nothing of a word before it. `plainly`: nor an object, whose method may be another:
// $search->exec(...) is no exec(...).
inline bool Finds(std::string_view code, std::initializer_list<std::string_view> words, bool plainly) {
  for (const std::string_view word : words) {
    for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
      if (at == 0 || !InWord(word.front())) return true;
      const bool member = code[at - 1] == '.' || (at > 1 && code[at - 1] == '>' && code[at - 2] == '-');
      if (!InWord(code[at - 1]) && !(plainly && member)) return true;
    }
  }
  return false;
}
inline bool Calls(std::string_view code, std::initializer_list<std::string_view> words) {
  return Finds(code, words, false);
}
inline bool CallsItself(std::string_view code, std::initializer_list<std::string_view> words) {
  return Finds(code, words, true);
}

}  // namespace plain_words

// Code in lower case, texts as "" (PlainStatement::code).
[[nodiscard]] bool PlainTakesEnvironment(PlainLanguage language, std::string_view code);
// A text that a shell is given.
[[nodiscard]] bool PlainRuns(PlainLanguage language, std::string_view code);
[[nodiscard]] bool PlainEvaluates(PlainLanguage language, std::string_view code);

}  // namespace interlock::scan
