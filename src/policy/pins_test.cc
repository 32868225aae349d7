#include "interlock/policy/pins.h"

#include <gtest/gtest.h>

#include <string>

#include "interlock/base/json.h"

namespace interlock::policy {
namespace {

using Answer = Pins::Answer;

TEST(Pins, FirstUseThenMatchesThenChanged) {
  Pins pins;
  const base::Digest one = base::Sha256("1");
  const base::Digest two = base::Sha256("2");
  EXPECT_EQ(pins.CheckTool("s", "t", one), Answer::kFirstUse);
  pins.PinTool("s", "t", one);
  EXPECT_EQ(pins.CheckTool("s", "t", one), Answer::kMatches);
  EXPECT_EQ(pins.CheckTool("s", "t", two), Answer::kChanged);
  EXPECT_EQ(pins.CheckTool("s", "u", one), Answer::kFirstUse);
  EXPECT_EQ(pins.CheckTool("z", "t", one), Answer::kFirstUse);
  EXPECT_EQ(pins.CheckInstructions("s", one), Answer::kFirstUse);
  pins.PinInstructions("s", one);
  EXPECT_EQ(pins.CheckInstructions("s", two), Answer::kChanged);
  pins.PinInstructions("s", two);
  EXPECT_EQ(pins.CheckInstructions("s", two), Answer::kMatches);
}

TEST(Pins, ComeBackFromTheirText) {
  Pins pins;
  pins.PinTool("b \"quoted\"\n", "t/\xc3\xa4", base::Sha256("1"));
  pins.PinTool("a", "t", base::Sha256("2"));
  pins.PinTool("a", "s", base::Sha256("3"));
  pins.PinInstructions("a", base::Sha256("4"));
  pins.PinInstructions("only instructions", base::Sha256("5"));
  for (const Pins& p : {Pins(), pins}) {
    const std::string text = p.ToJson();
    const auto back = Pins::Parse(text);
    ASSERT_TRUE(back.ok()) << back.error().ToString() << text;
    EXPECT_EQ(back.value().ToJson(), text);
    EXPECT_EQ(back.value().servers().size(), p.servers().size());
  }
  const auto back = Pins::Parse(pins.ToJson());
  EXPECT_EQ(back.value().CheckTool("b \"quoted\"\n", "t/\xc3\xa4", base::Sha256("1")), Answer::kMatches);
}

TEST(Pins, AnythingElseIsRefused) {
  const std::string hex = base::Sha256("x").ToHex();
  const std::string good = R"({"schema":"interlock.pins/v1","servers":{"s":{"tools":{"t":"sha256:)" + hex + R"("}}}})";
  ASSERT_TRUE(Pins::Parse(good).ok());
  const std::string bad[] = {
      "",
      "[]",
      "{}",
      R"({"schema":"interlock.pins/v2","servers":{}})",
      R"({"schema":"interlock.pins/v1"})",
      R"({"schema":"interlock.pins/v1","servers":{},"more":1})",
      R"({"schema":"interlock.pins/v1","servers":{"s":[]}})",
      R"({"schema":"interlock.pins/v1","servers":{"s":{"tools":[]}}})",
      R"({"schema":"interlock.pins/v1","servers":{"s":{"tool":{}}}})",
      R"({"schema":"interlock.pins/v1","servers":{"s":{"tools":{"t":"sha256:12"}}}})",
      R"({"schema":"interlock.pins/v1","servers":{"s":{"tools":{"t":")" + hex + R"("}}}})",
      R"({"schema":"interlock.pins/v1","servers":{"s":{"tools":{"t":null}}}})",
      R"({"schema":"interlock.pins/v1","servers":{"s":{},"s":{}}})",
      good + "x",
  };
  for (const std::string& text : bad) {
    const auto pins = Pins::Parse(text);
    ASSERT_FALSE(pins.ok()) << text;
    EXPECT_EQ(pins.error().code(), base::ErrorCode::kPolicyPins) << text;
  }
}

}  // namespace
}  // namespace interlock::policy
