#include "code/resolve.h"

#include "code/flow.h"
#include "gtest/gtest.h"

namespace interlock::scan::code {
namespace {

// Value of the last expression statement of a module.
Value LastOf(const Module& module) {
  const Resolver resolver(module, nullptr);
  return resolver.Evaluate(module.functions[kModuleBody].body.back().value, kModuleBody);
}

std::string Python(const std::string& text) {
  const Module module = LowerPython(text, 0);
  const Value value = LastOf(module);
  return value.kind == ValueKind::kUnknown ? "?" : value.text;
}

std::string JavaScript(const std::string& text) {
  const Module module = LowerJavaScript(text, 0, false, false);
  const Value value = LastOf(module);
  return value.kind == ValueKind::kUnknown ? "?" : value.text;
}

TEST(Resolve, NamesOfPython) {
  EXPECT_EQ(Python("import requests as r\nr.post\n"), "requests.post");
  EXPECT_EQ(Python("from subprocess import run as go\ngo\n"), "subprocess.run");
  EXPECT_EQ(Python("import os.path\nos.path.join\n"), "os.path.join");
  EXPECT_EQ(Python("import requests\ns = requests.Session()\ns.post\n"), "requests.Session().post");
  EXPECT_EQ(Python("eval\n"), "builtins.eval");
  EXPECT_EQ(Python("def eval(x): pass\neval\n"), "");  // its own
  EXPECT_EQ(Python("try:\n    import ujson as j\nexcept ImportError:\n    j = None\nj.loads\n"), "ujson.loads");
  EXPECT_EQ(Python("from os import *\nsystem\n"), "os.system");
  EXPECT_EQ(Python("import subprocess\nclass A:\n    def __init__(self):\n        self.go = subprocess.run\nA().go\n"),
            "subprocess.run");
}

TEST(Resolve, TextsThatGoThroughFunctions) {
  EXPECT_EQ(JavaScript("const f = (s) => s.trim();\nf(' a ');\n"), "a");
  EXPECT_EQ(JavaScript("const f = (a, b) => `${a}-${b}`;\nf('x', 'y');\n"), "x-y");
  EXPECT_EQ(JavaScript("['a', 'b'].map((s) => s + '!').join('');\n"), "a!b!");
  EXPECT_EQ(JavaScript("['a', 'b'].reduce((all, s) => all + ' ' + s);\n"), "a b");
  EXPECT_EQ(JavaScript("String.raw`a\\n`;\n"), "a\\n");
  EXPECT_EQ(JavaScript("const t = (parts) => parts[0];\nt`a b`;\n"), "a b");
  EXPECT_EQ(JavaScript("'a_b_c'.replace(/_/g, ' ');\n"), "a b c");
  EXPECT_EQ(JavaScript("'a_b_c'.replace(/_/, ' ');\n"), "a b_c");
  EXPECT_EQ(JavaScript("'a1b'.replace(/\\d/, ' ');\n"), "?");
  EXPECT_EQ(Python("def f(s):\n    return s.strip()\nf(' a ')\n"), "a");
  EXPECT_EQ(Python("import re\nre.sub('_', ' ', 'a_b')\n"), "a b");
  EXPECT_EQ(Python("import string\nstring.Template('a $n').substitute(n='b')\n"), "a b");
  EXPECT_EQ(Python("import string\nstring.Template('a $n').substitute(m='b')\n"), "string.Template().substitute()");
  EXPECT_EQ(Python("'%(a)s-%(b)s' % {'a': 'x', 'b': 'y'}\n"), "x-y");
}

TEST(Resolve, WhatWasHiddenStaysHidden) {
  const Module script = LowerJavaScript("JSON.parse(atob('eyJhIjogImIifQ==')).a;\n", 0, false, false);
  EXPECT_EQ(LastOf(script).text, "b");
  EXPECT_GT(LastOf(script).decodes, 0);
  const Module program = LowerPython("import base64, json\njson.loads(base64.b64decode('eyJhIjogImIifQ=='))['a']\n", 0);
  EXPECT_EQ(LastOf(program).text, "b");
  EXPECT_GT(LastOf(program).decodes, 0);
  EXPECT_EQ(Python("class A:\n    def f(self, s):\n        return s.strip()\nA().f(' a ')\n"), "a");
}

// Neither calls of itself nor of each other, nor growth without end.
TEST(Resolve, FunctionsThatHaveNoEnd) {
  EXPECT_EQ(JavaScript("const f = (s) => f(s + 'a');\nf('b');\n"), "?");
  EXPECT_EQ(JavaScript("const f = (s) => g(s);\nconst g = (s) => f(s);\nf('b');\n"), "?");
  std::string twice = "const d = (s) => s + s;\n";
  for (int i = 0; i < 64; ++i) twice += "d(";
  twice += "'a'";
  for (int i = 0; i < 64; ++i) twice += ')';
  EXPECT_EQ(JavaScript(twice + ";\n"), "?");
  std::string wide = "const f0 = (s) => s;\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "f" + std::to_string(i - 1) + "(s)";
    wide += "const f" + std::to_string(i) + " = (s) => " + before + " + " + before + ";\n";
  }
  EXPECT_EQ(JavaScript(wide + "f39('a');\n"), "?");
}

TEST(Resolve, TextsOfPython) {
  EXPECT_EQ(Python("a = 'ex'\nb = a + 'ec'\nb\n"), "exec");
  EXPECT_EQ(Python("x = 'a'\nx += 'b'\nx += 'c'\nx\n"), "abc");
  EXPECT_EQ(Python("'metsys'[::-1]\n"), "system");
  EXPECT_EQ(Python("'%s%s' % ('ex', 'ec')\n"), "exec");
  EXPECT_EQ(Python("k = {'a': 'b'}\nk['a']\n"), "b");
  EXPECT_EQ(Python("x = unknown()\nx + 'b'\n"), "?");
  EXPECT_EQ(Python("def f():\n    return 'ev' + 'al'\nf()\n"), "eval");
}

TEST(Resolve, ComputedNamesOfPython) {
  for (const char* text : {"import os\ngetattr(os, 'sys' + 'tem')\n", "import os\nos.__dict__['sys' + 'tem']\n",
                           "import os\nvars(os)['sys' + 'tem']\n", "getattr(__import__('o' + 's'), 'system')\n",
                           "import importlib\nimportlib.import_module('o' + 's').system\n",
                           "import sys\ngetattr(sys.modules['o' + 's'], 'system')\n"}) {
    EXPECT_EQ(Python(text), "os.system") << text;
    const Module module = LowerPython(text, 0);
    EXPECT_GE(LastOf(module).obfuscation, 2) << text;
  }
  const Module plain = LowerPython("import os\ngetattr(os, 'system')\n", 0);
  EXPECT_EQ(LastOf(plain).obfuscation, 1);
}

TEST(Resolve, NamesOfJavaScript) {
  EXPECT_EQ(JavaScript("const cp = require('node:child_process');\ncp.exec;\n"), "child_process.exec");
  EXPECT_EQ(JavaScript("import { exec as go } from 'child_process';\ngo;\n"), "child_process.exec");
  EXPECT_EQ(JavaScript("import fs from 'fs';\nfs.promises.readFile;\n"), "fs.promises.readFile");
  EXPECT_EQ(JavaScript("const { promisify } = require('util');\nconst { exec } = require('child_process');\n"
                       "const run = promisify(exec);\nrun;\n"),
            "child_process.exec");
  EXPECT_EQ(JavaScript("globalThis['ev' + 'al'];\n"), "globalThis.eval");
  EXPECT_EQ(JavaScript("process.env.HOME;\n"), "globalThis.process.env.HOME");
}

// A name means what it means where it stands, whoever asks first and from where.
TEST(Resolve, TheFunctionIsTheExpressionsOwn) {
  const std::string text = "x = 'outer'\ndef f():\n    x = 'inner'\n    return x\n";
  const Module module = LowerPython(text, 0);
  const Resolver resolver(module, nullptr);
  const ExprId inner = module.functions[1].body.back().value;
  EXPECT_EQ(resolver.Evaluate(inner, kModuleBody).text, "inner");
  EXPECT_EQ(resolver.Evaluate(inner, 1).text, "inner");
}

TEST(Resolve, AcrossModules) {
  const std::string a = "from .b import go, NAME\ngo\n";
  const std::string b = "from os import system as go\nNAME = 'n'\n";
  const Module first = LowerPython(a, 0);
  const Module second = LowerPython(b, 1);
  PackageModules package;
  package.modules = {&first, &second};
  package.paths = {"p/a.py", "p/b.py"};
  const Resolver resolver(first, &package);
  EXPECT_EQ(resolver.Evaluate(first.functions[kModuleBody].body.back().value, kModuleBody).text, "os.system");
}

}  // namespace
}  // namespace interlock::scan::code
