// The proxy's state machine, sans-IO: lines and time in, actions out (ports.h). `proxy.h` runs it over real pipes; the
// tests and the fuzzer run it over scripts.
//
// What it promises, whatever either side sends:
//   - a tools/call reaches the server only after the gate let it go ahead and its audit record was written;
//   - what was judged is what is forwarded: the original bytes, or the original with new arguments in their place;
//   - a result reaches the client only after its labels and values are in the session (and in the shared store);
//   - a response that answers no open request, or one that was answered already, reaches nobody;
//   - everything else passes byte for byte: unknown methods, progress, sampling, elicitation, resources, images, tasks;
//   - every request is answered or forwarded, and memory is bounded by the options.
//
// Both protocol eras, told apart request by request: legacy (`initialize`, 2024-11-05 to 2025-11-25) and modern
// (2026-07-28: `server/discover`, the `_meta` envelope, `input_required`).
//
// Thread rule: one thread. Time comes with each call and must not go back (monotonic part).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/error.h"
#include "interlock/gate/session.h"
#include "interlock/policy/snapshot.h"
#include "interlock/runtime/mcp/codec.h"
#include "interlock/runtime/mcp/ports.h"

namespace interlock::runtime::mcp {

// How a refusal reaches the client: as a tool result that the model reads (so that it can choose another way), or as a
// JSON-RPC error that only the host sees.
enum class RefuseAs : std::uint8_t { kToolResult, kJsonRpcError };

// JSON-RPC error codes of our own: outside -32768..-32000, which the protocols keep for themselves.
inline constexpr int kErrorRefused = -31000;
inline constexpr int kErrorUpstreamGone = -31001;
inline constexpr int kErrorOverloaded = -31002;
inline constexpr int kErrorWithheld = -31003;

// Process exit codes.
inline constexpr int kExitOk = 0;          // the client closed; the server was stopped
inline constexpr int kExitCannotRun = 2;   // bad options, or the server could not be started
inline constexpr int kExitServerGone = 3;  // the server ended while the client was still there
inline constexpr int kExitSignal = 128;    // plus the signal's number

// What a passport (interlock.passport/v1) says of the server's tools.
struct PassportTools {
  // DigestOf each tool's listed definition. A name without digests is known, but cannot be verified: the passport was
  // made from source.
  std::map<std::string, std::vector<base::Digest>, std::less<>> tools;
  bool verifies = false;  // has a digest at all; else every tool is left to the pins
  std::string origin;     // for the log: digest, who signed it
};

// What the scanner's first look decides (`ScanPort`). Whatever holds something back, a person may accept it
// (`interlock policy accept`); in shadow it is recorded only.
enum class FirstUseScan : std::uint8_t {
  kOff,
  kOn,      // what would block is held back, what warns is recorded
  kStrict,  // what warns is held back too; also in the profile `strict`
};

struct CoreOptions {
  std::string server;  // the policy's name for the server behind us
  std::string session;
  bool session_named = true;  // false: `session` is made up, and approvals are for every such session of the principal
  std::string tenant;
  std::string principal;
  std::string environment;
  std::array<std::uint64_t, 2> fingerprint_key{};
  // Random in production. `secret` protects approval tickets; the prefixes start the ids of our own requests and must
  // be unguessable to the other side.
  std::array<std::uint8_t, 32> secret{};
  std::string to_server_prefix = "interlock-s-";
  std::string to_client_prefix = "interlock-c-";

  std::shared_ptr<const bounds::GraphIndex> graph = nullptr;  // learned flows; null: the path says nothing
  std::string graph_digest;                                   // for the log

  std::shared_ptr<const PassportTools> passport = nullptr;  // null: pins only
  FirstUseScan first_use = FirstUseScan::kOn;
  bool first_use_fixed = false;  // true: the policy's `scan.first_use` does not count

  RefuseAs refuse_as = RefuseAs::kToolResult;
  bool request_from_meta = false;        // believe `_meta["interlock/request"]`: off, since a model may be writing it
  bool instructions_are_results = true;  // the server's instructions count as untrusted text that the session has seen

