// What the classifier of orders is trained on: the sentences of a package that could be orders, as numbers of features.
// Used by `interlock eval scanner --features`; a scan needs none of this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/core/finding.h"
#include "interlock/core/package.h"

namespace interlock::scan {

struct OrderSentence {
  std::string path;
  core::Reach reach = core::Reach::kRuntime;
  std::string text;                     // lower case, without disguises
  std::uint64_t unit = 0;               // equal for sentences of one description, paragraph, or string
  std::vector<std::uint32_t> features;  // ascending
  std::string words;                    // as the model of words knows them, with a blank between each two
};

[[nodiscard]] std::vector<OrderSentence> ReadOrderSentences(const core::PackageView& view);
// "send! > secret": as in the file of weights.
[[nodiscard]] std::string OrderFeatureName(std::uint32_t feature);

}  // namespace interlock::scan
