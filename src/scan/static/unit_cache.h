// What analysers have left of files, as bytes and back, so that the next run need not read what has not changed.
// Engine room.
//
// Only raw findings are kept: reach, identity and weights are of a package, and are always worked out anew. What cannot
// be read to its end, names a rule that is gone or points outside of the file counts as nothing kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "code/flow.h"
#include "static/analysis.h"

namespace interlock::scan {

struct KeptUnit {
  FileResult result;
  std::vector<code::CapabilityUse> uses;
};

// Key of one file: its bytes, its path, and what it was taken for.
[[nodiscard]] std::string UnitKey(const FileContext& file, std::string_view sha256, const ScanOptions& options,
                                  const RuleSet& rules);
[[nodiscard]] std::string EncodeUnit(const FileResult& result, const std::vector<code::CapabilityUse>& uses);
[[nodiscard]] bool DecodeUnit(std::string_view bytes, const FileContext& file, const RuleSet& rules, KeptUnit& out);

// Key of what the code of a whole package does: every file's path and bytes.
[[nodiscard]] std::string CodeKey(const core::PackageView& view, const std::vector<std::string>& sha256,
                                  const ScanOptions& options, const RuleSet& rules);
[[nodiscard]] std::string EncodeCode(const code::CodeFacts& facts, const std::vector<core::SkippedPart>& skipped);
[[nodiscard]] bool DecodeCode(std::string_view bytes, const std::vector<FileContext>& files, const RuleSet& rules,
                              code::CodeFacts& out, std::vector<core::SkippedPart>& skipped);

}  // namespace interlock::scan
