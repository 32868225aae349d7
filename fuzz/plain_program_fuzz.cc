// links: base core scan
// mutates: tokens
// Any bytes as a program in a language without a front end: every statement lies in the text, in order, and judging it
// never crashes. The first byte picks the language.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../src/scan/static/command_lines.h"
#include "../src/scan/static/plain_flow.h"
#include "../src/scan/static/plain_statements.h"

namespace {

using namespace interlock::scan;

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::array<std::string_view, 15> kNames = {"a.rb",   "a.pl",  "a.php",   "a.lua", "a.applescript",
                                                       "a.java", "a.cs",  "a.swift", "a.r",   "a.vbs",
                                                       "a.dart", "a.exs", "a.jl",    "a.c",   "a.csv"};
  if (size == 0) return 0;
  interlock::core::PackageFile file;
  file.path = kNames[data[0] % kNames.size()];
  file.bytes.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  bool complete = false;
  std::size_t last = 0;
  for (const PlainStatement& one : ReadPlainStatements(file.bytes, PlainLanguageOf(file.path), &complete)) {
    Check(one.bytes.begin >= last && one.bytes.begin <= one.bytes.end && one.bytes.end <= file.bytes.size());
    last = one.bytes.begin;
  }
  FileContext context;
  context.file = &file;
  context.type = FileType::kOtherSource;
  FileResult result;
  JudgePlainProgram(context, result);
  JudgeCommandLines(context, result);
  for (const RawFinding& finding : result.findings) Check(finding.bytes.end <= file.bytes.size());
  return 0;
}
