// Programs in languages that have no front end, as statements: words, texts and names. Engine room of plain_flow.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::scan {

enum class PlainLanguage : std::uint8_t {
  kNone,
  kRuby,
  kPerl,
  kPhp,
  kLua,
  kAppleScript,
  kJava,  // Kotlin, Scala and Groovy too
  kCSharp,
  kSwift,
  kR,
  kVisualBasic,  // script
  kDart,
  kElixir,
  kJulia,
};
// By the ending of the name; kNone for what is no program, or has a front end.
[[nodiscard]] PlainLanguage PlainLanguageOf(std::string_view path);

// A text in quotes. What is put into it while the program runs stands as kPlainHole.
inline constexpr char kPlainHole = '\x01';
struct PlainText {
  std::string text;
  bool runs = false;  // between backticks: a command
};

struct PlainStatement {
  base::ByteSpan bytes;
  std::string code;                // lower case, texts as "", comments gone, blanks single
  std::vector<PlainText> texts;    // in order
  std::vector<std::string> names;  // every word of the code and within texts, as written, without $ and @
};

// Statements in order; ends of lines, `;` and braces part them, unless a parenthesis is open or the next line goes on.
// Total on any bytes, linear; at most 200,000 statements of the first 2 MiB. `complete`: set to whether all were read.
[[nodiscard]] std::vector<PlainStatement> ReadPlainStatements(std::string_view text, PlainLanguage language,
                                                              bool* complete);

}  // namespace interlock::scan
