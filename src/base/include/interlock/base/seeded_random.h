// SplitMix64: a fixed generator for folds, shuffles and training, the same numbers on every machine. Nothing that must
// not be guessed may come from it. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace interlock::base {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  // Below `bound`; 0 for 0. The bias of a 64-bit remainder is far below what any table shows.
  std::size_t Below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(Next() % bound); }
  std::size_t Between(std::size_t low, std::size_t high) { return low + Below(high - low + 1); }
  bool OneIn(std::size_t n) { return Below(n) == 0; }
  double Unit() { return static_cast<double>(Next() >> 11U) * 0x1.0p-53; }  // in [0, 1)
  template <class T>
  void Shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace interlock::base
