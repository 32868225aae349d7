// The log's redaction, for values that are shown or kept elsewhere (questions to a person).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "interlock/base/json.h"

namespace interlock::runtime::audit {

// JSON of `value` with what the log would take for a secret replaced as the log does it (docs/audit.md), except that
// the hashes are good within this process only: equal secrets look equal, nothing can be guessed from them elsewhere.
// Nothing when it grew past `max_bytes` or there is no randomness. Thread safe.
// `secrets`: JSON pointers of what is a secret by its place.
[[nodiscard]] std::optional<std::string> RedactedJson(base::JsonValue value, std::size_t max_bytes,
                                                      std::span<const std::string> secrets = {});

}  // namespace interlock::runtime::audit
