// Recorded sessions from files of any format we read, one at a time, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "interlock/base/result.h"
#include "interlock/core/trace.h"

namespace interlock::app {

struct TraceFileOptions {
  std::string systems_file;  // system prompts of compact traces; "": systems.json beside the file, if it is there
  bool skip_malformed = false;
};

struct TraceFileStats {
  std::uint64_t sessions = 0;
  std::uint64_t malformed = 0;
  std::uint64_t bytes = 0;  // after decompression
};

// Calls `sink` for each session; stops early when it returns false. A malformed record ends the reading with an error
// that carries file, line and offset, unless `skip_malformed`: then `on_malformed` gets it and reading goes on.
[[nodiscard]] base::Status ForEachSession(const std::string& path, const TraceFileOptions& options,
                                          TraceFileStats& stats, const std::function<bool(core::TraceSession&)>& sink,
                                          const std::function<void(const base::Error&)>& on_malformed);

}  // namespace interlock::app
