// Randomness from the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "interlock/base/result.h"

namespace interlock::platform {

// Fills `out` from getrandom(2); fit for keys. kIo if the kernel gives none: never a weaker source instead.
[[nodiscard]] base::Status RandomBytes(std::span<std::uint8_t> out);
// `bytes` random bytes as lower-case hex.
[[nodiscard]] base::Result<std::string> RandomHex(std::size_t bytes);

}  // namespace interlock::platform
