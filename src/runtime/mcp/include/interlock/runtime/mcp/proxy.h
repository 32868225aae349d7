// `interlock proxy -- CMD...`: an MCP server's standard input and output with the gate in between.
//
//   ProxyOptions options;
//   options.command = {"npx", "-y", "some-mcp-server"};
//   options.policy_file = "interlock.yaml";
//   options.audit_dir = "/home/me/.local/state/interlock/audit";
//   return RunProxy(options);
//
// One thread (the audit log has its own for the database), epoll, no port. The server is started first, so that a host
// that waits for `initialize` does not wait for us. Bytes of the client and the server are held in memory up to one
// line each way plus `high_water_bytes`; when a reader is slow, the other side is not read.
//
// How it ends (exit code): the client closes: the server's input is closed, after 5 s SIGTERM, after 2 s more SIGKILL
// (kExitOk); the server ends first: every open request is answered, then kExitServerGone; SIGTERM or SIGINT: every open
// request is answered, the server gets SIGTERM, then SIGKILL (kExitSignal + n). SIGHUP reads policy and pins again.
// kExitCannotRun when the server cannot be started or the options are wrong. What is wrong with the policy, the audit
// log or the session store does not end it: calls are refused, with the reason, until it is put right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/policy/load.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/mcp/proxy_core.h"

namespace interlock::runtime::mcp {

struct ProxyOptions {
  std::vector<std::string> command;  // the server; argv[0] without '/' is looked up in PATH
  std::string server_cwd;            // "": ours

  std::string policy_file;  // "": the empty policy of the profile, defaults only
  // What the policy file named as its graph when `core.graph` was read. A policy that names another one is not taken
  // over while we run. Nothing: the graph does not come from the policy.
  std::optional<std::string> policy_graph;
  policy::LoadOptions load;  // profile, variables, force_shadow; `file` is set from policy_file
  std::string pins_file;     // "": pinned for this run only
  std::string audit_dir;     // "": no audit log (every notice says so)
  audit::LogOptions audit;
  std::string store_file;      // the session is shared through this file; "": not shared
  std::string approvals_file;  // requests and grants that outlive us; "": only who can be asked at once can approve
  std::string tenant;
  std::string request_file;                                // the user's request, as text
  std::vector<std::pair<std::string, std::string>> facts;  // channel, JSON (see ProxyCore::AddFact)
  std::string socket_path;                                 // "": none

  ScanPort* scan = nullptr;  // must outlive the run; null: lists pass as they are

  CoreOptions core;  // `secret`, prefixes, `fingerprint_key` are filled in; empty `server` and `session` are made up

  std::size_t high_water_bytes = std::size_t{1} << 20;
  std::int64_t poll_us = 1'000'000;  // how often the policy and pins files are looked at
  int client_in = 0;
  int client_out = 1;
  int notice_fd = 2;
  bool quiet = false;  // errors only on notice_fd
};

// The name a server has when nobody gives it one: the first word of the command that is neither a launcher nor an
// option, without its folder, version and extension ("npx -y @scope/server-files@1.2 /srv" is "server-files").
[[nodiscard]] std::string ServerNameOf(const std::vector<std::string>& command);

// Runs until one side ends. Blocks SIGTERM, SIGINT and SIGHUP in the calling thread meanwhile, ignores SIGPIPE.
[[nodiscard]] int RunProxy(const ProxyOptions& options);

}  // namespace interlock::runtime::mcp
