// Expressions as text, as far as that can be told without parsing them. Private to the module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace interlock::patterns {

// `regex` with `*` for every counted repetition. As it is where it is not certain what is one.
[[nodiscard]] std::string Loosened(std::string_view regex);

// Some flags in the expression have an `i`.
[[nodiscard]] bool MayIgnoreCase(std::string_view regex);

// The alternatives that an expression is made of: one, where it is not certain what they are, or where they are many.
// `\b` around all of them is left out, which changes nothing of what they need.
[[nodiscard]] std::vector<std::string> Alternatives(std::string_view regex);

}  // namespace interlock::patterns
