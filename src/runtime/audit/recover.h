// Carries what dead writers left in their journals into the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db.h"
#include "interlock/base/digest.h"
#include "interlock/base/result.h"
#include "interlock/platform/fd.h"

namespace interlock::runtime::audit {

struct DeadChain {
  std::string chain;
  std::uint64_t last_row = 0;
  base::Digest last_hash;
  std::uint64_t replayed = 0;
  std::string torn;
  bool damaged = false;
  std::string damage;
  bool clean = false;               // its writer closed it
  std::uint64_t unclean_since = 0;  // first row under no checkpoint
  std::vector<std::string> files;
  platform::UniqueFd lock;
};

// Every chain that is not closed and whose writer is gone. Holds their locks. Call with the folder's lock held.
[[nodiscard]] base::Result<std::vector<DeadChain>> RecoverChains(const std::string& dir, const Database& db);
// After the finds are on record: marks the chains, puts torn and damaged bytes aside, removes journals and locks.
[[nodiscard]] base::Status FinishRecovery(const std::string& dir, const Database& db, std::vector<DeadChain>& chains);

}  // namespace interlock::runtime::audit
