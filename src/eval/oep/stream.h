// Counter-based random numbers: a draw is a keyed hash of (step, purpose), so that it does not depend on what else was
// drawn. Private to the module.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/digest.h"

namespace interlock::eval::oep {

class Stream {
 public:
  // One run's: the agent is no part of it.
  Stream(std::string_view incident, std::string_view setting, std::uint64_t seed) {
    std::string name(incident);
    name.append("\x1f").append(setting);
    key_ = {base::SipHash({0x6f65702d73696d31U, seed}, name), seed};
  }
  [[nodiscard]] std::uint64_t Bits(std::uint32_t step, std::string_view purpose) const {
    std::string counter = std::to_string(step);
    counter.append(":").append(purpose);
    return base::SipHash(key_, counter);
  }
  // In [0, 1).
  [[nodiscard]] double Uniform(std::uint32_t step, std::string_view purpose) const {
    constexpr int kMantissa = 53;
    return static_cast<double>(Bits(step, purpose) >> (64 - kMantissa)) * 0x1.0p-53;
  }
  [[nodiscard]] bool Chance(double p, std::uint32_t step, std::string_view purpose) const {
    return p > 0 && Uniform(step, purpose) < p;
  }
  [[nodiscard]] std::size_t Below(std::size_t bound, std::uint32_t step, std::string_view purpose) const {
    return bound == 0 ? 0 : static_cast<std::size_t>(Bits(step, purpose) % bound);
  }
  [[nodiscard]] double Normal(std::uint32_t step, std::string_view purpose) const {
    constexpr double kTwoPi = 6.283185307179586;
    const double u = 1.0 - Uniform(step, std::string(purpose) + "/r");
    return std::sqrt(-2.0 * std::log(u)) * std::cos(kTwoPi * Uniform(step, std::string(purpose) + "/a"));
  }

 private:
  std::array<std::uint64_t, 2> key_{};
};

}  // namespace interlock::eval::oep
