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

TEST(SecretNameTest, Table) {
  for (const std::string_view name : {"password",
                                      "Password",
                                      "user_password",
                                      "PASSWD",
                                      "dbPassword",
                                      "password2",
                                      "api_key",
                                      "apiKey",
                                      "APIKey",
                                      "x-api-key",
                                      "apikey",
                                      "token",
                                      "access_token",
                                      "accessToken",
                                      "X-Auth-Token",
                                      "authorization",
                                      "Authorization",
                                      "secret",
                                      "client_secret",
                                      "secrets",
                                      "private_key",
                                      "privateKey",
                                      "AWS_SECRET_ACCESS_KEY",
                                      "cookie",
                                      "Set-Cookie",
                                      "credentials",
                                      "passphrase",
                                      "pwd",
                                      "db.pwd",
                                      "pin",
                                      "jwt",
                                      "connectionString",
                                      "auth",
                                      "dsn"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
  for (const std::string_view name :
       {"path",     "key",       "keys",    "max_tokens",   "token_count", "tokenizer",  "author",
        "authors",  "passenger", "compass", "secretary",    "name",        "public_key", "primary_key",
        "keyboard", "spinner",   "",        "oauth_scopes", "pwdx",        "id"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

TEST(FindSecretTest, WholeValuesThatAreSecrets) {
  for (const std::string_view secret : {
           "AKIAIOSFODNN7EXAMPLE",
           "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
           "xoxb-2147483647-abcdefghij",
           "sk-proj-abcdefghijklmnopqrstuv",
           "AIzaSyA1234567890abcdefghijklmnopqrstu",
           "glpat-ABCDEFGHIJKLMNOPQRST",
           "eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIx.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
           "wJalrXUtnFEMI7K7MDENG8bPxRfiCYEXAMPLEKEY1",
           "dGhpcyBpcyBhIHNlY3JldCBrZXkgMTIzNDU2Nzg5MA9x8y7z6==",
           "5f4dcc3b5aa765d61d8327deb882cf99",
           "a9993e364706816aba3e25717850c26c9cd0d89d",
       }) {
    const SecretSpan span = FindSecret(secret);
    EXPECT_EQ(span.begin, 0U) << secret;
    EXPECT_EQ(span.end, secret.size()) << secret;
  }
}

TEST(FindSecretTest, TextThatIsNot) {
  for (const std::string_view text : {
           "",
           "hello world",
           "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
           "a-very-long-identifier-with-many-words",
           "AVeryLongClassNameInCamelCaseThatGoesOnAndOn",
           "123e4567-e89b-12d3-a456-426614174000",
           "2026-01-02T03:04:05.678901Z",
           "https://example.com/a/b?c=d",
           "http://localhost:8080/path",
           "user@example.com",
           "the token count is high",
           "12345678901234567890123456789012345678",
           "------------------------------------------",
           "SELECT * FROM users WHERE id = 42",
           "sk-short",
           "interlock_runtime_audit_test_with_long_name",
           "author: alice",
           "-----BEGIN CERTIFICATE-----",
       }) {
    const SecretSpan span = FindSecret(text);
    EXPECT_EQ(span.begin, span.end) << text << " -> " << text.substr(span.begin, span.end - span.begin);
  }
}

struct Inside {
  std::string_view text;
  std::string_view secret;
};

TEST(FindSecretTest, SecretsInsideText) {
  for (const Inside& c : {
           Inside{"curl -H 'Authorization: Bearer abc.def-123' https://x", "abc.def-123"},
           Inside{"password=hunter2 next", "hunter2"},
           Inside{"sent Bearer abcd1234 along", "abcd1234"},
           Inside{"password: AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"},
           Inside{"token=abc+AKIAIOSFODNN7EXAMPLE.x y", "abc+AKIAIOSFODNN7EXAMPLE.x"},
           Inside{"DB_PASSWORD: 'p w d'", "p w d"},
           Inside{"postgres://bob:s3cr3t@db.internal/x", "bob:s3cr3t"},
           Inside{"https://bob:p@ss@host/", "bob:p@ss"},
           Inside{"?api_key=abcd&x=1", "abcd"},
           Inside{R"(text {"token":"abc"} text)", "abc"},
           Inside{"key AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE"},
           Inside{"a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b",
                  "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"},
           Inside{"cut -----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----\nMIIE"},
       }) {
    const SecretSpan span = FindSecret(c.text);
    EXPECT_EQ(c.text.substr(span.begin, span.end - span.begin), c.secret) << c.text;
  }
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

TEST(FindSecretTest, AllOfThemInOrder) {
  const std::string_view text = "a token=x1 b AKIAIOSFODNN7EXAMPLE c https://u:p@h d password: y2";
  std::vector<std::string_view> found;
  SecretFinder finder(text);
  for (SecretSpan span = finder.Next(); span.begin != span.end; span = finder.Next()) {
    found.push_back(text.substr(span.begin, span.end - span.begin));
  }
  EXPECT_THAT(found, testing::ElementsAre("x1", "AKIAIOSFODNN7EXAMPLE", "u:p", "y2"));
}

// Wherever a token stands, it is seen: probing skips no place.
TEST(FindSecretTest, AtEveryPlace) {
  const std::string token = "AKIAIOSFODNN7EXAMPLE";
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::string_view filler : {" ", "ab ", "identifier "}) {
      std::string text;
      while (text.size() < before) text += filler;
      if (!text.empty() && text.back() != ' ') text.back() = ' ';
      const std::size_t at = text.size();
      text += token + " tail";
      const SecretSpan span = FindSecret(text);
      EXPECT_EQ(span.begin, at) << text;
      EXPECT_EQ(span.end, at + token.size()) << text;
    }
  }
}

TEST(RedactorTest, HostileTextTakesLinearTime) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "a://-----BEGIN ";
  EXPECT_EQ(FindSecret(text).begin, text.size());
}

}  // namespace
}  // namespace interlock::runtime::audit
