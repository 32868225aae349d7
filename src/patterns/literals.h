// Where any of many words occurs, ASCII case ignored. Two matchers with the same answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::patterns {

// `word` occurs at bytes [begin, begin + its length).
struct LiteralHit {
  std::uint32_t word;
  std::uint32_t begin;
};

// One matcher's buffers of one thread.
class LiteralScratch {
 public:
  virtual ~LiteralScratch() = default;
};

class LiteralMatcher {
 public:
  virtual ~LiteralMatcher() = default;
  // Appends every occurrence, in an order in which a point of each (its begin, its end, a byte between) never goes
  // back. `scratch` is made by the matcher when empty; false: no memory.
  virtual bool Find(std::string_view text, std::unique_ptr<LiteralScratch>& scratch,
                    std::vector<LiteralHit>& out) const = 0;
  [[nodiscard]] virtual std::string Serialize() const { return {}; }
};

// `words`: lower case, different from each other, 2 to 48 bytes. They must outlive the matcher.
[[nodiscard]] std::unique_ptr<LiteralMatcher> MakePortableMatcher(std::span<const std::string> words);

// False without Vectorscan in this build, or on a processor that it cannot use.
[[nodiscard]] bool HaveVectorscan() noexcept;
// nullptr when it cannot be made. `serialized`: from Serialize() for the same words, or empty.
[[nodiscard]] std::unique_ptr<LiteralMatcher> MakeVectorscanMatcher(std::span<const std::string> words,
                                                                    std::string_view serialized);
// From `serialized` alone, without compiling: nullptr when it does not fit.
[[nodiscard]] std::unique_ptr<LiteralMatcher> KeptVectorscanMatcher(std::span<const std::string> words,
                                                                    std::string_view serialized);
// Ours for the first hundred megabytes or so, then Vectorscan's. Serialize() compiles that at once; two threads at it:
// one gets "".
[[nodiscard]] std::unique_ptr<LiteralMatcher> MakeTieredMatcher(std::span<const std::string> words);

[[nodiscard]] constexpr unsigned char FoldAscii(unsigned char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<unsigned char>(c + ('a' - 'A')) : c;
}

}  // namespace interlock::patterns
