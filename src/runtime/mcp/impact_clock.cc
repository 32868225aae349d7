#include "impact_clock.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace interlock::runtime::mcp {
namespace {

constexpr double kMaxRate = 1e6;
constexpr double kMicros = 1e6;

// 1 is the highest; nothing for what is no severity.
std::optional<unsigned> SeverityOf(base::JsonValue value) {
  constexpr std::string_view kPrefix = "SEV";
  std::string_view text = value.is_number() ? value.number_text() : value.is_string() ? value.string() : "";
  if (value.is_string()) {
    if (!text.starts_with(kPrefix)) return std::nullopt;
    text.remove_prefix(kPrefix.size());
  }
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > 9) return std::nullopt;
  return number;
}

}  // namespace

base::Result<std::optional<ImpactClock::Told>> ImpactClock::Parse(base::JsonValue value) {
  const auto wrong = [](std::string_view what) {
    return base::Error(base::ErrorCode::kInvalidArgument, std::string(what));
  };
  if (value.is_null()) return std::optional<Told>();
  if (!value.is_object()) return wrong("an impact is an object, or null when it is over");
  Told told;
  for (auto member = value.begin(); member != value.end(); ++member) {
    const std::string_view key = member.key();
    if (key == "severity") {
      const auto severity = SeverityOf(*member);
      if (!severity) return wrong("`severity` is SEV1 (the highest) to SEV9, or its number");
      told.severe = *severity == 1;
    } else if (key == "rate" || key == "for_s") {
      const auto number = (*member).is_number() ? (*member).AsDouble() : std::nullopt;
      if (!number || !(*number >= 0)) return wrong("`rate` and `for_s` are numbers, not below 0");
      if (key == "rate") {
        if (*number > kMaxRate) return wrong("`rate` is at most 1e6");
        told.rate = *number;
      } else {
        told.for_us = static_cast<std::int64_t>(std::min(*number, kMaxForUs / kMicros) * kMicros);
      }
    } else {
      return wrong("an impact has `severity`, `rate` and `for_s`, nothing else");
    }
  }
  return std::optional<Told>(told);
}

void ImpactClock::Tell(const Told& told, base::MonoTime now) {
  if (!is_known(now)) Clear();
  if (told_.has_value()) {
    const std::int64_t elapsed = std::max<std::int64_t>(0, now.us - last_.us);
    rate_us_ += told_->rate * static_cast<double>(elapsed);
    if (told_->severe) severe_us_ += elapsed;
  }
  if (!told.severe) severe_us_ = 0;
  rate_us_ = std::max(rate_us_, told.rate * static_cast<double>(told.for_us));
  if (told.severe) severe_us_ = std::max(severe_us_, told.for_us);
  told_ = told;
  last_ = now;
}

ImpactClock::Sum ImpactClock::At(base::MonoTime now, std::int64_t step_us) const {
  if (!is_known(now) || step_us <= 0) return {};
  const std::int64_t elapsed = std::max<std::int64_t>(0, now.us - last_.us);
  const double impact = (rate_us_ + told_->rate * static_cast<double>(elapsed)) / static_cast<double>(step_us);
  const std::int64_t severe = severe_us_ + (told_->severe ? elapsed : 0);
  return {.impact = impact,
          .severe_steps = static_cast<std::uint32_t>(std::min<std::int64_t>(severe / step_us, 1'000'000))};
}

}  // namespace interlock::runtime::mcp
