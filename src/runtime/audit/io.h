// File helpers of this module: locks, folder checks, signed text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/platform/fd.h"
#include "interlock/runtime/audit/log.h"

namespace interlock::runtime::audit {

inline constexpr std::string_view kDatabaseFile = "/audit.db";
inline constexpr std::string_view kKeyFile = "/keys.json";
inline constexpr std::string_view kPublicKeyFile = "/signing.pub";
inline constexpr std::string_view kJournalDir = "/journal";
inline constexpr std::string_view kFolderLock = "/lock";

[[nodiscard]] inline int AskFault(const FaultHook& hook, FaultPoint point) { return hook ? hook(point) : 0; }

// flock on `path`, created where missing. Waits up to `wait_ms`, then kIo. `locked` tells a lock held elsewhere from
// other failures.
[[nodiscard]] base::Result<platform::UniqueFd> LockFile(const std::string& path, int wait_ms, bool* locked = nullptr);
// True when somebody holds the lock on `path`. Changes nothing; a missing file is not held.
[[nodiscard]] bool IsLocked(const std::string& path);

// kInvalidArgument when `dir` is not a folder or others may write to it.
[[nodiscard]] base::Status CheckFolder(const std::string& dir);
[[nodiscard]] base::Status SyncFolder(const std::string& dir);
// Names in `dir`, sorted, without "." and "..". A missing folder has none.
[[nodiscard]] base::Result<std::vector<std::string>> ListFolder(const std::string& dir);
[[nodiscard]] bool FileExists(const std::string& path);

[[nodiscard]] std::string ToHex(std::string_view bytes);
// False for odd length, other characters, or a length other than `size`.
[[nodiscard]] bool FromHex(std::string_view hex, void* out, std::size_t size);

}  // namespace interlock::runtime::audit
