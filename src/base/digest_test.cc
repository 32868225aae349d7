#include "interlock/base/digest.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "json_test_util.h"

namespace interlock::base {
namespace {

std::string Canonical(std::string_view text) {
  const Result<JsonDoc> doc = JsonDoc::Parse(text);
  EXPECT_TRUE(doc.ok()) << text;
  return doc.ok() ? CanonicalJson(doc.value().root()) : "";
}

std::string HexOf(std::string_view text) {
  const Result<JsonDoc> doc = JsonDoc::Parse(text);
  EXPECT_TRUE(doc.ok()) << text;
  return doc.ok() ? DigestOf(doc.value().root()).ToHex() : "";
}

// RFC 8785, section 3.2.2; the number keeps the digits that a double would lose.
TEST(CanonicalJsonTest, ExampleOfRfc8785) {
  EXPECT_EQ(Canonical(R"({
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    })"),
            R"({"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],)"
            R"("string":"€$\u000f\nA'B\"\\\\\"/"})");
}

// RFC 8785, section 3.2.3: by UTF-16 code units, so the emoji comes before U+FB33.
TEST(CanonicalJsonTest, KeyOrderOfRfc8785) {
  EXPECT_EQ(
      Canonical(R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
      "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"})"),
      "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\",\"ö\":\"Latin Small Letter O With "
      "Diaeresis\","
      "\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(CanonicalJsonTest, KeyOrderAtTheEdges) {
  EXPECT_EQ(Canonical(R"({"b":1,"aa":2,"a":3,"":4,"B":5,"ab":6})"), R"({"":4,"B":5,"a":3,"aa":2,"ab":6,"b":1})");
  // U+D7FF, U+10000, U+10FFFF, U+E000, U+FFFF in UTF-16 order.
  EXPECT_EQ(Canonical(R"({"\uffff":5,"\ue000":4,"\udbff\udfff":3,"\ud800\udc00":2,"\ud7ff":1})"),
            "{\"\xED\x9F\xBF\":1,\"\xF0\x90\x80\x80\":2,\"\xF4\x8F\xBF\xBF\":3,\"\xEE\x80\x80\":4,\"\xEF\xBF\xBF\":5}");
  EXPECT_EQ(Canonical(R"({"x\ue000":2,"x\ud83d\ude00a":1})"), "{\"x😀a\":1,\"x\xEE\x80\x80\":2}");
}

TEST(CanonicalJsonTest, ContainersAndScalars) {
  for (const std::string_view text :
       {"null", "true", "false", "0", "\"\"", "[]", "{}", "[[],{},[{}]]", R"({"a":{},"b":[]})"}) {
    EXPECT_EQ(Canonical(text), text);
  }
  EXPECT_EQ(Canonical(R"([{"b":[{"d":1,"c":2}],"a":{"z":1,"y":{"x":1,"w":2}}},3])"),
            R"([{"a":{"y":{"w":2,"x":1},"z":1},"b":[{"c":2,"d":1}]},3])");
  EXPECT_EQ(CanonicalJson(JsonValue()), "");
}

TEST(CanonicalJsonTest, AppendsAndTakesAnyValueOfADocument) {
  const Result<JsonDoc> doc = JsonDoc::Parse(R"({"x":1,"args":{"b":1,"a":[1.0]}})");
  ASSERT_TRUE(doc.ok());
  std::string out = ">";
  AppendCanonicalJson(out, doc.value().root().Find("args"));
  EXPECT_EQ(out, R"(>{"a":[1],"b":1})");
}

TEST(CanonicalJsonTest, DeepestDocument) {
  const JsonLimits limits{.max_depth = 1000};
  std::string text;
  for (int i = 0; i < 500; ++i) text += "[{\"k\":";
  text += "1.0";
  for (int i = 0; i < 500; ++i) text += "}]";
  const Result<JsonDoc> doc = JsonDoc::Parse(text, limits);
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(CanonicalJson(doc.value().root()).size(), text.size() - 2);
}

