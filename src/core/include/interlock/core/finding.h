// What the scanner says about a package: findings, permissions, verdict.
//
// Threat classes T1..T8 are those of the skill-scanner paper (contribution 1); `nature` keeps apart what its single
// score mixes: malice, a weakness, an honest power, poor hygiene.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::core {

enum class ThreatClass : std::uint8_t {
  kNone,
  kT1,  // supply chain
  kT2,  // prompt injection
  kT3,  // tool-description jailbreak
  kT4,  // privilege escalation
  kT5,  // dependency confusion
  kT6,  // exfiltration
  kT7,  // state and memory poisoning
  kT8,  // memory safety
};
[[nodiscard]] std::string_view NameOf(ThreatClass threat) noexcept;  // "" "T1" ...
[[nodiscard]] std::optional<ThreatClass> ThreatClassFromName(std::string_view name) noexcept;

enum class Severity : std::uint8_t { kInfo, kLow, kMedium, kHigh, kCritical };
[[nodiscard]] std::string_view NameOf(Severity severity) noexcept;  // "info" "low" "medium" "high" "critical"
[[nodiscard]] std::optional<Severity> SeverityFromName(std::string_view name) noexcept;

enum class Nature : std::uint8_t {
  kMalicious,   // has no or hardly any innocent reading
  kVulnerable,  // a mistake that an attacker could use
  kCapability,  // an honest power; counts only where undeclared or hidden
  kHygiene,     // unpinned, unhashed, unusual
};
[[nodiscard]] std::string_view NameOf(Nature nature) noexcept;  // "malicious" "vulnerable" "capability" "hygiene"
[[nodiscard]] std::optional<Nature> NatureFromName(std::string_view name) noexcept;

// Where in the package the finding lies, seen from the agent: the nearer, the more it counts.
enum class Reach : std::uint8_t {
  kTool,      // reachable from a tool's entry point, or text of a tool's definition
  kAgent,     // text that the agent is given to follow (SKILL.md, prompts), a script that such text has run
  kInstall,   // an install hook, a dependency that is installed
  kRuntime,   // code of the package that runs, no entry point known
  kDocument,  // README, references, comments: read, but not given as orders
  kExample,   // examples, samples, fixtures for users
  kTest,      // tests and their data
  kBuild,     // CI, build and release scripts, editor settings
  kVendored,  // other people's code that lies in the package
};
[[nodiscard]] std::string_view NameOf(Reach reach) noexcept;  // "tool" "agent" ...

// The reference's eleven permissions and those that it lacks.
enum class Permission : std::uint8_t {
  kNetworkEgress,
  kNetworkIngress,
  kFilesystemRead,
  kFilesystemWrite,
  kSubprocess,
  kEnvironmentRead,
  kEnvironmentWrite,
  kMemoryRead,  // the agent's memory or state
  kMemoryWrite,
  kAgentSpawn,
  kToolRegister,
  kDynamicCode,  // eval, exec, import by computed name, native libraries
  kSecretsRead,  // key stores, credential files, keychains, browser profiles
};
inline constexpr std::size_t kPermissionCount = 13;
[[nodiscard]] std::string_view NameOf(Permission permission) noexcept;  // "network:egress" "filesystem:read" ...
[[nodiscard]] std::optional<Permission> PermissionFromName(std::string_view name) noexcept;
using PermissionSet = std::uint32_t;  // bit i: Permission(i)
[[nodiscard]] constexpr PermissionSet BitOf(Permission permission) noexcept {
  return PermissionSet{1} << static_cast<unsigned>(permission);
}

struct FlowStep {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // UTF-16 units, from 1
  std::string text;          // "reads the environment variable AWS_SECRET_ACCESS_KEY"
};

struct Finding {
  std::string rule;  // id in the rule set
  ThreatClass threat = ThreatClass::kNone;
  Severity severity = Severity::kInfo;
  double confidence = 0.0;  // [0,1] after context
  Nature nature = Nature::kHygiene;
  Reach reach = Reach::kRuntime;
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: the whole file
  std::uint32_t column = 0;  // bytes, from 1
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;    // one past the last byte
  std::uint32_t utf16_column = 0;  // the same columns as editors and SARIF count them
  std::uint32_t utf16_end_column = 0;
  std::uint64_t begin = 0;  // byte offsets in the file
  std::uint64_t end = 0;
  std::string message;   // one sentence about this very finding
  std::string evidence;  // the text seen, printable, at most 300 bytes
  std::string decoded;   // what it says after decoding, where that differs
  std::string subject;   // tool, dependency, permission it is about; "" when none
  std::vector<FlowStep> flow;
  std::string fingerprint;    // stable over unrelated edits: rule, path, normalised evidence, ordinal; 32 hex digits
  std::string suppressed;     // reason of the suppression or baseline that covers it; "": none
  std::uint32_t repeats = 0;  // further places with the same rule, file and evidence
};

enum class ScanVerdict : std::uint8_t { kSafe, kWarn, kBlock };
[[nodiscard]] std::string_view NameOf(ScanVerdict verdict) noexcept;  // "SAFE" "WARN" "BLOCK"
[[nodiscard]] std::optional<ScanVerdict> ScanVerdictFromName(std::string_view name) noexcept;

enum class ScanReason : std::uint8_t {
  kNone,        // nothing worth a word
  kPowerful,    // honest powers, listed
  kUnanalysed,  // something that counts could not be analysed: not a risk score
  kVulnerable,
  kMalicious,
};
[[nodiscard]] std::string_view NameOf(ScanReason reason) noexcept;  // "none" "powerful" "unanalysed" ...

}  // namespace interlock::core
