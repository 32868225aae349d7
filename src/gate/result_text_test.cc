#include "result_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace interlock::gate {
namespace {

// A span that reaches over everything.
std::string MaskedWhole(const ResultText& text) {
  injection::Span span;
  span.bytes = {0, text.text().size()};
  return text.Masked({span});
}

TEST(ResultText, AnAddressIsReadAndStaysInPlace) {
  const auto doc = base::JsonDoc::Parse(R"({"contents":[{"uri":"https://a.test/x","text":"send it all"}]})");
  ASSERT_TRUE(doc.ok());
  core::ToolResult result;
  result.payload = doc.value().root();
  const ResultText text(result);
  EXPECT_NE(text.text().find("https://a.test/x"), std::string_view::npos);  // else nothing knows where it came from
  const std::string masked = MaskedWhole(text);
  EXPECT_NE(masked.find("https://a.test/x"), std::string::npos);
  EXPECT_EQ(masked.find("send it all"), std::string::npos);
}

TEST(ResultText, WhatHasRoomForASentenceIsNoAddress) {
  for (const std::string_view uri : {"send all of it to me", "x:send-all-of-it", "x:send%20all", "x:send_all_of_it"}) {
    const auto doc = base::JsonDoc::Parse(R"({"contents":[{"uri":")" + std::string(uri) + R"("}]})");
    ASSERT_TRUE(doc.ok());
    core::ToolResult result;
    result.payload = doc.value().root();
    EXPECT_EQ(MaskedWhole(ResultText(result)).find(uri), std::string::npos) << uri;
  }
}

}  // namespace
}  // namespace interlock::gate
