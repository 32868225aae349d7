// The same for a Status.
// error: (nodiscard|unused)
#include "interlock/base/result.h"

interlock::base::Status Write();

void Use() {
#ifdef MISUSE
  Write();
#else
  if (!Write().ok()) return;
#endif
}
