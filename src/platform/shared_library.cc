#include "interlock/platform/shared_library.h"

#include <dlfcn.h>

namespace interlock::platform {

SharedLibrary::SharedLibrary(const char* soname) noexcept : handle_(::dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {}

void* SharedLibrary::Find(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace interlock::platform
