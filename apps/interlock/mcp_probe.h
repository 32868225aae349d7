// A small MCP client over stdio, for commands that must look at a server themselves (policy init, doctor). Speaks the
// legacy handshake first and falls back to the stateless era when the server knows no `initialize`.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/lines.h"
#include "interlock/core/tool.h"
#include "interlock/platform/process.h"

namespace interlock::app {

class McpProbe {
 public:
  // Starts the command and does the handshake.
  [[nodiscard]] static base::Result<McpProbe> Start(const std::vector<std::string>& command,
                                                    std::chrono::milliseconds timeout);

  // Every page of tools/list. At most 10,000 tools.
  [[nodiscard]] base::Result<std::vector<core::ToolSpec>> ListTools();

  // Sends a request and waits for its response (the whole message), answering nothing else. `params` is JSON text.
  [[nodiscard]] base::Result<base::JsonDoc> Request(std::string_view method, std::string_view params);

  // Closes the server's input and waits for its end.
  void Stop();

 private:
  explicit McpProbe(platform::Process process, std::chrono::milliseconds timeout);
  [[nodiscard]] base::Status Send(std::string_view line);
  [[nodiscard]] base::Result<std::string> ReadLine(std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] base::Status Handshake();

  platform::Process process_;
  std::chrono::milliseconds timeout_;
  std::string buffer_;
  std::uint64_t next_id_ = 1;
  bool modern_ = false;
};

}  // namespace interlock::app
