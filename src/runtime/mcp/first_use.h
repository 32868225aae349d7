// The scanner's look at what a server says of itself, once for each text. Private to the module; sans-IO.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/runtime/mcp/ports.h"

namespace interlock::runtime::mcp {

class FirstUse {
 public:
  explicit FirstUse(ScanPort* port) : port_(port) {}  // null: everything passes

  struct Seen {
    Look look;
    bool fresh = false;  // looked at now, for the first time
  };
  // One answer for each entry (raw JSON).
  [[nodiscard]] std::vector<Seen> LookAt(ListPart part, const std::vector<std::string_view>& entries);

 private:
  struct Hash {
    std::size_t operator()(const base::Digest& digest) const noexcept;
  };
  ScanPort* port_;
  std::unordered_map<base::Digest, Look, Hash> known_;
};

}  // namespace interlock::runtime::mcp
