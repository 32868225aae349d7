// Wall-clock times for people and for other programs.
#pragma once

#include <cstdint>
#include <string>

namespace interlock::runtime::audit {

// "2026-01-02T03:04:05.678901Z"; times outside the years 0 to 9999 as the number of microseconds.
[[nodiscard]] std::string TimeText(std::int64_t us);

}  // namespace interlock::runtime::audit
