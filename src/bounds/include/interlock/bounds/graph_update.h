// Keeping a functionality graph up to date: which sessions may teach it, when an ambiguous flow is settled, how old
// counts fade.
//
// Only what a person reviewed or an outcome verified, with enough confidence, and without anyone disagreeing, teaches.
// Everything else goes to a review list: a session that nobody judged never widens the benign graph.
//
// Time comes in as a day; nothing here reads a clock. Every step changes counts and nothing else, so that a GraphDiff
// between before and after says all, and takes it back.
//
// Source: Agent-Sentry, section 4.7 (envisioned there).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/bounds/graph.h"

namespace interlock::bounds {

// Policy values.
struct UpdatePolicy {
  double min_confidence = 0.9;           // of a person's review
  double min_outcome_confidence = 0.95;  // of a verified outcome
  // An ambiguous flow becomes one side's when it occurred in this many sessions of that side within so many days, and
  // in none of the other.
  std::uint64_t promote_sessions = 20;
  std::uint32_t promote_days = 30;
  bool promote_undated = true;  // also over evidence without a date; false: undated evidence stays
  // Counts halve each time they grow older by this many days; 0: never. What attacks look like is not forgotten.
  std::uint32_t benign_half_life_days = 180;
  std::uint32_t attack_half_life_days = 0;
};
// kInvalidArgument: a confidence outside (0, 1], nothing to promote on, a window of no days.
[[nodiscard]] base::Status CheckUpdatePolicy(const UpdatePolicy& policy);

enum class ReviewSource : std::uint8_t { kPerson, kOutcome };

struct Review {
  std::string session;
  Side side = Side::kBenign;
  ReviewSource source = ReviewSource::kPerson;
  std::string reviewer;    // who, or what verified the outcome
  double confidence = 0;   // (0, 1]
  std::optional<Day> day;  // of the session
};

// Reads one line of a review file:
//   {"schema":"interlock.review/v1","session":"s1","label":"benign","by":"person","reviewer":"alice","confidence":0.95,
//    "date":"2026-01-31","note":"..."}
// `date` and `note` may be missing. Errors: every JSON error, kGraphReview.
[[nodiscard]] base::Result<Review> ParseReview(std::string_view line);

enum class Ruling : std::uint8_t { kLearn, kUnreviewed, kLowConfidence, kDisagreement };
[[nodiscard]] std::string_view NameOf(Ruling ruling) noexcept;

class Reviews {
 public:
  void Add(Review review);
  struct Answer {
    Ruling ruling = Ruling::kUnreviewed;
    Side side = Side::kBenign;
    double confidence = 0;  // the highest given
    std::optional<Day> day;
  };
  // Learn: at least one review with enough confidence, and no other review of this session, however unsure, disagrees.
  [[nodiscard]] Answer Of(std::string_view session, const UpdatePolicy& policy) const;
  [[nodiscard]] std::size_t size() const noexcept { return by_session_.size(); }

 private:
  std::map<std::string, std::vector<Review>, std::less<>> by_session_;
};

struct Promotion {
  Scope scope;
  Flow flow;
  Side to = Side::kBenign;
  std::uint64_t sessions = 0;  // of that side, in the window
  std::uint64_t dropped = 0;   // of the other side, older
};
// Settles ambiguous flows as of `as_of` (the last day of the window) by dropping the older counts of the other side.
std::vector<Promotion> Promote(FunctionalityGraph& graph, const UpdatePolicy& policy, Day as_of);

// Halves what has grown old by `as_of`, as often as it is due and was not done; what comes to nothing is removed.
// Undated counts stay. Doing it again on the same day changes nothing. Returns the sessions' counts that are gone.
std::uint64_t Decay(FunctionalityGraph& graph, const UpdatePolicy& policy, Day as_of);

}  // namespace interlock::bounds
