// The scanner's text rules for the proxy: what a server says of itself, before the host sees it.
#pragma once

#include <string_view>
#include <thread>
#include <vector>

#include "interlock/runtime/mcp/ports.h"

namespace interlock::app {

class ScanGuard final : public runtime::mcp::ScanPort {
 public:
  // Reads the rules on a thread of its own, so that the first look need not wait for them. Once; optional.
  void Warm();
  std::vector<runtime::mcp::Look> LookAt(runtime::mcp::ListPart part,
                                         const std::vector<std::string_view>& entries) override;

 private:
  std::jthread warming_;
};

}  // namespace interlock::app
