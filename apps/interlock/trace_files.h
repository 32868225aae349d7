// Recorded sessions from files of any format we read, one at a time, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "interlock/base/result.h"
#include "interlock/core/trace.h"
#include "interlock/eval/import.h"

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

// One record as it stands in its file: for those who read it elsewhere, on another thread say.
struct TraceRecord {
  std::string_view text;  // valid until the callback returns
  eval::TraceFormat format = eval::TraceFormat::kTraceV1;
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
};

// Calls `sink` for each record, unread but for what its format is; stops at the first error of the sink. Counts
// stats.bytes only, and malformed ones whose format cannot be told.
[[nodiscard]] base::Status ForEachRecord(const std::string& path, const TraceFileOptions& options,
                                         TraceFileStats& stats,
                                         const std::function<base::Status(const TraceRecord&)>& sink,
                                         const std::function<void(const base::Error&)>& on_malformed);

// The record as interlock.trace/v1; `out` holds it unless it is that already.
[[nodiscard]] base::Result<std::string_view> AsTraceV1(const TraceRecord& record, const std::string& path,
                                                       const eval::SystemPrompts& systems, std::string& out);

// An error inside a record, at its place in the file.
[[nodiscard]] base::Error PlacedIn(const std::string& path, const TraceRecord& record, const base::Error& error);

}  // namespace interlock::app
