#include "static/yaml_values.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace interlock::scan {
namespace {

std::map<std::string, std::string> Read(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const YamlValue& value : ReadYaml(text).values) {
    std::string path;
    for (const std::string& part : value.path) path += (path.empty() ? "" : "/") + part;
    values.emplace(path, value.text);
  }
  return values;
}

TEST(YamlValues, KeysAndElementsMakeThePath) {
  const auto values = Read(
      "on: push\njobs:\n  test:\n    steps:\n    - uses: actions/checkout@v4  # first\n    - name: x\n      run: make\n"
      "    -\n    - run: npm ci\n        --omit=dev\n    env:\n      A: 'it''s'\n---\non: pull\n");
  EXPECT_EQ(values.at("on"), "push");
  EXPECT_EQ(values.at("jobs/test/steps/0/uses"), "actions/checkout@v4");
  EXPECT_EQ(values.at("jobs/test/steps/1/run"), "make");
  EXPECT_EQ(values.at("jobs/test/steps/3/run"), "npm ci --omit=dev");
  EXPECT_EQ(values.at("jobs/test/env/A"), "it's");
}

TEST(YamlValues, BlocksKeepTheirLinesAndWhereTheyStand) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a:\n  run: |\n    one\n      two\n\n    three\n  b: \"1\\x31\"  \nc: 'x' # y\n";
  const YamlReading all = ReadYaml(text);
  ASSERT_EQ(all.values.size(), 3U);
  EXPECT_EQ(all.values[0].text, "one\n  two\n\nthree\n");
  const auto bytes = [&](std::size_t i) {
    return text.substr(all.values[i].bytes.begin, all.values[i].bytes.end - all.values[i].bytes.begin);
  };
  EXPECT_EQ(bytes(0), "|\n    one\n      two\n\n    three");
  EXPECT_EQ(bytes(1), "\"1\\x31\"");
  EXPECT_EQ(bytes(2), "'x'");
}

TEST(YamlValues, ListsAndMapsOnOneLineOrSeveral) {
  const auto values = Read("v: [\"/:/root:ro\", '/b:/b', c]\nm: {x: 1, y: \"${{ z }}\"}\nl: [a,\n  b]\n? [k]\n: d\n");
  EXPECT_EQ(values.at("v/0"), "/:/root:ro");
  EXPECT_EQ(values.at("v/2"), "c");
  EXPECT_EQ(values.at("m/x"), "1");
  EXPECT_EQ(values.at("m/y"), "${{ z }}");
  EXPECT_EQ(values.at("l/1"), "b");
  EXPECT_EQ(values.at(""), "d");
}

TEST(YamlValues, ColonsInAddressesAreNoKeys) {
  const auto values = Read("channels:\n- http://a.example/b\n- conda-forge\nports:\n- \"80:80\"\n");
  EXPECT_EQ(values.at("channels/0"), "http://a.example/b");
  EXPECT_EQ(values.at("ports/0"), "80:80");
}

TEST(YamlValues, AnAliasStandsForItsScalar) {
  const auto values = Read("x: &s make all\ny: &m {run: b}\nsteps:\n- run: *s\n- *m\n- !tag c\n");
  EXPECT_EQ(values.at("steps/0/run"), "make all");
  EXPECT_EQ(values.at("y/run"), "b");
  EXPECT_FALSE(values.contains("steps/1"));
  EXPECT_EQ(values.at("steps/2"), "c");
}

TEST(YamlValues, WhatIsNoYamlIsReadUpToThereAndNamed) {
  const YamlReading reading = ReadYaml("run: make\nenv:\n  a: {{ b }}\n{% if c %}\nrun: d\n");
  EXPECT_FALSE(reading.stop.empty());
  ASSERT_FALSE(reading.values.empty());
  EXPECT_EQ(reading.values[0].text, "make");
  EXPECT_TRUE(ReadYaml("a: b\n").stop.empty());
}

TEST(YamlValues, LimitsAreNamed) {
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "- ";
  std::string many;
  for (int i = 0; i < 21'000; ++i) many += "- a\n";
  std::string aliases = "- &a " + std::string(10'000, 'x') + "\n";
  for (int i = 0; i < 30; ++i) aliases += "- *a\n";
  for (const std::string& text : {deep, many, aliases, std::string(600'000, '\n'), std::string("a: b\nc: \x01\n", 11),
                                  std::string(200'000, '[')}) {
    EXPECT_NE(ReadYaml(text).stop, "") << text.substr(0, 20);
  }
}

TEST(YamlValues, AnyBytesAreRead) {
  for (const std::string_view text : {"- - - -", "a: [", "a: {b", "'", "a: \"b", ": :", "- |", "a: |\n",
                                      "\t- a:\n\t\t- b", "a: {b: {c", "[],", "{},{}", "*a", "&a", "---\n...\n,"}) {
    (void)ReadYaml(text);
  }
}

}  // namespace
}  // namespace interlock::scan
