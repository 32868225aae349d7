// The impact of an incident as somebody tells it, added up over time. Private to the module.
//
//   clock.Tell({.rate = 0.4, .severe = true}, now);   // an alert manager, each time it looks
//   clock.At(now, step_us)                            // what the policy's break-glass thresholds ask for
//
// What nobody repeats counts for `kHoldUs` at most, and then nothing of it does: an incident that nobody speaks of any
// more opens nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "interlock/base/clock.h"
#include "interlock/base/json.h"
#include "interlock/base/result.h"

namespace interlock::runtime::mcp {

class ImpactClock {
 public:
  static constexpr std::int64_t kHoldUs = 15LL * 60 * 1'000'000;
  static constexpr std::int64_t kMaxForUs = 24LL * 3600 * 1'000'000;

  struct Told {
    double rate = 0.0;        // impact of one step; 0 or more
    bool severe = false;      // the highest severity
    std::int64_t for_us = 0;  // it has been like this for so long
  };
  // {"rate": 0.4, "severity": "SEV1" or 1, "for_s": 120}; 1 is the highest. Nothing for null: it is over.
  // kInvalidArgument.
  [[nodiscard]] static base::Result<std::optional<Told>> Parse(base::JsonValue value);

  void Tell(const Told& told, base::MonoTime now);
  void Clear() { *this = ImpactClock(); }

  struct Sum {
    double impact = 0.0;
    std::uint32_t severe_steps = 0;
  };
  [[nodiscard]] Sum At(base::MonoTime now, std::int64_t step_us) const;
  [[nodiscard]] bool is_known(base::MonoTime now) const noexcept {
    return told_.has_value() && now.us - last_.us <= kHoldUs;
  }

 private:
  std::optional<Told> told_;
  base::MonoTime last_;
  double rate_us_ = 0.0;  // rate times microseconds
  std::int64_t severe_us_ = 0;
};

}  // namespace interlock::runtime::mcp
