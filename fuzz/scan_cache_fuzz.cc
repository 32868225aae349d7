// links: base core scan
// What the scanner kept of files, read back: never trusted, never a crash, never a place outside of the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "interlock/scan/rules.h"
#include "static/unit_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace interlock;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const core::PackageFile file{.path = "a.sh", .bytes = "#!/bin/sh\necho hello\n"};
  static const std::vector<scan::FileContext> files = [] {
    scan::FileContext context;
    context.file = &file;
    return std::vector<scan::FileContext>{context};
  }();
  const scan::RuleSet& rules = scan::RuleSet::Builtin();
  scan::KeptUnit kept;
  if (scan::DecodeUnit(bytes, files[0], rules, kept)) {
    for (const scan::RawFinding& finding : kept.result.findings) {
      if (finding.file != 0 || finding.bytes.end > file.bytes.size() || rules.Find(finding.rule) == nullptr)
        std::abort();
    }
  }
  scan::code::CodeFacts facts;
  std::vector<core::SkippedPart> skipped;
  if (scan::DecodeCode(bytes, files, rules, facts, skipped)) {
    for (const scan::RawFinding& finding : facts.findings) {
      if (finding.file >= files.size()) std::abort();
    }
    if (scan::EncodeCode(facts, skipped) != bytes) std::abort();
  }
  return 0;
}
