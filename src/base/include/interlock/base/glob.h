// Globs over names and paths, linear time, no recursion.
//   *   any run of characters except '/'      **  any run of characters, '/' included
//   ?   one character except '/'              [abc] [a-z] [!x]  one of a set       \x  the character x
//   {a,b}  alternatives (not nested)
// A character is a code point, or one byte where the text is not UTF-8. A set, also a negated one, never matches '/'.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::base {

class Glob {
 public:
  // kInvalidArgument for an unclosed or empty set, an unclosed or nested brace, a trailing backslash, more than 64
  // alternatives, or over 4096 bytes.
  [[nodiscard]] static Result<Glob> Compile(std::string_view pattern);
  [[nodiscard]] bool Matches(std::string_view text) const noexcept;
  // True when the pattern has no special character: it matches exactly `pattern()` unescaped.
  [[nodiscard]] bool is_literal() const noexcept { return is_literal_; }
  [[nodiscard]] const std::string& literal() const noexcept { return literal_; }  // only if is_literal()
  [[nodiscard]] const std::string& pattern() const noexcept { return pattern_; }

 private:
  friend class GlobCompiler;
  struct Atom {
    enum class Kind : unsigned char { kChar, kAnyChar, kStar, kDoubleStar, kSet } kind;
    char32_t value = 0;  // the character, or the index of the set
  };
  struct CharSet {
    std::vector<std::pair<char32_t, char32_t>> ranges;
    bool negated = false;
    [[nodiscard]] bool Has(char32_t c) const noexcept;
  };
  struct Program {
    std::vector<Atom> atoms;
    std::vector<CharSet> sets;
  };
  static bool MatchProgram(const Program& program, std::string_view text) noexcept;
  std::string pattern_;
  std::string literal_;
  bool is_literal_ = false;
  std::vector<Program> alternatives_;
};

// Lexical canonical form of an absolute or relative POSIX path: "//", "/./", trailing "/" removed, ".." resolved; a
// relative path that climbs out keeps its leading "..". NUL bytes are kInvalidArgument. Does not touch the file system.
[[nodiscard]] Result<std::string> CanonicalPath(std::string_view path);

}  // namespace interlock::base
