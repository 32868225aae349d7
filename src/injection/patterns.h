// Private. Detection patterns: data (rules/injection), tried only around words that can start them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "tokens.h"

namespace interlock::injection {

struct PatternRule {
  std::string id;
  std::string description;
  float evidence = 0.0F;
  bool call = false;  // what matches is a tool call
  bool once = false;  // a match soon after another one adds no evidence
  std::vector<std::string> any;
  std::string pattern;
  std::vector<std::string> positive;
  std::vector<std::string> negative;
};

struct PatternHit {
  const PatternRule* rule = nullptr;
  std::uint32_t begin = 0;  // of the folded text
  std::uint32_t end = 0;
};

class PatternSet {
 public:
  // kInvalidArgument and every JSON error; the message names the rule.
  [[nodiscard]] static base::Result<std::shared_ptr<const PatternSet>> Parse(
      const std::vector<std::string_view>& files);
  // The embedded rules.
  [[nodiscard]] static const PatternSet& Default();
  ~PatternSet();

  [[nodiscard]] const std::vector<PatternRule>& rules() const noexcept;
  // Hits in order of rules, then of places. At most `max_bytes` bytes are given to patterns; false: it was not enough.
  bool Match(const Folded& folded, const Tokens& tokens, std::size_t max_bytes, std::vector<PatternHit>& out) const;

 private:
  PatternSet();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::injection
