// The little of RFC 3986 that `$id` and `$ref` need. Nothing is ever fetched: a URI is a name here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace interlock::policy::schema {

struct SplitUri {
  std::string_view absolute;                 // without fragment
  std::optional<std::string_view> fragment;  // without '#'
};
[[nodiscard]] SplitUri SplitFragment(std::string_view uri) noexcept;

// `reference` (without fragment) resolved against `base` (section 5.2.2); an empty base leaves it as it is.
[[nodiscard]] std::string ResolveUri(std::string_view base, std::string_view reference);

// %XX undone; nothing for a broken escape.
[[nodiscard]] std::optional<std::string> PercentDecode(std::string_view text);

}  // namespace interlock::policy::schema
