// A header of a module that was not declared as a dependency is not found.
// error: interlock/gate/gate\.h.*(No such file|not found)
#ifdef MISUSE
#include "interlock/gate/gate.h"
#endif
#include "interlock/core/verdict.h"
