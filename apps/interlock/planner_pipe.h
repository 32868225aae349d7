// A child that answers questions: one line in, one line out.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "interlock/base/lines.h"
#include "interlock/base/result.h"
#include "interlock/platform/process.h"

namespace interlock::app {

class PlannerPipe {
 public:
  // `command` is run by sh. It is killed, with what it started, when this object ends.
  [[nodiscard]] static base::Result<PlannerPipe> Start(const std::string& command, std::chrono::milliseconds timeout,
                                                       std::size_t max_answer_bytes);
  // kPlannerTimeout, kPlannerClosed, kIo: nothing more can be asked. kLimitExceeded: this answer was too long, and was
  // read to its end.
  [[nodiscard]] base::Result<std::string> Ask(std::string_view line);

 private:
  PlannerPipe(platform::Process child, std::chrono::milliseconds timeout, std::size_t max_answer_bytes);
  platform::Process child_;
  std::chrono::milliseconds timeout_;
  std::size_t max_answer_bytes_;
  std::string rest_;  // read, not yet part of an answer
};

}  // namespace interlock::app
