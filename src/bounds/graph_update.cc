#include "interlock/bounds/graph_update.h"

#include <algorithm>
#include <array>

#include "graph_access.h"
#include "graph_text.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"

namespace interlock::bounds {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Status;

constexpr std::size_t kMaxReviewBytes = std::size_t{64} << 10;

Error Bad(JsonValue at, std::string message) { return GraphError(ErrorCode::kGraphReview, at, std::move(message)); }

// Counts gone.
std::uint64_t DecayTally(Tally& tally, std::uint32_t half_life, Day as_of) {
  if (half_life == 0) return 0;
  Tally kept;
  std::uint64_t gone = 0;
  for (const Tally::Part& part : tally.parts()) {
    if (part.day == kUndated || part.day >= as_of) {
      INTERLOCK_CHECK(kept.Add(part.day, part.sessions, part.halvings), "a part of a tally fits a tally");
      continue;
    }
    const std::int64_t age = static_cast<std::int64_t>(as_of) - part.day;
    const std::int64_t due = std::min<std::int64_t>(age / half_life, 64);
    if (due <= part.halvings) {
      INTERLOCK_CHECK(kept.Add(part.day, part.sessions, part.halvings), "a part of a tally fits a tally");
      continue;
    }
    const auto times = static_cast<unsigned>(due - part.halvings);
    const std::uint64_t left = times >= 64 ? 0 : part.sessions >> times;
    gone += part.sessions - left;
    INTERLOCK_CHECK(kept.Add(part.day, left, static_cast<std::uint16_t>(due)), "less than before fits");
  }
  tally = std::move(kept);
  return gone;
}

}  // namespace

Status CheckUpdatePolicy(const UpdatePolicy& policy) {
  for (const double confidence : {policy.min_confidence, policy.min_outcome_confidence}) {
    if (!(confidence > 0 && confidence <= 1)) {
      return Error(ErrorCode::kInvalidArgument, "a confidence is over 0, and 1 at most");
    }
  }
  if (policy.promote_sessions == 0)
    return Error(ErrorCode::kInvalidArgument, "a flow is promoted by one session at least");
  if (policy.promote_days == 0 || policy.promote_days > 36'500) {
    return Error(ErrorCode::kInvalidArgument, "the window of a promotion is 1 to 36500 days");
  }
  return {};
}

std::string_view NameOf(Ruling ruling) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"learn", "unreviewed", "low-confidence", "disagreement"};
  const auto index = static_cast<std::size_t>(ruling);
  INTERLOCK_CHECK(index < kNames.size(), "an enumerator has a name");
  return kNames[index];
}

base::Result<Review> ParseReview(std::string_view line) {
  const base::Result<base::JsonDoc> doc =
      base::JsonDoc::Parse(line, {.max_bytes = kMaxReviewBytes, .max_depth = 4, .max_values = 64});
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object() || root.Find("schema").string() != "interlock.review/v1") {
    return Bad(root, "`schema` is not interlock.review/v1");
  }
  Review review;
  for (const std::string_view key : {"session", "label", "by", "reviewer", "confidence"}) {
    if (!root.Find(key).exists()) return Bad(root, "`" + std::string(key) + "` is missing");
  }
  for (auto it = root.begin(); it != root.end(); ++it) {
    const JsonValue value = *it;
    const std::string_view key = it.key();
    bool fine = true;
    if (key == "session") {
      review.session = value.string();
      fine = !review.session.empty();
    } else if (key == "label") {
      const std::optional<Side> side = SideFromName(value.string());
      fine = side.has_value();
      review.side = side.value_or(Side::kBenign);
    } else if (key == "by") {
      fine = value.string() == "person" || value.string() == "outcome";
      review.source = value.string() == "outcome" ? ReviewSource::kOutcome : ReviewSource::kPerson;
    } else if (key == "reviewer") {
      review.reviewer = value.string();
      fine = !review.reviewer.empty();
    } else if (key == "confidence") {
      const std::optional<double> confidence = value.AsDouble();
      fine = confidence && *confidence > 0 && *confidence <= 1;
      review.confidence = confidence.value_or(0);
    } else if (key == "date") {
      review.day = DayFromText(value.string());
      fine = review.day.has_value();
    } else if (key == "note") {
      fine = value.is_string();
    } else if (key != "schema") {
      fine = false;
    }
    if (!fine) return Bad(value, "`" + std::string(key.substr(0, 40)) + "` is unknown, or not what it should be");
  }
  return review;
}

void Reviews::Add(Review review) {
  std::string session = review.session;
  by_session_[std::move(session)].push_back(std::move(review));
}

Reviews::Answer Reviews::Of(std::string_view session, const UpdatePolicy& policy) const {
  Answer answer;
  const auto it = by_session_.find(session);
  if (it == by_session_.end()) return answer;
  answer.ruling = Ruling::kLowConfidence;
  answer.side = it->second.front().side;
  for (const Review& review : it->second) {
    answer.confidence = std::max(answer.confidence, review.confidence);
    if (review.day) answer.day = answer.day ? std::min(*answer.day, *review.day) : *review.day;
    const double wanted =
        review.source == ReviewSource::kPerson ? policy.min_confidence : policy.min_outcome_confidence;
    if (review.confidence >= wanted) answer.ruling = Ruling::kLearn;
  }
  const bool agree = std::ranges::all_of(it->second, [&](const Review& r) { return r.side == answer.side; });
  if (!agree) answer.ruling = Ruling::kDisagreement;
  return answer;
}

std::vector<Promotion> Promote(FunctionalityGraph& graph, const UpdatePolicy& policy, Day as_of) {
  INTERLOCK_CHECK(CheckUpdatePolicy(policy).ok(), "the policy was checked before it is used");
  std::vector<Promotion> promotions;
  const Day first = as_of - static_cast<Day>(policy.promote_days) + 1;
  for (auto& [scope, content] : GraphAccess::Scopes(graph)) {
    for (auto& [flow, counts] : content.flows) {
      if (counts.benign.empty() || counts.attack.empty()) continue;
      for (const Side side : {Side::kAttack, Side::kBenign}) {
        Tally& other = counts.of(side == Side::kAttack ? Side::kBenign : Side::kAttack);
        const std::uint64_t here = counts.of(side).Between(first, as_of);
        // Evidence of the other side that is newer than `as_of` speaks against it too.
        const bool is_clean = std::ranges::none_of(other.parts(), [&](const Tally::Part& part) {
          return part.day == kUndated ? !policy.promote_undated : part.day >= first;
        });
        if (here < policy.promote_sessions || !is_clean) continue;
        promotions.push_back({.scope = scope, .flow = flow, .to = side, .sessions = here, .dropped = other.total()});
        other = Tally();
        break;
      }
    }
  }
  return promotions;
}

std::uint64_t Decay(FunctionalityGraph& graph, const UpdatePolicy& policy, Day as_of) {
  std::uint64_t gone = 0;
  const auto both = [&](Counts& counts) {
    gone += DecayTally(counts.benign, policy.benign_half_life_days, as_of);
    gone += DecayTally(counts.attack, policy.attack_half_life_days, as_of);
  };
  for (auto& [scope, content] : GraphAccess::Scopes(graph)) {
    both(content.sessions);
    for (auto& [flow, counts] : content.flows) both(counts);
  }
  GraphAccess::RemoveEmpty(graph);
  return gone;
}

}  // namespace interlock::bounds
