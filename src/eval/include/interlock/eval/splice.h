// Attack traces made from a user's own traces: a benign session reads something, an attacker's text stands in it, and
// the session goes on as the attacker's does.
//
//   SpliceSource benign = ReadSpliceSource(line).value(), attack = ...;
//   Result<Spliced> made = Splice(benign, attack, {.preamble = preambles[2], .position = Position::kField}, seed);
//   out << made.value().line;                       // interlock.trace/v1
//
// What is made says so in its annotations: label "attack", the byte spans of the injected text on the call whose result
// holds it, and under `splice` where everything came from. Deterministic. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/base/text.h"
#include "interlock/core/trace.h"

namespace interlock::eval {

// Text in front of the instruction (and after it): what tries to make an agent obey.
struct Preamble {
  std::string id;
  std::string text;
  std::string after;
};

// What the payload is dressed as.
enum class Escape : std::uint8_t { kNone, kJson, kOneLine };
struct Carrier {
  std::string id;
  std::string before;
  std::string line_prefix;  // in front of every line of the payload
  std::string after;
  Escape escape = Escape::kNone;
};

// Files of schema interlock.preambles/v1 and interlock.carriers/v1. kImportShape and every JSON error.
[[nodiscard]] base::Result<std::vector<Preamble>> ParsePreambles(std::string_view json);
[[nodiscard]] base::Result<std::vector<Carrier>> ParseCarriers(std::string_view json);
// The lists that come with the program: "none" is the first preamble, "plain" the first carrier.
[[nodiscard]] const std::vector<Preamble>& DefaultPreambles();
[[nodiscard]] const std::vector<Carrier>& DefaultCarriers();

}  // namespace interlock::eval
