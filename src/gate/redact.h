// Secrets taken out of what goes to a model (results) or to a tool (arguments). Private to the module.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "interlock/base/json.h"

namespace interlock::gate {

inline constexpr std::string_view kSecretNotice = "[secret removed by Interlock]";

struct Redaction {
  std::string json;       // the value again, on one line; empty when nothing was found
  std::size_t count = 0;  // of secrets
  std::string pointer;    // of the first
};
// Strings in which a secret of a known form stands, and strings under a name that says secret. `exempt`: JSON pointers
// whose values are where a secret belongs. Bytes of images and sounds are left alone.
[[nodiscard]] Redaction RedactSecrets(base::JsonValue value, std::span<const std::string> exempt = {});
[[nodiscard]] Redaction RedactText(std::string_view text);  // `json` is the text then

}  // namespace interlock::gate
