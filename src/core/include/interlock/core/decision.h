// Signals in, decision out. A decision carries its evidence: which rules, which layers, which words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/call.h"
#include "interlock/core/verdict.h"

namespace interlock::core {

// One layer's measured answer about a call. `floor` is the least severe verdict the layer accepts.
struct Signal {
  enum class State : std::uint8_t { kAbsent, kPresent, kError };
  State state = State::kAbsent;
  Verdict floor = Verdict::kAllow;
  double score = 0.0;  // layer's own scale, [0,1]
  std::string evidence;
  std::string pointer = {};  // the argument it hangs on, where one stands out
};

// Signals by layer. Absent is the state of a layer that did not run.
class SignalMap {
 public:
  [[nodiscard]] const Signal& operator[](Layer layer) const noexcept {
    return signals_[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] Signal& operator[](Layer layer) noexcept { return signals_[static_cast<std::size_t>(layer)]; }

 private:
  std::array<Signal, kLayerCount> signals_{};
};

// One reason with what shows it. `rule` names the policy rule (or is empty); `pointer` the argument it concerns.
struct Evidence {
  Layer layer = Layer::kPolicy;
  Reason reason = Reason::kNone;
  Verdict verdict = Verdict::kAllow;
  std::string rule = {};
  std::string pointer = {};
  std::string text = {};  // for people: what was seen, values made printable and shortened
};

struct Decision {
  Verdict verdict = Verdict::kBlock;  // a decision nobody filled in blocks
  Reason reason = Reason::kInternalError;
  std::vector<Evidence> evidence;          // strictest first; empty only for allow
  std::vector<std::string> errored_rules;  // rules that could not be evaluated
  std::string rewritten_arguments;         // JSON; only for kRewrite. The rewritten call is decided again
  bool shadow = false;                     // decided in shadow mode: the verdict is not enforced
  bool rewritten_result = false;           // DecideResult: pass the masked form
  bool break_glass = false;                // thresholds of break-glass were in force: recorded twice, reviewed later

  // What a model and a person are told, on one line of at most a few KB, safe for a terminal whatever the call holds:
  // "Interlock blocked the call `write_file`: a policy rule applies to it (rule `x`, argument `/path`): <evidence>. It
  // did not run. ...". Decisions about results read "withheld the result of the call"; shadow ones "would have ...".
  [[nodiscard]] std::string Explain(std::string_view tool) const;
};

}  // namespace interlock::core
