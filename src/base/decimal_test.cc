#include "interlock/base/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::base {
namespace {

TEST(NormalizeNumberTest, Layout) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"0", "0"},
      {"-0", "0"},
      {"0.000", "0"},
      {"-0e5", "0"},
      {"0e999999999999999999", "0"},
      {"1", "1"},
      {"-1.0", "-1"},
      {"10", "10"},
      {"1e1", "10"},
      {"100e-1", "10"},
      {"4.50", "4.5"},
      {"2e-3", "0.002"},
      {"0.00001", "0.00001"},
      {"1e-6", "0.000001"},
      {"1e-7", "1e-7"},
      {"0.00000012", "1.2e-7"},
      {"1E30", "1e+30"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"123456789012345678901", "123456789012345678901"},
      {"1234567890123456789012", "1.234567890123456789012e+21"},
      {"-1234567890123456789012e-1", "-123456789012345678901.2"},
      {"9007199254740993", "9007199254740993"},
      {"9007199254740993.00000000000000000001", "9007199254740993.00000000000000000001"},
      {"1e999999999999", "1e+999999999999"},
      {"1e999999999999999999", "1e+999999999999999999"},
      {"0.1e-999999999999999998", "1e-999999999999999999"},
      {"1e0000000000000000", "1"},
      {"1e+00", "1"},
      {"1e-00", "1"},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(NormalizeNumber(text), expected) << text;
}

// RFC 8785 appendix B prints IEEE doubles; as decimal text each of its outputs is canonical already.
TEST(NormalizeNumberTest, OutputsOfRfc8785AreFixedPoints) {
  for (const std::string_view text : {"0",
                                      "5e-324",
                                      "-5e-324",
                                      "1.7976931348623157e+308",
                                      "-1.7976931348623157e+308",
                                      "9007199254740992",
                                      "-9007199254740992",
                                      "295147905179352830000",
                                      "9.999999999999997e+22",
                                      "1e+23",
                                      "1.0000000000000001e+23",
                                      "999999999999999700000",
                                      "999999999999999900000",
                                      "1e+21",
                                      "9.999999999999997e-7",
                                      "0.000001",
                                      "333333333.3333332",
                                      "333333333.33333325",
                                      "333333333.3333333",
                                      "333333333.3333334",
                                      "333333333.33333343",
                                      "-0.0000033333333333333333",
                                      "1424953923781206.2"}) {
    EXPECT_EQ(NormalizeNumber(text), text);
  }
}

