// links: base core scan
// Reading code: shell scripts parsed and judged, JavaScript lowered and followed. Bytes a second of one core.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "code/flow.h"
#include "code/shell.h"
#include "code/tree.h"

namespace {

using namespace interlock::scan::code;

std::string Repeated(const char* name, std::size_t bytes) {
  std::ifstream file(std::string(INTERLOCK_SOURCE_DIR) + "/src/scan/testdata/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string out;
  while (out.size() < bytes && !text.str().empty()) out += text.str();
  return out;
}

void BM_ShellParseAndJudge(benchmark::State& state) {
  const std::string text = Repeated("shell/acts.txt", static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const ShellScript script = ParseShell(text);
    benchmark::DoNotOptimize(AnalyzeShellScript(script, text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_ShellParseAndJudge)->Arg(4 << 10)->Arg(256 << 10);

void BM_LowerJavaScript(benchmark::State& state, const char* name, bool typescript) {
  const std::string text = Repeated(name, 64 << 10);
  for (auto _ : state) benchmark::DoNotOptimize(LowerJavaScript(text, 0, typescript, !typescript));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
// Parsing alone: what a syntax tree costs before anything is made of it.
void BM_ParseJavaScript(benchmark::State& state, const char* name, Grammar grammar) {
  const std::string text = Repeated(name, 64 << 10);
  const NodeKinds kinds(grammar, {}, {});
  for (auto _ : state) benchmark::DoNotOptimize(ParseSyntax(kinds, text, {}));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(BM_ParseJavaScript, modules, "javascript/commonjs.js", Grammar::kJavaScript);
BENCHMARK_CAPTURE(BM_ParseJavaScript, minified, "javascript/minified.js", Grammar::kJavaScript);
BENCHMARK_CAPTURE(BM_ParseJavaScript, typescript, "javascript/types.ts", Grammar::kTypeScript);

BENCHMARK_CAPTURE(BM_LowerJavaScript, modules, "javascript/commonjs.js", false);
BENCHMARK_CAPTURE(BM_LowerJavaScript, minified, "javascript/minified.js", false);
BENCHMARK_CAPTURE(BM_LowerJavaScript, typescript, "javascript/types.ts", true);

// What a program does: entry points, flows, judgements. The module is lowered before.
void Follow(benchmark::State& state, const std::string& text) {
  const Module module = LowerJavaScript(text, 0, false, true);
  PackageModules package;
  package.modules.push_back(&module);
  package.paths.emplace_back("index.js");
  for (auto _ : state) benchmark::DoNotOptimize(AnalyzeCode(package, {interlock::core::Reach::kRuntime}));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void BM_FollowJavaScript(benchmark::State& state, const char* name) { Follow(state, Repeated(name, 64 << 10)); }
BENCHMARK_CAPTURE(BM_FollowJavaScript, modules, "javascript/commonjs.js");
BENCHMARK_CAPTURE(BM_FollowJavaScript, minified, "javascript/minified.js");

// What validators and query builders make of a program: long chains of calls on what an object holds.
void BM_FollowChains(benchmark::State& state) {
  std::string text = "const kit = { text: () => kit, min: () => kit, max: () => kit };\n";
  for (int i = 0; text.size() < (64 << 10); ++i) {
    const std::string name = "field" + std::to_string(i);
    text +=
        "const " + name + " = kit.text().min(1).max(80).text().min(2);\nexports." + name + " = " + name + ".max(9);\n";
  }
  Follow(state, text);
}
BENCHMARK(BM_FollowChains);

}  // namespace
