// A Result that nobody looks at is a failure that nobody sees.
// error: (nodiscard|unused)
#include "interlock/base/result.h"

interlock::base::Result<int> Read();

void Use() {
#ifdef MISUSE
  Read();
#else
  const auto value = Read();
  if (!value.ok()) return;
#endif
}
