// A set of permissions as a JSON list of names. Engine room.
#pragma once

#include "interlock/base/json.h"
#include "interlock/core/finding.h"

namespace interlock::scan {

inline void WritePermissions(core::PermissionSet set, base::JsonWriter& w) {
  w.BeginArray();
  for (std::size_t i = 0; i < core::kPermissionCount; ++i) {
    const auto permission = static_cast<core::Permission>(i);
    if ((set & core::BitOf(permission)) != 0) w.String(core::NameOf(permission));
  }
  w.EndArray();
}

}  // namespace interlock::scan
