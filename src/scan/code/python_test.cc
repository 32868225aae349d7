// Golden files: testdata/python/NAME.py lowers to NAME.ir. With INTERLOCK_UPDATE_GOLDEN set, the .ir files are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "code/ir.h"
#include "code/sound_for_test.h"

namespace interlock::scan::code {
namespace {

namespace fs = std::filesystem;

std::string DumpOf(std::string_view text, const LowerLimits& limits = {}) {
  const Module module = LowerPython(text, 0, limits);
  return Dump(module);
}

TEST(LowerPython, GoldenFiles) {
  const bool update = std::getenv("INTERLOCK_UPDATE_GOLDEN") != nullptr;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(INTERLOCK_TESTDATA) / "python")) {
    if (entry.path().extension() != ".py") continue;
    ++files;
    const std::string text = ReadTestFile(entry.path());
    const Module module = LowerPython(text, 0);
    ExpectSound(module);
    fs::path golden = entry.path();
    golden.replace_extension(".ir");
    if (update) std::ofstream(golden, std::ios::binary) << Dump(module);
    EXPECT_EQ(Dump(module), ReadTestFile(golden)) << entry.path().filename();
  }
  EXPECT_GE(files, 8U);
}

TEST(LowerPython, LocationsAreTheBytesOfTheFile) {
  const std::string text = "import os\n\nos.system('ls ' + x)\n";
  const Module module = LowerPython(text, 7);
  EXPECT_EQ(module.file, 7U);
  ASSERT_EQ(module.functions[0].body.size(), 1U);
  const Expr& call = module.exprs[module.functions[0].body[0].value];
  EXPECT_EQ(text.substr(call.loc.begin, call.loc.end - call.loc.begin), "os.system('ls ' + x)");
}

TEST(LowerPython, GlobalsAreAssignedInTheModule) {
  EXPECT_NE(DumpOf("def f():\n    global g\n    g = 'x'\n").find("function 0 -\n  assign g = 'x'\n"),
            std::string::npos);
}

TEST(LowerPython, LongChainsStayWhole) {
  std::string text = "x = 'a'";
  for (int i = 0; i < 20'000; ++i) text += "+'b'";
  const Module module = LowerPython(text, 0);
  EXPECT_TRUE(module.complete);
  const Expr& value = module.exprs[module.functions[0].body.at(0).value];
  EXPECT_EQ(value.kind, ExprKind::kConcat);
  EXPECT_EQ(value.arg_count, 20'001U);
}

TEST(LowerPython, DeepNestingEndsInUnknown) {
  std::string text = "x = ";
  for (int i = 0; i < 5'000; ++i) text += "f(";
  text += "y";
  text.append(5'000, ')');
  const Module module = LowerPython(text, 0);
  EXPECT_FALSE(module.complete);
  EXPECT_EQ(module.stop, "depth");
  ExpectSound(module);
}

TEST(LowerPython, BrokenFilesLowerWhatParses) {
  const Module module = LowerPython("import os\nos.system('a')\nx = = 1\nos.system('b')\n", 0);
  EXPECT_GT(module.error_bytes, 0U);
  const std::string dump = Dump(module);
  EXPECT_NE(dump.find("os.system('a')"), std::string::npos);
  EXPECT_NE(dump.find("os.system('b')"), std::string::npos);
}

TEST(LowerPython, TotalOnPrefixesAndMutations) {
  const std::string text = ReadTestFile(fs::path(INTERLOCK_TESTDATA) / "python" / "control.py");
  for (std::size_t n = 0; n <= text.size(); n += 7) ExpectSound(LowerPython(std::string_view(text).substr(0, n), 0));
  for (std::size_t n = 0; n < text.size(); n += 11) {
    std::string changed = text;
    changed[n] = "\x00(){}'\"\n\\:"[n % 10];
    ExpectSound(LowerPython(changed, 0));
  }
}

// Whatever Python is on the machine: all of its library lowers without an error.
TEST(LowerPython, StandardLibrary) {
  std::size_t files = 0;
  for (const char* root : {"/usr/lib/python3.11", "/usr/lib/python3.12", "/usr/lib/python3.13"}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) {
      if (entry.path().extension() != ".py" || entry.file_size() > 12'000) continue;
      const std::string text = ReadTestFile(entry.path());
      const Module module = LowerPython(text, 0);
      EXPECT_TRUE(module.complete) << entry.path();
      EXPECT_EQ(module.error_bytes, 0U) << entry.path();
      ExpectSound(module);
      ++files;
    }
  }
  RecordProperty("files", static_cast<int>(files));
}

}  // namespace
}  // namespace interlock::scan::code
