// The order of versions: PEP 440 for PyPI, Semantic Versioning 2.0 for npm. Engine room.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::scan {

// Only versions of the same scheme are compared with each other. Numbers are kept as digits without leading zeros: they
// may be longer than any integer.
class Version {
 public:
  // "1!2.0rc1.post2.dev3+local.4"; nothing for what PEP 440 does not allow, or over 256 bytes.
  [[nodiscard]] static std::optional<Version> ParsePep440(std::string_view text);
  // "1.2.3-rc.1+build"; a leading 'v' or '=' and missing parts ("1.2") are let pass.
  [[nodiscard]] static std::optional<Version> ParseSemver(std::string_view text);

  [[nodiscard]] std::strong_ordering operator<=>(const Version& other) const;
  [[nodiscard]] bool operator==(const Version& other) const { return (*this <=> other) == 0; }
  // The same text for versions that are equal.
  [[nodiscard]] std::string Canonical() const;

 private:
  // A part of the sort key. What is absent sorts by its rank: before all, or after all.
  struct Part {
    int rank = 0;  // kinds of parts in order: lowest, word, number, highest (PEP 440); number, word (semver)
    std::string text = {};
    bool number = false;
    [[nodiscard]] std::strong_ordering operator<=>(const Part& other) const;
    [[nodiscard]] bool operator==(const Part& other) const { return (*this <=> other) == 0; }
  };
  std::vector<Part> head_;     // epoch (PEP 440 only)
  std::vector<Part> release_;  // PEP 440: without zeros at its end
  std::vector<Part> suffix_;   // pre, post, dev; or semver's pre-release
  std::vector<Part> local_;
};

}  // namespace interlock::scan
