#include "interlock/base/digits.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace interlock::base {
namespace {

TEST(Digits, AreThoseOfTheirAlphabetsAndNoOthers) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  int hex = 0;
  int base64 = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    hex += HexValue(c) >= 0;
    base64 += Base64Value(c) >= 0;
  }
  EXPECT_EQ(hex, 22);
  EXPECT_EQ(base64, 66);
  for (std::size_t i = 0; i < kHex.size(); ++i) EXPECT_EQ(HexValue(kHex[i]), static_cast<int>(i));
  for (std::size_t i = 0; i < kBase64.size(); ++i) EXPECT_EQ(Base64Value(kBase64[i]), static_cast<int>(i));
  EXPECT_EQ(HexValue('F'), 15);
  EXPECT_EQ(Base64Value('-'), 62);
  EXPECT_EQ(Base64Value('_'), 63);
}

TEST(Digits, CodePointsBecomeValidUtf8) {
  std::string out;
  for (const std::uint32_t code : {0x41U, 0xE9U, 0x20ACU, 0x1F600U, 0xD800U, 0x110000U}) AppendUtf8(code, &out);
  EXPECT_EQ(out, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace interlock::base
