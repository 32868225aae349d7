// What stands behind AuditLog, for the maintenance commands too.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "interlock/runtime/audit/log.h"
#include "writer.h"

namespace interlock::runtime::audit {

struct AuditLog::Impl {
  std::string dir;
  LogOptions options;
  std::shared_ptr<const Keys> keys;
  Recovery recovery;
  std::unique_ptr<Writer> writer;

  // Recovers, starts a chain, records what was found. Holds the folder's lock meanwhile.
  [[nodiscard]] base::Status Start();
};

// The door for maintenance: a log with its inside.
class Maintenance {
 public:
  [[nodiscard]] static AuditLog::Impl& ImplOf(AuditLog& log) { return *log.impl_; }
};

inline constexpr int kFolderLockPatienceMs = 10'000;

}  // namespace interlock::runtime::audit
