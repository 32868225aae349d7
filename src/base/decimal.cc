#include "interlock/base/decimal.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "decimal_view.h"
#include "interlock/base/check.h"
#include "number_scan.h"

namespace interlock::base {
namespace internal {
namespace {

void StripLeadingZeros(std::string_view& digits) noexcept {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
}

void StripTrailingZeros(std::string_view& digits) noexcept {
  const std::size_t last = digits.find_last_not_of('0');
  digits = digits.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::optional<DecimalView> ParseDecimal(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  if (text.empty() || ScanNumber(text.data(), end) != end) return std::nullopt;
  DecimalView out;
  out.negative = text.front() == '-';
  if (out.negative) text.remove_prefix(1);

  std::int64_t exponent = 0;
  if (const std::size_t at = text.find_first_of("eE"); at != std::string_view::npos) {
    std::string_view digits = text.substr(at + 1);
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    for (const char c : digits) exponent = exponent * 10 + (c - '0');
    if (negative) exponent = -exponent;
    text = text.substr(0, at);
  }
  const std::size_t dot = text.find('.');
  out.head = text.substr(0, dot);
  if (dot != std::string_view::npos) out.tail = text.substr(dot + 1);

  StripTrailingZeros(out.tail);
  StripLeadingZeros(out.head);
  out.point = exponent + static_cast<std::int64_t>(out.head.size());
  if (out.head.empty()) {
    const std::size_t before = out.tail.size();
    StripLeadingZeros(out.tail);
    out.point -= static_cast<std::int64_t>(before - out.tail.size());
  }
  if (out.tail.empty()) StripTrailingZeros(out.head);
  if (out.is_zero()) return DecimalView{};
  // The canonical exponent must itself be one that is accepted, so that canonical text always reads back.
  if (out.point - 1 > kMaxExponent || out.point - 1 < -kMaxExponent) return std::nullopt;
  return out;
}

}  // namespace internal

namespace {

using internal::DecimalView;
using internal::ParseDecimal;

// A divisor below 10^18 leaves room to append one digit in 64 bits.
constexpr std::int64_t kSmallDigits = 18;
// Work budget of the long division below, in digits.
constexpr std::int64_t kLongDigits = 400;

__extension__ using Uint128 = unsigned __int128;

DecimalView MustParse(std::string_view json_number) {
  const std::optional<DecimalView> parsed = ParseDecimal(json_number);
  INTERLOCK_CHECK(parsed.has_value(), "callers pass numbers the JSON reader accepted");
  return *parsed;
}

std::string DigitsOf(const DecimalView& number) {
  std::string digits(number.head);
  digits += number.tail;
  return digits;
}

std::uint64_t SmallValue(std::string_view digits) noexcept {
  std::uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

// 10^exponent mod divisor, divisor < 10^18.
std::uint64_t PowerOfTenMod(std::int64_t exponent, std::uint64_t divisor) noexcept {
  Uint128 result = 1 % divisor;
  Uint128 base = 10 % divisor;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base % divisor;
    base = base * base % divisor;
  }
  return static_cast<std::uint64_t>(result);
}

// Whether `divisor` divides `digits` followed by `zeros` zeros: schoolbook, one digit at a time.
bool DividesLong(std::string_view digits, std::int64_t zeros, std::string_view divisor) {
  // Least significant digit last; the remainder keeps one digit more than the divisor.
  const std::size_t width = divisor.size() + 1;
  std::vector<std::int8_t> remainder(width, 0);
  std::vector<std::int8_t> d(width, 0);
  for (std::size_t i = 0; i < divisor.size(); ++i) d[i + 1] = static_cast<std::int8_t>(divisor[i] - '0');
  const std::size_t total = digits.size() + static_cast<std::size_t>(zeros);
  for (std::size_t i = 0; i < total; ++i) {
    std::rotate(remainder.begin(), remainder.begin() + 1, remainder.end());
    remainder.back() = static_cast<std::int8_t>(i < digits.size() ? digits[i] - '0' : 0);
    while (!std::lexicographical_compare(remainder.begin(), remainder.end(), d.begin(), d.end())) {
      int borrow = 0;
      for (std::size_t k = width; k-- > 0;) {
        int difference = remainder[k] - d[k] - borrow;
        borrow = difference < 0 ? 1 : 0;
        if (borrow != 0) difference += 10;
        remainder[k] = static_cast<std::int8_t>(difference);
      }
    }
  }
  return std::all_of(remainder.begin(), remainder.end(), [](std::int8_t digit) { return digit == 0; });
}

}  // namespace

bool IsJsonNumber(std::string_view text) noexcept { return ParseDecimal(text).has_value(); }

std::string NormalizeNumber(std::string_view json_number) {
  const DecimalView number = MustParse(json_number);
  if (number.is_zero()) return "0";
  const std::int64_t size = number.size();
  const std::int64_t point = number.point;
  std::string out;
  if (number.negative) out.push_back('-');
  if (size <= point && point <= 21) {
    out.append(number.head).append(number.tail).append(static_cast<std::size_t>(point - size), '0');
  } else if (0 < point && point <= 21) {
    const std::string digits = DigitsOf(number);
    const auto split = static_cast<std::size_t>(point);
    out.append(digits, 0, split).append(".").append(digits, split);
  } else if (-6 < point && point <= 0) {
    out.append("0.").append(static_cast<std::size_t>(-point), '0').append(number.head).append(number.tail);
  } else {
    const std::string digits = DigitsOf(number);
    out.push_back(digits.front());
    if (digits.size() > 1) out.append(".").append(digits, 1);
    out.append(point > 0 ? "e+" : "e").append(std::to_string(point - 1));
  }
  return out;
}

std::strong_ordering CompareNumbers(std::string_view a, std::string_view b) {
  const DecimalView x = MustParse(a);
  const DecimalView y = MustParse(b);
  const auto sign = [](const DecimalView& v) { return v.is_zero() ? 0 : v.negative ? -1 : 1; };
  if (const auto order = sign(x) <=> sign(y); order != 0 || x.is_zero()) return order;
  const auto flip = [&x](std::strong_ordering order) { return x.negative ? 0 <=> order : order; };
  if (const auto order = x.point <=> y.point; order != 0) return flip(order);
  return flip(DigitsOf(x) <=> DigitsOf(y));
}

bool IsInteger(std::string_view json_number) { return MustParse(json_number).is_integer(); }

std::optional<bool> IsMultipleOf(std::string_view value, std::string_view divisor) {
  const DecimalView v = MustParse(value);
  const DecimalView d = MustParse(divisor);
  if (d.is_zero() || d.negative) return std::nullopt;
  if (v.is_zero()) return true;
  // v = V * 10^(v.point - v.size), d = D * 10^(d.point - d.size), V and D integers that do not end in 0.
  const std::int64_t zeros = (v.point - v.size()) - (d.point - d.size());
  // V would have to be a multiple of ten.
  if (zeros < 0) return false;
  const std::string digits = DigitsOf(v);
  const std::string divisor_digits = DigitsOf(d);
  if (d.size() <= kSmallDigits) {
    const std::uint64_t by = SmallValue(divisor_digits);
    std::uint64_t rest = 0;
    for (const char c : digits) rest = (rest * 10 + static_cast<std::uint64_t>(c - '0')) % by;
    return static_cast<Uint128>(rest) * PowerOfTenMod(zeros, by) % by == 0;
  }
  if (v.size() > kLongDigits || zeros > kLongDigits - v.size() || d.size() > kLongDigits) return std::nullopt;
  return DividesLong(digits, zeros, divisor_digits);
}

}  // namespace interlock::base
