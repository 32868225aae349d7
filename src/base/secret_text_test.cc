#include "interlock/base/secret_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace interlock::base {
namespace {

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

TEST(FindSecretTest, HostileTextTakesLinearTime) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "a://-----BEGIN ";
  EXPECT_EQ(FindSecret(text).begin, text.size());
}

TEST(FindSecretTest, KnownFormsOnlyLeavesRandomLookingText) {
  const std::string hash = "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by x";
  EXPECT_LT(FindSecret(hash).begin, hash.size());
  EXPECT_EQ(SecretFinder(hash, SecretFinder::Looks::kKnownForms).Next().begin, hash.size());
  const std::string token = "use ghp_abcdefghijklmnopqrstuvwxyz0123456789 here";
  EXPECT_EQ(SecretFinder(token, SecretFinder::Looks::kKnownForms).Next().begin, 4u);
}

}  // namespace
}  // namespace interlock::base
