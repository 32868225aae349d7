#include "interlock/platform/clock.h"

#include <ctime>

#include "interlock/base/check.h"

namespace interlock::platform {
namespace {

std::int64_t ReadMicroseconds(clockid_t clock) noexcept {
  timespec time{};
  INTERLOCK_CHECK(::clock_gettime(clock, &time) == 0, "both clocks exist since Linux 2.6.39");
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace

base::Now ReadNow() noexcept {
  return {.wall = {.us = ReadMicroseconds(CLOCK_REALTIME)}, .mono = {.us = ReadMicroseconds(CLOCK_BOOTTIME)}};
}

}  // namespace interlock::platform
