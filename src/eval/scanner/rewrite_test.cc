#include "interlock/eval/scanner/rewrite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

namespace interlock::eval::scanner {
namespace {

std::string By(std::string_view id, std::string_view source, std::uint32_t expected) {
  const auto how = std::ranges::find(Rewritings(), id, &Rewriting::id);
  EXPECT_NE(how, Rewritings().end()) << id;
  std::uint32_t places = 0;
  std::string out = Rewrite(source, *how, places);
  EXPECT_EQ(places, expected) << out;
  return out;
}

TEST(ScannerRewrite, PutsWhatACallIsGivenIntoABox) {
  EXPECT_EQ(By("py-list", "def f(a):\n    return send(a, retries=limit(a))\n", 2),
            "def f(a):\n    part1 = [a]\n    part2 = [limit(a)]\n    return send(part1[0], retries=part2[0])\n");
  EXPECT_EQ(By("js-object", "function f(a) {\n  return send(a, 3, 'x');\n}\n", 2),
            "function f(a) {\n  const part1 = { v: a };\n  const part2 = { v: 'x' };\n  return send(part1.v, 3, "
            "part2.v);\n}\n");
}

TEST(ScannerRewrite, ABoxOfSeveralLinesKeepsTheIndentation) {
  EXPECT_EQ(By("py-attribute", "if x:\n  f(x)\n", 1), "if x:\n  class Part1: pass\n  Part1.v = (x)\n  f(Part1.v)\n");
}

TEST(ScannerRewrite, FollowsStatementsIntoCallbacks) {
  EXPECT_EQ(By("js-array", "on('x', async (a) => {\n  await send(a)\n  log(a)\n})\n", 3),
            "const part1 = ['x'];\non(part1[0], async (a) => {\n  const part2 = [a];\n  await send(part2[0])\n  const "
            "part3 = "
            "[a];\n  log(part3[0])\n})\n");
}

TEST(ScannerRewrite, LeavesWhatMustStayWhereItIs) {
  for (const char* const text :
       {"@tool(name)\ndef f(a, b=g(1)): pass\n", "while more(x):\n    pass\n", "x = [f(y) for y in z]\n",
        "with f() as g: pass\n", "\"\"\"doc f(x)\"\"\"\n", "f(*rest, **more)\n", "s = 'f(x)'  # f(x)\n"}) {
    EXPECT_EQ(By("py-dictionary", text, 0), text);
  }
  for (const char* const text :
       {"class A { f(a) {} g = h(a); }\n", "while (f(x)) {}\n", "if (a) {} else if (f(b)) {}\n",
        "xs.map((x) => f(x));\n", "function f(a, b) {}\n", "const r = /f(x)/;\n", "// f(x)\n", "f(...rest);\n"}) {
    EXPECT_EQ(By("js-closure", text, 0), text);
  }
  EXPECT_EQ(By("js-closure", "for (const p of list(q)) log(p);\n", 1),
            "const part1 = () => (q);\nfor (const p of list(part1())) log(p);\n");
}

TEST(ScannerRewrite, DocumentsInOtherMarkdown) {
  const std::string page = "---\nname: x\n---\n# X\n\n## Use\n\nRun it:\n\n```bash\nls\n```\n";
  const std::string head = "---\nname: x\n---\n";
  EXPECT_EQ(By("md-quote", page, 9), head + "> # X\n> \n> ## Use\n> \n> Run it:\n> \n> ```bash\n> ls\n> ```\n");
  EXPECT_EQ(By("md-items", page, 1), head + "# X\n\n## Use\n\n- Run it:\n\n```bash\nls\n```\n");
  EXPECT_EQ(By("md-plain-fence", page, 1), head + "# X\n\n## Use\n\nRun it:\n\n```\nls\n```\n");
  EXPECT_EQ(By("md-tildes", page, 2), head + "# X\n\n## Use\n\nRun it:\n\n~~~~bash\nls\n~~~~\n");
  EXPECT_EQ(By("md-indented", page, 2), head + "# X\n\n## Use\n\nRun it:\n\n\n    ls\n\n");
  EXPECT_EQ(By("md-pre", page, 2), head + "# X\n\n## Use\n\nRun it:\n\n<pre><code>\nls\n</code></pre>\n");
  EXPECT_EQ(By("md-headings", page, 1),
            head + "# X\n\n## Security checks against attacks\n\nRun it:\n\n```bash\nls\n```\n");
  EXPECT_EQ(By("md-line-ends", "a\nb\n", 2), "a\r\nb\r\n");
  EXPECT_EQ(By("md-headings", "plain\n", 0), "plain\n");
}

TEST(ScannerRewrite, ScriptsInAnotherFolder) {
  ScanSample sample;
  sample.view.files.push_back(
      {.path = "SKILL.md", .bytes = "Run scripts/a.sh, ./scripts/b.sh, not my-scripts/ or my/scripts/c.sh."});
  sample.view.files.push_back({.path = "scripts/a.sh", .bytes = "ls\n"});
  const auto how = std::ranges::find(Rewritings(), "folder-tests", &Rewriting::id);
  ASSERT_NE(how, Rewritings().end());
  std::uint32_t places = 0;
  const ScanSample moved = Apply(sample, *how, places);
  EXPECT_EQ(places, 1U);
  EXPECT_EQ(moved.view.files[0].bytes, "Run tests/a.sh, ./tests/b.sh, not my-scripts/ or my/scripts/c.sh.");
  EXPECT_EQ(moved.view.files[1].path, "tests/a.sh");
  sample.view.files.pop_back();
  EXPECT_EQ(Apply(sample, *how, places).view.files[0].bytes, sample.view.files[0].bytes);
  EXPECT_EQ(places, 0U);
}

TEST(ScannerRewrite, TakesAnyBytes) {
  for (const Rewriting& how : Rewritings()) {
    if (how.language == SourceLanguage::kFolder) continue;  // of whole samples
    for (const char* const text :
         {"f(((", "f(a", ")))]}", "'", "`${", "\"\"\"", "f(\\", "{{{{f(a)", "/[", "a\n(b)\n"}) {
      std::uint32_t places = 0;
      const std::string after = Rewrite(text, how, places);
      // A fence may lose its language; nothing else is ever left out.
      EXPECT_GE(after.size(), std::string_view(text).size()) << how.id;
    }
  }
}

TEST(ScannerRewrite, TakesFilesOfItsLanguageOnly) {
  EXPECT_EQ(LanguageOf("a/b.py"), SourceLanguage::kPython);
  EXPECT_EQ(LanguageOf("a/b.mts"), SourceLanguage::kJavaScript);
  EXPECT_EQ(LanguageOf("a/b.d.ts"), SourceLanguage::kNone);
  EXPECT_EQ(LanguageOf("README.md"), SourceLanguage::kMarkdown);
  EXPECT_EQ(LanguageOf("README"), SourceLanguage::kNone);
  ScanSample sample;
  sample.view.files.push_back({.path = "a.py", .bytes = "f(x)\n"});
  sample.view.files.push_back({.path = "a.js", .bytes = "f(x)\n"});
  std::uint32_t places = 0;
  const ScanSample after = Apply(sample, Rewritings().front(), places);
  EXPECT_EQ(places, 1U);
  EXPECT_NE(after.view.files[0].bytes, "f(x)\n");
  EXPECT_EQ(after.view.files[1].bytes, "f(x)\n");
}

}  // namespace
}  // namespace interlock::eval::scanner
