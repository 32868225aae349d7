// The passport: what a package was when it was scanned, so that what it is later can be held against it.
//
// `interlock.passport/v1` (schemas/interlock.passport.v1.json): content hashes of every file and tool definition,
// permissions, findings, verdict, the permission-surface vector of STARS' Stage A, layers that ran, versions; signed
// with ed25519 when asked. The signature covers PassportMessage(): the canonical JSON (RFC 8785) of the passport
// without its `signature`, under a heading of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/scan/scanner.h"

namespace interlock::scan {

inline constexpr std::string_view kPassportSchema = "interlock.passport/v1";

// STARS, section 4.1 and Table 3: how much of each kind of power a package exercises, in [0,1]: 1 where an entry point
// reaches it, 0.5 where only other code of the package does.
struct PermissionSurface {
  double code_execution = 0.0;
  double database = 0.0;
  double file_read = 0.0;
  double file_write = 0.0;
  double network = 0.0;
  double email = 0.0;
  double file_system = 0.0;  // both reading and writing without a fixed path
};
[[nodiscard]] PermissionSurface SurfaceOf(const ScanReport& report);

struct PassportInfo {
  std::string version;  // of the program
  std::string created;  // RFC 3339; "": left out
};
// The passport without signature, one line of JSON and a line end.
[[nodiscard]] std::string MakePassport(const ScanReport& report, const PassportInfo& info);

// What is signed for `passport` (which may carry a signature already). kPassportFormat.
[[nodiscard]] base::Result<std::string> PassportMessage(std::string_view passport);
// The same passport with {"algorithm":"ed25519","key":hex,"value":hex}.
[[nodiscard]] base::Result<std::string> WithSignature(std::string_view passport, std::string_view key_hex,
                                                      std::string_view value_hex);

struct PassportSignature {
  bool present = false;
  std::string key;    // 64 hex digits
  std::string value;  // 128 hex digits
};
[[nodiscard]] base::Result<PassportSignature> SignatureOf(std::string_view passport);

enum class ChangeKind : std::uint8_t { kAdded, kRemoved, kChanged };
struct PassportChange {
  ChangeKind kind = ChangeKind::kChanged;
  std::string what;  // "file" "tool" "permission" "finding" "dependency" "verdict"
  std::string name;
  std::string before;
  std::string after;
  bool grave = false;  // a tool's definition, a new permission, a worse verdict, changed code that runs
};
struct PassportDiff {
  std::vector<PassportChange> changes;  // grave ones first
  bool rules_changed = false;           // scanned with other rules: a new finding may be a new rule's
  [[nodiscard]] bool same() const noexcept { return changes.empty(); }
};
// What changed since `passport` was made. kPassportFormat.
[[nodiscard]] base::Result<PassportDiff> ComparePassport(std::string_view passport, const ScanReport& now);

}  // namespace interlock::scan
