// JSON as editors' configuration files have it. Engine room.
#pragma once

#include <optional>
#include <string_view>

#include "interlock/base/json.h"

namespace interlock::scan {

// Comments, and commas before closing brackets, are blanked out, so that offsets stay. Nothing when it still is no
// JSON.
[[nodiscard]] std::optional<base::JsonDoc> ParseJsonc(std::string_view text);

}  // namespace interlock::scan
