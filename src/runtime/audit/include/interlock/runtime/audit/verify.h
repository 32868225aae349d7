// Checks an audit folder without changing it: every row, every chain, every signature, journals and anchors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/base/result.h"
#include "interlock/runtime/audit/keys.h"

namespace interlock::runtime::audit {

struct VerifyOptions {
  // The key that is trusted, from outside the folder. Without it the folder's own is used and the report says so.
  std::optional<PublicKey> key;
  std::vector<std::string> anchor_files;
  std::size_t max_findings = 100;
};

// One thing that is wrong. `code` is kAuditChain, kAuditSignature, kAuditTruncated or kAuditSchema.
struct Finding {
  base::ErrorCode code;
  std::string chain;      // empty: not about one chain
  std::uint64_t row = 0;  // 0: not about one row
  std::string what;
};

struct ChainReport {
  enum class End : std::uint8_t {
    kClean,      // closed by its writer
    kLive,       // its writer is running now
    kUnclean,    // killed or cut: rows from `unclean_since` on carry no signature
    kRecovered,  // as kUnclean, but a later writer found the end, recorded it, and that record is in a chain
  };
  std::string chain;
  std::uint64_t first_row = 1;  // more than 1: earlier rows were pruned, with a valid tombstone
  std::uint64_t last_row = 0;
  std::uint64_t rows = 0;               // checked
  std::uint64_t journal_only_rows = 0;  // of them not in the database yet
  std::uint64_t torn_bytes = 0;         // last record cut off while being written (it was never acknowledged)
  std::uint64_t checkpoints = 0;
  std::uint64_t last_checkpoint = 0;  // last row under a valid signature
  std::int64_t last_checkpoint_us = 0;
  End end = End::kClean;
  std::uint64_t unclean_since = 0;  // 0 when clean
};

struct VerifyReport {
  enum class Outcome : std::uint8_t {
    kIntact,   // nothing is wrong
    kUnclean,  // nothing is wrong, but a chain has an unclean end: a killed writer, or a cut tail without an anchor
    kBroken,   // see findings
  };
  Outcome outcome = Outcome::kIntact;
  bool key_from_folder = false;  // signatures were checked against the folder's own key
  std::string key;               // hex
  std::uint64_t rows = 0;
  std::uint64_t pruned_rows = 0;
  std::uint64_t signatures = 0;  // checked and valid
  std::uint64_t anchors = 0;     // anchor lines checked and found in the log
  std::uint64_t anchors_pruned = 0;
  std::vector<ChainReport> chains;  // by time of opening
  std::vector<Finding> findings;    // the first max_findings
  std::uint64_t finding_count = 0;
  std::vector<std::string> notes;
};

// Errors only when nothing could be checked (kFileNotFound, kAuditSchema of a newer program, kAuditKey, kIo).
// Everything that is wrong with the log itself is in the report.
[[nodiscard]] base::Result<VerifyReport> Verify(const std::string& dir, const VerifyOptions& options = {});

// "unclean end since row 41 of chain 3f..: ..." and so on, lines for people.
[[nodiscard]] std::string RenderVerifyText(const VerifyReport& report);
// One object, schema "interlock.audit.verify/v1".
[[nodiscard]] std::string RenderVerifyJson(const VerifyReport& report);

}  // namespace interlock::runtime::audit
