// JSON numbers as exact decimals. Works on the text, so 2^53 and 2^53+1 differ and 1.0 equals 1.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::base {

// Whether `text` is exactly one JSON number whose exponent, as written and in canonical form, has at most 18 digits:
// what the JSON reader accepts. The functions below take nothing else; other text is a bug and ends the process, so ask
// first about text that did not come from the reader.
[[nodiscard]] bool IsJsonNumber(std::string_view text) noexcept;

// Canonical text of a valid JSON number: equal numbers have equal text, different numbers different text. Laid out as
// ECMAScript lays out numbers (plain up to 21 digits, else d.ddde+n), with every digit kept. "-0" becomes "0".
[[nodiscard]] std::string NormalizeNumber(std::string_view json_number);

// Exact order of two valid JSON numbers.
[[nodiscard]] std::strong_ordering CompareNumbers(std::string_view a, std::string_view b);

// True when the number has no fractional part ("1.0", "12e-1" is not, "10e-1" is).
[[nodiscard]] bool IsInteger(std::string_view json_number);

// Whether `value` is an exact multiple of `divisor`. Nothing when `divisor` is not above zero, or when telling would
// cost more than the work budget: a divisor of over 18 digits and over 400 digits in all. Unknown is not "yes".
[[nodiscard]] std::optional<bool> IsMultipleOf(std::string_view value, std::string_view divisor);

}  // namespace interlock::base
