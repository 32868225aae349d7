// What the artifact's regular expressions and Python's text functions find, written as scanners: linear, no
// backtracking past a few characters. Private to the module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"

namespace interlock::eval::agent_sentry {

// Lower case, all but [a-z0-9] removed.
[[nodiscard]] std::string Norm(std::string_view text);
// Lower case, all but [a-z0-9] one space between words, none at the ends.
[[nodiscard]] std::string Canon(std::string_view text);
// Both at once; `padded` is Canon with a space at both ends, one space for a text without any word.
struct CanonForms {
  std::string padded;
  std::string norm;
};
[[nodiscard]] CanonForms CanonOf(std::string_view text);

enum class FormatKind : unsigned char { kIban, kEmail, kUrl, kDate, kPhone };
inline constexpr std::size_t kFormatKinds = 5;
// Sorted, without repetition, in the form that is compared.
[[nodiscard]] std::vector<std::string> FindFormats(FormatKind kind, std::string_view text);
// Sorted, without repetition. A long digit string falls into groups of three: "12345" is 123 and 45.
[[nodiscard]] std::vector<double> FindNumbers(std::string_view text);

// Python's str() of a JSON number: integers as written, floats in their shortest form ("1000.00" is "1000.0").
[[nodiscard]] std::string PythonNumber(std::string_view json_number);
// Python's json.dumps with its defaults. Nesting is bounded by what JsonDoc accepts.
[[nodiscard]] std::string PythonDumps(base::JsonValue value);

}  // namespace interlock::eval::agent_sentry
