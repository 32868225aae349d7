// The one place that reads a clock. Read once a message and pass the value on.
#pragma once

#include "interlock/base/clock.h"

namespace interlock::platform {

// CLOCK_REALTIME and CLOCK_BOOTTIME, the latter because it counts while the machine sleeps: an approval does not get
// longer by closing the lid.
[[nodiscard]] base::Now ReadNow() noexcept;

}  // namespace interlock::platform
