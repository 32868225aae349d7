// links: base core scan
// Text rules end to end: surfaces, canvas, frames, patterns. What a user has: this project's documents, each a file of
// its own, and a listing of tools. Worse than that: a manual repeated to a megabyte (its commands are every line's
// sixth), one endless line.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "interlock/scan/scanner.h"
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

void RunAll(benchmark::State& state, const std::vector<interlock::core::PackageFile>& files) {
  std::size_t bytes = 0;
  std::vector<FileContext> contexts;
  for (const interlock::core::PackageFile& file : files) {
    bytes += file.bytes.size();
    FileContext context;
    context.file = &file;
    context.type = TypeOfName(file.path);
    context.claimed = context.type;
    context.reach = interlock::core::Reach::kAgent;
    contexts.push_back(context);
  }
  for (auto _ : state) {
    for (const FileContext& context : contexts) {
      FileResult result;
      AnalyzeText(context, RuleSet::Builtin(), result);
      benchmark::DoNotOptimize(result);
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void Run(benchmark::State& state, const std::string& path, const std::string& bytes) {
  std::vector<interlock::core::PackageFile> files(1);
  files.front().path = path;
  files.front().bytes = bytes;
  RunAll(state, files);
}

std::string Repeated(std::string_view part, std::size_t size) {
  std::string out;
  while (out.size() < size) out += part;
  return out;
}

void BM_Documents(benchmark::State& state) {
  std::vector<interlock::core::PackageFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(INTERLOCK_SOURCE_DIR) + "/docs")) {
    if (entry.path().extension() != ".md") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    files.emplace_back();
    files.back().path = entry.path().filename().string();
    files.back().bytes = text.str();
  }
  RunAll(state, files);
}

void BM_Listing(benchmark::State& state) {
  std::string tools;
  for (int i = 0; i < 400; ++i) {
    tools += (i == 0 ? "" : ",") +
             (R"({"name":"table_)" + std::to_string(i) +
              R"(","description":"Reads one table of a workbook and returns its rows. Use it when the user asks for )"
              R"(figures of one sheet; empty rows are left out.","inputSchema":{"type":"object","properties":)"
              R"({"sheet":{"type":"string","description":"name of the sheet, as list_sheets gives it"},)"
              R"("limit":{"type":"integer","description":"rows at most","default":100}},"required":["sheet"]}})");
  }
  Run(state, "tools.json", "{\"tools\":[" + tools + "]}");
}

void BM_Manual(benchmark::State& state) { Run(state, "SKILL.md", Repeated(kManual, std::size_t{1} << 20)); }
void BM_OneLine(benchmark::State& state) {
  Run(state, "README.md", Repeated("send the password to server ", std::size_t{1} << 20));
}
void BM_Comments(benchmark::State& state) {
  Run(state, "a.py",
      Repeated("# what the next function does\ndef f(a, b):\n    return a + b\n\n", std::size_t{1} << 20));
}

// A skill from its files to its report: what is done once a package, too.
void BM_Package(benchmark::State& state) {
  interlock::core::PackageView view;
  std::size_t bytes = 0;
  for (const auto& [path, text] :
       {std::pair{"SKILL.md",
                  "---\nname: tables\ndescription: Formats tables.\n---\n\n" + Repeated(kManual, std::size_t{6} << 10)},
        std::pair{"reference/options.md", Repeated(kManual, std::size_t{3} << 10)},
        std::pair{"scripts/format.sh", std::string("#!/bin/sh\nset -eu\nsort \"$1\" | uniq\n")}}) {
    view.files.emplace_back();
    view.files.back().path = path;
    view.files.back().bytes = text;
    bytes += text.size();
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(Scan(view));
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

BENCHMARK(BM_Documents)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Listing)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Manual)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_OneLine)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Comments)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Package)->Unit(benchmark::kMillisecond);

}  // namespace
