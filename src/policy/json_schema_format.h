// The formats that can be asserted. Pure text checks; no network, no tables of the world (a date in a year to come has
// the leap second it claims if it stands at 23:59:60 UTC).
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::policy::schema {

enum class Format : std::uint8_t {
  kNone,
  kDateTime,
  kDate,
  kTime,
  kEmail,
  kIpv4,
  kIpv6,
  kUri,
  kUuid,
};

enum class FormatName : std::uint8_t { kAsserted, kKnownOnly, kUnknown };

// What `name` is: one of Format (put into `format`), another one of the specification's, or not defined there.
[[nodiscard]] FormatName FindFormat(std::string_view name, Format& format) noexcept;
[[nodiscard]] bool HasFormat(Format format, std::string_view text) noexcept;

}  // namespace interlock::policy::schema
