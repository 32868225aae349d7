// The scanner's text rules for the proxy: what a server says of itself, before the host sees it.
#pragma once

#include <string_view>
#include <vector>

#include "interlock/runtime/mcp/ports.h"

namespace interlock::app {

class ScanGuard final : public runtime::mcp::ScanPort {
 public:
  std::vector<runtime::mcp::Look> LookAt(runtime::mcp::ListPart part,
                                         const std::vector<std::string_view>& entries) override;
};

}  // namespace interlock::app
