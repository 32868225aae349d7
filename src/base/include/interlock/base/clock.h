// Time as a value. Nothing from `base` to `gate` reads a clock: the adapter reads it once a message and passes it in.
#pragma once

#include <compare>
#include <cstdint>

namespace interlock::base {

// Wall-clock microseconds since 1970-01-01T00:00:00Z: for people and for records.
struct WallTime {
  std::int64_t us = 0;
  auto operator<=>(const WallTime&) const = default;
};

// Monotonic microseconds since an arbitrary start (CLOCK_BOOTTIME): for durations and expiry. Jumps of the wall clock
// never change it, so a clock jump cannot extend a grant.
struct MonoTime {
  std::int64_t us = 0;
  auto operator<=>(const MonoTime&) const = default;
};

// Both, read together.
struct Now {
  WallTime wall;
  MonoTime mono;
};

}  // namespace interlock::base
