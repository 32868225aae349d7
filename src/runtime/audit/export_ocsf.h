// OCSF events out of rows. Field names and numbers: schema.ocsf.io 1.6, classes 6003 and 2004, profile
// security_control.
#pragma once

#include <functional>
#include <string_view>

#include "db.h"
#include "interlock/runtime/audit/query.h"

namespace interlock::runtime::audit {

[[nodiscard]] base::Status ExportOcsf(const Database& db, const Filter& filter,
                                      const std::function<bool(std::string_view line)>& sink);

}  // namespace interlock::runtime::audit
