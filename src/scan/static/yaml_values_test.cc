#include "static/yaml_values.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace interlock::scan {
namespace {

std::map<std::string, std::string> Read(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const YamlValue& value : YamlValuesOf(text)) {
    std::string path;
    for (const std::string& part : value.path) path += (path.empty() ? "" : "/") + part;
    values.emplace(path, value.text);
  }
  return values;
}

TEST(YamlValues, KeysAndElementsMakeThePath) {
  const auto values = Read(
      "on: push\njobs:\n  test:\n    steps:\n    - uses: actions/checkout@v4  # first\n    - name: x\n      run: make\n"
      "    env:\n      A: 'it''s'\n");
  EXPECT_EQ(values.at("on"), "push");
  EXPECT_EQ(values.at("jobs/test/steps/0/uses"), "actions/checkout@v4");
  EXPECT_EQ(values.at("jobs/test/steps/1/run"), "make");
  EXPECT_EQ(values.at("jobs/test/env/A"), "it's");
}

TEST(YamlValues, BlocksKeepTheirLinesAndWhereTheyStand) {
  const std::string text = "a:\n  run: |\n    one\n      two\n\n    three\n  b: 1\n- |\n  four\n";
  const auto values = Read(text);
  EXPECT_EQ(values.at("a/run"), "one\n  two\n\nthree\n");
  EXPECT_EQ(values.at("a/b"), "1");
  const std::vector<YamlValue> all = YamlValuesOf(text);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(text.substr(all[0].bytes.begin, 1), "|");
}

TEST(YamlValues, ListsAndMapsOnOneLineOrSeveral) {
  const auto values = Read("v: [\"/:/root:ro\", '/b:/b', c]\nm: {x: 1, y: ${{ z }}}\nl: [a,\n  b]\n");
  EXPECT_EQ(values.at("v/0"), "/:/root:ro");
  EXPECT_EQ(values.at("v/2"), "c");
  EXPECT_EQ(values.at("m/x"), "1");
  EXPECT_EQ(values.at("m/y"), "${{ z }}");
  EXPECT_EQ(values.at("l/1"), "b");
}

TEST(YamlValues, ColonsInAddressesAreNoKeys) {
  const auto values = Read("channels:\n- http://a.example/b\n- conda-forge\nports:\n- \"80:80\"\n");
  EXPECT_EQ(values.at("channels/0"), "http://a.example/b");
  EXPECT_EQ(values.at("ports/0"), "80:80");
}

TEST(YamlValues, AnyBytesAreRead) {
  for (const std::string_view text :
       {"- - - -", "a: [", "a: {b", "'", "a: \"b", ": :", "- |", "a: |\n", "\t- a:\n\t\t- b", "a: {b: {c"}) {
    (void)YamlValuesOf(text);
  }
}

}  // namespace
}  // namespace interlock::scan
