// Asks a running MCP server what it offers, over stdio or streamable HTTP, in either era (see lister.h).
//
// Whatever the server does, this ends within `limits.total` with a listing or a typed error: messages, all that the
// server sends, pages and entries are bounded. Over HTTP: redirects are refused, proxies and .netrc are not used, no
// compression is accepted, certificates are checked. The server's process is ended (its group too) before this returns.
// Requests of the server (`ping` and others) are answered over stdio and left over HTTP; we declare no capability that
// would allow one. Blocks the calling thread. SIGPIPE must be ignored (platform/signals.h).
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/runtime/mcp/lister.h"

namespace interlock::runtime::mcp {

struct ClientTarget {
  std::vector<std::string> command;                              // stdio, or else:
  std::string url;                                               // http: or https:
  std::vector<std::pair<std::string, std::string>> headers;      // HTTP: sent with every request
  std::vector<std::pair<std::string, std::string>> environment;  // stdio: added to ours
  std::string cwd;                                               // stdio: "" is ours
  Era era = Era::kAuto;
};

struct ClientLimits {
  std::chrono::milliseconds total{60'000};
  std::size_t max_message_bytes = std::size_t{16} << 20;
  std::uint64_t max_received_bytes = std::uint64_t{128} << 20;
  ListerLimits lister = {};
};

// kInvalidArgument (neither or both of command and URL, a header with a line end), kSpawn, kMcpPeerClosed, kMcpTimeout,
// kMcpFraming, kMcpLineTooLong, kMcpHttp, kLimitExceeded, E01xx (an answer that is not JSON). What a server wrote on
// its standard error last is part of the message of kMcpPeerClosed and kMcpTimeout.
[[nodiscard]] base::Result<ServerListing> ListServer(const ClientTarget& target, const ClientLimits& limits = {});

}  // namespace interlock::runtime::mcp
