// Words by which languages without a front end start programs, run texts and take the environment. Engine room.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

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

// "ssl://host:443": the host of it; "" for what is none.
[[nodiscard]] std::string PlainBareHost(std::string_view text);
// An address of somebody else's, where it is known; the first of a statement.
[[nodiscard]] std::string PlainFarUrl(std::string_view text);
[[nodiscard]] std::string PlainUrlIn(const PlainStatement& one);
// {".env*", "*.pem", "id_*"}
[[nodiscard]] bool PlainMaskOfKeys(std::string_view text);
// A path (lower case) where a tool keeps its keys.
[[nodiscard]] bool PlainKeyStore(std::string_view lower);

// Names of parameters, the first eight; `code` begins with the parenthesis that opens them.
[[nodiscard]] std::vector<std::string> PlainParams(std::string_view code);

}  // namespace interlock::scan
