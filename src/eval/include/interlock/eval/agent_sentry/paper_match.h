// Argument provenance as the AGENT-SENTRY artifact computes it: which earlier texts "explain" an argument's value.
//
// This is a measurement instrument, not a part of the product: it is as permissive as the original (63 % of all pairs
// match on its data set). What the product uses is module `provenance`.
//
//   PaperMatcher matcher;
//   Result<std::vector<ArgumentNode>> nodes = matcher.Provenance(trace, PaperTools(domain_tools));
//
// The six rules, first success wins (the only answer is yes or no):
//   kFormat     a common IBAN, e-mail address, URL, date or telephone number
//   kToken      equal tokens (two characters or more), or one inside the other (both four or more)
//   kNumber     a common number, or numbers in a simple ratio, within 20 % or within 10 of each other
//   kWords      two words or more, all among the source's
//   kEdit       tokens of five characters or more within edit distance 2
//   kGrams      half of two or more character 3-grams
// Tokens of an argument come from its value (10.0 gives "10.0"); everything else from its text, the string itself or
// Python's json.dumps of the value. That reading of rule kToken, and no other tried, gives all of the artifact's nodes.
//
// Where Python differs on purpose-made input: digits of other scripts are not digits here, letters outside ASCII keep
// their case, a text with NaN, duplicate keys or unpaired surrogates is no JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/dataset.h"

namespace interlock::eval::agent_sentry {

enum class PaperRule : std::uint8_t { kNone, kFormat, kToken, kNumber, kWords, kEdit, kGrams };

// SAFETY: steps (about a byte or a comparison each) that one pair may take. Past it the pair counts as not matching,
// and is counted. The data set's costliest pair takes less than a hundredth.
inline constexpr std::uint64_t kMaxPairSteps = std::uint64_t{1} << 24;

// One text with what the rules compare, each part made when it is first asked for. Not thread safe.
class PaperSide {
 public:
  explicit PaperSide(std::string text);       // of a source
  explicit PaperSide(base::JsonValue value);  // of an argument
  PaperSide(PaperSide&&) noexcept;
  PaperSide& operator=(PaperSide&&) noexcept;
  ~PaperSide();

  [[nodiscard]] const std::string& text() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;  // held for it so far

 private:
  friend class PairMatch;
  friend class PaperMatcher;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct PairAnswer {
  PaperRule rule = PaperRule::kNone;
  bool capped = false;
};
[[nodiscard]] PairAnswer MatchPair(PaperSide& argument, PaperSide& source, std::uint64_t max_steps = kMaxPairSteps);

// A domain's lists, for look-up.
class PaperTools {
 public:
  explicit PaperTools(const DomainTools& tools);
  [[nodiscard]] bool retrieval(const std::string& tool) const { return retrieval_.contains(tool); }
  [[nodiscard]] bool action(const std::string& tool) const { return action_.contains(tool); }
  [[nodiscard]] bool ignored(const std::string& tool) const { return ignored_.contains(tool); }
  [[nodiscard]] bool noisy(const std::string& argument) const { return noisy_.contains(argument); }

 private:
  std::unordered_set<std::string> retrieval_;
  std::unordered_set<std::string> action_;
  std::unordered_set<std::string> ignored_;
  std::unordered_set<std::string> noisy_;
};

inline constexpr std::int32_t kFromPrompt = -1;
inline constexpr std::string_view kPromptSource = "user_prompt";

struct ArgumentNode {
  std::uint32_t call = 0;
  std::string argument;
  std::vector<std::int32_t> sources;  // kFromPrompt, or the index of an earlier retrieval call; in that order
  bool operator==(const ArgumentNode&) const = default;
};

// Matches whole traces; texts seen before are not prepared again. One a thread.
class PaperMatcher {
 public:
  // Prepared texts are dropped, all at once and between traces, when they hold more than `max_bytes`.
  explicit PaperMatcher(std::size_t max_bytes = std::size_t{256} << 20);
  PaperMatcher(PaperMatcher&&) noexcept;
  PaperMatcher& operator=(PaperMatcher&&) noexcept;
  ~PaperMatcher();

  // A node for every argument that is not noisy, of every call whose tool is not ignored, in order; also those without
  // any source. Calls of one turn count as earlier ones although the model had not seen their results (the artifact
  // does so). Every JSON error of the calls' arguments.
  [[nodiscard]] base::Result<std::vector<ArgumentNode>> Provenance(const Trace& trace, const PaperTools& tools);

  [[nodiscard]] std::uint64_t capped_pairs() const noexcept;
  [[nodiscard]] std::size_t cached_bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The name of a node's source.
[[nodiscard]] std::string_view SourceName(const Trace& trace, std::int32_t source);

}  // namespace interlock::eval::agent_sentry
