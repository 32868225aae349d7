// One audit record, as plain fields. Views only: a Record lives for one `AuditLog::Append`, which encodes it at once.
//
// Fields that a kind does not use stay empty and are left out of the row. Arguments, results and free text pass the
// redactor inside Append: nobody can forget it. Shape of a row: schemas/interlock.audit.v1.json.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "interlock/base/clock.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/core/decision.h"
#include "interlock/core/verdict.h"

namespace interlock::runtime::audit {

enum class Kind : std::uint8_t {
  // Written by adapters.
  kSessionStart,      // session, principal, environment, profile, policy, `text`: the user's request where known
  kSessionEnd,        // session, `text`: why it ended
  kSessionLabel,      // session, `name`: the label ("benign", "attack", ...), `actor`: who says so. Gates learning
  kDecision,          // proposal, decision with evidence and enforcement
  kOutcome,           // what came of a forwarded call
  kApprovalAsked,     // session, call, tool, `actor`: who was asked, `text`: the question
  kApprovalAnswered,  // session, call, tool, `actor`: who answered, `name`: "approved" | "declined" | "timeout"
  kApprovalUsed,      // a call goes ahead under an approval: session, call, tool, `actor`: who gave it, `name`: its id
  kApprovalVoid,   // it no longer holds: session, tool, `name`: its id, `text`: what has changed, or who took it back
  kBreakGlass,     // `name`: the window's id, `actor`, `text`; a second row for each decision under it: call, tool
  kToolsAccepted,  // server, tool, `definition`, `actor`: a person accepted the tool list
  kToolsChanged,   // server, tool, `definition`: differs from the accepted one
  kPolicyLoaded,   // policy, profile, `text`
  kNotice,         // `name`, `count`, `text`: counters, fail-open and other events worth keeping
  // Written by the log itself; `Append` refuses them with kInvalidArgument.
  kChainOpen,
  kChainClose,
  kCheckpoint,
  kRecovered,
  kKeyRotated,
  kPruned,
};
inline constexpr int kKindCount = 20;
[[nodiscard]] std::string_view NameOf(Kind kind) noexcept;  // "decision" "session.start" ...
[[nodiscard]] std::optional<Kind> KindFromName(std::string_view name) noexcept;

enum class CallStatus : std::uint8_t { kOk, kError, kTimeout, kUpstreamGone, kWithheld };
[[nodiscard]] std::string_view NameOf(CallStatus status) noexcept;  // "ok" "error" "timeout" "upstream_gone" "withheld"

struct Record {
  Kind kind = Kind::kNotice;
  base::WallTime time;  // zero: read the clock

  // Names longer than 1024 bytes are cut there.
  std::string_view session;
  std::string_view principal;
  std::string_view environment;
  std::string_view profile;
  base::Digest policy;  // digest of the policy snapshot; zero: none
  std::string_view server;
  std::string_view tool;
  std::string_view call;  // id of the call within its session

  // kDecision.
  const core::Decision* decision = nullptr;
  core::Enforcement enforcement = core::Enforcement::kFailed;
  base::JsonValue arguments;                      // as proposed
  base::Digest arguments_digest;                  // base::DigestOf(arguments); zero: made from `arguments`
  std::span<const std::string> secret_arguments;  // JSON pointers of arguments that are secrets by their place
  core::SideEffect side_effect = core::SideEffect::kUnknown;
  bool request_known = false;
  std::uint64_t step = 0;                    // calls of the session before this one
  std::int64_t latency_us = -1;              // kDecision: time to decide; kOutcome: time of the call; -1: not known
  std::span<const std::string_view> labels;  // of the session before the call; of the result for kOutcome

  // kOutcome.
  std::uint64_t decision_row = 0;  // row number Append gave for the decision; 0: joined by session and call
  CallStatus status = CallStatus::kOk;
  core::Trust trust = core::Trust::kUnknown;
  base::JsonValue result;
  base::Digest result_digest;  // base::Sha256(result.raw()); zero: made from `result`
  std::uint64_t result_bytes = 0;

  // Other kinds.
  std::string_view actor;
  std::string_view name;
  std::string_view text;
  std::uint64_t count = 0;
  base::Digest definition;
};

}  // namespace interlock::runtime::audit