TEST(IsJsonNumberTest, TakesExactlyTheGrammar) {
  for (const std::string_view text : {"0", "-0", "10", "1.5", "1e5", "1E+05", "-1.50e-05", "1e999999999999999999",
                                      "0.1e-999999999999999998", "0.000e999999999999999999"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const std::string_view text : {"",
                                      "-",
                                      "+1",
                                      "01",
                                      ".5",
                                      "1.",
                                      "1e",
                                      "1e+",
                                      " 1",
                                      "1 ",
                                      "0x1",
                                      "1e1000000000000000000",
                                      "NaN",
                                      "Infinity",
                                      "1,0",
                                      "1_0",
                                      "--1",
                                      "10e999999999999999999",
                                      "0.1e-999999999999999999",
                                      "1.e1",
                                      "1..2",
                                      "1e5.5"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

TEST(DecimalDeathTest, OtherTextIsABug) {
  EXPECT_DEATH((void)NormalizeNumber("1x"), "check failed");
  EXPECT_DEATH((void)CompareNumbers("1", ""), "check failed");
  EXPECT_DEATH((void)IsInteger("01"), "check failed");
}

TEST(CompareNumbersTest, ExactOrder) {
  // Ascending.
  const std::string_view rows[] = {"-1e999999999999999999",
                                   "-1e400",
                                   "-9007199254740993",
                                   "-9007199254740992",
                                   "-10",
                                   "-9.9",
                                   "-1.0000000000000000000000001",
                                   "-1",
                                   "-0.1",
                                   "-1e-999999999999999999",
                                   "0",
                                   "1e-999999999999999999",
                                   "1e-400",
                                   "0.0999",
                                   "0.1",
                                   "1",
                                   "1.00000000000000000001",
                                   "9",
                                   "10",
                                   "9007199254740992",
                                   "9007199254740992.5",
                                   "9007199254740993",
                                   "1e400",
                                   "1.1e400",
                                   "1e401",
                                   "1e999999999999999999"};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    for (std::size_t k = 0; k < std::size(rows); ++k) {
      EXPECT_EQ(CompareNumbers(rows[i], rows[k]), i <=> k) << rows[i] << " " << rows[k];
    }
  }
  EXPECT_EQ(CompareNumbers("-0", "0.0e7"), std::strong_ordering::equal);
  EXPECT_EQ(CompareNumbers("1.50e1", "15"), std::strong_ordering::equal);
}

TEST(IsIntegerTest, Rows) {
  for (const std::string_view text :
       {"0", "-0.0", "1.0", "10e-1", "1e400", "0e-5", "1.5e1", "-3", "1e999999999999999999"}) {
    EXPECT_TRUE(IsInteger(text)) << text;
  }
  for (const std::string_view text : {"0.1", "12e-1", "1.05e1", "1e-400", "1e-999999999999999999", "-2.5"}) {
    EXPECT_FALSE(IsInteger(text)) << text;
  }
}

TEST(IsMultipleOfTest, Rows) {
  struct Row {
    std::string value;
    std::string divisor;
    std::optional<bool> expected;
  };
  const std::string nines(380, '9');
  const Row rows[] = {
      {"0", "7", true},
      {"0", "1e-999999999999999999", true},
      {"10", "5", true},
      {"-10", "5", true},
      {"11", "5", false},
      {"0.3", "0.1", true},
      {"4.35", "0.01", true},
      {"4.355", "0.01", false},
      {"1", "0.3", false},
      {"0.0075", "0.0001", true},
      {"0.00751", "0.0001", false},
      {"1e308", "0.123456789", false},
      {"1e308", "0.5", true},
      {"1", "10", false},
      {"1e999999999999999999", "7", false},
      {"7e999999999999999999", "7", true},
      {"1e999999999999999999", "3", false},
      {"1e999999999999999999", "64e-999999999999999999", true},
      {"9007199254740993", "9007199254740993", true},
      {"9007199254740993", "9007199254740992", false},
      {"999999999999999999", "999999999999999999", true},
      {"12345678901234567890123", "12345678901234567890123", true},
      {"24691357802469135780246", "12345678901234567890123", true},
      {"24691357802469135780247", "12345678901234567890123", false},
      {"12345678901234567890123e2", "12345678901234567890123", true},
      {"12345678901234567890123", "12345678901234567890123e2", false},
      {nines + "e20", nines, true},
      {nines + "e21", nines, std::nullopt},
      {"1" + std::string(500, '3'), "12345678901234567891", std::nullopt},
      {"1e999999999999999999", "12345678901234567891", std::nullopt},
      {"1", "1" + std::string(500, '3'), std::nullopt},
      {"1", "0", std::nullopt},
      {"1", "-1", std::nullopt},
      {"0", "0.0", std::nullopt},
  };
  for (const Row& row : rows)
    EXPECT_EQ(IsMultipleOf(row.value, row.divisor), row.expected) << row.value << " " << row.divisor;
}

// digits * 10^exponent with the point put after `point` of the digits, zeros around it, and the exponent corrected.
std::string Spell(std::string digits, std::int64_t exponent, std::size_t point, std::size_t before, std::size_t after) {
  digits.append(after, '0');
  exponent -= static_cast<std::int64_t>(after);
  digits.insert(0, before, '0');
  point = std::min(point + before, digits.size());
  std::string whole = digits.substr(0, point);
  const std::string fraction = digits.substr(point);
  exponent += static_cast<std::int64_t>(fraction.size());
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  if (whole.empty()) whole = "0";
  return whole + (fraction.empty() ? "" : "." + fraction) + "e" + std::to_string(exponent);
}

std::string DigitsFrom(const std::vector<std::uint8_t>& choices) {
  std::string digits = "1";
  for (const std::uint8_t c : choices) digits.push_back(static_cast<char>('0' + c % 10));
  return digits;
}

TEST(DecimalProperties, SpellingDoesNotMatter) {
  EXPECT_TRUE(rc::check("one number, two spellings",
                        [](const std::vector<std::uint8_t>& choices, std::int32_t exponent, std::uint8_t point,
                           std::uint8_t before, std::uint8_t after, bool negative) {
                          const std::string sign = negative ? "-" : "";
                          const std::string digits = DigitsFrom(choices);
                          const std::string a = sign + digits + "E" + std::to_string(exponent);
                          const std::string b = sign + Spell(digits, exponent, point, before, after);
                          RC_ASSERT(NormalizeNumber(a) == NormalizeNumber(b));
                          RC_ASSERT(std::is_eq(CompareNumbers(a, b)));
                          RC_ASSERT(IsInteger(a) == IsInteger(b));
                          RC_ASSERT(NormalizeNumber(NormalizeNumber(a)) == NormalizeNumber(a));
                          RC_ASSERT(IsJsonNumber(NormalizeNumber(a)));
                        }));
}

TEST(DecimalProperties, EqualTextExactlyWhenEqual) {
  EXPECT_TRUE(rc::check("order of scaled integers", [](std::int32_t a, std::int32_t b, std::uint8_t scale) {
    const std::string exponent = "e-" + std::to_string(scale % 12);
    const std::string x = std::to_string(a) + exponent;
    const std::string y = std::to_string(b) + exponent;
    RC_ASSERT(CompareNumbers(x, y) == (a <=> b));
    RC_ASSERT((NormalizeNumber(x) == NormalizeNumber(y)) == (a == b));
  }));
  EXPECT_TRUE(rc::check("neighbours differ", [](std::int64_t a) {
    RC_PRE(a < INT64_MAX);
    RC_ASSERT(std::is_lt(CompareNumbers(std::to_string(a), std::to_string(a + 1))));
    RC_ASSERT(NormalizeNumber(std::to_string(a)) != NormalizeNumber(std::to_string(a + 1)));
  }));
}

TEST(DecimalProperties, MultiplesAgreeWithIntegers) {
  EXPECT_TRUE(rc::check("small", [](std::int32_t value, std::uint16_t divisor, std::uint8_t scale) {
    RC_PRE(divisor > 0);
    const std::string exponent = "e-" + std::to_string(scale);
    RC_ASSERT(IsMultipleOf(std::to_string(value) + exponent, std::to_string(divisor) + exponent) ==
              std::optional<bool>(value % divisor == 0));
  }));
}

std::string TimesSmall(std::string digits, unsigned factor, unsigned plus) {
  unsigned carry = plus;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it) {
    const unsigned product = static_cast<unsigned>(*it - '0') * factor + carry;
    *it = static_cast<char>('0' + product % 10);
    carry = product / 10;
  }
  return (carry == 0 ? "" : std::to_string(carry)) + digits;
}

TEST(DecimalProperties, LongMultiples) {
  EXPECT_TRUE(rc::check("long", [](const std::vector<std::uint8_t>& choices, std::uint8_t factor) {
    RC_PRE(choices.size() < 150 && factor > 0);
    const std::string divisor = "98765432109876543210" + DigitsFrom(choices) + "7";
    RC_ASSERT(IsMultipleOf(TimesSmall(divisor, factor, 0), divisor) == std::optional<bool>(true));
    RC_ASSERT(IsMultipleOf(TimesSmall(divisor, factor, 1), divisor) == std::optional<bool>(false));
  }));
}

TEST(DecimalLimits, HugeNumbersStayBounded) {
  const std::string digits = std::string(200'000, '9') + "." + std::string(200'000, '1');
  EXPECT_EQ(NormalizeNumber(digits + "e999999999999000000").size(),
            digits.size() + std::string("e+999999999999199999").size());
  EXPECT_EQ(CompareNumbers(digits, digits + "1"), std::strong_ordering::less);
  EXPECT_EQ(IsMultipleOf(digits, "7").has_value(), true);
}

}  // namespace
}  // namespace interlock::base
