// Internal to the client: one way to a server. See client.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/runtime/mcp/client.h"

namespace interlock::runtime::mcp::internal {

using Deadline = std::chrono::steady_clock::time_point;

class ClientChannel {
 public:
  virtual ~ClientChannel() = default;
  // Sends the message; for a request waits for its response (result or error) until `deadline`.
  [[nodiscard]] virtual base::Result<base::JsonDoc> Exchange(const ListerRequest& request, Deadline deadline) = 0;
  virtual void Close(Deadline deadline) = 0;
};

[[nodiscard]] base::Result<std::unique_ptr<ClientChannel>> OpenStdioChannel(const ClientTarget& target,
                                                                            const ClientLimits& limits);
[[nodiscard]] base::Result<std::unique_ptr<ClientChannel>> OpenHttpChannel(const ClientTarget& target,
                                                                           const ClientLimits& limits);

[[nodiscard]] inline std::chrono::milliseconds TimeLeft(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds{0});
}

}  // namespace interlock::runtime::mcp::internal
