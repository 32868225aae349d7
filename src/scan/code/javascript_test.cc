// Golden files: testdata/javascript/NAME.{js,ts,tsx} lowers to NAME.ir. With INTERLOCK_UPDATE_GOLDEN set, the .ir files
// are written.
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

TEST(LowerJavaScript, GoldenFiles) {
  const bool update = std::getenv("INTERLOCK_UPDATE_GOLDEN") != nullptr;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(INTERLOCK_TESTDATA) / "javascript")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".ir") continue;
    ++files;
    const std::string text = ReadTestFile(entry.path());
    const Module module = LowerJavaScript(text, 0, extension.starts_with(".ts"), extension != ".ts");
    ExpectSound(module);
    EXPECT_TRUE(module.complete);
    fs::path golden = entry.path();
    golden.replace_extension(".ir");
    const std::string dump = Dump(module);
    if (update) {
      std::ofstream(golden, std::ios::binary) << dump;
    } else {
      EXPECT_EQ(dump, ReadTestFile(golden)) << entry.path().filename();
    }
    if (entry.path().stem() != "errors") {
      EXPECT_EQ(module.error_bytes, 0u) << entry.path().filename();
    }
  }
  EXPECT_GE(files, 7u);
}

TEST(LowerJavaScript, HostileTextsEndWithinBudgets) {
  const auto repeat = [](std::string_view part, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += part;
    return out;
  };
  const std::string texts[] = {repeat("(", 20000),
                               repeat("[", 20000),
                               repeat("a=>", 5000) + "1",
                               repeat("'", 20001),
                               repeat("a+", 30000) + "b",
                               "x=" + repeat("a,", 30000) + "b",
                               repeat("f(", 10000),
                               repeat("function f(){", 3000),
                               repeat("class A{b(){", 3000),
                               repeat("`${", 5000),
                               repeat("if(a)b;else ", 5000) + "c",
                               "a" + repeat(".b()", 20000),
                               repeat("<a>", 3000),
                               std::string(20000, '\0'),
                               repeat("\xff\xfe", 10000),
                               repeat("{x:", 10000),
                               repeat("@a ", 5000)};
  for (const std::string& text : texts) {
    for (const bool typescript : {false, true}) {
      const Module module = LowerJavaScript(text, 0, typescript, true);
      ExpectSound(module);
    }
  }
}

TEST(LowerJavaScript, CutTextsAreSound) {
  for (const char* name : {"esm.mjs.js", "types.ts", "expressions.js"}) {
    const std::string text = ReadTestFile(fs::path(INTERLOCK_TESTDATA) / "javascript" / name);
    for (std::size_t cut = 0; cut < text.size(); cut += 23) {
      const std::string part = text.substr(cut / 2, cut);
      ExpectSound(LowerJavaScript(part, 0, cut % 2 == 0, true));
    }
  }
}

TEST(LowerJavaScript, BytesBeyondTheLimitAreNamed) {
  LowerLimits limits;
  limits.max_bytes = 20;
  const Module module = LowerJavaScript("const a = 1;\nconst b = require('fs');\n", 0, false, false, limits);
  EXPECT_FALSE(module.complete);
  EXPECT_FALSE(module.stop.empty());
  ExpectSound(module);
}

}  // namespace
}  // namespace interlock::scan::code
