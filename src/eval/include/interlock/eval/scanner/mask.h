// Takes a campaign's literal indicators out of its samples: hosts, addresses, archive names, passwords and product
// names give way to neutral ones, and what the package does stays. A scanner that still finds it has learned the
// behaviour, not the strings.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/eval/scanner/sample.h"

namespace interlock::eval::scanner {

class IndicatorMask {
 public:
  // Indicators of `malicious`: every host, IP address, archive or program name that no file of `benign` has, and every
  // word of at least six characters that two clusters of `malicious` share and no file of `benign` has.
  [[nodiscard]] static IndicatorMask Derive(std::span<const ScanSample* const> malicious,
                                            std::span<const ScanSample* const> benign);

  // The text with each indicator replaced, case ignored; base64 tokens are decoded, masked and encoded again.
  [[nodiscard]] std::string Apply(std::string_view text) const;
  [[nodiscard]] ScanSample Apply(const ScanSample& sample) const;

  // Indicator (lower case) -> what stands for it.
  [[nodiscard]] const std::map<std::string, std::string>& replacements() const noexcept { return replacements_; }

 private:
  std::map<std::string, std::string> replacements_;
};

}  // namespace interlock::eval::scanner
