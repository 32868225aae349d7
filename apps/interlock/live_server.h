// A running MCP server as a package: what it says it offers, as the one virtual file core::kMcpListingPath.
//
//   auto view = ListServer({.command = {"npx", "some-server"}});      // or {.url = "https://host.example/mcp"}
//   if (!view.ok()) ...                                               // did not start, did not answer, not MCP
//
// Starts the command, or connects to the URL, speaks the protocol of either era, asks for all pages of tools, prompts,
// resources and resource templates, calls no tool, and ends the server. What the server sends is kept as it sent it.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/package.h"

namespace interlock::app {

struct LiveTarget {
  std::vector<std::string> command;                              // stdio: the program and its arguments; or else:
  std::string url;                                               // streamable HTTP
  std::vector<std::pair<std::string, std::string>> headers;      // sent with every request; never printed
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours for the command
  std::string cwd;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  // for all of it
};

// `view.target` is the command line or the URL (without user, password and query). A list that could not be read to its
// end, or that is over a limit, is named in `skipped` as "mcp-listing.json#tools" and the rest is kept. Errors: kUsage
// (neither or both of command and URL), kSpawn, kMcpPeerClosed, kMcpTimeout, kMcpFraming, kMcpHttp, kLimitExceeded.
[[nodiscard]] base::Result<core::PackageView> ListServer(const LiveTarget& target);

}  // namespace interlock::app
