// A JSON number taken apart in place, without allocating. Private to `base`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace interlock::base::internal {

// Value = (negative ? -1 : 1) * 0.d[0]d[1]...d[size-1] * 10^point, where d = head followed by tail has neither leading
// nor trailing zeros. Zero has no digits, point 0 and no sign.
struct DecimalView {
  bool negative = false;
  std::int64_t point = 0;
  std::string_view head;
  std::string_view tail;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(head.size() + tail.size()); }
  [[nodiscard]] bool is_zero() const noexcept { return head.empty() && tail.empty(); }
  [[nodiscard]] bool is_integer() const noexcept { return size() <= point || is_zero(); }
};

// Nothing when `text` is not exactly one valid JSON number.
[[nodiscard]] std::optional<DecimalView> ParseDecimal(std::string_view text) noexcept;

}  // namespace interlock::base::internal
