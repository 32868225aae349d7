#include "interlock/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace interlock::base {

// The one place below the runtime that prints: the process is about to end, and a core dump without a reason helps
// nobody.
void CheckFailed(const char* file, int line, const char* condition, const char* why) noexcept {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace interlock::base
