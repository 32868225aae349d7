#include "redact.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interlock/base/json.h"
#include "rapidcheck.h"

namespace interlock::runtime::audit {
namespace {

const KeyedHasher& Hasher() {
  static const KeyedHasher kHasher(std::array<std::uint8_t, 32>{1, 2, 3});
  return kHasher;
}

std::string Redact(std::string_view json, bool* found = nullptr) {
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  std::string out;
  bool any = false;
  Redactor redactor(Hasher());
  EXPECT_TRUE(redactor.AppendJson(doc.value().root(), 1 << 20, out, any));
  EXPECT_TRUE(base::JsonDoc::Parse(out).ok()) << out;
  if (found != nullptr) *found = any;
  return out;
}

TEST(RedactorTest, KeepsWhatIsNoSecretByteForByte) {
  bool found = true;
  const std::string_view json = R"({"a":1.50,"b":[true,null,"x\u0041"],"c":{"d":"plain text"}})";
  EXPECT_EQ(Redact(json, &found), json);
  EXPECT_FALSE(found);
}

TEST(RedactorTest, ReplacesBySecretKeyAnywhereBelow) {
  bool found = false;
  const std::string out =
      Redact(R"({"auth":{"user":"bob","pin":1234,"on":true},"password":"hunter2","path":"/a"})", &found);
  EXPECT_TRUE(found);
  for (const std::string_view gone : {"bob", "1234", "hunter2"}) EXPECT_EQ(out.find(gone), std::string::npos) << out;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(out);
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc.value().root().FindPointer("/password/$hash").string().size(), 16U);
  EXPECT_EQ(doc.value().root().FindPointer("/password/len").AsInt64(), 7);
  EXPECT_EQ(doc.value().root().FindPointer("/path").string(), "/a");
  EXPECT_EQ(doc.value().root().FindPointer("/auth/on").AsBool(), true);
}

TEST(RedactorTest, ReplacesByPlace) {
  const auto doc = base::JsonDoc::Parse(R"({"to":"bob","body":{"a":["x",2],"b":true},"a/b":"plain","c":"plain"})");
  ASSERT_TRUE(doc.ok());
  Redactor redactor(Hasher());
  const std::vector<std::string> secrets{"/body", "/a~1b", "/none"};
  std::string out;
  bool found = false;
  ASSERT_TRUE(redactor.AppendJson(doc.value().root(), 4096, out, found, secrets));
  EXPECT_TRUE(found);
  EXPECT_EQ(out.find("\"x\""), std::string::npos);
  EXPECT_NE(out.find("\"to\":\"bob\""), std::string::npos);
  EXPECT_NE(out.find("\"c\":\"plain\""), std::string::npos);
  EXPECT_EQ(out.find("\"a/b\":\"plain\""), std::string::npos);
  // Of this value only.
  out.clear();
  ASSERT_TRUE(redactor.AppendJson(doc.value().root(), 4096, out, found));
  EXPECT_EQ(out, doc.value().root().raw());
}

TEST(RedactorTest, EqualSecretsStayEqualUnderOneKeyOnly) {
  const std::string a = Redact(R"({"password":"one"})");
  EXPECT_EQ(a, Redact(R"({"password":"one"})"));
  EXPECT_NE(a, Redact(R"({"password":"two"})"));
  const KeyedHasher other(std::array<std::uint8_t, 32>{9});
  EXPECT_NE(Hasher().Text("one"), other.Text("one"));
}

TEST(RedactorTest, SecretsInsideTextAndInKeys) {
  const std::string out =
      Redact(R"({"cmd":"export TOKEN=abc && curl https://u:p@h/","ghp_16C7e42F292c6912E7710c838347Ae178B4a":1})");
  EXPECT_EQ(out.find("abc"), std::string::npos) << out;
  EXPECT_EQ(out.find("u:p"), std::string::npos) << out;
  EXPECT_EQ(out.find("ghp_"), std::string::npos) << out;
  EXPECT_NE(out.find("export TOKEN=[secret:"), std::string::npos) << out;
}

TEST(RedactorTest, KeysStayDifferent) {
  const std::string once = Redact(R"({"x token=a":1})");
  const std::string made = once.substr(2, once.find("\":") - 2);
  const std::string out = Redact("{\"x token=a\":1,\"" + made + "\":2}");  // parses: no key occurs twice
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(out);
  ASSERT_TRUE(doc.ok());
  EXPECT_EQ(doc.value().root().size(), 2U);
}

TEST(RedactorTest, StopsAtItsLimit) {
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse("[\"" + std::string(5000, 'x') + "\"]");
  ASSERT_TRUE(doc.ok());
  Redactor redactor(Hasher());
  std::string out;
  bool found = false;
  EXPECT_FALSE(redactor.AppendJson(doc.value().root(), 1000, out, found));
  EXPECT_TRUE(found);  // nobody knows what was left out
}

TEST(RedactorTest, TextIsCutAfterRedactingNotBefore) {
  Redactor redactor(Hasher());
  std::string out;
  bool found = false;
  redactor.AppendText("xxxxxxxxxx AKIAIOSFODNN7EXAMPLE", 20, out, found);
  EXPECT_TRUE(found);
  EXPECT_EQ(out.find("AKIA"), std::string::npos) << out;
  out.clear();
  redactor.AppendText("h\xC3\xA9llo", 2, out, found);
  EXPECT_EQ(out, "h");  // not through the middle of a character
}

// Whatever text there is: linear time, valid JSON, and the same answer for the same text.
TEST(RedactorTest, Property) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + "=://-----BEGIN @:token=";
    std::string json;
    base::JsonWriter(json).BeginObject().Key(text).String(text).EndObject();
    const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(json);
    RC_ASSERT(doc.ok());
    Redactor redactor(Hasher());
    std::string a;
    std::string b;
    bool found = false;
    RC_ASSERT(redactor.AppendJson(doc.value().root(), 1 << 20, a, found));
    RC_ASSERT(redactor.AppendJson(doc.value().root(), 1 << 20, b, found));
    RC_ASSERT(a == b);
    RC_ASSERT(base::JsonDoc::Parse(a).ok());
  }));
}

}  // namespace
}  // namespace interlock::runtime::audit
