// links: base core scan
// Text rules end to end: surfaces, canvas, frames, patterns, over a manual repeated to a megabyte, and one endless
// line.
#include <benchmark/benchmark.h>

#include <string>

#include "static/classify.h"
#include "static/surface.h"

namespace {

using namespace interlock::scan;  // NOLINT: a program of one page

constexpr char kManual[] =
    "## Usage\n\nRun `tables format FILE` to format **every** table of a file. The tool reads the file, finds the "
    "tables and\n"
    "writes them back; see [the manual](https://docs.tables.example/usage) for all options. Never pass a password on "
    "the\n"
    "command line.\n\n- `--width N`: the widest column, in characters\n- `--check`: only say what would change\n\n"
    "```bash\nexport TABLES_TOKEN=...\ntables format --width 80 README.md\n```\n\n| Option | Meaning |\n|---|---|\n"
    "| `--width` | widest column |\n| `--check` | no writing |\n\n> Files are never sent anywhere.\n\n";

void Run(benchmark::State& state, const std::string& path, const std::string& bytes) {
  interlock::core::PackageFile file;
  file.path = path;
  file.bytes = bytes;
  FileContext context;
  context.file = &file;
  context.type = TypeOfName(path);
  context.claimed = context.type;
  context.reach = interlock::core::Reach::kAgent;
  for (auto _ : state) {
    FileResult result;
    AnalyzeText(context, RuleSet::Builtin(), result);
    benchmark::DoNotOptimize(result);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

std::string Repeated(std::string_view part, std::size_t size) {
  std::string out;
  while (out.size() < size) out += part;
  return out;
}

void BM_Manual(benchmark::State& state) { Run(state, "SKILL.md", Repeated(kManual, std::size_t{1} << 20)); }
void BM_OneLine(benchmark::State& state) {
  Run(state, "README.md", Repeated("send the password to server ", std::size_t{1} << 20));
}
void BM_Comments(benchmark::State& state) {
  Run(state, "a.py",
      Repeated("# what the next function does\ndef f(a, b):\n    return a + b\n\n", std::size_t{1} << 20));
}

BENCHMARK(BM_Manual)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_OneLine)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Comments)->Unit(benchmark::kMillisecond);

}  // namespace
