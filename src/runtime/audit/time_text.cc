#include "time_text.h"

#include <fmt/format.h>

#include <chrono>

namespace interlock::runtime::audit {

std::string TimeText(std::int64_t us) {
  using std::chrono::days;
  using std::chrono::microseconds;
  constexpr std::int64_t kYear9999 = 253402300799999999;
  if (us < -62167219200000000 || us > kYear9999) return std::to_string(us);
  const std::chrono::sys_time<microseconds> time{microseconds(us)};
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<microseconds> clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace interlock::runtime::audit
