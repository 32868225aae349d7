// Reading the audit log: query, follow, export. Readers never change the log and may run beside writers. They trust the
// rows as they stand; only `Verify` proves them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/result.h"
#include "interlock/core/verdict.h"
#include "interlock/runtime/audit/record.h"

namespace interlock::runtime::audit {

// Empty fields do not filter.
struct Filter {
  std::string session;
  std::string tool;
  std::string chain;
  std::optional<Kind> kind;
  std::optional<core::Verdict> verdict;
  std::optional<base::WallTime> since;
  std::optional<base::WallTime> until;  // exclusive
  std::uint64_t after = 0;              // rows with a greater `seq` only
  std::uint64_t limit = 0;              // 0: no limit
  bool newest = false;                  // with `limit`: the last ones; rows still come oldest first
};

struct StoredRow {
  std::uint64_t seq = 0;  // order of arrival in the database, over all chains
  std::string chain;
  std::uint64_t row = 0;  // within its chain, from 1
  std::int64_t time_us = 0;
  Kind kind = Kind::kNotice;
  std::string body;  // the JSON object that was hashed (schemas/interlock.audit.v1.json)
  std::string hash;  // hex
};

// Calls `sink` for each row, oldest first, until it returns false.
[[nodiscard]] base::Status ForEachRow(const std::string& dir, const Filter& filter,
                                      const std::function<bool(const StoredRow&)>& sink);
[[nodiscard]] base::Result<std::vector<StoredRow>> Query(const std::string& dir, const Filter& filter);

// Follows the log by polling: `Next` gives what came since the last call (the first: the last `n` rows).
class Tail {
 public:
  [[nodiscard]] static base::Result<Tail> Open(const std::string& dir, Filter filter, std::uint64_t n);
  Tail(Tail&&) noexcept;
  Tail& operator=(Tail&&) noexcept;
  ~Tail();
  [[nodiscard]] base::Result<std::vector<StoredRow>> Next();

 private:
  struct Impl;
  explicit Tail(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

// "2026-01-02T03:04:05.678901Z 3f2a..:17 decision block policy.rule files/write_file ...": one line for people, safe
// for a terminal, without line end.
[[nodiscard]] std::string RenderRowText(const StoredRow& row);
// One line of the JSON lines export, without line end.
[[nodiscard]] std::string RenderRowJson(const StoredRow& row);

enum class ExportFormat : std::uint8_t {
  kJsonLines,  // every row: {"schema":"interlock.audit/v1","seq","chain","hash","row":{...}}
  kTrace,      // interlock.trace/v1, one session a line; arguments and results as they are stored
  kOcsf,       // OCSF 1.6: API Activity (6003) a call, Detection Finding (2004) a changed tool
  kTuples,     // learning tuples: state summary, call, decision, result, outcome; one call a line
};
[[nodiscard]] std::optional<ExportFormat> ExportFormatFromName(
    std::string_view name) noexcept;  // jsonl trace ocsf tuples

// Calls `sink` with each line (without line end) until it returns false. The filter picks rows for kJsonLines and
// decisions else; kTrace takes whole sessions that have a matching decision.
[[nodiscard]] base::Status Export(const std::string& dir, ExportFormat format, const Filter& filter,
                                  const std::function<bool(std::string_view line)>& sink);

}  // namespace interlock::runtime::audit
