// What a rule set keeps for the text engine. Engine room; not public.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "interlock/patterns/pattern_set.h"
#include "interlock/scan/rules.h"
#include "re2/re2.h"

namespace interlock::scan {

// An expression that is compiled when it is first needed. Thread safe.
class LazyRegex {
 public:
  void Set(std::string regex) { regex_ = std::move(regex); }
  [[nodiscard]] bool empty() const noexcept { return regex_.empty(); }
  // nullptr when empty. Expressions were tried when the rules were loaded, or by the test of the shipped ones.
  [[nodiscard]] const re2::RE2* get() const;

 private:
  std::string regex_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<re2::RE2> compiled_;
};

struct RuleSet::Impl {
  struct TextPattern {
    const Rule* rule = nullptr;
    const Rule::Pattern* pattern = nullptr;
    LazyRegex near;
    LazyRegex unless;
  };
  std::vector<Rule> rules;  // by id
  std::string version;
  // PatternHit::pattern is an index into `text_patterns`. Nothing without text rules.
  std::vector<std::unique_ptr<TextPattern>> text_patterns;
  std::optional<patterns::PatternSet> text;
};

}  // namespace interlock::scan
