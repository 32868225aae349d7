// Pins: digests of tool definitions and server instructions, taken on first use. A change is held (escalated or hidden)
// until a person accepts it. The file format is JSON (schemas/interlock.pins.v1.json); reading and writing the file is
// the runtime's business, this is the value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/base/digest.h"
#include "interlock/base/result.h"

namespace interlock::policy {

struct ServerPins {
  std::optional<base::Digest> instructions;   // nothing: never seen
  std::map<std::string, base::Digest> tools;  // by tool name
};

class Pins {
 public:
  // kPolicyPins for anything but a well-formed pins document.
  [[nodiscard]] static base::Result<Pins> Parse(std::string_view json);
  [[nodiscard]] std::string ToJson() const;  // sorted: diffs stay small

  enum class Answer { kFirstUse, kMatches, kChanged };
  [[nodiscard]] Answer CheckTool(std::string_view server, std::string_view tool, const base::Digest& digest) const;
  [[nodiscard]] Answer CheckInstructions(std::string_view server, const base::Digest& digest) const;
  void PinTool(std::string_view server, std::string_view tool, const base::Digest& digest);
  void PinInstructions(std::string_view server, const base::Digest& digest);
  [[nodiscard]] const std::map<std::string, ServerPins, std::less<>>& servers() const noexcept { return servers_; }

 private:
  std::map<std::string, ServerPins, std::less<>> servers_;
};

}  // namespace interlock::policy
