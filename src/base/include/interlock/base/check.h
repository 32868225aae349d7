// INTERLOCK_CHECK(condition, "why it holds"): a bug, not an input error. Ends the process (the child's pipes close, so
// nothing undecided runs). Never use it for anything that bytes from outside can cause.
#pragma once

namespace interlock::base {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const char* why) noexcept;
}  // namespace interlock::base

#define INTERLOCK_CHECK(condition, why)                                    \
  do {                                                                     \
    if (!(condition)) [[unlikely]] {                                       \
      ::interlock::base::CheckFailed(__FILE__, __LINE__, #condition, why); \
    }                                                                      \
  } while (false)
