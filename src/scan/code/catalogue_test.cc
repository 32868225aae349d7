#include "code/catalogue.h"

#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

namespace interlock::scan::code {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(std::string(INTERLOCK_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(Catalogue, ShippedFilesFollowTheSchema) {
  const auto text = base::JsonDoc::Parse(Read("schemas/interlock.scan-catalogue.v1.json"));
  ASSERT_TRUE(text.ok());
  const auto schema = policy::JsonSchema::Compile(text.value().root());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  for (const char* const language : {"python", "javascript"}) {
    const std::string file = Read("rules/scan/catalogue/" + std::string(language) + ".json");
    const auto document = base::JsonDoc::Parse(file);
    ASSERT_TRUE(document.ok()) << language;
    EXPECT_TRUE(schema.value().Validate(document.value().root()).valid()) << language;
    EXPECT_TRUE(Catalogue::Parse(file).ok()) << language;
  }
  const auto wrong = base::JsonDoc::Parse(
      R"({"schema":"interlock.scan-catalogue/v1","language":"python","functions":[{"role":"fly","names":["a.b"]}]})");
  ASSERT_TRUE(wrong.ok());
  EXPECT_FALSE(schema.value().Validate(wrong.value().root()).valid());
}

TEST(Catalogue, ABrowsersOpenIsNoProgram) {
  const Catalogue& javascript = Catalogue::For(Language::kJavaScript);
  EXPECT_EQ(javascript.Find("globalThis.open"), nullptr);
  EXPECT_NE(javascript.Find("open"), nullptr);
  EXPECT_NE(javascript.Find("globalThis.fetch"), nullptr);
}

TEST(Catalogue, FoldsWhatLooksModulesUp) {
  EXPECT_TRUE(Catalogue::For(Language::kPython).Folds("importlib.import_module"));
  EXPECT_TRUE(Catalogue::For(Language::kJavaScript).Folds("process.getBuiltinModule"));
  EXPECT_FALSE(Catalogue::For(Language::kPython).Folds("subprocess.run"));
}

}  // namespace
}  // namespace interlock::scan::code
