// The shipped rules as the build read them (bake/), without their examples, and back. Engine room; not public.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/scan/rules.h"
#include "static/baked.h"

namespace interlock::scan {

struct BakedRules {
  struct File {
    std::string name;  // "rules/scan/text/exfiltration.json"
    std::uint64_t size = 0;
    std::string digest;  // SHA-256, hex
  };
  struct OfFile {
    Rule rule;
    std::uint32_t file = 0;
    std::vector<std::string> derived;  // of each pattern: PatternSet::Derive()
  };
  std::string version;  // of these files and no other
  std::vector<File> files;
  std::vector<OfFile> rules;  // by id

  BakedRules() = default;
  explicit BakedRules(BakedReader& in);
  void Write(BakedWriter& out) const;
};

// What RuleSet::version() says of files: 16 hex digits.
[[nodiscard]] std::string VersionOf(const std::vector<BakedRules::File>& files);

}  // namespace interlock::scan
