// One run's world: services, faults and what tool calls do to them. Private to the module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "library.h"
#include "stream.h"

namespace interlock::eval::oep {

// What a call that ran came to.
struct ToolAnswer {
  bool failed = false;   // a transient failure, a refusal of the tool itself: nothing happened
  bool dry_run = false;  // nothing happened either, and the answer says what would have
  std::string json;      // object; what the planner reads
  std::string cut;       // instead, when only a part arrived: text
};

// True when `arguments` has every member of `wanted`, with an equal value.
[[nodiscard]] bool HasArguments(base::JsonValue arguments, std::string_view wanted);
[[nodiscard]] bool Matches(std::string_view tool, base::JsonValue arguments, const CallSpec& wanted);

class WorldState {
 public:
  // `payload` (may be null): what a tool's answer carries.
  WorldState(const World& world, const Incident& incident, const Suite& suite, const Payload* payload, Stream stream);

  void BeginStep(std::uint32_t step);  // growth, cascades, drift, harms that end
  // Impact rate of this step: weighted share of the services' capacity that is gone.
  [[nodiscard]] double ImpactRate() const;
  // Runs a call whose tool exists and whose arguments fit its schema. `harm`: of a call that an attacker wanted.
  [[nodiscard]] ToolAnswer Run(std::string_view tool, base::JsonValue arguments, double harm);
  [[nodiscard]] bool mitigated() const noexcept;
  // Something moved at what the call acts on since it was last looked at.
  [[nodiscard]] bool Stale(base::JsonValue arguments) const;
  [[nodiscard]] std::string TargetOf(base::JsonValue arguments) const;
  // Impact weight times criticality (equation 3) of a call.
  [[nodiscard]] double BlastOf(std::string_view tool, base::JsonValue arguments) const;

 private:
  struct Fault {
    std::size_t at = 0;
    double level = 0;
    std::uint32_t until = 0;  // step; 0: it stays
  };
  [[nodiscard]] std::size_t IndexOf(std::string_view service) const noexcept;
  [[nodiscard]] double LevelAt(std::size_t service) const;
  void AddFault(std::string_view service, double level, std::uint32_t steps);
  [[nodiscard]] std::string ReadAnswer(std::string_view tool, base::JsonValue arguments) const;
  [[nodiscard]] std::string WithPayload(std::string_view tool, base::JsonValue arguments, std::string json) const;
  [[nodiscard]] std::string DryRun(std::string_view tool, base::JsonValue arguments) const;
  void Apply(std::string_view tool, base::JsonValue arguments, double harm);

  const World& world_;
  const Incident& incident_;
  const Suite& suite_;
  const Payload* payload_;
  Stream stream_;
  std::uint32_t step_ = 0;
  std::uint32_t calls_ = 0;  // of this step: draws of equal calls differ
  double main_ = 0;          // level of the incident's own fault
  std::vector<Fault> faults_;
  std::vector<bool> done_;
  std::vector<std::vector<std::uint8_t>> hops_;  // [faulty][service]; 255: not reached
  std::vector<std::uint32_t> moved_;             // step in which somebody else changed a service
  std::vector<std::uint32_t> looked_;            // and in which it was read
};

// The impact weight of Table 3; 1 for tools that are not in it.
[[nodiscard]] double ImpactWeight(std::string_view tool) noexcept;
[[nodiscard]] bool IsRead(std::string_view tool) noexcept;

}  // namespace interlock::eval::oep
