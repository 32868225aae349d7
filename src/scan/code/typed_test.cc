// Golden files: testdata/typed/NAME.go and NAME.rs lower to NAME.go.ir and NAME.rs.ir. With INTERLOCK_UPDATE_GOLDEN
// set, the .ir files are written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "code/ir.h"
#include "code/sound_for_test.h"

namespace interlock::scan::code {
namespace {

namespace fs = std::filesystem;

Module Lower(std::string_view extension, std::string_view text) {
  return extension == ".go" ? LowerGo(text, 0) : LowerRust(text, 0);
}

TEST(LowerTyped, GoldenFiles) {
  const bool update = std::getenv("INTERLOCK_UPDATE_GOLDEN") != nullptr;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(INTERLOCK_TESTDATA) / "typed")) {
    if (entry.path().extension() == ".ir") continue;
    ++files;
    const std::string text = ReadTestFile(entry.path());
    const Module module = Lower(entry.path().extension().string(), text);
    EXPECT_EQ(module.error_bytes, 0U) << entry.path().filename();
    ExpectSound(module);
    fs::path golden = entry.path();
    golden += ".ir";
    if (update) std::ofstream(golden, std::ios::binary) << Dump(module);
    EXPECT_EQ(Dump(module), ReadTestFile(golden)) << entry.path().filename();
  }
  EXPECT_GE(files, 2U);
}

TEST(LowerTyped, LongChainsStayWhole) {
  for (const std::string_view extension : {".go", ".rs"}) {
    std::string text = extension == ".go" ? "package p\nvar x = a" : "static X: String = a";
    for (int i = 0; i < 20'000; ++i) text += "+b";
    text += extension == ".go" ? "\n" : ";\n";
    const Module module = Lower(extension, text);
    EXPECT_TRUE(module.complete);
    ASSERT_EQ(module.functions[0].body.size(), 1U);
    const Expr& value = module.exprs[module.functions[0].body[0].value];
    EXPECT_EQ(value.kind, ExprKind::kConcat);
    EXPECT_EQ(value.arg_count, 20'001U);
  }
}

TEST(LowerTyped, WordsOfACommandHaveABound) {
  std::string text = "fn main() { Command::new(\"x\")";
  for (int i = 0; i < 500; ++i) text += ".arg(\"y\")";
  const Module module = LowerRust(text + ".spawn(); }", 0);
  EXPECT_TRUE(module.complete);
  EXPECT_LT(module.args.size(), 4'000U);
}

TEST(LowerTyped, TotalOnPrefixesAndMutations) {
  for (const std::string_view extension : {".go", ".rs"}) {
    const std::string text = ReadTestFile(fs::path(INTERLOCK_TESTDATA) / "typed" / ("server" + std::string(extension)));
    for (std::size_t n = 0; n <= text.size(); n += 7)
      ExpectSound(Lower(extension, std::string_view(text).substr(0, n)));
    for (std::size_t n = 0; n < text.size(); n += 5) {
      std::string changed = text;
      changed[n] = "\x00(){}'\"\n\\:#!|"[n % 13];
      ExpectSound(Lower(extension, changed));
    }
  }
}

}  // namespace
}  // namespace interlock::scan::code
