// ECMA-262 regular expressions on RE2. The only place of the validator that knows RE2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/base/result.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace interlock::policy::schema {

// The RE2 spelling of an ECMA-262 (Unicode mode) pattern. Where the two disagree silently (`$`, `.`, `\s`, empty
// classes) the translation spells it out; what RE2 cannot do is kSchemaPattern. Groups do not capture.
[[nodiscard]] base::Result<std::string> TranslatePattern(std::string_view ecma);

class Pattern {
 public:
  [[nodiscard]] static base::Result<Pattern> Compile(std::string_view ecma);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Found anywhere in `text` (valid UTF-8). There is no third answer: RE2 falls back from its DFA to its NFA, which
  // needs no more memory than the program that Compile accepted.
  [[nodiscard]] bool Matches(std::string_view text) const;
  // Steps that one match of `text` is charged with. By the size of the program: a pattern made to overflow the DFA is
  // matched by the NFA, whose time a byte grows with it (11 us a byte at 900 instructions).
  [[nodiscard]] std::uint64_t CostOf(std::string_view text) const noexcept { return 4 + text.size() * weight_ / 64; }

 private:
  Pattern();
  std::unique_ptr<re2::RE2> re_;
  std::uint64_t weight_ = 1;
};

}  // namespace interlock::policy::schema
