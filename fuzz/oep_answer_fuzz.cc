// links: base core eval
// What a planner says to the incident simulator, and transcripts of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../src/eval/oep/planner.h"
#include "interlock/base/check.h"
#include "interlock/eval/oep.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = interlock::eval::oep::ParseAnswer(text);
  if (answer.ok()) {
    // What was read is written so that it reads the same.
    const std::string line = interlock::eval::oep::WriteAnswer(answer.value());
    const auto again = interlock::eval::oep::ParseAnswer(line);
    INTERLOCK_CHECK(again.ok(), "a written answer can be read");
    INTERLOCK_CHECK(interlock::eval::oep::WriteAnswer(again.value()) == line, "and is the same");
  }
  (void)interlock::eval::ReplayPlanner(text);
  return 0;
}