  CodecLimits codec;
  std::size_t max_open_requests = 1024;
  std::size_t max_inflight_bytes = std::size_t{256} << 20;  // of calls held or waiting for their result
  std::size_t max_tools = 10'000;
  std::size_t max_list_pages = 256;
  std::int64_t list_timeout_us = 10'000'000;  // how long a call may wait for the server's tool list
  std::int64_t call_timeout_us = 0;           // how long a forwarded call may take; 0: as long as it likes
  // How long a call of a client that cannot be asked waits for an answer from elsewhere, at most the profile's
  // approval_timeout; 0: not at all. Below the minute after which many clients give up: the refusal is to be read.
  std::int64_t approval_wait_us = 45'000'000;
  std::string approve_flags;                // what `interlock approve grant ID` needs besides, where we tell of it
  std::int64_t approval_poll_us = 250'000;  // how often an answer is looked for meanwhile
  std::int64_t close_grace_us = 5'000'000;  // from closing the server's input to SIGTERM
  std::int64_t term_grace_us = 2'000'000;   // from SIGTERM to SIGKILL
};

struct Ports {
  Sink* sink = nullptr;
  AuditPort* audit = nullptr;          // null: nothing is recorded (tests, fuzzing)
  SessionStorePort* store = nullptr;   // null: the session is not shared
  PinsPort* pins = nullptr;            // null: definitions are pinned for this process only
  ApprovalsPort* approvals = nullptr;  // null: only who can be asked at once can approve, and only for this process
  ScanPort* scan = nullptr;            // null: nothing is looked at
};

struct Counters {
  std::uint64_t client_lines = 0;
  std::uint64_t server_lines = 0;
  std::uint64_t calls = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t refused = 0;
  std::uint64_t shadowed = 0;
  std::uint64_t escalated = 0;
  std::uint64_t withheld = 0;
  std::uint64_t masked = 0;  // passed with parts of it masked
  std::uint64_t calls_without_id = 0;
  std::uint64_t client_garbage = 0;
  std::uint64_t server_garbage = 0;
  std::uint64_t unmatched_responses = 0;
  std::uint64_t oversized = 0;
  std::uint64_t audit_failures = 0;
  std::uint64_t store_failures = 0;
  std::uint64_t stale_policy = 0;  // reloads that failed: the policy in force is older than its file
};

class ProxyCore {
 public:
  // `policy` decides until SetPolicy. With `policy_error` there is no readable policy: `policy` is then only what the
  // session is built on (an empty one), every call is refused, and everything else works.
  ProxyCore(CoreOptions options, Ports ports, std::shared_ptr<const policy::PolicySnapshot> policy,
            std::optional<base::Error> policy_error, base::Now now);
  ~ProxyCore();
  ProxyCore(const ProxyCore&) = delete;
  ProxyCore& operator=(const ProxyCore&) = delete;

  // One line with its '\n' (which is added where it is missing).
  void OnClientLine(std::string_view line, base::Now now);
  void OnServerLine(std::string_view line, base::Now now);
  // A line that was longer than the limit was dropped.
  void OnClientOversized(std::uint64_t bytes, base::Now now);
  void OnServerOversized(std::uint64_t bytes, base::Now now);
  // The time has come that NextDeadline named. Early or late calls are fine.
  void OnTick(base::Now now);
  // The client's end of file, or its reading end is gone.
  void OnClientClosed(base::Now now);
  // The server closed a pipe but has not ended: it is given the grace, then killed.
  void OnServerClosed(base::Now now);
  // The server has ended and everything it wrote was handed in. `how`: "exit code 3", "signal 9".
  void OnServerExit(std::string_view how, base::Now now);
  // SIGTERM, SIGINT: calls stop, the server is stopped, the exit code is kExitSignal + `signal_number`.
  void OnSignal(int signal_number, base::Now now);

  void SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy, base::Now now);
  // The policy's file cannot be read or has errors: the policy in force stays, counted and recorded.
  void KeepPolicy(const base::Error& why, base::Now now);
  // Somebody else changed the pins file.
  void ReloadPins(base::Now now);

  // Makes this connection part of the named session. Only before the first call or content: what was seen under another
  // name stays there. kInvalidArgument when it is too late.
  [[nodiscard]] base::Status JoinSession(std::string name, const std::array<std::uint64_t, 2>& fingerprint_key,
                                         base::Now now);
  void SetRequest(std::string_view text, base::Now now);
  // A fact that whoever starts the agent vouches for, such as the alert: what the policy's bindings call `fact`. JSON.
  // It belongs to the session: its other guards hear of it through the store, other sessions never. kInvalidJson and
  // the like; kLimitExceeded.
  [[nodiscard]] base::Status AddFact(std::string_view channel, std::string_view json, base::Now now);
  // How bad the incident is that this session works on: {"rate": impact of one step, "severity": "SEV1" (the highest),
  // "for_s": how long so far}, or null when it is over. It is added up over time; over the policy's `break_glass`
  // thresholds a window is opened, once, by the next call. What nobody repeats for 15 minutes is forgotten. Without an
  // approvals file nothing is opened. kInvalidArgument.
  [[nodiscard]] base::Status SetImpact(base::JsonValue impact, base::Now now);
  // False when the policy has no such label.
  [[nodiscard]] bool AddLabel(std::string_view name, base::Now now);
  // Approves a call that was refused because nobody could be asked; `call` is its digest in hex (from the refusal).
  // kNotFound when no such call was refused lately.
  [[nodiscard]] base::Status ApproveRefused(std::string_view call, bool once, base::Now now);

  // When OnTick wants to be called; nothing: not until something else happens.
  [[nodiscard]] std::optional<base::MonoTime> NextDeadline() const;
  [[nodiscard]] const Counters& counters() const;
  [[nodiscard]] std::size_t open_requests() const;
  [[nodiscard]] std::size_t inflight_bytes() const;
  [[nodiscard]] const gate::SessionState& session() const;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::runtime::mcp
