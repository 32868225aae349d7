// `interlock eval scanner --features FILE`: what the scanner's classifier of orders is trained on.
#pragma once

#include <string>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/scanner/sample.h"

namespace interlock::app {

// One line of JSON a sentence: {"label", "threat", "surface": "skill" | "tool" | "prompt", "text"}.
[[nodiscard]] base::Result<std::vector<eval::scanner::ScanSample>> LoadSentences(const std::string& file);

// A line a sentence: set, id, label, tier, cluster, reach, features by comma, text; then "feature NUMBER NAME" lines.
[[nodiscard]] base::Status WriteFeatures(const std::vector<eval::scanner::ScanSample>& samples,
                                         const std::string& file);

}  // namespace interlock::app
