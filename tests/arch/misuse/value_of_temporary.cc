// Reading a temporary's value skips the check: it has to be named first.
// error: (deleted function|attempt to use a deleted)
#include "interlock/base/result.h"

interlock::base::Result<int> Read();

int Use() {
#ifdef MISUSE
  return Read().value();
#else
  auto value = Read();
  return value.ok() ? value.value() : 0;
#endif
}
