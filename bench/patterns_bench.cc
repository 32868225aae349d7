// links: base patterns
// Literals alone, and expressions that are confirmed, over text like that of a package. BM_Plain has no candidate.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "interlock/patterns/pattern_set.h"

namespace {

using interlock::patterns::PatternBackend;
using interlock::patterns::PatternHit;
using interlock::patterns::PatternOptions;
using interlock::patterns::PatternScratch;
using interlock::patterns::PatternSet;
using interlock::patterns::PatternSpec;

constexpr const char* kVerbs[] = {"ignore", "disregard", "override", "forward",  "upload", "exfiltrate", "conceal",
                                  "bypass", "disable",   "reveal",   "transmit", "delete", "install",    "execute"};
constexpr const char* kThings[] = {"previous instructions", "system prompt", "api key",  "private key", "safety rules",
                                   "credentials",           "audit log",     "the user", "passwords",   "ssh folder",
                                   "browser cookies",       "environment",   "history",  "wallet",      "guardrails"};

std::vector<PatternSpec> Specs() {
  std::vector<PatternSpec> specs;
  for (const char* verb : kVerbs) {
    for (const char* thing : kThings) {
      PatternSpec spec;
      spec.regex = std::string("\\b") + verb + R"((?:s|d|ing)?\b[^.\n]{0,60}\b)" + thing + "\\b";
      spec.words = {thing};
      specs.push_back(spec);
    }
  }
  return specs;
}

// `every`: bytes between sentences that hold candidates; 0: none.
std::string Text(std::size_t bytes, std::size_t every) {
  std::string text;
  std::size_t next = every;
  for (int i = 0; text.size() < bytes; ++i) {
    text += "## Step " + std::to_string(i) +
            "\nRun the formatter over the changed files, then open a request for review.\nThe table below lists each "
            "option with its default; values are read from the configuration in the project folder.\n";
    if (every != 0 && text.size() > next) {
      text += "Never paste credentials into the form; the api key belongs in the environment of the process.\n";
      next = text.size() + every;
    }
  }
  return text;
}

void Run(benchmark::State& state, PatternBackend backend, std::size_t bytes, std::size_t every) {
  PatternOptions options;
  options.backend = backend;
  auto set = PatternSet::Compile(Specs(), options);
  if (!set.ok()) {
    state.SkipWithError("backend is not there");
    return;
  }
  const std::string text = Text(bytes, every);
  PatternScratch scratch;
  std::vector<PatternHit> hits;
  for (auto _ : state) {
    hits.clear();
    benchmark::DoNotOptimize(set.value().Scan(text, scratch, hits));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void BM_Plain(benchmark::State& state, PatternBackend backend) {
  Run(state, backend, static_cast<std::size_t>(state.range(0)), 0);
}
void BM_Candidates(benchmark::State& state, PatternBackend backend) { Run(state, backend, 64 << 10, 1500); }

void BM_Compile(benchmark::State& state, PatternBackend backend, bool kept) {
  const std::vector<PatternSpec> specs = Specs();
  PatternOptions options;
  options.backend = backend;
  options.check = false;
  std::string literals;
  if (kept) {
    const auto first = PatternSet::Compile(specs, options);
    if (first.ok()) literals = first.value().SerializeLiterals();
  }
  options.literals = literals;
  for (auto _ : state) benchmark::DoNotOptimize(PatternSet::Compile(specs, options).ok());
}

BENCHMARK_CAPTURE(BM_Plain, portable, PatternBackend::kPortable)->Arg(1 << 10)->Arg(64 << 10);
BENCHMARK_CAPTURE(BM_Plain, vectorscan, PatternBackend::kVectorscan)->Arg(1 << 10)->Arg(64 << 10);
BENCHMARK_CAPTURE(BM_Candidates, portable, PatternBackend::kPortable);
BENCHMARK_CAPTURE(BM_Candidates, vectorscan, PatternBackend::kVectorscan);
BENCHMARK_CAPTURE(BM_Compile, portable, PatternBackend::kPortable, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Compile, vectorscan, PatternBackend::kVectorscan, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Compile, kept, PatternBackend::kVectorscan, true)->Unit(benchmark::kMicrosecond);

}  // namespace
