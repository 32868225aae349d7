#include "interlock/base/byte_classes.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace interlock::base {
namespace {

TEST(ByteClassesTest, TellsEveryByteWhereverItStands) {
  std::string text;
  for (int i = 0; i < 512; ++i) text.push_back(static_cast<char>(i * 37 % 256));
  for (std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, text.size()}) {
    const std::string part = text.substr(0, size);
    ByteClasses classes(part);
    for (std::size_t at = 0; at < size; ++at) {
      classes.LoadAt(at);
      const auto bit = [&](std::uint64_t bits) { return (bits >> at % ByteClasses::kBlock & 1U) != 0; };
      const auto byte = static_cast<unsigned char>(part[at]);
      EXPECT_EQ(bit(classes.word()), byte < 0x80 && std::isalnum(byte) != 0) << at;
      EXPECT_EQ(bit(classes.digit()), byte >= '0' && byte <= '9') << at;
      EXPECT_EQ(bit(classes.backslash()), byte == '\\') << at;
      EXPECT_EQ(bit(classes.beyond()), byte >= 0x80) << at;
    }
  }
}

TEST(ByteClassesTest, NothingStandsPastTheEnd) {
  ByteClasses classes("ab");
  classes.LoadAt(1);
  EXPECT_EQ(classes.word(), 3u);
  EXPECT_EQ(classes.digit() | classes.backslash() | classes.beyond(), 0u);
}

TEST(CopyLoweredTest, CopiesTheFirstBytesInSmallLetters) {
  const std::string text = "AbC9xYz0QwErTy";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    std::string out(text.size() + 8, '#');
    CopyLowered(text, size, out.data());
    std::string want = text.substr(0, size);
    for (char& c : want) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(out.substr(0, size), want);
  }
}

}  // namespace
}  // namespace interlock::base