TEST(DigestTest, WhatMustDifferDiffers) {
  const std::string_view rows[] = {"9007199254740992",
                                   "9007199254740993",
                                   "9007199254740993.5",
                                   "-9007199254740993",
                                   "\"9007199254740993\"",
                                   "1e400",
                                   "1e401",
                                   "1e999999999999999999",
                                   "null",
                                   "false",
                                   "0",
                                   "\"\"",
                                   "[]",
                                   "{}",
                                   "[[]]",
                                   "[null]",
                                   R"({"a":1})",
                                   R"({"a":"1"})",
                                   R"({"A":1})",
                                   R"({"a":1,"b":null})",
                                   R"([1,2])",
                                   R"([2,1])",
                                   R"(["a","b"])",
                                   R"(["a\",\"b"])",
                                   R"(["ab"])"};
  std::set<std::string> seen;
  for (const std::string_view text : rows) EXPECT_TRUE(seen.insert(HexOf(text)).second) << text;
  EXPECT_TRUE(seen.insert(DigestOf(JsonValue()).ToHex()).second);
}

TEST(DigestTest, WhatDoesNotMatterDoesNotMatter) {
  EXPECT_EQ(HexOf(R"({"a":1,"b":[1,2]})"), HexOf(" {\n\"b\" : [ 1.0 , 20e-1 ],\t\"\\u0061\": 10E-1 }\r\n"));
  EXPECT_EQ(HexOf("-0"), HexOf("0.0"));
  EXPECT_EQ(HexOf(R"("\/\u00e9")"), HexOf("\"/\xC3\xA9\""));
}

TEST(DigestProperties, KeyOrderWhiteSpaceAndSpellingDoNotMatter) {
  EXPECT_TRUE(rc::check("same meaning, same digest", [](const std::vector<std::uint8_t>& choices) {
    const testing::Tree tree(choices);
    const Result<JsonDoc> a = JsonDoc::Parse(tree.Write());
    const Result<JsonDoc> b = JsonDoc::Parse(tree.WriteOtherwise());
    RC_ASSERT(a.ok() && b.ok());
    const std::string canonical = CanonicalJson(a.value().root());
    RC_ASSERT(canonical == CanonicalJson(b.value().root()));
    RC_ASSERT(DigestOf(a.value().root()) == DigestOf(b.value().root()));
    const Result<JsonDoc> again = JsonDoc::Parse(canonical);
    RC_ASSERT(again.ok());
    RC_ASSERT(CanonicalJson(again.value().root()) == canonical);
  }));
}

// FIPS 180-4 examples.
TEST(Sha256Test, KnownAnswers) {
  EXPECT_EQ(Sha256("").ToHex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc").ToHex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").ToHex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')).ToHex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesGiveTheDigestOfTheWholeAndTheHasherStartsAnew) {
  Sha256Hasher hasher;
  EXPECT_EQ(hasher.Update("a").Update("").Update("bc").Finish(), Sha256("abc"));
  EXPECT_EQ(hasher.Finish(), Sha256(""));
  EXPECT_EQ(hasher.Update("abc").Finish(), Sha256("abc"));
}

TEST(DigestTest, HexRoundTrip) {
  const Digest digest = Sha256("x");
  const std::string hex = digest.ToHex();
  EXPECT_EQ(hex.size(), 64U);
  EXPECT_EQ(Digest::FromHex(hex), digest);
  std::string upper = hex;
  for (char& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  EXPECT_EQ(Digest::FromHex(upper), digest);
  EXPECT_EQ(Digest::FromHex(""), std::nullopt);
  EXPECT_EQ(Digest::FromHex(hex.substr(1)), std::nullopt);
  EXPECT_EQ(Digest::FromHex(hex + "0"), std::nullopt);
  EXPECT_EQ(Digest::FromHex("g" + hex.substr(1)), std::nullopt);
  EXPECT_EQ(Digest::FromHex(hex.substr(0, 63) + " "), std::nullopt);
}

// The reference vectors of SipHash-2-4: key 00..0f, message 00..(n-1).
TEST(SipHashTest, KnownAnswers) {
  const std::array<std::uint64_t, 2> key = {0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};
  std::string message;
  const auto grow_to = [&message](std::size_t size) {
    while (message.size() < size) message.push_back(static_cast<char>(message.size()));
  };
  EXPECT_EQ(SipHash(key, message), 0x726fdb47dd0e0e31ULL);
  grow_to(1);
  EXPECT_EQ(SipHash(key, message), 0x74f839c593dc67fdULL);
  grow_to(7);
  EXPECT_EQ(SipHash(key, message), 0xab0200f58b01d137ULL);
  grow_to(8);
  EXPECT_EQ(SipHash(key, message), 0x93f5f5799a932462ULL);
  grow_to(15);
  EXPECT_EQ(SipHash(key, message), 0xa129ca6149be45e5ULL);
  EXPECT_NE(SipHash({0, 0}, message), SipHash(key, message));
}

}  // namespace
}  // namespace interlock::base
